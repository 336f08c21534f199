//! The worker's part of a check: answers all questions within the limits, and hands over each answer as it is found.

use super::export::{self, Made, Wanted};
use super::journal::{Message, Told, exit_code, not_tried};
use super::json::Header;
use super::output::Log;
use super::status::Status;
use super::{CheckArgs, guard, json, text};
use crate::options::{Facts, refuse};
use crate::page;
use crate::session::{Failure, Session};
use lariat_base::{Budget, Severity, SourceId, SourceMap};
use lariat_check::{Engine, Shorten};
use lariat_ltl::TranslateError;
use lariat_system::{Context, System};
use lariat_verify::report::{PropertyReport, Report};
use lariat_verify::{
    Asked, Compose, Event, MakeSolver, Model, News, Options, Question, Task, share,
};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// What was found out about a property.
struct Answered {
    report: Report,
    exports: Vec<Made>,
}

/// Answers the questions; the exit code of all answers.
pub fn answer(
    args: &CheckArgs,
    session: &mut Session,
    model: &Model,
    facts: &Facts,
    questions: Vec<Asked>,
    (solver, budget): (Arc<MakeSolver>, &Budget),
) -> Result<u8, Failure> {
    let asked: Vec<PropertyReport> = questions.iter().map(PropertyReport::of).collect();
    let answered = guard::answered_before();
    let open: Vec<usize> = (0..asked.len())
        .filter(|at| !answered.contains(at))
        .collect();
    let each = args.limits.timeout_per_property();
    let fair = budget
        .remaining()
        .map(|left| left / open.len().max(1) as u32);
    let mut tasks: Vec<Question<Answered>> = Vec::new();
    for (_, asked) in (questions.into_iter().enumerate()).filter(|(at, _)| open.contains(at)) {
        let task = Prepared {
            cx: session.cx.clone(),
            sources: session.sources.clone(),
            systems: model.systems.clone(),
            files: model.files.clone(),
            how: model.how(),
            engine: engine(args, session, model, facts, &asked)?,
            time: [fair, each].into_iter().flatten().min(),
            solver: Arc::clone(&solver),
            exports: export::wanted(args),
            asked,
        };
        let options = Choices::new(args);
        tasks.push(Box::new(move |budget, news| {
            task.answer(options, budget, news)
        }));
    }
    let header = Header::new(args, facts);
    header.start(args, session)?;
    if args.output.report.is_some() {
        let sources = page::sources(&session.sources);
        session.out.tell(Message::Sources(sources))?;
    }
    let options = header.options().clone();
    session.out.tell(Message::Asked(options, asked.clone()))?;
    let mut telling = Telling {
        args,
        session,
        asked: &asked,
        status: status(args),
        answers: Vec::new(),
        failure: None,
    };
    share(tasks, budget, each, &mut |at, event| {
        telling.tell(open[at], event);
    });
    telling.status.clear();
    let Telling {
        failure, answers, ..
    } = telling;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let verdicts: Vec<&str> = answers.iter().map(|(_, a)| a.report.verdict).collect();
    let code = exit_code(&verdicts);
    // A text is better than the reason why there is none.
    let first = |verdict: &str| {
        let those = answers.iter().filter(|(_, a)| a.report.verdict == verdict);
        let is_lacking =
            |answered: &Answered| answered.exports.iter().any(|(_, made)| made.is_err());
        let first =
            those.min_by_key(|(at, answered)| (verdict == "holds" && is_lacking(answered), *at));
        first.map(|(_, a)| &a.exports[..])
    };
    export::hand_over(args, session, first("violated"), first("holds"))?;
    Ok(code)
}

/// The engine that the options choose for a property; nothing: a portfolio.
fn engine(
    args: &CheckArgs,
    session: &mut Session,
    model: &Model,
    facts: &Facts,
    asked: &Asked,
) -> Result<Option<Arc<dyn Engine>>, Failure> {
    let is_temporal = asked.is_temporal();
    let mut options = args.engine.clone();
    // What a file says for other kinds of properties is not for this one.
    let mut findings = options.drop_useless(&facts.for_property(is_temporal));
    findings.retain(|finding| finding.severity == Severity::Error);
    refuse(session, findings)?;
    let texts = (&mut session.cx, &mut session.sources);
    Ok(options.engine(is_temporal, texts, model)?)
}

/// The options of a check as a thread can take them.
struct Choices {
    ranking: lariat_check::Ranking,
    recurrence: lariat_check::Recurrence,
    symmetry: lariat_check::Symmetry,
    passes: lariat_verify::Passes,
    jobs: usize,
    vacuity: lariat_verify::Vacuity,
    shorten: Shorten,
}

impl Choices {
    fn new(args: &CheckArgs) -> Self {
        Self {
            ranking: args.engine.ranking(),
            recurrence: args.engine.recurrence(),
            symmetry: args.engine.symmetry(),
            passes: args.engine.passes(),
            jobs: args.limits.jobs(),
            vacuity: args.limits.vacuity(),
            shorten: args.trace.shorten.into(),
        }
    }
}

