// Links: the page opens any text as a link or refuses it in a sentence; scene files hold the shapes of their links.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { parse } from "smol-toml";
import { modules } from "./modules.mjs";

const { KINDS, LinkError, MAX_BYTES, PRESETS, VOLUMES, fromHash, sceneToml, toHash } = await modules(`
  export { fromHash, toHash, LinkError, MAX_BYTES } from "./link.ts"; export { sceneToml } from "./toml.ts";
  export { KINDS } from "./schema.ts"; export { PRESETS } from "./presets.ts";
  export { VOLUMES } from "./state.ts";`);

/** The same runs each time; FUZZ_RUNS asks for more of them. */
const RUNS = { seed: 23, numRuns: Number(process.env.FUZZ_RUNS ?? 300) };

const plain = (content) =>
  `#json=${encodeURIComponent(typeof content === "string" ? content : JSON.stringify(content))}`;
const packed = (text) => `#z=${deflateRawSync(text).toString("base64url")}`;

/** The message for a link that is refused. Other errors fail the test. */
async function refused(hash) {
  try {
    await fromHash(hash);
  } catch (error) {
    assert.ok(error instanceof LinkError, `${error.stack}`);
    return error.message;
  }
  return assert.fail("the link was opened");
}

const SPHERE = {
  v: 2,
  scene: {
    dimension: 3,
    shapes: [{ type: "sphere", name: "ball", fields: { center: [0, 1, 0], radius: 1 } }],
    ray: { kind: "ray", origin: [0, 0, 5], direction: [0, 0, -1], tip: [0, 0, 4], t_min: null, t_max: null },
  },
};
const QUERY = {
  kind: "overlap",
  point: [0, 0, 0],
  radius: 1,
  volume: { type: "sphere", fields: { center: [0, 0, 0], radius: 1 } },
};
const changed = (change) => {
  const copy = structuredClone(SPHERE);
  change(copy.scene.shapes[0], copy.scene, copy);
  return plain(copy);
};

