//! The oracle of hitscan: exact answers by arithmetic and formulas of its own, and cases to compare them on.
//!
//! # Method
//! Inputs are integers on a common grid ([`number`]). A shape is a set of inequalities `g(p) <= 0`, straight from
//! its definition ([`implicit`]); along a line each is a polynomial of degree 2, found by interpolation of three
//! points ([`poly`]). An instance has the functions of its shape at the preimages of points, in units of the
//! determinant ([`affine`], [`instance`]). The ends of the intervals where all are at most zero are quadratic surds
//! ([`surd`]), compared by algebra on integers ([`intersection`]). A second implementation of the rules of queries
//! turns them into hits ([`rules`]). Only then roots are computed, to hundreds of bits, to measure errors ([`values`],
//! [`judge`]).
//!
//! The oracle calls nothing of the library except the constructors and queries that it judges.

pub mod affine;
pub mod body;
pub mod case;
pub mod closed_meshes;
#[cfg(feature = "files")]
pub mod corpus;
pub mod distances;
pub mod edits;
pub mod generate;
pub mod implicit;
pub mod instance;
pub mod instanced_meshes;
pub mod intersection;
pub mod judge;
pub mod leaks;
pub mod line;
pub mod number;
pub mod poly;
pub mod query_plan;
pub mod rules;
pub mod run;
pub mod scenes;
pub mod solids;
pub mod solids_peers;
pub mod surd;
pub mod sweeps;
pub mod tally;
pub mod values;
pub mod walks;
pub mod wheels;
pub mod wide;
