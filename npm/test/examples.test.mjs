// The example pages in Chromium: what they say equals what the library says in Node for the same input, and axe finds no fault.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import * as THREE from "three";
import { makeCourse } from "../examples/parts/course.js";
import { makeMeshes, nameOf, normalOf } from "../examples/parts/meshes.js";
import { makeCup } from "../examples/parts/model.js";
import { makeTerrain } from "../examples/parts/terrain.js";
import { RADIUS, Walker } from "../examples/parts/walker.js";
import { serve } from "../examples/serve.mjs";

// The driver, the browser and axe are those of the ray lab.
const lab = await import("../../lab/test/browser.mjs").catch(() => null);
const path = lab && (() => { try { return lab.browserPath(); } catch { return ""; } })();
const skip = !lab ? "lab/node_modules has no playwright-core" : !existsSync(path) ? "there is no Chromium" : false;
const axe = skip ? "" : readFileSync(new URL("../../lab/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const { init } = await import("../dist/full.js");
const hs = await init();

// Small windows: the software renderer takes its time for each pixel.
const DESK = { viewport: { width: 760, height: 340 } };
const PHONE = { viewport: { width: 390, height: 640 }, isMobile: true, hasTouch: true, colorScheme: "dark" };
let server, browser;
before(async () => {
  if (skip) return;
  server = await serve();
  browser = await lab.launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens an example, looks at it, and then for what must not happen: errors, a page wider than the screen, faults that axe finds. */
function example(name, what, options, look) {
  test(`${name}: ${what}`, { skip, timeout: 60_000 }, async () => {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      const problems = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        // The software renderer reports how slow it is to read pixels.
        if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text())) problems.push(message.text());
      });
      await page.goto(`http://127.0.0.1:${server.address().port}/examples/${name}.html`);
      await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 30_000 });
      await look(page, (id) => page.locator(`#${id}`).textContent());
      assert.deepEqual(problems, []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "the page is too wide");
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), []);
    } finally {
      await context.close();
    }
  });
}

const fixed = (numbers, digits) => numbers.map((c) => c.toFixed(digits)).join(", ");

/** What the page for picking says of its ray, by the raycast of three.js alone in Node. */
async function expectedPick(page) {
  const [origin, direction] = await page.evaluate(() => window.example.ray());
  const raycaster = new THREE.Raycaster(new THREE.Vector3(...origin), new THREE.Vector3(...direction));
  const [hit] = raycaster.intersectObject(makeMeshes());
  if (!hit) return ["The ray hits nothing.", "–", "–"];
  return [
    `Hit: ${nameOf(hit)}, triangle ${hit.faceIndex}, at a distance of ${hit.distance.toFixed(4)}.`,
    fixed(hit.point.toArray(), 4),
    fixed(normalOf(hit).toArray(), 4),
  ];
}

example("picking", "pointer, keys and the comparison", DESK, async (page, text) => {
  const seen = new Set();
  for (const [x, y] of [[5, 5], [200, 150], [240, 180]]) {
    await page.mouse.move(x, y);
    const expected = await expectedPick(page);
    assert.deepEqual([await text("answer"), await text("point"), await text("normal")], expected);
    seen.add(expected[0]);
  }
  assert.ok(seen.size > 2, [...seen].join());
  await page.locator("canvas").focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const [answer] = await expectedPick(page);
  assert.equal(await text("answer"), answer);
  assert.ok(answer.includes(await text("kept")), await text("kept"));
  await page.locator("#compare").click();
  assert.match(await text("comparison"), /For this ray the hits are the same, and three\.js alone takes [\d.]+ times as long/);
});

example("picking", "a finger on a phone", PHONE, async (page, text) => {
  await page.touchscreen.tap(200, 170);
  const [answer, point] = await expectedPick(page);
  assert.match(answer, /triangle/);
  assert.deepEqual([await text("answer"), await text("point")], [answer, point]);
});

