export type { CastAllOptions, CastOptions, Faces, Point } from "./arguments.js";
export { HitBuffer, MaskBuffer, type Numbers, type Precision, RayBuffer } from "./buffers.js";
export { HitscanError, type HitscanErrorCode } from "./errors.js";
export { Hitscan, type Indices, type MeshOptions } from "./hitscan.js";
export type { Source } from "./load.js";
export {
  type BatchOptions,
  type Box,
  type ClosestPoint,
  type Feature,
  type Hit,
  Mesh,
  type Positions,
  type Span,
  type SphereHit,
  type Vec3,
} from "./mesh.js";
