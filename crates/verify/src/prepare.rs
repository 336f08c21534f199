//! A model prepared for an engine, and the way back: what an engine finds is lifted to the model as given.

use crate::auto::Form;
use crate::confirm::{Confirmed, N_ROUNDS, closes, confirm, is_bad, read_terms};
use crate::fit::{Round, fit};
use crate::lift::lift;
use crate::model::Model;
use crate::pass::{Applied, Done, Passes, Stage};
use crate::portfolio::MakeSolver;
use crate::property::Property;
use crate::task::Options;
use lariat_base::{Budget, Stop};
use lariat_check::{Counterexample, Problem, find_region, goes_on_in_region};
use lariat_expr::Int;
use lariat_system::{Context, Growth, Lasso, Next, Run, TransitionSystem as _};

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

/// A run of the given model that goes round a loop.
struct Rounds {
    run: Run,
    /// The position of the last step before the first round, and of the last step of each round.
    ends: Vec<usize>,
}

impl Prepared {
    /// Makes the passes on a copy of the model, within a budget.
    pub fn new(
        cx: &mut Context,
        model: &Model,
        property: &Property,
        passes: Passes,
        budget: &Budget,
    ) -> Result<Self, Stop> {
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
        let passes = passes.apply(cx, &mut stage, budget)?;
        Ok(Self { stage, passes })
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
        let lifted = self.try_lift(cx, given, property, solver, found);
        lifted.unwrap_or_else(|why| panic!("a counterexample is lost: {why}"))
    }

    /// A counterexample that is shorter, or easier to read, than `lifted`, which was made of `found`; nothing if there is none,
    /// or if it is none of the model as given.
    pub fn shorter(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        options: &Options<'_>,
        (found, lifted): (&Counterexample, &Counterexample),
    ) -> Option<(Counterexample, Confirmed)> {
        let mut found = found.clone();
        match &mut found {
            Counterexample::Path(run) => locate(&mut self.stage.model, run),
            Counterexample::Lasso(lasso) => locate(&mut self.stage.model, &mut lasso.run),
        }
        let mut problem = Problem {
            system: Box::new(&mut self.stage.model),
            goal: self.stage.property.goal(),
        };
        let short = lariat_check::shorter(cx, &mut problem, &found, &options.budget);
        drop(problem);
        if short == found {
            return None;
        }
        let short = self.try_lift(cx, given, property, &*options.solver, short);
        short
            .ok()?
            .filter(|(short, _)| short.n_steps() <= lifted.n_steps())
    }

    /// As [`Prepared::lift`]; an error says why it is no counterexample.
    fn try_lift(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        solver: &MakeSolver,
        found: Counterexample,
    ) -> Result<Option<(Counterexample, Confirmed)>, String> {
        let lifted = match found {
            Counterexample::Path(mut run) => {
                locate(&mut self.stage.model, &mut run);
                let (mut run, _) = self.lift_run(cx, given, run)?;
                stop_at_bad(cx, given, property, &mut run);
                Some(Counterexample::Path(run))
            }
            Counterexample::Lasso(mut lasso) => {
                locate(&mut self.stage.model, &mut lasso.run);
                let lasso = if !lasso.region.is_empty() {
                    self.lift_closed(cx, given, property, solver, &lasso)
                } else if lasso.growth.is_none() {
                    self.lift_lasso(cx, given, property, &lasso)
                } else {
                    self.lift_growing(cx, given, property, &lasso, &lasso.growth)
                };
                lasso?.map(Counterexample::Lasso)
            }
        };
        let Some(lifted) = lifted else {
            return Ok(None);
        };
        let confirmed = confirm(cx, given, property, &lifted)?;
        Ok(Some((lifted, confirmed)))
    }

    /// A lasso of the given model. Its loop need not come back to the same values of variables on which nothing depends;
    /// where it does not even do that, more rounds are lifted until some of them do.
    fn lift_lasso(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        found: &Lasso,
    ) -> Result<Option<Lasso>, String> {
        let n_steps = found.run.steps.len() - found.honda - 1;
        let mut single = None;
        for n_rounds in (0..).map(|n| 1 << n).take_while(|&n| n <= MAX_ROUNDS) {
            if n_rounds > 1 && found.honda + n_rounds * n_steps > MAX_STEPS {
                break;
            }
            let Some(Rounds { run, ends }) = self.lift_rounds(cx, given, found, n_rounds)? else {
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
                return Ok(closing.map(lasso));
            }
            let loops = [(0, 1), (n_rounds - 1, n_rounds), (n_rounds / 2, n_rounds)];
            let mut loops = loops.into_iter().map(lasso);
            let repeatable = loops.find(|lasso| closes(cx, given, property, lasso).is_ok());
            // What the engine's model does not tell apart may have other values in the first round only: two rounds
            // may close.
            if n_rounds > 1 && repeatable.is_some() {
                return Ok(repeatable);
            }
            single = repeatable;
        }
        if single.is_none() && self.stops_clocks() {
            // A clock that is not reset goes on in the given model, by the same number in each round.
            let steadily = Growth {
                rule: vec![Next {
                    plus: Int::ONE,
                    times: vec![Int::ONE],
                }],
                ..Growth::default()
            };
            single = self.lift_growing(cx, given, property, found, &steadily)?;
        }
        if single.is_none() && found.is_closed() {
            return Err("its loop does not close in the given model".into());
        }
        Ok(single)
    }

