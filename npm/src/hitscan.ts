import { checkPrecision, HitBuffer, KIND, MaskBuffer, type Precision, RayBuffer } from "./buffers.js";
import type { Engine } from "./engine.js";
import { badArgument, HitscanError } from "./errors.js";
import { checkBytes, copyTo, lengthOf, Mesh, type Positions, putVertices } from "./mesh.js";

/** The settings of a mesh. */
export interface MeshOptions {
  /** The number type: `f64` takes every number of JavaScript as it is; `f32` is faster and needs `hitscan/full`. Default: `f64`. */
  precision?: Precision | undefined;
  /** `high` builds a better tree in more time. No answer depends on it. Default: `default`. */
  quality?: "default" | "high" | undefined;
}

/** Indices of vertices: three for each triangle. */
export type Indices = Uint16Array | Uint32Array | readonly number[];

const QUALITY = { default: 0, high: 1 };

/** The engine: makes meshes, and buffers for batches. {@link init} returns it. */
export class Hitscan {
  /** @internal */
  readonly engine: Engine;
  /** Whether it is the larger module of `hitscan/full`. @internal */
  readonly isFull: boolean;

  /** @internal */
  constructor(engine: Engine, isFull: boolean) {
    this.engine = engine;
    this.isFull = isFull;
  }

  /**
   * Builds a mesh. Without indices, each three vertices are a triangle. The arrays are copied.
   *
   * ```js
   * const mesh = hs.mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]));
   * mesh.cast([0.25, 0.25, 1], [0, 0, -1]).t; // 1
   * ```
   */
  mesh(positions: Positions, indices?: Indices | null, options: MeshOptions = {}): Mesh {
    const { precision = "f64", quality = "default" } = options;
    const { engine } = this;
    // Everything is checked before the module holds anything.
    checkPrecision(precision);
    if (QUALITY[quality] === undefined) throw badArgument("quality", 'must be "default" or "high"');
    lengthOf(positions, "positions");
    if (indices) lengthOf(indices, "indices");
    else if (positions.length % 9 !== 0) throw badArgument("positions", "without indices, must be 9 numbers for each triangle");
    // No handle is the largest number.
    let triangles = 0xffffffff;
    if (indices) {
      triangles = engine.buffer(KIND.triangles, indices.length / 3);
      const target = new Uint32Array(engine.exports.memory.buffer, engine.column(triangles, 0), indices.length);
      copyTo(engine, triangles, target, indices, "indices");
    }
    let vertices;
    try {
      vertices = putVertices(engine, positions, precision);
    } catch (error) {
      engine.release(triangles);
      throw error;
    }
    // The module takes both buffers, also if it fails.
    return new Mesh(engine, engine.run((exports) => exports.mesh(vertices, triangles, QUALITY[quality])));
  }

  /** Loads a mesh that `toBytes` saved. */
  meshFromBytes(bytes: Uint8Array | ArrayBuffer): Mesh {
    checkBytes(bytes);
    const { engine } = this;
    const given = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    // The precision is in the bytes: where it is the other one, the module says so, and takes it the second time.
    const load = (scalar: number): number => {
      const buffer = engine.buffer(KIND.bytes, given.length);
      if (given.length > 0) {
        new Uint8Array(engine.exports.memory.buffer, engine.column(buffer, 0), given.length).set(given);
      }
      return engine.run((exports) => exports.load(buffer, scalar));
    };
    try {
      return new Mesh(engine, load(8));
    } catch (error) {
      if (!(error instanceof HitscanError) || error.code !== "precision") throw error;
      return new Mesh(engine, load(4));
    }
  }

  /** Makes room for `length` rays in the module. */
  rays(length: number, precision: Precision = "f64"): RayBuffer {
    return new RayBuffer(this.engine, length, precision);
  }

  /** Makes room for the hits of `length` rays in the module. */
  hits(length: number, precision: Precision = "f64"): HitBuffer {
    return new HitBuffer(this.engine, length, precision);
  }

  /** Makes room for a byte for each of `length` rays in the module. */
  mask(length: number): MaskBuffer {
    return new MaskBuffer(this.engine, length);
  }

  /** How many bytes of memory the module has. They never become fewer. */
  get memoryBytes(): number {
    return this.engine.exports.memory.buffer.byteLength;
  }
}
