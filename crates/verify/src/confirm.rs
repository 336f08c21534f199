//! The last word on a counterexample: it is replayed on the model as the user gave it, and judged by the word evaluator.
//!
//! Shares nothing with the passes, the translation, the abstraction, the searches or the solver. A counterexample of an
//! engine that fails here is a bug in one of those, and the check must not end in a verdict: whoever asked panics.

use crate::model::Model;
use crate::property::{Atom, Claim, Property};
use lariat_check::Counterexample;
use lariat_expr::{Evaluator, TermId, VarId};
use lariat_ltl::{LassoWord, satisfies};
use lariat_system::{
    Context, Fairness, Lasso, LocId, NotRepeatable, Run, State, TransitionSystem, Valuation,
    repeats_for_ever,
};

/// How many more rounds of a loop whose numbers grow are executed.
pub const N_ROUNDS: usize = 50;

/// What replay found out about a counterexample.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// Which states are observed.
    pub observed: Vec<bool>,
    /// The truth of each atom in each observed state of a temporal counterexample, as bits.
    pub letters: Vec<Option<u64>>,
    /// The word of a temporal counterexample.
    pub word: Option<LassoWord>,
    /// Variables that are not the same in every round: what the loop does does not depend on them.
    pub drifting: Vec<VarId>,
}

/// What replay finds out about a counterexample; why it is none, if it is not a run of the model that refutes the property.
pub fn confirm(
    cx: &Context,
    model: &mut Model,
    property: &Property,
    counterexample: &Counterexample,
) -> Result<Confirmed, String> {
    match (counterexample, &property.claim) {
        (Counterexample::Path(run), Claim::Never { .. }) => {
            let observed = replay(cx, model, run)?;
            let last = observed.len() - 1;
            require(
                is_bad(cx, model, property, &run.steps[last].state, observed[last]),
                "it does not end in a bad state",
            )?;
            Ok(Confirmed {
                letters: vec![None; observed.len()],
                observed,
                word: None,
                drifting: Vec::new(),
            })
        }
        (Counterexample::Lasso(lasso), Claim::Temporal { .. }) => {
            confirm_lasso(cx, model, property, lasso)
        }
        _ => Err("a bad state is refuted by a path, a temporal property by a lasso".into()),
    }
}

fn require(is_so: bool, otherwise: &str) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(|| otherwise.to_owned())
}

fn replay(cx: &Context, model: &mut Model, run: &Run) -> Result<Vec<bool>, String> {
    let observed = run.replay(cx, model);
    observed.map_err(|why| format!("it is no run of the given model: {why}"))
}

/// Whether a state is one that the property forbids.
pub fn is_bad(
    cx: &Context,
    model: &Model,
    property: &Property,
    state: &State,
    observed: bool,
) -> bool {
    let Claim::Never { when, at } = &property.claim else {
        return false;
    };
    is_at(model, state, at) || observed && letter(cx, model, state, when.as_slice()) == 1
}

/// Whether a state is at one of these places.
fn is_at(model: &Model, state: &State, places: &[(usize, LocId)]) -> bool {
    let mut places = places.iter();
    places.any(|&(leaf, loc)| model.leaf_location(state.loc, leaf) == loc)
}

