//! `cargo xtask check tidy`: the rules of the repository that neither rustc nor clippy nor Cargo checks.
//!
//! A rule is a name, a reason and a function from the files of the repository to findings. Rules read tokens, so
//! comments and strings do not count, and tests count where the rule says so. To add a rule, write the function with
//! its test next to its kin and name it in [`RULES`].

mod circles;
mod code;
mod form;
mod items;
mod modules;
mod names;
mod names_table;
mod order;
mod rules;
mod text;
mod tokens;
mod tree;

pub(crate) use names::allow_list;
pub(crate) use rules::{RULES, run};
