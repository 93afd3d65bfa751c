import { type CastAllOptions, type CastOptions, coordinates, countOf, flagsOf, number, type Point } from "./arguments.js";
import { type HitBuffer, InModule, KIND, type MaskBuffer, type Precision, type RayBuffer } from "./buffers.js";
import type { Engine } from "./engine.js";
import { badArgument, HitscanError } from "./errors.js";

/** Three numbers: x, y, z. */
export type Vec3 = [number, number, number];

/** The point where a ray meets a triangle. */
export interface Hit {
  /** The ray parameter: the point is `origin + t * direction`. Its unit is the length of the direction. */
  t: number;
  /** The distance from the origin of the ray: a length. */
  distance: number;
  /** The point. */
  point: Vec3;
  /** The unit normal of the triangle, by the order of its vertices. */
  normal: Vec3;
  /** The weights of the second and third vertex. */
  uv: [number, number];
  /** The number of the triangle. */
  triangle: number;
  /** Whether the ray comes from the front. */
  front: boolean;
}

/** A part of a line inside a closed mesh. */
export interface Span {
  /** Where the line enters, or where the range begins inside. */
  enter: Hit | null;
  /** Where the line leaves; null if the range ends before that. */
  exit: Hit | null;
}

/** The part of a triangle on which a point lies: its face, its edge from vertex `index` to the next one, or its vertex. */
export interface Feature {
  kind: "face" | "edge" | "vertex";
  /** The number of the edge or vertex in the triangle; 0 for the face. */
  index: number;
}

/** The closest point of a mesh. */
export interface ClosestPoint {
  /** The point of the surface. */
  point: Vec3;
  /** Its distance. */
  distance: number;
  /** The part of the triangle on which it lies. */
  feature: Feature;
  /** The weights of the second and third vertex. */
  uv: [number, number];
  /** The number of the triangle. */
  triangle: number;
}

/** The first contact of a moving sphere. */
export interface SphereHit {
  /** The ray parameter at the contact. */
  t: number;
  /** How far the center has moved. */
  distance: number;
  /** The center of the sphere at the contact. */
  center: Vec3;
  /** The contact point on the surface. */
  point: Vec3;
  /** The direction in which the sphere leaves the mesh: from the contact point to the center. */
  normal: Vec3;
  /** How far the sphere reaches into the mesh, if it touches it at the start; otherwise null. */
  depth: number | null;
  /** The part of the triangle that is touched. */
  feature: Feature;
  /** The weights of the second and third vertex. */
  uv: [number, number];
  /** The number of the triangle. */
  triangle: number;
}

/** A box with axes x, y and z. */
export interface Box {
  min: Vec3;
  max: Vec3;
}

/** The settings of a batch. */
export interface BatchOptions extends CastOptions {
  /** How many rays are cast: the first ones of the buffer. Default: all. */
  count?: number | undefined;
}

/** Positions of vertices: x, y and z of each. */
export type Positions = Float32Array | Float64Array | readonly number[];

/** A ray of three.js. @internal */
export interface XyzRay {
  origin: { x: number; y: number; z: number };
  direction: { x: number; y: number; z: number };
}

const three = (numbers: Float64Array, at: number): Vec3 => [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];

const KINDS = ["face", "edge", "vertex"] as const;

/** Numbers of a hit. @internal */
export const HIT = 12;

/** The hit that begins at a number; null for one that is not there. */
function hitAt(numbers: Float64Array, at: number): Hit | null {
  const t = numbers[at]!;
  if (Number.isNaN(t)) return null;
  return {
    t,
    distance: numbers[at + 1]!,
    point: three(numbers, at + 2),
    normal: three(numbers, at + 5),
    uv: [numbers[at + 8]!, numbers[at + 9]!],
    triangle: numbers[at + 10]!,
    front: numbers[at + 11] === 1,
  };
}

/** Feature, weights and triangle that begin at a number. */
function placeAt(numbers: Float64Array, at: number): { feature: Feature; uv: [number, number]; triangle: number } {
  const feature: Feature = { kind: KINDS[numbers[at]!]!, index: numbers[at + 1]! };
  return { feature, uv: [numbers[at + 2]!, numbers[at + 3]!], triangle: numbers[at + 4]! };
}

