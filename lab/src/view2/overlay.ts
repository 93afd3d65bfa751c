// The grid under the shapes of the plane, and the handles over them.

import { s } from "../dom.js";
import type { Vec } from "../schema.js";
import type { Camera2 } from "./camera.js";
import type { Handle } from "./handles.js";

/** Lines one step apart, a step being 1, 2 or 5 times a power of ten and some forty pixels or more. */
export function drawGrid(camera: Camera2): SVGElement[] {
  const raw = 42 / camera.zoom;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= raw)!;
  const [left, top] = camera.toWorld(0, 0) as [number, number];
  const [right, bottom] = camera.toWorld(camera.width, camera.height) as [number, number];
  const lines: SVGElement[] = [];
  const put = (from: Vec, to: Vec, strong: boolean): void => {
    const [x1, y1] = camera.toScreen(from);
    const [x2, y2] = camera.toScreen(to);
    lines.push(s("line", { x1, y1, x2, y2, stroke: strong ? "var(--grid-strong)" : "var(--grid)", "stroke-width": 1 }));
  };
  for (let i = Math.ceil(left / step); i * step <= right; i++) put([i * step, top], [i * step, bottom], i === 0);
  for (let i = Math.ceil(bottom / step); i * step <= top; i++) put([left, i * step], [right, i * step], i === 0);
  return lines;
}

export function drawHandle(camera: Camera2, { at, kind }: Handle): SVGElement {
  const [x, y] = camera.toScreen(at);
  const common = { fill: "var(--raised)", stroke: "var(--accent)", "stroke-width": 2 };
  if (kind === "scale") return s("rect", { x: x - 5.5, y: y - 5.5, width: 11, height: 11, ...common });
  if (kind === "size") return s("path", { d: `M${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}L${x - 7} ${y}Z`, ...common });
  const round = s("circle", { cx: x, cy: y, r: 6, ...common });
  if (kind === "point") return round;
  const around = s("path", {
    d: `M${x - 11} ${y + 3}A11.5 11.5 0 1 1 ${x + 11} ${y + 3}`,
    fill: "none",
    stroke: "var(--accent)",
  });
  return s("g", {}, round, around);
}
