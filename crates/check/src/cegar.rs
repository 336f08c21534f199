//! The abstraction-refinement loop (CEGAR): explore the abstract product, test what is found, refine, repeat.
//!
//! "Holds" comes from one place: a search that was exhausted on an over-approximation. Every other way
//! out is a confirmed counterexample or unknown. A round that changes nothing escalates (whole
//! interpolants, exact steps) and, when nothing is left to escalate, ends as unknown:
//! the loop never spins.

use crate::abstraction::{AbstractGraph, Taken};
use crate::confirm::confirm;
use crate::domain::{
    Domain, Explicit, ExplicitConfig, Learned, Mode, PredicateConfig, Predicates, Reason,
};
use crate::engine::{Engine, Halt, Stats};
use crate::graph::{GraphLasso, GraphPath};
use crate::problem::{Goal, Problem};
use crate::product::Product;
use crate::refine::{
    AbstractLasso, Cut, LassoRefinement, LassoResult, PathRefinement, PathResult, test_path,
};
use crate::search::{Search, shorten};
use crate::verdict::{Counterexample, Unknown, Verdict};
use lariat_base::Budget;
use lariat_expr::{TermId, VarId};
use lariat_smt::Backend;
use lariat_system::{Context, StmtId};
use std::time::Instant;

/// Which domain, with its settings.
#[derive(Clone, Debug)]
pub enum DomainConfig {
    /// Values of tracked variables.
    Explicit(ExplicitConfig),
    /// Truth of predicates.
    Predicates(PredicateConfig),
}

impl DomainConfig {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Explicit(_) => "expl",
            Self::Predicates(PredicateConfig {
                mode: Mode::Cartesian,
                ..
            }) => "pred-cart",
            Self::Predicates(PredicateConfig {
                mode: Mode::Split, ..
            }) => "pred-split",
        }
    }
}

/// What the first precision tracks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialPrecision {
    /// Nothing.
    Empty,
    /// The atoms of the property, or their variables.
    Property,
    /// Control variables.
    Control,
    /// All variables (explicit values only).
    AllVariables,
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
    /// How infeasible paths are explained.
    pub refinement: PathRefinement,
    /// How lassos are tested.
    pub lasso_refinement: LassoRefinement,
    /// The most refinements by a loop that does not close.
    pub max_chases: u64,
}

