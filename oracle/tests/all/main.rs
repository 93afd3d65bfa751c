//! The tests of the oracle, in one program: `cargo test -p hitscan-oracle --test all MODULE::` runs those of one file.

mod conformance;
mod distances_in_library;
mod edits;
mod instances;
mod instances_in_library;
mod judge;
mod second_method;
mod solids_peers;
