//! TOML text of one shape, key by key.

use super::layer_names::LayerNames;
use crate::rule_words::{FACES, INSIDE, word};
use hitscan::{Basis, Ellipsoid, Object, Space, Transform};
use hitscan::{Real, Vector};
use std::fmt::Write;

/// Writes the table of a shape or an object, key by key.
pub struct ShapeWriter<'a> {
    pub(super) text: &'a mut String,
    /// The file of a mesh.
    pub(super) file: Option<String>,
}

impl ShapeWriter<'_> {
    fn pair(&mut self, key: &str, value: &str) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{key} = {value}");
        self
    }

    pub(super) fn kind(&mut self, kind: &str) -> &mut Self {
        self.pair("type", &quoted(kind))
    }

    pub(super) fn number<S: Real>(&mut self, key: &str, x: S) -> &mut Self {
        self.pair(key, &decimal(x))
    }

    pub(super) fn point<V: Vector>(&mut self, key: &str, p: V) -> &mut Self {
        self.pair(key, &list(p))
    }

    pub(super) fn points<V: Vector>(&mut self, key: &str, points: &[V]) -> &mut Self {
        let points: Vec<_> = points.iter().map(|p| list(*p)).collect();
        self.pair(key, &format!("[{}]", points.join(", ")))
    }

    pub(super) fn corners<V: Vector>(&mut self, [a, b, c]: [V; 3]) -> &mut Self {
        self.point("a", a).point("b", b).point("c", c)
    }

    pub(super) fn ellipsoid<V: Vector>(&mut self, shape: &Ellipsoid<V>) -> &mut Self {
        let writer = self.point("center", shape.center()).point("radii", shape.radii());
        // As bits: an axis with a -0 is equal to one without, but it is another number.
        let bits = |basis: &Basis<V>| -> Vec<u64> {
            basis.axes().iter().flat_map(|axis| axis.to_xyz().map(|x| x.to_f64().to_bits())).collect()
        };
        let plain = bits(shape.basis()) == bits(&Basis::identity());
        if plain { writer } else { writer.points("axes", shape.basis().axes()) }
    }

    pub(super) fn mesh(&mut self) -> &mut Self {
        let file = quoted(self.file.as_deref().unwrap_or_default());
        self.kind("mesh").pair("file", &file)
    }

    pub(super) fn name(&mut self, name: &str) -> &mut Self {
        self.pair("name", &quoted(name))
    }

    /// The expression of a solid.
    pub(super) fn expression(&mut self, expression: &str) -> &mut Self {
        self.pair("expression", &quoted(expression))
    }

    /// The geometry that an object places.
    pub(super) fn geometry(&mut self, name: &str) -> &mut Self {
        self.pair("geometry", &quoted(name))
    }

    /// A transform by the rows of its matrix.
    pub(super) fn transform<V: Vector>(&mut self, transform: &Transform<V>) -> &mut Self {
        let columns = transform.axes().iter().copied().chain([transform.translation()]).map(V::to_xyz);
        let columns: Vec<_> = columns.collect();
        let row = |i: usize| {
            let numbers: Vec<_> = columns.iter().map(|column| decimal(column[i])).collect();
            format!("[{}]", numbers.join(", "))
        };
        let rows: Vec<_> = (0..V::DIM).map(row).collect();
        self.pair("transform", &format!("{{ matrix = [{}] }}", rows.join(", ")))
    }

    /// The name, the layers and the rules of an object.
    pub(super) fn label<V: Space>(&mut self, object: &Object<V>, names: &LayerNames) {
        let layer = |number: u32| names.name(number).map_or_else(|| number.to_string(), quoted);
        if let Some(name) = object.name() {
            self.name(name);
        }
        match (object.layers(), object.layers().trailing_zeros()) {
            (1, _) => {}
            (bits, lowest) if bits.is_power_of_two() => drop(self.pair("layer", &layer(lowest))),
            (bits, _) => {
                let layers: Vec<_> = (0..32).filter(|bit| bits >> bit & 1 == 1).map(layer).collect();
                self.pair("layers", &format!("[{}]", layers.join(", ")));
            }
        }
        if object.is_trigger() {
            self.pair("trigger", "true");
        }
        if let Some(faces) = object.faces() {
            self.pair("faces", &quoted(word(&FACES, faces)));
        }
        if let Some(inside) = object.inside() {
            self.pair("inside", &quoted(word(&INSIDE, inside)));
        }
    }
}

/// The table `[layers]`; nothing where no layer has a name.
pub(super) fn layer_table(names: &LayerNames) -> String {
    let is_bare = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let key = |name: &str| if is_bare(name) { name.to_owned() } else { quoted(name) };
    let pairs: Vec<String> = names.iter().map(|(name, number)| format!("{} = {number}\n", key(name))).collect();
    if pairs.is_empty() { String::new() } else { format!("[layers]\n{}", pairs.concat()) }
}

/// The shortest digits that read back as the same number, as an `f64` also for an `f32`.
fn decimal<S: Real>(x: S) -> String {
    let x = x.to_f64();
    let whole = x.fract() == 0.0 && x.abs() < 1e6 && (x != 0.0 || x.is_sign_positive());
    if whole { format!("{x}") } else { format!("{x:?}") }
}

fn list<V: Vector>(v: V) -> String {
    let numbers: Vec<_> = v.to_xyz().into_iter().take(V::DIM).map(decimal).collect();
    format!("[{}]", numbers.join(", "))
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
