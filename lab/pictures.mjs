// Takes the pictures of the README and of the pages in docs/: `npm run pictures`, after `npm run build`. Names after it take those only.

import { fileURLToPath } from "node:url";
import { launch, open, nextFrames } from "./test/browser.mjs";
import { fileUrl } from "./test/paths.mjs";

/** The view alone, with the answer in its line. */
const STAGE = { part: "#stage", height: 500 };
const PICTURES = [
  { name: "lab-explain", preset: "cylinder", colorScheme: "light" },
  { name: "lab-doubt", preset: "far-cone", colorScheme: "light" },
  { name: "lab-field", preset: "depth", colorScheme: "dark" },
  { name: "lab-closest", preset: "closest2", colorScheme: "light", ...STAGE },
  { name: "lab-thick-ray", preset: "thick2", colorScheme: "light", ...STAGE },
  { name: "lab-overlap", preset: "overlap3", colorScheme: "light", ...STAGE },
];
const wanted = process.argv.slice(2);

const browser = await launch();
for (const { name, preset, colorScheme, part, height = 720 } of PICTURES.filter(
  ({ name }) => wanted.length === 0 || wanted.includes(name),
)) {
  const { page, context } = await open(browser, fileUrl, { colorScheme, viewport: { width: 1160, height } });
  await page.selectOption("#examples", preset);
  await nextFrames(page);
  // Times are of the machine.
  await page.evaluate(
    (away) => document.querySelectorAll(away).forEach((element) => element.remove()),
    part ? "#tools, #hint" : "#tools .fps",
  );
  await page.evaluate(() => {
    for (const key of ["field-ms", "rate"]) {
      const figure = document.querySelector(`[data-number="${key}"]`);
      figure?.previousElementSibling.remove();
      figure?.remove();
    }
  });
  if (preset === "depth") await page.locator("canvas.seen").scrollIntoViewIfNeeded();
  await (part ? page.locator(part) : page).screenshot({
    path: fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url)),
  });
  await context.close();
}
await browser.close();
