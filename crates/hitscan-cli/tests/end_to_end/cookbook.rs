//! Pages of the documentation that show the program: the sessions of `docs/first-rays.md` and `docs/cookbook.md`, which include
//! the sections of `cookbook.md`, and `docs/commands.md`.

use crate::support::{Folder, page_sessions};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn the_cookbook_shows_what_the_program_prints() {
    let folder = Folder::new("cookbook");
    let page = include_str!("cookbook.md");
    for (language, name) in [("csv", "rays.csv"), ("obj", "corner.obj")] {
        let block = page.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
        folder.file(name, block.unwrap());
    }
    assert_eq!(page_sessions(&folder, page), 14);
}

/// The beginning of `docs/commands.md`.
const COMMANDS_PAGE: &str = "\
<!-- Generated from the help of the program: see crates/hitscan-cli/tests/end_to_end/cookbook.rs. -->

# Commands of the program

`hitscan help` prints this overview, and `hitscan help COMMAND` the part of a command. `hitscan man` prints a manual page, and
`hitscan completions SHELL` completions for bash, zsh, fish, elvish and PowerShell. [Scene files](scene-reference.md) and
[tables of rays](tables.md) have pages of their own.
";

/// The page shows the help of the program and of each command; with `HITSCAN_UPDATE=1` it is written.
#[test]
fn the_page_of_commands_is_the_help() {
    let folder = Folder::new("commands-page");
    let mut page = COMMANDS_PAGE.to_owned();
    let mut add = |heading: &str, help: &str| {
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        writeln!(page, "\n## {heading}\n\n```text\n{}\n```", lines.join("\n").trim_end()).unwrap();
    };
    let overview = folder.done("help");
    add("hitscan", &overview);
    let commands = overview.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    // Lines that go on with a description begin with more spaces.
    let names =
        commands.lines().filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in names {
        add(&format!("hitscan {name}"), &folder.done(&format!("help {name}")));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    if std::env::var_os("HITSCAN_UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let is_same = fs::read_to_string(&path).is_ok_and(|written| written == page);
    assert!(is_same, "docs/commands.md is old: run this test with HITSCAN_UPDATE=1");
}
