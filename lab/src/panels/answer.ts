// The panel of the answer: its numbers, and the tabs below it.

import { byId, h } from "../dom.js";
import { icon } from "../icons.js";
import { checkbox, type Control } from "../inputs.js";
import type { Hit, Place } from "../interface.js";
import type { Model } from "../model.js";
import { numberElement } from "../numbers.js";
import type { Proximity } from "../session.js";
import type { Tab } from "../state.js";
import type { Store } from "../store.js";
import type { Actions } from "../actions.js";
import { code } from "./code.js";
import { doubt } from "./doubt.js";
import { explain } from "./explain.js";
import { FieldPanel } from "./field.js";

const TABS: [Tab, string][] = [
  ["explain", "Explain"],
  ["doubt", "Doubt"],
  ["field", "Field"],
  ["code", "Code"],
];

export const shapeName = ({ scene, answers }: Model, index: number): string =>
  answers.opened?.shapes[index]?.name ?? scene.shapes[index]?.name ?? `shape ${index}`;

export class AnswerPanel {
  #tab: HTMLElement;
  #store: Store;
  #actions: Actions;
  #controls: Control[];
  #numbers = h("div");
  #buttons: HTMLButtonElement[];
  #field: FieldPanel;

  constructor({ tools, answer, tabs, tab }: Parts, store: Store, actions: Actions) {
    [this.#tab, this.#store, this.#actions] = [tab, store, actions];
    this.#controls = [
      checkbox(
        "Every hit",
        () => store.options.allHits,
        (allHits) => store.view({ allHits }),
      ),
      checkbox(
        "All digits",
        () => store.options.allDigits,
        (allDigits) => store.view({ allDigits }),
      ),
    ];
    const copy = h(
      "button",
      {
        type: "button",
        class: "icon quiet",
        "aria-label": "Copy the answer",
        title: "Copy the answer with all digits",
        onclick: () => actions.copy(plainText(this.#numbers)),
      },
      icon("copy"),
    );
    tools.append(...this.#controls.map(({ element }) => element), copy);
    answer.append(this.#numbers);
    this.#buttons = TABS.map(([name, label]) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": "tab",
          onclick: () => store.view({ tab: name }),
          onkeydown: (event) => this.#keys(event),
        },
        label,
      ),
    );
    tabs.append(...this.#buttons);
    this.#field = new FieldPanel(store);
  }

  show(model: Model): void {
    const { options } = model;
    for (const control of this.#controls) control.sync();
    const isRay = model.scene.query.kind === "ray";
    this.#controls[0]!.element.hidden = !isRay;
    this.#numbers.replaceChildren(...this.#answer(model));
    this.#buttons.forEach((button, i) => {
      const isOpen = TABS[i]![0] === options.tab;
      button.setAttribute("aria-selected", String(isOpen));
      button.tabIndex = isOpen ? 0 : -1;
    });
    this.#tab.setAttribute("aria-labelledby", `tab-${options.tab}`);
    if (options.tab === "field" && isRay) return this.#field.show(this.#tab, model);
    this.#field.leave();
    const open = new Set([...this.#tab.querySelectorAll("details[open]")].map((details) => details.id));
    const key = this.#tab.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    const make =
      options.tab === "field" || (options.tab === "doubt" && !isRay) ? raysOnly : { explain, doubt, code }[options.tab];
    this.#tab.replaceChildren(...make(model, this.#store, this.#actions));
    for (const id of open) if (id) this.#tab.querySelector(`#${id}`)?.setAttribute("open", "");
    if (key) this.#tab.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }

  #keys(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = TABS.findIndex(([name]) => name === this.#store.options.tab);
    const next = (at + by + TABS.length) % TABS.length;
    this.#store.view({ tab: TABS[next]![0] });
    this.#buttons[next]!.focus();
  }

  #answer(model: Model): HTMLElement[] {
    const { scene, answers, options } = model;
    const { answer, proximity, refusal } = answers;
    if (refusal !== null) return [h("p", { class: "alert", id: "refusal" }, `No answer: ${refusal}.`)];
    if (proximity) return proximityRows(model, proximity);
    if (!answer) return [h("p", { class: "note" }, "No answer: the scene has a mistake.")];
    const { first } = answer;
    if (!first) return [h("p", {}, h("b", { class: "miss" }, "Miss."), " No shape is hit in the range of t.")];
    if (options.allHits)
      return [
        h("p", { class: "note" }, `${answer.count} ${answer.count === 1 ? "hit" : "hits"}, nearest first`),
        ...answer.all.flatMap((hit) => withNote(model, hit, figures(model, hit))),
      ];
    const exit = answer.spans.find((span) => span.shape === first.shape)?.exit;
    const solid = answer.spans.some((span) => span.shape === first.shape);
    const out = exit && exit.t > first.t ? exit : null;
    const list = figures(model, first);
    if (scene.shapes[first.shape] && solid) {
      const value = out ? numberElement("exit", out.t, options.allDigits) : "not in the range";
      list.append(h("dt", {}, "leaves at t"), h("dd", {}, value));
    }
    return withNote(model, first, list);
  }
}

/** The elements of the page that the panel fills. */
interface Parts {
  tools: HTMLElement;
  answer: HTMLElement;
  tabs: HTMLElement;
  tab: HTMLElement;
}

/** The numbers of a hit, and the reason for its side where `faces` asks for the other one. */
function withNote(model: Model, hit: Hit, list: HTMLElement): HTMLElement[] {
  const note = facesNote(model, hit);
  return note ? [list, h("p", { class: "note faces-note" }, note)] : [list];
}

/** The reason for a hit on the other side than `faces` says: `faces` filters surfaces, and the shape is a solid. */
function facesNote(model: Model, hit: Hit): string | null {
  const { faces, inside } = model.scene.ray;
  if (faces === "both" || faces === hit.side) return null;
  const [name, wanted] = [shapeName(model, hit.shape), faces === "front" ? "Front" : "Back"];
  const solid = `${wanted} filters the sides of surfaces, and ${name} is a solid`;
  if (hit.side === "front") return `${solid}: the ray enters it through its front.`;
  const all = model.answers.answer?.all ?? [];
  if (all.some(({ shape, t }) => shape === hit.shape && t < hit.t))
    return `${solid}: the ray leaves it here, and sees it from within, side back.`;
  return inside === "solid"
    ? `${solid}: the ray starts inside it, and Solid reports the start as a hit from within, side back.`
    : `${solid}: the ray starts inside it, and Hollow reports the exit, which the ray sees from within, side back.`;
}

/** The rows of the answer with all digits, a line each. */
function plainText(answer: HTMLElement): string {
  const copy = answer.cloneNode(true) as HTMLElement;
  for (const number of copy.querySelectorAll<HTMLElement>("[data-value]"))
    number.textContent = ` ${number.dataset["value"]}`;
  for (const value of copy.querySelectorAll("dd")) value.append("\n");
  for (const name of copy.querySelectorAll("dt")) name.append(":");
  return copy.textContent ?? "";
}

/** A row of the answer: its name, and numbers or words by their keys. */
type Row = [name: string, values: [key: string, value: number | string][]];

/** The coordinates of a point or direction; their keys begin with a letter. */
const coordinates = ({ scene }: Model, name: string, letter: string, v: readonly number[]): Row => [
  name,
  [..."xyz"].slice(0, scene.dimension).map((axis, i) => [letter + axis, v[i]!]),
];

/** The triangle of a mesh, and the weights of corners. */
function placeRows({ scene }: Model, { shape, primitive, uv }: Pick<Place, "shape" | "primitive" | "uv">): Row[] {
  const rows: Row[] = [];
  if (primitive !== null && scene.shapes[shape]?.placement) rows.push(["triangle", [["primitive", String(primitive)]]]);
  if (uv) rows.push(["u, v", uv.map((x, i) => ["uv"[i]!, x])]);
  return rows;
}

function figureList({ options: { allDigits } }: Model, rows: Row[]): HTMLElement {
  const value = ([key, x]: [string, number | string]): HTMLElement =>
    typeof x === "number" ? numberElement(key, x, allDigits) : h("span", { "data-number": key, "data-value": x }, x);
  const list = h("dl", { class: allDigits ? "figures digits" : "figures" });
  for (const [name, values] of rows) list.append(h("dt", {}, name), h("dd", {}, ...values.map(value)));
  return list;
}

/** A hit in numbers. */
function figures(model: Model, hit: Hit): HTMLElement {
  return figureList(model, [
    ["shape", [["shape", shapeName(model, hit.shape)]]],
    ["t", [["t", hit.t]]],
    ["distance", [["distance", hit.distance]]],
    coordinates(model, "point", "p", hit.point),
    coordinates(model, "normal", "n", hit.normal),
    ["side", [["side", hit.side]]],
    ...placeRows(model, hit),
  ]);
}

const note = (text: string): HTMLElement => h("p", { class: "note" }, text);

/** The answer to a query that is no ray, in numbers. */
function proximityRows(model: Model, answer: Proximity): HTMLElement[] {
  if (answer.kind === "overlap") {
    const { overlaps } = answer;
    const how = ({ isInside, triangles }: (typeof overlaps)[number]): string =>
      isInside
        ? "the volume is wholly inside"
        : triangles === null
          ? "in part"
          : `${triangles} ${triangles === 1 ? "triangle" : "triangles"}`;
    return [
      figureList(model, [
        ["count", [["count", overlaps.length]]],
        ...overlaps.map((overlap): Row => [shapeName(model, overlap.shape), [["overlap", how(overlap)]]]),
      ]),
      ...(overlaps.length ? [] : [note("The volume has no point in common with any shape.")]),
    ];
  }
  if (answer.kind === "sweep") {
    const { hit } = answer;
    if (!hit) return [h("p", {}, h("b", { class: "miss" }, "No contact."), " Nothing is touched in the range of t.")];
    return [
      figureList(model, [
        ["shape", [["shape", shapeName(model, hit.shape)]]],
        ["t", [["t", hit.t]]],
        ["distance", [["distance", hit.distance]]],
        coordinates(model, "center M", "m", hit.center),
        coordinates(model, "contact E", "p", hit.point),
        coordinates(model, "normal", "n", hit.normal),
        ["feature", [["feature", hit.feature]]],
        ...(hit.depth === null ? [] : [["depth", [["depth", hit.depth]]] as Row]),
        ...placeRows(model, hit),
      ]),
      ...(hit.depth === null ? [] : [note("The ball touches the shape at the start; it leaves it along the normal.")]),
    ];
  }
  const { found, signedDistance } = answer;
  const signed: Row = ["signed distance", [["signed", signedDistance ?? "not measured"]]];
  if (!found)
    return [
      h("p", {}, h("b", { class: "miss" }, "No point."), " No surface is within the distance."),
      figureList(model, [signed]),
    ];
  const deeper = signedDistance !== null && -signedDistance > found.distance;
  return [
    figureList(model, [
      ["shape", [["shape", shapeName(model, found.shape)]]],
      ["distance", [["distance", found.distance]]],
      signed,
      coordinates(model, "closest C", "p", found.point),
      found.outward
        ? coordinates(model, "normal", "n", found.outward)
        : ["normal", [["outward", found.distance === 0 ? "none: on the surface" : "not measured"]]],
      ["feature", [["feature", found.feature]]],
      ...placeRows(model, found),
    ]),
    ...(deeper
      ? [note("The signed distance is that of a solid with the point deep inside; this surface is closer.")]
      : []),
  ];
}

/** The content of a tab that is for rays only, for the other kinds of query. */
function raysOnly(_model: Model, store: Store): HTMLElement[] {
  const ask = (): void => {
    byId("tab").focus();
    store.change(({ query }) => void (query.kind = "ray"));
  };
  return [
    note("This tab is about rays."),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: ask, "data-key": "askray" }, "Ask about the ray"),
    ),
  ];
}
