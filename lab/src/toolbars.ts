// Toolbars of the header and the picture, dropped files, and the help.

import type { Actions } from "./actions.js";
import { byId, h } from "./dom.js";
import { icon, type Icon } from "./icons.js";
import { segmented } from "./inputs.js";
import { KEYS } from "./keyboard.js";
import { GROUPS, PRESETS } from "./presets.js";
import { QUERIES, queryInfo } from "./queries.js";
import type { Gizmo } from "./state.js";
import type { Store } from "./store.js";
import { toggleTheme } from "./theme.js";

export interface Bars {
  store: Store;
  actions: Actions;
  fit: () => void;
  /** Shows how long a frame took. */
  speed: HTMLElement;
}

/** Builds all bars; returns functions that bring them up to date. */
export function bars(given: Bars): (() => void)[] {
  const syncs: (() => void)[] = [];
  header(given, syncs);
  tools(given, syncs);
  drops(given);
  panes();
  return syncs;
}

function header({ store, actions }: Bars, syncs: (() => void)[]): void {
  const dimensions = segmented(
    "Dimension",
    [
      { value: "3", label: "3D" },
      { value: "2", label: "2D" },
    ],
    () => String(store.scene.dimension) as "2" | "3",
    (value) => actions.setDimension(value === "2" ? 2 : 3),
  );
  byId("dimensions").replaceWith(dimensions.element);
  const queries = segmented(
    "Query",
    QUERIES.map(({ kind, label, title }) => ({ value: kind, label, title: `${title} (Q: the next)` })),
    () => store.scene.query.kind,
    (kind) => store.change(({ query }) => void (query.kind = kind)),
  );
  queries.element.id = "queries";
  byId("queries").replaceWith(queries.element);
  const select = byId<HTMLSelectElement>("examples");
  select.append(h("option", { value: "" }, "Examples …"));
  for (const group of GROUPS) {
    const list = PRESETS.filter((preset) => preset.group === group).map(({ id, label }) =>
      h("option", { value: id }, label),
    );
    if (list.length) select.append(h("optgroup", { label: group }, ...list));
  }
  select.addEventListener("change", () => {
    actions.preset(select.value);
    select.value = "";
  });
  const button = (name: Icon, label: string, go: () => void, words = true): HTMLButtonElement =>
    h(
      "button",
      { type: "button", class: words ? "" : "icon quiet", "aria-label": label, title: label, onclick: go },
      icon(name),
      words && h("span", {}, label),
    );
  const undo = button("undo", "Undo", () => store.undo(), false);
  const redo = button("redo", "Redo", () => store.redo(), false);
  byId("history").append(undo, redo);
  byId("file").append(
    button("open", "Open", () => byId("open").click()),
    button("save", "Save", () => actions.save()),
    button("share", "Share", () => void actions.share()),
  );
  byId("page").append(
    button("sun", "Light or dark", toggleTheme, false),
    button("help", "Keyboard and help", () => help(), false),
  );
  syncs.push(dimensions.sync, queries.sync, () => {
    // The panel of the query has its name, and so does its button on a phone.
    const { label, hint } = queryInfo(store.scene);
    byId("ray-title").textContent = label;
    document.querySelector('#panes [data-pane="ray"]')!.textContent = label;
    byId("hint").textContent = hint;
    undo.disabled = !store.canUndo;
    redo.disabled = !store.canRedo;
  });
  const open = byId<HTMLInputElement>("open");
  open.addEventListener("change", () => {
    if (open.files?.length) void actions.open(open.files);
    open.value = "";
  });
}

function tools({ store, fit, speed }: Bars, syncs: (() => void)[]): void {
  const gizmo = segmented<Gizmo>(
    "Handles",
    [
      { value: "translate", label: "Move", title: "Handles that move (M)" },
      { value: "rotate", label: "Rotate", title: "Handles that rotate (R)" },
      { value: "scale", label: "Scale", title: "Handles that scale (S)" },
    ],
    () => store.options.gizmo,
    (gizmo) => store.view({ gizmo }),
  );
  const frame = h(
    "button",
    {
      type: "button",
      class: "icon",
      "aria-label": "Fit the scene into the view",
      title: "Fit (F)",
      onclick: fit,
    },
    icon("fit"),
  );
  byId("tools").append(gizmo.element, frame, speed);
  syncs.push(gizmo.sync, () => void (gizmo.element.hidden = store.scene.dimension === 2));
}

function drops({ actions }: Bars): void {
  const stage = byId("stage");
  for (const type of ["dragenter", "dragover"]) {
    document.addEventListener(type, (event) => {
      event.preventDefault();
      stage.classList.add("dropping");
    });
  }
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) stage.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    stage.classList.remove("dropping");
    const files = (event as DragEvent).dataTransfer?.files;
    if (files?.length) void actions.open([...files]);
  });
}

/** On a phone one panel is shown at a time. */
function panes(): void {
  const show = (pane: string): void => {
    document.body.dataset["pane"] = pane;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset["pane"] === pane));
  };
  const buttons = [
    ["scene", "Scene"],
    ["ray", "Ray"],
    ["answer", "Answer"],
  ].map(([pane, label]) => h("button", { type: "button", "data-pane": pane, onclick: () => show(pane!) }, label!));
  byId("panes").append(...buttons);
  show("answer");
}

export function help(): void {
  const dialog = byId<HTMLDialogElement>("help");
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const rows = KEYS.map(({ keys, what }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, ...keys.split("  ").flatMap((key) => [h("kbd", {}, key), " "])),
      h("td", {}, what),
    ),
  );
  dialog.replaceChildren(
    h("div", { class: "titled" }, h("h2", { id: "help-title" }, "The ray lab"), close),
    h(
      "p",
      { class: "note" },
      "Drag the ray by its origin or its tip, and a shape by itself or by its handles. In space, drag the background to rotate the view; the wheel or two fingers zoom. Drop files on the picture. The Rust library computes everything in this page, as WebAssembly; the page sends nothing anywhere.",
    ),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": "Keys" },
      h("table", {}, h("tbody", {}, ...rows)),
    ),
  );
  dialog.showModal();
  close.focus();
}
