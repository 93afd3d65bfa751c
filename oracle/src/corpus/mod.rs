//! Cases of `testdata/`: reads a shape and a ray in the format of `testdata/README.md` and writes the case with its exact
//! answers.

mod decimal;
mod picture;
mod read;
mod write;

pub use read::read;
pub use write::write;

use crate::body::Body;
use crate::line::Given;
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
    pub given: Given,
    /// The range and the rules.
    pub query: PlainQuery,
    /// The range as the stub writes it: `t_min` and `t_max`.
    pub range: [Option<f64>; 2],
    /// The case holds in `f64` only.
    pub is_f64_only: bool,
    /// The author's prediction of every `t`.
    pub want: Option<Vec<f64>>,
}
