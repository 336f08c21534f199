//! Proofs are checked against all concrete states of random systems, with code that no engine shares.

mod tampered;

use super::{Proof, ProofArc, ProofGraph};
use crate::{
    Bad, CegarConfig, CombinedConfig, DomainConfig, ExplicitDomain, Goal, Locality, Mark, Mode,
    NodeId, PredicateConfig, Problem, Pruning, Search, Verdict, check_cegar,
};
use lariat_base::{Budget, FxHashMap, Id as _};
use lariat_expr::{Evaluator, Int, TermId, Value};
use lariat_ltl::{Acceptance, ApId, Automaton, Effort, Formulas, Operators, StateId};
use lariat_ltl::{TranslateConfig, random_formula, translate};
use lariat_smt::{Answer, Solver as _, Z3};
use lariat_system::{Context, Limits, State, TransitionSystem, Valuation, Variable, successors};
use lariat_testkit::{RandomSystem, Rng, StateSpace, random_system, rng};
use rand::Rng as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Larger systems are left out.
const MAX_STATES: usize = 400;
/// How many states are tried at locations where they do not occur.
const N_STRANGERS: usize = 12;

#[test]
fn exhausted_graphs_are_proofs() {
    let (mut n_proofs, mut n_nodes, mut n_large, mut n_ranked) = (0, 0, 0, 0);
    for seed in 0..60 {
        for graph in prove(seed) {
            n_proofs += 1;
            n_nodes += graph.nodes.len();
            n_large += usize::from(graph.nodes.len() > 5);
            n_ranked += usize::from(!graph.measures.is_empty());
        }
    }
    assert!(
        n_proofs > 60 && n_large > 20 && n_ranked > 5,
        "{n_proofs} proofs with {n_nodes} nodes, {n_large} large, {n_ranked} with measures"
    );
}

/// Decides a random problem with every domain and checks the proofs.
fn prove(seed: u64) -> Vec<ProofGraph> {
    let mut random = rng(seed);
    let RandomSystem {
        mut cx,
        mut system,
        atoms,
    } = random_system(&mut random, 2);
    let Some(space) = StateSpace::explore(&mut cx, &mut *system, MAX_STATES) else {
        return Vec::new();
    };
    let goal = if random.random_range(0..4) == 0 {
        Goal::Reach(Bad {
            when: Some(atoms[0]),
            at: Vec::new(),
        })
    } else {
        Goal::Accept {
            automaton: Arc::new(random_automaton(&mut random)),
            atoms,
            formula: None,
        }
    };
    let mut problem = Problem { system, goal };
    let mut graphs = Vec::new();
    for domain in domains() {
        let config = CegarConfig {
            domain,
            search: Search::LASSO[random.random_range(0..Search::LASSO.len())],
            reach: Search::REACH[random.random_range(0..Search::REACH.len())],
            precision: [Locality::Global, Locality::Local][random.random_range(0..2)],
            pruning: [Pruning::Lazy, Pruning::Lazy, Pruning::Full][random.random_range(0..3)],
            ..CegarConfig::default()
        };
        let budget = Budget::unlimited().with_time(Duration::from_secs(2));
        let solver = Box::new(Z3::default());
        let outcome = check_cegar(&mut cx, &mut problem, &config, solver, &budget, &mut |_| {});
        let graph = match (outcome.verdict, outcome.proof) {
            (Verdict::Holds, Some(Proof::Graph(graph))) => *graph,
            (Verdict::Holds, other) => panic!("seed {seed}: {other:?}"),
            (_, Some(_)) => panic!("seed {seed}: a proof of what does not hold"),
            (_, None) => continue,
        };
        let is_shown = is_shown(&mut cx, &mut problem, &graph);
        assert_eq!(is_shown, Some(true), "seed {seed}, {config:?}");
        let mut world = World::new(&mut cx, &mut *problem.system, &problem.goal);
        let n_states = space.states.len();
        let strangers = (0..N_STRANGERS.min(n_states)).map(|_| random.random_range(0..n_states));
        let strangers: Vec<usize> = strangers.collect();
        let checked = check(&mut world, &graph, &space, &strangers);
        checked.unwrap_or_else(|why| panic!("seed {seed}, {config:?}: {why}"));
        graphs.push(graph);
    }
    graphs
}

/// Whether a solver finds no model of any obligation of a graph; nothing if a step is no formula.
fn is_shown(cx: &mut Context, problem: &mut Problem, graph: &ProofGraph) -> Option<bool> {
    let obligations = graph.obligations(cx, problem).ok()?;
    let mut escapes = obligations.iter().map(|obligation| obligation.escape);
    Some(escapes.all(|escape| Z3::default().check(&cx.terms, &[escape]) == Answer::Unsat))
}

