// Fields for numbers and words, and rows of buttons of which one is pressed.

import { h } from "./dom.js";
import type { Store } from "./store.js";

/** An element that shows a part of the state, and is told when that may have changed. */
export interface Control {
  element: HTMLElement;
  sync(): void;
}

export interface NumberOptions {
  /** Read by those who do not see the page, and by tests. */
  label: string;
  get: () => number | null | undefined;
  set: (value: number | null) => void;
  /** An empty field means that there is no number. */
  empty?: string;
  least?: number;
  most?: number;
  infinite?: boolean;
}

/** `-0.5`, `1e-3`, and where it is allowed `inf`. */
export function parseNumber(text: string, infinite = false): number | null {
  const word = text.trim().toLowerCase().replace(",", ".").replace("\u2212", "-");
  if (infinite && /^[-+]?inf(inity)?$/.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(word)) return null;
  const value = Number(word);
  return Number.isFinite(value) ? value : null;
}

const shown = (x: number | null | undefined): string =>
  x === null || x === undefined
    ? ""
    : Number.isFinite(x)
      ? Object.is(x, -0)
        ? "-0"
        : String(x)
      : x > 0
        ? "inf"
        : "-inf";

/** Arrow keys step by 0.1, with shift by 1, with alt by 0.01. */
function step(event: KeyboardEvent): number {
  const size = event.shiftKey ? 1 : event.altKey ? 0.01 : 0.1;
  return event.key === "ArrowUp" ? size : event.key === "ArrowDown" ? -size : 0;
}

export function numberInput(store: Store, options: NumberOptions): Control {
  const { label, get, set, empty, least = -Infinity, most = Infinity, infinite = false } = options;
  const accept = (text: string): boolean => {
    if (text.trim() === "" && empty !== undefined) {
      set(null);
      return true;
    }
    const value = parseNumber(text, infinite);
    if (value === null || value < least || value > most) return false;
    set(value);
    return true;
  };
  const input = h("input", {
    type: "text",
    inputmode: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": label,
    placeholder: empty,
    oninput: () => {
      store.beginGesture();
      input.setAttribute("aria-invalid", String(!accept(input.value)));
    },
    onkeydown: (event) => {
      const by = step(event);
      const value = get();
      if (by !== 0 && typeof value === "number") {
        event.preventDefault();
        const next = Number((value + by).toFixed(6));
        if (next >= least && next <= most) set(next);
        input.value = shown(get());
        input.removeAttribute("aria-invalid");
      } else if (event.key === "Enter") {
        store.endGesture();
        sync(true);
      } else if (event.key === "Escape") {
        store.cancelGesture();
        sync(true);
      }
    },
    onblur: () => {
      store.endGesture();
      sync(true);
    },
  });
  const sync = (force = false): void => {
    if (!force && document.activeElement === input && input.getAttribute("aria-invalid") !== null) return;
    if (!force && document.activeElement === input && parseNumber(input.value, infinite) === get()) return;
    input.value = shown(get());
    input.removeAttribute("aria-invalid");
  };
  sync(true);
  return { element: input, sync: () => sync() };
}

export interface Choice<T extends string> {
  value: T;
  label: string;
  title?: string;
}

export function segmented<T extends string>(
  label: string,
  choices: Choice<T>[],
  get: () => T,
  set: (value: T) => void,
): Control {
  const buttons = choices.map(({ value, label: text, title }) => {
    const button = h("button", { type: "button", title, onclick: () => set(value) }, text);
    return [value, button] as const;
  });
  const element = h(
    "div",
    { class: "segmented", role: "group", "aria-label": label },
    ...buttons.map(([, button]) => button),
  );
  const sync = (): void =>
    buttons.forEach(([value, button]) => button.setAttribute("aria-pressed", String(get() === value)));
  sync();
  return { element, sync };
}

export function checkbox(label: string, get: () => boolean, set: (value: boolean) => void): Control {
  const input = h("input", { type: "checkbox", onchange: () => set(input.checked) });
  const sync = (): void => void (input.checked = get());
  sync();
  return { element: h("label", { class: "check" }, input, label), sync };
}

/** A row: what it is, and the fields for it. */
export function row(what: string, ...controls: Control[]): Control {
  // A field by itself has its own name.
  const several = controls.length > 1;
  const element = h("div", { class: "field", role: several && "group", "aria-label": several && what });
  element.append(h("span", { class: "what" }, what), h("div", { class: "numbers" }, ...controls.map((c) => c.element)));
  return { element, sync: () => controls.forEach((control) => control.sync()) };
}
