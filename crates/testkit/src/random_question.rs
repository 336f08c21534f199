//! Random questions about a system: atoms over its variables, and formulas of them.

use crate::Rng;
use lariat_base::Budget;
use lariat_expr::{Sort, TermId, Value};
use lariat_ltl::{
    Acceptance, ApId, Automaton, Class, Effort, Formulas, Operators, TranslateConfig,
    random_formula, translate,
};
use lariat_system::{Context, System};
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
    let atoms: Vec<TermId> = (0..n_atoms).map(|_| atom(cx, system, rng)).collect();
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

/// An equation of a variable with a small value, or a Boolean variable.
fn atom(cx: &mut Context, system: &System, rng: &mut Rng) -> TermId {
    let var = system.variables[rng.random_range(0..system.variables.len())].var;
    let (term, sort) = (cx.terms.var(var), cx.terms.var_sort(var));
    let value = match cx.terms.sorts.get(sort) {
        Sort::Bool => return term,
        Sort::Int => Value::from(rng.random_range(-1..4)),
        Sort::Enum(decl) => Value::Enum(rng.random_range(0..decl.literals.len() as u32)),
        _ => Value::some(&cx.terms.sorts, sort),
    };
    let value = cx.terms.lit(value, sort);
    cx.terms.eq(term, value)
}
