// The view of the plane: SVG over a canvas for fields of rays.

import type { Lab } from "../session.js";
import { h, s } from "../dom.js";
import { kindOf, type Vec } from "../schema.js";
import type { Model, View } from "../model.js";
import { frameOf, shapeColors } from "../raypath.js";
import {
  endAt,
  endsOf,
  findShape,
  moveEnd,
  movableShapes,
  replaceShape,
  type CameraState,
  type End,
  type Scene,
  type Selected,
  type Shape,
} from "../state.js";
import type { Store } from "../store.js";
import { onTheme } from "../theme.js";
import { isEndless, move, roundShape, withoutMatrix } from "../transform.js";
import { add, dot as inner, length, sub, roundTo } from "../vector.js";
import { Camera2 } from "./camera.js";
import { drawField } from "./field.js";
import { drawGrid, drawHandle } from "./overlay.js";
import { type Handle, handlesOf } from "./handles.js";
import { drawDoubt, drawMarks, drawQuery } from "./rays.js";
import { drawShape } from "./shapes.js";

const PICK_RADIUS = { mouse: 11, pen: 15, touch: 24 };
const DRAG_THRESHOLD = 3;

interface Drag {
  from: [number, number];
  before: Scene;
  moving: boolean;
  pans: boolean;
  /** Applies the pointer's place to the scene at the start of the drag. */
  pull: (to: Vec, moved: Vec) => void;
}

export class View2 implements View {
  readonly camera = new Camera2();
  readonly svg: SVGSVGElement;
  #canvas = h("canvas", { "aria-hidden": "true" });
  #parent: HTMLElement;
  #store: Store;
  #lab: Lab;
  #model: Model | null = null;
  #waiting = false;
  #drag: Drag | null = null;
  #touches = new Map<number, [number, number]>();

