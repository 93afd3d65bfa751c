// What the example pages share: the drawing, the camera, the pointer with its keys, and a message when something is missing.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const root = document.documentElement;

/** Runs a page, and says in it what went wrong. `data-ready` on the root becomes `true` or `failed`. */
export async function startPage(build) {
  try {
    if (!document.createElement("canvas").getContext("webgl2")) {
      throw new Error("This page draws with WebGL 2, and this browser does not offer it. It may be switched off in the settings.");
    }
    await build(new View(document.querySelector("canvas")));
    root.dataset.ready = "true";
  } catch (error) {
    showProblem(`The example cannot start. ${error.message}`);
    document.querySelector("#answer").textContent = "No result.";
    root.dataset.ready = "failed";
  }
}

/** Shows a message of an error, or hides it. */
export function showProblem(text) {
  const problem = document.querySelector("#problem");
  problem.hidden = !text;
  problem.textContent = text;
}

/** A scene in a canvas, drawn when something changed and not otherwise. */
export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(50, 1, 0.1, 1000);
    // Transparent: the page behind has the colours of day or night. Small pixels need no smooth edges, which cost a phone much.
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: devicePixelRatio < 2, alpha: true });
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(3, 6, 4);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x5a6070, 1.7), sun);
    this.isDue = false;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  /** Draws in the next frame, once, however often it is called. */
  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.renderer.render(this.scene, this.camera);
    });
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /**
   * Looks at a point from another, from farther away where the picture is narrow. Dragging turns the camera, wheel and two fingers
   * move it, and so do the buttons that this function puts into `#camera`.
   */
  orbit(from, target) {
    const farther = Math.max(1, 0.9 / this.camera.aspect);
    this.camera.position.set(...from.map((c, i) => target[i] + (c - target[i]) * farther));
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.target.set(...target);
    controls.update();
    controls.addEventListener("change", () => this.draw());
    const move = (theta, phi, factor) => {
      const way = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(controls.target));
      way.theta += theta;
      way.phi += phi;
      way.radius *= factor;
      this.camera.position.setFromSpherical(way.makeSafe()).add(controls.target);
      controls.update();
    };
    const moves = { Left: [-0.3, 0, 1], Right: [0.3, 0, 1], Up: [0, -0.2, 1], Down: [0, 0.2, 1], Nearer: [0, 0, 0.8], Farther: [0, 0, 1.25] };
    for (const [name, numbers] of Object.entries(moves)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => move(...numbers));
      document.querySelector("#camera").append(button);
    }
    return controls;
  }

  /**
   * Calls `onMove` where the pointer hovers, and `onPick` at a click or a tap, with x and y from -1 to 1. The arrow keys move a cross
   * in place of the pointer, and Enter picks there; `usesCross: false` leaves the keys to the page. A drag turns the camera and picks
   * nothing. It returns the place of the pointer, and a function that shows the cross there.
   */
  pointing({ onMove = () => {}, onPick = () => {}, usesCross = true }) {
    const { canvas } = this;
    const place = new THREE.Vector2(0, 0);
    const cross = document.createElement("div");
    cross.className = "cross";
    cross.hidden = true;
    canvas.after(cross);
    const show = (visible) => {
      cross.hidden = !visible || !usesCross;
      cross.style.left = `${(place.x + 1) * 50}%`;
      cross.style.top = `${(1 - place.y) * 50}%`;
    };
    const at = ({ clientX, clientY }) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      return place.set(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    };
    let down = null;
    canvas.addEventListener("pointerdown", (event) => (down = event.isPrimary && event.button === 0 ? event : null));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) return;
      at(event);
      show(false);
      onMove(place);
    });
    canvas.addEventListener("pointerup", (event) => {
      // A hand trembles by a few pixels.
      const isClick = down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 6;
      down = null;
      if (!isClick) return;
      at(event);
      show(event.pointerType === "touch");
      onPick(place);
    });
    const cursor = { place, showCross: () => show(true) };
    if (!usesCross) return cursor;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    canvas.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      if (step) {
        const length = event.shiftKey ? 0.004 : 0.04;
        place.x = THREE.MathUtils.clamp(place.x + step[0] * length, -1, 1);
        place.y = THREE.MathUtils.clamp(place.y + step[1] * length, -1, 1);
      }
      show(true);
      if (step) onMove(place);
      else onPick(place);
    });
    return cursor;
  }
}
