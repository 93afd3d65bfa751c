// The Rust of the page compiles against the library of this tree, and prints the numbers of the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, number, open, scene, nextFrames } from "./browser.mjs";
import { fileUrl, root } from "./paths.mjs";

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "hitscan-lab-"));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("every kind of shape and of query", async () => {
  const { page, context } = await open(browser, fileUrl);
  mkdirSync(join(folder, "src/bin"), { recursive: true });
  const expected = {};
  const keep = async (name) => {
    await page.locator("#tabs button", { hasText: "Code" }).click();
    await nextFrames(page);
    writeFileSync(join(folder, `src/bin/${name}.rs`), await page.locator("#code-rust").textContent());
    const { query } = await scene(page);
    const [word, key] = {
      ray: ["t", "t"],
      closest: ["distance", "distance"],
      sweep: ["t", "t"],
      overlap: ["count", "count"],
    }[query.kind];
    const hit = !/^(Miss|No )/.test(await page.locator("#verdict").innerText());
    expected[name] = hit ? [word, await number(page, key)] : null;
  };
  for (const preset of ["every3", "every2", "far", "walls", "plane"]) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    await page.locator("#stage canvas, #stage svg").locator("visible=true").first().focus();
    // A mesh comes from a file: its code reads the scene file, which other tests do.
    for (const { id, type } of (await scene(page)).shapes) {
      if (type !== "mesh") continue;
      await page.locator(`[data-key="shape${id}"]`).click();
      await page.locator("#stage canvas, #stage svg").locator("visible=true").first().focus();
      await page.keyboard.press("Delete");
      await nextFrames(page);
    }
    if (preset.startsWith("every")) {
      await page.selectOption('select[aria-label="Shape to add"]', preset === "every3" ? "box+" : "rectangle+");
      await page.locator("#scene button", { hasText: /^Add$/ }).click();
      await nextFrames(page);
    }
    await keep(`${preset}_ray`);
  }
  for (const preset of ["closest3", "thick2", "overlap3"]) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    await keep(preset);
  }
  await page.selectOption("#examples", "thick3");
  await page.getByLabel("t_max").fill("1");
  await keep("short");
  await page.selectOption("#examples", "closest2");
  await page.getByLabel("max distance").fill("1.25");
  await keep("limited");
  await page.selectOption("#examples", "box");
  await page.locator("#ray button", { hasText: "Hollow" }).click();
  await page.locator("#ray button", { hasText: "Front" }).click();
  await page.getByLabel("t_min").fill("1.75");
  await page.getByLabel("t_max").fill("1e3");
  await keep("hollow");
  await context.close();

  const manifest = `[package]\nname = "snippets"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\nhitscan = { path = ${JSON.stringify(join(root, "crates/hitscan"))} }\n\n[workspace]\n`;
  writeFileSync(join(folder, "Cargo.toml"), manifest);
  // The versions of the tree, so that nothing has to be looked up.
  cpSync(join(root, "Cargo.lock"), join(folder, "Cargo.lock"));
  const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "lab-snippets");
  const cargo = (...args) =>
    execFileSync(process.env.CARGO ?? "cargo", args, {
      cwd: folder,
      encoding: "utf8",
      timeout: 280_000,
      env: { ...process.env, CARGO_TARGET_DIR: target },
    });
  cargo("build", "--quiet", "--offline", "--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=0");
  for (const [name, found] of Object.entries(expected)) {
    const said = cargo(
      "run",
      "--quiet",
      "--offline",
      "--config",
      "profile.dev.opt-level=0",
      "--config",
      "profile.dev.debug=0",
      "--bin",
      name,
    );
    if (found === null) assert.match(said, /^miss$/m, name);
    else assert.equal(Number(said.match(new RegExp(`^${found[0]} (\\S+)`))?.[1]), found[1], `${name}: ${said}`);
  }
});
