// The facade of the WebAssembly module: it writes queries into the module's memory and reads replies from there.

import {
  EngineError,
  type Answer,
  type ClosestAnswer,
  type Dimension,
  type Engine,
  type Explanation,
  type Field,
  type Hit,
  type Mesh,
  type Overlap,
  type Parameter,
  type Place,
  type QuerySpec,
  type RaySpec,
  type Scene,
  type ShapeInfo,
  type Step,
  type SweepHit,
  type TextbookAnswer,
  type TextbookHit,
  type Vec3,
} from "./interface.js";

/** The version of the module's exports that this file speaks. */
const ABI = 4;

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
  closest(scene: number): number;
  cast_sphere(scene: number): number;
  overlapping(scene: number, volume: number): number;
  explain(scene: number, all: number): number;
  textbook(scene: number): number;
  field(scene: number, rays: number): number;
  mesh(name: number): number;
  mesh_of(scene: number, shape: number): number;
}

/** The numbers of a query, before the rays of a field: kind, two points, range, inside, faces, layers. */
const QUERY_NUMBERS = 12;
/** The separator of texts in a reply: no text of the library contains it. */
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

class Module implements Engine {
  readonly abi: number;
  readonly simd: boolean;
  private broken: string | null = null;
  /** The files in the module: each is copied and parsed once. */
  private readonly files = new Map<string, Uint8Array>();

  constructor(private readonly raw: Exports) {
    this.abi = typeof raw.abi === "function" ? raw.abi() : 0;
    if (this.abi !== ABI) {
      throw new EngineError(`the module has interface ${this.abi}, the page needs ${ABI}: build both anew`);
    }
    this.simd = raw.simd() === 1;
  }

  open(toml: string, files?: ReadonlyMap<string, Uint8Array>, name = "scene.toml"): Scene {
    for (const [file, bytes] of files ?? []) this.registerFile(file, bytes);
    const handle = this.call((raw) => raw.open(...this.put(name, encoder.encode(toml))));
    return new OpenScene(this, handle);
  }

  mesh(name: string, bytes: Uint8Array): Mesh {
    this.registerFile(name, bytes);
    this.call((raw) => raw.mesh(this.put(name, new Uint8Array())[0]));
    return readMesh(this.reply());
  }

  private registerFile(name: string, bytes: Uint8Array): void {
    if (this.files.get(name) === bytes) return;
    this.call((raw) => raw.file(...this.put(name, bytes)));
    this.files.set(name, bytes);
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
      // Out of memory, most likely. The state of a module after a trap is undefined.
      this.broken = `the engine has stopped (${String(error)}): load the page again`;
      throw new EngineError(this.broken);
    }
    if (status < 0) {
      throw new EngineError(this.text());
    }
    return status;
  }

  /** Writes a name and bytes as input; returns their lengths. */
  put(name: string, bytes: Uint8Array): [number, number] {
    const words = encoder.encode(name);
    const at = this.raw.input(words.length + bytes.length);
    // The memory may have grown: views are made after every call.
    const memory = new Uint8Array(this.raw.memory.buffer);
    memory.set(words, at);
    memory.set(bytes, at + words.length);
    return [words.length, bytes.length];
  }

  /** Writes numbers as input. */
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

/** A reader of a reply, from front to back. Its numbers are the module's memory: read them before the next call. */
class Reply {
  private number = 0;
  private word = 0;
  private readonly words: string[];

  constructor(readonly numbers: Float64Array, text: string) {
    this.words = text.split(SEPARATOR);
  }

  readNumber(): number {
    return this.numbers[this.number++] ?? NaN;
  }

  readFlag(): boolean {
    return this.readNumber() === 1;
  }

  readVector(): Vec3 {
    return [this.readNumber(), this.readNumber(), this.readNumber()];
  }

  readArray(count: number): Float64Array {
    return this.numbers.subarray(this.number, (this.number += count));
  }

  readText(): string {
    return this.words[this.word++] ?? "";
  }

