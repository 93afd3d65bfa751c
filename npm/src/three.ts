/** The entry for three.js: a tree for its geometries, and raycasts by it. */
import {
  BackSide,
  type BatchedMesh,
  type Box3,
  type BufferAttribute,
  type BufferGeometry,
  DoubleSide,
  FrontSide,
  InstancedMesh,
  type InterleavedBufferAttribute,
  type Intersection,
  type Material,
  Matrix4,
  Mesh as ThreeMesh,
  type Object3D,
  Ray,
  type Raycaster,
  type Side,
  type Sphere,
  Triangle,
  Vector2,
  Vector3,
} from "three";
import { badArgument, HitscanError } from "./errors.js";
import { engine } from "./load.js";
import { HIT, type Mesh } from "./mesh.js";

/** A part of a geometry in indices, or in vertices if it has no index. */
export interface Range {
  start: number;
  count: number;
}

/** The settings of a tree. Others that three-mesh-bvh knows are ignored: no answer depends on them. */
export interface HitscanBVHOptions {
  /** The part of the geometry that the tree has. Default: all. The draw range and the groups are looked at when a ray is cast. */
  range?: Range | null | undefined;
  /** `high` builds a better tree in more time. */
  quality?: "default" | "high" | undefined;
  /** Whether a geometry without a bounding box gets it. Default: true. */
  setBoundingBox?: boolean | undefined;
}

/** A tree that was saved: its parts can be stored, and sent to a worker. */
export interface SerializedHitscanBVH {
  version: 1;
  /** The mesh; null for one without triangles. */
  mesh: Uint8Array | null;
  /** The number of each triangle of the mesh in the geometry. */
  triangles: { first: number } | Uint32Array;
}

/** An intersection in the space of the geometry. */
export type LocalIntersection = Omit<Intersection, "object">;

/** The closest point of a geometry. */
export interface HitPointInfo {
  point: Vector3;
  distance: number;
  faceIndex: number;
}

/** Materials, or what there is of them for a raycast. */
type Sides = Side | { side: Side } | readonly (Side | { side: Side })[];

/** What of three.js has no public type. */
interface Scanning {
  _computeIntersections(raycaster: Casting, intersects: Intersection[], ray: Ray): void;
}

/** What of a raycaster is read. */
type Casting = Pick<Raycaster, "ray" | "near" | "far"> & { firstHitOnly?: boolean };

/** The own loop of three.js over all triangles of the draw range and the groups. */
const { _computeIntersections: scan } = ThreeMesh.prototype as unknown as Scanning;
const { raycast: meshRaycast } = ThreeMesh.prototype;
const { raycast: instancedRaycast } = InstancedMesh.prototype;

/** The flags of a cast that counts a side. */
const FLAGS: Record<Side, number> = { [FrontSide]: 1, [BackSide]: 2, [DoubleSide]: 0 };

/** The flag of a list that has each triangle at a shared edge. */
const EACH = 8;

/** Room for rounding at the ends of a range, which three.js compares as a distance in the world. */
const ROOM = 1e-9;

const inverse = new Matrix4();
const localRay = new Ray();
const instanceMatrix = new Matrix4();
const corner = new Vector3();
const scratch = new ThreeMesh();

/** The positions of a geometry, and whether each is finite. What is not finite becomes 0. */
function positionsOf(position: BufferAttribute | InterleavedBufferAttribute): { numbers: Float32Array | Float64Array; bad: Set<number> } {
  const { count } = position;
  const plain = position as BufferAttribute;
  const isPlain = !(position as InterleavedBufferAttribute).isInterleavedBufferAttribute && !position.normalized;
  let numbers: Float32Array | Float64Array;
  if (isPlain && position.itemSize === 3 && plain.array instanceof Float32Array && !("isFloat16BufferAttribute" in plain)) {
    numbers = plain.array.length === 3 * count ? plain.array : plain.array.subarray(0, 3 * count);
  } else {
    numbers = new Float64Array(3 * count);
    for (let i = 0; i < count; i++) {
      numbers[3 * i] = position.getX(i);
      numbers[3 * i + 1] = position.getY(i);
      numbers[3 * i + 2] = position.itemSize > 2 ? position.getZ(i) : NaN;
    }
  }
  const bad = new Set<number>();
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) bad.add(Math.floor(i / 3));
  if (bad.size > 0) {
    numbers = numbers.slice();
    for (const vertex of bad) numbers.fill(0, 3 * vertex, 3 * vertex + 3);
  }
  return { numbers, bad };
}

