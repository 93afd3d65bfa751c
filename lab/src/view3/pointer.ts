// Pointer controls of the view of space: gizmos, the ends of the ray, and drags of shapes.

import { Object3D, Plane, Quaternion, Raycaster, Vector2, Vector3, Matrix4 } from "three";
import type { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { Lab } from "../session.js";
import type { Hit } from "../interface.js";
import type { Vec } from "../schema.js";
import type { Model } from "../model.js";
import {
  endAt,
  endsOf,
  findShape,
  moveEnd,
  replaceShape,
  type End,
  type Scene,
  type Selected,
  type Shape,
} from "../state.js";
import type { Store } from "../store.js";
import { frame, image, isEndless, isRound, move, pivot, scaleShape, roundShape, rotateShape } from "../transform.js";
import { add, sub, roundTo } from "../vector.js";
import { PATCH } from "./solids.js";
import type { View3 } from "./view.js";

/** The pick radius of a dot, in pixels. */
const PICK_RADIUS = { mouse: 12, pen: 16, touch: 26 };

const vec = ({ x, y, z }: Vector3): Vec => [x, y, z];
const v3 = ([x = 0, y = 0, z = 0]: Vec): Vector3 => new Vector3(x, y, z);

/** A drag in the plane of the screen through the picked point. */
interface Drag {
  what: Exclude<Selected, null>;
  plane: Plane;
  from: Vector3;
  before: Scene;
  /** The place of the press; null once the pointer has passed the drag threshold. */
  still: [number, number] | null;
}

/** A tap moves a finger a little: fewer pixels than these are no drag. */
const DRAG_THRESHOLD = 3;

export class PointerControls {
  orbit: OrbitControls | null = null;
  #view: View3;
  #store: Store;
  #lab: Lab;
  #gizmo: TransformControls;
  #proxy = new Object3D();
  #drag: Drag | null = null;
  /** The scene and the proxy at the start of a drag of the gizmo. */
  #before: { scene: Scene; position: Vector3; turned: Quaternion; axes: Vec[] } | null = null;

  constructor(view: View3, store: Store, lab: Lab) {
    [this.#view, this.#store, this.#lab] = [view, store, lab];
    this.#gizmo = new TransformControls(view.camera, view.canvas);
    this.#gizmo.setSize(0.8);
    view.scene.add(this.#proxy, this.#gizmo.getHelper());
    this.#gizmo.addEventListener("change", () => view.invalidate());
    this.#gizmo.addEventListener("dragging-changed", ({ value }) => (value ? this.#take() : this.#letGo()));
    this.#gizmo.addEventListener("objectChange", () => this.#pull());
    const { canvas } = view;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", () => this.#up());
    canvas.addEventListener("pointercancel", () => this.#cancel());
  }

  /** Attaches the gizmo to the selection. */
  follow({ scene, options }: Model): void {
    if (this.#gizmo.dragging) return;
    const { selected } = options;
    const shape = findShape(scene, selected);
    const at = typeof selected === "string" ? endAt(scene, selected) : shape && pivot(3, shape);
    const mode = shape ? options.gizmo : "translate";
    const useless = shape && ((mode === "scale" && isEndless(3, shape)) || (mode === "rotate" && isRound(shape)));
    if (!at || useless || !at.every(Number.isFinite)) {
      this.#gizmo.detach();
      return;
    }
    this.#proxy.position.copy(v3(at));
    this.#proxy.scale.setScalar(1);
    const axes = shape ? frame(3, shape) : null;
    if (axes)
      this.#proxy.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(v3(axes[0]!), v3(axes[1]!), v3(axes[2]!)));
    else this.#proxy.quaternion.identity();
    this.#gizmo.setMode(mode);
    this.#gizmo.setSpace(mode === "scale" ? "local" : "world");
    this.#gizmo.attach(this.#proxy);
    this.#proxy.updateMatrixWorld();
  }

  #take(): void {
    if (this.orbit) this.orbit.enabled = false;
    const { scene, options } = this.#store;
    const shape = findShape(scene, options.selected);
    const [position, turned] = [this.#proxy.position.clone(), this.#proxy.quaternion.clone()];
    this.#before = { scene, position, turned, axes: shape ? frame(3, shape) : [] };
    this.#store.beginGesture();
  }

  #letGo(): void {
    if (this.orbit) this.orbit.enabled = true;
    this.#before = null;
    this.#store.endGesture();
    if (this.#view.model) this.follow(this.#view.model);
    this.#view.invalidate();
  }

  #pull(): void {
    const before = this.#before;
    if (!before) return;
    const { selected, gizmo } = this.#store.options;
    const { position, scale } = this.#proxy;
    const moved = vec(position.clone().sub(before.position));
    if (typeof selected === "string") return this.#moveEnd(selected, add(endAt(before.scene, selected), moved));
    this.#edit(before.scene, selected, (shape) => {
      if (gizmo === "translate") return move(3, shape, moved);
      const about = vec(before.position);
      if (gizmo === "scale")
        return scaleShape(
          3,
          shape,
          vec(scale).map((x) => Math.max(x, 0.001)),
          before.axes,
          about,
        );
      const by = this.#proxy.quaternion.clone().multiply(before.turned.clone().invert());
      return rotateShape(3, shape, (v) => vec(v3(v).applyQuaternion(by)), about);
    });
  }

  #edit(before: Scene, id: Selected, change: (shape: Shape) => void): void {
    const shape = findShape(before, id);
    if (!shape) return;
    const next = structuredClone(shape);
    change(next);
    roundShape(3, next, this.#view.digits());
    this.#store.change((scene) => replaceShape(scene, next));
  }

  #moveEnd(end: End, at: Vec): void {
    const digits = this.#view.digits();
    const place = at.map((x) => roundTo(x, digits));
    this.#store.change((scene) => moveEnd(scene, end, place));
  }

  #pointer(event: PointerEvent): { origin: Vector3; direction: Vector3 } {
    const box = this.#view.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const caster = new Raycaster();
    this.#view.camera.updateMatrixWorld();
    caster.setFromCamera(new Vector2(x, y), this.#view.camera);
    return caster.ray;
  }

  /** An end of the query under the pointer; the nearest one, of two at the same distance the later one. */
  #end(event: PointerEvent): End | undefined {
    const { scene } = this.#store;
    const viewRadius = PICK_RADIUS[event.pointerType as keyof typeof PICK_RADIUS] ?? PICK_RADIUS.mouse;
    const away = (point: Vec): number => {
      const [x, y] = this.#view.toPixel(point);
      return Math.hypot(x - event.clientX, y - event.clientY);
    };
    const near = endsOf(scene).filter((end) => away(endAt(scene, end)) <= viewRadius);
    return near.toReversed().sort((a, b) => away(endAt(scene, a)) - away(endAt(scene, b)))[0];
  }

  /** The shape under the pointer: what the engine hits, as far as it is drawn. */
  #shape(event: PointerEvent): { shape: Shape; hit: Hit } | null {
    const { origin, direction } = this.#pointer(event);
    for (const { shape, hit } of this.#lab.pick(this.#store.scene, vec(origin), vec(direction))) {
      const around = isEndless(3, shape) ? sub(hit.point, image(shape, shape.fields["point"] as Vec)) : [];
      if (around.every((x) => Math.abs(x) <= PATCH)) return { shape, hit };
    }
    return null;
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 || this.#gizmo.dragging || this.#gizmo.axis) return;
    const end = this.#end(event);
    if (end) return this.#start(event, end, v3(endAt(this.#store.scene, end)));
    const found = this.#shape(event);
    if (!found) return;
    // An infinite shape fills the picture: a press selects it, and a drag orbits the camera.
    if (isEndless(3, found.shape)) return this.#store.view({ selected: found.shape.id });
    this.#start(event, found.shape.id, v3(found.hit.point));
  }

  #start(event: PointerEvent, what: Drag["what"], from: Vector3): void {
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.#view.camera.getWorldDirection(new Vector3()), from);
    this.#drag = { what, plane, from, before: this.#store.scene, still: [event.clientX, event.clientY] };
    this.#store.beginGesture();
    if (this.orbit) this.orbit.enabled = false;
    this.#view.canvas.setPointerCapture(event.pointerId);
    this.#store.view({ selected: what });
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag) return;
    if (drag.still && Math.hypot(event.clientX - drag.still[0], event.clientY - drag.still[1]) < DRAG_THRESHOLD) return;
    drag.still = null;
    const { origin, direction } = this.#pointer(event);
    const t = drag.plane.constant + drag.plane.normal.dot(origin);
    const slope = drag.plane.normal.dot(direction);
    if (!(slope !== 0)) return;
    const moved = vec(
      origin
        .clone()
        .addScaledVector(direction, -t / slope)
        .sub(drag.from),
    );
    const { what, before } = drag;
    if (typeof what === "string") this.#moveEnd(what, add(endAt(before, what), moved));
    else this.#edit(before, what, (shape) => move(3, shape, moved));
  }

  #up(): void {
    if (!this.#drag) return;
    this.#drag = null;
    if (this.orbit) this.orbit.enabled = true;
    this.#store.endGesture();
  }

  #cancel(): void {
    if (!this.#drag) return;
    this.#drag = null;
    if (this.orbit) this.orbit.enabled = true;
    this.#store.cancelGesture();
  }
}
