// The page's session with the engine: the only file that calls it.

import * as engine from "./interface.js";
import type { Dimension, Vec } from "./schema.js";
import { bytesOf, selectFiles } from "./files.js";
import { type QueryState, type RayState, type Scene, type Shape } from "./state.js";
import { sceneToml } from "./toml.js";

export type Vec3 = engine.Vec3;

/** The answer to a query that is no ray. */
export type Proximity =
  | ({ kind: "closest" } & engine.ClosestAnswer)
  | { kind: "sweep"; hit: engine.SweepHit | null }
  | { kind: "overlap"; overlaps: engine.Overlap[] };

/** The engine's results for a scene and a query, or the error of the scene. Those of a ray are none for other queries. */
export interface Answers {
  opened: engine.Scene | null;
  error: string | null;
  toml: string;
  answer: engine.Answer | null;
  /** The result for the whole line and hollow solids: every crossing. */
  line: engine.Answer | null;
  /** The answer to a query that is no ray. */
  proximity: Proximity | null;
  /** Why there is none: what the engine says about the query. */
  refusal: string | null;
  /** The volume of an overlap query. */
  volume: engine.ShapeInfo | null;
  /** The report that `hitscan explain` prints. */
  explanation: engine.Explanation | null;
  /** The report of every shape; in large scenes of those that the text has. */
  reports: engine.ShapeReport[];
  /** The time of the last evaluation, in milliseconds. */
  castMs: number;
}

export interface Doubt {
  textbook: engine.TextbookAnswer;
  exact: engine.Answer;
  /** The exact first hit of each shape by itself, for the same rounded numbers. */
  exactByShape: (engine.Hit | null)[];
}

/** In scenes of more shapes, shapes far from the ray have no report. */
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
  /** The volume of the query, as a scene of one shape. */
  #volume: engine.Scene | null = null;

  constructor(module: engine.Engine) {
    this.#engine = module;
  }

  get simd(): boolean {
    return this.#engine.simd;
  }

  /** Evaluates a scene and its query; the engine builds the scene again only after a change. */
  evaluate({ dimension, shapes, ray, query }: Scene): Answers {
    this.#open(dimension, shapes);
    const opened = this.#opened;
    const start = performance.now();
    const none = { answer: null, line: null, explanation: null, reports: [] };
    const [error, toml] = [this.#error, this.#toml ?? ""];
    const answers: Answers = { opened, error, toml, ...none, proximity: null, refusal: null, volume: null, castMs: 0 };
    this.#volume?.free();
    this.#volume = null;
    try {
      if (query.kind === "overlap") this.#volume = this.#openVolume(dimension, query.volume);
      answers.volume = this.#volume?.shapes[0] ?? null;
      if (opened && query.kind === "ray") Object.assign(answers, this.#cast(opened, ray));
      else if (opened) answers.proximity = this.#ask(opened, ray, query);
    } catch (error) {
      if (!(error instanceof engine.EngineError)) throw error;
      answers.refusal = error.message;
    }
    return { ...answers, castMs: performance.now() - start };
  }

  #openVolume(dimension: Dimension, volume: Shape): engine.Scene {
    try {
      return this.#engine.open(sceneToml(dimension, [{ ...volume, name: "" }]), new Map(), "volume");
    } catch (error) {
      // There is no file with lines, and the shape has no number.
      if (error instanceof engine.EngineError)
        throw new engine.EngineError(error.message.replace(/^(volume): shape 0( \(line \d+\))?/, "$1"));
      throw error;
    }
  }

  #ask(opened: engine.Scene, ray: RayState, query: QueryState): Proximity | null {
    const { kind, point, max_distance, radius } = query;
    if (kind === "closest") return { kind, ...opened.closest(three(point), max_distance ?? undefined) };
    if (kind === "sweep") return { kind, hit: opened.castSphere(raySpec(ray), radius, querySpec(ray)) };
    return kind === "overlap" && this.#volume ? { kind, overlaps: opened.overlapping(this.#volume) } : null;
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

  /** The textbook's answer in `f32`, and the exact answer for the same numbers, rounded to `f32` first. */
  doubt({ ray, dimension, shapes }: Scene): Doubt | null {
    if (!this.#opened) return null;
    const rounded = shapes.map((shape) => ({
      ...shape,
      fields: mapNumbers(shape.fields, Math.fround) as Shape["fields"],
      ...(shape.matrix && { matrix: mapNumbers(shape.matrix, Math.fround) as Vec[] }),
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
      // Rounded to f32, the numbers of a shape may be invalid: its axes, say, no longer orthonormal.
      if (error instanceof engine.EngineError) return null;
      throw error;
    }
  }

  /** The crossings of the ray's line with a helper shape of a construction, such as the plane of a cap. */
  crossings(dimension: Dimension, ray: RayState, type: string, fields: Shape["fields"]): number[] {
    try {
      const helper = this.#engine.open(sceneToml(dimension, [{ id: 0, type, name: "", fields }]));
      const along: engine.RaySpec = { kind: "ray", origin: three(ray.origin), direction: three(ray.direction) };
      const { all } = helper.cast(along, { tMin: -Infinity, tMax: Infinity, inside: "hollow" });
      helper.free();
      return all.map((hit) => hit.t);
    } catch (error) {
      // The engine may refuse a helper, of an infinite size say: then it is not drawn.
      if (error instanceof engine.EngineError) return [];
      throw error;
    }
  }

  /** Every hit of a camera ray, for picking; those of the volume first, which may lie within a shape. */
  pick({ shapes, query }: Scene, origin: Vec, towards: Vec): { shape: Shape; hit: engine.Hit }[] {
    const spec: engine.RaySpec = { kind: "ray", origin: three(origin), direction: three(towards) };
    const hits = (scene: engine.Scene | null, of: Shape[]) =>
      (scene?.cast(spec, { inside: "hollow" }).all ?? []).flatMap((hit) => {
        const shape = of[hit.shape];
        return shape ? [{ shape, hit }] : [];
      });
    return [...hits(this.#volume, [query.volume]), ...hits(this.#opened, shapes)];
  }

  /** The shapes that contain a point; the volume first. */
  containing({ shapes, query }: Scene, point: Vec): Shape[] {
    const holding = (scene: engine.Scene | null, of: Shape[]): Shape[] => {
      const holds = scene?.contains(three(point)) ?? [];
      return of.filter((_, i) => holds[i]);
    };
    return [...holding(this.#volume, [query.volume]), ...holding(this.#opened, shapes)];
  }

  /** Casts the rays of a field with the range of the ray, or as segments if it is one. */
  field(rays: Float64Array, ray: RayState): { found: engine.Field; ms: number } | null {
    if (!this.#opened) return null;
    const query = querySpec(ray);
    if (ray.kind === "segment") query.tMax = Math.min(query.tMax ?? 1, 1);
    const start = performance.now();
    const found = this.#opened.field(rays, query);
    return { found, ms: performance.now() - start };
  }

  /** Reads a mesh to check it. */
  check(name: string, bytes: Uint8Array): engine.Mesh {
    return this.#engine.mesh(name, bytes);
  }

  /** The mesh of a file, to draw it; null for a file that is missing. */
  mesh(file: string): engine.Mesh | null {
    const bytes = bytesOf(file);
    return bytes ? this.#engine.mesh(file, bytes) : null;
  }

  /** Opens the text of a scene file. */
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
