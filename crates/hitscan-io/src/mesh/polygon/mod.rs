//! Polygons: cut into triangles by exact ear clipping.

mod box_tree;
mod cutter;
mod ears;
mod orientation;
mod overlap;
mod rounding;

pub(super) use cutter::{Polygon, PolygonCutter};
pub(super) use rounding::{Decimal, Rounding};
