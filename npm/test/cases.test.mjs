// The cases of testdata/triangle.toml, each a mesh of one triangle, with exact answers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "smol-toml";
import { init } from "hitscan/full";

const { case: cases } = parse(await readFile(new URL("../../testdata/triangle.toml", import.meta.url), "utf8"));
const numbers = (list) => list.map(Number);
const close = (found, expected, precision, what) => {
  const room = (precision === "f32" ? 2 ** -22 : 2 ** -51) * Math.max(1, Math.abs(expected));
  assert.ok(found === expected || Math.abs(found - expected) <= room, `${what}: ${found} in place of ${expected}`);
};

test("each case of a triangle has its exact answer", async () => {
  const hs = await init();
  let count = 0;
  for (const { name, shape, ray, t_min, t_max, faces, precision, first, all, ...rest } of cases) {
    // Segments are no rays: their direction is the exact difference of two points.
    if (!ray || rest.coplanar) continue;
    for (const type of precision ?? ["f32", "f64"]) {
      const mesh = hs.mesh([shape.a, shape.b, shape.c].flatMap(numbers), [0, 1, 2], { precision: type });
      const given = [numbers(ray.origin), numbers(ray.direction)];
      const options = { faces, tMin: t_min === undefined ? undefined : Number(t_min), tMax: t_max === undefined ? undefined : Number(t_max) };
      const hit = mesh.cast(...given, options);
      assert.equal(mesh.occluded(...given, options), hit !== null, name);
      assert.equal(hit === null, first === "miss", name);
      if (all) {
        // A plain list has an edge once for the triangles that share it; here there is one, which need not be the one that owns it.
        const hits = mesh.castAll(...given, { ...options, sharedEdges: "each" });
        assert.equal(hits.length, all.length, name);
        hits.forEach(({ t }, i) => close(t, Number(all[i]), type, name));
      }
      if (hit) {
        close(hit.t, Number(first.t), type, `${name}: t`);
        if (first.point) numbers(first.point).forEach((x, i) => close(hit.point[i], x, type, `${name}: point`));
        if (first.normal) numbers(first.normal).forEach((x, i) => close(hit.normal[i], x, type, `${name}: normal`));
        assert.equal(hit.front ? "front" : "back", first.side, name);
      }
      mesh.dispose();
      count++;
    }
  }
  assert.ok(count > 50, `${count} cases`);
});
