//! `cargo xtask nightly`: what takes too long for every change.
//!
//! The tests with both Z3 libraries (the distribution's and the Python wheel's), a check of the code by the oldest Rust that
//! the manifest promises, a minute of each fuzz target, and long series of the random comparisons. What is not installed
//! here (another toolchain, cargo-fuzz) is named as skipped, never passed over in silence.

use crate::ci::timed;
use std::process::{Command, Stdio};

/// The series of random comparisons.
const SERIES: [(&str, &[&str]); 9] = [
    (
        "engines agree",
        &["agree", "--n", "20000", "--seed", "1000000"],
    ),
    (
        "infinite models",
        &["agree", "--infinite", "--n", "5000", "--seed", "1"],
    ),
    ("circuits", &["circuits", "--n", "5000"]),
    ("SMV", &["smv", "--n", "5000"]),
    ("Gamma", &["gamma", "--n", "5000"]),
    ("conversions", &["convert", "--n", "5000"]),
    ("C programs", &["c", "--n", "5000"]),
    ("checks killed", &["kill", "--n", "500"]),
    ("automata", &["automata", "--random", "20000"]),
];

/// How long each fuzz target runs, in seconds.
const FUZZ_SECONDS: u32 = 60;

/// Runs the subcommand.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!(
            "unknown option {arg}\ncargo xtask nightly takes no options"
        ));
    }
    oldest_rust()?;
    both_libraries()?;
    fuzz()?;
    for (name, args) in SERIES {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        timed(name, || status(Command::new(own).args(args)))?;
    }
    println!("all passed");
    Ok(())
}

/// Checks the code by the Rust version that the manifest names.
fn oldest_rust() -> Result<(), String> {
    let manifest = std::fs::read_to_string("Cargo.toml").map_err(|error| error.to_string())?;
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .map(|version| version.trim_matches('"').to_owned())
        .ok_or("the manifest names no rust-version")?;
    let toolchain = format!("+{version}");
    if !answers(Command::new("cargo").args([&toolchain, "--version"])) {
        println!("oldest Rust        skipped: toolchain {version} is not installed");
        return Ok(());
    }
    let check = [
        "check",
        "--workspace",
        "--all-targets",
        "--locked",
        "--quiet",
    ];
    timed("oldest Rust", || {
        status(Command::new("cargo").arg(&toolchain).args(check))
    })
}

/// Runs the solver's tests and the checks of the examples with each Z3 library, in a folder of their own.
fn both_libraries() -> Result<(), String> {
    for library in ["system", "wheel"] {
        let target = format!("target/nightly-{library}");
        let script = "scripts/setup && { [ ! -f .deps/env ] || . .deps/env; } && \
                      cargo test --quiet --locked -p lariat-smt -p lariat-check -p lariat-verify";
        let mut command = Command::new("bash");
        command.args(["-c", script]).env("CARGO_TARGET_DIR", target);
        if library == "wheel" {
            command.env("LARIAT_Z3", "wheel");
        }
        timed(&format!("Z3, {library}"), || status(&mut command))?;
        // The next run of `scripts/setup` looks for the library of the system again.
        let _ = std::fs::remove_file(".deps/env");
    }
    Ok(())
}

fn fuzz() -> Result<(), String> {
    if !answers(Command::new("cargo").args(["fuzz", "--version"])) {
        println!("fuzzing            skipped: cargo-fuzz is not installed");
        return Ok(());
    }
    let targets = std::fs::read_dir("fuzz/fuzz_targets").map_err(|error| error.to_string())?;
    let mut names: Vec<String> = targets
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let seconds = format!("-max_total_time={FUZZ_SECONDS}");
    for name in names {
        let args = ["fuzz", "run", &name, "--", &seconds];
        timed(&format!("fuzz {name}"), || {
            status(Command::new("cargo").args(args))
        })?;
    }
    Ok(())
}

fn answers(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

fn status(command: &mut Command) -> Result<(), String> {
    let ended = command.status().map_err(|error| error.to_string())?;
    if ended.success() {
        Ok(())
    } else {
        Err(format!("{command:?} failed"))
    }
}
