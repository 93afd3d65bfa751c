// Explain: the test of one shape with its formula, its numbers, and the comparison that decided.

import { h } from "../dom.js";
import { formulaOf, partsOf, termOf, type Formula } from "../formulas.js";
import { icon } from "../icons.js";
import type { ShapeReport } from "../interface.js";
import { numberText } from "../numbers.js";
import { term } from "../terms.js";
import { color } from "../theme.js";
import { queryInfo } from "../queries.js";
import type { Mark } from "../marks.js";
import type { Model } from "../model.js";
import type { Store } from "../store.js";
import type { Actions } from "../actions.js";

/** The shape that is explained: the chosen one, else the one that is selected, else the hit or the nearest. */
export function explainedIndex({
  scene,
  options,
  answers,
}: Pick<Model, "scene" | "options" | "answers">): number | null {
  const chosen = options.explained ?? options.selected;
  const at = typeof chosen === "number" ? scene.shapes.findIndex(({ id }) => id === chosen) : -1;
  return at >= 0 ? at : (answers.reports[0]?.shape ?? null);
}

export function explain(model: Model, store: Store, actions: Actions): HTMLElement[] {
  const { scene, answers, marks, options } = model;
  const { kind, formula: asked } = queryInfo(scene);
  if (kind !== "ray") return asked ? [formulaBox(asked), key(marks, asked.terms)] : [];
  const index = explainedIndex(model);
  const report = answers.reports.find(({ shape }) => shape === index);
  if (index === null || !answers.explanation) return [h("p", { class: "note" }, "Nothing to explain: add a shape.")];
  const select = h("select", {
    "aria-label": "Shape to explain",
    "data-key": "explained",
    onchange: () => store.view({ explained: select.value === "" ? null : Number(select.value) }),
  });
  select.append(h("option", { value: "" }, "The hit, or the selected shape"));
  scene.shapes.forEach(({ id }, i) =>
    select.append(
      h(
        "option",
        { value: String(id), selected: store.options.explained === id },
        answers.opened?.shapes[i]?.name ?? "",
      ),
    ),
  );
  const formula = formulaOf(scene.dimension, scene.shapes[index]?.type ?? "");
  const text = answers.explanation.text;
  return [
    select,
    ...(report
      ? [h("p", { class: "verdict", id: "why" }, `${report.name}: ${report.why}`)]
      : [h("p", { class: "note" }, "Its bounding box is far from the line: it is left out.")]),
    ...(formula ? [formulaBox(formula)] : []),
    ...(report
      ? [key(marks, formula?.terms ?? {}), ...intervals(marks, options.allDigits), numbers(report, options.allDigits)]
      : []),
    h(
      "div",
      { class: "titled" },
      h("h3", {}, "hitscan explain"),
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => actions.copy(text), "data-key": "copytext" },
        icon("copy"),
        "Copy",
      ),
    ),
    h("pre", { id: "explain-text", tabindex: 0, "aria-label": "What hitscan explain prints" }, text),
  ];
}

function formulaBox({ lines, terms, note }: Formula): HTMLElement {
  return h(
    "div",
    { class: "formula", tabindex: 0, role: "group", "aria-label": "Formula" },
    ...lines.map((line) =>
      h("div", {}, ...partsOf(line, terms).map(({ text, name }) => (name ? term(text, name) : text))),
    ),
    h("span", { class: "note" }, note),
  );
}

type Interval = Extract<Mark, { kind: "interval" }>;

/** The intervals of t between slabs, or within side and caps, and the two ends that bound their overlap. */
function intervals(marks: Mark[], allDigits: boolean): HTMLElement[] {
  const digits = (x: number): string => numberText(x, allDigits);
  // A ball has no intervals: a and f are lengths.
  const all = marks.filter((mark): mark is Interval => mark.kind === "interval" && mark.label.length > 1);
  if (all.length === 0) return [];
  const rows = all.map(({ label, t }) =>
    h("tr", {}, h("th", { scope: "row" }, label), ...t.map((x) => h("td", { class: "n" }, digits(x)))),
  );
  const enter = all.reduce((a, b) => (b.t[0] > a.t[0] ? b : a));
  const leave = all.reduce((a, b) => (b.t[1] < a.t[1] ? b : a));
  const [low, high] = [digits(enter.t[0]), digits(leave.t[1])];
  const words =
    enter.t[0] <= leave.t[1]
      ? `All overlap: the line enters the ${enter.label} last (${low}) and leaves the ${leave.label} first (${high}), and ${low} ≤ ${high}.`
      : `No overlap: the line leaves the ${leave.label} (${high}) before it enters the ${enter.label} (${low}).`;
  const head = h(
    "thead",
    {},
    h("tr", {}, ...["the line is within", "from t", "to t"].map((text) => h("th", { scope: "col" }, text))),
  );
  return [
    h("table", { id: "intervals", "aria-label": "Intervals of the line" }, head, h("tbody", {}, ...rows)),
    ...(all.length > 1 ? [h("p", { class: "note" }, words)] : []),
  ];
}

/** A limit that nobody gave is the largest number there is. */
const shown = (x: number, allDigits: boolean): string =>
  Math.abs(x) === Number.MAX_VALUE ? (x > 0 ? "none" : "−∞") : numberText(x, allDigits);

/** The names that the formula has for quantities of the kernel of a ball. */
const FORMULA_NAMES: [RegExp, string][] = [
  [/^f\^2: \(half chord \/ radius\)\^2/, "(f/r)²: half the chord / radius, squared"],
  [/^distance of the line from the centre \/ radius/, "b/r: distance of the line from the centre / radius"],
  [/^miss: f\^2 < 0, the line passes the centre/, "miss: (f/r)² < 0, the line passes the centre"],
];

const formulaName = (name: string): string =>
  FORMULA_NAMES.reduce((text, [kernel, formula]) => text.replace(kernel, formula), name);

function numbers({ steps, escalated }: ShapeReport, allDigits: boolean): HTMLElement {
  const rows = steps.map((step) =>
    "verdict" in step
      ? h("tr", {}, h("td", { colspan: 2 }, h("b", {}, "→ "), formulaName(step.verdict)))
      : h(
          "tr",
          {},
          h("th", { scope: "row" }, formulaName(step.name)),
          h("td", { class: "n", "data-value": step.value, title: String(step.value) }, shown(step.value, allDigits)),
        ),
  );
  return h(
    "div",
    {},
    h("div", { class: "scroll" }, h("table", { "aria-label": "Numbers of the test" }, h("tbody", {}, ...rows))),
    escalated && h("p", { class: "note wrong" }, "Rounded numbers cannot decide this: exact numbers do."),
  );
}

/** The letters of the picture with their colours, each with its name. */
function key(marks: Mark[], terms: Formula["terms"]): HTMLElement {
  const seen = new Map<string, string>();
  for (const mark of marks) {
    if ("label" in mark && mark.label && !seen.has(mark.label)) seen.set(mark.label, mark.ink);
  }
  const items = [...seen].map(([label, ink]) => {
    const name = termOf(terms, label);
    const item = h("span", {}, name ? term(label, name, true) : label);
    item.style.setProperty("--c", color(`ink-${ink}`));
    return item;
  });
  return h("div", { class: "key", role: "group", "aria-label": "Letters of the picture" }, ...items);
}
