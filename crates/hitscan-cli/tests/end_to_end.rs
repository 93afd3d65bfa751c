//! The program as its users see it: exit codes, both streams, files. Most tests start the real program; the cases of
//! `testdata/` go through the same argument parser in this process, since there are thousands of runs.

#[path = "end_to_end/bad_input.rs"]
mod bad_input;
#[path = "end_to_end/cases.rs"]
mod cases;
#[path = "end_to_end/commands.rs"]
mod commands;
#[path = "end_to_end/cookbook.rs"]
mod cookbook;
#[path = "end_to_end/explain.rs"]
mod explain;
#[path = "end_to_end/files.rs"]
mod files;
#[path = "end_to_end/groups.rs"]
mod groups;
#[path = "end_to_end/instances.rs"]
mod instances;
#[path = "end_to_end/lab.rs"]
mod lab;
#[path = "end_to_end/objects.rs"]
mod objects;
#[path = "end_to_end/overlap.rs"]
mod overlap;
#[path = "end_to_end/pictures.rs"]
mod pictures;
#[path = "end_to_end/point_clouds.rs"]
mod point_clouds;
#[path = "end_to_end/points.rs"]
mod points;
#[path = "end_to_end/result_folders.rs"]
mod result_folders;
#[cfg(unix)]
#[path = "end_to_end/resume.rs"]
mod resume;
#[path = "end_to_end/rules.rs"]
mod rules;
#[path = "end_to_end/solids.rs"]
mod solids;
#[path = "end_to_end/support.rs"]
mod support;
#[path = "end_to_end/table_bad_rows.rs"]
mod table_bad_rows;
#[path = "end_to_end/table_columns.rs"]
mod table_columns;
#[path = "end_to_end/table_formats.rs"]
mod table_formats;
#[path = "end_to_end/table_support.rs"]
mod table_support;
#[path = "end_to_end/tables.rs"]
mod tables;
#[path = "end_to_end/thick.rs"]
mod thick;
#[path = "end_to_end/worked.rs"]
mod worked;
