//! One line about the comparison on a terminal, from its start on; nothing in a pipe.

use super::runner::Ending;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often the line is drawn, whether anything has happened or not.
const PERIOD: Duration = Duration::from_millis(200);

/// The line.
pub struct Progress {
    bar: ProgressBar,
    n_decided: usize,
    n_failed: usize,
}

impl Progress {
    /// A line for so many runs, where some are known already: they count for nothing in the forecast.
    pub fn new(n_runs: usize, n_known: usize) -> Self {
        let bar = ProgressBar::new(n_runs as u64);
        if n_known > 0 {
            bar.set_prefix(format!(" ({n_known} known before)"));
        }
        let style = "{spinner} {pos} of {len} runs{prefix}{msg}  {elapsed}, about {eta} to go";
        bar.set_style(ProgressStyle::with_template(style).expect("a right template"));
        bar.enable_steady_tick(PERIOD);
        Self {
            bar,
            n_decided: 0,
            n_failed: 0,
        }
    }

    /// Counts a run.
    pub fn done(&mut self, ending: Ending) {
        match ending {
            Ending::Holds | Ending::Violated => self.n_decided += 1,
            Ending::Unknown => {}
            Ending::Error | Ending::Crash => self.n_failed += 1,
        }
        self.bar.set_message(self.counts());
        self.bar.inc(1);
    }

    fn counts(&self) -> String {
        let failed = match self.n_failed {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        format!(", {} decided{failed}", self.n_decided)
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts() {
        let mut progress = Progress::new(4, 2);
        progress.done(Ending::Holds);
        progress.done(Ending::Crash);
        assert_eq!(progress.counts(), ", 1 decided, 1 failed");
        assert_eq!(progress.bar.position(), 2);
    }
}
