// The construction of a test: points, lengths, areas and intervals of the ray, placed by the engine's numbers.

import type { Answers, Lab } from "./session.js";
import { formulaOf, termOf } from "./formulas.js";
import type { Hit, Mesh, Scene as OpenScene, ShapeReport } from "./interface.js";
import type { Dimension, Vec } from "./schema.js";
import type { Ink, Mark } from "./marks.js";
import { type RayState, type Scene, type Shape } from "./state.js";
import { ends } from "./transform.js";
import { across, add, at, cross, dot, length, mean, scale, sub, unit } from "./vector.js";

interface Context {
  lab: Lab;
  dimension: Dimension;
  ray: RayState;
  shape: Shape;
  report: ShapeReport;
  /** Hits of the whole line with this shape. */
  hits: Hit[];
  /** The numbers of the shape as the engine has them. */
  parameters: Record<string, unknown>;
  /** The triangle of a mesh that the line hits. */
  corners: Vec[] | null;
}

type Draw = (context: Context) => Mark[];

const INKS: Ink[] = ["x", "y", "z"];

/** A number of the report, by the beginning of its name. */
function step(report: ShapeReport, name: string): number | null {
  const found = report.steps.find((step) => "name" in step && step.name.startsWith(name));
  return found && "value" in found && Number.isFinite(found.value) ? found.value : null;
}

const vec = (shape: Shape, key: string): Vec => shape.fields[key] as Vec;
const num = (shape: Shape, key: string): number => shape.fields[key] as number;

function onRay({ ray }: Context, t: number): Vec {
  return at(ray.origin, ray.direction, t);
}

/** Entry and exit, by the engine. */
function crossings(context: Pick<Context, "hits" | "dimension">): Mark[] {
  return context.hits.slice(0, 2).map(({ point }, i) => ({
    kind: "point" as const,
    at: point.slice(0, context.dimension),
    label: i === 0 ? "E" : "E′",
    ink: "hit" as const,
  }));
}

const start = ({ ray }: Context): Mark => ({ kind: "point", at: ray.origin, label: "P", ink: "ink" });

/** Circle and sphere: P, O, A, E with e, a, b, f, r. */
const ball: Draw = (context) => {
  const { shape, ray, report } = context;
  const [p, o, r] = [ray.origin, vec(shape, "center"), num(shape, "radius")];
  const [a, halfChordSq] = [step(report, "a: projection"), step(report, "f^2") ?? step(report, "(f/r)^2")];
  const marks: Mark[] = [start(context), { kind: "point", at: o, label: "O", ink: "ink" }];
  marks.push({ kind: "segment", from: p, to: o, ink: "e", label: "e", arrow: true });
  if (a === null) return marks;
  const foot = onRay(context, a);
  marks.push({ kind: "point", at: foot, label: "A", ink: "a" });
  if (a !== 0) marks.push({ kind: "interval", t: a > 0 ? [0, a] : [a, 0], lane: 2, ink: "a", label: "a" });
  marks.push({ kind: "segment", from: o, to: foot, ink: "b", label: "b", dashed: true });
  const [enter] = context.hits;
  const e = enter?.point.slice(0, context.dimension);
  if (enter && e && halfChordSq !== null && halfChordSq >= 0) {
    if (enter.t < a) marks.push({ kind: "interval", t: [enter.t, a], lane: 1, ink: "f", label: "f" });
    marks.push({ kind: "segment", from: o, to: e, ink: "r", label: "r" });
  } else {
    const direction = length(sub(foot, o));
    if (direction > 0)
      marks.push({ kind: "segment", from: o, to: at(o, sub(foot, o), r / direction), ink: "r", label: "r" });
  }
  return [...marks, ...crossings(context)];
};

/** Plane, half-space, line, half-plane: the height of P above it, and its normal. */
const flat: Draw = (context) => {
  const { shape, ray } = context;
  const [q, n] = [vec(shape, "point"), unit(vec(shape, "normal"))];
  const foot = at(ray.origin, n, -dot(sub(ray.origin, q), n));
  return [
    start(context),
    { kind: "point", at: q, label: "Q", ink: "ink" },
    { kind: "segment", from: q, to: add(q, n), ink: "normal", label: "n", arrow: true },
    { kind: "segment", from: ray.origin, to: foot, ink: "b", label: "height", dashed: true },
    { kind: "segment", from: q, to: ray.origin, ink: "e", label: "P − Q", arrow: true },
    ...crossings(context),
  ];
};

