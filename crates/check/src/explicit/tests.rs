//! The explicit engine on hand-made systems: what is read, what counts as a run, and what is unknown.

use super::*;
use crate::Bad;
use lariat_base::Id;
use lariat_expr::{Op, TermId, VarId};
use lariat_ltl::{Acceptance, Automaton, AutomatonBuilder, Cube, Formulas, TranslateConfig};
use lariat_system::{
    Edge, Language, LocId, Location, Stmt, StmtId, SystemBuilder, TransitionSystem, Variable,
};
use std::sync::Arc;
use std::time::Duration;

/// A system under construction: integer variables and locations joined by statements. It starts in location 0.
struct Maker {
    cx: Context,
    builder: SystemBuilder,
    start_observed: bool,
}

impl Maker {
    fn new(n_locations: usize) -> Self {
        let mut builder = SystemBuilder::new(Language::Cfa, "test");
        for i in 0..n_locations {
            builder.location(Location::new(format!("l{i}")));
        }
        Self {
            cx: Context::new(),
            builder,
            start_observed: true,
        }
    }

    fn int(&mut self, name: &str, initial: Option<i64>) -> (VarId, TermId) {
        let var = self.cx.terms.declare(name, self.cx.terms.sorts.int());
        let initial = initial.map(|value| self.cx.terms.int(value));
        self.builder.variable(Variable {
            initial,
            ..Variable::new(var)
        });
        (var, self.cx.terms.var(var))
    }

    fn assign(&mut self, var: VarId, value: TermId) -> StmtId {
        self.cx.stmts.add(Stmt::Assign(var, value), None)
    }

    fn edge(&mut self, from: usize, stmt: StmtId, to: usize, observed: bool) {
        let edge = Edge::new(stmt, LocId::from_index(to)).observed_if(observed);
        self.builder.edge(LocId::from_index(from), edge);
    }

    fn problem(mut self, goal: Goal) -> (Context, Problem<'static>) {
        let start = Edge::new(self.cx.stmts.skip(), LocId::from_index(0));
        self.builder.start(start.observed_if(self.start_observed));
        let system = self.builder.finish(&mut self.cx);
        let problem = Problem {
            system: Box::new(system),
            goal,
        };
        (self.cx, problem)
    }
}

/// Accepts every infinite word, without any acceptance set.
fn everything() -> Goal {
    let mut builder = AutomatonBuilder::new(Vec::new(), Acceptance::Generalized, 0);
    let state = builder.add_state();
    builder.add_edge(state, vec![Cube::TRUE], 0, state);
    automaton_goal(builder.finish())
}

fn automaton_goal(automaton: Automaton) -> Goal {
    Goal::Accept {
        automaton: Arc::new(automaton),
        atoms: Vec::new(),
        formula: None,
    }
}

/// The goal that refutes a formula over the atom `p`.
fn violates(p: TermId, make: impl Fn(&mut Formulas) -> lariat_ltl::FormulaId) -> Goal {
    let mut formulas = Formulas::new();
    let formula = make(&mut formulas);
    let negated = formulas.not(formula);
    let config = TranslateConfig::new(Acceptance::Generalized, lariat_ltl::Effort::High);
    let automaton = lariat_ltl::translate(&mut formulas, negated, &config, &Budget::unlimited());
    let automaton = automaton.expect("a small formula");
    Goal::Accept {
        atoms: automaton.aps().iter().map(|_| p).collect(),
        automaton: Arc::new(automaton),
        formula: Some((Arc::new(formulas), formula)),
    }
}

fn check(cx: &mut Context, problem: &mut Problem<'_>, config: &ExplicitConfig) -> Verdict {
    let mut stats = ExplicitStats::default();
    check_explicit(cx, problem, config, &Budget::unlimited(), &mut stats)
}

