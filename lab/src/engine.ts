/**
 * The library, as the page sees it: `crates/hitscan-wasm` with types.
 *
 * Every number of geometry on the page comes from here. Points and directions have three coordinates in both
 * dimensions; in the plane z is 0 and is ignored where it is given. Nothing is rounded on the way: everything is
 * computed in `f64`, the numbers of JavaScript, with the bits of the native library; only fields of rays are in `f32`. For an answer about `f32` numbers,
 * give `f32` numbers (`Math.fround`): each is an `f64` too.
 */

/** The version of the module's exports that this file speaks. */
const ABI = 1;

export type Vec3 = [number, number, number];
export type Dimension = 2 | 3;

/** What went wrong, in the words of the program `hitscan`: one line with file, shape and line. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

/** A ray: `origin + t * direction`, `t >= 0`; the direction has any length, and `t` counts in its lengths. */
export interface HalfLine {
  kind: "ray";
  origin: Vec3;
  direction: Vec3;
}

/** What lies between two points: `t` is 0 at `a` and 1 at `b`. */
export interface Segment {
  kind: "segment";
  a: Vec3;
  b: Vec3;
}

export type RaySpec = HalfLine | Segment;

/** What counts as a hit. What is left out is as in the library. */
export interface QuerySpec {
  /** The smallest `t` that counts; default 0, `-Infinity` for the whole line. */
  tMin?: number;
  /** The largest; default the largest finite number, 1 for a segment. */
  tMax?: number;
  /** What a ray that starts inside a solid hits: where it starts (`solid`, the default), or the skin on its way out. */
  origin?: "solid" | "hollow";
  /** Which sides of surfaces count; default `both`. Solids ignore it. */
  faces?: "both" | "front" | "back";
  /** The bits of the layers that count; default all. */
  layers?: number;
}

/** Where a ray meets a shape. */
export interface Hit {
  /** In lengths of the direction. */
  t: number;
  /** A true length, negative behind the origin. */
  distance: number;
  point: Vec3;
  /** Of length 1; outward for a solid, by the order of vertices for a surface, against the ray for a start inside. */
  normal: Vec3;
  side: "front" | "back";
  /** The number of the shape in {@link Scene.shapes}. */
  shape: number;
  /** The triangle of a mesh. */
  primitive: number | null;
  /** The weights of the second and third vertex of a triangle; along a segment, the place in `u`. */
  uv: [number, number] | null;
}

/** A stretch of the ray inside one solid. */
export interface Span {
  shape: number;
  /** Where it enters, or where the range begins if that is inside; `null` if it has been inside for ever. */
  enter: Hit | null;
  /** Where it leaves; `null` if the range ends before that, or the solid goes on for ever. */
  exit: Hit | null;
}

export interface Answer {
  /** The hit; `null` is a miss. */
  first: Hit | null;
  /** Every hit by rising `t`. */
  all: Hit[];
  /** As the library counts them: the length of `all`. */
  count: number;
  /** Entry and exit of each solid. */
  spans: Span[];
}

/** One line of an explanation: a quantity with its value, or what a comparison of such quantities decided. */
export type Step = { name: string; value: number } | { verdict: string };

/** The test of one shape. */
export interface ShapeStory {
  shape: number;
  name: string;
  /** In the words of scene files: `sphere`, `cylinder` ... */
  kind: string;
  /** Whether it is the hit. */
  isHit: boolean;
  /** Why it is the hit, or is not, in one line. */
  why: string;
  /** The numbers of the kernel: relative to the shape, and scaled where a step says so. */
  steps: Step[];
  /** Whether plain `f64` could not decide, and a wider arithmetic did. */
  doubtful: boolean;
}

export interface Explanation {
  /** Exactly what `hitscan explain` prints. */
  text: string;
  /** The shapes in the order of the text: the hit, then the others, nearest first. */
  shapes: ShapeStory[];
  /** How many were left out because the line does not meet their boxes. */
  leftOut: number;
}

/** The first hit by the formulas that everybody copies, in plain `f32`. */
export interface TextbookAnswer {
  first: TextbookHit | null;
  /** For each shape of the scene, its own first hit. */
  shapes: (TextbookHit | null)[];
}

