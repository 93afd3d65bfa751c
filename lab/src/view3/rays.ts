// Drawings of the ray in space: pieces, ends, hits, normals, and the construction of an explanation.

import { Group, Mesh } from "three";
import type { Answers, Doubt } from "../session.js";
import type { Mark } from "../marks.js";
import type { Vec } from "../schema.js";
import { clip, foundShapes, piecesOf, markedPoints, type ViewBounds } from "../raypath.js";
import { endAt, endsOf, type ViewOptions, type Scene } from "../state.js";
import { add, at, cross, length, scale, unit } from "../vector.js";
import type { Labels } from "./labels.js";
import { area, dot, glass, head, pieces, polyline } from "./primitives.js";
import { draw } from "./solids.js";

/** The bounds of the view and the unit of lengths in it. */
export interface Scope extends ViewBounds {
  /** The length of arrows. */
  unit: number;
}

const WIDTH = { live: 4, faint: 2, out: 1.5 };
const OPACITY = { live: 1, faint: 0.55, out: 0.5 };

/** Draws the ray, the points that were found with their normals, and the ends of the query. */
export function drawQuery(group: Group, scene: Scene, answers: Answers, options: ViewOptions, scope: Scope): void {
  const direction = scene.ray.direction;
  const ends = endsOf(scene);
  if (ends.includes("origin") && !(length(direction) > 0)) return;
  const on = (t: number): Vec => at(scene.ray.origin, direction, t);
  for (const { t, style, color } of piecesOf(scene, answers)) {
    const part = clip(scene, t, scope);
    if (!part) continue;
    const dashed = style !== "live";
    group.add(polyline(part.map(on), { color, width: WIDTH[style], opacity: OPACITY[style], dashed }));
  }
  for (const { point: p, normal: n, role, room = Infinity } of markedPoints(answers, options.allHits)) {
    if (n) {
      const tip = at(p, n, Math.min(scope.unit, room));
      group.add(polyline([p, tip], { color: "normal", width: role === "first" ? 4 : 2.5 }), head(tip, n, "normal", 5));
    }
    if (role === "first") group.add(dot(p, "ray", 13));
    else group.add(dot(p, "stage", 8, "ray"));
  }
  const color = foundShapes(answers).length > 0 ? "ray" : "miss";
  for (const end of ends) {
    const [at, selected] = [endAt(scene, end), options.selected === end];
    if (end === "tip") group.add(head(at, direction, color, 7));
    group.add(dot(at, color, selected ? 17 : 14, selected ? "accent" : "stage"));
  }
}

export function drawMarks(group: Group, labels: Labels, scene: Scene, marks: Mark[], scope: Scope): void {
  const direction = scene.ray.direction;
  const aside = unit(cross(direction, Math.abs(unit(direction)[1]!) > 0.9 ? [1, 0, 0] : [0, 1, 0]));
  const lift = unit(cross(aside, direction));
  for (const mark of marks) {
    const name = mark.kind === "point" || "ink" in mark ? `ink-${mark.ink}` : "ink";
    if (mark.kind === "point") {
      group.add(dot(mark.at, name, 9));
      labels.add(mark.at, mark.label, name, mark.name);
    } else if (mark.kind === "segment") {
      group.add(polyline([mark.from, mark.to], { color: name, width: 2.5, dashed: mark.dashed ?? false }));
      if (mark.arrow)
        group.add(
          head(
            mark.to,
            mark.to.map((x, i) => x - mark.from[i]!),
            name,
            4.5,
          ),
        );
      if (mark.label) labels.add(scale(add(mark.from, mark.to), 0.5), mark.label, name, mark.name);
    } else if (mark.kind === "area") {
      group.add(area(mark.corners, name, 0.34));
      if (mark.label) labels.add(scale(mark.corners.reduce(add), 1 / 3), mark.label, name, mark.name);
    } else if (mark.kind === "solid") {
      const drawn = draw(mark.shape, null);
      if (!drawn) continue;
      const surface = new Mesh(drawn.surface, glass(name, false));
      surface.renderOrder = 1;
      group.add(surface);
      const edges = drawn.edges?.getAttribute("position").array;
      if (edges?.length) group.add(pieces(edges, { color: name, width: 1.5, over: false }));
      drawn.edges?.dispose();
    } else if (mark.kind === "circle") {
      group.add(polyline(circle(mark.center, mark.radius, mark.normal), { color: name, width: 2, dashed: true }));
    } else {
      const part = clip(scene, mark.t, scope);
      if (!part) continue;
      const shift = scale(lift, -mark.lane * scope.unit * 0.17);
      const [from, to] = part.map((t) => add(at(scene.ray.origin, direction, t), shift)) as [Vec, Vec];
      const tick = scale(lift, scope.unit * 0.06);
      group.add(polyline([from, to], { color: name, width: 4 }));
      for (const end of [from, to])
        group.add(polyline([add(end, tick), add(end, scale(tick, -1))], { color: name, width: 2.5 }));
      labels.add(scale(add(from, to), 0.5), mark.label, name, mark.name);
    }
  }
}

function circle(center: Vec, radius: number, normal: Vec): Vec[] {
  const n = unit(normal);
  const u = unit(cross(n, Math.abs(n[0]!) < 0.6 ? [1, 0, 0] : [0, 1, 0]));
  const v = cross(n, u);
  return Array.from({ length: 65 }, (_, i) => {
    const angle = (i / 64) * 2 * Math.PI;
    return add(center, add(scale(u, radius * Math.cos(angle)), scale(v, radius * Math.sin(angle))));
  });
}

/** Draws the hit of the textbook beside the exact one. */
export function drawDoubt(group: Group, labels: Labels, doubt: Doubt, scope: Scope): void {
  const { first } = doubt.textbook;
  if (first && first.point.every(Number.isFinite)) {
    group.add(dot(first.point, "warn", 11));
    const tip = at(first.point, first.normal, scope.unit * 0.8);
    if (tip.every(Number.isFinite)) group.add(polyline([first.point, tip], { color: "warn", width: 3, dashed: true }));
    labels.add(first.point, "textbook", "warn");
  }
  if (doubt.exact.first) labels.add(doubt.exact.first.point, "exact", "ray");
}
