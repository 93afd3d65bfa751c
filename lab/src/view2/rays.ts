// Drawings of the ray in the plane: pieces, ends, hits, normals, and the construction of an explanation.

import type { Answers, Doubt } from "../session.js";
import type { Mark } from "../marks.js";
import { s } from "../dom.js";
import type { Vec } from "../schema.js";
import { clip, foundShapes, piecesOf, markedPoints } from "../raypath.js";
import { endAt, endsOf, type End, type ViewOptions, type Scene } from "../state.js";
import { at, length, unit } from "../vector.js";
import type { Camera2 } from "./camera.js";
import { outline } from "./shapes.js";

type Point = [number, number];

/** The length of a normal, in pixels. */
const NORMAL = 58;

export interface Stroke {
  ink: string;
  width: number;
  dashed?: boolean;
  opacity?: number;
}

export function line([x1, y1]: Point, [x2, y2]: Point, { ink, width, dashed, opacity }: Stroke): SVGElement {
  return s("line", {
    x1,
    y1,
    x2,
    y2,
    stroke: `var(--${ink})`,
    "stroke-width": width,
    "stroke-linecap": dashed ? "butt" : "round",
    "stroke-dasharray": dashed ? "6 5" : null,
    opacity,
  });
}

export function dot([cx, cy]: Point, r: number, ink: string, rim = "stage"): SVGElement {
  return s("circle", { cx, cy, r, fill: `var(--${ink})`, stroke: `var(--${rim})`, "stroke-width": 2.5 });
}

/** A triangle at the end of an arrow, pointing from `from` to `to`. */
export function head(from: Point, to: Point, ink: string, size = 10): SVGElement {
  const turned = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
  return s("path", {
    d: `M0 0L${-size} ${size * 0.42}L${-size} ${-size * 0.42}Z`,
    transform: `translate(${to[0]} ${to[1]}) rotate(${turned})`,
    fill: `var(--${ink})`,
  });
}

/** A label of the picture; `name` is the meaning of its letter. */
export function words([x, y]: Point, text: string, ink: string, name?: string): SVGElement {
  const halo = { "paint-order": "stroke", stroke: "var(--stage)", "stroke-width": 4 };
  return s("text", { x, y, fill: `var(--${ink})`, ...halo, class: "mark", "data-term": name }, text);
}

function arrow(from: Point, to: Point, ink: string, width: number): SVGElement[] {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = Math.hypot(dx, dy);
  if (size < 1) return [];
  const short: Point = [to[0] - (dx / size) * 6, to[1] - (dy / size) * 6];
  return [line(from, short, { ink, width }), head(from, to, ink)];
}

const WIDTH = { live: 3.5, faint: 2, out: 1.5 };
const OPACITY = { live: 1, faint: 0.55, out: 0.5 };

/** Draws the ray, the points that were found with their normals, and the ends of the query. */
export function drawQuery(camera: Camera2, scene: Scene, answers: Answers, options: ViewOptions): SVGElement[] {
  const direction = scene.ray.direction;
  const ends = endsOf(scene);
  if (ends.includes("origin") && !(length(direction) > 0)) return [];
  const on = (t: number): Point => camera.toScreen(at(scene.ray.origin, direction, t));
  const drawn: SVGElement[] = [];
  for (const { t, style, color } of piecesOf(scene, answers)) {
    const part = clip(scene, t, camera);
    if (!part) continue;
    const [from, to] = part.map(on) as [Point, Point];
    drawn.push(line(from, to, { ink: color, width: WIDTH[style], dashed: style !== "live", opacity: OPACITY[style] }));
  }
  for (const { point, normal, role, room = Infinity } of markedPoints(answers, options.allHits)) {
    const p = camera.toScreen(point);
    if (normal) {
      const size = Math.min(NORMAL, room * camera.zoom);
      const tip: Point = [p[0] + size * normal[0]!, p[1] - size * normal[1]!];
      drawn.push(...arrow(p, tip, "normal", role === "first" ? 3.5 : 2));
    }
    drawn.push(role === "first" ? dot(p, 6.5, "ray") : dot(p, 4, "stage", "ray"));
  }
  const ink = foundShapes(answers).length > 0 ? "ray" : "miss";
  const place = (end: End): Point => camera.toScreen(endAt(scene, end));
  for (const end of ends) {
    if (end === "tip") drawn.push(head(place("origin"), place("tip"), ink, 17));
    drawn.push(dot(place(end), 7, ink, options.selected === end ? "accent" : "stage"));
  }
  return drawn;
}

