//! `cargo xtask ci`: everything that must pass before a change is done, in the order in which it fails fastest.
//!
//! `./test` sets the machine up and calls this; `.ci/run` calls `./test`.

use crate::{
    agree, charts, circuits, convert, gamma, kill, smv, structured_text, tidy,
    timed as timed_automata,
};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A step: what it is, the cargo call, an environment variable for it.
struct Step {
    name: &'static str,
    args: &'static [&'static str],
    env: Option<(&'static str, &'static str)>,
}

const STEPS: [Step; 4] = [
    Step {
        name: "formatting",
        args: &["fmt", "--all", "--check"],
        env: None,
    },
    Step {
        name: "lints",
        args: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
        env: None,
    },
    Step {
        name: "tests",
        args: &["test", "--workspace", "--locked", "--quiet"],
        env: None,
    },
    Step {
        name: "API documentation",
        args: &["doc", "--workspace", "--no-deps", "--locked", "--quiet"],
        env: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// The random systems on which all engines are compared, in worker processes: the solver library may hang.
const AGREE: [&str; 4] = ["--n", "500", "--seed", "1000000"];

/// The random infinite models whose answers are known by construction.
const INFINITE: [&str; 5] = ["--infinite", "--n", "60", "--seed", "1000000"];

/// The random circuits that are compared with their simulators.
const CIRCUITS: [&str; 4] = ["--n", "400", "--seed", "1000000"];

/// The random charts that are compared with the standard.
const CHARTS: [&str; 4] = ["--n", "300", "--seed", "1000000"];

/// The random programs in Structured Text that are compared with the standard.
const STRUCTURED_TEXT: [&str; 4] = ["--n", "200", "--seed", "1000000"];

/// The random Gamma models that are compared with an interpreter.
const GAMMA: [&str; 4] = ["--n", "300", "--seed", "1000000"];

/// The random SMV models that are compared with their interpreter.
const SMV: [&str; 4] = ["--n", "300", "--seed", "1000000"];

/// The random timed automata that are compared with their regions.
const TIMED: [&str; 4] = ["--n", "40", "--seed", "1000000"];

/// The random models that are converted.
const CONVERT: [&str; 4] = ["--n", "60", "--seed", "1000000"];

/// The checks that are ended from outside: each way once.
const KILL: [&str; 4] = ["--n", "9", "--seed", "1000000"];

/// Dependencies: licences, versions, sources. Only where cargo-deny is installed: it is no part of Rust.
const DENY: Step = Step {
    name: "dependencies",
    args: &["deny", "check", "bans", "licenses", "sources"],
    env: None,
};

/// Runs the subcommand.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!(
            "unknown option {arg}\ncargo xtask ci takes no options"
        ));
    }
    timed("tidy", || tidy::run(&[]))?;
    for step in &STEPS {
        timed(step.name, || cargo(step))?;
    }
    timed("engines agree", || agree::run(&AGREE.map(str::to_owned)))?;
    timed("circuits", || circuits::run(&CIRCUITS.map(str::to_owned)))?;
    timed("charts", || charts::run(&CHARTS.map(str::to_owned)))?;
    timed("Structured Text", || {
        structured_text::run(&STRUCTURED_TEXT.map(str::to_owned))
    })?;
    timed("gamma", || gamma::run(&GAMMA.map(str::to_owned)))?;
    timed("SMV", || smv::run(&SMV.map(str::to_owned)))?;
    timed("timed automata", || {
        timed_automata::run(&TIMED.map(str::to_owned))
    })?;
    timed("conversions", || convert::run(&CONVERT.map(str::to_owned)))?;
    timed("infinite models", || {
        agree::run(&INFINITE.map(str::to_owned))
    })?;
    timed("checks killed", || kill::run(&KILL.map(str::to_owned)))?;
    if has_cargo_deny() {
        timed(DENY.name, || cargo(&DENY))?;
    } else {
        println!("{:<18} skipped: cargo-deny is not installed", DENY.name);
    }
    println!("all passed");
    Ok(())
}

pub(crate) fn timed(name: &str, step: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let start = Instant::now();
    step()?;
    println!(
        "{name:<18} passed in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn cargo(step: &Step) -> Result<(), String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(step.args).envs(step.env);
    let status = command
        .status()
        .map_err(|e| format!("cargo {}: {e}", step.args[0]))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "{} failed: cargo {}",
            step.name,
            step.args.join(" ")
        ))
    }
}

fn has_cargo_deny() -> bool {
    Command::new("cargo-deny")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
