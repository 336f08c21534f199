//! What every domain must do: all concrete successors lie inside `post`. Random walks through random systems,
//! with random precisions that grow on the way, in step with an abstract state that covers them; at each state of a walk
//! every step that can be taken is compared, not only the one that is.

use super::{
    Combined, CombinedConfig, Domain, Explicit, ExplicitDomain, Function, Functions, Learned,
    Locality, Mode, Pieces, Predicate, PredicateConfig, Predicates, Reason, ValueDomain, Zones,
};
use crate::initial::{Initial, InitialPrecision};
use crate::problem::{Bad, Goal, Problem};
use crate::session::{Halt, Session};
use crate::verdict::Unknown;
use lariat_base::{Budget, Id};
use lariat_expr::{Evaluator, TermId, Terms, Value, VarId};
use lariat_smt::{Z3, Z3Config};
use lariat_system::{
    Context, Limits, PointId, State, Stmt, StmtId, TransitionSystem, Valuation, Variable,
    successors,
};
use lariat_testkit::{RandomSystem, Rng, random_system, rng};
use rand::Rng as _;
use std::time::Duration;

const MODES: [Mode; 3] = [Mode::Cartesian, Mode::Split, Mode::Boolean];

/// How long a walk is.
const STEPS: usize = 8;
/// For one `post`: some systems have arithmetic on which the solver never ends.
const TIME: Duration = Duration::from_millis(100);
/// How many systems are walked through; the environment variable is for longer series.
const N_SYSTEMS: u64 = 8;
const N_SYSTEMS_VARIABLE: &str = "LARIAT_POST_SEEDS";

/// What walks came to.
#[derive(Clone, Copy, Default, Debug)]
struct Walked {
    /// Steps that were taken.
    steps: usize,
    /// Successors that were compared with `post`.
    successors: usize,
    /// Walks that ended since `post` gave up.
    given_up: usize,
}

#[test]
fn every_successor_lies_inside_post() {
    let wanted = std::env::var(N_SYSTEMS_VARIABLE).ok();
    let n = wanted.map_or(N_SYSTEMS, |n| n.parse().expect("a number of systems"));
    let mut walked = Walked::default();
    for seed in 0..n {
        for locality in [Locality::Global, Locality::Local] {
            walk_domains(seed, locality, &mut walked);
        }
    }
    assert!(
        walked.steps > 300 && walked.successors > 2 * walked.steps,
        "{walked:?}"
    );
}

/// Walks with every domain.
fn walk_domains(seed: u64, locality: Locality, walked: &mut Walked) {
    let mut random = rng(seed);
    let RandomSystem {
        mut cx,
        system,
        atoms,
    } = random_system(&mut random, 3);
    let mut problem = Problem {
        system,
        goal: Goal::Reach(Bad::default()),
    };
    let mut predicates =
        Initial::new(&mut cx, &mut problem, InitialPrecision::AllAssumes).predicates;
    predicates.truncate(5);
    predicates.extend(atoms);
    let variables = problem.system.variables().to_vec();
    let (starts, steps) = (problem.starts(), problem.steps());
    let mut walk = Walk {
        cx: &mut cx,
        system: &mut *problem.system,
        predicates,
        variables,
        seed,
    };
    let explicit = ExplicitDomain {
        max_enum: random.random_range(0..6),
        max_cases: random.random_range(1..9),
    };
    let mut domain = Explicit::new(explicit.clone(), locality, &[]);
    walk.with(&mut domain, &mut random, walked);
    let mut session = new_engine(walk.cx, &walk.variables);
    if let Ok(mut domain) = Zones::new(&mut session, (&starts, &steps), &walk.predicates) {
        walk.with(&mut domain, &mut random, walked);
    }
    let functions = walk.random_functions(&mut random);
    let initial = walk.some_variables(&mut random);
    let (terms, config) = (&mut walk.cx.terms, explicit.clone());
    let mut domain = ValueDomain::new(terms, config, locality, functions, &initial);
    walk.with(&mut domain, &mut random, walked);
    for mode in MODES {
        let pieces = [Pieces::Whole, Pieces::Conjuncts, Pieces::Atoms];
        let config = PredicateConfig {
            mode,
            pieces: pieces[random.random_range(0..3)],
            max_split: [1, 3, 512][random.random_range(0..3)],
        };
        let terms = &mut walk.cx.terms;
        let mut domain = Predicates::new(terms, config.clone(), locality, &[]);
        walk.with(&mut domain, &mut random, walked);
        let functions = walk.random_functions(&mut random);
        let functions = (random.random_range(0..2) == 0).then_some(functions);
        let config = CombinedConfig {
            explicit: explicit.clone(),
            predicates: config,
            variables: Vec::new(),
            max_equalities: 2,
            functions,
        };
        let named = walk.some_variables(&mut random);
        let terms = &mut walk.cx.terms;
        let mut domain = Combined::new(terms, config, locality, &named, &[]);
        walk.with(&mut domain, &mut random, walked);
    }
}

