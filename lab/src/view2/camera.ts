// The camera of the plane: its middle and its zoom. y points up.

import type { Vec } from "../schema.js";

export class Camera2 {
  center: Vec = [0, 0];
  /** Pixels for one unit. */
  zoom = 40;
  width = 1;
  height = 1;

  toScreen([x = 0, y = 0]: Vec): [number, number] {
    return [this.width / 2 + (x - this.center[0]!) * this.zoom, this.height / 2 - (y - this.center[1]!) * this.zoom];
  }

  toWorld(x: number, y: number): Vec {
    return [this.center[0]! + (x - this.width / 2) / this.zoom, this.center[1]! - (y - this.height / 2) / this.zoom];
  }

  pan(dx: number, dy: number): void {
    this.center = [this.center[0]! - dx / this.zoom, this.center[1]! + dy / this.zoom];
  }

  /** The point under the pointer stays where it is. */
  zoomAt(x: number, y: number, factor: number): void {
    const before = this.toWorld(x, y);
    this.zoom = Math.min(Math.max(this.zoom * factor, 1e-6), 1e9);
    const after = this.toWorld(x, y);
    this.center = this.center.map((c, i) => c + before[i]! - after[i]!);
  }

  /** The units that fit the shorter side of the screen. */
  get span(): number {
    return Math.min(this.width, this.height) / this.zoom;
  }

  show({ center, span }: { center: Vec; span: number }): void {
    this.center = center;
    this.zoom = Math.min(this.width, this.height) / span;
  }

  /** The radius of the visible part around the middle, generously. */
  get viewRadius(): number {
    return Math.hypot(this.width, this.height) / this.zoom;
  }

  fit(points: Vec[]): void {
    if (points.length === 0 || this.width < 2) return;
    const [low, high] = [Math.min, Math.max].map((f) => [0, 1].map((i) => f(...points.map((p) => p[i]!)))) as [
      Vec,
      Vec,
    ];
    this.center = low.map((x, i) => (x + high[i]!) / 2);
    const [w, h] = low.map((x, i) => Math.max(high[i]! - x, 1e-3)) as [number, number];
    this.zoom = Math.min((this.width * 0.8) / w, (this.height * 0.68) / h);
  }
}
