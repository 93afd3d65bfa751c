//! A case of `testdata/` without its answers.

use crate::body::Body;
use crate::line::RayOrSegment;
use crate::rules::PlainQuery;

/// A case without its answers.
#[derive(Clone, Debug)]
pub struct Stub {
    /// The name.
    pub name: String,
    /// The comments of the stub, each with its `#`.
    pub comments: Vec<String>,
    /// The `type` of the shape, as scene files call it.
    pub type_name: String,
    /// The shape.
    pub body: Body,
    /// The stub gives axes.
    pub has_axes: bool,
    /// The ray or segment; its numbers need not be finite.
    pub given: RayOrSegment,
    /// The range and the rules.
    pub query: PlainQuery,
    /// The range as the stub writes it: `t_min` and `t_max`.
    pub range: [Option<f64>; 2],
    /// The case holds in `f64` only.
    pub is_f64_only: bool,
    /// The author's prediction of every `t`.
    pub want: Option<Vec<f64>>,
}
