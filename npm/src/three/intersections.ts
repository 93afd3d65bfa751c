/** Intersections as three.js computes them, for single triangles. */
import {
  type BufferAttribute,
  type InterleavedBufferAttribute,
  type Intersection,
  Mesh as ThreeMesh,
  type Ray,
  type Raycaster,
  Triangle,
  Vector2,
  Vector3,
} from "three";
import type { Accepting } from "./acceptance.js";

/** What of three.js has no public type. */
interface Scanning {
  _computeIntersections(raycaster: Casting, intersects: Intersection[], ray: Ray): void;
}

/** What of a raycaster is read. */
export type Casting = Pick<Raycaster, "ray" | "near" | "far"> & { firstHitOnly?: boolean };

/** The own loop of three.js over all triangles of the draw range and the groups. */
const { _computeIntersections: scan } = ThreeMesh.prototype as unknown as Scanning;
/**
 * The intersections of all triangles, as three.js has them, or the first of them if `firstHitOnly` is set. Triangles with a corner
 * that is no number are left out: three.js r187 lists them with a distance that is no number.
 */
export function scanAll(object: ThreeMesh, casting: Casting, ray: Ray, out: Intersection[]): void {
  const all: Intersection[] = [];
  scan.call(object, casting, all, ray);
  const found = all.filter(({ distance }) => !Number.isNaN(distance));
  if (casting.firstHitOnly === true) found.sort((a, b) => a.distance - b.distance).splice(1);
  out.push(...found);
}

/** A cast at single triangles, and where its intersections go. */
export interface TriangleCast {
  /** The number in the geometry of a triangle of the mesh. */
  numberOf(triangle: number): number;
  object: ThreeMesh;
  casting: Casting;
  ray: Ray;
  accepting: Accepting;
  out: Intersection[];
}

/** Places of numbers in a hit of the module: the point, `u` and `v`, the triangle, and the front. */
const POINT = 2;
const UV = 8;
export const TRIANGLE = 10;
const FRONT = 11;

/** The draw range of one triangle. */
const single = { start: 0, count: 3 };

/** Pushes the intersections of a hit, one or one for each group; returns how many. Of the first hit alone there is one at most. */
export function push(cast: TriangleCast, hit: Float64Array, at: number): number {
  const { object, casting, ray, accepting, out } = cast;
  const { geometry } = object;
  const triangle = cast.numberOf(hit[at + TRIANGLE]!);
  const material = accepting.materialOf(triangle, hit[at + FRONT] === 1);
  if (material < 0) return 0;
  // The loop of three.js over this triangle alone.
  const [before, range] = [out.length, geometry.drawRange];
  single.start = 3 * triangle;
  geometry.drawRange = single;
  try {
    scan.call(object, casting, out, ray);
  } finally {
    geometry.drawRange = range;
  }
  if (casting.firstHitOnly === true && out.length > before) out.length = before + 1;
  return out.length - before || fill(cast, hit, at, triangle, material);
}

/** Pushes the intersection of a hit that three.js loses; returns how many: none if it is out of the range. */
function fill({ object, ray, casting, out }: TriangleCast, hit: Float64Array, from: number, triangle: number, material: number): number {
  const { index, attributes } = object.geometry;
  const point = new Vector3().fromArray(hit, from + POINT).applyMatrix4(object.matrixWorld);
  const distance = casting.ray.origin.distanceTo(point);
  if (distance < casting.near || distance > casting.far) return 0;
  const at = 3 * triangle;
  const [a, b, c] = index ? [index.getX(at), index.getX(at + 1), index.getX(at + 2)] : [at, at + 1, at + 2];
  const [u, v] = [hit[from + UV]!, hit[from + UV + 1]!];
  const barycoord = new Vector3(1 - u - v, u, v);
  const corners = [a, b, c].map((vertex) => object.getVertexPosition(vertex, new Vector3())) as [Vector3, Vector3, Vector3];
  const face = { a, b, c, normal: Triangle.getNormal(...corners, new Vector3()), materialIndex: material };
  const intersection: Intersection = { distance, point, object, face, faceIndex: triangle, barycoord };
  const { uv, uv1, normal } = attributes;
  // Written out: `Triangle.getInterpolatedAttribute` is younger than the oldest three.js that this package takes.
  const between = (of: BufferAttribute | InterleavedBufferAttribute, get: "getX" | "getY" | "getZ"): number =>
    of[get](a) * barycoord.x + of[get](b) * barycoord.y + of[get](c) * barycoord.z;
  if (uv) intersection.uv = new Vector2(between(uv, "getX"), between(uv, "getY"));
  if (uv1) intersection.uv1 = new Vector2(between(uv1, "getX"), between(uv1, "getY"));
  if (normal) {
    intersection.normal = new Vector3(between(normal, "getX"), between(normal, "getY"), between(normal, "getZ"));
    if (intersection.normal.dot(ray.direction) > 0) intersection.normal.multiplyScalar(-1);
  }
  out.push(intersection);
  return 1;
}
