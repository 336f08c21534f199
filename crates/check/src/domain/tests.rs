//! What every domain must do: each concrete step lies inside `post`. Random walks through random systems,
//! with random precisions, in step with an abstract state that covers them.

use super::{
    Combined, CombinedConfig, Domain, Explicit, ExplicitConfig, Learned, Locality, Mode, Pieces,
    PredicateConfig, Predicates, Reason,
};
use crate::engine::{Engine, Halt};
use crate::initial::{Initial, InitialPrecision};
use crate::problem::{Bad, Goal, Problem};
use crate::verdict::Unknown;
use lariat_base::{Budget, Id};
use lariat_expr::{Evaluator, TermId, Terms, Value, VarId};
use lariat_smt::{Z3, Z3Config};
use lariat_system::{
    Context, Limits, LocId, State, Stmt, StmtId, TransitionSystem, Valuation, Variable, successors,
};
use lariat_testkit::{RandomSystem, Rng, random_system, rng};
use rand::Rng as _;
use std::time::Duration;

const MODES: [Mode; 3] = [Mode::Cartesian, Mode::Split, Mode::Boolean];

/// How long a walk is.
const STEPS: usize = 8;
/// For all walks through one system: some have arithmetic on which the solver never ends.
const TIME: Duration = Duration::from_secs(2);

#[test]
fn every_step_lies_inside_post() {
    let mut n_steps = 0;
    for seed in 0..8 {
        for locality in [Locality::Global, Locality::Local] {
            n_steps += walk_domains(seed, locality);
        }
    }
    assert!(n_steps > 300, "only {n_steps} steps");
}

/// Walks with every domain; says how many steps were taken.
fn walk_domains(seed: u64, locality: Locality) -> usize {
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
    let mut engine = new_engine(&mut cx, &variables);
    let mut walk = Walk {
        engine: &mut engine,
        system: &mut *problem.system,
        predicates,
        variables,
        seed,
    };
    let explicit = ExplicitConfig {
        max_enum: random.random_range(0..6),
        max_cases: random.random_range(1..9),
    };
    let mut domain = Explicit::new(explicit.clone(), locality, &[]);
    let mut n_steps = walk.with(&mut domain, &mut random);
    for mode in MODES {
        let config = PredicateConfig {
            mode,
            pieces: Pieces::Atoms,
            max_split: [1, 3, 512][random.random_range(0..3)],
        };
        let terms = &mut walk.engine.cx.terms;
        let mut domain = Predicates::new(terms, config.clone(), locality, &[]);
        n_steps += walk.with(&mut domain, &mut random);
        let config = CombinedConfig {
            explicit: explicit.clone(),
            predicates: config,
            variables: Vec::new(),
            max_equalities: 2,
        };
        let named = walk.some_variables(&mut random);
        let terms = &mut walk.engine.cx.terms;
        let mut domain = Combined::new(terms, config, locality, &named, &[]);
        n_steps += walk.with(&mut domain, &mut random);
    }
    n_steps
}

fn new_engine<'c>(cx: &'c mut Context, variables: &[Variable]) -> Engine<'c> {
    let solver = Box::new(Z3::new(Z3Config::default()));
    let budget = Budget::unlimited().with_time(TIME);
    Engine::new(cx, solver, variables, &budget)
}

struct Walk<'w, 'c> {
    engine: &'w mut Engine<'c>,
    system: &'w mut dyn TransitionSystem,
    predicates: Vec<TermId>,
    variables: Vec<Variable>,
    seed: u64,
}

impl Walk<'_, '_> {
    fn with<D: Domain>(&mut self, domain: &mut D, random: &mut Rng) -> usize {
        for _ in 0..3 {
            let learned: Vec<Learned> = (0..3).map(|_| self.something(random)).collect();
            domain.refine(self.engine, &Reason::Infeasible(&learned));
        }
        let (mut concrete, mut state): (Option<State>, Option<D::State>) = (None, None);
        for step in 0..STEPS {
            let found = successors(
                self.engine.cx,
                self.system,
                concrete.as_ref(),
                &Limits::default(),
            );
            if found.steps.is_empty() {
                return step;
            }
            let taken = &found.steps[random.random_range(0..found.steps.len())];
            let edge = match &concrete {
                None => self.system.initial()[taken.edge],
                Some(before) => self.system.edges(before.loc)[taken.edge],
            };
            let mut after = Vec::new();
            let at = taken.state.loc;
            let post = domain.post(self.engine, state.as_ref(), edge.stmt, at, &mut after);
            match post {
                Ok(()) => {}
                // A loop whose bounds depend on the state, or arithmetic that is too hard.
                Err(Halt(Unknown::Unsupported(_) | Unknown::Stopped(_))) => return step,
                Err(halt) => panic!("seed {}: {halt:?}", self.seed),
            }
            let mut covering: Vec<D::State> = Vec::new();
            for state in &after {
                if self.covers(domain, state, &taken.state) {
                    covering.push(state.clone());
                }
            }
            assert!(
                !covering.is_empty(),
                "seed {}, step {step}: {after:?} does not cover {:?}, precision {:?}",
                self.seed,
                taken.state,
                domain.describe_precision(self.engine),
            );
            for (big, small) in after
                .iter()
                .flat_map(|a| covering.iter().map(move |b| (a, b)))
            {
                if domain.covers(big, small) {
                    assert!(covering.contains(big), "seed {}: {big:?}", self.seed);
                }
                assert!(big != small || domain.covers(big, small));
            }
            state = Some(covering.swap_remove(random.random_range(0..covering.len())));
            concrete = Some(taken.state.clone());
        }
        STEPS
    }

