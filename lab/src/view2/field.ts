// A field of rays in the plane, on a canvas below the shapes.

import type { FieldResult } from "../model.js";
import { type Scene } from "../state.js";
import { color } from "../theme.js";
import { length } from "../vector.js";
import type { Camera2 } from "./camera.js";

/** More lines would be one grey area: of more rays, every n-th is drawn as a line, and every hit as a dot. */
const LINES = 4000;

export function drawField(
  canvas: HTMLCanvasElement,
  camera: Camera2,
  scene: Scene,
  field: FieldResult,
  rays: Float64Array,
): void {
  const ratio = Math.min(devicePixelRatio, 2);
  [canvas.width, canvas.height] = [camera.width * ratio, camera.height * ratio];
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const { t, points } = field.found;
  const count = t.length;
  const every = Math.ceil(count / LINES);
  const far = (2 * camera.viewRadius) / Math.max(length(scene.ray.direction), 1e-300);
  const [cx, cy] = camera.toScreen([0, 0]);
  const [x0, y0, zoom] = [cx * ratio, cy * ratio, camera.zoom * ratio];
  for (const [ink, hits] of [
    ["miss", false],
    ["ray", true],
  ] as const) {
    pen.beginPath();
    for (let i = 0; i < count; i += every) {
      if (Number.isNaN(t[i]!) === hits) continue;
      const [ox, oy] = [rays[6 * i]!, rays[6 * i + 1]!];
      const [px, py] = hits
        ? [points[3 * i]!, points[3 * i + 1]!]
        : [ox + far * rays[6 * i + 3]!, oy + far * rays[6 * i + 4]!];
      pen.moveTo(x0 + ox * zoom, y0 - oy * zoom);
      pen.lineTo(x0 + px * zoom, y0 - py * zoom);
    }
    pen.strokeStyle = color(ink);
    pen.globalAlpha = Math.min(0.5, Math.max(0.03, 60 / Math.min(count, LINES)));
    pen.lineWidth = ratio;
    pen.stroke();
  }
  pen.globalAlpha = 1;
  dots(pen, canvas, field, (i) => [x0 + points[3 * i]! * zoom, y0 - points[3 * i + 1]! * zoom], ratio);
}

/** The cached canvas of the dots. */
let dotted: { canvas: OffscreenCanvas; pen: OffscreenCanvasRenderingContext2D; image: ImageData } | null = null;

function sheet(width: number, height: number): NonNullable<typeof dotted> | null {
  if (dotted?.canvas.width === width && dotted.canvas.height === height) {
    dotted.image.data.fill(0);
    return dotted;
  }
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  dotted = pen && { canvas, pen, image: pen.createImageData(width, height) };
  return dotted;
}

/**
 * Every hit as a dot of its colour: written as pixels, for there may be a hundred thousand. They are written on a sheet
 * of their own, so that the lines need not come back from where they are drawn.
 */
function dots(
  pen: CanvasRenderingContext2D,
  { width, height }: HTMLCanvasElement,
  { found, colors }: FieldResult,
  place: (i: number) => [number, number],
  ratio: number,
): void {
  const over = sheet(width, height);
  if (!over) return;
  const { data } = over.image;
  const size = Math.round(3 * ratio);
  for (let i = 0; i < found.t.length; i++) {
    if (found.shape[i]! < 0) continue;
    const [px, py] = place(i);
    const [left, top] = [Math.round(px - size / 2), Math.round(py - size / 2)];
    if (!(left >= 0 && top >= 0 && left + size < width && top + size < height)) continue;
    for (let y = top; y < top + size; y++) {
      for (let x = left; x < left + size; x++) {
        const at = 4 * (y * width + x);
        data[at] = colors[3 * i]!;
        data[at + 1] = colors[3 * i + 1]!;
        data[at + 2] = colors[3 * i + 2]!;
        data[at + 3] = 255;
      }
    }
  }
  over.pen.putImageData(over.image, 0, 0);
  pen.drawImage(over.canvas, 0, 0);
}
