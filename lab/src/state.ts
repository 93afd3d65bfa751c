// The state of the page: scene, ray and query as plain data, for undo, files and links.

import type { Dimension, Value, Vec } from "./schema.js";
import { length, roundTo, sub } from "./vector.js";

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

/** The kind of a query: the hits of a ray, the closest point, the first contact of a thick ray, or the overlaps of a volume. */
export type QueryKind = "ray" | "closest" | "sweep" | "overlap";

/** The query, apart from the ray. */
export interface QueryState {
  kind: QueryKind;
  /** The query point of `closest`, and the greatest distance that counts; null: no limit. */
  point: Vec;
  max_distance: number | null;
  /** The radius of the sphere that moves along the ray. */
  radius: number;
  /** The volume of `overlap`: a shape beside those of the scene, with the id `VOLUME`. */
  volume: Shape;
}

/** The id of the volume of a query. Shapes of the scene have greater ones. */
export const VOLUME = 0;

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
  query: QueryState;
  field: FieldState;
}

export type Tab = "explain" | "doubt" | "field" | "code";
export type Gizmo = "translate" | "rotate" | "scale";
/** A point that the query is given by: an end of the ray, or the point of a closest point. */
export type End = "origin" | "tip" | "point";
/** A shape by its id, or an end. */
export type Selected = number | End | null;

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

/** The ends of each kind of query. */
const ENDS: Record<QueryKind, readonly End[]> = {
  ray: ["origin", "tip"],
  closest: ["point"],
  sweep: ["origin", "tip"],
  overlap: [],
};

export const endsOf = ({ query }: Scene): readonly End[] => ENDS[query.kind];

export const endAt = ({ ray, query }: Scene, end: End): Vec => (end === "point" ? query.point : ray[end]);

/** Moves an end of the query. */
export function moveEnd({ ray, query }: Scene, end: End, at: Vec): void {
  if (end === "point") query.point = at;
  else setEnd(ray, end, at);
}

/** The shapes that can be dragged: the volume of an overlap, and those of the scene. */
export const movableShapes = ({ shapes, query }: Scene): Shape[] =>
  query.kind === "overlap" ? [query.volume, ...shapes] : shapes;

export const findShape = (scene: Scene, id: Selected): Shape | undefined =>
  movableShapes(scene).find((shape) => shape.id === id);

/** Puts a shape in the place of the one with its id. */
export function replaceShape(scene: Scene, next: Shape): void {
  if (next.id === VOLUME) scene.query.volume = next;
  else scene.shapes = scene.shapes.map((old) => (old.id === next.id ? next : old));
}

/** The types of volumes, each with the fields of one around a centre. */
export const VOLUMES: Record<Dimension, Record<string, (center: Vec, size: number) => Shape["fields"]>> = (() => {
  const ball = (center: Vec, size: number) => ({ center, radius: size });
  const box = (center: Vec, size: number) => ({ center, half_extents: center.map(() => size) });
  const capsule = (center: Vec, size: number) => {
    const [a, b] = [-0.5, 0.5].map((half) => center.map((x, i) => roundTo(i === 0 ? x + half * size : x, 12)));
    return { a: a!, b: b!, radius: size / 2 };
  };
  return { 2: { circle: ball, rectangle: box, capsule }, 3: { sphere: ball, box, capsule } };
})();

export const volumeOf = (dimension: Dimension, type: string, center: Vec, size: number): Shape => ({
  id: VOLUME,
  type,
  name: "volume",
  fields: VOLUMES[dimension][type]!(center, size),
});

/** A query at the tip of a ray, and of its size: what is asked first about a scene. */
export function queryAt({ origin, tip }: RayState): QueryState {
  const size = Number((length(sub(tip, origin)) || 1).toPrecision(2));
  const [half, quarter] = [2, 4].map((part) => Number((size / part).toPrecision(2))) as [number, number];
  const dimension = tip.length as Dimension;
  const volume = volumeOf(dimension, dimension === 2 ? "circle" : "sphere", [...tip], half);
  return { kind: "ray", point: [...tip], max_distance: null, radius: quarter, volume };
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
