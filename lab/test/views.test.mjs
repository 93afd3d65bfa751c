// Constructions, the comparison of Doubt, fields of rays, and rays that pass the camera.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, nextFrames, number, open, scene, toPixel } from "./browser.mjs";
import { modules } from "./modules.mjs";
import { around, pixelsIn, pixelsOf } from "./pixels.mjs";
import { fileUrl } from "./paths.mjs";

let browser;
before(async () => void (browser = await launch()));
after(() => browser?.close());

/** The words in the picture. */
const words = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#labels span, #view2 text")]
      .filter((word) => word.checkVisibility())
      .map(({ textContent }) => textContent),
  );

test("explain draws the construction of each kind", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  for (const [preset, wanted] of Object.entries({
    sphere: ["P", "O", "A", "E", "e", "a", "b", "f", "r"],
    plane: ["P", "O", "A", "E", "e", "a", "b", "f", "r"],
    triangle: ["P", "a", "b", "c", "E", "n", /^wa = 0\.\d+$/, /^wb = 0\.\d+$/, /^wc = 0\.\d+$/],
    cylinder: ["P", "E", "axis", "u", "v", "w", "side", "caps", "cap a", "cap b"],
    cone: ["P", "E", "axis", "u", "v", "w", "side", "caps"],
    box: ["P", "O", "E", "x slab", "y slab", "z slab", "hx", "hy", "hz"],
  })) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    const seen = await words(page);
    for (const word of wanted) {
      assert.ok(
        seen.some((text) => (word instanceof RegExp ? word.test(text) : word === text)),
        `${preset}: ${word} is not among ${seen}`,
      );
    }
    assert.match(await page.locator("#tab table[aria-label='Numbers of the test']").innerText(), /→ hit/);
    if (["cylinder", "cone", "box"].includes(preset))
      assert.match(await page.locator("#tab").innerText(), /All overlap/);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test("a ball's formula and its table have the same quantities, with the numbers of the scene", async () => {
  const { page, context } = await open(browser, fileUrl);
  for (const preset of ["sphere", "graze-circle", "plane"]) {
    await page.selectOption("#examples", preset);
    await page.locator("#tab-explain").click();
    await nextFrames(page);
    const { shapes, ray } = await scene(page);
    const { center, radius: r } = shapes[0].fields;
    const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    const d = ray.direction;
    // The formula, line by line.
    const e = center.map((x, i) => x - ray.origin[i]);
    const a = dot(e, d) / dot(d, d);
    const foot = e.map((x, i) => x - a * d[i]);
    const b = Math.sqrt(dot(foot, foot));
    const values = { "a:": a, "b/r:": b / r, "(f/r)²:": 1 - (b / r) ** 2 };
    const formula = await page.locator("#tab .formula").innerText();
    for (const line of ["e = O − P", "a = (e · d) / d²", "b = |e − a d|", "(f/r)² = 1 − (b/r)²"])
      assert.ok(formula.includes(line), line);
    const rows = await page
      .locator("#tab table[aria-label='Numbers of the test'] tr")
      .evaluateAll((list) => list.map((row) => [row.cells[0].textContent, Number(row.cells[1]?.dataset.value)]));
    for (const [name, value] of Object.entries(values)) {
      const row = rows.find(([text]) => text.startsWith(name));
      assert.ok(row, `${preset}: no row for ${name}`);
      assert.ok(Math.abs(row[1] - value) <= 1e-6 * (1 + Math.abs(value)), `${preset}, ${row}: ${value} by the formula`);
    }
    assert.ok(!rows.some(([text]) => /^f\^?2|^f²/.test(text)), "no other f²");
    // The hit is where the formula has it.
    const f = Math.sqrt(Math.max(0, r * r - b * b));
    const isHit = (await page.locator('#answer [data-number="t"]').count()) > 0;
    const t = isHit && (await number(page, "t"));
    if (isHit) assert.ok(Math.abs(t - (a - f / Math.sqrt(dot(d, d)))) < 1e-3);
  }
  await context.close();
});

test("an example of Doubt has one answer: the headline and the comparison agree", async () => {
  const { page, context } = await open(browser, fileUrl);
  const ids = await page
    .locator("#examples optgroup[label=Doubt] option")
    .evaluateAll((list) => list.map(({ value }) => value));
  for (const id of ids) {
    await page.selectOption("#examples", id);
    await nextFrames(page);
    const { shapes, ray } = await scene(page);
    for (const x of [...ray.origin, ...ray.direction, ...shapes.flatMap(({ fields }) => Object.values(fields).flat())])
      assert.equal(x, Math.fround(x), `${id}: no f32 number`);
    const headline = await page.locator("#verdict").innerText();
    const exact = await page.locator("#tab tbody tr").first().locator("td").first().innerText();
    assert.ok(
      exact === "miss"
        ? headline.startsWith("Miss")
        : headline.startsWith(`Hit ${exact}`) || headline.replaceAll("\n", " ").startsWith(`Hit ${exact}`),
      `${id}: ${headline}; exact: ${exact}`,
    );
    assert.doesNotMatch(headline, /rounded to f32/);
  }
  // With other numbers the two can differ: then the headline says which is which.
  await page.selectOption("#examples", "rim");
  for (const [label, text] of [
    ["ray direction z", "-0.847167"],
    ["ray origin x", "-3.16"],
    ["ray origin y", "5.32"],
    ["ray direction x", "1.47"],
    ["ray direction y", "-1.19"],
  ])
    await page.getByLabel(label).fill(text);
  await nextFrames(page);
  assert.match(
    await page.locator("#verdict").innerText(),
    /Miss[^]*rounded to f32: hit crate[^]*textbook f32 misses it/,
  );
  await context.close();
});

test("a hit on the other side than faces says comes with the reason", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  await page.selectOption("#examples", "sphere");
  await page.getByLabel("ray origin x").fill("0");
  await page.getByLabel("ray origin z").fill("0");
  const note = page.locator("#answer .faces-note");
  const press = async (name) => {
    const button = page.locator("#ray button", { hasText: new RegExp(`^${name}$`) });
    await button.click();
    await nextFrames(page);
    const { ray } = await scene(page);
    const state = `${name}: ${JSON.stringify(ray)}, problems: ${problems}`;
    assert.equal(await button.getAttribute("aria-pressed"), "true", state);
  };
  assert.deepEqual((await scene(page)).ray.origin, [0, 1, 0]);
  assert.equal(await note.count(), 0);
  await press("Front");
  assert.match(await note.innerText(), /ball is a solid.*starts inside.*Solid reports the start/);
  await press("Hollow");
  assert.equal(await page.locator('#answer [data-number="side"]').innerText(), "back");
  assert.match(await note.innerText(), /Front filters the sides of surfaces.*ball is a solid.*Hollow reports the exit/);
  await press("Back");
  assert.equal(await note.count(), 0);
  await page.getByLabel("ray origin x").fill("-4");
  await page.getByLabel("ray origin z").fill("2");
  await nextFrames(page);
  assert.match(await note.innerText(), /Back filters.*enters it through its front/);
  await page.getByLabel("Every hit").check();
  await nextFrames(page);
  assert.match(await note.innerText(), /Back filters.*enters it through its front/);
  await press("Front");
  assert.match(await note.innerText(), /Front filters.*ball is a solid: the ray leaves it here.*side back/);
  await press("Both");
  assert.equal(await note.count(), 0);
  assert.deepEqual(problems, []);
  await context.close();
});

