//! One line about the comparison on a terminal, nothing in a pipe.

use super::runner::Ending;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// How often the line changes at most.
const PERIOD: Duration = Duration::from_millis(100);

/// The line.
pub struct Progress {
    start: Instant,
    last: Option<Instant>,
    live: bool,
    n_runs: usize,
    n_done: usize,
    n_decided: usize,
    n_failed: usize,
}

impl Progress {
    /// A line for so many runs.
    pub fn new(n_runs: usize) -> Self {
        Self {
            start: Instant::now(),
            last: None,
            live: stderr().is_terminal(),
            n_runs,
            n_done: 0,
            n_decided: 0,
            n_failed: 0,
        }
    }

    /// Counts a run.
    pub fn done(&mut self, ending: Ending) {
        self.n_done += 1;
        match ending {
            Ending::Holds | Ending::Violated => self.n_decided += 1,
            Ending::Unknown => {}
            Ending::Error | Ending::Crash => self.n_failed += 1,
        }
        if self.live && self.last.is_none_or(|last| last.elapsed() >= PERIOD) {
            self.last = Some(Instant::now());
            let line = self.line(self.start.elapsed());
            let _ = write!(stderr(), "\r\x1b[K{line}");
            let _ = stderr().flush();
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let n_left = u64::try_from(self.n_runs - self.n_done).unwrap_or(u64::MAX);
        let n_done = u64::try_from(self.n_done.max(1)).unwrap_or(u64::MAX);
        let elapsed = elapsed.as_secs();
        let left = elapsed.saturating_mul(n_left) / n_done;
        let failed = match self.n_failed {
            0 => String::new(),
            n => format!("  {n} failed"),
        };
        format!(
            "{} of {} runs  {} decided{failed}  {elapsed} s, about {left} s to go",
            self.n_done, self.n_runs, self.n_decided
        )
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
            let _ = stderr().flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts() {
        let mut progress = Progress::new(4);
        progress.done(Ending::Holds);
        progress.done(Ending::Crash);
        assert_eq!(
            progress.line(Duration::from_secs(6)),
            "2 of 4 runs  1 decided  1 failed  6 s, about 6 s to go"
        );
    }
}
