// The module under Node: the same bits as the native library, clear errors, and no input that stops it.
//
//   node lab/test/engine.mjs MODULE DIGESTS
//
// DIGESTS is what `cargo run --release -p hitscan-wasm --example digests` prints. `cargo xtask check same-bits` does both.

import { build } from "esbuild";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const [file, digests] = process.argv.slice(2);
const bytes = await readFile(file);
const contents = `
  export { instantiate } from "./engine.ts"; export { EngineError } from "./interface.ts";
  export { fan, fieldRays, grid } from "./fieldrays.ts"; export { decimal, sceneToml } from "./toml.ts";`;
const stdin = { contents, resolveDir: fileURLToPath(new URL("../src", import.meta.url)) };
const bundle = await build({ stdin, bundle: true, write: false, format: "esm", target: "es2022" });
const facade = `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`;
const { EngineError, decimal, fan, fieldRays, grid, instantiate, sceneToml } = await import(facade);

/** The rays of a field lie evenly about the ray, as wide as the field asks. */
function fieldTests() {
  const field = (dimension, direction, shape) =>
    fieldRays({ dimension, ray: { origin: [1, 2, 3], direction }, field: { shape, count: 160, degrees: 90, width: 4 } });
  const close = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-12, `${found} in place of ${expected}`);
  const check = ({ rays }, axis, middle, extent) => {
    const numbers = Array.from({ length: rays.length / 6 }, (_, i) => rays[6 * i + axis]);
    close(numbers.reduce((sum, x) => sum + x, 0) / numbers.length, middle);
    close(Math.max(...numbers) - Math.min(...numbers), extent);
  };
  // In the plane 160 places in a row; in space 16 columns and 10 rows, in cells of 4/16 and 2.5/10.
  check(field(2, [2, 0], "grid"), 1, 2, 4 - 4 / 160);
  check(field(3, [0, 0, 2], "grid"), 0, 1, 4 - 4 / 16);
  check(field(3, [0, 0, 2], "grid"), 1, 2, 2.5 - 2.5 / 10);
  // A fan of 90 degrees goes through a window at the tip of the ray, 2 away: 4 wide.
  check(field(3, [0, 0, 2], "fan"), 3, 0, 4 - 4 / 16);
  check(field(3, [0, 0, 2], "fan"), 2, 3, 0);
  // In the plane a fan has its outermost rays at 45 degrees.
  check(field(2, [2, 0], "fan"), 4, 0, 2 * Math.SQRT2);
}

/** See `digest` in `examples/digests.rs`. */
function digest(start, numbers) {
  const own = Float64Array.from(numbers, (x) => (Number.isNaN(x) ? NaN : x)); // every NaN in one form
  const words = new Uint32Array(own.buffer);
  let hash = (start ^ 0x811c9dc5) | 0;
  for (let i = 0; i < words.length; i++) {
    hash = Math.imul(hash ^ words[i], 0x01000193);
    hash = (hash << 5) | (hash >>> 27);
  }
  return hash >>> 0;
}

/** See `Rays` there. */
class Rays {
  state = 0x9e3779b9 | 0;
  draw() {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) / 4294967296;
  }
  next(i, flat) {
    const ray = [];
    for (let at = 0; at < 6; at++) {
      const size = at < 3 ? 8 : 2;
      const unit = this.draw();
      ray.push(size * (i % 8 === 0 ? Math.floor(unit * 9) / 4 - 1 : unit * 2 - 1));
    }
    if (flat) ray[2] = ray[5] = 0;
    return ray;
  }
}

/** The exports themselves, to see every bit that comes back. */
class Raw {
  constructor(exports) {
    this.exports = exports;
  }
  put(parts) {
    const all = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const at = this.exports.input(all.length);
    new Uint8Array(this.exports.memory.buffer, at, all.length).set(all);
    return parts.map((part) => Buffer.byteLength(part));
  }
  numbers(list) {
    this.put([new Uint8Array(Float64Array.from(list).buffer)]);
  }
  text() {
    const { memory, text, text_len } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, text(), text_len()));
  }
  reply() {
    const { memory, numbers, numbers_len } = this.exports;
    return new Float64Array(memory.buffer, numbers(), numbers_len());
  }
  open(text, files = {}) {
    for (const [name, content] of Object.entries(files)) this.exports.file(...this.put([name, content]));
    return this.exports.open(...this.put(["scene.toml", text]));
  }
}

