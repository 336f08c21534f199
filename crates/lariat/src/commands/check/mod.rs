//! `lariat check`: decides whether a model satisfies a property. What is decided, and how, is in `lariat-verify`; here
//! options and files are read, and reports are rendered.

mod args;
mod deadlock;
mod explain;
mod export;
mod guard;
mod json;
mod questions;
mod status;
mod text;

pub use args::{CheckArgs, PropertyArgs, SyntaxArg};
pub use questions::{overflow, questions};

use crate::load::load_for;
use crate::options::{Facts, Opt, refuse, useless};
use crate::session::{Failure, Session};
use args::Log;
use lariat_base::{Budget, Diagnostic, Severity};
use lariat_smt::{Backend, InterpolationConfig, Recorder, Z3, Z3Config};
use lariat_system::TransitionSystem as _;
use lariat_verify::report::Report;
use lariat_verify::{
    Answer, MakeSolver, Model, NO_AUTOMATON, NO_PROPERTY, Options, Property, RoundNews, Task,
};
use status::Status;
use std::fs::File;
use std::io::{BufWriter, ErrorKind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The exit code of a check without an answer.
const UNKNOWN: u8 = 3;

/// One property with what was found out about it.
pub struct Answered {
    /// The report.
    pub report: Report,
    /// What it reports on.
    pub answer: Answer,
}

/// Runs the command.
pub fn run(mut args: CheckArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    args.read_config(session)?;
    session.out.keep_errors();
    if args.print_config {
        args.refuse_useless(session, &Facts::default())?;
        session.out.text(&args.in_force())?;
        return Ok(ExitCode::SUCCESS);
    }
    let timeout = args.limits.timeout();
    if !args.engine.is(Opt::Engine, "explicit")
        && let Some(answer) = guard::run(session, timeout, args.model.can_be_read_again())
    {
        return answer;
    }
    let budget = budget(&args);
    status::cancel_on_interrupt(&budget);
    let mut model = load_for(session, &args.model, overflow(&args.property))?;
    let facts = Facts::of(&model);
    args.refuse_useless(session, &facts)?;
    let args = &args;
    for (option, given) in [("--harness", &args.harness), ("--witness", &args.witness)] {
        let is_program = model.composed.is_none() && model.systems[0].program.is_some();
        if given.is_some() && !is_program {
            return Err(useless(option, "it is for a C program by itself").into());
        }
    }
    let deadlock = deadlock::prepare(args, session, &mut model)?;
    let acceptance = args.engine.acceptance();
    let asked = match questions(session, &model, &args.property, acceptance, &budget) {
        Err(Failure::Findings(findings)) if is_stopped(&findings, &budget) => {
            let stop = budget.check().expect_err("the budget has run out");
            session.out.line(&format!("unknown: {stop}"))?;
            return Ok(ExitCode::from(UNKNOWN));
        }
        Err(Failure::Findings(findings))
            if deadlock.is_some() && findings.iter().any(|finding| finding.id == NO_PROPERTY) =>
        {
            Vec::new()
        }
        asked => asked?,
    };
    let mut answers = Vec::new();
    json::write(args, &answers, json::Progress::Unfinished)?;
    for property in deadlock.into_iter().chain(asked) {
        let answered = answer(args, session, &mut model, &facts, &property, &budget)?;
        text::print(args, session, &answered)?;
        session.out.flush()?;
        answers.push(answered);
        json::write(args, &answers, json::Progress::Unfinished)?;
    }
    json::write(args, &answers, json::Progress::Done)?;
    export::write(args, session, &mut model, &answers)?;
    let verdicts = answers.iter().map(|answered| answered.report.verdict);
    told(session, verdicts, exit_code(&answers))
}

/// The exit code, if the verdicts could be printed or nobody wanted to read them; else they are said on standard error.
fn told<'v>(
    session: &mut Session,
    verdicts: impl Iterator<Item = &'v str>,
    code: ExitCode,
) -> Result<ExitCode, Failure> {
    match session.out.take_error() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            let verdicts: Vec<&str> = verdicts.collect();
            let verdicts = verdicts.join(", ");
            let message = format!("cannot write the result ({error}), which is: {verdicts}");
            Err(Diagnostic::error("cannot-write", message).into())
        }
        _ => Ok(code),
    }
}

