//! Report of the mesh benchmarks: ratios per cell and their geometric means, as a table, lines, JSON and a chart.

use crate::chart::{Strip, strips};
use crate::contest::geometric_mean;
use crate::engine::Speed;
use crate::labels::{DEFAULT_BATCH, DEFAULT_SINGLE, HIGH_BATCH, HIGH_SINGLE};

/// Times of all engines for one mesh and one set of rays.
pub(crate) struct Cell {
    pub(crate) mesh: String,
    pub(crate) set: &'static str,
    pub(crate) speeds: Vec<Speed>,
}

impl Cell {
    /// Rays per second of the fastest engine whose name passes the filter.
    fn best(&self, pass: impl Fn(&str) -> bool) -> f64 {
        let speeds = self.speeds.iter().filter(|speed| pass(&speed.engine));
        speeds.map(|speed| speed.mrays()[1]).fold(f64::NAN, f64::max)
    }
}

/// Build time and memory.
pub(crate) struct BuildCost {
    pub(crate) mesh: String,
    pub(crate) engine: String,
    pub(crate) seconds: f64,
    pub(crate) bytes: Option<usize>,
}

#[derive(Default)]
pub(crate) struct Report {
    pub(crate) cells: Vec<Cell>,
    pub(crate) builds: Vec<BuildCost>,
    /// Speedup of two threads per mesh: build, and batch.
    pub(crate) doubled: Vec<[f64; 2]>,
}

/// Comparison: its name in two words, our engine, and a filter of the others.
type Comparison = (&'static str, &'static str, fn(&str) -> bool);

const COMPARISONS: [Comparison; 12] = [
    ("single best-embree", HIGH_SINGLE, single_embree),
    ("single robust", HIGH_SINGLE, |name| name.ends_with("ROBUST")),
    ("single parry", HIGH_SINGLE, |name| name == "parry"),
    ("single obvhs", HIGH_SINGLE, |name| name.starts_with("obvhs")),
    ("single bvh", HIGH_SINGLE, |name| name == "bvh"),
    ("single tinybvh", HIGH_SINGLE, |name| name.starts_with("tinybvh")),
    ("batch best-embree", HIGH_BATCH, single_embree),
    ("batch packets", HIGH_BATCH, |name| name.ends_with("x16")),
    ("default best-embree", DEFAULT_SINGLE, single_embree),
    ("default robust", DEFAULT_SINGLE, |name| name.ends_with("ROBUST")),
    ("default-batch best-embree", DEFAULT_BATCH, single_embree),
    ("default-batch packets", DEFAULT_BATCH, |name| name.ends_with("x16")),
];

fn single_embree(name: &str) -> bool {
    name.starts_with("embree") && !name.ends_with("x16")
}

impl Report {
    /// Ratios of all cells by comparison; without those of engines that did not run.
    fn columns(&self) -> Vec<(&'static str, Vec<f64>)> {
        let columns = COMPARISONS.map(|(name, ours, pass)| {
            let ratio = |cell: &Cell| cell.best(|name| name == ours) / cell.best(pass);
            (name, self.cells.iter().map(ratio).collect::<Vec<_>>())
        });
        columns.into_iter().filter(|(_, column)| column.iter().all(|ratio| ratio.is_finite())).collect()
    }

