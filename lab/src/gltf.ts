// glTF 2.0 to OBJ: the triangles of a scene, where its nodes put them. The program reads OBJ, so a scene that is saved
// with such a mesh can be cast at. Materials, skins and animations are nothing to a ray.

interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
  sparse?: unknown;
}

interface Gltf {
  asset?: { version?: string };
  extensionsRequired?: string[];
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: {
    mesh?: number;
    children?: number[];
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
  }[];
  meshes?: { primitives: { attributes: Record<string, number>; indices?: number; mode?: number }[] }[];
  accessors?: Accessor[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  buffers?: { byteLength: number; uri?: string }[];
}

/** Column by column: where x, y, z and the origin go. */
type Matrix = [number[], number[], number[], number[]];

const IDENTITY: Matrix = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [0, 0, 0],
];

const SIZES: Record<number, [bytes: number, read: (view: DataView, at: number) => number]> = {
  5121: [1, (view, at) => view.getUint8(at)],
  5123: [2, (view, at) => view.getUint16(at, true)],
  5125: [4, (view, at) => view.getUint32(at, true)],
  5126: [4, (view, at) => view.getFloat32(at, true)],
};

const direct = ([x, y, z]: Matrix, v: number[]): number[] =>
  [0, 1, 2].map((i) => x[i]! * v[0]! + y[i]! * v[1]! + z[i]! * v[2]!);
const place = (m: Matrix, v: number[]): number[] => direct(m, v).map((x, i) => x + m[3][i]!);
const times = (m: Matrix, n: Matrix): Matrix => [direct(m, n[0]), direct(m, n[1]), direct(m, n[2]), place(m, n[3])];
const turnsOver = ([x, y, z]: Matrix): boolean =>
  x[0]! * (y[1]! * z[2]! - y[2]! * z[1]!) +
    x[1]! * (y[2]! * z[0]! - y[0]! * z[2]!) +
    x[2]! * (y[0]! * z[1]! - y[1]! * z[0]!) <
  0;

/** The mesh as OBJ. `others` are files that came with it: buffers that it names. Throws what is wrong, in words. */
export function gltfToObj(name: string, bytes: Uint8Array, others: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const wrong = (what: string): never => {
    throw new Error(`${name}: ${what}`);
  };
  const { gltf, body } = open(bytes, wrong);
  if (!gltf.asset?.version?.startsWith("2.")) wrong("it is not glTF 2.0");
  if (gltf.extensionsRequired?.length)
    wrong(`it needs extensions that are not read: ${gltf.extensionsRequired.join(", ")}`);
  const buffers = (gltf.buffers ?? []).map(({ uri }, i) => {
    if (uri === undefined) return body ?? wrong(`buffer ${i} has no data`);
    if (/^data:[^,]*;base64,/.test(uri))
      return Uint8Array.from(atob(uri.slice(uri.indexOf(",") + 1)), (c) => c.charCodeAt(0));
    return (
      others.get(decodeURIComponent(uri).split("/").at(-1)!) ?? wrong(`its data is in ${uri}: drop both files together`)
    );
  });
  const read = (index: number, width: number): number[] => {
    const accessor = gltf.accessors?.[index] ?? wrong(`accessor ${index} is missing`);
    const size =
      SIZES[accessor.componentType] ??
      wrong(`accessor ${index}: numbers of type ${accessor.componentType} are not read`);
    if (accessor.sparse) wrong(`accessor ${index} is sparse, which is not read`);
    const view = gltf.bufferViews?.[accessor.bufferView ?? -1] ?? wrong(`accessor ${index} has no data`);
    const data = buffers[view.buffer] ?? wrong(`buffer ${view.buffer} is missing`);
    const step = view.byteStride ?? width * size[0];
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    const end = start + step * (accessor.count - 1) + width * size[0];
    if (!(accessor.count >= 0 && start >= 0 && end <= data.length)) wrong(`accessor ${index} reaches beyond its data`);
    const bits = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const at = (i: number): number => start + step * Math.floor(i / width) + size[0] * (i % width);
    return Array.from({ length: accessor.count * width }, (_, i) => size[1](bits, at(i)));
  };
  const lines: string[] = [];
  let vertices = 0;
  let faces = 0;
  const mesh = (index: number, matrix: Matrix): void => {
    for (const { attributes, indices, mode = 4 } of gltf.meshes?.[index]?.primitives ??
      wrong(`mesh ${index} is missing`)) {
      const position = attributes["POSITION"];
      // Points and lines: nothing that a ray hits.
      if (mode < 4 || position === undefined) continue;
      if (gltf.accessors?.[position]?.componentType !== 5126) wrong("positions have to be floats");
      const points = read(position, 3);
      const corners = indices === undefined ? Array.from({ length: points.length / 3 }, (_, i) => i) : read(indices, 1);
      for (let i = 0; i < points.length; i += 3) lines.push(`v ${place(matrix, points.slice(i, i + 3)).join(" ")}`);
      const first = vertices + 1;
      const flipped = turnsOver(matrix);
      for (const [a, b, c] of triangles(corners, mode)) {
        const face = flipped ? [a, c, b] : [a, b, c];
        lines.push(`f ${face.map((corner) => first + corner).join(" ")}`);
        faces++;
      }
      vertices += points.length / 3;
    }
  };
  const walk = (index: number, above: Matrix, path: number[]): void => {
    const node = gltf.nodes?.[index] ?? wrong(`node ${index} is missing`);
    if (path.includes(index)) wrong(`node ${index} is below itself`);
    const matrix = times(above, own(node));
    if (node.mesh !== undefined) mesh(node.mesh, matrix);
    for (const child of node.children ?? []) walk(child, matrix, [...path, index]);
  };
  const below = new Set(gltf.nodes?.flatMap(({ children }) => children ?? []));
  const roots =
    gltf.scenes?.[gltf.scene ?? 0]?.nodes ?? (gltf.nodes ?? []).map((_, i) => i).filter((i) => !below.has(i));
  for (const root of roots) walk(root, IDENTITY, []);
  if (faces === 0) wrong("it has no triangles");
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}