const NONE: CastAllOptions = {};

/**
 * A mesh of triangles with its tree, in the memory of the module.
 *
 * Every decision is exact: whether a ray hits, which hit is the closest, whether a point is inside. No ray slips through between two
 * triangles that share an edge or a vertex. A mesh in `f32` rounds the numbers of rays and points to `f32` first.
 */
export class Mesh extends InModule {
  /** The number type of the mesh. */
  readonly precision: Precision;
  /** How many vertices it has. */
  readonly vertexCount: number;
  /** How many triangles it has. */
  readonly triangleCount: number;

  /** @internal */
  constructor(engine: Engine, handle: number) {
    super(engine, handle);
    engine.run((exports) => exports.describe(handle));
    const [scalar, vertices, triangles] = engine.record as unknown as Vec3;
    this.precision = scalar === 4 ? "f32" : "f64";
    this.vertexCount = vertices;
    this.triangleCount = triangles;
  }

  /** The smallest box around the mesh. */
  get bounds(): Box {
    this.#call((exports, mesh) => exports.describe(mesh));
    return { min: three(this.engine.record, 3), max: three(this.engine.record, 6) };
  }

  /** How many bytes its tree takes, besides vertices and triangles. */
  get treeBytes(): number {
    this.#call((exports, mesh) => exports.describe(mesh));
    return this.engine.record[9]!;
  }

  /** Whether the mesh is closed: whether an even number of triangles meets at each edge. Only a closed mesh has an inside. */
  get isClosed(): boolean {
    return this.#call((exports, mesh) => exports.is_closed(mesh)) === 1;
  }

  /** The closest hit of a ray, or null. The direction may have any length but 0; `t` counts in lengths of it. */
  cast(origin: Point, direction: Point, options: CastOptions = NONE): Hit | null {
    return this.#cast("cast", origin, direction, options) === 1 ? hitAt(this.engine.record, 0) : null;
  }

  /** Whether a ray hits anything: faster than `cast`. */
  occluded(origin: Point, direction: Point, options: CastOptions = NONE): boolean {
    return this.#cast("occluded", origin, direction, options) === 1;
  }

  /** All hits of a ray, in the order of `t`. A point on an edge that triangles share is one hit, unless the options say otherwise. */
  castAll(origin: Point, direction: Point, options: CastAllOptions = NONE): Hit[] {
    const count = this.#cast("cast_all", origin, direction, options);
    const numbers = this.engine.list(count * HIT);
    return Array.from({ length: count }, (_, i) => hitAt(numbers, i * HIT)!);
  }

  /** The number of hits that `castAll` returns. */
  count(origin: Point, direction: Point, options: CastOptions = NONE): number {
    return this.#cast("count", origin, direction, options);
  }

  /** The parts of a ray inside the mesh, in order. A mesh that is not closed has none. */
  spans(origin: Point, direction: Point, options: CastOptions = NONE): Span[] {
    const count = this.#cast("spans", origin, direction, options);
    const numbers = this.engine.list(count * 2 * HIT);
    return Array.from({ length: count }, (_, i) => ({
      enter: hitAt(numbers, 2 * i * HIT),
      exit: hitAt(numbers, (2 * i + 1) * HIT),
    }));
  }

  /** Whether a point is inside the mesh or on its surface. A mesh that is not closed contains none. */
  contains(point: Point): boolean {
    const [x, y, z] = coordinates(point, "point");
    return this.#call((exports, mesh) => exports.contains(mesh, x, y, z)) === 1;
  }

