// The drawing of a closest point, of a thick ray and of an overlap, placed by the engine's numbers.

import type { Mark } from "./marks.js";
import { queryInfo } from "./queries.js";
import { range } from "./raypath.js";
import type { Vec } from "./schema.js";
import type { Answers } from "./session.js";
import type { Scene, Shape } from "./state.js";
import { across, at, length, sub, unit } from "./vector.js";
import { pivot } from "./transform.js";

/** A ball of the plane or of space, or a capsule, to draw. */
function round(center: Vec, radius: number): Shape {
  return { id: -1, type: center.length === 2 ? "circle" : "sphere", name: "", fields: { center, radius } };
}

const swept = (a: Vec, b: Vec, radius: number): Shape => ({
  id: -1,
  type: "capsule",
  name: "",
  fields: { a, b, radius },
});

/** The query point, the closest point, the segment between, and the ball that touches the surface. */
function closest({ query, dimension }: Scene, { proximity }: Answers): Mark[] {
  if (proximity?.kind !== "closest") return [];
  const { found } = proximity;
  const marks: Mark[] = [{ kind: "point", at: query.point, label: "P", ink: "ink" }];
  if (!found) {
    const limit = query.max_distance ?? 0;
    return limit > 0 ? [...marks, { kind: "solid", shape: round(query.point, limit), ink: "soft" }] : marks;
  }
  const touching = found.point.slice(0, dimension);
  if (found.distance > 0)
    marks.push(
      { kind: "solid", shape: round(query.point, found.distance), ink: "b" },
      { kind: "segment", from: query.point, to: touching, ink: "b", label: "d" },
    );
  return [...marks, { kind: "point", at: touching, label: "C", ink: "hit" }];
}

/** A unit vector across a direction. */
const beside = (direction: Vec): Vec =>
  direction.length === 2 ? unit([-direction[1]!, direction[0]!]) : across(unit(direction))[0];

/** The t to which a thick ray that touches nothing is drawn: past all bounded shapes. */
function farEnd({ ray }: Scene, { opened }: Answers): number {
  const size = length(ray.direction);
  const corners = (opened?.shapes ?? []).flatMap(({ aabb }) => [aabb.min, aabb.max]);
  const away = corners.map((corner) => length(sub(corner.slice(0, ray.origin.length), ray.origin)) / size);
  return Math.max(3, ...away.filter((t) => t < 1e6));
}

/** The band that the ball sweeps up to the contact, the ball at its start and at the contact, and the contact point. */
function sweep(scene: Scene, answers: Answers): Mark[] {
  const { ray, query, dimension } = scene;
  const { proximity } = answers;
  const size = length(ray.direction);
  const [low, high] = range(scene);
  if (proximity?.kind !== "sweep" || !(size > 0) || !(low <= high)) return [];
  const { hit } = proximity;
  const on = (t: number): Vec => at(ray.origin, ray.direction, t);
  const start = on(Number.isFinite(low) ? low : Math.min(0, hit?.t ?? 0));
  const end = hit ? hit.center.slice(0, dimension) : on(Math.min(high, farEnd(scene, answers)));
  const marks: Mark[] = [
    { kind: "solid", shape: swept(start, end, query.radius), ink: hit ? "y" : "soft" },
    { kind: "solid", shape: round(start, query.radius), ink: "soft" },
    { kind: "segment", from: start, to: at(start, beside(ray.direction), query.radius), ink: "r", label: "r" },
    { kind: "point", at: start, label: "P", ink: "ink" },
  ];
  if (!hit) return marks;
  const touching = hit.point.slice(0, dimension);
  return [
    ...marks,
    { kind: "solid", shape: round(end, query.radius), ink: "hit" },
    { kind: "point", at: end, label: "M", ink: "y" },
    { kind: "point", at: touching, label: "E", ink: "hit" },
  ];
}

function overlap({ query, dimension }: Scene, { volume }: Answers): Mark[] {
  if (!volume) return [];
  return [
    { kind: "solid", shape: query.volume, ink: "y" },
    { kind: "point", at: pivot(dimension, query.volume), label: "V", ink: "y" },
  ];
}

/** The drawing of the query, if it is no ray. */
export function proximityMarks(scene: Scene, answers: Answers): Mark[] {
  const { kind } = scene.query;
  if (kind === "ray") return [];
  const marks = { closest, sweep, overlap }[kind](scene, answers);
  const terms = queryInfo(scene).formula?.terms ?? {};
  return marks.map((mark) => {
    const name = "label" in mark && mark.label ? terms[mark.label] : undefined;
    return name ? { ...mark, name } : mark;
  });
}
