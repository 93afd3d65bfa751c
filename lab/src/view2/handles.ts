// Handles of a shape in the plane: their places and the edits that drags of them make.

import { kindOf, type Vec } from "../schema.js";
import type { Shape } from "../state.js";
import { ends, frame, isEndless, isRound, pivot, scaleShape, rotateShape, rotation2 } from "../transform.js";
import { add, at, dot, length, mean, sub, unit } from "../vector.js";
import type { Camera2 } from "./camera.js";

export interface Handle {
  at: Vec;
  kind: "point" | "size" | "turn" | "scale";
  /** Edits the shape of the start of the drag so that the handle is at `to`. */
  pull(shape: Shape, to: Vec): void;
}

/** Pixels between a shape and the handles that rotate and scale it. */
const OUTSIDE = 30;
const SMALLEST = 1e-6;

const vec = (shape: Shape, key: string): Vec => shape.fields[key] as Vec;

export function handlesOf(camera: Camera2, shape: Shape): Handle[] {
  const handles: Handle[] = [];
  // The numbers of a shape with a matrix are not where the picture has it: its panel has fields for them.
  if (shape.matrix) return isEndless(2, shape) ? [] : around(camera, shape);
  const { fields } = kindOf(2, shape.type);
  for (const { key, role } of fields) {
    if (role === "point")
      handles.push({ at: vec(shape, key), kind: "point", pull: (s, to) => void (s.fields[key] = to) });
    if (role === "points") {
      (shape.fields[key] as Vec[]).forEach((at, i) => {
        const pull = (s: Shape, to: Vec): void => {
          s.fields[key] = (s.fields[key] as Vec[]).map((p, j) => (i === j ? to : p));
        };
        handles.push({ at, kind: "point", pull });
      });
    }
    if (role === "length") handles.push(radius(shape, key));
    if (role === "lengths") handles.push(...lengths(shape, key));
    if (role === "direction") handles.push(normal(camera, shape, key));
  }
  if (isEndless(2, shape)) return handles;
  return [...handles, ...around(camera, shape)];
}

function radius(shape: Shape, key: string): Handle {
  const axis = ends(2, shape);
  const side = frame(2, shape)[axis ? 1 : 0]!;
  const from = axis ? mean(axis) : vec(shape, "center");
  const pull = (s: Shape, to: Vec): void => {
    const away = axis ? Math.abs(dot(sub(to, from), side)) : length(sub(to, from));
    s.fields[key] = Math.max(away, SMALLEST);
  };
  return { at: at(from, side, shape.fields[key] as number), kind: "size", pull };
}

function lengths(shape: Shape, key: string): Handle[] {
  const center = vec(shape, "center");
  return frame(2, shape).map((axis, i) => ({
    at: at(center, axis, vec(shape, key)[i]!),
    kind: "size" as const,
    pull: (s: Shape, to: Vec): void => {
      const along = Math.max(Math.abs(dot(sub(to, center), axis)), SMALLEST);
      s.fields[key] = vec(s, key).map((x, j) => (i === j ? along : x));
    },
  }));
}

function normal(camera: Camera2, shape: Shape, key: string): Handle {
  const point = vec(shape, "point");
  const pull = (s: Shape, to: Vec): void => {
    const direction = sub(to, point);
    if (length(direction) > 0) s.fields[key] = unit(direction);
  };
  return { at: at(point, unit(vec(shape, key)), 70 / camera.zoom), kind: "turn", pull };
}

/** The radius of a shape around its pivot. */
export function boundingRadius(shape: Shape): number {
  const { matrix, ...bare } = shape;
  if (matrix) return boundingRadius(bare) * Math.hypot(...matrix.flatMap((row) => row.slice(0, -1)));
  const about = pivot(2, shape);
  const sizes = kindOf(2, shape.type).fields.map(({ key, role }) => {
    const value = shape.fields[key];
    if (role === "lengths") return length(value as Vec);
    if (role === "points") return Math.max(...(value as Vec[]).map((p) => length(sub(p, about))));
    return role === "point" ? length(sub(value as Vec, about)) : 0;
  });
  const round = kindOf(2, shape.type).fields.find(({ role }) => role === "length");
  return Math.max(...sizes) + (round ? (shape.fields[round.key] as number) : 0);
}

/** One handle that rotates the shape, and one that scales it. */
function around(camera: Camera2, shape: Shape): Handle[] {
  const about = pivot(2, shape);
  const away = boundingRadius(shape) + OUTSIDE / camera.zoom;
  const up = add(about, [0, away]);
  const corner = add(about, [away * Math.SQRT1_2, -away * Math.SQRT1_2]);
  const angle = (p: Vec): number => Math.atan2(p[1]! - about[1]!, p[0]! - about[0]!);
  const handles: Handle[] = [];
  if (!isRound(shape)) {
    handles.push({
      at: up,
      kind: "turn",
      pull: (s, to) => rotateShape(2, s, rotation2(angle(to) - Math.PI / 2), about),
    });
  }
  const pull = (s: Shape, to: Vec): void => {
    const factor = Math.max((length(sub(to, about)) - OUTSIDE / camera.zoom) / boundingRadius(shape), 0.01);
    scaleShape(2, s, [factor, factor], frame(2, s), about);
  };
  return [...handles, { at: corner, kind: "scale", pull }];
}
