// Number fields of a shape: one for each coordinate of each of its values.

import { type Control, numberInput, row } from "../inputs.js";
import { kindOf, type Dimension, type Field, type Value, type Vec } from "../schema.js";
import { findShape, type Shape } from "../state.js";
import type { Store } from "../store.js";

/** A row for each field of a shape. `of` stands before their labels. */
export function shapeRows(store: Store, dimension: Dimension, shape: Shape, of = ""): Control[] {
  return kindOf(dimension, shape.type).fields.flatMap((field) => fieldRows(store, shape, field, of));
}

function fieldRows(store: Store, { id, fields }: Shape, { key, role, label }: Field, of: string): Control[] {
  const value = fields[key];
  if (value === undefined || role === "file") return [];
  const current = (): Value | undefined => findShape(store.scene, id)?.fields[key];
  if (typeof value === "number") {
    const get = (): number | undefined => current() as number | undefined;
    const set = (x: number | null): void => store.editShape(id, (shape) => void (shape.fields[key] = x ?? 0));
    return [row(label, numberInput(store, { label: of + label, get, set }))];
  }
  const nested = Array.isArray(value) && Array.isArray(value[0]);
  const vectors = nested ? (value as Vec[]) : [value as Vec];
  return vectors.map((vector, i) => {
    const what = nested ? `${label.replace(/s$/, "").replace("axe", "axis").replace("vertice", "vertex")} ${i}` : label;
    const inputs = vector.map((_, k) => {
      const get = (): number | undefined => {
        const now = current();
        return nested ? (now as Vec[] | undefined)?.[i]?.[k] : (now as Vec | undefined)?.[k];
      };
      const set = (x: number | null): void =>
        store.editShape(id, (shape) => {
          const target = nested ? (shape.fields[key] as Vec[])[i]! : (shape.fields[key] as Vec);
          target[k] = x ?? 0;
        });
      return numberInput(store, { label: `${of}${what} ${"xyz"[k]}`, get, set });
    });
    return row(what, ...inputs);
  });
}