fn domains() -> Vec<DomainConfig> {
    let mut domains = vec![
        DomainConfig::Explicit(ExplicitDomain::default()),
        DomainConfig::Zones,
    ];
    for mode in [Mode::Cartesian, Mode::Split, Mode::Boolean] {
        let predicates = PredicateConfig {
            mode,
            ..PredicateConfig::default()
        };
        domains.push(DomainConfig::Predicates(predicates.clone()));
        domains.push(DomainConfig::Combined(CombinedConfig {
            predicates,
            ..CombinedConfig::default()
        }));
    }
    domains
}

/// Over two atoms.
fn random_automaton(random: &mut Rng) -> Automaton {
    let mut formulas = Formulas::new();
    let names: Vec<ApId> = (0..2).map(|i| formulas.ap_id(&format!("p{i}"))).collect();
    let mut letters = lariat_ltl::Rng::new(random.random());
    loop {
        let formula = random_formula(&mut formulas, &mut letters, &names, 8, Operators::Future);
        let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
        let automaton = translate(&mut formulas, formula, &config, &Budget::unlimited());
        let automaton = automaton.expect("a small formula has a small automaton");
        if automaton.aps() == names {
            return automaton;
        }
    }
}

/// A problem, and what was asked of it before.
struct World<'a> {
    cx: &'a mut Context,
    system: &'a mut dyn TransitionSystem,
    variables: Vec<Variable>,
    goal: &'a Goal,
    steps: FxHashMap<Option<State>, Rc<Vec<Next>>>,
    values: FxHashMap<TermId, FxHashMap<State, Value>>,
}

/// Where a step leads.
struct Next {
    edge: usize,
    is_observed: bool,
    state: State,
}

impl<'a> World<'a> {
    fn new(cx: &'a mut Context, system: &'a mut dyn TransitionSystem, goal: &'a Goal) -> Self {
        Self {
            variables: system.variables().to_vec(),
            cx,
            system,
            goal,
            steps: FxHashMap::default(),
            values: FxHashMap::default(),
        }
    }

    fn steps(&mut self, from: Option<&State>) -> Rc<Vec<Next>> {
        if let Some(known) = self.steps.get(&from.cloned()) {
            return Rc::clone(known);
        }
        let found = successors(self.cx, self.system, from, &Limits::default());
        let edges = match from {
            None => self.system.initial(),
            Some(state) => self.system.edges(state.loc),
        };
        let steps = found.steps.into_iter().map(|step| Next {
            edge: step.edge,
            is_observed: edges[step.edge].observed,
            state: step.state,
        });
        let steps = Rc::new(steps.collect());
        self.steps.insert(from.cloned(), Rc::clone(&steps));
        steps
    }

    fn value(&mut self, term: TermId, state: &State) -> &Value {
        let known = self.values.entry(term).or_default();
        if !known.contains_key(state) {
            let mut env = Valuation::new();
            state.load(&self.variables, &mut env);
            let value = Evaluator::new().eval(&self.cx.terms, term, &env);
            known.insert(state.clone(), value.expect("all variables have values"));
        }
        &known[state]
    }

    fn truth(&mut self, term: TermId, state: &State) -> bool {
        self.value(term, state).as_bool()
    }

    fn number(&mut self, term: TermId, state: &State) -> i64 {
        let number = self.value(term, state).as_int().and_then(Int::to_i64);
        number.expect("the numbers of these models are small")
    }

    /// Where the reader is before the first letter.
    fn start(&self) -> StateId {
        match self.goal {
            Goal::Accept { automaton, .. } => automaton.initial(),
            Goal::Reach(_) => StateId::from_index(0),
        }
    }

    /// Where the reader goes after a step, with the acceptance sets of its edge as bits.
    fn read(&mut self, from: StateId, next: &Next) -> Vec<(StateId, u64)> {
        let goal = self.goal;
        match goal {
            _ if !next.is_observed => vec![(from, 0)],
            Goal::Reach(bad) => {
                let is_bad = self.truth(bad.when.expect("it has a condition"), &next.state);
                vec![(StateId::from_index(usize::from(is_bad)), 0)]
            }
            Goal::Accept {
                automaton, atoms, ..
            } => {
                let truths = atoms.iter().enumerate();
                let letter = truths
                    .map(|(i, &atom)| u64::from(self.truth(atom, &next.state)) << i)
                    .sum();
                let edges = automaton.edges(from).iter();
                let taken = edges.filter(|edge| automaton.holds(edge.label, letter));
                let all = u64::from(automaton.n_sets() == 0);
                taken.map(|edge| (edge.target, edge.marks | all)).collect()
            }
        }
    }
}

