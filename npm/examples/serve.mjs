// Serves the folder `npm` for the examples and the tests. `npm run examples -- 8000 0.0.0.0` names the port and the address: the
// address 0.0.0.0 lets a phone in the same network open the pages.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const root = new URL("../", import.meta.url);
const TYPES = { css: "text/css", html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/** The bytes of a file of the folder; null where there is none. The address resolves `..` first, so that it stays in the folder. */
async function fileAt(pathname) {
  if (pathname === "/") return "<!doctype html>";
  return readFile(new URL(`.${pathname}`, root)).catch(() => null);
}

/** Starts a server at a port; 0 is any that is free. */
export async function serve(port = 0, host = "127.0.0.1") {
  const server = createServer(async (request, response) => {
    const address = URL.canParse(`http://localhost${request.url}`) ? new URL(`http://localhost${request.url}`) : null;
    const bytes = address && (await fileAt(address.pathname));
    if (bytes === null) return response.writeHead(404).end();
    const type = address.pathname === "/" ? "text/html" : TYPES[address.pathname.split(".").at(-1)];
    response.writeHead(200, {
      "content-type": type ?? "text/plain",
      "cache-control": "no-store",
      // A page that shares its process with no other one has a finer clock.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    response.end(bytes);
  });
  await new Promise((ready, failed) => server.once("error", failed).listen(port, host, ready));
  return server;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!existsSync(new URL("dist/full.js", root))) {
    console.error("npm/dist is missing: `cargo xtask check npm` builds it");
    process.exit(1);
  }
  const server = await serve(Number(process.argv[2] ?? 8000), process.argv[3]);
  for (const name of ["picking", "walking", "measuring", "sight"]) {
    console.log(`http://localhost:${server.address().port}/examples/${name}.html`);
  }
}
