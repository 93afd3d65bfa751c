// The actions behind buttons, keys and dropped files.

import type { Lab } from "./session.js";
import { byId } from "./dom.js";
import { bytesOf, addFile } from "./files.js";
import { inlineBuffers } from "./gltf.js";
import { kindOf, VARIANTS, type Dimension, type Value, type Vec } from "./schema.js";
import { LONG_LINK, toHash } from "./link.js";
import { PRESETS } from "./presets.js";
import type { LinkedView, Scene, Shape } from "./state.js";
import type { Store } from "./store.js";
import { sceneToml } from "./toml.js";
import { move, NO_PLACEMENT } from "./transform.js";

const MESH = /\.(obj|stl|ply|off|gltf|glb)$/i;

export class Actions {
  #store: Store;
  #lab: Lab;
  #page: { fit: () => void; linkedView: () => LinkedView };
  /** The last scene of the other dimension. */
  #other: Scene | null = null;
  #toastTimer = 0;

  constructor(store: Store, lab: Lab, page: { fit: () => void; linkedView: () => LinkedView }) {
    [this.#store, this.#lab, this.#page] = [store, lab, page];
  }

  /** Shows a note for some seconds. */
  say(text: string): void {
    const toast = byId("toast");
    toast.textContent = text;
    toast.classList.add("shown");
    clearTimeout(this.#toastTimer);
    this.#toastTimer = window.setTimeout(() => toast.classList.remove("shown"), 4000 + 40 * text.length);
  }

  #nextId(scene: Scene): number {
    return Math.max(0, ...scene.shapes.map(({ id }) => id)) + 1;
  }

  #insert(shape: Omit<Shape, "id">): void {
    const id = this.#nextId(this.#store.scene);
    this.#store.change((scene) => void scene.shapes.push({ ...shape, id }));
    this.#store.view({ selected: id });
  }

  /** `box`, or `box+` for its variant. */
  add(choice: string): void {
    const { dimension } = this.#store.scene;
    const type = choice.replace("+", "");
    const kind = kindOf(dimension, type);
    const variant = choice.endsWith("+") && VARIANTS.find(({ of, dimension: d }) => of === type && d === dimension);
    const { label, initial } = variant || kind;
    const placement = type === "mesh" ? { placement: structuredClone(NO_PLACEMENT) } : {};
    const name = this.#freeName(label.toLowerCase());
    this.#insert({ type, name, fields: structuredClone(initial) as Record<string, Value>, ...placement });
  }

  #freeName(wanted: string): string {
    const taken = new Set(this.#store.scene.shapes.map(({ name }) => name));
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted} ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  duplicate(id: number): void {
    const { dimension, shapes } = this.#store.scene;
    const shape = shapes.find((shape) => shape.id === id);
    if (!shape) return;
    const { id: _, ...copy } = structuredClone(shape);
    copy.name = copy.name && this.#freeName(copy.name.replace(/ \d+$/, ""));
    const moved = { ...copy, id: 0 };
    move(dimension, moved, dimension === 2 ? [0.5, -0.5] : [0.5, 0, 0.5]);
    this.#insert({ ...copy, ...moved });
  }

