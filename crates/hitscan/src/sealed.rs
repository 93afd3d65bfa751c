//! The supertrait that keeps other crates from implementing the traits of this one.

pub trait Sealed {}

impl Sealed for f32 {}
impl Sealed for f64 {}
impl Sealed for glam::Vec2 {}
impl Sealed for glam::Vec3 {}
impl Sealed for glam::DVec2 {}
impl Sealed for glam::DVec3 {}
