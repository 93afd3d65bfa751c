// Closest points, thick rays and overlaps: their numbers, their drawings in both views, drags, keys, links, and what is refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drag, launch, nextFrames, number, open, scene, toPixel } from "./browser.mjs";
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

const choose = async (page, label) => {
  await page.locator("#queries button", { hasText: new RegExp(`^${label}$`) }).click();
  await nextFrames(page);
};
const fill = async (page, label, text) => {
  await page.getByLabel(label, { exact: true }).fill(text);
  await nextFrames(page);
};
const verdict = async (page) => (await page.locator("#verdict").innerText()).replaceAll("\n", " ");
const value = (page, key) => page.locator(`#answer [data-number="${key}"]`).first().getAttribute("data-value");
const focusPicture = (page) => page.locator("#stage canvas, #stage svg").locator("visible=true").first().focus();
/** The words in the picture. */
const words = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#labels span, #view2 text")]
      .filter((word) => word.checkVisibility())
      .map(({ textContent }) => textContent),
  );
/** The balls and capsules in the picture of the plane: the ends of each path in x, in pixels. */
const solids = (page) =>
  page.locator("#view2 path.solid").evaluateAll((paths) =>
    paths.map((path) => {
      const { x, y, width, height } = path.getBBox();
      return { x, y, width, height };
    }),
  );
const close = (a, b, slack, what) => assert.ok(Math.abs(a - b) <= slack, `${what}: ${a}, not ${b}`);
const between = (a, b, part) => a.map((x, i) => x + part * (b[i] - x));

test("the closest point of a corner: its numbers, and the circle that touches it", async () => {
  const opened = await preset("closest2");
  const { page } = opened;
  // The corner (1.75, 0.5) from (0.75, 1.5).
  assert.equal(await number(page, "distance"), Math.SQRT2);
  assert.equal(await number(page, "signed"), Math.SQRT2);
  assert.deepEqual([await number(page, "px"), await number(page, "py")], [1.75, 0.5]);
  close(await number(page, "nx"), -Math.SQRT1_2, 1e-15, "normal");
  assert.match(await value(page, "feature"), /^vertex \d$/);
  assert.equal(await value(page, "shape"), "crate");
  assert.match(await verdict(page), /^Closest crate at distance 1\.41421$/);
  assert.deepEqual(await words(page), ["P", "d", "C"]);
  const [ball] = await solids(page);
  const [p, q] = [await toPixel(page, [0.75, 1.5]), await toPixel(page, [1.75, 0.5])];
  close(ball.width / 2, Math.hypot(q[0] - p[0], q[1] - p[1]), 0.1, "the radius of the circle");
  assert.ok((await pixelsOf(page, "ink-b", around(between(p, q, 0.3), 6), 40)) > 8, "the segment");
  assert.ok((await pixelsOf(page, "normal", around(between(p, q, 0.75), 6), 40)) > 8, "the normal");

  // Dragged into the pond, the point is inside.
  await drag(page, p, await toPixel(page, [-2.5, 2]));
  const { query } = await scene(page);
  close(query.point[0], -2.5, 0.05, "x");
  assert.equal(await value(page, "shape"), "pond");
  assert.equal(await number(page, "signed"), -(await number(page, "distance")));
  close(await number(page, "signed"), -0.75, 0.05, "the depth");
  assert.ok((await number(page, "ny")) > 0.99, "outward");
  assert.match(await verdict(page), /from inside$/);
  await page.keyboard.press("Control+z");
  assert.deepEqual((await scene(page)).query.point, [0.75, 1.5], "a drag is one step of undo");
  await done(opened);
});

test("in space the ball touches the surface, and the point is dragged", async () => {
  const opened = await preset("closest3");
  const { page } = opened;
  // The edge of the crate at (0.5, 1, z).
  close(await number(page, "distance"), Math.hypot(0.25, 1), 1e-15, "distance");
  assert.deepEqual([await number(page, "px"), await number(page, "py"), await number(page, "pz")], [0.5, 1, 1.25]);
  assert.match(await value(page, "feature"), /^edge \d+$/);
  assert.deepEqual(await words(page), ["P", "d", "C"]);
  const [p, q] = [await toPixel(page, [0.25, 2, 1.25]), await toPixel(page, [0.5, 1, 1.25])];
  assert.ok((await pixelsOf(page, "ink-b", around(between(p, q, 0.35), 6), 60)) > 8, "the segment");
  assert.ok((await pixelsOf(page, "ray", around(q, 8), 40)) > 20, "the closest point");
  const side = await toPixel(page, [0.25 - 1.0308, 2, 1.25]);
  await fill(page, "max distance", "1");
  assert.match(await verdict(page), /^No point no surface is within the distance$/);
  assert.equal(await page.locator('#answer [data-number="distance"]').count(), 0);
  assert.ok((await number(page, "signed")) > 1);
  await fill(page, "max distance", "");
  await drag(page, p, [side[0], side[1]]);
  const { query } = await scene(page);
  assert.ok(query.point[0] < 0 && (await number(page, "distance")) !== Math.hypot(0.25, 1), String(query.point));
  await done(opened);
});

