//! `lariat check`: decides whether a model satisfies a property. What is decided, and how, is in `lariat-verify`; here
//! options and files are read, and reports are rendered.

mod answers;
mod args;
pub mod deadlock;
mod explain;
mod export;
mod guard;
mod journal;
mod json;
mod output;
mod questions;
mod status;
mod table;
mod text;
mod trace;

pub use args::{CheckArgs, PropertyArgs, SyntaxArg};
pub use journal::{Frame, Message};
pub use json::{Header, Known, Line};
pub use questions::{overflow, questions};

use crate::load::load_for;
use crate::options::{Facts, Opt, useless};
use crate::session::{BAD_INPUT, Failure, Session};
use crate::target::cannot_write;
use journal::{End, Journal};
use lariat_base::Budget;
use lariat_smt::{Backend, InterpolationConfig, Recorder, Z3, Z3Config};
use lariat_verify::{Asked, MakeSolver, Model, NO_PROPERTY};
use output::Format;
use questions::assume_fair;
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// The exit code of a check without an answer.
const UNKNOWN: u8 = 3;

/// Runs the command: in a process that does the work, and in one that watches it and reports.
pub fn run(mut args: CheckArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    args.output.refuse_useless()?;
    session.telling = args.output.telling();
    session.out.keep_errors();
    if guard::is_worker() {
        session.out.hand_to_parent();
        guard::end_with_parent();
        args.read_config(session)?;
        let code = work(args, session)?;
        session.out.tell(Message::End(code))?;
        return Ok(ExitCode::from(code));
    }
    let read = args.read_config(session);
    if args.print_config {
        read?;
        args.refuse_useless(session, &Facts::default())?;
        session.out.text(&args.in_force())?;
        return Ok(ExitCode::SUCCESS);
    }
    match read.and_then(|()| Ok(Journal::new(&args).open()?)) {
        Ok(journal) => guard::run(journal, session, memory(&args)),
        Err(Failure::Findings(findings)) if args.output.stdout() != Format::Text => {
            session.report(&findings);
            Journal::new(&args).end(session, End::Code(BAD_INPUT))
        }
        Err(failure) => Err(failure),
    }
}

/// The worker's part: reads the model, answers the questions, hands over what it finds.
fn work(mut args: CheckArgs, session: &mut Session) -> Result<u8, Failure> {
    let budget = budget(&args);
    status::cancel_on_signal(&budget);
    let solver = solver(&args)?;
    let mut model = load_for(
        session,
        &args.model,
        overflow(&args.property),
        &args.property.ltl,
    )?;
    trace::refuse_unknown(&session.cx, &model, &args.trace)?;
    let facts = Facts::of(&model);
    args.refuse_useless(session, &facts)?;
    let args = &args;
    refuse_exports(args, &model)?;
    assume_fair(session, &mut model, &args.fairness)?;
    let deadlock = deadlock::prepare(args, session, &mut model)?;
    let acceptance = args.engine.acceptance();
    let asked = match questions(session, &model, &args.property, acceptance) {
        Err(Failure::Findings(findings))
            if deadlock.is_some() && findings.iter().any(|finding| finding.id == NO_PROPERTY) =>
        {
            Vec::new()
        }
        asked => asked?,
    };
    let deadlock = deadlock.into_iter().map(Asked::from);
    let asked = deadlock.chain(asked).collect();
    answers::answer(args, session, &model, &facts, asked, (solver, &budget))
}

/// Refuses counterexamples in forms that the model has none for.
fn refuse_exports(args: &CheckArgs, model: &Model) -> Result<(), Failure> {
    let system = model.composed.is_none().then(|| &model.systems[0]);
    let is_program = system.is_some_and(|system| system.program.is_some());
    let is_circuit = system.is_some_and(|system| system.language.is_circuit());
    if args.output.harness.is_some() && !is_program {
        return Err(useless("--harness", "it is for a C program by itself").into());
    }
    if args.output.witness.is_some() && !is_program && !is_circuit {
        let why = "it is for a C program or a circuit by itself";
        return Err(useless("--witness", why).into());
    }
    let is_joined = is_program && args.model.models.len() > 1;
    for (option, path) in [
        ("--harness", &args.output.harness),
        ("--witness", &args.output.witness),
    ] {
        if path.is_some() && is_joined {
            return Err(useless(option, "it is for a C program of one file").into());
        }
    }
    Ok(())
}

fn budget(args: &CheckArgs) -> Budget {
    let mut budget = Budget::unlimited();
    if let Some(time) = args.limits.timeout() {
        budget = budget.with_time(time.saturating_sub(guard::time_spent()));
    }
    if let Some(bytes) = memory(args) {
        budget = budget.with_memory(bytes);
    }
    budget
}

/// The limit of memory. If none is given, most of what is free: a machine that swaps serves nobody.
fn memory(args: &CheckArgs) -> Option<u64> {
    let most = || lariat_base::available_memory().map(|bytes| bytes / 8 * 7);
    args.limits.memory().or_else(most)
}

/// Makes solvers; the first writes what it is asked to the file that `--record` names.
fn solver(args: &CheckArgs) -> Result<Arc<MakeSolver>, Failure> {
    let check = args.engine.is_given(Opt::CheckInterpolants);
    let file = match args.engine.record() {
        None => None,
        Some(path) => Some(File::create(&path).map_err(|error| cannot_write(&path, &error))?),
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
