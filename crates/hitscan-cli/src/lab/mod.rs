//! `hitscan lab`: the ray lab, served to the browser of this machine.
//!
//! The page is one file that loads nothing else. The scene is a part of it: as JSON in
//! `<script type="application/json" id="hitscan-scene">`, with the `name` of the file, its text as `toml`, and the bytes of
//! the meshes that it names in `files`, by these names, in base 64. The server reads the scene anew for each request.

mod command;
mod http;
mod scene_json;

pub(crate) use command::LabArguments;
