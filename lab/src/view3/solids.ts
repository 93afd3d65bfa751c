// Geometry of each shape of space: a surface, and lines along its edges.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CircleGeometry,
  CylinderGeometry,
  EdgesGeometry,
  LatheGeometry,
  Matrix4,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import type { Mesh } from "../interface.js";
import type { Vec } from "../schema.js";
import type { Shape } from "../state.js";
import { across, length, sub, unit } from "../vector.js";

export interface Drawing {
  surface: BufferGeometry;
  edges: BufferGeometry | null;
}

/** Half the side of the patch that stands for an infinite plane. */
export const PATCH = 5;
const ROUND = 64;

const vec = (shape: Shape, key: string): Vec => shape.fields[key] as Vec;
const num = (shape: Shape, key: string): number => shape.fields[key] as number;
const v3 = ([x = 0, y = 0, z = 0]: Vec): Vector3 => new Vector3(x, y, z);

/** The matrix of three columns and an origin. */
const matrix = (x: Vec, y: Vec, z: Vec, at: Vec): Matrix4 =>
  new Matrix4().makeBasis(v3(x), v3(y), v3(z)).setPosition(v3(at));

/** The y axis of a geometry goes along `along`. */
function upright(along: Vec, at: Vec): Matrix4 {
  const [x, z] = across(unit(along));
  return matrix(z, unit(along), x, at);
}

const middle = (a: Vec, b: Vec): Vec => a.map((x, i) => (x + b[i]!) / 2);

function drawing(surface: BufferGeometry, placed: Matrix4, edgeAngle: number | null): Drawing {
  const edges = edgeAngle === null ? null : new EdgesGeometry(surface, edgeAngle).applyMatrix4(placed);
  return { surface: surface.applyMatrix4(placed), edges };
}

function axes(shape: Shape): [Vec, Vec, Vec] {
  return (
    (shape.fields["axes"] as [Vec, Vec, Vec] | undefined) ?? [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]
  );
}

function between(a: Vec, b: Vec, make: (height: number) => BufferGeometry, edgeAngle: number | null): Drawing {
  const along = sub(b, a);
  return drawing(make(length(along)), upright(length(along) > 0 ? along : [0, 1, 0], middle(a, b)), edgeAngle);
}

const cylinder = (top: number, bottom: number) => (height: number) => new CylinderGeometry(top, bottom, height, ROUND);

/** The surface of revolution around two balls: half the outline, from below the lower ball to above the upper one. */
const tapered = (lower: number, upper: number) => (height: number) => {
  // If one ball contains the other, its half circle alone.
  const sine = (upper - lower) / height;
  const contact = Math.abs(sine) < 1 ? -Math.asin(sine) : (Math.PI / 2) * (upper > lower ? -1 : 1);
  const arc = (center: number, r: number, from: number, to: number): Vector2[] =>
    Array.from({ length: ROUND / 2 + 1 }, (_, i) => {
      const angle = from + ((to - from) * i) / (ROUND / 2);
      return new Vector2(r * Math.cos(angle), center + r * Math.sin(angle));
    });
  const below = arc(-height / 2, lower, -Math.PI / 2, contact);
  return new LatheGeometry([...below, ...arc(height / 2, upper, contact, Math.PI / 2)], ROUND);
};

function patch(shape: Shape): Drawing {
  const [x, z] = across(unit(vec(shape, "normal")));
  const surface = new BufferGeometry();
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].flatMap(([p, q]) => vec(shape, "point").map((o, i) => o + PATCH * (p! * x[i]! + q! * z[i]!)));
  surface.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  surface.setIndex([0, 1, 2, 0, 2, 3]);
  surface.computeVertexNormals();
  return { surface, edges: new EdgesGeometry(surface) };
}

/** A half-space as a box below a patch of its boundary. */
function halfSpace(shape: Shape): Drawing {
  const n = unit(vec(shape, "normal"));
  const [x, z] = across(n);
  const DEPTH = 0.5;
  const at = vec(shape, "point").map((o, i) => o - (DEPTH / 2) * n[i]!);
  return drawing(new BoxGeometry(2 * PATCH, DEPTH, 2 * PATCH), matrix(z, n, x, at), 20);
}

function triangles(mesh: Mesh): Drawing {
  const surface = new BufferGeometry();
  surface.setAttribute("position", new BufferAttribute(new Float32Array(mesh.positions), 3));
  surface.setIndex(new BufferAttribute(mesh.triangles, 1));
  // Flat shading: every triangle has its own vertices.
  const flat = surface.toNonIndexed();
  flat.computeVertexNormals();
  const few = mesh.triangles.length < 60_000;
  return { surface: flat, edges: few ? new EdgesGeometry(surface, 12) : null };
}

function triangle(shape: Shape): Drawing {
  const surface = new BufferGeometry();
  const corners = [...vec(shape, "a"), ...vec(shape, "b"), ...vec(shape, "c")];
  surface.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  surface.computeVertexNormals();
  return { surface, edges: new EdgesGeometry(surface) };
}

export function draw(shape: Shape, mesh: Mesh | null): Drawing | null {
  switch (shape.type) {
    case "sphere": {
      const r = num(shape, "radius");
      return drawing(
        new SphereGeometry(r, ROUND, 40),
        matrix([1, 0, 0], [0, 1, 0], [0, 0, 1], vec(shape, "center")),
        null,
      );
    }
    case "ellipsoid": {
      const [x, y, z] = axes(shape);
      const [a, b, c] = vec(shape, "radii") as [number, number, number];
      const scaled = new SphereGeometry(1, ROUND, 40).scale(a, b, c);
      return drawing(scaled, matrix(x, y, z, vec(shape, "center")), null);
    }
    case "box": {
      const [x, y, z] = axes(shape);
      const [a, b, c] = vec(shape, "half_extents") as [number, number, number];
      return drawing(new BoxGeometry(2 * a, 2 * b, 2 * c), matrix(x, y, z, vec(shape, "center")), 20);
    }
    case "capsule":
      return between(
        vec(shape, "a"),
        vec(shape, "b"),
        (height) => new CapsuleGeometry(num(shape, "radius"), height, 20, ROUND),
        null,
      );
    case "tapered_capsule":
      return between(vec(shape, "a"), vec(shape, "b"), tapered(num(shape, "radius_a"), num(shape, "radius_b")), null);
    case "cylinder":
      return between(vec(shape, "a"), vec(shape, "b"), cylinder(num(shape, "radius"), num(shape, "radius")), 30);
    case "cone":
      return between(vec(shape, "base"), vec(shape, "apex"), cylinder(0, num(shape, "radius")), 30);
    case "frustum":
      return between(vec(shape, "a"), vec(shape, "b"), cylinder(num(shape, "radius_b"), num(shape, "radius_a")), 30);
    case "disk": {
      const surface = new CircleGeometry(num(shape, "radius"), ROUND).rotateX(-Math.PI / 2);
      return drawing(surface, upright(vec(shape, "normal"), vec(shape, "center")), 1);
    }
    case "plane":
      return patch(shape);
    case "half_space":
      return halfSpace(shape);
    case "triangle":
      return triangle(shape);
    case "mesh":
      return mesh && triangles(mesh);
    default:
      return null;
  }
}
