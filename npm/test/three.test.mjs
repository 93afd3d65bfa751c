// The adapter for three.js beside three.js itself: equal objects, field by field.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import * as bvh from "three-mesh-bvh";
import { HitscanError, init } from "hitscan/full";
import * as adapter from "hitscan/three";

const { HitscanBVH, accelerate, acceleratedRaycast } = adapter;

test("without an engine, the error says what to do", () => {
  const geometry = new THREE.BoxGeometry();
  assert.throws(() => new HitscanBVH(geometry), (error) => error instanceof HitscanError && error.code === "not-ready");
});

/** Numbers of a generator that is the same on every machine. */
let state = 12345;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return (state >>> 0) / 4294967296;
}
const between = (a, b) => a + (b - a) * random();
const pick = (list) => list[Math.floor(random() * list.length)];
const chance = (part) => random() < part;

/** Attributes of every kind that three.js reads. */
function attribute(numbers, width) {
  switch (Math.floor(random() * 5)) {
    case 0: {
      const stride = width + 2;
      const data = new Float32Array((numbers.length / width) * stride);
      numbers.forEach((x, i) => (data[Math.floor(i / width) * stride + (i % width) + 1] = x));
      return new THREE.InterleavedBufferAttribute(new THREE.InterleavedBuffer(data, stride), width, 1);
    }
    case 1:
      return new THREE.BufferAttribute(Int16Array.from(numbers, (x) => Math.round(x * 8000)), width, true);
    case 2:
      return new THREE.BufferAttribute(Int8Array.from(numbers, (x) => Math.round(x * 30)), width, false);
    case 3:
      return new THREE.BufferAttribute(Float64Array.from(numbers), width);
    default:
      return new THREE.BufferAttribute(Float32Array.from(numbers), width);
  }
}

function geometryOf(onGrid) {
  const [vertices, triangles] = [6 + Math.floor(random() * 20), 4 + Math.floor(random() * 40)];
  const number = () => (onGrid ? Math.round(between(-2, 2)) : between(-2, 2));
  const list = (count) => Array.from({ length: count }, number);
  const geometry = new THREE.BufferGeometry();
  const isIndexed = chance(0.6);
  const count = isIndexed ? vertices : 3 * triangles;
  geometry.setAttribute("position", attribute(list(3 * count), 3));
  if (chance(0.5)) geometry.setAttribute("uv", attribute(list(2 * count), 2));
  if (chance(0.3)) geometry.setAttribute("uv1", attribute(list(2 * count), 2));
  if (chance(0.5)) geometry.setAttribute("normal", attribute(list(3 * count), 3));
  if (isIndexed) geometry.setIndex(Array.from({ length: 3 * triangles }, () => Math.floor(random() * vertices)));
  if (chance(0.3)) geometry.setDrawRange(3 * Math.floor(random() * 3), 3 * Math.ceil(random() * triangles));
  // In the middle of triangles: the loop of three.js then sees others.
  if (chance(0.03)) geometry.setDrawRange(1, 3 * triangles);
  for (let start = 0; start < triangles; ) {
    const length = 1 + Math.floor(random() * 8);
    // Gaps, and groups that overlap.
    if (chance(0.8)) geometry.addGroup(3 * start, 3 * Math.min(length + (chance(0.1) ? 2 : 0), triangles - start), Math.floor(random() * 3));
    start += length;
  }
  return geometry;
}

function meshOf(onGrid) {
  const material = () => new THREE.MeshBasicMaterial({ side: pick([THREE.FrontSide, THREE.BackSide, THREE.DoubleSide]) });
  const mesh = new THREE.Mesh(geometryOf(onGrid), chance(0.4) ? [material(), material(), material()] : material());
  if (!onGrid || chance(0.5)) {
    mesh.position.set(between(-3, 3), between(-3, 3), between(-3, 3));
    mesh.rotation.set(between(-3, 3), between(-3, 3), between(-3, 3));
  }
  const scale = () => pick([1, 1, 2, -1, 0.25, -3]);
  if (chance(0.6)) mesh.scale.set(scale(), scale(), scale());
  mesh.updateMatrixWorld(true);
  return mesh;
}

