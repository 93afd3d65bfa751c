// A field of rays: how many, where they go, how they are drawn, and how fast they were cast.

import { h } from "../dom.js";
import { checkbox, type Control, numberInput, row, segmented } from "../inputs.js";
import type { Model } from "../model.js";
import type { FieldState } from "../state.js";
import type { Store } from "../store.js";
import { MAX_RAYS } from "../fieldrays.js";

export class FieldPanel {
  #store: Store;
  #controls: Control[] = [];
  #parts: { all: HTMLElement[]; degrees: HTMLElement; width: HTMLElement; range: HTMLInputElement } | null = null;
  #figures = h("dl", { class: "figures", id: "field-figures" });
  #picture = h("canvas", { class: "seen", role: "img", "aria-label": "What the rays see" });

  constructor(store: Store) {
    this.#store = store;
  }

  leave(): void {
    this.#parts = null;
  }

  show(tab: HTMLElement, model: Model): void {
    if (!this.#parts) this.#build(tab);
    const { field, dimension } = model.scene;
    for (const control of this.#controls) control.sync();
    this.#parts!.degrees.hidden = field.shape !== "fan";
    this.#parts!.width.hidden = field.shape !== "grid";
    this.#parts!.range.value = String(Math.round(100 * Math.log10(field.count)));
    for (const element of this.#parts!.all.slice(1)) element.classList.toggle("off", !field.on);
    this.#show(model, dimension);
  }

  #set(edit: (field: FieldState) => void): void {
    this.#store.change(({ field }) => edit(field));
  }

  #build(tab: HTMLElement): void {
    const field = (): FieldState => this.#store.scene.field;
    const on = checkbox(
      "Cast a field of rays",
      () => field().on,
      (on) => this.#set((field) => void (field.on = on)),
    );
    const titled = (what: string, control: Control): Control => ({
      element: h("div", { class: "field" }, h("span", { class: "what" }, what), h("div", {}, control.element)),
      sync: control.sync,
    });
    const shape = segmented(
      "field shape",
      [
        { value: "fan", label: "Fan" },
        { value: "grid", label: "Grid" },
      ],
      () => field().shape,
      (shape) => this.#set((field) => void (field.shape = shape)),
    );
    const coloring = segmented(
      "drawn as",
      [
        { value: "hits", label: "Hits" },
        { value: "depth", label: "Depth" },
        { value: "normals", label: "Normals" },
      ],
      () => field().coloring,
      (coloring) => this.#set((field) => void (field.coloring = coloring)),
    );
    const number = (label: string, key: "count" | "degrees" | "width", least: number, most: number): Control =>
      numberInput(this.#store, {
        label,
        get: () => field()[key],
        set: (x) => this.#set((field) => void (field[key] = key === "count" ? Math.round(x ?? 1) : (x ?? 1))),
        least,
        most,
      });
    const range = h("input", {
      type: "range",
      min: 100,
      max: 500,
      step: 1,
      "aria-label": "number of rays, slider",
      oninput: () => {
        this.#store.beginGesture();
        const count = 10 ** (Number(range.value) / 100);
        const digits = 10 ** Math.max(Math.floor(Math.log10(count)) - 1, 0);
        this.#set((field) => void (field.count = Math.round(count / digits) * digits));
      },
      onchange: () => this.#store.endGesture(),
    });
    const degrees = row("opening, °", number("opening in degrees", "degrees", 0, 360));
    const width = row("width", number("width of the grid", "width", 0, 1e12));
    this.#controls = [
      on,
      titled("shape", shape),
      row("rays", number("number of rays", "count", 1, MAX_RAYS)),
      degrees,
      width,
      titled("drawn as", coloring),
    ];
    const [first, ...rest] = this.#controls.map(({ element }) => element);
    rest.splice(2, 0, range);
    this.#parts = { all: [first!, ...rest], degrees: degrees.element, width: width.element, range };
    tab.replaceChildren(first!, ...rest, this.#picture, this.#figures);
  }

  #show({ field: result }: Model, dimension: number): void {
    this.#picture.hidden = !result || dimension === 2;
    if (!result) {
      this.#figures.replaceChildren();
      return;
    }
    const { found, ms, columns, rows, colors } = result;
    const count = found.t.length;
    const put = (name: string, key: string, value: string): HTMLElement[] => [
      h("dt", {}, name),
      h("dd", { "data-number": key }, value),
    ];
    this.#figures.replaceChildren(
      ...put("rays cast", "rays", count.toLocaleString("en") + (rows > 1 ? ` (${columns} × ${rows})` : "")),
      ...put("that hit", "field-hits", found.hits.toLocaleString("en")),
      ...put("time", "field-ms", `${ms.toFixed(1)} ms`),
      ...put("rays per second", "rate", perSecond(count, ms)),
    );
    if (dimension === 3) this.#paint(columns, rows, colors, found.shape);
  }

  #paint(columns: number, rows: number, colors: Uint8Array, shape: Int32Array): void {
    [this.#picture.width, this.#picture.height] = [columns, rows];
    const pen = this.#picture.getContext("2d");
    if (!pen) return;
    const image = pen.createImageData(columns, rows);
    for (let i = 0; i < columns * rows; i++) {
      if (shape[i]! < 0) continue;
      image.data.set(colors.subarray(3 * i, 3 * i + 3), 4 * i);
      image.data[4 * i + 3] = 255;
    }
    pen.putImageData(image, 0, 0);
  }
}

export function perSecond(count: number, ms: number): string {
  const rate = count / (ms / 1000);
  if (!Number.isFinite(rate)) return "–";
  return rate >= 1e6 ? `${(rate / 1e6).toPrecision(3)} million` : Math.round(rate).toLocaleString("en");
}