/// A question as a thread can take it.
struct Prepared {
    cx: Context,
    sources: SourceMap,
    systems: Vec<System>,
    files: Vec<SourceId>,
    how: Option<Compose>,
    asked: Asked,
    engine: Option<Arc<dyn Engine>>,
    time: Option<Duration>,
    solver: Arc<MakeSolver>,
    exports: Vec<Wanted>,
}

impl Prepared {
    fn answer(self, choices: Choices, budget: &Budget, news: Sender<News>) -> Answered {
        let Self {
            mut cx,
            sources,
            mut systems,
            files,
            how,
            asked,
            ..
        } = self;
        let start = Instant::now();
        let named = PropertyReport::of(&asked);
        let property = match asked.translated(budget) {
            Ok(property) => property,
            Err(error) => {
                let report = Report::undecided(named, untranslated(&error), start.elapsed());
                let exports = Vec::new();
                return Answered { report, exports };
            }
        };
        let mut model = match how {
            None => Model::single(systems.remove(0)),
            Some(how) => Model::compose(&mut cx, systems, how)
                .expect("what was composed once can be composed again"),
        };
        model.files = files;
        let mut options = Options {
            engine: self.engine,
            ranking: choices.ranking,
            recurrence: choices.recurrence,
            symmetry: choices.symmetry,
            passes: choices.passes,
            jobs: choices.jobs,
            solver: self.solver,
            budget: budget.clone(),
            time: self.time,
            work: None,
            vacuity: choices.vacuity,
            shorten: choices.shorten,
            // Nobody listens any more once the check has ended.
            listener: Box::new(move |told| drop(news.send(told.clone()))),
        };
        let mut task = Task {
            model: &mut model,
            property: &property,
        };
        let mut answer = task.check(&mut cx, &mut options);
        let report = Report::new(&cx, &sources, &mut model, &property, &answer);
        let wanted = self.exports.iter();
        let exports = match (&report.counterexample, &mut answer.proof) {
            (Some(run), _) => wanted
                .filter_map(|one| {
                    one.of_run(&mut cx, &sources, &mut model, (&report, run), &answer)
                })
                .collect(),
            (None, Some(proved)) => wanted
                .filter_map(|one| one.of_proof(&sources, &report, proved))
                .collect(),
            (None, None) => Vec::new(),
        };
        Answered { report, exports }
    }
}

/// Why a formula has no answer if its automaton could not be made.
fn untranslated(error: &TranslateError) -> String {
    match error {
        TranslateError::Stopped(stop) => format!("{stop} while the formula was translated"),
        error => format!("the formula has no automaton within the limits: {error}"),
    }
}

fn status(args: &CheckArgs) -> Status {
    Status::new(args.limits.timeout(), !args.output.quiet)
}

/// Tells the parent what becomes of questions.
struct Telling<'t> {
    args: &'t CheckArgs,
    session: &'t mut Session,
    asked: &'t [PropertyReport],
    status: Status,
    answers: Vec<(usize, Answered)>,
    /// Why no more can be told.
    failure: Option<Failure>,
}

impl Telling<'_> {
    fn tell(&mut self, at: usize, event: Event<Answered>) {
        let undecided = |why: String, time| Answered {
            report: Report::undecided(self.asked[at].clone(), why, time),
            exports: Vec::new(),
        };
        let result = match event {
            Event::Begun => self
                .session
                .out
                .tell(Message::Begun(at))
                .map_err(Failure::Output),
            Event::News(news) => self.news(at, &news),
            Event::Answered(answered) => self.answered(at, answered),
            Event::Stopped(stop, time) => self.answered(at, undecided(stop.to_string(), time)),
            Event::NotTried(stop) => {
                let why = not_tried(&stop.to_string());
                self.answered(at, undecided(why, Duration::ZERO))
            }
        };
        self.failure = self.failure.take().or(result.err());
    }

    fn news(&mut self, at: usize, news: &News) -> Result<(), Failure> {
        self.status.show(news);
        if let (News::Round(round), Some(Log::Iterations)) = (news, self.args.output.log) {
            let name = match self.asked {
                [_] => "",
                asked => &asked[at].name,
            };
            self.session.out.line(&text::round(name, round))?;
            self.session.out.flush()?;
        }
        Ok(())
    }

    fn answered(&mut self, at: usize, answered: Answered) -> Result<(), Failure> {
        self.status.clear();
        let report = &answered.report;
        text::print(self.args, self.session, report)?;
        json::tell(self.args, self.session, "result", report)?;
        let news = Message::Answered(at, Told::new(self.args, report));
        self.session.out.tell(news)?;
        self.status = status(self.args);
        self.answers.push((at, answered));
        Ok(())
    }
}