/** Every number may be off, or NaN. */
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
  /** How many rays hit. */
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
  /** Its parameters by the keys of scene files (`center`, `radius`, `a`, `b`, `axes` ...), with the transform applied. */
  parameters: Record<string, Parameter>;
  /** The smallest box around it; infinite where the shape is. */
  aabb: { min: Vec3; max: Vec3 };
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
   * Builds a scene from the text of a scene file. `files` holds the meshes that it names, under those names; `name`
   * stands for the file in messages.
   * @throws EngineError
   */
  open(toml: string, files?: ReadonlyMap<string, Uint8Array>, name?: string): Scene;
  /**
   * Reads a mesh by itself: `.obj`, `.stl` or `.ply`, told apart by the name.
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
  /** What `hitscan explain` says, and the same in parts. `all` tells also the shapes that are far from the line. */
  explain(ray: RaySpec, query?: QuerySpec, all?: boolean): Explanation;
  /** The textbook's answer in plain `f32`: wrong where rounding decides. */
  textbook(ray: RaySpec, query?: QuerySpec): TextbookAnswer;
  /** Casts many rays in `f32`: six numbers each, origin and direction. See {@link fan} and {@link grid}. */
  field(rays: Float64Array, query?: QuerySpec): Field;
  /** The triangles of a shape of type `mesh`, where its transform has put them; `null` for other shapes. */
  mesh(shape: number): Mesh | null;
  /** Gives its memory back; afterwards every call throws. */
  free(): void;
}

/** Raw exports of the module: see `crates/hitscan-wasm/src/lib.rs`. */
interface Exports {
  memory: WebAssembly.Memory;
  abi(): number;
  simd(): number;
  input(bytes: number): number;
  text(): number;
  text_len(): number;
  numbers(): number;
  numbers_len(): number;
  file(name: number, bytes: number): number;
  open(name: number, toml: number): number;
  close(scene: number): void;
  describe(scene: number): number;
  cast(scene: number): number;
  contains(scene: number): number;
  explain(scene: number, all: number): number;
  textbook(scene: number): number;
  field(scene: number, rays: number): number;
  mesh(name: number, bytes: number): number;
  mesh_of(scene: number, shape: number): number;
}

/** Numbers of a question, before the rays of a field: kind, two points, range, origin, faces, layers. */
const QUESTION = 12;
/** Numbers of a hit: t, distance, point, normal, side, shape, primitive, u, v. */
const HIT = 13;
/** What separates texts in a reply: no text of the library has it. */
const SEPARATOR = "\x1f";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Starts the module.
 * @throws EngineError if the module speaks another version of the interface
 */
export async function instantiate(bytes: BufferSource): Promise<Engine> {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Module(instance.exports as unknown as Exports);
}

/** Whether this browser can run the module with SIMD: a function of one SIMD instruction is valid. */
export function supportsSimd(): boolean {
  // (module (func (result v128) (i32x4.splat (i32.const 0))))
  const probe = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 17, 11];
  return WebAssembly.validate(new Uint8Array(probe));
}

class Module implements Engine {
  readonly abi: number;
  readonly simd: boolean;
  private broken: string | null = null;

  constructor(private readonly raw: Exports) {
    this.abi = typeof raw.abi === "function" ? raw.abi() : 0;
    if (this.abi !== ABI) {
      throw new EngineError(`the module has interface ${this.abi}, the page needs ${ABI}: build both anew`);
    }
    this.simd = raw.simd() === 1;
  }

  open(toml: string, files?: ReadonlyMap<string, Uint8Array>, name = "scene.toml"): Scene {
    for (const [file, bytes] of files ?? []) {
      this.call((raw) => raw.file(...this.put(file, bytes)));
    }
    const handle = this.call((raw) => raw.open(...this.put(name, encoder.encode(toml))));
    return new OpenScene(this, handle);
  }

  mesh(name: string, bytes: Uint8Array): Mesh {
    this.call((raw) => raw.mesh(...this.put(name, bytes)));
    return mesh(this.reply());
  }

  memory(): number {
    return this.raw.memory.buffer.byteLength;
  }

  /** Calls the module; a negative number says that its text is an error. */
  call(work: (raw: Exports) => number): number {
    if (this.broken !== null) {
      throw new EngineError(this.broken);
    }
    let status: number;
    try {
      status = work(this.raw);
    } catch (error) {
      // Out of memory, most likely. What a module holds after a trap is not to be trusted.
      this.broken = `the engine has stopped (${String(error)}): load the page again`;
      throw new EngineError(this.broken);
    }
    if (status < 0) {
      throw new EngineError(this.text());
    }
    return status;
  }

  /** Hands a name and bytes over; returns their lengths. */
  put(name: string, bytes: Uint8Array): [number, number] {
    const words = encoder.encode(name);
    const at = this.raw.input(words.length + bytes.length);
    // The memory may have grown: views are made after every call.
    const memory = new Uint8Array(this.raw.memory.buffer);
    memory.set(words, at);
    memory.set(bytes, at + words.length);
    return [words.length, bytes.length];
  }

  /** Hands numbers over. */
  putNumbers(...lists: ArrayLike<number>[]): void {
    const count = lists.reduce((sum, list) => sum + list.length, 0);
    const at = this.raw.input(8 * count);
    const numbers = new Float64Array(this.raw.memory.buffer, at, count);
    let next = 0;
    for (const list of lists) {
      numbers.set(list, next);
      next += list.length;
    }
  }

