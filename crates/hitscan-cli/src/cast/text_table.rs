//! Hits as a table for people.

use crate::text::{Grid, number};
use hitscan_io::{Dimension, End, HitBatch, HitLayout, HitSchema, Hits};

/// Turns batches into aligned text.
pub(crate) struct TextTable {
    grid: Grid,
    schema: HitSchema,
}

impl TextTable {
    pub(crate) fn new(schema: HitSchema) -> Self {
        let mut names = vec!["ray"];
        match schema.layout {
            HitLayout::Any => names.push("hit"),
            HitLayout::Count => names.push("count"),
            layout => {
                names.push("hit");
                names.extend((layout == HitLayout::Spans).then_some("end"));
                names.extend([
                    "t",
                    "distance",
                    "px",
                    "py",
                    "pz",
                    "nx",
                    "ny",
                    "nz",
                    "side",
                    "shape",
                    "primitive",
                    "u",
                    "v",
                ]);
            }
        }
        if schema.dimension == Dimension::Two {
            names.retain(|name| !["pz", "nz"].contains(name));
        }
        Self { grid: Grid::new(&names), schema }
    }

    /// The text of a batch; the first one begins with the names of the columns.
    pub(crate) fn text(&mut self, batch: &HitBatch) -> String {
        match batch {
            HitBatch::Any { ray, hit } => {
                let answer = |hit: &bool| if *hit { "yes" } else { "no" };
                ray.iter()
                    .zip(hit)
                    .for_each(|(ray, hit)| self.grid.push(vec![ray.to_string(), answer(hit).to_owned()]));
            }
            HitBatch::Count { ray, count } => {
                ray.iter().zip(count).for_each(|(ray, count)| self.grid.push(vec![ray.to_string(), count.to_string()]));
            }
            HitBatch::Hits(hits) => (0..hits.len()).for_each(|row| self.hit(hits, row)),
        }
        self.grid.take()
    }

    fn hit(&mut self, hits: &Hits, row: usize) {
        let Some(hit) = hits.hit[row] else {
            self.grid.push(vec![hits.ray[row].to_string(), "miss".into()]);
            return;
        };
        let axes = self.schema.dimension.count();
        let mut cells = vec![hits.ray[row].to_string(), hit.to_string()];
        if self.schema.layout == HitLayout::Spans {
            cells.push(if hits.end[row] == End::Enter { "enter" } else { "exit" }.into());
        }
        let numbers = [hits.t[row], hits.distance[row]];
        let vectors = hits.point[row][..axes].iter().chain(&hits.normal[row][..axes]);
        cells.extend(numbers.iter().chain(vectors).map(|x| number(*x)));
        cells.push(if hits.front[row] { "front" } else { "back" }.into());
        cells.push(self.schema.shapes.get(hits.shape[row] as usize).cloned().unwrap_or_default());
        cells.push(hits.primitive[row].map(|primitive| primitive.to_string()).unwrap_or_default());
        cells.extend(hits.uv[row].into_iter().flatten().map(number));
        self.grid.push(cells);
    }
}