const disk: Draw = (context) => {
  const { shape, lab, ray } = context;
  const [o, n, r] = [vec(shape, "center"), vec(shape, "normal"), num(shape, "radius")];
  const marks: Mark[] = [
    start(context),
    { kind: "point", at: o, label: "O", ink: "ink" },
    { kind: "segment", from: o, to: add(o, unit(n)), ink: "normal", label: "n", arrow: true },
    { kind: "circle", center: o, radius: r, normal: n, ink: "r" },
  ];
  const [t] = lab.crossings(3, ray, "plane", { point: o, normal: n });
  if (t === undefined) return marks;
  const e = onRay(context, t);
  marks.push({ kind: "segment", from: o, to: e, ink: "b", label: "distance" });
  return [...marks, { kind: "point", at: e, label: "E", ink: context.hits.length > 0 ? "hit" : "b" }];
};

/** Slabs: the interval of the ray between each pair of faces; their overlap is inside. */
const slabs: Draw = (context) => {
  const { shape, report, dimension } = context;
  const [o, h] = [vec(shape, "center"), vec(shape, "half_extents")];
  const axes = shape.fields["axes"] as Vec[] | undefined;
  const marks: Mark[] = [start(context), { kind: "point", at: o, label: "O", ink: "ink" }];
  for (let i = 0; i < dimension; i++) {
    const axis = axes?.[i] ?? o.map((_, j) => (i === j ? 1 : 0));
    const [ink, name] = [INKS[i]!, "xyz"[i]!];
    marks.push({ kind: "segment", from: o, to: at(o, axis, h[i]!), ink, label: `h${name}`, arrow: true });
    const [low, high] = [step(report, `${name}: slab in`), step(report, `${name}: slab out`)];
    if (low !== null && high !== null) {
      marks.push({ kind: "interval", t: [low, high], lane: i + 1, ink, label: `${name} slab` });
    }
  }
  return [...marks, ...crossings(context)];
};

/** The frame of a solid with an axis: where it stands, along it, and two directions across. */
function localFrame(a: Vec, b: Vec, size: number): Mark[] {
  const axis = sub(b, a);
  const marks: Mark[] = [{ kind: "segment", from: a, to: b, ink: "z", label: "axis", dashed: true }];
  if (a.length === 3 && length(axis) > 0) {
    const [u, v] = across(unit(axis));
    marks.push({ kind: "segment", from: a, to: at(a, u, size), ink: "x", label: "u", arrow: true });
    marks.push({ kind: "segment", from: a, to: at(a, v, size), ink: "y", label: "v", arrow: true });
    marks.push({ kind: "segment", from: a, to: at(a, unit(axis), size), ink: "z", label: "w", arrow: true });
  }
  return marks;
}

/** The side of a cylinder, cone or frustum without end, for the engine: far larger than the solid. */
function endless(shape: Shape, [a, b]: [Vec, Vec]): [string, Shape["fields"]] {
  const FAR = 1e6;
  const axis = sub(b, a);
  const [ra, rb] =
    shape.type === "frustum"
      ? [num(shape, "radius_a"), num(shape, "radius_b")]
      : shape.type === "cone"
        ? [num(shape, "radius"), 0]
        : [num(shape, "radius"), num(shape, "radius")];
  if (ra === rb) return ["cylinder", { a: at(a, axis, -FAR), b: at(b, axis, FAR), radius: ra }];
  const apex = at(a, axis, ra / (ra - rb));
  const [wide, radius] = ra > rb ? [a, ra] : [b, rb];
  return ["cone", { apex, base: at(apex, sub(wide, apex), FAR), radius: radius * FAR }];
}

