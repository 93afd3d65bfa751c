// The package in Chromium, in the page and in a worker, each with the module inlined and as a file.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { serve } from "../examples/serve.mjs";

// The driver and the browser are those of the ray lab.
const lab = await import("../../lab/test/browser.mjs").catch(() => null);
const path = lab && (() => { try { return lab.browserPath(); } catch { return ""; } })();
const skip = !lab ? "lab/node_modules has no playwright-core" : !existsSync(path) ? "there is no Chromium" : false;

const SCRIPT = (entry) => `
  const { init } = await import(${JSON.stringify(entry)});
  const hs = await init();
  const mesh = hs.mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]));
  return mesh.cast([0.25, 0.5, 2], [0, 0, -1]).t;`;

/** Runs `look` with a browser and the address of the folder `npm`. */
async function withBrowser(look) {
  const server = await serve();
  const browser = await lab.launch();
  try {
    await look(browser, `http://127.0.0.1:${server.address().port}/`);
  } finally {
    await browser.close();
    server.close();
  }
}

test("page and worker", { skip, timeout: 120_000 }, () =>
  withBrowser(async (browser, address) => {
    const page = await browser.newPage();
    await page.goto(address);
    for (const entry of ["index", "full", "external"]) {
      const script = SCRIPT(`${address}dist/${entry}.js`);
      const run = `(async () => { ${script} })()`;
      assert.equal(await page.evaluate(run), 2, `${entry} in the page`);
      const worker = `new Promise((done, failed) => {
        const text = ${JSON.stringify(`${run}.then((t) => postMessage(t), (error) => postMessage(String(error)))`)};
        const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { type: "module" });
        worker.onmessage = ({ data }) => done(data);
        worker.onerror = (error) => failed(error.message);
      })`;
      assert.equal(await page.evaluate(worker), 2, `${entry} in a worker`);
    }
  }));
