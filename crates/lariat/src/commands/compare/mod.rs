//! `lariat compare`: many configurations on one or many tasks, side by side.
//!
//! A run is a process: `lariat check` of this very program with the options of a configuration, so that what is
//! measured is what a user gets, and a command line that is shown can be run again. All configurations
//! decide the same question, so two that contradict each other are a bug, whatever the truth is.

mod args;
mod comparison;
mod configuration;
mod export;
mod manifest;
mod prepare;
mod progress;
mod runner;
mod scratch;
mod task;
mod text;

pub use args::CompareArgs;

use crate::session::{Failure, Session};
use crate::target::Target;
use comparison::{Alarm, Comparison, Run};
use configuration::Configuration;
use export::Setup;
use prepare::Prepared;
use progress::Progress;
use runner::{Ending, Runner};
use scratch::Scratch;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Runs the command.
pub fn run(args: &CompareArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut scratch = Scratch::new()?;
    let mut tasks = match &args.manifest {
        Some(path) => {
            let filter = manifest::Filter {
                kind: args.kind.as_deref(),
                text: args.filter.as_deref(),
                language: args.language,
                reading: &args.reading,
            };
            manifest::read(session, path, &filter, &mut scratch)?
        }
        None => task::of_args(args)?,
    };
    task::make_ids_unique(&mut tasks);
    let configurations = configuration::chosen(session, &args.configs)?;
    let tasks = prepare::prepare(session, tasks, &configurations)?;
    // Better now than after an hour.
    let open = |path: &Option<PathBuf>| path.as_deref().map(Target::open).transpose();
    let (csv, json) = (open(&args.csv)?, open(&args.json)?);
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runner = Runner {
        program,
        folder: scratch.path(),
        n_jobs: args.jobs.map_or(cores, usize::from),
        timeout: args.timeout,
    };
    let comparison = compare(args, &runner, tasks, configurations);
    let called = program_name(args);
    let setup = Setup {
        program: &called,
        timeout: args.timeout,
        memory: args.memory,
        n_jobs: runner.n_jobs,
    };
    if let Some(mut target) = csv {
        target.write(export::csv(&comparison))?;
    }
    if let Some(mut target) = json {
        target.write(export::json(&comparison, &setup))?;
    }
    let tables = match (args.matrix, args.summary) {
        (true, _) => text::Tables::Matrix,
        (_, true) => text::Tables::Summary,
        _ => text::Tables::Tasks,
    };
    session.out.text(&text::tables(&comparison, tables))?;
    session.out.flush()?;
    let alarms = comparison.alarms();
    for alarm in &alarms {
        // If standard error cannot be written there is nobody to tell, but the exit code.
        let text = text::alarm(&comparison, &called, alarm);
        let _ = std::io::stderr().write_all(format!("\n{text}").as_bytes());
    }
    if !alarms.is_empty() {
        scratch.keep();
    }
    Ok(exit_code(&comparison, &alarms))
}

/// Runs every configuration on every task that it applies to.
fn compare(
    args: &CompareArgs,
    runner: &Runner<'_>,
    tasks: Vec<Prepared>,
    configurations: Vec<Configuration>,
) -> Comparison {
    let mut plan = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        for &configuration in &task.configurations {
            let words = words(args, task, &configurations[configuration]);
            for repetition in 0..args.repeat.get() {
                plan.push((number, configuration, repetition, words.clone()));
            }
        }
    }
    let commands: Vec<Vec<String>> = plan.iter().map(|(.., words)| words.clone()).collect();
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler Ctrl-C just ends the program; a second one does so in any case.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    let progress = Mutex::new(Progress::new(commands.len()));
    let outcomes = runner.run(&commands, &interrupted, &progress);
    progress.into_inner().expect("no worker panics").clear();
    let n_planned = plan.len();
    let runs: Vec<Run> = plan
        .into_iter()
        .zip(outcomes)
        .filter_map(|((task, configuration, repetition, words), outcome)| {
            let outcome = outcome?;
            Some(Run {
                task,
                configuration,
                repetition,
                words,
                outcome,
            })
        })
        .collect();
    Comparison {
        tasks,
        configurations,
        n_missing: n_planned - runs.len(),
        runs,
    }
}

/// The command line of a run, after the program.
fn words(args: &CompareArgs, task: &Prepared, configuration: &Configuration) -> Vec<String> {
    let mut words = vec!["check".to_owned()];
    words.extend(task.task.words());
    words.extend(configuration.options.iter().cloned());
    let millis = args.timeout.as_millis();
    let time = if millis.is_multiple_of(1000) {
        format!("{}s", millis / 1000)
    } else {
        format!("{millis}ms")
    };
    words.extend(["--timeout".to_owned(), time]);
    if let Some(bytes) = args.memory {
        // Sizes are given in mebibytes; a part of one is not worth a unit of its own.
        words.extend([
            "--memory".to_owned(),
            format!("{}MiB", bytes.div_ceil(1 << 20)),
        ]);
    }
    words
}

/// The program as a user would call it.
fn program_name(args: &CompareArgs) -> String {
    match &args.program {
        Some(program) => program.display().to_string(),
        None => std::env::args()
            .next()
            .unwrap_or_else(|| "lariat".to_owned()),
    }
}

/// A verdict that was not expected.
const WRONG: u8 = 1;
/// A task that could not be run.
const FAILED: u8 = 2;
/// A bug of Lariat, as when the program itself breaks down.
const BUG: u8 = 101;
/// A signal kept some runs from being made: as a check that was ended by one.
const UNFINISHED: u8 = 3;
/// Ended by a second signal, at once.
const INTERRUPTED: u8 = 130;

fn exit_code(comparison: &Comparison, alarms: &[Alarm<'_>]) -> ExitCode {
    let is_bug = |alarm: &Alarm<'_>| !matches!(alarm, Alarm::Wrong { .. });
    let is_error = |run: &Run| run.outcome.ending == Ending::Error;
    let is_unread = |task: &Prepared| task.error.is_some();
    if alarms.iter().any(is_bug) {
        ExitCode::from(BUG)
    } else if !alarms.is_empty() {
        ExitCode::from(WRONG)
    } else if comparison.n_missing > 0 {
        ExitCode::from(UNFINISHED)
    } else if comparison.runs.iter().any(is_error) || comparison.tasks.iter().any(is_unread) {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    }
}
