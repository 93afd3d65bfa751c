// Shapes with a matrix: objects of a scene file, as the page edits, draws and writes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { modules } from "./modules.mjs";

const { fromHash, image, move, pivot, queryAt, rotateShape, rotation2, rust, scaleShape, sceneToml, toHash, withoutMatrix } =
  await modules(`
    export * from "./transform.js";
    export { sceneToml } from "./toml.js";
    export { queryAt } from "./state.js";
    export { rust } from "./snippets.js";
    export { fromHash, toHash } from "./link.js";
  `);

/** A circle around (1, 0), sheared, mirrored and moved: (x, y) -> (x + y / 2 + 10, -y). */
const sheared = () => ({
  id: 1,
  type: "circle",
  name: "a",
  fields: { center: [1, 0], radius: 1 },
  matrix: [
    [1, 0.5, 10],
    [0, -1, 0],
  ],
});

const ray = { kind: "ray", origin: [0, 0], direction: [1, 0], tip: [1, 0], t_min: null, t_max: null, inside: "solid", faces: "both" };
const field = { on: false, shape: "fan", coloring: "hits", count: 10, degrees: 50, width: 4 };
const scene = (...shapes) => ({ dimension: 2, shapes, ray, query: queryAt(ray), field });

test("a matrix is written as one, without a loss of digits", () => {
  const shape = { ...sheared(), matrix: [[0.1, -0, 1e-300], [0, 1, 2]] };
  assert.match(sceneToml(2, [shape]), /matrix = \[ \[ 0\.1, -0\.0, 1e-300 \], \[ 0, 1, 2 \] \]/);
});

test("edits change where the shape is, not the shape", () => {
  const edited = (edit) => {
    const shape = sheared();
    edit(shape);
    assert.deepEqual(shape.fields, sheared().fields);
    return shape;
  };
  const point = [3, 4];
  const before = image(sheared(), point);
  assert.deepEqual(before, [15, -4]);
  assert.deepEqual(pivot(2, sheared()), [11, 0]);
  const moved = edited((shape) => move(2, shape, [1, 2]));
  assert.deepEqual(image(moved, point), [16, -2]);
  const scaled = edited((shape) => scaleShape(2, shape, [2, 3], [[1, 0], [0, 1]], [11, 0]));
  assert.deepEqual(image(scaled, point), [11 + 2 * 4, -12]);
  const turned = edited((shape) => rotateShape(2, shape, rotation2(Math.PI / 2), [11, 0]));
  image(turned, point).forEach((x, i) => assert.ok(Math.abs(x - [15, 4][i]) < 1e-12));
});

test("straight shapes are drawn where their image is", () => {
  const { matrix } = sheared();
  const line = withoutMatrix({ id: 1, type: "line", name: "", fields: { point: [0, 1], normal: [0, 1] }, matrix });
  assert.equal(line.matrix, undefined);
  assert.deepEqual(line.fields["point"], [10.5, -1]);
  // A mirror leaves the side: the image of the side in front is in front.
  const ahead = image({ ...sheared() }, [0, 2]);
  const [x, y] = line.fields["normal"];
  assert.ok(x * (ahead[0] - 10.5) + y * (ahead[1] + 1) > 0);
  const square = { vertices: [[0, 0], [1, 0], [1, 1], [0, 1]] };
  const polygon = withoutMatrix({ id: 1, type: "polygon", name: "", fields: square, matrix });
  assert.deepEqual(polygon.fields["vertices"], [[10, 0], [11, 0], [11.5, -1], [10.5, -1]]);
  assert.ok(withoutMatrix(sheared()).matrix, "the image of a circle is none");
});

test("links and Rust keep the matrix", async () => {
  const { scene: again } = await fromHash(await toHash(scene(sheared()), null));
  assert.deepEqual(again.shapes[0].matrix, sheared().matrix);
  const code = rust(scene(sheared()), false);
  const transform = "Transform::new([DVec2::new(1.0, 0.0), DVec2::new(0.5, -1.0)], DVec2::new(10.0, 0.0))?";
  assert.ok(code.includes(`.with_transform(${transform}).named("a")`), code);
  assert.ok(code.includes("Transform, glam::DVec2"), code);
});
