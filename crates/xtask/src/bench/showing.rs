//! How long a warm `lariat show` of a small model takes, start of the process included.

use super::{Figure, Goal};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const N_RUNS: usize = 60;

/// Time from start to end of the process.
pub fn measure() -> Result<Vec<Figure>, String> {
    let (root, lariat) = super::built()?;
    let model = root.join("crates/xtask/src/bench/crossroad.xsts");
    let text = Command::new(&lariat)
        .arg("show")
        .arg(&model)
        .output()
        .map_err(|error| format!("{} does not start: {error}", lariat.display()))?;
    if !text.status.success() || !text.stdout.starts_with(b"XSTS crossroad") {
        return Err("`lariat show` does not show the model".into());
    }
    let show = shortest(|| {
        let mut command = Command::new(&lariat);
        command.arg("show").arg(&model);
        command
    })?;
    // The baseline: a process that does nothing.
    let nothing = shortest(|| Command::new("true"))?;
    Ok(vec![Figure {
        what: "warm `lariat show` of a small model".into(),
        value: show.as_secs_f64() * 1e3,
        unit: "ms",
        goal: Goal::AtMost(10.0),
        beside: format!("`true` takes {:.2} ms", nothing.as_secs_f64() * 1e3),
    }])
}

/// The shortest of many runs: what else happens on the machine only ever adds time.
fn shortest(mut command: impl FnMut() -> Command) -> Result<Duration, String> {
    let mut shortest = Duration::MAX;
    for _ in 0..N_RUNS {
        let mut command = command();
        command.stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status().map_err(|error| error.to_string())?;
        shortest = shortest.min(start.elapsed());
        if !status.success() {
            return Err("a measured process failed".into());
        }
    }
    Ok(shortest)
}