  text(): string {
    return decoder.decode(new Uint8Array(this.raw.memory.buffer, this.raw.text(), this.raw.text_len()));
  }

  reply(): Reply {
    const numbers = new Float64Array(this.raw.memory.buffer, this.raw.numbers(), this.raw.numbers_len());
    return new Reply(numbers, this.text());
  }

  close(handle: number): void {
    if (this.broken === null) {
      this.raw.close(handle);
    }
  }
}

/** What came back, read from front to back. Its numbers are the module's own memory: read before the next call. */
class Reply {
  private number = 0;
  private word = 0;
  private readonly words: string[];

  constructor(readonly numbers: Float64Array, text: string) {
    this.words = text.split(SEPARATOR);
  }

  next(): number {
    return this.numbers[this.number++] ?? NaN;
  }

  flag(): boolean {
    return this.next() === 1;
  }

  vector(): Vec3 {
    return [this.next(), this.next(), this.next()];
  }

  take(count: number): Float64Array {
    return this.numbers.subarray(this.number, (this.number += count));
  }

  say(): string {
    return this.words[this.word++] ?? "";
  }

  times<T>(item: () => T): T[] {
    return Array.from({ length: this.next() }, item);
  }

  hit(): Hit {
    const [t, distance] = [this.next(), this.next()];
    const [point, normal] = [this.vector(), this.vector()];
    const side = this.flag() ? "front" : "back";
    const [shape, primitive, u, v] = [this.next(), this.next(), this.next(), this.next()];
    return {
      t,
      distance,
      point,
      normal,
      side,
      shape,
      primitive: primitive < 0 ? null : primitive,
      uv: Number.isNaN(u) ? null : [u, v],
    };
  }

  optionalHit(): Hit | null {
    return this.flag() ? this.hit() : null;
  }

  textbookHit(): TextbookHit | null {
    if (!this.flag()) return null;
    return { shape: this.next(), t: this.next(), point: this.vector(), normal: this.vector() };
  }
}

function mesh(reply: Reply): Mesh {
  const [vertices, triangles] = [reply.next(), reply.next()];
  const topology = {
    isClosed: reply.flag(),
    points: reply.next(),
    edges: reply.next(),
    boundaryEdges: reply.next(),
    nonManifoldEdges: reply.next(),
    unbalancedEdges: reply.next(),
    degenerateTriangles: reply.next(),
  };
  return { positions: reply.take(3 * vertices).slice(), triangles: Uint32Array.from(reply.take(3 * triangles)), topology };
}

class OpenScene implements Scene {
  readonly dimension: Dimension;
  readonly precision: "f32" | "f64";
  readonly shapes: readonly ShapeInfo[];
  private isOpen = true;

  constructor(private readonly module: Module, private readonly handle: number) {
    const reply = this.ask([], (raw) => raw.describe(handle));
    this.dimension = reply.next() === 2 ? 2 : 3;
    this.precision = reply.flag() ? "f32" : "f64";
    let index = 0;
    this.shapes = reply.times(() => {
      const [name, type, text, file] = [reply.say(), reply.say(), reply.say(), reply.say()];
      return {
        index: index++,
        name,
        isNamed: reply.flag(),
        type,
        layers: reply.next(),
        parameters: type === "mesh" ? { file } : parameters(text),
        aabb: { min: reply.vector(), max: reply.vector() },
      };
    });
  }

  cast(ray: RaySpec, query: QuerySpec = {}): Answer {
    const reply = this.ask([question(ray, query)], (raw) => raw.cast(this.handle));
    const first = reply.optionalHit();
    const all = reply.times(() => reply.hit());
    const count = reply.next();
    const spans = reply.times(() => ({
      shape: reply.next(),
      enter: reply.optionalHit(),
      exit: reply.optionalHit(),
    }));
    return { first, all, count, spans };
  }

  contains(point: Vec3): boolean[] {
    const reply = this.ask([point], (raw) => raw.contains(this.handle));
    return reply.times(() => reply.flag());
  }

  explain(ray: RaySpec, query: QuerySpec = {}, all = false): Explanation {
    const ask = (raw: Exports): number => raw.explain(this.handle, Number(all));
    const reply = this.ask([question(ray, query)], ask);
    const text = reply.say();
    const shapes = reply.times(() => ({
      shape: reply.next(),
      name: reply.say(),
      kind: reply.say(),
      isHit: reply.flag(),
      why: reply.say(),
      doubtful: reply.flag(),
      steps: reply.times((): Step => {
        const isNumber = reply.flag();
        const words = reply.say();
        return isNumber ? { name: words, value: reply.next() } : { verdict: words };
      }),
    }));
    return { text, shapes, leftOut: reply.next() };
  }