test("the drawn part of a ray lies within the planes of the view", async () => {
  const { clip } = await modules('export { clip } from "./raypath.ts";');
  const ray = (origin, direction) => ({ ray: { origin, direction } });
  const bounds = { center: [0, 0, 0], viewRadius: 100, planes: [{ point: [0, 0, 9], normal: [0, 0, -1] }] };
  assert.deepEqual(clip(ray([0, 0, 0], [0, 0, 2]), [0, Infinity], bounds), [0, 4.5]);
  assert.deepEqual(clip(ray([0, 0, 12], [0, 0, -1]), [0, Infinity], bounds), [3, 112]);
  assert.equal(clip(ray([0, 0, 10], [1, 0, 0]), [0, Infinity], bounds), null);
  assert.equal(clip(ray([0, 0, 10], [0, 0, 1]), [0, Infinity], bounds), null);
  const both = { ...bounds, planes: [...bounds.planes, { point: [-2, 0, 0], normal: [1, 0, 0] }] };
  assert.deepEqual(clip(ray([0, 0, 0], [-1, 0, 1]), [0, Infinity], both), [0, 2]);
});

test("a ray from far away is drawn beyond its hit, to the edge of the picture", async () => {
  const { page, problems, context } = await open(browser, fileUrl, { viewport: { width: 1160, height: 720 } });
  await page.selectOption("#examples", "far-cone");
  await page.locator("#tab-code").click();
  await nextFrames(page);
  const { ray } = await scene(page);
  const exit = await number(page, "exit");
  const stage = await page.locator("#view3 canvas").boundingBox();
  let seen = 0;
  for (let t = exit + 0.1; ; t += 0.06) {
    const place = await toPixel(
      page,
      ray.origin.map((o, i) => o + t * ray.direction[i]),
    );
    if (place[0] > stage.x + stage.width - 12 || place[1] > stage.y + stage.height - 12) break;
    seen++;
    assert.ok(
      (await pixelsOf(page, "ray", around(place, 10), 150)) > 4,
      `nothing at ${place}, ${t - exit} after the exit`,
    );
  }
  assert.ok(seen >= 3, `${seen} places`);
  assert.deepEqual(problems, []);
  await context.close();
});

