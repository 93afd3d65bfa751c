//! The words of scene files: types of shapes and their keys.

use crate::dimension::Dimension;

/// A type of shape: its name, its parameters, those it can do without.
pub(super) struct Kind {
    pub(super) name: &'static str,
    parameters: &'static [&'static str],
    optional: &'static [&'static str],
}

/// What every shape may have.
const COMMON: &[&str] = &["type", "name", "layer", "layers", "transform"];

const fn kind(name: &'static str, parameters: &'static [&'static str], optional: &'static [&'static str]) -> Kind {
    Kind { name, parameters, optional }
}

const SPACE: &[Kind] = &[
    kind("box", &["center", "half_extents"], &["axes"]),
    kind("capsule", &["a", "b", "radius"], &[]),
    kind("cone", &["base", "apex", "radius"], &[]),
    kind("cylinder", &["a", "b", "radius"], &[]),
    kind("disk", &["center", "normal", "radius"], &[]),
    kind("ellipsoid", &["center", "radii"], &["axes"]),
    kind("frustum", &["a", "b", "radius_a", "radius_b"], &[]),
    kind("half_space", &["point", "normal"], &[]),
    kind("mesh", &["file"], &[]),
    kind("plane", &["point", "normal"], &[]),
    kind("sphere", &["center", "radius"], &[]),
    kind("triangle", &["a", "b", "c"], &[]),
];

const PLANE: &[Kind] = &[
    kind("capsule", &["a", "b", "radius"], &[]),
    kind("circle", &["center", "radius"], &[]),
    kind("ellipse", &["center", "radii"], &["axes"]),
    kind("half_plane", &["point", "normal"], &[]),
    kind("line", &["point", "normal"], &[]),
    kind("polygon", &["vertices"], &[]),
    kind("rectangle", &["center", "half_extents"], &["axes"]),
    kind("segment", &["a", "b"], &[]),
    kind("triangle", &["a", "b", "c"], &[]),
];

fn kinds(dimension: Dimension) -> &'static [Kind] {
    match dimension {
        Dimension::Two => PLANE,
        Dimension::Three => SPACE,
    }
}

impl Kind {
    /// The type of this name, or what is error with the name.
    pub(super) fn find(dimension: Dimension, name: &str) -> Result<&'static Self, String> {
        let of = |dimension| kinds(dimension).iter().find(|kind| kind.name == name);
        if let Some(kind) = of(dimension) {
            return Ok(kind);
        }
        let known: Vec<_> = kinds(dimension).iter().map(|kind| kind.name).collect();
        let other = match dimension {
            Dimension::Two => Dimension::Three,
            Dimension::Three => Dimension::Two,
        };
        let list = known.join(", ");
        Err(match of(other) {
            Some(_) => format!("type '{name}' needs a scene with dimension = {} (known here: {list})", other.count()),
            None => format!("unknown type {} (known: {list})", crate::error::quoted(name.as_bytes())),
        })
    }

    /// Every key of a shape of this type.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        [self.parameters, self.optional, COMMON].concat()
    }

    /// The keys it cannot do without.
    pub(super) fn needs(&self) -> &'static [&'static str] {
        self.parameters
    }
}

/// `unknown key 'radious' (did you mean 'radius'?)`.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    let quoted = crate::error::quoted(key.as_bytes());
    let nearest = known.iter().map(|word| (distance(key, word), word)).min();
    match nearest {
        // A slip or two, but not another word.
        Some((distance, word)) if distance <= 2 && distance < word.len() => {
            format!("unknown key {quoted} (did you mean '{word}'?)")
        }
        _ => format!("unknown key {quoted} (known: {})", known.join(", ")),
    }
}

/// How many letters to add, drop, change or swap with their neighbours (Damerau and Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    // Keys are short: what is longer is no slip.
    const LONGEST: usize = 32;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LONGEST).collect(), b.chars().take(LONGEST).collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_words_are_not() {
        assert_eq!(unknown_key("radious", &["center", "radius"]), "unknown key 'radious' (did you mean 'radius'?)");
        assert_eq!(unknown_key("centre", &["center", "radius"]), "unknown key 'centre' (did you mean 'center'?)");
        assert_eq!(unknown_key("colour", &["center", "radius"]), "unknown key 'colour' (known: center, radius)");
        assert_eq!(unknown_key("q", &["a", "b"]), "unknown key 'q' (known: a, b)");
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "bac"), 1);
    }
}
