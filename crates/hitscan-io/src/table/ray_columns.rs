//! The columns of tables of rays.

use super::columns::{ColumnBinding, ColumnNumbers, Columns, TableKind, next_point};
use super::ray_batch::{Endpoint, RayBatch};
use super::table_reader::{TableBatch, TableRows};
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Result};

const ORIGIN: [&str; 3] = ["ox", "oy", "oz"];
const DIRECTION: [&str; 3] = ["dx", "dy", "dz"];
const SEGMENT_START: [&str; 3] = ["ax", "ay", "az"];
const SEGMENT_END: [&str; 3] = ["bx", "by", "bz"];
/// Limits and layers of each ray.
const OPTIONAL: [&str; 4] = ["t_min", "t_max", "layers", "max_distance"];

/// Rays or segments, in the order origin, direction or end, `t_min`, `t_max`, `layers`, `max_distance`.
fn find(header: &[&str], dimension: Dimension) -> Result<Vec<ColumnBinding>, Fault> {
    let names = |first: [&'static str; 3], endpoint: [&'static str; 3]| {
        let count = dimension.count();
        [&first[..count], &endpoint[..count]].concat()
    };
    let (rays, segments) = (names(ORIGIN, DIRECTION), names(SEGMENT_START, SEGMENT_END));
    let has = |names: &[&str]| names.iter().filter(|name| header.contains(name)).count();
    let needs = format!("needs {}, or {}", rays.join(" "), segments.join(" "));
    if has(&rays) == rays.len() && has(&segments) == segments.len() {
        return Err(Fault::file(format!("columns of rays and of segments ({needs}, not both)")));
    }
    let names = if has(&segments) > has(&rays) { segments } else { rays };
    let mut bindings = ColumnBinding::of_coordinates(header, &names, &needs)?;
    let numbers = [ColumnNumbers::Limit, ColumnNumbers::Limit, ColumnNumbers::Mask, ColumnNumbers::Limit];
    bindings.extend(
        OPTIONAL.into_iter().zip(numbers).filter_map(|(name, numbers)| ColumnBinding::optional(header, name, numbers)),
    );
    Ok(bindings)
}

impl TableBatch for RayBatch {
    const KIND: TableKind = TableKind { row: "ray", find, optional: &OPTIONAL };

    fn of_rows(columns: &Columns, rows: TableRows, dimension: Dimension, precision: Precision) -> Self {
        debug_assert_eq!(rows.columns.len(), columns.bindings().len());
        let mut numbers = rows.columns.into_iter();
        let origin = next_point(&mut numbers, dimension);
        let second = next_point(&mut numbers, dimension);
        let is_segment = columns.has(SEGMENT_START[0]);
        let endpoint = if is_segment { Endpoint::End(second) } else { Endpoint::Direction(second) };
        let mut optional = |name| columns.has(name).then(|| numbers.next()).flatten();
        let (t_min, t_max) = (optional("t_min"), optional("t_max"));
        // Masks are whole numbers of 32 bits: `admits` has checked them.
        let layers = optional("layers").map(|masks| masks.into_iter().map(|mask| mask as u32).collect());
        let max_distance = optional("max_distance");
        Self { first_row: rows.first_row, dimension, origin, endpoint, t_min, t_max, layers, max_distance, precision }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::found;
    use super::*;

    #[test]
    fn columns_are_found_in_any_order_among_others() {
        assert_eq!(found(&RayBatch::KIND, "t_max dy id dx oy ox", Dimension::Two), "ox5 oy4 dx3 dy1 t_max0 ");
        assert_eq!(
            found(&RayBatch::KIND, "layers ox oy dx dy t_min", Dimension::Two),
            "ox1 oy2 dx3 dy4 t_min5 layers0 "
        );
        assert_eq!(found(&RayBatch::KIND, "az ay ax bz by bx ox", Dimension::Three), "ax2 ay1 az0 bx5 by4 bz3 ");
    }

    #[test]
    fn errors_name_the_missing_column() {
        assert_eq!(
            found(&RayBatch::KIND, "ox oy dx dy dz", Dimension::Three),
            "f: no column 'oz' (needs ox oy oz dx dy dz, or ax ay az bx by bz; the table has ox, oy, dx, dy, dz)"
        );
        assert_eq!(
            found(&RayBatch::KIND, "ax ay bx", Dimension::Two),
            "f: no column 'by' (needs ox oy dx dy, or ax ay bx by; the table has ax, ay, bx)"
        );
        assert_eq!(
            found(&RayBatch::KIND, "x y", Dimension::Two),
            "f: no column 'ox' (needs ox oy dx dy, or ax ay bx by; the table has x, y)"
        );
    }

    #[test]
    fn ambiguous_columns_are_an_error() {
        assert_eq!(found(&RayBatch::KIND, "ox oy dx dy dx", Dimension::Two), "f: column 'dx' appears twice");
        assert_eq!(
            found(&RayBatch::KIND, "ox oy dx dy ax ay bx by", Dimension::Two),
            "f: columns of rays and of segments (needs ox oy dx dy, or ax ay bx by, not both)"
        );
    }
}