  /** The closest point of the surface, if there is one within `maxDistance`. */
  closestPoint(point: Point, maxDistance?: number): ClosestPoint | null {
    const [x, y, z] = coordinates(point, "point");
    const most = number(maxDistance, "maxDistance", Infinity);
    if (this.#call((exports, mesh) => exports.closest_point(mesh, x, y, z, most)) === 0) return null;
    const numbers = this.engine.record;
    return { point: three(numbers, 0), distance: numbers[3]!, ...placeAt(numbers, 4) };
  }

  /** The distance from the surface, negative inside a closed mesh; null for a point that is not finite. */
  signedDistance(point: Point): number | null {
    const [x, y, z] = coordinates(point, "point");
    return this.#call((exports, mesh) => exports.signed_distance(mesh, x, y, z)) === 1 ? this.engine.record[0]! : null;
  }

  /** The first contact of a sphere that moves along a ray, or null. The module of `hitscan/full` has it. */
  castSphere(origin: Point, direction: Point, radius: number, options: CastOptions = NONE): SphereHit | null {
    const size = number(radius, "radius", NaN);
    const { tMin, tMax } = options;
    const [ox, oy, oz] = coordinates(origin, "origin");
    const [dx, dy, dz] = coordinates(direction, "direction");
    const [least, most] = [number(tMin, "tMin", 0), number(tMax, "tMax", Infinity)];
    const flags = flagsOf(options);
    const found = this.#call((exports, mesh) =>
      exports.cast_sphere(mesh, ox, oy, oz, dx, dy, dz, least, most, flags, size),
    );
    if (found === 0) return null;
    const numbers = this.engine.record;
    return {
      t: numbers[0]!,
      distance: numbers[1]!,
      center: three(numbers, 2),
      point: three(numbers, 5),
      normal: three(numbers, 8),
      depth: Number.isNaN(numbers[11]) ? null : numbers[11]!,
      ...placeAt(numbers, 12),
    };
  }

  /** Whether a sphere touches the mesh or lies in it, if it is closed. The module of `hitscan/full` has it. */
  overlapsSphere(center: Point, radius: number): boolean {
    const [x, y, z] = coordinates(center, "center");
    const size = number(radius, "radius", NaN);
    return this.#call((exports, mesh) => exports.overlaps_sphere(mesh, x, y, z, size)) === 1;
  }

  /** Whether a box, given by its corners, touches the mesh or lies in it, if it is closed. The module of `hitscan/full` has it. */
  overlapsBox(min: Point, max: Point): boolean {
    const [a, b] = [coordinates(min, "min"), coordinates(max, "max")];
    const half = a.map((x, i) => (b[i]! - x) / 2) as Vec3;
    const [x, y, z] = a.map((x, i) => x + half[i]!) as Vec3;
    return this.#call((exports, mesh) => exports.overlaps_box(mesh, x, y, z, ...half)) === 1;
  }

  /**
   * Whether the convex hull of points touches a triangle: a box that is turned, a part of a view. One that lies inside of the mesh
   * touches none. The module of `hitscan/full` has it.
   */
  touchesHull(points: Positions): boolean {
    const { handle, engine, precision } = this;
    const buffer = putVertices(engine, points, precision, "points");
    return engine.run((exports) => exports.touches_hull(handle, buffer)) === 1;
  }

