//! Answers of this machine, as digests that the test of the npm package compares with those of the module; and hostile arguments.
//!
//! `npm/test/native.test.mjs` has the same meshes, rays and digests. `HITSCAN_UPDATE=1 cargo test -p hitscan-npm` writes the file again.

use hitscan_npm as module;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

/// The module has one state, and tests run at the same time.
static ALONE: Mutex<()> = Mutex::new(());

const RAYS: usize = 2000;
const POINTS: usize = 400;

/// Xorshift of Marsaglia, 2003, in 32 bits: numbers that JavaScript has, too.
struct Random(u32);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        f64::from(self.0) / 4_294_967_296.0
    }
    /// A number from -1 to 1; a multiple of 1/4 in each eighth case, so that rays run through edges and corners.
    fn number(&mut self, row: usize) -> f64 {
        let unit = self.unit();
        if row.is_multiple_of(8) { (unit * 9.0).floor() / 4.0 - 1.0 } else { unit * 2.0 - 1.0 }
    }
    fn three(&mut self, row: usize, size: f64) -> [f64; 3] {
        [(); 3].map(|()| self.number(row) * size)
    }
}

/// A circle of four straight sides.
fn diamond(step: usize, steps: usize) -> [f64; 2] {
    let wave = |at: usize| {
        let turn = (at % steps) as f64 / steps as f64 * 4.0;
        if turn <= 2.0 { 1.0 - turn } else { turn - 3.0 }
    };
    [wave(step), wave(step + 3 * steps / 4)]
}

/// A closed ring of four-sided sections: vertices, triangles.
fn ring() -> (Vec<f64>, Vec<f64>) {
    let (long, short) = (24, 12);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..long {
        for j in 0..short {
            let ([c, s], [u, v]) = (diamond(i, long), diamond(j, short));
            let radius = 3.0 + u;
            vertices.extend([radius * c, radius * s, v]);
            let at = |i: usize, j: usize| ((i % long) * short + j % short) as f64;
            triangles.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// Triangles anywhere, without indices.
fn soup() -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(0x2545_f491);
    ((0..500).flat_map(|row| [(); 3].map(|()| random.three(row, 4.0)).concat()).collect(), Vec::new())
}

/// FNV of the 32-bit halves of the numbers, each turned; every NaN in one form.
fn digest(hash: &mut u32, numbers: &[f64]) {
    for x in numbers {
        let bits = if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() };
        for word in [bits as u32, (bits >> 32) as u32] {
            *hash = (*hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5);
        }
    }
}

fn build(double: u32, (vertices, triangles): &(Vec<f64>, Vec<f64>)) -> u32 {
    let to = module::buffer(double, vertices.len() / 3) as u32;
    module::fill(to, vertices);
    let faces = if triangles.is_empty() { u32::MAX } else { module::buffer(6, triangles.len() / 3) as u32 };
    module::fill(faces, triangles);
    let mesh = module::mesh(to, faces, 0);
    assert!(mesh >= 0, "{mesh}");
    mesh as u32
}

/// The digests of rays and of points at one mesh.
fn digests(mesh: u32, double: u32) -> [u32; 2] {
    let (mut random, mut hash) = (Random(0x9e37_79b9), 0x811c_9dc5);
    for row in 0..RAYS {
        let ([ox, oy, oz], [dx, dy, dz]) = (random.three(row, 8.0), random.three(row, 2.0));
        let flags = (row % 3 + 8 * (row / 3 % 2)) as u32;
        let t_max = if row % 5 == 0 { 2.0 } else { f64::INFINITY };
        macro_rules! call {
            ($name:ident $(, $more:expr)*) => {
                module::$name(mesh, ox, oy, oz, dx, dy, dz, 0.0, t_max, flags $(, $more)*)
            };
        }
        let counts = [call!(cast), call!(occluded), call!(count)].map(f64::from);
        digest(&mut hash, &counts);
        if counts[0] == 1.0 {
            digest(&mut hash, &module::results().0[..12]);
        }
        digest(&mut hash, &[f64::from(call!(cast_all))]);
        digest(&mut hash, &module::results().1);
        digest(&mut hash, &[f64::from(call!(spans))]);
        digest(&mut hash, &module::results().1);
    }
    let rays = hash;
    hash = 0x811c_9dc5;
    for row in 0..POINTS {
        let ([x, y, z], radius) = (random.three(row, 5.0), random.unit());
        digest(&mut hash, &[f64::from(module::contains(mesh, x, y, z))]);
        let counts = [module::closest_point(mesh, x, y, z, 2.0), module::signed_distance(mesh, x, y, z)];
        if counts[1] == 1 {
            digest(&mut hash, &module::results().0[..1]);
        }
        digest(&mut hash, &counts.map(f64::from));
        if module::closest_point(mesh, x, y, z, f64::INFINITY) == 1 {
            digest(&mut hash, &module::results().0[..9]);
        }
        let overlaps = [
            module::overlaps_sphere(mesh, x, y, z, radius),
            module::overlaps_box(mesh, x, y, z, radius, 0.5, 0.25),
            module::cast_sphere(mesh, x, y, z, 1.0, -0.5, 0.25, 0.0, 4.0, 0, radius),
        ];
        digest(&mut hash, &overlaps.map(f64::from));
        // A tetrahedron at the point.
        let hull = module::buffer(double, 4) as u32;
        module::fill(hull, &[x, y, z, x + 1.0, y, z, x, y + radius, z, x, y, z - 0.5]);
        digest(&mut hash, &[f64::from(module::touches_hull(mesh, hull))]);
        if overlaps[2] == 1 {
            digest(&mut hash, &module::results().0[..17]);
        }
    }
    [rays, hash]
}

#[test]
fn digests_of_this_machine_are_those_of_the_file() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = "[\n".to_owned();
    for (name, mesh) in [("ring", ring()), ("soup", soup())] {
        for (double, precision) in [(0, "f32"), (1, "f64")] {
            let handle = build(double, &mesh);
            let [rays, points] = digests(handle, double);
            let end = if name == "soup" && double == 1 { "" } else { "," };
            let line = format!(
                "  {{ \"mesh\": \"{name}\", \"precision\": \"{precision}\", \"closed\": {}, \"rays\": {rays}, \"points\": {points} }}{end}",
                module::is_closed(handle) == 1
            );
            writeln!(text, "{line}").unwrap();
            assert_eq!([module::release(handle), module::release(handle)], [1, 0]);
        }
    }
    text.push_str("]\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/test/native.json");
    if std::env::var_os("HITSCAN_UPDATE").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text, "HITSCAN_UPDATE=1 writes the file again");
}

