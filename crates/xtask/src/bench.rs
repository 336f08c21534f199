//! `cargo xtask bench`: speed of reading, running, showing and checking models.
//!
//! Every figure is given next to a baseline measured in the same run, and every measured
//! computation is checked: a fast wrong answer is an error, a slow right one is only reported.

#![expect(
    clippy::cast_precision_loss,
    reason = "figures for people need no more than a few digits"
)]

mod checking;
mod circuits;
mod growth;
mod reading;
mod running;
mod showing;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const HELP: &str = "\
cargo xtask bench [reading] [circuits] [running] [showing] [checking] [growth]

reading   parses and lowers a generated XSTS of 20 MB
circuits  reads an AIGER circuit of a million gates, one of 50 MB, and a long chain of SMV defines
running   simulates small models on compiled code and in the interpreter
showing   starts `lariat show` on a small model
checking  decides temporal properties of the examples, and of the corpus if it is there
growth    compares the time of short answers about models of very different size; fails if it grows too fast";

/// Runs the measurements that the arguments name, or all.
pub fn run(args: &[String]) -> Result<(), String> {
    let known: [(&str, Measurement); 6] = [
        ("reading", reading::measure),
        ("circuits", circuits::measure),
        ("running", running::measure),
        ("showing", showing::measure),
        ("checking", checking::measure),
        ("growth", growth::measure),
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

/// The project's folder and the binary, built.
fn built() -> Result<(PathBuf, PathBuf), String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "lariat"])
        .current_dir(&root)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the binary cannot be built".into());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let lariat = own.with_file_name("lariat");
    Ok((root, lariat))
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