/** A mesh of the triangles of a geometry that have three finite corners; null if there are none. */
function build(geometry: BufferGeometry, options: HitscanBVHOptions): Pick<HitscanBVH, "mesh" | "triangles"> {
  const position = geometry.attributes["position"];
  const { index } = geometry;
  const total = index ? index.count : (position?.count ?? 0);
  const start = Math.ceil(Math.max(0, options.range?.start ?? 0) / 3);
  const end = Math.floor(Math.min(total, (options.range?.start ?? 0) + (options.range?.count ?? Infinity)) / 3);
  const first = start;
  if (!position || end <= start) return { mesh: null, triangles: { first } };
  const { numbers, bad } = positionsOf(position);
  const indices = new Uint32Array(3 * (end - start));
  let kept: Uint32Array | null = null;
  let count = 0;
  for (let triangle = start; triangle < end; triangle++) {
    const at = 3 * triangle;
    const [a, b, c] = index ? [index.getX(at), index.getX(at + 1), index.getX(at + 2)] : [at, at + 1, at + 2];
    const isGood = a < position.count && b < position.count && c < position.count;
    if (!isGood || (bad.size > 0 && (bad.has(a) || bad.has(b) || bad.has(c)))) {
      // From here on the numbers of triangles differ from those of the geometry.
      kept ??= Uint32Array.from({ length: end - start }, (_, i) => start + i);
      continue;
    }
    indices[3 * count] = a;
    indices[3 * count + 1] = b;
    indices[3 * count + 2] = c;
    if (kept) kept[count] = triangle;
    count++;
  }
  if (count === 0) return { mesh: null, triangles: { first } };
  const mesh = engine().mesh(numbers, indices.subarray(0, 3 * count), { quality: options.quality });
  return { mesh, triangles: kept ? kept.slice(0, count) : { first } };
}

/** A mesh, which may have bones. */
type MaybeSkinned = ThreeMesh & { isSkinnedMesh?: boolean };

/** What a raycast of a geometry with a material counts. */
interface Accepting {
  /** The flags of the sides that a search must look at. */
  flags: number;
  /** The number of the material by which a triangle counts, seen from a side; -1 if it does not count. */
  materialOf(triangle: number, isFront: boolean): number;
}

const sideOf = (of: Side | { side: Side } | undefined): Side => (typeof of === "object" ? of.side : (of ?? FrontSide));
const counts = (side: Side, isFront: boolean): boolean => side === DoubleSide || (side === BackSide) !== isFront;

/** What counts; null where a draw range or a group begins in the middle of a triangle, so that others are seen. */
function acceptance(geometry: BufferGeometry, material: Sides): Accepting | null {
  const { drawRange, groups } = geometry;
  const begin = Math.max(0, drawRange.start);
  const end = drawRange.start + drawRange.count;
  if (!Array.isArray(material)) {
    if (begin % 3 !== 0) return null;
    const side = sideOf(material as Side | { side: Side });
    const materialOf = (triangle: number, isFront: boolean): number =>
      3 * triangle >= begin && 3 * triangle < end && counts(side, isFront) ? 0 : -1;
    return { flags: FLAGS[side], materialOf };
  }
  const sides = material.map(sideOf);
  const parts = groups.map(({ start, count, materialIndex }) => ({
    start: Math.max(start, drawRange.start),
    end: Math.min(start + count, end),
    side: sides[materialIndex ?? 0] ?? FrontSide,
    material: materialIndex ?? 0,
  }));
  if (parts.some(({ start }) => start % 3 !== 0)) return null;
  const materialOf = (triangle: number, isFront: boolean): number => {
    const counted = ({ start, end, side }: (typeof parts)[0]): boolean =>
      3 * triangle >= start && 3 * triangle < end && counts(side, isFront);
    return parts.find(counted)?.material ?? -1;
  };
  const [first = FrontSide] = parts.map(({ side }) => side);
  return { flags: parts.every(({ side }) => side === first) ? FLAGS[first] : 0, materialOf };
}

