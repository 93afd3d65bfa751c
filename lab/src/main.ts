// The page: it starts the engine, evaluates the state after each change, and updates panels and views.

import { Actions } from "./actions.js";
import { bars, help } from "./toolbars.js";
import { Lab } from "./session.js";
import { construct } from "./construction.js";
import { byId, h } from "./dom.js";
import { instantiate } from "./engine.js";
import { fieldRays } from "./fieldrays.js";
import { listenToKeys } from "./keyboard.js";
import { fromHash, type Linked } from "./link.js";
import type { FieldResult, Model, View } from "./model.js";
import { inflate } from "./compression.js";
import { numberText } from "./numbers.js";
import { colors } from "./palette.js";
import { AnswerPanel, shapeName } from "./panels/answer.js";
import { difference } from "./panels/doubt.js";
import { explainedIndex } from "./panels/explain.js";
import { QueryPanel } from "./panels/query.js";
import { ScenePanel } from "./panels/scene.js";
import { PRESETS } from "./presets.js";
import { proximityMarks } from "./proximitymarks.js";
import type { CameraState, LinkedView, Scene, ViewOptions } from "./state.js";
import { Store } from "./store.js";
import { onTheme } from "./theme.js";
import { listenToTerms } from "./terms.js";
import { View2 } from "./view2/view.js";
import { FallbackView } from "./view3/fallback.js";
import { View3 } from "./view3/view.js";
import { openEmbeddedScene } from "./embedded.js";

const DEFAULT_OPTIONS: ViewOptions = {
  selected: null,
  tab: "explain",
  gizmo: "translate",
  allHits: false,
  allDigits: false,
  doubt: false,
  explained: null,
};

/** Inflates and starts the engine, which the page holds deflated. */
async function engine(): Promise<Lab> {
  return new Lab(await instantiate(await inflate(byId("engine").textContent!.trim())));
}

async function start(): Promise<void> {
  const lab = await engine();
  let linked: Linked | null = null;
  let mistake: string | null = null;
  try {
    linked = await fromHash(location.hash);
  } catch (error) {
    mistake = (error as Error).message;
  }
  const page = new Page(lab, linked ?? { scene: PRESETS[0]!.scene(), view: null });
  if (mistake) page.actions.say(mistake);
  // A link takes precedence over an embedded scene.
  if (!location.hash) openEmbeddedScene(page.actions);
  document.documentElement.dataset["ready"] = "true";
}

class Page {
  readonly store: Store;
  readonly actions: Actions;
  #lab: Lab;
  #view3: View3 | FallbackView;
  #view2: View2;
  #scenePanel: ScenePanel;
  #queryPanel: QueryPanel;
  #answerPanel: AnswerPanel;
  #waiting = false;
  /** The camera of the next drawing, if it is to change. */
  #camera: CameraState | "fit" | null = "fit";
  #frames = 0;
  #frameMs = 0;
  #drawMs = 0;
  #speed = h("span", { class: "fps", title: "The time of the last frame: engine, panels, picture" });
  #controls: (() => void)[];
  #dimension = 0;