async function sameBits() {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const raw = new Raw(instance.exports);
  const lines = (await readFile(digests, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  let [rays, casts, cases, nears] = [0, 0, 0, 0];
  const digestReply = (hash) => digest(digest(hash, raw.reply()), Buffer.from(raw.text()));
  for (const line of lines) {
    const scene = raw.open(line.toml, line.files);
    if (line.error !== undefined) {
      assert.equal(scene, -1, line.case);
      assert.equal(raw.text(), line.error, line.case);
      cases++;
      continue;
    }
    assert.ok(scene >= 0, `${line.case ?? line.scene}: ${raw.text()}`);
    if (line.case !== undefined) {
      const bits = Buffer.from(line.query, "hex").swap64();
      raw.put([bits]);
      assert.equal(raw.exports.cast(scene), 0, line.case);
      assert.equal(digest(0, raw.reply()), line.cast, `${line.case}: other bits`);
      raw.put([bits]);
      assert.equal(raw.exports.explain(scene, 1), 0, line.case);
      assert.equal(raw.text(), line.text, line.case);
      assert.equal(digest(0, raw.reply()), line.explain, `${line.case}: explained with other bits`);
      cases++;
    } else {
      const random = new Rays();
      const defaults = [0, 0, 0, 0, 0, 0, 0, NaN, NaN, 0, 0, 0xffffffff];
      const numbers = new Float64Array(12 + 6 * line.rays);
      numbers.set(defaults);
      for (let i = 0; i < line.rays; i++) numbers.set(random.next(i, line.flat), 12 + 6 * i);
      raw.numbers(numbers);
      const start = performance.now();
      assert.equal(raw.exports.field(scene, line.rays), 0, line.scene);
      const rate = line.rays / (performance.now() - start);
      assert.equal(digest(0, raw.reply()), line.field, `${line.scene}: other bits in a field`);
      let hash = 0;
      for (let i = 0; i < line.casts; i++) {
        const query = [...defaults];
        random.next(i, line.flat).forEach((x, at) => (query[1 + at] = x));
        query[0] = i % 3 === 0 ? 1 : 0;
        query[9] = i % 5 === 0 ? 1 : 0;
        raw.numbers(query);
        assert.equal(raw.exports.cast(scene), 0);
        hash = digest(hash, raw.reply());
      }
      assert.equal(hash, line.cast, `${line.scene}: other bits in casts`);
      hash = 0;
      for (let i = 0; i < line.nears; i++) {
        const query = [...defaults];
        random.next(i, line.flat).forEach((x, at) => (query[1 + at] = x));
        raw.numbers([...query.slice(1, 4), i % 3 === 0 ? 1.5 : NaN]);
        raw.exports.closest(scene);
        hash = digestReply(hash);
        raw.numbers([...query, 0.125 + (i % 8) / 8]);
        raw.exports.cast_sphere(scene);
        hash = digestReply(hash);
      }
      for (const text of line.volumes) {
        const volume = raw.open(text);
        raw.exports.overlapping(scene, volume);
        hash = digestReply(hash);
        raw.exports.close(volume);
      }
      assert.equal(hash, line.near, `${line.scene}: other bits in closest points, thick rays or overlaps`);
      nears += 2 * line.nears + line.volumes.length;
      console.log(`  ${line.scene}: ${line.rays} rays at ${rate.toFixed(0)} a millisecond, ${line.casts} casts`);
      [rays, casts] = [rays + line.rays, casts + line.casts];
    }
    raw.exports.close(scene);
  }
  assert.ok(rays >= 1_000_000 && casts >= 10_000 && cases >= 300, `${rays} rays, ${casts} casts, ${cases} cases`);
  assert.ok(nears >= 12_000, `${nears} closest points, thick rays and overlaps`);
  console.log(`  the same bits as native: ${rays} rays of fields, ${casts} casts, ${nears} others, ${cases} cases`);
}

const BALL = '[[shape]]\ntype = "sphere"\nname = "ball"\ncenter = [0, 0, 5]\nradius = 1.5\nlayer = 3\n';
const ray = (origin, direction) => ({ kind: "ray", origin, direction });

async function facadeTests() {
  const engine = await instantiate(bytes);
  assert.equal(engine.abi, 4);
  assert.equal(engine.simd, true);

  const scene = engine.open(BALL);
  assert.equal(scene.dimension, 3);
  assert.equal(scene.precision, "f32");
  const [shape] = scene.shapes;
  assert.deepEqual(
    { ...shape, aabb: undefined },
    { index: 0, name: "ball", isNamed: true, type: "sphere", layers: 8, parameters: { center: [0, 0, 5], radius: 1.5 }, aabb: undefined, transform: null },
  );
  assert.ok(shape.aabb.min[2] <= 3.5 && shape.aabb.min[2] > 3.49);
  const answer = scene.cast(ray([0, 0, 0], [0, 0, 1]));
  assert.deepEqual(answer.first, {
    t: 3.5, distance: 3.5, point: [0, 0, 3.5], normal: [0, 0, -1], side: "front", shape: 0, primitive: null, uv: null,
  });
  assert.deepEqual(answer.all.map((hit) => hit.t), [3.5, 6.5]);
  assert.equal(answer.count, 2);
  assert.deepEqual(answer.spans.map(({ shape, enter, exit }) => [shape, enter.t, exit.t]), [[0, 3.5, 6.5]]);
  assert.equal(scene.cast(ray([0, 0, 0], [0, 0, 1]), { tMax: 3.25 }).first, null);
  assert.equal(scene.cast(ray([0, 0, 0], [0, 0, 1]), { layers: 1 }).first, null);
  assert.equal(scene.cast(ray([0, 0, 5], [0, 0, 1])).first.t, 0);
  assert.equal(scene.cast(ray([0, 0, 5], [0, 0, 1]), { inside: "hollow" }).first.t, 1.5);
  assert.equal(scene.cast({ kind: "segment", a: [0, 0, 0], b: [0, 0, 7] }).first.t, 0.5);
  assert.equal(scene.cast(ray([0, 0, NaN], [0, 0, 1])).first, null);
  assert.deepEqual(scene.contains([0, 0, 4]), [true]);
  assert.deepEqual(scene.contains([0, 0, 3]), [false]);
  assert.equal(scene.mesh(0), null);

  // Closest points, against the formulas of a ball.
  const near = { feature: "face 0", shape: 0, primitive: null, uv: null };
  assert.deepEqual(scene.closest([0, 4, 5]), {
    found: { point: [0, 1.5, 5], distance: 2.5, ...near, isInside: false, outward: [0, 1, 0] },
    signedDistance: 2.5,
  });
  assert.deepEqual(scene.closest([0, 0, 4]), {
    found: { point: [0, 0, 3.5], distance: 0.5, ...near, isInside: true, outward: [0, 0, -1] },
    signedDistance: -0.5,
  });
  assert.equal(scene.closest([0, 0, 3.5]).found.outward, null);
  assert.deepEqual(scene.closest([0, 0, 1], 2), { found: null, signedDistance: 2.5 });
  assert.equal(scene.closest([0, 0, 1], 2.5).found.distance, 2.5);

  // A thick ray, from far and from a start that touches.
  assert.deepEqual(scene.castSphere(ray([0, 0, 0], [0, 0, 2]), 0.5), {
    t: 1.5, distance: 3, center: [0, 0, 3], point: [0, 0, 3.5], normal: [0, 0, -1], depth: null, ...near,
  });
  const touching = scene.castSphere(ray([0, 0, 3.25], [1, 0, 0]), 0.5);
  assert.deepEqual([touching.t, touching.depth, touching.normal], [0, 0.25, [0, 0, -1]]);
  assert.equal(scene.castSphere(ray([0, 0, 3.25], [1, 0, 0]), 0.5, { inside: "hollow" }), null);
  assert.equal(scene.castSphere(ray([0, 0, 0], [0, 0, 2]), 0.5, { tMax: 1.25 }), null);
  assert.equal(scene.castSphere({ kind: "segment", a: [0, 2, 0], b: [0, 2, 9] }, 0.5).feature, "face 0");

  // Volumes that touch, that lie inside, and that are apart.
  const volume = (text) => engine.open(`[[shape]]\n${text}\n`, new Map(), "volume");
  const overlaps = (text) => scene.overlapping(volume(text));
  const inPart = { shape: 0, isInside: false, triangles: null };
  assert.deepEqual(overlaps('type = "sphere"\ncenter = [0, 0, 2.5]\nradius = 1'), [inPart]);
  assert.deepEqual(overlaps('type = "sphere"\ncenter = [0, 0, 2.5]\nradius = 0.999'), []);
  assert.deepEqual(overlaps('type = "sphere"\ncenter = [0, 0, 5.5]\nradius = 1'), [{ ...inPart, isInside: true }]);
  assert.deepEqual(overlaps('type = "box"\ncenter = [0, 0, 5]\nhalf_extents = [0.875, 0.875, 0.75]'), [{ ...inPart, isInside: true }]);
  assert.deepEqual(overlaps('type = "box"\ncenter = [0, 0, 5]\nhalf_extents = [0.875, 0.875, 0.875]'), [inPart]);
  assert.deepEqual(overlaps('type = "capsule"\na = [0, 0, 4.5]\nb = [0, 0, 5.5]\nradius = 1'), [{ ...inPart, isInside: true }]);

  const report = scene.explain(ray([0, 0, 0], [0, 0, 1]));
  assert.match(report.text, /^hit: ball \(sphere, shape 0\) at t = 3\.5, /);
  assert.equal(report.leftOut, 0);
  assert.equal(report.shapes[0].isHit, true);
  assert.ok(report.shapes[0].steps.some((step) => "verdict" in step && step.verdict.startsWith("hit: ")));
  assert.ok(report.shapes[0].steps.some((step) => "value" in step && step.name === "t where it leaves" && step.value === 6.5));

  assert.equal(scene.textbook(ray([0, 0, 0], [0, 0, 1])).first.t, 3.5);
  // Far away the textbook loses the ball: 1e8^2 - 1.5^2 is 1e16 in f32.
  const far = ray([1, 0, -1e8], [0, 0, 1]);
  assert.notEqual(scene.textbook(far).first?.t, Math.fround(scene.cast(far).first.t));

  const field = scene.field(grid([-2, 2, 0], [4, 0, 0], [0, -4, 0], 40, 40, [0, 0, 1]));
  assert.equal(field.t.length, 1600);
  assert.ok(field.hits > 600 && field.hits < 1000);
  field.t.forEach((t, i) => assert.equal(Number.isNaN(t), field.shape[i] === -1));
  assert.equal(scene.field(fan([0, 0, 0], [0, 0, 1], [1, 0, 0], 0.5, 101)).hits, 101);
  scene.free();
  scene.free();
  assert.throws(() => scene.cast(ray([0, 0, 0], [0, 0, 1])), /the scene is closed/);

  const message = (work) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof EngineError, String(error));
      return error.message;
    }
    return "nothing was wrong";
  };
  assert.equal(message(() => engine.open(BALL.replace("radius", "radious"))), "scene.toml: shape 0 'ball' (line 5): unknown key 'radious' (did you mean 'radius'?)");
  assert.equal(message(() => engine.open("")), "scene.toml: no shapes");
  const again = engine.open(BALL);
  const notANumber = "radius must be finite";
  for (const [radius, what] of [[-1, "radius must be greater than 0"], [0, "radius must be greater than 0"], [NaN, notANumber], [Infinity, notANumber]])
    assert.equal(message(() => again.castSphere(ray([0, 0, 0], [0, 0, 1]), radius)), what);
  assert.equal(message(() => again.closest([0, Infinity, 0])), "the point must be finite");
  assert.equal(message(() => again.closest([0, 0, 0], -1)), "the distance must be at least 0");
  const cone = engine.open('[[shape]]\ntype = "cone"\nbase = [0, 0, 0]\napex = [0, 0, 1]\nradius = 1\n');
  assert.match(message(() => again.overlapping(cone)), /^a volume is a sphere, a box or a capsule/);
  // Its image is beyond the largest number.
  const tower = engine.open('[[shape]]\ntype = "cylinder"\na = [0, 0, 0]\nb = [0, 0, 1e200]\nradius = 1\ntransform = { scale = [1, 1, 1e200] }\n');
  assert.match(message(() => tower.closest([0, 0, 0.5])), /^the closest shape may be one that cannot be measured/);
  const lonely = '[[shape]]\ntype = "mesh"\nfile = "rock.obj"\n';
  assert.equal(message(() => engine.open(lonely, new Map(), "cave.toml")), "cave.toml: shape 0 (line 3): rock.obj: No such file or directory");
  assert.equal(message(() => engine.mesh("a.obj", new TextEncoder().encode("v 1 2\n"))), "a.obj: vertex 0 (line 1): 2 coordinates (a vertex needs 3)");
  assert.equal(message(() => engine.mesh("a.txt", new Uint8Array(3))), "a.txt: unknown mesh format (known are .obj, .stl, .ply, .off, .gltf, .glb and .hitmesh)");

  const obj = new TextEncoder().encode("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const mesh = engine.mesh("rock.obj", obj);
  assert.deepEqual([mesh.positions.length, mesh.triangles.length, mesh.topology.isClosed], [12, 12, true]);
  const cave = engine.open(`${lonely}transform = { translation = [10, 0, 0] }\n`, new Map([["rock.obj", obj]]));
  assert.deepEqual(cave.shapes[0].parameters, { file: "rock.obj" });
  const corner = cave.closest([9, 0, 0]).found;
  assert.deepEqual([corner.point, corner.feature.slice(0, 6), corner.primitive], [[10, 0, 0], "vertex", 0]);
  const grain = (radius) => engine.open(`[[shape]]\ntype = "sphere"\ncenter = [10.125, 0.125, 0.125]\nradius = ${radius}\n`);
  assert.deepEqual(cave.overlapping(grain(0.0625)), [{ shape: 0, isInside: true, triangles: 0 }]);
  assert.deepEqual(cave.overlapping(grain(0.125)), [{ shape: 0, isInside: false, triangles: 3 }]);
  assert.deepEqual([...cave.mesh(0).positions.slice(0, 6)], [10, 0, 0, 11, 0, 0]);
  assert.equal(cave.cast(ray([10.25, 0.25, -1], [0, 0, 1])).first.primitive, 0);

  const shapes = [{ type: "circle", name: 'a "b"', layers: [0, 2], fields: { center: [1e300, -0], radius: 2 ** 60 } }];
  const text = sceneToml(2, shapes);
  const [back] = engine.open(text).shapes;
  assert.deepEqual({ ...back.parameters }, shapes[0].fields);
  assert.ok(Object.is(back.parameters.center[1], -0));
  assert.deepEqual([back.name, back.layers, back.type], ['a "b"', 5, "circle"]);
  assert.deepEqual([0.1, 1e21, -0, 2 ** 53, 5].map(decimal), ["0.1", "1e+21", "-0.0", "9007199254740992.0", "5"]);
  console.log("  the facade answers, and reports errors");
}

