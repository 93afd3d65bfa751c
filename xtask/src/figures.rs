//! Part `figures`: sizes of programs, processor time of the build, words of the documentation, each with its limit.

use crate::context::Context;
use crate::release;
use crate::report::Report;
use std::fs;
use std::path::Path;

/// Programs of the release build: description, file, and the most bytes without symbols.
const SIZES: &[(&str, Built, u64)] = &[
    // 12 MB is the aim. 20.2 MB are reached, and 0.8 MB for the page of the ray lab, where that was built before: 15.6 MB before
    // instances, whose first stage compiles each kernel once more, 17.5 MB before filters and saved scenes. Most of it is kernels
    // that are inlined into each query of each shape, in four vector types. 22.5 MB with closest points, whose formulas are compiled in
    // two arithmetics for each shape. 25.6 MB with sweeps (0.8 MB), overlap, nearest primitives and the command `overlap`;
    // 26.6 MB with `explain` of these queries, curved shapes under shear, and 0.2 MB more of the page.
    // 27.3 MB with tables of every format, compressed text, kept columns and point clouds. 27.7 MB with `f64` in one pass;
    // 28.1 MB with the search in meshes of `f64`; 28.5 MB with the hits of placed ones and batches at placed meshes;
    // 28.8 MB with the box filter of batches. 26.3 MB with the queries of scenes and instances compiled once, in the library.
    // 26.8 MB with a second traversal for deep trees; 25.7 MB since that is compiled once for each test of boxes. 26.3 MB with
    // filters and double-words under transforms; 25.7 MB since the less frequent queries share the traversals of scenes and crossings.
    ("the program", Built::Program("hitscan"), 26_000_000),
    ("one ray, one sphere", Built::Example("one_sphere"), 2_000_000),
];

enum Built {
    Program(&'static str),
    Example(&'static str),
}

/// Pages with a limit of their own, in words.
const PAGES: &[(&str, usize)] = &[("README.md", 1_000), ("docs/performance.md", 1_500)];
/// The most words of all pages together: those at the root and in `docs/`. The lists of files in `ARCHITECTURE.md` grow with each
/// capability.
const ALL_PAGES: usize = 11_100;
/// Pages that do not count, with the reason.
const NOT_COUNTED: &[(&str, &str)] = &[
    ("CHANGELOG.md", "it grows with each capability; it had 2,600 words of the 13,000 that all pages had together"),
    ("docs/experiments.md", "the record of attempts grows"),
    ("docs/distances.md", "later capabilities are counted apart"),
    ("docs/instances.md", "later capabilities are counted apart"),
    ("docs/overlap.md", "later capabilities are counted apart"),
    ("docs/queries.md", "later capabilities are counted apart"),
    ("docs/scale.md", "later capabilities are counted apart"),
    ("docs/scenes.md", "later capabilities are counted apart"),
    ("docs/sight.md", "later capabilities are counted apart"),
    ("docs/sweeps.md", "later capabilities are counted apart"),
    ("docs/tables.md", "later capabilities are counted apart"),
    ("docs/scene-reference.md", "it is generated, and grows with each type of shape"),
];

pub(crate) fn run(context: &Context, report: &mut Report) {
    words(context, report);
    if release::build(context, report) {
        sizes(context, report);
    }
    match context.build_seconds() {
        Some(seconds) => println!(
            "release build, with the dependencies that were not built yet, in processor time: \
             the library {:.0} s, the program of `cargo run --release -- demo` with it {:.0} s",
            seconds.library, seconds.program
        ),
        None => report.skip("figures-build", "the library was not compiled in this run, or the system has no /proc"),
    }
}

/// Prints a figure beside its limit; a figure above the limit is a failure.
pub(crate) fn figure(report: &mut Report, what: &str, value: u64, limit: u64, unit: &str) {
    println!("{what}: {value} {unit} (limit {limit})");
    let within = (value <= limit).then_some(());
    report.step(within.ok_or_else(|| format!("{what}: {value} {unit}, where {limit} is the limit")));
}

fn sizes(context: &Context, report: &mut Report) {
    if !context.works("strip", &["--version"]) {
        return report.skip("figures-size", "there is no `strip` on this machine");
    }
    for (what, built, limit) in SIZES {
        let file = match built {
            Built::Program(name) => release::program(context, name),
            Built::Example(name) => release::example(context, name),
        };
        let stripped = context.target_dir().join("xtask-stripped");
        let mut strip = context.command("strip");
        if !report.run(strip.arg("-o").arg(&stripped).arg(&file)) {
            continue;
        }
        match fs::metadata(&stripped) {
            Ok(file) => figure(report, &format!("{what}, stripped"), file.len(), *limit, "bytes"),
            Err(error) => {
                report.step(Err(format!("{}: {error}", stripped.display())));
            }
        }
    }
}

fn words(context: &Context, report: &mut Report) {
    let mut sum = 0;
    for folder in ["", "docs"] {
        for (path, words) in pages(context.root(), folder) {
            println!("{path}: {words} words");
            let limit = PAGES.iter().find(|(page, _)| *page == path);
            if let Some((_, limit)) = limit {
                figure(report, &path, words as u64, *limit as u64, "words");
            }
            sum += words;
        }
    }
    figure(report, "all pages", sum as u64, ALL_PAGES as u64, "words");
}

/// The pages of a folder that count, with their numbers of words, by name.
fn pages(root: &Path, folder: &str) -> Vec<(String, usize)> {
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.ends_with(".md"));
    let paths = names.map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") });
    let counted = paths.filter(|path| !NOT_COUNTED.iter().any(|(page, _)| page == path));
    let mut pages: Vec<_> = counted
        .map(|path| {
            let words = fs::read_to_string(root.join(&path)).map_or(0, |text| text.split_whitespace().count());
            (path, words)
        })
        .collect();
    pages.sort();
    pages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Outcome;

    #[test]
    fn a_figure_above_its_limit_fails() {
        let mut report = Report::default();
        figure(&mut report, "a page", 900, 900, "words");
        assert_eq!(report.outcome(), Outcome::Pass);
        figure(&mut report, "a page", 901, 900, "words");
        assert_eq!(report.failed, ["a page: 901 words, where 900 is the limit"]);
    }

    #[test]
    fn pages_are_counted_in_words() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let found = pages(&root, "");
        assert!(found.iter().any(|(path, words)| path == "README.md" && *words > 100), "{found:?}");
        assert!(
            pages(&root, "docs").iter().all(|(path, _)| path.starts_with("docs/") && path != "docs/experiments.md")
        );
    }
}
