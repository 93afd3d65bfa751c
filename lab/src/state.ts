// What the page shows: a scene, a ray, a question. Plain data, so that it can be undone, saved and sent in a link.

import type { Dimension, Value, Vec } from "./kinds.js";
import { tidy } from "./vector.js";

/** Scaled, then turned, then moved; meshes only. All other shapes have their numbers where they are. */
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
}

export type Origin = "solid" | "hollow";
export type Faces = "both" | "front" | "back";

export interface RayState {
  kind: "ray" | "segment";
  origin: Vec;
  /** What a ray is cast along, number for number. Of a segment it follows from the tip. */
  way: Vec;
  /** The end of a segment, number for number. Of a ray it follows from the way. */
  tip: Vec;
  /** Empty: the limit that comes with a ray or a segment. */
  t_min: number | null;
  t_max: number | null;
  solid: Origin;
  faces: Faces;
}

export type FieldShape = "fan" | "grid";
export type FieldLook = "hits" | "depth" | "normals";

export interface FieldState {
  on: boolean;
  shape: FieldShape;
  look: FieldLook;
  count: number;
  /** A fan's opening in degrees; a grid's width. */
  degrees: number;
  width: number;
}

/** What undo brings back. */
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

/** What is on the screen, but not in the scene. */
export interface Look {
  selected: Selected;
  tab: Tab;
  gizmo: Gizmo;
  allHits: boolean;
  doubt: boolean;
  /** The shape that is explained; null: the one that is hit, else the nearest. */
  explained: number | null;
}

export const emptyField = (): FieldState => ({
  on: false,
  shape: "fan",
  look: "hits",
  count: 10_000,
  degrees: 50,
  width: 4,
});

/** The direction that the engine is given; of a segment, the one that pictures need. */
export const direction = (ray: RayState): Vec => ray.way;

/** Moves an end and leaves the other where it is. The direction has no more digits than asked for. */
export function setEnd(ray: RayState, end: "origin" | "tip", at: Vec, digits = 12): void {
  ray[end] = at;
  ray.way = ray.tip.map((x, i) => (ray.kind === "ray" ? tidy(x - ray.origin[i]!, digits) : x - ray.origin[i]!));
}

/** Turns and stretches: the tip follows. */
export function setWay(ray: RayState, way: Vec): void {
  ray.way = way;
  // For a ray the tip is a place to take hold of; a segment keeps every digit.
  ray.tip = way.map((x, i) => (ray.kind === "ray" ? tidy(ray.origin[i]! + x, 12) : ray.origin[i]! + x));
}

/** From the tip to the origin. */
export function turnRound(ray: RayState): void {
  [ray.origin, ray.tip] = [ray.tip, ray.origin];
  ray.way = ray.way.map((x) => 0 - x);
}

export function rayOf(kind: RayState["kind"], origin: Vec, tip: Vec): RayState {
  const ray: RayState = { kind, origin, tip, way: [], t_min: null, t_max: null, solid: "solid", faces: "both" };
  setEnd(ray, "tip", tip);
  return ray;
}
