//! `lariat compare`: many configurations on one or many tasks, side by side.
//!
//! A run is a process: `lariat check` of this very program with the options of a configuration, so that what is
//! measured is what a user gets, and a command line that is shown can be run again. All configurations
//! decide the same question, so two that contradict each other are a bug, whatever the truth is.

mod args;
mod benchexec;
mod campaign;
mod comparison;
mod configuration;
mod definition;
mod export;
mod manifest;
mod measure;
mod plan;
mod plot;
mod prepare;
mod progress;
mod report;
mod runner;
mod score;
mod scratch;
mod slurm;
mod task;
mod text;

pub use args::CompareArgs;

use crate::session::{Failure, Session};
use crate::target::Target;
use campaign::Campaign;
use comparison::{Alarm, Comparison, Run};
use configuration::Configuration;
use export::Setup;
use lariat_base::{Diagnostic, Span, nearest};
use plan::Plan;
use prepare::Prepared;
use runner::{Ending, Outcome, Runner};
use scratch::Scratch;
use slurm::{Arrays, Job};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &CompareArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let recalled = campaign::recall(args)?;
    let args = recalled.as_ref().unwrap_or(args);
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?,
    };
    let campaign = Campaign::open(args, &program)?;
    let properties = campaign.as_ref().map(|one| one.folder().join("properties"));
    let mut scratch = Scratch::new(properties)?;
    let (tasks, configurations) = read(args, session, &mut scratch)?;
    let pairs = pairs(session, &args.scatter, &configurations)?;
    // Better now than after an hour.
    let open = |path: &Option<PathBuf>| path.as_deref().map(Target::open).transpose();
    let (csv, json, page) = (open(&args.csv)?, open(&args.json)?, open(&args.report)?);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runner = Runner {
        program,
        folder: scratch.path(),
        n_jobs: args.jobs.map_or(cores, usize::from),
        timeout: args.timeout,
        groups: measure::groups(),
    };
    let called = program_name(args);
    let setup = Setup {
        program: &called,
        timeout: args.timeout,
        memory: args.memory,
        n_jobs: runner.n_jobs,
    };
    if let Some(folder) = &args.benchexec {
        let files = benchexec::benchmark(folder, &tasks, &configurations, &setup)?;
        benchexec::write(files)?;
        let text = format!(
            "cd {} && PYTHONPATH=. benchexec lariat.xml\n",
            folder.display()
        );
        session.out.text(&text)?;
        session.out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut plan = Plan::new(args, tasks, configurations, campaign.as_ref());
    match &campaign {
        Some(campaign) if args.campaign.slurm => {
            let job = Job {
                program: &runner.program,
                timeout: args.timeout,
                n_at_once: args.jobs.map_or(1, usize::from),
                memory: args.memory,
            };
            return submit(session, &plan, campaign, &job, args);
        }
        Some(campaign) if args.campaign.collect => collect(&mut plan, campaign)?,
        _ => {
            if let Some(part) = args.campaign.part {
                plan.keep(part);
            }
            plan.make(&runner, campaign.as_ref())?;
        }
    }
    let comparison = plan.comparison();
    if let Some(mut target) = csv {
        target.write(export::csv(&comparison))?;
    }
    if let Some(mut target) = json {
        target.write(export::json(&comparison, &setup))?;
    }
    if let (Some(path), Some(mut page)) = (&args.report, page) {
        let report = report::report(path, &comparison, &setup, &pairs);
        page.write(report.page)?;
        for file in report.beside {
            Target::open(&file.path)?.write(file.text)?;
        }
    }
    if let Some(folder) = &args.benchexec_results {
        let date = benchexec::date(std::time::SystemTime::now());
        benchexec::write(benchexec::results(folder, &comparison, &setup, &date))?;
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

/// The tasks and the configurations that are asked for.
fn read(
    args: &CompareArgs,
    session: &mut Session,
    scratch: &mut Scratch,
) -> Result<(Vec<Prepared>, Vec<Configuration>), Failure> {
    let mut tasks = match &args.manifest {
        Some(path) => {
            let filter = manifest::Filter {
                kind: args.kind.as_deref(),
                text: args.filter.as_deref(),
                language: args.language,
                reading: &args.reading,
            };
            if definition::is_definition(path) {
                definition::read(session, path, &filter)?
            } else {
                manifest::read(session, path, &filter, scratch)?
            }
        }
        None => task::of_args(args)?,
    };
    task::make_ids_unique(&mut tasks);
    let configurations = configuration::chosen(session, &args.configs)?;
    let tasks = prepare::prepare(session, tasks, &configurations)?;
    Ok((tasks, configurations))
}

/// Hands the runs to Slurm.
fn submit(
    session: &mut Session,
    plan: &Plan,
    campaign: &Campaign,
    job: &Job<'_>,
    args: &CompareArgs,
) -> Result<ExitCode, Failure> {
    let id = Arrays::read(campaign).begin(job, &args.campaign, plan.n_runs())?;
    let folder = campaign.folder().display();
    session.out.text(&format!(
        "{} runs are submitted as job {id}. When its jobs have ended:\n  lariat compare --campaign {folder} --collect\n",
        plan.n_runs(),
    ))?;
    session.out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Submits the jobs again that died; what died too often is an error of its runs.
fn collect(plan: &mut Plan, campaign: &Campaign) -> Result<(), Failure> {
    let missing: Vec<usize> = plan.missing().collect();
    let mut arrays = Arrays::read(campaign);
    let (Some(of), false) = (arrays.n_parts(), missing.is_empty()) else {
        return Ok(());
    };
    let active = arrays.active()?;
    let mut again = BTreeSet::new();
    for run in missing {
        let part = run % of;
        let n_tries = arrays.n_tries(part);
        if active.contains(&part) {
            continue;
        }
        if n_tries < slurm::MOST_TRIES {
            again.insert(part);
        } else {
            let reason = format!("its job ended {n_tries} times without a result");
            plan.settle(run, Outcome::failed(reason));
        }
    }
    let say = |text: String| {
        // Nobody to tell is no reason to end.
        let _ = std::io::stderr().write_all(text.as_bytes());
    };
    if !active.is_empty() {
        say(format!("{} jobs wait or run\n", active.len()));
    }
    if !again.is_empty() {
        let n = again.len();
        let id = arrays.repeat(again.into_iter().collect())?;
        say(format!(
            "{n} jobs that died are submitted again as job {id}\n"
        ));
    }
    Ok(())
}

/// The configurations that `--scatter` draws against each other.
fn pairs(
    session: &mut Session,
    given: &[String],
    configurations: &[Configuration],
) -> Result<Vec<(usize, usize)>, Failure> {
    let mut pairs = Vec::new();
    let mut findings = Vec::new();
    for text in given {
        let source = session.sources.add("<scatter>", text.clone());
        let whole = Span::new(source, 0, text.len());
        let Some((first, second)) = text.split_once(',') else {
            let message = "two configurations are needed, separated by a comma";
            findings.push(Diagnostic::error("unknown-configuration", message).at(whole));
            continue;
        };
        let mut find = |name: &str| {
            let name = name.trim();
            let found = configurations.iter().position(|one| one.name == name);
            if found.is_none() {
                let message = format!("`{name}` is no configuration of this comparison");
                let names = configurations.iter().map(|one| &*one.name);
                let hint = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
                let finding = Diagnostic::error("unknown-configuration", message).at(whole);
                findings.push(finding.maybe_hint(hint));
            }
            found
        };
        if let (Some(first), Some(second)) = (find(first), find(second)) {
            pairs.push((first, second));
        }
    }
    if findings.is_empty() {
        Ok(pairs)
    } else {
        Err(findings.into())
    }
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