    fn covers<D: Domain>(&mut self, domain: &D, state: &D::State, concrete: &State) -> bool {
        let formula = domain.formula(&mut self.engine.cx.terms, state);
        let mut env = Valuation::new();
        concrete.load(&self.variables, &mut env);
        let value = Evaluator::new().eval(&self.engine.cx.terms, formula, &env);
        value.expect("all variables have values").as_bool()
    }

    /// A predicate, or that a variable has a value, at some place.
    fn something(&mut self, random: &mut Rng) -> Learned {
        let terms = &mut self.engine.cx.terms;
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
        let at = LocId::from_index(random.random_range(0..3));
        Learned { predicate, at }
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

fn plain(var: VarId) -> Variable {
    Variable {
        var,
        ctrl: false,
        initial: None,
        range: None,
        span: None,
    }
}

fn equals(terms: &mut Terms, var: VarId, value: i64) -> TermId {
    let (variable, value) = (terms.var(var), terms.int(value));
    terms.eq(variable, value)
}

/// What follows from nothing when `x` is given one of three values and two predicates tell them apart.
fn follow(mode: Mode, max_split: usize) -> Vec<String> {
    let (mut cx, x, stmt) = three_values();
    let predicates = [0, 1].map(|value| equals(&mut cx.terms, x, value));
    let mut engine = new_engine(&mut cx, &[plain(x)]);
    let config = PredicateConfig {
        mode,
        pieces: Pieces::Atoms,
        max_split,
    };
    let mut domain = Predicates::new(&mut engine.cx.terms, config, Locality::Global, &predicates);
    let mut after = Vec::new();
    let at = LocId::from_index(0);
    domain
        .post(&mut engine, None, stmt, at, &mut after)
        .expect("there are no limits");
    let mut texts: Vec<String> = after
        .iter()
        .map(|state| domain.describe(&engine, state))
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
    let mut engine = new_engine(&mut cx, &[plain(x)]);
    let config = CombinedConfig::default();
    let terms = &mut engine.cx.terms;
    let mut domain = Combined::new(terms, config, Locality::Local, &[], &[]);
    let at = [0, 1, 2].map(LocId::from_index);
    for i in 0..3 {
        let predicate = learned[i];
        let learned = [Learned {
            predicate,
            at: at[i],
        }];
        let texts = domain.describe_precision(&engine);
        assert_eq!(texts.len(), i, "{texts:?}");
        assert!(domain.refine(&mut engine, &Reason::Infeasible(&learned)));
    }
    assert_eq!(domain.describe_precision(&engine), ["x"]);
    for at in at {
        let mut after = Vec::new();
        domain
            .post(&mut engine, None, stmt, at, &mut after)
            .expect("there are no limits");
        assert_eq!(after.len(), 3);
    }
    let elsewhere = LocId::from_index(7);
    let mut after = Vec::new();
    domain
        .post(&mut engine, None, stmt, elsewhere, &mut after)
        .expect("there are no limits");
    let texts: Vec<String> = after.iter().map(|s| domain.describe(&engine, s)).collect();
    assert_eq!(texts, ["true"]);
    // Nothing new at a place, then everywhere, then as a predicate after all.
    let again = [Learned {
        predicate: learned[0],
        at: at[0],
    }];
    let reason = Reason::Infeasible(&again);
    assert!(domain.refine(&mut engine, &reason) && !domain.refine(&mut engine, &reason));
    assert!(domain.escalate(&[stmt]) && domain.refine(&mut engine, &reason));
    assert_eq!(domain.describe_precision(&engine), ["x", "x = 0"]);
}

/// The last resorts of Cartesian abstraction, in their order: interpolants whole, then the step exactly, then
/// nothing more (trap 4 of the design: it must end, and not before all of these).
#[test]
fn a_cartesian_step_is_made_exact_in_the_end() {
    let (mut cx, x, stmt) = three_values();
    let predicates = [0, 1].map(|value| equals(&mut cx.terms, x, value));
    let mut engine = new_engine(&mut cx, &[plain(x)]);
    let (config, terms) = (PredicateConfig::default(), &mut engine.cx.terms);
    let mut domain = Predicates::new(terms, config, Locality::Global, &predicates);
    let n_states = |domain: &mut Predicates, engine: &mut Engine| {
        let (mut after, at) = (Vec::new(), LocId::from_index(0));
        let post = domain.post(engine, None, stmt, at, &mut after);
        post.expect("there are no limits");
        after.len()
    };
    let either = engine.cx.terms.or(&predicates);
    let learned = [Learned {
        predicate: either,
        at: LocId::from_index(0),
    }];
    let reason = Reason::Infeasible(&learned);
    assert!(
        !domain.refine(&mut engine, &reason),
        "both atoms are tracked"
    );
    assert!(domain.escalate(&[stmt]) && !domain.is_exact(&[stmt]));
    assert!(domain.refine(&mut engine, &reason), "it is new as a whole");
    assert_eq!(n_states(&mut domain, &mut engine), 1);
    assert!(domain.escalate(&[stmt]) && domain.is_exact(&[stmt]));
    assert_eq!(n_states(&mut domain, &mut engine), 3);
    assert!(!domain.escalate(&[stmt]), "nothing is left to try");
}
