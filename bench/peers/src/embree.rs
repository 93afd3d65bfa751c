//! Embree 4, loaded when the benchmark runs from the library inside the Python wheel `embreex`.
//!
//! The names and layouts are those of its C interface (`rtcore_*.h`, version 4.4).

use crate::environment;
use hitscan_oracle::wheels;
use libloading::Library;
use std::ffi::{CString, c_char, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, Ordering};

type Handle = *mut c_void;

/// `RTCRayHit`: a ray and its hit.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct RayHit {
    pub(crate) origin: [f32; 3],
    pub(crate) t_near: f32,
    pub(crate) direction: [f32; 3],
    time: f32,
    pub(crate) t_far: f32,
    mask: u32,
    id: u32,
    flags: u32,
    /// Normal, of any length.
    pub(crate) normal: [f32; 3],
    uv: [f32; 2],
    primitive: u32,
    pub(crate) geometry: u32,
    instance: [u32; 5],
}

impl RayHit {
    pub(crate) fn new(origin: [f32; 3], direction: [f32; 3], t_far: f32) -> Self {
        Self {
            origin,
            t_near: 0.0,
            direction,
            time: 0.0,
            t_far,
            mask: u32::MAX,
            id: 0,
            flags: 0,
            normal: [0.0; 3],
            uv: [0.0; 2],
            primitive: NONE,
            geometry: NONE,
            instance: [NONE; 5],
        }
    }
}

/// `RTCRayHit16`: sixteen rays as structure of arrays.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct RayHit16 {
    origin: [[f32; 16]; 3],
    t_near: [f32; 16],
    direction: [[f32; 16]; 3],
    time: [f32; 16],
    pub(crate) t_far: [f32; 16],
    mask: [u32; 16],
    id: [u32; 16],
    flags: [u32; 16],
    normal: [[f32; 16]; 3],
    uv: [[f32; 16]; 2],
    primitive: [u32; 16],
    pub(crate) geometry: [u32; 16],
    instance: [[u32; 16]; 2],
}

impl RayHit16 {
    /// Sixteen rays: origin, direction, end.
    pub(crate) fn new(rays: &[([f32; 3], [f32; 3], f32)]) -> Self {
        let lanes = |f: &dyn Fn(usize) -> f32| std::array::from_fn(f);
        Self {
            origin: [0, 1, 2].map(|axis| lanes(&|i| rays[i].0[axis])),
            t_near: [0.0; 16],
            direction: [0, 1, 2].map(|axis| lanes(&|i| rays[i].1[axis])),
            time: [0.0; 16],
            t_far: lanes(&|i| rays[i].2),
            mask: [u32::MAX; 16],
            id: [0; 16],
            flags: [0; 16],
            normal: [[0.0; 16]; 3],
            uv: [[0.0; 16]; 2],
            primitive: [NONE; 16],
            geometry: [NONE; 16],
            instance: [[NONE; 16]; 2],
        }
    }
}

/// Mask of sixteen valid rays, aligned as Embree reads it.
#[repr(align(64))]
struct Valid([i32; 16]);

static VALID: Valid = Valid([-1; 16]);

/// `RTC_INVALID_GEOMETRY_ID`: a miss.
pub(crate) const NONE: u32 = u32::MAX;
const TRIANGLES: i32 = 0;
const SPHERE_POINTS: i32 = 50;
const INSTANCE: i32 = 121;
const INDEX: i32 = 0;
const VERTEX: i32 = 1;
const UINT3: i32 = 0x5003;
const FLOAT3: i32 = 0x9003;
const FLOAT4: i32 = 0x9004;
const FLOAT3X4_COLUMNS: i32 = 0x9234;

/// Build options of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// `RTCBuildQuality`: 1 medium, 2 high.
    pub(crate) quality: i32,
    /// `RTCSceneFlags`: 2 compact, 4 robust.
    pub(crate) flags: i32,
}

pub(crate) const MEDIUM: Setting = Setting { name: "MEDIUM", quality: 1, flags: 0 };
pub(crate) const QUALITY_HIGH: Setting = Setting { name: "HIGH", quality: 2, flags: 0 };
pub(crate) const ROBUST: Setting = Setting { name: "ROBUST", quality: 1, flags: 4 };
pub(crate) const COMPACT: Setting = Setting { name: "COMPACT", quality: 1, flags: 2 };

