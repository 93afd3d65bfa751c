// Example scenes, among them rays for which the textbook formula in f32 is wrong.

import { KINDS, type Dimension, type Value, type Vec } from "./schema.js";
import {
  emptyField,
  queryAt,
  rayOf,
  volumeOf,
  setDirection,
  type FieldState,
  type QueryKind,
  type QueryState,
  type ViewOptions,
  type RayState,
  type Scene,
  type Shape,
} from "./state.js";
import { NO_PLACEMENT } from "./transform.js";
import { roundTo } from "./vector.js";

export const GROUPS = ["Begin", "Explain", "Queries", "Doubt", "Field"] as const;

export interface Preset {
  id: string;
  group: (typeof GROUPS)[number];
  label: string;
  dimension: Dimension;
  scene: () => Scene;
  options?: Partial<ViewOptions>;
}

type ShapeSpec = [type: string, name: string, fields: Record<string, Value>];

function scene(
  dimension: Dimension,
  shapes: ShapeSpec[],
  [origin, tip]: [Vec, Vec],
  ray: Partial<RayState> = {},
  field: Partial<FieldState> = {},
  query: Partial<QueryState> = {},
): Scene {
  const made = { ...rayOf(ray.kind ?? "ray", origin, tip), ...ray };
  return {
    dimension,
    shapes: shapes.map(([type, name, fields], i): Shape => {
      const placement = type === "mesh" ? { placement: structuredClone(NO_PLACEMENT) } : {};
      return { id: i + 1, type, name, fields: structuredClone(fields), ...placement };
    }),
    ray: made,
    query: { ...queryAt(made), ...query },
    field: { ...emptyField(), ...field },
  };
}

/** Every number of a value, rounded to `f32`. */
const rounded = <T>(value: T): T =>
  (typeof value === "number"
    ? Math.fround(value)
    : Array.isArray(value)
      ? value.map(rounded)
      : value && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item)]))
        : value) as T;

/**
 * A ray for which rounding decides. Its numbers are `f32` numbers, so that the answer in `f64` and the comparison in
 * `f32` are about the same ray.
 */
function roundingPreset(id: string, label: string, shapes: ShapeSpec[], origin: Vec, direction: Vec): Preset {
  const dimension = origin.length as Dimension;
  const make = (): Scene => {
    const made = scene(dimension, rounded(shapes), [rounded(origin), rounded(origin)]);
    setDirection(made.ray, rounded(direction));
    return made;
  };
  return { id, group: "Doubt", label, dimension, scene: make, options: { tab: "doubt" } };
}

/** One shape of each kind, in rows on the floor. */
function allKinds(dimension: Dimension): Scene {
  const kinds = KINDS.filter(
    (kind) => kind.dimension === dimension && !["plane", "half_space", "line", "half_plane"].includes(kind.type),
  );
  const columns = dimension === 3 ? 4 : 3;
  const step = dimension === 3 ? 3.2 : 4;
  const shapes = kinds.map((kind, i): ShapeSpec => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const by = dimension === 3 ? [step * (column - 1.5), 0, step * (row - 1)] : [step * (column - 1), step * (1 - row)];
    const shift = (p: Vec): Vec => p.map((x, k) => roundTo(x + by[k]!));
    const fields = Object.entries(kind.initial).map(([key, value]): [string, Value] => {
      const role = kind.fields.find((field) => field.key === key)?.role;
      return [key, role === "point" ? shift(value as Vec) : role === "points" ? (value as Vec[]).map(shift) : value];
    });
    return [kind.type, kind.label.toLowerCase(), Object.fromEntries(fields)];
  });
  const made: Scene =
    dimension === 3
      ? scene(
          3,
          [["plane", "floor", { point: [0, 0, 0], normal: [0, 1, 0] }], ...shapes],
          [
            [-8, 1.5, 0.9],
            [-6.2, 1.35, 0.65],
          ],
        )
      : scene(
          2,
          [["half_plane", "ground", { point: [0, -6.5], normal: [0, 1] }], ...shapes],
          [
            [-8, 6],
            [-6, 5],
          ],
        );
  for (const shape of made.shapes) {
    if (shape.placement) shape.placement.translation = [step * 1.5, 1, step];
  }
  return made;
}

const BALL: ShapeSpec = ["sphere", "ball", { center: [0, 1, 0], radius: 1 }];
const CRATE: ShapeSpec = ["box", "crate", { center: [0, 1, 0], half_extents: [1.25, 0.75, 0.75] }];
const CONE: ShapeSpec = ["cone", "cone", { base: [0, 0, 0], apex: [0, 2, 0], radius: 1 }];
const CIRCLE: ShapeSpec = ["circle", "circle", { center: [10, 4], radius: 3 }];
const FLOOR: ShapeSpec = ["plane", "floor", { point: [0, 0, 0], normal: [0, 1, 0] }];