test("a thick ray: the band up to the contact, the ball there, and its numbers", async () => {
  const opened = await preset("thick2");
  const { page } = opened;
  // The face x = 1.75 of the crate, by a ball of radius 0.75 from (-5.5, -1.5) along (1.75, 0.5).
  close(await number(page, "t"), 6.5 / 1.75, 1e-15, "t");
  assert.deepEqual([await number(page, "mx"), await number(page, "px")], [1, 1.75]);
  assert.deepEqual([await number(page, "nx"), await number(page, "ny")], [-1, 0]);
  assert.match(await verdict(page), /^Contact crate at t = 3\.71429$/);
  assert.deepEqual((await words(page)).sort(), ["E", "M", "P", "r"]);
  const unit = (await toPixel(page, [1, 0]))[0] - (await toPixel(page, [0, 0]))[0];
  const [band, start, end] = await solids(page);
  close(start.width, 1.5 * unit, 0.1, "the ball at the start");
  close(end.width, 1.5 * unit, 0.1, "the ball at the contact");
  close(band.x, start.x, 1, "the band begins with the ball");
  close(band.x + band.width, end.x + end.width, 1, "and ends with it");
  close(
    end.x + end.width + (await page.locator("#view2").boundingBox()).x,
    (await toPixel(page, [1.75, 0]))[0],
    0.2,
    "at the crate",
  );
  // A thin ray passes over the face's other end; a thicker one touches the pond before.
  await fill(page, "thick ray radius", "1.75");
  assert.equal(await value(page, "shape"), "pond");
  // From the middle of the pond: 1.25 and 0.75 deep.
  await fill(page, "thick ray radius", "0.75");
  await fill(page, "ray origin x", "-2.5");
  await fill(page, "ray origin y", "1.5");
  assert.equal(await number(page, "t"), 0);
  assert.equal(await number(page, "depth"), 2);
  assert.match(await verdict(page), /^Touches at the start pond, depth 2$/);
  await page.locator("#ray button", { hasText: "Hollow" }).click();
  await nextFrames(page);
  assert.notEqual(await verdict(page), "Touches at the start pond, depth 2");
  // Away from everything.
  await fill(page, "ray origin x", "-8");
  await fill(page, "ray tip x", "-9");
  assert.match(await verdict(page), /^No contact/);
  assert.equal((await solids(page)).length, 2, "the band and the ball at the start");
  await done(opened);
});

test("a thick ray in space touches what a ray would miss", async () => {
  const opened = await preset("thick3");
  const { page } = opened;
  assert.equal(await value(page, "shape"), "ball");
  const t = await number(page, "t");
  // The center is 1.4 from that of the ball.
  const center = [await number(page, "mx"), await number(page, "my"), await number(page, "mz")];
  close(Math.hypot(center[0] + 1.5, center[1] - 1, center[2] - 0.5), 1.4, 1e-14, "distance of the centers");
  assert.deepEqual((await words(page)).sort(), ["E", "M", "P", "r"]);
  assert.ok((await pixelsOf(page, "ink-y", around(await toPixel(page, center), 8), 60)) > 10, "the center");
  await choose(page, "Ray");
  assert.ok((await number(page, "t")) > t, "the ray hits later");
  await choose(page, "Thick ray");
  await fill(page, "ray tip y", "2.8");
  await fill(page, "thick ray radius", "0.01");
  assert.match(await verdict(page), /^No contact/);
  await done(opened);
});

