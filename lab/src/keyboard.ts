// Keyboard shortcuts: one table for the keys and for the help.

import type { Actions } from "./actions.js";
import type { Vec } from "./schema.js";
import { endAt, findShape, moveEnd, type Tab } from "./state.js";
import { handlesOf, QUERIES } from "./queries.js";
import type { Store } from "./store.js";
import { toggleTheme } from "./theme.js";
import {
  isEndless,
  isRound,
  move,
  rotation,
  scaleShape,
  frame,
  pivot,
  roundShape,
  rotateShape,
  rotation2,
} from "./transform.js";
import { roundTo } from "./vector.js";

export interface KeyboardContext {
  store: Store;
  actions: Actions;
  fit(): void;
  /** Orbits or pans the camera, or zooms. */
  nudge(dx: number, dy: number, zoom: number): void;
  digits(): number;
  help(): void;
}

interface Key {
  /** The keys, as the help writes them. */
  keys: string;
  what: string;
  match: (event: KeyboardEvent) => boolean;
  go: (context: KeyboardContext, event: KeyboardEvent) => void;
}

const plain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;
const key =
  (...names: string[]) =>
  (event: KeyboardEvent): boolean =>
    plain(event) && names.includes(event.key.toLowerCase());
const command =
  (name: string, shift = false) =>
  (event: KeyboardEvent): boolean =>
    (event.ctrlKey || event.metaKey) && event.shiftKey === shift && event.key.toLowerCase() === name;

const tab =
  (name: Tab) =>
  ({ store }: KeyboardContext): void =>
    store.view({ tab: name });

export const KEYS: readonly Key[] = [
  {
    keys: "1  2",
    what: "select the ray's origin, its tip; the point or the volume of another query",
    match: key("1", "2"),
    go: ({ store }, { key }) => {
      const selected = handlesOf(store.scene)[Number(key) - 1];
      if (selected !== undefined) store.view({ selected });
    },
  },
  {
    keys: "Q",
    what: "the next kind of query: ray, closest point, thick ray, overlap (shift: back)",
    match: key("q"),
    go: nextQuery,
  },
  { keys: "N  P", what: "select the next, the previous shape", match: key("n", "p"), go: next },
  { keys: "Esc", what: "select nothing", match: key("escape"), go: ({ store }) => store.view({ selected: null }) },
  {
    keys: "← → ↑ ↓",
    what: "move the selection, or without one the view (shift: ten times as far)",
    match: (e) => !e.ctrlKey && !e.metaKey && !e.altKey && e.key.startsWith("Arrow"),
    go: arrows,
  },
  { keys: "PgUp PgDn", what: "move the selection up and down in space", match: key("pageup", "pagedown"), go: arrows },
  {
    keys: ",  .",
    what: "rotate the selected shape by 5° (shift: 45°)",
    match: key(",", ".", "<", ">", ";", ":"),
    go: turnSelected,
  },
  {
    keys: "+  −",
    what: "scale the selected shape, or without one zoom",
    match: key("+", "=", "-", "_"),
    go: grow,
  },
  {
    keys: "M  R  S",
    what: "handles that move, rotate, scale",
    match: key("m", "r", "s"),
    go: ({ store }, { key }) =>
      store.view({ gizmo: ({ m: "translate", r: "rotate", s: "scale" } as const)[key.toLowerCase() as "m"] }),
  },
  {
    keys: "Del",
    what: "delete the selected shape",
    match: key("delete", "backspace"),
    go: ({ store, actions }) => typeof store.options.selected === "number" && actions.remove(store.options.selected),
  },
  {
    keys: "Ctrl D",
    what: "duplicate it",
    match: command("d"),
    go: ({ store, actions }) => typeof store.options.selected === "number" && actions.duplicate(store.options.selected),
  },
  { keys: "Ctrl Z", what: "undo", match: command("z"), go: ({ store }) => store.undo() },
  {
    keys: "Ctrl Y",
    what: "redo (or Ctrl Shift Z)",
    match: (event) => command("y")(event) || command("z", true)(event),
    go: ({ store }) => store.redo(),
  },
  {
    keys: "L",
    what: "ray or segment",
    match: key("l"),
    go: ({ store }) => store.change(({ ray }) => void (ray.kind = ray.kind === "ray" ? "segment" : "ray")),
  },
  {
    keys: "O",
    what: "solid or hollow",
    match: key("o"),
    go: ({ store }) => store.change(({ ray }) => void (ray.inside = ray.inside === "solid" ? "hollow" : "solid")),
  },
  {
    keys: "H",
    what: "every hit, or the first",
    match: key("h"),
    go: ({ store }) => store.view({ allHits: !store.options.allHits }),
  },
  {
    keys: "E  D  K  C",
    what: "explain, doubt, field, code",
    match: key("e", "d", "k", "c"),
    go: (context, { key }) =>
      tab(({ e: "explain", d: "doubt", k: "field", c: "code" } as const)[key.toLowerCase() as "e"])(context),
  },
  { keys: "F", what: "fit the scene into the view", match: key("f"), go: ({ fit }) => fit() },
  { keys: "Ctrl S", what: "save the scene", match: command("s"), go: ({ actions }) => actions.save() },
  { keys: "T", what: "light or dark", match: key("t"), go: () => toggleTheme() },
  { keys: "?", what: "this list", match: key("?"), go: ({ help }) => help() },
];