  readList<T>(item: () => T): T[] {
    return Array.from({ length: this.readNumber() }, item);
  }

  readHit(): Hit {
    const [t, distance] = [this.readNumber(), this.readNumber()];
    const [point, normal] = [this.readVector(), this.readVector()];
    const side = this.readFlag() ? "front" : "back";
    const [shape, primitive, u, v] = [this.readNumber(), this.readNumber(), this.readNumber(), this.readNumber()];
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

  /** A number that may be missing. */
  readOptional(): number | null {
    const x = this.readNumber();
    return Number.isNaN(x) ? null : x;
  }

  readPlace(): Place {
    const feature = this.readText();
    const [shape, primitive, u, v] = [this.readNumber(), this.readNumber(), this.readNumber(), this.readNumber()];
    return { feature, shape, primitive: primitive < 0 ? null : primitive, uv: Number.isNaN(u) ? null : [u, v] };
  }

  readOptionalHit(): Hit | null {
    return this.readFlag() ? this.readHit() : null;
  }

  readTextbookHit(): TextbookHit | null {
    if (!this.readFlag()) return null;
    return { shape: this.readNumber(), t: this.readNumber(), point: this.readVector(), normal: this.readVector() };
  }
}

function readMesh(reply: Reply): Mesh {
  const [vertices, triangles] = [reply.readNumber(), reply.readNumber()];
  const topology = {
    isClosed: reply.readFlag(),
    points: reply.readNumber(),
    edges: reply.readNumber(),
    boundaryEdges: reply.readNumber(),
    nonManifoldEdges: reply.readNumber(),
    unbalancedEdges: reply.readNumber(),
    degenerateTriangles: reply.readNumber(),
  };
  const positions = reply.readArray(3 * vertices).slice();
  return { positions, triangles: new Uint32Array(reply.readArray(3 * triangles)), topology };
}

class OpenScene implements Scene {
  readonly dimension: Dimension;
  readonly precision: "f32" | "f64";
  readonly shapes: readonly ShapeInfo[];
  private isOpen = true;

  constructor(private readonly module: Module, readonly handle: number) {
    const reply = this.request([], (raw) => raw.describe(handle));
    this.dimension = reply.readNumber() === 2 ? 2 : 3;
    this.precision = reply.readFlag() ? "f32" : "f64";
    let index = 0;
    this.shapes = reply.readList(() => {
      const [name, type, text, file] = [reply.readText(), reply.readText(), reply.readText(), reply.readText()];
      return {
        index: index++,
        name,
        isNamed: reply.readFlag(),
        type,
        layers: reply.readNumber(),
        parameters: type === "mesh" ? { file } : parameters(text),
        aabb: { min: reply.readVector(), max: reply.readVector() },
        transform: reply.readFlag() ? Array.from({ length: 4 }, () => reply.readVector()) : null,
      };
    });
  }

  cast(ray: RaySpec, query: QuerySpec = {}): Answer {
    const reply = this.request([encodeQuery(ray, query)], (raw) => raw.cast(this.handle));
    const first = reply.readOptionalHit();
    const all = reply.readList(() => reply.readHit());
    const count = reply.readNumber();
    const spans = reply.readList(() => ({
      shape: reply.readNumber(),
      enter: reply.readOptionalHit(),
      exit: reply.readOptionalHit(),
    }));
    return { first, all, count, spans };
  }

  contains(point: Vec3): boolean[] {
    const reply = this.request([point], (raw) => raw.contains(this.handle));
    return reply.readList(() => reply.readFlag());
  }

  closest(point: Vec3, maxDistance = NaN): ClosestAnswer {
    const reply = this.request([[...point, maxDistance]], (raw) => raw.closest(this.handle));
    const read = () => {
      const [point, distance, place] = [reply.readVector(), reply.readNumber(), reply.readPlace()];
      const [isInside, outward] = [reply.readFlag(), reply.readVector()];
      return { point, distance, ...place, isInside, outward: outward.some(Number.isNaN) ? null : outward };
    };
    return { found: reply.readFlag() ? read() : null, signedDistance: reply.readOptional() };
  }

