//! `Evaluation`: the value of an expression along a line, while the line enters and leaves its leaves.

use crate::solid::expression::{Expression, Operand, OperandKind};
use alloc::vec;
use alloc::vec::Vec;
use smallvec::SmallVec;

/// The node that has an operand, the place of the operand there, and whether it has the complement.
#[derive(Clone, Copy, Debug)]
struct Parent {
    node: u32,
    place: u32,
    is_negated: bool,
}

/// The values of an expression outside of all leaves, and the way from leaves to root: the same for every line.
#[derive(Clone, Debug)]
pub(crate) struct OutsideValues {
    parents_of_leaves: Vec<Option<Parent>>,
    parents_of_nodes: Vec<Option<Parent>>,
    /// The number of true operands of each node.
    true_operands: Vec<u32>,
    nodes: Vec<bool>,
}

impl OutsideValues {
    pub(crate) fn new(expression: &Expression) -> Self {
        let (leaves, nodes) = (expression.leaves as usize, expression.nodes.len());
        let mut outside = Self {
            parents_of_leaves: vec![None; leaves],
            parents_of_nodes: vec![None; nodes],
            true_operands: vec![0; nodes],
            nodes: vec![false; nodes],
        };
        // From the last node to the first, so that operands come before what uses them.
        for (number, node) in expression.nodes.iter().enumerate().rev() {
            for (place, &Operand { target, is_negated }) in (0..).zip(&node.operands) {
                let parent = Some(Parent { node: number as u32, place, is_negated });
                let value = match target {
                    OperandKind::Leaf(leaf) => {
                        outside.parents_of_leaves[leaf as usize] = parent;
                        false
                    }
                    OperandKind::Node(node) => {
                        outside.parents_of_nodes[node as usize] = parent;
                        outside.nodes[node as usize]
                    }
                };
                outside.true_operands[number] += u32::from(value ^ is_negated);
            }
            outside.nodes[number] = node.value(outside.true_operands[number]);
        }
        outside
    }
}

/// A leaf that the line may cross, or a node above one.
struct Element {
    /// The element of the node that has it; `NONE` for the root.
    parent: usize,
    /// Its place there.
    place: u32,
    is_negated: bool,
    /// Of a leaf how often the line is inside, for a group may contain a point several times; of a node the number of true operands.
    count: u32,
    /// Its value: now, and before the step in which it changed last.
    now: bool,
    before: bool,
    step: u32,
}

/// No element.
const NONE: usize = usize::MAX;

impl Element {
    fn set(&mut self, value: bool, step: u32) {
        if self.step != step {
            (self.before, self.step) = (self.now, step);
        }
        self.now = value;
    }
    /// Whether the value, or that of the complement, became `value` in a step.
    fn became(&self, value: bool, step: u32) -> bool {
        let value = value ^ self.is_negated;
        self.now == value && self.step == step && self.before != value
    }
}

/// The value of an expression while its leaves change. A change climbs the tree only as far as values change. The leaves that the line
/// cannot cross stay outside, and take no time.
pub(crate) struct Evaluation<'a> {
    expression: &'a Expression,
    outside: &'a OutsideValues,
    /// The numbers of the leaves, ascending, and of the nodes above them.
    leaves: &'a [u32],
    nodes: SmallVec<[u32; 8]>,
    /// The leaves, then the nodes.
    elements: SmallVec<[Element; 24]>,
    step: u32,
}

