// Pieces of the ray and the hits marked on it, for both views.

import type { Answers } from "./session.js";
import type { ClosestPoint, ShapeInfo } from "./interface.js";
import type { Vec } from "./schema.js";
import { endAt, endsOf, type Scene } from "./state.js";
import { dot, length, sub } from "./vector.js";

export interface Piece {
  t: [number, number];
  /** `live`: up to the hit, or all of a miss. `faint`: after the hit. `out`: not in the range of t. */
  style: "live" | "faint" | "out";
  color: "ray" | "miss";
}

/** A point of a surface that is marked with its normal, if it has one. */
export interface MarkedPoint {
  point: Vec;
  normal: Vec | null;
  /** The greatest length of the arrow. */
  room?: number;
  role: "first" | "exit" | "other";
}

/** The range of t of the query. */
export function range({ ray }: Scene): [number, number] {
  const end = ray.kind === "segment" ? 1 : Infinity;
  const low = ray.kind === "segment" ? Math.max(0, ray.t_min ?? 0) : (ray.t_min ?? 0);
  return [low, Math.min(end, ray.t_max ?? end)];
}

/** What the query finds first on the ray: a hit, or the contact of a thick ray. */
export function firstOnRay({ answer, proximity }: Answers): { t: number } | null {
  return answer?.first ?? (proximity?.kind === "sweep" ? proximity.hit : null);
}

/** The shapes that the answer is about, by their numbers. */
export function foundShapes({ answer, proximity }: Answers): number[] {
  if (proximity?.kind === "overlap") return proximity.overlaps.map(({ shape }) => shape);
  const one = answer?.first ?? (proximity?.kind === "sweep" ? proximity.hit : proximity?.found);
  return one ? [one.shape] : [];
}

export type ShapeColor = "shape" | "shape-selected" | "ray";

/** The colours of the shapes: what a volume overlaps is red. */
export function shapeColors({ shapes, query }: Scene, answers: Answers, selected: unknown): ShapeColor[] {
  const overlapped = new Set(query.kind === "overlap" ? foundShapes(answers) : []);
  return shapes.map(({ id }, i) => (overlapped.has(i) ? "ray" : id === selected ? "shape-selected" : "shape"));
}

export function piecesOf(scene: Scene, answers: Answers): Piece[] {
  const [low, high] = range(scene);
  if (!(low <= high) || !endsOf(scene).includes("origin")) return [];
  const first = firstOnRay(answers);
  const pieces: Piece[] = [];
  if (low > 0) pieces.push({ t: [0, low], style: "out", color: first ? "ray" : "miss" });
  if (!first) return [...pieces, { t: [low, high], style: "live", color: "miss" }];
  pieces.push({ t: [low, first.t], style: "live", color: "ray" });
  if (first.t < high) pieces.push({ t: [first.t, high], style: "faint", color: "ray" });
  return pieces;
}

/** The normal of a closest point goes towards the query point outside of a solid: it leaves half the distance to be seen. */
function closestMark({ point, outward, distance, isInside }: ClosestPoint): MarkedPoint {
  return { point, normal: outward, role: "first", room: isInside ? Infinity : distance / 2 };
}

/** The first hit, the exit of that solid, and with `all` the other hits; or the closest point or contact. */
export function markedPoints({ answer, proximity }: Answers, all: boolean): MarkedPoint[] {
  if (proximity?.kind === "closest" && proximity.found) return [closestMark(proximity.found)];
  if (proximity?.kind === "sweep" && proximity.hit) return [{ ...proximity.hit, role: "first" }];
  if (!answer?.first) return [];
  const { first } = answer;
  const found: MarkedPoint[] = [{ ...first, role: "first" }];
  const exit = answer.spans.find((span) => span.shape === first.shape)?.exit;
  if (exit && exit.t > first.t) found.push({ ...exit, role: "exit" });
  if (!all) return found;
  const key = ({ shape, t }: { shape: number; t: number }): string => `${shape} ${t}`;
  const known = new Set([first, ...(exit ? [exit] : [])].map(key));
  for (const hit of answer.all) {
    if (!known.has(key(hit))) found.push({ ...hit, role: hit.side === "back" ? "exit" : "other" });
  }
  return found;
}

/** The part of space that a view draws: a ball around a centre, on the inner side of some planes. */
export interface ViewBounds {
  center: Vec;
  viewRadius: number;
  /** The planes around the view of a camera, their normals inwards. The view of the plane needs none. */
  planes?: { point: Vec; normal: Vec }[];
}

/**
 * The part of an interval of the ray that is drawn; null if there is none. An end far beyond the picture costs the
 * graphics card its digits: dashes get lost or the line vanishes. An end behind the camera has no place in the picture.
 */
export function clip(scene: Scene, [low, high]: [number, number], bounds: ViewBounds): [number, number] | null {
  const { center, viewRadius, planes = [] } = bounds;
  const direction = scene.ray.direction;
  const size = length(direction);
  if (size === 0 || !Number.isFinite(size)) return null;
  const unit = direction.map((x) => x / size);
  const middle = dot(sub(center, scene.ray.origin), unit);
  const foot = scene.ray.origin.map((x, i) => x + unit[i]! * middle);
  const half = Math.sqrt(Math.max(0, viewRadius * viewRadius - dot(sub(foot, center), sub(foot, center))));
  let from = Math.max(low, (middle - half) / size);
  let to = Math.min(high, (middle + half) / size);
  for (const { point, normal } of planes) {
    const height = dot(sub(scene.ray.origin, point), normal);
    const slope = dot(direction, normal);
    if (slope > 0) from = Math.max(from, -height / slope);
    else if (slope < 0) to = Math.min(to, -height / slope);
    else if (height < 0) return null;
  }
  return from < to ? [from, to] : null;
}

/**
 * The points that a view fits: the corners of bounded shapes; the ends of the query and further points unless they are far
 * away.
 */
export function frameOf(scene: Scene, { opened, volume }: Answers, also: readonly Vec[] = []): Vec[] {
  const shapes: ShapeInfo[] = [...(opened?.shapes ?? []), ...(volume ? [volume] : [])];
  const corners: Vec[] = [];
  const points: Vec[] = [];
  for (const {
    aabb: { min, max },
    parameters,
  } of shapes) {
    if (![...min, ...max].every((x) => Math.abs(x) < 1e30)) {
      // Of an infinite shape the point that defines it, if no shape is bounded.
      if (Array.isArray(parameters["point"])) points.push(parameters["point"] as Vec);
      continue;
    }
    for (let i = 0; i < 8; i++) corners.push([0, 1, 2].map((k) => ((i >> k) & 1 ? max : min)[k]!));
  }
  const three = ([x = 0, y = 0, z = 0]: Vec): Vec => [x, y, z];
  const ends = [...endsOf(scene).map((end) => endAt(scene, end)), ...also].map(three);
  if (corners.length === 0) return [...ends, ...points.map(three)];
  const [low, high] = [Math.min, Math.max].map((f) => [0, 1, 2].map((k) => f(...corners.map((p) => p[k]!)))) as [
    Vec,
    Vec,
  ];
  const middle = low.map((x, k) => (x + high[k]!) / 2);
  const near = 6 * Math.max(length(sub(high, low)), 1);
  return [...corners, ...ends.filter((end) => length(sub(end, middle)) < near)];
}
