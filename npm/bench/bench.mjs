// hitscan beside three-mesh-bvh at its best strategy, in one process: ratios of times, and the wrong answers beside them.
//
//   npm run bench [TRIANGLES] [ROUNDS]
//
// Times of machines differ: read the ratios. Each figure is the median of the rounds, in which the candidates take turns.

import * as THREE from "three";
import { MeshBVH, SAH } from "three-mesh-bvh";
import { init } from "hitscan/full";
import { HitscanBVH } from "hitscan/three";

const [triangles = 200_000, rounds = 5] = process.argv.slice(2).map(Number);
const RAYS = 20_000;
const POINTS = 4_000;

/** Numbers of a generator that is the same on every machine. */
let state = 1;
const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) | 0), (state >>> 0) / 4294967296);

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

/** Median milliseconds of each candidate. */
function times(candidates) {
  const all = candidates.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    candidates.forEach(([, run], i) => {
      const start = performance.now();
      run();
      // The first round compiles.
      if (round > 0) all[i].push(performance.now() - start);
    });
  }
  return all.map(median);
}

/** Prints a table whose last candidate is the one that the others are compared with. */
function table(title, candidates) {
  const found = times(candidates);
  const other = found.at(-1);
  console.log(`\n${title}`);
  candidates.forEach(([name], i) => {
    console.log(`  ${name.padEnd(44)} ${found[i].toFixed(1).padStart(9)} ms   ${(other / found[i]).toFixed(2).padStart(5)} x`);
  });
}

/** Rays from around a geometry to points of its box. */
function raysAt(box, count) {
  const [size, center] = [box.getSize(new THREE.Vector3()), box.getCenter(new THREE.Vector3())];
  const point = (scale) =>
    new THREE.Vector3((random() - 0.5) * size.x * scale, (random() - 0.5) * size.y * scale, (random() - 0.5) * size.z * scale).add(center);
  return Array.from({ length: count }, () => {
    const origin = point(3);
    return new THREE.Ray(origin, point(1).sub(origin).normalize());
  });
}

/** Rays from inside a closed box at edges and corners, of which none may leave it. */
function leaks(hs) {
  const geometry = new THREE.BoxGeometry(1, 2, 3, 20, 20, 20);
  geometry.rotateX(0.3).rotateY(0.7).rotateZ(1.1).translate(0.1, 0.2, 0.3);
  const { index, attributes } = geometry;
  const corner = (at) => new THREE.Vector3().fromBufferAttribute(attributes.position, index.getX(at));
  const stock = new MeshBVH(geometry, { indirect: true });
  const tree = new HitscanBVH(geometry);
  const single = hs.mesh(attributes.position.array, index.array, { precision: "f32" });
  console.log(`\nrays that leave a closed box of ${index.count / 3} triangles, of ${RAYS}`);
  for (const [name, part] of [["at edges", () => random()], ["at corners", () => 0]]) {
    const lost = { "three-mesh-bvh": 0, "hitscan, f64": 0, "hitscan, f32": 0 };
    for (let i = 0; i < RAYS; i++) {
      const at = 3 * Math.floor((random() * index.count) / 3);
      const target = corner(at).lerp(corner(at + 1), part());
      const origin = new THREE.Vector3(0.1 + (random() - 0.5) / 2, 0.2 + (random() - 0.5) / 2, 0.3 + (random() - 0.5) / 2);
      const ray = new THREE.Ray(origin, target.sub(origin).normalize());
      if (!stock.raycastFirst(ray, THREE.DoubleSide)) lost["three-mesh-bvh"]++;
      if (!tree.raycastFirst(ray, THREE.DoubleSide)) lost["hitscan, f64"]++;
      if (!single.cast(ray.origin, ray.direction)) lost["hitscan, f32"]++;
    }
    console.log(`  ${name}: ${Object.entries(lost).map(([who, count]) => `${who} ${count}`).join(", ")}`);
  }
}

const hs = await init();
const tubular = Math.round(Math.sqrt(triangles * 4));
const geometry = new THREE.TorusKnotGeometry(1, 0.4, tubular, Math.round(triangles / 2 / tubular));
geometry.computeBoundingBox();
const [positions, index] = [geometry.attributes.position.array, geometry.index.array];
console.log(`torus knot of ${index.length / 3} triangles; ${rounds} rounds; ratios are how many times as fast as the last line`);