const sorted = (list) => list.sort((a, b) => a.distance - b.distance);
const keyOf = ({ faceIndex, face, instanceId, batchId }) => `${instanceId} ${batchId} ${faceIndex} ${face.materialIndex}`;

/** Whether a hit lies at an edge of its triangle, where rounding may decide in three.js; or at an end of the range. */
function isAtEdge({ barycoord, distance }, { near, far }) {
  const { x, y, z } = barycoord;
  const isNear = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
  return Math.min(x, y, z) < 1e-7 || Number.isNaN(x) || isNear(distance, near) || isNear(distance, far);
}

test("100,000 rays at random meshes have the intersections of three.js", () => init().then(() => {
  const raycaster = new THREE.Raycaster();
  const [own, tree] = [THREE.Mesh.prototype.raycast, acceleratedRaycast];
  const seen = { rays: 0, hits: 0, equal: 0, lost: 0, extra: 0, first: 0 };
  for (let round = 0; seen.rays < 100_000; round++) {
    const onGrid = round % 3 === 0;
    const mesh = meshOf(onGrid);
    const { geometry } = mesh;
    geometry.boundsTree = new HitscanBVH(geometry);
    for (let i = 0; i < 200; i++, seen.rays++) {
      const number = () => (onGrid ? Math.round(between(-8, 8)) / 2 : between(-6, 6));
      raycaster.ray.origin.set(number(), number(), number());
      raycaster.ray.direction.set(number(), number(), number());
      if (!onGrid) raycaster.ray.direction.multiplyScalar(0.2).applyMatrix4(mesh.matrixWorld);
      raycaster.ray.direction.sub(raycaster.ray.origin);
      if (raycaster.ray.direction.lengthSq() === 0) raycaster.ray.direction.set(0, 0, 1);
      raycaster.ray.direction.normalize();
      raycaster.near = chance(0.2) ? between(0, 4) : 0;
      raycaster.far = chance(0.2) ? between(2, 8) : Infinity;
      const [theirs, ours, first] = [[], [], []];
      own.call(mesh, raycaster, theirs);
      // A draw range that begins in a triangle ends in one, too: that has a corner which is no number, and a distance as well.
      theirs.splice(0, Infinity, ...theirs.filter(({ distance }) => !Number.isNaN(distance)));
      raycaster.firstHitOnly = false;
      tree.call(mesh, raycaster, ours);
      raycaster.firstHitOnly = true;
      tree.call(mesh, raycaster, first);
      sorted(theirs);
      sorted(ours);
      seen.hits += theirs.length;
      // Lists are equal objects in the same order, or differ at edges only.
      const ourKeys = new Map(ours.map((hit) => [keyOf(hit), hit]));
      const theirKeys = new Map(theirs.map((hit) => [keyOf(hit), hit]));
      for (const hit of theirs) {
        const mine = ourKeys.get(keyOf(hit));
        if (mine) {
          assert.deepEqual(mine, hit);
          seen.equal++;
        } else {
          assert.ok(isAtEdge(hit, raycaster), `${seen.rays}: three.js alone has ${JSON.stringify({ ...hit, object: 0 })}`);
          seen.extra++;
        }
      }
      for (const hit of ours) {
        if (theirKeys.has(keyOf(hit))) continue;
        assert.ok(isAtEdge(hit, raycaster), `${seen.rays}: hitscan alone has ${JSON.stringify({ ...hit, object: 0 })}`);
        seen.lost++;
      }
      if (ours.length === theirs.length && ours.every((hit, i) => keyOf(hit) === keyOf(theirs[i]))) {
        assert.ok(first.length === Math.min(1, ours.length));
        if (first.length === 0) continue;
        // Of equal distances either may be first.
        if (keyOf(first[0]) === keyOf(ours[0])) assert.deepEqual(first[0], ours[0]);
        else assert.ok(Math.abs(first[0].distance - ours[0].distance) <= 1e-12 * Math.max(1, ours[0].distance));
        seen.first++;
      }
    }
    geometry.boundsTree.dispose();
  }
  // Of grids, and of ranges that end at a triangle: few differ, and hitscan has more of these.
  assert.ok(seen.equal > 80_000 && seen.first > 30_000 && seen.lost + seen.extra < 200, JSON.stringify(seen));
}));

