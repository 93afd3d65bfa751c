// The interface: loading, errors, buffers, the life of objects.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import * as hitscan from "hitscan";
import * as external from "hitscan/external";

const POSITIONS = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
const hs = await hitscan.init();
const fails = (call, code, words = "") =>
  assert.throws(call, (error) => {
    assert.ok(error instanceof hitscan.HitscanError && error instanceof Error);
    assert.equal(error.code, code);
    assert.ok(error.message.includes(words), error.message);
    return true;
  });

test("a first ray", () => {
  const mesh = hs.mesh(POSITIONS);
  assert.deepEqual(mesh.cast([0.25, 0.5, 2], [0, 0, -1]), {
    t: 2,
    distance: 2,
    point: [0.25, 0.5, 0],
    normal: [0, 0, 1],
    uv: [0.25, 0.5],
    triangle: 0,
    front: true,
  });
  assert.equal(mesh.cast({ x: 2, y: 0, z: 1 }, new Float32Array([0, 0, -1])), null);
  assert.equal(mesh.cast([0.25, 0.25, 1], [0, 0, -1], { faces: "back" }), null);
  assert.equal(mesh.cast([0.25, 0.25, 1], [0, 0, -1], { tMax: 0.5 }), null);
  assert.equal(mesh.cast([0.25, 0.25, 1], [0, 0, -1], { tMin: 1, tMax: 1 }).t, 1);
  // In the plane of the triangle.
  assert.equal(mesh.cast([-1, 0.25, 0], [1, 0, 0]), null);
  assert.equal(mesh.cast([-1, 0.25, 0], [1, 0, 0], { coplanar: "hit" }).t, 1);
  // No ray: a direction of no length, or a number that is none.
  assert.equal(mesh.cast([0, 0, 0], [0, 0, 0]), null);
  assert.equal(mesh.cast([NaN, 0, 0], [0, 0, 1]), null);
  assert.deepEqual([mesh.triangleCount, mesh.vertexCount, mesh.precision], [1, 3, "f64"]);
  assert.deepEqual(mesh.bounds, { min: [0, 0, 0], max: [1, 1, 0] });
  assert.deepEqual([mesh.isClosed, mesh.contains([0, 0, 0]), mesh.treeBytes > 0], [false, false, true]);
});

test("init is idempotent, and each source gives the same engine", async () => {
  assert.equal(await hitscan.init(), hs);
  assert.equal(await external.init("https://127.0.0.1:1/never-asked.wasm"), hs);
  assert.equal(external.initSync(await hitscan.compile()), hs);
});

/** Runs a script in a worker, which has an engine of its own, and returns what it posts. */
function inWorker(script, workerData) {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), { workerData });
  return new Promise((done, failed) => worker.once("message", done).once("error", failed));
}

test("each kind of source starts an engine of its own", async () => {
  const file = new URL("../dist/mesh.wasm", import.meta.url);
  const bytes = await readFile(file);
  const server = createServer((request, response) => {
    if (request.url === "/none.wasm") return response.writeHead(404).end();
    const type = request.url === "/typed.wasm" ? "application/wasm" : "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(request.url === "/bad.wasm" ? "no module" : bytes);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const at = `http://127.0.0.1:${server.address().port}`;
  const entry = (name) => JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url).href);
  const worker = (name, start) => `
    import { parentPort, workerData } from "node:worker_threads";
    import * as hitscan from ${entry(name)};
    try {
      const hs = await (${start})(hitscan, workerData);
      const hit = hs.mesh([0, 0, 0, 1, 0, 0, 0, 1, 0]).cast([0.25, 0.25, 1], [0, 0, -1]);
      parentPort.postMessage(hit.t);
    } catch (error) { parentPort.postMessage(error.code + ": " + error.message); }`;
  const starts = [
    ["index", "(h) => h.init()"],
    ["index", "(h, data) => h.initSync(data)", await hitscan.compile()],
    ["index", "(h, data) => h.initSync(data)", new Uint8Array(bytes)],
    ["full", "(h) => h.init()"],
    ["full", "async (h) => h.initSync(await h.compile())"],
    ["external", "(h) => h.init()"],
    ["external", "async (h) => h.initSync(await h.compile())"],
    ["external", "(h, data) => h.init(data)", await external.compile()],
    ["external", "(h, data) => h.init(data)", new Uint8Array(bytes)],
    ["external", "(h, data) => h.init(new URL(data))", file.href],
    ["external", "(h, data) => h.init(data)", `${at}/typed.wasm`],
    ["external", "(h, data) => h.init(fetch(data))", `${at}/plain.wasm`],
    ["external", "async (h, data) => h.init(await fetch(data))", `${at}/typed.wasm`],
    ["index", "(h) => Promise.all([h.init(), h.init()]).then(([a, b]) => { if (a !== b) throw 1; return a; })"],
    // After a failure the next call loads again.
    ["external", "(h, data) => h.init(data + '/none.wasm').catch(() => h.init(data + '/typed.wasm'))", at],
  ];
  for (const [name, start, data] of starts) assert.equal(await inWorker(worker(name, start), data), 1, `${name}: ${start}`);
  const failures = [
    ["external", "(h, data) => h.init(data)", `${at}/none.wasm`],
    ["external", "(h, data) => h.init(data)", `${at}/bad.wasm`],
    ["external", "(h, data) => h.initSync(data)", new Uint8Array([1, 2, 3])],
    ["external", "(h) => h.initSync(5)"],
    // The smallest module that is none of ours.
    ["index", "(h, data) => h.init(data)", new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])],
  ];
  for (const [name, start, data] of failures) {
    assert.match(String(await inWorker(worker(name, start), data)), /^load: source: /, `${name}: ${start}`);
  }
  server.close();
});

