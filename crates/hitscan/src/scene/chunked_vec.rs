//! Vector in shared chunks: a clone takes constant time, and a write copies one chunk.

use alloc::sync::Arc;
use alloc::vec::Vec;

/// Elements per chunk.
const CHUNK: usize = 256;

/// Vector whose clones share chunks. A write copies the chunk that it changes, and the list of chunks, if a clone shares
/// them.
#[derive(Clone, Debug)]
pub(crate) struct ChunkedVec<T> {
    chunks: Arc<Vec<Arc<Vec<T>>>>,
}

impl<T: Clone> ChunkedVec<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: Arc::new(Vec::new()) }
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let chunk = Arc::make_mut(&mut self.chunks).get_mut(index / CHUNK)?;
        Arc::make_mut(chunk).get_mut(index % CHUNK)
    }

    pub(crate) fn push(&mut self, item: T) {
        let chunks = Arc::make_mut(&mut self.chunks);
        match chunks.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => Arc::make_mut(last).push(item),
            None => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(item);
                chunks.push(Arc::new(chunk));
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_do_not_see_writes() {
        let mut numbers = ChunkedVec::new();
        (0..1000).for_each(|i| numbers.push(i));
        let before = numbers.clone();
        assert!((0..1000).all(|i| numbers.get_mut(i).map(|x| *x += 1).is_some()));
        numbers.push(7);
        assert!(before.iter().copied().eq(0..1000) && before.get(1000).is_none());
        assert!(numbers.iter().copied().eq((1..=1000).chain([7])));
        assert_eq!((before.len(), numbers.len(), numbers.get_mut(1001)), (1000, 1001, None));
        assert_eq!(ChunkedVec::<u8>::new().len(), 0);
    }
}
