// A scene as the text of a scene file, which `hitscan cast` and the engine read.

import type { Dimension, Value } from "./schema.js";
import type { Placement, Shape } from "./state.js";

/** The shortest digits that a scene file, Rust and Python read back as this very number. */
export function decimal(x: number): string {
  if (Object.is(x, -0)) return "-0.0";
  const text = String(x);
  // A whole number without a point is an integer of TOML, and those have to be exact.
  return Number.isInteger(x) && Math.abs(x) >= 2 ** 53 && !text.includes("e") ? `${text}.0` : text;
}

function written(value: Value): string {
  if (typeof value === "number") return decimal(value);
  if (typeof value === "string") return JSON.stringify(value);
  return `[${value.map(written).join(", ")}]`;
}

function transform({ scale, axis, degrees, translation }: Placement): string {
  const parts = [`scale = ${written(scale)}`];
  if (degrees !== 0) parts.push(`rotation = { axis = ${written(axis)}, degrees = ${decimal(degrees)} }`);
  parts.push(`translation = ${written(translation)}`);
  return `transform = { ${parts.join(", ")} }`;
}

const isPlain = ({ scale, degrees, translation }: Placement): boolean =>
  degrees === 0 && scale.every((x) => x === 1) && translation.every((x) => x === 0);

export const layerMask = (layers: number[] | undefined): number =>
  layers ? layers.reduce((mask, layer) => mask | (1 << layer), 0) >>> 0 : 1;

function table({ type, name, layers, fields, placement }: Shape): string {
  const mask = layerMask(layers);
  const bits = Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (mask >>> bit) & 1);
  const pairs = Object.entries({ type, ...(name && { name }), ...(mask !== 1 && { layers: bits }), ...fields });
  const lines = pairs.map(([key, value]) => `${key} = ${written(value)}`);
  if (placement && !isPlain(placement)) lines.push(transform(placement));
  return ["[[shape]]", ...lines].join("\n");
}

/** The file; meshes are named, and stand beside it. Layers are left out where there is layer 0 alone. */
export function sceneToml(dimension: Dimension, shapes: Shape[]): string {
  return `${[...(dimension === 2 ? ["dimension = 2"] : []), ...shapes.map(table)].join("\n\n")}\n`;
}
