/**
 * The types of the engine's interface, `crates/hitscan-wasm`.
 *
 * Every number of geometry on the page comes from there. Points and directions have three coordinates in both
 * dimensions; in the plane z is 0 and is ignored where it is given. Nothing is rounded: the engine computes
 * in `f64`, the numbers of JavaScript, with the bits of the native library; only fields of rays are in `f32`.
 * For an answer about `f32` numbers, give `f32` numbers (`Math.fround`): each is an `f64` too.
 */

export type Vec3 = [number, number, number];
export type Dimension = 2 | 3;

/** An error of the engine, with the message of the program `hitscan`: one line with file, shape and line. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

/** A ray: `origin + t * direction`, `t >= 0`; the direction has any length, and `t` counts in its lengths. */
export interface HalfLine {
  kind: "ray";
  origin: Vec3;
  direction: Vec3;
}

/** A segment between two points: `t` is 0 at `a` and 1 at `b`. */
export interface Segment {
  kind: "segment";
  a: Vec3;
  b: Vec3;
}

export type RaySpec = HalfLine | Segment;

/** The query: which hits count. Defaults are those of the library. */
export interface QuerySpec {
  /** The smallest `t` that counts; default 0, `-Infinity` for the whole line. */
  tMin?: number;
  /** The largest; default the largest finite number, 1 for a segment. */
  tMax?: number;
  /** The hit of a ray that starts inside a solid: its start (`solid`, the default) or the exit (`hollow`). */
  inside?: "solid" | "hollow";
  /** Which sides of surfaces count; default `both`. Solids ignore it. */
  faces?: "both" | "front" | "back";
  /** The bits of the layers that count; default all. */
  layers?: number;
}

/** A hit of a ray with a shape. */
export interface Hit {
  /** The ray parameter, in lengths of the direction. */
  t: number;
  /** The distance from the origin: a true length, negative behind it. */
  distance: number;
  point: Vec3;
  /** The unit normal: outward for a solid, by the order of vertices for a surface, against the ray for a start inside. */
  normal: Vec3;
  side: "front" | "back";
  /** The number of the shape in {@link Scene.shapes}. */
  shape: number;
  /** The triangle of a mesh. */
  primitive: number | null;
  /** The weights of the second and third vertex of a triangle; along a segment, the place in `u`. */
  uv: [number, number] | null;
}

/** An interval of the ray inside one solid. */
export interface Span {
  shape: number;
  /** The entry, or the start of the range if that is inside; `null` if the solid has no entry. */
  enter: Hit | null;
  /** The exit; `null` if the range ends before it, or the solid has none. */
  exit: Hit | null;
}

export interface Answer {
  /** The hit; `null` is a miss. */
  first: Hit | null;
  /** Every hit by rising `t`. */
  all: Hit[];
  /** The number of hits, counted by the library: the length of `all`. */
  count: number;
  /** Entry and exit of each solid. */
  spans: Span[];
}

/** The place of a point of a surface. */
export interface Place {
  /** The part of the surface: `face 0`, `edge 2`, `vertex 1`. */
  feature: string;
  /** The number of the shape in {@link Scene.shapes}. */
  shape: number;
  /** The triangle of a mesh. */
  primitive: number | null;
  /** As of a hit. */
  uv: [number, number] | null;
}

export interface ClosestPoint extends Place {
  point: Vec3;
  /** The distance to the surface: at least 0. */
  distance: number;
  /** Whether the shape is a solid that contains the query point. */
  isInside: boolean;
  /** The unit vector from the surface to the outside; `null` for a point on the surface. */
  outward: Vec3 | null;
}

export interface ClosestAnswer {
  /** `null`: no surface is within the distance. */
  found: ClosestPoint | null;
  /** The least signed distance of all shapes, negative inside of a solid; `null` where a shape cannot be measured. */
  signedDistance: number | null;
}

/** The first contact of a sphere that moves along a ray. */
export interface SweepHit extends Place {
  t: number;
  /** The distance that the center has moved. */
  distance: number;
  /** The center of the sphere at the contact. */
  center: Vec3;
  /** The contact point on the surface. */
  point: Vec3;
  /** The unit vector in which the sphere leaves the shape. */
  normal: Vec3;
  /** How far the sphere reaches into the shape at the start of the range; `null` if it comes into contact later. */
  depth: number | null;
}

/** A shape that a volume overlaps. */
export interface Overlap {
  shape: number;
  /** Whether the volume lies wholly inside of it. */
  isInside: boolean;
  /** How many of its triangles the volume overlaps; `null` for a shape that is no mesh. */
  triangles: number | null;
}

/** One line of an explanation: a quantity with its value, or the verdict of a comparison. */
export type Step = { name: string; value: number } | { verdict: string };

/** The test of one shape. */
export interface ShapeReport {
  shape: number;
  name: string;
  /** The `type` of scene files: `sphere`, `cylinder` ... */
  kind: string;
  /** Whether it is the hit. */
  isHit: boolean;
  /** Why it is the hit, or is not, in one line. */
  why: string;
  /** The numbers of the kernel: relative to the shape, and scaled where a step says so. */
  steps: Step[];
  /** Whether plain `f64` could not decide, so that extended precision did. */
  escalated: boolean;
}