test("what a volume overlaps is red, and listed; a volume inside of a shape says so", async () => {
  const opened = await preset("overlap2");
  const { page } = opened;
  const red = () => page.locator('#view2 path[stroke="var(--ray)"]').count();
  const rows = () => page.locator("#answer dt").allInnerTexts();
  assert.deepEqual([await number(page, "count"), await red()], [1, 1]);
  assert.deepEqual(await rows(), ["count", "crate"]);
  assert.equal(await value(page, "overlap"), "in part");
  assert.deepEqual(await words(page), ["V"]);
  await fill(page, "volume radius", "4");
  assert.deepEqual(await rows(), ["count", "pond", "crate", "tent", "wall"]);
  assert.match(await verdict(page), /^Overlaps 4 pond, crate, tent, wall$/);
  assert.equal(await red(), 4);
  assert.equal(await page.locator(".shapes .dot.hit").count(), 4);
  await fill(page, "volume radius", "0.5");
  assert.match(await verdict(page), /^Overlaps nothing/);
  // Dragged into the crate, by itself.
  await drag(page, await toPixel(page, [0.6, 0.4]), await toPixel(page, [3.1, -0.6]));
  assert.equal(await value(page, "overlap"), "the volume is wholly inside");
  // A box of the same size, and one that reaches out of the crate.
  await page.locator("#ray button", { hasText: "Rectangle" }).click();
  await nextFrames(page);
  assert.deepEqual((await scene(page)).query.volume.fields.half_extents, [0.5, 0.5]);
  assert.equal(await value(page, "overlap"), "the volume is wholly inside");
  // The buttons are made anew, and keep the focus.
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Rectangle");
  await fill(page, "volume half extents x", "1.5");
  assert.equal(await value(page, "overlap"), "in part");
  await page.locator("#ray button", { hasText: "Capsule" }).click();
  await nextFrames(page);
  assert.equal((await scene(page)).query.volume.type, "capsule");
  assert.equal(await red(), 1);
  await done(opened);
});

test("in space the volume has a gizmo, and a mesh says how many triangles", async () => {
  const opened = await preset("overlap3");
  const { page } = opened;
  assert.match(await verdict(page), /^Overlaps 2 ball, crate$/);
  assert.ok((await pixelsOf(page, "ray", around(await toPixel(page, [2, 0, 2]), 8), 60)) > 4, "an edge of the crate");
  const from = await toPixel(page, [0.25, 2.25, 0.75]);
  await drag(page, from, [from[0] + 90, from[1] - 60]);
  const { volume } = (await scene(page)).query;
  assert.ok(volume.fields.center[1] > 1.4, String(volume.fields.center));
  assert.equal((await page.evaluate(() => window.lab.options())).selected, 0);
  await page.selectOption('select[aria-label="Shape to add"]', "mesh");
  await page.locator("#scene button", { hasText: /^Add$/ }).click();
  await choose(page, "Overlap");
  for (const [axis, x] of [
    ["x", "0"],
    ["y", "0"],
    ["z", "0"],
  ])
    await fill(page, `volume centre ${axis}`, x);
  await page.locator("#ray button", { hasText: "Sphere" }).click();
  await fill(page, "volume radius", "0.25");
  const mesh = page.locator("#answer dt", { hasText: "mesh" }).locator("+ dd");
  assert.equal(await mesh.innerText(), "the volume is wholly inside");
  await fill(page, "volume radius", "3");
  assert.equal(await mesh.innerText(), "8 triangles");
  await done(opened);
});

test("all of it works by the keyboard", async () => {
  const opened = await preset("space");
  const { page } = opened;
  await focusPicture(page);
  const kind = async () => (await scene(page)).query.kind;
  const pressed = () => page.locator('#queries [aria-pressed="true"]').innerText();
  for (const [key, wanted, label] of [
    ["q", "closest", "Closest point"],
    ["q", "sweep", "Thick ray"],
    ["q", "overlap", "Overlap"],
    ["q", "ray", "Ray"],
    ["Shift+Q", "overlap", "Overlap"],
    ["Shift+Q", "sweep", "Thick ray"],
    ["Shift+Q", "closest", "Closest point"],
  ]) {
    await page.keyboard.press(key);
    assert.deepEqual([await kind(), await pressed()], [wanted, label]);
    assert.equal(await page.locator("#ray-title").innerText(), label);
    assert.match(await page.locator("#hint").innerText(), /^Drag [^.]*\.$/, "what to do there");
  }
  const { point } = (await scene(page)).query;
  await page.keyboard.press("1");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("PageUp");
  const moved = (await scene(page)).query.point;
  assert.equal(await page.locator("#hint").isVisible(), false);
  assert.ok(moved[0] > point[0] && moved[1] > point[1] && moved[2] === point[2], String(moved));
  // Another query has no such point: the selection goes.
  await page.keyboard.press("q");
  assert.equal((await page.evaluate(() => window.lab.options())).selected, null);
  await page.keyboard.press("q");
  await page.keyboard.press("1");
  const before = (await scene(page)).query.volume.fields;
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowLeft");
  const after = (await scene(page)).query.volume.fields;
  assert.ok(after.radius > before.radius && after.center[0] < before.center[0], JSON.stringify(after));
  // The volume is of the query: it is not deleted or doubled.
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+d");
  assert.equal((await scene(page)).shapes.length, 5);
  assert.deepEqual((await scene(page)).query.volume.fields, after);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  assert.deepEqual((await scene(page)).query.volume.fields, before);
  // The kind of the query stays in the other dimension.
  await page.locator("header button", { hasText: "2D" }).click();
  await nextFrames(page);
  assert.equal(await kind(), "overlap");
  assert.match(await verdict(page), /^Overlaps/);
  await done(opened);
});

