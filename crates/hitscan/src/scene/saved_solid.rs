//! Bytes of solids: an expression, and its leaves.

use crate::little_endian::{ByteReader, ByteWriter};
use crate::scene::any::Space;
use crate::scene::instance::Instance;
use crate::scene::saved_instance::{ReadError, read_shape, read_transform};
use crate::scene::solid_operands::SolidError;
use crate::solid::expression::{Expression, Operand, OperandKind, SetOperation};
use crate::solid::solid::Solid;
use alloc::vec::Vec;

/// Bits of the kind of an operand.
const IS_NODE: u32 = 1;
const IS_NEGATED: u32 = 2;

/// Writes the number of leaves, that of operations, the root, and the operands of each operation.
pub(crate) fn write_expression(expression: &Expression, out: &mut ByteWriter) {
    let operand = |operand: &Operand, out: &mut ByteWriter| {
        let (kind, number) = match operand.target {
            OperandKind::Leaf(leaf) => (0, leaf),
            OperandKind::Node(node) => (IS_NODE, node),
        };
        out.words(&[kind | if operand.is_negated { IS_NEGATED } else { 0 }, number]);
    };
    out.words(&[expression.leaves, expression.nodes.len() as u32]);
    operand(&expression.root, out);
    for node in &expression.nodes {
        out.words(&[u32::from(node.is_union), node.operands.len() as u32]);
        node.operands.iter().for_each(|own| operand(own, out));
    }
}

fn read_operand(input: &mut ByteReader<'_>) -> Result<Operand, ReadError> {
    let [kind, number] = input.words()?;
    if kind & !(IS_NODE | IS_NEGATED) != 0 {
        return Err(ReadError::Problem("an operand of an unknown kind"));
    }
    let target = if kind & IS_NODE == 0 { OperandKind::Leaf(number) } else { OperandKind::Node(number) };
    Ok(Operand { target, is_negated: kind & IS_NEGATED != 0 })
}

fn read_expression(input: &mut ByteReader<'_>) -> Result<Expression, ReadError> {
    let [leaves, count] = input.words()?;
    let (root, mut nodes) = (read_operand(input)?, Vec::new());
    for _ in 0..count {
        let [is_union, operands] = input.words()?;
        if is_union > 1 {
            return Err(ReadError::Problem("an operation of an unknown kind"));
        }
        let mut own = Vec::new();
        for _ in 0..operands {
            own.push(read_operand(input)?);
        }
        nodes.push(SetOperation { is_union: is_union == 1, operands: own });
    }
    let expression = Expression { root, nodes, leaves };
    let problem = "an expression in which a leaf or an operation does not occur once, after what uses it";
    if expression.is_tree() { Ok(expression) } else { Err(ReadError::Problem(problem)) }
}

/// Reads a solid whose leaves may be these geometries. The leaves pass their constructor again.
pub(crate) fn read_solid<V: Space>(input: &mut ByteReader<'_>, geometries: &[V::Shape]) -> Result<Solid<V>, ReadError> {
    let expression = read_expression(input)?;
    let mut leaves = Vec::new();
    for _ in 0..expression.leaves {
        let at = input.position();
        let has_transform = input.word()?;
        if has_transform > 1 {
            return Err(ReadError::Problem("a leaf with unknown flags"));
        }
        let transform = if has_transform == 1 { Some(read_transform(input, at)?) } else { None };
        let leaf = Instance::new(read_shape::<V>(input, geometries)?);
        leaves.push(transform.map_or(leaf.clone(), |transform| leaf.with_transform(transform)));
    }
    Solid::of_leaves(leaves, expression).map_err(|error| {
        ReadError::Problem(match error {
            SolidError::TooDeep => "a solid with groups and solids within each other to more than 8 levels",
            _ => "a solid with a leaf that encloses no points",
        })
    })
}