test("bad arguments are named", () => {
  const mesh = hs.mesh(POSITIONS);
  fails(() => hs.mesh("positions"), "bad-argument", "positions: must be an array");
  fails(() => hs.mesh([0, 0]), "bad-argument", "positions: has 2 numbers");
  fails(() => hs.mesh([0, 0, 0]), "bad-argument", "positions: without indices");
  fails(() => hs.mesh(POSITIONS, [0, 1]), "bad-argument", "indices: has 2 numbers");
  fails(() => hs.mesh(POSITIONS, [0, 1, 3]), "out-of-range", "triangle 0 has the vertex 3, but there are 3 vertices");
  fails(() => hs.mesh(POSITIONS, [0, 1, -1]), "out-of-range");
  fails(() => hs.mesh([]), "no-triangles");
  fails(() => hs.mesh(POSITIONS, []), "no-triangles");
  fails(() => hs.mesh([0, 0, 0, 0, 0, 0, 0, Infinity, 0]), "not-finite", "vertex 2");
  fails(() => hs.mesh(POSITIONS, null, { precision: "f16" }), "bad-argument", "precision");
  fails(() => hs.mesh(POSITIONS, null, { quality: "best" }), "bad-argument", "quality");
  fails(() => hs.mesh(new BigInt64Array(9)), "bad-argument", "positions: must be numbers");
  fails(() => hs.mesh(POSITIONS, [0, 1, 2n]), "bad-argument", "indices: must be numbers");
  fails(() => mesh.refit(new BigInt64Array(9)), "bad-argument", "positions: must be numbers");
  fails(() => mesh.cast([0, 0], [0, 0, 1]), "bad-argument", "origin: must be three numbers");
  fails(() => mesh.cast([0, 0, 0], undefined), "bad-argument", "direction");
  fails(() => mesh.cast([0, 0, 0], ["0", "0", "1"]), "bad-argument", "direction");
  fails(() => mesh.cast([0, 0, 0], [0, 0, 1], { tMax: "1" }), "bad-argument", "tMax");
  fails(() => mesh.cast([0, 0, 0], [0, 0, 1], { faces: "all" }), "bad-argument", "faces");
  fails(() => mesh.cast([0, 0, 0], [0, 0, 1], { coplanar: true }), "bad-argument", "coplanar");
  fails(() => mesh.castAll([0, 0, 0], [0, 0, 1], { sharedEdges: 2 }), "bad-argument", "sharedEdges");
  fails(() => mesh.contains(null), "bad-argument", "point");
  fails(() => mesh.closestPoint([0, 0, 0], "far"), "bad-argument", "maxDistance");
  fails(() => mesh.refit([0, 0, 0]), "other-count", "has 3 vertices, and 1 were given");
  fails(() => mesh.refit([0, 0, 0, 0, 0, 0, 0, 0, NaN]), "not-finite");
  fails(() => hs.rays(-1), "bad-argument", "length");
  fails(() => hs.hits(1.5), "bad-argument", "length");
  fails(() => hs.rays(2 ** 31 - 1), "memory");
  fails(() => mesh.castBatch(hs.rays(4), hs.hits(3)), "bad-argument", "room for 3 rays");
  fails(() => mesh.castBatch(hs.rays(4), hs.hits(4), { count: 5 }), "bad-argument", "room for 4 rays");
  // What failed has left the mesh as it was.
  assert.equal(mesh.cast([0.25, 0.25, 1], [0, 0, -1]).t, 1);
});

