//! The eight-wide BVH of tinybvh, by its Rust wrapper, with an interface in C. Compile with
//! `RUSTFLAGS="-C target-feature=+avx2,+fma"`.

#[cfg(not(target_feature = "avx2"))]
compile_error!("tinybvh has this BVH with AVX2 only: RUSTFLAGS=\"-C target-feature=+avx2,+fma\"");

use tinybvh_rs::{Intersection, Intersector, Ray, bvh, bvh8_cpu, mbvh};

/// BVH of triangles whose corners live as long as the program.
pub struct Tree(bvh8_cpu::BVH);

/// Builds the BVH of `corners / 3` triangles with the builder of the highest quality; null if tinybvh refuses them.
///
/// # Safety
/// `data` points to `corners` corners of four numbers each, which are not freed or changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinybvh8_build(data: *const [f32; 4], corners: usize) -> *const Tree {
    // SAFETY: as the caller promised.
    let corners: &'static [[f32; 4]] = unsafe { std::slice::from_raw_parts(data, corners) };
    let built = bvh::BVH::new_hq(corners.into()).and_then(|mut binary| {
        binary.split_leaves(4);
        bvh8_cpu::BVH::new(&mbvh::BVH::new(&binary))
    });
    built.map_or(std::ptr::null(), |tree| Box::into_raw(Box::new(Tree(tree))))
}

/// The first hit before `end`: returns its `t` and writes the number of its triangle, or returns `end`.
///
/// # Safety
/// The tree is that of [`tinybvh8_build`], not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tinybvh8_intersect(
    tree: &Tree,
    origin: &[f32; 3],
    direction: &[f32; 3],
    end: f32,
    triangle: &mut u32,
) -> f32 {
    let mut ray = Ray {
        origin: *origin,
        dir: *direction,
        r_d: direction.map(|x| (1.0 / x).clamp(-1e12, 1e12)),
        hit: Intersection { t: end, ..Intersection::new() },
        ..Ray::default()
    };
    tree.0.intersect(&mut ray);
    *triangle = ray.hit.prim;
    ray.hit.t
}
