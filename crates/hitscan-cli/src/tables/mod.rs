//! Tables of rays, points or volumes in, tables of results out: what the commands for tables have in common.

mod arguments;
mod process;
mod result_sink;
mod row_batch;
mod row_source;
mod table_query;

pub(crate) use arguments::{ResultFormat, TableArguments};
pub(crate) use process::process;
pub(crate) use result_sink::ResultTable;
pub(crate) use row_batch::{RowBatch, check_f32};
pub(crate) use row_source::{RowSource, read_options};
pub(crate) use table_query::{Inputs, RowArguments, TableQueryArguments};
