//! `lariat check`: decides whether a model satisfies a property.

mod along;
mod args;
mod blocks;
mod c_text;
mod deadlock;
mod domain_args;
mod explain;
mod follow;
mod form;
mod guard;
mod harness;
mod inputs;
mod json;
mod property;
mod recursion;
mod reduction;
mod report;
mod sha256;
mod specification;
mod status;
mod witness;

pub use args::{CheckArgs, EngineArgs, PropertyArgs, SyntaxArg};
pub use property::{NO_AUTOMATON, overflow, questions};

use crate::load::{Model, load_for};
use crate::session::{Failure, Session};
use args::{BlocksArg, EngineArg, Log, Switch, useless};
use form::Form;
use inputs::ProgramRun;
use lariat_base::{Budget, Diagnostic};
use lariat_check::{Focus, Outcome, Problem, Settings, Verdict, check};
use lariat_smt::{Backend, InterpolationConfig, Recorder, Z3, Z3Config};
use lariat_system::Language;
use lariat_system::TransitionSystem;
use property::{NO_PROPERTY, Question};
use recursion::{Cuts, distrust};
use reduction::{ShownReduction, ask_with};
use report::ShownRun;
use status::Status;
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The exit code of a check without an answer.
const UNKNOWN: u8 = 3;

/// One question with its answer.
pub struct Answered {
    /// The question.
    pub question: Question,
    /// What was done to the model before.
    pub reduction: ShownReduction,
    /// How it was decided.
    pub settings: Settings,
    /// The answer.
    pub outcome: Outcome,
    /// The run that refutes the property.
    pub counterexample: Option<ShownRun>,
    /// The same run of a C program as a whole.
    pub program: Option<ProgramRun>,
    /// The time it took.
    pub time: Duration,
}

/// Runs the command.
pub fn run(args: &CheckArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    if args.engine.engine != EngineArg::Explicit
        && let Some(answer) = guard::run(session, args.timeout, args.model.can_be_read_again())
    {
        return Ok(answer?);
    }
    let budget = budget(args);
    status::cancel_on_interrupt(&budget);
    let mut model = load_for(session, &args.model, overflow(&args.property))?;
    refuse_blocks(&args.engine, &model)?;
    for (option, given) in [("--harness", &args.harness), ("--witness", &args.witness)] {
        let is_program = model.composed.is_none() && model.systems[0].language == Language::C;
        if given.is_some() && !is_program {
            return Err(useless(option, "it is for a C program by itself").into());
        }
    }
    let acceptance = args.engine.acceptance();
    let deadlock = deadlock::prepare(args, session, &mut model)?;
    let asked = match questions(session, &mut model, &args.property, acceptance, &budget) {
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
    let mut cuts = Cuts::new(args, &model);
    for question in deadlock.into_iter().chain(asked) {
        let mut answered = answer(args, session, &model, question, &budget)?;
        cuts.judge(args, session, &model, &mut answered, &budget)?;
        report::print(args, session, &answered)?;
        session.out.flush()?;
        answers.push(answered);
    }
    json::write(args, &answers)?;
    harness::write(args, session, &answers)?;
    witness::write(args, session, &answers)?;
    Ok(exit_code(&answers))
}

/// Refuses `--blocks` where it has no effect.
pub fn refuse_blocks(args: &EngineArgs, model: &Model) -> Result<(), Diagnostic> {
    if args.blocks.is_some() && !blocks::can_merge(model) {
        let why = "only a program by itself (CFA, C) has steps to merge";
        return Err(useless("--blocks", why));
    }
    Ok(())
}

/// Whether the translation of the formula ended because a limit was reached.
fn is_stopped(findings: &[Diagnostic], budget: &Budget) -> bool {
    findings.iter().any(|finding| finding.id == NO_AUTOMATON) && budget.check().is_err()
}

fn budget(args: &CheckArgs) -> Budget {
    let mut budget = Budget::unlimited();
    if let Some(time) = args.timeout {
        budget = budget.with_time(time.saturating_sub(guard::time_spent()));
    }
    // Without a limit, most of what is free: a machine that swaps serves nobody.
    let most = || lariat_base::available_memory().map(|bytes| bytes / 8 * 7);
    if let Some(bytes) = args.memory.or_else(most) {
        budget = budget.with_memory(bytes);
    }
    budget
}

fn answer(
    args: &CheckArgs,
    session: &mut Session,
    model: &Model,
    question: Question,
    budget: &Budget,
) -> Result<Answered, Failure> {
    let settings = {
        let (terms, variables) = (&session.cx.terms, model.variables());
        args.engine
            .settings(question.is_temporal(), terms, variables)?
    };
    let forms = Form::all(args, model, &question);
    let mut answered: Option<Answered> = None;
    for (at, &form) in forms.iter().enumerate() {
        let part = match (forms.get(at + 1), budget.remaining()) {
            (None, _) => budget.clone(),
            (Some(next), Some(left)) => budget.at_most(left / next.part_before()),
            (Some(_), None) => budget.at_most(FIRST_FORM),
        };
        let settings = Settings {
            focus: forms
                .get(at + 1)
                .map_or(Focus::All, |next| next.focus_before()),
            ..settings.clone()
        };
        let how = (form, Aim::Answer);
        let mut next = decide(args, session, model, &question, &settings, &part, how)?;
        for attempt in &mut next.outcome.attempts {
            attempt.what += form.words();
        }
        if let Some(before) = answered {
            next.outcome.attempts.splice(0..0, before.outcome.attempts);
            next.time += before.time;
        }
        let decided = !matches!(next.outcome.verdict, Verdict::Unknown(_));
        answered = Some(next);
        if decided || budget.check().is_err() {
            break;
        }
    }
    Ok(answered.expect("there is a form to check"))
}

/// How long the first form of a model is tried if there is no limit.
const FIRST_FORM: Duration = Duration::from_mins(1);

/// What a check is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// To answer what was asked.
    Answer,
    /// To find out whether runs come to where the model is cut off.
    Cuts,
}