const ROOM: ShapeSpec[] = [
  FLOOR,
  ["sphere", "ball", { center: [-1.5, 1, 0.5], radius: 1 }],
  ["cylinder", "column", { a: [1.5, 0, -1.5], b: [1.5, 2.5, -1.5], radius: 0.6 }],
  ["box", "crate", { center: [1.25, 0.5, 1.5], half_extents: [0.75, 0.5, 0.5] }],
  ["cone", "cone", { base: [-1.25, 0, -2.25], apex: [-1.25, 1.75, -2.25], radius: 0.8 }],
];

const RAY_IN_ROOM: [Vec, Vec] = [
  [-5, 2.2, 3],
  [-3.6, 1.95, 2],
];

const YARD: ShapeSpec[] = [
  ["circle", "pond", { center: [-2.5, 1.5], radius: 1.25 }],
  ["rectangle", "crate", { center: [3, -0.5], half_extents: [1.25, 1] }],
  ["triangle", "tent", { a: [-2, -3], b: [0.5, -3], c: [-0.75, -1] }],
  ["segment", "wall", { a: [1, 4], b: [4.5, 3] }],
];

const RAY_IN_YARD: [Vec, Vec] = [
  [-5.5, -1.5],
  [-3.75, -1],
];

/** A scene with a query that is no ray. */
const asking = (kind: QueryKind, shapes: ShapeSpec[], ray: [Vec, Vec], query: Partial<QueryState>): Scene =>
  scene(ray[0].length as Dimension, shapes, ray, {}, {}, { kind, ...query });

