//! The eight-wide BVH of tinybvh: the library `tinybvh8`, built with AVX2 when the benchmark runs, and loaded.

use libloading::Library;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::c_void;
use std::path::Path;
use std::process::{Command, Stdio};

type Build = unsafe extern "C" fn(*const [f32; 4], usize) -> *const c_void;
type Intersect = unsafe extern "C" fn(*const c_void, &[f32; 3], &[f32; 3], f32, &mut u32) -> f32;

/// BVH of triangles.
pub(crate) struct Tree {
    tree: *const c_void,
    intersect: Intersect,
}

/// The loaded library.
pub(crate) struct Tinybvh8 {
    build: Build,
    intersect: Intersect,
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl Tinybvh8 {
    /// Builds the library with cargo and loads it.
    ///
    /// # Errors
    /// The processor has no AVX2, or cargo does not build the library.
    pub(crate) fn load() -> Result<Self, String> {
        if !has_avx2() {
            return Err("the eight-wide BVH of tinybvh takes a processor with AVX2".into());
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let target = folder.join("target/tinybvh8");
        eprintln!("tinybvh8: built with AVX2, if it is not yet ...");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--release", "--locked", "--quiet", "--manifest-path"]);
        cargo.arg(folder.join("tinybvh8/Cargo.toml")).arg("--target-dir").arg(&target);
        cargo.env("RUSTFLAGS", "-C target-feature=+avx2,+fma").stdout(Stdio::null());
        match cargo.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("tinybvh8: cargo build: {status}")),
            Err(error) => return Err(format!("tinybvh8: cargo: {error}")),
        }
        let path = target.join("release").join(format!("{DLL_PREFIX}tinybvh8{DLL_SUFFIX}"));
        let message = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: the library is ours; its functions have these types, and it is never unloaded.
        unsafe {
            let library = Box::leak(Box::new(Library::new(&path).map_err(message)?));
            let build = *library.get::<Build>(b"tinybvh8_build\0").map_err(message)?;
            let intersect = *library.get::<Intersect>(b"tinybvh8_intersect\0").map_err(message)?;
            Ok(Self { build, intersect })
        }
    }

    /// BVH of triangles, three corners each; `None` if tinybvh refuses them.
    pub(crate) fn tree(&self, corners: &'static [[f32; 4]]) -> Option<Tree> {
        // SAFETY: the corners live as long as the program.
        let tree = unsafe { (self.build)(corners.as_ptr(), corners.len()) };
        (!tree.is_null()).then_some(Tree { tree, intersect: self.intersect })
    }
}

impl Tree {
    /// `t` and triangle of the first hit before `end`.
    #[inline(always)]
    pub(crate) fn intersect(&self, origin: &[f32; 3], direction: &[f32; 3], end: f32) -> Option<(f32, usize)> {
        let mut triangle = 0;
        // SAFETY: the tree is not null.
        let t = unsafe { (self.intersect)(self.tree, origin, direction, end, &mut triangle) };
        (t < end).then_some((t, triangle as usize))
    }
}
