// The ray: its ends, its range, and what counts as a hit.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { type Control, numberInput, row, segmented } from "../inputs.js";
import { type RayState, setEnd, setDirection, reverse } from "../state.js";
import type { Store } from "../store.js";

export class RayPanel {
  #parent: HTMLElement;
  #store: Store;
  #dimension = 0;
  #controls: Control[] = [];

  constructor(parent: HTMLElement, store: Store) {
    [this.#parent, this.#store] = [parent, store];
  }

  show(): void {
    const { dimension } = this.#store.scene;
    if (dimension !== this.#dimension) {
      this.#dimension = dimension;
      this.#build();
    }
    for (const control of this.#controls) control.sync();
  }

  #set(edit: (ray: RayState) => void): void {
    this.#store.change(({ ray }) => edit(ray));
  }

  #build(): void {
    const ray = (): RayState => this.#store.scene.ray;
    const axes = [0, 1, 2].slice(0, this.#dimension);
    const point = (
      what: string,
      get: (k: number) => number | undefined,
      set: (ray: RayState, k: number, x: number) => void,
    ): Control =>
      row(
        what,
        ...axes.map((k) =>
          numberInput(this.#store, {
            label: `ray ${what} ${"xyz"[k]}`,
            get: () => get(k),
            set: (x) => this.#set((ray) => set(ray, k, x ?? 0)),
          }),
        ),
      );
    const limit = (key: "t_min" | "t_max"): Control =>
      numberInput(this.#store, {
        label: key,
        get: () => ray()[key],
        set: (x) => this.#set((ray) => void (ray[key] = x)),
        empty: key === "t_min" ? "0" : "none",
        infinite: true,
      });
    const choose = <K extends "kind" | "inside" | "faces">(
      label: string,
      key: K,
      choices: [RayState[K], string, string][],
    ): Control => {
      const control = segmented(
        label,
        choices.map(([value, label, title]) => ({ value, label, title })),
        () => ray()[key],
        (value) =>
          this.#set((ray) => {
            ray[key] = value;
            // A segment keeps its end, a ray its direction.
            if (key === "kind") ray.kind === "ray" ? setEnd(ray, "tip", ray.tip) : setDirection(ray, ray.direction);
          }),
      );
      const element = h("div", { class: "field" }, h("span", { class: "what" }, label), h("div", {}, control.element));
      return { element, sync: control.sync };
    };
    this.#controls = [
      choose("kind", "kind", [
        ["ray", "Ray", "Goes on for ever: t from 0"],
        ["segment", "Segment", "Ends at its tip: t from 0 to 1"],
      ]),
      point(
        "origin",
        (k) => ray().origin[k],
        (ray, k, x) => setEnd(ray, "origin", ray.origin.with(k, x)),
      ),
      point(
        "tip",
        (k) => ray().tip[k],
        (ray, k, x) => setEnd(ray, "tip", ray.tip.with(k, x)),
      ),
      point(
        "direction",
        (k) => ray().direction[k],
        (ray, k, x) => setDirection(ray, ray.direction.with(k, x)),
      ),
      row("t from, to", limit("t_min"), limit("t_max")),
      choose("inside", "inside", [
        ["solid", "Solid", "A ray that starts inside hits at once"],
        ["hollow", "Hollow", "A ray that starts inside hits the surface where it leaves"],
      ]),
      choose("faces", "faces", [
        ["both", "Both", "Both sides of a surface count"],
        ["front", "Front", "Of a surface only the side where the normal points; solids always count"],
        ["back", "Back", "Of a surface only the other side; solids always count"],
      ]),
    ];
    const flip = h("button", { type: "button", onclick: () => this.#set(reverse) }, icon("flip"), "Turn round");
    const fields = h(
      "div",
      { class: "fields" },
      ...this.#controls.map(({ element }) => element),
      h("div", { class: "row" }, flip),
    );
    fields.style.cssText = "margin-top:0;padding-top:0;border-top:0";
    this.#parent.replaceChildren(fields);
  }
}
