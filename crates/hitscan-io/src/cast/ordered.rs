//! Work on a sequence over threads, whose results are used in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The most threads that work at a time: more would take memory for their blocks and be no faster.
pub const MAX_THREADS: usize = 1024;

/// Takes items from `next`, works on each, and gives the results to `use_result` in the order of the items, on `threads`
/// threads, [`MAX_THREADS`] at most, or fewer where the system has no more. One thread at a time calls `next`, and one
/// `use_result`.
///
/// Memory is bounded: items are taken at most twice as many as there are threads ahead of the result that is used.
///
/// # Errors
///
/// The first error in the order of the items. Results before it are used, none after it.
pub(super) fn in_order<T: Send, R: Send, E: Send>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<T>, E> + Send,
    work: impl Fn(T) -> Result<R, E> + Sync,
    mut use_result: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let threads = threads.min(MAX_THREADS);
    if threads <= 1 {
        while let Some(item) = next()? {
            use_result(work(item)?)?;
        }
        return Ok(());
    }
    let queue = Queue { ahead: 2 * threads as u64, state: Mutex::new(State::new()), room: Condvar::new() };
    let source = Mutex::new((next, 0_u64));
    let sink = Mutex::new(use_result);
    let run = || {
        let _guard = StopOnPanic(&queue);
        loop {
            let mut taken = lock(&source);
            let (next, number) = &mut *taken;
            if !queue.wait_for_room(*number) {
                return;
            }
            let item = match next() {
                Ok(None) => return queue.end(),
                Ok(Some(item)) => Ok(item),
                Err(error) => Err(error),
            };
            let this = *number;
            *number += 1;
            drop(taken);
            queue.add(this, item.and_then(&work), &sink);
        }
    };
    thread::scope(|scope| {
        // This thread works at any rate: fewer helpers give the same results.
        let helper = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let helpers: Vec<_> = (1..threads).map_while(helper).collect();
        run();
        for helper in helpers {
            if let Err(panic) = helper.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(()), Err)
}

/// Locks, even where another thread has panicked: the panic goes on when the threads are joined.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Results that wait for those before them.
struct Queue<R, E> {
    /// How far items are taken ahead of the results that have been used.
    ahead: u64,
    state: Mutex<State<R, E>>,
    room: Condvar,
}

struct State<R, E> {
    waiting: BTreeMap<u64, Result<R, E>>,
    /// How many results have been used.
    used: u64,
    /// Whether a thread uses results.
    in_use: bool,
    has_ended: bool,
    error: Option<E>,
}

impl<R, E> State<R, E> {
    fn new() -> Self {
        Self { waiting: BTreeMap::new(), used: 0, in_use: false, has_ended: false, error: None }
    }
}

impl<R, E> Queue<R, E> {
    /// Waits until the item of this number may be taken; `false` at the end.
    fn wait_for_room(&self, number: u64) -> bool {
        let mut state = lock(&self.state);
        while !state.has_ended && number >= state.used + self.ahead {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.has_ended
    }

    fn end(&self) {
        lock(&self.state).has_ended = true;
        self.room.notify_all();
    }

    /// Adds a result, and uses those whose turn it is, unless another thread does.
    fn add(&self, number: u64, result: Result<R, E>, sink: &Mutex<impl FnMut(R) -> Result<(), E>>) {
        let mut state = lock(&self.state);
        state.waiting.insert(number, result);
        if state.in_use {
            return;
        }
        state.in_use = true;
        while state.error.is_none() {
            let number = state.used;
            let Some(result) = state.waiting.remove(&number) else { break };
            drop(state);
            let used = result.and_then(|result| (lock(sink))(result));
            state = lock(&self.state);
            state.used += 1;
            if let Err(error) = used {
                state.error = Some(error);
                state.has_ended = true;
            }
            self.room.notify_all();
        }
        state.in_use = false;
    }
}

/// Ends the work of other threads if this one panics: they would wait for its result for ever.
struct StopOnPanic<'a, R, E>(&'a Queue<R, E>);

impl<R, E> Drop for StopOnPanic<'_, R, E> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn numbers(count: u32) -> impl FnMut() -> Result<Option<u32>, String> + Send {
        let mut numbers = 0..count;
        move || Ok(numbers.next())
    }

    #[test]
    fn results_come_in_order_and_memory_is_bounded() {
        for threads in [1, 2, 5] {
            let (mut all, in_memory) = (Vec::new(), Mutex::new((0, 0)));
            let work = |number: u32| {
                let mut counts = lock(&in_memory);
                counts.0 += 1;
                counts.1 = counts.1.max(counts.0);
                drop(counts);
                if number % 7 == 3 {
                    thread::sleep(Duration::from_millis(2));
                }
                Ok(number * 2)
            };
            let result = in_order(threads, numbers(200), work, |number| {
                lock(&in_memory).0 -= 1;
                all.push(number);
                Ok(())
            });
            assert_eq!(result, Ok(()));
            assert_eq!(all, (0..200).map(|number| number * 2).collect::<Vec<_>>());
            assert!(lock(&in_memory).1 <= 2 * threads as u32, "{threads} threads: {:?}", lock(&in_memory));
        }
    }

    #[test]
    fn more_threads_than_a_system_has_are_no_panic() {
        let mut sum = 0;
        let add = |number| {
            sum += number;
            Ok(())
        };
        assert_eq!(in_order(usize::MAX, numbers(100), Ok, add), Ok(()));
        assert_eq!(sum, 4950);
    }

    #[test]
    fn the_first_error_in_order_counts() {
        for threads in [1, 3] {
            let mut all = Vec::new();
            let work = |number: u32| {
                // A later error is found first.
                if number == 20 {
                    thread::sleep(Duration::from_millis(20));
                }
                if number >= 20 { Err(format!("item {number}")) } else { Ok(number) }
            };
            let result = in_order(threads, numbers(100), work, |number| {
                all.push(number);
                Ok(())
            });
            assert_eq!(result, Err("item 20".to_owned()));
            assert_eq!(all, (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_ends_the_work_of_all_threads() {
        let work = |number: u32| if number == 5 { panic!("five") } else { Ok(number) };
        let run = || in_order(3, numbers(1000), work, |_| Ok(()));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}
