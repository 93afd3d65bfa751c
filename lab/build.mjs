// Builds the page: one HTML file with everything in it, `dist/index.html`, and the same compressed, which the program embeds.
//
//   HITSCAN_WASM=path/to/hitscan_wasm.wasm npm run build

import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { deflateRawSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { TARGET, LIMIT } from "./sizes.mjs";
import { slim } from "./slim.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const wasm =
  process.env.HITSCAN_WASM ?? join(here, "../target/wasm/wasm32-unknown-unknown/wasm/hitscan_wasm.wasm");

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

async function main() {
  const module = await readFile(wasm).catch(() => {
    throw new Error(
      `there is no engine at ${wasm}: \`cargo xtask check wasm\` builds it; HITSCAN_WASM names another place`,
    );
  });
  const bundle = async (file, more = {}) => {
    const result = await build({
      entryPoints: [join(here, file)],
      bundle: true,
      write: false,
      format: "iife",
      target: "es2022",
      minify: true,
      legalComments: "none",
      charset: "utf8",
      logLevel: "warning",
      ...more,
    });
    return result.outputFiles[0];
  };
  // Licences ask for their notices in the page.
  const program = await bundle("src/main.ts", { plugins: [slim], legalComments: "eof" });
  const packed = (bytes) => deflateRawSync(bytes, { level: 9 }).toString("base64");
  const parts = {
    "/*STYLE*/": (await bundle("src/style.css", { format: undefined, target: undefined })).text,
    "<!--ENGINE-->": packed(module),
    "<!--PROGRAM-->": packed(program.contents),
    "/*START*/": (await bundle("src/start.ts")).text,
  };
  let page = await readFile(join(here, "src/index.html"), "utf8");
  for (const [mark, text] of Object.entries(parts)) {
    if (!page.includes(mark)) throw new Error(`src/index.html has no ${mark}`);
    page = page.replace(mark, () => text);
  }
  const file = join(here, "dist/index.html");
  await mkdir(join(here, "dist"), { recursive: true });
  const compressed = gzipSync(page, { level: 9 });
  // An equal page keeps its time: cargo would compile the program again.
  for (const [name, content] of [[file, Buffer.from(page)], [`${file}.gz`, compressed]]) {
    const old = await readFile(name).catch(() => Buffer.of());
    if (!content.equals(old)) await writeFile(name, content);
  }
  const sizes = { raw: Buffer.byteLength(page), gzip: compressed.length };
  console.log(
    `dist/index.html ${kB(sizes.raw)}, ${kB(sizes.gzip)} compressed (program ${kB(program.contents.length)}, engine ${kB(module.length)}; in the page ${kB(parts["<!--PROGRAM-->"].length)} and ${kB(parts["<!--ENGINE-->"].length)})`,
  );
  for (const [what, aim] of Object.entries(TARGET)) {
    if (sizes[what] > aim) console.log(`larger than it should be: ${kB(sizes[what])} ${what}, aim ${kB(aim)}`);
  }
  for (const [what, most] of Object.entries(LIMIT)) {
    if (sizes[what] > most) throw new Error(`the page is too large: ${kB(sizes[what])} ${what}, at most ${kB(most)}`);
  }
}

main().catch((error) => {
  console.error(`lab: ${error.message}`);
  process.exit(1);
});
