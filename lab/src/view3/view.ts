// The view of space: camera, shapes and ray. It draws after changes only.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  GridHelper,
  Group,
  type LineBasicMaterial,
  Mesh,
  type Object3D,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene as ThreeScene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { Lab } from "../session.js";
import type { Model, View } from "../model.js";
import { frameOf, shapeColors } from "../raypath.js";
import type { Vec } from "../schema.js";
import type { CameraState, Shape } from "../state.js";
import type { Store } from "../store.js";
import { color, onTheme, theme } from "../theme.js";
import { unit } from "../vector.js";
import { PointerControls } from "./pointer.js";
import { Labels } from "./labels.js";
import { clear, glass, pieces } from "./primitives.js";
import { drawDoubt, drawMarks, drawQuery, type Scope } from "./rays.js";
import { draw } from "./solids.js";

/** The near plane is at the distance of the target divided by this, the far plane at the distance times this. */
const NEAR_TO_FAR = 500;

/** A row of an affine map of space. */
type Row = [number, number, number, number];

/** The drawing of a shape, and the key of its inputs. */
interface Drawn {
  key: string;
  group: Group;
}

/** Places the drawing of a mesh, which has the coordinates of its file, or of a shape with a matrix. */
function place(group: Group, { placement, matrix }: Shape): void {
  group.matrixAutoUpdate = !matrix;
  if (matrix) {
    const [x, y, z] = matrix as [Vec, Vec, Vec] as [Row, Row, Row];
    group.matrix.set(...x, ...y, ...z, 0, 0, 0, 1);
    group.matrixWorldNeedsUpdate = true;
    return;
  }
  if (!placement) return;
  const { scale, axis, degrees, translation } = placement;
  group.scale.fromArray(scale);
  group.quaternion.setFromAxisAngle(new Vector3().fromArray(unit(axis)), (degrees * Math.PI) / 180);
  group.position.fromArray(translation);
}

export class View3 implements View {
  readonly camera = new PerspectiveCamera(42, 1, 0.01, 1000);
  readonly canvas: HTMLCanvasElement;
  readonly scene = new ThreeScene();
  #renderer: WebGLRenderer;
  #orbit: OrbitControls;
  #pointer: PointerControls;
  #labels: Labels;
  #shapes = new Map<number, Drawn>();
  #ray = new Group();
  #points: Points | null = null;
  #grid: GridHelper | null = null;
  #model: Model | null = null;
  #waiting = false;
  /** The camera of the last drawing of the ray. */
  #drawnFrom = "";
  #visible = false;
  #parent: HTMLElement;
  #lab: Lab;

