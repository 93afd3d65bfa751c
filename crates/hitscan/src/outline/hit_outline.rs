//! Outlines of hits and contacts.

use crate::hit::Hit;
use crate::math::vector::Vector;
use crate::outline::outline::Outline;
use crate::outline::outline_pen::OutlinePen;
use crate::outline::outline_segment::OutlineColor;
use crate::sweep_hit::SweepHit;

impl<V: Vector> Outline<V> for Hit<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        pen.hit(self.point, self.normal);
    }
}

/// The contact point with its normal, and the line from the center of the volume to it.
impl<V: Vector> Outline<V> for SweepHit<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        pen.hit(self.point, self.normal);
        pen.colored(OutlineColor::Volume, |pen| pen.segment(self.center.widen(), self.point.widen()));
    }
}