  castSphere(ray: RaySpec, radius: number, query: QuerySpec = {}): SweepHit | null {
    const reply = this.request([[...encodeQuery(ray, query), radius]], (raw) => raw.cast_sphere(this.handle));
    if (!reply.readFlag()) return null;
    const [t, distance] = [reply.readNumber(), reply.readNumber()];
    const [center, point, normal] = [reply.readVector(), reply.readVector(), reply.readVector()];
    return { t, distance, center, point, normal, depth: reply.readOptional(), ...reply.readPlace() };
  }

  overlapping(volume: Scene): Overlap[] {
    const other = (volume as OpenScene).handle;
    const reply = this.request([], (raw) => raw.overlapping(this.handle, other));
    return reply.readList(() => {
      const [shape, isInside, triangles] = [reply.readNumber(), reply.readFlag(), reply.readNumber()];
      return { shape, isInside, triangles: triangles < 0 ? null : triangles };
    });
  }

  explain(ray: RaySpec, query: QuerySpec = {}, all = false): Explanation {
    const work = (raw: Exports): number => raw.explain(this.handle, Number(all));
    const reply = this.request([encodeQuery(ray, query)], work);
    const text = reply.readText();
    const shapes = reply.readList(() => ({
      shape: reply.readNumber(),
      name: reply.readText(),
      kind: reply.readText(),
      isHit: reply.readFlag(),
      why: reply.readText(),
      escalated: reply.readFlag(),
      steps: reply.readList((): Step => {
        const isNumber = reply.readFlag();
        const words = reply.readText();
        return isNumber ? { name: words, value: reply.readNumber() } : { verdict: words };
      }),
    }));
    return { text, shapes, leftOut: reply.readNumber() };
  }

  textbook(ray: RaySpec, query: QuerySpec = {}): TextbookAnswer {
    const reply = this.request([encodeQuery(ray, query)], (raw) => raw.textbook(this.handle));
    return { first: reply.readTextbookHit(), shapes: this.shapes.map(() => reply.readTextbookHit()) };
  }

  field(rays: Float64Array, query: QuerySpec = {}): Field {
    const count = Math.floor(rays.length / 6);
    const any: RaySpec = { kind: "ray", origin: [0, 0, 0], direction: [0, 0, 0] };
    const given = rays.subarray(0, 6 * count);
    const work = (raw: Exports): number => raw.field(this.handle, count);
    const reply = this.request([encodeQuery(any, query), given], work);
    const hits = reply.readNumber();
    const t = reply.readArray(count).slice();
    const points = reply.readArray(3 * count).slice();
    const normals = new Float32Array(reply.readArray(3 * count));
    return { hits, t, points, normals, shape: new Int32Array(reply.readArray(count)) };
  }

  mesh(shape: number): Mesh | null {
    if (this.shapes[shape]?.type !== "mesh") return null;
    return readMesh(this.request([], (raw) => raw.mesh_of(this.handle, shape)));
  }

  free(): void {
    if (this.isOpen) {
      this.module.close(this.handle);
      this.isOpen = false;
    }
  }

  private request(given: ArrayLike<number>[], work: (raw: Exports) => number): Reply {
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

/** Encodes a query as the module reads it. NaN stands for a limit that is not given. */
function encodeQuery(ray: RaySpec, query: QuerySpec): number[] {
  const [first, second] = ray.kind === "ray" ? [ray.origin, ray.direction] : [ray.a, ray.b];
  const faces = { both: 0, front: 1, back: 2 }[query.faces ?? "both"];
  const numbers = [
    ray.kind === "segment" ? 1 : 0,
    ...first,
    ...second,
    query.tMin ?? NaN,
    query.tMax ?? NaN,
    query.inside === "hollow" ? 1 : 0,
    faces,
    (query.layers ?? 0xffffffff) >>> 0,
  ];
  if (numbers.length !== QUERY_NUMBERS) {
    throw new EngineError("a point has three coordinates");
  }
  return numbers;
}
