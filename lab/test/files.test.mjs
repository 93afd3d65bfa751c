// Dropped files, links in the page, and the scene that `hitscan lab` serves.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, number, open, scene, nextFrames } from "./browser.mjs";
import { csv, fileUrl, hitscan, pagePath, run } from "./paths.mjs";

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "hitscan-lab-"));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A tetrahedron as each format has it. */
const POINTS = [
  [0, 0, 0],
  [2, 0, 0],
  [0, 2, 0],
  [0, 0, 2],
];
const FACES = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
];

function stl() {
  const facet = (face) =>
    ` facet normal 0 0 0\n  outer loop\n${face.map((i) => `   vertex ${POINTS[i].join(" ")}`).join("\n")}\n  endloop\n endfacet`;
  return Buffer.from(`solid t\n${FACES.map(facet).join("\n")}\nendsolid t\n`);
}

const ply = () =>
  Buffer.from(
    `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n${POINTS.map((p) => p.join(" ")).join("\n")}\n${FACES.map((f) => `3 ${f.join(" ")}`).join("\n")}\n`,
  );

const obj = () =>
  Buffer.from(
    `${POINTS.map((p) => `v ${p.join(" ")}`).join("\n")}\n${FACES.map((f) => `f ${f.map((i) => i + 1).join(" ")}`).join("\n")}\n`,
  );

const off = () =>
  Buffer.from(
    `OFF\n4 4 6\n${POINTS.map((p) => p.join(" ")).join("\n")}\n${FACES.map((f) => `3 ${f.join(" ")}`).join("\n")}\n`,
  );

/** The tetrahedron in a node that moves it by `by`, with its data inside. */
function gltfParts(by) {
  const positions = Buffer.from(new Float32Array(POINTS.flat()).buffer);
  const indices = Buffer.from(new Uint16Array(FACES.flat()).buffer);
  const data = Buffer.concat([positions, indices]);
  const json = {
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ children: [1], translation: by }, { mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    buffers: [{ byteLength: data.length }],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: positions.length },
      { buffer: 0, byteOffset: positions.length, byteLength: indices.length },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [0, 0, 0], max: [2, 2, 2] },
      { bufferView: 1, componentType: 5123, count: 12, type: "SCALAR" },
    ],
  };
  return { json, data };
}

function gltf() {
  const { json, data } = gltfParts([0, 0, 0]);
  json.buffers[0].uri = `data:application/octet-stream;base64,${data.toString("base64")}`;
  return Buffer.from(JSON.stringify(json));
}

function glb(by = [0, 0, 0]) {
  const { json, data } = gltfParts(by);
  const chunk = (kind, bytes, fill) => {
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, fill)]);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(padded.length, 0);
    head.writeUInt32LE(kind, 4);
    return Buffer.concat([head, padded]);
  };
  const body = Buffer.concat([chunk(0x4e4f534a, Buffer.from(JSON.stringify(json)), 0x20), chunk(0x004e4942, data, 0)]);
  const head = Buffer.alloc(12);
  [0x46546c67, 2, 12 + body.length].forEach((x, i) => head.writeUInt32LE(x, 4 * i));
  return Buffer.concat([head, body]);
}

/** Drops files on the picture, as a file manager does. */
async function drop(page, files) {
  const given = files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]);
  await page.evaluate((given) => {
    const transfer = new DataTransfer();
    for (const [name, text] of given)
      transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    const stage = document.getElementById("stage");
    for (const type of ["dragenter", "dragover", "drop"])
      stage.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }, given);
  await page.waitForFunction(() => document.getElementById("toast").classList.contains("shown"));
  await nextFrames(page);
  const said = await page.locator("#toast").innerText();
  // For the next one.
  await page.evaluate(() => document.getElementById("toast").classList.remove("shown"));
  return said;
}

