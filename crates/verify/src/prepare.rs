//! A model prepared for an engine, and the way back: what an engine finds is lifted to the model as given.

use crate::auto::Form;
use crate::confirm::{Confirmed, closes, confirm, is_bad};
use crate::lift::lift;
use crate::model::Model;
use crate::pass::{Done, Passes, Stage};
use crate::property::Property;
use lariat_check::Counterexample;
use lariat_system::{Context, Lasso, Run, Step, TransitionSystem as _};

/// A rewritten model with its property, and what was done to make it.
#[derive(Debug)]
pub struct Prepared {
    /// The model and the property as an engine sees them.
    pub stage: Stage,
    /// What each pass did, in their order.
    pub passes: Vec<Done>,
}

/// The most rounds after which a loop of the given model may close.
const MAX_ROUNDS: usize = 256;
/// The most steps of a run with several rounds.
const MAX_STEPS: usize = 100_000;

impl Prepared {
    /// Makes the passes on a copy of the model.
    pub fn new(cx: &mut Context, model: &Model, property: &Property, passes: Passes) -> Self {
        let mut stage = Stage {
            model: model.copy(cx),
            property: property.clone(),
        };
        if !property.is_temporal() {
            // Any run may reach a bad state, and no pass need keep what nobody asks for.
            for system in &mut stage.model.systems {
                system.fairness.clear();
            }
        }
        let passes = passes.apply(cx, &mut stage);
        Self { stage, passes }
    }

    /// A counterexample of the rewritten model as one of the model as given, replayed there. Panics if that fails: then a
    /// pass or an engine has a bug.
    pub fn lift(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        found: Counterexample,
    ) -> (Counterexample, Confirmed) {
        let lifted = match found {
            Counterexample::Path(mut run) => {
                locate(&mut self.stage.model, &mut run);
                let (mut run, _) = self.lift_run(cx, given, run);
                stop_at_bad(cx, given, property, &mut run);
                Counterexample::Path(run)
            }
            Counterexample::Lasso(lasso) => {
                Counterexample::Lasso(self.lift_lasso(cx, given, property, lasso))
            }
        };
        let confirmed = confirm(cx, given, property, &lifted);
        (lifted, confirmed)
    }

    /// A lasso of the given model. Its loop need not come back to the same values of variables on which nothing depends;
    /// where it does not even do that, more rounds are lifted until some of them do.
    fn lift_lasso(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        mut found: Lasso,
    ) -> Lasso {
        locate(&mut self.stage.model, &mut found.run);
        let round: Vec<Step> = found.run.steps[found.honda + 1..].to_vec();
        for n_rounds in (0..).map(|n| 1 << n).take_while(|&n| n <= MAX_ROUNDS) {
            let n_steps = found.honda + 1 + n_rounds * round.len();
            if n_rounds > 1 && n_steps > MAX_STEPS {
                break;
            }
            while found.run.steps.len() < n_steps {
                found.run.steps.extend_from_slice(&round);
            }
            let (run, ends) = self.lift_run(cx, given, found.run.clone());
            // Where each round ends in the lifted run; the first starts at the end of round 0.
            let end = |n: usize| ends[found.honda + n * round.len()];
            let mut lasso = Lasso { run, honda: end(0) };
            let state = |n: usize| &lasso.run.steps[end(n)].state;
            let pairs = (1..=n_rounds).flat_map(|last| (0..last).map(move |first| (first, last)));
            let same = |&(first, last): &(usize, usize)| state(first) == state(last);
            let closing = pairs.into_iter().find(same);
            if let Some((first, last)) = closing {
                lasso.honda = end(first);
                lasso.run.steps.truncate(end(last) + 1);
                return lasso;
            }
            // What the engine's model does not tell apart may have other values in the first rounds.
            for first in [n_rounds - 1, n_rounds / 2] {
                lasso.honda = end(first);
                if closes(cx, given, property, &lasso).is_ok() {
                    return lasso;
                }
            }
        }
        panic!("a counterexample is lost: its loop does not close in the given model");
    }

    /// A run of the given model, and for each step of the rewritten run the position of its last one there.
    fn lift_run(&self, cx: &mut Context, given: &mut Model, mut run: Run) -> (Run, Vec<usize>) {
        let mut ends: Vec<usize> = (0..run.steps.len()).collect();
        let mut after = self.stage.model.copy(cx);
        locate(&mut after, &mut run);
        for (at, done) in self.passes.iter().enumerate().rev() {
            let mut before = if at == 0 {
                given.copy(cx)
            } else {
                given.with_systems(cx, done.before.clone())
            };
            let lifted = lift(cx, &mut before, &mut after, done, &run);
            let (lifted, own_ends) =
                lifted.unwrap_or_else(|why| panic!("a counterexample is lost: {why}"));
            run = lifted;
            for end in &mut ends {
                *end = own_ends[*end];
            }
            after = before;
        }
        locate(given, &mut run);
        (run, ends)
    }
}

/// Gives the states of a run their places in this composition: each numbers them in the order in which they are met.
fn locate(model: &mut Model, run: &mut Run) {
    let mut at = None;
    for step in &mut run.steps {
        let edges = match at {
            None => model.initial(),
            Some(at) => model.edges(at),
        };
        step.state.loc = edges[step.edge].target;
        at = Some(step.state.loc);
    }
}

/// Cuts a run at its first bad state: a step of the rewritten model may stand for several.
fn stop_at_bad(cx: &Context, model: &mut Model, property: &Property, run: &mut Run) {
    let Ok(observed) = run.replay(cx, model) else {
        return;
    };
    let steps = run.steps.iter().zip(&observed);
    let mut bad = steps.map(|(step, &seen)| is_bad(cx, model, property, &step.state, seen));
    if let Some(first) = bad.position(|is_bad| is_bad) {
        run.steps.truncate(first + 1);
    }
}

/// The forms of a model that were asked for, each made once.
pub struct Forms<'m> {
    model: &'m Model,
    property: &'m Property,
    passes: Passes,
    made: Vec<(Form, Prepared)>,
}

impl<'m> Forms<'m> {
    /// Nothing made yet.
    pub fn new(model: &'m Model, property: &'m Property, passes: Passes) -> Self {
        Self {
            model,
            property,
            passes,
            made: Vec::new(),
        }
    }

    /// The model in a form.
    pub fn get(&mut self, cx: &mut Context, form: Form) -> &mut Prepared {
        let known = self.made.iter().position(|(known, _)| *known == form);
        let at = known.unwrap_or_else(|| {
            let passes = form.passes(self.passes);
            let prepared = Prepared::new(cx, self.model, self.property, passes);
            self.made.push((form, prepared));
            self.made.len() - 1
        });
        &mut self.made[at].1
    }

    /// Hands over the model in a form.
    pub fn take(mut self, cx: &mut Context, form: Form) -> Prepared {
        self.get(cx, form);
        let at = self.made.iter().position(|(known, _)| *known == form);
        self.made.swap_remove(at.expect("just made")).1
    }

    /// The stage of a form.
    pub fn stage(&mut self, cx: &mut Context, form: Form) -> &Stage {
        &self.get(cx, form).stage
    }
}
