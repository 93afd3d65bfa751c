//! `cargo xtask check tidy`: the rules of the repository that neither rustc nor clippy nor Cargo checks.
//!
//! A rule is a name, a reason and a function from the files of the repository to findings. Rules read tokens where
//! comments and strings must not count, and lines elsewhere. To add a rule, write the function with its test beside
//! the rules of the same kind, and name it in [`RULES`].

mod circles;
mod code;
mod file_list;
mod kernels;
mod links;
mod names;
mod order;
mod references;
mod rules;
mod text;
mod tokens;
mod tree;

pub(crate) use file_list::file_list;
pub(crate) use rules::{RULES, run};
