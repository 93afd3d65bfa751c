//! The columns of the results that are written, by name.

use crate::error::{Fault, Result};
use crate::table::{HitLayout, HitSchema, hit_schema};
use arrow_schema::{DataType, Field, Schema};
use hitscan::Columns;
use std::sync::Arc;

/// Columns of a table of results, in order.
pub(crate) struct ResultColumns {
    fields: Vec<Field>,
    wanted: Columns,
}

impl ResultColumns {
    /// The columns of these names, all without a choice; those of thick rays have a radius, and the hits of groups and solids have
    /// members.
    pub(crate) fn new(
        schema: &HitSchema,
        (radius, has_members): (Option<f64>, bool),
        chosen: Option<&[String]>,
    ) -> Result<Self, Fault> {
        let mut all = match radius {
            Some(_) => with_face_normals(&hit_schema(schema)),
            None => hit_schema(schema),
        };
        if has_members && !matches!(schema.layout, HitLayout::Any | HitLayout::Count) {
            let member = Arc::new(Field::new("member", DataType::UInt32, true));
            all = Schema::new(all.fields().iter().cloned().chain([member]).collect::<Vec<_>>());
        }
        let Some(chosen) = chosen else {
            return Ok(Self::of(all.fields().iter().map(|field| (**field).clone()).collect(), schema.layout));
        };
        if chosen.is_empty() {
            return Err(Fault::file("no columns are chosen"));
        }
        let mut fields: Vec<Field> = Vec::with_capacity(chosen.len());
        for name in chosen {
            if fields.iter().any(|field| field.name() == name) {
                return Err(Fault::file(format!("column '{name}' is chosen twice")));
            }
            let field = all.field_with_name(name).map_err(|_| {
                let names: Vec<&str> = all.fields().iter().map(|field| field.name().as_str()).collect();
                Fault::file(format!("there is no column '{name}' in these results (there are {})", names.join(", ")))
            })?;
            fields.push(field.clone());
        }
        Ok(Self::of(fields, schema.layout))
    }

    fn of(fields: Vec<Field>, layout: HitLayout) -> Self {
        let mut wanted = Columns::IS_HIT;
        if !matches!(layout, HitLayout::Any | HitLayout::Count) {
            for field in &fields {
                wanted = wanted
                    | match field.name().as_str() {
                        "t" => Columns::T,
                        "distance" => Columns::DISTANCE,
                        "px" | "py" | "pz" => Columns::POINT,
                        "nx" | "ny" | "nz" => Columns::NORMAL,
                        "front" => Columns::SIDE,
                        "primitive" => Columns::PRIMITIVE,
                        "u" | "v" => Columns::UV,
                        "shape" | "object" | "instance" => Columns::OBJECT,
                        "member" => Columns::MEMBER,
                        _ => Columns::IS_HIT,
                    };
            }
        }
        Self { fields, wanted }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name().as_str())
    }

    /// The fields; `with_bad_rows` have rows of nulls for rays that cannot be read.
    pub(crate) fn fields(&self, with_bad_rows: bool) -> impl Iterator<Item = Field> {
        self.fields.iter().map(move |field| {
            let is_nullable = field.is_nullable() || with_bad_rows && field.name() != "ray";
            field.clone().with_nullable(is_nullable)
        })
    }

    /// What the library has to compute.
    pub(crate) fn wanted(&self) -> Columns {
        self.wanted
    }
}

/// The columns of contacts: behind those of the normal they have the normal of the face, which not every shape has.
fn with_face_normals(schema: &Schema) -> Schema {
    let mut fields: Vec<Arc<Field>> = schema.fields().to_vec();
    let is_normal = |field: &Arc<Field>| matches!(field.name().as_str(), "nx" | "ny" | "nz");
    let normals: Vec<Arc<Field>> = fields.iter().filter(|field| is_normal(field)).cloned().collect();
    let behind = fields.iter().rposition(is_normal).map_or(fields.len(), |last| last + 1);
    let of_face =
        |field: &Arc<Field>| Arc::new(Field::new(format!("f{}", field.name()), field.data_type().clone(), true));
    fields.splice(behind..behind, normals.iter().map(of_face));
    Schema::new(fields)
}
