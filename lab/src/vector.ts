// Vector arithmetic for drawing and dragging. Answers come from the engine, never from here.

import type { Vec } from "./schema.js";

export const add = (a: Vec, b: Vec): Vec => a.map((x, i) => x + b[i]!);
export const sub = (a: Vec, b: Vec): Vec => a.map((x, i) => x - b[i]!);
export const scale = (a: Vec, s: number): Vec => a.map((x) => x * s);
export const dot = (a: Vec, b: Vec): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
export const length = (a: Vec): number => Math.hypot(...a);
export const at = (origin: Vec, direction: Vec, t: number): Vec => origin.map((x, i) => x + direction[i]! * t);
export const mean = (points: Vec[]): Vec =>
  points[0]!.map((_, i) => points.reduce((sum, p) => sum + p[i]!, 0) / points.length);

export function unit(a: Vec): Vec {
  const size = length(a);
  return size > 0 ? scale(a, 1 / size) : a.map((_, i) => (i === 0 ? 1 : 0));
}

export const cross = (a: Vec, b: Vec): Vec => [
  a[1]! * b[2]! - a[2]! * b[1]!,
  a[2]! * b[0]! - a[0]! * b[2]!,
  a[0]! * b[1]! - a[1]! * b[0]!,
];

/** Two unit vectors at right angles to `z` and to each other, so that (x, y, z) is right-handed. */
export function across(z: Vec): [Vec, Vec] {
  const away = Math.abs(z[0]!) < 0.6 * length(z) ? [1, 0, 0] : [0, 1, 0];
  const y = unit(cross(z, away));
  return [unit(cross(y, z)), y];
}

/** Rounds to decimals, without -0. */
export function roundTo(x: number, digits = 3): number {
  const factor = 10 ** digits;
  const rounded = Math.round(x * factor) / factor;
  return Number.isFinite(rounded) ? rounded + 0 : x;
}
