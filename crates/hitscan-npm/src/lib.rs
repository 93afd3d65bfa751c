//! WebAssembly interface of the npm package: exported functions by which JavaScript builds meshes and queries them with plain numbers.
//!
//! `npm/src/engine.ts` is the caller. The module imports nothing. An object has a *handle*, a number that names it until it is freed,
//! and no other object ever. A call returns a count or a handle, or a negative [`Code`] with its numbers in the record. The result of a
//! query lies in the record, at [`record`], a list at [`list`]; both are valid until the next call. No argument makes the module trap,
//! except by running out of memory.
//!
//! A *cast* is nine arguments: origin, direction, the smallest and the largest `t`, and flags: 1 for front faces only, 2 for back faces
//! only, 4 to hit triangles that the ray runs in, 8 for each triangle at a shared edge in lists.
#![allow(unsafe_code, reason = "functions that JavaScript calls")]

mod code;
mod module;
mod objects;
mod queries;
mod table;

pub use code::{Code, Details};
pub use queries::HIT_NUMBERS;

use code::{Failure, plain};
use module::Module;
use queries::Cast;
use spin::Mutex;

/// Version of this interface. Raise it when the arguments or the results of a function change.
pub const ABI: u32 = 1;

static MODULE: Mutex<Module> = Mutex::new(Module::new());

/// Runs an operation; a failure becomes its code. A call that trapped has left the lock closed: the calls after it fail.
fn with(operation: impl FnOnce(&mut Module) -> Result<i32, Failure>) -> i32 {
    let Some(mut module) = MODULE.try_lock() else { return plain(Code::Busy).0 as i32 };
    operation(&mut module).unwrap_or_else(|failure| module.fail(failure))
}

/// An address in the module; 0 if there is none.
fn address(of: impl FnOnce(&mut Module) -> usize) -> usize {
    MODULE.try_lock().map_or(0, |mut module| of(&mut module))
}

/// The record and the last list, for tests of this machine.
#[doc(hidden)]
#[must_use]
pub fn results() -> (Vec<f64>, Vec<f64>) {
    let module = MODULE.lock();
    (module.record.to_vec(), module.list.clone())
}

/// Writes the vertices or the triangles of a buffer: for tests of this machine.
#[doc(hidden)]
pub fn fill(handle: u32, numbers: &[f64]) {
    MODULE.lock().fill(handle, numbers);
}

macro_rules! exports {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty { $body:expr })+) => {
        $(
            $(#[$doc])*
            // SAFETY: no other function of the module has this name; the linker rejects duplicates. In tests for this machine, where
            // libraries of C have some of the names, the functions have those of Rust.
            #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
            #[allow(clippy::too_many_arguments, reason = "numbers in registers cost nothing; memory does")]
            pub extern "C" fn $name($($argument: $type),*) -> $result {
                $body
            }
        )+
    };
}