    /// Whether clocks stop in the rewritten model that go on in the given one.
    fn stops_clocks(&self) -> bool {
        let mut passes = self.passes.iter();
        passes.any(|done| matches!(&done.applied, Applied::Clocks(clocks) if !clocks.is_empty()))
    }

    /// A lasso of the given model whose numbers grow by a rule.
    fn lift_growing(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        found: &Lasso,
        rule: &Growth,
    ) -> Result<Option<Lasso>, String> {
        let n_rays = rule.rule.len();
        for first in GROWING_FROM {
            let rounds = self.lift_rounds(cx, given, found, first + n_rays + 1)?;
            let Some(Rounds { run, ends }) = rounds else {
                return Ok(None);
            };
            let rounds: Vec<Round<'_>> = ends
                .windows(2)
                .map(|ends| Round {
                    start: &run.steps[ends[0]].state.values,
                    steps: &run.steps[ends[0] + 1..=ends[1]],
                })
                .collect();
            let Some(growth) = fit(rule, &rounds, first) else {
                continue;
            };
            let lasso = between(&run, ends[first], ends[first + 1], growth);
            // Relations of the given model may want other inputs than the growth says, which is no run to show.
            let goes_on = lasso.further_rounds(cx, given, N_ROUNDS).is_ok();
            if goes_on && closes(cx, given, property, &lasso).is_ok() {
                return Ok(Some(lasso));
            }
        }
        Ok(None)
    }

    /// A lasso of the given model with a region of its own that its loop does not leave.
    fn lift_closed(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        property: &Property,
        solver: &MakeSolver,
        found: &Lasso,
    ) -> Result<Option<Lasso>, String> {
        let Some(Rounds { run, ends }) = self.lift_rounds(cx, given, found, 1)? else {
            return Ok(None);
        };
        let mut lasso = between(&run, ends[0], ends[1], Growth::default());
        let (read, variables) = (read_terms(given, property), given.variables().to_vec());
        if !find_region(cx, &mut *solver(), given, &variables, &mut lasso, &read) {
            return Ok(None);
        }
        // The same argument, asked of another solver, and some rounds of it executed.
        let is_right = goes_on_in_region(cx, &mut *solver(), given, &lasso, &read, N_ROUNDS);
        Ok(is_right.then_some(lasso))
    }

    /// The stem and some rounds of a loop in the given model; nothing if further rounds need other inputs.
    fn lift_rounds(
        &mut self,
        cx: &mut Context,
        given: &mut Model,
        found: &Lasso,
        n_rounds: usize,
    ) -> Result<Option<Rounds>, String> {
        let mut run = found.run.clone();
        let n_steps = run.steps.len() - found.honda - 1;
        let further = found.further_rounds(cx, &mut self.stage.model, n_rounds - 1);
        let Ok(further) = further else {
            return Ok(None);
        };
        if further.len() < (n_rounds - 1) * n_steps {
            return Ok(None);
        }
        run.steps.extend(further);
        let (run, ends) = self.lift_run(cx, given, run)?;
        let ends = (0..=n_rounds).map(|n| ends[found.honda + n * n_steps]);
        Ok(Some(Rounds {
            run,
            ends: ends.collect(),
        }))
    }

    /// A run of the given model, and for each step of the rewritten run the position of its last one there.
    fn lift_run(
        &self,
        cx: &mut Context,
        given: &mut Model,
        mut run: Run,
    ) -> Result<(Run, Vec<usize>), String> {
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
            let (lifted, own_ends) = lifted.map_err(|why| why.to_string())?;
            run = lifted;
            for end in &mut ends {
                *end = own_ends[*end];
            }
            after = before;
        }
        locate(given, &mut run);
        Ok((run, ends))
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
        inputs: Vec::new(),
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

    /// The model in a form; it is made within a budget.
    pub fn get(
        &mut self,
        cx: &mut Context,
        form: Form,
        budget: &Budget,
    ) -> Result<&mut Prepared, Stop> {
        let known = self.made.iter().position(|(known, _)| *known == form);
        let at = match known {
            Some(at) => at,
            None => {
                let passes = form.passes(self.passes);
                let prepared = Prepared::new(cx, self.model, self.property, passes, budget)?;
                self.made.push((form, prepared));
                self.made.len() - 1
            }
        };
        Ok(&mut self.made[at].1)
    }

    /// Hands over the model in a form, if it was made.
    pub fn take(mut self, form: Form) -> Option<Prepared> {
        let at = self.made.iter().position(|(known, _)| *known == form)?;
        Some(self.made.swap_remove(at).1)
    }
}
