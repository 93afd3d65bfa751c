// Mouse drags and touches in both views: gizmos, handles, shapes and the ray, and the colours on the screen.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drag, launch, number, open, scene, nextFrames, toPixel } from "./browser.mjs";
import { around, pixelsOf } from "./pixels.mjs";
import { fileUrl } from "./paths.mjs";

let browser;
before(async () => void (browser = await launch()));
after(() => browser?.close());

async function preset(name, options) {
  const opened = await open(browser, fileUrl, options);
  await opened.page.selectOption("#examples", name);
  await nextFrames(opened.page);
  return opened;
}

async function done({ problems, context }) {
  assert.deepEqual(problems, []);
  await context.close();
}

const plus = ([x, y], dx, dy) => [x + dx, y + dy];
const close = (a, b, slack, what) => assert.ok(Math.abs(a - b) <= slack, `${what}: ${a}, not ${b}`);
const select = async (page, name) => {
  await page.locator(".shapes .name", { hasText: name }).first().click();
  await nextFrames(page);
};
const choose = async (page, label) => {
  await page.locator("#tools button", { hasText: label }).click();
  await nextFrames(page);
};

/** Pixels from the middle of a gizmo to the handle of an axis: where a hover makes the cursor's axis light up. */
async function handle(page, center, axis, distance = 1) {
  const away = center.map((c, i) => c + distance * axis[i]);
  const [from, to] = [await toPixel(page, center), await toPixel(page, away)];
  const size = Math.hypot(to[0] - from[0], to[1] - from[1]);
  return (pixels) => plus(from, ((to[0] - from[0]) / size) * pixels, ((to[1] - from[1]) / size) * pixels);
}

test("the gizmo moves a ball along one axis, as far as the mouse", async () => {
  const opened = await preset("sphere");
  const { page } = opened;
  await select(page, "ball");
  const along = await handle(page, [0, 1, 0], [1, 0, 0]);
  const before = await number(page, "t");
  await drag(page, along(52), along(112));
  const { center } = (await scene(page)).shapes[0].fields;
  const [one, two] = [await toPixel(page, [0, 1, 0]), await toPixel(page, [1, 1, 0])];
  const expected = 60 / Math.hypot(two[0] - one[0], two[1] - one[1]);
  close(center[0], expected, 0.15 * expected + 0.05, "x");
  assert.deepEqual(center.slice(1), [1, 0]);
  assert.notEqual(await number(page, "t").catch(() => null), before);
  await page.keyboard.press("Control+z");
  await nextFrames(page);
  assert.deepEqual((await scene(page)).shapes[0].fields.center, [0, 1, 0], "a drag is one step of undo");
  assert.equal(await number(page, "t"), before);
  await done(opened);
});

test("the gizmo turns a box into an oriented one, whose axes stay orthonormal", async () => {
  const opened = await preset("box");
  const { page } = opened;
  await select(page, "crate");
  await choose(page, "Rotate");
  const [cx, cy] = await toPixel(page, [0, 1, 0]);
  // The outermost ring turns in the plane of the screen; the rings of the axes lie within.
  let turned = null;
  for (const radius of [104, 98, 92, 110, 86, 80]) {
    await drag(page, [cx + radius, cy], [cx + radius * 0.6, cy - radius * 0.8], 10);
    const state = await scene(page);
    if (state.shapes[0].fields.axes) {
      turned = state.shapes[0].fields;
      break;
    }
  }
  assert.ok(turned, "no ring was found");
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  turned.axes.forEach((a, i) =>
    turned.axes.forEach((b, j) => close(dot(a, b), i === j ? 1 : 0, 1e-12, `axes ${i}${j}`)),
  );
  assert.ok(Math.abs(turned.axes[0][0]) < 0.999);
  assert.deepEqual(turned.center, [0, 1, 0]);
  assert.doesNotMatch(await page.locator("#verdict").innerText(), /mistake/);
  await done(opened);
});

test("the gizmo scales a cylinder along its axis and across", async () => {
  const opened = await preset("cylinder");
  const { page } = opened;
  await select(page, "column");
  await choose(page, "Scale");
  const along = await handle(page, [0, 1, 0], [0, 1, 0]);
  await drag(page, along(52), along(92));
  const { fields } = (await scene(page)).shapes[0];
  const height = fields.b[1] - fields.a[1];
  assert.ok(height > 2.3, `height ${height}`);
  assert.equal(fields.radius, 1);
  close((fields.a[1] + fields.b[1]) / 2, 1, 0.01, "the middle stays");
  await done(opened);
});