/**
 * A tree for a geometry of three.js, built by hitscan. It takes the place of a `MeshBVH` of three-mesh-bvh 0.9 as
 * `geometry.computeBoundsTree({ type: HitscanBVH })`, and works without that package. `await init()` comes first.
 *
 * The tree does not change the index of the geometry. Intersections are the objects of three.js, computed by its own code for the
 * triangles that hitscan finds. Where that code loses a hit by rounding, the intersection has the numbers of hitscan.
 */
export class HitscanBVH {
  /** The geometry. */
  readonly geometry: BufferGeometry;
  /** The mesh; null without triangles. */
  mesh: Mesh | null;
  /** The number of each triangle of the mesh in the geometry, or that of the first one where they follow each other. @internal */
  triangles: { first: number } | Uint32Array;
  readonly #options: HitscanBVHOptions;
  /** Center and half extents of the triangles; null until they are needed. */
  #bounds: { center: Vector3; half: Vector3 } | null = null;

  constructor(geometry: BufferGeometry, options: HitscanBVHOptions & Record<string, unknown> = {}, saved?: SerializedHitscanBVH) {
    if (!geometry?.isBufferGeometry) throw badArgument("geometry", "must be a BufferGeometry");
    this.geometry = geometry;
    this.#options = options;
    if (saved) {
      this.mesh = saved.mesh && engine().meshFromBytes(saved.mesh);
      this.triangles = saved.triangles;
    } else {
      ({ mesh: this.mesh, triangles: this.triangles } = build(geometry, options));
    }
    if (options.setBoundingBox !== false && !geometry.boundingBox && !options.range) geometry.computeBoundingBox();
  }

  /** Saves a tree, without its geometry. */
  static serialize(bvh: HitscanBVH): SerializedHitscanBVH {
    const { mesh, triangles } = bvh;
    const numbers = triangles instanceof Uint32Array ? triangles.slice() : { ...triangles };
    return { version: 1, mesh: mesh && mesh.toBytes(), triangles: numbers };
  }

  /** Loads a tree of a geometry that equals the one that it was built for. */
  static deserialize(saved: SerializedHitscanBVH, geometry: BufferGeometry, options: HitscanBVHOptions = {}): HitscanBVH {
    if (saved?.version !== 1) throw badArgument("saved", "must be a tree that `serialize` returned");
    return new HitscanBVH(geometry, options as Record<string, unknown>, saved);
  }

  /** The index is never changed. */
  get indirect(): true {
    return true;
  }

  /** The number in the geometry of a triangle of the tree. */
  resolveTriangleIndex(triangle: number): number {
    return this.triangles instanceof Uint32Array ? this.triangles[triangle]! : this.triangles.first + triangle;
  }

