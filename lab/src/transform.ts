// Translation, rotation and scaling of a shape, by the roles of its fields.

import { kindOf, type Dimension, type Field, type Value, type Vec } from "./schema.js";
import type { Placement, Shape } from "./state.js";
import { across, add, cross, dot, length, mean, scale, sub, roundTo, unit } from "./vector.js";

export const NO_PLACEMENT: Placement = { scale: [1, 1, 1], axis: [0, 0, 1], degrees: 0, translation: [0, 0, 0] };

const fieldsOf = (dimension: Dimension, shape: Shape): Field[] => kindOf(dimension, shape.type).fields;

const identity = (dimension: Dimension): Vec[] =>
  Array.from({ length: dimension }, (_, i) => Array.from({ length: dimension }, (_, j) => (i === j ? 1 : 0)));

/** The points that place a shape. */
function points(dimension: Dimension, shape: Shape): Vec[] {
  return fieldsOf(dimension, shape).flatMap(({ key, role }) => {
    if (role === "point") return [shape.fields[key] as Vec];
    return role === "points" ? (shape.fields[key] as Vec[]) : [];
  });
}

/** The image of a point of a shape under its matrix. */
export const image = ({ matrix }: Shape, point: Vec): Vec =>
  matrix ? matrix.map((row) => dot(row.slice(0, -1), point) + row.at(-1)!) : point;

/** The columns of a matrix; the last one is the translation. */
export const columnsOf = (matrix: Vec[]): Vec[] => matrix[0]!.map((_, j) => matrix.map((row) => row[j]!));

/** Changes the matrix of a shape as a map of space changes its image. */
function mapImage(shape: Shape, map: (p: Vec) => Vec): void {
  const columns = columnsOf(shape.matrix!);
  const origin = columns.pop()!;
  const to = map(origin);
  const axes = columns.map((column) => sub(map(add(origin, column)), to));
  shape.matrix = to.map((x, i) => [...axes.map((axis) => axis[i]!), x]);
}

/** The image of a line, a half-plane, a segment, a triangle or a polygon of the plane, without a matrix. */
export function withoutMatrix(shape: Shape): Shape {
  const { matrix, ...bare } = shape;
  if (!matrix || !["line", "half_plane", "segment", "triangle", "polygon"].includes(shape.type)) return shape;
  const [[a, b], [c, d]] = matrix as [Vec, Vec] as [[number, number], [number, number]];
  const sign = a * d - b * c < 0 ? -1 : 1;
  const fields = Object.entries(bare.fields).map(([key, value]): [string, Value] => {
    if (key === "vertices") return [key, (value as Vec[]).map((p) => image(shape, p))];
    if (key !== "normal") return [key, image(shape, value as Vec)];
    const [x, y] = value as [number, number];
    return [key, [sign * (d * x - c * y), sign * (a * y - b * x)]];
  });
  return { ...bare, fields: Object.fromEntries(fields) };
}

/** The fixed point of rotations and scalings. */
export function pivot(dimension: Dimension, shape: Shape): Vec {
  if (shape.matrix && shape.placement) return columnsOf(shape.matrix).at(-1)!;
  if (shape.placement) return shape.placement.translation;
  return image(shape, mean(points(dimension, shape)));
}

/** The two ends of the axis of a capsule, tapered capsule, cylinder, cone or frustum. */
export function ends(dimension: Dimension, shape: Shape): [Vec, Vec] | null {
  const found = points(dimension, shape);
  const round = fieldsOf(dimension, shape).some(({ role }) => role === "length");
  return round && found.length === 2 ? [found[0]!, found[1]!] : null;
}

/** The axes of scaling. The axis of a cylinder, say, is the last one in space and the first one in the plane. */
export function frame(dimension: Dimension, shape: Shape): Vec[] {
  if (shape.matrix) return identity(dimension);
  const axes = shape.fields["axes"] as Vec[] | undefined;
  if (axes) return axes;
  if (shape.placement) return columns(shape.placement);
  const [a, b] = ends(dimension, shape) ?? [];
  const normal = shape.fields["normal"] as Vec | undefined;
  const along = a && b && length(sub(b, a)) > 0 ? unit(sub(b, a)) : normal && unit(normal);
  if (!along) return identity(dimension);
  return dimension === 2 ? [along, [-along[1]!, along[0]!]] : [...across(along), along];
}

/** The rotated axes of a placement (Rodrigues), for drawing and dragging. */
export function columns({ axis, degrees }: Placement): Vec[] {
  const turned = rotation(axis, (degrees * Math.PI) / 180);
  return identity(3).map(turned);
}

/** The rotation about an axis of space, right-handed. */
export function rotation(axis: Vec, angle: number): (v: Vec) => Vec {
  const [u, c, s] = [unit(axis), Math.cos(angle), Math.sin(angle)];
  return (v) => add(add(scale(v, c), scale(cross(u, v), s)), scale(u, dot(u, v) * (1 - c)));
}

export function rotation2(angle: number): (v: Vec) => Vec {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return ([x = 0, y = 0]) => [c * x - s * y, s * x + c * y];
}

export function move(dimension: Dimension, shape: Shape, by: Vec): void {
  if (shape.matrix) return mapImage(shape, (p) => add(p, by));
  mapPoints(dimension, shape, (p) => add(p, by));
}

