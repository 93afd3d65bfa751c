// The state of the page: scene, ray and query as plain data, for undo, files and links.

import type { Dimension, Value, Vec } from "./schema.js";
import { roundTo } from "./vector.js";

/** The transform of a mesh: scaling, then rotation, then translation. Other shapes have world coordinates. */
export interface Placement {
  scale: Vec;
  axis: Vec;
  degrees: number;
  translation: Vec;
}

export interface Shape {
  /** Stays the same while the shape lives; not written to files. */
  id: number;
  type: string;
  name: string;
  /** Only when it is not the default one, 0. */
  layers?: number[];
  fields: Record<string, Value>;
  placement?: Placement;
  /** The rows of an affine map that places the shape, where its image has another type; then the placement is none. */
  matrix?: Vec[];
}

export type Inside = "solid" | "hollow";
export type Faces = "both" | "front" | "back";

export interface RayState {
  kind: "ray" | "segment";
  origin: Vec;
  /** The direction of a ray, number for number. Of a segment it follows from the tip. */
  direction: Vec;
  /** The end of a segment, number for number. Of a ray it follows from the direction. */
  tip: Vec;
  /** Null: the default limit of a ray or a segment. */
  t_min: number | null;
  t_max: number | null;
  inside: Inside;
  faces: Faces;
}

export type FieldShape = "fan" | "grid";
export type FieldColoring = "hits" | "depth" | "normals";

export interface FieldState {
  on: boolean;
  shape: FieldShape;
  coloring: FieldColoring;
  count: number;
  /** A fan's opening in degrees; a grid's width. */
  degrees: number;
  width: number;
}

/** The part of the state that undo restores. */
export interface Scene {
  dimension: Dimension;
  shapes: Shape[];
  ray: RayState;
  field: FieldState;
}

export type Tab = "explain" | "doubt" | "field" | "code";
export type Gizmo = "translate" | "rotate" | "scale";
/** A shape by its id, or an end of the ray. */
export type Selected = number | "origin" | "tip" | null;

/** The part of the state that undo leaves: selection, tab, switches. */
export interface ViewOptions {
  selected: Selected;
  tab: Tab;
  gizmo: Gizmo;
  allHits: boolean;
  /** Numbers with all their digits; otherwise with six. */
  allDigits: boolean;
  doubt: boolean;
  /** The shape that is explained; null: the one that is hit, else the nearest. */
  explained: number | null;
}

/** A camera: in space its position and target, in the plane its centre and the units that fit the shorter side. */
export type CameraState = { position: Vec; target: Vec } | { center: Vec; span: number };

/** The part of the view that a link keeps. */
export interface LinkedView extends Pick<ViewOptions, "tab" | "doubt" | "allHits"> {
  /** The number of the shape that is explained, not its id. */
  explained: number | null;
  camera: CameraState | null;
}

export const emptyField = (): FieldState => ({
  on: false,
  shape: "fan",
  coloring: "hits",
  count: 10_000,
  degrees: 50,
  width: 4,
});

/** Moves one end of the ray. The direction gets at most `digits` decimals. */
export function setEnd(ray: RayState, end: "origin" | "tip", at: Vec, digits = 12): void {
  ray[end] = at;
  ray.direction = ray.tip.map((x, i) =>
    ray.kind === "ray" ? roundTo(x - ray.origin[i]!, digits) : x - ray.origin[i]!,
  );
}

/** Sets the direction; the tip follows. */
export function setDirection(ray: RayState, direction: Vec): void {
  ray.direction = direction;
  // The tip of a ray is a handle only; a segment keeps every digit.
  ray.tip = direction.map((x, i) => (ray.kind === "ray" ? roundTo(ray.origin[i]! + x, 12) : ray.origin[i]! + x));
}

/** Reverses the ray: from the tip to the origin. */
export function reverse(ray: RayState): void {
  [ray.origin, ray.tip] = [ray.tip, ray.origin];
  ray.direction = ray.direction.map((x) => 0 - x);
}

export function rayOf(kind: RayState["kind"], origin: Vec, tip: Vec): RayState {
  const ray: RayState = { kind, origin, tip, direction: [], t_min: null, t_max: null, inside: "solid", faces: "both" };
  setEnd(ray, "tip", tip);
  return ray;
}
