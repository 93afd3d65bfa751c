//! Huge pages (Linux `madvise`): they reduce TLB misses of random reads.

use alloc::vec;
use alloc::vec::Vec;

/// Moves the items to memory advised for huge pages before it is written. Fewer bytes than one huge page stay in
/// place.
pub(crate) fn in_huge_pages<T>(mut items: Vec<T>) -> Vec<T> {
    if size_of_val(&items[..]) < HUGE_PAGE {
        return items;
    }
    let mut moved = with_huge_pages(items.len());
    moved.append(&mut items);
    moved
}

/// Empty vector of this capacity, advised for huge pages.
pub(crate) fn with_huge_pages<T>(count: usize) -> Vec<T> {
    let mut room = Vec::with_capacity(count);
    advise(room.spare_capacity_mut());
    room
}

/// Vector of `count` copies of `zero`, advised for huge pages. An all-zero item is cheapest: the system provides
/// zeroed pages.
pub(crate) fn in_huge_pages_from<T: Clone>(zero: T, count: usize) -> Vec<T> {
    let mut items = vec![zero; count];
    advise(&mut items[..]);
    items
}

/// Size of a huge page on x86-64, and on ARM with base pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;

#[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
fn advise<T>(memory: &mut [T]) {
    use core::ffi::{c_int, c_void};
    #[allow(unsafe_code)]
    // SAFETY: this is the declaration in the system's <sys/mman.h>, and `std` links the system's library.
    unsafe extern "C" {
        fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGES: c_int = 14;
    const PAGE: usize = 4096;
    if size_of_val(memory) < HUGE_PAGE {
        return;
    }
    // Start at the page boundary below, where the allocator keeps its header: a huge page may begin there, too.
    let before = memory.as_ptr().addr() % PAGE;
    let (start, length) = (memory.as_mut_ptr().wrapping_byte_sub(before), before + size_of_val(memory));
    #[allow(unsafe_code)]
    // SAFETY: the advice changes no byte of these pages, and the system checks that they are mapped. If the call
    // fails, nothing changes, so the result is ignored.
    unsafe {
        madvise(start.cast(), length, HUGE_PAGES);
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri))))]
fn advise<T>(_memory: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        // Under Miri, without `madvise`, filling a huge page takes minutes.
        let many = if cfg!(miri) { 1000 } else { 3_000_000 };
        for count in [0, 1, many] {
            let items: Vec<u32> = (0..count).collect();
            assert!(in_huge_pages(items).into_iter().eq(0..count));
            let mut room = with_huge_pages(count as usize);
            assert!(room.is_empty() && room.capacity() >= count as usize);
            room.extend(0..count);
            assert!(room.into_iter().eq(0..count));
            assert!(in_huge_pages_from(7, count as usize).into_iter().eq((0..count).map(|_| 7)));
        }
    }

    /// The kernel sets the flag `hg` of the mapping if it supports huge pages.
    #[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
    #[test]
    fn large_pages_are_asked_for() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            std::eprintln!("SKIPPED large_pages_are_asked_for: this system has no huge pages");
            return;
        }
        let room = with_huge_pages::<u8>(8 * HUGE_PAGE);
        let middle = room.as_ptr().addr() + 4 * HUGE_PAGE;
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
