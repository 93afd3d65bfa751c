// The numbers of the page against the native program: the scene file that Save writes, and the code that Code shows.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, scene, nextFrames } from "./browser.mjs";
import { csv, fileUrl, hitscan, run } from "./paths.mjs";

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

/** Saves the scene and what it names; returns the path of the scene file. */
async function save(page) {
  const downloads = [];
  const keep = (download) => downloads.push(download);
  page.on("download", keep);
  await page.locator("#file button", { hasText: "Save" }).click();
  const said = () => page.locator("#toast").innerText();
  await page.waitForFunction(() => document.getElementById("toast").textContent.startsWith("Saved"));
  const names = (await said()).replace(/^Saved |: keep.*$|\.$/g, "").split(/, | and /);
  for (let i = 0; i < 50 && downloads.length < names.length; i++) await new Promise((done) => setTimeout(done, 100));
  page.off("download", keep);
  assert.equal(downloads.length, names.length);
  for (const download of downloads) await download.saveAs(join(folder, download.suggestedFilename()));
  return join(folder, "scene.toml");
}

/** The arguments after the scene, as the command line of the page has them. */
async function castArguments(page) {
  const line = (await page.locator("#code-cli").textContent()).trim().split("\n").at(-1);
  return line.split(" ").slice(3);
}

const figures = (page) =>
  page
    .locator("#answer dl")
    .evaluateAll((lists) =>
      lists.map((list) =>
        Object.fromEntries(
          [...list.querySelectorAll("[data-number]")].map((number) => [number.dataset.number, number.dataset.value]),
        ),
      ),
    );

/** A value of the page and one of the program: the same number, whatever its digits, or the same word. */
function agree(shown, row, pairs) {
  for (const [key, column] of pairs) {
    const [x, y] = [shown[key], row[column]];
    assert.ok(x === y || Number(x) === Number(y), `${key}: ${x} on the page, ${y} by the program`);
  }
}

/** The columns of the program for the keys of the page, by the kind of the query. */
const COLUMNS = {
  closest: (axes) => [
    ["shape", "shape"],
    ["distance", "distance"],
    ["signed", "signed_distance"],
    ["feature", "feature"],
    ...axes.map((axis) => [`p${axis}`, `c${axis}`]),
  ],
  sweep: (axes) =>
    ["shape", "t", "distance", ...axes.flatMap((axis) => [`p${axis}`, `n${axis}`])].map((key) => [key, key]),
};

/** The answer to a query that is no ray: that of the program, by the command of the page. */
async function compareQuery(page, kind, axes) {
  await save(page);
  await page.locator("#tabs button", { hasText: "Code" }).click();
  await nextFrames(page);
  const line = (await page.locator("#code-cli").textContent()).trim().split("\n").at(-1);
  const [command, , ...args] = line.split(" ").slice(1);
  const rows = csv(run([command, join(folder, "scene.toml"), ...args, "--format", "csv"]));
  const shown = await figures(page);
  if (kind !== "overlap") {
    agree(shown[0], rows[0], COLUMNS[kind](axes));
    return 1;
  }
  const names = await page.locator("#answer dt").allInnerTexts();
  const listed = rows.filter((row) => row.overlap === "true").map((row) => row.shape);
  assert.deepEqual(names.slice(1), listed);
  assert.equal(Number(shown[0].count), listed.length);
  return listed.length;
}

/** A hit of the page and a row of the program: the same number, whatever its digits. */
function same(hit, row, axes) {
  assert.equal(hit.shape, row.shape);
  assert.equal(hit.side === "front", row.front === "true" || row.front === "1");
  for (const key of ["t", "distance", ...axes.map((axis) => `p${axis}`), ...axes.map((axis) => `n${axis}`)]) {
    // Zeros are equal, whatever their sign: the page writes none.
    assert.ok(Number(hit[key]) === Number(row[key]), `${key}: ${hit[key]} on the page, ${row[key]} by the program`);
  }
}

