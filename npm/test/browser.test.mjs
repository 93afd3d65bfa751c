// The package in Chromium, in the page and in a worker, each with the module inlined and as a file.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";

const root = new URL("../", import.meta.url);
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

/** Runs `look` with a browser and the address of the folder `npm`. */
async function withBrowser(look) {
  const server = createServer(async (request, response) => {
    const name = request.url.slice(1) || "index.html";
    const bytes = name === "index.html" ? "<!doctype html>" : await readFile(new URL(name, root)).catch(() => null);
    if (bytes === null) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[name.split(".").at(-1)] ?? "text/plain" }).end(bytes);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
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

test("the example: pointer, keys, and the hits of three.js alone", { skip, timeout: 120_000 }, () =>
  withBrowser(async (browser, address) => {
    const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${address}examples/picking.html`);
    await page.waitForFunction(() => window.example, null, { timeout: 60_000 });
    const text = () => page.locator("#answer").textContent();
    const seen = new Set();
    for (const [x, y] of [[590, 8], [320, 160], [200, 230], [400, 170], [300, 200]]) {
      await page.mouse.move(x, y);
      const expected = await page.evaluate(() => {
        const { raycaster, pointer, camera, scene, THREE } = window.example;
        raycaster.setFromCamera(pointer, camera);
        // The raycast of the class in place of that of the object.
        const hits = [];
        for (const object of scene.children) if (object.isMesh) THREE.Mesh.prototype.raycast.call(object, raycaster, hits);
        hits.sort((a, b) => a.distance - b.distance);
        return hits.length ? `${hits[0].object.name}, triangle ${hits[0].faceIndex}, at a distance of ${hits[0].distance.toFixed(4)}` : "Nothing";
      });
      assert.ok((await text()).startsWith(expected), `${await text()} in place of ${expected}`);
      seen.add(expected);
    }
    assert.ok(seen.size > 3, [...seen].join());
    const before = await text();
    await page.locator("canvas").focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    assert.notEqual(await text(), before);
    if (process.env.HITSCAN_PICTURE) {
      await page.mouse.move(300, 200);
      await page.screenshot({ path: process.env.HITSCAN_PICTURE });
    }
    assert.deepEqual(problems, []);
  }));
