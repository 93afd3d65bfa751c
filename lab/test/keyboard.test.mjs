// The keyboard: everything can be done without a mouse, and fields take what they should.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, number, open, scene, nextFrames } from "./browser.mjs";
import { fileUrl } from "./paths.mjs";

let browser;
before(async () => void (browser = await launch()));
after(() => browser?.close());

const options = (page) => page.evaluate(() => window.lab.options());

async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await nextFrames(page);
  }
}

test("shapes are selected, moved, turned, scaled, doubled and deleted; and all of it undone", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const before = await scene(page);
  await press(page, "n", "n");
  assert.equal((await options(page)).selected, before.shapes[1].id);
  await press(page, "ArrowRight", "ArrowUp", "PageUp");
  const [x, y, z] = before.shapes[1].fields.center;
  const moved = (await scene(page)).shapes[1].fields.center;
  assert.ok(moved[0] > x && moved[1] > y && moved[2] < z, String(moved));
  await press(page, "+");
  assert.ok((await scene(page)).shapes[1].fields.radius > 1.05);
  await press(page, "n", "n");
  await press(page, ",");
  assert.ok((await scene(page)).shapes[3].fields.axes);
  await press(page, "Control+d");
  assert.equal((await scene(page)).shapes.length, before.shapes.length + 1);
  await press(page, "Delete");
  assert.equal((await scene(page)).shapes.length, before.shapes.length);
  for (let i = 0; i < 7; i++) await press(page, "Control+z");
  assert.deepEqual(await scene(page), before);
  await press(page, "Control+y");
  assert.notDeepEqual(await scene(page), before);
  assert.deepEqual(problems, []);
  await context.close();
});

test("the ray's ends, its kind, and what counts", async () => {
  const { page, context } = await open(browser, fileUrl);
  await press(page, "2", "ArrowRight");
  const { ray } = await scene(page);
  assert.ok(ray.tip[0] > -3.6);
  await press(page, "l", "o", "h");
  const now = (await scene(page)).ray;
  assert.equal(now.kind, "segment");
  assert.equal(now.inside, "hollow");
  assert.equal((await options(page)).allHits, true);
  for (const [key, tab] of [
    ["d", "doubt"],
    ["k", "field"],
    ["c", "code"],
    ["e", "explain"],
  ]) {
    await press(page, key);
    assert.equal((await options(page)).tab, tab);
  }
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const first = await theme();
  await press(page, "t");
  assert.notEqual(await theme(), first);
  await press(page, "?");
  assert.equal(await page.locator("#help").evaluate((dialog) => dialog.open), true);
  await press(page, "Escape");
  assert.equal(await page.locator("#help").evaluate((dialog) => dialog.open), false);
  await context.close();
});

test("number fields: words are refused, arrows step, Escape goes back, one edit is one step", async () => {
  const { page, context } = await open(browser, fileUrl);
  await page.selectOption("#examples", "sphere");
  await press(page, "n");
  const field = page.getByLabel("radius", { exact: true });
  const t = await number(page, "t");
  await field.fill("1.25");
  await nextFrames(page);
  assert.equal((await scene(page)).shapes[0].fields.radius, 1.25);
  assert.notEqual(await number(page, "t"), t);
  await field.fill("abc");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal((await scene(page)).shapes[0].fields.radius, 1.25);
  await field.press("Escape");
  await nextFrames(page);
  assert.equal(await field.inputValue(), "1");
  await field.press("ArrowUp");
  await field.press("ArrowUp");
  await nextFrames(page);
  assert.equal((await scene(page)).shapes[0].fields.radius, 1.2);
  // What the engine refuses is said beside the fields, and nothing breaks.
  await field.fill("-1");
  await nextFrames(page);
  assert.match(await page.locator("#shapes .alert").innerText(), /radius/);
  assert.match(await page.locator("#verdict").innerText(), /mistake/);
  await field.fill("1e-3");
  await nextFrames(page);
  assert.equal((await scene(page)).shapes[0].fields.radius, 0.001);
  assert.doesNotMatch(await page.locator("#verdict").innerText(), /mistake/);
  await context.close();
});

test("a field says beside itself why it does not take a number, and which one stays", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const field = page.getByLabel("ray origin x");
  const problem = page.locator("#ray .field").filter({ has: field }).locator(".problem").first();
  for (const [text, why] of [
    ["1/3", /1\/3 is not a number/],
    ["1e400", /1e400 is beyond the largest number/],
    ["inf", /inf is not a number/],
    ["", /A number is needed/],
  ]) {
    await field.fill(text);
    await nextFrames(page);
    assert.match(await problem.innerText(), why);
    assert.equal(await field.getAttribute("aria-describedby"), await problem.getAttribute("id"));
    assert.equal((await scene(page)).ray.origin[0], -5);
  }
  const [below, above] = [await problem.boundingBox(), await field.boundingBox()];
  assert.ok(below.y >= above.y && below.y - above.y - above.height < 20, "beside its field");
  await field.fill("1/3");
  await page.getByLabel("ray origin y").focus();
  await nextFrames(page);
  assert.equal(await field.inputValue(), "-5");
  assert.match(await problem.innerText(), /1\/3 is not a number.*-5 stays/);
  await field.fill("-4.5");
  await nextFrames(page);
  assert.equal(await problem.isVisible(), false);
  assert.equal((await scene(page)).ray.origin[0], -4.5);
  // Infinity is a limit.
  await page.getByLabel("t_max").fill("inf");
  await nextFrames(page);
  assert.equal((await scene(page)).ray.t_max, Infinity);
  await page.locator("#tabs button", { hasText: "Field" }).click();
  await page.getByLabel("number of rays", { exact: true }).fill("100001");
  await nextFrames(page);
  assert.match(await page.locator("#tab .problem:visible").innerText(), /100001 is not from 1 to 100,000/);
  assert.deepEqual(problems, []);
  await context.close();
});

test("every kind of shape is added, explained and deleted", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  for (const preset of ["space", "plane"]) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    const values = await page
      .locator('select[aria-label="Shape to add"] option')
      .evaluateAll((list) => list.map(({ value }) => value));
    assert.ok(values.length >= (preset === "space" ? 13 : 10), `${values}`);
    for (const value of values) {
      await page.selectOption('select[aria-label="Shape to add"]', value);
      await page.locator("#scene button", { hasText: /^Add$/ }).click();
      await nextFrames(page);
      assert.doesNotMatch(await page.locator("#verdict").innerText(), /mistake/, value);
      assert.ok((await page.locator("#tab .formula").count()) > 0, `${value} has a formula`);
      assert.ok((await page.locator("#tab table tr").count()) > 0, `${value} has numbers`);
      await page.locator("#stage canvas, #stage svg").locator("visible=true").first().focus();
      await press(page, "Delete");
    }
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test("the tab key goes through the page in order, from the skip link on", async () => {
  const { page, context } = await open(browser, fileUrl);
  const seen = [];
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    seen.push(
      await page.evaluate(() => {
        const element = document.activeElement;
        const part = element.closest("header, #scene, #ray, #stage, #inspect, .skip");
        return part?.id || part?.tagName.toLowerCase() || element.tagName;
      }),
    );
  }
  const order = seen.filter((part, i) => part !== seen[i - 1]);
  assert.deepEqual(order.slice(0, 6), ["a", "header", "scene", "ray", "stage", "inspect"]);
  await context.close();
});
