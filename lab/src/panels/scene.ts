// The list of shapes, and every number of the one that is selected.

import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { type Control, numberInput, row } from "../inputs.js";
import { kindOf, KINDS, VARIANTS, type Vec } from "../schema.js";
import type { Model } from "../model.js";
import { foundShapes } from "../raypath.js";
import type { Placement, Shape } from "../state.js";
import type { Store } from "../store.js";
import type { Actions } from "../actions.js";
import { shapeRows } from "./shapefields.js";

export class ScenePanel {
  #parent: HTMLElement;
  #store: Store;
  #actions: Actions;
  #structure = "";
  #controls: Control[] = [];
  #hitDots = new Map<number, HTMLElement>();
  #problem = h("p", { class: "alert", role: "alert" });

  constructor(parent: HTMLElement, store: Store, actions: Actions) {
    [this.#parent, this.#store, this.#actions] = [parent, store, actions];
  }

  show({ scene, options, answers }: Model): void {
    const shapes = scene.shapes.map(({ id, type, name, fields, matrix }) => {
      return [id, type, name, Boolean(fields["axes"]), Boolean(matrix)];
    });
    const count = scene.shapes.map(({ fields }) => (fields["vertices"] as Vec[] | undefined)?.length);
    const structure = JSON.stringify([scene.dimension, shapes, count, options.selected]);
    if (structure !== this.#structure) {
      this.#structure = structure;
      this.#build();
    }
    for (const control of this.#controls) control.sync();
    const found = foundShapes(answers);
    scene.shapes.forEach(({ id }, i) => this.#hitDots.get(id)?.classList.toggle("hit", found.includes(i)));
    this.#problem.hidden = answers.error === null;
    if (this.#problem.textContent !== (answers.error ?? "")) this.#problem.textContent = answers.error ?? "";
  }

  #build(): void {
    const { scene, options } = this.#store;
    this.#controls = [];
    this.#hitDots.clear();
    const selected = scene.shapes.find(({ id }) => id === options.selected);
    const items = scene.shapes.map((shape, index) => this.#item(shape, index));
    replace(
      this.#parent,
      items.length > 0
        ? h("ul", { class: "shapes" }, ...items)
        : h("p", { class: "note" }, "Empty. Add a shape, or drop a file on the picture."),
      this.#adder(),
      this.#problem,
      selected && this.#fields(selected),
    );
  }

  #item(shape: Shape, index: number): HTMLElement {
    const { options } = this.#store;
    const kind = kindOf(this.#store.scene.dimension, shape.type);
    const called = shape.name || `${shape.type}-${index}`;
    const dot = h("i", { class: "dot" });
    this.#hitDots.set(shape.id, dot);
    const isSelected = options.selected === shape.id;
    const select = (): void => this.#store.view({ selected: isSelected ? null : shape.id });
    const button = (name: "double" | "trash", label: string, go: () => void): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          class: "icon",
          "aria-label": `${label} ${called}`,
          title: label,
          onclick: go,
          "data-key": `${name}${shape.id}`,
        },
        icon(name),
      );
    return h(
      "li",
      { class: isSelected ? "selected" : "" },
      h(
        "button",
        {
          type: "button",
          class: "name",
          "aria-pressed": String(isSelected),
          onclick: select,
          "data-key": `shape${shape.id}`,
        },
        dot,
        h("span", {}, called),
        h(
          "small",
          {},
          shape.fields["axes"] && ["box", "rectangle"].includes(shape.type) ? "oriented box" : kind.label.toLowerCase(),
        ),
      ),
      isSelected && button("double", "Duplicate", () => this.#actions.duplicate(shape.id)),
      isSelected && button("trash", "Delete", () => this.#actions.remove(shape.id)),
    );
  }

  #adder(): HTMLElement {
    const { dimension } = this.#store.scene;
    const variants = VARIANTS.filter((variant) => variant.dimension === dimension);
    const options = KINDS.filter((kind) => kind.dimension === dimension).flatMap((kind) => [
      { value: kind.type, label: kind.label },
      ...variants.filter(({ of }) => of === kind.type).map(({ of, label }) => ({ value: `${of}+`, label })),
    ]);
    const select = h("select", {
      "aria-label": "Shape to add",
      "data-key": "add",
      // A choice by mouse or touch adds at once; keyboards go through the choices first.
    });
    select.append(...options.map(({ value, label }) => h("option", { value }, label)));
    const add = h(
      "button",
      { type: "button", class: "primary", onclick: () => this.#actions.add(select.value), "data-key": "addbutton" },
      "Add",
    );
    return h("div", { class: "row" }, select, add);
  }

  #fields(shape: Shape): HTMLElement {
    const { id } = shape;
    const rows = shapeRows(this.#store, this.#store.scene.dimension, shape);
    const name = this.#name(shape);
    this.#controls.push(...rows);
    const placement = shape.matrix ? this.#matrix(shape) : shape.placement ? this.#placement(id) : [];
    this.#controls.push(...placement);
    return h(
      "div",
      { class: "fields" },
      name,
      ...[...rows, ...placement].map((control) => control.element),
      shape.type === "polygon" && this.#corners(shape),
      shape.matrix && h("p", { class: "note" }, "The matrix places the shape; its other numbers are before that."),
    );
  }

  #name(shape: Shape): HTMLElement {
    const input = h("input", {
      type: "text",
      class: "words",
      "aria-label": "name",
      value: shape.name,
      placeholder: "no name",
      "data-key": "name",
      autocomplete: "off",
      onchange: () => this.#actions.rename(shape.id, input.value.trim()),
    });
    return h("div", { class: "field" }, h("span", { class: "what" }, "name"), input);
  }

  #shape(id: number): Shape | undefined {
    return this.#store.scene.shapes.find((shape) => shape.id === id);
  }

  #set(id: number, edit: (shape: Shape) => void): void {
    this.#store.editShape(id, edit);
  }

  /** A field for each number of the matrix, row by row. */
  #matrix({ id, matrix }: Shape): Control[] {
    return matrix!.map((numbers, i) => {
      const inputs = numbers.map((_, j) =>
        numberInput(this.#store, {
          label: `matrix ${"xyz"[i]} ${j + 1}`,
          get: () => this.#shape(id)?.matrix?.[i]?.[j],
          set: (x) => this.#set(id, (shape) => void (shape.matrix![i]![j] = x ?? 0)),
        }),
      );
      return row(`matrix ${"xyz"[i]}`, ...inputs);
    });
  }

  #placement(id: number): Control[] {
    const part = (key: "scale" | "axis" | "translation", label: string): Control => {
      const inputs = [0, 1, 2].map((k) =>
        numberInput(this.#store, {
          label: `${label} ${"xyz"[k]}`,
          get: () => this.#shape(id)?.placement?.[key][k],
          set: (x) => this.#set(id, (shape) => void ((shape.placement as Placement)[key][k] = x ?? 0)),
        }),
      );
      return row(label, ...inputs);
    };
    const degrees = numberInput(this.#store, {
      label: "degrees",
      get: () => this.#shape(id)?.placement?.degrees,
      set: (x) => this.#set(id, (shape) => void ((shape.placement as Placement).degrees = x ?? 0)),
    });
    return [part("translation", "moved"), part("scale", "scaled"), part("axis", "turn axis"), row("degrees", degrees)];
  }

  /** One corner more, or one less. */
  #corners(shape: Shape): HTMLElement {
    const { id } = shape;
    const edit = (change: (corners: Vec[]) => Vec[]) => () =>
      this.#set(id, (shape) => void (shape.fields["vertices"] = change(shape.fields["vertices"] as Vec[])));
    const more = (corners: Vec[]): Vec[] => {
      const [a, b] = [corners.at(-1)!, corners[0]!];
      return [...corners, a.map((x, i) => (x + b[i]!) / 2)];
    };
    const few = (shape.fields["vertices"] as Vec[]).length <= 3;
    return h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: edit(more), "data-key": "more" }, "Add a corner"),
      h(
        "button",
        { type: "button", disabled: few, onclick: edit((corners) => corners.slice(0, -1)), "data-key": "less" },
        "Remove one",
      ),
    );
  }
}
