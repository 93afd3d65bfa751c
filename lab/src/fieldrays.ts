// The rays of a field: a fan from the ray's origin, or a grid of parallel ones beside it.

import { three } from "./session.js";
import type { Vec3 } from "./interface.js";
import type { Vec } from "./schema.js";
import { type Scene } from "./state.js";
import { add, cross, length, scale, unit } from "./vector.js";

export const MAX_RAYS = 100_000;
/** Width to height of a field of space. */
const ASPECT = 1.6;

export interface FieldRays {
  rays: Float64Array;
  columns: number;
  rows: number;
}

export function fieldRays({ dimension, ray, field }: Scene): FieldRays | null {
  const direction = ray.direction;
  const size = length(direction);
  if (!(size > 0 && Number.isFinite(size))) return null;
  const count = Math.min(Math.max(Math.round(field.count), 1), MAX_RAYS);
  const angle = (field.degrees * Math.PI) / 180;
  return dimension === 2
    ? inPlane(ray.origin, direction, count, field.shape === "fan" ? angle : null, field.width)
    : inSpace(ray.origin, direction, count, field.shape === "fan" ? angle : null, field.width);
}

function inPlane(origin: Vec, direction: Vec, count: number, angle: number | null, width: number): FieldRays {
  const across = [-direction[1]!, direction[0]!];
  if (angle !== null)
    return { rays: fan(three(origin), three(direction), three(across), angle, count), columns: count, rows: 1 };
  const side = scale(unit(across), width);
  const corner = add(origin, scale(side, -0.5));
  return { rays: grid(three(corner), three(side), [0, 0, 0], count, 1, three(direction)), columns: count, rows: 1 };
}

function inSpace(origin: Vec, direction: Vec, count: number, angle: number | null, width: number): FieldRays {
  const upright = Math.abs(unit(direction)[1]!) > 0.999 ? [0, 0, 1] : [0, 1, 0];
  const right = unit(cross(direction, upright));
  const down = unit(cross(direction, right));
  const columns = Math.max(Math.round(Math.sqrt(count * ASPECT)), 1);
  const rows = Math.max(Math.floor(count / columns), 1);
  // A fan goes through a window at the ray's tip.
  const wide = angle === null ? width : 2 * Math.tan(Math.min(angle, 3) / 2) * length(direction);
  const [across, along] = [scale(right, wide), scale(down, wide / ASPECT)];
  const middle = angle === null ? origin : add(origin, direction);
  const corner = add(middle, scale(add(across, along), -0.5));
  const eye = angle === null ? undefined : three(origin);
  return {
    rays: grid(three(corner), three(across), three(along), columns, rows, three(direction), eye),
    columns,
    rows,
  };
}

/**
 * Rays from one point, spread evenly over an angle around `towards` in the plane of `towards` and `up`: the fan of a
 * flat scene (`up` is then a vector of the plane at right angles to `towards`), or one slice of a spatial one.
 */
export function fan(origin: Vec3, towards: Vec3, up: Vec3, angle: number, count: number): Float64Array {
  const rays = new Float64Array(6 * count);
  const step = count > 1 ? angle / (count - 1) : 0;
  for (let i = 0; i < count; i++) {
    const turn = step * i - (count > 1 ? angle / 2 : 0);
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    for (let axis = 0; axis < 3; axis++) {
      rays[6 * i + axis] = origin[axis]!;
      rays[6 * i + 3 + axis] = c * towards[axis]! + s * up[axis]!;
    }
  }
  return rays;
}

/**
 * A grid of `columns` by `rows` rays, row by row. Parallel: origins from `corner` along `across` and `down`, all with the
 * direction `towards`. With `eye`, as of a camera: from that point through the grid, and `towards` is ignored.
 */
export function grid(
  corner: Vec3,
  across: Vec3,
  down: Vec3,
  columns: number,
  rows: number,
  towards: Vec3,
  eye?: Vec3,
): Float64Array {
  const rays = new Float64Array(6 * columns * rows);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const v = (row + 0.5) / rows;
    for (let column = 0; column < columns; column++, at += 6) {
      const u = (column + 0.5) / columns;
      for (let axis = 0; axis < 3; axis++) {
        const place = (corner[axis] ?? 0) + u * (across[axis] ?? 0) + v * (down[axis] ?? 0);
        const from = eye?.[axis];
        rays[at + axis] = from ?? place;
        rays[at + 3 + axis] = from === undefined ? (towards[axis] ?? 0) : place - from;
      }
    }
  }
  return rays;
}