  /** The closest hits of the rays of a buffer; returns how many rays hit. Both buffers have the precision of the mesh. */
  castBatch(rays: RayBuffer, hits: HitBuffer, options: BatchOptions = NONE): number {
    const count = this.#batch(rays, options);
    if (hits.precision !== this.precision) throw badArgument("hits", `must be of ${this.precision}, as the mesh`);
    const [least, most] = [number(options.tMin, "tMin", 0), number(options.tMax, "tMax", Infinity)];
    const flags = flagsOf(options);
    return this.#call((exports, mesh) =>
      exports.cast_batch(mesh, rays.handle, hits.handle, count, least, most, flags),
    );
  }

  /** Whether each ray of a buffer hits anything, as a byte; returns how many do. */
  occludedBatch(rays: RayBuffer, out: MaskBuffer, options: BatchOptions = NONE): number {
    const count = this.#batch(rays, options);
    const [least, most] = [number(options.tMin, "tMin", 0), number(options.tMax, "tMax", Infinity)];
    const flags = flagsOf(options);
    return this.#call((exports, mesh) =>
      exports.occluded_batch(mesh, rays.handle, out.handle, count, least, most, flags),
    );
  }

  /**
   * Moves the vertices: as many as before, with the same triangles. It takes a small part of the time of a build. Every answer
   * equals that of a mesh that is built anew, but queries become slower when neighbours move apart.
   */
  refit(positions: Positions): void {
    const { handle, engine } = this;
    const vertices = putVertices(engine, positions, this.precision);
    engine.run((exports) => exports.refit(handle, vertices));
  }

  /** The mesh with its tree as bytes, which `meshFromBytes` loads on every machine. */
  toBytes(): Uint8Array {
    this.#call((exports, mesh) => exports.save(mesh));
    const { memory, saved, saved_len } = this.engine.exports;
    return new Uint8Array(memory.buffer, saved(), saved_len()).slice();
  }

  /** Casts without checks and without objects, for the adapter: the count of hits, whose numbers are in the record or the list. @internal */
  castNumbers(name: "cast" | "cast_all", { origin: o, direction: d }: XyzRay, tMin: number, tMax: number, flags: number): number {
    return this.#call((exports, mesh) => exports[name](mesh, o.x, o.y, o.z, d.x, d.y, d.z, tMin, tMax, flags));
  }

  /** The count of rays of a batch, whose precision must be that of the mesh. */
  #batch(rays: RayBuffer, options: BatchOptions): number {
    if (rays.precision !== this.precision) throw badArgument("rays", `must be of ${this.precision}, as the mesh`);
    return options.count === undefined ? rays.length : countOf(options.count, "count");
  }

  #call(call: (exports: Engine["exports"], mesh: number) => number): number {
    const { handle, engine } = this;
    return engine.run((exports) => call(exports, handle));
  }

  #cast(
    name: "cast" | "occluded" | "cast_all" | "count" | "spans",
    origin: Point,
    direction: Point,
    options: CastAllOptions,
  ): number {
    const [ox, oy, oz] = coordinates(origin, "origin");
    const [dx, dy, dz] = coordinates(direction, "direction");
    const [least, most] = [number(options.tMin, "tMin", 0), number(options.tMax, "tMax", Infinity)];
    const flags = flagsOf(options);
    return this.#call((exports, mesh) => exports[name](mesh, ox, oy, oz, dx, dy, dz, least, most, flags));
  }
}

/** Writes positions to a buffer of vertices, and returns its handle. */
export function putVertices(engine: Engine, positions: Positions, precision: Precision, name = "positions"): number {
  const length = lengthOf(positions, name);
  const handle = engine.buffer(KIND.vertices[precision], length / 3);
  const Numbers = precision === "f32" ? Float32Array : Float64Array;
  copyTo(engine, handle, new Numbers(engine.exports.memory.buffer, engine.column(handle, 0), length), positions, name);
  return handle;
}

/** Copies an array to a buffer of the module, which is released if the array has other things than numbers. */
export function copyTo(
  engine: Engine,
  handle: number,
  target: Float32Array | Float64Array | Uint32Array,
  array: ArrayLike<number>,
  name: string,
): void {
  try {
    target.set(array);
  } catch (cause) {
    engine.release(handle);
    throw new HitscanError("bad-argument", `${name}: must be numbers`, { cause });
  }
}

/** The length of an array of numbers whose length is a multiple of three. */
export function lengthOf(array: ArrayLike<number>, name: string): number {
  const isArray = Array.isArray(array) || (ArrayBuffer.isView(array) && !(array instanceof DataView));
  if (!isArray) throw badArgument(name, "must be an array of numbers");
  if (array.length % 3 !== 0) throw badArgument(name, `has ${array.length} numbers, which is no multiple of 3`);
  return array.length;
}

/** Throws for values that are not of this package. */
export function checkBytes(bytes: unknown): asserts bytes is Uint8Array | ArrayBuffer {
  if (!(bytes instanceof Uint8Array) && !(bytes instanceof ArrayBuffer)) {
    throw new HitscanError("bad-argument", "bytes: must be a Uint8Array or an ArrayBuffer");
  }
}
