//! Lines, dots and labels on the pixels of a finished picture.

use super::color::{Color, decode, encode, rgb};
use super::labels::{Label, TEXT_HEIGHT};
use super::stroke_font::StrokeText;
use hitscan::glam::DVec2;

/// A picture of rows of red, green and blue bytes.
pub(crate) struct PixelImage<'a> {
    bytes: &'a mut [u8],
    width: u32,
    height: u32,
}

impl<'a> PixelImage<'a> {
    pub(crate) fn new(bytes: &'a mut [u8], width: u32, height: u32) -> Self {
        debug_assert_eq!(bytes.len(), 3 * width as usize * height as usize);
        Self { bytes, width, height }
    }

    /// Mixes `color` into each pixel of a box by `coverage`, 0 to 1, of its centre.
    fn blend(&mut self, [low, high]: [DVec2; 2], color: Color, coverage: impl Fn(DVec2) -> f64) {
        let size = DVec2::new(f64::from(self.width), f64::from(self.height));
        let (low, high) = (low.floor().clamp(DVec2::ZERO, size), high.ceil().clamp(DVec2::ZERO, size));
        for y in low.y as usize..high.y as usize {
            for x in low.x as usize..high.x as usize {
                let cover = coverage(DVec2::new(x as f64 + 0.5, y as f64 + 0.5)).clamp(0.0, 1.0);
                let at = 3 * (y * self.width as usize + x);
                if let Some([r, g, b]) = self.bytes.get_mut(at..at + 3).filter(|_| cover > 0.0) {
                    let mixed = decode([*r, *g, *b]).lerp(color, cover);
                    [*r, *g, *b] = encode(mixed);
                }
            }
        }
    }

    /// A line with round ends; a dot if its ends are equal.
    pub(crate) fn line(&mut self, a: DVec2, b: DVec2, width: f64, color: u32, opacity: f64) {
        if !(a.is_finite() && b.is_finite()) {
            return;
        }
        let (half, along) = (width / 2.0, b - a);
        let coverage = |p: DVec2| {
            let share = (p - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            (half + 0.5 - (p - a - along * share.clamp(0.0, 1.0)).length()).clamp(0.0, 1.0) * opacity
        };
        let margin = DVec2::splat(half + 1.0);
        self.blend([a.min(b) - margin, a.max(b) + margin], rgb(color), coverage);
    }

    /// A dashed line.
    pub(crate) fn dashes(&mut self, a: DVec2, b: DVec2, color: u32) {
        let size = DVec2::new(f64::from(self.width), f64::from(self.height));
        let Some([a, b]) = clipped(a, b, size) else { return };
        let (length, along) = ((b - a).length(), (b - a).normalize_or_zero());
        let mut at = 0.0;
        while at < length {
            self.line(a + along * at, a + along * (at + 6.0).min(length), 1.4, color, 0.9);
            at += 11.0;
        }
    }

    /// A dot.
    pub(crate) fn dot(&mut self, center: DVec2, color: u32) {
        self.line(center, center, 10.0, 0xffffff, 0.9);
        self.line(center, center, 7.0, color, 1.0);
    }

    /// A box with round corners, with a border in the colour of the label, and its text.
    pub(crate) fn label(&mut self, label: &Label) {
        let Label { center, half, color, anchor, .. } = *label;
        if let Some(anchor) = anchor {
            self.line(anchor, center, 1.0, color, 0.8);
        }
        let outside = |p: DVec2, radius: f64| {
            let corner = (p - center).abs() - half + radius;
            corner.max(DVec2::ZERO).length() + corner.max_element().min(0.0) - radius
        };
        let area = [center - half - 1.0, center + half + 1.0];
        self.blend(area, rgb(0xffffff), |p| 0.94 * (0.5 - outside(p, 5.0)));
        self.blend(area, rgb(color), |p| 1.3 - (outside(p, 5.0) + 0.8).abs());
        let text = StrokeText::new(&label.text, TEXT_HEIGHT);
        let left = center + DVec2::new(-text.width / 2.0, TEXT_HEIGHT / 2.0);
        for [a, b] in text.segments {
            self.line(left + a, left + b, 1.5, 0x1b2230, 1.0);
        }
    }
}

/// The part of a line within a picture of this size, if any.
fn clipped(a: DVec2, b: DVec2, size: DVec2) -> Option<[DVec2; 2]> {
    let along = b - a;
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let [one, other] = [(0.0 - a[axis]) / along[axis], (size[axis] - a[axis]) / along[axis]];
        if along[axis] == 0.0 {
            if !(0.0..=size[axis]).contains(&a[axis]) {
                return None;
            }
            continue;
        }
        (start, end) = (start.max(one.min(other)), end.min(one.max(other)));
    }
    (start < end).then(|| [a + along * start, a + along * end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_clipped_at_the_picture() {
        let size = DVec2::new(10.0, 20.0);
        let inside = [DVec2::new(0.0, 5.0), DVec2::new(10.0, 5.0)];
        assert_eq!(clipped(DVec2::new(-5.0, 5.0), DVec2::new(15.0, 5.0), size), Some(inside));
        assert_eq!(clipped(DVec2::new(-5.0, 25.0), DVec2::new(15.0, 25.0), size), None);
        let within = [DVec2::new(1.0, 1.0), DVec2::new(2.0, 3.0)];
        assert_eq!(clipped(within[0], within[1], size), Some(within));
    }

    #[test]
    fn a_line_changes_the_pixels_that_it_covers_and_no_others() {
        let mut bytes = vec![255; 3 * 9 * 9];
        PixelImage::new(&mut bytes, 9, 9).line(DVec2::new(1.0, 4.5), DVec2::new(8.0, 4.5), 1.0, 0x000000, 1.0);
        let row = |y: usize| &bytes[27 * y..27 * (y + 1)];
        assert!(row(4)[6..21].iter().all(|byte| *byte == 0));
        assert!(row(2).iter().chain(row(6)).all(|byte| *byte == 255));
    }
}
