//! The abstraction-refinement loop (CEGAR): explore the abstract product, test what is found, refine, repeat.
//!
//! "Holds" comes from one place: a search that was exhausted on an over-approximation. Every other way
//! out is a confirmed counterexample or unknown; what is done about the counterexamples of a round is in
//! `respond.rs`. The loop never spins.

use crate::abstraction::AbstractGraph;
use crate::confirm::confirm;
use crate::domain::{
    Combined, CombinedConfig, Domain, Explicit, ExplicitConfig, Locality, Mode, PredicateConfig,
    Predicates,
};
use crate::engine::{Engine, Halt, Stats};
use crate::graph::{GraphLasso, GraphPath};
use crate::initial::{Initial, InitialPrecision};
use crate::problem::Problem;
use crate::product::Product;
use crate::refine::{LassoRefinement, PathRefinement};
use crate::respond::{Found, Responder, Workplace};
use crate::search::{Cutoff, Full, Lassos, Search, shorten};
use crate::verdict::{Counterexample, Verdict};
use lariat_base::Budget;
use lariat_smt::Backend;
use lariat_system::Context;
use std::time::Instant;

/// Which domain, with its settings.
#[derive(Clone, Debug)]
pub enum DomainConfig {
    /// Values of tracked variables.
    Explicit(ExplicitConfig),
    /// Truth of predicates.
    Predicates(PredicateConfig),
    /// Values of some variables, predicates over the others.
    Combined(CombinedConfig),
}

impl DomainConfig {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Explicit(_) => "expl",
            Self::Predicates(predicates) => match predicates.mode {
                Mode::Boolean => "pred-bool",
                Mode::Cartesian => "pred-cart",
                Mode::Split => "pred-split",
            },
            Self::Combined(combined) => match combined.predicates.mode {
                Mode::Boolean => "expl-pred-bool",
                Mode::Cartesian => "expl-pred-cart",
                Mode::Split => "expl-pred-split",
            },
        }
    }
}

/// Settings of the loop.
#[derive(Clone, Debug)]
pub struct CegarConfig {
    /// The domain.
    pub domain: DomainConfig,
    /// The search for lassos.
    pub search: Search,
    /// The search for bad states.
    pub reach: Search,
    /// What is tracked to start with.
    pub initial: InitialPrecision,
    /// Where what is learned applies.
    pub precision: Locality,
    /// How infeasible paths are explained.
    pub refinement: PathRefinement,
    /// How lassos are tested.
    pub lasso_refinement: LassoRefinement,
    /// The most rounds that refine by a loop that does not close.
    pub max_chases: u64,
    /// The most counterexamples that one exploration returns (search `full`).
    pub max_counterexamples: usize,
}

impl Default for CegarConfig {
    fn default() -> Self {
        Self {
            domain: DomainConfig::Explicit(ExplicitConfig::default()),
            search: Search::Scc,
            reach: Search::Bfs,
            initial: InitialPrecision::Property,
            precision: Locality::Global,
            refinement: PathRefinement::SeqItp,
            lasso_refinement: LassoRefinement::Direct {
                max_rounds: LassoRefinement::MAX_ROUNDS,
            },
            max_chases: 64,
            max_counterexamples: 16,
        }
    }
}

/// What is told about each round.
pub struct Round<'r> {
    /// Its number, from 1.
    pub number: u64,
    /// The nodes of the abstraction.
    pub n_nodes: usize,
    /// What is tracked.
    pub precision: &'r [String],
    /// What was found, in words.
    pub outcome: String,
    /// Counters so far.
    pub stats: &'r Stats,
}

/// Hears of each round; for live status and logs.
pub type Listener<'l> = dyn FnMut(&Round) + 'l;

