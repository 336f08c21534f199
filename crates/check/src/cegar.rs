//! The abstraction-refinement loop (CEGAR): explore the abstract product, test what is found, refine, repeat.
//!
//! "Holds" comes from one place: a search that was exhausted on an over-approximation. Every other way
//! out is a confirmed counterexample or unknown; what is done about the counterexamples of a round is in
//! `respond.rs`. The loop never spins.

use crate::abstraction::AbstractGraph;
use crate::candidate::Candidate;
use crate::classes::functions;
use crate::confirm::confirm;
use crate::domain::{
    Combined, CombinedConfig, Domain, Explicit, ExplicitDomain, Functions, Locality, Mode,
    PredicateConfig, Predicates, ValueConfig, ValueDomain, Zones,
};
use crate::engine::{Engine as _, Outcome, Statistics};
use crate::explore::{AllFound, explore};
use crate::explored::{Explored, Pruning};
use crate::initial::{Initial, InitialPrecision};
use crate::problem::Problem;
use crate::product::Product;
use crate::proof::{Proof, ProofGraph};
use crate::rank::{Added, Ranking, Ranks};
use crate::refine::{LassoRefinement, PathRefinement, Recurrence};
use crate::respond::{Found, Responder, Response, Workplace};
use crate::search::Search;
use crate::session::{Halt, Session, Stats};
use crate::verdict::{Counterexample, Unknown, Verdict};
use lariat_base::Budget;
use lariat_expr::TermId;
use lariat_smt::Backend;
use lariat_system::Context;
use std::time::Instant;

/// Which domain, with its settings.
#[derive(Clone, Debug)]
pub enum DomainConfig {
    /// Values of tracked variables.
    Explicit(ExplicitDomain),
    /// Truth of predicates.
    Predicates(PredicateConfig),
    /// Values of some variables, predicates over the others.
    Combined(CombinedConfig),
    /// Classes of variables by abstraction functions.
    Value(ValueConfig),
    /// Bounds on clocks and their differences, values of the others.
    Zones,
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
            Self::Combined(combined) => {
                let has_functions = combined.functions.is_some();
                match (combined.predicates.mode, has_functions) {
                    (Mode::Boolean, false) => "expl-pred-bool",
                    (Mode::Cartesian, false) => "expl-pred-cart",
                    (Mode::Split, false) => "expl-pred-split",
                    (Mode::Boolean, true) => "value-pred-bool",
                    (Mode::Cartesian, true) => "value-pred-cart",
                    (Mode::Split, true) => "value-pred-split",
                }
            }
            Self::Value(_) => "value",
            Self::Zones => "zones",
        }
    }

    /// The abstraction functions that the user gives, if the domain has any.
    fn functions(&self) -> Option<&Functions> {
        match self {
            Self::Explicit(_) | Self::Predicates(_) | Self::Zones => None,
            Self::Combined(combined) => combined.functions.as_ref(),
            Self::Value(value) => Some(&value.functions),
        }
    }
}

/// Which abstract steps are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Approach {
    /// Those that some state of a class can take.
    #[default]
    May,
    /// Also whether every state of the class can: loops of such steps are real.
    MayMust,
}

impl Approach {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::May, Self::MayMust];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::May => "may",
            Self::MayMust => "may-must",
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
    /// Which arguments are looked for that a loop cannot be repeated forever.
    pub ranking: Ranking,
    /// Which runs are looked for that take a loop for ever without coming back to a state.
    pub recurrence: Recurrence,
    /// Which abstract steps are looked at.
    pub approach: Approach,
    /// What a refinement does to the explored part of the abstraction.
    pub pruning: Pruning,
    /// The most rounds that refine by a loop that does not close.
    pub max_chases: u64,
    /// The most counterexamples that one exploration returns (search `full`).
    pub max_counterexamples: usize,
}

