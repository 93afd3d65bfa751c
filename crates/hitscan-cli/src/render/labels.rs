//! Labels of shapes: their places in a picture.

use super::stroke_font::StrokeText;
use hitscan::glam::DVec2;

/// The height of a capital letter, in pixels.
pub(crate) const TEXT_HEIGHT: f64 = 10.0;
/// The space between a text and the border of its box, in pixels.
const PADDING: DVec2 = DVec2::new(6.0, 5.0);

/// A text in a box.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) text: String,
    /// The centre of the box, in pixels.
    pub(crate) center: DVec2,
    /// Half the size of the box, in pixels.
    pub(crate) half: DVec2,
    /// `0xRRGGBB`.
    pub(crate) color: u32,
    /// The point that the label explains, which a thin line leads to.
    pub(crate) anchor: Option<DVec2>,
}

/// A label that has no place yet.
pub(crate) struct LabelRequest {
    pub(crate) text: String,
    pub(crate) color: u32,
    /// Places for the centre of its box, the best one first.
    pub(crate) candidates: Vec<DVec2>,
    /// The point that the label explains.
    pub(crate) anchor: Option<DVec2>,
}

/// Half the size of the box around a text.
pub(crate) fn half_size(text: &str) -> DVec2 {
    DVec2::new(StrokeText::new(text, TEXT_HEIGHT).width, TEXT_HEIGHT) / 2.0 + PADDING
}

/// The candidates beside a box: above, below, right, left.
pub(crate) fn beside(text: &str, center: DVec2, half: DVec2) -> [DVec2; 4] {
    let away = half + half_size(text) + 3.0;
    [DVec2::new(0.0, -away.y), DVec2::new(0.0, away.y), DVec2::new(away.x, 0.0), DVec2::new(-away.x, 0.0)]
        .map(|offset| center + offset)
}

/// Gives every label the first candidate at which it covers no other label, no anchor and no point to keep clear, in order; else
/// the candidate with the least overlap. All labels lie within the picture; those whose candidates are all outside are left out.
pub(crate) fn place(requests: Vec<LabelRequest>, keep_clear: &[DVec2], size: DVec2) -> Vec<Label> {
    let anchors: Vec<DVec2> = requests.iter().filter_map(|request| request.anchor).collect();
    let mut placed: Vec<Label> = Vec::new();
    for LabelRequest { text, color, candidates, anchor } in requests {
        let half = half_size(&text);
        let (low, high) = (half + 2.0, (size - half - 2.0).max(half + 2.0));
        let overlap = |center: DVec2| -> f64 {
            let common = |label: &Label| {
                let common = (half + label.half + 2.0 - (center - label.center).abs()).max(DVec2::ZERO);
                common.x * common.y
            };
            let covered = |anchor: &&DVec2| (**anchor - center).abs().cmplt(half + 6.0).all();
            let points = anchors.iter().chain(keep_clear).filter(covered).count();
            placed.iter().map(common).sum::<f64>() + 100.0 * points as f64
        };
        let is_near = |center: &DVec2| center.cmpge(-half).all() && center.cmple(size + half).all();
        if !candidates.iter().any(is_near) {
            continue;
        }
        let within = candidates.into_iter().map(|center| center.clamp(low, high));
        let best = within.map(|center| (overlap(center), center)).reduce(
            |best, next| {
                if next.0 < best.0 { next } else { best }
            },
        );
        if let Some((_, center)) = best {
            placed.push(Label { text, center, half, color, anchor });
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_cover_each_other_where_there_is_room() {
        let candidates = |x: f64| vec![DVec2::new(x, 50.0), DVec2::new(x, 20.0), DVec2::new(x, 80.0)];
        let request =
            |text: &str, x| LabelRequest { text: text.into(), color: 0, candidates: candidates(x), anchor: None };
        let labels = place(
            vec![request("one", 50.0), request("two", 55.0), request("three", -5.0), request("four", -500.0)],
            &[],
            DVec2::splat(100.0),
        );
        assert_eq!(labels.len(), 3, "the fourth is outside");
        assert_eq!(labels[0].center, DVec2::new(50.0, 50.0));
        assert_eq!(labels[1].center.y, 20.0);
        // The third is moved into the picture, and away from the first.
        assert!(labels[2].center.x >= labels[2].half.x && labels[2].center.y == 80.0, "{:?}", labels[2].center);
    }
}
