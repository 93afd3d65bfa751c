//! Handles: numbers for the objects of the module, each of which is given once.

/// Bits of a handle that hold the place in the table; the others hold how often the place was given.
const PLACE_BITS: u32 = 20;
/// How often a place is given. After that it stays empty, so that no handle ever names a second object.
const MOST_USES: u32 = (1 << (31 - PLACE_BITS)) - 1;

struct Place<T> {
    uses: u32,
    value: Option<T>,
}

/// Objects by handle. A handle is a number of at most 31 bits, so that negative numbers are free for errors.
pub(crate) struct Table<T> {
    places: Vec<Place<T>>,
    free: Vec<u32>,
}

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    /// Adds an object and returns its handle; `None` if the table is full.
    pub(crate) fn insert(&mut self, value: T) -> Option<u32> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.places.len() < 1 << PLACE_BITS => {
                self.places.push(Place { uses: 0, value: None });
                (self.places.len() - 1) as u32
            }
            None => return None,
        };
        let at = self.places.get_mut(place as usize)?;
        at.value = Some(value);
        Some(at.uses << PLACE_BITS | place)
    }

    fn place(&mut self, handle: u32) -> Option<&mut Place<T>> {
        let place = self.places.get_mut((handle & ((1 << PLACE_BITS) - 1)) as usize)?;
        (place.uses == handle >> PLACE_BITS).then_some(place)
    }

    pub(crate) fn get(&self, handle: u32) -> Option<&T> {
        let place = self.places.get((handle & ((1 << PLACE_BITS) - 1)) as usize)?;
        if place.uses == handle >> PLACE_BITS { place.value.as_ref() } else { None }
    }

    pub(crate) fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        self.place(handle)?.value.as_mut()
    }

    /// Takes an object out for a while: [`put_back`](Self::put_back) ends it, and the handle stays valid.
    pub(crate) fn take(&mut self, handle: u32) -> Option<T> {
        self.place(handle)?.value.take()
    }

    /// Puts an object back that was taken.
    pub(crate) fn put_back(&mut self, handle: u32, value: T) {
        if let Some(place) = self.place(handle) {
            place.value = Some(value);
        }
    }

    /// Removes an object; its handle becomes invalid for ever.
    pub(crate) fn remove(&mut self, handle: u32) -> Option<T> {
        let place = self.place(handle)?;
        let value = place.value.take()?;
        place.uses += 1;
        if place.uses <= MOST_USES {
            self.free.push(handle & ((1 << PLACE_BITS) - 1));
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_names_one_object_for_ever() {
        let mut table = Table::new();
        let first = table.insert('a').unwrap();
        assert_eq!(table.get(first), Some(&'a'));
        assert_eq!((table.remove(first), table.remove(first)), (Some('a'), None));
        let mut seen = vec![first];
        for _ in 0..5000 {
            let next = table.insert('b').unwrap();
            assert!(!seen.contains(&next) && next <= i32::MAX as u32);
            assert_eq!(table.get(first), None);
            assert_eq!((table.remove(first), table.take(first)), (None, None));
            assert_eq!(table.remove(next), Some('b'));
            seen.push(next);
        }
        assert_eq!([0, u32::MAX, 1 << 31, 12_345].map(|handle| table.get(handle).is_some()), [false; 4]);
    }

    #[test]
    fn an_object_that_is_taken_comes_back() {
        let mut table = Table::new();
        let handle = table.insert('a').unwrap();
        assert_eq!((table.take(handle), table.take(handle)), (Some('a'), None));
        table.put_back(handle, 'a');
        assert_eq!(table.get_mut(handle), Some(&mut 'a'));
    }
}