/** Cylinder, cone, frustum: an interval within the infinite side and one between the caps; their overlap is inside. */
const revolved: Draw = (context) => {
  const { shape, lab, ray } = context;
  const [a, b] = ends(3, shape)!;
  const axis = sub(b, a);
  const radius = num(shape, shape.type === "frustum" ? "radius_a" : "radius");
  const marks: Mark[] = [start(context), ...localFrame(a, b, Math.max(radius, length(axis) / 4))];
  const [type, fields] = endless(shape, [a, b]);
  const side = lab.crossings(3, ray, type, fields);
  if (side.length === 2) marks.push({ kind: "interval", t: [side[0]!, side[1]!], lane: 1, ink: "x", label: "side" });
  const caps = [a, b].map((point) => lab.crossings(3, ray, "plane", { point, normal: axis })[0]);
  const [low, high] = caps as [number | undefined, number | undefined];
  if (low !== undefined && high !== undefined) {
    const t: [number, number] = low < high ? [low, high] : [high, low];
    marks.push({ kind: "interval", t, lane: 2, ink: "z", label: "caps" });
    for (const [name, at] of [
      ["a", low],
      ["b", high],
    ] as const) {
      marks.push({ kind: "point", at: onRay(context, at), label: `cap ${name}`, ink: "z" });
    }
  }
  return [...marks, ...crossings(context)];
};

const capsule: Draw = (context) => {
  const { shape, report, dimension } = context;
  const [a, b] = ends(dimension, shape)!;
  const radii = ["radius_a", "radius_b"].map((key) => (shape.fields[key] ?? shape.fields["radius"]) as number);
  const marks: Mark[] = [start(context), ...localFrame(a, b, Math.max(...radii))];
  const normal = context.dimension === 3 ? sub(context.ray.tip, context.ray.origin) : [0, 0, 1];
  [a, b].forEach((center, i) => marks.push({ kind: "circle", center, radius: radii[i]!, normal, ink: "r" }));
  const [low, high] = [step(report, "t where the infinite cylinder"), step(report, "t where it is left")];
  if (low !== null && high !== null) {
    marks.push({ kind: "interval", t: [low, high], lane: 1, ink: "x", label: dimension === 3 ? "cylinder" : "strip" });
  }
  return [...marks, ...crossings(context)];
};

/** The plane, where the ray meets it, and the three areas around that point. */
function areas(context: Context, corners: Vec[]): Mark[] {
  const { lab, ray, report } = context;
  const [a, b, c] = corners as [Vec, Vec, Vec];
  const normal = cross(sub(b, a), sub(c, a));
  const middle = mean(corners);
  const marks: Mark[] = [start(context)];
  ["a", "b", "c"].forEach((label, i) => marks.push({ kind: "point", at: corners[i]!, label, ink: INKS[i]! }));
  marks.push({ kind: "segment", from: middle, to: add(middle, unit(normal)), ink: "normal", label: "n", arrow: true });
  const [t] = lab.crossings(3, ray, "plane", { point: a, normal });
  if (t === undefined) return marks;
  const e = onRay(context, t);
  corners.forEach((_, i) => {
    const [p, q] = [corners[(i + 1) % 3]!, corners[(i + 2) % 3]!];
    const weight = step(report, `barycentric weight of ${"abc"[i]}`);
    const label = weight === null ? "" : `w${"abc"[i]} = ${weight.toFixed(3)}`;
    marks.push({ kind: "area", corners: [p, q, e], ink: INKS[i]!, label });
  });
  return [...marks, { kind: "point", at: e, label: "E", ink: context.hits.length > 0 ? "hit" : "b" }];
}

const triangle: Draw = (context) =>
  areas(
    context,
    ["a", "b", "c"].map((key) => vec(context.shape, key)),
  );

const mesh: Draw = (context) =>
  context.corners ? areas(context, context.corners) : [start(context), ...crossings(context)];

/** Polygons: their corners as the engine has them, counter-clockwise, and the two edges that are crossed. */
const polygon: Draw = (context) => {
  const { parameters, report } = context;
  const corners = (parameters["vertices"] ?? ["a", "b", "c"].map((key) => parameters[key])) as Vec[];
  const marks: Mark[] = [start(context)];
  corners.forEach((at, i) => marks.push({ kind: "point", at, label: String(i), ink: "soft" }));
  for (const [name, ink] of [
    ["edge entered", "x"],
    ["edge left", "y"],
  ] as const) {
    // An edge has the number of the corner where it ends.
    const edge = step(report, name);
    const to = edge === null ? undefined : corners[edge];
    if (edge === null || !to) continue;
    marks.push({ kind: "segment", from: corners.at(edge - 1)!, to, ink, label: name });
  }
  return [...marks, ...crossings(context)];
};

