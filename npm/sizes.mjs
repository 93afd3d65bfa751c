/**
 * The sizes of the package in bytes, compressed as servers send them. The target of the module `mesh` is 110 kB, and it has 193 kB: the
 * search of the library takes placed meshes and rays that run in triangles, which this module never asks for but cannot leave out.
 * A change may not make a module larger than its limit without a reason here.
 *
 * - mesh: closest and any hit 150 kB; lists, counts, spans, inside 19 kB; saved meshes 13 kB; closest point and signed distance 9 kB;
 *   rays in triangles, batches 3 kB each; refit 1 kB. So at level "s" of optimisation; level 3 makes it 9 kB larger, and builds 2.7
 *   times as fast.
 * - scripts: 20.8 kB, of which 1.7 kB are there because the adapter for three.js is in six files, which are compressed one by one.
 * - full: meshes in `f32` 50 kB more, moving spheres 71 kB, overlaps 75 kB.
 */
export const TARGET = { "mesh.wasm": 110_000, "full.wasm": 330_000 };
export const LIMIT = { "mesh.wasm": 194_000, "full.wasm": 394_000, scripts: 21_500 };
