//! One line on a terminal that says what the check is at, nothing in a pipe; and signals.

use indicatif::{ProgressBar, ProgressStyle};
use lariat_base::Budget;
use lariat_verify::News;
use std::time::Duration;

/// How often the line is drawn, whether anything has happened or not.
const PERIOD: Duration = Duration::from_millis(200);

/// The status line.
pub struct Status {
    bar: ProgressBar,
    /// Whose turn it is.
    turn: String,
}

impl Status {
    /// A line that counts the time up to a limit, or nothing at all.
    pub fn new(limit: Option<Duration>, is_shown: bool) -> Self {
        let bar = if is_shown {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let style = "{spinner} {msg}  {elapsed}{prefix}";
        bar.set_style(ProgressStyle::with_template(style).expect("a right template"));
        if let Some(limit) = limit {
            bar.set_prefix(format!(" of {} s", limit.as_secs()));
        }
        bar.enable_steady_tick(PERIOD);
        let turn = String::new();
        Self { bar, turn }
    }

    /// Shows where the check is.
    pub fn show(&mut self, news: &News) {
        if let News::Turn { what, member } = news {
            self.turn = match member {
                (_, 1) => what.clone(),
                (at, of) => format!("{at} of {of}: {what}"),
            };
        }
        if let Some(line) = line(&self.turn, news) {
            self.bar.set_message(line);
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What is shown of the news; nothing if it is none.
fn line(turn: &str, news: &News) -> Option<String> {
    match news {
        News::Turn { .. } => Some(turn.to_owned()),
        // Abstraction has no concrete states.
        News::States(0) => None,
        News::States(n) => Some(format!("{turn}  {n} states")),
        News::Round(round) => Some(format!(
            "{turn}  round {}  {} abstract states  {} tracked  {} solver checks",
            round.number,
            round.n_nodes,
            round.precision.len(),
            round.n_checks,
        )),
    }
}

/// Makes a signal end the check as unknown. If that takes too long the parent ends the process.
pub fn cancel_on_signal(budget: &Budget) {
    let flag = budget.clone();
    // Without a handler a signal just ends the process.
    let _ = ctrlc::set_handler(move || flag.cancel());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_whose_turn_it_is() {
        let mut status = Status::new(Some(Duration::from_secs(20)), false);
        status.show(&News::Turn {
            what: "explicit states, layers".into(),
            member: (2, 5),
        });
        assert_eq!(status.turn, "2 of 5: explicit states, layers");
        assert_eq!(line(&status.turn, &News::States(0)), None);
        let shown = line(&status.turn, &News::States(1234));
        let expected = "2 of 5: explicit states, layers  1234 states";
        assert_eq!(shown.as_deref(), Some(expected));
    }
}
