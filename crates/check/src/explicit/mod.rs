//! The explicit-state engine: every state of the product, one by one.
//!
//! The right tool for small finite models, and the oracle of every other engine: no abstraction, no
//! solver, only the semantics of statements and a search. It decides whatever has finitely many
//! reachable states, whether or not its sorts are finite. A model whose steps cannot all be listed is
//! explored as far as they can; a counterexample found there is real, its absence proves nothing.
//!
//! Where copies of something are treated alike (`symmetry/`), one state is explored for all that differ only in their order.

mod codes;
mod expand;
mod follow;
mod index;
mod layout;
mod moves;
mod orbits;
mod store;
#[cfg(test)]
mod tests;

use crate::confirm::confirm;
use crate::search::shorten;
use crate::symmetry::{self, Family, Symmetry};
use crate::{Counterexample, Engine as _, Goal, GraphLasso, Problem, Search, Unknown, Verdict};
use expand::Product;
use follow::Followed;
use lariat_base::{Budget, Stop};
use lariat_system::{Context, Growth, Lasso, Limits};

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
    /// Whether states that differ only in the order of copies count as one.
    pub symmetry: Symmetry,
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExplicitStats {
    /// Stored states of the product: one for each class of those that symmetries lead to one another.
    pub states: u64,
    /// What was exchanged, each with the names of the copies; nothing if every state was explored.
    pub symmetries: Vec<String>,
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
    let families = match config.symmetry {
        Symmetry::Auto => symmetry::find(cx, problem, budget),
        Symmetry::Off => Vec::new(),
    };
    // A run through classes of states that cannot be followed is looked for among the states themselves.
    explore(cx, problem, config, families, budget, stats)
        .or_else(|| explore(cx, problem, config, Vec::new(), budget, stats))
        .expect("a run through states can be followed")
}

/// Explores, one state for each class; nothing if a run through classes cannot be followed.
fn explore(
    cx: &mut Context,
    problem: &mut Problem,
    config: &ExplicitConfig,
    families: Vec<Family>,
    budget: &Budget,
    stats: &mut ExplicitStats,
) -> Option<Verdict> {
    let mut product = Product::new(cx, &mut *problem.system, &problem.goal, families, config);
    let found = match &problem.goal {
        Goal::Reach(_) => reach(&mut product, config, budget),
        Goal::Accept { .. } => accept(&mut product, config, budget),
    };
    *stats = ExplicitStats {
        states: product.store().len() as u64,
        symmetries: product.symmetries(),
        expanded: product.n_expanded,
        arcs: product.n_arcs,
        interpreted: product.n_interpreted,
        bytes_per_state: (product.store().n_words() * size_of::<u64>()) as u64,
        bytes: product.store().bytes() as u64,
        repacks: u64::from(product.store().n_repacks()),
        clear_steps: product.clear_steps(),
    };
    let unknown = match &found {
        Ok(Found::Nothing) => product.incomplete().map(Unknown::Infinite),
        Err(_) if product.is_overfull() => {
            let limit = config.max_states.unwrap_or_default();
            Some(Unknown::Infinite(format!(
                "there are more than {limit} states"
            )))
        }
        Err(stop) => Some(Unknown::Stopped(*stop)),
        Ok(Found::Lost) => return None,
        Ok(Found::Run(_)) => None,
    };
    drop(product);
    Some(match (found, unknown) {
        (Ok(Found::Run(counterexample)), _) => {
            confirm(cx, problem, &counterexample);
            Verdict::Violated(counterexample)
        }
        (_, Some(unknown)) => Verdict::Unknown(unknown),
        (_, None) => Verdict::Holds,
    })
}

/// What a search found.
enum Found {
    Nothing,
    Run(Counterexample),
    /// A path through classes of states that could not be followed.
    Lost,
}

impl Found {
    fn of(followed: Option<Followed>, run: impl FnOnce(Followed) -> Counterexample) -> Self {
        followed.map_or(Self::Lost, |followed| Self::Run(run(followed)))
    }
}

fn reach(
    product: &mut Product<'_>,
    config: &ExplicitConfig,
    budget: &Budget,
) -> Result<Found, Stop> {
    let search = config.search.unwrap_or(Search::Bfs);
    let reach = search.reach().expect("supported");
    let Some(path) = reach.search(product, budget)? else {
        return Ok(Found::Nothing);
    };
    let followed = product.follow(&path, &[])?;
    Ok(Found::of(followed, |followed| {
        Counterexample::Path(followed.run)
    }))
}

fn accept(
    product: &mut Product<'_>,
    config: &ExplicitConfig,
    budget: &Budget,
) -> Result<Found, Stop> {
    let search = config.search.unwrap_or(Search::Scc);
    let mut check = search.emptiness().expect("supported");
    let Some(mut lasso) = check.search(product, budget)? else {
        return Ok(Found::Nothing);
    };
    if config.shorten == Shorten::On {
        let explored = |node| check.is_explored(node);
        // Running out of time here loses only the shortening.
        if let Ok(short) = shorten(product, lasso.clone(), &explored, budget) {
            lasso = short;
        }
    }
    let GraphLasso { stem, cycle } = lasso;
    let followed = product.follow(&stem, &cycle)?;
    Ok(Found::of(followed, |Followed { run, honda }| {
        Counterexample::Lasso(Lasso {
            run,
            honda,
            growth: Growth::default(),
            region: Vec::new(),
            inputs: Vec::new(),
        })
    }))
}