    /// Prints a table, and returns the machine-readable lines.
    pub(crate) fn print(&self) -> Vec<String> {
        let columns = self.columns();
        println!("\nhitscan over, more is better:");
        for (i, cell) in self.cells.iter().enumerate() {
            let ratios: Vec<String> = columns.iter().map(|(name, column)| format!("{name} {:.2}", column[i])).collect();
            println!("{:<18}{}", format!("{} {}", cell.mesh, cell.set), ratios.join(", "));
        }
        let mut lines: Vec<String> =
            columns.iter().map(|(name, column)| format!("RATIO {name} {:.3}", geometric_mean(column))).collect();
        let seconds = |cost: &BuildCost| Some(cost.seconds);
        let bytes = |cost: &BuildCost| cost.bytes.map(|bytes| bytes as f64);
        lines.extend(self.build_ratio("build-default embree-medium", DEFAULT_SINGLE, "MEDIUM", seconds));
        lines.extend(self.build_ratio("build-high embree-high", HIGH_SINGLE, "HIGH", seconds));
        lines.extend(self.build_ratio("build-default parry", DEFAULT_SINGLE, "parry", seconds));
        lines.extend(self.build_ratio("memory embree-high", HIGH_SINGLE, "HIGH", bytes));
        for (i, what) in ["build", "batch"].into_iter().enumerate() {
            let ratios: Vec<f64> = self.doubled.iter().map(|doubled| doubled[i]).collect();
            lines.push(format!("RATIO threads-{what} one {:.3}", geometric_mean(&ratios)));
        }
        let best = columns.iter().find(|(name, _)| *name == "single best-embree");
        let worst = best.and_then(|(_, column)| column.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)));
        if let Some((i, worst)) = worst {
            let Cell { mesh, set, .. } = &self.cells[i];
            lines.push(format!("WORST single best-embree {worst:.3} ({mesh}, {set})"));
        }
        lines
    }

    /// Our value over the least of the others, over all meshes: less is better.
    fn build_ratio(&self, name: &str, ours: &str, theirs: &str, what: fn(&BuildCost) -> Option<f64>) -> Option<String> {
        let ratio = |cost: &BuildCost| -> Option<f64> {
            let peers = self.builds.iter().filter(|peer| peer.mesh == cost.mesh && peer.engine.ends_with(theirs));
            Some(what(cost)? / peers.filter_map(what).reduce(f64::min)?)
        };
        let ratios: Vec<f64> = self.builds.iter().filter(|cost| cost.engine == ours).filter_map(ratio).collect();
        (!ratios.is_empty()).then(|| format!("RATIO {name} {:.3}", geometric_mean(&ratios)))
    }

    /// Cells with seconds (least, median, most), build time and memory (null if the engine does not report it), and the
    /// means.
    pub(crate) fn json(&self) -> String {
        let cell = |cell: &Cell| -> Vec<String> {
            let Cell { mesh, set, speeds } = cell;
            let row = |Speed { engine, times, rays }: &Speed| {
                let (min, median, max) = (times.min(), times.median(), times.max());
                format!(
                    r#"{{"mesh":"{mesh}","set":"{set}","engine":"{engine}","rays":{rays},"seconds":[{min},{median},{max}]}}"#
                )
            };
            speeds.iter().map(row).collect()
        };
        let cells: Vec<String> = self.cells.iter().flat_map(cell).collect();
        let cost = |BuildCost { mesh, engine, seconds, bytes }: &BuildCost| {
            let bytes = bytes.map_or_else(|| "null".into(), |bytes| bytes.to_string());
            format!(r#"{{"mesh":"{mesh}","engine":"{engine}","seconds":{seconds},"bytes":{bytes}}}"#)
        };
        let cost: Vec<String> = self.builds.iter().map(cost).collect();
        let ratio = |(name, column): &(&str, Vec<f64>)| format!(r#""{name}":{}"#, geometric_mean(column));
        let ratios: Vec<String> = self.columns().iter().map(ratio).collect();
        format!(
            "{{\"cells\":[\n{}\n],\"built\":[\n{}\n],\"ratios\":{{{}}}}}\n",
            cells.join(",\n"),
            cost.join(",\n"),
            ratios.join(",")
        )
    }

    /// Chart: a point for each ratio, a line for each comparison.
    pub(crate) fn picture(&self) -> String {
        let rows: Vec<Strip> = self
            .columns()
            .into_iter()
            .map(|(name, points)| {
                let (ours, theirs) = name.split_once(' ').unwrap_or((name, ""));
                Strip {
                    label: format!("{} over {theirs}", ours.replace('-', " ")),
                    mean: geometric_mean(&points),
                    points,
                }
            })
            .collect();
        strips("Rays per second, hitscan over a peer: one point per mesh and kind of ray, bar: geometric mean", &rows)
    }
}
