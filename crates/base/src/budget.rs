//! Time, memory, work and cancellation: one value that every long computation asks now and then.
//!
//! *Work* is counted, not measured: states expanded, steps of the solver. So a computation that is given a certain amount
//! of work stops at the same point on every machine. It does not end there: it waits, on its own thread, until it is
//! given more ([`Quota`]).

use crate::quota::Quota;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a computation ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// A person or a caller asked for it.
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "the time limit was reached",
            Self::Memory => "the memory limit was reached",
            Self::Cancelled => "it was cancelled",
        })
    }
}

/// What a computation may use. Clones share the cancellation flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    max_bytes: Option<u64>,
    cancelled: Arc<AtomicBool>,
    /// Whether it was cancelled because of the time.
    expired: Arc<AtomicBool>,
    quota: Option<Arc<Quota>>,
}

impl Budget {
    /// No limits, not cancelled.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Ends after `time` from now.
    pub fn with_time(mut self, time: Duration) -> Self {
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// Ends when the process holds more than `bytes` of resident memory.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// The same budget with at most `time` from now: for one of several attempts. Cancelling either
    /// cancels both.
    pub fn at_most(&self, time: Duration) -> Self {
        let earlier = Instant::now().checked_add(time);
        let deadline = match (self.deadline, earlier) {
            (Some(own), Some(earlier)) => Some(own.min(earlier)),
            (own, earlier) => own.or(earlier),
        };
        Self {
            deadline,
            ..self.clone()
        }
    }

    /// The same limits for a computation that is cancelled by itself and works only as much as it is given.
    pub fn with_quota(&self, quota: Arc<Quota>) -> Self {
        Self {
            cancelled: Arc::default(),
            expired: Arc::default(),
            quota: Some(quota),
            ..self.clone()
        }
    }

    /// Asks everything that shares this budget to end soon. Safe to call from a signal thread.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Asks everything that shares this budget to end soon, as if its time were over.
    pub fn expire(&self) {
        self.expired.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// The flag that [`cancel`](Self::cancel) raises.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// The time that is left, if time is limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Says how many states have been found, to whoever watches the computation.
    pub fn tell_states(&self, n_states: u64) {
        if let Some(quota) = &self.quota {
            quota.tell_states(n_states);
        }
    }

    /// Counts work, waits for more of it if there is no more, and then says whether to go on. A unit is worth about a
    /// microsecond.
    pub fn spend(&self, work: u64) -> Result<(), Stop> {
        if let Some(quota) = &self.quota {
            quota.spend(work);
        }
        self.check()
    }

    /// How much work may be done before the computation has to wait, if that is limited.
    pub fn work_left(&self) -> Option<u64> {
        self.quota.as_ref().map(|quota| quota.left())
    }

    /// Whether the computation should wait as soon as it can: what it does now may be broken off and begun again.
    pub fn is_preempted(&self) -> bool {
        self.quota
            .as_ref()
            .is_some_and(|quota| quota.is_preempted())
    }

    /// Whether to go on. Costs a clock read and, with a memory limit, a look at the process's own
    /// size: ask every few hundred steps, not every step.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            let is_late = self.expired.load(Ordering::Relaxed);
            return Err(if is_late { Stop::Time } else { Stop::Cancelled });
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Stop::Time);
        }
        match self.max_bytes {
            Some(max) if resident_memory(None).is_some_and(|now| now > max) => Err(Stop::Memory),
            _ => Ok(()),
        }
    }
}

/// Resident memory of this process, or of another one by its number, where the system tells (Linux).
pub fn resident_memory(process: Option<u32>) -> Option<u64> {
    let statm = match process {
        None => std::fs::read_to_string("/proc/self/statm"),
        Some(number) => std::fs::read_to_string(format!("/proc/{number}/statm")),
    }
    .ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

/// The most resident memory that this process has held, in bytes, where the system tells (Linux).
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The processor time that this process has used in all its threads, where the system tells (Linux), to a hundredth of a second.
pub fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may contain anything; what follows it are numbers.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(USER_TIME);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Duration::from_millis((user + system) * TICK_MS))
}

/// The place of the user's time behind the name of the program in `/proc/self/stat`.
const USER_TIME: usize = 11;
/// The unit of times in `/proc`, on every Linux system that we build for.
const TICK_MS: u64 = 10;

/// The memory that processes can still get, in bytes, where the system tells (Linux).
pub fn available_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The page size of every Linux system that we build for.
const PAGE: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_stops_for_its_own_reason() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        assert_eq!(
            Budget::unlimited().with_time(Duration::ZERO).check(),
            Err(Stop::Time)
        );
        assert_eq!(
            Budget::unlimited().with_memory(1).check(),
            Err(Stop::Memory)
        );
        let budget = Budget::unlimited();
        budget.clone().cancel();
        assert_eq!(budget.check(), Err(Stop::Cancelled));
        let budget = Budget::unlimited();
        budget.clone().expire();
        assert_eq!(budget.check(), Err(Stop::Time));
    }
}
