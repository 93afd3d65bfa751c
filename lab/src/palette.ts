// Colours of a field of rays.

import type { Field } from "./interface.js";
import type { FieldColoring } from "./state.js";

type Rgb = [number, number, number];

/** The depth ramp from near to far; its lightness falls throughout, so that it reads without hue. */
const DEPTH: Rgb[] = [
  [253, 231, 37],
  [94, 201, 98],
  [33, 145, 140],
  [59, 82, 139],
  [68, 1, 84],
];

/** One colour per shape. */
const SHAPES: Rgb[] = [
  [224, 82, 60],
  [66, 133, 204],
  [219, 148, 31],
  [130, 99, 214],
  [44, 158, 122],
  [204, 84, 148],
  [110, 140, 60],
  [52, 164, 190],
];

/** The depth ramp in 256 steps. */
const RAMP: Rgb[] = Array.from({ length: 256 }, (_, step) => {
  const place = (step / 255) * (DEPTH.length - 1);
  const i = Math.min(Math.floor(place), DEPTH.length - 2);
  const [from, to] = [DEPTH[i]!, DEPTH[i + 1]!];
  return from.map((c, k) => c + (to[k]! - c) * (place - i)) as Rgb;
});

/** Red, green, blue per ray, 0 to 255; rays that miss are left at 0. */
export function colors({ t, shape, normals }: Field, coloring: FieldColoring): Uint8Array {
  const rgb = new Uint8Array(3 * t.length);
  let [near, far] = [Infinity, -Infinity];
  if (coloring === "depth") {
    for (const x of t) {
      if (x < near) near = x;
      if (x > far) far = x;
    }
  }
  // Logarithmic: a floor up to the horizon leaves colours for near shapes.
  const depth = (x: number): number => Math.log1p((99 * (x - near)) / (far - near || 1)) / Math.log(100);
  for (let i = 0; i < t.length; i++) {
    const which = shape[i]!;
    if (which < 0) continue;
    if (coloring === "normals") {
      for (let k = 0; k < 3; k++) rgb[3 * i + k] = 127.5 + 127.5 * normals[3 * i + k]!;
      continue;
    }
    const c = coloring === "depth" ? RAMP[Math.round(255 * depth(t[i]!))]! : SHAPES[which % SHAPES.length]!;
    rgb.set(c, 3 * i);
  }
  return rgb;
}