test("saved meshes load, and damaged ones say so", () => {
  const mesh = hs.mesh(POSITIONS);
  const bytes = mesh.toBytes();
  assert.equal(hs.meshFromBytes(bytes).cast([0.25, 0.25, 1], [0, 0, -1]).t, 1);
  assert.equal(hs.meshFromBytes(bytes.slice().buffer).triangleCount, 1);
  fails(() => hs.meshFromBytes("bytes"), "bad-argument", "bytes");
  fails(() => hs.meshFromBytes(new Uint8Array()), "damaged");
  fails(() => hs.meshFromBytes(new Uint8Array(200)), "not-saved");
  fails(() => hs.meshFromBytes(bytes.slice(0, -1)), "damaged");
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.slice();
    damaged[at] ^= 4;
    assert.throws(() => hs.meshFromBytes(damaged), hitscan.HitscanError, `byte ${at}`);
  }
});

test("a module that traps says so from then on", async () => {
  const { Engine } = await import("../dist/engine.js");
  let calls = 0;
  const trap = () => {
    calls++;
    throw new WebAssembly.RuntimeError("unreachable");
  };
  const memory = new WebAssembly.Memory({ initial: 1 });
  const engine = new Engine({ exports: { abi: () => 1, record: () => 8, memory, buffer: trap, release: trap } });
  fails(() => engine.buffer(0, 1), "stopped", "out of memory");
  fails(() => engine.buffer(0, 1), "stopped", "cannot be used any more");
  engine.release(0);
  assert.equal(calls, 1);
});

test("dispose frees, and is no error when repeated", () => {
  const mesh = hs.mesh(POSITIONS);
  const rays = hs.rays(1);
  const hits = hs.hits(1);
  for (const object of [mesh, rays]) {
    object.dispose();
    object.dispose();
    object[Symbol.dispose]();
  }
  fails(() => mesh.cast([0, 0, 0], [0, 0, 1]), "disposed");
  fails(() => mesh.bounds, "disposed");
  fails(() => mesh.toBytes(), "disposed");
  fails(() => mesh.refit(POSITIONS), "disposed");
  fails(() => rays.origins, "disposed");
  fails(() => hs.mesh(POSITIONS).castBatch(rays, hits), "disposed");
  assert.equal(hits.t.length, 1);
});

test("memory is used again, also that of objects which nobody holds", async () => {
  const many = new Float32Array(9 * 10_000).map((_, i) => (i * 7919) % 1013);
  hs.mesh(many).dispose();
  const before = hs.memoryBytes;
  for (let i = 0; i < 20; i++) hs.mesh(many).dispose();
  assert.equal(hs.memoryBytes, before);
  if (!globalThis.gc) {
    const { setFlagsFromString } = await import("node:v8");
    setFlagsFromString("--expose-gc");
  }
  const { runInNewContext } = await import("node:vm");
  const gc = globalThis.gc ?? runInNewContext("gc");
  for (let i = 0; i < 20; i++) {
    hs.mesh(many);
    gc();
    // Finalizers run between tasks.
    await new Promise((done) => setTimeout(done, 5));
  }
  assert.ok(hs.memoryBytes <= 3 * before, `${hs.memoryBytes} of ${before}`);
});

test("views follow the memory as it grows", () => {
  const rays = hs.rays(2);
  const old = rays.origins;
  const pages = hs.memoryBytes;
  const large = [];
  while (hs.memoryBytes === pages) large.push(hs.rays(100_000));
  assert.equal(old.length, 0);
  rays.origins.set([1, 2, 3], 3);
  assert.deepEqual([...rays.origins], [0, 0, 0, 1, 2, 3]);
  assert.deepEqual([...rays.tMin, ...rays.tMax], [0, 0, Infinity, Infinity]);
  large.forEach((buffer) => buffer.dispose());
});