/** JSON, or the container that holds JSON and data. */
function open(bytes: Uint8Array, wrong: (what: string) => never): { gltf: Gltf; body: Uint8Array | null } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [text, body]: [Uint8Array, Uint8Array | null] = [bytes, null];
  if (bytes.length >= 12 && view.getUint32(0, true) === 0x46546c67) {
    const chunks = new Map<number, Uint8Array>();
    for (let at = 12; at + 8 <= bytes.length;) {
      const [size, kind] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
      if (at + 8 + size > bytes.length) wrong("it ends too early");
      if (!chunks.has(kind)) chunks.set(kind, bytes.subarray(at + 8, at + 8 + size));
      at += 8 + size;
    }
    text = chunks.get(0x4e4f534a) ?? wrong("it has no JSON");
    body = chunks.get(0x004e4942) ?? null;
  }
  try {
    return { gltf: JSON.parse(new TextDecoder().decode(text)) as Gltf, body };
  } catch (error) {
    return wrong(`it is no glTF: ${(error as Error).message}`);
  }
}

/** What a node does: a matrix, or scaled, then turned, then moved. */
function own({
  matrix,
  translation = [0, 0, 0],
  rotation = [0, 0, 0, 1],
  scale = [1, 1, 1],
}: NonNullable<Gltf["nodes"]>[number]): Matrix {
  if (matrix) return [matrix.slice(0, 3), matrix.slice(4, 7), matrix.slice(8, 11), matrix.slice(12, 15)];
  const [x, y, z, w] = rotation as [number, number, number, number];
  const columns = [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
  const [u, v, s] = columns.map((column, i) => column.map((c) => c * scale[i]!)) as [number[], number[], number[]];
  return [u, v, s, translation];
}

/** Triangles by themselves (4), in a strip (5), in a fan (6). */
function triangles(corners: number[], mode: number): [number, number, number][] {
  const found: [number, number, number][] = [];
  const step = mode === 4 ? 3 : 1;
  for (let i = 0; i + 2 < corners.length; i += step) {
    const [a, b, c] = [mode === 6 ? corners[0]! : corners[i]!, corners[i + 1]!, corners[i + 2]!];
    found.push(mode === 5 && i % 2 === 1 ? [b, a, c] : [a, b, c]);
  }
  return found;
}