/// Checks the model in one form.
fn decide(
    args: &CheckArgs,
    session: &mut Session,
    model: &Model,
    question: &Question,
    settings: &Settings,
    budget: &Budget,
    (form, aim): (Form, Aim),
) -> Result<Answered, Failure> {
    let start = Instant::now();
    let mut record = match aim {
        Aim::Answer => record_file(args)?,
        Aim::Cuts => None,
    };
    let mut terms = question.terms();
    let atoms = (args.engine.slice == Switch::On).then_some(&mut *terms);
    let (mut checked, reduction) = model.sliced(&mut session.cx, atoms, form.relations());
    let reduction = ShownReduction::new(&session.cx, model, &reduction);
    let asked = ask_with(question, &terms);
    let branches = along::branches(&session.cx, &checked);
    if args.engine.blocks != Some(BlocksArg::Small) && blocks::can_merge(&checked) {
        blocks::forget(&mut session.cx, &mut checked, &asked);
        if form != Form::SmallSteps {
            blocks::merge(&mut session.cx, &mut checked, &asked);
        }
    }
    let mut problem = Problem {
        system: Box::new(&mut checked),
        goal: asked.goal.clone(),
    };
    let mut status = Status::new(start);
    let mut log = Vec::new();
    let mut make_solver = || solver(args, record.take());
    let mut listener = |round: &lariat_check::Round| {
        status.show(round);
        if args.log == Some(Log::Iterations) {
            log.push(report::round(round));
        }
    };
    let mut outcome = check(
        &mut session.cx,
        &mut problem,
        settings,
        &mut make_solver,
        budget,
        &mut listener,
    );
    status.clear();
    for line in log {
        session.out.line(&line)?;
    }
    drop(problem);
    if aim == Aim::Answer {
        distrust(args, &checked, &mut outcome.verdict);
    }
    let mut counterexample = match &outcome.verdict {
        Verdict::Violated(found) => Some(report::shown(
            session,
            &mut checked,
            &branches,
            &asked,
            found,
        )),
        Verdict::Holds | Verdict::Unknown(_) => None,
    };
    if let Some(run) = &mut counterexample {
        reduction.complete(run);
    }
    let program = match &outcome.verdict {
        Verdict::Violated(found) => {
            inputs::program_run(args, session, model, &mut checked, &asked, found)
        }
        Verdict::Holds | Verdict::Unknown(_) => None,
    };
    Ok(Answered {
        question: question.clone(),
        reduction,
        settings: settings.clone(),
        outcome,
        counterexample,
        program,
        time: start.elapsed(),
    })
}

/// The file that `--record` names.
fn record_file(args: &CheckArgs) -> Result<Option<File>, Failure> {
    let Some(path) = &args.engine.record else {
        return Ok(None);
    };
    let file = File::create(path).map_err(|error| {
        Diagnostic::error(
            "cannot-write",
            format!("cannot write `{}`: {error}", path.display()),
        )
    })?;
    Ok(Some(file))
}

fn solver(args: &CheckArgs, record: Option<File>) -> Box<dyn Backend> {
    let interpolation = InterpolationConfig {
        check: args.engine.check_interpolants,
        ..InterpolationConfig::default()
    };
    let z3 = Z3::new(Z3Config {
        interpolation,
        ..Z3Config::default()
    });
    match record {
        Some(file) => Box::new(Recorder::new(z3, BufWriter::new(file))),
        None => Box::new(z3),
    }
}

/// 1 if any property is violated, else 3 if any is unknown, else 0.
fn exit_code(answers: &[Answered]) -> ExitCode {
    let any = |test: fn(&Verdict) -> bool| {
        answers
            .iter()
            .any(|answered| test(&answered.outcome.verdict))
    };
    if any(|verdict| matches!(verdict, Verdict::Violated(_))) {
        return ExitCode::from(1);
    }
    if any(|verdict| matches!(verdict, Verdict::Unknown(_))) {
        return ExitCode::from(UNKNOWN);
    }
    ExitCode::SUCCESS
}
