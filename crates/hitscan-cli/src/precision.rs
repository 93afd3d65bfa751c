//! `--precision`.

use clap::ValueEnum;
use hitscan_io::{Precision, SceneFile};

/// `--precision`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionArgument {
    /// f32 when the scene and the table hold nothing but f32 numbers, else f64; decimals (CSV, flags) are rounded to
    /// the precision of the scene's mesh, and are f64 where there is none; a .hitscene has its own
    #[default]
    Auto,
    /// 24 bits: numbers that have more are rounded
    F32,
    /// 53 bits
    F64,
}

/// The precision of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowPrecision {
    /// Decimals, which have no precision.
    Text,
    /// The precision of a table's columns.
    Typed(Precision),
}

impl PrecisionArgument {
    /// The precision of the queries of a table, of which `limits` are the numbers among the flags.
    pub(crate) fn of_table(
        self,
        file: &SceneFile,
        rows: RowPrecision,
        limits: impl IntoIterator<Item = f64>,
    ) -> Precision {
        let has_mesh = !file.mesh_files().is_empty();
        // Decimals are seldom exact in f32. Beside the measured vertices of a mesh they are no more precise than these.
        let text_fits = |exact: bool| has_mesh || exact;
        let rows_fit = match rows {
            RowPrecision::Text => text_fits(false),
            RowPrecision::Typed(precision) => precision == Precision::F32,
        };
        let limits_fit = limits.into_iter().all(|limit| f64::from(limit as f32) == limit);
        let fits = file.precision() == Precision::F32 && rows_fit && text_fits(limits_fit);
        let automatic = if fits { Precision::F32 } else { Precision::F64 };
        self.or(file.saved_precision().unwrap_or(automatic))
    }

    /// The chosen precision; `automatic` where the choice is `auto`.
    pub(crate) fn or(self, automatic: Precision) -> Precision {
        match self {
            Self::Auto => automatic,
            Self::F32 => Precision::F32,
            Self::F64 => Precision::F64,
        }
    }
}
