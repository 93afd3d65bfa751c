// Doubt: the textbook's answer in f32 beside the exact one for the same numbers.

import { h } from "../dom.js";
import type { Hit, TextbookHit } from "../interface.js";
import type { Model } from "../model.js";
import { numberText } from "../numbers.js";
import { PRESETS } from "../presets.js";
import type { Store } from "../store.js";
import type { Actions } from "../actions.js";
import { shapeName } from "./answer.js";

/** Difference of two answers, in words; null when they agree to the last digits of f32. */
export function difference(exact: Hit | null, textbook: TextbookHit | null): string | null {
  if (!exact && !textbook) return null;
  if (!exact) return "invents a hit";
  if (!textbook) return "misses it";
  if (Number.isNaN(textbook.t)) return "says that t is not a number";
  if (exact.shape !== textbook.shape) return "hits another shape";
  // f32 has 24 bits: within 8 units in the last place the textbook does as well as can be hoped.
  const ulp = 2 ** (Math.floor(Math.log2(Math.max(Math.abs(exact.t), 1e-38))) - 23);
  const off = Math.abs(textbook.t - exact.t);
  if (off > 8 * ulp) return `is off by ${off.toPrecision(3)} in t, ${Math.round(off / ulp).toLocaleString("en")} ulp`;
  const turned = Math.max(...exact.normal.map((x, i) => Math.abs(x - textbook.normal[i]!)));
  if (!(turned <= 1e-5)) return `is off by ${turned.toPrecision(2)} in the normal`;
  return null;
}

/** A number with six digits, nine, which tell `f32` numbers apart, or all. */
const number = (x: number | undefined, digits: 6 | 9 | "all"): string =>
  x === undefined ? "–" : digits === 9 ? String(Number(x.toPrecision(9))) : numberText(x, digits === "all");

export function doubt(model: Model, store: Store, actions: Actions): HTMLElement[] {
  const { options, scene } = model;
  const toggle = h("input", {
    type: "checkbox",
    checked: options.doubt,
    "data-key": "doubt",
    onchange: () => store.view({ doubt: toggle.checked }),
  });
  const presets = PRESETS.filter(({ group }) => group === "Doubt").map(({ id, label }) =>
    h("button", { type: "button", onclick: () => actions.preset(id), "data-key": `preset-${id}` }, label),
  );
  const found = model.doubt;
  return [
    h("label", { class: "check" }, toggle, "Show the textbook's f32 beside the exact answer"),
    ...(found
      ? [
          verdict(difference(found.exact.first, found.textbook.first)),
          h(
            "div",
            { class: "scroll", tabindex: 0, role: "group", "aria-label": "Comparison" },
            table(model, found.exact.first, found.textbook.first),
          ),
          ...each(model),
          h(
            "p",
            { class: "note" },
            "Both get the same numbers, rounded to f32 first. Exact means: hit or miss as in real arithmetic, and t to the last digit.",
          ),
        ]
      : scene.shapes.length && options.doubt
        ? [h("p", { class: "note" }, "No answer: the scene has a mistake.")]
        : []),
    h("h3", {}, "Rays that go wrong"),
    h(
      "p",
      { class: "note" },
      "The formulas that everybody copies, in plain f32, are right for most rays. These are some of the others.",
    ),
    h("div", { class: "row" }, ...presets),
  ];
}

function verdict(what: string | null): HTMLElement {
  return what
    ? h("p", { class: "alert", id: "doubt-verdict" }, `The textbook ${what}.`)
    : h("p", { class: "verdict", id: "doubt-verdict" }, "Here both agree.");
}

function table(model: Model, exact: Hit | null, textbook: TextbookHit | null): HTMLElement {
  const axes = ["x", "y", "z"].slice(0, model.scene.dimension);
  const line = (what: string, right: string, wrong: string): HTMLElement =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, what),
      h("td", { class: "n" }, right),
      h("td", { class: right === wrong ? "n" : "n wrong" }, wrong),
    );
  const numbers = (what: string, right: number | undefined, wrong: number | undefined): HTMLElement => {
    // Two numbers that differ may look the same with six digits.
    const same = number(right, 6) === number(wrong, 6) && right !== wrong;
    const digits = model.options.allDigits ? "all" : same ? 9 : 6;
    return line(what, number(right, digits), number(wrong, digits));
  };
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "f32"),
        h("th", { scope: "col" }, "exact"),
        h("th", { scope: "col" }, "textbook"),
      ),
    ),
    h(
      "tbody",
      {},
      line("hit", exact ? shapeName(model, exact.shape) : "miss", textbook ? shapeName(model, textbook.shape) : "miss"),
      numbers("t", exact?.t, textbook?.t),
      ...axes.map((axis, i) => numbers(`point ${axis}`, exact?.point[i], textbook?.point[i])),
      ...axes.map((axis, i) => numbers(`normal ${axis}`, exact?.normal[i], textbook?.normal[i])),
    ),
  );
}

/** Shapes about which the two disagree when each stands alone. */
function each(model: Model): HTMLElement[] {
  const { exactByShape, textbook } = model.doubt!;
  if (exactByShape.length < 2) return [];
  const wrong = exactByShape.flatMap((exact, i) => {
    const what = difference(exact && { ...exact, shape: i }, textbook.shapes[i] ?? null);
    return what ? [h("li", {}, `${shapeName(model, i)}: ${what}`)] : [];
  });
  return wrong.length ? [h("h3", {}, "Shape by shape, the textbook …"), h("ul", { class: "note" }, ...wrong)] : [];
}
