// Builds the package in `dist`: scripts and types by TypeScript, and the two modules, inlined and as files.
//
//   HITSCAN_MESH=path/to/mesh.wasm HITSCAN_FULL=path/to/full.wasm npm run build

import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { LIMIT, TARGET } from "./sizes.mjs";

const here = new URL("./", import.meta.url);
const dist = new URL("dist/", here);
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

async function main() {
  const modules = { mesh: process.env.HITSCAN_MESH, full: process.env.HITSCAN_FULL };
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  // Scripts and types.
  const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", here));
  const { status } = spawnSync(process.execPath, [compiler, "-p", fileURLToPath(here)], { stdio: "inherit" });
  if (status !== 0) throw new Error("the scripts do not compile");
  // Modules, as files and as text in a script.
  const sizes = { scripts: 0 };
  for (const [name, path] of Object.entries(modules)) {
    const bytes = await readFile(path ?? "").catch(() => {
      throw new Error(`there is no module at HITSCAN_${name.toUpperCase()}=${path}: \`cargo xtask check npm\` builds it`);
    });
    const packed = gzipSync(bytes, { level: 9 });
    sizes[`${name}.wasm`] = packed.length;
    const text = `export const ${name.toUpperCase()} = "${packed.toString("base64")}";\n`;
    const types = `export declare const ${name.toUpperCase()}: string;\n`;
    await writeFile(new URL(`${name}.wasm`, dist), bytes);
    await writeFile(new URL(`${name}.inline.js`, dist), text);
    await writeFile(new URL(`${name}.inline.d.ts`, dist), types);
  }
  // The licences are those of the repository.
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
    await writeFile(new URL(name, dist), await readFile(new URL(`../${name}`, here)));
  }
  // Sizes.
  for (const name of await readdir(dist, { recursive: true })) {
    if (name.endsWith(".js") && !name.includes("inline")) {
      sizes.scripts += gzipSync(await readFile(new URL(name, dist)), { level: 9 }).length;
    }
  }
  for (const [name, size] of Object.entries(sizes)) {
    const aim = TARGET[name] && size > TARGET[name] ? `, more than the aim of ${kB(TARGET[name])}` : "";
    console.log(`${name}: ${kB(size)} compressed${aim}`);
    if (size > LIMIT[name]) throw new Error(`${name} is too large: ${kB(size)}, at most ${kB(LIMIT[name])}`);
  }
}

main().catch((error) => {
  console.error(`npm: ${error.message}`);
  process.exit(1);
});
