// A scene as the text of a scene file, which `hitscan cast` and the engine read.

import { stringify } from "smol-toml";
import type { Dimension, Value } from "./schema.js";
import type { Placement, Shape } from "./state.js";

/** The shortest digits that a scene file, Rust and Python read back as this very number. */
export function decimal(x: number): string {
  if (Object.is(x, -0)) return "-0.0";
  const text = String(x);
  // A whole number without a point is an integer of TOML, and those have to be exact.
  return Number.isInteger(x) && Math.abs(x) >= 2 ** 53 && !text.includes("e") ? `${text}.0` : text;
}

/** The TOML library writes -0 as 0, which is another number. It writes a date as the date says, so this one says -0. */
class NegativeZero extends Date {
  override toISOString(): string {
    return "-0.0";
  }
}

type TomlValue = number | string | Date | TomlValue[];

function tomlValue(value: Value): TomlValue {
  if (Array.isArray(value)) return value.map(tomlValue);
  return Object.is(value, -0) ? new NegativeZero(0) : value;
}

const isIdentity = ({ scale, degrees, translation }: Placement): boolean =>
  degrees === 0 && scale.every((x) => x === 1) && translation.every((x) => x === 0);

function transform({ scale, axis, degrees, translation }: Placement): object {
  return {
    scale: tomlValue(scale),
    ...(degrees === 0 ? {} : { rotation: { axis: tomlValue(axis), degrees } }),
    translation: tomlValue(translation),
  };
}

export const layerMask = (layers: number[] | undefined): number =>
  layers ? layers.reduce((mask, layer) => mask | (1 << layer), 0) >>> 0 : 1;

function shapeTable({ type, name, layers, fields, placement, matrix }: Shape): object {
  const mask = layerMask(layers);
  const bits = Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (mask >>> bit) & 1);
  const values = Object.entries(fields).map(([key, value]) => [key, tomlValue(value)]);
  return {
    type,
    ...(name && { name }),
    ...(mask !== 1 && { layers: bits }),
    ...(Object.fromEntries(values) as object),
    ...(!matrix && placement && !isIdentity(placement) && { transform: transform(placement) }),
    ...(matrix && { transform: { matrix: tomlValue(matrix) } }),
  };
}

/** Writes the scene file; it names meshes, which stand beside it. Layers are left out where there is layer 0 alone. */
export function sceneToml(dimension: Dimension, shapes: Shape[]): string {
  return stringify({
    ...(dimension === 2 && { dimension }),
    ...(shapes.length && { shape: shapes.map(shapeTable) }),
  });
}