  remove(id: number): void {
    if (!this.#store.scene.shapes.some((shape) => shape.id === id)) return;
    this.#store.change((scene) => void (scene.shapes = scene.shapes.filter((shape) => shape.id !== id)));
  }

  rename(id: number, name: string): void {
    this.#store.change((scene) => {
      const shape = scene.shapes.find((shape) => shape.id === id);
      if (shape) shape.name = name;
    });
  }

  setDimension(dimension: Dimension): void {
    const { scene } = this.#store;
    if (scene.dimension === dimension) return;
    const next = this.#other ?? PRESETS.find((preset) => preset.dimension === dimension)!.scene();
    this.#other = scene;
    // The kind of the query stays.
    this.#replace({ ...next, query: { ...next.query, kind: scene.query.kind } });
  }

  preset(id: string): void {
    const preset = PRESETS.find((preset) => preset.id === id);
    if (!preset) return;
    this.#replace(preset.scene());
    this.#store.view({ explained: null, doubt: preset.group === "Doubt", allHits: false, ...preset.options });
  }

  #replace(scene: Scene): void {
    this.#store.view({ selected: null, explained: null });
    this.#store.change((old) => void Object.assign(old, structuredClone(scene)));
    this.#page.fit();
  }

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied.");
    } catch {
      this.say("This browser does not let the page copy: select the text and copy it.");
    }
  }

  async share(): Promise<void> {
    try {
      const hash = await toHash(this.#store.scene, this.#page.linkedView());
      history.replaceState(null, "", hash);
      const { href } = location;
      await navigator.clipboard.writeText(href).then(
        () =>
          this.say(
            href.length > LONG_LINK
              ? `Copied. The link has ${href.length.toLocaleString("en")} characters: some programs cut links of that length.`
              : "The link is copied, and in the address bar.",
          ),
        () => this.say("The link is in the address bar."),
      );
    } catch (error) {
      this.say(String((error as Error).message));
    }
  }

  /** Saves the scene file and the meshes that it names. */
  save(): void {
    const { dimension, shapes } = this.#store.scene;
    this.#download("scene.toml", new TextEncoder().encode(sceneToml(dimension, shapes)));
    const names = new Set(shapes.filter((shape) => shape.placement).map((shape) => shape.fields["file"] as string));
    for (const name of names) {
      const bytes = bytesOf(name);
      if (bytes) this.#download(name, bytes as Uint8Array<ArrayBuffer>);
    }
    this.say(
      names.size ? `Saved scene.toml and ${[...names].join(", ")}: keep them in one folder.` : "Saved scene.toml.",
    );
  }

  #download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  /** Opens files: a scene file with its meshes replaces the scene, and meshes by themselves join it. */
  async open(files: Iterable<File>): Promise<void> {
    const all = await Promise.all(
      [...files].map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    const toml = all.find(({ name }) => /\.toml$/i.test(name));
    const meshes = all.filter(({ name }) => MESH.test(name));
    const others = new Map(all.map(({ name, bytes }) => [name, bytes]));
    try {
      if (toml) this.openScene(toml.name, new TextDecoder().decode(toml.bytes), others);
      else if (meshes.length) for (const { name, bytes } of meshes) this.#openMesh(name, bytes, others);
      else
        this.say(
          all.some(({ name }) => /\.hitscene$/i.test(name))
            ? "A saved scene opens with `hitscan lab`, or as the .toml that `hitscan convert` makes of it."
            : `${all[0]?.name ?? "That"} is no scene or mesh: drop .toml, .obj, .stl, .ply, .off, .gltf or .glb.`,
        );
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  #openMesh(name: string, data: Uint8Array, others: Map<string, Uint8Array>): void {
    const bytes = inlineBuffers(name, data, others);
    const { triangles, topology } = this.#lab.check(name, bytes);
    if (this.#store.scene.dimension === 2) this.setDimension(3);
    const file = addFile(name, bytes);
    const label = this.#freeName(name.replace(MESH, ""));
    this.#insert({ type: "mesh", name: label, fields: { file }, placement: structuredClone(NO_PLACEMENT) });
    const inside = topology.isClosed ? "closed" : "open: it has no inside";
    this.say(`${name}: ${(triangles.length / 3).toLocaleString("en")} triangles, ${inside}.`);
    this.#page.fit();
  }

  /** Opens the text of a scene file. The engine applies transforms, so a moved mesh becomes a new file. */
  openScene(name: string, text: string, meshes: Map<string, Uint8Array>): void {
    const base = (path: string): string => path.replaceAll("\\", "/").split("/").at(-1) ?? path;
    const files = new Map(meshes);
    // The scene file may name a path; a dropped file has its last part only.
    for (const [, path] of text.matchAll(/^\s*file\s*=\s*["']([^"'\n]+)["']/gm)) {
      const bytes = meshes.get(path!) ?? meshes.get(base(path!)) ?? bytesOf(base(path!));
      if (bytes) files.set(path!, inlineBuffers(path!, bytes, meshes));
    }
    const opened = this.#lab.read(text, files, name);
    const shapes = opened.shapes.map((info, i): Shape => {
      const fields = structuredClone(info.parameters) as Record<string, Value>;
      const layers =
        info.layers === 1
          ? {}
          : { layers: Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (info.layers >>> bit) & 1) };
      const columns = info.transform && [...info.transform.slice(0, opened.dimension), info.transform[3]!];
      const rows = Array.from({ length: opened.dimension }, (_, row) => columns?.map((column) => column[row]!) ?? []);
      const matrix = columns ? { matrix: rows } : {};
      const called = info.isNamed ? info.name : "";
      const shape: Shape = { id: i + 1, type: info.type, name: called, fields, ...layers, ...matrix };
      if (info.type !== "mesh") return shape;
      const mesh = opened.mesh(i)!;
      const path = String(info.parameters["file"]);
      const given = files.get(path);
      const plain = given && this.#lab.check(path, given);
      const same =
        plain &&
        plain.positions.length === mesh.positions.length &&
        plain.positions.every((x, k) => x === mesh.positions[k]);
      const file = same
        ? addFile(base(path), given)
        : addFile(`${base(path).replace(MESH, "")}-placed.obj`, objText(mesh.positions, mesh.triangles));
      return { ...shape, fields: { file }, placement: structuredClone(NO_PLACEMENT) };
    });
    const { dimension } = opened;
    opened.free();
    const { scene } = this.#store;
    if (scene.dimension !== dimension) this.#other = scene;
    const { ray, query } =
      scene.dimension === dimension ? scene : PRESETS.find((preset) => preset.dimension === dimension)!.scene();
    this.#replace({ ...scene, dimension, shapes, ray, query: { ...query, kind: scene.query.kind } });
    this.say(`${name}: ${shapes.length} ${shapes.length === 1 ? "shape" : "shapes"}.`);
  }
}

function objText(positions: Float64Array, triangles: Uint32Array): Uint8Array {
  const lines: string[] = [];
  for (let i = 0; i < positions.length; i += 3) lines.push(`v ${positions[i]} ${positions[i + 1]} ${positions[i + 2]}`);
  for (let i = 0; i < triangles.length; i += 3)
    lines.push(`f ${triangles[i]! + 1} ${triangles[i + 1]! + 1} ${triangles[i + 2]! + 1}`);
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}

export type { Vec };
