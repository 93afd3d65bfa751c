//! Names of the objects of a scene: a search tree whose clones share nodes.

use crate::hit::ObjectId;
use alloc::sync::Arc;
use core::cmp::Ordering;

/// Map from names to objects, in O(log n) expected. A clone takes constant time; a change copies the nodes on one path.
///
/// # Source
/// Treap: Seidel, Aragon, *Randomized Search Trees*, Algorithmica 16, 1996. The priorities are mixed from the ids, not
/// from the names, so that no choice of names makes it deep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    root: Subtree,
}

type Subtree = Option<Arc<NameNode>>;

#[derive(Clone, Debug)]
struct NameNode {
    name: Arc<str>,
    id: ObjectId,
    priority: u64,
    less: Subtree,
    greater: Subtree,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<ObjectId> {
        let mut next = self.root.as_ref();
        while let Some(node) = next {
            next = match name.cmp(&node.name) {
                Ordering::Less => node.less.as_ref(),
                Ordering::Equal => return Some(node.id),
                Ordering::Greater => node.greater.as_ref(),
            };
        }
        None
    }

    /// Adds a name that is not there yet.
    pub(crate) fn insert(&mut self, name: Arc<str>, id: ObjectId) {
        let priority = mix(u64::from(id.slot()) | u64::from(id.generation()) << 32);
        let new = NameNode { name, id, priority, less: None, greater: None };
        self.root = Some(insert(self.root.take(), new));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.root = remove(self.root.take(), name);
    }
}

fn insert(tree: Subtree, mut new: NameNode) -> Arc<NameNode> {
    // Above all nodes of lower priority, as in a heap: the expected depth is logarithmic. The tree below is split by
    // the new name.
    match tree {
        Some(mut root) if root.priority >= new.priority => {
            let node = Arc::make_mut(&mut root);
            let side = if new.name < node.name { &mut node.less } else { &mut node.greater };
            *side = Some(insert(side.take(), new));
            root
        }
        tree => {
            (new.less, new.greater) = split(tree, &new.name);
            Arc::new(new)
        }
    }
}

/// Splits a tree into the names less than `name` and the others.
fn split(tree: Subtree, name: &str) -> (Subtree, Subtree) {
    let Some(mut root) = tree else { return (None, None) };
    let node = Arc::make_mut(&mut root);
    if *node.name < *name {
        let (less, greater) = split(node.greater.take(), name);
        node.greater = less;
        (Some(root), greater)
    } else {
        let (less, greater) = split(node.less.take(), name);
        node.less = greater;
        (less, Some(root))
    }
}

fn remove(tree: Subtree, name: &str) -> Subtree {
    let mut root = tree?;
    let node = Arc::make_mut(&mut root);
    match name.cmp(&node.name) {
        Ordering::Less => node.less = remove(node.less.take(), name),
        Ordering::Equal => return join(node.less.take(), node.greater.take()),
        Ordering::Greater => node.greater = remove(node.greater.take(), name),
    }
    Some(root)
}

/// Joins two trees; all names of the first are less than those of the second.
fn join(less: Subtree, greater: Subtree) -> Subtree {
    let (mut a, mut b) = match (less, greater) {
        (Some(a), Some(b)) => (a, b),
        (one, other) => return one.or(other),
    };
    if a.priority >= b.priority {
        let node = Arc::make_mut(&mut a);
        node.greater = join(node.greater.take(), Some(b));
        Some(a)
    } else {
        let node = Arc::make_mut(&mut b);
        node.less = join(Some(a), node.less.take());
        Some(b)
    }
}

/// Mixes the bits of a number.
///
/// # Source
/// Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014: the finalizer of SplitMix64.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use alloc::string::String;
    use std::format;

    fn depth(tree: &Subtree) -> usize {
        tree.as_ref().map_or(0, |node| 1 + depth(&node.less).max(depth(&node.greater)))
    }

    #[test]
    fn agrees_with_a_sorted_map() {
        let (mut names, mut model, mut before) = (Names::default(), BTreeMap::<String, ObjectId>::new(), None);
        // Names come and go at random, in both maps.
        for i in 0..6000u32 {
            let name = format!("n{}", mix(u64::from(i)) % 900);
            if model.remove(&name).is_some() {
                names.remove(&name);
            } else {
                let id = ObjectId::new(i, i / 7);
                names.insert(Arc::from(&*name), id);
                model.insert(name.clone(), id);
            }
            assert_eq!(names.get(&name), model.get(&name).copied());
            // A clone in the middle must not see later changes.
            if i == 3000 {
                before = Some((names.clone(), model.clone()));
            }
        }
        // Both versions have their names, and the tree is shallow.
        for (names, model) in before.into_iter().chain([(names, model)]) {
            let all = (0..900).map(|i| format!("n{i}"));
            assert!(all.into_iter().all(|name| names.get(&name) == model.get(&name).copied()));
            assert!(depth(&names.root) < 40, "{}", depth(&names.root));
        }
    }

    /// Sorted names, the worst case of a plain search tree.
    #[test]
    fn sorted_names_stay_shallow() {
        let mut names = Names::default();
        (0..10_000).for_each(|i| names.insert(Arc::from(&*format!("{i:05}")), ObjectId::new(i, 0)));
        assert!(depth(&names.root) < 60, "{}", depth(&names.root));
    }
}
