/** The entry without the module in it: it loads `mesh.wasm` beside this file, or what `init` is given. */
import type { Hitscan } from "./hitscan.js";
import { compileSource, initSyncWith, initWith, type Source } from "./load.js";

export * from "./api.js";

const MODULE = /* @__PURE__ */ new URL("./mesh.wasm", import.meta.url);

/** Compiles the module beside this file, or another one: for `initSync`, and to send it to workers. */
export const compile = (source: Source = MODULE): Promise<WebAssembly.Module> => compileSource(source);

/** Loads the module beside this file, or another one, and returns the engine. Later calls return the same one. */
export const init = (source: Source = MODULE): Promise<Hitscan> => initWith(() => compileSource(source), false);

/** Starts a module that is compiled, or the bytes of one, at once: for workers. Later calls return the same engine. */
export const initSync = (source: WebAssembly.Module | BufferSource): Hitscan => initSyncWith(source, false);