  /** Pushes the intersections of a raycaster with an object: those of `Mesh.raycast`, or the first one if `firstHitOnly` is set. */
  raycastObject3D(object: Object3D, raycaster: Raycaster, intersects: Intersection[] = []): Intersection[] {
    const { material } = object as ThreeMesh;
    if (material === undefined || this.#isMissed(object as ThreeMesh, raycaster)) return intersects;
    inverse.copy(object.matrixWorld).invert();
    localRay.copy(raycaster.ray).applyMatrix4(inverse);
    this.#cast(object as ThreeMesh, material, raycaster as Casting, localRay, intersects);
    return intersects;
  }

  /** All intersections of a ray in the space of the geometry, in the order of triangles. */
  raycast(ray: Ray, material: Sides = FrontSide, near = 0, far = Infinity): LocalIntersection[] {
    return this.#castLocally(ray, material, { ray, near, far });
  }

  /** The first intersection of a ray in the space of the geometry, or null. */
  raycastFirst(ray: Ray, material: Sides = FrontSide, near = 0, far = Infinity): LocalIntersection | null {
    return this.#castLocally(ray, material, { ray, near, far, firstHitOnly: true })[0] ?? null;
  }

  /**
   * The closest point of the triangles, with its distance and triangle, or null if none is within `maxThreshold`. The tree has the
   * closest one of all also where one below `minThreshold` would do.
   */
  closestPointToPoint(
    point: Vector3,
    target: Partial<HitPointInfo> = {},
    _minThreshold = 0,
    maxThreshold = Infinity,
  ): HitPointInfo | null {
    const found = this.mesh?.closestPoint(point, maxThreshold);
    if (!found) return null;
    target.point = (target.point ?? new Vector3()).set(...found.point);
    target.distance = found.distance;
    target.faceIndex = this.resolveTriangleIndex(found.triangle);
    return target as HitPointInfo;
  }

  /** Whether a sphere touches a triangle. */
  intersectsSphere(sphere: Sphere): boolean {
    return sphere.radius >= 0 && this.mesh !== null && this.mesh.closestPoint(sphere.center, sphere.radius) !== null;
  }

  /** Whether a box, placed by a matrix, touches a triangle. The module of `hitscan/full` has it. */
  intersectsBox(box: Box3, boxToBvh: Matrix4): boolean {
    if (!this.mesh || box.isEmpty()) return false;
    const { min, max } = box;
    const corners: number[] = [];
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z).applyMatrix4(boxToBvh);
      corners.push(corner.x, corner.y, corner.z);
    }
    return this.mesh.touchesHull(corners);
  }

  /** Takes the positions of the geometry again, after they moved. */
  refit(): void {
    this.#bounds = null;
    const position = this.geometry.attributes["position"];
    const { numbers, bad } = position ? positionsOf(position) : { numbers: new Float32Array(), bad: new Set() };
    // Vertices that were or are not finite change which triangles there are.
    if (this.mesh && bad.size === 0 && !(this.triangles instanceof Uint32Array) && numbers.length === 3 * this.mesh.vertexCount) {
      this.mesh.refit(numbers);
      return;
    }
    const old = this.mesh;
    ({ mesh: this.mesh, triangles: this.triangles } = build(this.geometry, this.#options));
    old?.dispose();
  }

  /** The box around the triangles; empty without any. */
  getBoundingBox(target: Box3): Box3 {
    target.makeEmpty();
    if (!this.mesh) return target;
    const { min, max } = this.mesh.bounds;
    target.min.set(...min);
    target.max.set(...max);
    return target;
  }

  /** Frees the memory of the tree. */
  dispose(): void {
    this.mesh?.dispose();
    this.mesh = null;
  }

  /**
   * Whether a ray passes the sphere around the box of the triangles, so that a scene of many meshes needs few casts. Only a ray that
   * passes it by far more than rounding can move counts as one that does. Other objects than plain meshes move their triangles.
   */
  #isMissed(object: ThreeMesh, { ray, far }: Casting): boolean {
    if (!this.mesh || (object as MaybeSkinned).isSkinnedMesh || object.morphTargetInfluences) return false;
    if (!this.#bounds) {
      const { min, max } = this.mesh.bounds;
      const half = new Vector3(...max).sub(new Vector3(...min)).multiplyScalar(0.5);
      this.#bounds = { half, center: half.clone().add(new Vector3(...min)) };
    }
    const { half } = this.#bounds;
    const { elements: e } = object.matrixWorld;
    // The radius reaches the farthest of four corners; the other four lie opposite.
    let squared = 0;
    for (let i = 0; i < 4; i++) {
      const [y, z] = [i & 1 ? half.y : -half.y, i & 2 ? half.z : -half.z];
      const row = (k: number): number => e[k]! * half.x + e[k + 4]! * y + e[k + 8]! * z;
      squared = Math.max(squared, row(0) ** 2 + row(1) ** 2 + row(2) ** 2);
    }
    const center = corner.copy(this.#bounds.center).applyMatrix4(object.matrixWorld);
    const size = center.lengthSq() + ray.origin.lengthSq() + squared + e[12]! ** 2 + e[13]! ** 2 + e[14]! ** 2;
    const limit = squared * (1 + 1e-9) + size * 1e-12;
    const way = center.sub(ray.origin);
    const [along, distance] = [way.dot(ray.direction), way.lengthSq()];
    // Outside of the sphere: behind it, beside it, or before it.
    if (!(distance > limit)) return false;
    if (along < 0 || distance - along ** 2 / ray.direction.lengthSq() > limit) return true;
    return Math.sqrt(distance) - Math.sqrt(limit) > far;
  }

  #castLocally(ray: Ray, material: Sides, casting: Casting): LocalIntersection[] {
    const sided = (of: Side | { side: Side }): Material => ({ side: sideOf(of) }) as Material;
    const list = Array.isArray(material) ? material.map(sided) : sided(material as Side | { side: Side });
    const found: Intersection[] = [];
    scratch.geometry = this.geometry;
    scratch.material = list;
    scratch.matrixWorld.identity();
    try {
      this.#cast(scratch, list, casting, ray, found);
    } finally {
      scratch.geometry = EMPTY;
    }
    // Written out: an object of which a property is deleted is slow to read.
    return found.map(({ distance, point, face, faceIndex, barycoord, uv, uv1, normal }) => {
      const local = { distance, point, face, faceIndex, barycoord } as LocalIntersection;
      if (uv) local.uv = uv;
      if (uv1) local.uv1 = uv1;
      if (normal) local.normal = normal;
      return local;
    });
  }

  #cast(object: ThreeMesh, material: Material | Material[], casting: Casting, ray: Ray, out: Intersection[]): void {
    const { geometry } = object;
    // Bones and morph targets move triangles away from the tree.
    const moves = (object as MaybeSkinned).isSkinnedMesh || (geometry.morphAttributes["position"] && object.morphTargetInfluences);
    const accepting = moves ? null : acceptance(geometry, material as Sides);
    if (!accepting) return scanAll(object, casting, ray, out);
    const { mesh } = this;
    if (!mesh) return;
    // A step of the ray in the space of the geometry, as a length of the world. Ranges are closed, and compared later.
    const unit = lengthOf(ray.direction, object.matrixWorld);
    const least = Math.max(0, (casting.near / unit) * (1 - ROOM) || 0);
    const most = (casting.far / unit) * (1 + ROOM);
    const cast: TriangleCast = { bvh: this, object, casting, ray, accepting, out };
    if (casting.firstHitOnly === true) {
      if (mesh.castNumbers("cast", ray, least, most, accepting.flags) === 0) return;
      // The first hit of all may be of a group that does not count its side, or just before `near`: then all are looked at.
      if (push(cast, mesh.engine.record, 0) > 0) return;
      const count = mesh.castNumbers("cast_all", ray, least, most, accepting.flags | EACH);
      const list = mesh.engine.list(count * HIT);
      for (let at = 0; at < list.length; at += HIT) if (push(cast, list, at) > 0) return;
      return;
    }
    const count = mesh.castNumbers("cast_all", ray, least, most, accepting.flags | EACH);
    const list = mesh.engine.list(count * HIT);
    // In the order of triangles, as three.js has them before it sorts by distance.
    const order = Array.from({ length: count }, (_, i) => i * HIT).sort((a, b) => list[a + TRIANGLE]! - list[b + TRIANGLE]!);
    for (const at of order) push(cast, list, at);
  }
}