export function rotateShape(dimension: Dimension, shape: Shape, rotate: (v: Vec) => Vec, about: Vec): void {
  if (shape.matrix) return mapImage(shape, (p) => add(about, rotate(sub(p, about))));
  mapPoints(dimension, shape, (p) => add(about, rotate(sub(p, about))));
  if (shape.placement) Object.assign(shape.placement, axisAngle(columns(shape.placement).map(rotate)));
  for (const { key, role } of fieldsOf(dimension, shape)) {
    if (role === "direction") shape.fields[key] = rotate(shape.fields[key] as Vec);
    if (role === "axes" && (shape.fields[key] || !isRound(shape))) {
      const axes = (shape.fields[key] as Vec[] | undefined) ?? identity(dimension);
      shape.fields[key] = orthonormal(axes.map(rotate));
    }
  }
}

/** Whether a rotation changes nothing. */
export const isRound = (shape: Shape): boolean =>
  !shape.matrix && (shape.type === "sphere" || shape.type === "circle");

/** Whether a shape has no size to scale. */
export const isEndless = (dimension: Dimension, shape: Shape): boolean =>
  !shape.placement &&
  fieldsOf(dimension, shape).every(({ role }) => role === "direction" || role === "point") &&
  "normal" in shape.fields;

/** Scales by a factor along each axis of the frame. Round parts scale by what lies across them. */
export function scaleShape(dimension: Dimension, shape: Shape, factors: Vec, axes: Vec[], about: Vec): void {
  if (isEndless(dimension, shape)) return;
  const scaled = (p: Vec): Vec => {
    const rel = sub(p, about);
    return axes.reduce((sum, axis, i) => add(sum, scale(axis, dot(rel, axis) * factors[i]!)), about);
  };
  if (shape.matrix) return mapImage(shape, scaled);
  const strongest = (list: Vec): number =>
    list.reduce((best, x) => (Math.abs(Math.log(Math.abs(x))) > Math.abs(Math.log(Math.abs(best))) ? x : best), 1);
  const axial = ends(dimension, shape) !== null;
  const round = Math.abs(strongest(axial ? (dimension === 3 ? factors.slice(0, 2) : factors.slice(1)) : factors));
  if (shape.placement) {
    shape.placement.scale = shape.placement.scale.map((x, i) => x * factors[i]!);
    return;
  }
  mapPoints(dimension, shape, scaled);
  for (const { key, role } of fieldsOf(dimension, shape)) {
    if (role === "length") shape.fields[key] = (shape.fields[key] as number) * round;
    if (role === "lengths") shape.fields[key] = (shape.fields[key] as Vec).map((x, i) => x * Math.abs(factors[i]!));
  }
}

/** Rounds to the digits that a pointer resolves; axes keep all of theirs. */
export function roundShape(dimension: Dimension, shape: Shape, digits: number): void {
  if (shape.matrix) {
    shape.matrix = shape.matrix.map((row) => [...row.slice(0, -1), roundTo(row.at(-1)!, digits)]);
    return;
  }
  const round = (value: Value): Value =>
    Array.isArray(value)
      ? ((value as Value[]).map(round) as Value)
      : typeof value === "number"
        ? roundTo(value, digits)
        : value;
  for (const { key, role } of fieldsOf(dimension, shape)) {
    if (role === "direction") {
      const n = (shape.fields[key] as Vec).map((x) => roundTo(x, Math.max(digits, 4)));
      if (length(n) > 0) shape.fields[key] = n;
    } else if (role !== "axes" && shape.fields[key] !== undefined) {
      shape.fields[key] = round(shape.fields[key]);
    }
  }
  const { placement } = shape;
  if (!placement) return;
  placement.scale = placement.scale.map((x) => roundTo(x, Math.max(digits, 3)) || 0.001);
  placement.translation = placement.translation.map((x) => roundTo(x, digits));
}

function mapPoints(dimension: Dimension, shape: Shape, map: (p: Vec) => Vec): void {
  if (shape.placement) shape.placement.translation = map(shape.placement.translation);
  for (const { key, role } of fieldsOf(dimension, shape)) {
    if (role === "point") shape.fields[key] = map(shape.fields[key] as Vec);
    if (role === "points") shape.fields[key] = (shape.fields[key] as Vec[]).map(map);
  }
}

/** Gram-Schmidt: the axes stay orthonormal to the last digits after many rotations. */
function orthonormal(axes: Vec[]): Vec[] {
  const done: Vec[] = [];
  for (const given of axes) {
    let axis = given;
    for (const before of done) axis = sub(axis, scale(before, dot(axis, before)));
    done.push(unit(unit(axis)).map((x) => x + 0));
  }
  return done;
}

/** The axis and angle of a rotation given by its columns. */
function axisAngle([x, y, z]: Vec[]): { axis: Vec; degrees: number } {
  const [m00, m10, m20] = x as [number, number, number];
  const [m01, m11, m21] = y as [number, number, number];
  const [m02, m12, m22] = z as [number, number, number];
  const axis = [m21 - m12, m02 - m20, m10 - m01];
  const [sin, cos] = [length(axis) / 2, (m00 + m11 + m22 - 1) / 2];
  const angle = Math.atan2(sin, cos);
  if (sin < 1e-9) {
    if (cos > 0) return { axis: [0, 0, 1], degrees: 0 };
    // A rotation by 180°: the axis is the longest column of M + 1.
    const [first] = [
      [m00 + 1, m10, m20],
      [m01, m11 + 1, m21],
      [m02, m12, m22 + 1],
    ].sort((p, q) => length(q) - length(p));
    return { axis: unit(first!), degrees: 180 };
  }
  return { axis: unit(axis).map((c) => roundTo(c, 6)), degrees: roundTo((angle * 180) / Math.PI, 3) };
}
