//! No circles: neither between the files of a folder nor between a file and the folders beside it.

use super::references::references;
use super::tree::{Finding, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// A folder's graph: from each file or folder in it to the others that it uses, with the names taken.
type Graph<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeSet<&'a str>>>;

/// Reports each group of files and folders of one folder that use each other. Tests are free.
pub(super) fn circles(tree: &Tree) -> Vec<Finding> {
    let references = references(tree);
    let mut graphs: BTreeMap<&str, Graph<'_>> = BTreeMap::new();
    for reference in &references {
        let (folder, from, to) = common(&tree.files[reference.from].path, &tree.files[reference.to].path);
        let arrows = graphs.entry(folder).or_default().entry(from).or_default();
        arrows.entry(to).or_default().insert(&reference.name);
    }
    let mut findings = Vec::new();
    for (folder, graph) in &graphs {
        for circle in groups(graph) {
            let first = format!("{folder}{}", circle[0]);
            let path = if tree.paths.contains(&first) { first } else { (*folder).to_owned() };
            findings.push(Finding { path, line: 1, what: describe(graph, &circle) });
        }
    }
    findings
}

/// The folder that two files share, and the step from it to each: a file, or a folder with a slash at its end.
fn common<'a>(from: &'a str, to: &'a str) -> (&'a str, &'a str, &'a str) {
    let same = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
    let folder = from[..same].rfind('/').map_or(0, |slash| slash + 1);
    let step = |path: &'a str| &path[folder..path[folder..].find('/').map_or(path.len(), |slash| folder + slash + 1)];
    (&from[..folder], step(from), step(to))
}

/// The strongly connected groups of more than one node, each in alphabetic order.
fn groups<'a>(graph: &Graph<'a>) -> Vec<Vec<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|node| (*node, reached_from(graph, node))).collect();
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for (node, from_node) in &reached {
        if !from_node.contains(node) || groups.iter().any(|group| group.contains(node)) {
            continue;
        }
        let mutual = |other: &&&str| reached.get(*other).is_some_and(|from_other| from_other.contains(node));
        groups.push(from_node.iter().filter(mutual).copied().collect());
    }
    groups
}

fn reached_from<'a>(graph: &Graph<'a>, start: &str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
    while let Some(node) = open.pop() {
        for below in graph.get(node.as_str()).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(*below) {
                open.push((*below).to_owned());
            }
        }
    }
    reached
}

