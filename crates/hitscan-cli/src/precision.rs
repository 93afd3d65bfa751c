//! `--precision`.

use crate::console::Console;
use clap::ValueEnum;
use hitscan_io::{Precision, SceneFile};

/// `--precision`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionArgument {
    /// f32 where the scene, the columns of the table and the limits hold nothing but f32 numbers, else f64; text (CSV, JSON
    /// lines, flags) is f64; a .hitscene has its own
    #[default]
    Auto,
    /// 24 bits: numbers that have more are rounded
    F32,
    /// 53 bits
    F64,
}

/// What the numbers of a table need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPrecision {
    /// That of the columns; `F64` for text.
    precision: Precision,
    /// Whether all numbers are known to be numbers of `f32`.
    is_exact_in_f32: bool,
}

impl RowPrecision {
    /// What the numbers of a file need, of which only the types are known.
    pub(crate) fn of_file(precision: Precision) -> Self {
        Self { precision, is_exact_in_f32: precision == Precision::F32 }
    }

    /// What the numbers of the command line need, by columns.
    pub(crate) fn of_flags<'a>(columns: impl IntoIterator<Item = (&'static str, &'a Vec<f64>)>) -> Self {
        let is_exact_in_f32 = columns.into_iter().all(|(_, column)| column.iter().copied().all(is_f32));
        Self { precision: Precision::F64, is_exact_in_f32 }
    }

    /// What the numbers of all these tables need.
    pub(crate) fn of_files(precisions: impl IntoIterator<Item = Precision>) -> Self {
        let is_wide = precisions.into_iter().any(|precision| precision == Precision::F64);
        Self::of_file(if is_wide { Precision::F64 } else { Precision::F32 })
    }
}

fn is_f32(x: f64) -> bool {
    f64::from(x as f32) == x
}

impl PrecisionArgument {
    /// The precision of the queries of a table; `limits` are the numbers among the flags.
    pub(crate) fn of_table(
        self,
        file: &SceneFile,
        rows: RowPrecision,
        limits: impl IntoIterator<Item = f64>,
        console: &mut Console,
    ) -> Precision {
        let limits_fit = limits.into_iter().all(is_f32);
        if let (Self::Auto, Some(Precision::F32)) = (self, file.saved_precision())
            && !(rows.is_exact_in_f32 && limits_fit)
        {
            console.note(&format!("{}: saved in f32, to which the numbers of the query are rounded (convert --precision f64 saves in f64)", file.path().display()));
        }
        let is_narrow = file.precision() == Precision::F32 && rows.precision == Precision::F32 && limits_fit;
        self.for_scene(file, if is_narrow { Precision::F32 } else { Precision::F64 })
    }

    /// The chosen precision; for `auto` that of a saved scene, which has no other one, else `automatic`.
    pub(crate) fn for_scene(self, file: &SceneFile, automatic: Precision) -> Precision {
        self.or(file.saved_precision().unwrap_or(automatic))
    }

    /// The chosen precision; `automatic` for `auto`.
    pub(crate) fn or(self, automatic: Precision) -> Precision {
        match self {
            Self::Auto => automatic,
            Self::F32 => Precision::F32,
            Self::F64 => Precision::F64,
        }
    }
}
