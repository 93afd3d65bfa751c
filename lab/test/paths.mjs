// Where the page and the native program are, and a static server for the page on loopback.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const lab = fileURLToPath(new URL("..", import.meta.url));
export const root = join(lab, "..");
export const pagePath = join(lab, "dist", "index.html");
export const fileUrl = pathToFileURL(pagePath).href;

/** The native program: HITSCAN, or where cargo puts it. */
export function hitscan() {
  const path = process.env.HITSCAN ?? join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release", "hitscan");
  if (!existsSync(path))
    throw new Error(`there is no program at ${path}: cargo build --release -p hitscan-cli, or name it in HITSCAN`);
  return path;
}

export const run = (args, options = {}) =>
  execFileSync(hitscan(), args, { encoding: "utf8", timeout: 60_000, ...options });

/** Serves the page and nothing else. */
export async function serve() {
  const server = createServer((request, response) => {
    if (request.url?.split("?")[0] !== "/") return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(readFileSync(pagePath));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Rows of a CSV text without quotes. */
export function csv(text) {
  const [head, ...rows] = text
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}