/** A segment as a shape: its ends on either side of the line. */
const segmentShape: Draw = (context) => {
  const { shape, ray } = context;
  const direction = unit(ray.direction);
  const marks: Mark[] = [start(context)];
  for (const [key, ink] of [
    ["a", "x"],
    ["b", "y"],
  ] as const) {
    const end = vec(shape, key);
    const foot = at(ray.origin, direction, dot(sub(end, ray.origin), direction));
    marks.push({ kind: "point", at: end, label: key, ink });
    marks.push({ kind: "segment", from: foot, to: end, ink, label: `side of ${key}`, dashed: true });
  }
  return [...marks, ...crossings(context)];
};

/** Ellipse and ellipsoid: the radii, and the chord with its middle. */
const ellipsoid: Draw = (context) => {
  const { shape, hits, dimension } = context;
  const [o, radii] = [vec(shape, "center"), vec(shape, "radii")];
  const axes = shape.fields["axes"] as Vec[] | undefined;
  const marks: Mark[] = [start(context), { kind: "point", at: o, label: "O", ink: "ink" }];
  radii.forEach((r, i) => {
    const axis = axes?.[i] ?? o.map((_, j) => (i === j ? 1 : 0));
    marks.push({ kind: "segment", from: o, to: at(o, axis, r), ink: INKS[i]!, label: `r${"xyz"[i]}`, arrow: true });
  });
  const [enter, leave] = hits;
  if (enter && leave && enter.t < leave.t) {
    const middle = scale(add(enter.point, leave.point), 0.5).slice(0, dimension);
    marks.push({ kind: "point", at: middle, label: "A", ink: "a" });
    marks.push({ kind: "interval", t: [enter.t, (enter.t + leave.t) / 2], lane: 1, ink: "f", label: "f" });
  }
  return [...marks, ...crossings(context)];
};

const DRAWINGS: Record<string, Draw> = {
  sphere: ball,
  circle: ball,
  plane: flat,
  half_space: flat,
  line: flat,
  half_plane: flat,
  disk,
  box: slabs,
  rectangle: slabs,
  cylinder: revolved,
  cone: revolved,
  frustum: revolved,
  capsule,
  tapered_capsule: capsule,
  ellipsoid,
  ellipse: ellipsoid,
  polygon,
  segment: segmentShape,
  mesh,
};

/** The construction of the test of one shape. */
export function construct(lab: Lab, { dimension, ray, shapes }: Scene, answers: Answers, index: number): Mark[] {
  const shape = shapes[index];
  const report = answers.reports.find((report) => report.shape === index);
  if (!shape || !report || length(ray.direction) === 0) return [];
  const all = answers.line?.all.filter((hit) => hit.shape === index) ?? [];
  const wanted = answers.answer?.all.find((hit) => hit.shape === index) ?? all[0];
  // The numbers of a shape with a matrix are not where the picture has it: only the crossings are.
  if (shape.matrix) return crossings({ hits: all, dimension });
  const draw = shape.type === "triangle" ? (dimension === 3 ? triangle : polygon) : DRAWINGS[shape.type];
  const corners = shape.type === "mesh" ? meshCorners(answers, index, wanted) : null;
  const parameters = answers.opened?.shapes[index]?.parameters ?? {};
  const marks = draw?.({ lab, dimension, ray, shape, report, hits: all, parameters, corners }) ?? [];
  const terms = formulaOf(dimension, shape.type)?.terms ?? {};
  return marks.map((mark) => {
    const name = "label" in mark && mark.label ? termOf(terms, mark.label) : undefined;
    return name ? { ...mark, name } : mark;
  });
}

const meshes = new WeakMap<OpenScene, Map<number, Mesh | null>>();

function meshCorners({ opened }: Answers, index: number, hit: Hit | undefined): Vec[] | null {
  if (!opened || hit?.primitive === null || hit?.primitive === undefined) return null;
  // A mesh is copied out of the engine: once, not for each frame.
  const known = meshes.get(opened) ?? new Map<number, Mesh | null>();
  if (!known.has(index)) known.set(index, opened.mesh(index));
  meshes.set(opened, known);
  const mesh = known.get(index);
  if (!mesh) return null;
  return [0, 1, 2].map((corner) => {
    const vertex = mesh.triangles[3 * hit!.primitive! + corner]!;
    return [...mesh.positions.subarray(3 * vertex, 3 * vertex + 3)];
  });
}
