// The store of the state: listeners, and the history of undo.

import { endsOf, findShape, movableShapes, type Scene, type Selected, type Shape, type ViewOptions } from "./state.js";

type Listener = () => void;

/** Upper bound of undo steps. */
const STEPS = 200;

export class Store {
  #scene: Scene;
  #options: ViewOptions;
  #past: Scene[] = [];
  #future: Scene[] = [];
  #gesture: Scene | null = null;
  #listeners: Listener[] = [];

  constructor(scene: Scene, options: ViewOptions) {
    this.#scene = scene;
    this.#options = options;
  }

  get scene(): Scene {
    return this.#scene;
  }

  get options(): ViewOptions {
    return this.#options;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Edits a copy of the scene: one step of undo, or a part of a gesture. */
  change(edit: (scene: Scene) => void): void {
    const next = structuredClone(this.#scene);
    edit(next);
    if (!this.#gesture) this.#remember(this.#scene);
    this.#scene = next;
    this.#notify();
  }

  /** Edits a shape, or the volume. */
  editShape(id: Selected, edit: (shape: Shape) => void): void {
    this.change((scene) => {
      const shape = findShape(scene, id);
      if (shape) edit(shape);
    });
  }

  /** Until `endGesture`, changes are one step. */
  beginGesture(): void {
    this.#gesture ??= this.#scene;
  }

  endGesture(): void {
    const before = this.#gesture;
    this.#gesture = null;
    if (before && before !== this.#scene) {
      this.#remember(before);
      this.#notify();
    }
  }

  /** Restores the scene of the start of the gesture. */
  cancelGesture(): void {
    const before = this.#gesture;
    this.#gesture = null;
    if (before) {
      this.#scene = before;
      this.#notify();
    }
  }

  view(edit: Partial<ViewOptions>): void {
    this.#options = { ...this.#options, ...edit };
    this.#notify();
  }

  undo(): void {
    this.#step(this.#past, this.#future);
  }

  redo(): void {
    this.#step(this.#future, this.#past);
  }

  #step(from: Scene[], to: Scene[]): void {
    this.cancelGesture();
    const scene = from.pop();
    if (!scene) return;
    to.push(this.#scene);
    this.#scene = scene;
    this.#notify();
  }

  #remember(scene: Scene): void {
    this.#past.push(scene);
    if (this.#past.length > STEPS) this.#past.shift();
    this.#future = [];
  }

  #notify(): void {
    const { selected, explained } = this.#options;
    const lives = (what: ViewOptions["selected"]): boolean =>
      typeof what === "number"
        ? movableShapes(this.#scene).some(({ id }) => id === what)
        : what === null || endsOf(this.#scene).includes(what);
    if (!lives(selected)) this.#options = { ...this.#options, selected: null };
    if (!lives(explained)) this.#options = { ...this.#options, explained: null };
    for (const listener of this.#listeners) listener();
  }
}