const builds = [];
table("build", [
  ["hitscan f64", () => builds.push(hs.mesh(positions, index))],
  ["hitscan f32", () => builds.push(hs.mesh(positions, index, { precision: "f32" }))],
  ["three-mesh-bvh SAH", () => new MeshBVH(geometry.clone(), { strategy: SAH })],
  ["three-mesh-bvh CENTER, its default", () => new MeshBVH(geometry.clone())],
]);
builds.forEach((mesh) => mesh.dispose());

const [double, single] = ["f64", "f32"].map((precision) => hs.mesh(positions, index, { precision }));
const stock = new MeshBVH(geometry, { strategy: SAH });
// The tree above has sorted the index of the geometry: ours comes after it.
const tree = new HitscanBVH(geometry);
console.log(`\nbytes of the tree: hitscan ${double.treeBytes}, three-mesh-bvh ${stock._roots.reduce((sum, root) => sum + root.byteLength, 0)}`);

const rays = raysAt(geometry.boundingBox, RAYS);
const buffers = Object.fromEntries(
  ["f32", "f64"].map((precision) => {
    const [batch, hits, mask] = [hs.rays(RAYS, precision), hs.hits(RAYS, precision), hs.mask(RAYS)];
    rays.forEach(({ origin, direction }, i) => {
      batch.origins.set(origin.toArray(), 3 * i);
      batch.directions.set(direction.toArray(), 3 * i);
    });
    return [precision, { batch, hits, mask }];
  }),
);
const each = (call) => () => rays.forEach(call);
table(`first hit of ${RAYS} rays`, [
  ["hitscan f64 cast", each(({ origin, direction }) => double.cast(origin, direction))],
  ["hitscan f32 cast", each(({ origin, direction }) => single.cast(origin, direction))],
  ["hitscan f64 castBatch", () => double.castBatch(buffers.f64.batch, buffers.f64.hits)],
  ["hitscan f32 castBatch", () => single.castBatch(buffers.f32.batch, buffers.f32.hits)],
  ["hitscan/three raycastFirst", each((ray) => tree.raycastFirst(ray, THREE.DoubleSide))],
  ["three-mesh-bvh raycastFirst", each((ray) => stock.raycastFirst(ray, THREE.DoubleSide))],
]);
const raycaster = new THREE.Raycaster();
raycaster.firstHitOnly = true;
const object = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
const castAt = (bvh) => (ray) => {
  raycaster.ray.copy(ray);
  return bvh.raycastObject3D(object, raycaster, []);
};
table(`first hit of ${RAYS} rays of a Raycaster`, [
  ["hitscan/three raycastObject3D", each(castAt(tree))],
  ["three-mesh-bvh raycastObject3D", each(castAt(stock))],
]);
table(`any hit of ${RAYS} rays`, [
  ["hitscan f64 occluded", each(({ origin, direction }) => double.occluded(origin, direction))],
  ["hitscan f32 occluded", each(({ origin, direction }) => single.occluded(origin, direction))],
  ["hitscan f64 occludedBatch", () => double.occludedBatch(buffers.f64.batch, buffers.f64.mask)],
  ["three-mesh-bvh raycastFirst", each((ray) => stock.raycastFirst(ray, THREE.DoubleSide))],
]);
table(`all hits of ${RAYS} rays`, [
  ["hitscan f64 castAll", each(({ origin, direction }) => double.castAll(origin, direction))],
  ["hitscan/three raycast", each((ray) => tree.raycast(ray, THREE.DoubleSide))],
  ["three-mesh-bvh raycast", each((ray) => stock.raycast(ray, THREE.DoubleSide))],
]);
const points = rays.slice(0, POINTS).map(({ origin }) => origin);
table(`closest point of ${POINTS} points`, [
  ["hitscan f64 closestPoint", () => points.forEach((point) => double.closestPoint(point))],
  ["hitscan f32 closestPoint", () => points.forEach((point) => single.closestPoint(point))],
  ["three-mesh-bvh closestPointToPoint", () => points.forEach((point) => stock.closestPointToPoint(point, {}))],
]);
table("refit", [
  ["hitscan f64 refit", () => double.refit(positions)],
  ["three-mesh-bvh refit", () => stock.refit()],
]);

let [same, equal] = [0, 0];
for (const ray of rays) {
  const [ours, theirs] = [tree, stock].map((bvh) => bvh.raycastFirst(ray, THREE.DoubleSide));
  if ((ours === null) === (theirs === null)) same++;
  if (ours?.distance === theirs?.distance) equal++;
}
console.log(`\nof ${RAYS} first hits ${same} agree on hit or miss, ${equal} have the same distance in all digits`);
leaks(hs);
