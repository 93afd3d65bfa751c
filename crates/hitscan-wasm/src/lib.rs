//! The module of the ray lab: what a web page asks of the library, by plain numbers and bytes.
//!
//! `lab/src/engine.ts` is the other side of this, `lab/src/interface.ts` its types. The page writes what it asks into [`input`], calls a
//! function, and reads the answer: numbers at [`numbers`], texts at [`text`], one after the other with the character
//! 31 between them. A call returns a number, or -1 with a message as its only text. Nothing that is handed over makes
//! the module stop, other than memory that runs out.
//!
//! A *question* is twelve numbers: 1 for a segment and 0 for a ray; its two points, or its origin and direction; the
//! smallest and the largest `t`, NaN for those of the library; 1 for hollow solids; 1 or 2 for front or back faces only;
//! the bits of the layers. A *hit* is thirteen: `t`, distance, point, normal, 1 for the front, shape, triangle or -1, and
//! `u`, `v` or NaN. What may be missing begins with 1, or is 0 alone.
//!
//! Everything is computed in `f64`, the numbers of JavaScript: a scene of `f32` numbers is one of `f64` numbers, too. Only
//! fields of rays, which are drawn and not read, are cast in `f32`, several times as fast.
#![allow(unsafe_code, reason = "functions that JavaScript calls")]

mod answers;
mod lab;
mod open;
mod question;
mod reply;
mod textbook;

pub use lab::Lab;

use std::cell::RefCell;

/// The version of this interface: to be raised when what a function takes or returns changes.
pub const ABI: u32 = 2;

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
            // SAFETY: no other function of the module has this name, which the linker would tell.
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
    /// Makes room for this many bytes of input and says where, at a multiple of 8. What was there is gone.
    fn input(bytes: usize) -> *mut f64 { |lab| lab.make_room(bytes) }
    /// Where the text of the last answer begins.
    fn text() -> *const u8 { |lab| lab.reply.text.as_ptr() }
    /// Its length in bytes.
    fn text_len() -> usize { |lab| lab.reply.text.len() }
    /// Where the numbers of the last answer begin.
    fn numbers() -> *const f64 { |lab| lab.reply.numbers.as_ptr() }
    /// How many there are.
    fn numbers_len() -> usize { |lab| lab.reply.numbers.len() }
    /// Takes a file for every later `open` and `mesh`: its name, then its bytes. One of the same name is forgotten.
    fn file(name: usize, bytes: usize) -> i32 { |lab| lab.answer(|lab| lab.file(name, bytes)) }
    /// Opens a scene: its name, then its text. Returns its handle.
    fn open(name: usize, toml: usize) -> i32 { |lab| lab.answer(|lab| lab.open(name, toml)) }
    /// Forgets a scene.
    fn close(scene: u32) -> () { |lab| lab.close(scene) }
    /// Dimension, precision and shapes.
    fn describe(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.describe(scene)) }
    /// First hit, all hits, how many, spans. A question.
    fn cast(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.cast(scene)) }
    /// Which solids hold a point: three numbers.
    fn contains(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.contains(scene)) }
    /// What `hitscan explain` prints, and the same in parts. A question.
    fn explain(scene: u32, all: u32) -> i32 { |lab| lab.answer(|lab| lab.explain(scene, all)) }
    /// The first hit by the textbook's formulas. A question.
    fn textbook(scene: u32) -> i32 { |lab| lab.answer(|lab| lab.textbook(scene)) }
    /// The first hit of many rays, in `f32`. A question, whose ray is ignored, then six numbers for each ray.
    fn field(scene: u32, rays: usize) -> i32 { |lab| lab.answer(|lab| lab.field(scene, rays)) }
    /// A mesh by itself: the name of a file that was handed over.
    fn mesh(name: usize) -> i32 { |lab| lab.answer(|lab| lab.mesh(name)) }
    /// The mesh of a shape.
    fn mesh_of(scene: u32, shape: usize) -> i32 { |lab| lab.answer(|lab| lab.mesh_of(scene, shape)) }
}
