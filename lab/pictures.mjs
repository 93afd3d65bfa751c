// Takes the pictures of the README: `npm run pictures`, after `npm run build`.

import { fileURLToPath } from "node:url";
import { launch, open, nextFrames } from "./test/browser.mjs";
import { fileUrl } from "./test/paths.mjs";

const PICTURES = [
  { name: "lab-explain", preset: "cylinder", colorScheme: "light" },
  { name: "lab-doubt", preset: "far-cone", colorScheme: "light" },
  { name: "lab-field", preset: "depth", colorScheme: "dark" },
];

const browser = await launch();
for (const { name, preset, colorScheme } of PICTURES) {
  const { page, context } = await open(browser, fileUrl, { colorScheme, viewport: { width: 1160, height: 720 } });
  await page.selectOption("#examples", preset);
  await nextFrames(page);
  // Times are of the machine.
  await page.evaluate(() => document.querySelector("#tools .fps").remove());
  await page.evaluate(() => {
    for (const key of ["field-ms", "rate"]) {
      const figure = document.querySelector(`[data-number="${key}"]`);
      figure?.previousElementSibling.remove();
      figure?.remove();
    }
  });
  if (preset === "depth") await page.locator("canvas.seen").scrollIntoViewIfNeeded();
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url)) });
  await context.close();
}
await browser.close();
