// The one place where the page asks the engine.

import * as engine from "./interface.js";
import type { Dimension, Vec } from "./schema.js";
import { bytesOf, selectFiles } from "./files.js";
import { type RayState, type Scene, type Shape } from "./state.js";
import { sceneToml } from "./toml.js";

export type Vec3 = engine.Vec3;

/** What the engine says of a scene and a ray; without a scene, what is wrong with it. */
export interface Answers {
  opened: engine.Scene | null;
  error: string | null;
  toml: string;
  answer: engine.Answer | null;
  /** The same as if the range were the whole line and solids were hollow: where things are met at all. */
  line: engine.Answer | null;
  /** What `hitscan explain` prints. */
  explanation: engine.Explanation | null;
  /** The test of every shape, also of those that the text leaves out; only the text's in large scenes. */
  reports: engine.ShapeReport[];
  /** The time of the last cast with all it asks for, in milliseconds. */
  castMs: number;
}

export interface Doubt {
  textbook: engine.TextbookAnswer;
  exact: engine.Answer;
  /** Per shape: the exact first hit of it alone, in the same rounded numbers. */
  exactByShape: (engine.Hit | null)[];
}

/** With more shapes than this, those far from the ray are not explained. */
const MAX_EXPLAINED = 64;

export const three = (v: Vec): Vec3 => [v[0] ?? 0, v[1] ?? 0, v[2] ?? 0];

export function raySpec(ray: RayState): engine.RaySpec {
  return ray.kind === "segment"
    ? { kind: "segment", a: three(ray.origin), b: three(ray.tip) }
    : { kind: "ray", origin: three(ray.origin), direction: three(ray.direction) };
}

export function querySpec(ray: RayState): engine.QuerySpec {
  return {
    ...(ray.t_min === null ? {} : { tMin: ray.t_min }),
    ...(ray.t_max === null ? {} : { tMax: ray.t_max }),
    inside: ray.inside,
    faces: ray.faces,
  };
}

const filesOf = (shapes: Shape[]): Map<string, Uint8Array> =>
  selectFiles(shapes.filter((shape) => shape.placement).map((shape) => shape.fields["file"] as string));

export class Lab {
  #engine: engine.Engine;
  #toml: string | null = null;
  #opened: engine.Scene | null = null;
  #error: string | null = null;

  constructor(module: engine.Engine) {
    this.#engine = module;
  }

  get simd(): boolean {
    return this.#engine.simd;
  }

