//! The camera: pixels to rays.

use clap::ValueEnum;
use hitscan::glam::{DVec2, DVec3};

/// `--side`: the side that the camera is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewSide {
    Front,
    Back,
    Left,
    Right,
    Top,
    Bottom,
    /// from the front, to the right and above
    #[default]
    Iso,
}

/// A camera in perspective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub(crate) eye: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    pub(crate) forward: DVec3,
    /// Half the height of the picture at distance 1.
    half_height: f64,
    /// Width over height.
    aspect: f64,
}

impl Camera {
    /// A camera at `eye` that looks at `target`. An `up` along the view is replaced by another axis.
    pub(crate) fn look_at(eye: DVec3, target: DVec3, up: DVec3, fov_degrees: f64, aspect: f64) -> Option<Self> {
        let forward = (target - eye).try_normalize()?;
        let usable = [up, DVec3::Y, DVec3::Z].into_iter().find_map(|up| forward.cross(up).try_normalize());
        let right = usable.filter(|right| right.is_finite())?;
        let half_height = (fov_degrees.to_radians() / 2.0).tan();
        Some(Self { eye, right, up: right.cross(forward), forward, half_height, aspect })
    }

    /// A camera at a side, at the distance from which the box fills the picture.
    pub(crate) fn of_side(
        side: ViewSide,
        bounds: [DVec3; 2],
        up: DVec3,
        fov_degrees: f64,
        aspect: f64,
    ) -> Option<Self> {
        let up = up.try_normalize()?;
        // x is to the right unless it is up. The front is at +z with y up, at -y with z up.
        let right = [DVec3::X, DVec3::Z].into_iter().find(|axis| axis.cross(up).length() > 0.5)?;
        let back = right.cross(up).try_normalize()?;
        let (from, screen_up) = match side {
            ViewSide::Front => (back, up),
            ViewSide::Back => (-back, up),
            ViewSide::Left => (-right, up),
            ViewSide::Right => (right, up),
            ViewSide::Top => (up, -back),
            ViewSide::Bottom => (-up, back),
            ViewSide::Iso => (back + 0.55 * right + 0.6 * up, up),
        };
        let center = (bounds[0] + bounds[1]) / 2.0;
        let view = Self::look_at(center + from, center, screen_up, fov_degrees, aspect)?;
        let half = (bounds[1] - bounds[0]) / 2.0;
        let distance = (0..8).map(|corner| {
            let sign = |axis: u32| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            let corner = half * DVec3::new(sign(0), sign(1), sign(2));
            let across = corner.dot(view.right).abs() / (view.half_height * aspect);
            across.max(corner.dot(view.up).abs() / view.half_height) - corner.dot(view.forward)
        });
        let distance = 1.04 * distance.fold(f64::MIN_POSITIVE, f64::max);
        Some(Self { eye: center - view.forward * distance, ..view })
    }

    /// The direction through a place of the picture, each coordinate 0 to 1 from the upper left; its length is 1 or more.
    pub(crate) fn direction(&self, x: f64, y: f64) -> DVec3 {
        let across = (2.0 * x - 1.0) * self.half_height * self.aspect;
        self.forward + self.right * across + self.up * ((1.0 - 2.0 * y) * self.half_height)
    }

    /// The place of a point in the picture, each coordinate 0 to 1 from the upper left; `None` behind the camera.
    pub(crate) fn project(&self, point: DVec3) -> Option<DVec2> {
        let v = point - self.eye;
        let depth = v.dot(self.forward);
        let across = v.dot(self.right) / (depth * self.half_height * self.aspect);
        let upward = v.dot(self.up) / (depth * self.half_height);
        (depth > 0.0).then(|| DVec2::new(0.5 + across / 2.0, 0.5 - upward / 2.0))
    }

    /// The size of a pixel at distance 1.
    pub(crate) fn pixel_angle(&self, height: u32) -> f64 {
        2.0 * self.half_height / f64::from(height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: [DVec3; 2] = [DVec3::NEG_ONE, DVec3::ONE];

    #[test]
    fn sides_are_where_they_are_called() {
        let eye = |side, up| Camera::of_side(side, CUBE, up, 30.0, 1.0).unwrap().eye.normalize();
        assert!(eye(ViewSide::Front, DVec3::Y).abs_diff_eq(DVec3::Z, 1e-12));
        assert!(eye(ViewSide::Front, DVec3::Z).abs_diff_eq(-DVec3::Y, 1e-12));
        assert!(eye(ViewSide::Right, DVec3::Y).abs_diff_eq(DVec3::X, 1e-12));
        assert!(eye(ViewSide::Top, DVec3::Z).abs_diff_eq(DVec3::Z, 1e-12));
        let top = Camera::of_side(ViewSide::Top, CUBE, DVec3::Y, 30.0, 1.0).unwrap();
        assert!(top.right.abs_diff_eq(DVec3::X, 1e-12) && top.up.abs_diff_eq(-DVec3::Z, 1e-12));
    }

    #[test]
    fn projection_is_the_inverse_of_direction() {
        let camera = Camera::of_side(ViewSide::Iso, CUBE, DVec3::Y, 40.0, 1.5).unwrap();
        for (x, y) in [(0.5, 0.5), (0.1, 0.9), (0.75, 0.25)] {
            let place = camera.project(camera.eye + camera.direction(x, y) * 7.0).unwrap();
            assert!(place.abs_diff_eq(DVec2::new(x, y), 1e-12), "{place}");
        }
        assert!(camera.project(camera.eye - camera.forward).is_none());
    }

    #[test]
    fn all_corners_are_in_the_picture() {
        for side in ViewSide::value_variants() {
            let camera = Camera::of_side(*side, CUBE, DVec3::Y, 40.0, 1.5).unwrap();
            for i in 0..8 {
                let corner = DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
                let v = corner - camera.eye;
                let depth = v.dot(camera.forward);
                assert!(depth > 0.0);
                assert!(v.dot(camera.up).abs() <= depth * camera.half_height);
                assert!(v.dot(camera.right).abs() <= depth * camera.half_height * 1.5);
            }
        }
    }
}
