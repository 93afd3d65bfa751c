// The kinds of query: their names, what they are given by, and what their letters stand for.

import type { Formula } from "./formulas.js";
import { endsOf, VOLUME, type QueryKind, type Scene, type Selected } from "./state.js";

export interface QueryInfo {
  kind: QueryKind;
  label: string;
  title: string;
  /** What there is to do in the picture. */
  hint: string;
  /** What is computed; a ray has the formula of the shape. */
  formula?: Formula;
}

const n = "the direction out of the shape: the normal, where the surface is smooth";

export const QUERIES: readonly QueryInfo[] = [
  {
    kind: "ray",
    label: "Ray",
    title: "The hits of a ray",
    hint: "Drag the dots of the ray, or a shape: the picture and the answer follow.",
  },
  {
    kind: "closest",
    label: "Closest point",
    title: "The point of all surfaces that is closest to a point, and the signed distance",
    hint: "Drag the dot, or a shape: the closest point and the distance follow.",
    formula: {
      lines: ["d = min |P − C| over the points C of all surfaces", "signed distance = d outside, −d inside"],
      note: "The ball around P of radius d touches the surface in C, and no surface is within it. Inside of solids, the signed distance is that of the one with P deepest inside.",
      terms: { P: "the query point", C: "the closest point", d: "the distance", n },
    },
  },
  {
    kind: "sweep",
    label: "Thick ray",
    title: "The first contact of a ball that moves along the ray",
    hint: "Drag the dots of the ray, or a shape: the ball moves along until it touches something.",
    formula: {
      lines: ["M = P + t d", "t = the least t for which a point E of a surface has |M − E| ≤ r"],
      note: "A ball that touches a shape at the start has its contact there: depth says how far it reaches into the shape, and n where to it leaves.",
      terms: {
        P: "the centre of the ball at the start",
        M: "the centre of the ball at the contact",
        E: "the contact point on the surface",
        r: "the radius of the ball",
        t: "the t of the contact, in lengths of the direction",
        d: "the direction of the ray",
        n: "the direction in which the ball leaves the shape",
      },
    },
  },
  {
    kind: "overlap",
    label: "Overlap",
    title: "Every shape that has a point in common with a volume",
    hint: "Drag the volume, or a shape: what it overlaps turns red.",
    formula: {
      lines: ["V overlaps S ⇔ V and S have a point in common"],
      note: "Touching is overlapping. Solids contain their inside, and so do closed meshes; planes, disks and triangles are surfaces.",
      terms: { V: "the volume", S: "a shape of the scene" },
    },
  },
];

export const queryInfo = ({ query }: Scene): QueryInfo => QUERIES.find(({ kind }) => kind === query.kind)!;

/** What the keys 1 and 2 select. */
export const handlesOf = (scene: Scene): readonly Selected[] =>
  scene.query.kind === "overlap" ? [VOLUME] : endsOf(scene);
