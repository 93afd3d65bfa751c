// A scene as the text of a scene file, which `hitscan cast` and the engine read.

import { decimal, toml, type Parameter } from "./engine.js";
import type { Dimension, Vec } from "./kinds.js";
import type { Placement, Shape } from "./state.js";

const list = (v: Vec): string => `[${v.map(decimal).join(", ")}]`;

function transform({ scale, axis, degrees, translation }: Placement): string {
  const parts = [`scale = ${list(scale)}`];
  if (degrees !== 0) parts.push(`rotation = { axis = ${list(axis)}, degrees = ${decimal(degrees)} }`);
  parts.push(`translation = ${list(translation)}`);
  return `transform = { ${parts.join(", ")} }`;
}

const isPlain = ({ scale, degrees, translation }: Placement): boolean =>
  degrees === 0 && scale.every((x) => x === 1) && translation.every((x) => x === 0);

export const layerMask = (layers: number[] | undefined): number =>
  layers ? layers.reduce((mask, layer) => mask | (1 << layer), 0) >>> 0 : 1;

/** The file; meshes are named, and stand beside it. */
export function sceneToml(dimension: Dimension, shapes: Shape[]): string {
  const blocks = shapes.map((shape) => {
    const { type, name, fields, layers, placement } = shape;
    const block = toml(3, [
      { type, ...(name ? { name } : {}), layers: layerMask(layers), parameters: fields as Record<string, Parameter> },
    ]);
    return placement && !isPlain(placement) ? `${block}${transform(placement)}\n` : block;
  });
  return (
    (dimension === 2 ? "dimension = 2\n" : "") + (dimension === 2 && blocks.length ? "\n" : "") + blocks.join("\n")
  );
}
