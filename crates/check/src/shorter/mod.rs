//! Counterexamples made fit to be read: shorter, and with inputs that stay as they are where they do not matter.
//!
//! Engines find some run, not a readable one: a search in depth wanders, and a solver takes any value. Here a run is taken
//! as material for a better one, whoever found it:
//!
//! 1. Inputs get plain values wherever the run goes on as before (`calm.rs`). What was a different step because of an
//!    input that does not matter is the same step now.
//! 2. The steps of the run, each possible wherever the system is at the same place, span a graph that holds the run and
//!    many others (`moves.rs`). The usual searches look for a shortest path or a short lasso there. What all inputs
//!    together would make of a state is not listed: that is what makes models with many inputs large.
//! 3. Both again, as long as it gets shorter; at last inputs keep the value they have, or get a small one.
//!
//! Every state comes from executing a step, so a result is a run by construction; it reads the same letters or is
//! accepted by the same reader. It is replayed all the same, as any other. Work is counted and bounded, and whoever has
//! no time left gets the best run so far. After Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
//! input" (TSE 2002): parts of an input are replaced as long as the failure stays; rejected was their division in
//! halves, since a step mostly tells by itself whether all of its inputs matter.
//!
//! Left alone are loops that do not come back to the same state.

mod calm;
mod moves;
mod walker;

use crate::Counterexample;
use crate::problem::Problem;
use crate::reader::Reader;
use calm::{Wish, calm};
use lariat_base::Budget;
use lariat_system::{Context, Growth, Lasso, Run, Step};
use walker::Walker;

/// How often a run is made shorter at most.
const MAX_ROUNDS: usize = 4;

/// A counterexample to the same property with at most as many steps.
pub fn shorter(
    cx: &Context,
    problem: &mut Problem<'_>,
    found: &Counterexample,
    budget: &Budget,
) -> Counterexample {
    let Some(mut trail) = Trail::new(found) else {
        return found.clone();
    };
    let reader = reader(problem);
    let terms = reader.map_or_else(Vec::new, |reader| reader.terms().to_vec());
    let mut walker = Walker::new(cx, &mut *problem.system, terms, budget);
    calm(&mut walker, &mut trail, Wish::Plain);
    for _ in 0..MAX_ROUNDS {
        match moves::shortest(&mut walker, &problem.goal, &trail) {
            Some(short) if short.steps.len() < trail.steps.len() => trail = short,
            _ => break,
        }
        calm(&mut walker, &mut trail, Wish::Plain);
    }
    calm(&mut walker, &mut trail, Wish::Kept);
    trail.into_counterexample()
}

/// What reads the runs of a problem.
fn reader(problem: &Problem<'_>) -> Option<Reader> {
    let (mut acceptance, mut sets) = Default::default();
    Reader::new(
        &problem.goal,
        problem.system.fairness(),
        &mut acceptance,
        &mut sets,
    )
}

/// A run to a bad state, or one with a loop that comes back to the state after step `honda`.
#[derive(Clone, Debug)]
struct Trail {
    steps: Vec<Step>,
    honda: Option<usize>,
}

impl Trail {
    fn new(found: &Counterexample) -> Option<Self> {
        let (run, honda) = match found {
            Counterexample::Path(run) => (run, None),
            Counterexample::Lasso(lasso) => {
                let comes_back = lasso.growth.is_none() && lasso.region.is_empty();
                (comes_back && lasso.is_closed()).then_some(())?;
                (&lasso.run, Some(lasso.honda))
            }
        };
        let steps = run.steps.clone();
        Some(Self { steps, honda })
    }

    fn into_counterexample(self) -> Counterexample {
        let run = Run { steps: self.steps };
        match self.honda {
            None => Counterexample::Path(run),
            Some(honda) => Counterexample::Lasso(Lasso {
                run,
                honda,
                growth: Growth::default(),
                region: Vec::new(),
                inputs: Vec::new(),
            }),
        }
    }
}
