/** Which triangles a raycast counts: those of the draw range and of groups, seen from the sides of their materials. */
import { BackSide, type BufferGeometry, DoubleSide, FrontSide, type Side } from "three";
import { flagsOf } from "../arguments.js";

/** A side, or a material with one. */
export type Sided = Side | { side: Side };

/** Materials, or what a raycast needs of them. */
export type Sides = Sided | readonly Sided[];

/** The flags of a cast that counts a side. */
const FLAGS: Record<Side, number> = {
  [FrontSide]: flagsOf({ faces: "front" }),
  [BackSide]: flagsOf({ faces: "back" }),
  [DoubleSide]: flagsOf({ faces: "both" }),
};

/** What a raycast of a geometry with a material counts. */
export interface Accepting {
  /** The flags of the sides that a search must look at. */
  flags: number;
  /** The number of the material by which a triangle counts, seen from a side; -1 if it does not count. */
  materialOf(triangle: number, isFront: boolean): number;
}

export const sideOf = (of: Sided | undefined): Side => (typeof of === "object" ? of.side : (of ?? FrontSide));
const counts = (side: Side, isFront: boolean): boolean => side === DoubleSide || (side === BackSide) !== isFront;

/** What counts; null where a draw range or a group begins in the middle of a triangle, so that others are seen. */
export function acceptance(geometry: BufferGeometry, material: Sides): Accepting | null {
  const { drawRange, groups } = geometry;
  const begin = Math.max(0, drawRange.start);
  const end = drawRange.start + drawRange.count;
  if (!Array.isArray(material)) {
    if (begin % 3 !== 0) return null;
    const side = sideOf(material as Sided);
    const materialOf = (triangle: number, isFront: boolean): number =>
      3 * triangle >= begin && 3 * triangle < end && counts(side, isFront) ? 0 : -1;
    return { flags: FLAGS[side], materialOf };
  }
  const sides = material.map(sideOf);
  const parts = groups.map(({ start, count, materialIndex }) => ({
    start: Math.max(start, drawRange.start),
    end: Math.min(start + count, end),
    side: sides[materialIndex ?? 0] ?? FrontSide,
    material: materialIndex ?? 0,
  }));
  if (parts.some(({ start }) => start % 3 !== 0)) return null;
  const materialOf = (triangle: number, isFront: boolean): number => {
    const counted = ({ start, end, side }: (typeof parts)[0]): boolean =>
      3 * triangle >= start && 3 * triangle < end && counts(side, isFront);
    return parts.find(counted)?.material ?? -1;
  };
  const [first = FrontSide] = parts.map(({ side }) => side);
  return { flags: parts.every(({ side }) => side === first) ? FLAGS[first] : 0, materialOf };
}
