//! The table of hits: for people, with the columns of every other format, or as a file.

use crate::tables::ResultTable;
use crate::text::{Grid, number};
use hitscan_io::{Dimension, HitBatch, HitLayout, HitSchema, Hits, SpanEnd};

/// A table of hits, as aligned text or as a file.
pub(crate) struct HitTable {
    grid: Grid,
    schema: HitSchema,
}

impl HitTable {
    pub(crate) fn new(schema: HitSchema) -> Self {
        let names = match (schema.layout, schema.dimension) {
            (HitLayout::Any, _) => "hit",
            (HitLayout::Count, _) => "count",
            (HitLayout::Spans, Dimension::Two) => "hit hit_index end t distance px py nx ny front shape primitive u v",
            (HitLayout::Spans, Dimension::Three) => {
                "hit hit_index end t distance px py pz nx ny nz front shape primitive u v"
            }
            (_, Dimension::Two) => "hit hit_index t distance px py nx ny front shape primitive u v",
            (_, Dimension::Three) => "hit hit_index t distance px py pz nx ny nz front shape primitive u v",
        };
        let has_hits = !matches!(schema.layout, HitLayout::Any | HitLayout::Count);
        let of_objects: &[&str] = if has_hits && schema.instances.is_some() { &["object", "instance"] } else { &[] };
        let names: Vec<&str> = ["ray"].into_iter().chain(names.split(' ')).chain(of_objects.iter().copied()).collect();
        Self { grid: Grid::new(&names), schema }
    }

    fn push(&mut self, hits: &Hits, row: usize) {
        let Some(hit_index) = hits.hit_index[row] else {
            self.grid.push(vec![hits.ray[row].to_string(), false.to_string()]);
            return;
        };
        let axes = self.schema.dimension.count();
        let mut cells = vec![hits.ray[row].to_string(), true.to_string(), hit_index.to_string()];
        if self.schema.layout == HitLayout::Spans {
            cells.push(if hits.end[row] == SpanEnd::Enter { "enter" } else { "exit" }.into());
        }
        let numbers = [hits.t[row], hits.distance[row]];
        let vectors = hits.point[row][..axes].iter().chain(&hits.normal[row][..axes]);
        cells.extend(numbers.iter().chain(vectors).map(|x| number(*x)));
        cells.push(hits.front[row].to_string());
        cells.push(self.schema.shapes.get(hits.shape[row] as usize).cloned().unwrap_or_default());
        cells.push(hits.primitive[row].map(|primitive| primitive.to_string()).unwrap_or_default());
        cells.extend(hits.uv[row].map_or_else(<[String; 2]>::default, |uv| uv.map(number)));
        if let Some(instances) = &self.schema.instances {
            let object = hits.shape[row];
            let instance = instances.get(object as usize).copied().flatten();
            cells.extend([object.to_string(), instance.map(|instance| instance.to_string()).unwrap_or_default()]);
        }
        self.grid.push(cells);
    }
}

impl ResultTable for HitTable {
    type Results = HitBatch;

    fn text(&mut self, batch: &HitBatch) -> String {
        match batch {
            HitBatch::Any { ray, hit } => {
                ray.iter().zip(hit).for_each(|(ray, hit)| self.grid.push(vec![ray.to_string(), hit.to_string()]));
            }
            HitBatch::Count { ray, count } => {
                ray.iter().zip(count).for_each(|(ray, count)| self.grid.push(vec![ray.to_string(), count.to_string()]));
            }
            HitBatch::Hits(hits) => (0..hits.len()).for_each(|row| self.push(hits, row)),
        }
        self.grid.take()
    }

    fn schema(&self) -> &HitSchema {
        &self.schema
    }
}
