// Every test, one file after the other, each in a process of its own that is ended when it hangs.
//
//   npm test                  all
//   npm test -- drag views    those whose names begin so
//   HITSCAN=path npm test     with that program; otherwise cargo builds it first

import { spawnSync } from "node:child_process";
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

/** Runs the tests of a file; true if all pass. */
function passes(file) {
  console.log(`\n=== ${file}`);
  const { status, error } = spawnSync(process.execPath, ["--test-reporter=spec", "--test", `${here}${file}`], {
    stdio: "inherit",
    timeout: LIMIT_S * 1000,
    killSignal: "SIGKILL",
  });
  if (error) console.error(`${file}: ended after ${LIMIT_S} s: ${error.message}`);
  return status === 0;
}

// A browser on a busy machine can lose a click or a frame: a file that fails runs once more, and the last line names it.
const again = files.filter((file) => !passes(file));
const failed = again.filter((file) => !passes(file));
if (again.length) console.log(`\nfailed at the first run: ${again.join(", ")}`);
console.log(failed.length ? `\nfailed: ${failed.join(", ")}` : `\n${files.length} files of tests passed`);
process.exit(failed.length || files.length === 0 ? 1 : 0);
