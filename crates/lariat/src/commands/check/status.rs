//! One line of live status on a terminal, nothing in a pipe; and Ctrl-C.

use lariat_base::Budget;
use lariat_verify::RoundNews;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// How often the line changes at most.
const PERIOD: Duration = Duration::from_millis(100);

/// The status line.
pub struct Status {
    start: Instant,
    last: Option<Instant>,
    live: bool,
}

impl Status {
    /// A line that counts the time from `start`.
    pub fn new(start: Instant) -> Self {
        Self {
            start,
            last: None,
            live: stderr().is_terminal(),
        }
    }

    /// Shows where the check is.
    pub fn show(&mut self, round: &RoundNews) {
        if !self.live || self.last.is_some_and(|last| last.elapsed() < PERIOD) {
            return;
        }
        self.last = Some(Instant::now());
        let line = format!(
            "round {}  {} abstract states  {} tracked  {} solver checks  {:.1} s",
            round.number,
            round.n_nodes,
            round.precision.len(),
            round.n_checks,
            self.start.elapsed().as_secs_f64()
        );
        let _ = write!(stderr(), "\r\x1b[K{line}");
        let _ = stderr().flush();
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
            let _ = stderr().flush();
        }
    }
}

/// Makes Ctrl-C end the check as unknown; a second one ends the program.
pub fn cancel_on_interrupt(budget: &Budget) {
    let flag = budget.clone();
    let handler = move || {
        if flag.check().is_err() {
            std::process::exit(130);
        }
        flag.cancel();
    };
    // Without a handler Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(handler);
}
