//! The explicit-state engine: every state of the product, one by one.
//!
//! The right tool for small finite models, and the oracle of every other engine: no abstraction, no
//! solver, only the semantics of statements and a search. It decides whatever has finitely many
//! reachable states, whether or not its sorts are finite. A model whose steps cannot all be listed is
//! explored as far as they can; a counterexample found there is real, its absence proves nothing.

mod codes;
mod expand;
mod index;
mod layout;
mod moves;
mod store;
#[cfg(test)]
mod tests;

use crate::confirm::confirm;
use crate::search::shorten;
use crate::{
    Counterexample, Engine as _, Goal, Graph, GraphLasso, GraphPath, Hop, Problem, Search, Unknown,
    Verdict,
};
use expand::Product;
use lariat_base::{Budget, Stop};
use lariat_system::{Context, Growth, Lasso, Limits, Run};

/// How to explore.
#[derive(Clone, Debug, Default)]
pub struct ExplicitConfig {
    /// The search: one for lassos or one for goals, as the problem asks; `scc` or `bfs` if not given.
    pub search: Option<Search>,
    /// Gives up beyond this many states.
    pub max_states: Option<usize>,
    /// How far to go in listing the outcomes of a step that has no code.
    pub limits: Limits,
    /// Whether to look for a shorter lasso in what was explored.
    pub shorten: Shorten,
}

/// Whether to shorten lassos.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shorten {
    /// Look for a shorter one.
    #[default]
    On,
    /// Report what was found.
    Off,
}

/// What an exploration did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExplicitStats {
    /// Stored states of the product.
    pub states: u64,
    /// States whose successors were computed, each time they were.
    pub expanded: u64,
    /// Arcs computed.
    pub arcs: u64,
    /// Edges that the interpreter had to run.
    pub interpreted: u64,
    /// Bytes of a packed state.
    pub bytes_per_state: u64,
    /// Bytes of all stored states and their index.
    pub bytes: u64,
    /// How often the stored states were packed anew.
    pub repacks: u64,
    /// No counterexample has so many steps or fewer, stem and loop together, if that is known.
    pub clear_steps: Option<u64>,
}

/// Decides `problem` by exploring its states.
pub fn check_explicit(
    cx: &mut Context,
    problem: &mut Problem,
    config: &ExplicitConfig,
    budget: &Budget,
    stats: &mut ExplicitStats,
) -> Verdict {
    if let Err(why) = config.supports(problem) {
        return Verdict::Unknown(Unknown::Unsupported(why));
    }
    let limits = Limits {
        budget: budget.clone(),
        ..config.limits.clone()
    };
    let config = &ExplicitConfig {
        limits,
        ..config.clone()
    };
    let mut product = Product::new(cx, &mut *problem.system, &problem.goal, config);
    let found = match &problem.goal {
        Goal::Reach(_) => reach(&mut product, config, budget),
        Goal::Accept { .. } => accept(&mut product, config, budget),
    };
    *stats = ExplicitStats {
        states: product.store().len() as u64,
        expanded: product.n_expanded,
        arcs: product.n_arcs,
        interpreted: product.n_interpreted,
        bytes_per_state: (product.store().n_words() * size_of::<u64>()) as u64,
        bytes: product.store().bytes() as u64,
        repacks: u64::from(product.store().n_repacks()),
        clear_steps: product.clear_steps(),
    };
    let unknown = match &found {
        Ok(None) => product.incomplete().map(Unknown::Infinite),
        Err(_) if product.is_overfull() => {
            let limit = config.max_states.unwrap_or_default();
            Some(Unknown::Infinite(format!(
                "there are more than {limit} states"
            )))
        }
        Err(stop) => Some(Unknown::Stopped(*stop)),
        Ok(Some(_)) => None,
    };
    drop(product);
    match (found, unknown) {
        (Ok(Some(counterexample)), _) => {
            confirm(cx, problem, &counterexample);
            Verdict::Violated(counterexample)
        }
        (_, Some(unknown)) => Verdict::Unknown(unknown),
        (_, None) => Verdict::Holds,
    }
}

fn reach(
    product: &mut Product<'_>,
    config: &ExplicitConfig,
    budget: &Budget,
) -> Result<Option<Counterexample>, Stop> {
    let search = config.search.unwrap_or(Search::Bfs);
    let reach = search.reach().expect("supported");
    let found = reach.search(product, budget)?;
    Ok(match found {
        None => None,
        Some(path) => Some(Counterexample::Path(run(product, &path, &[])?)),
    })
}

fn accept(
    product: &mut Product<'_>,
    config: &ExplicitConfig,
    budget: &Budget,
) -> Result<Option<Counterexample>, Stop> {
    let search = config.search.unwrap_or(Search::Scc);
    let mut check = search.emptiness().expect("supported");
    let Some(mut lasso) = check.search(product, budget)? else {
        return Ok(None);
    };
    if config.shorten == Shorten::On {
        let explored = |node| check.is_explored(node);
        // Running out of time here loses only the shortening.
        if let Ok(short) = shorten(product, lasso.clone(), &explored, budget) {
            lasso = short;
        }
    }
    let GraphLasso { stem, cycle } = lasso;
    let run = run(product, &stem, &cycle)?;
    let honda = stem.hops.len();
    Ok(Some(Counterexample::Lasso(Lasso {
        run,
        honda,
        growth: Growth::default(),
        region: Vec::new(),
        inputs: Vec::new(),
    })))
}

/// The run along a path and then the hops of a cycle.
fn run(product: &mut Product<'_>, path: &GraphPath, cycle: &[Hop]) -> Result<Run, Stop> {
    let mut starts = Vec::new();
    product.initial(&mut starts)?;
    let first = starts
        .iter()
        .position(|&start| start == path.start)
        .expect("a path starts in an initial node");
    let mut steps = vec![product.step(None, first)];
    for hop in path.hops.iter().chain(cycle) {
        steps.push(product.step(Some(hop.from), hop.index));
    }
    Ok(Run { steps })
}
