// The package in Chromium, in the page and in a worker, each with the module inlined and as a file.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";

const dist = new URL("../dist/", import.meta.url);
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };
// The driver and the browser are those of the ray lab.
const lab = await import("../../lab/test/browser.mjs").catch(() => null);
const path = lab && (() => { try { return lab.browserPath(); } catch { return ""; } })();
const skip = !lab ? "lab/node_modules has no playwright-core" : !existsSync(path) ? "there is no Chromium" : false;

const SCRIPT = (entry) => `
  const { init } = await import(${JSON.stringify(entry)});
  const hs = await init();
  const mesh = hs.mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]));
  return mesh.cast([0.25, 0.5, 2], [0, 0, -1]).t;`;

test("page and worker", { skip, timeout: 120_000 }, async () => {
  const server = createServer(async (request, response) => {
    const name = request.url.slice(1) || "index.html";
    const bytes = name === "index.html" ? "<!doctype html>" : await readFile(new URL(name, dist)).catch(() => null);
    if (bytes === null) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[name.split(".").at(-1)] ?? "text/plain" }).end(bytes);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${server.address().port}/`;
  const browser = await lab.launch();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    for (const entry of ["index", "full", "external"]) {
      const script = SCRIPT(`${address}${entry}.js`);
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
  } finally {
    await browser.close();
    server.close();
  }
});
