// What the views and panels are given to show.

import type { Answers, Doubt } from "./session.js";
import type { Mark } from "./marks.js";
import type { Field } from "./interface.js";
import type { ViewOptions, Scene } from "./state.js";

export interface FieldResult {
  found: Field;
  colors: Uint8Array;
  /** Six numbers each, as the engine was given them. */
  rays: Float64Array;
  /** Columns of the picture; rays in a row. */
  columns: number;
  rows: number;
  ms: number;
}

export interface Model {
  scene: Scene;
  options: ViewOptions;
  answers: Answers;
  marks: Mark[];
  doubt: Doubt | null;
  field: FieldResult | null;
}

export interface View {
  show(model: Model): void;
  /** Frames the scene. */
  fit(): void;
  setVisible(visible: boolean): void;
  /** Where a point of the scene is, in pixels of the page. */
  toPixel(point: number[]): [number, number];
  /** How many digits after the point a drag is worth. */
  digits(): number;
}