  constructor(parent: HTMLElement, labels: HTMLElement, store: Store, lab: Lab) {
    this.#parent = parent;
    this.#lab = lab;
    this.#renderer = new WebGLRenderer({ antialias: true, alpha: false });
    this.canvas = this.#renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "The scene in space. Drag to orbit; arrow keys move the selection.");
    parent.append(this.canvas);
    this.#labels = new Labels(labels);
    this.scene.add(this.#ray);
    this.#pointer = new PointerControls(this, store, lab);
    // After the handles: a drag of a shape must not turn the camera.
    this.#orbit = new OrbitControls(this.camera, this.canvas);
    this.#orbit.addEventListener("change", () => this.invalidate());
    this.#pointer.orbit = this.#orbit;
    this.camera.position.set(6, 4.5, 8);
    new ResizeObserver(() => this.#resize()).observe(parent);
    onTheme(() => {
      this.#forget();
      if (this.#model) this.show(this.#model);
    });
  }

  get model(): Model | null {
    return this.#model;
  }

  get target(): Vector3 {
    return this.#orbit.target;
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#parent.hidden = !visible;
    if (!visible) this.#labels.clear();
    this.#resize();
  }

  show(model: Model, camera?: CameraState | "fit"): void {
    this.#model = model;
    const { scene } = model;
    if (scene.dimension !== 3) return;
    this.#drawShapes();
    this.#drawField();
    if (camera === "fit") this.#moveToFit();
    else if (camera && "position" in camera) this.#moveTo(camera);
    this.#drawRay();
    this.#pointer.follow(model);
    this.#render();
  }

  /** Draws the ray, the construction and the comparison, clipped to the view. */
  #drawRay(): void {
    const { scene, options, answers, marks, doubt } = this.#model!;
    clear(this.#ray);
    this.#labels.clear();
    const scope = this.#scope();
    drawQuery(this.#ray, scene, answers, options, scope);
    drawMarks(this.#ray, this.#labels, scene, marks, scope);
    if (doubt) drawDoubt(this.#ray, this.#labels, doubt, scope);
    this.#drawnFrom = this.#cameraKey();
  }

  #cameraKey(): string {
    return [...this.camera.position, ...this.#orbit.target, this.camera.aspect].join();
  }

  /** The bounds of drawings without an end: a ball around the target, in front of the camera. */
  #scope(): Scope {
    const { position } = this.camera;
    const away = position.distanceTo(this.#orbit.target);
    this.camera.lookAt(this.#orbit.target);
    const ahead = this.camera.getWorldDirection(new Vector3());
    // Twice as far as the near plane of the camera, and half as wide again as the picture.
    const front = position.clone().addScaledVector(ahead, (2 * away) / NEAR_TO_FAR);
    const up = this.camera.up.clone().cross(ahead).normalize().cross(ahead).negate();
    const right = ahead.clone().cross(up);
    const tall = 1.5 * Math.tan((this.camera.fov * Math.PI) / 360);
    const sides = [
      [right, tall * this.camera.aspect],
      [up, tall],
    ] as const;
    const planes = sides.flatMap(([side, slope]) =>
      [side, side.clone().negate()].map((out) => ({
        point: [...position],
        normal: [...ahead.clone().multiplyScalar(slope).sub(out)],
      })),
    );
    return {
      center: [...this.#orbit.target],
      viewRadius: Math.max(60, 40 * away),
      planes: [{ point: [...front], normal: [...ahead] }, ...planes],
      unit: Math.max(away / 12, 1e-6),
    };
  }

  #drawShapes(): void {
    const { scene, answers, options } = this.#model!;
    const alive = new Set<number>();
    const colors = shapeColors(scene, answers, options.selected);
    scene.shapes.forEach((shape, i) => {
      const name = colors[i]!;
      const mesh = shape.placement ? (answers.opened ? "open" : "broken") : "";
      const key = JSON.stringify([shape.type, shape.fields, name, mesh]);
      alive.add(shape.id);
      const before = this.#shapes.get(shape.id);
      if (before?.key === key) return place(before.group, shape);
      if (before) this.#drop(shape.id, before);
      const drawn = draw(shape, mesh === "open" ? this.#lab.mesh(shape.fields["file"] as string) : null);
      if (!drawn) return;
      const group = new Group();
      group.add(new Mesh(drawn.surface, glass(name, name !== "shape")));
      const edges = drawn.edges?.getAttribute("position").array;
      if (edges?.length) group.add(pieces(edges, { color: name, width: 1.5, opacity: 0.75, over: false }));
      drawn.edges?.dispose();
      place(group, shape);
      this.scene.add(group);
      this.#shapes.set(shape.id, { key, group });
    });
    for (const [id, drawn] of this.#shapes) if (!alive.has(id)) this.#drop(id, drawn);
  }

  #drop(id: number, { group }: Drawn): void {
    clear(group);
    this.scene.remove(group);
    this.#shapes.delete(id);
  }

  /** Drops all drawings, whose colours have changed. */
  #forget(): void {
    for (const [id, drawn] of this.#shapes) this.#drop(id, drawn);
    if (this.#grid) this.scene.remove(this.#grid);
    this.#grid?.dispose();
    this.#grid = null;
  }

  #drawField(): void {
    const field = this.#model!.field;
    if (!field) {
      if (this.#points) this.#points.visible = false;
      return;
    }
    const { points, t } = field.found;
    const count = t.length;
    if (!this.#points || this.#points.geometry.getAttribute("position").count !== count) {
      if (this.#points) {
        this.#points.geometry.dispose();
        this.scene.remove(this.#points);
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * count), 3));
      geometry.setAttribute("color", new BufferAttribute(new Uint8Array(3 * count), 3, true));
      const material = new PointsMaterial({ size: 3, sizeAttenuation: false, vertexColors: true });
      this.#points = new Points(geometry, material);
      this.#points.frustumCulled = false;
      this.#points.renderOrder = 1;
      this.scene.add(this.#points);
    }
    this.#points.visible = true;
    const [position, rgb] = ["position", "color"].map((name) => this.#points!.geometry.getAttribute(name));
    (position!.array as Float32Array).set(points);
    (rgb!.array as Uint8Array).set(field.colors);
    // A ray that misses has no point: it goes out of sight.
    for (let i = 0; i < count; i++) if (Number.isNaN(t[i]!)) (position!.array as Float32Array)[3 * i] = 1e30;
    position!.needsUpdate = rgb!.needsUpdate = true;
  }

  invalidate(): void {
    if (this.#waiting || !this.#visible) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#render();
    });
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#parent;
    if (!width || !height) return;
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.#renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  #render(): void {
    if (!this.#visible) return;
    // After a move of the camera another part of the ray is in front of it.
    if (this.#model?.scene.dimension === 3 && this.#drawnFrom !== this.#cameraKey()) this.#drawRay();
    const { clientWidth: width, clientHeight: height } = this.#parent;
    const away = Math.max(this.camera.position.distanceTo(this.#orbit.target), 1e-9);
    [this.camera.near, this.camera.far] = [away / NEAR_TO_FAR, away * NEAR_TO_FAR];
    this.camera.updateProjectionMatrix();
    this.scene.background = new Color(color("stage"));
    this.#drawGrid(away);
    this.#size(height);
    this.#renderer.render(this.scene, this.camera);
    this.#labels.place(this.camera, width, height);
  }

  /** A floor grid whose squares fit the distance. */
  #drawGrid(away: number): void {
    const step = 10 ** Math.round(Math.log10(away / 10));
    const key = `${step} ${theme()}`;
    if (this.#grid?.name === key) return;
    if (this.#grid) this.scene.remove(this.#grid);
    this.#grid?.dispose();
    this.#grid = new GridHelper(40 * step, 40, color("grid-strong"), color("grid"));
    this.#grid.name = key;
    this.#grid.position.y = -0.002 * step;
    (this.#grid.material as LineBasicMaterial).depthWrite = false;
    this.scene.add(this.#grid);
  }

  /** Dots, arrows and dashes keep their size on the screen. */
  #size(height: number): void {
    const perPixel = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const ahead = this.camera.getWorldDirection(new Vector3());
    this.#ray.traverse((object: Object3D) => {
      const { pixels } = object.userData as { pixels?: number };
      const material = (object as Mesh).material as LineMaterial | undefined;
      if (pixels) {
        const depth = object.position.clone().sub(this.camera.position).dot(ahead);
        object.scale.setScalar(Math.max(depth, 1e-9) * perPixel * pixels);
      } else if (material && "dashScale" in material && material.dashed) {
        material.dashScale = 1 / (perPixel * this.camera.position.distanceTo(this.#orbit.target));
      }
    });
  }

  get cameraState(): CameraState {
    return { position: [...this.camera.position], target: [...this.#orbit.target] };
  }

  #moveTo({ position, target }: { position: Vec; target: Vec }): void {
    this.camera.position.fromArray(position);
    this.#orbit.target.fromArray(target);
    this.#orbit.update();
  }

  fit(): void {
    this.show(this.#model!, "fit");
  }

  /** Moves the camera to see the bounded shapes, and the ends of the ray unless they are far away. */
  #moveToFit(): void {
    const { scene, answers, doubt } = this.#model!;
    const wrong = doubt?.textbook.first ? [doubt.textbook.first.point] : [];
    const corners = frameOf(scene, answers, wrong);
    const middle = [0, 1, 2].map((i) => {
      const along = corners.map((p) => p[i]!);
      return (Math.min(...along) + Math.max(...along)) / 2;
    });
    this.camera.position.sub(this.#orbit.target);
    const back = this.camera.position.clone().normalize();
    this.#orbit.target.copy(new Vector3(middle[0], middle[1], middle[2]));
    const right = new Vector3(0, 1, 0).cross(back).normalize();
    const up = back.clone().cross(right);
    // As near as every corner allows, with room for the overlay.
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) * 0.76;
    const wide = (tall / 0.76) * this.camera.aspect * 0.84;
    const away = corners.map((corner) => {
      const p = new Vector3(...corner).sub(this.#orbit.target);
      return p.dot(back) + Math.max(Math.abs(p.dot(right)) / wide, Math.abs(p.dot(up)) / tall);
    });
    this.camera.position.copy(this.#orbit.target).addScaledVector(back, Math.max(...away, 1e-3));
    this.#orbit.update();
  }

  /** Orbits the camera about its target or zooms, for the keyboard. */
  nudge(turn: number, tilt: number, zoom: number): void {
    const offset = this.camera.position.clone().sub(this.#orbit.target);
    offset.applyAxisAngle(new Vector3(0, 1, 0), turn);
    const side = new Vector3(0, 1, 0).cross(offset).normalize();
    const steep = offset.angleTo(new Vector3(0, 1, 0)) + tilt;
    if (steep > 0.08 && steep < Math.PI - 0.08) offset.applyAxisAngle(side, tilt);
    this.camera.position.copy(this.#orbit.target).add(offset.multiplyScalar(zoom));
    this.#orbit.update();
  }

  toPixel(point: number[]): [number, number] {
    this.camera.updateMatrixWorld();
    const { x, y } = new Vector3(point[0], point[1], point[2]).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + ((x + 1) / 2) * box.width, box.top + ((1 - y) / 2) * box.height];
  }

  digits(): number {
    const away = this.camera.position.distanceTo(this.#orbit.target);
    return Math.min(Math.max(Math.ceil(2.2 - Math.log10(away / 4)), 0), 9);
  }
}
