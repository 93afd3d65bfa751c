// Shapes of the plane, as paths in pixels.

import { s } from "../dom.js";
import type { Vec } from "../schema.js";
import type { ShapeColor } from "../raypath.js";
import type { Shape } from "../state.js";
import { add, at, scale, sub, unit } from "../vector.js";
import { image, withoutMatrix } from "../transform.js";
import type { Camera2 } from "./camera.js";

const vec = (shape: Shape, key: string): Vec => shape.fields[key] as Vec;
const num = (shape: Shape, key: string): number => shape.fields[key] as number;
const f = (x: number): string => x.toFixed(2);

export function path(camera: Camera2, points: Vec[], closed = false): string {
  const parts = points.map((p, i) => `${i ? "L" : "M"}${camera.toScreen(p).map(f).join(" ")}`);
  return parts.join("") + (closed ? "Z" : "");
}

const axes = (shape: Shape): [Vec, Vec] =>
  (shape.fields["axes"] as [Vec, Vec] | undefined) ?? [
    [1, 0],
    [0, 1],
  ];

/** Two points of an infinite line beyond the screen. */
function far(camera: Camera2, point: Vec, normal: Vec): [Vec, Vec] {
  const n = unit(normal);
  const along = [-n[1]!, n[0]!];
  const foot = at(camera.center, n, (point[0]! - camera.center[0]!) * n[0]! + (point[1]! - camera.center[1]!) * n[1]!);
  return [at(foot, along, camera.viewRadius), at(foot, along, -camera.viewRadius)];
}

export function outline(camera: Camera2, shape: Shape): string {
  const pixels = (x: number): string => f(x * camera.zoom);
  switch (shape.type) {
    case "circle": {
      const [x, y] = camera.toScreen(vec(shape, "center"));
      const r = num(shape, "radius") * camera.zoom;
      return `M${f(x - r)} ${f(y)}a${f(r)} ${f(r)} 0 1 0 ${f(2 * r)} 0a${f(r)} ${f(r)} 0 1 0 ${f(-2 * r)} 0Z`;
    }
    case "ellipse": {
      const [u, v] = axes(shape);
      const [a, b] = vec(shape, "radii") as [number, number];
      const [from, to] = [1, -1].map((direction) =>
        camera
          .toScreen(at(vec(shape, "center"), u, direction * a))
          .map(f)
          .join(" "),
      );
      const turned = f((-Math.atan2(u[1]!, u[0]!) * 180) / Math.PI);
      const arc = `A${pixels(a)} ${pixels(b)} ${turned} 1 0`;
      return v.length ? `M${from}${arc} ${to}${arc} ${from}Z` : "";
    }
    case "rectangle": {
      const [u, v] = axes(shape);
      const [a, b] = vec(shape, "half_extents") as [number, number];
      const corners = [
        [1, 1],
        [-1, 1],
        [-1, -1],
        [1, -1],
      ];
      const corner = ([p, q]: Vec): Vec => at(at(vec(shape, "center"), u, p! * a), v, q! * b);
      return path(camera, corners.map(corner), true);
    }
    case "capsule": {
      const [a, b, r] = [vec(shape, "a"), vec(shape, "b"), num(shape, "radius")];
      const direction = unit(sub(b, a));
      const n = scale([-direction[1]!, direction[0]!], r);
      const point = (p: Vec): string => camera.toScreen(p).map(f).join(" ");
      const arc = `A${pixels(r)} ${pixels(r)} 0 0 0`;
      return `M${point(sub(a, n))}L${point(sub(b, n))}${arc} ${point(add(b, n))}L${point(add(a, n))}${arc} ${point(sub(a, n))}Z`;
    }
    case "tapered_capsule": {
      const [a, b] = [vec(shape, "a"), vec(shape, "b")];
      const [ra, rb] = [num(shape, "radius_a"), num(shape, "radius_b")];
      const axis = sub(b, a);
      const sine = (rb - ra) / Math.hypot(axis[0]!, axis[1]!);
      if (!(Math.abs(sine) < 1)) {
        const [center, radius] = rb > ra ? [b, rb] : [a, ra];
        return outline(camera, { ...shape, type: "circle", fields: { center, radius } });
      }
      // The points of contact: to the left of the axis, and to the right.
      const [u, cosine] = [unit(axis), Math.sqrt(1 - sine * sine)];
      const contact = (center: Vec, radius: number, side: number): string => {
        const n = sub(scale([-u[1]!, u[0]!], side * cosine), scale(u, sine));
        return camera.toScreen(at(center, n, radius)).map(f).join(" ");
      };
      // Around the larger ball, the arc is more than half a turn.
      const arc = (r: number, large: boolean): string => `A${pixels(r)} ${pixels(r)} 0 ${large ? 1 : 0} 0`;
      return `M${contact(a, ra, -1)}L${contact(b, rb, -1)}${arc(rb, rb > ra)} ${contact(b, rb, 1)}L${contact(a, ra, 1)}${arc(ra, ra > rb)} ${contact(a, ra, -1)}Z`;
    }
    case "triangle":
      return path(
        camera,
        ["a", "b", "c"].map((key) => vec(shape, key)),
        true,
      );
    case "polygon":
      return path(camera, shape.fields["vertices"] as Vec[], true);
    case "half_plane": {
      const [p, q] = far(camera, vec(shape, "point"), vec(shape, "normal"));
      const below = scale(unit(vec(shape, "normal")), -2 * camera.viewRadius);
      return path(camera, [p, q, add(q, below), add(p, below)], true);
    }
    case "line":
      return path(camera, far(camera, vec(shape, "point"), vec(shape, "normal")));
    case "segment":
      return path(camera, [vec(shape, "a"), vec(shape, "b")]);
    default:
      return "";
  }
}

/** The matrix of a shape in pixels: the columns of `matrix(...)`. */
function inPixels(camera: Camera2, shape: Shape): string {
  const place = (x: number, y: number): Vec => camera.toScreen(image(shape, camera.toWorld(x, y)));
  const origin = place(0, 0);
  const columns = [sub(place(1, 0), origin), sub(place(0, 1), origin), origin];
  return `matrix(${columns.flat().join(" ")})`;
}

/** The element of a shape. A surface is a line, a solid is filled. */
export function drawShape(camera: Camera2, given: Shape, solid: boolean, color: ShapeColor): SVGElement {
  const name = `var(--${color})`;
  const selected = color !== "shape";
  const shape = withoutMatrix(given);
  return s("path", {
    d: outline(camera, shape),
    ...(shape.matrix && { transform: inPixels(camera, shape), "vector-effect": "non-scaling-stroke" }),
    fill: solid ? name : "none",
    "fill-opacity": selected ? 0.24 : 0.16,
    stroke: name,
    "stroke-width": solid ? (selected ? 2.5 : 1.75) : 4,
    "stroke-linejoin": "round",
    "stroke-linecap": "round",
  });
}