fn new_engine<'c>(cx: &'c mut Context, variables: &[Variable]) -> Session<'c> {
    let solver = Box::new(Z3::new(Z3Config::default()));
    let budget = Budget::unlimited().with_time(TIME);
    Session::new(cx, solver, variables, &budget)
}

struct Walk<'w> {
    cx: &'w mut Context,
    system: &'w mut dyn TransitionSystem,
    predicates: Vec<TermId>,
    variables: Vec<Variable>,
    seed: u64,
}

impl Walk<'_> {
    fn with<D: Domain>(&mut self, domain: &mut D, random: &mut Rng, walked: &mut Walked) {
        let (mut concrete, mut state): (Option<State>, Option<D::State>) = (None, None);
        for step in 0..STEPS {
            let limits = Limits::default();
            let found = successors(self.cx, self.system, concrete.as_ref(), &limits);
            if found.steps.is_empty() {
                return;
            }
            if step == 0 || random.random_range(0..4) == 0 {
                let learned: Vec<Learned> = (0..9).map(|_| self.something(random)).collect();
                let mut session = new_engine(self.cx, &self.variables);
                for learned in learned.chunks(3) {
                    domain.refine(&mut session, &Reason::Infeasible(learned));
                }
            }
            let edges = match &concrete {
                None => self.system.initial(),
                Some(before) => self.system.edges(before.loc),
            };
            let mut covered = Vec::new();
            for (i, edge) in edges.into_iter().enumerate() {
                let ends = found.steps.iter().filter(|taken| taken.edge == i);
                let ends: Vec<&State> = ends.map(|taken| &taken.state).collect();
                if ends.is_empty() {
                    continue;
                }
                if random.random_range(0..8) == 0 {
                    domain.escalate(&[edge.stmt]);
                }
                let mut after = Vec::new();
                let mut session = new_engine(self.cx, &self.variables);
                let at = edge.target;
                let post = domain.post(&mut session, state.as_ref(), edge.stmt, at, &mut after);
                match post {
                    Ok(()) => {}
                    // A loop whose bounds depend on the state, or arithmetic that is too hard.
                    Err(Halt(Unknown::Unsupported(_) | Unknown::Stopped(_))) => {
                        walked.given_up += 1;
                        continue;
                    }
                    Err(halt) => panic!("seed {}: {halt:?}", self.seed),
                }
                for end in ends {
                    walked.successors += 1;
                    let n_before = covered.len();
                    for state in &after {
                        assert!(domain.covers(state, state), "seed {}: {state:?}", self.seed);
                        if self.covers(domain, state, end) {
                            covered.push((state.clone(), end.clone()));
                        }
                    }
                    // Whatever covers a state has the concrete states of that state.
                    let found: Vec<D::State> = covered[n_before..]
                        .iter()
                        .map(|(state, _)| state.clone())
                        .collect();
                    for small in found {
                        for big in after.iter().filter(|big| domain.covers(big, &small)) {
                            let has = self.covers(domain, big, end);
                            assert!(has, "seed {}: {big:?} and {small:?}", self.seed);
                        }
                    }
                    let session = new_engine(self.cx, &self.variables);
                    assert!(
                        covered.len() > n_before,
                        "seed {}, step {step}: {after:?} does not cover {end:?}, precision {:?}",
                        self.seed,
                        domain.describe_precision(&session),
                    );
                }
            }
            if covered.is_empty() {
                return;
            }
            let (abstract_, next) = covered.swap_remove(random.random_range(0..covered.len()));
            (state, concrete) = (Some(abstract_), Some(next));
            walked.steps += 1;
        }
    }

    fn covers<D: Domain>(&mut self, domain: &D, state: &D::State, concrete: &State) -> bool {
        let formula = domain.formula(&mut self.cx.terms, state);
        let mut env = Valuation::new();
        concrete.load(&self.variables, &mut env);
        let value = Evaluator::new().eval(&self.cx.terms, formula, &env);
        value.expect("all variables have values").as_bool()
    }

    /// A predicate, or that a variable has a value, at some place.
    fn something(&mut self, random: &mut Rng) -> Learned {
        let terms = &mut self.cx.terms;
        let predicate = if random.random_range(0..3) > 0 {
            self.predicates[random.random_range(0..self.predicates.len())]
        } else {
            let var = self.variables[random.random_range(0..self.variables.len())].var;
            let sort = terms.var_sort(var);
            let literal = if sort == terms.sorts.int() {
                terms.int(random.random_range(-2..4))
            } else {
                let value = Value::some(&terms.sorts, sort);
                terms.lit(value, sort)
            };
            let variable = terms.var(var);
            terms.eq(variable, literal)
        };
        let at = PointId::from_index(random.random_range(0..3));
        let predicate = Predicate::new(terms, predicate);
        Learned { predicate, at }
    }

    /// For each variable a function that fits it, for some two.
    fn random_functions(&self, random: &mut Rng) -> Functions {
        let terms = &self.cx.terms;
        let mut all = Vec::new();
        for variable in &self.variables {
            for _ in 0..random.random_range(1..3) {
                let function = self.random_function(variable.var, random);
                if function
                    .misfit(terms, terms.var_sort(variable.var))
                    .is_none()
                {
                    all.push((variable.var, function));
                }
            }
        }
        Functions::new(all)
    }

    fn random_function(&self, var: VarId, random: &mut Rng) -> Function {
        let terms = &self.cx.terms;
        let sort = terms.var_sort(var);
        match random.random_range(0..10) {
            0 => Function::Sign,
            1 => Function::Parity,
            2 => Function::Modulo(random.random_range(1..7_i64).into()),
            3 => Function::Bits,
            4 => Function::Bit(random.random_range(0..3)),
            5 => Function::Is(Value::some(&terms.sorts, sort)),
            6 => {
                let mut cuts: Vec<i64> = (0..3).map(|_| random.random_range(-3..4)).collect();
                cuts.sort_unstable();
                cuts.dedup();
                Function::Thresholds(cuts.into_iter().map(Into::into).collect())
            }
            7 => Function::Identity,
            8 => Function::Any,
            _ => {
                let conditions = self.predicates.iter().copied();
                let own = conditions.filter(|&term| terms.free_vars(&[term]) == [var]);
                let classes = own.enumerate().map(|(i, term)| (format!("c{i}"), term));
                Function::Partition(classes.take(3).collect())
            }
        }
    }

    fn some_variables(&self, random: &mut Rng) -> Vec<VarId> {
        let mut named: Vec<VarId> = self.variables.iter().map(|variable| variable.var).collect();
        named.retain(|_| random.random_range(0..3) == 0);
        named
    }
}