async function compare(page) {
  const { dimension, query } = await scene(page);
  if (query.kind !== "ray") return compareQuery(page, query.kind, ["x", "y", "z"].slice(0, dimension));
  const path = await save(page);
  await page.locator("#tabs button", { hasText: "Code" }).click();
  await nextFrames(page);
  const args = await castArguments(page);
  const axes = ["x", "y", "z"].slice(0, (await scene(page)).dimension);
  const rows = csv(run(["cast", path, ...args, "--format", "csv"])).filter((row) => row.t !== "");
  const shown = await figures(page);
  assert.equal(shown.length, rows.length, `${shown.length} hits on the page, ${rows.length} by the program`);
  shown.forEach((hit, i) => same(hit, rows[i], axes));
  const explained = run([
    "explain",
    path,
    ...args.filter(
      (word, i) => !/^(--precision|--query)$/.test(word) && !/^(--precision|--query)$/.test(args[i - 1] ?? ""),
    ),
  ]);
  await page.locator("#tabs button", { hasText: "Explain" }).click();
  await nextFrames(page);
  assert.equal(await page.locator("#explain-text").textContent(), explained);
  return rows.length;
}

test("every example, first hit and all hits, equals the output of the program for the saved file", async () => {
  const { page, context, problems } = await open(browser, fileUrl);
  const ids = await page
    .locator("#examples option")
    .evaluateAll((list) => list.map(({ value }) => value).filter(Boolean));
  let hits = 0;
  for (const id of ids) {
    await page.selectOption("#examples", id);
    await nextFrames(page);
    hits += await compare(page).catch((error) => {
      error.message = `${id}: ${error.message}`;
      throw error;
    });
    if (!(await page.getByLabel("Every hit").isVisible())) continue;
    await page.getByLabel("Every hit").check();
    await nextFrames(page);
    hits += await compare(page);
  }
  console.log(`  ${ids.length} examples, ${hits} hits`);
  assert.ok(hits > ids.length);
  assert.deepEqual(problems, []);
  await context.close();
});

test("segments, ranges of t, hollow solids and faces, too", async () => {
  const { page, context } = await open(browser, fileUrl);
  const ray = page.locator("#ray");
  const press = (name) => ray.locator("button", { hasText: new RegExp(`^${name}$`) }).click();
  for (const [preset, steps] of [
    ["sphere", [async () => page.getByLabel("t_max").fill("1.5"), async () => page.getByLabel("t_max").fill("3.25")]],
    [
      "box",
      [async () => press("Hollow"), async () => page.getByLabel("t_min").fill("1.75"), async () => press("Segment")],
    ],
    [
      "triangle",
      [async () => press("Front"), async () => press("Back"), async () => page.getByLabel("t_min").fill("-inf")],
    ],
    [
      "plane",
      [
        async () => page.getByLabel("ray origin x").fill("9.5"),
        async () => press("Hollow"),
        async () => page.getByLabel("ray tip x").fill("17.25"),
      ],
    ],
  ]) {
    await page.selectOption("#examples", preset);
    for (const step of steps) {
      await step();
      await nextFrames(page);
      await compare(page);
    }
  }
  await context.close();
});

test("the command line and the Python of the page run, and say the same", async () => {
  const { page, context } = await open(browser, fileUrl);
  // Whatever the program's file is called, the page calls it by its name.
  symlinkSync(hitscan(), join(folder, "hitscan"));
  for (const preset of ["every3", "every2"]) {
    await page.selectOption("#examples", preset);
    await page.keyboard.press("c");
    await nextFrames(page);
    await save(page);
    const t = Number((await figures(page))[0].t);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const shell = execFileSync("bash", ["-c", await page.locator("#code-cli").textContent()], {
      cwd: folder,
      env,
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.ok(shell.includes(String(Number(t.toPrecision(7)))), shell);
    // A Python with the package, which `cargo xtask check` sets where it has made one.
    if (!process.env.HITSCAN_PYTHON) {
      console.log("  SKIPPED the Python of the page: HITSCAN_PYTHON names no Python with the package");
      continue;
    }
    const code = await page.locator("#code-python").textContent();
    const python = execFileSync(process.env.HITSCAN_PYTHON, ["-c", code], { cwd: folder, encoding: "utf8", timeout: 60_000 });
    assert.ok(python.split("\n").includes(`t ${t}`) || python.split("\n").includes(`t ${t}.0`), python);
  }
  await context.close();
});

test("the scene file of the page reads as it was written", async () => {
  const { page, context } = await open(browser, fileUrl);
  await page.selectOption("#examples", "every3");
  await nextFrames(page);
  const path = await save(page);
  const { shapes } = await scene(page);
  assert.equal(readFileSync(path, "utf8").match(/\[\[shape\]\]/g).length, shapes.length);
  const info = run(["info", path]);
  for (const { name } of shapes) assert.ok(info.includes(name), name);
  await context.close();
});
