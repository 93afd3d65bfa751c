//! Embeds the page of the ray lab in the program if it exists: `cargo xtask lab` builds it, with Node. Without the page
//! `hitscan lab` prints how to get it; all other commands are complete.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(lab_page)");
    println!("cargo::rerun-if-env-changed=HITSCAN_LAB_PAGE");
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let built = crate_folder.join("../../lab/dist/index.html");
    let page = env::var_os("HITSCAN_LAB_PAGE").map_or(built, PathBuf::from);
    println!("cargo::rerun-if-changed={}", page.display());
    if page.is_file() {
        println!("cargo::rustc-cfg=lab_page");
        println!("cargo::rustc-env=HITSCAN_LAB_PAGE={}", page.display());
    }
}
