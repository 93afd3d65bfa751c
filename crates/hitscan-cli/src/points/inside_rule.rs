//! `--inside-rule`.

use clap::{Args, ValueEnum};
use hitscan::InsideRule;

/// The rule that decides what is inside of a mesh.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct InsideRuleArguments {
    /// What is inside of a mesh; also adds the column rule, the rule that decided [default: parity, without the column]
    #[arg(long, value_enum, value_name = "RULE")]
    inside_rule: Option<InsideRuleArgument>,
}

/// `--inside-rule`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum InsideRuleArgument {
    /// exact: a ray from the point crosses the mesh an odd number of times; only a closed mesh has an inside
    Parity,
    /// parity for a closed mesh, the winding number for any other
    ParityIfClosed,
    /// the mesh surrounds the point at least half (for meshes with holes; triangles must face outward)
    WindingNumber,
}

impl InsideRuleArguments {
    /// Whether the option is given, and so the table has the column.
    pub(super) fn is_given(self) -> bool {
        self.inside_rule.is_some()
    }

    pub(super) fn rule(self) -> InsideRule {
        match self.inside_rule {
            None | Some(InsideRuleArgument::Parity) => InsideRule::Parity,
            Some(InsideRuleArgument::ParityIfClosed) => InsideRule::ParityIfClosed,
            Some(InsideRuleArgument::WindingNumber) => InsideRule::WindingNumber,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan_io::fmt::INSIDE_RULES;

    /// One word for one thing: options and tables.
    #[test]
    fn words_are_those_of_tables() {
        for (argument, (word, rule)) in InsideRuleArgument::value_variants().iter().zip(INSIDE_RULES) {
            assert_eq!(argument.to_possible_value().map(|value| value.get_name().to_owned()), Some(word.to_owned()));
            assert_eq!(InsideRuleArguments { inside_rule: Some(*argument) }.rule(), rule);
        }
    }
}
