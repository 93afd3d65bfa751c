//! A stroke font: letters as polylines, drawn at any size.
//!
//! Picture labels need a few dozen letters in one weight. A font file and its rasterizer would be larger than the rest of
//! the renderer.

use hitscan::glam::DVec2;

/// The height of a capital letter, in font units.
pub(crate) const CAP_HEIGHT: f64 = 6.0;
/// The space between letters, in font units.
const SPACING: f64 = 1.9;
/// The advance of a blank, in font units.
const BLANK: f64 = 2.6;

/// The strokes of a letter: polylines divided by commas, points divided by blanks, two digits a point (x, then y, where 2 is
/// the baseline, 6 the height of a small letter, 8 that of a capital). A `~` marks a polyline to be rounded.
fn strokes_of(letter: char) -> &'static str {
    match letter {
        'a' => "~26 36 45 43 32 12 03 05 16 26,46 42",
        'b' => "08 02,~26 36 45 43 32 12 03 05 16 26",
        'c' => "~45 36 16 05 03 12 32 43",
        'd' => "~26 36 45 43 32 12 03 05 16 26,48 42",
        'e' => "04 44,~44 45 36 16 05 03 12 32 43",
        'f' => "~38 28 17 16,16 12,06 36",
        'g' => "~26 36 45 43 32 12 03 05 16 26,46 42,~42 41 30 10 01",
        'h' => "08 02,~05 16 36 45 44,44 42",
        'i' => "06 02,08 08",
        'j' => "26 22,~22 21 10 00,28 28",
        'k' => "08 02,36 04 32",
        'l' => "08 02",
        'm' => "06 02,~05 16 26 35 34,34 32,~35 46 56 65 64,64 62",
        'n' => "06 02,~05 16 36 45 44,44 42",
        'o' => "~26 36 45 43 32 12 03 05 16 26",
        'p' => "06 00,~26 36 45 43 32 12 03 05 16 26",
        'q' => "~26 36 45 43 32 12 03 05 16 26,46 40",
        'r' => "06 02,~05 16 26 35",
        's' => "~45 36 16 05 14 34 43 32 12 03",
        't' => "18 13,~13 22 32,06 36",
        'u' => "06 04,~04 03 12 32 43,46 42",
        'v' => "06 22 46",
        'w' => "06 22 36 42 66",
        'x' => "06 32,36 02",
        'y' => "06 22,46 10",
        'z' => "06 46 02 42",
        'A' => "02 28 42,15 35",
        'B' => "25 05 02 22,~22 32 43 44 35 25,05 08 18,~18 28 37 36 25",
        'C' => "~47 38 18 07 03 12 32 43",
        'D' => "22 02 08 18,~18 38 46 44 32 12",
        'E' => "48 08 02 42,05 35",
        'F' => "48 08 02,05 35",
        'G' => "~47 38 18 07 03 12 32 43,43 45 25",
        'H' => "08 02,48 42,05 45",
        'I' => "08 02",
        'J' => "38 34,~34 33 22 12 03",
        'K' => "08 02,48 04,15 42",
        'L' => "08 02 42",
        'M' => "02 08 24 48 42",
        'N' => "02 08 42 48",
        'O' => "~28 38 57 53 32 22 03 07 28",
        'P' => "02 08 18,~18 38 47 46 35 15,15 05",
        'Q' => "~28 38 57 53 32 22 03 07 28,34 51",
        'R' => "02 08 18,~18 38 47 46 35 15,15 05,25 42",
        'S' => "~47 38 18 07 06 15 35 44 43 32 12 03",
        'T' => "08 48,28 22",
        'U' => "08 04,~04 03 12 32 43 44,44 48",
        'V' => "08 22 48",
        'W' => "08 22 37 42 68",
        'X' => "08 42,48 02",
        'Y' => "08 25 48,25 22",
        'Z' => "08 48 02 42",
        '0' => "~28 38 47 43 32 12 03 07 18 28",
        '1' => "07 18,18 12",
        '2' => "~07 18 38 47 46 35 24,24 02 42",
        '3' => "~07 18 38 47 46 35 25,~25 35 44 43 32 12 03",
        '4' => "38 04 44,38 32",
        '5' => "48 08 05,~05 35 44 43 32 12 03",
        '6' => "~38 28 17 05 03 12 32 43 44 35 15 04",
        '7' => "08 48 12",
        '8' => "~25 15 06 07 18 38 47 46 35 25,~25 15 04 03 12 32 43 44 35 25",
        '9' => "~12 22 33 45 47 38 18 07 06 15 35 46",
        '-' => "05 35",
        '_' => "01 41",
        '.' => "02 02",
        ',' => "12 01",
        ':' => "02 02,05 05",
        '=' => "04 34,06 36",
        '+' => "05 45,27 23",
        '(' => "~18 07 03 12",
        ')' => "~08 17 13 02",
        '/' => "02 38",
        '\'' => "08 07",
        '^' => "06 18 26",
        '<' => "37 05 33",
        '>' => "07 35 03",
        // A letter without strokes of its own is a box.
        _ => "02 08 38 32 02",
    }
}

