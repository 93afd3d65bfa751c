//! The flags of a query: range of `t`, rays that start inside, faces, layers, triggers, and rays in surfaces.

use crate::error::{Error, Result};
use crate::layer_arguments::LayerArguments;
use crate::numbers::limit;
use crate::ray_arguments::RayArguments;
use clap::{Args, ValueEnum};
use hitscan::Real;
use hitscan::{Coplanar, Faces, Inside, Query, Triggers};
use hitscan_io::{CastQuery, HitLayout};

/// The flags that decide what counts as a hit.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct QueryArguments {
    /// The smallest t that counts, in lengths of the direction; -inf to inf [default: 0]
    ///
    /// Where a table of rays has a column t_min, the narrower range counts. A segment begins at 0 at any rate.
    #[arg(long, value_name = "T", value_parser = limit, allow_hyphen_values = true, help_heading = "What counts as a hit")]
    pub(crate) t_min: Option<f64>,
    /// The largest t that counts, in lengths of the direction; -inf to inf [default: no limit; 1 for a segment]
    ///
    /// Where a table of rays has a column t_max, the narrower range counts. A segment ends at 1 at any rate, whatever a column
    /// says; --line goes beyond its ends.
    #[arg(long, value_name = "T", value_parser = limit, allow_hyphen_values = true, help_heading = "What counts as a hit")]
    pub(crate) t_max: Option<f64>,
    /// The whole line in both directions: t from -inf to inf, for segments too
    ///
    /// A segment becomes the line through its ends (the direction b - a is rounded).
    #[arg(long, help_heading = "What counts as a hit")]
    pub(crate) line: bool,
    /// The hit of a ray that starts inside a solid; an object's own rule `inside` comes first
    #[arg(long, value_enum, default_value_t, help_heading = "What counts as a hit")]
    pub(crate) origin: OriginArgument,
    /// Which sides of surfaces can be hit (planes, disks, triangles, meshes; solids ignore it); an object's own `faces` come first
    #[arg(long, value_enum, default_value_t, help_heading = "What counts as a hit")]
    pub(crate) faces: FacesArgument,
    #[command(flatten, next_help_heading = "What counts as a hit")]
    pub(crate) layers: LayerArguments,
    /// What a ray does at a trigger: a shape or an object with `trigger = true`
    #[arg(long, value_enum, default_value_t, help_heading = "What counts as a hit")]
    pub(crate) triggers: TriggersArgument,
    /// What a ray does at a surface that it runs in: in the plane of a triangle, disk or plane, along a 2D segment or line
    #[arg(long, value_enum, default_value_t, help_heading = "What counts as a hit")]
    pub(crate) coplanar: CoplanarArgument,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(crate) enum OriginArgument {
    /// its own start, at t-min: the solid is full
    #[default]
    Solid,
    /// the surface, on the way out
    Hollow,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(crate) enum FacesArgument {
    /// both sides
    #[default]
    Both,
    /// the side the normal points to
    Front,
    /// the other side
    Back,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(crate) enum TriggersArgument {
    /// it passes through; --query all, count and spans include triggers
    #[default]
    Pass,
    /// it hits a trigger like any other shape
    Hit,
    /// no query finds a trigger
    Ignore,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(crate) enum CoplanarArgument {
    /// it misses the surface
    #[default]
    Miss,
    /// it hits the surface where it comes to it, or at t-min within it
    Hit,
}

impl QueryArguments {
    /// The query of a table of rays.
    pub(crate) fn cast_query(&self, layout: HitLayout, most: Option<u32>, radius: Option<f64>) -> CastQuery {
        CastQuery {
            layout,
            most,
            radius,
            t_min: self.t_min,
            t_max: self.t_max,
            line: self.line,
            inside: self.inside(),
            faces: self.face_rule(),
            triggers: self.trigger_rule(),
            coplanar: self.coplanar_rule(),
            layers: self.layers.mask(),
        }
    }

    /// The query, with the range and the layers of one row of a table.
    pub(crate) fn query<S: Real>(
        &self,
        row_min: Option<f64>,
        row_max: Option<f64>,
        row_layers: Option<u32>,
    ) -> Query<S> {
        let query = if self.line { Query::line() } else { Query::new() };
        // The narrower one. No limit is NaN: the parser of the flags and the readers of tables refuse it.
        let min = self.t_min.into_iter().chain(row_min).reduce(f64::max);
        let max = self.t_max.into_iter().chain(row_max).reduce(f64::min);
        query
            .triggers(self.trigger_rule())
            .coplanar(self.coplanar_rule())
            .range(min.map_or(query.t_min(), S::from_f64), max.map_or(query.t_max(), S::from_f64))
            .inside(self.inside())
            .faces(self.face_rule())
            .layers(self.layers.mask() & row_layers.unwrap_or(u32::MAX))
    }

    /// Refuses limits beyond the ends of segments of the command line: they would mean nothing.
    pub(crate) fn check_segments(&self, rays: &RayArguments) -> Result<()> {
        if rays.segment.is_empty() || self.line {
            return Ok(());
        }
        let beyond = match (self.t_min, self.t_max) {
            (Some(t_min), _) if t_min < 0.0 => format!("--t-min {t_min}"),
            (_, Some(t_max)) if t_max > 1.0 => format!("--t-max {t_max}"),
            _ => return Ok(()),
        };
        Err(Error::usage(format!(
            "{beyond}: the t of a segment is from 0 to 1 (--line goes beyond both ends, a --ray beyond one)"
        )))
    }

    fn inside(&self) -> Inside {
        match self.origin {
            OriginArgument::Solid => Inside::Solid,
            OriginArgument::Hollow => Inside::Hollow,
        }
    }

    fn face_rule(&self) -> Faces {
        match self.faces {
            FacesArgument::Both => Faces::Both,
            FacesArgument::Front => Faces::Front,
            FacesArgument::Back => Faces::Back,
        }
    }

    fn trigger_rule(&self) -> Triggers {
        match self.triggers {
            TriggersArgument::Pass => Triggers::Pass,
            TriggersArgument::Hit => Triggers::Hit,
            TriggersArgument::Ignore => Triggers::Ignore,
        }
    }

    fn coplanar_rule(&self) -> Coplanar {
        match self.coplanar {
            CoplanarArgument::Miss => Coplanar::Miss,
            CoplanarArgument::Hit => Coplanar::Hit,
        }
    }

    /// The first flag that is given and means nothing for points and volumes.
    pub(crate) fn flag_of_rays(&self) -> Option<&'static str> {
        let flags = [
            ("--t-min", self.t_min.is_some()),
            ("--t-max", self.t_max.is_some()),
            ("--line", self.line),
            ("--origin", self.origin != OriginArgument::default()),
            ("--faces", self.faces != FacesArgument::default()),
            ("--triggers", self.triggers != TriggersArgument::default()),
            ("--coplanar", self.coplanar != CoplanarArgument::default()),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }

    /// The limits of `t` that are given.
    pub(crate) fn limits(&self) -> impl Iterator<Item = f64> {
        self.t_min.into_iter().chain(self.t_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrower_range_counts() {
        let flags = |t_min, t_max, line| QueryArguments { t_min, t_max, line, ..QueryArguments::default() };
        let range = |flags: QueryArguments, min, max| {
            let query = flags.query::<f64>(min, max, None);
            (query.t_min(), query.t_max())
        };
        assert_eq!(range(flags(None, None, false), None, None), (0.0, f64::MAX));
        assert_eq!(range(flags(None, None, false), Some(-5.0), Some(7.0)), (-5.0, 7.0));
        assert_eq!(range(flags(Some(-1.0), Some(9.0), false), Some(-5.0), Some(7.0)), (-1.0, 7.0));
        assert_eq!(range(flags(None, Some(3.0), true), None, None), (f64::NEG_INFINITY, 3.0));
    }

    /// One word for one thing: options and scene files.
    #[test]
    fn words_are_those_of_scene_files() {
        fn words<T: ValueEnum>() -> Vec<String> {
            let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            values.map(|value| value.get_name().to_owned()).collect()
        }
        assert_eq!(words::<FacesArgument>(), hitscan_io::fmt::FACES.map(|(word, _)| word));
        assert_eq!(words::<OriginArgument>(), hitscan_io::fmt::INSIDE.map(|(word, _)| word));
    }

    #[test]
    fn the_layers_of_both_count() {
        let query = QueryArguments::default().query::<f64>(None, None, Some(3));
        assert_eq!(query.layer_mask(), 3);
    }
}
