// The ray test of each kind of shape: its formula, the comparison that decides, and the names of its letters.

export interface Formula {
  lines: string[];
  note: string;
  /** The names of the letters, in the formula and in the picture. */
  terms: Record<string, string>;
}

const P = "the origin of the ray";
const E = "the point where the ray enters";
const crossings = { P, E, "E′": "the point where the line leaves" };
const d = "the direction of the ray";

const ball: Formula = {
  lines: ["e = O − P", "a = (e · d) / d²", "b = |e − a d|", "(f/r)² = 1 − (b/r)²", "t = a ∓ f / |d|"],
  note: "− is the entry, + the exit. With (f/r)² < 0 the line passes outside; with a < 0 and P outside, the ball lies behind. a and t count in lengths of the direction, the others in units of the scene.",
  terms: {
    ...crossings,
    O: "the centre",
    A: "the point of the line that is nearest to the centre",
    e: "the vector from the origin of the ray to the centre",
    a: "the t of A: the projection of e on the direction",
    b: "the distance of the line from the centre",
    f: "half the chord that the ball cuts from the line",
    r: "the radius",
    d,
    t: "the t of the hit",
  },
};

const flat: Formula = {
  lines: ["height = n · (P − Q)", "slope = n · d", "t = − height / slope"],
  note: "With slope = 0 the line is parallel: it misses, or runs inside for ever.",
  terms: {
    ...crossings,
    Q: "the point that the shape is given by",
    n: "the normal",
    d,
    height: "the height of the origin of the ray above the boundary, in lengths of the normal",
    slope: "the change of the height in one length of the direction",
    "P − Q": "the vector from Q to the origin of the ray",
    t: "the t of the hit",
  },
};

const slabTerms = {
  ...crossings,
  O: "the centre",
  ...Object.fromEntries(
    [..."xyz"].flatMap((axis) => [
      [`h${axis}`, `half the extent along ${axis}`],
      [`${axis} slab`, `the interval of t between the two faces across ${axis}`],
    ]),
  ),
  hᵢ: "half the extent along axis i",
  pᵢ: "the origin of the ray along axis i, seen from the centre",
  dᵢ: "the direction along axis i",
  t_in: "the t where the line enters the slab of axis i",
  t_out: "the t where the line leaves the slab of axis i",
};

const slabs: Formula = {
  lines: [
    "t_in(i) = (−hᵢ − pᵢ) / dᵢ",
    "t_out(i) = (+hᵢ − pᵢ) / dᵢ",
    "enter = max t_in,  leave = min t_out",
    "hit ⇔ enter ≤ leave",
  ],
  note: "Each pair of faces is a slab, and the overlap of the three intervals is inside. This is for d > 0; otherwise in and out change places. The engine decides by the axes that could separate line and box, which needs no division, and takes t from the slabs.",
  terms: slabTerms,
};

const axial = {
  ...crossings,
  axis: "the axis, from a to b",
  u: "a unit vector across the axis",
  v: "a unit vector across the axis and u",
  w: "the unit vector along the axis",
};

const revolved: Formula = {
  lines: [
    "u, v, w: w along the axis, from a",
    "A t² + 2 B t + C = 0   the side",
    "t(cap) = (cap − height) / (w · d)",
    "inside = side ∩ caps",
  ],
  note: "The infinite side gives one interval of the line, the two caps another. Their overlap is the solid: it begins on the side or on a cap, and an empty overlap is a miss. A discriminant < 0 means that the line passes the side.",
  terms: {
    ...axial,
    a: "the end of the axis where w begins",
    d,
    height: "the height of the origin of the ray along w",
    side: "the interval of t within the infinite side",
    caps: "the interval of t between the planes of the caps",
    "cap a": "where the line crosses the plane of the cap at a",
    "cap b": "where the line crosses the plane of the cap at b",
  },
};

const corners = { a: "the first corner", b: "the second corner", c: "the third corner" };

const polygon: Formula = {
  lines: ["side(i) = d × (vᵢ − P)", "hit ⇔ the signs of the sides differ"],
  note: "Where the sign changes, the line crosses the edge between those two corners.",
  terms: {
    ...crossings,
    d,
    vᵢ: "corner i",
    side: "the side of the line on which corner i lies, by its sign",
    "edge entered": "the edge where the line enters",
    "edge left": "the edge where the line leaves",
  },
};

const ellipsoid: Formula = {
  lines: ["p, d ← divided by the radii", "f² = 1 − |p × d|² / d²", "t = t(A) ∓ f / |d|"],
  note: "Divided by its radii the shape becomes a ball of radius 1, and the line stays a line with the same t.",
  terms: {
    ...crossings,
    O: "the centre",
    A: "the middle of the chord",
    p: "the origin of the ray, seen from the centre and divided by the radii",
    d: "the direction of the ray, divided by the radii",
    f: "half the chord, in the ball of radius 1",
    rx: "the first radius",
    ry: "the second radius",
    rz: "the third radius",
  },
};