/// A text as line segments, for a capital height in pixels.
pub(crate) struct StrokeText {
    /// Ends of segments in pixels; the origin is the left end of the baseline, and y points down.
    pub(crate) segments: Vec<[DVec2; 2]>,
    /// The width in pixels.
    pub(crate) width: f64,
}

impl StrokeText {
    pub(crate) fn new(text: &str, cap_height: f64) -> Self {
        let unit = cap_height / CAP_HEIGHT;
        let (mut segments, mut x) = (Vec::new(), 0.0_f64);
        for letter in text.chars() {
            if letter.is_whitespace() {
                x += BLANK;
                continue;
            }
            let mut width = 0.0_f64;
            for polyline in strokes_of(letter).split(',') {
                let is_round = polyline.starts_with('~');
                let mut points: Vec<DVec2> = polyline.trim_start_matches('~').split(' ').map(point).collect();
                width = points.iter().fold(width, |width, p| width.max(p.x));
                for _ in 0..if is_round { 2 } else { 0 } {
                    points = with_cut_corners(&points);
                }
                let to_pixels = |p: DVec2| DVec2::new(x + p.x, 2.0 - p.y) * unit;
                segments.extend(points.windows(2).map(|pair| [to_pixels(pair[0]), to_pixels(pair[1])]));
            }
            x += width + SPACING;
        }
        Self { segments, width: (x - SPACING).max(0.0) * unit }
    }
}

/// A point of two digits.
fn point(digits: &str) -> DVec2 {
    let digit = |i: usize| digits.as_bytes().get(i).map_or(0.0, |byte| f64::from(byte.saturating_sub(b'0')));
    DVec2::new(digit(0), digit(1))
}

/// One step of Chaikin's corner cutting; the ends stay.
fn with_cut_corners(points: &[DVec2]) -> Vec<DVec2> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let cut = points.windows(2).flat_map(|pair| [pair[0].lerp(pair[1], 0.25), pair[0].lerp(pair[1], 0.75)]);
    [*first].into_iter().chain(cut).chain([*last]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_on_the_baseline_and_beside_each_other() {
        let text = StrokeText::new("Hi", 12.0);
        let xs = text.segments.iter().flatten().map(|p| p.x);
        assert_eq!(text.width, xs.fold(0.0, f64::max));
        let top = text.segments.iter().flatten().map(|p| p.y).fold(0.0, f64::min);
        assert_eq!(top, -12.0);
        assert!(text.segments.iter().flatten().all(|p| p.y <= 0.0), "H and i have no descender");
        assert!(StrokeText::new("HiH", 12.0).width > text.width + 8.0);
    }

    #[test]
    fn every_letter_differs_from_every_other() {
        let letters: Vec<char> =
            ('a'..='z').chain('A'..='Z').chain('0'..='9').chain("-_.,:=+()/'^<>".chars()).collect();
        for (i, a) in letters.iter().enumerate() {
            for b in &letters[..i] {
                // A capital I is a small l, as in many fonts.
                assert!(strokes_of(*a) != strokes_of(*b) || (*b, *a) == ('l', 'I'), "{a} and {b}");
            }
        }
    }
}
