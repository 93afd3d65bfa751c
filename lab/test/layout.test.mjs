// The page at several sizes: whole numbers, nothing over buttons, the explanation above the fold, and words that help.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, nextFrames, number, open, scene, toPixel } from "./browser.mjs";
import { fileUrl } from "./paths.mjs";

let browser;
before(async () => void (browser = await launch()));
after(() => browser?.close());

const PHONE = { isMobile: true, hasTouch: true };
const SIZES = {
  "a desk": { viewport: { width: 1280, height: 800 } },
  "a small window": { viewport: { width: 1000, height: 700 } },
  "a phone": { viewport: { width: 390, height: 844 }, ...PHONE },
  "a narrow phone": { viewport: { width: 320, height: 640 }, ...PHONE },
};

const choose = async (page, preset) => {
  await page.selectOption("#examples", preset);
  await nextFrames(page);
};

/** Shows a panel where one is shown at a time. */
const pane = async (page, name) => {
  const button = page.locator("#panes button", { hasText: name });
  if (await button.isVisible()) await button.click();
  await nextFrames(page);
};

/** Fields whose number is cut, and numbers in more than one line. */
const broken = (page) =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll(".numbers input")].filter((field) => field.checkVisibility());
    const numbers = [...document.querySelectorAll(".number, td.n")].filter((number) => number.checkVisibility());
    const cut = fields.filter((field) => field.scrollWidth > field.clientWidth).map((field) => `cut: ${field.value}`);
    const lines = ({ firstChild }) => {
      const range = document.createRange();
      range.selectNodeContents(firstChild);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    };
    const torn = numbers.filter((number) => number.firstChild && lines(number) > 1);
    const outside = numbers.filter((number) => {
      const box = number.closest("#inspect")?.getBoundingClientRect();
      return box && !number.closest(".scroll") && number.getBoundingClientRect().left < box.left;
    });
    return {
      seen: fields.length + numbers.length,
      wrong: [...cut, ...torn.map((n) => `torn: ${n.textContent}`), ...outside.map((n) => `outside: ${n.textContent}`)],
    };
  });

for (const [size, options] of Object.entries(SIZES)) {
  test(`on ${size}, fields show whole numbers, and numbers are in one piece`, async () => {
    const { page, problems, context } = await open(browser, fileUrl, options);
    for (const preset of ["space", "far", "plane"]) {
      await choose(page, preset);
      for (const name of ["Scene", "Ray", "Answer"]) {
        await pane(page, name);
        for (const all of [true, false]) {
          const digits = page.getByLabel("All digits");
          if (await digits.isVisible()) await digits.setChecked(all);
          await nextFrames(page);
          const { seen, wrong } = await broken(page);
          assert.deepEqual(wrong, [], `${preset}, ${name}`);
          if (name !== "Scene") assert.ok(seen > 5, `${preset}, ${name}: ${seen} numbers`);
        }
      }
    }
    // The longest number that there is, in the plane and in space, in a row of three, two and one.
    for (const preset of ["plane", "space"]) {
      await choose(page, preset);
      await pane(page, "Ray");
      for (const label of ["ray origin x", "t_max"]) await page.getByLabel(label).fill("-1.2345678901234567e-300");
      await pane(page, "Scene");
      await page.locator(".shapes .name").last().click();
      await nextFrames(page);
      await page.getByLabel("radius", { exact: true }).fill("1.2345678901234567e-300");
      for (const name of ["Ray", "Scene"]) {
        await pane(page, name);
        assert.deepEqual((await broken(page)).wrong, [], preset);
      }
    }
    assert.deepEqual(problems, []);
    await context.close();
  });

  test(`on ${size}, a note covers no button, and can be read to its end`, async () => {
    const { page, context } = await open(browser, fileUrl, options);
    for (const text of ["Copied.", "a long note ".repeat(60)]) {
      await page.evaluate((text) => window.lab.say(text), text);
      await nextFrames(page);
      const covered = await page.evaluate(() => {
        const note = document.getElementById("toast").getBoundingClientRect();
        const controls = [...document.querySelectorAll("button, select, input, summary")];
        return controls
          .filter((control) => control.checkVisibility())
          .filter((control) => {
            const box = control.getBoundingClientRect();
            return box.left < note.right && note.left < box.right && box.top < note.bottom && note.top < box.bottom;
          })
          .map((control) => control.textContent || control.getAttribute("aria-label"));
      });
      assert.deepEqual(covered, []);
      const { seen, scrolls } = await page.locator("#toast").evaluate((note) => ({
        seen: note.checkVisibility({ visibilityProperty: true }) && note.clientHeight,
        scrolls: note.scrollHeight <= note.clientHeight || getComputedStyle(note).overflowY === "auto",
      }));
      assert.ok(seen >= 20 && scrolls, `${seen} pixels high`);
    }
    await context.close();
  });

  test(`on ${size}, the first screen says what to do and begins to explain`, async () => {
    const { page, context } = await open(browser, fileUrl, options);
    const hint = page.locator("#hint");
    assert.match(await hint.innerText(), /^Drag [^.]*\.$/, "one sentence");
    const height = options.viewport.height;
    const inView = async (locator) => {
      const box = await locator.boundingBox();
      const nav = await page.locator("#panes").boundingBox();
      return box && box.y >= 0 && box.y + Math.min(box.height, 24) <= (nav?.y ?? height);
    };
    assert.ok(await inView(hint));
    if (size !== "a narrow phone") {
      assert.ok(await inView(page.locator("#tab > *").first()), "the explanation begins below the fold");
    }
    // Whoever has dragged knows.
    await page.locator("#view3 canvas").focus();
    await page.keyboard.press("1");
    await page.keyboard.press("ArrowRight");
    await nextFrames(page);
    assert.equal(await hint.isVisible(), false);
    await context.close();
  });
}

