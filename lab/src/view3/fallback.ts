// The stand-in for the view of space in a browser without WebGL.

import { h } from "../dom.js";
import type { View } from "../model.js";

export class FallbackView implements View {
  #parent: HTMLElement;

  constructor(parent: HTMLElement, why: string) {
    this.#parent = parent;
    parent.replaceChildren(h("p", { class: "missing" }, why));
  }

  setVisible(visible: boolean): void {
    this.#parent.hidden = !visible;
  }

  show(): void {}

  fit(): void {}

  readonly cameraState = null;

  nudge(): void {}

  toPixel(): [number, number] {
    return [NaN, NaN];
  }

  digits(): number {
    return 2;
  }
}
