//! Large pages, where the system has them for who asks (Linux): memory that is read here and there is found without looking up
//! where each four kilobytes of it are.

use alloc::vec;
use alloc::vec::Vec;

/// The same items in memory for which large pages were asked before it was written. What is small stays where it is.
pub(crate) fn in_large_pages<T>(mut items: Vec<T>) -> Vec<T> {
    if size_of_val(&items[..]) < LARGE {
        return items;
    }
    let mut moved = with_large_pages(items.len());
    moved.append(&mut items);
    moved
}

/// Room for so many items, in large pages where there are any.
pub(crate) fn with_large_pages<T>(count: usize) -> Vec<T> {
    let mut room = Vec::with_capacity(count);
    ask(room.spare_capacity_mut());
    room
}

/// So many of one item, which is all zeros best: these the system has at hand.
pub(crate) fn in_large_pages_from<T: Clone>(zero: T, count: usize) -> Vec<T> {
    let mut items = vec![zero; count];
    ask(&mut items[..]);
    items
}

/// A large page of x86-64, and of ARM with small ones of four kilobytes.
const LARGE: usize = 2 << 20;

#[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
fn ask<T>(memory: &mut [T]) {
    use core::ffi::{c_int, c_void};
    #[allow(unsafe_code)]
    // SAFETY: this is its declaration in the system's <sys/mman.h>, and `std` links the system's library.
    unsafe extern "C" {
        fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGES: c_int = 14;
    const PAGE: usize = 4096;
    if size_of_val(memory) < LARGE {
        return;
    }
    // From the beginning of its page on, where the memory manager keeps its own notes: a large page may begin there, too.
    let before = memory.as_ptr().addr() % PAGE;
    let (start, length) = (memory.as_mut_ptr().wrapping_byte_sub(before), before + size_of_val(memory));
    #[allow(unsafe_code)]
    // SAFETY: the advice changes no byte of these pages, and the system checks that they are there; where it cannot be taken,
    // nothing happens, so that what is returned does not matter.
    unsafe {
        madvise(start.cast(), length, HUGE_PAGES);
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri))))]
fn ask<T>(_memory: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        // Miri, which has no system to ask, takes minutes for a large page.
        let many = if cfg!(miri) { 1000 } else { 3_000_000 };
        for count in [0, 1, many] {
            let items: Vec<u32> = (0..count).collect();
            assert!(in_large_pages(items).into_iter().eq(0..count));
            let mut room = with_large_pages(count as usize);
            assert!(room.is_empty() && room.capacity() >= count as usize);
            room.extend(0..count);
            assert!(room.into_iter().eq(0..count));
            assert!(in_large_pages_from(7, count as usize).into_iter().eq((0..count).map(|_| 7)));
        }
    }

    /// What the system has noted about the memory: `hg` among the flags of its mapping, where it knows of large pages.
    #[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
    #[test]
    fn large_pages_are_asked_for() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            std::eprintln!("SKIPPED large_pages_are_asked_for: this system has none");
            return;
        }
        let room = with_large_pages::<u8>(8 * LARGE);
        let middle = room.as_ptr().addr() + 4 * LARGE;
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("a list of mappings");
        let mut is_here = false;
        let mut flags = maps.lines().filter_map(|line| {
            let ends = line.split(' ').next().and_then(|ends| ends.split_once('-'));
            if let Some((Ok(from), Ok(to))) =
                ends.map(|(from, to)| (usize::from_str_radix(from, 16), usize::from_str_radix(to, 16)))
            {
                is_here = (from..to).contains(&middle);
            }
            line.strip_prefix("VmFlags:").filter(|_| is_here)
        });
        let flags = flags.next().expect("the mapping of the memory");
        assert!(flags.split(' ').any(|flag| flag == "hg"), "{flags}");
    }
}