  constructor(lab: Lab, { scene, view }: Linked) {
    this.#lab = lab;
    this.store = new Store(scene, { ...DEFAULT_OPTIONS, ...optionsOf(scene, view) });
    this.actions = new Actions(this.store, lab, {
      fit: () => this.#moveCamera("fit"),
      linkedView: () => this.#linkedView(),
    });
    this.#view3 = viewOfSpace(this.store, lab);
    this.#view2 = new View2(byId("view2"), this.store, lab);
    this.#scenePanel = new ScenePanel(byId("shapes"), this.store, this.actions);
    this.#queryPanel = new QueryPanel(byId("ray-fields"), this.store);
    this.#answerPanel = new AnswerPanel(
      { tools: byId("answer-tools"), answer: byId("answer"), tabs: byId("tabs"), tab: byId("tab") },
      this.store,
      this.actions,
    );
    this.#controls = bars({
      store: this.store,
      actions: this.actions,
      fit: () => this.view.fit(),
      speed: this.#speed,
    });
    this.store.listen(() => this.#later());
    // After the first change the sentence has done its work; another kind of query has one of its own.
    let last = this.store.scene;
    this.store.listen(() => {
      const { scene } = this.store;
      if (scene !== last) byId("hint").hidden = scene.query.kind === last.query.kind;
      last = scene;
    });
    onTheme(() => this.#later());
    addEventListener("hashchange", () => void this.#follow());
    listenToTerms(labelAt);
    listenToKeys({
      store: this.store,
      actions: this.actions,
      fit: () => this.view.fit(),
      nudge: (dx, dy, zoom) => this.#nudge(dx, dy, zoom),
      digits: () => this.view.digits(),
      help,
    });
    this.#camera = view?.camera ?? "fit";
    this.#update();
    // For tests: places on the screen, the state, and the time of a frame.
    Object.assign(window, { lab: this.#forTests() });
  }

  get view(): View {
    return this.store.scene.dimension === 3 ? this.#view3 : this.#view2;
  }

  #forTests() {
    return {
      toPixel: (point: number[]) => this.view.toPixel(point),
      scene: () => structuredClone(this.store.scene),
      options: () => ({ ...this.store.options }),
      camera: () => this.view.cameraState,
      say: (text: string) => this.actions.say(text),
      frame: () => ({ count: this.#frames, ms: this.#frameMs, draw: this.#drawMs }),
      simd: this.#lab.simd,
    };
  }

  /** Moves the camera once the scene to be seen has been computed. */
  #moveCamera(camera: CameraState | "fit"): void {
    this.#camera = camera;
    this.#later();
  }

  /** The part of the view that a link keeps. */
  #linkedView(): LinkedView {
    const { scene, options } = this.store;
    const { tab, doubt, allHits } = options;
    const explained = scene.shapes.findIndex(({ id }) => id === options.explained);
    return { tab, doubt, allHits, explained: explained < 0 ? null : explained, camera: this.view.cameraState };
  }

  #later(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#update();
    });
  }

  /** Evaluates the state and shows the answers. */
  #update(): void {
    const began = performance.now();
    const { scene, options } = this.store;
    const answers = this.#lab.evaluate(scene);
    const isRay = scene.query.kind === "ray";
    const index = isRay && options.tab === "explain" ? explainedIndex({ scene, options, answers }) : null;
    const model: Model = {
      scene,
      options,
      answers,
      marks: index === null ? proximityMarks(scene, answers) : construct(this.#lab, scene, answers, index),
      doubt: isRay && options.doubt && options.tab === "doubt" ? this.#lab.doubt(scene) : null,
      field: this.#field(scene),
    };
    if (scene.dimension !== this.#dimension) {
      this.#dimension = scene.dimension;
      this.#view3.setVisible(scene.dimension === 3);
      this.#view2.setVisible(scene.dimension === 2);
    }
    const drawn = performance.now();
    this.view.show(model, this.#camera ?? undefined);
    this.#camera = null;
    this.#drawMs = performance.now() - drawn;
    this.#scenePanel.show(model);
    this.#queryPanel.show();
    this.#answerPanel.show(model);
    for (const sync of this.#controls) sync();
    this.#verdict(model);
    this.#frameMs = performance.now() - began;
    this.#frames++;
    const rays = model.field ? `${model.field.found.t.length.toLocaleString("en")} rays, ` : "";
    this.#speed.textContent = `${rays}${this.#frameMs.toFixed(1)} ms`;
  }

  #field(scene: Scene): FieldResult | null {
    const rays = scene.field.on && scene.query.kind === "ray" ? fieldRays(scene) : null;
    const cast = rays && this.#lab.field(rays.rays, scene.ray);
    return cast && { ...cast, ...rays, colors: colors(cast.found, scene.field.coloring) };
  }

  /** The answer in a line over the picture. */
  #verdict(model: Model): void {
    const { answers, doubt } = model;
    const [style, title, text] = verdictOf(model);
    const parts: HTMLElement[] = [h("b", { class: style }, title), h("span", {}, text)];
    const first = answers.answer?.first;
    if (doubt && answers.answer && doubt.exact.first?.shape !== first?.shape) {
      // The comparison is about the numbers rounded to f32, the answer about the numbers as they are.
      const { first: rounded } = doubt.exact;
      const text = rounded
        ? `hit ${shapeName(model, rounded.shape)} at t = ${Number(rounded.t.toPrecision(6))}`
        : "miss";
      parts.push(h("span", {}, `· rounded to f32: ${text}`));
    }
    const what = doubt && difference(doubt.exact.first, doubt.textbook.first);
    if (what) parts.push(h("b", { class: "wrong" }, `textbook f32 ${what}`));
    const verdict = byId("verdict");
    const line = parts.map(({ textContent }) => textContent).join(" ");
    // An unchanged line is not announced again.
    if (verdict.textContent?.replaceAll(" ", "") !== line.replaceAll(" ", "")) verdict.replaceChildren(...parts);
  }

  #nudge(dx: number, dy: number, zoom: number): void {
    if (this.store.scene.dimension === 2) this.#view2.nudge(-dx * 40, dy * 40, zoom);
    else this.#view3.nudge(dx * 0.12, -dy * 0.12, 1 / zoom);
  }

  async #follow(): Promise<void> {
    try {
      const linked = await fromHash(location.hash);
      if (!linked) return;
      const { scene, view } = linked;
      this.store.change((old) => void Object.assign(old, scene));
      this.store.view({ selected: null, ...optionsOf(scene, view) });
      this.#moveCamera(view?.camera ?? "fit");
    } catch (error) {
      this.actions.say((error as Error).message);
    }
  }
}

