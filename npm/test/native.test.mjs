// The module has the bits of the native library: the digests of `crates/hitscan-npm/tests/native.rs`, which has the same meshes and rays.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { init as initFull } from "hitscan/full";
import { compile } from "hitscan";

const RAYS = 2000;
const POINTS = 400;

class Random {
  constructor(state) {
    this.state = state | 0;
  }
  unit() {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) / 4294967296;
  }
  number(row) {
    const unit = this.unit();
    return row % 8 === 0 ? Math.floor(unit * 9) / 4 - 1 : unit * 2 - 1;
  }
  three(row, size) {
    return [this.number(row) * size, this.number(row) * size, this.number(row) * size];
  }
}

function diamond(step, steps) {
  const wave = (at) => {
    const turn = ((at % steps) / steps) * 4;
    return turn <= 2 ? 1 - turn : turn - 3;
  };
  return [wave(step), wave(step + (3 * steps) / 4)];
}

function ring() {
  const [long, short, vertices, triangles] = [24, 12, [], []];
  for (let i = 0; i < long; i++) {
    for (let j = 0; j < short; j++) {
      const [[c, s], [u, v]] = [diamond(i, long), diamond(j, short)];
      const radius = 3 + u;
      vertices.push(radius * c, radius * s, v);
      const at = (i, j) => (i % long) * short + (j % short);
      triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  }
  return [vertices, triangles];
}

function soup() {
  const random = new Random(0x2545f491);
  const vertices = [];
  for (let row = 0; row < 500; row++) for (let corner = 0; corner < 3; corner++) vertices.push(...random.three(row, 4));
  return [vertices, null];
}

/** FNV of the 32-bit halves of the numbers, each turned; every NaN in one form. */
class Digest {
  hash = 0x811c9dc5 | 0;
  add(numbers) {
    const own = Float64Array.from(numbers, (x) => (Number.isNaN(x) ? NaN : x));
    const words = new Uint32Array(own.buffer);
    for (const word of words) {
      this.hash = Math.imul(this.hash ^ word, 0x01000193);
      this.hash = (this.hash << 5) | (this.hash >>> 27);
    }
  }
  get value() {
    return this.hash >>> 0;
  }
}

const KINDS = ["face", "edge", "vertex"];
const hitNumbers = (hit) =>
  hit === null
    ? Array(12).fill(NaN)
    : [hit.t, hit.distance, ...hit.point, ...hit.normal, ...hit.uv, hit.triangle, Number(hit.front)];
const placeNumbers = ({ feature, uv, triangle }) => [KINDS.indexOf(feature.kind), feature.index, ...uv, triangle];

function digestOfRays(mesh, random, batch) {
  const digest = new Digest();
  for (let row = 0; row < RAYS; row++) {
    const [origin, direction] = [random.three(row, 8), random.three(row, 2)];
    const faces = ["both", "front", "back"][row % 3];
    const sharedEdges = Math.floor(row / 3) % 2 ? "each" : "once";
    const options = { faces, sharedEdges, tMax: row % 5 === 0 ? 2 : Infinity };
    const hit = mesh.cast(origin, direction, options);
    const occluded = mesh.occluded(origin, direction, options);
    // The count of shared edges is that of the list, which a plain count has no option for.
    digest.add([Number(hit !== null), Number(occluded), mesh.count(origin, direction, options)]);
    if (hit) digest.add(hitNumbers(hit));
    const all = mesh.castAll(origin, direction, options);
    digest.add([all.length]);
    digest.add(all.flatMap(hitNumbers));
    const spans = mesh.spans(origin, direction, options);
    digest.add([spans.length]);
    digest.add(spans.flatMap(({ enter, exit }) => [...hitNumbers(enter), ...hitNumbers(exit)]));
    if (row % 3 === 0) batch.push({ origin, direction, tMax: options.tMax, hit, occluded });
  }
  return digest.value;
}

function digestOfPoints(mesh, random) {
  const digest = new Digest();
  for (let row = 0; row < POINTS; row++) {
    const [point, radius] = [random.three(row, 5), random.unit()];
    const [x, y, z] = point;
    digest.add([Number(mesh.contains(point))]);
    const [near, signed] = [mesh.closestPoint(point, 2), mesh.signedDistance(point)];
    if (signed !== null) digest.add([signed]);
    digest.add([Number(near !== null), Number(signed !== null)]);
    const closest = mesh.closestPoint({ x, y, z });
    if (closest) digest.add([...closest.point, closest.distance, ...placeNumbers(closest)]);
    const contact = mesh.castSphere(point, [1, -0.5, 0.25], radius, { tMax: 4 });
    // A box by its corners is rounded: the module takes center and half extents.
    const box = mesh.engine.check(mesh.engine.exports.overlaps_box(mesh.handle, x, y, z, radius, 0.5, 0.25));
    digest.add([Number(mesh.overlapsSphere(point, radius)), box, Number(contact !== null)]);
    digest.add([Number(mesh.touchesHull([x, y, z, x + 1, y, z, x, y + radius, z, x, y, z - 0.5]))]);
    if (contact) {
      const { t, distance, center, point, normal, depth } = contact;
      digest.add([t, distance, ...center, ...point, ...normal, depth ?? NaN, ...placeNumbers(contact)]);
    }
  }
  return digest.value;
}

/** Batches have the answers of single rays. */
function compareBatch(hs, mesh, batch) {
  const rays = hs.rays(batch.length, mesh.precision);
  const [hits, mask] = [hs.hits(batch.length + 3, mesh.precision), hs.mask(batch.length)];
  batch.forEach(({ origin, direction, tMax }, i) => {
    rays.origins.set(origin, 3 * i);
    rays.directions.set(direction, 3 * i);
    rays.tMax[i] = tMax;
  });
  const expected = batch.filter(({ hit }) => hit).length;
  assert.equal(mesh.castBatch(rays, hits), expected);
  assert.equal(mesh.occludedBatch(rays, mask), expected);
  const { t, distance, points, normals, uv, triangles, front } = hits;
  batch.forEach(({ hit, occluded }, i) => {
    assert.equal(mask.values[i], Number(occluded));
    const found = [t[i], distance[i], ...points.slice(3 * i, 3 * i + 3), ...normals.slice(3 * i, 3 * i + 3)];
    const row = [...found, ...uv.slice(2 * i, 2 * i + 2), triangles[i], front[i]];
    const miss = [Infinity, Infinity, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0];
    assert.deepEqual(row, hit ? hitNumbers(hit) : miss);
  });
  for (const buffer of [rays, hits, mask]) buffer.dispose();
}

const MESHES = { ring: ring(), soup: soup() };

test("the answers of both modules are those of the native library, bit for bit", async () => {
  const expected = JSON.parse(await readFile(new URL("native.json", import.meta.url), "utf8"));
  const hs = await initFull();
  for (const { mesh: name, precision, closed, rays, points } of expected) {
    for (const quality of ["default", "high"]) {
      const mesh = hs.mesh(...MESHES[name], { precision, quality });
      const [random, batch] = [new Random(0x9e3779b9), []];
      assert.equal(mesh.isClosed, closed);
      assert.equal(digestOfRays(mesh, random, batch), rays, `${name} ${precision} ${quality}: rays`);
      assert.equal(digestOfPoints(mesh, random), points, `${name} ${precision} ${quality}: points`);
      compareBatch(hs, mesh, batch);
      // A saved mesh, and one that was moved and moved back, have the same answers.
      const loaded = hs.meshFromBytes(mesh.toBytes());
      assert.equal(digestOfRays(loaded, new Random(0x9e3779b9), []), rays);
      mesh.refit(MESHES[name][0].map((x, i) => x * (1 + (i % 7))));
      mesh.refit(MESHES[name][0]);
      assert.equal(digestOfRays(mesh, new Random(0x9e3779b9), []), rays);
      loaded.dispose();
      mesh.dispose();
    }
  }
  // The smaller module, in an instance of its own.
  const { instance } = { instance: await WebAssembly.instantiate(await compile(), {}) };
  const { Engine } = await import("../dist/engine.js");
  const { Hitscan } = await import("../dist/hitscan.js");
  const small = new Hitscan(new Engine(instance), false);
  for (const { mesh: name, rays } of expected.filter(({ precision }) => precision === "f64")) {
    const [mesh, batch] = [small.mesh(...MESHES[name]), []];
    assert.equal(digestOfRays(mesh, new Random(0x9e3779b9), batch), rays, `${name}: the small module`);
    compareBatch(small, mesh, batch);
    for (const call of [
      () => mesh.castSphere([0, 0, 0], [1, 0, 0], 1),
      () => mesh.overlapsSphere([0, 0, 0], 1),
      () => mesh.overlapsBox([0, 0, 0], [1, 1, 1]),
      () => mesh.touchesHull([0, 0, 0]),
      () => small.mesh(MESHES[name][0], MESHES[name][1], { precision: "f32" }),
      () => small.rays(1, "f32"),
    ]) {
      assert.throws(call, { name: "HitscanError", code: "missing" });
    }
  }
});