test("local rays, closest points and spheres have the answers of a search over all triangles", async () => {
  await init();
  const [triangle, found] = [new THREE.Triangle(), new THREE.Vector3()];
  const boxes = [0, 0];
  for (let round = 0; round < 60; round++) {
    const geometry = geometryOf(false);
    geometry.setDrawRange(0, Infinity);
    geometry.clearGroups();
    const tree = new HitscanBVH(geometry);
    const stock = new bvh.MeshBVH(geometry.clone(), { indirect: true });
    const box = new THREE.Box3();
    const others = stock.getBoundingBox(new THREE.Box3());
    // The other box is rounded outward to `f32`.
    assert.ok(others.expandByScalar(1e-5).containsBox(tree.getBoundingBox(box)) && !box.isEmpty());
    for (let i = 0; i < 20; i++) {
      const point = new THREE.Vector3(between(-3, 3), between(-3, 3), between(-3, 3));
      let least = Infinity;
      const { position } = geometry.attributes;
      const count = geometry.index ? geometry.index.count : position.count;
      for (let at = 0; at < count; at += 3) {
        const corner = (k) => (geometry.index ? geometry.index.getX(at + k) : at + k);
        triangle.setFromAttributeAndIndices(position, corner(0), corner(1), corner(2));
        triangle.closestPointToPoint(point, found);
        if (found.distanceTo(point) < least) least = found.distanceTo(point);
      }
      const closest = tree.closestPointToPoint(point);
      assert.ok(Math.abs(closest.distance - least) <= 1e-12 * Math.max(1, least), `${closest.distance} ${least}`);
      assert.ok(Math.abs(closest.point.distanceTo(point) - least) <= 1e-12 * Math.max(1, least));
      assert.equal(tree.closestPointToPoint(point, {}, 0, least / 2), null);
      const target = { point: new THREE.Vector3() };
      assert.equal(tree.closestPointToPoint(point, target), target);
      for (const factor of [0.9, 1.1]) {
        assert.equal(tree.intersectsSphere(new THREE.Sphere(point, least * factor)), factor > 1);
      }
      const turned = new THREE.Matrix4().makeRotationFromEuler(new THREE.Euler(point.x, point.y, point.z)).setPosition(point);
      const part = new THREE.Box3(new THREE.Vector3(-random(), -0.2, -random()), new THREE.Vector3(random(), 0.1, random()));
      assert.equal(tree.intersectsBox(part, turned), stock.intersectsBox(part, turned));
      boxes[Number(tree.intersectsBox(part, turned))]++;
      const ray = new THREE.Ray(point, new THREE.Vector3(between(-1, 1), between(-1, 1), between(-1, 1)).normalize());
      for (const side of [THREE.FrontSide, THREE.BackSide, THREE.DoubleSide, new THREE.MeshBasicMaterial()]) {
        const list = (hits) =>
          hits.map(({ distance, faceIndex }) => [distance, faceIndex]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        assert.deepEqual(list(tree.raycast(ray, side)), list(stock.raycast(ray, side)));
        const [mine, theirs] = [tree.raycastFirst(ray, side, 0.5, 3), stock.raycastFirst(ray, side, 0.5, 3)];
        assert.equal(mine === null, theirs === null);
        // Triangles that share an edge or lie on each other may be first at the same distance.
        if (mine) assert.ok(Math.abs(mine.distance - theirs.distance) <= 1e-12);
        if (mine) assert.equal("object" in mine, false);
      }
    }
    tree.dispose();
  }
  assert.ok(Math.min(...boxes) > 50, boxes.join());
});

/** Intersections of a scene by a way of casting. */
function cast(object, raycaster, firstHitOnly = false) {
  raycaster.firstHitOnly = firstHitOnly;
  return raycaster.intersectObject(object);
}

test("the hook of three-mesh-bvh takes the tree", async () => {
  await init();
  const geometry = new THREE.TorusKnotGeometry(1, 0.3, 60, 12);
  const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
  const raycaster = new THREE.Raycaster(new THREE.Vector3(0.5, 0.8, 5), new THREE.Vector3(0, 0, -1));
  const expected = cast(mesh, raycaster);
  const tree = bvh.computeBoundsTree.call(geometry, { type: HitscanBVH, maxLeafSize: 3 });
  assert.ok(tree instanceof HitscanBVH && geometry.boundsTree === tree && tree.indirect);
  mesh.raycast = bvh.acceleratedRaycast;
  assert.deepEqual(cast(mesh, raycaster), expected);
  assert.deepEqual(cast(mesh, raycaster, true), expected.slice(0, 1));
  assert.ok(expected.length > 1);
  // Its own tree by our functions.
  bvh.disposeBoundsTree.call(geometry);
  bvh.computeBoundsTree.call(geometry, { indirect: true });
  mesh.raycast = acceleratedRaycast;
  assert.deepEqual(cast(mesh, raycaster, true)[0].faceIndex, expected[0].faceIndex);
  adapter.disposeBoundsTree.call(geometry);
  assert.equal(geometry.boundsTree, null);
  assert.deepEqual(cast(mesh, raycaster), expected);
});

test("scenes, layers, instances and batches", async () => {
  await init();
  const make = () => {
    state = 99;
    const scene = new THREE.Scene();
    const geometry = new THREE.IcosahedronGeometry(1, 2);
    for (let i = 0; i < 10; i++) {
      const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: pick([0, 1, 2]) }));
      mesh.position.set(between(-3, 3), between(-3, 3), between(-3, 3));
      if (i % 3 === 0) mesh.layers.set(1);
      scene.add(mesh);
    }
    const instanced = new THREE.InstancedMesh(new THREE.BoxGeometry(), new THREE.MeshBasicMaterial(), 8);
    const batched = new THREE.BatchedMesh(8, 2000, 4000, new THREE.MeshBasicMaterial());
    const ids = [new THREE.SphereGeometry(0.5), new THREE.BoxGeometry()].map((part) => batched.addGeometry(part));
    for (let i = 0; i < 8; i++) {
      const at = new THREE.Matrix4().makeRotationY(i).setPosition(between(-3, 3), between(-3, 3), between(-3, 3));
      instanced.setMatrixAt(i, at);
      const id = batched.addInstance(ids[i % 2]);
      batched.setMatrixAt(id, at.setPosition(between(-3, 3), between(-3, 3), between(-3, 3)));
      if (i === 3) batched.setVisibleAt(id, false);
      if (i === 4) batched.deleteInstance(id);
    }
    scene.add(instanced, batched);
    scene.updateMatrixWorld(true);
    return { scene, instanced, batched };
  };
  const [plain, fast] = [make(), make()];
  accelerate(fast.scene);
  assert.equal(fast.scene.children[0].geometry.boundsTree, fast.scene.children[1].geometry.boundsTree);
  fast.batched.raycast = acceleratedRaycast;
  const raycaster = new THREE.Raycaster();
  const bare = ({ object, ...rest }) => ({ type: object.type, at: object.parent?.children.indexOf(object), ...rest });
  const counts = { mesh: 0, instance: 0, batch: 0 };
  for (const trees of ["none", "all", "one", "none"]) {
    if (trees === "all") {
      const list = adapter.computeBatchedBoundsTree.call(fast.batched);
      assert.equal(list.length, 2);
    } else if (trees === "one") {
      adapter.disposeBatchedBoundsTree.call(fast.batched, 0);
      assert.deepEqual(fast.batched.boundsTrees.map((tree) => tree === null), [true, false]);
      assert.ok(adapter.computeBatchedBoundsTree.call(fast.batched, 1) instanceof HitscanBVH);
    } else if (fast.batched.boundsTrees) {
      adapter.disposeBatchedBoundsTree.call(fast.batched);
    }
    for (let i = 0; i < 300; i++) {
      raycaster.set(
        new THREE.Vector3(between(-6, 6), between(-6, 6), 8),
        new THREE.Vector3(between(-0.4, 0.4), between(-0.4, 0.4), -1).normalize(),
      );
      raycaster.layers.set(i % 2);
      if (i % 5 === 0) raycaster.layers.enableAll();
      const [theirs, ours] = [plain, fast].map(({ scene }) => raycaster.intersectObject(scene).map(bare));
      assert.deepEqual(ours, theirs);
      for (const hit of ours) counts[hit.instanceId !== undefined ? "instance" : hit.batchId !== undefined ? "batch" : "mesh"]++;
    }
  }
  assert.ok(Object.values(counts).every((count) => count > 30), JSON.stringify(counts));
  assert.throws(() => accelerate({}), { code: "bad-argument" });
});

