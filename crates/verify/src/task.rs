//! A task: a model and a property. Deciding it is what this crate is for.
//!
//! ```text
//! Task { model, property } ─ passes ─► Prepared ─ portfolio of engines ─► verdict ─ lift, confirm ─► Answer
//! ```

use crate::auto::{self, Form};
use crate::caution::{Note, Vacuity, notes};
use crate::confirm::Confirmed;
use crate::model::Model;
use crate::pass::deadlock::{forget_deadlock, gets_stuck, goes_on_when_stuck};
use crate::pass::{Done, Passes, Stage};
use crate::portfolio::{Attempt, Decided, End, MakeSolver, Member, News, Portfolio};
use crate::prepare::Forms;
use crate::property::Property;
use lariat_base::{Budget, Stop};
use lariat_check::{
    Counterexample, Engine, ExplicitStats, Outcome, Problem, Proof, Ranking, Recurrence, Shape,
    Shorten, Statistics, Symmetry, Unknown, Verdict,
};
use lariat_smt::{Z3, Z3Config};
use lariat_system::{Context, LocId, Run, TransitionSystem as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a run that never repeats a state may be none of the model as given.
const NOT_LIFTED: &str = "a run that never repeats a state was found, but in the model as given it goes on in another way";

/// A model and what is asked of it.
#[derive(Debug)]
pub struct Task<'t> {
    /// The model as given.
    pub model: &'t mut Model,
    /// The property.
    pub property: &'t Property,
}

/// How a task is decided.
pub struct Options<'o> {
    /// The engine; nothing: a portfolio chosen by the shape of the model.
    pub engine: Option<Arc<dyn Engine>>,
    /// Which measures a portfolio's engines look for.
    pub ranking: Ranking,
    /// Which runs that never repeat a state a portfolio's engines look for.
    pub recurrence: Recurrence,
    /// Whether a portfolio's engines that list states merge those that differ only in the order of copies.
    pub symmetry: Symmetry,
    /// The passes that are made.
    pub passes: Passes,
    /// How many engines may work at once.
    pub jobs: usize,
    /// Makes solvers.
    pub solver: Arc<MakeSolver>,
    /// The limits.
    pub budget: Budget,
    /// Whether runs are made shorter before they are shown.
    pub shorten: Shorten,
    /// The time that it may expect to have, if that is less than the limit: others may want their part of it.
    pub time: Option<Duration>,
    /// The most work that the engines may do, if that is limited.
    pub work: Option<u64>,
    /// How much is done to find out why a property holds.
    pub vacuity: Vacuity,
    /// Hears of what the engines are at.
    pub listener: Box<dyn FnMut(&News) + 'o>,
}

/// What was found out about a task.
#[derive(Debug)]
pub struct Answer {
    /// The verdict about the model as given.
    pub verdict: Verdict,
    /// The counterexample's replay on the model as given, if there is one.
    pub confirmed: Option<Confirmed>,
    /// Why the property holds, if it does.
    pub proof: Option<Proved>,
    /// What the reader of the verdict should know.
    pub notes: Vec<Note>,
    /// What the passes did to the model that was decided on.
    pub passes: Vec<Done>,
    /// The shape of the model, if the engines were chosen by it.
    pub shape: Option<Shape>,
    /// The attempts, in the order in which they began.
    pub attempts: Vec<Attempt>,
    /// Which attempt decided.
    pub decided_by: Option<usize>,
    /// From which attempt on it was asked whether the model's cuts can be reached; see [`Unknown::CutOff`].
    pub about_cuts: usize,
    /// What the deciding attempt did, or the last one.
    pub statistics: Statistics,
    /// The time it took.
    pub time: Duration,
}

impl Answer {
    /// The run that refutes the property, if there is one.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match &self.verdict {
            Verdict::Violated(found) => Some(found),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }
}

/// A proof, with what it speaks of: the model and the property as the passes left them. The model as given is not among
/// it: for "holds" the passes are trusted.
#[derive(Debug)]
pub struct Proved {
    /// The context of the terms and statements.
    pub cx: Context,
    /// The model.
    pub model: Model,
    /// The property.
    pub property: Property,
    /// Why the property holds of the model.
    pub proof: Proof,
}

