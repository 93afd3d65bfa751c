// Every test, two files at a time, each in a process of its own that is ended when it hangs.
//
//   npm test                  all
//   npm test -- drag views    those whose names begin so
//   HITSCAN=path npm test     with that program; otherwise cargo builds it first

import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./paths.mjs";

/** A test file that takes longer hangs. */
const LIMIT_S = 600;

const here = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))
  .sort();

// The numbers of the page are compared with those of this tree's program.
if (!process.env.HITSCAN) {
  const { status } = spawnSync(process.env.CARGO ?? "cargo", ["build", "--release", "-p", "hitscan-cli"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
  process.env.HITSCAN = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release", "hitscan");
}

/** Runs the tests of a file, and prints their output when they end; true if all pass. */
function passes(file) {
  const words = ["--test-reporter=spec", "--test", `${here}${file}`];
  const test = spawn(process.execPath, words, { timeout: LIMIT_S * 1000, killSignal: "SIGKILL" });
  let output = "";
  for (const stream of [test.stdout, test.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((done) => {
    test.on("error", (error) => (output += `${error.message}\n`));
    test.on("close", (status, signal) => {
      console.log(`\n=== ${file}\n${output}`);
      if (signal) console.error(`${file}: ended by ${signal}: the limit is ${LIMIT_S} s`);
      done(status === 0);
    });
  });
}

/** Runs files on some workers, each of which takes the next file; returns those that fail. */
async function failing(files, workers) {
  const [left, failed] = [[...files], []];
  const worker = async () => {
    for (let file = left.shift(); file; file = left.shift()) if (!(await passes(file))) failed.push(file);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return failed;
}

// A file takes less than one processor. What measures time runs alone.
const alone = files.filter((file) => file.startsWith("speed"));
const together = files.filter((file) => !alone.includes(file));
// A browser on a busy machine can lose a click or a frame: a file that fails runs once more, alone, and the last line names it.
const again = [...(await failing(together, 2)), ...(await failing(alone, 1))];
const failed = await failing(again, 1);
if (again.length) console.log(`\nfailed at the first run: ${again.join(", ")}`);
console.log(failed.length ? `\nfailed: ${failed.join(", ")}` : `\n${files.length} files of tests passed`);
process.exit(failed.length || files.length === 0 ? 1 : 0);
