// The package under other tools: a bundle, and other runtimes where they are installed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPT = (address) => `
  import { init } from ${JSON.stringify(address)};
  const hs = await init();
  const mesh = hs.mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]));
  console.log("t", mesh.cast([0.25, 0.5, 2], [0, 0, -1]).t);`;
const entries = ["index", "full", "external"];
const addressOf = (entry) => new URL(`../dist/${entry}.js`, import.meta.url);

/** Runs a program with files of these texts; it must print the answer. */
async function prints(program, words, text) {
  const folder = await mkdtemp(join(tmpdir(), "hitscan-npm-"));
  try {
    const file = join(folder, "script.mjs");
    await writeFile(file, text);
    const { stdout, stderr } = spawnSync(program, [...words, file], { encoding: "utf8", timeout: 60_000 });
    assert.equal(stdout.trim(), "t 2", stderr);
  } finally {
    await rm(folder, { recursive: true });
  }
}

for (const [program, words] of [["deno", ["run", "--allow-read"]], ["bun", []]]) {
  const isThere = spawnSync(program, ["--version"]).status === 0;
  test(program, { skip: isThere ? false : `there is no ${program}` }, async () => {
    for (const entry of entries) await prints(program, words, SCRIPT(addressOf(entry).href));
  });
}

const esbuild = await import("../../lab/node_modules/esbuild/lib/main.js").catch(() => null);

test("a bundle of esbuild", { skip: esbuild ? false : "lab/node_modules has no esbuild" }, async () => {
  for (const entry of ["index", "full"]) {
    const stdin = { contents: SCRIPT(fileURLToPath(addressOf(entry))), resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
    const { outputFiles } = await esbuild.build({ stdin, bundle: true, write: false, format: "esm", target: "es2022", minify: true });
    await prints(process.execPath, [], outputFiles[0].text);
  }
  // What nobody imports is left out: `sideEffects` says that it may be.
  const contents = `import { HitscanError } from ${JSON.stringify(fileURLToPath(addressOf("index")))}; console.log(HitscanError.name);`;
  const small = await esbuild.build({ stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) }, bundle: true, write: false, format: "esm", minify: true });
  assert.ok(small.outputFiles[0].contents.length < 5000, `${small.outputFiles[0].contents.length} bytes`);
});
