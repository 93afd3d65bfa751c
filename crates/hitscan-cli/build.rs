//! Embeds the page of the ray lab, compressed by gzip, in the program if it exists: `cargo xtask lab` builds it, with Node. Without the page
//! `hitscan lab` prints how to get it; all other commands are complete.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(lab_page)");
    println!("cargo::rerun-if-env-changed=HITSCAN_LAB_PAGE");
    let named = env::var_os("HITSCAN_LAB_PAGE").map(PathBuf::from);
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // The folder is in the repository, without the page.
    let folder = crate_folder.join("../../lab/dist");
    let is_named = named.is_some();
    let page = named.unwrap_or_else(|| folder.join("index.html.gz"));
    if page.is_file() {
        println!("cargo::rerun-if-changed={}", page.display());
        println!("cargo::rustc-cfg=lab_page");
        println!("cargo::rustc-env=HITSCAN_LAB_PAGE={}", page.display());
    } else if is_named {
        println!(
            "cargo::error=HITSCAN_LAB_PAGE: {} is no file: name the page of the ray lab, compressed by gzip, or unset it",
            page.display()
        );
    } else if folder.is_dir() {
        // Not the page: cargo would compile the program anew in each build while a file that it watches is missing.
        println!("cargo::rerun-if-changed={}", folder.display());
    }
}
