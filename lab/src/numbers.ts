// Numbers as the page shows them: rounded, and with all their digits on demand.

import { h } from "./dom.js";

/** The significant digits of a rounded number. */
const DIGITS = 6;

/** A rounded number, or the shortest digits that are read back as this very number. */
export function numberText(x: number, allDigits: boolean): string {
  return String(allDigits ? x : Number(x.toPrecision(DIGITS)));
}

/** A number of the answer. `data-value` has all its digits, and a pointer over it shows them. */
export function numberElement(key: string, x: number, allDigits: boolean): HTMLElement {
  const full = String(x);
  const text = numberText(x, allDigits);
  return h("span", { class: "number", "data-number": key, "data-value": full, title: text !== full && full }, text);
}