#[test]
fn hostile_arguments_get_codes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (handle, number) =
        ([0, 1, u32::MAX, 1 << 20, 0x7fff_ffff], [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e308, 5e-324]);
    let bad = module::Code::Handle as i32;
    for h in handle {
        assert_eq!([module::describe(h), module::save(h), module::load(h, 8), module::is_closed(h)], [bad; 4]);
        assert_eq!([module::refit(h, h), module::mesh(h, h, 9), module::buffer(h | 8, 1)], [bad; 3]);
        assert_eq!(module::touches_hull(h, h), bad);
        assert_eq!((module::column(h, h), module::release(h)), (0, 0));
        assert_eq!(module::cast_batch(h, h, h, 1, 0.0, 1.0, 0), bad);
    }
    // Every kind of buffer in the place of every other one.
    let mesh = build(1, &ring());
    let buffers: Vec<u32> = (0..8).map(|kind| module::buffer(kind, 2) as u32).chain([mesh]).collect();
    for &a in &buffers {
        for &b in &buffers {
            for &c in &buffers {
                for count in [0, 2, 3, usize::MAX] {
                    let codes = [
                        module::cast_batch(a, b, c, count, 0.0, 1.0, 0),
                        module::occluded_batch(a, b, c, count, 0.0, 1.0, 0),
                    ];
                    let may = |code: &i32| [0, bad, module::Code::Short as i32].contains(code);
                    assert!(codes.iter().all(may), "{codes:?}");
                }
            }
        }
    }
    // Numbers that are no rays, points or sizes.
    for a in number {
        for b in number {
            for flags in [0, 3, 15, u32::MAX] {
                let rows = [
                    module::cast(mesh, a, b, 0.0, b, a, 1.0, a, b, flags),
                    module::occluded(mesh, a, b, 0.0, b, a, 1.0, a, b, flags),
                    module::cast_all(mesh, a, b, 0.0, b, a, 1.0, a, b, flags),
                    module::count(mesh, a, b, 0.0, b, a, 1.0, a, b, flags),
                    module::spans(mesh, a, b, 0.0, b, a, 1.0, a, b, flags),
                    module::contains(mesh, a, b, 0.0),
                    module::closest_point(mesh, a, b, 0.0, a),
                    module::signed_distance(mesh, a, b, b),
                ];
                assert!(rows.iter().all(|&row| row >= 0), "{a} {b} {flags}: {rows:?}");
                let volumes = [
                    module::cast_sphere(mesh, a, b, 0.0, b, a, 1.0, a, b, flags, a),
                    module::overlaps_sphere(mesh, a, b, 0.0, a),
                    module::overlaps_box(mesh, a, b, 0.0, a, b, a),
                ];
                assert!(volumes.iter().all(|&row| row >= 0 || row == module::Code::Volume as i32), "{volumes:?}");
            }
        }
    }
    // A mesh that is wrong leaves nothing behind, and what it took is gone.
    let vertices = module::buffer(1, 3) as u32;
    let triangles = module::buffer(6, 1) as u32;
    module::fill(triangles, &[0.0, 1.0, 3.0]);
    assert_eq!(module::mesh(vertices, triangles, 0), module::Code::OutOfRange as i32);
    assert_eq!(module::results().0[..3], [0.0, 3.0, 3.0]);
    assert_eq!([module::release(vertices), module::release(triangles)], [0, 0]);
    let vertices = module::buffer(1, 3) as u32;
    module::fill(vertices, &[0.0, 0.0, f64::NAN]);
    assert_eq!(module::mesh(vertices, u32::MAX, 0), module::Code::NotFinite as i32);
    assert_eq!(module::mesh(module::buffer(1, 0) as u32, u32::MAX, 0), module::Code::NoTriangles as i32);
    assert_eq!(module::refit(mesh, module::buffer(1, 5) as u32), module::Code::OtherCount as i32);
    assert_eq!(module::refit(mesh, module::buffer(0, 288) as u32), bad);
    for (kind, code) in [(0, bad), (1, module::Code::Volume as i32), (6, bad), (7, bad)] {
        assert_eq!(module::touches_hull(mesh, module::buffer(kind, 0) as u32), code);
    }
    let points = module::buffer(1, 1) as u32;
    module::fill(points, &[0.0, f64::INFINITY, 0.0]);
    assert_eq!(module::touches_hull(mesh, points), module::Code::Volume as i32);
    assert_eq!(module::load(module::buffer(7, 100) as u32, 8), module::Code::NotSaved as i32);
    assert_eq!(module::buffer(1, usize::MAX), module::Code::Memory as i32);
    buffers.iter().for_each(|&handle| assert_eq!(module::release(handle), 1));
}