export function drawMarks(camera: Camera2, scene: Scene, marks: Mark[]): SVGElement[] {
  const direction = unit(scene.ray.direction);
  // Beside the ray, on its right.
  const aside: Point = [direction[1]!, direction[0]!];
  const [below, above]: [SVGElement[], SVGElement[]] = [[], []];
  const to = (p: Vec): Point => camera.toScreen(p);
  const between = ([x1, y1]: Point, [x2, y2]: Point): Point => [(x1 + x2) / 2 + 7, (y1 + y2) / 2 - 7];
  for (const mark of marks) {
    const ink = `ink-${mark.ink}`;
    if (mark.kind === "point") {
      const [x, y] = to(mark.at);
      above.push(dot([x, y], 4.5, ink), words([x + 9, y - 9], mark.label, ink, mark.name));
    } else if (mark.kind === "segment") {
      const [p, q] = [to(mark.from), to(mark.to)];
      if (mark.arrow) below.push(...arrow(p, q, ink, 2.25));
      else below.push(line(p, q, { ink, width: 2.25, dashed: mark.dashed ?? false }));
      if (mark.label) above.push(words(between(p, q), mark.label, ink, mark.name));
    } else if (mark.kind === "area") {
      const d = `M${mark.corners.map((p) => to(p).join(" ")).join("L")}Z`;
      below.push(s("path", { d, fill: `var(--${ink})`, opacity: 0.3 }));
    } else if (mark.kind === "solid") {
      const look = { fill: `var(--${ink})`, "fill-opacity": 0.09, stroke: `var(--${ink})`, "stroke-width": 1.75 };
      below.push(s("path", { d: outline(camera, mark.shape), class: "solid", ...look }));
    } else if (mark.kind === "circle") {
      const [cx, cy] = to(mark.center);
      const r = mark.radius * camera.zoom;
      below.push(
        s("circle", {
          cx,
          cy,
          r,
          fill: "none",
          stroke: `var(--${ink})`,
          "stroke-width": 1.75,
          "stroke-dasharray": "6 5",
        }),
      );
    } else {
      const part = clip(scene, mark.t, camera);
      if (!part) continue;
      const away = 19 * mark.lane;
      const shifted = (t: number, off: number): Point => {
        const [x, y] = to(at(scene.ray.origin, scene.ray.direction, t));
        return [x + aside[0] * off, y + aside[1] * off];
      };
      const [p, q] = part.map((t) => shifted(t, away)) as [Point, Point];
      below.push(line(p, q, { ink, width: 4 }));
      for (const t of part) below.push(line(shifted(t, away - 5), shifted(t, away + 5), { ink, width: 2.5 }));
      const [mx, my] = [(p[0] + q[0]) / 2 + aside[0] * 11, (p[1] + q[1]) / 2 + aside[1] * 11 + 4];
      above.push(words([mx, my], mark.label, ink, mark.name));
    }
  }
  return [...below, ...above];
}

/** Draws the hit of the textbook beside the exact one. */
export function drawDoubt(camera: Camera2, { textbook, exact }: Doubt): SVGElement[] {
  const drawn: SVGElement[] = [];
  const { first } = textbook;
  if (first?.point.every(Number.isFinite)) {
    const p = camera.toScreen(first.point);
    const tip: Point = [p[0] + NORMAL * 0.8 * first.normal[0], p[1] - NORMAL * 0.8 * first.normal[1]];
    if (tip.every(Number.isFinite)) drawn.push(line(p, tip, { ink: "warn", width: 2.5, dashed: true }));
    drawn.push(dot(p, 5, "warn"), words([p[0] + 10, p[1] + 18], "textbook", "warn"));
  }
  if (exact.first) {
    const [x, y] = camera.toScreen(exact.first.point);
    drawn.push(words([x + 10, y - 12], "exact", "ray"));
  }
  return drawn;
}
