import { badArgument } from "./errors.js";

/** A point or a direction: three numbers in an array, or an object with `x`, `y` and `z`, as three.js has them. */
export type Point = ArrayLike<number> | { readonly x: number; readonly y: number; readonly z: number };

/** Which sides of triangles count. The front is the side from which the vertices are counter-clockwise. */
export type Faces = "both" | "front" | "back";

/** The settings of a cast. */
export interface CastOptions {
  /** The smallest `t` that counts. Default: 0. */
  tMin?: number | undefined;
  /** The largest `t` that counts. Default: without an end. */
  tMax?: number | undefined;
  /** Which sides of triangles count. Default: both. */
  faces?: Faces | undefined;
  /** Whether a ray hits a triangle in whose plane it runs. Default: it misses it. */
  coplanar?: "miss" | "hit" | undefined;
}

/** The settings of a list of all hits. */
export interface CastAllOptions extends CastOptions {
  /** Whether a point on an edge or a vertex that triangles share is listed once, or for each triangle. Default: once. */
  sharedEdges?: "once" | "each" | undefined;
}

const FACES = { both: 0, front: 1, back: 2 };

/** The coordinates of a point; an error if they are no numbers. */
export function coordinates(point: Point, name: string): [number, number, number] {
  if (typeof point === "object" && point !== null) {
    const at = point as { x: number; y: number; z: number } & ArrayLike<number>;
    const [x, y, z] = typeof at.x === "number" ? [at.x, at.y, at.z] : [at[0], at[1], at[2]];
    if (typeof x === "number" && typeof y === "number" && typeof z === "number") return [x, y, z];
  }
  throw badArgument(name, "must be three numbers, [x, y, z] or { x, y, z }");
}

/** A number of the options, or the default. */
export function number(value: number | undefined, name: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number") throw badArgument(name, "must be a number");
  return value;
}

/** The flags of the options of a cast. */
export function flagsOf(options: CastAllOptions): number {
  const { faces = "both", coplanar = "miss", sharedEdges = "once" } = options;
  const sides = FACES[faces];
  if (sides === undefined) throw badArgument("faces", 'must be "both", "front" or "back"');
  if (coplanar !== "miss" && coplanar !== "hit") throw badArgument("coplanar", 'must be "miss" or "hit"');
  if (sharedEdges !== "once" && sharedEdges !== "each") throw badArgument("sharedEdges", 'must be "once" or "each"');
  return sides | (coplanar === "hit" ? 4 : 0) | (sharedEdges === "each" ? 8 : 0);
}

/** A count of a buffer. */
export function countOf(count: number, name: string): number {
  if (!Number.isInteger(count) || count < 0 || count > 0x7fffffff) throw badArgument(name, "must be a whole number, 0 or more");
  return count;
}