fn describe(graph: &Graph<'_>, circle: &[&str]) -> String {
    let mut arrows = Vec::new();
    for from in circle {
        let to = graph[from].iter().filter(|(to, _)| circle.contains(to));
        arrows.extend(to.map(|(to, names)| {
            let names: Vec<&str> = names.iter().copied().collect();
            format!("{from} -> {to} ({})", names.join(", "))
        }));
    }
    format!("circle of {}: {}", circle.join(" "), arrows.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "xtask/src/a.rs";
    const B: &str = "xtask/src/b.rs";

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        circles(&Tree::of(files)).into_iter().map(|finding| format!("{}: {}", finding.path, finding.what)).collect()
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let main = ("xtask/src/main.rs", "mod a; mod b; fn main() { a::f(); b::g(); }");
        let circle = "xtask/src/a.rs: circle of a.rs b.rs: a.rs -> b.rs (g); b.rs -> a.rs (Aa, f)";
        let b = "use crate::a::Aa; pub fn g() { super::a::f() }";
        assert_eq!(found(&[main, (A, "pub struct Aa; pub fn f() { crate::b::g() }"), (B, b)]), [circle]);
        let a = "use crate::b; pub struct Aa; pub fn f() { b::g() }";
        assert_eq!(found(&[main, (A, a), (B, b)]), [circle]);
        assert_eq!(found(&[main, (A, "pub struct Aa; pub fn f() {}"), (B, b)]), [""; 0]);
        let tests = "pub struct Aa; pub fn f() {} #[cfg(test)] mod tests { use crate::b::g; }";
        assert_eq!(found(&[main, (A, tests), (B, b)]), [""; 0]);
    }

    #[test]
    fn re_exports_lead_to_the_file_that_defines_the_name() {
        let lib = ("crates/x/src/lib.rs", "//! Docs.\nmod d;\npub use d::{Ee, Ff};");
        let list = ("crates/x/src/d/mod.rs", "mod e; mod f; pub use e::*; pub use f::Ff;");
        let f = ("crates/x/src/d/f.rs", "pub struct Ff;");
        let e = "crates/x/src/d/e.rs";
        assert_eq!(found(&[lib, list, f, (e, "use super::Ff; pub struct Ee;")]), [""; 0]); // no circle through mod.rs
        let f = ("crates/x/src/d/f.rs", "use crate::Ee; pub struct Ff;");
        let hidden = "crates/x/src/d/e.rs: circle of e.rs f.rs: e.rs -> f.rs (Ff); f.rs -> e.rs (Ee)";
        assert_eq!(found(&[lib, list, f, (e, "use super::Ff; pub struct Ee;")]), [hidden]);
        assert_eq!(found(&[lib, list, f, (e, "use super::*; pub struct Ee(Ff);")]), [hidden]);
    }

    #[test]
    fn a_mod_file_with_code_is_a_file_like_any_other() {
        let lib = ("crates/x/src/lib.rs", "mod d;");
        let code = ("crates/x/src/d/mod.rs", "mod e; pub use e::Ee; pub struct Dd;");
        let e = "crates/x/src/d/e.rs";
        assert_eq!(found(&[lib, code, (e, "use super::Dd; pub struct Ee(Dd);")]), [""; 0]); // a re-export takes nothing
        let code = ("crates/x/src/d/mod.rs", "mod e; pub use e::Ee; pub struct Dd(Ee);");
        let circle = "crates/x/src/d/e.rs: circle of e.rs mod.rs: e.rs -> mod.rs (Dd); mod.rs -> e.rs (Ee)";
        assert_eq!(found(&[lib, code, (e, "use super::Dd; pub struct Ee;")]), [circle]);
    }

    #[test]
    fn folders_form_circles_too() {
        let lib = ("crates/x/src/lib.rs", "mod c; mod d;");
        let c = ("crates/x/src/c.rs", "pub const KK: u8 = crate::d::e::LL;");
        let list = ("crates/x/src/d/mod.rs", "pub mod e; pub mod f;");
        let e = ("crates/x/src/d/e.rs", "pub const LL: u8 = 1;");
        let f = ("crates/x/src/d/f.rs", "pub const MM: u8 = crate::c::KK;");
        let circle = "crates/x/src/c.rs: circle of c.rs d/: c.rs -> d/ (LL); d/ -> c.rs (KK)";
        assert_eq!(found(&[lib, c, list, e, f]), [circle]);
    }

    #[test]
    fn methods_and_macros_count_where_they_are_added() {
        let lib = ("crates/x/src/lib.rs", "#[macro_use]\nmod a; mod b;");
        let a = ("crates/x/src/a.rs", "pub struct Aa; impl Aa { pub fn f(&self) { self.collapse() } }");
        let b = ("crates/x/src/b.rs", "use crate::a::Aa; impl Aa { pub fn collapse(&self) {} }");
        let circle = "crates/x/src/a.rs: circle of a.rs b.rs: a.rs -> b.rs (collapse); b.rs -> a.rs (Aa)";
        assert_eq!(found(&[lib, a, b]), [circle]);
        let a = ("crates/x/src/a.rs", "macro_rules! make { () => {} } use crate::b::Bb; fn f() { Bb::g() }");
        let b = ("crates/x/src/b.rs", "pub struct Bb; make!();");
        let circle = "crates/x/src/a.rs: circle of a.rs b.rs: a.rs -> b.rs (Bb); b.rs -> a.rs (make!)";
        assert_eq!(found(&[lib, a, b]), [circle]);
    }
}
