//! `Evaluation`: the value of an expression along a line, while the line enters and leaves its leaves.

use crate::solid::expression::{Expression, Operand, OperandKind};
use alloc::vec;
use alloc::vec::Vec;

/// The node that has an operand, and whether it has the complement.
#[derive(Clone, Copy)]
struct Parent {
    node: u32,
    is_negated: bool,
}

/// Values of a leaf or a node: now, and before the step in which it changed last.
#[derive(Clone, Copy, Default)]
struct Value {
    now: bool,
    before: bool,
    step: u32,
}

impl Value {
    fn set(&mut self, value: bool, step: u32) {
        if self.step != step {
            (self.before, self.step) = (self.now, step);
        }
        self.now = value;
    }
    /// The value before a step.
    fn before(&self, step: u32) -> bool {
        if self.step == step { self.before } else { self.now }
    }
}

/// The value of an expression while its leaves change. A change climbs the tree only as far as values change.
pub(crate) struct Evaluation<'a> {
    expression: &'a Expression,
    parents_of_leaves: Vec<Option<Parent>>,
    parents_of_nodes: Vec<Option<Parent>>,
    /// How often the line is inside each leaf: a group may contain a point several times.
    depths: Vec<u32>,
    /// The number of true operands of each node.
    true_operands: Vec<usize>,
    leaves: Vec<Value>,
    nodes: Vec<Value>,
    step: u32,
}

impl<'a> Evaluation<'a> {
    /// All leaves are outside.
    pub(crate) fn new(expression: &'a Expression) -> Self {
        let (leaves, nodes) = (expression.leaves as usize, expression.nodes.len());
        let mut evaluation = Self {
            expression,
            parents_of_leaves: vec![None; leaves],
            parents_of_nodes: vec![None; nodes],
            depths: vec![0; leaves],
            true_operands: vec![0; nodes],
            leaves: vec![Value::default(); leaves],
            nodes: vec![Value::default(); nodes],
            step: 0,
        };
        for (number, node) in expression.nodes.iter().enumerate().rev() {
            for &Operand { target, is_negated } in &node.operands {
                let parent = Some(Parent { node: number as u32, is_negated });
                match target {
                    OperandKind::Leaf(leaf) => evaluation.parents_of_leaves[leaf as usize] = parent,
                    OperandKind::Node(node) => evaluation.parents_of_nodes[node as usize] = parent,
                }
            }
            let count = node.operands.iter().filter(|operand| evaluation.is_true(operand)).count();
            evaluation.true_operands[number] = count;
            evaluation.nodes[number].now = evaluation.value_of_node(number);
        }
        evaluation
    }

    fn value_of_node(&self, node: usize) -> bool {
        let (all, count) = (&self.expression.nodes[node], self.true_operands[node]);
        if all.is_union { count > 0 } else { count == all.operands.len() }
    }

    fn value_at(&self, target: OperandKind) -> &Value {
        match target {
            OperandKind::Leaf(leaf) => &self.leaves[leaf as usize],
            OperandKind::Node(node) => &self.nodes[node as usize],
        }
    }

    fn is_true(&self, operand: &Operand) -> bool {
        self.value_at(operand.target).now ^ operand.is_negated
    }

    /// The value of the whole expression.
    pub(crate) fn value(&self) -> bool {
        self.is_true(&self.expression.root)
    }

    /// Begins a step: [`owner`](Self::owner) compares with the values before it.
    pub(crate) fn begin_step(&mut self) {
        self.step += 1;
    }

    /// The line enters a leaf.
    pub(crate) fn enter(&mut self, leaf: u32) {
        self.depths[leaf as usize] += 1;
        if self.depths[leaf as usize] == 1 {
            self.change(leaf, true);
        }
    }

    /// The line leaves a leaf.
    pub(crate) fn leave(&mut self, leaf: u32) {
        let depth = &mut self.depths[leaf as usize];
        // Shapes of users may report an exit without an entry.
        let was_inside = *depth == 1;
        *depth = depth.saturating_sub(1);
        if was_inside {
            self.change(leaf, false);
        }
    }

    fn change(&mut self, leaf: u32, mut value: bool) {
        self.leaves[leaf as usize].set(value, self.step);
        let mut parent = self.parents_of_leaves[leaf as usize];
        while let Some(Parent { node, is_negated }) = parent {
            let node = node as usize;
            if value ^ is_negated {
                self.true_operands[node] += 1;
            } else {
                self.true_operands[node] -= 1;
            }
            value = self.value_of_node(node);
            if value == self.nodes[node].now {
                return;
            }
            self.nodes[node].set(value, self.step);
            parent = self.parents_of_nodes[node];
        }
    }

    /// The leaf whose change in this step made the value of the expression what it is: at each node the first operand that changed in
    /// the direction of the node. With whether its inside is the outside of the solid.
    pub(crate) fn owner(&self) -> Option<(u32, bool)> {
        let (mut operand, mut is_flipped) = (self.expression.root, false);
        let mut value = self.is_true(&operand);
        loop {
            is_flipped ^= operand.is_negated;
            value ^= operand.is_negated;
            let node = match operand.target {
                OperandKind::Leaf(leaf) => return Some((leaf, is_flipped)),
                OperandKind::Node(node) => &self.expression.nodes[node as usize],
            };
            let was = |at: &Operand| self.value_at(at.target).before(self.step) ^ at.is_negated;
            operand = *node.operands.iter().find(|at| self.is_true(at) == value && was(at) != value)?;
        }
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
            let mut evaluation = Evaluation::new(&expression);
            let mut leaves = vec![0; expression.leaves as usize];
            for _ in 0..40 {
                let (before, old) = (evaluation.value(), leaves.clone());
                evaluation.begin_step();
                // A step has entries alone or exits alone.
                let enters = rng.below(2) == 0;
                for _ in 0..1 + rng.below(3) {
                    let leaf = rng.below(leaves.len());
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
        assert!(owners.iter().all(|count| *count > 500), "{owners:?}");
    }
}
