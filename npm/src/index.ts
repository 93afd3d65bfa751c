/** The default entry: meshes in `f64`, with the module in the file. */
import { MESH } from "./mesh.inline.js";
import type { Hitscan } from "./hitscan.js";
import { compileSource, inflate, initSyncWith, initWith, type Source } from "./load.js";

export * from "./api.js";

/** Compiles the module that is in this file: for `initSync`, and to send it to workers. */
export const compile = async (): Promise<WebAssembly.Module> => WebAssembly.compile(await inflate(MESH));

/** Loads the module, and returns the engine. Later calls return the same one. Without a source it is the module in this file. */
export const init = (source?: Source): Promise<Hitscan> =>
  initWith(() => (source === undefined ? compile() : compileSource(source)), false);

/** Starts a module that is compiled, or the bytes of one, at once: for workers. Later calls return the same engine. */
export const initSync = (source: WebAssembly.Module | BufferSource): Hitscan => initSyncWith(source, false);
