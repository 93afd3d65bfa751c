//! Names of the families of rays and of transforms.

macro_rules! families {
    ($(#[$doc:meta])* $type:ident; $($(#[$item:meta])* $family:ident = $name:literal;)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$item])* $family),+ }
        impl $type {
            /// All families.
            pub const ALL: &[Self] = &[$(Self::$family),+];
            /// Name on the command line and in tables.
            pub fn name(self) -> &'static str {
                match self { $(Self::$family => $name),+ }
            }
            /// Family of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|family| family.name() == name)
            }
        }
    };
}

families! {
    /// Families of cases.
    Family;
    /// Near rays, random.
    Ordinary = "ordinary";
    /// Rays from 1e3 to 1e7 sizes away.
    Far = "far";
    /// Rays along the silhouette, a few ulp off.
    Grazing = "grazing";
    /// Rays at edges, rims, corners and tips.
    Edge = "edge";
    /// Axis-aligned shapes and rays, with zeros of both signs.
    Axis = "axis";
    /// Sizes and positions from 1e-6 to 1e6.
    Scale = "scale";
    /// Rays from the surface, or a few ulp off it.
    Surface = "surface";
    /// Lengths with ratios of up to 1e4.
    Thin = "thin";
    /// Directions of length 1e-3 to 1e3.
    Nonunit = "nonunit";
    /// Small integers: shapes touch exactly, or miss by a unit.
    Lattice = "lattice";
    /// Near ties, brought nearer by flips of bits.
    Flip = "flip";
    /// Any finite numbers.
    Extreme = "extreme";
}

families! {
    /// Families of transforms.
    TransformFamily;
    /// Rotation by an axis and an angle, rounded.
    Rotation = "rotation";
    /// Quarter turns and permutations of the axes.
    Quarter = "quarter";
    /// Negative determinant.
    Mirror = "mirror";
    /// The same scale along all axes: a power of two, or any number.
    Uniform = "uniform";
    /// Another scale along each axis.
    Uneven = "uneven";
    /// Shear.
    Shear = "shear";
    /// Translation alone, from tiny to huge.
    Translation = "translate";
    /// Condition from 1e3 to 1e12, or as far as the precision goes.
    NearSingular = "singular";
    /// Small integers: exact contact stays exact.
    Integer = "integer";
    /// Entries of any magnitude.
    Magnitude = "magnitude";
    /// Identity: the same bits as the bare shape.
    Identity = "identity";
}