for (const [name, make] of [
  ["t.obj", obj],
  ["t.stl", stl],
  ["t.ply", ply],
  ["t.off", off],
  ["t.gltf", gltf],
  ["t.glb", glb],
]) {
  test(`a dropped ${name} is a mesh that rays hit`, async () => {
    const { page, problems, context } = await open(browser, fileUrl);
    await page.selectOption("#examples", "sphere");
    await page.keyboard.press("n");
    await page.keyboard.press("Delete");
    const said = await drop(page, [[name, make()]]);
    assert.match(said, /4 triangles, closed/);
    await page.getByLabel("ray origin x").fill("0.5");
    await page.getByLabel("ray origin y").fill("0.25");
    await page.getByLabel("ray origin z").fill("5");
    await page.getByLabel("ray direction x").fill("0");
    await page.getByLabel("ray direction y").fill("0");
    await page.getByLabel("ray direction z").fill("-1");
    await nextFrames(page);
    assert.equal(await number(page, "t"), 5 - 1.25);
    assert.equal(await number(page, "exit"), 5);
    // Moved, scaled and turned, it is where the scene file says.
    await page.getByLabel("moved z").fill("1");
    await page.getByLabel("scaled x").fill("2");
    await page.getByLabel("degrees", { exact: true }).fill("0");
    await nextFrames(page);
    const t = await number(page, "t");
    await page.keyboard.press("Escape");
    const { shapes } = await scene(page);
    await page.locator("#tabs button", { hasText: "Code" }).click();
    await nextFrames(page);
    const text = (await page.locator("#code-cli").textContent()).split("<<'END'\n")[1].split("END\n")[0];
    writeFileSync(join(folder, "scene.toml"), text);
    writeFileSync(join(folder, shapes[0].fields.file), make());
    const [row] = csv(
      run(["cast", join(folder, "scene.toml"), "--ray", "0.5,0.25,5,0,0,-1", "--precision", "f64", "--format", "csv"]),
    );
    assert.equal(Number(row.t), t);
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test("a file that is no mesh, or a broken one, is refused in words", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const before = await scene(page);
  assert.match(await drop(page, [["notes.txt", "hello"]]), /notes\.txt is no scene or mesh/);
  assert.match(await drop(page, [["broken.obj", "v 0 0 0\nf 1 2 9\n"]]), /broken\.obj/);
  assert.match(
    await drop(page, [["broken.toml", "[[shape]]\ntype = 'sphere'\ncenter = [0, 0]\nradius = 1\n"]]),
    /broken\.toml.*center/s,
  );
  assert.deepEqual(await scene(page), before);
  assert.deepEqual(problems, []);
  await context.close();
});

test("the nodes of a glTF put its mesh in place, and a broken one is refused", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  await page.selectOption("#examples", "sphere");
  await drop(page, [["moved.glb", glb([10, 0, 0])]]);
  assert.equal((await scene(page)).shapes[1].fields.file, "moved.glb");
  for (const [label, values] of [
    ["origin", [10.5, 0.25, 5]],
    ["direction", [0, 0, -1]],
  ]) {
    for (const [i, value] of values.entries()) await page.getByLabel(`ray ${label} ${"xyz"[i]}`).fill(String(value));
  }
  await nextFrames(page);
  assert.equal(await number(page, "t"), 5 - 1.25);
  const cut = glb().subarray(0, -20);
  assert.match(await drop(page, [["cut.glb", cut]]), /cut\.glb: truncated: /);
  const { json } = gltfParts([0, 0, 0]);
  json.buffers[0].uri = "t.bin";
  assert.match(
    await drop(page, [["apart.gltf", JSON.stringify(json)]]),
    /apart\.gltf: buffer 0: its data is in 't\.bin', another file/,
  );
  assert.match(
    await drop(page, [
      ["apart.gltf", JSON.stringify(json)],
      ["t.bin", gltfParts([0, 0, 0]).data],
    ]),
    /4 triangles, closed/,
  );
  json.nodes[1].children = [0];
  assert.match(
    await drop(page, [
      ["round.gltf", JSON.stringify(json)],
      ["t.bin", gltfParts([0, 0, 0]).data],
    ]),
    /its own descendant/,
  );
  assert.deepEqual(problems, []);
  await context.close();
});

test("a dropped scene file, with transforms, layers and a mesh, is the same scene", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const toml = `# a test
[[shape]]
type = "box"
name = "brick"
center = [0, 0, 0]
half_extents = [1, 0.5, 0.625]
transform = { rotation = { axis = [0, 1, 0], degrees = 35 }, translation = [4.25, 0.5, 2.25] }

[[shape]]
type = "sphere"
center = [0, 3, 0]
radius = 1
layers = [0, 3]

[[shape]]
type = "mesh"
file = "t.obj"
transform = { scale = [1, 1, -2], translation = [-3, 0, 0] }
`;
  await drop(page, [
    ["scene.toml", toml],
    ["t.obj", obj()],
  ]);
  const { shapes } = await scene(page);
  assert.deepEqual(
    shapes.map(({ type }) => type),
    ["box", "sphere", "mesh"],
  );
  assert.deepEqual(shapes[1].layers, [0, 3]);
  assert.equal(shapes[0].fields.axes.length, 3);
  writeFileSync(join(folder, "given.toml"), toml);
  writeFileSync(join(folder, "t.obj"), obj());
  const set = async (name, values) => {
    for (const [i, value] of values.entries()) await page.getByLabel(`ray ${name} ${"xyz"[i]}`).fill(String(value));
  };
  for (const [origin, way] of [
    [
      [5, 6, 2],
      [-0.25, -1, 0],
    ],
    [
      [-2.5, 5, -1],
      [0, -1, 0],
    ],
    [
      [0, 9, 0.5],
      [0.01, -1, 0],
    ],
  ]) {
    for (const [name, values] of [
      ["origin", origin],
      ["direction", way],
    ])
      await set(name, values);
    await nextFrames(page);
    const ray = [...origin, ...way].join(",");
    const [row] = csv(run(["cast", join(folder, "given.toml"), "--ray", ray, "--precision", "f64", "--format", "csv"]));
    if (row.t === "") assert.match(await page.locator("#verdict").innerText(), /Miss/);
    else assert.equal(await number(page, "t"), Number(row.t), ray);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

for (const preset of ["every2", "every3", "far", "depth"]) {
  test(`the link of ${preset} brings the scene back`, async () => {
    const { page, problems, context } = await open(browser, fileUrl);
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    const t = await page.locator("#answer").innerText();
    await page.locator("#file button", { hasText: "Share" }).click();
    await page.waitForFunction(() => document.getElementById("toast").textContent.includes("link"));
    const url = page.url();
    const before = await scene(page);
    assert.match(url, /#(json|z)=/);
    const second = await open(browser, url);
    const after = await scene(second.page);
    assert.deepEqual(after, before);
    assert.equal(await second.page.locator("#answer").innerText(), t);
    assert.deepEqual([...problems, ...second.problems], []);
    await second.context.close();
    await context.close();
  });
}

test("a link keeps the tab, the Doubt switch, every hit, the explained shape and the camera", async () => {
  for (const [preset, tab] of [
    ["far-cone", "doubt"],
    ["every3", "explain"],
    ["every2", "code"],
  ]) {
    const { page, problems, context } = await open(browser, fileUrl);
    await page.selectOption("#examples", preset);
    await nextFrames(page);
    if (tab === "explain") await page.selectOption('select[aria-label="Shape to explain"]', { index: 3 });
    await page.locator(`#tab-${tab}`).click();
    await page.getByLabel("Every hit").check();
    // Turned or moved away from where the page would put it, and nearer.
    await page.locator("#stage canvas, #stage svg").locator("visible=true").first().focus();
    for (const key of ["Escape", "ArrowLeft", "ArrowUp", "+"]) await page.keyboard.press(key);
    await nextFrames(page);
    await page.locator("#file button", { hasText: "Share" }).click();
    await page.waitForFunction(() => document.getElementById("toast").textContent.includes("link"));
    const state = ({ page }) =>
      page.evaluate(() => {
        const { tab, doubt, allHits, explained } = window.lab.options();
        return { tab, doubt, allHits, explained, camera: window.lab.camera() };
      });
    const before = await state({ page });
    assert.deepEqual([before.tab, before.allHits, before.doubt], [tab, true, tab === "doubt"]);
    const second = await open(browser, page.url());
    const after = await state(second);
    const numbers = ({ camera }) => Object.values(camera).flat();
    numbers(after).forEach((x, i) => assert.ok(Math.abs(x - numbers(before)[i]) < 1e-9 * (1 + Math.abs(x)), preset));
    const rest = ({ camera: _, ...rest }) => rest;
    assert.deepEqual(rest(after), rest(before));
    assert.equal((await second.page.locator("#doubt-verdict").count()) > 0, tab === "doubt");
    assert.deepEqual([...problems, ...second.problems], []);
    await second.context.close();
    await context.close();
  }
});

test("wrong and hostile links are refused in words, or drawn; the page lives on", async () => {
  const { page, problems, context } = await open(browser, fileUrl);
  const base = await scene(page);
  const follow = async (content) => {
    await page.evaluate(
      (hash) => {
        document.getElementById("toast").textContent = "";
        location.hash = hash;
      },
      `#json=${encodeURIComponent(JSON.stringify(content))}`,
    );
    await page.waitForFunction((hash) => location.hash === hash, await page.evaluate(() => location.hash));
    await nextFrames(page);
    await nextFrames(page);
    return page.locator("#toast").textContent();
  };
  const ghost = {
    type: "sphere",
    name: "ghost",
    fields: { center: [0, 0, 0], radius: 1, "x = 1\n[[shape]]\ntype": "sphere" },
  };
  const box = { type: "box", fields: { center: [0, 0, 0], half_extents: [1, 1, 1], axes: "all" } };
  const mesh = { type: "mesh", fields: { file: "octahedron.obj" }, placement: { scale: "big", axis: 7 } };
  for (const [shape, words] of [
    [ghost, /shape 0, fields, x = 1.*unknown name/s],
    [box, /shape 0, fields, axes: expected Array/],
    [mesh, /shape 0, placement, scale: expected Array, received "big"/],
  ]) {
    assert.match(await follow({ v: 2, scene: { ...base, shapes: [shape] } }), words);
    assert.deepEqual(await scene(page), base, "the scene stays");
    assert.doesNotMatch(await page.locator("#verdict").innerText(), /ghost/);
  }
  // Every number of a link may be as odd as numbers are.
  const odd = [0, 1e308, -1e308, 5e-324, "=Infinity", "=-Infinity", "=-0"];
  for (const [i, x] of odd.entries()) {
    const vec = [x, odd[(i + 1) % odd.length], odd[(i + 3) % odd.length]];
    const shapes = [
      { type: "sphere", fields: { center: vec, radius: x } },
      { type: "box", fields: { center: [0, 0, 0], half_extents: vec, axes: [vec, vec, vec] } },
      { type: "cone", fields: { base: vec, apex: [0, 1, 0], radius: x } },
      {
        type: "mesh",
        fields: { file: "octahedron.obj" },
        placement: { scale: vec, axis: vec, degrees: x, translation: vec },
      },
    ];
    for (const shape of [...shapes, ...shapes.slice(0, 1)]) {
      const ray = { ...base.ray, origin: vec, direction: vec.toReversed?.() ?? vec, tip: vec };
      await follow({ v: 2, scene: { ...base, shapes: [shape], ray } });
      assert.match(await page.locator("#verdict").innerText(), /^(Hit|Miss|The scene has a mistake)/);
    }
  }
  await page.selectOption("#examples", "sphere");
  await nextFrames(page);
  assert.match(await page.locator("#verdict").innerText(), /^Hit/);
  // Three.js complains on the console about bounds of shapes that have no size; nothing else may go wrong.
  assert.deepEqual(
    problems.filter((problem) => !problem.includes("computeBoundingSphere")),
    [],
  );
  await context.close();
});

test("a damaged link is refused in words, and the page works", async () => {
  const { page, context, problems } = await open(browser, `${fileUrl}#z=abcd`);
  assert.match(await page.locator("#toast").innerText(), /damaged/);
  assert.ok((await number(page, "t")) > 0);
  assert.deepEqual(problems, []);
  await context.close();
});

test("a mesh that was dropped goes with the link, and undo goes back", async () => {
  const { page, context } = await open(browser, fileUrl);
  const before = await scene(page);
  await drop(page, [["t.ply", ply()]]);
  await page.locator("#file button", { hasText: "Share" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#z="));
  const second = await open(browser, page.url());
  assert.doesNotMatch(await second.page.locator("#verdict").innerText(), /mistake/);
  assert.equal((await scene(second.page)).shapes.at(-1).fields.file, "t.ply");
  await second.context.close();
  await page.keyboard.press("Control+z");
  await nextFrames(page);
  assert.deepEqual(await scene(page), before);
  await context.close();
});

test("the program opens the same files", () => {
  // What the page is compared with is the program of this tree.
  assert.match(execFileSync(hitscan(), ["--version"], { encoding: "utf8" }), /hitscan \d/);
  assert.ok(readFileSync(new URL("../dist/index.html", import.meta.url)).length > 0);
});

test("`hitscan lab` serves the page with the scene in it, and the page makes no further request", async () => {
  const path = join(folder, "served.toml");
  writeFileSync(
    path,
    '[[shape]]\ntype = "mesh"\nname = "<tetra>"\nfile = "t.obj"\n\n[[shape]]\ntype = "sphere"\ncenter = [4, 0, 0]\nradius = 1\n',
  );
  writeFileSync(join(folder, "t.obj"), obj());
  const program = spawn(hitscan(), ["lab", path, "--port", "0", "--no-open", "--page", pagePath], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await new Promise((found, failed) => {
      let said = "";
      program.stdout.on("data", (text) => {
        said += text;
        const address = said.match(/http:\/\/127\.0\.0\.1:\d+\//)?.[0];
        if (address) found(address);
      });
      program.on("exit", () => failed(new Error(`hitscan lab ended: ${said}`)));
    });
    const { page, problems, requests, context } = await open(browser, url);
    const { shapes } = await scene(page);
    assert.deepEqual(
      shapes.map(({ type, name }) => [type, name]),
      [
        ["mesh", "<tetra>"],
        ["sphere", ""],
      ],
    );
    assert.equal(shapes[0].fields.file, "t.obj");
    assert.doesNotMatch(await page.locator("#verdict").innerText(), /mistake/);
    assert.deepEqual(
      requests.filter((request) => request !== url && !request.startsWith("data:")),
      [],
    );
    assert.deepEqual(problems, []);
    await context.close();
  } finally {
    program.kill();
  }
});