/// Functions of Embree that this module calls.
struct Functions {
    new_scene: unsafe extern "C" fn(Handle) -> Handle,
    set_flags: unsafe extern "C" fn(Handle, i32),
    set_quality: unsafe extern "C" fn(Handle, i32),
    new_geometry: unsafe extern "C" fn(Handle, i32) -> Handle,
    new_buffer: unsafe extern "C" fn(Handle, i32, u32, i32, usize, usize) -> *mut c_void,
    commit_geometry: unsafe extern "C" fn(Handle),
    attach: unsafe extern "C" fn(Handle, Handle) -> u32,
    release_geometry: unsafe extern "C" fn(Handle),
    set_instanced_scene: unsafe extern "C" fn(Handle, Handle),
    set_transform: unsafe extern "C" fn(Handle, u32, i32, *const c_void),
    commit_scene: unsafe extern "C" fn(Handle),
    release_scene: unsafe extern "C" fn(Handle),
    release_device: unsafe extern "C" fn(Handle),
    intersect: unsafe extern "C" fn(Handle, *mut RayHit, *const c_void),
    occluded: unsafe extern "C" fn(Handle, *mut RayHit, *const c_void),
    intersect16: unsafe extern "C" fn(*const i32, Handle, *mut RayHit16, *const c_void),
    occluded16: unsafe extern "C" fn(*const i32, Handle, *mut RayHit16, *const c_void),
}

impl Functions {
    /// Hands a finished geometry over to a scene.
    unsafe fn add(&self, scene: Handle, geometry: Handle) {
        // SAFETY: both are valid handles of one device.
        unsafe {
            (self.commit_geometry)(geometry);
            (self.attach)(scene, geometry);
            (self.release_geometry)(geometry);
        }
    }
}

/// Memory of devices in bytes. Only one scene is built at a time.
static BYTES: AtomicI64 = AtomicI64::new(0);

unsafe extern "C" fn monitor(_: *mut c_void, bytes: isize, _: bool) -> bool {
    BYTES.fetch_add(bytes as i64, Ordering::Relaxed);
    true
}

/// Device for one instruction set, on one thread.
pub(crate) struct Device {
    device: Handle,
    functions: Functions,
    /// The library is never unloaded: threads that have used it call it again when they end.
    _library: ManuallyDrop<Library>,
}

impl Device {
    /// `isa`: `avx2` or `avx512`.
    pub(crate) fn open(path: &Path, isa: &str) -> Result<Rc<Self>, String> {
        let message = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: the library is Embree's, whose initialisers have no conditions; the signatures are those of its headers.
        unsafe {
            let library = Library::new(path).map_err(message)?;
            macro_rules! function {
                ($name:literal) => {
                    *library.get(concat!($name, "\0").as_bytes()).map_err(message)?
                };
            }
            let new_device: unsafe extern "C" fn(*const c_char) -> Handle = function!("rtcNewDevice");
            let set_monitor: unsafe extern "C" fn(
                Handle,
                unsafe extern "C" fn(*mut c_void, isize, bool) -> bool,
                *mut c_void,
            ) = function!("rtcSetDeviceMemoryMonitorFunction");
            let functions = Functions {
                new_scene: function!("rtcNewScene"),
                set_flags: function!("rtcSetSceneFlags"),
                set_quality: function!("rtcSetSceneBuildQuality"),
                new_geometry: function!("rtcNewGeometry"),
                new_buffer: function!("rtcSetNewGeometryBuffer"),
                commit_geometry: function!("rtcCommitGeometry"),
                attach: function!("rtcAttachGeometry"),
                release_geometry: function!("rtcReleaseGeometry"),
                set_instanced_scene: function!("rtcSetGeometryInstancedScene"),
                set_transform: function!("rtcSetGeometryTransform"),
                commit_scene: function!("rtcCommitScene"),
                release_scene: function!("rtcReleaseScene"),
                release_device: function!("rtcReleaseDevice"),
                intersect: function!("rtcIntersect1"),
                occluded: function!("rtcOccluded1"),
                intersect16: function!("rtcIntersect16"),
                occluded16: function!("rtcOccluded16"),
            };
            let config = CString::new(format!("threads=1,isa={isa},hugepages=1")).map_err(|e| e.to_string())?;
            let device = new_device(config.as_ptr());
            if device.is_null() {
                return Err(format!("Embree has no device for {isa} here"));
            }
            set_monitor(device, monitor, null_mut());
            Ok(Rc::new(Self { device, functions, _library: ManuallyDrop::new(library) }))
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the device is ours, and released once.
        unsafe { (self.functions.release_device)(self.device) }
    }
}

/// Committed scene.
pub(crate) struct Scene {
    scene: Handle,
    device: Rc<Device>,
    /// The scene that instances place.
    _placed: Option<Rc<Scene>>,
    /// Memory in bytes, with vertices and indices.
    pub(crate) bytes: i64,
}

impl Scene {
    /// Copies the mesh; `commit` then builds the BVH.
    pub(crate) fn new(
        device: &Rc<Device>,
        setting: Setting,
        vertices: &[[f32; 3]],
        triangles: &[[u32; 3]],
        commit: impl FnOnce(&dyn Fn()),
    ) -> Self {
        // SAFETY: buffers have the lengths that were requested.
        Self::of(device, setting, None, commit, |f, scene| unsafe {
            let geometry = (f.new_geometry)(device.device, TRIANGLES);
            let to = (f.new_buffer)(geometry, VERTEX, 0, FLOAT3, 12, vertices.len());
            std::ptr::copy_nonoverlapping(vertices.as_ptr().cast::<u8>(), to.cast(), size_of_val(vertices));
            let to = (f.new_buffer)(geometry, INDEX, 0, UINT3, 12, triangles.len());
            std::ptr::copy_nonoverlapping(triangles.as_ptr().cast::<u8>(), to.cast(), size_of_val(triangles));
            f.add(scene, geometry);
        })
    }

