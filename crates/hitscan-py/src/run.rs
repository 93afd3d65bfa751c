//! Long queries: rows on threads, block by block, so that Ctrl-C and progress are seen between the blocks.

use crate::error::runtime_error;
use crate::first_error::FirstError;
use crate::user_shape::has_user_shapes;
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most rows that one thread takes at a time: a chunk that the library casts without other threads.
const CHUNK: usize = 4096;

/// The time that a block is to take.
const BLOCK_TIME: Duration = Duration::from_millis(100);

/// So few rows that to release the lock would take longer.
pub(crate) const SHORT: usize = 64;

/// The sizes that a run begins with.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Rows of the first block.
    first: usize,
    /// The fewest rows that are worth another thread.
    chunk: usize,
}

impl Pace {
    /// Ray casts: less than a microsecond each, fast in chunks.
    pub(crate) const CASTS: Self = Self { first: 16 * CHUNK, chunk: CHUNK };
    /// Queries that may take a millisecond each.
    pub(crate) const SLOW: Self = Self { first: 256, chunk: 32 };
}

/// How a query runs: the number of threads, or 0 for all, and the callback for progress.
pub(crate) struct Run<'py> {
    pub(crate) py: Python<'py>,
    pub(crate) threads: usize,
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// Pools with a certain number of threads, which queries share.
static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The pool with a number of threads.
pub(crate) fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| runtime_error(format!("cannot start {threads} threads: {error}")))?);
    pools.insert(threads, pool.clone());
    Ok(pool)
}

impl Run<'_> {
    /// Works on blocks of rows, up to `rows`. `next` gets the length of a block and that of its pieces, and returns the
    /// pieces; threads `work` on them; `done` gets the results of a block in order. All run without the global interpreter
    /// lock.
    ///
    /// Between blocks, an exception of a signal handler, such as `KeyboardInterrupt`, of the callback or of a user shape ends the
    /// run.
    pub(crate) fn blocks<P: Send, B: Default + Send, R: Send>(
        &self,
        (rows, pace): (usize, Pace),
        mut next: impl FnMut(usize, usize) -> Vec<P> + Send,
        work: impl Fn(&mut B, P) -> R + Sync + Send,
        mut done: impl FnMut(Vec<R>) + Send,
    ) -> PyResult<()> {
        let pace = if has_user_shapes() { Pace::SLOW } else { pace };
        let is_serial = self.threads == 1 || rows <= pace.chunk;
        let pool = if is_serial || self.threads == 0 { None } else { Some(pool(self.threads)?) };
        let threads = if self.threads == 0 { rayon::current_num_threads() } else { self.threads };
        let error = FirstError::default();
        let work = |buffer: &mut B, piece| error.within(|| work(buffer, piece));
        let mut buffer = B::default();
        let (mut finished, mut block) = (0, pace.first);
        while finished < rows {
            let count = block.min(rows - finished);
            let start = Instant::now();
            // So few rows keep the lock of Python, which other threads may need.
            let is_serial = is_serial || count <= SHORT;
            let (next, done, work, buffer) = (&mut next, &mut done, &work, &mut buffer);
            let mut run = move || {
                let pieces = next(count, (count / (8 * threads)).clamp(pace.chunk, CHUNK));
                done(if is_serial {
                    pieces.into_iter().map(|piece| work(buffer, piece)).collect()
                } else {
                    on_threads(pieces, work)
                });
            };
            match &pool {
                _ if count <= SHORT => run(),
                None => self.py.detach(run),
                Some(pool) => self.py.detach(|| install(pool, &mut run)),
            }
            error.raise()?;
            finished += count;
            if rows > SHORT {
                self.py.check_signals()?;
            }
            if let Some(progress) = &self.progress {
                progress.call1((finished, rows))?;
            }
            let factor = BLOCK_TIME.as_secs_f64() / start.elapsed().as_secs_f64().max(1e-6);
            block = ((block as f64 * factor.clamp(0.125, 4.0)) as usize).next_multiple_of(pace.chunk);
        }
        Ok(())
    }
}

/// The results of the pieces in order, by all threads of the current pool. A piece gets a buffer that an earlier piece has left,
/// or a new one.
fn on_threads<P: Send, B: Default + Send, R: Send>(pieces: Vec<P>, work: &(impl Fn(&mut B, P) -> R + Sync)) -> Vec<R> {
    let pieces: Vec<_> = pieces.into_iter().map(|piece| Mutex::new((Some(piece), None))).collect();
    let buffers = Mutex::new(Vec::new());
    let buffers = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
    for_each_number(pieces.len(), &|number| {
        let (piece, result) = &mut *pieces[number].lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = buffers().pop().unwrap_or_default();
        *result = piece.take().map(|piece| work(&mut buffer, piece));
        buffers().push(buffer);
    });
    pieces.into_iter().filter_map(|piece| piece.into_inner().unwrap_or_else(PoisonError::into_inner).1).collect()
}

/// Calls `work` with each number below `count`, on all threads of the current pool. Not generic: rayon's code is compiled once.
fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Runs `work` in a pool. Not generic, for the same reason.
fn install(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

/// The ranges of the pieces of a block.
pub(crate) fn pieces(block: Range<usize>, piece: usize) -> impl Iterator<Item = Range<usize>> {
    let end = block.end;
    block.step_by(piece).map(move |first| first..end.min(first + piece))
}