/// Whether the translation of the formula ended because a limit was reached.
fn is_stopped(findings: &[Diagnostic], budget: &Budget) -> bool {
    findings.iter().any(|finding| finding.id == NO_AUTOMATON) && budget.check().is_err()
}

fn budget(args: &CheckArgs) -> Budget {
    let mut budget = Budget::unlimited();
    if let Some(time) = args.limits.timeout() {
        budget = budget.with_time(time.saturating_sub(guard::time_spent()));
    }
    // Without a limit, most of what is free: a machine that swaps serves nobody.
    let most = || lariat_base::available_memory().map(|bytes| bytes / 8 * 7);
    if let Some(bytes) = args.limits.memory().or_else(most) {
        budget = budget.with_memory(bytes);
    }
    budget
}

fn answer(
    args: &CheckArgs,
    session: &mut Session,
    model: &mut Model,
    facts: &Facts,
    property: &Property,
    budget: &Budget,
) -> Result<Answered, Failure> {
    let engine = {
        let is_temporal = property.is_temporal();
        let mut options = args.engine.clone();
        // What a file says for other kinds of properties is not for this one.
        let mut findings = options.drop_useless(&facts.for_property(is_temporal));
        findings.retain(|finding| finding.severity == Severity::Error);
        refuse(session, findings)?;
        options.engine(is_temporal, &session.cx.terms, model.variables())?
    };
    let mut status = Status::new(Instant::now());
    let mut log = Vec::new();
    let mut listener = |round: &RoundNews| {
        status.show(round);
        if args.log == Some(Log::Iterations) {
            log.push(text::round(round));
        }
    };
    let mut options = Options {
        engine,
        ranking: args.engine.ranking(),
        recurrence: args.engine.recurrence(),
        passes: args.engine.passes(),
        jobs: args.limits.jobs(),
        solver: solver(args)?,
        budget: budget.clone(),
        listener: Box::new(&mut listener),
    };
    let mut task = Task { model, property };
    let answer = task.check(&mut session.cx, &mut options);
    drop(options);
    status.clear();
    for line in log {
        session.out.line(&line)?;
    }
    let report = Report::new(&session.cx, &session.sources, model, property, &answer);
    Ok(Answered { report, answer })
}

/// Writes a file that an option names.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Diagnostic::error("cannot-write", message).into()
    })
}

/// Makes solvers; the first writes what it is asked to the file that `--record` names.
fn solver(args: &CheckArgs) -> Result<Arc<MakeSolver>, Failure> {
    let check = args.engine.is_given(Opt::CheckInterpolants);
    let file = match args.engine.record() {
        None => None,
        Some(path) => Some(File::create(&path).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", path.display());
            Diagnostic::error("cannot-write", message)
        })?),
    };
    let record = Mutex::new(file);
    Ok(Arc::new(move || -> Box<dyn Backend> {
        let interpolation = InterpolationConfig {
            check,
            ..InterpolationConfig::default()
        };
        let z3 = Z3::new(Z3Config {
            interpolation,
            ..Z3Config::default()
        });
        let file = record.lock().unwrap_or_else(PoisonError::into_inner).take();
        match file {
            Some(file) => Box::new(Recorder::new(z3, BufWriter::new(file))),
            None => Box::new(z3),
        }
    }))
}

/// 1 if any property is violated, else 3 if any is unknown, else 0.
fn exit_code(answers: &[Answered]) -> ExitCode {
    let any = |verdict: &str| answers.iter().any(|a| a.report.verdict == verdict);
    if any("violated") {
        return ExitCode::from(1);
    }
    if any("unknown") {
        return ExitCode::from(UNKNOWN);
    }
    ExitCode::SUCCESS
}