impl Proved {
    fn new(cx: Context, stage: Stage, mut proof: Proof) -> Self {
        let Stage {
            mut model,
            property,
        } = stage;
        // The engine had a copy of the model.
        if let Proof::Graph(graph) = &mut proof {
            graph.relocate(&mut model);
        }
        Self {
            cx,
            model,
            property,
            proof,
        }
    }
}

impl Answer {
    /// Nothing was tried before the limit.
    fn stopped(stop: Stop) -> Self {
        Self {
            verdict: Verdict::Unknown(Unknown::Stopped(stop)),
            confirmed: None,
            proof: None,
            passes: Vec::new(),
            shape: None,
            attempts: Vec::new(),
            decided_by: None,
            about_cuts: 0,
            statistics: Statistics::Explicit(ExplicitStats::default()),
            notes: Vec::new(),
            time: Duration::ZERO,
        }
    }
}

impl Default for Options<'_> {
    /// A portfolio without limits, with Z3; no notes.
    fn default() -> Self {
        Self {
            engine: None,
            ranking: Ranking::default(),
            recurrence: Recurrence::default(),
            symmetry: Symmetry::default(),
            passes: Passes::ALL,
            jobs: 1,
            solver: Arc::new(|| Box::new(Z3::new(Z3Config::default()))),
            budget: Budget::unlimited(),
            shorten: Shorten::On,
            time: None,
            work: None,
            vacuity: Vacuity::Off,
            listener: Box::new(|_| ()),
        }
    }
}

impl Task<'_> {
    /// Decides whether the model satisfies the property.
    ///
    /// Where the model is cut off (bounded recursion), nothing is known of runs that come there: a property that no other
    /// run refutes holds only if no run comes there, which is asked then.
    pub fn check(&mut self, cx: &mut Context, options: &mut Options<'_>) -> Answer {
        let start = Instant::now();
        if self.property.is_temporal() {
            self.settle_deadlock(cx, options);
        }
        let mut answer = decide(cx, self.model, self.property, options);
        answer.about_cuts = answer.attempts.len();
        // A property may ask for a cut itself: whether a queue overflows.
        let mut cuts = self.model.cuts();
        cuts.retain(|cut| !self.property.asks_for(*cut));
        if !cuts.is_empty() {
            judge_cuts(cx, self.model, &cuts, options, &mut answer);
        }
        answer.time = start.elapsed();
        answer.notes = notes(cx, self.model, self.property, options, &answer);
        answer
    }

    /// Steps that stay in stuck states make proofs harder. Where no run gets stuck, as a question of its own shows, they can
    /// go: the runs are the same. Finite models are no harder with them.
    fn settle_deadlock(&mut self, cx: &mut Context, options: &mut Options<'_>) {
        if std::mem::replace(&mut self.model.knows_deadlock, true)
            || !goes_on_when_stuck(cx, &self.model.systems[0])
            || is_finite(cx, self.model)
        {
            return;
        }
        let Some((mut copy, question)) = gets_stuck(cx, self.model) else {
            return;
        };
        let budget = match options.budget.remaining() {
            Some(left) => options.budget.at_most(left / 4),
            None => options.budget.clone(),
        };
        let budget = std::mem::replace(&mut options.budget, budget);
        let most = options.work.unwrap_or(u64::MAX).min(DEADLOCK_WORK);
        let work = options.work.replace(most);
        let asked = decide(cx, &mut copy, &question, options);
        (options.budget, options.work) = (budget, work);
        if matches!(asked.verdict, Verdict::Holds) && copy.cuts().is_empty() {
            forget_deadlock(cx, &mut self.model.systems[0]);
        }
    }
}

/// The work that the question whether any run gets stuck may take.
const DEADLOCK_WORK: u64 = 3_000_000;

/// Whether all variables have finitely many values.
fn is_finite(cx: &Context, model: &Model) -> bool {
    let mut variables = model.variables().iter();
    variables.all(|variable| {
        let sort = cx.terms.var_sort(variable.var);
        variable.range.is_some() || cx.terms.sorts.cardinality(sort).is_some()
    })
}