/// An integer `x` that a statement havocs between 0 and 2.
fn three_values() -> (Context, VarId, StmtId) {
    let mut cx = Context::new();
    let int = cx.terms.sorts.int();
    let x = cx.terms.declare("x", int);
    let (term, low, high) = (cx.terms.var(x), cx.terms.int(0), cx.terms.int(2));
    let bounds = [cx.terms.le(low, term), cx.terms.le(term, high)];
    let bounds = cx.terms.and(&bounds);
    let havoc = cx.stmts.add(Stmt::Havoc(x), None);
    let assume = cx.stmts.add(Stmt::Assume(bounds), None);
    let stmt = cx.stmts.seq(&[havoc, assume], None);
    (cx, x, stmt)
}

fn equals(terms: &mut Terms, var: VarId, value: i64) -> TermId {
    let (variable, value) = (terms.var(var), terms.int(value));
    terms.eq(variable, value)
}

/// What follows from nothing when `x` is given one of three values and two predicates tell them apart.
fn follow(mode: Mode, max_split: usize) -> Vec<String> {
    let (mut cx, x, stmt) = three_values();
    let predicates = [0, 1].map(|value| equals(&mut cx.terms, x, value));
    let mut session = new_engine(&mut cx, &[Variable::new(x)]);
    let config = PredicateConfig {
        mode,
        pieces: Pieces::Atoms,
        max_split,
    };
    let mut domain = Predicates::new(&mut session.cx.terms, config, Locality::Global, &predicates);
    let mut after = Vec::new();
    let at = PointId::from_index(0);
    domain
        .post(&mut session, None, stmt, at, &mut after)
        .expect("there are no limits");
    let mut texts: Vec<String> = after
        .iter()
        .map(|state| domain.describe(&session, state))
        .collect();
    texts.sort();
    texts
}

