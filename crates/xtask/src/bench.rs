//! `cargo xtask bench`: speed of reading, running and showing models.
//!
//! Every figure stands beside a baseline that is measured in the same run, and every measured
//! computation is checked: a fast wrong answer is an error, a slow right one is only reported.

#![expect(
    clippy::cast_precision_loss,
    reason = "figures for people need no more than a few digits"
)]

mod reading;
mod running;
mod showing;

use std::time::{Duration, Instant};

const HELP: &str = "\
cargo xtask bench [reading] [running] [showing]

reading   parses and lowers a generated XSTS of 20 MB
running   simulates small models on compiled code and in the interpreter
showing   starts `lariat show` on a small model";

/// Runs the measurements that the arguments name, or all.
pub fn run(args: &[String]) -> Result<(), String> {
    let known: [(&str, Measurement); 3] = [
        ("reading", reading::measure),
        ("running", running::measure),
        ("showing", showing::measure),
    ];
    if let Some(unknown) = args.iter().find(|arg| known.iter().all(|k| k.0 != **arg)) {
        return Err(format!("no measurement is called {unknown}\n{HELP}"));
    }
    for (name, measure) in known {
        if args.is_empty() || args.iter().any(|arg| arg == name) {
            println!("{name}");
            for figure in measure()? {
                figure.print();
            }
        }
    }
    Ok(())
}

/// Measures something.
type Measurement = fn() -> Result<Vec<Figure>, String>;

/// One measured number.
struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    goal: Goal,
    /// How this compares with the baseline.
    beside: String,
}

/// What the number should be.
enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Figure {
    fn print(&self) {
        let (goal, met) = match self.goal {
            Goal::AtLeast(least) => (format!("goal: at least {least}"), self.value >= least),
            Goal::AtMost(most) => (format!("goal: at most {most}"), self.value <= most),
        };
        let verdict = if met { "met" } else { "MISSED" };
        println!(
            "  {:<44} {:>10.2} {:<22} {goal:<22} {verdict:<7} {}",
            self.what, self.value, self.unit, self.beside
        );
    }
}

/// The shortest of several runs, with the result of the last: noise only ever adds time.
fn best<T>(n: usize, mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut shortest = Duration::MAX;
    let mut result = None;
    for _ in 0..n.max(1) {
        let clock = Clock::start();
        let value = run();
        shortest = shortest.min(clock.elapsed());
        result = Some(value);
    }
    (shortest, result.expect("it ran at least once"))
}

/// Time that this thread spent on a processor, where Linux tells: what other programs do on the
/// machine then matters little. Elsewhere, time that passed.
struct Clock {
    on_processor: Option<Duration>,
    started: Instant,
}

impl Clock {
    fn start() -> Self {
        Self {
            on_processor: on_processor(),
            started: Instant::now(),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.on_processor, on_processor()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.started.elapsed(),
        }
    }
}

fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
