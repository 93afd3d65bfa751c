//! Solids: the members of a table of `type = "solid"`, and the names of their leaves.

use super::SceneVector;
use super::entry::Entry;
use super::expression::Expression;
use super::fields::Part;
use super::node::find;
use super::schema::SOLID;
use super::transform::Placement;
use super::values::{FieldError, name, text};
use crate::dimension::Dimension;
use hitscan::{Accelerator, Instance, Solid};
use std::collections::{HashMap, HashSet};

/// The keys of a shape or an object that say how queries see it. A solid is seen as a whole.
const KEYS_OF_QUERIES: [&str; 5] = ["layer", "layers", "trigger", "faces", "inside"];

/// What a scene file calls a leaf of a solid.
#[derive(Clone, Debug, Default)]
pub struct LeafName {
    /// The name of the member; behind that of a solid within a solid and a point, if it is a part of that one.
    pub name: String,
    /// The name of its geometry, if an object of the solid places it.
    pub geometry: Option<String>,
}

impl Entry {
    /// The solid of the members.
    pub(super) fn solid<V: SceneVector>(
        &self,
        geometries: &HashMap<usize, V::Shape>,
        accelerator: Option<Accelerator>,
    ) -> Result<Solid<V>, FieldError> {
        if !cfg!(feature = "groups") {
            return Err(FieldError::new("this program reads no solids of several shapes"));
        }
        let expression = self.expression()?;
        // Only the topology of a mesh tells whether it encloses points.
        let accelerator = accelerator.or(Some(Accelerator::LinearScan));
        let mut parts = Vec::with_capacity(self.members.len());
        for member in &self.members {
            parts.push(member.part_of_solid(geometries, accelerator).map_err(|error| member.in_group(error))?);
        }
        expression.solid(&parts)
    }

    /// A member as a solid of its own.
    fn part_of_solid<V: SceneVector>(
        &self,
        geometries: &HashMap<usize, V::Shape>,
        accelerator: Option<Accelerator>,
    ) -> Result<Solid<V>, FieldError> {
        if let Some((key, node)) = self.table.iter().find(|(key, _)| KEYS_OF_QUERIES.contains(&&key[..])) {
            return Err(FieldError::at(node, format!("a member of a solid has no '{key}': give it to the solid")));
        }
        let (shape, transform) = self.placed_shape::<V>(geometries, accelerator)?;
        let mut instance = Instance::new(shape);
        if let Some(transform) = transform {
            instance = instance.with_transform(transform);
        }
        Solid::from_instance(instance).map_err(FieldError::caused)
    }

    /// The name of a member in an expression.
    fn name_in_expression(&self) -> Result<&str, FieldError> {
        let geometry = || find(&self.table, "geometry").filter(|_| self.part == Part::Object);
        match (find(&self.table, "name"), geometry()) {
            (Some(node), _) => name(node),
            (None, Some(geometry)) => text("geometry", geometry),
            (None, None) => Err(FieldError::new("missing 'name': the expression of the solid needs it")),
        }
    }

    /// The expression of a solid. It uses every member.
    pub(super) fn expression(&self) -> Result<Expression, FieldError> {
        // Names of members, each once.
        let (mut names, mut taken) = (Vec::with_capacity(self.members.len()), HashSet::new());
        for member in &self.members {
            let named = member.name_in_expression().map_err(|error| member.in_group(error))?;
            if !taken.insert(named) {
                let error = FieldError::of("name", format!("two members are named '{named}'"));
                return Err(member.in_group(error));
            }
            names.push(named);
        }
        let node = find(&self.table, "expression").ok_or_else(|| FieldError::new("missing 'expression'"))?;
        let parsed = Expression::parse(text("expression", node)?, &names);
        let expression = parsed.map_err(|error| FieldError::at(node, format!("'expression', {error}")))?;
        // A member without a use is likely an error of typing.
        let mut is_used = vec![false; names.len()];
        expression.each_member(&mut |number| is_used[number] = true);
        match is_used.iter().position(|is_used| !is_used) {
            None => Ok(expression),
            Some(unused) => {
                let error = FieldError::new("the expression does not use it (use it, or remove it)");
                Err(self.members[unused].in_group(error))
            }
        }
    }

    /// Whether its transform is not the identity, in either precision.
    pub(super) fn is_moved(&self, dimension: Dimension) -> bool {
        let placement = find(&self.table, "transform").and_then(|node| Placement::read(node, dimension).ok());
        placement.is_some_and(|placement| !placement.affine_map().rounds_to_identity())
    }

    /// The names of the leaves of a solid, in the order of their numbers; `None` for another type.
    pub(super) fn leaf_names(&self, geometries: &[Self], dimension: Dimension) -> Option<Vec<LeafName>> {
        if !self.is_of_type(SOLID) {
            return None;
        }
        let expression = self.expression().ok()?;
        // The leaves of each member: several for a solid that has no transform.
        let of_member = |member: &Self| {
            let called = member.name_in_expression().unwrap_or_default();
            let geometry = member.geometry.and_then(|number| geometries.get(number));
            let inner = geometry.unwrap_or(member).leaf_names(geometries, dimension);
            let inner = inner.filter(|_| !member.is_moved(dimension));
            let within = |leaf: LeafName| LeafName { name: format!("{called}.{}", leaf.name), ..leaf };
            match inner {
                Some(leaves) => leaves.into_iter().map(within).collect(),
                None => {
                    let geometry = geometry.and_then(Self::name).map(str::to_owned);
                    vec![LeafName { name: called.to_owned(), geometry }]
                }
            }
        };
        let members: Vec<Vec<LeafName>> = self.members.iter().map(of_member).collect();
        let mut leaves = Vec::new();
        expression.each_member(&mut |number| leaves.extend_from_slice(&members[number]));
        Some(leaves)
    }
}
