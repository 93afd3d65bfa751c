import { errorOf, HitscanError } from "./errors.js";

type Numbers<N extends number, T extends number[] = []> = T["length"] extends N ? T : Numbers<N, [...T, number]>;
/** Mesh, origin, direction, range of `t`, flags. */
type CastArguments = Numbers<10>;

/** The exports of the module: `crates/hitscan-npm/src/lib.rs`. */
export interface Exports {
  memory: WebAssembly.Memory;
  abi(): number;
  record(): number;
  list(): number;
  saved(): number;
  saved_len(): number;
  buffer(kind: number, count: number): number;
  column(handle: number, column: number): number;
  release(handle: number): number;
  mesh(vertices: number, triangles: number, quality: number): number;
  refit(mesh: number, vertices: number): number;
  describe(mesh: number): number;
  is_closed(mesh: number): number;
  save(mesh: number): number;
  load(bytes: number, scalar: number): number;
  contains(...mesh_point: Numbers<4>): number;
  closest_point(...mesh_point_most: Numbers<5>): number;
  signed_distance(...mesh_point: Numbers<4>): number;
  overlaps_sphere(...mesh_center_radius: Numbers<5>): number;
  overlaps_box(...mesh_center_half: Numbers<7>): number;
  touches_hull(mesh: number, points: number): number;
  cast_batch(...mesh_rays_hits_count_range_flags: Numbers<7>): number;
  occluded_batch(...mesh_rays_out_count_range_flags: Numbers<7>): number;
  cast(...cast: CastArguments): number;
  occluded(...cast: CastArguments): number;
  cast_all(...cast: CastArguments): number;
  count(...cast: CastArguments): number;
  spans(...cast: CastArguments): number;
  cast_sphere(...cast_radius: Numbers<11>): number;
}

/** The version of the interface that this package needs. */
const ABI = 1;

/** One instance of the module: its exports, and views of its memory. */
export class Engine {
  readonly exports: Exports;
  readonly #record: number;
  #numbers = new Float64Array(0);
  #stopped = false;
  readonly #registry: FinalizationRegistry<number> | undefined;

  constructor(instance: WebAssembly.Instance) {
    const exports = instance.exports as unknown as Exports;
    if (typeof exports.abi !== "function" || exports.abi() !== ABI) {
      throw new HitscanError("load", "source: not the module of this version of hitscan");
    }
    this.exports = exports;
    this.#record = exports.record();
    if (typeof FinalizationRegistry !== "undefined") {
      this.#registry = new FinalizationRegistry((handle) => this.release(handle));
    }
  }

  /** The numbers of the last result. Memory that grows empties views: then there is a new one. */
  get record(): Float64Array {
    if (this.#numbers.length === 0) {
      this.#numbers = new Float64Array(this.exports.memory.buffer, this.#record, 20);
    }
    return this.#numbers;
  }

  /** The last list, of `count` numbers. */
  list(count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, this.exports.list(), count);
  }

  /** Throws the error of a negative result, and returns the others. */
  check(result: number): number {
    if (result < 0) throw errorOf(result, this.record);
    return result;
  }

  /** Runs a call that may allocate: out of memory, the module stops, and says so from then on. */
  run(call: (exports: Exports) => number): number {
    if (this.#stopped) throw errorOf(-16, []);
    try {
      return this.check(call(this.exports));
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** The error of a call that was thrown: a trap stops the module. */
  failure(error: unknown): unknown {
    if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) return error;
    this.#stopped = true;
    return new HitscanError("stopped", "the module ran out of memory", { cause: error });
  }

  /** Makes a buffer of the module. */
  buffer(kind: number, count: number): number {
    return this.run((exports) => exports.buffer(kind, count));
  }

  /** Address of a column of a buffer. */
  column(handle: number, column: number): number {
    const address = this.exports.column(handle, column);
    if (address === 0) throw errorOf(-1, []);
    return address;
  }

  /** Releases a handle when `owner` is collected, unless it is released before. */
  watch(owner: object, handle: number): void {
    this.#registry?.register(owner, handle, owner);
  }

  /** Releases a handle. A module that stopped has nothing to release. */
  release(handle: number, owner?: object): void {
    if (owner) this.#registry?.unregister(owner);
    if (!this.#stopped) this.exports.release(handle);
  }
}
