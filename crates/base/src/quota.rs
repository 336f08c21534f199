//! Work that is handed out in portions: whoever has used up its portion waits for the next one.
//!
//! This is how a computation is paused and resumed without knowing of it: it runs on a thread of its own, and stands
//! still inside [`Quota::spend`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The account of one computation.
#[derive(Debug, Default)]
pub struct Quota {
    account: Mutex<Account>,
    changed: Condvar,
    /// How many states it has found, for whoever watches.
    n_states: AtomicU64,
}

#[derive(Debug)]
struct Account {
    used: u64,
    /// What may be used; nothing: any amount.
    granted: Option<u64>,
    /// It is to wait for its next portion now, whatever is left of this one.
    is_preempted: bool,
    progress: Progress,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            used: 0,
            granted: Some(0),
            is_preempted: false,
            progress: Progress::Working,
        }
    }
}

impl Account {
    fn may_work(&self) -> bool {
        let is_open = self.granted.is_none();
        is_open || self.granted >= Some(self.used) && !self.is_preempted
    }
}

/// Where a computation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It works.
    Working,
    /// It has used up its work and waits for more.
    Waiting,
    /// It has ended.
    Done,
}

impl Quota {
    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the account and wakes whoever waits for that.
    fn change(&self, change: impl FnOnce(&mut Account)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Says how many states have been found.
    pub fn tell_states(&self, n_states: u64) {
        self.n_states.store(n_states, Ordering::Relaxed);
    }

    /// How many states have been found, as far as that was said.
    pub fn n_states(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }

    /// Counts work; returns when there is some left.
    pub fn spend(&self, work: u64) {
        let mut account = self.lock();
        account.used = account.used.saturating_add(work);
        while !account.may_work() {
            account.progress = Progress::Waiting;
            self.changed.notify_all();
            account = self
                .changed
                .wait(account)
                .unwrap_or_else(PoisonError::into_inner);
        }
        account.progress = Progress::Working;
    }

    /// The work that may be done before the next wait.
    pub fn left(&self) -> u64 {
        let account = self.lock();
        let granted = account.granted.unwrap_or(u64::MAX);
        granted.saturating_sub(account.used)
    }

    /// The work that has been done.
    pub fn used(&self) -> u64 {
        self.lock().used
    }

    /// Allows so much work from now on.
    pub fn grant(&self, work: u64) {
        self.change(|account| {
            account.granted = Some(account.used.saturating_add(work));
            account.is_preempted = false;
            account.wake();
        });
    }

    /// Ends the present portion early.
    pub fn preempt(&self) {
        self.lock().is_preempted = true;
    }

    /// Whether the present portion was ended early.
    pub fn is_preempted(&self) -> bool {
        let account = self.lock();
        account.is_preempted && account.granted.is_some()
    }

    /// Allows any amount of work: the computation is to end by itself, or because it was cancelled.
    pub fn open(&self) {
        self.change(|account| {
            account.granted = None;
            account.wake();
        });
    }

    /// Says that the computation has ended.
    pub fn finish(&self) {
        self.change(|account| account.progress = Progress::Done);
    }

    /// Waits, at most for `time`, until the computation does not work any more; where it is then.
    pub fn wait(&self, time: Duration) -> Progress {
        let account = self.lock();
        let (account, _) = self
            .changed
            .wait_timeout_while(account, time, |account| {
                account.progress == Progress::Working
            })
            .unwrap_or_else(PoisonError::into_inner);
        account.progress
    }
}

impl Account {
    /// Whoever waits is about to work again.
    fn wake(&mut self) {
        if self.progress == Progress::Waiting {
            self.progress = Progress::Working;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_computation_waits_for_its_next_portion() {
        let quota = Arc::new(Quota::default());
        let own = Arc::clone(&quota);
        let thread = std::thread::spawn(move || {
            for _ in 0..10 {
                own.spend(1);
            }
            own.finish();
        });
        let long = Duration::from_mins(1);
        assert_eq!(quota.wait(long), Progress::Waiting);
        assert_eq!(
            quota.used(),
            1,
            "what does not fit is counted, then it waits"
        );
        quota.grant(4);
        assert_eq!(quota.wait(long), Progress::Waiting);
        assert_eq!(quota.used(), 6);
        quota.open();
        assert_eq!(quota.wait(long), Progress::Done);
        assert!(thread.join().is_ok());
    }
}
