//! Proofs are checked against all concrete states of random systems, with code that no engine shares.

use super::{Proof, ProofArc, ProofGraph};
use crate::{
    Bad, CegarConfig, CombinedConfig, DomainConfig, ExplicitDomain, Goal, Locality, Mark, Mode,
    NodeId, PredicateConfig, Problem, Pruning, Search, Verdict, check_cegar,
};
use lariat_base::{Budget, Id as _};
use lariat_expr::Evaluator;
use lariat_ltl::{Acceptance, ApId, Automaton, Effort, Formulas, Operators, StateId};
use lariat_ltl::{TranslateConfig, random_formula, translate};
use lariat_smt::Z3;
use lariat_system::{Context, Limits, State, TransitionSystem, Valuation, Variable, successors};
use lariat_testkit::{RandomSystem, Rng, StateSpace, random_system, rng};
use rand::Rng as _;
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
        let what = format!("seed {seed}, {config:?}");
        let checker = Checker {
            variables: problem.system.variables().to_vec(),
            cx: &mut cx,
            system: &mut *problem.system,
            goal: &problem.goal,
            graph: &graph,
            what,
        };
        checker.check(&space, &mut random);
        graphs.push(graph);
    }
    graphs
}

fn domains() -> Vec<DomainConfig> {
    let mut domains = vec![DomainConfig::Explicit(ExplicitDomain::default())];
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

struct Checker<'a> {
    cx: &'a mut Context,
    system: &'a mut dyn TransitionSystem,
    variables: Vec<Variable>,
    goal: &'a Goal,
    graph: &'a ProofGraph,
    what: String,
}

impl Checker<'_> {
    fn check(mut self, space: &StateSpace, random: &mut Rng) {
        let start = match self.goal {
            Goal::Accept { automaton, .. } => Some(automaton.initial()),
            Goal::Reach(_) => Some(StateId::from_index(0)),
        };
        self.follow(None, start, &self.graph.initial.clone());
        for (node, what) in self.graph.nodes.iter_ids() {
            let strangers = (0..N_STRANGERS).map(|_| random.random_range(0..space.states.len()));
            let strangers: Vec<usize> = strangers.collect();
            for (at, state) in space.states.iter().enumerate() {
                if state.loc != what.location && !strangers.contains(&at) {
                    continue;
                }
                let state = State {
                    loc: what.location,
                    values: state.values.clone(),
                };
                if self.is_in(node, &state) {
                    self.follow(Some(&state), what.reader, self.graph.arcs.row(node));
                }
            }
        }
        match self.goal {
            Goal::Reach(_) => {
                let mut readers = self.graph.nodes.iter().map(|node| node.reader);
                let good = Some(StateId::from_index(0));
                assert!(readers.all(|at| at == good), "{}", self.what);
            }
            Goal::Accept { .. } => assert!(!has_accepting_cycle(self.graph), "{}", self.what),
        }
    }

    fn is_in(&self, node: NodeId, state: &State) -> bool {
        self.graph.nodes[node].location == state.loc
            && self.truth(self.graph.nodes[node].formula, state)
    }

    fn truth(&self, term: lariat_expr::TermId, state: &State) -> bool {
        let mut env = Valuation::new();
        state.load(&self.variables, &mut env);
        let value = Evaluator::new().eval(&self.cx.terms, term, &env);
        value.expect("all variables have values").as_bool()
    }

    /// Each step from a state of the product leads along one of the arcs.
    fn follow(&mut self, from: Option<&State>, reader: Option<StateId>, arcs: &[ProofArc]) {
        let reader = reader.expect("these goals are read");
        let found = successors(self.cx, self.system, from, &Limits::default());
        for step in found.steps {
            let edges = match from {
                None => self.system.initial(),
                Some(state) => self.system.edges(state.loc),
            };
            let moves = if edges[step.edge].observed {
                self.read(reader, &step.state)
            } else {
                vec![(reader, 0)]
            };
            for (reader, sets) in moves {
                let fits = |arc: &&ProofArc| {
                    arc.edge as usize == step.edge
                        && self.graph.nodes[arc.target].reader == Some(reader)
                        && (from.is_none() || self.sets(arc) == sets)
                        && self.is_in(arc.target, &step.state)
                        && from.is_none_or(|from| self.is_measured(arc, from, &step.state))
                };
                assert!(
                    arcs.iter().any(|arc| fits(&arc)),
                    "{}: {from:?} steps out to {:?} with {reader:?}",
                    self.what,
                    step.state
                );
            }
        }
    }

    /// Where the reader goes, with the acceptance sets of its edge as bits.
    fn read(&self, from: StateId, state: &State) -> Vec<(StateId, u64)> {
        match self.goal {
            Goal::Reach(bad) => {
                let is_bad = self.truth(bad.when.expect("it has a condition"), state);
                vec![(StateId::from_index(usize::from(is_bad)), 0)]
            }
            Goal::Accept {
                automaton, atoms, ..
            } => {
                let truths = atoms.iter().enumerate();
                let letter = truths.map(|(i, &atom)| u64::from(self.truth(atom, state)) << i);
                let letter = letter.sum();
                let edges = automaton.edges(from).iter();
                let taken = edges.filter(|edge| automaton.holds(edge.label, letter));
                let all = u64::from(automaton.n_sets() == 0);
                taken.map(|edge| (edge.target, edge.marks | all)).collect()
            }
        }
    }

    /// Whether the marks of measures are right for a step.
    fn is_measured(&self, arc: &ProofArc, from: &State, to: &State) -> bool {
        let has = |mark| self.graph.mark_sets.contains(arc.marks, mark);
        self.graph.measures.iter().all(|known| {
            let mut kept = true;
            let mut levels = known.measure.levels.iter().zip(&known.pairs);
            levels.all(|(level, pair)| {
                let before = self.number(level.at(from.loc), from);
                let after = self.number(level.at(to.loc), to);
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

    fn number(&self, term: lariat_expr::TermId, state: &State) -> i64 {
        let mut env = Valuation::new();
        state.load(&self.variables, &mut env);
        let value = Evaluator::new().eval(&self.cx.terms, term, &env);
        let value = value.expect("all variables have values");
        let number = value.as_int().and_then(lariat_expr::Int::to_i64);
        number.expect("the numbers of these models are small")
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