/// Decides by the engine that is wanted, or by a portfolio. A member whose run cannot be lifted is left out and the others
/// are asked again.
fn decide(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    options: &mut Options<'_>,
) -> Answer {
    let mut earlier: Vec<Attempt> = Vec::new();
    let mut lost: Option<Answer> = None;
    loop {
        let answer = match options.budget.check() {
            Err(_) if lost.is_some() => None,
            _ => decide_without(cx, model, property, options, &earlier),
        };
        let Some(mut answer) = answer.or(lost.take()) else {
            unreachable!("there is a member, or one was left out");
        };
        if let (Verdict::Unknown(why), Some(at)) = (&answer.verdict, answer.decided_by) {
            answer.attempts[at].end = End::GaveUp(why.clone());
            answer.decided_by = None;
            earlier.append(&mut answer.attempts);
            lost = Some(answer);
            continue;
        }
        answer.decided_by = answer.decided_by.map(|at| earlier.len() + at);
        earlier.append(&mut answer.attempts);
        answer.attempts = earlier;
        return answer;
    }
}

/// Whether an attempt found a run that could not be lifted.
fn is_lost(attempt: &Attempt) -> bool {
    matches!(&attempt.end, End::GaveUp(Unknown::NoProgress(why)) if why == NOT_LIFTED)
}

/// Decides once, without the members whose runs were lost; nothing if there are no others. A verdict of unknown that an
/// attempt is named for is such a run.
fn decide_without(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    options: &mut Options<'_>,
    earlier: &[Attempt],
) -> Option<Answer> {
    let mut forms = Forms::new(model, property, options.passes);
    let (mut members, shape) = match &options.engine {
        Some(engine) => {
            let member = Member {
                form: Form::Usual,
                engine: Arc::clone(engine),
                rank: Some(0),
                part: 1,
            };
            (vec![member], None)
        }
        None => {
            let stage = match forms.get(cx, Form::Usual, &options.budget) {
                Ok(prepared) => &mut prepared.stage,
                Err(stop) => return Some(Answer::stopped(stop)),
            };
            let mut problem = Problem {
                system: Box::new(&mut stage.model),
                goal: stage.property.goal(),
            };
            let mut shape = Shape::new(cx, &mut problem);
            drop(problem);
            auto::look_for_bounds(cx, &mut stage.model, &mut shape);
            let is_temporal = property.is_temporal();
            let list = auto::forms(model, options.passes, is_temporal);
            let arguments = (options.ranking, options.recurrence, options.symmetry);
            (
                auto::members(&shape, is_temporal, &list, arguments),
                Some(shape),
            )
        }
    };
    members.retain(|member| {
        let mut lost = earlier.iter().filter(|attempt| is_lost(attempt));
        let engine = member.engine.describe();
        !lost.any(|lost| lost.form == member.form && lost.engine.describe() == engine)
    });
    if members.is_empty() {
        return None;
    }
    let portfolio = Portfolio {
        members,
        solver: Arc::clone(&options.solver),
        budget: &options.budget,
        time: options.time.or(options.budget.remaining()),
        work: options.work,
        jobs: options.jobs,
        listener: &mut *options.listener,
    };
    let Decided {
        attempt,
        found,
        attempts,
    } = portfolio.run(cx, &mut forms);
    let Outcome {
        verdict,
        statistics,
        proof,
    } = found.outcome;
    let form = attempt
        .or(attempts.len().checked_sub(1))
        .map_or(Form::Usual, |attempt| attempts[attempt].form);
    let Some(mut prepared) = forms.take(form) else {
        // No member was started.
        let stop = options.budget.check().err();
        return Some(Answer::stopped(stop.unwrap_or(Stop::Time)));
    };
    let (verdict, confirmed) = match verdict {
        Verdict::Violated(found) => {
            let lifted = prepared.lift(cx, model, property, &*options.solver, found.clone());
            let short = lifted.as_ref().and_then(|(lifted, _)| {
                (options.shorten == Shorten::On).then_some(())?;
                prepared.shorter(cx, model, property, options, (&found, lifted))
            });
            match short.or(lifted) {
                Some((lifted, confirmed)) => (Verdict::Violated(lifted), Some(confirmed)),
                None => (
                    Verdict::Unknown(Unknown::NoProgress(NOT_LIFTED.into())),
                    None,
                ),
            }
        }
        other => (other, None),
    };
    let proof = proof.zip(found.cx);
    let proof = proof.map(|(proof, cx)| Proved::new(cx, prepared.stage, proof));
    Some(Answer {
        verdict,
        confirmed,
        proof,
        notes: Vec::new(),
        passes: prepared.passes,
        shape,
        about_cuts: attempts.len(),
        attempts,
        decided_by: attempt,
        statistics,
        time: Duration::ZERO,
    })
}