test("skinned and morphed meshes are cast as three.js casts them", async () => {
  await init();
  const raycaster = new THREE.Raycaster(new THREE.Vector3(0.1, 0.2, 5), new THREE.Vector3(0, 0, -1));
  // A morph target moves the box to the side.
  const morphing = new THREE.BoxGeometry();
  const moved = morphing.attributes.position.clone();
  for (let i = 0; i < moved.count; i++) moved.setX(i, moved.getX(i) + 3);
  morphing.morphAttributes.position = [moved];
  const skinned = new THREE.BoxGeometry();
  skinned.setAttribute("skinIndex", new THREE.BufferAttribute(new Uint16Array(4 * 24), 4));
  skinned.setAttribute("skinWeight", new THREE.BufferAttribute(new Float32Array(4 * 24).map((_, i) => Number(i % 4 === 0)), 4));
  const bone = new THREE.Bone();
  const [morphed, rigged] = [new THREE.Mesh(morphing), new THREE.SkinnedMesh(skinned)];
  rigged.add(bone);
  rigged.bind(new THREE.Skeleton([bone]));
  bone.position.x = 3;
  rigged.updateMatrixWorld(true);
  for (const [mesh, move] of [[morphed, () => (morphed.morphTargetInfluences[0] = 1)], [rigged, () => {}]]) {
    move();
    mesh.geometry.computeBoundingSphere();
    const expected = [0, 3].map((x) => (raycaster.ray.origin.setX(x + 0.1), cast(mesh, raycaster)));
    mesh.geometry.boundsTree = new HitscanBVH(mesh.geometry);
    mesh.raycast = acceleratedRaycast;
    const found = [0, 3].map((x) => (raycaster.ray.origin.setX(x + 0.1), cast(mesh, raycaster)));
    assert.deepEqual(found, expected);
    assert.equal(expected[1].length > 0, true);
    assert.equal(cast(mesh, raycaster, true).length, 1);
  }
});

