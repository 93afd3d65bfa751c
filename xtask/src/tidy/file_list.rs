//! `cargo xtask files`: the files of the library, each with the first sentence of its documentation.

use super::tree::{File, Tree};
use std::path::Path;

/// A line for each file of the library, tests aside: its path in `crates/hitscan/src/` and what it says about itself.
pub(crate) fn file_list(root: &Path) -> Result<String, String> {
    Ok(Tree::load(root)?.files.iter().filter_map(line).collect())
}

fn line(file: &File) -> Option<String> {
    let path = file.path.strip_prefix("crates/hitscan/src/").filter(|_| !file.is_test())?;
    Some(format!("{path:<34} {}\n", first_sentence(file)))
}

/// The first sentence of the module documentation; of a paragraph without one the whole. Links are left out.
fn first_sentence(file: &File) -> String {
    let lines = file.text.lines().skip_while(|line| !line.starts_with("//!"));
    let docs = lines.map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph: Vec<&str> = docs.take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    let (first, links) = text.split_once("](").unwrap_or((&text, ""));
    let behind = links.split("](").filter_map(|link| link.split_once(')')).map(|(_, behind)| behind);
    let text = std::iter::once(first).chain(behind).collect::<String>().replace(['[', ']'], "");
    text.find(". ").map_or(text.as_str(), |end| &text[..=end]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_their_first_sentence() {
        let lines = |path, text| Tree::of(&[(path, text)]).files.iter().filter_map(line).collect::<String>();
        let sphere =
            lines("crates/hitscan/src/shapes/sphere.rs", "//! The sphere, also\n//! as a disk. More.\n\n//! No.\n");
        assert_eq!(
            sphere.split_whitespace().collect::<Vec<_>>().join(" "),
            "shapes/sphere.rs The sphere, also as a disk."
        );
        assert_eq!(
            lines("crates/hitscan/src/a.rs", "//! A list\n//!\n//! b").trim_end(),
            format!("{:<34} A list", "a.rs")
        );
        let linked = lines("crates/hitscan/src/a.rs", "//! The [`A`](b::A) and [c](d), [`E`]. F.");
        assert!(linked.ends_with(" The `A` and c, `E`.\n"), "{linked}");
        assert_eq!(lines("crates/hitscan-io/src/a.rs", "//! A."), "");
    }
}