    /// Spheres as points: center and radius.
    pub(crate) fn spheres(
        device: &Rc<Device>,
        setting: Setting,
        points: &[[f32; 4]],
        commit: impl FnOnce(&dyn Fn()),
    ) -> Self {
        // SAFETY: as above.
        Self::of(device, setting, None, commit, |f, scene| unsafe {
            let geometry = (f.new_geometry)(device.device, SPHERE_POINTS);
            let to = (f.new_buffer)(geometry, VERTEX, 0, FLOAT4, 16, points.len());
            std::ptr::copy_nonoverlapping(points.as_ptr().cast::<u8>(), to.cast(), size_of_val(points));
            f.add(scene, geometry);
        })
    }

    /// Instances of a scene, by the four columns of each affine map.
    pub(crate) fn instances(
        placed: &Rc<Self>,
        setting: Setting,
        maps: &[[f32; 12]],
        commit: impl FnOnce(&dyn Fn()),
    ) -> Self {
        let device = &placed.device;
        // SAFETY: each map has twelve numbers; the scene outlives its instances.
        Self::of(device, setting, Some(placed.clone()), commit, |f, scene| unsafe {
            for map in maps {
                let geometry = (f.new_geometry)(device.device, INSTANCE);
                (f.set_instanced_scene)(geometry, placed.scene);
                (f.set_transform)(geometry, 0, FLOAT3X4_COLUMNS, map.as_ptr().cast());
                f.add(scene, geometry);
            }
        })
    }

    fn of(
        device: &Rc<Device>,
        setting: Setting,
        placed: Option<Rc<Self>>,
        commit: impl FnOnce(&dyn Fn()),
        fill: impl FnOnce(&Functions, Handle),
    ) -> Self {
        let f = &device.functions;
        let before = BYTES.load(Ordering::Relaxed);
        // SAFETY: handles come from the functions that make them.
        unsafe {
            let scene = (f.new_scene)(device.device);
            (f.set_flags)(scene, setting.flags);
            (f.set_quality)(scene, setting.quality);
            fill(f, scene);
            commit(&|| (f.commit_scene)(scene));
            let bytes = BYTES.load(Ordering::Relaxed) - before;
            Self { scene, device: device.clone(), _placed: placed, bytes }
        }
    }
    #[inline]
    pub(crate) fn intersect(&self, ray: &mut RayHit) {
        // SAFETY: the scene is committed, the ray laid out as it must be.
        unsafe { (self.device.functions.intersect)(self.scene, ray, null()) }
    }
    /// A hit makes `t_far` negative.
    #[inline]
    pub(crate) fn occluded(&self, ray: &mut RayHit) {
        // SAFETY: as above; only the ray is read and written.
        unsafe { (self.device.functions.occluded)(self.scene, ray, null()) }
    }
    pub(crate) fn intersect16(&self, rays: &mut RayHit16) {
        // SAFETY: as above.
        unsafe { (self.device.functions.intersect16)(VALID.0.as_ptr(), self.scene, rays, null()) }
    }
    pub(crate) fn occluded16(&self, rays: &mut RayHit16) {
        // SAFETY: as above.
        unsafe { (self.device.functions.occluded16)(VALID.0.as_ptr(), self.scene, rays, null()) }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: the scene is ours, and released once.
        unsafe { (self.device.functions.release_scene)(self.scene) }
    }
}

/// Finds the library; first makes a Python environment with the wheel if necessary.
pub(crate) fn library() -> Result<PathBuf, String> {
    let home = environment("embree");
    let find = || -> Option<PathBuf> {
        let files = std::fs::read_dir(wheels::site_packages(&home)?.join("embreex.libs")).ok()?;
        files.flatten().map(|file| file.path()).find(|path| path.to_string_lossy().contains("libembree4"))
    };
    if let Some(path) = find() {
        return Ok(path);
    }
    wheels::install(&home, &format!("embreex=={VERSION}"))?;
    find().ok_or_else(|| format!("the wheel embreex {VERSION} has no library of Embree in it"))
}

const VERSION: &str = "4.4.0.post1";