/// Exports of queries with a cast: its arguments stand before those of each query.
macro_rules! casts {
    ($($(#[$doc:meta])* fn $name:ident($module:ident, $mesh:ident, $cast:ident $(, $argument:ident: $type:ty)*) { $body:expr })+) => {
        exports! {
            $(
                $(#[$doc])*
                fn $name(
                    $mesh: u32, ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64, t_min: f64, t_max: f64, flags: u32
                    $(, $argument: $type)*
                ) -> i32 {{
                    let $cast = &Cast { origin: [ox, oy, oz], direction: [dx, dy, dz], range: [t_min, t_max], flags };
                    with(|$module| $body)
                }}
            )+
        }
    };
}

exports! {
    /// [`ABI`].
    fn abi() -> u32 { ABI }
    /// Address of the record, which stays.
    fn record() -> usize { address(|module| module.record.as_ptr() as usize) }
    /// Address of the last list.
    fn list() -> usize { address(|module| module.list.as_ptr() as usize) }
    /// Address of the mesh that was saved last.
    fn saved() -> usize { address(|module| module.saved.as_ptr() as usize) }
    /// Count of its bytes.
    fn saved_len() -> usize { address(|module| module.saved.len()) }
    /// Makes a buffer and returns its handle: 0 and 1 for vertices in `f32` and `f64`, 2 and 3 for rays, 4 and 5 for hits, 6 for
    /// triangles, 7 for bytes.
    fn buffer(kind: u32, count: usize) -> i32 { with(|module| module.buffer(kind, count)) }
    /// Address of a column of a buffer; 0 for one that is not there. Rays have origins, directions, smallest and largest `t`; hits have
    /// `t`, distances, points, normals, `u` and `v`, triangles, and a byte for the front.
    fn column(handle: u32, column: u32) -> usize { address(|module| module.address(handle, column)) }
    /// Frees an object; 1 if there was one.
    fn release(handle: u32) -> i32 { with(|module| Ok(module.release(handle))) }
    /// Builds a mesh of buffers, which it takes, and returns its handle. A handle of no triangles makes each three vertices one.
    /// Quality 1 is the high one.
    fn mesh(vertices: u32, triangles: u32, quality: u32) -> i32 { with(|module| module.mesh(vertices, triangles, quality)) }
    /// Moves the vertices of a mesh to those of a buffer, which it takes.
    fn refit(mesh: u32, vertices: u32) -> i32 { with(|module| module.refit(mesh, vertices)) }
    /// Bytes of a coordinate of a mesh, its counts of vertices and triangles, its box, and the bytes of its tree.
    fn describe(mesh: u32) -> i32 { with(|module| module.describe(mesh)) }
    /// 1 for a closed mesh.
    fn is_closed(mesh: u32) -> i32 { with(|module| module.is_closed(mesh)) }
    /// Saves a mesh with its tree.
    fn save(mesh: u32) -> i32 { with(|module| module.save(mesh)) }
    /// Loads a mesh of a buffer of bytes, which it takes, with coordinates of 4 or 8 bytes; returns its handle.
    fn load(bytes: u32, scalar: u32) -> i32 { with(|module| module.load(bytes, scalar)) }
    /// 1 if the point is inside a closed mesh.
    fn contains(mesh: u32, x: f64, y: f64, z: f64) -> i32 { with(|module| module.contains(mesh, [x, y, z])) }
    /// The closest point up to a distance: point, distance, place.
    fn closest_point(mesh: u32, x: f64, y: f64, z: f64, most: f64) -> i32 {
        with(|module| module.closest_point(mesh, [x, y, z], most))
    }
    /// The distance, negative inside a closed mesh.
    fn signed_distance(mesh: u32, x: f64, y: f64, z: f64) -> i32 { with(|module| module.signed_distance(mesh, [x, y, z])) }
    /// 1 if the sphere overlaps the mesh, whose inside counts if it is closed.
    fn overlaps_sphere(mesh: u32, x: f64, y: f64, z: f64, radius: f64) -> i32 {
        with(|module| module.overlaps(mesh, [x, y, z], [radius; 3], false))
    }
    /// 1 if the box, given by its center and half extents, overlaps the mesh.
    fn overlaps_box(mesh: u32, x: f64, y: f64, z: f64, hx: f64, hy: f64, hz: f64) -> i32 {
        with(|module| module.overlaps(mesh, [x, y, z], [hx, hy, hz], true))
    }
    /// 1 if the convex hull of the points of a buffer, which it takes, touches a triangle.
    fn touches_hull(mesh: u32, points: u32) -> i32 { with(|module| module.touches_hull(mesh, points)) }
    /// The closest hits of the first `count` rays of a buffer, in a buffer of hits; returns how many rays hit.
    fn cast_batch(mesh: u32, rays: u32, hits: u32, count: usize, t_min: f64, t_max: f64, flags: u32) -> i32 {{
        let cast = &Cast { origin: [0.0; 3], direction: [0.0; 3], range: [t_min, t_max], flags };
        with(|module| module.cast_batch(mesh, rays, hits, count, cast))
    }}
    /// Whether each of the first `count` rays of a buffer hits, in a buffer of bytes; returns how many do.
    fn occluded_batch(mesh: u32, rays: u32, out: u32, count: usize, t_min: f64, t_max: f64, flags: u32) -> i32 {{
        let cast = &Cast { origin: [0.0; 3], direction: [0.0; 3], range: [t_min, t_max], flags };
        with(|module| module.occluded_batch(mesh, rays, out, count, cast))
    }}
}

casts! {
    /// The closest hit: 1 with `t`, distance, point, normal, `u`, `v`, triangle, 1 for the front; or 0.
    fn cast(module, mesh, cast) { module.cast(mesh, cast) }
    /// 1 if there is a hit.
    fn occluded(module, mesh, cast) { module.occluded(mesh, cast) }
    /// All hits, in the list.
    fn cast_all(module, mesh, cast) { module.cast_all(mesh, cast) }
    /// Count of all hits.
    fn count(module, mesh, cast) { module.count(mesh, cast) }
    /// The spans inside a closed mesh, of two hits each, in the list. What a span lacks has NaNs.
    fn spans(module, mesh, cast) { module.spans(mesh, cast) }
    /// The first contact of a sphere: 1 with `t`, distance, center, point, normal, depth or NaN, place; or 0.
    fn cast_sphere(module, mesh, cast, radius: f64) { module.sphere_cast(mesh, cast, radius) }
}
