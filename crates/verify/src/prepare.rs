//! A model prepared for an engine, and the way back: what an engine finds is lifted to the model as given.

use crate::auto::Form;
use crate::confirm::{Confirmed, N_ROUNDS, closes, confirm, is_bad, read_terms};
use crate::fit::{Round, fit};
use crate::lift::lift;
use crate::model::Model;
use crate::pass::{Done, Passes, Stage};
use crate::portfolio::MakeSolver;
use crate::property::Property;
use lariat_check::{Counterexample, Values, closed_region, is_closed};
use lariat_expr::VarId;
use lariat_system::{Context, Growth, Lasso, RoundFormula, Run, TransitionSystem as _};

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
/// The rounds from which on numbers may grow as in the rewritten model: what that does not have may begin differently.
const GROWING_FROM: [usize; 4] = [0, 1, 2, 4];

/// How many rounds are lifted of a loop that does not leave a region.
const N_CLOSED: usize = 3;

/// A run of the given model that goes round a loop.
struct Rounds {
    run: Run,
    /// The position of the last step before the first round, and of the last step of each round.
    ends: Vec<usize>,
}

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
    /// pass or an engine has a bug. Nothing if a loop that does not come back to a state goes on in another way in the model
    /// as given.
    pub fn lift(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        solver: &MakeSolver,
        found: Counterexample,
    ) -> Option<(Counterexample, Confirmed)> {
        let lifted = match found {
            Counterexample::Path(mut run) => {
                locate(&mut self.stage.model, &mut run);
                let (mut run, _) = self.lift_run(cx, given, run);
                stop_at_bad(cx, given, property, &mut run);
                Counterexample::Path(run)
            }
            Counterexample::Lasso(mut lasso) => {
                locate(&mut self.stage.model, &mut lasso.run);
                Counterexample::Lasso(if !lasso.region.is_empty() {
                    self.lift_closed(cx, given, property, solver, &lasso)?
                } else if lasso.growth.is_none() {
                    self.lift_lasso(cx, given, property, &lasso)?
                } else {
                    self.lift_growing(cx, given, property, &lasso)?
                })
            }
        };
        let confirmed = confirm(cx, given, property, &lifted);
        Some((lifted, confirmed))
    }

    /// A lasso of the given model. Its loop need not come back to the same values of variables on which nothing depends;
    /// where it does not even do that, more rounds are lifted until some of them do.
    fn lift_lasso(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        found: &Lasso,
    ) -> Option<Lasso> {
        let n_steps = found.run.steps.len() - found.honda - 1;
        let mut single = None;
        for n_rounds in (0..).map(|n| 1 << n).take_while(|&n| n <= MAX_ROUNDS) {
            if n_rounds > 1 && found.honda + n_rounds * n_steps > MAX_STEPS {
                break;
            }
            let Some(Rounds { run, ends }) = self.lift_rounds(cx, given, found, n_rounds) else {
                break;
            };
            let lasso = |(first, last): (usize, usize)| {
                between(&run, ends[first], ends[last], Growth::default())
            };
            let state = |n: usize| &run.steps[ends[n]].state;
            let pairs = (1..=n_rounds).flat_map(|last| (0..last).map(move |first| (first, last)));
            let same = |&(first, last): &(usize, usize)| state(first) == state(last);
            let closing = pairs.into_iter().find(same);
            if closing.is_some() {
                return closing.map(lasso);
            }
            let loops = [(0, 1), (n_rounds - 1, n_rounds), (n_rounds / 2, n_rounds)];
            let mut loops = loops.into_iter().map(lasso);
            let repeatable = loops.find(|lasso| closes(cx, given, property, lasso).is_ok());
            // What the engine's model does not tell apart may have other values in the first round only: two rounds
            // may close.
            if n_rounds > 1 && repeatable.is_some() {
                return repeatable;
            }
            single = repeatable;
        }
        assert!(
            single.is_some() || !found.is_closed(),
            "a counterexample is lost: its loop does not close in the given model"
        );
        single
    }

    /// A lasso of the given model whose numbers grow by the same rule as in the rewritten one.
    fn lift_growing(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        found: &Lasso,
    ) -> Option<Lasso> {
        let n_rays = found.growth.rule.len();
        for first in GROWING_FROM {
            let Rounds { run, ends } = self.lift_rounds(cx, given, found, first + n_rays + 1)?;
            let rounds: Vec<Round<'_>> = ends
                .windows(2)
                .map(|ends| Round {
                    start: &run.steps[ends[0]].state.values,
                    steps: &run.steps[ends[0] + 1..=ends[1]],
                })
                .collect();
            let Some(growth) = fit(&found.growth, &rounds, first) else {
                continue;
            };
            let lasso = between(&run, ends[first], ends[first + 1], growth);
            // Relations of the given model may want other inputs than the growth says, which is no run to show.
            let goes_on = lasso.further_rounds(cx, given, N_ROUNDS).is_ok();
            if goes_on && closes(cx, given, property, &lasso).is_ok() {
                return Some(lasso);
            }
        }
        None
    }

    /// A lasso of the given model with a region of its own that its loop does not leave.
    fn lift_closed(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        solver: &MakeSolver,
        found: &Lasso,
    ) -> Option<Lasso> {
        let Rounds { run, ends } = self.lift_rounds(cx, given, found, N_CLOSED)?;
        let mut lasso = between(&run, ends[N_CLOSED - 1], ends[N_CLOSED], Growth::default());
        let variables: Vec<VarId> = given.variables().iter().map(|own| own.var).collect();
        let values = |at: usize| -> Values {
            let values = run.steps[ends[at]].state.values.iter().cloned();
            variables.iter().copied().zip(values).collect()
        };
        let read = read_terms(given, property);
        let round = RoundFormula::new(cx, given, &lasso, &read)?;
        let states = [&values(N_CLOSED - 1), &values(N_CLOSED)];
        lasso.region = closed_region(cx, &mut *solver(), &round, states)?;
        // The same argument, asked of another solver, and some rounds of it executed.
        let is_right = is_closed(cx, &mut *solver(), &round, &lasso.region);
        let goes_on = lasso.further_rounds(cx, given, N_ROUNDS).is_ok();
        (is_right && goes_on).then_some(lasso)
    }

    /// The stem and some rounds of a loop in the given model; nothing if further rounds need other inputs.
    fn lift_rounds(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        found: &Lasso,
        n_rounds: usize,
    ) -> Option<Rounds> {
        let mut run = found.run.clone();
        let n_steps = run.steps.len() - found.honda - 1;
        let further = found.further_rounds(cx, &mut self.stage.model, n_rounds - 1);
        run.steps.extend(further.ok()?);
        let (run, ends) = self.lift_run(cx, given, run);
        let ends = (0..=n_rounds).map(|n| ends[found.honda + n * n_steps]);
        Some(Rounds {
            run,
            ends: ends.collect(),
        })
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

/// The lasso whose loop is between two positions of a run.
fn between(run: &Run, honda: usize, end: usize, growth: Growth) -> Lasso {
    let steps = run.steps[..=end].to_vec();
    Lasso {
        run: Run { steps },
        honda,
        growth,
        region: Vec::new(),
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