const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(-0, Infinity, -Infinity, Number.MAX_VALUE, 5e-324, 2 ** 53, 1e21),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const list = (item, length) => fc.array(item, { minLength: length, maxLength: length });
/** Texts that have meanings elsewhere: in TOML, in JSON, in this encoding of numbers, in prototypes. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "=5",
    "==",
    "=Infinity",
    "__proto__",
    "constructor",
    '"',
    "'''",
    '"""',
    "\\",
    "a\nb = 1",
    "]",
    "\u0000",
    "END",
  ),
);

function valueOf(dimension, role) {
  const vector = list(number, dimension);
  return (
    {
      length: number,
      points: fc.array(vector, { minLength: 1, maxLength: 5 }),
      axes: list(vector, dimension),
      file: text,
    }[role] ?? vector
  );
}

const shapeOf = ({ dimension, type, fields }) =>
  fc.record(
    {
      type: fc.constant(type),
      name: text,
      layers: fc.uniqueArray(fc.integer({ min: 0, max: 31 }), { minLength: 1, maxLength: 4 }),
      fields: fc.record(Object.fromEntries(fields.map(({ key, role }) => [key, valueOf(dimension, role)])), {
        requiredKeys: fields.filter(({ role }) => role !== "axes").map(({ key }) => key),
      }),
      ...(type === "mesh" && {
        placement: fc.record({
          scale: list(number, 3),
          axis: list(number, 3),
          degrees: number,
          translation: list(number, 3),
        }),
      }),
    },
    { requiredKeys: ["type", "name", "fields", ...(type === "mesh" ? ["placement"] : [])], noNullPrototype: true },
  );

const query = (dimension) => {
  const volumes = KINDS.filter((kind) => kind.dimension === dimension && kind.type in VOLUMES[dimension]);
  return fc
    .record({
      kind: fc.constantFrom("ray", "closest", "sweep", "overlap"),
      point: list(number, dimension),
      max_distance: fc.option(number),
      radius: number,
      volume: fc.oneof(...volumes.map(shapeOf)),
    })
    .map(({ volume: { layers: _, ...volume }, ...made }) => ({
      ...made,
      volume: { ...volume, id: 0, name: "volume" },
    }));
};

const scene = (dimension) => {
  const vector = list(number, dimension);
  const limit = fc.option(number);
  return fc
    .record({
      dimension: fc.constant(dimension),
      shapes: fc.array(fc.oneof(...KINDS.filter((kind) => kind.dimension === dimension).map(shapeOf)), {
        maxLength: 4,
      }),
      ray: fc.record({
        kind: fc.constantFrom("ray", "segment"),
        origin: vector,
        direction: vector,
        tip: vector,
        t_min: limit,
        t_max: limit,
        inside: fc.constantFrom("solid", "hollow"),
        faces: fc.constantFrom("both", "front", "back"),
      }),
      query: query(dimension),
      field: fc.record({
        on: fc.boolean(),
        shape: fc.constantFrom("fan", "grid"),
        coloring: fc.constantFrom("hits", "depth", "normals"),
        count: fc.integer({ min: 1, max: 100_000 }),
        degrees: fc.double({ min: 0, max: 360, noNaN: true }),
        width: fc.double({ min: 0, max: 1e12, noNaN: true }),
      }),
    })
    .map((made) => ({ ...made, shapes: made.shapes.map((shape, i) => ({ ...shape, id: i + 1 })) }));
};

const view = (dimension) =>
  fc.record({
    tab: fc.constantFrom("explain", "doubt", "field", "code"),
    doubt: fc.boolean(),
    allHits: fc.boolean(),
    explained: fc.option(fc.integer({ min: 0, max: 3 })),
    camera: fc.option(
      dimension === 3
        ? fc.record({ position: list(finite, 3), target: list(finite, 3) })
        : fc.record({ center: list(finite, 2), span: fc.double({ min: 1e-9, max: 1e12, noNaN: true }) }),
    ),
  });

const content = fc.constantFrom(2, 3).chain((dimension) => fc.tuple(scene(dimension), view(dimension)));
/** A copy without prototypes, for comparisons. */
const data = (x) =>
  Array.isArray(x)
    ? x.map(data)
    : x && typeof x === "object"
      ? Object.fromEntries(Object.entries(x).map(([key, value]) => [key, data(value)]))
      : x;

test("every scene and view comes back from its link, number for number", async () => {
  await fc.assert(
    fc.asyncProperty(content, async ([scene, view]) => {
      const back = await fromHash(await toHash(scene, view));
      assert.deepStrictEqual(data(back), data({ scene, view }));
    }),
    RUNS,
  );
});

test("the scene file of a link holds its shapes and nothing else", async () => {
  await fc.assert(
    fc.property(content, ([{ dimension, shapes }]) => {
      const {
        dimension: read = 3,
        shape = [],
        ...rest
      } = parse(sceneToml(dimension, shapes), { integersAsBigInt: false });
      assert.deepStrictEqual(rest, {});
      assert.equal(read, dimension);
      const wanted = shapes.map(({ type, name, fields, layers }) => ({
        type,
        ...(name && { name: name.toWellFormed() }),
        ...(layers && !(layers.length === 1 && layers[0] === 0) && { layers: [...layers].sort((a, b) => a - b) }),
        ...Object.fromEntries(
          Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value.toWellFormed() : value]),
        ),
      }));
      assert.deepStrictEqual(data(shape.map(({ transform, ...table }) => table)), data(wanted));
      for (const [i, { placement }] of shapes.entries()) {
        const { transform } = shape[i];
        if (transform) assert.deepStrictEqual(data(transform.translation), placement.translation);
      }
    }),
    RUNS,
  );
});

/** The same with 1 for every number that JSON does not have. */
const jsonOnly = (tree) =>
  JSON.parse(JSON.stringify(tree, (_, x) => (typeof x === "number" && !Number.isFinite(x) ? 1 : x)));