/// The verdict of every search that fits the goal; they agree.
fn verdict((mut cx, mut problem): (Context, Problem<'_>)) -> &'static str {
    let searches = match problem.goal {
        Goal::Reach(_) => Search::REACH.to_vec(),
        Goal::Accept { .. } => Search::LASSO.to_vec(),
    };
    let mut verdicts = searches.into_iter().map(|search| {
        let config = ExplicitConfig {
            search: Some(search),
            ..ExplicitConfig::default()
        };
        match check(&mut cx, &mut problem, &config) {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    });
    let first = verdicts.next().expect("there are searches");
    assert!(verdicts.all(|verdict| verdict == first));
    first
}

#[test]
fn a_cycle_that_reads_nothing_is_no_run_of_the_automaton() {
    for (observed, expected) in [(false, "holds"), (true, "violated")] {
        let mut maker = Maker::new(1);
        let skip = maker.cx.stmts.skip();
        maker.edge(0, skip, 0, observed);
        assert_eq!(verdict(maker.problem(everything())), expected);
    }
    // Two loops, of which only one reads: the lasso must take that one.
    let mut maker = Maker::new(2);
    let skip = maker.cx.stmts.skip();
    maker.edge(0, skip, 0, false);
    maker.edge(0, skip, 1, false);
    maker.edge(1, skip, 0, true);
    assert_eq!(verdict(maker.problem(everything())), "violated");
}

#[test]
fn a_run_that_ends_violates_nothing() {
    let mut maker = Maker::new(2);
    let skip = maker.cx.stmts.skip();
    maker.edge(0, skip, 1, true);
    assert_eq!(verdict(maker.problem(everything())), "holds");
}

#[test]
fn the_automaton_starts_with_the_first_state_that_is_observed() {
    for (start_observed, expected) in [(true, "violated"), (false, "holds")] {
        let mut maker = Maker::new(2);
        let (x, tx) = maker.int("x", Some(0));
        let one = maker.cx.terms.int(1);
        let (set, skip) = (maker.assign(x, one), maker.cx.stmts.skip());
        maker.edge(0, set, 1, true);
        maker.edge(1, skip, 1, true);
        maker.start_observed = start_observed;
        let p = maker.cx.terms.eq(tx, one);
        let goal = violates(p, |formulas| formulas.ap_named("p"));
        assert_eq!(verdict(maker.problem(goal)), expected);
    }
}

#[test]
fn the_counter_that_loses_its_parity() {
    // x counts modulo 4; G F x = 0 holds, F G x = 0 does not.
    let counter = || {
        let mut maker = Maker::new(1);
        let (x, tx) = maker.int("x", Some(0));
        let (one, four) = (maker.cx.terms.int(1), maker.cx.terms.int(4));
        let next = maker.cx.terms.add(&[tx, one]);
        let next = maker
            .cx
            .terms
            .build(Op::Mod, &[next, four])
            .expect("integers");
        let step = maker.assign(x, next);
        maker.edge(0, step, 0, true);
        let zero = maker.cx.terms.int(0);
        let p = maker.cx.terms.eq(tx, zero);
        (maker, p)
    };
    let (maker, p) = counter();
    let again = violates(p, |formulas| {
        let p = formulas.ap_named("p");
        let finally = formulas.finally(p);
        formulas.globally(finally)
    });
    assert_eq!(verdict(maker.problem(again)), "holds");
    let (maker, p) = counter();
    let stays = violates(p, |formulas| {
        let p = formulas.ap_named("p");
        let globally = formulas.globally(p);
        formulas.finally(globally)
    });
    assert_eq!(verdict(maker.problem(stays)), "violated");
}

#[test]
fn bad_values_count_where_they_are_observed_and_bad_locations_everywhere() {
    let system = |observed: bool| {
        let mut maker = Maker::new(3);
        let (x, tx) = maker.int("x", Some(0));
        let (one, two) = (maker.cx.terms.int(1), maker.cx.terms.int(2));
        let (first, second) = (maker.assign(x, one), maker.assign(x, two));
        maker.edge(0, first, 1, observed);
        maker.edge(1, second, 2, false);
        let is_one = maker.cx.terms.eq(tx, one);
        (maker, is_one)
    };
    for (observed, expected) in [(true, "violated"), (false, "holds")] {
        let (maker, is_one) = system(observed);
        let when = Goal::Reach(Bad {
            when: Some(is_one),
            at: Vec::new(),
        });
        assert_eq!(verdict(maker.problem(when)), expected);
    }
    let at = |i| {
        Goal::Reach(Bad {
            when: None,
            at: vec![(0, LocId::from_index(i))],
        })
    };
    let (mut cx, mut problem) = system(false).0.problem(at(2));
    let found = check(&mut cx, &mut problem, &ExplicitConfig::default());
    let Verdict::Violated(Counterexample::Path(run)) = found else {
        panic!("location 2 is reached: {found:?}");
    };
    assert_eq!(run.steps.len(), 3);
    assert_eq!(verdict(system(true).0.problem(at(7))), "holds");
}

#[test]
fn unbounded_values_can_refute_but_never_prove() {
    let system = |bound: i64| {
        let mut maker = Maker::new(1);
        let (_, tx) = maker.int("x", None);
        let skip = maker.cx.stmts.skip();
        maker.edge(0, skip, 0, true);
        let bound = maker.cx.terms.int(bound);
        let when = Some(maker.cx.terms.eq(tx, bound));
        let at = Vec::new();
        maker.problem(Goal::Reach(Bad { when, at }))
    };
    let (mut cx, mut problem) = system(123_456_789);
    let unknown = check(&mut cx, &mut problem, &ExplicitConfig::default());
    let Verdict::Unknown(Unknown::Infinite(why)) = unknown else {
        panic!("not every value was tried: {unknown:?}");
    };
    assert_eq!(why, "`x` may take infinitely many values at the start");
    assert_eq!(verdict(system(0)), "violated");
}

#[test]
fn integers_beyond_machine_words_are_exact() {
    // x squares until it exceeds every machine word, then starts again.
    let mut maker = Maker::new(1);
    let (x, tx) = maker.int("x", Some(3));
    let limit = {
        let ten = maker.cx.terms.int(10);
        (0..40).fold(ten, |limit, _| maker.cx.terms.mul(&[limit, ten]))
    };
    let (small, square) = (maker.cx.terms.lt(tx, limit), maker.cx.terms.mul(&[tx, tx]));
    let three = maker.cx.terms.int(3);
    let next = maker.cx.terms.ite(small, square, three);
    let step = maker.assign(x, next);
    maker.edge(0, step, 0, true);
    let large = maker.cx.terms.le(limit, tx);
    let again = violates(large, |formulas| {
        let p = formulas.ap_named("p");
        let finally = formulas.finally(p);
        formulas.globally(finally)
    });
    let (mut cx, mut problem) = maker.problem(again);
    let mut stats = ExplicitStats::default();
    let config = ExplicitConfig::default();
    let budget = Budget::unlimited();
    let verdict = check_explicit(&mut cx, &mut problem, &config, &budget, &mut stats);
    assert_eq!(verdict, Verdict::Holds);
    assert!(stats.repacks > 0 && stats.interpreted > 0, "{stats:?}");
}

#[test]
fn numbers_that_square_for_ever_end_in_unknown() {
    let mut maker = Maker::new(1);
    let (x, tx) = maker.int("x", Some(3));
    let square = maker.cx.terms.mul(&[tx, tx]);
    let step = maker.assign(x, square);
    maker.edge(0, step, 0, true);
    let zero = maker.cx.terms.int(0);
    let when = Some(maker.cx.terms.lt(tx, zero));
    let at = Vec::new();
    let (mut cx, mut problem) = maker.problem(Goal::Reach(Bad { when, at }));
    let unknown = check(&mut cx, &mut problem, &ExplicitConfig::default());
    let Verdict::Unknown(Unknown::Infinite(why)) = unknown else {
        panic!("a number has no end: {unknown:?}");
    };
    assert!(why.starts_with("`x` gets a number of more than "), "{why}");
}

#[test]
fn limits_end_in_unknown() {
    let counter = || {
        let mut maker = Maker::new(1);
        let (x, tx) = maker.int("x", Some(0));
        let one = maker.cx.terms.int(1);
        let next = maker.cx.terms.add(&[tx, one]);
        let step = maker.assign(x, next);
        maker.edge(0, step, 0, true);
        let zero = maker.cx.terms.int(0);
        let negative = maker.cx.terms.lt(tx, zero);
        let at = Vec::new();
        let when = Some(negative);
        maker.problem(Goal::Reach(Bad { when, at }))
    };
    let (mut cx, mut problem) = counter();
    let few = ExplicitConfig {
        max_states: Some(1000),
        ..ExplicitConfig::default()
    };
    let unknown = check(&mut cx, &mut problem, &few).clone();
    let Verdict::Unknown(Unknown::Infinite(why)) = unknown else {
        panic!("there are more states: {unknown:?}");
    };
    assert_eq!(why, "there are more than 1000 states");
    let (mut cx, mut problem) = counter();
    let short = Budget::unlimited().with_time(Duration::from_millis(20));
    let mut stats = ExplicitStats::default();
    let config = ExplicitConfig::default();
    let stopped = check_explicit(&mut cx, &mut problem, &config, &short, &mut stats);
    assert_eq!(stopped, Verdict::Unknown(Unknown::Stopped(Stop::Time)));
    assert!(stats.states > 0);
    let wrong = ExplicitConfig {
        search: Some(Search::Ndfs),
        ..ExplicitConfig::default()
    };
    let (mut cx, mut problem) = counter();
    let unknown = check(&mut cx, &mut problem, &wrong);
    assert!(matches!(unknown, Verdict::Unknown(Unknown::Unsupported(_))));
}

#[test]
fn the_automaton_is_read_by_systems_of_any_kind() {
    // A system seen through a reference is a system too.
    let mut maker = Maker::new(1);
    let skip = maker.cx.stmts.skip();
    maker.edge(0, skip, 0, true);
    let (cx, mut problem) = maker.problem(everything());
    let system: &mut dyn TransitionSystem = &mut *problem.system;
    let borrowed = Problem {
        system: Box::new(system),
        goal: everything(),
    };
    assert_eq!(verdict((cx, borrowed)), "violated");
}