fn confirm_lasso(
    cx: &Context,
    model: &mut Model,
    property: &Property,
    lasso: &Lasso,
) -> Result<Confirmed, String> {
    let observed = replay(cx, model, &lasso.run)?;
    let drifting = match lasso.region[..] {
        [] => closes(cx, model, property, lasso)
            .map_err(|why| format!("it is no lasso of the given model: {why}"))?,
        // That rounds lead from the region into it was asked of a solver (`prepare.rs`).
        _ => {
            let region: Vec<Atom> = lasso.region.iter().map(|&term| Atom::Term(term)).collect();
            let steps = &lasso.run.steps;
            let [start, end] = [lasso.honda, steps.len() - 1].map(|at| &steps[at].state);
            require(
                start.loc == end.loc,
                "its loop does not come back to its location",
            )?;
            for state in [start, end] {
                let is_in = |atom: &Atom| letter(cx, model, state, std::slice::from_ref(atom)) == 1;
                require(
                    region.iter().all(is_in),
                    "its rounds do not start in its region",
                )?;
            }
            Vec::new()
        }
    };
    let Claim::Temporal {
        automaton,
        atoms,
        formula,
    } = &property.claim
    else {
        return Err("a lasso refutes a temporal property".into());
    };
    let steps = lasso.run.steps.iter().zip(&observed);
    let letters: Vec<Option<u64>> = steps
        .map(|(step, &observed)| observed.then(|| letter(cx, model, &step.state, atoms)))
        .collect();
    confirm_rounds(cx, model, lasso, &letters[lasso.honda + 1..], atoms)?;
    let (stem, cycle) = letters.split_at(lasso.honda + 1);
    let [stem, cycle] = [stem, cycle].map(|part| part.iter().copied().flatten().collect());
    let word = LassoWord::new(automaton.aps().to_vec(), stem, cycle)
        .ok_or("no state of its loop is observed")?;
    match formula {
        Some((formulas, formula)) => require(
            !satisfies(formulas, &word, *formula),
            "it satisfies the formula",
        )?,
        None => require(
            automaton.accepts(&word),
            "its word is not accepted by the automaton",
        )?,
    }
    require(is_fair(cx, model, lasso, &observed), "it is no fair run")?;
    Ok(Confirmed {
        observed,
        letters,
        word: Some(word),
        drifting,
    })
}

/// Executes the first rounds of a loop that does not come back to a state: the argument for all of them must be right about
/// these.
fn confirm_rounds(
    cx: &Context,
    model: &mut Model,
    lasso: &Lasso,
    letters: &[Option<u64>],
    atoms: &[Atom],
) -> Result<(), String> {
    if lasso.growth.is_none() && lasso.region.is_empty() {
        return Ok(());
    }
    let steps = lasso.further_rounds(cx, model, N_ROUNDS);
    let steps = steps.map_err(|why| format!("its growing loop cannot go on: {why:?}"))?;
    for (step, expected) in steps.iter().zip(letters.iter().cycle()) {
        let read = expected.map(|_| letter(cx, model, &step.state, atoms));
        require(read == *expected, "its growing loop reads other letters")?;
    }
    Ok(())
}

/// Whether a lasso meets the model's constraints in the observed states of its loop.
fn is_fair(cx: &Context, model: &Model, lasso: &Lasso, observed: &[bool]) -> bool {
    let steps = lasso.run.steps.iter().zip(observed).skip(lasso.honda + 1);
    let seen: Vec<&State> = steps
        .filter(|(_, observed)| **observed)
        .map(|(step, _)| &step.state)
        .collect();
    let occurs = |term: TermId| {
        let atom = [Atom::Term(term)];
        seen.iter()
            .any(|state| letter(cx, model, state, &atom) == 1)
    };
    model.fairness().iter().all(|constraint| match *constraint {
        Fairness::Justice(term) => occurs(term),
        Fairness::Compassion(request, response) => !occurs(request) || occurs(response),
    })
}

/// The variables that a loop need not bring back; an error if it cannot be repeated for ever.
pub fn closes(
    cx: &Context,
    model: &mut Model,
    property: &Property,
    lasso: &Lasso,
) -> Result<Vec<VarId>, NotRepeatable> {
    let terms = read_terms(model, property);
    repeats_for_ever(cx, model, lasso, &terms)
}

/// What must be the same in every round of a loop: the property's atoms, and what the model's constraints speak of.
pub fn read_terms(model: &Model, property: &Property) -> Vec<TermId> {
    let mut terms: Vec<TermId> = property.terms();
    let constraints = model.fairness().iter();
    terms.extend(constraints.flat_map(|constraint| constraint.terms()));
    terms
}

/// The truth of each atom in a state, as bits.
pub fn letter(cx: &Context, model: &Model, state: &State, atoms: &[Atom]) -> u64 {
    let mut env = Valuation::new();
    state.load(model.variables(), &mut env);
    let mut evaluator = Evaluator::new();
    let mut letter = 0;
    for (i, atom) in atoms.iter().enumerate() {
        let truth = match atom {
            Atom::Term(term) => evaluator
                .eval(&cx.terms, *term, &env)
                .expect("atoms speak of the model's variables")
                .as_bool(),
            Atom::At(places) => is_at(model, state, places),
            Atom::NotAt(places) => !is_at(model, state, places),
        };
        letter |= u64::from(truth) << i;
    }
    letter
}