const EMPTY = scratch.geometry;

/** The length of an image of a direction. */
function lengthOf(direction: Vector3, { elements: e }: Matrix4): number {
  const { x, y, z } = direction;
  const row = (i: number): number => e[i]! * x + e[i + 4]! * y + e[i + 8]! * z;
  return Math.sqrt(row(0) ** 2 + row(1) ** 2 + row(2) ** 2);
}

/**
 * The intersections of all triangles, as three.js has them; of them the first one, if that is asked for. Triangles of which a corner
 * is no number are left out, which three.js r187 lists with a distance that is no number.
 */
function scanAll(object: ThreeMesh, casting: Casting, ray: Ray, out: Intersection[]): void {
  const all: Intersection[] = [];
  scan.call(object, casting, all, ray);
  const found = all.filter(({ distance }) => !Number.isNaN(distance));
  if (casting.firstHitOnly === true) found.sort((a, b) => a.distance - b.distance).splice(1);
  out.push(...found);
}

/** A cast at single triangles, and where its intersections go. */
interface TriangleCast {
  bvh: HitscanBVH;
  object: ThreeMesh;
  casting: Casting;
  ray: Ray;
  accepting: Accepting;
  out: Intersection[];
}

/** Places of numbers in a hit of the module: the point, `u` and `v`, the triangle, and the front. */
const POINT = 2;
const UV = 8;
const TRIANGLE = 10;
const FRONT = 11;