impl Default for CegarConfig {
    fn default() -> Self {
        Self {
            domain: DomainConfig::Explicit(ExplicitConfig::default()),
            search: Search::Scc,
            reach: Search::Bfs,
            initial: InitialPrecision::Property,
            refinement: PathRefinement::SeqItp,
            lasso_refinement: LassoRefinement::Direct { max_rounds: 8 },
            max_chases: 64,
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
    let (property_atoms, control) = initial_terms(cx, problem, config.initial);
    let mut product = Product::new(cx, problem);
    let variables = product.variables().to_vec();
    let mut engine = Engine::new(cx, solver, &variables, budget);
    let result = match &config.domain {
        DomainConfig::Explicit(settings) => {
            let mut vars = engine.cx.terms.free_vars(&property_atoms);
            vars.extend(&control);
            let mut domain = Explicit::new(settings.clone(), &vars);
            Loop::new(&mut engine, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Predicates(settings) => {
            let mut domain = Predicates::new(&mut engine, settings.clone(), &property_atoms);
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

/// The predicates and variables that are tracked to start with.
fn initial_terms(
    cx: &Context,
    problem: &Problem,
    initial: InitialPrecision,
) -> (Vec<TermId>, Vec<VarId>) {
    let atoms = match &problem.goal {
        Goal::Reach(bad) => bad
            .when
            .iter()
            .flat_map(|&when| crate::domain::atoms(&cx.terms, when))
            .collect(),
        Goal::Accept { atoms, .. } => atoms
            .iter()
            .flat_map(|&atom| crate::domain::atoms(&cx.terms, atom))
            .collect(),
    };
    let variables = problem.system.variables();
    let control = variables
        .iter()
        .filter(|variable| variable.ctrl)
        .map(|variable| variable.var)
        .collect();
    let all = variables.iter().map(|variable| variable.var).collect();
    match initial {
        InitialPrecision::Empty => (Vec::new(), Vec::new()),
        InitialPrecision::Property => (atoms, Vec::new()),
        InitialPrecision::Control => (Vec::new(), control),
        InitialPrecision::AllVariables => (Vec::new(), all),
    }
}

struct Loop<'l, 'c, 'p, D: Domain> {
    engine: &'l mut Engine<'c>,
    product: &'l mut Product<'p>,
    domain: &'l mut D,
    config: &'l CegarConfig,
    n_chases: u64,
}

/// What a search found: the edges of the product along a path or a lasso, and words for a person.
enum Found {
    Path {
        taken: Vec<Taken>,
        words: String,
    },
    Lasso {
        stem: Vec<Taken>,
        cycle: Vec<Taken>,
        words: String,
    },
}

impl Found {
    fn words(&self) -> &str {
        match self {
            Self::Path { words, .. } | Self::Lasso { words, .. } => words,
        }
    }
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
            n_chases: 0,
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
            let outcome = match &found {
                None => "no counterexample in the abstraction".to_string(),
                Some(found) => found.words().to_string(),
            };
            self.tell(listener, outcome);
            let Some(found) = found else { return Ok(None) };
            let start = Instant::now();
            let tested = self.test(&found);
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
    fn explore(&mut self) -> Result<Option<Found>, Halt> {
        let budget = self.engine.budget.clone();
        let lasso_search = self.product.all_marks() != 0;
        let mut graph = AbstractGraph::new(self.engine, self.product, self.domain);
        let found = if lasso_search {
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
                .map(|lasso| lasso.map(|lasso| found_lasso(&graph, &lasso)))
        } else {
            let search = self
                .config
                .reach
                .reach()
                .expect("the settings name a search for goals");
            search
                .search(&mut graph, &budget)
                .map(|path| path.map(|path| found_path(&graph, &path)))
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

    /// Whether an abstract counterexample is real; if not, the precision is refined.
    fn test(&mut self, found: &Found) -> Result<Option<Counterexample>, Halt> {
        let explain = self.config.refinement.explainer();
        let tester = self.config.lasso_refinement.tester();
        match found {
            Found::Path { taken, words } => {
                match test_path(self.engine, self.product, taken, &*explain)? {
                    PathResult::Real(run) => Ok(Some(Counterexample::Path(run))),
                    PathResult::Infeasible(cuts) => {
                        let learned = self.located(&cuts, taken, &[]);
                        self.refine(&Reason::Infeasible(&learned), taken, words)?;
                        Ok(None)
                    }
                }
            }
            Found::Lasso { stem, cycle, words } => {
                let both: Vec<Taken> = stem.iter().chain(cycle).copied().collect();
                match tester.test(
                    self.engine,
                    self.product,
                    AbstractLasso { stem, cycle },
                    &*explain,
                )? {
                    LassoResult::Real(lasso) => return Ok(Some(Counterexample::Lasso(lasso))),
                    LassoResult::Infeasible(cuts) => {
                        let learned = self.located(&cuts, stem, cycle);
                        self.refine(&Reason::Infeasible(&learned), &both, words)?;
                    }
                    LassoResult::NotClosing {
                        changing,
                        predicates,
                        values,
                    } => {
                        let honda = stem.last().expect("a stem starts the run").target;
                        let at = self.product.model_location(honda);
                        let reasons = [&predicates, &values].map(|predicates| Reason::NotClosing {
                            changing: &changing,
                            predicates,
                            at,
                        });
                        self.chase(&reasons, &both, words)?;
                    }
                }
                Ok(None)
            }
        }
    }

    /// Where the predicates of cuts were found, on a path or on a lasso with an unrolled loop.
    fn located(&self, cuts: &[Cut], stem: &[Taken], cycle: &[Taken]) -> Vec<Learned> {
        let place = |after: usize| match stem.get(after) {
            Some(step) => step,
            None => &cycle[(after - stem.len()) % cycle.len()],
        };
        let learned = |cut: &Cut| Learned {
            predicate: cut.predicate,
            at: self.product.model_location(place(cut.after).target),
        };
        cuts.iter().map(learned).collect()
    }

    /// Refines by an infeasible path; escalates where that changes nothing.
    fn refine(&mut self, reason: &Reason, taken: &[Taken], words: &str) -> Result<(), Halt> {
        let stmts: Vec<StmtId> = taken.iter().map(|step| step.stmt).collect();
        if self.domain.refine(self.engine, reason) {
            return Ok(());
        }
        while self.domain.escalate(&stmts) {
            if self.domain.refine(self.engine, reason) || self.domain.is_exact(&stmts) {
                return Ok(());
            }
        }
        Err(Halt(Unknown::NoProgress(words.to_string())))
    }

    /// Refines by a loop that does not close, by the first of the reasons that changes anything. That can
    /// go on for ever on a counter, so its number is limited.
    fn chase(&mut self, reasons: &[Reason], taken: &[Taken], words: &str) -> Result<(), Halt> {
        self.n_chases += 1;
        if self.n_chases > self.config.max_chases {
            return Err(Halt(Unknown::NoProgress(words.to_string())));
        }
        let (last, others) = reasons.split_last().expect("there is a reason");
        if others
            .iter()
            .any(|reason| self.domain.refine(self.engine, reason))
        {
            return Ok(());
        }
        self.refine(last, taken, words)
    }
}

fn found_path<D: Domain>(graph: &AbstractGraph<'_, '_, '_, D>, path: &GraphPath) -> Found {
    let words = format!(
        "a path of {} steps to {}",
        path.hops.len() + 1,
        graph.describe(end_of(path))
    );
    Found::Path {
        taken: graph.path(path),
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
    Found::Lasso {
        stem: graph.path(&lasso.stem),
        cycle: graph.hops(&lasso.cycle),
        words,
    }
}

fn end_of(path: &GraphPath) -> crate::NodeId {
    path.hops.last().map_or(path.start, |hop| hop.to)
}
