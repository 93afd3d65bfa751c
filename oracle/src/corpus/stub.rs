//! Case of `testdata/` without its answers.

use crate::body::Body;
use crate::line::RayOrSegment;
use crate::rules::PlainQuery;

/// Case without its answers.
#[derive(Clone, Debug)]
pub struct Stub {
    /// Name of the case, unique in its file.
    pub name: String,
    /// Comments of the stub, each with its `#`.
    pub comments: Vec<String>,
    /// The `type` of the shape in scene files.
    pub type_name: String,
    /// Shape that the ray is cast at.
    pub body: Body,
    /// Whether the stub gives axes.
    pub has_axes: bool,
    /// Ray or segment; its numbers may be infinite or NaN.
    pub given: RayOrSegment,
    /// Query, with its range.
    pub query: PlainQuery,
    /// Range in the notation of the stub: `t_min` and `t_max`.
    pub range: [Option<f64>; 2],
    /// Whether the case holds in `f64` only.
    pub is_f64_only: bool,
    /// Author's prediction of every `t`.
    pub want: Option<Vec<f64>>,
}