test("a ray without a limit is drawn up to the edge of the picture, also where it ends behind the camera", async () => {
  const minus = (a, b) => a.map((x, i) => x - b[i]);
  const unit = (a) => a.map((x) => x / Math.hypot(...a));
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
    { width: 320, height: 640 },
    { width: 880, height: 900 },
  ]) {
    const { page, problems, context } = await open(browser, fileUrl, { viewport, bypassCSP: true });
    await page.selectOption("#examples", "sphere");
    await page.addStyleTag({ content: "#labels, #overlay { visibility: hidden !important }" });
    const base = await scene(page);
    const { position, target } = await page.evaluate(() => window.lab.camera());
    const ahead = unit(minus(target, position));
    const right = unit([-ahead[2], 0, ahead[0]]);
    // Past the camera, and to either side of it: then the ray passes its plane far away from the picture.
    for (const [toCamera, toRight, hits] of [
      [1, 0.4, false],
      [0.3, 1, false],
      [0.001, -1, false],
      [1, 0.4, true],
      [0.3, -1, true],
      [0.06, -1, true],
    ]) {
      const direction = ahead.map((x, i) => toRight * right[i] - toCamera * x);
      // Over the ball, or through its upper half from a point before it: its normals lead away from the ray.
      const origin = hits
        ? [0, 1.7, 0].map((x, i) => x - 1.5 * unit(direction)[i])
        : target.map((x, i) => x + 1.6 * (i === 1) - 0.5 * toRight * right[i]);
      const tip = origin.map((x, i) => x + direction[i]);
      // Without a construction beside the ray, and with the camera where it is.
      const view = { tab: "code", doubt: false, allHits: false, explained: null, camera: { position, target } };
      const content = { v: 2, scene: { ...base, ray: { ...base.ray, origin, direction, tip } }, view };
      await page.evaluate((hash) => (location.hash = hash), `#json=${encodeURIComponent(JSON.stringify(content))}`);
      await page.waitForFunction((x) => window.lab.scene().ray.direction[0] === x, direction[0]);
      await nextFrames(page);
      await nextFrames(page);
      const places = await page.evaluate(
        ({ origin, direction, bottom, from }) => {
          const box = document.querySelector("#view3 canvas").getBoundingClientRect();
          const found = [];
          for (let t = from; t < 30; t *= 1.01) {
            const [x, y] = window.lab.toPixel(origin.map((o, i) => o + t * direction[i]));
            if (x < box.left + 9 || x > box.right - 9 || y < box.top + 9 || y > Math.min(box.bottom, bottom) - 9) break;
            const last = found.at(-1) ?? [-99, -99];
            if (Math.hypot(x - last[0], y - last[1]) > 18) found.push([x, y]);
          }
          return found;
        },
        // Beyond the exit the ray is dashed and faint.
        { origin, direction, bottom: viewport.height - 70, from: hits ? 2.9 / Math.hypot(...direction) : 0.3 },
      );
      const what = `${viewport.width} wide, ${toCamera}, ${toRight}, ${hits ? "hit" : "miss"}`;
      assert.match(await page.locator("#verdict").textContent(), hits ? /^Hit/ : /^Miss/);
      assert.ok(places.length >= 2, `${what}: ${places.length} places`);
      const [ink, half, slack] = hits ? ["ray", 10, 150] : ["miss", 8, 28];
      const drawn = await pixelsIn(
        page,
        ink,
        places.map((place) => around(place, half)),
        slack,
      );
      places.forEach((place, i) => assert.ok(drawn[i] > 4, `${what}: nothing at ${place}`));
    }
    assert.deepEqual(problems, []);
    await context.close();
  }
});