/** The draw range of one triangle. */
const single = { start: 0, count: 3 };

/** Pushes the intersections of a hit, one or one for each group; returns how many. Of the first hit alone there is one at most. */
function push(cast: TriangleCast, hit: Float64Array, at: number): number {
  const { object, casting, ray, accepting, out } = cast;
  const { geometry } = object;
  const triangle = cast.bvh.resolveTriangleIndex(hit[at + TRIANGLE]!);
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

/** What the functions below add to a geometry. */
interface WithTree {
  boundsTree?: Tree | null;
}

/** A tree of this package, or one of another. */
interface Tree {
  raycastObject3D(object: Object3D, raycaster: Raycaster, intersects: Intersection[]): unknown;
  dispose?(): void;
}

/** What the functions below read of a batched mesh. */
interface Batched {
  boundsTrees?: (HitscanBVH | null)[] | null;
  _geometryInfo: (Range & { active?: boolean })[];
  _instanceInfo: { active?: boolean; geometryIndex: number }[];
}

/**
 * `Mesh.raycast` by the tree of the geometry, if it has one. The raycaster returns the first hit alone if it has
 * `firstHitOnly = true`.
 *
 * ```js
 * Mesh.prototype.raycast = acceleratedRaycast;
 * ```
 */
export function acceleratedRaycast(this: ThreeMesh, raycaster: Raycaster, intersects: Intersection[]): void {
  if ("isBatchedMesh" in this) return raycastBatched(this as unknown as BatchedMesh, raycaster, intersects);
  const tree = (this.geometry as WithTree).boundsTree;
  // Without a tree, what the class of the object had.
  const original = "isInstancedMesh" in this ? instancedRaycast : meshRaycast;
  if (!tree) original.call(this, raycaster, intersects);
  else if ("isInstancedMesh" in this) raycastInstanced(this as InstancedMesh, raycaster, intersects, tree);
  else tree.raycastObject3D(this, raycaster, intersects);
}

/** The raycast of an instanced mesh: each instance by the tree of the geometry. */
function raycastInstanced(object: InstancedMesh, raycaster: Raycaster, intersects: Intersection[], tree: Tree): void {
  scratch.geometry = object.geometry;
  scratch.material = object.material;
  try {
    for (let instanceId = 0; instanceId < object.count; instanceId++) {
      object.getMatrixAt(instanceId, instanceMatrix);
      scratch.matrixWorld.multiplyMatrices(object.matrixWorld, instanceMatrix);
      const found: Intersection[] = [];
      tree.raycastObject3D(scratch, raycaster, found);
      for (const intersection of found) intersects.push(Object.assign(intersection, { object, instanceId }));
    }
  } finally {
    scratch.geometry = EMPTY;
  }
}

/** The raycast of a batched mesh: each visible instance by the tree of its geometry, or as three.js casts it. */
function raycastBatched(object: BatchedMesh, raycaster: Raycaster, intersects: Intersection[]): void {
  const { boundsTrees, _geometryInfo, _instanceInfo } = object as unknown as Batched;
  const { geometry } = object;
  const range = geometry.drawRange;
  scratch.geometry = geometry;
  scratch.material = object.material;
  try {
    _instanceInfo.forEach(({ active, geometryIndex }, instance) => {
      if (active === false || !object.getVisibleAt(instance)) return;
      object.getMatrixAt(instance, scratch.matrixWorld).premultiply(object.matrixWorld);
      const found: Intersection[] = [];
      const { start, count } = _geometryInfo[geometryIndex]!;
      geometry.drawRange = { start, count };
      const tree = boundsTrees?.[geometryIndex];
      if (tree) {
        tree.raycastObject3D(scratch, raycaster, found);
      } else {
        inverse.copy(scratch.matrixWorld).invert();
        scanAll(scratch, raycaster as Casting, localRay.copy(raycaster.ray).applyMatrix4(inverse), found);
      }
      for (const intersection of found) intersects.push(Object.assign(intersection, { object, batchId: instance }));
    });
  } finally {
    geometry.drawRange = range;
    scratch.geometry = EMPTY;
  }
}

/**
 * Builds the tree of a geometry, as its `boundsTree`.
 *
 * ```js
 * BufferGeometry.prototype.computeBoundsTree = computeBoundsTree;
 * ```
 */
export function computeBoundsTree(this: BufferGeometry, options: HitscanBVHOptions & Record<string, unknown> = {}): HitscanBVH {
  const tree = new HitscanBVH(this, options);
  (this as WithTree).boundsTree = tree;
  return tree;
}

/** Frees the tree of a geometry. */
export function disposeBoundsTree(this: BufferGeometry): void {
  (this as WithTree).boundsTree?.dispose?.();
  (this as WithTree).boundsTree = null;
}

/** Builds the trees of all geometries of a batched mesh, or of the one of a number, as its `boundsTrees`. */
export function computeBatchedBoundsTree(
  this: BatchedMesh,
  geometryId = -1,
  options: HitscanBVHOptions & Record<string, unknown> = {},
): HitscanBVH | (HitscanBVH | null)[] | null {
  const batched = this as unknown as Batched;
  const trees = (batched.boundsTrees ??= []);
  const buildOne = ({ start, count, active }: Range & { active?: boolean }, id: number): void => {
    trees[id]?.dispose();
    const range = { start, count };
    trees[id] = active === false ? null : new HitscanBVH(this.geometry, { ...options, range });
  };
  if (geometryId < 0) {
    batched._geometryInfo.forEach(buildOne);
    return trees;
  }
  const info = batched._geometryInfo[geometryId];
  if (info) buildOne(info, geometryId);
  return trees[geometryId] ?? null;
}

/** Frees the trees of all geometries of a batched mesh, or that of the one of a number. */
export function disposeBatchedBoundsTree(this: BatchedMesh, geometryId = -1): void {
  const { boundsTrees } = this as unknown as Batched;
  boundsTrees?.forEach((tree, id) => {
    if (geometryId >= 0 && geometryId !== id) return;
    tree?.dispose();
    boundsTrees[id] = null;
  });
}

/**
 * Makes all meshes below an object use trees, which are built where they are missing: without changes of prototypes.
 *
 * ```js
 * await init();
 * accelerate(scene);
 * ```
 */
export function accelerate(root: Object3D, options: HitscanBVHOptions = {}): void {
  if (!root?.isObject3D) throw badArgument("root", "must be an Object3D");
  root.traverse((object) => {
    const mesh = object as ThreeMesh;
    if (!mesh.isMesh || "isSkinnedMesh" in mesh || "isBatchedMesh" in mesh) return;
    if (!(mesh.geometry as WithTree).boundsTree) computeBoundsTree.call(mesh.geometry, options as Record<string, unknown>);
    mesh.raycast = acceleratedRaycast;
  });
}

export { HitscanError };
