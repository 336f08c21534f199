//! `lariat check`: decides whether a model satisfies a property.

mod args;
mod json;
mod property;
mod report;
mod status;

pub use args::CheckArgs;

use crate::load::load;
use crate::session::{Failure, Session};
use args::Log;
use lariat_base::{Budget, Diagnostic};
use lariat_check::{Outcome, Problem, Settings, Verdict, check};
use lariat_smt::{Backend, Recorder, Z3, Z3Config};
use property::{Question, questions};
use status::Status;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// One question with its answer.
pub struct Answered {
    /// The question.
    pub question: Question,
    /// How it was decided.
    pub settings: Settings,
    /// The answer.
    pub outcome: Outcome,
    /// The time it took.
    pub time: Duration,
}

/// Runs the command.
pub fn run(args: &CheckArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let budget = budget(args);
    status::cancel_on_interrupt(&budget);
    let mut model = load(session, &args.model)?;
    let asked = questions(session, &mut model, &args.property, args.engine.acceptance(), &budget)?;
    let mut problem_system = model.recompose(&mut session.cx)?;
    let mut answers = Vec::new();
    for question in asked {
        let settings = args.engine.settings(question.is_temporal())?;
        let answered = answer(args, session, problem_system, question, settings, &budget, start)?;
        problem_system = answered.1;
        report::print(args, session, &mut *problem_system, &model, &answered.0)?;
        answers.push(answered.0);
    }
    if let Some(path) = &args.json {
        json::write(path, session, &mut *problem_system, &answers)?;
    }
    Ok(exit_code(&answers))
}

fn budget(args: &CheckArgs) -> Budget {
    let mut budget = Budget::unlimited();
    if let Some(time) = args.timeout {
        budget = budget.with_time(time);
    }
    if let Some(bytes) = args.memory {
        budget = budget.with_memory(bytes);
    }
    budget
}

fn answer(
    args: &CheckArgs,
    session: &mut Session,
    system: Box<dyn lariat_system::TransitionSystem>,
    question: Question,
    settings: Settings,
    budget: &Budget,
    start: Instant,
) -> Result<(Answered, Box<dyn lariat_system::TransitionSystem>), Failure> {
    let begun = Instant::now();
    let mut problem = Problem { system, goal: question.goal.clone() };
    let mut status = Status::new(start);
    let mut log = Vec::new();
    let recording = Recording::new(args)?;
    let mut solver = || recording.solver(args);
    let outcome = check(&mut session.cx, &mut problem, &settings, &mut solver, budget, &mut |round| {
        status.show(round);
        if args.log == Some(Log::Iterations) {
            log.push(report::round(round));
        }
    });
    status.clear();
    for line in log {
        session.out.line(&line)?;
    }
    recording.finish(args)?;
    let answered = Answered { question, settings, outcome, time: begun.elapsed() };
    Ok((answered, problem.system))
}

/// 1 if any property is violated, else 3 if any is unknown, else 0.
fn exit_code(answers: &[Answered]) -> ExitCode {
    let any = |test: fn(&Verdict) -> bool| answers.iter().any(|answered| test(&answered.outcome.verdict));
    if any(|verdict| matches!(verdict, Verdict::Violated(_))) {
        return ExitCode::from(1);
    }
    if any(|verdict| matches!(verdict, Verdict::Unknown(_))) {
        return ExitCode::from(3);
    }
    ExitCode::SUCCESS
}
