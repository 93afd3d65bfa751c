// Links: a scene with its meshes and its view as JSON in the hash of the page's address, deflated if it is long.
// Whoever makes a link can write anything into it, so a schema checks all of it before the page uses any of it.

import * as v from "valibot";
import { bytesOf, addFile } from "./files.js";
import { deflate, fromBase64, inflate, toBase64, TooLong } from "./compression.js";
import { MAX_RAYS } from "./fieldrays.js";
import { KINDS, type Dimension, type Kind, type Role } from "./schema.js";
import { queryAt, VOLUME, VOLUMES, type LinkedView, type RayState, type Scene } from "./state.js";
import { NO_PLACEMENT } from "./transform.js";

/** Longer than that, some programs cut a link. */
export const LONG_LINK = 8000;
/** The characters that browsers take without complaint. */
const MAX_LINK = 1_000_000;
/** The bytes that a deflated link may hold. A page that inflates more without a limit can run out of memory. */
export const MAX_BYTES = 8_000_000;
/** Links up to this length are plain text, longer ones are deflated. */
const PLAIN = 400;
const [MAX_SHAPES, MAX_VERTICES, MAX_NAME] = [2000, 10_000, 1000];

/** A link that the page cannot open, and why. */
export class LinkError extends Error {}

/** The content of a link. */
export interface Linked {
  scene: Scene;
  /** The view of the scene; links of version 1 have none. */
  view: LinkedView | null;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// JSON has no infinities and no -0. They are texts that begin with `=`, and a text that begins so gets one more.

const ODD_NUMBERS = new Map([
  ["=-0", -0],
  ["=Infinity", Infinity],
  ["=-Infinity", -Infinity],
]);

function outgoing(_: string, x: unknown): unknown {
  if (typeof x === "string") return x.startsWith("=") ? `=${x}` : x;
  if (typeof x !== "number") return x;
  return Object.is(x, -0) ? "=-0" : Number.isFinite(x) ? x : `=${x}`;
}

const incoming = (_: string, x: unknown): unknown =>
  typeof x !== "string" ? x : (ODD_NUMBERS.get(x) ?? (x.startsWith("==") ? x.slice(1) : x));

// The schema. Numbers may have any value, also infinite ones: whether a shape can have them is for the engine to say.

const integer = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
const between = (least: number, most: number) => v.pipe(v.number(), v.minValue(least), v.maxValue(most));
const finite = v.pipe(v.number(), v.finite());
const list = <T extends v.GenericSchema>(item: T, length: number) => v.pipe(v.array(item), v.length(length));
const limit = v.optional(v.nullable(v.number()), null);
const name = v.pipe(v.string(), v.maxLength(MAX_NAME));

type Any = v.GenericSchema<unknown>;

/** The values of a field of a shape. */
function fieldSchema(dimension: Dimension, role: Role): Any {
  const vector = list(v.number(), dimension);
  switch (role) {
    case "length":
      return v.number();
    case "points":
      return v.pipe(v.array(vector), v.minLength(1), v.maxLength(MAX_VERTICES));
    case "axes":
      return v.optional(list(vector, dimension));
    case "file":
      return name;
    default:
      return vector;
  }
}

const placementSchema = v.strictObject({
  scale: list(v.number(), 3),
  axis: list(v.number(), 3),
  degrees: v.number(),
  translation: list(v.number(), 3),
});

/** The parts that every shape has, a volume too. */
function bareShape({ dimension, type, fields }: Kind) {
  const entries = fields.map(({ key, role }): [string, Any] => [key, fieldSchema(dimension, role)]);
  return {
    id: v.optional(v.number()),
    type: v.literal(type),
    name: v.optional(name, ""),
    fields: v.strictObject(Object.fromEntries(entries)),
  };
}

function shapeSchema(kind: Kind) {
  const { dimension, type } = kind;
  return v.strictObject({
    ...bareShape(kind),
    layers: v.optional(v.array(integer(0, 31))),
    matrix: v.optional(list(list(v.number(), dimension + 1), dimension)),
    // Meshes alone have a placement, and each has one.
    ...((type === "mesh" && { placement: v.optional(placementSchema, structuredClone(NO_PLACEMENT)) }) as object),
  });
}

const fieldOfRays = v.strictObject({
  on: v.optional(v.boolean(), false),
  shape: v.optional(v.picklist(["fan", "grid"]), "fan"),
  coloring: v.optional(v.picklist(["hits", "depth", "normals"]), "hits"),
  count: v.optional(integer(1, MAX_RAYS), 10_000),
  degrees: v.optional(between(0, 360), 50),
  width: v.optional(between(0, 1e12), 4),
});

function querySchema(dimension: Dimension) {
  const volumes = KINDS.filter((kind) => kind.dimension === dimension && kind.type in VOLUMES[dimension]);
  return v.strictObject({
    kind: v.picklist(["ray", "closest", "sweep", "overlap"]),
    point: list(v.number(), dimension),
    max_distance: limit,
    radius: v.number(),
    volume: v.variant(
      "type",
      volumes.map((kind) => v.strictObject(bareShape(kind))),
    ),
  });
}

function sceneSchema(dimension: Dimension) {
  const vector = list(v.number(), dimension);
  const kinds = KINDS.filter((kind) => kind.dimension === dimension).map(shapeSchema);
  return v.strictObject({
    dimension: v.literal(dimension),
    shapes: v.pipe(v.array(v.variant("type", kinds)), v.maxLength(MAX_SHAPES)),
    ray: v.strictObject({
      kind: v.picklist(["ray", "segment"]),
      origin: vector,
      direction: vector,
      tip: vector,
      t_min: limit,
      t_max: limit,
      inside: v.optional(v.picklist(["solid", "hollow"]), "solid"),
      faces: v.optional(v.picklist(["both", "front", "back"]), "both"),
    }),
    // Older links have a ray only.
    query: v.optional(querySchema(dimension)),
    field: v.optional(fieldOfRays, {}),
  });
}

const cameraSchema = (dimension: Dimension) =>
  dimension === 3
    ? v.strictObject({ position: list(finite, 3), target: list(finite, 3) })
    : v.strictObject({ center: list(finite, 2), span: v.pipe(finite, v.minValue(1e-9), v.maxValue(1e12)) });

const contentSchema = (dimension: Dimension) =>
  v.strictObject({
    v: v.literal(2),
    scene: sceneSchema(dimension),
    view: v.optional(
      v.strictObject({
        tab: v.picklist(["explain", "doubt", "field", "code"]),
        doubt: v.boolean(),
        allHits: v.boolean(),
        /** The number of the shape that is explained. */
        explained: v.nullable(integer(0, MAX_SHAPES)),
        camera: v.nullable(cameraSchema(dimension)),
      }),
    ),
    files: v.optional(v.record(name, v.string()), {}),
  });

const SCHEMAS = { 2: contentSchema(2), 3: contentSchema(3) };

/** The reason of an issue with its place: `shape 2, fields, radius: expected number, received "big"`. */
function reason({ path, expected, received, message, type }: v.BaseIssue<unknown>): string {
  const keys = (path ?? []).map(({ key }) => String(key));
  const at = keys.findIndex((key, i) => key === "shapes" && /^\d+$/.test(keys[i + 1] ?? ""));
  const where = at < 0 ? keys : [`shape ${keys[at + 1]}`, ...keys.slice(at + 2)];
  const place = where.join(", ");
  if (type === "strict_object" && expected === "never") return `${place}: unknown name`;
  const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
  if (received === "undefined") return `${place} is missing`;
  const found = expected ? `expected ${short(expected)}, received ${short(received)}` : message;
  return `${place || "all of it"}: ${found}`;
}

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x);

