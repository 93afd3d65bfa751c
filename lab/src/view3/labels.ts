// Labels of points in space: elements over the picture, placed at every frame.

import { type Camera, Vector3 } from "three";
import { h } from "../dom.js";
import type { Vec } from "../schema.js";
import { color } from "../theme.js";

export class Labels {
  #parent: HTMLElement;
  #labels: { element: HTMLElement; at: Vector3 }[] = [];

  constructor(parent: HTMLElement) {
    this.#parent = parent;
  }

  clear(): void {
    this.#labels = [];
    this.#parent.replaceChildren();
  }

  add(at: Vec, text: string, ink: string, name?: string): void {
    const element = h("span", name ? { "data-name": name } : {}, text);
    element.style.color = color(ink);
    this.#parent.append(element);
    this.#labels.push({ element, at: new Vector3(at[0], at[1], at[2]) });
  }

  place(camera: Camera, width: number, height: number): void {
    const taken: Box[] = [];
    for (const { element, at } of this.#labels) {
      const p = at.clone().project(camera);
      const visible = p.z > -1 && p.z < 1;
      element.style.visibility = visible ? "visible" : "hidden";
      if (!visible) continue;
      const [x, y] = [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
      const wide = 8 * (element.textContent?.length ?? 1) + 8;
      // On the right above its point; beside another label, on another side.
      const places: Box[] = [
        [x + 9, y - 20],
        [x + 9, y + 5],
        [x - 9 - wide, y - 20],
        [x - 9 - wide, y + 5],
        [x + 9, y - 38],
        [x + 9, y + 22],
      ].map(([left, top]) => [left!, top!, wide, 16]);
      const place = places.find((box) => !taken.some((other) => overlap(box, other))) ?? places[0]!;
      taken.push(place);
      element.style.transform = `translate(${place[0].toFixed(1)}px, ${place[1].toFixed(1)}px)`;
    }
  }
}

type Box = [left: number, top: number, width: number, height: number];

const overlap = ([x, y, w, h]: Box, [p, q, s, t]: Box): boolean => x < p + s && p < x + w && y < q + t && q < y + h;
