//! Random questions about a system: atoms over its variables, and formulas of them.

use crate::Rng;
use lariat_base::Budget;
use lariat_expr::{Int, Sort, SortId, TermId, Value, VarId};
use lariat_ltl::{
    Acceptance, ApId, Automaton, Class, Effort, Formulas, Operators, TranslateConfig,
    random_formula, translate,
};
use lariat_system::{Context, System, Variable};
use rand::Rng as _;

/// An automaton over random atoms.
#[derive(Debug)]
pub struct RandomQuestion {
    /// The automaton.
    pub automaton: Automaton,
    /// Its atoms, over the variables of the system.
    pub atoms: Vec<TermId>,
    /// Whether its language is certainly closed under stuttering.
    pub is_stutter_free: bool,
}

/// A random formula over `n_atoms` random atoms of `system`, as an automaton.
pub fn random_question(
    cx: &mut Context,
    system: &System,
    rng: &mut Rng,
    n_atoms: usize,
) -> RandomQuestion {
    let atoms: Vec<TermId> = (0..n_atoms)
        .map(|_| random_atom(cx, &system.variables, rng))
        .collect();
    question_about(&atoms, rng)
}

/// A random formula over these atoms, as an automaton.
pub fn question_about(atoms: &[TermId], rng: &mut Rng) -> RandomQuestion {
    let n_atoms = atoms.len();
    let mut formulas = Formulas::new();
    let names: Vec<ApId> = (0..n_atoms)
        .map(|i| formulas.ap_id(&format!("p{i}")))
        .collect();
    let mut letters = lariat_ltl::Rng::new(rng.random());
    let formula = random_formula(&mut formulas, &mut letters, &names, 6, Operators::Future);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let automaton = translate(&mut formulas, formula, &config, &Budget::unlimited());
    let automaton = automaton.expect("a small formula has a small automaton");
    let position = |ap: &ApId| names.iter().position(|name| name == ap);
    RandomQuestion {
        atoms: automaton
            .aps()
            .iter()
            .filter_map(position)
            .map(|i| atoms[i])
            .collect(),
        is_stutter_free: formulas.class(formula).has(Class::STUTTER_FREE),
        automaton,
    }
}

/// A random Boolean term over some of these variables.
pub fn random_atom(cx: &mut Context, variables: &[Variable], rng: &mut Rng) -> TermId {
    let first = equation(cx, variables, rng);
    match rng.random_range(0..6) {
        0 => cx.terms.not(first),
        1 => {
            let second = equation(cx, variables, rng);
            cx.terms.and(&[first, second])
        }
        2 => {
            let second = equation(cx, variables, rng);
            cx.terms.or(&[first, second])
        }
        _ => first,
    }
}

/// A Boolean variable, or how a variable (or an element of an array) compares with a small value or another variable.
fn equation(cx: &mut Context, variables: &[Variable], rng: &mut Rng) -> TermId {
    let var = variables[rng.random_range(0..variables.len())].var;
    let mut term = cx.terms.var(var);
    let mut sort = cx.terms.var_sort(var);
    if let Some((index, element)) = cx.terms.sorts.as_array(sort) {
        let at = small(cx, index, rng);
        term = cx.terms.select(term, at);
        sort = element;
    }
    if sort == cx.terms.sorts.bool() {
        return term;
    }
    let alike = variables.iter().map(|variable| variable.var);
    let alike: Vec<VarId> = alike
        .filter(|&other| other != var && cx.terms.var_sort(other) == sort)
        .collect();
    let other = if alike.is_empty() || rng.random_range(0..3) > 0 {
        small(cx, sort, rng)
    } else {
        cx.terms.var(alike[rng.random_range(0..alike.len())])
    };
    if sort == cx.terms.sorts.int() && rng.random() {
        return cx.terms.le(term, other);
    }
    cx.terms.eq(term, other)
}

/// A small value of a sort.
fn small(cx: &mut Context, sort: SortId, rng: &mut Rng) -> TermId {
    let value = match cx.terms.sorts.get(sort) {
        Sort::Bool => Value::Bool(rng.random()),
        Sort::Int => Value::from(rng.random_range(-1..4)),
        Sort::Enum(decl) => Value::Enum(rng.random_range(0..decl.literals.len() as u32)),
        Sort::Bv(width) => {
            let value = Int::from(rng.random_range(0..4));
            Value::Bv(value.mod_euclid(&Int::power_of_two(*width)))
        }
        _ => Value::some(&cx.terms.sorts, sort),
    };
    cx.terms.lit(value, sort)
}
