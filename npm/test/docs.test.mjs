// The examples of the page and of the README print what their comments say.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

/** The address of what a script imports. */
const addressOf = (name) => {
  const own = { hitscan: "index", "hitscan/full": "full", "hitscan/three": "three" }[name];
  return own ? new URL(`../dist/${own}.js`, import.meta.url).href : import.meta.resolve(name);
};

/** Runs a script in a worker, and returns what it prints. */
async function printed(script) {
  const text = script.replace(/from "([^"]+)"/g, (_, name) => `from ${JSON.stringify(addressOf(name))}`);
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`), { stdout: true });
  let output = "";
  worker.stdout.setEncoding("utf8").on("data", (part) => (output += part));
  await new Promise((done, failed) => worker.once("exit", done).once("error", failed));
  return output.trim().split("\n");
}

for (const path of ["../../docs/npm.md", "../README.md"]) {
  test(path, async () => {
    const page = await readFile(new URL(path, import.meta.url), "utf8");
    // Scripts that are complete, which name no variable of the reader.
    const scripts = [...page.matchAll(/```js\n(import[^]*?)```/g)].map(([, script]) => script);
    const complete = scripts.filter((script) => /console\.log/.test(script));
    assert.ok(complete.length > 0);
    for (const script of complete) {
      const expected = [...script.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, comment]) => comment);
      const plain = (lines) => lines.map((line) => line.replace(/\s/g, ""));
      assert.deepEqual(plain(await printed(script)), plain(expected), script);
    }
  });
}
