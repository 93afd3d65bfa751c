//! `Evaluation`: the value of an expression along a line, while the line enters and leaves its leaves.

use crate::solid::expression::{Expression, Operand, OperandKind};
use alloc::vec;
use alloc::vec::Vec;
use smallvec::SmallVec;

/// No element.
const NONE: u32 = u32::MAX;

/// A leaf of an expression, or a node.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// The element of the node that has it; `NONE` for the root.
    parent: u32,
    /// Its place there.
    place: u32,
    /// Of a leaf how often the line is inside, for a group may contain a point several times; of a node the number of true operands.
    count: u32,
    /// The number of true operands, or of times inside, that makes it true.
    needed: u32,
    /// The step in which its value changed last.
    step: u32,
    /// Whether the node has its complement.
    is_negated: bool,
    /// Its value, and the value before that step.
    now: bool,
    before: bool,
}

impl Element {
    fn leaf() -> Self {
        let (now, before, is_negated) = (false, false, false);
        Self { parent: NONE, place: 0, count: 0, needed: 1, step: 0, is_negated, now, before }
    }
    fn value(&self) -> bool {
        self.count >= self.needed
    }
    /// Whether the value, or that of the complement, became `value` in a step.
    fn became(&self, value: bool, step: u32) -> bool {
        let value = value ^ self.is_negated;
        self.now == value && self.step == step && self.before != value
    }
}

/// The values of an expression outside of all leaves, and the way from leaves to root: the same for every line.
#[derive(Clone, Debug)]
pub(crate) struct OutsideValues {
    /// The leaves, then the nodes.
    elements: Vec<Element>,
    leaves: u32,
    root: u32,
    is_negated: bool,
}

impl OutsideValues {
    pub(crate) fn new(expression: &Expression) -> Self {
        let leaves = expression.leaves;
        let mut elements = vec![Element::leaf(); leaves as usize + expression.nodes.len()];
        let element_of = |target: OperandKind| match target {
            OperandKind::Leaf(leaf) => leaf,
            OperandKind::Node(node) => leaves + node,
        };
        // From the last node to the first, so that operands come before what uses them.
        for (number, node) in expression.nodes.iter().enumerate().rev() {
            let number = leaves as usize + number;
            elements[number].needed = if node.is_union { 1 } else { node.operands.len() as u32 };
            for (place, &Operand { target, is_negated }) in (0..).zip(&node.operands) {
                let operand = &mut elements[element_of(target) as usize];
                (operand.parent, operand.place, operand.is_negated) = (number as u32, place, is_negated);
                let is_true = operand.now ^ is_negated;
                elements[number].count += u32::from(is_true);
            }
            elements[number].now = elements[number].value();
        }
        let Operand { target, is_negated } = expression.root;
        Self { elements, leaves, root: element_of(target), is_negated }
    }
}

/// The value of an expression while its leaves change. A change climbs the tree only as far as values change. The leaves that the line
/// cannot cross stay outside, and take no time.
pub(crate) struct Evaluation<'a> {
    outside: &'a OutsideValues,
    /// The numbers of the leaves, ascending.
    leaves: &'a [u32],
    /// The leaves, then the nodes above them.
    elements: SmallVec<[Element; 24]>,
    /// The root, if a leaf below it can change.
    root: u32,
    step: u32,
}

impl<'a> Evaluation<'a> {
    /// The line is outside of all leaves. `leaves` are those that it may enter, in ascending order.
    pub(crate) fn new(outside: &'a OutsideValues, leaves: &'a [u32]) -> Self {
        if leaves.len() == outside.leaves as usize {
            let elements = SmallVec::from_slice(&outside.elements);
            return Self { outside, leaves, elements, root: outside.root, step: 0 };
        }
        // The leaves, and the nodes above them.
        let mut numbers: SmallVec<[u32; 24]> = SmallVec::from_slice(leaves);
        for &leaf in leaves {
            let mut above = outside.elements[leaf as usize].parent;
            while above != NONE {
                numbers.push(above);
                above = outside.elements[above as usize].parent;
            }
        }
        numbers[leaves.len()..].sort_unstable();
        numbers.dedup();
        // Numbers ascend, for nodes come after leaves.
        let place = |number: u32| numbers.binary_search(&number).map_or(NONE, |at| at as u32);
        let element = |&number: &u32| {
            let element = outside.elements[number as usize];
            Element { parent: place(element.parent), ..element }
        };
        let (elements, root) = (numbers.iter().map(element).collect(), place(outside.root));
        Self { outside, leaves, elements, root, step: 0 }
    }

    /// The value of the whole expression.
    pub(crate) fn value(&self) -> bool {
        let root = self.elements.get(self.root as usize).unwrap_or(&self.outside.elements[self.outside.root as usize]);
        root.now ^ self.outside.is_negated
    }

    /// Begins a step: [`owner`](Self::owner) compares with the values before it.
    pub(crate) fn begin_step(&mut self) {
        self.step += 1;
    }

    /// The element of a leaf.
    fn element(&self, leaf: u32) -> Option<usize> {
        if self.leaves.len() == self.outside.leaves as usize {
            return Some(leaf as usize);
        }
        self.leaves.binary_search(&leaf).ok()
    }

    /// The line enters a leaf.
    pub(crate) fn enter(&mut self, leaf: u32) {
        let Some(element) = self.element(leaf) else { return };
        self.change(element, true);
    }

    /// The line leaves a leaf.
    pub(crate) fn leave(&mut self, leaf: u32) {
        let Some(element) = self.element(leaf) else { return };
        // Shapes of users may report an exit without an entry.
        if self.elements[element].count > 0 {
            self.change(element, false);
        }
    }

    /// Adds or takes away one true operand of an element.
    fn change(&mut self, mut element: usize, mut is_more: bool) {
        let step = self.step;
        while let Some(at) = self.elements.get_mut(element) {
            at.count = if is_more { at.count + 1 } else { at.count - 1 };
            let value = at.value();
            if value == at.now {
                return;
            }
            if at.step != step {
                (at.before, at.step) = (at.now, step);
            }
            at.now = value;
            (element, is_more) = (at.parent as usize, value ^ at.is_negated);
        }
    }

    /// The leaf whose change in this step made the value of the expression what it is: at each node the first operand that changed in
    /// the direction of the node. With whether its inside is the outside of the solid.
    pub(crate) fn owner(&self) -> Option<(u32, bool)> {
        let (mut element, mut is_flipped) = (self.root, self.outside.is_negated);
        while element as usize >= self.leaves.len() {
            let value = self.elements.get(element as usize)?.now;
            let own = (0..).zip(&self.elements).filter(|(_, at)| at.parent == element);
            let first = own.filter(|(_, at)| at.became(value, self.step)).min_by_key(|(_, at)| at.place);
            let (number, at) = first?;
            (element, is_flipped) = (number, is_flipped ^ at.is_negated);
        }
        Some((self.leaves[element as usize], is_flipped))
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
            let mut evaluation = Evaluation::new(&outside, &crossed);
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