  textbook(ray: RaySpec, query: QuerySpec = {}): TextbookAnswer {
    const reply = this.ask([question(ray, query)], (raw) => raw.textbook(this.handle));
    return { first: reply.textbookHit(), shapes: this.shapes.map(() => reply.textbookHit()) };
  }

  field(rays: Float64Array, query: QuerySpec = {}): Field {
    const count = Math.floor(rays.length / 6);
    const any: RaySpec = { kind: "ray", origin: [0, 0, 0], direction: [0, 0, 0] };
    const given = rays.subarray(0, 6 * count);
    const ask = (raw: Exports): number => raw.field(this.handle, count);
    const reply = this.ask([question(any, query), given], ask);
    const hits = reply.next();
    const t = reply.take(count).slice();
    const points = reply.take(3 * count).slice();
    return { hits, t, points, normals: new Float32Array(reply.take(3 * count)), shape: new Int32Array(reply.take(count)) };
  }

  mesh(shape: number): Mesh | null {
    if (this.shapes[shape]?.type !== "mesh") return null;
    return mesh(this.ask([], (raw) => raw.mesh_of(this.handle, shape)));
  }

  free(): void {
    if (this.isOpen) {
      this.module.close(this.handle);
      this.isOpen = false;
    }
  }

  private ask(given: ArrayLike<number>[], work: (raw: Exports) => number): Reply {
    if (!this.isOpen) {
      throw new EngineError("the scene is closed");
    }
    this.module.call((raw) => {
      this.module.putNumbers(...given);
      return work(raw);
    });
    return this.module.reply();
  }
}

/** `key = value` in lines, as a scene file has them: numbers, texts and lists are written as in JSON. */
function parameters(text: string): Record<string, Parameter> {
  const lines = text.split("\n").filter((line) => !line.startsWith("type = "));
  const pairs = lines.map((line) => line.split(" = "));
  return Object.fromEntries(pairs.flatMap(([key, value]) => (key && value ? [[key, JSON.parse(value) as Parameter]] : [])));
}

/** The numbers of a question, as the module reads them. NaN stands for a limit that is not given. */
function question(ray: RaySpec, query: QuerySpec): number[] {
  const [first, second] = ray.kind === "ray" ? [ray.origin, ray.direction] : [ray.a, ray.b];
  const faces = { both: 0, front: 1, back: 2 }[query.faces ?? "both"];
  const numbers = [
    ray.kind === "segment" ? 1 : 0,
    ...first,
    ...second,
    query.tMin ?? NaN,
    query.tMax ?? NaN,
    query.origin === "hollow" ? 1 : 0,
    faces,
    (query.layers ?? 0xffffffff) >>> 0,
  ];
  if (numbers.length !== QUESTION) {
    throw new EngineError("a point has three coordinates");
  }
  return numbers;
}

/** Numbers that a reply has for each hit: for tests of the raw module. */
export const NUMBERS_OF_A_HIT = HIT;

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
    rays.set(origin, 6 * i);
    rays.set(towards.map((x, axis) => c * x + s * (up[axis] ?? 0)), 6 * i + 3);
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

/** The shortest digits that a scene file, Rust and Python read back as this very number. */
export function decimal(x: number): string {
  if (Object.is(x, -0)) return "-0.0";
  const text = String(x);
  // A whole number without a point is an integer of TOML, and those have to be exact.
  return Number.isInteger(x) && Math.abs(x) >= 2 ** 53 && !text.includes("e") ? `${text}.0` : text;
}

/** A scene file: what `open` and `hitscan cast` read. `layers` is left out for layer 0. */
export function toml(
  dimension: Dimension,
  shapes: readonly { type: string; name?: string; layers?: number; parameters: Record<string, Parameter> }[],
): string {
  const value = (x: Parameter): string => {
    if (typeof x === "number") return decimal(x);
    if (typeof x === "string") return JSON.stringify(x);
    return `[${x.map((item) => value(item)).join(", ")}]`;
  };
  const bits = (mask: number): number[] => Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (mask >>> bit) & 1);
  const tables = shapes.map(({ type, name, layers = 1, parameters }) => {
    const pairs: [string, Parameter][] = [["type", type]];
    if (name !== undefined) pairs.push(["name", name]);
    if (layers >>> 0 !== 1) pairs.push(["layers", bits(layers)]);
    pairs.push(...Object.entries(parameters));
    return ["[[shape]]", ...pairs.map(([key, x]) => `${key} = ${value(x)}`)].join("\n");
  });
  return `${[...(dimension === 2 ? ["dimension = 2"] : []), ...tables].join("\n\n")}\n`;
}