/// Checks a proof by the concrete states of a problem, and by some of them at locations where they do not occur.
fn check(
    world: &mut World,
    graph: &ProofGraph,
    space: &StateSpace,
    strangers: &[usize],
) -> Result<(), String> {
    let start = Some(world.start());
    let mut checker = Checker { world, graph };
    checker.follow(None, start, &graph.initial)?;
    for (node, what) in graph.nodes.iter_ids() {
        for (at, state) in space.states.iter().enumerate() {
            if state.loc != what.location && !strangers.contains(&at) {
                continue;
            }
            let state = State {
                loc: what.location,
                values: state.values.clone(),
            };
            if checker.is_in(node, &state) {
                checker.follow(Some(&state), what.reader, graph.arcs.row(node))?;
            }
        }
    }
    let is_proof = match checker.world.goal {
        Goal::Reach(_) => {
            let mut readers = graph.nodes.iter().map(|node| node.reader);
            readers.all(|at| at == start)
        }
        Goal::Accept { .. } => !has_accepting_cycle(graph),
    };
    is_proof
        .then_some(())
        .ok_or("it shows a counterexample".into())
}

struct Checker<'c, 'w> {
    world: &'c mut World<'w>,
    graph: &'c ProofGraph,
}

impl Checker<'_, '_> {
    fn is_in(&mut self, node: NodeId, state: &State) -> bool {
        self.graph.nodes[node].location == state.loc
            && self.world.truth(self.graph.nodes[node].formula, state)
    }

    /// Each step from a state of the product leads along one of the arcs.
    fn follow(
        &mut self,
        from: Option<&State>,
        reader: Option<StateId>,
        arcs: &[ProofArc],
    ) -> Result<(), String> {
        let reader = reader.expect("these goals are read");
        for step in self.world.steps(from).iter() {
            for (reader, sets) in self.world.read(reader, step) {
                let mut fits = |arc: &ProofArc| {
                    arc.edge as usize == step.edge
                        && self.graph.nodes[arc.target].reader == Some(reader)
                        && (from.is_none() || self.sets(arc) == sets)
                        && self.is_in(arc.target, &step.state)
                        && from.is_none_or(|from| self.is_measured(arc, from, &step.state))
                };
                if !arcs.iter().any(&mut fits) {
                    let to = &step.state;
                    return Err(format!("{from:?} steps out to {to:?} with {reader:?}"));
                }
            }
        }
        Ok(())
    }

    /// Whether the marks of measures are right for a step.
    fn is_measured(&mut self, arc: &ProofArc, from: &State, to: &State) -> bool {
        let has = |mark| self.graph.mark_sets.contains(arc.marks, mark);
        self.graph.measures.iter().all(|known| {
            let mut kept = true;
            let mut levels = known.measure.levels.iter().zip(&known.pairs);
            levels.all(|(level, pair)| {
                let before = self.world.number(level.at(from.loc), from);
                let after = self.world.number(level.at(to.loc), to);
                let (falls, rises) = (before >= 0 && after < before, after >= 0 && after > before);
                let is_right = match (has(pair.request), has(pair.response)) {
                    (_, true) => true,
                    (true, false) => kept && falls,
                    (false, false) => kept && !rises,
                };
                kept &= !falls && !rises;
                is_right
            })
        })
    }

    fn sets(&self, arc: &ProofArc) -> u64 {
        let marks = self.graph.acceptance.buchi().iter().enumerate();
        let carried = marks.filter(|&(_, &mark)| self.graph.mark_sets.contains(arc.marks, mark));
        carried.map(|(i, _)| 1 << i).sum()
    }
}

/// Whether some nodes of one component have arcs between them with all Büchi marks and, for each Streett pair, with the
/// response or, if arcs with the request are left out, without: by reachability, for each choice of the pairs left out.
fn has_accepting_cycle(graph: &ProofGraph) -> bool {
    let pairs = graph.acceptance.streett();
    (0..1u32 << pairs.len()).any(|left_out| {
        let (mut without, mut needed) = (Vec::new(), graph.acceptance.buchi().to_vec());
        for (i, pair) in pairs.iter().enumerate() {
            if left_out >> i & 1 == 1 {
                without.push(pair.request);
            } else {
                needed.push(pair.response);
            }
        }
        let is_taken = |arc: &&ProofArc| {
            let has = |&mark: &Mark| graph.mark_sets.contains(arc.marks, mark);
            !without.iter().any(has)
        };
        let taken = |node: usize| {
            graph
                .arcs
                .row(NodeId::from_index(node))
                .iter()
                .filter(is_taken)
        };
        let n = graph.nodes.len();
        let mut reaches = vec![vec![false; n]; n];
        for (at, row) in reaches.iter_mut().enumerate() {
            let mut todo = vec![at];
            while let Some(node) = todo.pop() {
                for arc in taken(node) {
                    if !std::mem::replace(&mut row[arc.target.index()], true) {
                        todo.push(arc.target.index());
                    }
                }
            }
        }
        (0..n).any(|honda| {
            let inside = |node: usize| reaches[honda][node] && reaches[node][honda];
            let has = |&mark: &Mark| {
                (0..n).filter(|&node| inside(node)).any(|node| {
                    taken(node).any(|arc| {
                        inside(arc.target.index()) && graph.mark_sets.contains(arc.marks, mark)
                    })
                })
            };
            inside(honda) && needed.iter().all(has)
        })
    })
}
