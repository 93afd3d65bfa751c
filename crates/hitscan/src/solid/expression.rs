//! `Expression`: unions, intersections and complements of leaves, as a tree in one vector.

use alloc::vec;
use alloc::vec::Vec;

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandKind {
    /// A leaf: a shape, by its number.
    Leaf(u32),
    /// A node, by its number.
    Node(u32),
}

/// An operand of a node, or the whole expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) target: OperandKind,
    /// Whether the complement of the target is meant.
    pub(crate) is_negated: bool,
}

impl Operand {
    fn negated(self, is_negated: bool) -> Self {
        Self { is_negated: self.is_negated ^ is_negated, ..self }
    }
    /// The same operand where its expression is part of a larger one.
    fn shifted(self, leaves: u32, nodes: u32) -> Self {
        let target = match self.target {
            OperandKind::Leaf(leaf) => OperandKind::Leaf(leaf + leaves),
            // Wrapping: the first node of a part may be left out, which moves the others to the front.
            OperandKind::Node(node) => OperandKind::Node(node.wrapping_add(nodes)),
        };
        Self { target, ..self }
    }
}

/// A union or an intersection of operands. A difference is the intersection of the first operand with complements.
#[derive(Clone, Debug)]
pub(crate) struct SetOperation {
    pub(crate) is_union: bool,
    pub(crate) operands: Vec<Operand>,
}

/// An expression: which points are in a solid, given in which leaves they are. It has at least one leaf, and each leaf occurs once.
///
/// An operand of a node has a greater number than the node, so one pass over the vector goes from leaves to root or back.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) root: Operand,
    pub(crate) nodes: Vec<SetOperation>,
    pub(crate) leaves: u32,
}

impl Expression {
    /// A leaf by itself.
    pub(crate) fn of_leaf() -> Self {
        Self { root: Operand { target: OperandKind::Leaf(0), is_negated: false }, nodes: Vec::new(), leaves: 1 }
    }

    /// Whether each leaf and each operation is the operand of one operation before it, or the root; for an expression that was read.
    pub(crate) fn is_tree(&self) -> bool {
        let mut nodes = vec![false; self.nodes.len()];
        // Each leaf is named somewhere, so there are at most as many as operands.
        let operands = 1 + self.nodes.iter().map(|node| node.operands.len()).sum::<usize>();
        if self.leaves as usize > operands {
            return false;
        }
        let mut leaves = vec![false; self.leaves as usize];
        let root = core::iter::once((0, &self.root));
        let own = (1..).zip(&self.nodes).flat_map(|(first, node)| node.operands.iter().map(move |own| (first, own)));
        let is_new = root.chain(own).all(|(first, operand)| {
            let (seen, number) = match operand.target {
                OperandKind::Leaf(leaf) => (&mut leaves, leaf as usize),
                OperandKind::Node(node) if (node as usize) < first => return false,
                OperandKind::Node(node) => (&mut nodes, node as usize),
            };
            seen.get_mut(number).is_some_and(|seen| !core::mem::replace(seen, true))
        });
        let is_whole = leaves.iter().chain(&nodes).all(|seen| *seen);
        is_new && is_whole && self.nodes.iter().all(|node| !node.operands.is_empty())
    }

