//! The oracle of hitscan: exact answers by arithmetic and formulas of its own, and cases to compare them on.
//!
//! # Method
//! Inputs are whole numbers on a common grid ([`number`]). A shape is a set of inequalities `g(p) <= 0`, straight from
//! its definition ([`gauge`]); along a line each is a polynomial of degree 2, found by interpolation of three
//! points ([`poly`]). The ends of the stretches where all are at most zero are quadratic surds ([`surd`]), compared by
//! algebra on integers ([`meeting`]). What a query makes of them is DESIGN.md's rules, written once more ([`rules`]);
//! only then are roots taken, to hundreds of bits, to measure errors ([`values`], [`judge`]).
//!
//! Nothing of the library is used but its constructors and queries, which are what is judged.

pub mod body;
pub mod case;
#[cfg(feature = "files")]
pub mod corpus;
pub mod gauge;
pub mod generate;
pub mod judge;
pub mod leaks;
pub mod line;
pub mod meeting;
pub mod number;
pub mod poly;
pub mod rules;
pub mod run;
pub mod scenes;
pub mod surd;
pub mod tally;
pub mod values;