export interface Explanation {
  /** Exactly what `hitscan explain` prints. */
  text: string;
  /** The shapes in the order of the text: the hit, then the others, nearest first. */
  shapes: ShapeReport[];
  /** The number of shapes left out because the line misses their boxes. */
  leftOut: number;
}

/** The first hit by the formulas that everybody copies, in plain `f32`. */
export interface TextbookAnswer {
  first: TextbookHit | null;
  /** For each shape of the scene, its own first hit. */
  shapes: (TextbookHit | null)[];
}

/** A hit by a textbook formula: every number may be wrong, or NaN. */
export interface TextbookHit {
  shape: number;
  t: number;
  point: Vec3;
  normal: Vec3;
}

/** One answer per ray, in their order: scene and rays are rounded to `f32`, and so are the answers. */
export interface Field {
  /** NaN where the ray misses. */
  t: Float64Array;
  /** -1 where the ray misses. */
  shape: Int32Array;
  /** x y z per ray; 0 0 0 where it misses. */
  normals: Float32Array;
  /** x y z per ray; 0 0 0 where it misses. */
  points: Float64Array;
  /** The number of rays that hit. */
  hits: number;
}

/** A value of a parameter, as in a scene file. */
export type Parameter = number | string | number[] | number[][];

/** A shape of a scene, where its transform has put it. */
export interface ShapeInfo {
  index: number;
  /** Its name, or kind and number for one that has none. No two shapes have the same. */
  name: string;
  /** Whether the name is its own. */
  isNamed: boolean;
  /** The `type` of scene files: `sphere`, `box`, `mesh` ... */
  type: string;
  /** The bits of its layers; 1 is layer 0. */
  layers: number;
  /** Its parameters by the keys of scene files (`center`, `radius`, `a`, `b`, `axes` ...), before `transform`. */
  parameters: Record<string, Parameter>;
  /** The smallest box around it; infinite where the shape is. */
  aabb: { min: Vec3; max: Vec3 };
  /** The images of the three axes, then the translation, of an object that places its shape; else null. */
  transform: Vec3[] | null;
}

/** A mesh to draw. */
export interface Mesh {
  /** x y z per vertex. */
  positions: Float64Array;
  /** Three vertices each. */
  triangles: Uint32Array;
  topology: Topology;
}

export interface Topology {
  /** Every edge is used as often in one direction as in the other: the mesh has an inside. */
  isClosed: boolean;
  /** Different points; vertices at the same place are one. */
  points: number;
  edges: number;
  /** Edges of one triangle. */
  boundaryEdges: number;
  /** Edges of more than two triangles. */
  nonManifoldEdges: number;
  /** Edges that are used more often in one direction than in the other. */
  unbalancedEdges: number;
  /** Triangles without area. */
  degenerateTriangles: number;
}

export interface Engine {
  readonly abi: number;
  /** Whether the module uses SIMD instructions. The answers are the same bits. */
  readonly simd: boolean;
  /**
   * Builds a scene from the text of a scene file. `files` holds the meshes that it names, under those names; they stay
   * known, and are read once, until other bytes come under the name. `name` stands for the scene's file in messages.
   * @throws EngineError
   */
  open(toml: string, files?: ReadonlyMap<string, Uint8Array>, name?: string): Scene;
  /**
   * Reads a mesh by itself, like a mesh of a scene: `.obj`, `.stl`, `.ply`, `.off`, `.gltf` or `.glb`, by the ending of the name.
   * @throws EngineError
   */
  mesh(name: string, bytes: Uint8Array): Mesh;
  /** Bytes of memory that the module holds. */
  memory(): number;
}

export interface Scene {
  readonly dimension: Dimension;
  /** `f32` when every number of the scene is exactly an `f32`: what `hitscan cast` then computes in by default. */
  readonly precision: "f32" | "f64";
  readonly shapes: readonly ShapeInfo[];
  /** The first hit, all hits, spans. */
  cast(ray: RaySpec, query?: QuerySpec): Answer;
  /** Whether each closed solid holds the point, by shape; surfaces hold none. */
  contains(point: Vec3): boolean[];
  /**
   * The closest point of all surfaces up to a distance.
   * @throws EngineError where the closest shape may be one that cannot be measured
   */
  closest(point: Vec3, maxDistance?: number): ClosestAnswer;
  /**
   * The first contact of a sphere that moves along a ray.
   * @throws EngineError for a radius that no sphere has, and where the first shape may be one that cannot be measured
   */
  castSphere(ray: RaySpec, radius: number, query?: QuerySpec): SweepHit | null;
  /** The shapes that the first shape of another scene overlaps: a sphere, a box or a capsule. */
  overlapping(volume: Scene): Overlap[];
  /** The report of `hitscan explain`, as text and in parts. `all` includes the shapes that are far from the line. */
  explain(ray: RaySpec, query?: QuerySpec, all?: boolean): Explanation;
  /** The textbook's answer in plain `f32`: wrong where rounding decides. */
  textbook(ray: RaySpec, query?: QuerySpec): TextbookAnswer;
  /** Casts many rays in `f32`: six numbers each, origin and direction. See `fieldrays.ts`. */
  field(rays: Float64Array, query?: QuerySpec): Field;
  /** The triangles of a shape of type `mesh`, where its transform has put them; `null` for other shapes. */
  mesh(shape: number): Mesh | null;
  /** Gives its memory back; afterwards every call throws. */
  free(): void;
}