/** Waits until the ball rests, takes the same steps in Node, and compares the places. */
async function walkAgain(page, text) {
  await page.waitForFunction(() => window.example.rests());
  const { start, inputs, center } = await page.evaluate(() => ({ ...window.example, rests: null, center: window.example.center() }));
  const course = makeCourse();
  const mesh = hs.mesh(course.attributes.position.array, course.index.array, { precision: "f32" });
  const walker = new Walker(mesh, start);
  for (const input of inputs) walker.step(input);
  // Equal numbers but for the sines of the terrain, of which engines may round the last digit.
  const [x, y, z] = walker.center.map((c) => c.toFixed(2));
  assert.equal(await text("answer"), `The ball stands at x ${x}, y ${y}, z ${z}.`);
  // The ball touches nothing, and rests on the ground.
  assert.equal(mesh.overlapsSphere(center, RADIUS), false);
  assert.ok(mesh.closestPoint(center).distance < RADIUS + 0.05);
  mesh.dispose();
  return { start, center };
}

/** Holds a key until the ball moved for a number of steps: frames may be slow. */
async function steps(page, count) {
  const from = await page.evaluate(() => window.example.inputs.length);
  await page.waitForFunction((end) => window.example.inputs.length >= end, from + count);
}

example("walking", "keys", DESK, async (page, text) => {
  await page.locator("canvas").focus();
  await page.keyboard.down("w");
  await steps(page, 150);
  await page.keyboard.up("w");
  const { start, center } = await walkAgain(page, text);
  // Up the stairs, which begin 5.5 m in front of the start.
  assert.ok(center[2] < start[2] - 10 && center[1] > 2.5, String(center));
});

example("walking", "buttons on a phone", PHONE, async (page, text) => {
  const before = await page.evaluate(() => window.example.center());
  const press = async (name, count) => {
    const { x, y, width, height } = await page.getByRole("button", { name }).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await steps(page, count);
    await page.mouse.up();
  };
  await press("Turn left", 20);
  await press("Forward", 20);
  await press("Jump", 2);
  const { center } = await walkAgain(page, text);
  assert.ok(center[0] < before[0] - 0.4, String(center));
});

example("measuring", "two points, thickness and the probe", DESK, async (page, text) => {
  const cup = makeCup();
  const mesh = hs.mesh(cup.attributes.position.array, cup.index.array);
  const place = (point) => `(${fixed(point.map((c) => c * 1000), 2)})`;
  const mm = (meters) => `${(meters * 1000).toFixed(2)} mm`;
  const hits = [];
  for (const [x, y] of [[170, 160], [220, 210]]) {
    await page.mouse.click(x, y);
    const [origin, direction] = await page.evaluate(() => window.example.ray());
    const hit = mesh.cast(origin, direction);
    assert.ok(hit, "the click is beside the cup");
    hits.push(hit);
  }
  const [first, second] = hits.map(({ point }) => point);
  const distance = Math.hypot(...first.map((c, i) => c - second[i]));
  assert.equal(await text("answer"), `The points at ${place(first)} and ${place(second)} mm are ${mm(distance)} apart.`);
  // The wall, by the two sides of the first span of the ray into the cup.
  const inward = hits[1].normal.map((c) => -c);
  const [wall, ...others] = mesh.spans(second.map((c, i) => c - 0.01 * inward[i]), inward);
  assert.equal(await text("thickness"), mm(wall.exit.t - wall.enter.t));
  assert.equal(await text("parts"), String(1 + others.length));
  // The probe comes out of the wall when the slider moves by keys.
  const size = Math.hypot(...mesh.bounds.max.map((c, i) => c - mesh.bounds.min[i]));
  await page.locator("#depth").focus();
  const seen = new Set();
  for (let i = 0; i < 30; i++) {
    const depth = Number(await page.locator("#depth").inputValue()) * size * 0.25;
    const probe = second.map((c, axis) => c + depth * inward[axis]);
    const expected = mesh.contains(probe) ? "inside" : "outside";
    assert.deepEqual([await text("probe"), await text("gap")], [expected, mm(Math.abs(mesh.signedDistance(probe)))]);
    seen.add(expected);
    await page.keyboard.press("ArrowRight");
  }
  assert.equal(seen.size, 2);
  mesh.dispose();
});

