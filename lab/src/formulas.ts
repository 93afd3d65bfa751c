// The tests in the words of the articles: what is computed, and which comparison decides.

export interface Formula {
  lines: string[];
  note: string;
}

const ball: Formula = {
  lines: ["e = O − P", "a = e · d", "f² = r² − (e² − a²)", "t = a − f   (exit: a + f)"],
  note: "A is the point of the line nearest to O, at the distance b = √(e² − a²). With f² < 0 the line passes outside; with a < 0 and P outside, the ball lies behind. Here d has length 1; the engine counts t in lengths of the direction.",
};

const flat: Formula = {
  lines: ["height = n · (P − Q)", "slope = n · d", "t = − height / slope"],
  note: "With slope = 0 the line is parallel: it misses, or runs inside for ever.",
};

const slabs: Formula = {
  lines: [
    "t_in(i) = (−hᵢ − pᵢ) / dᵢ",
    "t_out(i) = (+hᵢ − pᵢ) / dᵢ",
    "enter = max t_in,  leave = min t_out",
    "hit ⇔ enter ≤ leave",
  ],
  note: "p is P seen from the centre, in the axes of the box, for d > 0 (otherwise in and out change places). Each pair of faces is a slab; inside is what the three stretches have in common. The engine decides by the axes that could separate line and box, which needs no division, and takes t from the slabs.",
};

const revolved: Formula = {
  lines: [
    "u, v, w: w along the axis, from a",
    "A t² + 2 B t + C = 0   the side",
    "t(cap) = (cap − height) / (w · d)",
    "inside = side ∩ caps",
  ],
  note: "The side without end gives one stretch of the line, the two caps another. The overlap is the solid: it begins on the side or on a cap, and an empty overlap is a miss. A discriminant < 0 means that the line passes the side.",
};

const polygon: Formula = {
  lines: ["side(i) = d × (vᵢ − P)", "hit ⇔ the signs of the sides differ"],
  note: "Where the sign changes, the line crosses the edge between those two corners.",
};

const ellipsoid: Formula = {
  lines: ["p, d ← divided by the radii", "f² = 1 − |p × d|² / d²", "t = t(A) ∓ f / |d|"],
  note: "Divided by its radii the shape becomes a ball of radius 1, and the line stays a line with the same t.",
};

const triangle: Formula = {
  lines: [
    "n = (b − a) × (c − a)",
    "t = n · (a − P) / (n · d)",
    "wa + wb + wc = 1   areas around E",
    "hit ⇔ wa, wb, wc ≥ 0",
  ],
  note: "E is where the ray meets the plane. Each weight is the area of the part across from its corner, over the whole. The engine takes the signs from the side products of the line with the edges, which two triangles of one edge compute with opposite signs.",
};

const FORMULAS: Record<string, Formula> = {
  sphere: ball,
  circle: ball,
  plane: flat,
  line: flat,
  half_space: {
    ...flat,
    note: "In front of the boundary height > 0. With slope < 0 the ray enters, with slope > 0 it leaves; with slope = 0 it runs outside or inside for ever.",
  },
  half_plane: {
    ...flat,
    note: "In front of the boundary height > 0. With slope < 0 the ray enters, with slope > 0 it leaves; with slope = 0 it runs outside or inside for ever.",
  },
  disk: {
    lines: [...flat.lines, "hit ⇔ |E − O| ≤ r"],
    note: "First the plane, then the distance of that point from the centre. A ray in the plane of the disk misses it.",
  },
  box: slabs,
  rectangle: slabs,
  cylinder: revolved,
  cone: revolved,
  frustum: revolved,
  capsule: {
    lines: ["distance of line and axis ≤ r", "A t² + 2 B t + C = 0   the side", "beyond an end: the ball there"],
    note: "Everything within r of the core from a to b. If the side is entered between the ends, that is the hit; beyond an end the ball around it decides.",
  },
  ellipsoid,
  ellipse: ellipsoid,
  polygon,
  segment: {
    lines: ["side(a) = d × (a − P)", "side(b) = d × (b − P)", "hit ⇔ the signs differ, or one is 0"],
    note: "The line passes between the ends if they lie on different sides of it. Along the wall is a miss.",
  },
  triangle,
  triangle2: polygon,
  mesh: {
    lines: ["a tree of boxes → a few triangles", ...triangle.lines],
    note: "Shown for the triangle that is met. Edges and corners belong to exactly one of the triangles that share them, so no ray leaks through a closed mesh, and none counts a crossing twice.",
  },
};

export const formulaOf = (dimension: number, type: string): Formula | undefined =>
  FORMULAS[type === "triangle" && dimension === 2 ? "triangle2" : type];
