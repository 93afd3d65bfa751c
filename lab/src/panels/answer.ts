// The numbers of the answer, and the tabs that tell more about it.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { checkbox, type Control } from "../inputs.js";
import type { Hit } from "../interface.js";
import type { Model } from "../model.js";
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
  #parent: HTMLElement;
  #tabs: HTMLElement;
  #tab: HTMLElement;
  #store: Store;
  #actions: Actions;
  #all: Control;
  #numbers = h("div");
  #buttons: HTMLButtonElement[];
  #field: FieldPanel;

  constructor(parent: HTMLElement, tabs: HTMLElement, tab: HTMLElement, store: Store, actions: Actions) {
    [this.#parent, this.#tabs, this.#tab, this.#store, this.#actions] = [parent, tabs, tab, store, actions];
    this.#all = checkbox(
      "Every hit",
      () => store.options.allHits,
      (allHits) => store.view({ allHits }),
    );
    const copy = h(
      "button",
      { type: "button", class: "quiet", onclick: () => actions.copy(this.#numbers.innerText) },
      icon("copy"),
      "Copy",
    );
    this.#parent.append(this.#numbers, h("div", { class: "titled" }, this.#all.element, copy));
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
    this.#tabs.append(...this.#buttons);
    this.#field = new FieldPanel(store);
  }

  show(model: Model): void {
    const { options } = model;
    this.#all.sync();
    this.#numbers.replaceChildren(...this.#answer(model));
    this.#buttons.forEach((button, i) => {
      const isOpen = TABS[i]![0] === options.tab;
      button.setAttribute("aria-selected", String(isOpen));
      button.tabIndex = isOpen ? 0 : -1;
    });
    this.#tab.setAttribute("aria-labelledby", `tab-${options.tab}`);
    if (options.tab === "field") return this.#field.show(this.#tab, model);
    this.#field.leave();
    const open = new Set([...this.#tab.querySelectorAll("details[open]")].map((details) => details.id));
    const key = this.#tab.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    const make = { explain, doubt, code }[options.tab];
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
    const { answer } = answers;
    if (!answer) return [h("p", { class: "note" }, "No answer: the scene has a mistake.")];
    const { first } = answer;
    if (!first) return [h("p", {}, h("b", { class: "miss" }, "Miss."), " No shape is hit in the range of t.")];
    if (options.allHits)
      return [
        h("p", { class: "note" }, `${answer.count} ${answer.count === 1 ? "hit" : "hits"}, nearest first`),
        ...answer.all.map((hit) => figures(model, hit)),
      ];
    const exit = answer.spans.find((span) => span.shape === first.shape)?.exit;
    const solid = answer.spans.some((span) => span.shape === first.shape);
    const out = exit && exit.t > first.t ? exit : null;
    const list = figures(model, first);
    if (scene.shapes[first.shape] && solid) {
      list.append(
        h("dt", {}, "leaves at t"),
        h("dd", { "data-number": "exit" }, out ? String(out.t) : "not in the range"),
      );
    }
    return [list];
  }
}

/** A hit in numbers, with all their digits. */
function figures(model: Model, hit: Hit): HTMLElement {
  const axes = ["x", "y", "z"].slice(0, model.scene.dimension);
  const list = h("dl", { class: "figures" });
  const put = (name: string, key: string, value: string): void =>
    list.append(h("dt", {}, name), h("dd", { "data-number": key }, value));
  put("shape", "shape", shapeName(model, hit.shape));
  put("t", "t", String(hit.t));
  put("distance", "distance", String(hit.distance));
  axes.forEach((axis, i) => put(`point ${axis}`, `p${axis}`, String(hit.point[i])));
  axes.forEach((axis, i) => put(`normal ${axis}`, `n${axis}`, String(hit.normal[i])));
  put("side", "side", hit.side);
  if (hit.primitive !== null && model.scene.shapes[hit.shape]?.placement)
    put("triangle", "primitive", String(hit.primitive));
  if (hit.uv) put("u, v", "uv", hit.uv.map((x) => x.toPrecision(9)).join(", "));
  return list;
}