test("numbers are rounded, and all their digits are there on demand", async () => {
  const { page, context } = await open(browser, fileUrl);
  const shown = () =>
    page
      .locator("#answer .number")
      .evaluateAll((list) =>
        list.map(({ textContent, dataset, title }) => ({ text: textContent, full: dataset.value, title })),
      );
  const rounded = await shown();
  assert.ok(rounded.length >= 9);
  assert.ok(rounded.some(({ text, full }) => text !== full));
  for (const { text, full, title } of rounded) {
    assert.equal(text, String(Number(Number(full).toPrecision(6))));
    if (text !== full) assert.equal(title, full, "a pointer over it shows the rest");
  }
  await page.getByRole("button", { name: "Copy the answer" }).click();
  await nextFrames(page);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const { full } of rounded) assert.ok(copied.includes(full), `${full} is not in ${copied}`);
  await page.getByLabel("All digits").check();
  await nextFrames(page);
  for (const { text, full } of await shown()) assert.equal(text, full);
  assert.equal(await number(page, "t"), Number(rounded.find(({ text }) => text === "2.07456").full));
  await context.close();
});

test("the letters of formula and picture are named under the pointer and with the focus", async () => {
  // The focus scrolls letters below the fold into view.
  const { page, problems, context } = await open(browser, fileUrl, { viewport: { width: 1000, height: 600 } });
  const tip = page.locator("#term");
  for (const [preset, letters] of [
    [
      "sphere",
      {
        P: /origin of the ray/,
        O: /centre/,
        r: /radius/,
        e: /from the origin of the ray to the centre/,
        a: /projection/,
        f: /half the chord/,
      },
    ],
    ["graze-circle", { P: /origin of the ray/, O: /centre/, r: /radius/, e: /to the centre/, a: /projection/ }],
  ]) {
    await choose(page, preset);
    await page.locator("#tab-explain").click();
    await nextFrames(page);
    assert.equal(await tip.isVisible(), false);
    for (const [letter, name] of Object.entries(letters)) {
      const keyed = page.locator("#tab .key dfn", { hasText: new RegExp(`^${letter}$`) });
      await keyed.focus();
      await nextFrames(page);
      assert.match(await tip.innerText(), new RegExp(`^${letter}: `));
      assert.match(await tip.innerText(), name);
      assert.match(await keyed.getAttribute("aria-label"), name);
      await page.keyboard.press("Escape");
      assert.equal(await tip.isVisible(), false);
      if (letter === "P") continue;
      await page
        .locator("#tab .formula dfn", { hasText: new RegExp(`^${letter}$`) })
        .first()
        .hover();
      assert.match(await tip.innerText(), name);
      await page.mouse.move(2, 2);
      assert.equal(await tip.isVisible(), false);
    }
    // In the picture.
    const label = page.locator("#labels span, #view2 text").filter({ hasText: /^P$/ });
    const box = await label.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    assert.match(await tip.innerText(), /^P: the origin of the ray/);
    await page.mouse.move(2, 2);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test("every label of every construction has a name", async () => {
  const { page, context } = await open(browser, fileUrl);
  for (const preset of ["every3", "every2"]) {
    await choose(page, preset);
    for (const { id, type } of (await scene(page)).shapes) {
      await page.selectOption('select[aria-label="Shape to explain"]', String(id));
      await nextFrames(page);
      const nameless = await page
        .locator("#tab .key span")
        .evaluateAll((list) => list.filter((item) => !item.querySelector("dfn")).map(({ textContent }) => textContent));
      assert.deepEqual(nameless, [], `${preset}, ${type}`);
    }
  }
  await context.close();
});

test("an example of the plane is in its frame from the first picture on", async () => {
  const { page, context } = await open(browser, fileUrl);
  for (const preset of ["plane", "space", "every2"]) {
    // What the screen shows frame by frame, after the scripts of each frame.
    const frames = await page.evaluate(async (preset) => {
      const seen = [];
      const select = document.getElementById("examples");
      select.value = preset;
      select.dispatchEvent(new Event("change"));
      for (let i = 0; i < 6; i++) {
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        const { ray, dimension } = window.lab.scene();
        const drawn = document.querySelector("#view2 path")?.getAttribute("d");
        seen.push(dimension === 2 ? drawn : window.lab.toPixel(ray.origin).join());
      }
      return seen;
    }, preset);
    const wanted = frames.at(-1);
    assert.ok(wanted);
    assert.ok(
      frames.every((frame) => frame === wanted),
      `${preset}: ${frames.join("\n")}`,
    );
  }
  const { ray } = await scene(page);
  const stage = await page.locator("#stage").boundingBox();
  const [x, y] = await toPixel(page, ray.origin);
  assert.ok(x > stage.x && x < stage.x + stage.width && y > stage.y && y < stage.y + stage.height);
  await context.close();
});