test("the three areas of a triangle add up, and the point moves with the ray", async () => {
  const { page, context } = await open(browser, fileUrl);
  await page.selectOption("#examples", "triangle");
  await nextFrames(page);
  const weights = async () =>
    (await words(page)).filter((text) => text.startsWith("w")).map((text) => Number(text.split("= ")[1]));
  const before = await weights();
  assert.ok(Math.abs(before.reduce((a, b) => a + b) - 1) < 0.002, `${before}`);
  await page.getByLabel("ray tip x").fill("-0.3");
  await nextFrames(page);
  assert.notDeepEqual(await weights(), before);
  await context.close();
});

test("every ray of Doubt goes wrong in the textbook, and an ordinary one does not", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const ids = await page
    .locator("#examples optgroup[label=Doubt] option")
    .evaluateAll((list) => list.map(({ value }) => value));
  assert.ok(ids.length >= 8);
  for (const id of ids) {
    await page.selectOption("#examples", id);
    await nextFrames(page);
    const verdict = await page.locator("#doubt-verdict").innerText();
    const label = await page.locator(`#examples option[value="${id}"]`).textContent();
    assert.match(
      verdict,
      label.includes("invented") || label.includes("none")
        ? /invents/
        : label.includes("missed") || label.includes("leak")
          ? /misses/
          : /is off by/,
      `${id}: ${verdict}`,
    );
  }
  await page.selectOption("#examples", "sphere");
  await page.keyboard.press("d");
  await page.locator("#tab input[type=checkbox]").check();
  await nextFrames(page);
  assert.match(await page.locator("#doubt-verdict").innerText(), /agree/);
  assert.deepEqual(problems, []);
  await context.close();
});

test("a field of rays is cast with every change, and drawn in three ways", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const figure = async (key) =>
    Number((await page.locator(`#tab [data-number="${key}"]`).innerText()).replace(/,| .*/g, ""));
  for (const preset of ["depth", "fan2"]) {
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    const hits = await figure("field-hits");
    assert.ok(hits > 1000 && hits < (await figure("rays")));
    const stage = await page.locator("#stage").boundingBox();
    const pictures = new Set();
    for (const look of ["Hits", "Depth", "Normals"]) {
      await page.locator("#tab button", { hasText: look }).click();
      await nextFrames(page);
      pictures.add((await page.screenshot({ clip: stage })).toString("base64"));
    }
    assert.equal(pictures.size, 3, "hits, depth and normals look different");
    const { ray } = await scene(page);
    const [x, y] = await toPixel(page, ray.tip);
    await page.mouse.move(x, y);
    await nextFrames(page);
    await page.mouse.down();
    await page.mouse.move(x + 30, y + 40, { steps: 4 });
    await nextFrames(page);
    assert.notEqual(await figure("field-hits"), hits, "the field follows the drag");
    await page.mouse.up();
    await page.getByLabel("number of rays", { exact: true }).fill("100000");
    await nextFrames(page);
    assert.ok((await figure("rays")) > 99_000);
    await page.getByLabel("number of rays", { exact: true }).fill("100001");
    assert.equal(await page.getByLabel("number of rays", { exact: true }).getAttribute("aria-invalid"), "true");
    await page.keyboard.press("Escape");
    assert.ok((await pixelsOf(page, "stage", stage, 3)) > 1000);
  }
  assert.deepEqual(problems, []);
  await context.close();
});
