//! WebAssembly interface of the ray lab: exported functions through which a web page queries the library with plain
//! numbers and bytes.
//!
//! `lab/src/engine.ts` is the caller, `lab/src/interface.ts` has its types. The page writes the input to [`input`],
//! calls a function, and reads the reply: numbers at [`numbers`], texts at [`text`], separated by the character 31. A
//! call returns a number, or -1 with an error message as the only text. No input aborts the module, except by running
//! out of memory.
//!
//! A *query* is twelve numbers: 1 for a segment and 0 for a ray; its two points, or its origin and direction; the
//! smallest and the largest `t`, NaN for the library's default; 1 for hollow solids; 1 or 2 for front or back faces
//! only; the layer mask. A *hit* is thirteen: `t`, distance, point, normal, 1 for the front, shape, triangle or -1, and
//! `u`, `v` or NaN. A *place* is the text of a feature and four numbers: shape, triangle or -1, and `u`, `v` or NaN. A *transform* is twelve: the images of three axes, and the translation. An optional value is 1 followed by the value, or a 0.
//!
//! The module computes in `f64`, the number type of JavaScript, which represents every `f32` scene exactly. Only ray
//! fields, whose hits are drawn and not read, are cast in `f32`, which is several times as fast.
#![allow(unsafe_code, reason = "functions that JavaScript calls")]

mod answers;
mod lab;
mod lab_query;
mod open;
mod proximity;
mod reply;
mod textbook;
mod volume;

pub use lab::Lab;

use std::cell::RefCell;

/// Version of this interface. Raise it when the arguments, the input or the reply of a function change.
pub const ABI: u32 = 4;

std::thread_local! {
    static LAB: RefCell<Lab> = RefCell::new(Lab::default());
}

fn with<R>(f: impl FnOnce(&mut Lab) -> R) -> R {
    LAB.with(|lab| f(&mut lab.borrow_mut()))
}

macro_rules! exports {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty { |$lab:ident| $body:expr })+) => {
        $(
            $(#[$doc])*
            // SAFETY: no other function of the module has this name; the linker rejects duplicates.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: $type),*) -> $result {
                with(|$lab| $body)
            }
        )+
    };
}

exports! {
    /// [`ABI`].
    fn abi() -> u32 { |_lab| ABI }
    /// 1 if the module was built with SIMD instructions.
    fn simd() -> u32 { |_lab| u32::from(cfg!(target_feature = "simd128")) }
    /// Allocates an input buffer of this many bytes, aligned to 8, and returns its address. Discards the old buffer.
    fn input(bytes: usize) -> *mut f64 { |lab| lab.make_room(bytes) }
    /// Address of the text of the last reply.
    fn text() -> *const u8 { |lab| lab.reply.text.as_ptr() }
    /// Length of this text in bytes.
    fn text_len() -> usize { |lab| lab.reply.text.len() }
    /// Address of the numbers of the last reply.
    fn numbers() -> *const f64 { |lab| lab.reply.numbers.as_ptr() }
    /// Count of these numbers.
    fn numbers_len() -> usize { |lab| lab.reply.numbers.len() }
    /// Adds a file for later calls of `open` and `mesh`, or replaces the file of that name. Input: its name, then its
    /// bytes.
    fn file(name: usize, bytes: usize) -> i32 { |lab| lab.answer(|lab| lab.file(name, bytes)) }
    /// Opens a scene and returns its handle. Input: its name, then its text.
    fn open(name: usize, toml: usize) -> i32 { |lab| lab.answer(|lab| lab.open(name, toml)) }
    /// Closes a scene.
    fn close(scene: u32) -> () { |lab| lab.close(scene) }
    /// Describes a scene: dimension, precision and shapes, each with its transform if it has one.
    fn describe(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.describe(scene)) }
    /// Casts a ray or segment: closest hit, all hits, their count, spans. Input: a query.
    fn cast(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.cast(scene)) }
    /// Tests which solids contain a point. Input: three numbers.
    fn contains(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.contains(scene)) }
    /// Finds the closest point of the surfaces, if there is one: the point, its distance, place, 1 from inside its solid, outward
    /// direction or NaN; then the signed distance or NaN. Input: three numbers, and the greatest distance, NaN for none.
    fn closest(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.closest(scene)) }
    /// Casts a sphere along a ray and returns its first contact, if there is one: `t`, distance, center, point, normal, depth or
    /// NaN, place. Input: a query, then the radius.
    fn cast_sphere(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.cast_sphere(scene)) }
    /// Lists what the first shape of another scene overlaps: the shape, 1 if it contains the volume, how many triangles of a mesh or
    /// -1.
    fn overlapping(scene: u32, volume: u32) -> i32 { |lab| lab.answer(|lab| lab.overlapping(scene, volume)) }
    /// Explains a query: the text of `hitscan explain`, then its parts. Input: a query.
    fn explain(scene: u32, all: u32) -> i32 { |lab| lab.answer(|lab| lab.explain(scene, all)) }
    /// Computes the closest hit by the textbook's formulas. Input: a query.
    fn textbook(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.textbook(scene)) }
    /// Casts a field of rays in `f32` and returns their closest hits. Input: a query, whose ray is ignored, then six
    /// numbers for each ray.
    fn field(scene: u32, rays: usize) -> i32 { |lab| lab.answer(|lab| lab.field(scene, rays)) }
    /// Loads a mesh without a scene. Input: the name of an added file.
    fn mesh(name: usize) -> i32 { |lab| lab.answer(|lab| lab.mesh(name)) }
    /// Returns the mesh of a shape, before the transform of its object.
    fn mesh_of(scene: u32, shape: usize) -> i32 { |lab| lab.answer(|lab| lab.mesh_of(scene, shape)) }
}