/** The options that a link gives. */
function optionsOf(scene: Scene, view: LinkedView | null): Partial<ViewOptions> {
  if (!view) return {};
  const { tab, doubt, allHits, explained } = view;
  return { tab, doubt, allHits, explained: explained === null ? null : (scene.shapes[explained]?.id ?? null) };
}

/** The label of the picture of space at a place of the page, with its name. */
function labelAt(x: number, y: number): { text: string; box: DOMRect } | null {
  for (const label of byId("labels").querySelectorAll<HTMLElement>("[data-name]")) {
    const box = label.getBoundingClientRect();
    if (label.style.visibility === "hidden" || x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
    return { text: `${label.textContent}: ${label.dataset["name"]}`, box };
  }
  return null;
}

/** Without WebGL there is no picture of space; everything else works. */
function viewOfSpace(store: Store, lab: Lab): View3 | FallbackView {
  try {
    return new View3(byId("view3"), byId("labels"), store, lab);
  } catch (error) {
    return new FallbackView(
      byId("view3"),
      `No picture of space: this browser has no WebGL (${(error as Error).message}).`,
    );
  }
}

/** The answer in a word with its style, and a few more words. */
function verdictOf(model: Model): [style: "hit" | "miss" | "wrong", title: string, text: string] {
  const { answer, proximity, refusal, error } = model.answers;
  if (refusal !== null) return ["wrong", "No answer", refusal];
  if (!answer && !proximity) return ["wrong", "The scene has a mistake", error ?? ""];
  const number = (x: number): string => numberText(x, false);
  const named = (found: { shape: number }): string => shapeName(model, found.shape);
  if (proximity?.kind === "closest") {
    const { found } = proximity;
    if (!found) return ["miss", "No point", "no surface is within the distance"];
    return [
      "hit",
      "Closest",
      `${named(found)} at distance ${number(found.distance)}${found.isInside ? ", from inside" : ""}`,
    ];
  }
  if (proximity?.kind === "sweep") {
    const { hit } = proximity;
    if (!hit) return ["miss", "No contact", "nothing is touched in the range of t"];
    if (hit.depth === null) return ["hit", "Contact", `${named(hit)} at t = ${number(hit.t)}`];
    return ["hit", "Touches at the start", `${named(hit)}, depth ${number(hit.depth)}`];
  }
  if (proximity) {
    const names = proximity.overlaps.slice(0, 4).map(named);
    const more = proximity.overlaps.length > names.length ? " …" : "";
    return names.length
      ? ["hit", `Overlaps ${proximity.overlaps.length}`, names.join(", ") + more]
      : ["miss", "Overlaps nothing", "the volume has no point in common with any shape"];
  }
  const first = answer!.first;
  if (!first) return ["miss", "Miss", model.scene.shapes.length ? "no shape is hit" : "the scene is empty"];
  return ["hit", "Hit", `${named(first)} at t = ${number(first.t)}`];
}

start().catch((error: unknown) => {
  const verdict = byId("verdict");
  verdict.textContent = `The engine did not start: ${String(error)}`;
  throw error;
});