function nextQuery({ store }: KeyboardContext, { shiftKey }: KeyboardEvent): void {
  const at = QUERIES.findIndex(({ kind }) => kind === store.scene.query.kind) + (shiftKey ? -1 : 1);
  store.change(({ query }) => void (query.kind = QUERIES.at(at % QUERIES.length)!.kind));
}

function next({ store }: KeyboardContext, { key }: KeyboardEvent): void {
  const { shapes } = store.scene;
  if (shapes.length === 0) return;
  const at = shapes.findIndex(({ id }) => id === store.options.selected);
  const by = key.toLowerCase() === "n" ? 1 : -1;
  const index = at < 0 ? (by > 0 ? 0 : shapes.length - 1) : (at + by + shapes.length) % shapes.length;
  store.view({ selected: shapes[index]!.id });
}

const WAYS: Record<string, Vec> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 0, -1],
  ArrowDown: [0, 0, 1],
  PageUp: [0, 1, 0],
  PageDown: [0, -1, 0],
};

function arrows(context: KeyboardContext, { key, shiftKey }: KeyboardEvent): void {
  const { store } = context;
  const { dimension } = store.scene;
  const { selected } = store.options;
  const [x, y, z] = WAYS[key] as [number, number, number];
  if (selected === null) return context.nudge(x, dimension === 2 ? -z || y : -z || y, 1);
  const digits = context.digits();
  const step = 10 ** -(digits - 1) * (shiftKey ? 10 : 1);
  const by = (dimension === 2 ? [x, -z || y] : [x, y, z]).map((c) => c * step);
  store.change((scene) => {
    if (typeof selected === "string") {
      const at = endAt(scene, selected).map((c, i) => roundTo(c + by[i]!, digits));
      return moveEnd(scene, selected, at);
    }
    const shape = findShape(scene, selected);
    if (!shape) return;
    move(dimension, shape, by);
    roundShape(dimension, shape, digits);
  });
}

function turnSelected({ store, digits }: KeyboardContext, { key, shiftKey }: KeyboardEvent): void {
  const { dimension } = store.scene;
  const angle = (([",", "<", ";"].includes(key) ? 1 : -1) * (shiftKey ? 45 : 5) * Math.PI) / 180;
  store.editShape(store.options.selected, (shape) => {
    if (isRound(shape)) return;
    rotateShape(
      dimension,
      shape,
      dimension === 2 ? rotation2(angle) : rotation([0, 1, 0], angle),
      pivot(dimension, shape),
    );
    roundShape(dimension, shape, digits());
  });
}

function grow(context: KeyboardContext, { key }: KeyboardEvent): void {
  const { store, digits } = context;
  const factor = key === "+" || key === "=" ? 1.1 : 1 / 1.1;
  const { dimension } = store.scene;
  const isShape = typeof store.options.selected === "number";
  if (!isShape) return context.nudge(0, 0, factor);
  store.editShape(store.options.selected, (shape) => {
    if (isEndless(dimension, shape)) return;
    scaleShape(
      dimension,
      shape,
      Array<number>(dimension).fill(factor),
      frame(dimension, shape),
      pivot(dimension, shape),
    );
    roundShape(dimension, shape, digits() + 1);
  });
}

/** Whether the focused control needs this key. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement && target.type === "text") return true;
  if (target instanceof HTMLSelectElement) return plain(event);
  const arrow = event.key.startsWith("Arrow") || event.key.startsWith("Page");
  const inPicture = Boolean(target.closest("#stage")) || target === document.body;
  return arrow && !inPicture;
}

export function listenToKeys(context: KeyboardContext): void {
  document.addEventListener("keydown", (event) => {
    if (isTyping(event)) return;
    const found = KEYS.find(({ match }) => match(event));
    if (!found) return;
    event.preventDefault();
    found.go(context, event);
  });
}
