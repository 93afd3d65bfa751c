// Annotations that both views draw to explain a test.

import type { Vec } from "./schema.js";
import type { Shape } from "./state.js";

export type Ink = "ink" | "soft" | "a" | "b" | "e" | "f" | "r" | "hit" | "normal" | "x" | "y" | "z";

/** An annotation. `name` is the meaning of its label. */
export type Mark =
  | { kind: "point"; at: Vec; label: string; ink: Ink; name?: string }
  | { kind: "segment"; from: Vec; to: Vec; ink: Ink; label?: string; dashed?: boolean; arrow?: boolean; name?: string }
  | { kind: "area"; corners: Vec[]; ink: Ink; label?: string; name?: string }
  | { kind: "circle"; center: Vec; radius: number; normal: Vec; ink: Ink }
  /** A shape that is not of the scene: a volume, or the ball of a distance. */
  | { kind: "solid"; shape: Shape; ink: Ink }
  /** An interval of the ray, drawn beside it in a lane of its own. */
  | { kind: "interval"; t: [number, number]; lane: number; ink: Ink; label: string; name?: string };