test("a shape is dragged by itself, and the ray by its ends", async () => {
  const opened = await preset("sphere");
  const { page } = opened;
  const ball = plus(await toPixel(page, [0, 1, 0]), 25, 30);
  await drag(page, ball, plus(ball, 60, -20));
  let state = await scene(page);
  const moved = await toPixel(page, state.shapes[0].fields.center);
  const was = await toPixel(page, [0, 1, 0]);
  // The place that was taken follows the mouse; the centre, behind it, a little less.
  close(moved[0] - was[0], 60, 9, "dx in pixels");
  close(moved[1] - was[1], -20, 4, "dy in pixels");
  const tip = await toPixel(page, state.ray.tip);
  const { origin } = state.ray;
  await drag(page, tip, plus(tip, 20, 60));
  state = await scene(page);
  const now = await toPixel(page, state.ray.tip);
  close(now[0], tip[0] + 20, 2, "tip x");
  close(now[1], tip[1] + 60, 2, "tip y");
  assert.deepEqual(state.ray.origin, origin);
  state.ray.direction.forEach((x, i) =>
    close(x, state.ray.tip[i] - state.ray.origin[i], 1e-9, "the direction follows"),
  );
  await page.keyboard.press("Escape");
  const start = await toPixel(page, origin);
  await drag(page, start, plus(start, 40, 10));
  const after = await toPixel(page, (await scene(page)).ray.origin);
  close(after[0], start[0] + 40, 2, "origin x");
  await done(opened);
});

test("beside everything a drag turns the view and leaves the scene", async () => {
  const opened = await preset("sphere");
  const { page } = opened;
  const before = await scene(page);
  const place = await toPixel(page, [0, 1, 0]);
  const box = await page.locator("#stage").boundingBox();
  await drag(page, [box.x + 60, box.y + box.height - 120], [box.x + 200, box.y + box.height - 150]);
  assert.deepEqual(await scene(page), before);
  assert.notDeepEqual(await toPixel(page, [0, 1, 0]), place);
  await done(opened);
});

for (const [what, name, colorScheme] of [
  ["space", "sphere", "light"],
  ["space", "sphere", "dark"],
  ["the plane", "graze-circle", "light"],
]) {
  test(`in ${what}, ${colorScheme}: red up to the hit and a green normal, blue on a miss`, async () => {
    const opened = await preset(name, { colorScheme });
    const { page } = opened;
    if (what === "the plane") await page.selectOption("#examples", "plane");
    await page.locator("#tabs button", { hasText: "Code" }).click();
    await nextFrames(page);
    const { ray } = await scene(page);
    const t = await number(page, "t");
    const on = (s) => ray.origin.map((x, i) => x + s * ray.direction[i]);
    const axes = ["x", "y", "z"].slice(0, ray.origin.length);
    const point = await Promise.all(axes.map((axis) => number(page, `p${axis}`)));
    const normal = await Promise.all(axes.map((axis) => number(page, `n${axis}`)));
    const halfway = await toPixel(page, on(t * 0.55));
    assert.ok((await pixelsOf(page, "ray", around(halfway))) > 20, "the ray is red before the hit");
    assert.ok((await pixelsOf(page, "ray", around(await toPixel(page, point)))) > 40, "the hit is a red dot");
    const toNormal = await toPixel(
      page,
      point.map((x, i) => x + 0.01 * normal[i]),
    );
    const from = await toPixel(page, point);
    const size = Math.hypot(toNormal[0] - from[0], toNormal[1] - from[1]);
    const out = plus(from, (30 * (toNormal[0] - from[0])) / size, (30 * (toNormal[1] - from[1])) / size);
    assert.ok((await pixelsOf(page, "normal", around(out))) > 15, "the normal is green");
    // Away from the shape.
    const tip = await toPixel(page, ray.tip);
    const start = await toPixel(page, ray.origin);
    await page.locator("#ray button", { hasText: "Turn round" }).click();
    await page.locator("#ray button", { hasText: /^Ray$/ }).click();
    await nextFrames(page);
    if (what === "the plane") {
      // The segment ended in the circle, where it starts now.
      await drag(page, tip, plus(start, 60, -180));
    }
    await nextFrames(page);
    assert.match(await page.locator("#verdict").innerText(), /Miss/);
    const now = (await scene(page)).ray;
    const middle = await toPixel(
      page,
      now.origin.map((x, i) => x + 0.4 * now.direction[i]),
    );
    assert.ok((await pixelsOf(page, "miss", around(middle))) > 20, "a miss is blue");
    await done(opened);
  });
}