impl<'a> Evaluation<'a> {
    /// The line is outside of all leaves. `leaves` are those that it may enter, in ascending order.
    pub(crate) fn new(expression: &'a Expression, outside: &'a OutsideValues, leaves: &'a [u32]) -> Self {
        // The nodes above the leaves.
        let mut nodes = SmallVec::new();
        for &leaf in leaves {
            let mut parent = outside.parents_of_leaves[leaf as usize];
            while let Some(Parent { node, .. }) = parent {
                nodes.push(node);
                parent = outside.parents_of_nodes[node as usize];
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        // Leaves and nodes with their values outside.
        let element = |parent: Option<Parent>, now: bool, count: u32| {
            let at = |node: u32| nodes.binary_search(&node).map_or(NONE, |at| leaves.len() + at);
            let (node, place, is_negated) = parent.map_or((NONE, 0, false), |p| (at(p.node), p.place, p.is_negated));
            Element { parent: node, place, is_negated, count, now, before: now, step: 0 }
        };
        let of_leaf = |&leaf: &u32| element(outside.parents_of_leaves[leaf as usize], false, 0);
        let of_node = |&node: &u32| {
            let node = node as usize;
            element(outside.parents_of_nodes[node], outside.nodes[node], outside.true_operands[node])
        };
        let elements = leaves.iter().map(of_leaf).chain(nodes.iter().map(of_node)).collect();
        Self { expression, outside, leaves, nodes, elements, step: 0 }
    }

    /// The element of the root, if a leaf below it can change.
    fn root(&self) -> Option<usize> {
        match self.expression.root.target {
            OperandKind::Leaf(leaf) => self.leaves.binary_search(&leaf).ok(),
            OperandKind::Node(node) => self.nodes.binary_search(&node).ok().map(|at| self.leaves.len() + at),
        }
    }

    /// The value of the whole expression.
    pub(crate) fn value(&self) -> bool {
        let root = &self.expression.root;
        let value = match (self.root(), root.target) {
            (Some(element), _) => self.elements[element].now,
            (None, OperandKind::Leaf(_)) => false,
            (None, OperandKind::Node(node)) => self.outside.nodes[node as usize],
        };
        value ^ root.is_negated
    }

    /// Begins a step: [`owner`](Self::owner) compares with the values before it.
    pub(crate) fn begin_step(&mut self) {
        self.step += 1;
    }

    /// The line enters a leaf.
    pub(crate) fn enter(&mut self, leaf: u32) {
        let Ok(element) = self.leaves.binary_search(&leaf) else { return };
        self.elements[element].count += 1;
        if self.elements[element].count == 1 {
            self.change(element, true);
        }
    }

    /// The line leaves a leaf.
    pub(crate) fn leave(&mut self, leaf: u32) {
        let Ok(element) = self.leaves.binary_search(&leaf) else { return };
        // Shapes of users may report an exit without an entry.
        let was_inside = self.elements[element].count == 1;
        self.elements[element].count = self.elements[element].count.saturating_sub(1);
        if was_inside {
            self.change(element, false);
        }
    }

    fn change(&mut self, mut element: usize, mut value: bool) {
        loop {
            self.elements[element].set(value, self.step);
            let Element { parent, is_negated, .. } = self.elements[element];
            let Some(above) = self.elements.get_mut(parent) else { return };
            if value ^ is_negated {
                above.count += 1;
            } else {
                above.count -= 1;
            }
            let node = self.nodes[parent - self.leaves.len()];
            value = self.expression.nodes[node as usize].value(above.count);
            if value == above.now {
                return;
            }
            element = parent;
        }
    }

    /// The leaf whose change in this step made the value of the expression what it is: at each node the first operand that changed in
    /// the direction of the node. With whether its inside is the outside of the solid.
    pub(crate) fn owner(&self) -> Option<(u32, bool)> {
        let (mut element, mut is_flipped) = (self.root()?, self.expression.root.is_negated);
        while element >= self.leaves.len() {
            let value = self.elements[element].now;
            let own = self.elements.iter().enumerate().filter(|(_, at)| at.parent == element);
            let first = own.filter(|(_, at)| at.became(value, self.step)).min_by_key(|(_, at)| at.place);
            element = first?.0;
            is_flipped ^= self.elements[element].is_negated;
        }
        Some((self.leaves[element], is_flipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Rng;

    /// A random expression of some leaves.
    fn random(rng: &mut Rng, leaves: usize) -> Expression {
        let mut parts: Vec<Expression> = (0..leaves).map(|_| Expression::of_leaf()).collect();
        while parts.len() > 1 {
            let count = 2 + rng.below(2).min(parts.len() - 2);
            let taken: Vec<Expression> = parts.drain(..count).collect();
            let negated: Vec<bool> = taken.iter().map(|_| rng.below(3) == 0).collect();
            let whole = Expression::combined(rng.below(2) == 0, taken.iter().zip(negated));
            parts.push(if rng.below(5) == 0 { whole.complement() } else { whole });
        }
        parts.swap_remove(0)
    }

    /// The value after any changes is that of the expression, and the owner changed in its direction.
    #[test]
    fn values_follow_the_leaves() {
        let (mut rng, mut owners) = (Rng::new(41), [0, 0]);
        for round in 0..400 {
            let expression = random(&mut rng, 1 + round % 9);
            let outside = OutsideValues::new(&expression);
            // Some of the leaves stay outside.
            let crossed: Vec<u32> = (0..expression.leaves).filter(|_| rng.below(8) > 0).collect();
            if crossed.is_empty() {
                continue;
            }
            let mut evaluation = Evaluation::new(&expression, &outside, &crossed);
            let mut leaves = vec![0; expression.leaves as usize];
            for _ in 0..40 {
                let (before, old) = (evaluation.value(), leaves.clone());
                evaluation.begin_step();
                // A step has entries alone or exits alone.
                let enters = rng.below(2) == 0;
                for _ in 0..1 + rng.below(3) {
                    let leaf = crossed[rng.below(crossed.len())] as usize;
                    if enters {
                        evaluation.enter(leaf as u32);
                        leaves[leaf] += 1;
                    } else if leaves[leaf] > 0 {
                        evaluation.leave(leaf as u32);
                        leaves[leaf] -= 1;
                    }
                }
                let value = evaluation.value();
                assert_eq!(value, expression.value(|leaf| leaves[leaf as usize] > 0));
                if value != before {
                    let (leaf, is_flipped) = evaluation.owner().unwrap();
                    let leaf = leaf as usize;
                    assert_ne!(old[leaf] > 0, leaves[leaf] > 0, "{expression:?}");
                    assert_eq!((leaves[leaf] > 0) ^ is_flipped, value);
                    owners[usize::from(is_flipped)] += 1;
                }
            }
        }
        assert!(owners.iter().all(|count| *count > 300), "{owners:?}");
    }
}
