// The page as a whole: it opens from disk and from a server, makes no request, logs no error, and is accessible.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { LIMIT } from "../sizes.mjs";
import { browserPath, FLAGS, launch, number, open, nextFrames } from "./browser.mjs";
import { fileUrl, pagePath, serve } from "./paths.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;
let server;
before(async () => {
  browser = await launch();
  server = await serve();
});
after(async () => {
  await browser?.close();
  server?.close();
});

test("the page is no larger than it was", () => {
  const page = readFileSync(pagePath);
  const packed = gzipSync(page, { level: 9 }).length;
  console.log(`  page: ${page.length} bytes, ${packed} compressed`);
  assert.ok(page.length <= LIMIT.raw, `${page.length} bytes`);
  assert.ok(packed <= LIMIT.gzip, `${packed} bytes compressed`);
});

for (const from of ["disk", "a server"]) {
  test(`it opens from ${from}, makes no request, and finds the hit of the default scene`, async () => {
    const url = from === "disk" ? fileUrl : server.url;
    const { page, problems, requests, context } = await open(browser, url);
    assert.equal(
      await page
        .locator("#verdict")
        .innerText()
        .then((text) => text.startsWith("Hit")),
      true,
    );
    assert.ok((await number(page, "t")) > 0);
    const options = await page
      .locator("#examples option")
      .evaluateAll((list) => list.map(({ value }) => value).filter(Boolean));
    assert.ok(options.length >= 20);
    for (const value of options) {
      await page.selectOption("#examples", value);
      await nextFrames(page);
      assert.doesNotMatch(await page.locator("#verdict").innerText(), /mistake/, value);
    }
    assert.deepEqual(
      requests.filter((request) => request !== url && !request.startsWith("data:") && !request.startsWith("blob:")),
      [],
    );
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test("the page does no work while idle", async () => {
  const { page, context } = await open(browser, fileUrl);
  await nextFrames(page);
  const query = await page.evaluate(async () => {
    let count = 0;
    const real = window.requestAnimationFrame;
    window.requestAnimationFrame = (go) => (count++, real(go));
    await new Promise((done) => setTimeout(done, 700));
    return count;
  });
  assert.equal(query, 0);
  await context.close();
});

test("without WebGL the view of the plane and all numbers work", async () => {
  const plain = await chromium.launch({ executablePath: browserPath(), args: [...FLAGS, "--disable-3d-apis"] });
  try {
    const { page, context } = await open(plain, fileUrl);
    assert.match(await page.locator("#view3").innerText(), /no WebGL/);
    assert.ok((await number(page, "t")) > 0);
    await page.selectOption("#examples", "plane");
    await nextFrames(page);
    assert.equal(await number(page, "t"), 0.5734910319489843);
    await context.close();
  } finally {
    await plain.close();
  }
});

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} ${failureSummary}`).join(" | ")}`,
  );
}

for (const colorScheme of ["light", "dark"]) {
  for (const [what, options] of [
    ["a desk", {}],
    ["a phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ]) {
    test(`axe finds nothing wrong on ${what}, ${colorScheme}`, async () => {
      const { page, context } = await open(browser, fileUrl, { colorScheme, bypassCSP: true, ...options });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      const found = [];
      for (const preset of ["closest3", "thick2", "overlap3", "overlap2", "space", "plane", "far", "depth"]) {
        await page.selectOption("#examples", preset);
        await nextFrames(page);
        found.push(...(await violations(page)));
      }
      for (const tab of ["e", "d", "k", "c"]) {
        await page.locator("#stage canvas, #stage svg").first().focus();
        await page.keyboard.press("n");
        await page.keyboard.press(tab);
        await nextFrames(page);
        found.push(...(await violations(page)));
      }
      if (what === "a phone") {
        for (const pane of ["Scene", "Ray"]) {
          await page.locator("#panes button", { hasText: pane }).click();
          await nextFrames(page);
          found.push(...(await violations(page)));
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
      }
      await page.keyboard.press("?");
      await nextFrames(page);
      found.push(...(await violations(page)));
      assert.deepEqual(found, []);
      await context.close();
    });
  }
}
