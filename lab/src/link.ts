// A scene in the hash of a link: JSON, deflated if it is long.

import { KINDS, kindOf, type Dimension, type Value } from "./schema.js";
import { bytesOf, addFile } from "./files.js";
import { deflate, fromBase64, inflate, toBase64 } from "./compression.js";
import { emptyField, type Scene, type Shape } from "./state.js";

/** Longer than that, some programs cut a link. */
export const LONG_LINK = 8000;
/** What browsers take without complaint. */
const MAX_LINK = 1_000_000;
/** As text up to this length, deflated beyond. */
const PLAIN = 400;

interface LinkContent {
  v: 1;
  scene: Scene;
  files?: Record<string, string>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON has no infinities and no -0: they go as text. */
const outgoing = (_: string, x: unknown): unknown =>
  typeof x === "number" && (!Number.isFinite(x) || Object.is(x, -0)) ? `=${Object.is(x, -0) ? "-0" : x}` : x;
const incoming = (_: string, x: unknown): unknown =>
  typeof x === "string" && x.startsWith("=") ? Number(x.slice(1)) : x;

export async function toHash(scene: Scene): Promise<string> {
  const files: Record<string, string> = {};
  for (const shape of scene.shapes) {
    const name = shape.placement && (shape.fields["file"] as string);
    const bytes = name ? bytesOf(name) : undefined;
    if (name && bytes) files[name] = toBase64(bytes);
  }
  const content: LinkContent = { v: 1, scene, ...(Object.keys(files).length ? { files } : {}) };
  const text = JSON.stringify(content, outgoing);
  const plain = `#json=${encodeURIComponent(text)}`;
  if (plain.length <= PLAIN) return plain;
  const hash = `#z=${await deflate(encoder.encode(text))}`;
  if (hash.length > MAX_LINK)
    throw new Error("the meshes of this scene are too large for a link: save the scene instead");
  return hash;
}

/** The scene of a hash; null if it holds none. Throws, in words, if it holds something else. */
export async function fromHash(hash: string): Promise<Scene | null> {
  const [key, value] = hash.replace(/^#/, "").split(/=(.*)/s);
  if (!value || (key !== "json" && key !== "z")) return null;
  let content: LinkContent;
  try {
    const text = key === "json" ? decodeURIComponent(value) : decoder.decode(await inflate(value));
    content = JSON.parse(text, incoming) as LinkContent;
  } catch {
    throw new Error("this link is damaged: a part of it is missing");
  }
  if (content?.v !== 1) throw new Error("this link is of another version of the lab");
  const { scene, files = {} } = content;
  const names = new Map(Object.entries(files).map(([name, bytes]) => [name, addFile(name, fromBase64(bytes))]));
  return checked(scene, names);
}

function isValue(x: unknown): x is Value {
  return typeof x === "number" || typeof x === "string" || (Array.isArray(x) && x.every(isValue));
}

/** Everything of a link is what it claims to be; whether numbers make sense is the engine's word. */
function checked(scene: Scene, names: Map<string, string>): Scene {
  const wrong = (what: string): never => {
    throw new Error(`this link is damaged: ${what}`);
  };
  const dimension: Dimension = scene?.dimension === 2 ? 2 : 3;
  const vec = (x: unknown, what: string): number[] =>
    Array.isArray(x) && x.length === dimension && x.every((c) => typeof c === "number") ? (x as number[]) : wrong(what);
  if (!Array.isArray(scene?.shapes)) wrong("it has no shapes");
  const shapes = scene.shapes.map((shape, i): Shape => {
    if (!KINDS.some((kind) => kind.dimension === dimension && kind.type === shape?.type))
      wrong(`shape ${i} has no known type`);
    const known = kindOf(dimension, shape.type).fields;
    const fields = Object.fromEntries(Object.entries(shape.fields ?? {}).filter(([, value]) => isValue(value)));
    for (const { key, role } of known) if (role !== "axes" && !(key in fields)) wrong(`shape ${i} has no ${key}`);
    if (typeof fields["file"] === "string") fields["file"] = names.get(fields["file"]) ?? fields["file"];
    const { placement, layers } = shape;
    return {
      id: i + 1,
      type: shape.type,
      name: String(shape.name ?? ""),
      fields,
      ...(Array.isArray(layers) ? { layers: layers.map(Number) } : {}),
      ...(placement ? { placement } : {}),
    };
  });
  const { ray } = scene;
  const limit = (x: unknown): number | null => (typeof x === "number" ? x : null);
  return {
    dimension,
    shapes,
    ray: {
      kind: ray?.kind === "segment" ? "segment" : "ray",
      origin: vec(ray?.origin, "the ray has no origin"),
      direction: vec(ray?.direction, "the ray has no direction"),
      tip: vec(ray?.tip, "the ray has no tip"),
      t_min: limit(ray.t_min),
      t_max: limit(ray.t_max),
      inside: ray.inside === "hollow" ? "hollow" : "solid",
      faces: ray.faces === "front" || ray.faces === "back" ? ray.faces : "both",
    },
    field: { ...emptyField(), ...scene.field },
  };
}
