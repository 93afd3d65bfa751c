import { countOf } from "./arguments.js";
import type { Engine } from "./engine.js";
import { badArgument, HitscanError } from "./errors.js";

// Node 18 has no such symbol; `using` then looks for this one.
(Symbol as { dispose?: symbol }).dispose ??= Symbol.for("Symbol.dispose");

/** The number type of a mesh and of its rays: 32 or 64 bits. */
export type Precision = "f32" | "f64";

/** An array of numbers of a precision. */
export type Numbers = Float32Array | Float64Array;

/** Kinds of buffers of the module, for each precision. */
export const KIND = { vertices: { f32: 0, f64: 1 }, rays: { f32: 2, f64: 3 }, hits: { f32: 4, f64: 5 }, triangles: 6, bytes: 7 };

/** Throws unless the value is a precision. */
export function checkPrecision(precision: Precision): void {
  if (precision !== "f32" && precision !== "f64") throw badArgument("precision", 'must be "f32" or "f64"');
}

/** Something that lives in the memory of the module until `dispose`. */
export abstract class InModule {
  /** @internal */
  readonly engine: Engine;
  #handle: number;

  /** @internal */
  constructor(engine: Engine, handle: number) {
    this.engine = engine;
    this.#handle = handle;
    engine.watch(this, handle);
  }

  /** Its number in the module. @internal */
  get handle(): number {
    if (this.#handle < 0) throw new HitscanError("disposed", "the mesh or the buffer was disposed");
    return this.#handle;
  }

  /** Frees its memory. What was disposed can only be disposed again. */
  dispose(): void {
    if (this.#handle < 0) return;
    this.engine.release(this.#handle, this);
    this.#handle = -1;
  }

  /** The same as `dispose`: for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A buffer with columns of numbers in one precision. */
abstract class Columns extends InModule {
  /** How many rays it has room for. */
  readonly length: number;
  /** The number type of its columns. */
  readonly precision: Precision;

  /** @internal */
  constructor(engine: Engine, kind: { f32: number; f64: number }, length: number, precision: Precision) {
    checkPrecision(precision);
    super(engine, engine.buffer(kind[precision], countOf(length, "length")));
    this.length = length;
    this.precision = precision;
  }

  protected numbers(column: number, width: number): Numbers {
    const { memory } = this.engine.exports;
    const address = this.engine.column(this.handle, column);
    const count = this.length * width;
    return this.precision === "f32"
      ? new Float32Array(memory.buffer, address, count)
      : new Float64Array(memory.buffer, address, count);
  }
}

/**
 * Rays of a batch, in the memory of the module. Each getter returns a new view of that memory. A view is empty after the memory
 * has grown, as a new mesh or buffer makes it: so get the view again after that, and keep none.
 */
export class RayBuffer extends Columns {
  /** @internal */
  constructor(engine: Engine, length: number, precision: Precision) {
    super(engine, KIND.rays, length, precision);
  }
  /** Origins: x, y and z of each ray. */
  get origins(): Numbers {
    return this.numbers(0, 3);
  }
  /** Directions, of any length but 0: x, y and z of each ray. */
  get directions(): Numbers {
    return this.numbers(1, 3);
  }
  /** The smallest `t` of each ray that counts; at first 0. */
  get tMin(): Numbers {
    return this.numbers(2, 1);
  }
  /** The largest `t` of each ray that counts; at first infinite. */
  get tMax(): Numbers {
    return this.numbers(3, 1);
  }
}

/** Hits of a batch, in the memory of the module. Its getters are those of {@link RayBuffer}: each returns a new view. */
export class HitBuffer extends Columns {
  /** @internal */
  constructor(engine: Engine, length: number, precision: Precision) {
    super(engine, KIND.hits, length, precision);
  }
  /** `t` of each hit; infinite for a miss. */
  get t(): Numbers {
    return this.numbers(0, 1);
  }
  /** The distance of each hit; infinite for a miss. */
  get distance(): Numbers {
    return this.numbers(1, 1);
  }
  /** Points: x, y and z of each hit; zeros for a miss. */
  get points(): Numbers {
    return this.numbers(2, 3);
  }
  /** Normals of length 1, by the order of vertices: x, y and z of each hit; zeros for a miss. */
  get normals(): Numbers {
    return this.numbers(3, 3);
  }
  /** The weights of the second and third vertex: u and v of each hit; zeros for a miss. */
  get uv(): Numbers {
    return this.numbers(4, 2);
  }
  /** The number of the triangle of each hit; -1 for a miss. */
  get triangles(): Int32Array {
    return new Int32Array(this.engine.exports.memory.buffer, this.engine.column(this.handle, 5), this.length);
  }
  /** 1 for each hit of a front side, otherwise 0. */
  get front(): Uint8Array {
    return new Uint8Array(this.engine.exports.memory.buffer, this.engine.column(this.handle, 6), this.length);
  }
}

/** One byte for each ray of a batch, in the memory of the module: 1 if the ray is blocked. */
export class MaskBuffer extends InModule {
  /** How many rays it has room for. */
  readonly length: number;

  /** @internal */
  constructor(engine: Engine, length: number) {
    super(engine, engine.buffer(KIND.bytes, countOf(length, "length")));
    this.length = length;
  }
  /** The bytes: a new view each time, as those of {@link RayBuffer}. */
  get values(): Uint8Array {
    return new Uint8Array(this.engine.exports.memory.buffer, this.engine.column(this.handle, 0), this.length);
  }
}