/// Decides `problem` by abstraction refinement.
pub fn check_cegar(
    cx: &mut Context,
    problem: &mut Problem,
    config: &CegarConfig,
    solver: Box<dyn Backend>,
    budget: &Budget,
    listener: &mut Listener,
) -> (Verdict, Stats) {
    let initial = Initial::new(cx, problem, config.initial);
    let mut product = Product::new(cx, problem);
    let variables = product.variables().to_vec();
    let mut engine = Engine::new(cx, solver, &variables, budget);
    let result = match &config.domain {
        DomainConfig::Explicit(settings) => {
            let variables = initial.all_variables(engine.cx);
            let mut domain = Explicit::new(settings.clone(), config.precision, &variables);
            Loop::new(&mut engine, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Predicates(settings) => {
            let (settings, predicates) = (settings.clone(), &initial.predicates);
            let terms = &mut engine.cx.terms;
            let mut domain = Predicates::new(terms, settings, config.precision, predicates);
            Loop::new(&mut engine, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Combined(settings) => {
            let variables = [&initial.control[..], &initial.variables].concat();
            let mut domain = Combined::new(
                &mut engine.cx.terms,
                settings.clone(),
                config.precision,
                &variables,
                &initial.predicates,
            );
            Loop::new(&mut engine, &mut product, &mut domain, config).run(listener)
        }
    };
    let stats = engine.stats.clone();
    drop(engine);
    drop(product);
    let verdict = match result {
        Ok(Some(counterexample)) => {
            confirm(cx, problem, &counterexample);
            Verdict::Violated(counterexample)
        }
        Ok(None) => Verdict::Holds,
        Err(Halt(why)) => Verdict::Unknown(why),
    };
    (verdict, stats)
}

struct Loop<'l, 'c, 'p, D: Domain> {
    engine: &'l mut Engine<'c>,
    product: &'l mut Product<'p>,
    domain: &'l mut D,
    config: &'l CegarConfig,
    responder: Responder,
}

impl<'l, 'c, 'p, D: Domain> Loop<'l, 'c, 'p, D> {
    fn new(
        engine: &'l mut Engine<'c>,
        product: &'l mut Product<'p>,
        domain: &'l mut D,
        config: &'l CegarConfig,
    ) -> Self {
        Self {
            engine,
            product,
            domain,
            config,
            responder: Responder::new(config),
        }
    }

    fn run(&mut self, listener: &mut Listener) -> Result<Option<Counterexample>, Halt> {
        loop {
            self.engine.budget.check()?;
            self.engine.stats.iterations += 1;
            self.engine.stats.precision = self.domain.precision_size() as u64;
            let start = Instant::now();
            let found = self.explore();
            self.engine.stats.exploring += start.elapsed();
            let found = found?;
            let outcome = describe(&found);
            self.tell(listener, outcome);
            if found.all.is_empty() {
                return Ok(None);
            }
            let start = Instant::now();
            let at = Workplace {
                engine: self.engine,
                product: self.product,
                domain: self.domain,
            };
            let tested = self.responder.respond(at, &found.all);
            self.engine.stats.refining += start.elapsed();
            if let Some(counterexample) = tested? {
                self.tell(listener, "the counterexample is real".into());
                return Ok(Some(counterexample));
            }
        }
    }

    fn tell(&self, listener: &mut Listener, outcome: String) {
        let precision = self.domain.describe_precision(self.engine);
        let stats = &self.engine.stats;
        let (number, n_nodes) = (stats.iterations, stats.nodes as usize);
        listener(&Round {
            number,
            n_nodes,
            precision: &precision,
            outcome,
            stats,
        });
    }

    /// Searches the abstraction under the present precision.
    fn explore(&mut self) -> Result<AllFound, Halt> {
        let budget = self.engine.budget.clone();
        let lasso_search = self.product.all_marks() != 0;
        let mut graph = AbstractGraph::new(self.engine, self.product, self.domain);
        let found = if !lasso_search {
            let search = self
                .config
                .reach
                .reach()
                .expect("the settings name a search for goals");
            search.search(&mut graph, &budget).map(|path| AllFound {
                all: path.iter().map(|path| found_path(&graph, path)).collect(),
                cut: None,
            })
        } else if self.config.search == Search::Full {
            let limit = self.config.max_counterexamples;
            Full::new()
                .all(&mut graph, limit, &budget)
                .map(|Lassos { lassos, cut }| AllFound {
                    all: lassos
                        .iter()
                        .map(|lasso| found_lasso(&graph, lasso))
                        .collect(),
                    cut,
                })
        } else {
            let mut search = self
                .config
                .search
                .emptiness()
                .expect("the settings name a search for lassos");
            search
                .search(&mut graph, &budget)
                .and_then(|lasso| {
                    let is_explored = |node| search.is_explored(node);
                    lasso
                        .map(|lasso| shorten(&mut graph, lasso, &is_explored, &budget))
                        .transpose()
                })
                .map(|lasso| AllFound {
                    all: lasso
                        .iter()
                        .map(|lasso| found_lasso(&graph, lasso))
                        .collect(),
                    cut: None,
                })
        };
        let (n_nodes, failure) = (graph.n_nodes() as u64, graph.failure.take());
        self.engine.stats.nodes = n_nodes;
        self.engine.stats.total_nodes += n_nodes;
        match (found, failure) {
            (Ok(found), None) => Ok(found),
            (Err(stop), None) => Err(stop.into()),
            (_, Some(halt)) => Err(halt),
        }
    }
}

/// What one exploration found.
struct AllFound {
    all: Vec<Found>,
    /// Why there may be more, if there may.
    cut: Option<Cutoff>,
}

fn describe(AllFound { all, cut }: &AllFound) -> String {
    let more = cut.map_or_else(String::new, |cut| format!(" ({cut})"));
    match &all[..] {
        [] => "no counterexample in the abstraction".into(),
        [one] => format!("{}{more}", one.words),
        [first, ..] => format!("{} lassos{more}, the first: {}", all.len(), first.words),
    }
}

fn found_path<D: Domain>(graph: &AbstractGraph<'_, '_, '_, D>, path: &GraphPath) -> Found {
    let words = format!(
        "a path of {} steps to {}",
        path.hops.len() + 1,
        graph.describe(end_of(path))
    );
    Found {
        stem: graph.path(path),
        cycle: Vec::new(),
        words,
    }
}

fn found_lasso<D: Domain>(graph: &AbstractGraph<'_, '_, '_, D>, lasso: &GraphLasso) -> Found {
    let honda = end_of(&lasso.stem);
    let words = format!(
        "a lasso with a stem of {} and a loop of {} steps at {}",
        lasso.stem.hops.len() + 1,
        lasso.cycle.len(),
        graph.describe(honda)
    );
    Found {
        stem: graph.path(&lasso.stem),
        cycle: graph.hops(&lasso.cycle),
        words,
    }
}

fn end_of(path: &GraphPath) -> crate::NodeId {
    path.hops.last().map_or(path.start, |hop| hop.to)
}