impl Default for CegarConfig {
    fn default() -> Self {
        Self {
            domain: DomainConfig::Explicit(ExplicitDomain::default()),
            search: Search::Scc,
            reach: Search::Bfs,
            initial: InitialPrecision::Property,
            precision: Locality::Global,
            refinement: PathRefinement::SeqItp,
            lasso_refinement: LassoRefinement::Direct {
                max_rounds: LassoRefinement::MAX_ROUNDS,
            },
            ranking: Ranking::default(),
            recurrence: Recurrence::default(),
            approach: Approach::default(),
            pruning: Pruning::Lazy,
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
    /// The first counterexample of the abstraction, if there is one.
    pub candidate: Option<Candidate>,
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
) -> Outcome {
    if let Err(why) = config.supports(problem) {
        return Outcome {
            verdict: Verdict::Unknown(Unknown::Unsupported(why)),
            statistics: Statistics::Cegar(Stats::default()),
            proof: None,
        };
    }
    let initial = Initial::new(cx, problem, config.initial);
    let given = config.domain.functions();
    let found = given.map(|given| functions(cx, problem, given));
    let asked = matches!(config.domain, DomainConfig::Zones)
        .then(|| (problem.starts(), problem.steps(), problem.read_terms()));
    let mut product = Product::new(cx, problem);
    let variables = product.variables().to_vec();
    let mut session = Session::new(cx, solver, &variables, budget);
    let result = match &config.domain {
        DomainConfig::Explicit(settings) => {
            let variables = initial.all_variables(session.cx).into_iter();
            let terms = &mut session.cx.terms;
            let variables: Vec<TermId> = variables.map(|var| terms.var(var)).collect();
            let mut domain = Explicit::new(settings.clone(), config.precision, &variables);
            Loop::new(&mut session, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Predicates(settings) => {
            let (settings, predicates) = (settings.clone(), &initial.predicates);
            let terms = &mut session.cx.terms;
            let mut domain = Predicates::new(terms, settings, config.precision, predicates);
            Loop::new(&mut session, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Combined(settings) => {
            let variables = [&initial.control[..], &initial.variables].concat();
            let told = initial.told(session.cx, given);
            let functions = found.map(|all| all.only(|var| told.contains(&var)));
            let settings = CombinedConfig {
                functions,
                ..settings.clone()
            };
            let mut domain = Combined::new(
                &mut session.cx.terms,
                settings,
                config.precision,
                &variables,
                &initial.predicates,
            );
            Loop::new(&mut session, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Value(settings) => {
            let told = initial.told(session.cx, given);
            let mut domain = ValueDomain::new(
                &mut session.cx.terms,
                settings.explicit.clone(),
                config.precision,
                found.unwrap_or_default(),
                &told,
            );
            Loop::new(&mut session, &mut product, &mut domain, config).run(listener)
        }
        DomainConfig::Zones => {
            let (starts, steps, read) = asked.expect("zones ask for them");
            let domain = Zones::new(&mut session, (&starts, &steps), &read);
            domain.and_then(|mut domain| {
                Loop::new(&mut session, &mut product, &mut domain, config).run(listener)
            })
        }
    };
    let stats = session.stats.clone();
    drop(session);
    drop(product);
    let (verdict, proof) = match result {
        Ok(Conclusion::Real(counterexample)) => {
            confirm(cx, problem, &counterexample);
            (Verdict::Violated(counterexample), None)
        }
        Ok(Conclusion::Exhausted(graph)) => (Verdict::Holds, Some(Proof::Graph(graph))),
        Err(Halt(why)) => (Verdict::Unknown(why), None),
    };
    Outcome {
        verdict,
        statistics: Statistics::Cegar(stats),
        proof,
    }
}

/// How the loop ends.
enum Conclusion {
    /// The abstraction has no counterexample.
    Exhausted(Box<ProofGraph>),
    /// The model has one.
    Real(Counterexample),
}

struct Loop<'l, 'c, 'p, D: Domain> {
    session: &'l mut Session<'c>,
    product: &'l mut Product<'p>,
    domain: &'l mut D,
    config: &'l CegarConfig,
    responder: Responder,
    explored: Explored<D::State>,
    ranks: Ranks,
}

impl<'l, 'c, 'p, D: Domain> Loop<'l, 'c, 'p, D> {
    fn new(
        session: &'l mut Session<'c>,
        product: &'l mut Product<'p>,
        domain: &'l mut D,
        config: &'l CegarConfig,
    ) -> Self {
        Self {
            session,
            product,
            domain,
            config,
            responder: Responder::new(config),
            explored: Explored::new(),
            ranks: Ranks::default(),
        }
    }

    fn run(&mut self, listener: &mut Listener) -> Result<Conclusion, Halt> {
        loop {
            self.session.budget.check()?;
            self.session.stats.iterations += 1;
            self.session.stats.precision = self.domain.precision_size() as u64;
            let start = Instant::now();
            let found = self.explore();
            self.session.stats.exploring += start.elapsed();
            let found = found?;
            let stmts = &self.session.cx.stmts;
            let candidate = found.all.first().map(|one| Candidate::new(stmts, one));
            self.tell(listener, found.describe(), candidate);
            if found.all.is_empty() {
                self.compare();
                return Ok(Conclusion::Exhausted(Box::new(self.graph().proof())));
            }
            let start = Instant::now();
            let at = Workplace {
                session: self.session,
                product: self.product,
                domain: self.domain,
                ranks: &mut self.ranks,
            };
            let response = self.responder.respond(at, &found.all);
            self.session.stats.refining += start.elapsed();
            match response? {
                Response::Real(counterexample) => {
                    self.tell(listener, "the counterexample is real".into(), None);
                    self.compare();
                    return Ok(Conclusion::Real(counterexample));
                }
                Response::Refined(pivots) => self.prune(&found.all, &pivots),
            }
        }
    }

    /// Counts the steps of the abstraction, and those that every state of their class can take, if both are looked at. The
    /// verdict is known by then: where a limit ends the counting there are no counts.
    fn compare(&mut self) {
        if self.config.approach == Approach::MayMust
            && let Ok((n_may, n_must)) = self.graph().count_must()
        {
            self.session.stats.may_steps = n_may;
            self.session.stats.must_steps = n_must;
        }
    }

    /// Drops the successors along spurious counterexamples, each from its pivot on, or everything.
    fn prune(&mut self, found: &[Found], pivots: &[usize]) {
        self.apply_measures();
        // Zones are refined at once and everywhere.
        let is_changed = matches!(self.config.domain, DomainConfig::Zones);
        if is_changed || self.config.pruning == Pruning::Full {
            self.explored = Explored::new();
            return;
        }
        self.explored.age();
        for (one, &pivot) in found.iter().zip(pivots) {
            for &source in &one.sources[pivot..] {
                self.explored.drop_row(source);
            }
        }
        self.session.stats.kept_nodes += self.explored.n_rows() as u64;
    }

    /// Makes what was explored fit new measures: where they judge steps it is made anew, elsewhere they may increase.
    fn apply_measures(&mut self) {
        for Added { responses, scope } in self.ranks.take_added() {
            let sets = self.product.mark_sets();
            self.explored.mark(|marks| sets.union(marks, responses));
            let product = &*self.product;
            self.explored
                .drop_rows(|place| scope.contains(&product.model_location(place)));
        }
    }

    fn tell(&self, listener: &mut Listener, outcome: String, candidate: Option<Candidate>) {
        let precision = self.domain.describe_precision(self.session);
        let stats = &self.session.stats;
        let (number, n_nodes) = (stats.iterations, stats.nodes as usize);
        listener(&Round {
            number,
            n_nodes,
            precision: &precision,
            outcome,
            candidate,
            stats,
        });
    }

    fn graph(&mut self) -> AbstractGraph<'_, 'c, 'p, D> {
        AbstractGraph::new(
            self.session,
            self.product,
            self.domain,
            &mut self.explored,
            &mut self.ranks,
        )
    }

    /// Searches the abstraction under the present precision.
    fn explore(&mut self) -> Result<AllFound, Halt> {
        let config = self.config;
        let mut graph = self.graph();
        let found = explore(&mut graph, config);
        let failure = graph.failure.take();
        let n_settled = self.explored.n_settled() as u64;
        self.session.stats.settled_nodes = n_settled;
        self.session.stats.nodes = self.explored.n_rows() as u64 + n_settled;
        match (found, failure) {
            (Ok(found), None) => Ok(found),
            (Err(stop), None) => Err(stop.into()),
            (_, Some(halt)) => Err(halt),
        }
    }
}
