//! No link between the pages of the project is broken, and no link from a page to a file.

use super::tree::{File, Finding, Tree};

/// Beginnings of links in Markdown and in HTML, with their ends.
const LINKS: &[(&str, char)] = &[("](", ')'), ("]: ", ' '), ("src=\"", '"'), ("href=\"", '"')];

/// Each relative link of a Markdown page leads to a file or a folder, and its anchor to a heading. Code is no text.
pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        let mut in_code = false;
        for (line, text) in page.lines() {
            in_code ^= text.trim_start().starts_with("```");
            let prose = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
            for (start, end) in LINKS.iter().filter(|_| !in_code) {
                let targets = prose.split(start).skip(1).filter_map(|rest| rest.split([' ', *end]).next());
                let broken = targets.filter(|target| !target.contains(':') && !leads_somewhere(tree, page, target));
                findings.extend(broken.map(|target| page.finding(line, format!("`{target}` leads nowhere"))));
            }
        }
    }
    findings
}

fn leads_somewhere(tree: &Tree, page: &File, target: &str) -> bool {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let mut parts: Vec<&str> = page.path.split('/').collect();
    parts.truncate(parts.len() - usize::from(!path.is_empty()));
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." if parts.pop().is_none() => return false,
            ".." => {}
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    let is_folder = || path.is_empty() || tree.paths.iter().any(|file| file.starts_with(&format!("{path}/")));
    // A tool makes anchors such as `#hitscan.Scene` from the names of code.
    let page = tree.files.iter().find(|file| file.path == path && path.ends_with(".md") && !anchor.contains('.'));
    page.map_or_else(|| tree.paths.contains(&path) || is_folder(), |page| anchor.is_empty() || has_anchor(page, anchor))
}

/// Whether a page has a heading with this anchor, as GitHub and MkDocs derive it, or the anchor itself. The second
/// heading of one text has a number: `speed-1`, in MkDocs `speed_1`.
fn has_anchor(page: &File, anchor: &str) -> bool {
    let first = anchor.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['-', '_']);
    page.text.lines().any(|text| {
        let heading = text.trim_start_matches('#').split('{').next().unwrap_or("").trim().to_lowercase();
        let letters = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let github = letters.collect::<String>().replace(' ', "-");
        let mkdocs = github.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
        let attribute = text.trim_end_matches(['}', ' ']).ends_with(&format!("#{anchor}")) && text.contains('{');
        let written = attribute || text.contains(&format!("id=\"{anchor}\""));
        text.starts_with('#') && [&github[..], &mkdocs].iter().any(|slug| [anchor, first].contains(slug)) || written
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::found;
    use super::*;

    const OTHER: (&str, &str) = (
        "docs/b.md",
        "# A *new*, long name\n## Speed\n## Speed\n<a id=\"x\"></a>\n### Full - empty { #y }\n## Z {#z}\n",
    );

    fn broken_lines(text: &str) -> Vec<String> {
        found(links, &[("docs/a.md", text), OTHER, ("README.md", ""), ("docs/c/d.rs", "")])
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let clean = "[a](b.md) ![b](../README.md \"title\") [c](c/) [d](c/d.rs#L1) <a href=\"../README.md\">\n[e]: b.md\n# Here\n\
                     [f](#here) [`g`](b.md#a-new-long-name) [h](b.md#speed-1) [i](b.md#x) [j](b.md#y) [k](b.md#full---empty) [o](b.md#z)\n\
                     [l](https://example.org/x.md) [m](b.md#hitscan.Scene) `[n](o.md)`\n```text\n[p](q.md)\n```\n";
        assert_eq!(broken_lines(clean), [""; 0]);
        for bad in [
            "[a](e.md)",
            "![a](../b.md)",
            "[a](../../README.md)",
            "[a]: e.md",
            "<img src=\"e.svg\">",
            "`b` [c](#d)",
            "[a](b.md#w)",
        ] {
            assert_eq!(broken_lines(bad), ["docs/a.md:1"], "{bad}");
        }
        assert_eq!(broken_lines("[a](b.md) [b](x.md)\n\n[c](y.md)"), ["docs/a.md:1", "docs/a.md:3"]);
    }
}