#[test]
fn the_modes_differ_in_how_many_states_they_make() {
    assert_eq!(follow(Mode::Cartesian, 512), ["true"]);
    assert_eq!(follow(Mode::Split, 512).len(), 3);
    let boolean = follow(Mode::Boolean, 512);
    assert_eq!(boolean.len(), 1);
    assert_eq!(boolean[0], "(not (x = 1)) or (not (x = 0) and x = 1)");
    assert_eq!(follow(Mode::Boolean, 2), ["true"]);
}

#[test]
fn a_variable_with_many_equalities_moves_over() {
    let (mut cx, x, stmt) = three_values();
    let learned = [0, 1, 2].map(|value| equals(&mut cx.terms, x, value));
    let mut session = new_engine(&mut cx, &[Variable::new(x)]);
    let config = CombinedConfig::default();
    let terms = &mut session.cx.terms;
    let mut domain = Combined::new(terms, config, Locality::Local, &[], &[]);
    let at = [0, 1, 2].map(PointId::from_index);
    for i in 0..3 {
        let predicate = Predicate::new(&session.cx.terms, learned[i]);
        let learned = [Learned {
            predicate,
            at: at[i],
        }];
        let texts = domain.describe_precision(&session);
        assert_eq!(texts.len(), i, "{texts:?}");
        assert!(domain.refine(&mut session, &Reason::Infeasible(&learned)));
    }
    assert_eq!(domain.describe_precision(&session), ["x"]);
    for at in at {
        let mut after = Vec::new();
        domain
            .post(&mut session, None, stmt, at, &mut after)
            .expect("there are no limits");
        assert_eq!(after.len(), 3);
    }
    let elsewhere = PointId::from_index(7);
    let mut after = Vec::new();
    domain
        .post(&mut session, None, stmt, elsewhere, &mut after)
        .expect("there are no limits");
    let texts: Vec<String> = after.iter().map(|s| domain.describe(&session, s)).collect();
    assert_eq!(texts, ["true"]);
    // Nothing new at a place, then everywhere, then as a predicate after all.
    let again = [Learned {
        predicate: Predicate::new(&session.cx.terms, learned[0]),
        at: at[0],
    }];
    let reason = Reason::Infeasible(&again);
    assert!(domain.refine(&mut session, &reason) && !domain.refine(&mut session, &reason));
    assert!(domain.escalate(&[stmt]) && domain.refine(&mut session, &reason));
    assert_eq!(domain.describe_precision(&session), ["x", "x = 0"]);
}

/// The last resorts of Cartesian abstraction, in their order: interpolants whole, then the step exactly, then
/// nothing more (trap 4 of the design: it must end, and not before all of these).
#[test]
fn a_cartesian_step_is_made_exact_in_the_end() {
    let (mut cx, x, stmt) = three_values();
    let predicates = [0, 1].map(|value| equals(&mut cx.terms, x, value));
    let mut session = new_engine(&mut cx, &[Variable::new(x)]);
    let (config, terms) = (PredicateConfig::default(), &mut session.cx.terms);
    let mut domain = Predicates::new(terms, config, Locality::Global, &predicates);
    let n_states = |domain: &mut Predicates, session: &mut Session| {
        let (mut after, at) = (Vec::new(), PointId::from_index(0));
        let post = domain.post(session, None, stmt, at, &mut after);
        post.expect("there are no limits");
        after.len()
    };
    let either = session.cx.terms.or(&predicates);
    let learned = [Learned {
        predicate: Predicate::new(&session.cx.terms, either),
        at: PointId::from_index(0),
    }];
    let reason = Reason::Infeasible(&learned);
    assert!(
        !domain.refine(&mut session, &reason),
        "both atoms are tracked"
    );
    assert!(domain.escalate(&[stmt]) && !domain.is_exact(&[stmt]));
    assert!(domain.refine(&mut session, &reason), "it is new as a whole");
    assert_eq!(n_states(&mut domain, &mut session), 1);
    assert!(domain.escalate(&[stmt]) && domain.is_exact(&[stmt]));
    assert_eq!(n_states(&mut domain, &mut session), 3);
    assert!(!domain.escalate(&[stmt]), "nothing is left to try");
}
