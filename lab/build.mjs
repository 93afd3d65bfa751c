// Builds the page: one HTML file with everything in it, `dist/index.html`.
//
//   HITSCAN_WASM=path/to/hitscan_wasm.wasm npm run build

import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { deflateRawSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { slim } from "./slim.mjs";

/**
 * What a visitor has to load: bytes as they are, and compressed as servers send them. The aim is 1 MB and 250 kB; the
 * exact kernels of every shape are twice as much compressed, and what the page has reached must not grow.
 */
const AIM = { raw: 1_000_000, gzip: 250_000 };
const MOST = { raw: 1_095_000, gzip: 570_000 };

const here = fileURLToPath(new URL(".", import.meta.url));
const wasm = process.env.HITSCAN_WASM ?? join(here, "dist", "hitscan-simd.wasm");

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

async function main() {
  const module = await readFile(wasm).catch(() => {
    throw new Error(`there is no engine at ${wasm}: \`cargo xtask wasm\` builds it; HITSCAN_WASM names another place`);
  });
  const { outputFiles } = await build({
    entryPoints: [join(here, "src/main.ts")],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: true,
    legalComments: "none",
    charset: "utf8",
    plugins: [slim],
    logLevel: "warning",
  });
  const style = await build({
    entryPoints: [join(here, "src/style.css")],
    write: false,
    minify: true,
    logLevel: "warning",
  });
  const packed = deflateRawSync(module, { level: 9 }).toString("base64");
  const parts = {
    "/*STYLE*/": style.outputFiles[0].text,
    "<!--ENGINE-->": packed,
    "/*SCRIPT*/": outputFiles[0].text,
  };
  let page = await readFile(join(here, "src/index.html"), "utf8");
  for (const [mark, text] of Object.entries(parts)) {
    if (!page.includes(mark)) throw new Error(`src/index.html has no ${mark}`);
    page = page.replace(mark, () => text);
  }
  await mkdir(join(here, "dist"), { recursive: true });
  await writeFile(join(here, "dist/index.html"), page);
  const sizes = { raw: Buffer.byteLength(page), gzip: gzipSync(page, { level: 9 }).length };
  console.log(
    `dist/index.html ${kB(sizes.raw)}, ${kB(sizes.gzip)} compressed (script ${kB(outputFiles[0].contents.length)}, engine ${kB(module.length)}, in the page ${kB(packed.length)})`,
  );
  for (const [what, aim] of Object.entries(AIM)) {
    if (sizes[what] > aim) console.log(`larger than it should be: ${kB(sizes[what])} ${what}, aim ${kB(aim)}`);
  }
  for (const [what, most] of Object.entries(MOST)) {
    if (sizes[what] > most) throw new Error(`the page is too large: ${kB(sizes[what])} ${what}, at most ${kB(most)}`);
  }
}

main().catch((error) => {
  console.error(`lab: ${error.message}`);
  process.exit(1);
});
