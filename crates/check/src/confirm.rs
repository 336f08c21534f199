//! The last word on a counterexample: replayed by the interpreter, judged by the word evaluator.
//!
//! Shares nothing with the translation, the abstraction, the searches or the solver. A counterexample
//! that fails here is a bug in one of those, and the check must not end in a verdict: it panics.

use crate::problem::{Bad, Goal, Problem};
use crate::verdict::Counterexample;
use lariat_expr::{Evaluator, TermId};
use lariat_ltl::{LassoWord, satisfies};
use lariat_system::{
    Context, Fairness, Lasso, Run, State, TransitionSystem, Valuation, Variable, repeats_for_ever,
};

/// Panics unless the counterexample is a run of the system that refutes the property.
pub fn confirm(cx: &Context, problem: &mut Problem, counterexample: &Counterexample) {
    match (counterexample, &problem.goal) {
        (Counterexample::Path(run), Goal::Reach(bad)) => {
            confirm_path(cx, &mut *problem.system, bad, run);
        }
        (Counterexample::Lasso(lasso), Goal::Accept { .. }) => confirm_lasso(cx, problem, lasso),
        _ => panic!("a bad state is refuted by a path, a temporal property by a lasso"),
    }
}

fn confirm_path(cx: &Context, system: &mut dyn TransitionSystem, bad: &Bad, run: &Run) {
    let observed = run
        .replay(cx, system)
        .unwrap_or_else(|why| panic!("a counterexample is no run: {why}"));
    let (last, is_observed) = (
        &run.steps[run.steps.len() - 1].state,
        observed[observed.len() - 1],
    );
    let at_bad = bad
        .at
        .iter()
        .any(|&(leaf, loc)| system.leaf_location(last.loc, leaf) == loc);
    let when_bad = bad
        .when
        .is_some_and(|when| is_observed && letter(cx, system.variables(), last, &[when]) == 1);
    assert!(at_bad || when_bad, "a counterexample ends in a bad state");
}

fn confirm_lasso(cx: &Context, problem: &mut Problem, lasso: &Lasso) {
    let observed = lasso
        .run
        .replay(cx, &mut *problem.system)
        .unwrap_or_else(|why| panic!("a counterexample is no run: {why}"));
    confirm_loop(cx, problem, lasso);
    let Goal::Accept {
        automaton,
        atoms,
        formula,
    } = &problem.goal
    else {
        panic!("a lasso refutes a temporal property");
    };
    confirm_fairness(cx, &*problem.system, lasso, &observed);
    let (stem, cycle) = lasso_letters(cx, problem.system.variables(), lasso, &observed, atoms);
    let word = LassoWord::new(automaton.aps().to_vec(), stem, cycle)
        .expect("the loop of a counterexample is observed");
    match formula {
        Some((formulas, formula)) => {
            assert!(
                !satisfies(formulas, &word, *formula),
                "a counterexample violates the formula"
            );
        }
        None => assert!(
            automaton.accepts(&word),
            "a counterexample's word is accepted by the automaton"
        ),
    }
}

/// Panics unless the loop can be repeated for ever, with the same letters in each round.
fn confirm_loop(cx: &Context, problem: &mut Problem, lasso: &Lasso) {
    let Goal::Accept { atoms, .. } = &problem.goal else {
        panic!("a lasso refutes a temporal property");
    };
    // A region is an argument for the solver; whoever asked has the last word on it, about the model as given.
    if !lasso.region.is_empty() {
        return;
    }
    let mut read = atoms.clone();
    let constraints = problem.system.fairness().iter();
    read.extend(constraints.flat_map(|constraint| constraint.terms()));
    if let Err(why) = repeats_for_ever(cx, &mut *problem.system, lasso, &read) {
        panic!("a counterexample is no lasso: {why}");
    }
}

/// Panics unless the system's constraints are met in the observed states of the loop.
fn confirm_fairness(cx: &Context, system: &dyn TransitionSystem, lasso: &Lasso, observed: &[bool]) {
    let occurs = |term: TermId| {
        let (_, cycle) = lasso_letters(cx, system.variables(), lasso, observed, &[term]);
        cycle.contains(&1)
    };
    for constraint in system.fairness() {
        let is_met = match *constraint {
            Fairness::Justice(term) => occurs(term),
            Fairness::Compassion(request, response) => !occurs(request) || occurs(response),
        };
        assert!(is_met, "a counterexample is a fair run");
    }
}

/// The letters of the observed states of a lasso: of its stem and of its loop.
pub fn lasso_letters(
    cx: &Context,
    variables: &[Variable],
    lasso: &Lasso,
    observed: &[bool],
    atoms: &[TermId],
) -> (Vec<u64>, Vec<u64>) {
    let letters = |steps: std::ops::Range<usize>| -> Vec<u64> {
        let observed = steps.filter(|&i| observed[i]);
        observed
            .map(|i| letter(cx, variables, &lasso.run.steps[i].state, atoms))
            .collect()
    };
    (
        letters(0..lasso.honda + 1),
        letters(lasso.honda + 1..lasso.run.steps.len()),
    )
}

/// The truth of each atom in a state, as bits.
pub fn letter(cx: &Context, variables: &[Variable], state: &State, atoms: &[TermId]) -> u64 {
    let mut env = Valuation::new();
    state.load(variables, &mut env);
    let mut evaluator = Evaluator::new();
    let truth = |(i, &atom): (usize, &TermId)| {
        let value = evaluator
            .eval(&cx.terms, atom, &env)
            .expect("atoms speak of the system's variables");
        u64::from(value.as_bool()) << i
    };
    atoms.iter().enumerate().map(truth).sum()
}
