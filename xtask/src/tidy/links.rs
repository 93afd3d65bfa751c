//! No link between the pages of the project is broken, and no link from a page to a file.

use super::tree::{File, Finding, Tree};
use std::collections::BTreeSet;

/// Beginnings of links in Markdown and in HTML, with their ends.
const LINKS: &[(&str, &str)] = &[("](", ")"), ("]: ", " "), ("src=\"", "\""), ("href=\"", "\"")];

/// Each relative link of a Markdown page leads to a file or a folder, and its anchor to a heading. Code is no text.
pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, text) in prose(page) {
            for target in targets(&text) {
                if let Some(what) = broken(tree, page, target) {
                    findings.push(page.finding(line, format!("`{target}`: there is no such {what}")));
                }
            }
        }
    }
    findings
}

/// The lines of a page outside of blocks of code, without the code between backquotes.
fn prose(page: &File) -> impl Iterator<Item = (usize, String)> {
    let mut in_code = false;
    page.lines().filter_map(move |(line, text)| {
        let is_fence = text.trim_start().starts_with("```");
        in_code ^= is_fence;
        (!in_code && !is_fence).then(|| (line, text.split('`').step_by(2).collect::<Vec<_>>().join("`")))
    })
}

fn targets(text: &str) -> impl Iterator<Item = &str> {
    LINKS.iter().flat_map(move |(start, end)| {
        text.match_indices(start)
            .filter_map(|(at, _)| text[at + start.len()..].split([' ', end.chars().next()?]).next())
    })
}

/// What a link lacks: the file, or the heading. Links to other sites are not followed, nor anchors that a tool makes from
/// the names of code, such as `#hitscan.Scene`.
fn broken(tree: &Tree, page: &File, target: &str) -> Option<&'static str> {
    if target.contains(':') || target.starts_with('/') || target.contains("{{") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let mut parts: Vec<&str> = page.path.split('/').collect();
    if !path.is_empty() {
        parts.pop();
    }
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part != ".." {
            parts.push(part);
        } else if parts.pop().is_none() {
            return Some("file");
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    if !path.is_empty() && !tree.paths.contains(&path) && !tree.paths.iter().any(|file| file.starts_with(&folder)) {
        return Some("file");
    }
    let to = tree.files.iter().find(|file| file.path == path && path.ends_with(".md") && !anchor.is_empty())?;
    let anchors = anchors(to);
    // The second heading of one text has a number: `speed-1`, in MkDocs `speed_1`.
    let first = anchor.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['-', '_']);
    (!anchor.contains('.') && !anchors.contains(anchor) && !anchors.contains(first)).then_some("heading")
}

/// The anchors of a page: of headings, as GitHub and MkDocs derive them, and those that are written out.
fn anchors(page: &File) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, text) in page.lines() {
        for start in ["id=\"", "name=\"", "{#", "{ #"] {
            let ids = text.split(start).skip(1).filter_map(|rest| rest.split(['"', '}', ' ']).next());
            anchors.extend(ids.map(str::to_owned));
        }
        let Some(heading) = text.strip_prefix('#').map(|text| text.trim_start_matches('#').to_lowercase()) else {
            continue;
        };
        let letters = heading
            .split('{')
            .next()
            .unwrap_or("")
            .trim()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let github = letters.collect::<String>().replace(' ', "-");
        let mkdocs = github.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
        anchors.extend([github, mkdocs]);
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const OTHER: (&str, &str) =
        ("docs/b.md", "# A *new*, long name\n## Speed\n## Speed\n<a id=\"x\"></a>\n### Full - empty { #y }\n");

    fn broken_lines(text: &str) -> Vec<String> {
        found(links, &[("docs/a.md", text), OTHER, ("README.md", ""), ("docs/c/d.rs", "")])
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let clean = "[a](b.md) ![b](../README.md \"title\") [c](c/) [d](c/d.rs#L1) <a href=\"../README.md\">\n[e]: b.md\n# Here\n\
                     [f](#here) [`g`](b.md#a-new-long-name) [h](b.md#speed-1) [i](b.md#x) [j](b.md#y) [k](b.md#full---empty)\n\
                     [l](https://example.org/x.md) [m](b.md#hitscan.Scene) `[n](o.md)`\n```text\n[p](q.md)\n```\n";
        assert_eq!(broken_lines(clean), [""; 0]);
        for bad in [
            "[a](e.md)",
            "![a](../b.md)",
            "[a](../../README.md)",
            "[a]: e.md",
            "<img src=\"e.svg\">",
            "`b` [c](#d)",
            "[a](b.md#z)",
        ] {
            assert_eq!(broken_lines(bad), ["docs/a.md:1"], "{bad}");
        }
        assert_eq!(broken_lines("[a](b.md) [b](x.md)\n\n[c](y.md)"), ["docs/a.md:1", "docs/a.md:3"]);
    }
}