/** A GLB file of one triangle, written by hand. */
function glb(positions) {
  const data = Buffer.from(new Float32Array(positions).buffer);
  const json = JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, translation: [0, 0, 1] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: positions.length / 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
    bufferViews: [{ buffer: 0, byteLength: data.length }],
    buffers: [{ byteLength: data.length }],
  });
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4));
  const head = (...numbers) => Buffer.from(new Uint32Array(numbers).buffer);
  return Buffer.concat([head(0x46546c67, 2, 28 + text.length + data.length, text.length, 0x4e4f534a), text, head(data.length, 0x004e4942), data]);
}

example("measuring", "files on a phone", PHONE, async (page, text) => {
  const choose = (name, buffer) => page.locator("#file").setInputFiles({ name, mimeType: "model/gltf-binary", buffer });
  await choose("bad.glb", Buffer.from("no model"));
  await page.locator("#problem").getByText("bad.glb cannot be shown.").waitFor();
  await choose("one.glb", glb([0, 0, 0, 1, 0, 0, 0.5, 1, 0]));
  await page.locator("#model").getByText("one.glb: 1 triangle. It is not closed").waitFor();
  assert.equal(await page.locator("#problem").isVisible(), false);
  await page.getByRole("button", { name: "Nearer" }).click();
  await page.getByRole("button", { name: "Set a point" }).click();
  assert.match(await text("answer"), /^The point is at \(\d+\.\d\d, \d+\.\d\d, 1000\.00\) mm/);
  assert.deepEqual([await text("thickness"), await text("parts"), await text("probe")], ["–", "0", "–"]);
});

/** What the page for lines of sight says, by one ray for each point. */
async function expectedSight(page) {
  const { place, targets, above } = await page.evaluate(() => ({ ...window.example, above: Number(document.querySelector("#eye").value) }));
  const { positions, indices } = makeTerrain({ size: 200, cells: 128, height: 12 });
  const terrain = hs.mesh(positions, indices);
  const ground = terrain.cast([place.x, 100, place.z], [0, -1, 0]);
  const eye = [place.x, ground.point[1] + above, place.z];
  const seen = targets.filter((target) => terrain.cast(eye, target.map((c, i) => c - eye[i]), { tMax: 1 }) === null);
  terrain.dispose();
  assert.equal(targets.length, 500);
  assert.ok(seen.length > 0 && seen.length < 500);
  return `The observer at x ${place.x.toFixed(1)}, z ${place.z.toFixed(1)} sees ${seen.length} of 500 points.`;
}

example("sight", "pointer, keys and the eye", DESK, async (page, text) => {
  const seen = new Set();
  const check = async () => {
    assert.equal(await text("answer"), await expectedSight(page));
    seen.add(await text("answer"));
  };
  await check();
  await page.mouse.click(120, 200);
  await check();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("ArrowUp");
  await check();
  await page.locator("#eye").fill("12");
  await check();
  assert.equal(seen.size, 4);
  assert.equal(await text("rays"), "500");
});

example("sight", "buttons on a phone", PHONE, async (page, text) => {
  const before = await text("answer");
  await page.getByRole("button", { name: "West" }).tap();
  assert.notEqual(await text("answer"), before);
  assert.equal(await text("answer"), await expectedSight(page));
});

for (const name of ["picking", "walking", "measuring", "sight"]) {
  test(`${name}: a browser without WebGL`, { skip, timeout: 60_000 }, async () => {
    const page = await browser.newPage();
    await page.addInitScript(() => (HTMLCanvasElement.prototype.getContext = () => null));
    await page.goto(`http://127.0.0.1:${server.address().port}/examples/${name}.html`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "failed");
    assert.match(await page.getByRole("alert").textContent(), /WebGL 2, and this browser does not offer it/);
    await page.close();
  });
}