/** Version 1 had other names for three fields, and no view. */
function upgrade(content: Record<string, unknown>): Record<string, unknown> {
  const rename = (from: string, to: string, x: unknown): unknown => {
    if (!isObject(x) || !(from in x)) return x;
    const { [from]: value, ...rest } = x;
    return { ...rest, [to]: value };
  };
  const { scene } = content;
  if (!isObject(scene)) return content;
  const ray = rename("solid", "inside", rename("way", "direction", scene["ray"]));
  return { ...content, v: 2, scene: { ...scene, ray, field: rename("look", "coloring", scene["field"]) } };
}

/** Checks the content of a link, and stores its meshes. */
function check(parsed: unknown): Linked {
  const content = isObject(parsed) && parsed["v"] === 1 ? upgrade(parsed) : parsed;
  if (!isObject(content) || content["v"] !== 2) {
    throw new LinkError("This link is of another version of the lab, or of another page.");
  }
  const dimension = isObject(content["scene"]) && content["scene"]["dimension"] === 2 ? 2 : 3;
  const checked = v.safeParse(SCHEMAS[dimension], content, { abortEarly: true });
  if (!checked.success) throw new LinkError(`This link cannot be opened: ${reason(checked.issues[0])}.`);
  const { scene, view, files } = checked.output;
  const stored = new Map<string, string>();
  for (const [file, text] of Object.entries(files)) {
    try {
      stored.set(file, addFile(file, fromBase64(text)));
    } catch {
      throw new LinkError(`This link cannot be opened: the bytes of ${file} are damaged.`);
    }
  }
  const shapes = scene.shapes.map((shape, i) => {
    const fields = { ...shape.fields };
    if (typeof fields["file"] === "string") fields["file"] = stored.get(fields["file"]) ?? fields["file"];
    return { ...shape, fields, id: i + 1 };
  });
  const query = scene.query
    ? { ...scene.query, volume: { ...scene.query.volume, id: VOLUME, name: "volume" } }
    : queryAt(scene.ray as RayState);
  return { scene: { ...scene, shapes, query } as Scene, view: view ?? null };
}

