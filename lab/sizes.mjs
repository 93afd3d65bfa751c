/**
 * The size of the page in bytes, as it is and compressed as servers send it. The target is 1 MB and 250 kB; the exact
 * kernels of every shape and three.js are twice as much compressed. A change may not make the page larger than the limits
 * without a reason here.
 *
 * - 746 and 557 kB: the exact kernels, three.js and the page.
 * - 9 and 6 kB more: a faster BVH builder and faster single shapes.
 * - 15 and 12 kB more: the schema that checks links and the writer of TOML with its licence, which are libraries; the names
 *   of the letters, the reasons beside number fields, links that keep the view.
 * - 45 and 32 kB more: the library has one build for all targets, without the feature `small` (its kernels take parts that
 *   are compiled once, where all of them were); OFF files, welding, and the sentences of the scene reference.
 * - 215 and 156 kB more: instances, whose first stage compiles each kernel once more; groups, edits of scenes and snapshots;
 *   objects and matrices in files and in the page.
 * - 7 and 3 kB more: names of layers and rules of shapes in files, triangles of instances in `f64`.
 * - 9 and 7 kB more: moving spheres and volumes, overlap and nearest primitives, which the table of functions of each shape holds.
 * - 246 and 184 kB more: closest points, thick rays and overlaps, of which 236 kB are the exact kernels of every shape, that nothing in
 *   the page had asked before; the rest are their drawings, panels and examples.
 * - 53 and 41 kB more: closest points of curved shapes under shear, and the shortest way out of a shape.
 * - 3 and 1 kB more: the Python of a query is that of the package.
 * - 14 and 11 kB more: the search in meshes of `f64`.
 * - 8 and 6 kB more: boxes of placed shapes, and the hits of placed meshes in `f64`.
 * - 19 and 14 kB more: lists of hits of `f64` by the filter, the order of contacts of neighbours, and words of mesh files.
 * - 91 and 68 kB more: lists of placed shapes by the filter; normals of faces, approach and lists of contacts of sweeps, which the table
 *   of functions of each shape holds; triangles in integers.
 * - 321 and 240 kB more: solids, which the scenes of the module hold, with their exact order and saved form; tapered capsules, quads,
 *   hulls and prisms; tracks, lanes and the search for near surfaces.
 * - 40 and 30 kB less: the slow path of each formula is compiled once, and one sort.
 */
export const TARGET = { raw: 1_000_000, gzip: 250_000 };
export const LIMIT = { raw: 1_850_000, gzip: 1_386_000 };
