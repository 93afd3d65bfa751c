// How long a frame of a drag takes, with a field of rays. Printed, and refused only where something is wrong altogether:
// the machine of the tests has no graphics card, and others work on it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, nextFrames, toPixel, scene } from "./browser.mjs";
import { fileUrl } from "./paths.mjs";

let browser;
before(async () => void (browser = await launch()));
after(() => browser?.close());

for (const [preset, count] of [
  ["depth", 1000],
  ["depth", 10_000],
  ["depth", 100_000],
  ["fan2", 10_000],
  ["fan2", 100_000],
]) {
  test(`${preset}: ${count} rays, live per drag`, async () => {
    const { page, problems, context } = await open(browser, fileUrl);
    await page.selectOption("#examples", preset);
    await page.getByLabel("number of rays", { exact: true }).fill(String(count));
    await nextFrames(page);
    const { ray } = await scene(page);
    const [x, y] = await toPixel(page, ray.tip);
    await page.mouse.move(x, y);
    await nextFrames(page);
    await page.mouse.down();
    const frames = [];
    for (let i = 1; i <= 12; i++) {
      const before = (await page.evaluate(() => window.lab.frame())).count;
      await page.mouse.move(x + 4 * i, y + 2 * i);
      await page.waitForFunction((before) => window.lab.frame().count > before, before);
      frames.push(await page.evaluate(() => ({ ...window.lab.frame() })));
    }
    await page.mouse.up();
    const median = (key) => frames.map((frame) => frame[key]).sort((a, b) => a - b)[Math.floor(frames.length / 2)];
    const cast = await page.locator('#tab [data-number="field-ms"]').innerText();
    console.log(
      `  ${preset}, ${count} rays: a frame ${median("ms").toFixed(1)} ms (median of ${frames.length}), of which casting ${cast}, drawing ${median("draw").toFixed(1)} ms`,
    );
    assert.ok(median("ms") < 20_000);
    assert.notDeepEqual((await scene(page)).ray, ray);
    assert.deepEqual(problems, []);
    await context.close();
  });
}
