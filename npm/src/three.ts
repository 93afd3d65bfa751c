/** The entry for three.js: a tree for its geometries, and raycasts by it. */
import {
  type BatchedMesh,
  type BufferGeometry,
  InstancedMesh,
  type Intersection,
  Matrix4,
  Mesh as ThreeMesh,
  type Object3D,
  type Raycaster,
} from "three";
import { badArgument, HitscanError } from "./errors.js";
import { HitscanBVH } from "./three/bvh.js";
import type { HitscanBVHOptions, Range } from "./three/geometry.js";
import { type Casting, scanAll } from "./three/intersections.js";
import { EMPTY, inverse, localRay, scratch } from "./three/scratch.js";

const { raycast: meshRaycast } = ThreeMesh.prototype;
const { raycast: instancedRaycast } = InstancedMesh.prototype;
const instanceMatrix = new Matrix4();

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

export type { HitPointInfo, LocalIntersection, SerializedHitscanBVH } from "./three/bvh.js";
export type { HitscanBVHOptions, Range } from "./three/geometry.js";
export { HitscanBVH, HitscanError };