  /** Asks about a scene; it is built anew only when it has changed. */
  evaluate({ dimension, shapes, ray }: Scene): Answers {
    this.#open(dimension, shapes);
    const opened = this.#opened;
    const start = performance.now();
    const none = { answer: null, line: null, explanation: null, reports: [] };
    const answers = opened ? this.#cast(opened, ray) : none;
    return { opened, error: this.#error, toml: this.#toml ?? "", castMs: performance.now() - start, ...answers };
  }

  #open(dimension: Dimension, shapes: Shape[]): void {
    const text = sceneToml(dimension, shapes);
    if (text === this.#toml) return;
    this.#opened?.free();
    this.#opened = null;
    [this.#toml, this.#error] = [text, null];
    try {
      this.#opened = this.#engine.open(text, filesOf(shapes));
    } catch (error) {
      if (!(error instanceof engine.EngineError)) throw error;
      this.#error = error.message;
    }
  }

  #cast(opened: engine.Scene, ray: RayState) {
    const [spec, query] = [raySpec(ray), querySpec(ray)];
    const whole: engine.QuerySpec = { tMin: -Infinity, tMax: Infinity, inside: "hollow" };
    const along: engine.RaySpec = { kind: "ray", origin: three(ray.origin), direction: three(ray.direction) };
    const explanation = opened.explain(spec, query);
    const partly = explanation.leftOut > 0 && opened.shapes.length <= MAX_EXPLAINED;
    return {
      answer: opened.cast(spec, query),
      line: opened.cast(along, whole),
      explanation,
      reports: partly ? opened.explain(spec, query, true).shapes : explanation.shapes,
    };
  }

  /** The textbook's answer in `f32`, and the exact one for the same numbers: all are rounded to `f32` first. */
  doubt({ ray, dimension, shapes }: Scene): Doubt | null {
    if (!this.#opened) return null;
    const rounded = shapes.map((shape) => ({
      ...shape,
      fields: mapNumbers(shape.fields, Math.fround) as Shape["fields"],
    }));
    const [spec, query] = [raySpec(ray), querySpec(ray)].map((part) => mapNumbers(part, Math.fround)) as [
      engine.RaySpec,
      engine.QuerySpec,
    ];
    const exact = (list: Shape[]): engine.Answer => {
      const scene = this.#engine.open(sceneToml(dimension, list), filesOf(list));
      const answer = scene.cast(spec, query);
      scene.free();
      return answer;
    };
    try {
      const exactByShape = rounded.map((shape) => exact([shape]).first);
      return { textbook: this.#opened.textbook(spec, query), exact: exact(rounded), exactByShape };
    } catch (error) {
      // A shape that is none once its numbers are rounded: axes, say, that are not orthonormal in f32.
      if (error instanceof engine.EngineError) return null;
      throw error;
    }
  }

  /** Every crossing of the line of a ray with a shape that helps a construction: a plane of a cap, say. */
  crossings(dimension: Dimension, ray: RayState, type: string, fields: Shape["fields"]): number[] {
    try {
      const helper = this.#engine.open(sceneToml(dimension, [{ id: 0, type, name: "", fields }]));
      const along: engine.RaySpec = { kind: "ray", origin: three(ray.origin), direction: three(ray.direction) };
      const { all } = helper.cast(along, { tMin: -Infinity, tMax: Infinity, inside: "hollow" });
      helper.free();
      return all.map((hit) => hit.t);
    } catch (error) {
      // A helper that the engine refuses, of a size beyond all numbers say, is not drawn.
      if (error instanceof engine.EngineError) return [];
      throw error;
    }
  }

  /** What a pointer is over: every hit of a ray of the camera. */
  pick(origin: Vec, towards: Vec): engine.Hit[] {
    const spec: engine.RaySpec = { kind: "ray", origin: three(origin), direction: three(towards) };
    return this.#opened?.cast(spec, { inside: "hollow" }).all ?? [];
  }

  contains(point: Vec): boolean[] {
    return this.#opened?.contains(three(point)) ?? [];
  }

  /** Casts many rays, with the range of the one; each is as long as a segment if that one is. */
  field(rays: Float64Array, ray: RayState): { found: engine.Field; ms: number } | null {
    if (!this.#opened) return null;
    const query = querySpec(ray);
    if (ray.kind === "segment") query.tMax = Math.min(query.tMax ?? 1, 1);
    const start = performance.now();
    const found = this.#opened.field(rays, query);
    return { found, ms: performance.now() - start };
  }

  /** Reads a mesh, to see that it is one. */
  check(name: string, bytes: Uint8Array): engine.Mesh {
    return this.#engine.mesh(name, bytes);
  }

  /** A mesh as its file has it, to draw it; nothing of a file that is missing. */
  mesh(file: string): engine.Mesh | null {
    const bytes = bytesOf(file);
    return bytes ? this.#engine.mesh(file, bytes) : null;
  }

  /** Opens a scene file: its shapes, as the page keeps them. */
  read(text: string, files: ReadonlyMap<string, Uint8Array>, name: string): engine.Scene {
    return this.#engine.open(text, files, name);
  }
}

/** Every number of a value, however deep. */
function mapNumbers(value: unknown, map: (x: number) => number): unknown {
  if (typeof value === "number") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapNumbers(item, map));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapNumbers(item, map)]));
  }
  return value;
}
