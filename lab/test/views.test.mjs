// What the page shows beyond the answer: constructions, the textbook's mistakes, fields of rays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, scene, nextFrames, toPixel } from "./browser.mjs";
import { pixelsOf } from "./pixels.mjs";
import { fileUrl } from "./paths.mjs";

let browser;
before(async () => void (browser = await launch()));
after(() => browser?.close());

/** The words in the picture. */
const words = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#labels span, #view2 text")]
      .filter((word) => word.checkVisibility())
      .map(({ textContent }) => textContent),
  );

test("explain draws the construction of each kind", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  for (const [preset, wanted] of Object.entries({
    sphere: ["P", "O", "A", "E", "e", "a", "b", "f", "r"],
    plane: ["P", "O", "A", "E", "e", "a", "b", "f", "r"],
    triangle: ["P", "a", "b", "c", "E", "n", /^wa = 0\.\d+$/, /^wb = 0\.\d+$/, /^wc = 0\.\d+$/],
    cylinder: ["P", "E", "axis", "u", "v", "w", "side", "caps", "cap a", "cap b"],
    cone: ["P", "E", "axis", "u", "v", "w", "side", "caps"],
    box: ["P", "O", "E", "x slab", "y slab", "z slab", "hx", "hy", "hz"],
  })) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    const seen = await words(page);
    for (const word of wanted) {
      assert.ok(
        seen.some((text) => (word instanceof RegExp ? word.test(text) : word === text)),
        `${preset}: ${word} is not among ${seen}`,
      );
    }
    assert.match(await page.locator("#tab table[aria-label='Numbers of the test']").innerText(), /→ hit/);
    if (["cylinder", "cone", "box"].includes(preset))
      assert.match(await page.locator("#tab").innerText(), /All overlap/);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test("the three areas of a triangle add up, and the point moves with the ray", async () => {
  const { page, context } = await open(browser, fileUrl);
  await page.selectOption("#examples", "triangle");
  await nextFrames(page);
  const weights = async () =>
    (await words(page)).filter((text) => text.startsWith("w")).map((text) => Number(text.split("= ")[1]));
  const before = await weights();
  assert.ok(Math.abs(before.reduce((a, b) => a + b) - 1) < 0.002, `${before}`);
  await page.getByLabel("ray tip x").fill("-0.3");
  await nextFrames(page);
  assert.notDeepEqual(await weights(), before);
  await context.close();
});

test("every ray of Doubt goes wrong in the textbook, and an ordinary one does not", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const ids = await page
    .locator("#examples optgroup[label=Doubt] option")
    .evaluateAll((list) => list.map(({ value }) => value));
  assert.ok(ids.length >= 8);
  for (const id of ids) {
    await page.selectOption("#examples", id);
    await nextFrames(page);
    const verdict = await page.locator("#doubt-verdict").innerText();
    const label = await page.locator(`#examples option[value="${id}"]`).textContent();
    assert.match(
      verdict,
      label.includes("invented") || label.includes("none")
        ? /invents/
        : label.includes("missed") || label.includes("leak")
          ? /misses/
          : /is off by/,
      `${id}: ${verdict}`,
    );
  }
  await page.selectOption("#examples", "sphere");
  await page.keyboard.press("d");
  await page.locator("#tab input[type=checkbox]").check();
  await nextFrames(page);
  assert.match(await page.locator("#doubt-verdict").innerText(), /agree/);
  assert.deepEqual(problems, []);
  await context.close();
});

test("a field of rays is cast with every change, and drawn in three ways", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const figure = async (key) =>
    Number((await page.locator(`#tab [data-number="${key}"]`).innerText()).replace(/,| .*/g, ""));
  for (const preset of ["depth", "fan2"]) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    const hits = await figure("field-hits");
    assert.ok(hits > 1000 && hits < (await figure("rays")));
    const stage = await page.locator("#stage").boundingBox();
    const pictures = new Set();
    for (const look of ["Hits", "Depth", "Normals"]) {
      await page.locator("#tab button", { hasText: look }).click();
      await nextFrames(page);
      pictures.add((await page.screenshot({ clip: stage })).toString("base64"));
    }
    assert.equal(pictures.size, 3, "hits, depth and normals look different");
    const { ray } = await scene(page);
    const [x, y] = await toPixel(page, ray.tip);
    await page.mouse.move(x, y);
    await nextFrames(page);
    await page.mouse.down();
    await page.mouse.move(x + 30, y + 40, { steps: 4 });
    await nextFrames(page);
    assert.notEqual(await figure("field-hits"), hits, "the field follows the drag");
    await page.mouse.up();
    await page.getByLabel("number of rays", { exact: true }).fill("100000");
    await nextFrames(page);
    assert.ok((await figure("rays")) > 99_000);
    await page.getByLabel("number of rays", { exact: true }).fill("100001");
    assert.equal(await page.getByLabel("number of rays", { exact: true }).getAttribute("aria-invalid"), "true");
    await page.keyboard.press("Escape");
    assert.ok((await pixelsOf(page, "stage", stage, 3)) > 1000);
  }
  assert.deepEqual(problems, []);
  await context.close();
});