  constructor(parent: HTMLElement, store: Store, lab: Lab) {
    [this.#parent, this.#store, this.#lab] = [parent, store, lab];
    this.svg = s("svg", {
      tabindex: 0,
      role: "application",
      "aria-label": "The scene in the plane. Drag handles; arrow keys move the selection.",
    }) as SVGSVGElement;
    parent.append(this.#canvas, this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.#down(event));
    this.svg.addEventListener("pointermove", (event) => this.#move(event));
    this.svg.addEventListener("pointerup", (event) => this.#up(event));
    this.svg.addEventListener("pointercancel", (event) => this.#cancel(event));
    this.svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    new ResizeObserver(() => this.#resize()).observe(parent);
    onTheme(() => this.#later());
  }

  setVisible(visible: boolean): void {
    this.#parent.hidden = !visible;
    this.#resize();
  }

  show(model: Model, camera?: CameraState | "fit"): void {
    this.#model = model;
    if (camera === "fit") this.#moveToFit();
    else if (camera && "span" in camera) this.camera.show(camera);
    if (!this.#parent.hidden) this.#draw();
  }

  #later(): void {
    if (this.#waiting || this.#parent.hidden) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw();
    });
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#parent;
    if (!width || !height) return;
    const first = this.camera.width < 2;
    [this.camera.width, this.camera.height] = [width, height];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (first && this.#model?.scene.dimension === 2) this.fit();
    this.#later();
  }

  #draw(): void {
    const model = this.#model;
    if (!model || model.scene.dimension !== 2) return;
    const { scene, options, answers, field } = model;
    this.#canvas.hidden = !field;
    if (field) drawField(this.#canvas, this.camera, scene, field, field.rays);
    const colors = shapeColors(scene, answers, options.selected);
    const shapes = scene.shapes.map((shape, i) =>
      drawShape(this.camera, shape, kindOf(2, shape.type).solid, colors[i]!),
    );
    this.svg.replaceChildren(
      s("g", {}, ...drawGrid(this.camera)),
      s("g", {}, ...shapes),
      s("g", {}, ...drawMarks(this.camera, scene, model.marks)),
      s("g", {}, ...drawQuery(this.camera, scene, answers, options)),
      s("g", {}, ...(model.doubt ? drawDoubt(this.camera, model.doubt) : [])),
      s("g", { class: "handles" }, ...this.#handles().map((handle) => drawHandle(this.camera, handle))),
    );
  }

  #selected(): Shape | undefined {
    return findShape(this.#store.scene, this.#store.options.selected);
  }

  #handles(): Handle[] {
    const shape = this.#selected();
    return shape ? handlesOf(this.camera, shape) : [];
  }

  #place(event: PointerEvent | WheelEvent): [number, number] {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #down(event: PointerEvent): void {
    const place = this.#place(event);
    this.#touches.set(event.pointerId, place);
    if (event.button !== 0) return;
    this.svg.setPointerCapture(event.pointerId);
    if (this.#touches.size > 1) return this.#abandon();
    const { scene } = this.#store;
    const viewRadius = PICK_RADIUS[event.pointerType as keyof typeof PICK_RADIUS] ?? PICK_RADIUS.mouse;
    const away = (point: Vec): number => {
      const [x, y] = this.camera.toScreen(point);
      return Math.hypot(x - place[0], y - place[1]);
    };
    const handle = this.#handles().sort((a, b) => away(a.at) - away(b.at))[0];
    // The later one of two ends at the same distance.
    const end = endsOf(scene)
      .toReversed()
      .sort((a, b) => away(endAt(scene, a)) - away(endAt(scene, b)))[0];
    const [toEnd, toHandle] = [end ? away(endAt(scene, end)) : Infinity, handle ? away(handle.at) : Infinity];
    const shape = this.#under(place);
    const pan: Drag["pull"] = (_to, [dx = 0, dy = 0]) => this.#pan(dx, dy);
    let pull = pan;
    if (Math.min(toEnd, toHandle) <= viewRadius) {
      if (end && toEnd <= toHandle) {
        this.#store.view({ selected: end });
        pull = (_to, moved) => this.#moveEnd(end, add(endAt(scene, end), moved));
      } else if (handle) {
        const offset = sub(handle.at, this.camera.toWorld(...place));
        const { id } = this.#selected()!;
        pull = (to) => this.#edit(scene, id, (shape) => handle.pull(shape, add(to, offset)));
      }
    } else if (shape) {
      this.#store.view({ selected: shape.id });
      if (!isEndless(2, shape)) pull = (_to, moved) => this.#edit(scene, shape.id, (copy) => move(2, copy, moved));
    }
    this.#drag = { from: place, before: scene, moving: false, pans: pull === pan, pull };
    this.#store.beginGesture();
  }

  /** The shape under the pointer: a solid that contains the point, by the engine, or a line nearby. */
  #under(place: [number, number]): Shape | undefined {
    const point = this.camera.toWorld(...place);
    const holding = this.#lab.containing(this.#store.scene, point);
    const near = (given: Shape): boolean => {
      const shape = withoutMatrix(given);
      if (shape.type === "line") {
        const n = shape.fields["normal"] as Vec;
        const off = inner(sub(point, shape.fields["point"] as Vec), n) / length(n);
        return Math.abs(off) * this.camera.zoom < PICK_RADIUS.mouse;
      }
      if (shape.type !== "segment") return false;
      const [a, b] = [shape.fields["a"] as Vec, shape.fields["b"] as Vec];
      const direction = sub(b, a);
      const t = Math.min(Math.max(inner(sub(point, a), direction) / inner(direction, direction), 0), 1);
      return (
        length(
          sub(
            point,
            add(
              a,
              direction.map((x) => x * t),
            ),
          ),
        ) *
          this.camera.zoom <
        PICK_RADIUS.mouse
      );
    };
    const found = movableShapes(this.#store.scene).filter((shape) => holding.includes(shape) || near(shape));
    return found.sort((a, b) => Number(isEndless(2, a)) - Number(isEndless(2, b)))[0];
  }

  #move(event: PointerEvent): void {
    const place = this.#place(event);
    const before = this.#touches.get(event.pointerId);
    if (this.#touches.size === 2 && before) this.#pinch(event.pointerId, before, place);
    if (before) this.#touches.set(event.pointerId, place);
    const drag = this.#drag;
    if (!drag) return;
    if (!drag.moving && Math.hypot(place[0] - drag.from[0], place[1] - drag.from[1]) < DRAG_THRESHOLD) return;
    drag.moving = true;
    const [from, to] = [this.camera.toWorld(...drag.from), this.camera.toWorld(...place)];
    drag.pull(to, sub(to, from));
    // The plane has moved with the pointer: the next step starts here.
    if (drag.pans) drag.from = place;
  }

  /** Pans and zooms by two fingers. */
  #pinch(id: number, before: [number, number], now: [number, number]): void {
    const other = [...this.#touches].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const span = (p: [number, number]): number => Math.hypot(p[0] - other[0], p[1] - other[1]);
    this.camera.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.camera.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, span(now) / Math.max(span(before), 1));
    this.#later();
  }

  #pan(dx: number, dy: number): void {
    this.camera.center = sub(this.camera.center, [dx, dy]);
    this.#later();
  }

  #up(event: PointerEvent): void {
    this.#touches.delete(event.pointerId);
    const drag = this.#drag;
    this.#drag = null;
    this.#store.endGesture();
    // A tap on the background clears the selection.
    if (drag && !drag.moving && !this.#near(drag.from)) this.#store.view({ selected: null });
  }

  #near(place: [number, number]): boolean {
    const { scene } = this.#store;
    const close = (p: Vec): boolean => {
      const [x, y] = this.camera.toScreen(p);
      return Math.hypot(x - place[0], y - place[1]) < PICK_RADIUS.touch;
    };
    return (
      Boolean(this.#under(place)) ||
      [...endsOf(scene).map((end) => endAt(scene, end)), ...this.#handles().map(({ at }) => at)].some(close)
    );
  }

  #abandon(): void {
    this.#drag = null;
    this.#store.cancelGesture();
  }

  #cancel(event: PointerEvent): void {
    this.#touches.delete(event.pointerId);
    this.#abandon();
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    this.camera.zoomAt(...this.#place(event), Math.exp(-event.deltaY * 0.0015));
    this.#later();
  }

  nudge(dx: number, dy: number, zoom: number): void {
    this.camera.pan(dx, dy);
    this.camera.zoomAt(this.camera.width / 2, this.camera.height / 2, zoom);
    this.#later();
  }

  #edit(before: Scene, id: Selected, change: (shape: Shape) => void): void {
    const shape = findShape(before, id);
    if (!shape) return;
    const next = structuredClone(shape);
    change(next);
    roundShape(2, next, this.digits());
    this.#store.change((scene) => replaceShape(scene, next));
  }

  #moveEnd(end: End, at: Vec): void {
    const digits = this.digits();
    const place = at.map((x) => roundTo(x, digits));
    this.#store.change((scene) => moveEnd(scene, end, place));
  }

  get cameraState(): CameraState {
    return { center: this.camera.center, span: this.camera.span };
  }

  fit(): void {
    this.#moveToFit();
    this.#later();
  }

  #moveToFit(): void {
    const { scene, answers, doubt } = this.#model!;
    const wrong = doubt?.textbook.first ? [doubt.textbook.first.point] : [];
    this.camera.fit(frameOf(scene, answers, wrong));
  }

  toPixel(point: number[]): [number, number] {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = this.camera.toScreen(point);
    return [box.left + x, box.top + y];
  }

  digits(): number {
    return Math.min(Math.max(Math.ceil(Math.log10(this.camera.zoom)), 0), 9);
  }
}
