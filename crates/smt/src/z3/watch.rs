//! Limits inside long queries.
//!
//! Z3 knows time limits only, and starts a thread for each. We run a query that may be long under a
//! watcher thread of our own, which looks at the whole [`Budget`] (time, memory, cancellation) every few
//! milliseconds and interrupts Z3 when it is spent. Starting a thread costs about as much as a small
//! query, so the caller first tries the query with a small deterministic step limit and comes here
//! only when that was not enough.

use lariat_base::{Budget, Stop};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use z3::Context;

/// How often the budget is looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// Why a query was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Interrupt {
    /// A limit was reached.
    Stop(Stop),
    /// The computation had to wait, and has waited: the query may be asked again, of a new solver.
    Wait,
}

/// Runs `query` on this thread's Z3 context, interrupting it when the budget is spent or the computation is to wait; then
/// the reason comes with the result.
pub(super) fn watched<R>(budget: &Budget, query: impl FnOnce() -> R) -> (R, Option<Interrupt>) {
    let (result, interrupt) = interruptible(budget, query);
    match interrupt {
        Some(Interrupt::Wait) => {
            let stop = budget.spend(0).err();
            (result, Some(stop.map_or(Interrupt::Wait, Interrupt::Stop)))
        }
        other => (result, other),
    }
}

fn interruptible<R>(budget: &Budget, query: impl FnOnce() -> R) -> (R, Option<Interrupt>) {
    let context = Context::thread_local();
    let handle = context.handle();
    let done = Done::default();
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let handle = handle;
            let mut stopped = None;
            while !done.wait(PERIOD) {
                let interrupt = match budget.check() {
                    Err(stop) => Some(Interrupt::Stop(stop)),
                    Ok(()) if budget.is_preempted() => Some(Interrupt::Wait),
                    Ok(()) => None,
                };
                if let Some(interrupt) = interrupt {
                    stopped.get_or_insert(interrupt);
                    // Again each period: an interrupt before the query begins is lost.
                    handle.interrupt();
                }
            }
            stopped
        });
        let result = {
            let _raise = RaiseOnDrop(&done);
            query()
        };
        let stopped = watcher.join().expect("the watcher does not panic");
        (result, stopped)
    })
}

/// A flag one can wait for.
#[derive(Default)]
struct Done {
    flag: Mutex<bool>,
    raised: Condvar,
}

impl Done {
    /// Waits at most `time`; whether the flag is up.
    fn wait(&self, time: Duration) -> bool {
        let flag = self.flag.lock().unwrap_or_else(PoisonError::into_inner);
        let (flag, _) = self
            .raised
            .wait_timeout_while(flag, time, |up| !*up)
            .unwrap_or_else(PoisonError::into_inner);
        *flag
    }
}

/// Raises the flag even when the query panics; otherwise the scope would wait for the watcher for ever.
struct RaiseOnDrop<'a>(&'a Done);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.raised.notify_all();
    }
}
