// A real browser with the page in it, and an eye on what must not happen: errors, requests to anywhere.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export function browserPath() {
  const path = process.env.CHROMIUM ?? PLACES.find(existsSync);
  if (!path || !existsSync(path)) {
    throw new Error("there is no Chromium: `apt install --no-install-recommends chromium`, or name one in CHROMIUM");
  }
  return path;
}

export const launch = () => chromium.launch({ executablePath: browserPath(), args: FLAGS, timeout: 60_000 });

/** Opens the page and waits until it is ready. `problems` fills with what went wrong. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  // A choice or a key shows in the frame after it. Without the wait the next action of a test meets the page of before: it
  // types into a field whose selection is about to go, or finds a box checked that is about to be another one.
  for (const [object, name] of [
    [page, "selectOption"],
    [page.keyboard, "press"],
  ]) {
    const act = object[name].bind(object);
    object[name] = async (...given) => {
      await act(...given);
      await nextFrames(page);
    };
  }
  const problems = [];
  const requests = [];
  page.on("console", (message) => {
    // The software renderer reports how slow it is to read pixels: a driver's remark, not the page's.
    if (
      message.type() === "error" ||
      (message.type() === "warning" && !/GPU stall|GL Driver Message/.test(message.text()))
    )
      problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => {
    problems.push(`error: ${error.message}`);
    // At once, too: a test that waits in vain for an element never gets to its own look at the problems.
    console.error(`an error of the page: ${error.stack ?? error.message}`);
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true", null, { timeout: 60_000 });
  await nextFrames(page);
  return { context, page, problems, requests };
}

/** After the frames that are due: one that computes, one that draws. */
export const nextFrames = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );

/** From place to place with the left button, as a hand does: hover, press, several moves, release. */
export async function drag(page, from, to, steps = 6) {
  await page.mouse.move(...from);
  await nextFrames(page);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
  await nextFrames(page);
  await page.mouse.up();
  await nextFrames(page);
}

export const toPixel = (page, point) => page.evaluate((point) => window.lab.toPixel(point), point);
export const scene = (page) => page.evaluate(() => window.lab.scene());

/** A number of the answer with all its digits. */
export const number = async (page, key) =>
  Number(await page.locator(`#answer [data-number="${key}"]`).first().getAttribute("data-value"));
