//! The sessions of `docs/first-rays.md` and `docs/cookbook.md`: those pages include the sections of `cookbook.md`.

use crate::support::{Folder, page_sessions};

#[test]
fn the_cookbook_shows_what_the_program_prints() {
    let folder = Folder::new("cookbook");
    let page = include_str!("cookbook.md");
    for (language, name) in [("csv", "rays.csv"), ("obj", "corner.obj")] {
        let block = page.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        folder.file(name, block);
    }
    assert_eq!(page_sessions(&folder, page), 14);
}
