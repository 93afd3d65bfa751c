//! Groups: the order in which geometries are built, and the error of a group that contains itself.

use super::entry::Entry;
use super::values::FieldError;
use crate::error::Fault;

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
    let text = format!("the group contains itself: {} (place another geometry)", names.join(" > "));
    geometries[path[start].0].fault(FieldError { line, ..FieldError::new(text) })
}