const triangle: Formula = {
  lines: [
    "n = (b − a) × (c − a)",
    "t = n · (a − P) / (n · d)",
    "wa + wb + wc = 1   areas around E",
    "hit ⇔ wa, wb, wc ≥ 0",
  ],
  note: "Each weight is the area of the part across from its corner, over the whole. The engine takes the signs from the side products of the line with the edges, which two triangles of one edge compute with opposite signs.",
  terms: {
    ...corners,
    P,
    d,
    n: "the normal",
    E: "the point where the line crosses the plane of the triangle",
    wa: "the barycentric weight of a",
    wb: "the barycentric weight of b",
    wc: "the barycentric weight of c",
    t: "the t of the hit",
  },
};

const half: Formula = {
  ...flat,
  note: "In front of the boundary height > 0. With slope < 0 the ray enters, with slope > 0 it leaves; with slope = 0 it runs outside or inside for ever.",
};

const FORMULAS: Record<string, Formula> = {
  sphere: ball,
  circle: ball,
  plane: flat,
  line: flat,
  half_space: half,
  half_plane: half,
  disk: {
    lines: [...flat.lines, "hit ⇔ |E − O| ≤ r"],
    note: "First the plane, then the distance of that point from the centre. A ray in the plane of the disk misses it.",
    terms: {
      ...flat.terms,
      O: "the centre",
      Q: "the centre, as the point that the plane is given by",
      E: "the point where the line crosses the plane of the disk",
      r: "the radius",
      distance: "the distance of E from the centre",
    },
  },
  box: slabs,
  rectangle: slabs,
  cylinder: revolved,
  cone: revolved,
  frustum: revolved,
  capsule: {
    lines: ["distance of line and axis ≤ r", "A t² + 2 B t + C = 0   the side", "beyond an end: the ball there"],
    note: "All points within r of the axis from a to b. If the line enters the side between the ends, that is the hit; beyond an end the ball around it decides.",
    terms: {
      ...axial,
      r: "the radius",
      cylinder: "the interval of t within the infinite side",
      strip: "the interval of t between the two parallel sides",
    },
  },
  tapered_capsule: {
    lines: [
      "g = r_b − r_a,  sin α = g / |b − a|",
      "A t² + 2 B t + C = 0   the cone around both balls",
      "beyond a circle of contact: the ball there",
    ],
    note: "The convex hull of two balls. The cone touches each ball along a circle; if the line enters it between the circles, that is the hit, and elsewhere the ball there decides. If one ball contains the other, there is no cone.",
    terms: {
      ...axial,
      r: "the radius of a ball",
      g: "the growth of the radius from a to b",
      α: "the angle between the side and the axis",
    },
  },
  ellipsoid,
  ellipse: ellipsoid,
  polygon,
  segment: {
    lines: ["side(a) = d × (a − P)", "side(b) = d × (b − P)", "hit ⇔ the signs differ, or one is 0"],
    note: "The line passes between the ends if they lie on different sides of it. A ray along the segment misses it.",
    terms: {
      ...crossings,
      a: "the first end",
      b: "the second end",
      d,
      side: "the side of the line on which an end lies, by its sign",
      "side of a": "the distance of a from the line",
      "side of b": "the distance of b from the line",
    },
  },
  triangle,
  triangle2: { ...polygon, terms: { ...polygon.terms, ...corners } },
  mesh: {
    lines: ["a tree of boxes → a few triangles", ...triangle.lines],
    note: "This is the triangle that the ray hits. Edges and corners belong to exactly one of the triangles that share them, so no ray leaks through a closed mesh, and none counts a crossing twice.",
    terms: triangle.terms,
  },
};

export const formulaOf = (dimension: number, type: string): Formula | undefined =>
  FORMULAS[type === "triangle" && dimension === 2 ? "triangle2" : type];

/** The parts of a line: letters that have a name, and the text between them. */
export function partsOf(line: string, terms: Formula["terms"]): { text: string; name?: string }[] {
  // Words, and letters with their indices. A comment stands three spaces behind its formula.
  const [formula = "", comment = ""] = line.split(/(?=   )/, 2);
  const words = formula.match(/[\p{L}_]+′?|[^\p{L}_]+/gu) ?? [];
  return [...words, comment].filter(Boolean).map((text) => (terms[text] ? { text, name: terms[text] } : { text }));
}

/** The name of a label of the picture: `wa = 0.25` has that of `wa`, a number that of a corner. */
export function termOf(terms: Formula["terms"], label: string): string | undefined {
  return terms[label] ?? terms[label.split(" = ")[0]!] ?? (/^\d+$/.test(label) ? `corner ${label}` : undefined);
}
