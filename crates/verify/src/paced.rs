//! A computation on a thread of its own that works in portions: it stands still when one is used up, and goes on from
//! there when it is given another.

use lariat_base::{Budget, Progress, Quota};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Some walks over statements recurse along their nesting; only what is used of a stack is ever backed by memory.
const STACK: usize = 1 << 30;

/// The computation, seen from outside.
pub struct Paced<T> {
    /// What it may use.
    pub quota: Arc<Quota>,
    /// Its limits; only it is cancelled by this one.
    pub budget: Budget,
    thread: Option<JoinHandle<()>>,
    found: Receiver<T>,
}

/// Tells whoever waits that a computation has ended, even by a panic.
struct FinishOnDrop(Arc<Quota>);

impl Drop for FinishOnDrop {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl<T: Send + 'static> Paced<T> {
    /// Makes the thread; it waits for its first portion. The limits are those of `budget`.
    pub fn start(budget: &Budget, work: impl FnOnce(&Budget) -> T + Send + 'static) -> Self {
        let quota = Arc::new(Quota::default());
        let budget = budget.with_quota(Arc::clone(&quota));
        let (send, found) = channel();
        let (own_quota, own_budget) = (Arc::clone(&quota), budget.clone());
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                let finish = FinishOnDrop(own_quota);
                finish.0.spend(1);
                // Nobody waits for it once the check has ended.
                let _ = send.send(work(&own_budget));
            })
            .expect("a thread can be started");
        Self {
            quota,
            budget,
            thread: Some(thread),
            found,
        }
    }

    /// What was found, once [`Progress::Done`]; a panic there is one here.
    pub fn take(&mut self) -> T {
        self.join();
        self.found
            .recv()
            .expect("a computation that ended has said what it found")
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take()
            && let Err(panic) = thread.join()
        {
            std::panic::resume_unwind(panic);
        }
    }

    /// Whether nothing was taken yet.
    pub fn is_unfinished(&self) -> bool {
        self.thread.is_some()
    }

    /// Asks it to end soon.
    pub fn cancel(&self) {
        self.budget.cancel();
        self.quota.open();
    }

    /// Asks it to end soon, since its time is over.
    pub fn expire(&self) {
        self.budget.expire();
        self.quota.open();
    }

    /// Waits a little for it to end, and takes what it found if it was not taken; the process ends the thread otherwise.
    pub fn reap(&mut self, patience: Duration) -> Option<T> {
        if self.quota.wait(patience) != Progress::Done {
            return None;
        }
        // A panic after the answer is known changes nothing.
        let _ = self.thread.take()?.join();
        self.found.try_recv().ok()
    }
}