test("bad numbers get the message of the library, and a circle under a shear is measured", async () => {
  const opened = await preset("thick2");
  const { page } = opened;
  const refusal = page.locator("#refusal");
  await fill(page, "thick ray radius", "-1");
  assert.equal(await refusal.innerText(), "No answer: radius must be greater than 0.");
  assert.match(await verdict(page), /^No answer radius must be greater than 0$/);
  await fill(page, "thick ray radius", "1");
  assert.equal(await refusal.count(), 0);
  await choose(page, "Closest point");
  await fill(page, "max distance", "-0.5");
  assert.equal(await refusal.innerText(), "No answer: the distance must be at least 0.");
  await choose(page, "Overlap");
  await fill(page, "volume radius", "0");
  assert.equal(await refusal.innerText(), "No answer: volume: radius must be greater than 0.");
  // A circle under a shear, which is an ellipse.
  const content = { v: 2, scene: await scene(page) };
  content.scene.query.kind = "closest";
  content.scene.query.max_distance = null;
  content.scene.shapes = [{ type: "circle", name: "sheared", fields: { center: [0, 0], radius: 1 } }];
  content.scene.shapes[0].matrix = [
    [1, 0.5, 0],
    [0, 1, 0],
  ];
  await page.evaluate((hash) => (location.hash = hash), `#json=${encodeURIComponent(JSON.stringify(content))}`);
  await page.waitForFunction(() => window.lab.scene().shapes[0].name === "sheared");
  await nextFrames(page);
  assert.equal(await refusal.count(), 0);
  assert.match(await verdict(page), /^Closest sheared at distance/);
  assert.deepEqual(await words(page), ["P", "d", "C"]);
  await choose(page, "Overlap");
  await fill(page, "volume radius", "1");
  assert.match(await verdict(page), /^Overlaps/);
  await done(opened);
});

test("a shared link asks the same", async () => {
  for (const [name, key] of [
    ["closest3", "distance"],
    ["thick2", "t"],
    ["overlap3", "count"],
  ]) {
    const opened = await preset(name);
    const { page } = opened;
    await page.locator("#file button", { hasText: "Share" }).click();
    await page.waitForFunction(() => location.hash.length > 1);
    const [before, answer, url] = [await scene(page), await number(page, key), page.url()];
    const other = await open(browser, url);
    assert.deepEqual((await scene(other.page)).query, before.query);
    assert.equal(await number(other.page, key), answer);
    assert.equal(await verdict(other.page), await verdict(page));
    await done(other);
    await done(opened);
  }
});

test("the tabs about rays say so while something else is asked, and every letter has a name", async () => {
  const opened = await preset("closest2");
  const { page } = opened;
  for (const tab of ["doubt", "field"]) {
    await choose(page, "Closest point");
    await page.locator(`#tab-${tab}`).click();
    await nextFrames(page);
    assert.match(await page.locator("#tab").innerText(), /This tab is about rays/);
    await page.locator("#tab button", { hasText: "Ask about the ray" }).click();
    await nextFrames(page);
    assert.equal((await scene(page)).query.kind, "ray");
    assert.ok((await page.locator("#tab input").count()) > 0);
  }
  await page.locator("#tab-explain").click();
  for (const label of ["Closest point", "Thick ray", "Overlap"]) {
    await choose(page, label);
    const key = await page
      .locator("#tab .key span")
      .evaluateAll((list) => list.map((item) => [item.textContent, Boolean(item.querySelector("dfn"))]));
    assert.ok(key.length > 0 && key.every(([, named]) => named), `${label}: ${key}`);
    assert.ok((await page.locator("#tab .formula dfn").count()) > 2);
  }
  await done(opened);
});