/** Puts `value` at the place of a tree that `pick` chooses, as a new key or instead of a value. */
function mutate(tree, pick, key, value) {
  const places = [];
  const visit = (node) => {
    if (!node || typeof node !== "object") return;
    places.push(...Object.keys(node).map((name) => [node, name]), ...(Array.isArray(node) ? [] : [[node, key]]));
    Object.values(node).forEach(visit);
  };
  visit(tree);
  const [node, name] = places[pick % places.length];
  Object.defineProperty(node, name, { value, enumerable: true, configurable: true, writable: true });
}

test("a link with any part changed is opened with a scene that is one, or refused in a sentence", async () => {
  let [opened, refusals] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.nat(),
      text,
      fc.oneof(fc.jsonValue(), finite, text),
      async ([scene, view], pick, key, value) => {
        const tree = jsonOnly({ v: 2, scene, view });
        mutate(tree, pick, key, value);
        try {
          const back = await fromHash(plain(tree));
          opened++;
          // What was opened can be written, as a file and as a link.
          parse(sceneToml(back.scene.dimension, back.scene.shapes));
          assert.deepStrictEqual(data(await fromHash(await toHash(back.scene, back.view))), data(back));
        } catch (error) {
          assert.ok(error instanceof LinkError, `${error.stack}`);
          assert.match(error.message, /^This link .*\.$/s);
          refusals++;
        }
      },
    ),
    RUNS,
  );
  assert.ok(opened > RUNS.numRuns / 20 && refusals > RUNS.numRuns / 4, `${opened} opened, ${refusals} refused`);
});

test("any text at all is refused in a sentence, or is no link", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.base64String()),
      fc.boolean(),
      async (text, deflated) => {
        const hash = deflated ? packed(text) : `#${text.startsWith("json") ? "" : "json="}${text}`;
        const back = await fromHash(hash).catch((error) => {
          assert.ok(error instanceof LinkError, `${error.stack}`);
        });
        assert.ok(!back || Array.isArray(back.scene.shapes));
      },
    ),
    RUNS,
  );
  assert.equal(await fromHash("#other=page"), null);
  assert.equal(await fromHash(""), null);
});

test("an unknown name, and a value of the wrong type, are named with their place", async () => {
  for (const [hash, message] of [
    [
      changed((shape) => (shape.fields['colour"] = 1\nradius'] = 2)),
      'shape 0, fields, colour"] = 1\nradius: unknown name',
    ],
    [changed((shape) => (shape.fields.radius = "big")), 'shape 0, fields, radius: expected number, received "big"'],
    [changed((shape) => delete shape.fields.center), "shape 0, fields, center is missing"],
    [changed((shape) => (shape.fields.center = [0, 1])), "shape 0, fields, center: expected 3, received 2"],
    [changed((shape) => (shape.type = "ghost")), /^shape 0, type: expected .*, received "ghost"$/],
    [
      changed((shape) =>
        Object.assign(shape, { type: "box", fields: { center: [0, 0, 0], half_extents: [1, 1, 1], axes: 7 } }),
      ),
      "shape 0, fields, axes: expected Array, received 7",
    ],
    [
      changed((shape) =>
        Object.assign(shape, { type: "mesh", fields: { file: "octahedron.obj" }, placement: "there" }),
      ),
      'shape 0, placement: expected Object, received "there"',
    ],
    [
      changed((shape) =>
        Object.assign(shape, { type: "mesh", fields: { file: "octahedron.obj" }, placement: { scale: 2 } }),
      ),
      "shape 0, placement, scale: expected Array, received 2",
    ],
    [changed((shape) => (shape.placement = { scale: [1, 1, 1] })), "shape 0, placement: unknown name"],
    [changed((_, scene) => (scene.shapes = { length: 3 })), "scene, shapes: expected Array, received Object"],
    [
      changed((_, scene) => (scene.field = { count: 1e9 })),
      "scene, field, count: expected <=100000, received 1000000000",
    ],
    [
      changed(
        (_, __, all) => (all.view = { tab: "secret", doubt: true, allHits: false, explained: null, camera: null }),
      ),
      /^view, tab: expected .*, received "secret"$/,
    ],
    [
      changed((_, scene) => (scene.query = { ...QUERY, kind: "guess" })),
      /^scene, query, kind: expected .*, received "guess"$/,
    ],
    [
      changed((_, scene) => (scene.query = { ...QUERY, volume: { type: "cone", fields: {} } })),
      /^scene, query, volume, type: expected .*, received "cone"$/,
    ],
    [
      changed((_, scene) => (scene.query = { ...QUERY, volume: { ...QUERY.volume, matrix: [] } })),
      "scene, query, volume, matrix: unknown name",
    ],
    [changed((_, scene) => (scene.query = { ...QUERY, point: [0, 0] })), "scene, query, point: expected 3, received 2"],
    [changed((_, __, all) => (all.files = { "a.obj": "%%%" })), "the bytes of a.obj are damaged"],
  ]) {
    const said = (await refused(hash)).replace(/^This link cannot be opened: |\.$/g, "");
    if (message instanceof RegExp) assert.match(said, message);
    else assert.equal(said, message);
  }
  assert.match(await refused(plain({ ...SPHERE, v: 9 })), /another version/);
  assert.match(await refused("#z=abcd"), /damaged/);
});

