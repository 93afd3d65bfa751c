/**
 * What went wrong, as a word that programs can compare.
 *
 * - `bad-argument`: an argument has a wrong type or value; the message names it.
 * - `no-triangles`, `too-many`, `not-finite`, `out-of-range`: the arrays are no mesh.
 * - `other-count`: a refit has another number of vertices than the mesh.
 * - `not-saved`, `version`, `precision`, `damaged`: the bytes are no mesh that this module can load.
 * - `disposed`: the mesh or the buffer was disposed.
 * - `memory`: the memory of the module does not suffice.
 * - `missing`: only the larger module of `hitscan/full` can do this.
 * - `not-ready`: `init` has not ended.
 * - `load`: the module cannot be loaded.
 * - `stopped`: the module ran out of memory in the middle of a call, and cannot be used any more.
 */
export type HitscanErrorCode =
  | "bad-argument"
  | "no-triangles"
  | "too-many"
  | "not-finite"
  | "out-of-range"
  | "other-count"
  | "not-saved"
  | "version"
  | "precision"
  | "damaged"
  | "disposed"
  | "memory"
  | "missing"
  | "not-ready"
  | "load"
  | "stopped";

/** The error of every call of this package. */
export class HitscanError extends Error {
  override readonly name = "HitscanError";
  /** What went wrong. */
  readonly code: HitscanErrorCode;

  constructor(code: HitscanErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error of a bad argument, by its name. */
export const badArgument = (name: string, problem: string): HitscanError =>
  new HitscanError("bad-argument", `${name}: ${problem}`);

type Words = [HitscanErrorCode, (details: number[]) => string];

/** The words for the codes of the module: `crates/hitscan-npm/src/code.rs`. */
const WORDS: Record<number, Words> = {
  [-1]: ["disposed", () => "the mesh or a buffer was disposed, or is of another module or precision"],
  [-2]: ["memory", () => "the memory of the module does not suffice"],
  [-3]: ["no-triangles", () => "the mesh has no triangles"],
  [-4]: ["too-many", () => "the mesh has more than 2^32 - 1 vertices or 2^27 - 16 triangles"],
  [-5]: ["not-finite", ([vertex]) => `positions: a coordinate of vertex ${vertex} is not finite`],
  [-6]: [
    "out-of-range",
    ([triangle, index, count]) =>
      `indices: triangle ${triangle} has the vertex ${index}, but there are ${count} vertices`,
  ],
  [-7]: ["other-count", ([count, given]) => `positions: the mesh has ${count} vertices, and ${given} were given`],
  [-8]: ["not-saved", () => "bytes: not a saved mesh"],
  [-9]: ["version", ([version]) => `bytes: a saved mesh of the unknown version ${version}`],
  [-10]: ["precision", ([found]) => `bytes: a saved mesh whose coordinates have ${found} bytes`],
  [-11]: ["damaged", ([expected, found]) => `bytes: ${found} bytes in place of ${expected}`],
  [-12]: ["damaged", () => "bytes: the checksum does not match"],
  [-13]: ["damaged", () => "bytes: the tree is not valid"],
  [-14]: ["bad-argument", ([count]) => `count: a buffer has room for ${count} rays only`],
  [-15]: ["bad-argument", () => "radius, half extents and points: must be finite numbers, and there must be some"],
  [-16]: ["stopped", () => "an earlier call ended in the middle, and the module cannot be used any more"],
  [-17]: ["missing", () => "the module of `hitscan` cannot do this: use that of `hitscan/full`"],
};

/** The error of a negative result of the module. */
export function errorOf(code: number, details: ArrayLike<number>): HitscanError {
  const [word, message] = WORDS[code] ?? ["stopped", () => `the module answers ${code}`];
  return new HitscanError(word, message(Array.from({ length: 3 }, (_, i) => details[i]!)));
}
