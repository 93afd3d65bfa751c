// Lines, dots and arrows in space, with widths and sizes in pixels.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  DoubleSide,
  FrontSide,
  Group,
  type Material,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { color, onTheme } from "../theme.js";
import type { Vec } from "../schema.js";

export interface Stroke {
  color: string;
  width: number;
  opacity?: number;
  dashed?: boolean;
  /** Drawn over things in front of it. */
  over?: boolean;
}

/** Objects with a constant size on the screen, in pixels. */
export interface Sized extends Object3D {
  userData: { pixels: number };
}

/** Cached materials: a new material for each frame would compile its shader again. */
const materials = new Map<string, Material>();

onTheme(() => {
  for (const material of materials.values()) material.dispose();
  materials.clear();
});

function kept<M extends Material>(key: unknown[], make: () => M): M {
  const text = key.join(" ");
  const found = (materials.get(text) as M | undefined) ?? make();
  materials.set(text, found);
  return found;
}

const line = ({ color: name, width, opacity = 1, dashed = false, over = true }: Stroke): LineMaterial =>
  kept(
    ["line", name, width, opacity, dashed, over],
    () =>
      new LineMaterial({
        color: new Color(color(name)).getHex(),
        linewidth: width,
        dashed,
        dashSize: 6,
        gapSize: 5,
        transparent: true,
        opacity,
        depthTest: !over,
        depthWrite: false,
      }),
  );

/** A polyline through points. */
export function polyline(points: Vec[], stroke: Stroke): Line2 {
  const geometry = new LineGeometry();
  geometry.setPositions(points.flat());
  const drawn = new Line2(geometry, line(stroke));
  if (stroke.dashed) drawn.computeLineDistances();
  drawn.renderOrder = stroke.over === false ? 1 : 3;
  drawn.frustumCulled = false;
  return drawn;
}

/** Separate line segments: two points each. */
export function pieces(positions: ArrayLike<number>, stroke: Stroke): LineSegments2 {
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(new Float32Array(positions));
  const drawn = new LineSegments2(geometry, line(stroke));
  drawn.renderOrder = 1;
  drawn.frustumCulled = false;
  return drawn;
}

const BALL = new SphereGeometry(1, 24, 16);
const CONE = new ConeGeometry(1, 3, 20).translate(0, -1.5, 0);

const flat = (name: string, opacity = 1): MeshBasicMaterial =>
  kept(["flat", name, opacity], () => {
    const side = opacity < 1 ? DoubleSide : FrontSide;
    return new MeshBasicMaterial({
      color: color(name),
      transparent: true,
      opacity,
      depthTest: false,
      depthWrite: false,
      side,
    });
  });

/** A dot of so many pixels across, with a rim of the stage's colour so that it stands out. */
export function dot(at: Vec, name: string, pixels: number, rim = "stage"): Group {
  const group = new Group();
  const [outer, inner] = [new Mesh(BALL, flat(rim)), new Mesh(BALL, flat(name))];
  [outer.renderOrder, inner.renderOrder] = [5, 6];
  outer.scale.setScalar(0.5 + 1.8 / pixels);
  inner.scale.setScalar(0.5);
  group.add(outer, inner);
  group.position.set(at[0]!, at[1]!, at[2]!);
  group.userData["pixels"] = pixels;
  return group;
}

/** The head of an arrow, of a size on the screen. */
export function head(at: Vec, towards: Vec, name: string, pixels: number): Mesh {
  const drawn = new Mesh(CONE, flat(name));
  drawn.position.set(at[0]!, at[1]!, at[2]!);
  drawn.quaternion.setFromUnitVectors(
    new Vector3(0, 1, 0),
    new Vector3(towards[0], towards[1], towards[2]).normalize(),
  );
  drawn.renderOrder = 4;
  drawn.userData["pixels"] = pixels;
  return drawn;
}

/** A filled polygon, a fan around its first corner. */
export function area(corners: Vec[], name: string, opacity: number): Mesh {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners.flat()), 3));
  geometry.setIndex(corners.slice(2).flatMap((_, i) => [0, i + 1, i + 2]));
  const drawn = new Mesh(geometry, flat(name, opacity));
  drawn.renderOrder = 2;
  return drawn;
}

/** A translucent material, denser at grazing angles (Fresnel), so that a curved shape has an outline. */
export function glass(name: string, selected: boolean): ShaderMaterial {
  return kept(["glass", name, selected], () => shaded(name, selected));
}

function shaded(name: string, selected: boolean): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: {
      tint: { value: new Color(color(name)) },
      body: { value: selected ? 0.26 : 0.17 },
      rim: { value: selected ? 0.62 : 0.5 },
    },
    vertexShader: `
      varying vec3 turned; varying vec3 seen;
      void main() {
        vec4 place = modelViewMatrix * vec4(position, 1.0);
        turned = normalMatrix * normal; seen = -place.xyz;
        gl_Position = projectionMatrix * place;
      }`,
    fragmentShader: `
      uniform vec3 tint; uniform float body; uniform float rim;
      varying vec3 turned; varying vec3 seen;
      void main() {
        vec3 n = normalize(turned);
        float facing = abs(dot(n, normalize(seen)));
        float light = 0.82 + 0.18 * dot(n, normalize(vec3(0.4, 0.8, 0.5)));
        gl_FragColor = vec4(tint * light, body + rim * pow(1.0 - facing, 3.0));
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
  });
}

/** Empties a group and frees its geometry; materials are cached. */
export function clear(group: Group): void {
  group.traverse((object) => {
    const { geometry } = object as Partial<Mesh>;
    if (geometry && geometry !== BALL && geometry !== CONE) geometry.dispose();
  });
  group.clear();
}
