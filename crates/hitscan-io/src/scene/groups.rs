//! Groups and solids: the order in which geometries are built, and the errors of those that contain
//! themselves, are too deep, or have too many leaves.

use super::entry::Entry;
use super::schema::SOLID;
use super::values::FieldError;
use crate::dimension::Dimension;
use crate::error::Fault;
use std::collections::HashSet;

/// The numbers of the geometries, each after those that it places (Kahn's algorithm).
pub(super) fn build_order(geometries: &[Entry]) -> Result<Vec<usize>, Fault> {
    let placed: Vec<Vec<(usize, Option<u64>)>> = geometries.iter().map(Entry::placed).collect();
    let mut users = vec![Vec::new(); geometries.len()];
    for (user, placed) in placed.iter().enumerate() {
        placed.iter().for_each(|(geometry, _)| users[*geometry].push(user));
    }
    let mut waits_for: Vec<usize> = placed.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..geometries.len()).filter(|geometry| waits_for[*geometry] == 0).collect();
    let mut next = 0;
    while let Some(geometry) = order.get(next) {
        next += 1;
        for user in &users[*geometry] {
            waits_for[*user] -= 1;
            if waits_for[*user] == 0 {
                order.push(*user);
            }
        }
    }
    match waits_for.iter().position(|count| *count > 0) {
        None => Ok(order),
        Some(stuck) => Err(cycle(geometries, &placed, &waits_for, stuck)),
    }
}

/// The longest cycle of which the error has all names.
const LISTED: usize = 10;

/// The error of a cycle. Each geometry that waits places one that waits: the way along them comes back to itself.
fn cycle(geometries: &[Entry], placed: &[Vec<(usize, Option<u64>)>], waits_for: &[usize], stuck: usize) -> Fault {
    let (mut path, mut at) = (vec![(stuck, None)], stuck);
    // Where the path comes by each geometry.
    let mut stations = vec![None; geometries.len()];
    let start = loop {
        let next = placed[at].iter().find(|(geometry, _)| waits_for[*geometry] > 0);
        let Some((geometry, line)) = next.copied() else { break 0 };
        stations[at] = Some(path.len() - 1);
        path.push((geometry, line));
        if let Some(start) = stations[geometry] {
            break start;
        }
        at = geometry;
    };
    let mut names: Vec<&str> = path[start..].iter().filter_map(|(number, _)| geometries[*number].name()).collect();
    if names.len() > LISTED {
        names.splice(LISTED - 2..names.len() - 1, ["…"]);
    }
    let line = path.get(start + 1).and_then(|(_, line)| *line);
    let what = if geometries[path[start].0].is_of_type(SOLID) { "solid" } else { "group" };
    let text = format!("the {what} contains itself: {} (place another geometry)", names.join(" > "));
    geometries[path[start].0].fault(FieldError { line, ..FieldError::new(text) })
}

/// The greatest number of groups and solids within each other. Each is a level of recursion in queries.
const MAX_LEVELS: u32 = 8;

/// Leaves that all solids of a file may have, besides those that its expressions name at each level.
const SPARE_LEAVES: usize = 10_000;

/// What is within a table.
#[derive(Clone, Copy)]
struct Nesting {
    /// Groups and solids within each other.
    levels: u32,
    /// Whether one of them is a solid.
    has_solid: bool,
    /// The leaves that the shape gives to a solid around it.
    leaves: usize,
    /// The most leaves of a solid in it.
    most_leaves: usize,
}

impl Nesting {
    /// A shape without members.
    const NONE: Self = Self { levels: 0, has_solid: false, leaves: 1, most_leaves: 0 };
}

/// Measures tables, those of geometries in the order in which they are built.
struct NestingSearch {
    dimension: Dimension,
    geometries: Vec<Nesting>,
    /// The members that all expressions name, each as often as it is there.
    named: usize,
    /// The leaves of all solids.
    leaves: usize,
}

impl NestingSearch {
    fn measure(&mut self, entry: &Entry) -> Nesting {
        if let Some(geometry) = entry.geometry {
            return self.geometries[geometry];
        }
        if !entry.has_members() {
            return Nesting::NONE;
        }
        let members: Vec<Nesting> = entry.members.iter().map(|member| self.measure(member)).collect();
        let mut all = members.iter().fold(Nesting::NONE, |a, b| Nesting {
            levels: a.levels.max(b.levels),
            has_solid: a.has_solid || b.has_solid,
            leaves: 1,
            most_leaves: a.most_leaves.max(b.most_leaves),
        });
        all.levels += 1;
        // An expression with an error gives no solid.
        let expression = entry.is_of_type(SOLID).then(|| entry.expression().ok()).flatten();
        if let Some(expression) = expression {
            (all.has_solid, all.leaves) = (true, 0);
            expression.each_member(&mut |number| {
                // The image of a solid is one leaf.
                let is_image = entry.members[number].is_moved(self.dimension);
                all.leaves = all.leaves.saturating_add(if is_image { 1 } else { members[number].leaves });
                self.named += 1;
            });
            all.most_leaves = all.most_leaves.max(all.leaves);
            self.leaves = self.leaves.saturating_add(all.leaves);
        }
        all
    }
}

/// Refuses solids that are too deep, and those with many more leaves than the file has members. The library refuses groups that are
/// too deep. `order` is that in which the geometries are built.
pub(super) fn check_nesting(
    geometries: &[Entry],
    order: &[usize],
    objects: &[Entry],
    dimension: Dimension,
) -> Result<(), Fault> {
    let mut search =
        NestingSearch { dimension, geometries: vec![Nesting::NONE; geometries.len()], named: 0, leaves: 0 };
    // Each table, and the one with the most leaves.
    let (mut largest, mut most_leaves) = (None, 0);
    let tables = order.iter().map(|number| (&geometries[*number], Some(*number)));
    for (entry, geometry) in tables.chain(objects.iter().map(|entry| (entry, None))) {
        let nesting = search.measure(entry);
        if nesting.levels > MAX_LEVELS && nesting.has_solid {
            let text = "groups and solids are nested to more than 8 levels: place the inner objects directly";
            return Err(entry.fault(FieldError::new(text)));
        }
        if nesting.most_leaves > most_leaves {
            (largest, most_leaves) = (Some(entry), nesting.most_leaves);
        }
        if let Some(geometry) = geometry {
            search.geometries[geometry] = nesting;
        }
    }
    // Where each solid is used once, each of the members that are named is a leaf of one solid at each level, at most.
    let limit = search.named.saturating_mul(MAX_LEVELS as usize).saturating_add(SPARE_LEAVES);
    match largest.filter(|_| search.leaves > limit) {
        None => Ok(()),
        Some(entry) => {
            let text = format!(
                "the solid has {most_leaves} leaves, of solids that are used many times: place these with transforms, or use \
                 each once"
            );
            Err(entry.fault(FieldError::of("expression", text)))
        }
    }
}

/// The geometries that solids place, and those that these place.
pub(super) fn placed_by_solids(geometries: &[Entry], tables: &[&Entry]) -> HashSet<usize> {
    let solids = tables.iter().filter(|entry| entry.is_of_type(SOLID));
    let mut waiting: Vec<usize> = solids.flat_map(|entry| entry.placed()).map(|(geometry, _)| geometry).collect();
    let mut placed = HashSet::new();
    while let Some(geometry) = waiting.pop() {
        if placed.insert(geometry) {
            waiting.extend(geometries[geometry].placed().into_iter().map(|(geometry, _)| geometry));
        }
    }
    placed
}
