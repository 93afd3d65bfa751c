//! What to find for each ray of a table, and which columns of the answer to write.

use crate::error::{Fault, Result};
use crate::table::HitLayout;
use hitscan::{Coplanar, Faces, Inside, Query, Real, Triggers};
use std::path::Path;

/// What to find for each ray of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct CastQuery {
    /// The kind of answers.
    pub layout: HitLayout,
    /// The most hits of a ray, for [`HitLayout::All`]: nearest first.
    pub most: Option<u32>,
    /// The radius of thick rays: spheres whose centres move along the rays. For [`HitLayout::First`] and [`HitLayout::Any`].
    pub radius: Option<f64>,
    /// The smallest `t`; of a ray with a limit of its own, the narrower range counts.
    pub t_min: Option<f64>,
    /// The largest `t`; of a ray with a limit of its own, the narrower range counts.
    pub t_max: Option<f64>,
    /// Whole lines in both directions, of segments, too.
    pub line: bool,
    /// Rays that start inside a solid.
    pub inside: Inside,
    /// Which sides of surfaces count.
    pub faces: Faces,
    /// What a ray does at a trigger.
    pub triggers: Triggers,
    /// Rays that run in a flat surface.
    pub coplanar: Coplanar,
    /// The layers that count.
    pub layers: u32,
}

impl Default for CastQuery {
    fn default() -> Self {
        Self {
            layout: HitLayout::First,
            most: None,
            radius: None,
            t_min: None,
            t_max: None,
            line: false,
            inside: Inside::Solid,
            faces: Faces::Both,
            triggers: Triggers::Pass,
            coplanar: Coplanar::Miss,
            layers: u32::MAX,
        }
    }
}

impl CastQuery {
    /// The query without the limits of a row.
    pub(super) fn query<S: Real>(&self) -> Query<S> {
        let query = if self.line { Query::line() } else { Query::new() };
        let [t_min, t_max] = [self.t_min, self.t_max].map(|limit| limit.map(S::from_f64));
        query
            .range(t_min.unwrap_or(query.t_min()), t_max.unwrap_or(query.t_max()))
            .inside(self.inside)
            .faces(self.faces)
            .triggers(self.triggers)
            .coplanar(self.coplanar)
            .layers(self.layers)
    }

    /// The error of options that do not go together.
    pub(super) fn check(&self, name: &Path) -> Result<()> {
        let is_first = matches!(self.layout, HitLayout::First | HitLayout::Any);
        let text = match self {
            Self { radius: Some(_), .. } if !is_first => {
                "thick rays have a first contact: for the queries first and any"
            }
            Self { radius: Some(radius), .. } if !(radius.is_finite() && *radius > 0.0) => {
                "the radius of thick rays is a finite number greater than 0"
            }
            Self { most: Some(_), layout, .. } if *layout != HitLayout::All => {
                "a largest number of hits is for the query all"
            }
            Self { t_min, t_max, .. } if t_min.is_some_and(f64::is_nan) || t_max.is_some_and(f64::is_nan) => {
                "a limit of t is a number, not NaN"
            }
            _ => return Ok(()),
        };
        Err(Fault::file(text).in_file(name))
    }
}