/** The module reports an error for any damaged input, and works on. */
async function hostile() {
  const engine = await instantiate(bytes);
  const random = new Rays();
  const mangled = (text) => {
    const copy = Buffer.from(text);
    for (let n = 0; n < 1 + random.draw() * 6; n++) copy[Math.floor(random.draw() * copy.length)] = Math.floor(random.draw() * 256);
    return copy;
  };
  let refused = 0;
  const attempt = (work) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof EngineError && !error.message.includes("has stopped"), String(error));
      refused++;
    }
  };
  const gltf = JSON.stringify({ asset: { version: "2.0" }, nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3" }], bufferViews: [{ buffer: 0, byteLength: 36 }], buffers: [{ byteLength: 36, uri: `data:;base64,${Buffer.from(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer).toString("base64")}` }] });
  assert.equal(engine.mesh("a.gltf", Buffer.from(gltf)).triangles.length, 3);
  const ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  for (let i = 0; i < 2000; i++) {
    attempt(() => engine.mesh(`a.${["obj", "stl", "ply"][i % 3]}`, mangled(ply)));
    attempt(() => engine.mesh("a.gltf", mangled(gltf)));
    attempt(() => engine.open(mangled(BALL).toString("latin1")).free());
  }
  attempt(() => engine.open(`x = ${"[".repeat(1e5)}`));
  const scene = engine.open(BALL);
  const odd = [NaN, Infinity, -Infinity, 0, -0, 5e-324, 1.7976931348623157e308, 1, 1e-160];
  for (let i = 0; i < 3000; i++) {
    const pick = () => odd[Math.floor(random.draw() * odd.length)];
    const vector = () => [pick(), pick(), pick()];
    const query = { tMin: pick(), tMax: pick(), layers: pick() };
    attempt(() => scene.cast(ray(vector(), vector()), query));
    attempt(() => scene.explain({ kind: "segment", a: vector(), b: vector() }, query));
    attempt(() => scene.textbook(ray(vector(), vector()), query));
    attempt(() => scene.closest(vector(), pick()));
    attempt(() => scene.castSphere(ray(vector(), vector()), pick(), query));
    attempt(() => scene.field(Float64Array.from([...vector(), ...vector()]), query));
  }
  assert.equal(scene.cast(ray([0, 0, 0], [0, 0, 1])).first.t, 3.5);
  assert.ok(refused > 2000, `${refused} refused`);
  console.log(`  ${refused} damaged files refused, 18000 odd queries answered`);
}

console.log(`${file.split("/").pop()}, ${(bytes.length / 1000).toFixed(0)} kB:`);
fieldTests();
await facadeTests();
await hostile();
await sameBits();