    /// Whether the expression is a single leaf, and not its complement.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.root, Operand { target: OperandKind::Leaf(_), is_negated: false })
    }

    pub(crate) fn complement(mut self) -> Self {
        self.root = self.root.negated(true);
        self
    }

    /// Union or intersection of at least one part, each with whether its complement is meant. The leaves of the parts are numbered
    /// one after the other.
    ///
    /// A part of the same kind gives its operands instead of a node, so that a chain of operators is one node; the complement of a
    /// union is an intersection of complements (De Morgan).
    pub(crate) fn combined<'a>(is_union: bool, parts: impl Iterator<Item = (&'a Self, bool)>) -> Self {
        let (mut nodes, mut leaves) = (vec![SetOperation { is_union, operands: Vec::new() }], 0);
        for (part, is_negated) in parts {
            let root = part.root.negated(is_negated);
            let same_kind = match root.target {
                OperandKind::Node(node) => part.nodes[node as usize].is_union == (is_union ^ root.is_negated),
                OperandKind::Leaf(_) => false,
            };
            // The root of a part is its first node.
            let skipped = usize::from(same_kind);
            let shift = (nodes.len() as u32).wrapping_sub(skipped as u32);
            if same_kind {
                let own = part.nodes[0].operands.iter();
                nodes[0].operands.extend(own.map(|at| at.negated(root.is_negated).shifted(leaves, shift)));
            } else {
                nodes[0].operands.push(root.shifted(leaves, shift));
            }
            nodes.extend(part.nodes[skipped..].iter().map(|node| SetOperation {
                operands: node.operands.iter().map(|at| at.shifted(leaves, shift)).collect(),
                ..*node
            }));
            leaves += part.leaves;
        }
        Self { root: Operand { target: OperandKind::Node(0), is_negated: false }, nodes, leaves }
    }

    /// The value of the expression for the values of its leaves. It calls `leaf` at most once for each leaf.
    pub(crate) fn value(&self, mut leaf: impl FnMut(u32) -> bool) -> bool {
        let (mut values, mut of_leaf) = (vec![false; self.nodes.len()], |at| leaf(at));
        let mut value = |operand: &Operand, values: &[bool]| {
            operand.is_negated
                ^ match operand.target {
                    OperandKind::Leaf(leaf) => of_leaf(leaf),
                    OperandKind::Node(node) => values[node as usize],
                }
        };
        for (number, SetOperation { is_union, operands }) in self.nodes.iter().enumerate().rev() {
            // A union is decided by one true operand, an intersection by one false one.
            values[number] = operands.iter().any(|operand| value(operand, &values) == *is_union) == *is_union;
        }
        value(&self.root, &values)
    }

    /// Folds the expression from leaves to root. `leaf` gives the value of a leaf, or of its complement if the second argument says so;
    /// `combine` that of a union, if its first argument is true, or of an intersection of two. The complement of a node is its dual.
    pub(crate) fn fold<B: Copy>(&self, leaf: impl Fn(u32, bool) -> B, combine: impl Fn(bool, B, B) -> B) -> B {
        // Which nodes are meant as complements, from the root down.
        let mut flips = vec![false; self.nodes.len()];
        let note = |operand: &Operand, is_flipped: bool, flips: &mut [bool]| {
            if let OperandKind::Node(node) = operand.target {
                flips[node as usize] = is_flipped ^ operand.is_negated;
            }
        };
        note(&self.root, false, &mut flips);
        for (number, node) in self.nodes.iter().enumerate() {
            let is_flipped = flips[number];
            node.operands.iter().for_each(|operand| note(operand, is_flipped, &mut flips));
        }
        // Values from the last node to the first.
        let mut values: Vec<B> = Vec::with_capacity(self.nodes.len());
        let value = |operand: &Operand, is_flipped: bool, values: &[B]| match operand.target {
            OperandKind::Leaf(number) => leaf(number, is_flipped ^ operand.is_negated),
            OperandKind::Node(number) => values[self.nodes.len() - 1 - number as usize],
        };
        for (SetOperation { is_union, operands }, is_flipped) in self.nodes.iter().zip(flips).rev() {
            let each = operands.iter().map(|operand| value(operand, is_flipped, &values));
            let all = each.reduce(|a, b| combine(is_union ^ is_flipped, a, b));
            values.extend(all);
        }
        value(&self.root, false, &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf() -> Expression {
        Expression::of_leaf()
    }

    /// Union and intersection of two, the second one perhaps complemented.
    fn two(is_union: bool, a: &Expression, b: &Expression, is_negated: bool) -> Expression {
        Expression::combined(is_union, [(a, false), (b, is_negated)].into_iter())
    }

    /// All values of leaves, as bits.
    fn table(expression: &Expression) -> Vec<bool> {
        (0..1u32 << expression.leaves).map(|bits| expression.value(|leaf| bits >> leaf & 1 == 1)).collect()
    }

    #[test]
    fn chains_are_one_node() {
        // ((a - b) - c) - d
        let chain = (0..3).fold(leaf(), |chain, _| two(false, &chain, &leaf(), true));
        assert_eq!((chain.nodes.len(), chain.leaves), (1, 4));
        // a - (b | c) has complements of both.
        let outer = two(false, &leaf(), &two(true, &leaf(), &leaf(), false), true);
        assert_eq!(outer.nodes.len(), 1);
        assert_eq!(outer.nodes[0].operands[2], Operand { target: OperandKind::Leaf(2), is_negated: true });
    }

    #[test]
    fn values_are_those_of_logic() {
        let of = |f: fn(bool, bool, bool) -> bool| -> Vec<bool> {
            (0..8).map(|bits| f(bits & 1 == 1, bits >> 1 & 1 == 1, bits >> 2 & 1 == 1)).collect()
        };
        let (a, or) = (leaf(), two(true, &leaf(), &leaf(), false));
        assert_eq!(table(&two(false, &a, &or, false)), of(|a, b, c| a && (b || c)));
        assert_eq!(table(&two(false, &a, &or, true)), of(|a, b, c| a && !(b || c)));
        let mixed = two(true, &two(false, &a, &a, true), &a, true);
        assert_eq!(table(&mixed), of(|a, b, c| (a && !b) || !c));
        assert_eq!(table(&mixed.clone().complement()), of(|a, b, c| !((a && !b) || !c)));
        assert!(leaf().is_leaf() && !leaf().complement().is_leaf() && leaf().complement().complement().is_leaf());
        // A fold over lengths of boxes: the greatest that each can be.
        let greatest = |solid: &Expression| {
            let leaf = |leaf, is_complement| if is_complement { 9 } else { leaf };
            solid.fold(leaf, |is_union, a: u32, b| if is_union { a.max(b) } else { a.min(b) })
        };
        assert_eq!((greatest(&mixed), greatest(&mixed.complement())), (9, 2));
        assert_eq!(greatest(&two(true, &leaf(), &two(false, &leaf(), &leaf(), false), false)), 1);
    }
}
