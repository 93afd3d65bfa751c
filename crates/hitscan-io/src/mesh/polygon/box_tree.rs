//! A tree of boxes in the plane: which of many items are near a place.

use super::orientation::Point;

/// The lowest and the highest corner of a box.
pub(super) type Box2 = [Point; 2];

/// A bounding volume hierarchy of boxes, from which items can be removed.
#[derive(Default)]
pub(super) struct BoxTree {
    nodes: Vec<BoxNode>,
    /// The items of the leaves, one leaf after another.
    items: Vec<u32>,
    /// The leaf of each item.
    leaves: Vec<u32>,
}

struct BoxNode {
    bounds: Box2,
    /// The items below that have not been removed.
    left: u32,
    parent: u32,
    content: NodeContent,
}

#[derive(Clone, Copy)]
enum NodeContent {
    /// A range of items.
    Leaf { first: u32, end: u32 },
    /// The first child is the next node.
    Branch { second: u32 },
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Continue,
    Stop,
}

impl BoxTree {
    const LEAF: usize = 8;

    /// Builds a tree over boxes; their numbers are the items.
    pub(super) fn build(&mut self, boxes: &[Box2]) {
        self.nodes.clear();
        self.items.clear();
        self.items.extend(0..boxes.len() as u32);
        self.leaves.clear();
        self.leaves.resize(boxes.len(), 0);
        self.build_node(boxes, 0, boxes.len(), 0);
    }

    fn build_node(&mut self, boxes: &[Box2], first: usize, end: usize, parent: u32) {
        let number = self.nodes.len() as u32;
        let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        for &item in &self.items[first..end] {
            let [low, high] = boxes[item as usize];
            bounds =
                [[0, 1].map(|axis| bounds[0][axis].min(low[axis])), [0, 1].map(|axis| bounds[1][axis].max(high[axis]))];
        }
        let content = NodeContent::Leaf { first: first as u32, end: end as u32 };
        self.nodes.push(BoxNode { bounds, left: (end - first) as u32, parent, content });
        if end - first <= Self::LEAF {
            self.items[first..end].iter().for_each(|item| self.leaves[*item as usize] = number);
            return;
        }
        // The longer side is cut where half of the boxes have their middle below; halves, for sums may overflow.
        let axis = usize::from(bounds[1][1] * 0.5 - bounds[0][1] * 0.5 > bounds[1][0] * 0.5 - bounds[0][0] * 0.5);
        let middle = |item: &u32| boxes[*item as usize][0][axis] * 0.5 + boxes[*item as usize][1][axis] * 0.5;
        let half = (end - first) / 2;
        self.items[first..end].select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
        self.build_node(boxes, first, first + half, number);
        let second = self.nodes.len() as u32;
        self.build_node(boxes, first + half, end, number);
        self.nodes[number as usize].content = NodeContent::Branch { second };
    }

    /// Removes an item, which searches do not meet any more.
    pub(super) fn remove(&mut self, item: usize) {
        let mut number = self.leaves[item] as usize;
        loop {
            let node = &mut self.nodes[number];
            node.left -= 1;
            if number == 0 {
                return;
            }
            number = node.parent as usize;
        }
    }

    /// Calls `visit` with the items of all leaves whose boxes pass `is_near`, removed ones in a leaf with others included, until it
    /// stops the search. Returns how it ended.
    pub(super) fn search(
        &self,
        is_near: &mut impl FnMut(&Box2) -> bool,
        visit: &mut impl FnMut(usize) -> Search,
    ) -> Search {
        // Each level halves the items, of which 32 bits number all: one waiting node for each level.
        let (mut waiting, mut count) = ([0_u32; 34], 1);
        while count > 0 {
            count -= 1;
            let number = waiting[count];
            let node = &self.nodes[number as usize];
            if node.left == 0 || !is_near(&node.bounds) {
                continue;
            }
            match node.content {
                NodeContent::Branch { second } => {
                    (waiting[count], waiting[count + 1]) = (second, number + 1);
                    count += 2;
                }
                NodeContent::Leaf { first, end } => {
                    for &item in &self.items[first as usize..end as usize] {
                        if visit(item as usize) == Search::Stop {
                            return Search::Stop;
                        }
                    }
                }
            }
        }
        Search::Continue
    }
}