/**
 * The hash of a link to a scene as it is seen.
 * @throws LinkError where the scene is too large for a link, or no page would open it
 */
export async function toHash(scene: Scene, view: LinkedView | null): Promise<string> {
  const files: Record<string, string> = {};
  for (const shape of scene.shapes) {
    const file = shape.placement && (shape.fields["file"] as string);
    const bytes = file ? bytesOf(file) : undefined;
    if (file && bytes) files[file] = toBase64(bytes);
  }
  // A camera beyond the limits of the schema is left out: the page that opens the link fits the scene.
  const camera = view && v.is(cameraSchema(scene.dimension), view.camera) ? view.camera : null;
  const content = {
    v: 2,
    scene,
    ...(view && { view: { ...view, camera } }),
    ...(Object.keys(files).length > 0 && { files }),
  };
  const checked = v.safeParse(SCHEMAS[scene.dimension], content, { abortEarly: true });
  if (!checked.success) throw new LinkError(`A link cannot hold this scene: ${reason(checked.issues[0])}.`);
  const text = JSON.stringify(content, outgoing);
  const plain = `#json=${encodeURIComponent(text)}`;
  if (plain.length <= PLAIN) return plain;
  const bytes = encoder.encode(text);
  const hash = bytes.length <= MAX_BYTES ? `#z=${await deflate(bytes)}` : "";
  if (!hash || hash.length > MAX_LINK) {
    throw new LinkError("The meshes of this scene are too large for a link: save the scene instead.");
  }
  return hash;
}

/**
 * The content of a link; null if the hash is not one of the lab.
 * @throws LinkError, with a sentence for the reader, where the page cannot open it
 */
export async function fromHash(hash: string): Promise<Linked | null> {
  const [key, value] = hash.replace(/^#/, "").split(/=(.*)/s);
  if (!value || (key !== "json" && key !== "z")) return null;
  let parsed: unknown;
  try {
    const text = key === "json" ? decodeURIComponent(value) : decoder.decode(await inflate(value, MAX_BYTES));
    parsed = JSON.parse(text, incoming);
  } catch (error) {
    throw new LinkError(
      error instanceof TooLong
        ? `This link cannot be opened: it holds more than ${MAX_BYTES / 1e6} MB.`
        : "This link is damaged: a part of it is missing or changed.",
    );
  }
  return check(parsed);
}
