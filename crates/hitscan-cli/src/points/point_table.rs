//! The table of results for points: for people, with the columns of every other format, or as a file.

use crate::tables::ResultTable;
use crate::text::{Grid, number};
use hitscan::InsideRule;
use hitscan_io::fmt::{INSIDE_RULES, feature, word};
use hitscan_io::{DistanceRow, PointLayout, PointResults, PointSchema};

/// A table of results, as aligned text or as a file.
pub(super) struct PointTable {
    grid: Grid,
    schema: PointSchema,
}

impl PointTable {
    pub(super) fn new(schema: PointSchema) -> Self {
        let (mut names, rule) = (vec!["point"], schema.has_rule.then_some("rule"));
        match schema.layout {
            PointLayout::Contains => {
                names.push("inside");
                names.extend(rule);
            }
            PointLayout::Distance => {
                names.extend(["found", "distance", "signed_distance"]);
                names.extend(rule);
                names.extend(&["cx", "cy", "cz"][..schema.dimension.count()]);
                names.extend(["feature", "shape", "primitive", "u", "v"]);
                names.extend(schema.instances.iter().flat_map(|_| ["object", "instance"]));
            }
        }
        Self { grid: Grid::new(&names), schema }
    }

    /// The cell of a rule, if the table has the column.
    fn rule(&self, rule: InsideRule) -> Option<String> {
        self.schema.has_rule.then(|| word(&INSIDE_RULES, rule).to_owned())
    }

    fn push(&mut self, row: &DistanceRow) {
        let mut cells = vec![row.point.to_string(), row.closest.is_some().to_string()];
        if let Some(closest) = &row.closest {
            cells.extend([number(closest.distance), closest.signed_distance.map(number).unwrap_or_default()]);
            cells.extend(self.rule(closest.rule));
            cells.extend(closest.closest[..self.schema.dimension.count()].iter().map(|x| number(*x)));
            cells.push(feature(closest.feature));
            cells.push(self.schema.shapes.get(closest.shape as usize).cloned().unwrap_or_default());
            cells.push(closest.primitive.map(|primitive| primitive.to_string()).unwrap_or_default());
            cells.extend(closest.uv.map_or_else(<[String; 2]>::default, |uv| uv.map(number)));
            if let Some(instances) = &self.schema.instances {
                let instance = instances.get(closest.shape as usize).copied().flatten();
                let instance = instance.map(|instance| instance.to_string()).unwrap_or_default();
                cells.extend([closest.shape.to_string(), instance]);
            }
        }
        self.grid.push(cells);
    }
}

impl ResultTable for PointTable {
    type Results = PointResults;

    fn text(&mut self, results: &PointResults) -> String {
        match results {
            PointResults::Distances(rows) => rows.iter().for_each(|row| self.push(row)),
            PointResults::Contains { point, inside, rule } => {
                for ((point, inside), rule) in point.iter().zip(inside).zip(rule) {
                    let cells = [point.to_string(), inside.to_string()];
                    self.grid.push(cells.into_iter().chain(self.rule(*rule)).collect());
                }
            }
        }
        self.grid.take()
    }

    fn schema(&self) -> &PointSchema {
        &self.schema
    }
}
