// The schema of shapes as data: types of scene files, roles of fields, and first values.

export type Dimension = 2 | 3;
/** Two or three coordinates, as the dimension has it. */
export type Vec = number[];
export type Value = number | string | Vec | Vec[];

/** The role of a field: it says how translation, rotation and scaling change it. */
export type Role =
  | "point" // moves with the shape
  | "direction" // turns only
  | "length" // scales only; not negative
  | "lengths" // one along each axis of the shape
  | "axes" // optional: the axes themselves, unit and at right angles
  | "points" // a list of points
  | "file"; // a mesh

export interface Field {
  key: string;
  role: Role;
  label: string;
}

export interface Kind {
  type: string;
  dimension: Dimension;
  label: string;
  /** A solid has an inside; a surface is crossed. */
  solid: boolean;
  fields: Field[];
  initial: Record<string, Value>;
}

const field = (key: string, role: Role, label: string): Field => ({ key, role, label });
const center = field("center", "point", "centre");
const point = field("point", "point", "point");
const normal = field("normal", "direction", "normal");
const radius = field("radius", "length", "radius");
const radius_a = field("radius_a", "length", "radius at a");
const radius_b = field("radius_b", "length", "radius at b");
const half_extents = field("half_extents", "lengths", "half extents");
const radii = field("radii", "lengths", "radii");
const axes = field("axes", "axes", "axes");
const [a, b, c] = ["a", "b", "c"].map((key) => field(key, "point", key)) as [Field, Field, Field];

const kind = (
  dimension: Dimension,
  type: string,
  label: string,
  solid: boolean,
  fields: Field[],
  initial: Record<string, Value>,
): Kind => ({ type, dimension, label, solid, fields, initial });

const QUARTER = Math.SQRT1_2;

export const KINDS: readonly Kind[] = [
  kind(3, "sphere", "Sphere", true, [center, radius], { center: [0, 1, 0], radius: 1 }),
  kind(3, "box", "Box", true, [center, half_extents, axes], { center: [0, 0.75, 0], half_extents: [1, 0.75, 0.75] }),
  kind(3, "capsule", "Capsule", true, [a, b, radius], { a: [-0.75, 0.75, 0], b: [0.75, 1, 0], radius: 0.5 }),
  kind(3, "tapered_capsule", "Tapered capsule", true, [a, b, radius_a, radius_b], {
    a: [-0.75, 0.75, 0],
    b: [0.75, 1, 0],
    radius_a: 0.75,
    radius_b: 0.25,
  }),
  kind(3, "cylinder", "Cylinder", true, [a, b, radius], { a: [0, 0, 0], b: [0, 2, 0], radius: 0.75 }),
  kind(3, "cone", "Cone", true, [field("base", "point", "base"), field("apex", "point", "apex"), radius], {
    base: [0, 0, 0],
    apex: [0, 2, 0],
    radius: 1,
  }),
  kind(3, "frustum", "Frustum", true, [a, b, radius_a, radius_b], {
    a: [0, 0, 0],
    b: [0, 1.5, 0],
    radius_a: 1,
    radius_b: 0.5,
  }),
  kind(3, "ellipsoid", "Ellipsoid", true, [center, radii, axes], { center: [0, 1, 0], radii: [1.25, 0.75, 0.75] }),
  kind(3, "half_space", "Half-space", true, [point, normal], { point: [0, 0, 0], normal: [0, 1, 0] }),
  kind(3, "plane", "Plane", false, [point, normal], { point: [0, 0, 0], normal: [0, 1, 0] }),
  kind(3, "disk", "Disk", false, [center, normal, radius], { center: [0, 1, 0], normal: [1, 1, 0], radius: 1 }),
  kind(3, "triangle", "Triangle", false, [a, b, c], { a: [-1, 0, 0], b: [1, 0, 0.5], c: [0, 2, 0] }),
  kind(3, "mesh", "Mesh", true, [field("file", "file", "file")], { file: "octahedron.obj" }),
  kind(2, "circle", "Circle", true, [center, radius], { center: [0, 0], radius: 1 }),
  kind(2, "rectangle", "Rectangle", true, [center, half_extents, axes], { center: [0, 0], half_extents: [1.5, 1] }),
  kind(2, "capsule", "Capsule", true, [a, b, radius], { a: [-1, 0], b: [1, 0.5], radius: 0.5 }),
  kind(2, "tapered_capsule", "Tapered capsule", true, [a, b, radius_a, radius_b], {
    a: [-1, 0],
    b: [1, 0.5],
    radius_a: 0.75,
    radius_b: 0.25,
  }),
  kind(2, "ellipse", "Ellipse", true, [center, radii, axes], { center: [0, 0], radii: [1.5, 1] }),
  kind(2, "triangle", "Triangle", true, [a, b, c], { a: [-1, -1], b: [1.5, -0.5], c: [0, 1] }),
  kind(2, "polygon", "Polygon", true, [field("vertices", "points", "vertices")], {
    vertices: [
      [1, 0],
      [0.5, 1],
      [-0.5, 1],
      [-1, 0],
      [-0.5, -1],
      [0.5, -1],
    ],
  }),
  kind(2, "half_plane", "Half-plane", true, [point, normal], { point: [0, -1], normal: [0, 1] }),
  kind(2, "line", "Line", false, [point, normal], { point: [0, 0], normal: [0, 1] }),
  kind(2, "segment", "Segment", false, [a, b], { a: [-1, 0], b: [1, 1] }),
];

/** Further entries of the add menu: a kind with other first values. */
export const VARIANTS: readonly { of: string; dimension: Dimension; label: string; initial: Record<string, Value> }[] =
  [
    {
      of: "box",
      dimension: 3,
      label: "Oriented box",
      initial: {
        center: [0, 1, 0],
        half_extents: [1, 0.5, 0.75],
        axes: [
          [0.8, 0.6, 0],
          [-0.6, 0.8, 0],
          [0, 0, 1],
        ],
      },
    },
    {
      of: "rectangle",
      dimension: 2,
      label: "Oriented box",
      initial: {
        center: [0, 0],
        half_extents: [1.5, 0.75],
        axes: [
          [QUARTER, QUARTER],
          [-QUARTER, QUARTER],
        ],
      },
    },
  ];

export function kindOf(dimension: Dimension, type: string): Kind {
  const found = KINDS.find((kind) => kind.dimension === dimension && kind.type === type);
  if (!found) throw new Error(`no kind of shape is called ${type} in ${dimension}D`);
  return found;
}
