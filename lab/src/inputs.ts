// Fields for numbers and words, and rows of buttons of which one is pressed.

import { h } from "./dom.js";
import type { Store } from "./store.js";

/** An element that shows a part of the state; `sync` brings it up to date. */
export interface Control {
  element: HTMLElement;
  /** Says below the field why the page does not take what stands in it. */
  problem?: HTMLElement;
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

/** `-0.5`, `1e-3`, and where it is allowed `inf`; null for anything else. */
export function parseNumber(text: string, infinite = false): number | null {
  const word = text.trim().toLowerCase().replace(",", ".").replace("\u2212", "-");
  if (infinite && /^[-+]?inf(inity)?$/.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(word)) return null;
  return Number(word);
}

interface Limits {
  least: number;
  most: number;
  infinite: boolean;
}

/** Why a text is not taken as a number. */
function problemWith(text: string, value: number | null, { least, most, infinite }: Limits): string | null {
  const given = text.trim().length > 24 ? `${text.trim().slice(0, 24)}…` : text.trim();
  if (given === "") return "A number is needed here.";
  if (value === null) return `${given} is not a number: write it like -0.5 or 1e-3${infinite ? ", or inf" : ""}.`;
  if (!Number.isFinite(value) && !/inf/i.test(given)) return `${given} is beyond the largest number, about 1.8e308.`;
  if (value < least || value > most) {
    const [low, high] = [least, most].map((x) => (Math.abs(x) < 1e6 ? x.toLocaleString("en") : String(x)));
    return `${given} is not from ${low} to ${high}.`;
  }
  return null;
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
  /** Takes a text; returns why not. */
  const accept = (text: string): string | null => {
    if (text.trim() === "" && empty !== undefined) {
      set(null);
      return null;
    }
    const value = parseNumber(text, infinite);
    const problem = problemWith(text, value, { least, most, infinite });
    if (problem === null) set(value);
    return problem;
  };
  const problem = h("p", { class: "problem", role: "alert", id: `problem-${++fields}`, hidden: true });
  const say = (text: string | null): void => {
    problem.textContent = text;
    problem.hidden = text === null;
  };
  const fit = (): void => {
    const length = Math.max(input.value.length, input.value ? 0 : (empty?.length ?? 0), 2);
    input.style.setProperty("--characters", String(Math.min(length, LONGEST)));
  };
  const input = h("input", {
    type: "text",
    inputmode: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": label,
    "aria-describedby": problem.id,
    placeholder: empty,
    oninput: () => {
      store.beginGesture();
      const why = accept(input.value);
      input.setAttribute("aria-invalid", String(why !== null));
      say(why);
      fit();
    },
    onkeydown: (event) => {
      const by = step(event);
      const value = get();
      if (by !== 0 && typeof value === "number") {
        event.preventDefault();
        const next = Number((value + by).toFixed(6));
        if (next >= least && next <= most) set(next);
        write();
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
      const [refused, why] = [input.getAttribute("aria-invalid") === "true", problem.textContent];
      sync(true);
      // The field goes back to the number it had, and says so until the next edit.
      if (refused) say(`${why} ${shown(get()) || "No number"} stays.`);
    },
  });
  /** Writes the number of the state into the field. */
  const write = (): void => {
    input.value = shown(get());
    input.removeAttribute("aria-invalid");
    say(null);
    fit();
  };
  const sync = (force = false): void => {
    if (!force && document.activeElement === input && input.getAttribute("aria-invalid") !== null) return;
    if (!force && document.activeElement === input && parseNumber(input.value, infinite) === get()) return;
    if (force || input.value !== shown(get())) write();
  };
  sync(true);
  return { element: input, problem, sync: () => sync() };
}

/** The characters of the longest number, such as -1.2345678901234567e-300. */
const LONGEST = 24;

/** Fields so far: their ids are numbered. */
let fields = 0;

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
    const key = `${label} ${value}`;
    const button = h("button", { type: "button", title, onclick: () => set(value), "data-key": key }, text);
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
  // Three numbers need the whole width.
  const wide = controls.length > 2 ? "field wide" : "field";
  const element = h("div", { class: wide, role: several && "group", "aria-label": several && what });
  element.append(
    h("span", { class: "what" }, what),
    h("div", { class: "numbers" }, ...controls.map((c) => c.element)),
    ...controls.flatMap(({ problem }) => problem ?? []),
  );
  return { element, sync: () => controls.forEach((control) => control.sync()) };
}
