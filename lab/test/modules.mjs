// The page's own modules, for tests that need no browser.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

/** Bundles `exports`, TypeScript that re-exports files of `src/`, and imports it. */
export async function modules(exports) {
  const stdin = { contents: exports, resolveDir: fileURLToPath(new URL("../src", import.meta.url)) };
  const bundle = await build({ stdin, bundle: true, write: false, format: "esm", target: "es2022" });
  return import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`);
}
