import { Engine } from "./engine.js";
import { HitscanError } from "./errors.js";
import { Hitscan } from "./hitscan.js";

/** What `init` takes: an address, a response, the bytes of the module, or the compiled module, which workers can be sent. */
export type Source = string | URL | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module;

/** The engine of this realm, which all entries of the package share. */
let current: Hitscan | undefined;
let pending: { isFull: boolean; ready: Promise<Hitscan> } | undefined;

/** The engine that `init` made; an error before that. */
export function engine(): Hitscan {
  if (!current) throw new HitscanError("not-ready", "call `await init()` first");
  return current;
}

/** A module of Node, which no bundler follows. */
const nodeModule = (name: string): Promise<any> => import(/* @vite-ignore */ /* webpackIgnore: true */ name);

async function bytesAt(address: URL): Promise<BufferSource | Response> {
  const isFile = address.protocol === "file:";
  return isFile ? (await nodeModule("node:fs/promises")).readFile(address) : fetch(address);
}

/** Compiles a module. */
export async function compileSource(source: Source): Promise<WebAssembly.Module> {
  let given = await (source as Exclude<Source, PromiseLike<Response>>);
  if (given instanceof WebAssembly.Module) return given;
  if (typeof given === "string" || given instanceof URL) {
    const base = typeof location === "undefined" ? undefined : location.href;
    given = await bytesAt(new URL(given, base));
  }
  if (typeof Response === "undefined" || !(given instanceof Response)) {
    return WebAssembly.compile(given as BufferSource);
  }
  if (!given.ok) throw new HitscanError("load", `source: ${given.url} answers ${given.status}`);
  // Some servers send the module as another type than the one that streaming asks for.
  const streams = given.headers.get("content-type")?.startsWith("application/wasm") && WebAssembly.compileStreaming;
  return streams ? WebAssembly.compileStreaming(given) : WebAssembly.compile(await given.arrayBuffer());
}

/** Inflates a module that was compressed by gzip and written in base64. */
export async function inflate(text: string): Promise<BufferSource> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  if (typeof DecompressionStream === "undefined") return (await nodeModule("node:zlib")).gunzipSync(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The engine of a compiled module. */
function start(module: WebAssembly.Module, isFull: boolean): Hitscan {
  let instance;
  try {
    instance = new WebAssembly.Instance(module, {});
  } catch (cause) {
    throw new HitscanError("load", "source: not the module of hitscan", { cause });
  }
  return new Hitscan(new Engine(instance), isFull);
}

/** Whether the running engine has the capabilities that the caller needs. The larger module replaces the smaller one. */
const serves = (isFull: boolean): Hitscan | undefined => (current && (current.isFull || !isFull) ? current : undefined);

/** Loads a module once; later calls return the same engine. */
export function initWith(source: () => Promise<WebAssembly.Module>, isFull: boolean): Promise<Hitscan> {
  const there = serves(isFull);
  if (there) return Promise.resolve(there);
  if (pending && (pending.isFull || !isFull)) return pending.ready;
  const load = async (): Promise<Hitscan> => {
    try {
      const module = await source().catch((cause: unknown) => {
        if (cause instanceof HitscanError) throw cause;
        throw new HitscanError("load", `source: the module cannot be loaded (${String(cause)})`, { cause });
      });
      // `initSync` may have been faster.
      return serves(isFull) ?? (current = await startLater(module, isFull));
    } finally {
      pending = undefined;
    }
  };
  const ready = load();
  pending = { isFull, ready };
  return ready;
}

/** Browsers instantiate large modules only without blocking. */
async function startLater(module: WebAssembly.Module, isFull: boolean): Promise<Hitscan> {
  try {
    return new Hitscan(new Engine(await WebAssembly.instantiate(module, {})), isFull);
  } catch (cause) {
    if (cause instanceof HitscanError) throw cause;
    throw new HitscanError("load", "source: not the module of hitscan", { cause });
  }
}

/** Starts a module at once; if there is an engine, returns that. */
export function initSyncWith(source: WebAssembly.Module | BufferSource, isFull: boolean): Hitscan {
  const there = serves(isFull);
  if (there) return there;
  let module;
  try {
    module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
  } catch (cause) {
    throw new HitscanError("load", "source: must be a WebAssembly.Module, or the bytes of one", { cause });
  }
  return (current = start(module, isFull));
}
