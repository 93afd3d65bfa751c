/** The mesh of a geometry of three.js. */
import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute } from "three";
import { engine } from "../load.js";
import type { Mesh } from "../mesh.js";

/** A part of a geometry in indices, or in vertices if it has no index. */
export interface Range {
  start: number;
  count: number;
}

/** The settings of a tree. Others that three-mesh-bvh knows are ignored: no answer depends on them. */
export interface HitscanBVHOptions {
  /** The part of the geometry that the tree has. Default: all. The draw range and the groups are looked at when a ray is cast. */
  range?: Range | null | undefined;
  /** `high` builds a better tree in more time. */
  quality?: "default" | "high" | undefined;
  /** Whether a geometry without a bounding box gets it. Default: true. */
  setBoundingBox?: boolean | undefined;
}

/** The triangles of a geometry. */
export interface GeometryMesh {
  /** The mesh; null without triangles. */
  mesh: Mesh | null;
  /** The number of each triangle of the mesh in the geometry, or that of the first one where they follow each other. */
  triangles: { first: number } | Uint32Array;
}

/** The positions of a geometry, and whether each is finite. What is not finite becomes 0. */
export function positionsOf(position: BufferAttribute | InterleavedBufferAttribute): { numbers: Float32Array | Float64Array; bad: Set<number> } {
  const { count } = position;
  const plain = position as BufferAttribute;
  const isPlain = !(position as InterleavedBufferAttribute).isInterleavedBufferAttribute && !position.normalized;
  let numbers: Float32Array | Float64Array;
  if (isPlain && position.itemSize === 3 && plain.array instanceof Float32Array && !("isFloat16BufferAttribute" in plain)) {
    numbers = plain.array.length === 3 * count ? plain.array : plain.array.subarray(0, 3 * count);
  } else {
    numbers = new Float64Array(3 * count);
    for (let i = 0; i < count; i++) {
      numbers[3 * i] = position.getX(i);
      numbers[3 * i + 1] = position.getY(i);
      numbers[3 * i + 2] = position.itemSize > 2 ? position.getZ(i) : NaN;
    }
  }
  const bad = new Set<number>();
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) bad.add(Math.floor(i / 3));
  if (bad.size > 0) {
    numbers = numbers.slice();
    for (const vertex of bad) numbers.fill(0, 3 * vertex, 3 * vertex + 3);
  }
  return { numbers, bad };
}

/** A mesh of the triangles of a geometry that have three finite corners; null if there are none. */
export function build(geometry: BufferGeometry, options: HitscanBVHOptions): GeometryMesh {
  const position = geometry.attributes["position"];
  const { index } = geometry;
  const total = index ? index.count : (position?.count ?? 0);
  const start = Math.ceil(Math.max(0, options.range?.start ?? 0) / 3);
  const end = Math.floor(Math.min(total, (options.range?.start ?? 0) + (options.range?.count ?? Infinity)) / 3);
  const first = start;
  if (!position || end <= start) return { mesh: null, triangles: { first } };
  const { numbers, bad } = positionsOf(position);
  const indices = new Uint32Array(3 * (end - start));
  let kept: Uint32Array | null = null;
  let count = 0;
  for (let triangle = start; triangle < end; triangle++) {
    const at = 3 * triangle;
    const [a, b, c] = index ? [index.getX(at), index.getX(at + 1), index.getX(at + 2)] : [at, at + 1, at + 2];
    const isGood = a < position.count && b < position.count && c < position.count;
    if (!isGood || (bad.size > 0 && (bad.has(a) || bad.has(b) || bad.has(c)))) {
      // From here on the numbers of triangles differ from those of the geometry.
      kept ??= Uint32Array.from({ length: end - start }, (_, i) => start + i);
      continue;
    }
    indices[3 * count] = a;
    indices[3 * count + 1] = b;
    indices[3 * count + 2] = c;
    if (kept) kept[count] = triangle;
    count++;
  }
  if (count === 0) return { mesh: null, triangles: { first } };
  const mesh = engine().mesh(numbers, indices.subarray(0, 3 * count), { quality: options.quality });
  return { mesh, triangles: kept ? kept.slice(0, count) : { first } };
}