export const PRESETS: readonly Preset[] = [
  {
    id: "space",
    group: "Begin",
    label: "Five shapes in space",
    dimension: 3,
    scene: () => scene(3, ROOM, RAY_IN_ROOM),
  },
  {
    id: "plane",
    group: "Begin",
    label: "A segment and a circle",
    dimension: 2,
    scene: () =>
      scene(
        2,
        [CIRCLE],
        [
          [3, 2],
          [10, 6],
        ],
        { kind: "segment" },
      ),
    options: { tab: "explain" },
  },
  { id: "every3", group: "Begin", label: "Every shape of space", dimension: 3, scene: () => allKinds(3) },
  { id: "every2", group: "Begin", label: "Every shape of the plane", dimension: 2, scene: () => allKinds(2) },
  {
    id: "sphere",
    group: "Explain",
    label: "Sphere: a, b, e, f, r",
    dimension: 3,
    scene: () =>
      scene(
        3,
        [BALL],
        [
          [-4, 1, 2],
          [-2.5, 1.2, 1.2],
        ],
      ),
    options: { tab: "explain" },
  },
  {
    id: "triangle",
    group: "Explain",
    label: "Triangle: areas",
    dimension: 3,
    scene: () =>
      scene(
        3,
        [["triangle", "sail", { a: [-1.5, 0, 0], b: [1.5, 0, 0.5], c: [0, 2.5, 0] }]],
        [
          [-1, 2, 4],
          [-0.5, 1.5, 2],
        ],
      ),
    options: { tab: "explain" },
  },
  {
    id: "cylinder",
    group: "Explain",
    label: "Cylinder: side and caps",
    dimension: 3,
    scene: () =>
      scene(
        3,
        [["cylinder", "column", { a: [0, 0, 0], b: [0, 2, 0], radius: 1 }]],
        [
          [-3, 3, 1],
          [-2, 2.25, 0.7],
        ],
      ),
    options: { tab: "explain" },
  },
  {
    id: "cone",
    group: "Explain",
    label: "Cone: side and cap",
    dimension: 3,
    scene: () =>
      scene(
        3,
        [CONE],
        [
          [-3, 1.25, 1.5],
          [-2, 1, 1],
        ],
      ),
    options: { tab: "explain" },
  },
  {
    id: "box",
    group: "Explain",
    label: "Box: slabs",
    dimension: 3,
    scene: () =>
      scene(
        3,
        [CRATE],
        [
          [-4, 2.5, 2],
          [-2.5, 1.9, 1.25],
        ],
      ),
    options: { tab: "explain" },
  },
  {
    id: "closest3",
    group: "Queries",
    label: "Closest point in a room",
    dimension: 3,
    scene: () => asking("closest", ROOM, RAY_IN_ROOM, { point: [0.25, 2, 1.25] }),
  },
  {
    id: "closest2",
    group: "Queries",
    label: "Closest point in the plane",
    dimension: 2,
    scene: () => asking("closest", YARD, RAY_IN_YARD, { point: [0.75, 1.5] }),
  },
  {
    id: "thick3",
    group: "Queries",
    label: "Thick ray in a room",
    dimension: 3,
    scene: () => asking("sweep", ROOM, RAY_IN_ROOM, { radius: 0.4 }),
  },
  {
    id: "thick2",
    group: "Queries",
    label: "Thick ray in the plane",
    dimension: 2,
    scene: () => asking("sweep", YARD, RAY_IN_YARD, { radius: 0.75 }),
  },
  {
    id: "overlap3",
    group: "Queries",
    label: "Overlap in a room",
    dimension: 3,
    scene: () => asking("overlap", ROOM, RAY_IN_ROOM, { volume: volumeOf(3, "box", [0.25, 1.25, 0.75], 1) }),
  },
  {
    id: "overlap2",
    group: "Queries",
    label: "Overlap in the plane",
    dimension: 2,
    scene: () => asking("overlap", YARD, RAY_IN_YARD, { volume: volumeOf(2, "circle", [0.5, 0.5], 1.75) }),
  },
  roundingPreset("far", "Far origin: off by eleven radii", [BALL], [-30_000, 20_001, 10_000], [3, -1.99997, -0.99998]),
  roundingPreset(
    "farther",
    "Farther: a hit that is none",
    [BALL],
    [-300_000, 200_001, 100_000],
    [3, -1.99997, -0.99998],
  ),
  roundingPreset("far-cone", "Far origin: the wrong side of a cone", [CONE], [-3000, 1001, 1000], [3, -1, -1]),
  roundingPreset("far-circle", "Far origin in the plane", [CIRCLE], [-69_990, -39_996], [7, 4]),
  roundingPreset("graze", "Grazing a ball: missed", [BALL], [-3.98, 7.79, 0], [0.764964, -1.795395, 0]),
  roundingPreset("graze-circle", "Grazing a circle: invented", [CIRCLE], [2.21, -5.6], [2.397553, 1.800039]),
  roundingPreset(
    "edge",
    "The edge of two triangles: a leak",
    [
      ["triangle", "left", { a: [-1.1, 0.1, 0.3], b: [1.3, 0.2, -0.4], c: [0.9, 2.1, 0.2] }],
      ["triangle", "right", { a: [-1.1, 0.1, 0.3], b: [0.9, 2.1, 0.2], c: [-1.2, 1.9, -0.3] }],
    ],
    [1.08, 2.19, 4.8],
    [-1.7556405259536743, -1.6656405925750732, -4.5212178230285645],
  ),
  roundingPreset(
    "walls",
    "The corner of two segments: a leak",
    [
      ["segment", "left", { a: [-3.1, 0.2], b: [0.7, 1.9] }],
      ["segment", "right", { a: [0.7, 1.9], b: [3.3, -0.4] }],
    ],
    [-1.67, 8.26],
    [0.79, -2.12],
  ),
  roundingPreset("rim", "The edge of a box: missed", [CRATE], [-3.16, 5.32, 3], [1.47, -1.19, -0.847167]),
  roundingPreset("apex", "The apex of a cone: missed", [CONE], [-1.83, 2.92, 2.08], [0.61, -0.306667, -0.693333]),
  {
    id: "fan2",
    group: "Field",
    label: "A lamp in a room",
    dimension: 2,
    scene: () => {
      const made = allKinds(2);
      made.shapes = made.shapes.filter(({ type }) => type !== "half_plane");
      made.ray = rayOf("ray", [-2.2, 2], [0, 2]);
      return { ...made, field: { ...made.field, on: true, count: 10_000, degrees: 360 } };
    },
    options: { tab: "field" },
  },
  {
    id: "depth",
    group: "Field",
    label: "A depth camera",
    dimension: 3,
    scene: () =>
      scene(
        3,
        ROOM,
        [
          [-5, 2.5, 5],
          [-3.5, 1.9, 3.5],
        ],
        {},
        { on: true, count: 10_000, coloring: "depth", degrees: 60 },
      ),
    options: { tab: "field" },
  },
  {
    id: "normals",
    group: "Field",
    label: "Parallel rays, normals",
    dimension: 3,
    scene: () =>
      scene(
        3,
        ROOM,
        [
          [0, 6, 0.01],
          [0, 5, 0],
        ],
        {},
        { on: true, count: 20_000, coloring: "normals", shape: "grid", width: 7 },
      ),
    options: { tab: "field" },
  },
];