test("empty geometries, and vertices that are no numbers", async () => {
  await init();
  const raycaster = new THREE.Raycaster(new THREE.Vector3(0.1, 0.2, 5), new THREE.Vector3(0, 0, -1));
  const empty = new THREE.BufferGeometry();
  empty.setAttribute("position", new THREE.BufferAttribute(new Float32Array(), 3));
  const broken = new THREE.BoxGeometry();
  broken.setIndex([0, 1, 2, 0, 1, 999]);
  broken.attributes.position.setXYZ(2, NaN, 0, 0);
  for (const geometry of [new THREE.BufferGeometry(), empty, broken]) {
    const tree = new HitscanBVH(geometry, { setBoundingBox: false });
    const mesh = new THREE.Mesh(geometry);
    geometry.boundsTree = tree;
    geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 9);
    mesh.raycast = acceleratedRaycast;
    assert.deepEqual([cast(mesh, raycaster), cast(mesh, raycaster, true)], [[], []]);
    assert.equal(tree.closestPointToPoint(new THREE.Vector3()), null);
    assert.equal(tree.intersectsSphere(new THREE.Sphere(new THREE.Vector3(), 5)), false);
    assert.equal(tree.intersectsBox(new THREE.Box3(new THREE.Vector3(), new THREE.Vector3(1, 1, 1)), new THREE.Matrix4()), false);
    assert.equal(tree.getBoundingBox(new THREE.Box3()).isEmpty(), true);
    tree.refit();
    assert.equal(HitscanBVH.deserialize(HitscanBVH.serialize(tree), geometry, { setBoundingBox: false }).mesh, null);
    tree.dispose();
  }
  // The other triangles keep their numbers, before and after they move.
  const part = new THREE.BoxGeometry();
  const expected = cast(new THREE.Mesh(part.clone(), new THREE.MeshBasicMaterial()), raycaster);
  part.attributes.position.setXYZ(0, NaN, 0, 0);
  const tree = new HitscanBVH(part, { setBoundingBox: false });
  const mesh = new THREE.Mesh(part, new THREE.MeshBasicMaterial());
  part.boundsTree = tree;
  part.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 9);
  mesh.raycast = acceleratedRaycast;
  assert.deepEqual(cast(mesh, raycaster).map(({ faceIndex, distance }) => [faceIndex, distance]), expected.map(({ faceIndex, distance }) => [faceIndex, distance]));
  const again = HitscanBVH.deserialize(HitscanBVH.serialize(tree), part, { setBoundingBox: false });
  part.boundsTree = again;
  assert.equal(cast(mesh, raycaster)[0].faceIndex, expected[0].faceIndex);
  part.attributes.position.setXYZ(0, 0.5, 0.5, 0.5);
  again.refit();
  assert.equal(again.mesh.triangleCount, 12);
  part.translate(0, 0, 1);
  again.refit();
  assert.equal(cast(mesh, raycaster)[0].distance, expected[0].distance - 1);
  assert.throws(() => HitscanBVH.deserialize({}, part), { code: "bad-argument" });
  assert.throws(() => new HitscanBVH({}), { code: "bad-argument" });
});

test("no ray leaves a closed box by its edges and corners", async () => {
  await init();
  const geometry = new THREE.BoxGeometry(1, 2, 3, 10, 10, 10);
  geometry.rotateX(0.3).rotateY(0.7).rotateZ(1.1).translate(0.1, 0.2, 0.3);
  const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
  geometry.boundsTree = new HitscanBVH(geometry);
  mesh.raycast = acceleratedRaycast;
  const { position } = geometry.attributes;
  const raycaster = new THREE.Raycaster();
  const target = new THREE.Vector3();
  const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
  for (let i = 0; i < 5000; i++) {
    const at = 3 * Math.floor(random() * (geometry.index.count / 3));
    a.fromBufferAttribute(position, geometry.index.getX(at));
    b.fromBufferAttribute(position, geometry.index.getX(at + 1));
    target.lerpVectors(a, b, i % 2 ? 0 : random());
    const origin = new THREE.Vector3(0.1 + between(-0.3, 0.3), 0.2 + between(-0.3, 0.3), 0.3 + between(-0.3, 0.3));
    raycaster.set(origin, target.sub(origin).normalize());
    assert.equal(cast(mesh, raycaster, true).length, 1);
    assert.ok(cast(mesh, raycaster).length >= 1);
  }
});
