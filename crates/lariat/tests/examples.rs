//! `lariat check` gives every row of `examples/expected.tsv` its expected verdict.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The time for one row. `auto` gives each of its attempts a share of it, so more time for all is not
/// more time for the attempt that decides.
const TIMEOUT: &str = "240s";

/// The time for a row of [`HARD`]: enough to say something wrong.
const SHORT_TIMEOUT: &str = "10s";

/// Rows that may end as unknown: true, but beyond the engine for now. The opposite verdict is still a failure.
const HARD: [(&str, &str); 3] = [
    // Clocks: many predicates.
    ("sts/fischer_2.sts", "G ((at1 = 2) -> F (at1 = 3))"),
    ("sts/fischer_3.sts", "lock_held"),
    ("sts/fischer_3.sts", "G ((at1 = 2) -> F (at1 = 3))"),
];

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

/// What is wrong with a row, if anything.
fn judge(line: &str) -> Result<(), String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [models, compose, kind, property, expected, _why] = fields[..] else {
        return Err("not six fields".into());
    };
    let is_hard = HARD.contains(&(models, property));
    let timeout = if is_hard { SHORT_TIMEOUT } else { TIMEOUT };
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command
        .current_dir(examples())
        .args(["check", "--timeout", timeout]);
    command.args(models.split(" + "));
    if compose != "-" {
        command.args(["--compose", compose]);
    }
    match kind {
        "own" => {}
        "property" | "invariant" | "ltl" => {
            command.args([&format!("--{kind}"), property]);
        }
        _ => return Err(format!("unknown kind {kind}")),
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let verdict = match output.status.code() {
        Some(0) => "holds",
        Some(1) => "violated",
        Some(3) => "unknown",
        _ => "failure",
    };
    let excused = verdict == "unknown" && is_hard;
    if verdict == expected || excused {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(format!(
        "{verdict}, expected {expected}\n{}",
        String::from_utf8_lossy(&text)
    ))
}

#[test]
fn every_example_has_its_expected_verdict() {
    let table = std::fs::read_to_string(examples().join("expected.tsv")).expect("the table");
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(rows.len() >= 200, "{} rows", rows.len());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(String::new()));
    let n_workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(reason) = judge(row) {
                        let report = format!("{row}\n  {reason}\n");
                        wrong.lock().expect("no worker panics").push_str(&report);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no worker panics");
    assert!(wrong.is_empty(), "{wrong}");
}