test("a short link that would unpack to very much is refused before it has", async () => {
  const bomb = `#z=${deflateRawSync(Buffer.alloc(150_000_000, 32), { level: 9 }).toString("base64url")}`;
  assert.ok(bomb.length < 250_000);
  const before = process.memoryUsage().rss;
  assert.match(await refused(bomb), /holds more than 8 MB/);
  assert.ok(process.memoryUsage().rss - before < 100_000_000);
  // Just as much as is allowed is read.
  const text = JSON.stringify(SPHERE);
  assert.equal((await fromHash(packed(text.padEnd(MAX_BYTES)))).scene.shapes.length, 1);
  assert.match(await refused(packed(text.padEnd(MAX_BYTES + 1))), /holds more than/);
});

test("a scene that no link can hold is refused when the link is made", async () => {
  const [shape] = SPHERE.scene.shapes;
  const made = { ...SPHERE.scene, field: {}, shapes: [{ ...shape, id: 1, name: "x".repeat(1001) }] };
  await assert.rejects(toHash(made, null), (error) => {
    assert.ok(error instanceof LinkError);
    assert.match(error.message, /^A link cannot hold this scene: shape 0, name: .*\.$/);
    return true;
  });
  made.shapes = Array.from({ length: 2001 }, () => ({ ...shape, id: 1 }));
  await assert.rejects(toHash(made, null), /A link cannot hold this scene: scene, shapes: /);
  // A camera that is nowhere is left out, and the link opens.
  made.shapes = [{ ...shape, id: 1 }];
  const view = { tab: "code", doubt: false, allHits: true, explained: null };
  const hash = await toHash(made, { ...view, camera: { position: [NaN, 0, 0], target: [0, 0, 0] } });
  assert.deepEqual((await fromHash(hash)).view, { ...view, camera: null });
});

test("a link without a query asks about its ray, and has a point and a volume at the tip", async () => {
  const { query } = (await fromHash(plain(SPHERE))).scene;
  assert.deepEqual([query.kind, query.point, query.max_distance, query.radius], ["ray", [0, 0, 4], null, 0.25]);
  assert.deepEqual(query.volume.fields, { center: [0, 0, 4], radius: 0.5 });
});

test("links of version 1 still open", async () => {
  const { origin, tip, direction, ...ray } = SPHERE.scene.ray;
  const old = {
    v: 1,
    scene: {
      ...SPHERE.scene,
      ray: { ...ray, origin, tip, way: direction, solid: "hollow", faces: "back" },
      field: { look: "depth" },
    },
  };
  const { scene, view } = await fromHash(plain(old));
  assert.deepEqual(scene.ray.direction, direction);
  assert.deepEqual([scene.ray.inside, scene.ray.faces, scene.field.coloring, view], ["hollow", "back", "depth", null]);
});

test("the link of every example comes back", async () => {
  for (const { scene } of PRESETS) {
    const made = scene();
    made.shapes.forEach((shape, i) => (shape.id = i + 1));
    assert.deepStrictEqual(data((await fromHash(await toHash(made, null))).scene), data(made));
  }
});
