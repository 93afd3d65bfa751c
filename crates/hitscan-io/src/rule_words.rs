//! Words for the rules of objects, in scene files and in options of the program.

use hitscan::{Coplanar, Faces, Inside, InsideRule, Triggers};

/// The words for faces.
pub const FACES: [(&str, Faces); 3] = [("both", Faces::Both), ("front", Faces::Front), ("back", Faces::Back)];

/// The words for the rule of rays that start inside.
pub const INSIDE: [(&str, Inside); 2] = [("solid", Inside::Solid), ("hollow", Inside::Hollow)];

/// The words for the rule that decides what is inside of a mesh.
pub const INSIDE_RULES: [(&str, InsideRule); 3] = [
    ("parity", InsideRule::Parity),
    ("parity-if-closed", InsideRule::ParityIfClosed),
    ("winding-number", InsideRule::WindingNumber),
];

/// The words for the rule of rays that meet triggers.
pub const TRIGGERS: [(&str, Triggers); 3] =
    [("pass", Triggers::Pass), ("hit", Triggers::Hit), ("ignore", Triggers::Ignore)];

/// The words for the rule of rays in the plane of a flat shape.
pub const COPLANAR: [(&str, Coplanar); 2] = [("miss", Coplanar::Miss), ("hit", Coplanar::Hit)];

/// The word for a value, from a list such as [`FACES`]; empty for a value that the list lacks.
#[must_use]
pub fn word<T: PartialEq + Copy>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}