/// Takes back a verdict that rests on runs which come to where the model is cut off.
fn judge_cuts(
    cx: &mut Context,
    model: &mut Model,
    cuts: &[(usize, LocId)],
    options: &mut Options<'_>,
    answer: &mut Answer,
) {
    let why = match &answer.verdict {
        Verdict::Unknown(_) => return,
        Verdict::Violated(Counterexample::Path(run)) => at_cut(model, cuts, run),
        Verdict::Violated(Counterexample::Lasso(lasso)) => at_cut(model, cuts, &lasso.run),
        Verdict::Holds => {
            let words = cut_words(model);
            let question = Property::never("", words.none, cuts.to_vec());
            let looked = decide(cx, model, &question, options);
            answer.attempts.extend(looked.attempts);
            match looked.verdict {
                Verdict::Holds => None,
                Verdict::Violated(_) => Some(words.others.to_owned()),
                Verdict::Unknown(why) => Some(format!("{}: {why}", words.unknown)),
            }
        }
    };
    if let Some(why) = why {
        answer.verdict = Verdict::Unknown(Unknown::CutOff(why));
        answer.confirmed = None;
        answer.proof = None;
    }
}

/// Why a run with a part of the model at its cut refutes nothing.
fn at_cut(model: &Model, cuts: &[(usize, LocId)], run: &Run) -> Option<String> {
    let is_cut = |at| {
        cuts.iter()
            .any(|&(part, cut)| model.leaf_location(at, part) == cut)
    };
    let steps = &mut run.steps.iter();
    steps
        .any(|step| is_cut(step.state.loc))
        .then(|| cut_words(model).refuted.to_owned())
}

/// What the cuts of a model mean, in words.
struct CutWords {
    /// No cut is reached.
    none: &'static str,
    /// The property holds where none is, and some are reached.
    others: &'static str,
    /// The same, and it is unknown whether some are.
    unknown: &'static str,
    /// A run refutes it, but reaches one.
    refuted: &'static str,
}

fn cut_words(model: &Model) -> CutWords {
    if model.systems.iter().any(|system| system.chart.is_some()) {
        CutWords {
            none: "no queue overflows, and nothing is computed that is not modelled",
            others: "holds on all runs on which no queue overflows and nothing is computed that is not modelled; \
                     others are possible: ask `--property queue`, or raise `--queue`",
            unknown: "holds on all runs on which no queue overflows and nothing is computed that is not modelled; \
                      whether there are others is unknown",
            refuted: "a run was found that refutes it, but a queue overflows on it, or something is computed that is \
                      not modelled: raise `--queue`",
        }
    } else if model.systems.iter().any(|system| system.plc.is_some()) {
        CutWords {
            none: "no scan comes to a fault",
            others: "holds on all runs without a fault; others are possible: ask `--property faults`",
            unknown: "holds on all runs without a fault; whether there are others is unknown",
            refuted: "a run was found that refutes it, but it comes to a fault: ask `--property faults`",
        }
    } else {
        CutWords {
            none: "no recursion is deeper than its bound",
            others: "holds on all runs within the bound of recursion; deeper recursion is possible: \
                     raise `--recursion`",
            unknown: "holds on all runs within the bound of recursion; whether deeper recursion is \
                      possible is unknown",
            refuted: "a run was found that refutes it, but its recursion is deeper than the bound: raise `--recursion`",
        }
    }
}