test("in the plane: handles change a circle's radius, move, turn and scale", async () => {
  const opened = await preset("plane");
  const { page } = opened;
  await select(page, "circle");
  const grip = await toPixel(page, [13, 4]);
  const unit = (await toPixel(page, [14, 4]))[0] - grip[0];
  await drag(page, grip, plus(grip, -unit, 0));
  assert.equal((await scene(page)).shapes[0].fields.radius, 2);
  const inside = await toPixel(page, [10.5, 3.4]);
  await drag(page, inside, plus(inside, unit, 2 * unit));
  assert.deepEqual((await scene(page)).shapes[0].fields.center, [11, 2]);
  await page.selectOption('#scene select[aria-label="Shape to add"]', "rectangle");
  await page.locator("#scene button", { hasText: "Add" }).click();
  await nextFrames(page);
  await page.keyboard.press("f");
  await nextFrames(page);
  const knob = plus(await toPixel(page, [0, Math.hypot(1.5, 1)]), 0, -30);
  const center = await toPixel(page, [0, 0]);
  const reach = center[1] - knob[1];
  await drag(page, knob, [center[0] - reach, center[1]], 12);
  const { axes, half_extents } = (await scene(page)).shapes[1].fields;
  close(axes[0][1], 1, 0.01, "a quarter turn");
  assert.deepEqual(half_extents, [1.5, 1]);
  const corner = [center[0] + reach * Math.SQRT1_2, center[1] + reach * Math.SQRT1_2];
  await drag(page, corner, plus(corner, 40, 40), 8);
  assert.ok((await scene(page)).shapes[1].fields.half_extents[0] > 1.7);
  await done(opened);
});

test("in the plane: corners of a polygon, panning and the wheel", async () => {
  const opened = await preset("every2");
  const { page } = opened;
  await select(page, "polygon");
  const index = (await scene(page)).shapes.findIndex(({ type }) => type === "polygon");
  const vertex = (await scene(page)).shapes[index].fields.vertices[0];
  const place = await toPixel(page, vertex);
  await drag(page, place, plus(place, 18, 0));
  assert.ok((await scene(page)).shapes[index].fields.vertices[0][0] > vertex[0] + 0.2);
  const before = await scene(page);
  const box = await page.locator("#stage").boundingBox();
  const empty = [box.x + box.width - 40, box.y + 140];
  const marker = await toPixel(page, [0, 0]);
  await drag(page, empty, plus(empty, -50, 25));
  const panned = await toPixel(page, [0, 0]);
  close(panned[0] - marker[0], -50, 1, "pan x");
  close(panned[1] - marker[1], 25, 1, "pan y");
  await page.mouse.wheel(0, -400);
  await nextFrames(page);
  assert.ok(Math.abs((await toPixel(page, [1, 0]))[0] - (await toPixel(page, [0, 0]))[0]) > 0);
  assert.deepEqual(await scene(page), before);
  await done(opened);
});

/** A finger from one pixel to another. */
async function swipe({ page, context }, from, to, steps = 5) {
  const session = await context.newCDPSession(page);
  const touch = (type, points) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  await touch("touchStart", [from]);
  for (let i = 1; i <= steps; i++) await touch("touchMove", [from.map((x, axis) => x + ((to[axis] - x) * i) / steps)]);
  await touch("touchEnd", []);
  await nextFrames(page);
}

test("touch: a finger drags the tip of the ray", async () => {
  const opened = await preset("plane", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = opened;
  const { ray } = await scene(page);
  const from = await toPixel(page, ray.tip);
  await swipe(opened, plus(from, 6, 5), plus(from, 26, 35));
  const now = await toPixel(page, (await scene(page)).ray.tip);
  close(now[0], from[0] + 20, 3, "x");
  close(now[1], from[1] + 30, 3, "y");
  await done(opened);
});

test("touch: a finger pulls a handle of the gizmo, and the camera stays", async () => {
  const opened = await preset("sphere", { hasTouch: true });
  const { page } = opened;
  await select(page, "ball");
  const along = await handle(page, [0, 1, 0], [1, 0, 0]);
  const [one, two] = [await toPixel(page, [0, 1, 0]), await toPixel(page, [1, 1, 0])];
  await swipe(opened, along(52), along(112));
  const { center } = (await scene(page)).shapes[0].fields;
  const expected = 60 / Math.hypot(two[0] - one[0], two[1] - one[1]);
  close(center[0], expected, 0.15 * expected + 0.05, "x");
  assert.deepEqual(center.slice(1), [1, 0]);
  assert.deepEqual(await toPixel(page, [0, 1, 0]), one);
  // The finger is gone: the next one, beside everything, turns the view and moves nothing.
  const before = await scene(page);
  const box = await page.locator("#view3 canvas").boundingBox();
  const corner = [box.x + 60, box.y + box.height - 60];
  await swipe(opened, corner, plus(corner, 80, 0));
  assert.deepEqual(await scene(page), before);
  assert.notDeepEqual(await toPixel(page, [0, 1, 0]), one);
  await done(opened);
});
