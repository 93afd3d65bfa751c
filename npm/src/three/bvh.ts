/** `HitscanBVH`: a tree for a geometry of three.js. */
import {
  type Box3,
  type BufferGeometry,
  FrontSide,
  type Intersection,
  type Material,
  type Matrix4,
  type Mesh as ThreeMesh,
  type Object3D,
  type Ray,
  type Raycaster,
  type Sphere,
  Vector3,
} from "three";
import { flagsOf } from "../arguments.js";
import { badArgument } from "../errors.js";
import { engine } from "../load.js";
import { HIT, type Mesh } from "../mesh.js";
import { acceptance, sideOf, type Sided, type Sides } from "./acceptance.js";
import { build, type GeometryMesh, type HitscanBVHOptions, positionsOf } from "./geometry.js";
import { type Casting, push, scanAll, TRIANGLE, type TriangleCast } from "./intersections.js";
import { EMPTY, inverse, localRay, scratch } from "./scratch.js";

/** A tree that was saved: its parts can be stored, and sent to a worker. */
export interface SerializedHitscanBVH {
  version: 1;
  /** The mesh; null for one without triangles. */
  mesh: Uint8Array | null;
  /** The number of each triangle of the mesh in the geometry. */
  triangles: GeometryMesh["triangles"];
}

/** An intersection in the space of the geometry. */
export type LocalIntersection = Omit<Intersection, "object">;

/** The closest point of a geometry. */
export interface HitPointInfo {
  point: Vector3;
  distance: number;
  faceIndex: number;
}

/** The flag of a list that has each triangle at a shared edge. */
const EACH = flagsOf({ sharedEdges: "each" });

/** Room for rounding at the ends of a range, which three.js compares as a distance in the world. */
const ROOM = 1e-9;

const corner = new Vector3();

/** A mesh, which may have bones. */
type MaybeSkinned = ThreeMesh & { isSkinnedMesh?: boolean };

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
  triangles: GeometryMesh["triangles"];
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
    const sided = (of: Sided): Material => ({ side: sideOf(of) }) as Material;
    const list = Array.isArray(material) ? material.map(sided) : sided(material as Sided);
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
    const cast: TriangleCast = { numberOf: (triangle) => this.resolveTriangleIndex(triangle), object, casting, ray, accepting, out };
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

/** The length of an image of a direction. */
function lengthOf(direction: Vector3, { elements: e }: Matrix4): number {
  const { x, y, z } = direction;
  const row = (i: number): number => e[i]! * x + e[i + 4]! * y + e[i + 8]! * z;
  return Math.sqrt(row(0) ** 2 + row(1) ** 2 + row(2) ** 2);
}
