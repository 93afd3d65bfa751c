//! Tables of rays to tables of results, as one pipeline.

mod bad_row_file;
mod cast_folder;
mod cast_query;
mod facts;
mod hit_rows;
mod input_files;
mod manifest;
mod ordered;
mod ray_caster;
mod ray_rows;
mod result_columns;
mod table_cast;

pub use bad_row_file::BadRowTable;
pub use cast_folder::{
    CHUNK_ROWS, FolderLock, FolderOptions, FolderProgress, FolderReport, Rows, WrittenFile, bad_rows_path,
    cast_all_into_folder, cast_into_folder, prepare_folder, table_rows,
};
pub use cast_query::CastQuery;
pub use facts::{folder_options_text, las_options_text, options_text, table_metadata};
pub use input_files::{InputFile, input_files, is_several_files};
pub use manifest::{InputFacts, MANIFEST, compare_manifests, content_hash, input_digest, manifest};
pub use ordered::MAX_THREADS;
pub use ray_caster::{CastStatistics, RayCaster, SphereCast, TableVector};
pub use ray_rows::{Noted, T_OF_LINE, T_OF_SEGMENT, holds_nothing};
pub use table_cast::{
    BLOCK_ROWS, CastOutputOptions, CastSink, RayTable, RayTableOptions, ResultFile, ResultOpener, ResultRows, TableCast,
};
