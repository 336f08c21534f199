//! A task: a model and a property. Deciding it is what this crate is for.
//!
//! ```text
//! Task { model, property } ─ passes ─► Prepared ─ portfolio of engines ─► verdict ─ lift, confirm ─► Answer
//! ```

use crate::auto::{self, Form};
use crate::confirm::Confirmed;
use crate::model::Model;
use crate::pass::{Done, Passes, Stage};
use crate::portfolio::{Attempt, Decided, MakeSolver, Member, Portfolio, RoundNews};
use crate::prepare::Forms;
use crate::property::Property;
use lariat_base::Budget;
use lariat_check::{
    Counterexample, Engine, Outcome, Problem, Proof, Ranking, Recurrence, Shape, Statistics,
    Unknown, Verdict,
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
    /// The passes that are made.
    pub passes: Passes,
    /// How many engines may work at once.
    pub jobs: usize,
    /// Makes solvers.
    pub solver: Arc<MakeSolver>,
    /// The limits.
    pub budget: Budget,
    /// Hears of the rounds of refinement loops.
    pub listener: Box<dyn FnMut(&RoundNews) + 'o>,
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

impl Default for Options<'_> {
    /// A portfolio without limits, with Z3.
    fn default() -> Self {
        Self {
            engine: None,
            ranking: Ranking::default(),
            recurrence: Recurrence::default(),
            passes: Passes::ALL,
            jobs: 1,
            solver: Arc::new(|| Box::new(Z3::new(Z3Config::default()))),
            budget: Budget::unlimited(),
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
        let mut answer = decide(cx, self.model, self.property, options);
        answer.about_cuts = answer.attempts.len();
        let cuts = self.model.cuts();
        if !cuts.is_empty() {
            judge_cuts(cx, self.model, &cuts, options, &mut answer);
        }
        answer.time = start.elapsed();
        answer
    }
}

fn decide(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    options: &mut Options<'_>,
) -> Answer {
    let mut forms = Forms::new(model, property, options.passes);
    let (members, shape) = match &options.engine {
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
            let stage = &mut forms.get(cx, Form::Usual).stage;
            let mut problem = Problem {
                system: Box::new(&mut stage.model),
                goal: stage.property.goal(),
            };
            let shape = Shape::new(cx, &mut problem);
            let is_temporal = property.is_temporal();
            let list = auto::forms(model, options.passes, is_temporal);
            let arguments = (options.ranking, options.recurrence);
            (
                auto::members(shape.kind, is_temporal, &list, arguments),
                Some(shape),
            )
        }
    };
    let portfolio = Portfolio {
        members,
        solver: Arc::clone(&options.solver),
        budget: &options.budget,
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
    let mut prepared = forms.take(cx, form);
    let (verdict, confirmed) = match verdict {
        Verdict::Violated(found) => {
            match prepared.lift(cx, model, property, &*options.solver, found) {
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
    Answer {
        verdict,
        confirmed,
        proof,
        passes: prepared.passes,
        shape,
        about_cuts: attempts.len(),
        attempts,
        decided_by: attempt,
        statistics,
        time: Duration::ZERO,
    }
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
            let text = "no recursion is deeper than its bound";
            let question = Property::never("", text, cuts.to_vec());
            let looked = decide(cx, model, &question, options);
            answer.attempts.extend(looked.attempts);
            match looked.verdict {
                Verdict::Holds => None,
                Verdict::Violated(_) => Some(
                    "holds on all runs within the bound of recursion; deeper recursion is possible: \
                     raise `--recursion`"
                        .to_owned(),
                ),
                Verdict::Unknown(why) => Some(format!(
                    "holds on all runs within the bound of recursion; whether deeper recursion is \
                     possible is unknown: {why}"
                )),
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
    steps.any(|step| is_cut(step.state.loc)).then(|| {
        "a run was found that refutes it, but its recursion is deeper than the bound: raise `--recursion`"
            .to_owned()
    })
}
