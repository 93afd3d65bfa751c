// The numbers of the query: of the ray its ends, its range and what counts as a hit; of others the point, radius or volume.

import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { type Control, numberInput, row, segmented } from "../inputs.js";
import {
  type QueryState,
  type RayState,
  type Shape,
  setEnd,
  setDirection,
  reverse,
  volumeOf,
  VOLUMES,
} from "../state.js";
import { kindOf } from "../schema.js";
import type { Store } from "../store.js";
import { pivot } from "../transform.js";
import { shapeRows } from "./shapefields.js";

export class QueryPanel {
  #parent: HTMLElement;
  #store: Store;
  /** What the fields depend on. */
  #structure = "";
  #controls: Control[] = [];

  constructor(parent: HTMLElement, store: Store) {
    [this.#parent, this.#store] = [parent, store];
  }

  show(): void {
    const { dimension, query } = this.#store.scene;
    const { type, fields } = query.volume;
    const structure = [dimension, query.kind, ...(query.kind === "overlap" ? [type, "axes" in fields] : [])].join();
    if (structure !== this.#structure) {
      this.#structure = structure;
      this.#build();
    }
    for (const control of this.#controls) control.sync();
  }

  #set(edit: (ray: RayState) => void): void {
    this.#store.change(({ ray }) => edit(ray));
  }

  #build(): void {
    const { kind } = this.#store.scene.query;
    const make = { ray: this.#ray, sweep: this.#sweep, closest: this.#closest, overlap: this.#overlap }[kind];
    this.#controls = make.call(this);
    const flip = h("button", { type: "button", onclick: () => this.#set(reverse) }, icon("flip"), "Turn round");
    const fields = h(
      "div",
      { class: "fields" },
      ...this.#controls.map(({ element }) => element),
      (kind === "ray" || kind === "sweep") && h("div", { class: "row" }, flip),
    );
    fields.style.cssText = "margin-top:0;padding-top:0;border-top:0";
    replace(this.#parent, fields);
  }

  #number(
    label: string,
    get: (query: QueryState) => number | null,
    set: (query: QueryState, x: number | null) => void,
    more: { empty?: string; infinite?: boolean } = {},
  ): Control {
    return numberInput(this.#store, {
      label,
      get: () => get(this.#store.scene.query),
      set: (x) => this.#store.change(({ query }) => set(query, x)),
      ...more,
    });
  }

  #closest(): Control[] {
    const axes = this.#store.scene.query.point.map((_, k) =>
      this.#number(
        `point ${"xyz"[k]}`,
        ({ point }) => point[k]!,
        (query, x) => void (query.point = query.point.with(k, x ?? 0)),
      ),
    );
    const limit = this.#number(
      "max distance",
      (query) => query.max_distance,
      (query, x) => void (query.max_distance = x),
      { empty: "none", infinite: true },
    );
    return [row("point", ...axes), row("within", limit)];
  }

  #sweep(): Control[] {
    const radius = this.#number(
      "thick ray radius",
      (query) => query.radius,
      (query, x) => void (query.radius = x ?? 0),
    );
    return [row("radius", radius), ...this.#ray()];
  }

  #overlap(): Control[] {
    const { dimension, query } = this.#store.scene;
    const volume = (): Shape => this.#store.scene.query.volume;
    const types = segmented(
      "volume type",
      Object.keys(VOLUMES[dimension]).map((value) => ({ value, label: kindOf(dimension, value).label })),
      () => volume().type,
      (type) =>
        this.#store.change(({ query }) => {
          const { radius, half_extents } = query.volume.fields as { radius?: number; half_extents?: number[] };
          // A capsule is twice as long as its radius.
          const size = half_extents?.[0] ?? radius! * (query.volume.type === "capsule" ? 2 : 1);
          if (type !== query.volume.type)
            query.volume = volumeOf(dimension, type, pivot(dimension, query.volume), size);
        }),
    );
    return [types, ...shapeRows(this.#store, dimension, query.volume, "volume ")];
  }

  #ray(): Control[] {
    const ray = (): RayState => this.#store.scene.ray;
    const axes = [0, 1, 2].slice(0, this.#store.scene.dimension);
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
    return [
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
  }
}
