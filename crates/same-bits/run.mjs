// Prints the two digests of every subject as WebAssembly computes them: node run.mjs MODULE CHUNKS SUBJECTS
import { readFile } from "node:fs/promises";

const [file, chunks, subjects] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(file), {});
const mask = (1n << 64n) - 1n;
for (let subject = 0; subject < Number(subjects); subject++) {
  let sum = 0n;
  let first;
  for (let chunk = 0; chunk < Number(chunks); chunk++) {
    const part = BigInt.asUintN(64, instance.exports.chunk(subject, chunk));
    first ??= part;
    sum = (((sum << 1n) | (sum >> 63n)) & mask) ^ part;
  }
  console.log([first, sum].map((digest) => digest.toString(16).padStart(16, "0")).join(" "));
}
