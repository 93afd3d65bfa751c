// The data that views and panels show.

import type { Answers, Doubt } from "./session.js";
import type { Mark } from "./marks.js";
import type { Field } from "./interface.js";
import type { CameraState, Scene, ViewOptions } from "./state.js";

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
  /** Draws the model, from where the camera is, or first from a place of its own or around the scene. */
  show(model: Model, camera?: CameraState | "fit"): void;
  /** Moves the camera so that it sees the scene. */
  fit(): void;
  /** The camera; null without a picture. */
  readonly cameraState: CameraState | null;
  setVisible(visible: boolean): void;
  /** Projects a point of the scene to pixels of the page. */
  toPixel(point: number[]): [number, number];
  /** Digits after the point that a drag resolves. */
  digits(): number;
}
