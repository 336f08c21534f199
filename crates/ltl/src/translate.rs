//! From a formula to a finished automaton: the public entry and its options.
//!
//! `past` removes past operators, `route` finds the smallest automaton, and the labels are written
//! as cubes. The formula store is only added to.

use crate::automaton::{Acceptance, Automaton, AutomatonBuilder, Cube};
use crate::bdd::{Bdd, Lit, Ref};
use crate::class::Class;
use crate::formula::{ApId, FormulaId, Formulas};
use crate::graph::Graph;
pub use crate::limits::TranslateError;
use crate::nnf::to_nnf;
use crate::past::{separate, with_monitors};
use crate::route::Route;
use lariat_base::{Budget, Id, Stop};

/// How much work a translation may do, and what it aims at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Fast: cheap rewriting and one direct simulation.
    Low,
    /// Small: everything.
    High,
    /// As `High`, but a deterministic automaton is preferred to a smaller one.
    Deterministic,
}

/// The single steps, which can be turned off to see what they are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent switches for the ablation
pub struct Steps {
    /// Rewrite the formula first.
    pub simplify: bool,
    /// Split successors by letters.
    pub explicit_letters: bool,
    /// Clean up by strongly connected components.
    pub scc: bool,
    /// Direct simulation.
    pub direct_simulation: bool,
    /// Reverse simulation.
    pub reverse_simulation: bool,
    /// Simulation once more with marks moved to where they matter less.
    pub move_marks: bool,
    /// Weak deterministic minimisation.
    pub wdba: bool,
    /// Simulation after degeneralisation.
    pub buchi_simulation: bool,
    /// Several orders of the acceptance sets.
    pub set_orders: bool,
    /// Several tableaux (with and without rewriting, by letters or not), the smallest kept.
    pub portfolio: bool,
    /// The disjunctive form of formulas made of `GF` and `FG` parts.
    pub suspension: bool,
    /// `G` of a guarantee from the automaton of the guarantee.
    pub recurrence: bool,
    /// Conjunctions as products.
    pub split: bool,
    /// Wide disjunctions as unions.
    pub union: bool,
}

impl Steps {
    /// Everything on.
    pub const ALL: Self = Self {
        simplify: true,
        explicit_letters: true,
        scc: true,
        direct_simulation: true,
        reverse_simulation: true,
        move_marks: true,
        wdba: true,
        buchi_simulation: true,
        set_orders: true,
        portfolio: true,
        suspension: true,
        recurrence: true,
        split: true,
        union: true,
    };
}

/// What to translate to and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TranslateConfig {
    /// The acceptance of the result.
    pub acceptance: Acceptance,
    /// How hard to try.
    pub effort: Effort,
    /// The steps to use.
    pub steps: Steps,
    /// No intermediate automaton may have more states.
    pub max_states: usize,
}

impl TranslateConfig {
    /// The given acceptance and effort with every step.
    pub const fn new(acceptance: Acceptance, effort: Effort) -> Self {
        Self {
            acceptance,
            effort,
            steps: Steps::ALL,
            max_states: 200_000,
        }
    }
}

/// Translates `formula` to an automaton of its words.
pub fn translate(
    formulas: &mut Formulas,
    formula: FormulaId,
    config: &TranslateConfig,
    budget: &Budget,
) -> Result<Automaton, TranslateError> {
    let aps = formulas.aps_of(formula);
    if aps.len() > 64 {
        return Err(TranslateError::TooManyAtoms(aps.len()));
    }
    let mut bdd = Bdd::new(budget);
    let made = to_graph(formulas, formula, &mut bdd, &aps, config, budget)
        .and_then(|graph| finish(&graph, &mut bdd, aps, config.acceptance));
    // What the diagrams may hold is no limit that anybody set.
    made.map_err(|error| match error {
        TranslateError::Stopped(Stop::Memory) if bdd.is_full() => TranslateError::TooManyNodes,
        error => error,
    })
}

fn to_graph(
    formulas: &mut Formulas,
    formula: FormulaId,
    bdd: &mut Bdd,
    aps: &[ApId],
    config: &TranslateConfig,
    budget: &Budget,
) -> Result<Graph<Ref>, TranslateError> {
    let nnf = to_nnf(formulas, formula, false);
    if formulas.is(nnf, Class::FUTURE) {
        Route::new(formulas, bdd, aps, *config, budget).smallest(nnf)
    } else {
        translate_past(formulas, nnf, bdd, aps, config, budget)
    }
}

/// The route through monitors. Works on a copy of the store, so that fresh atoms stay inside.
fn translate_past(
    formulas: &Formulas,
    nnf: FormulaId,
    bdd: &mut Bdd,
    aps: &[ApId],
    config: &TranslateConfig,
    budget: &Budget,
) -> Result<Graph<Ref>, TranslateError> {
    let mut scratch = formulas.clone();
    let separated = separate(&mut scratch, nnf)?;
    let all: Vec<ApId> = aps.iter().copied().chain(separated.fresh()).collect();
    // The product is reduced again, so one tableau is enough here.
    let mut inner = TranslateConfig {
        acceptance: Acceptance::Generalized,
        ..*config
    };
    inner.steps.portfolio = false;
    let future = Route::new(&mut scratch, bdd, &all, inner, budget).smallest(separated.formula)?;
    let raw = with_monitors(&scratch, bdd, &future, &separated, &all, config, budget)?;
    Route::new(&mut scratch, bdd, aps, *config, budget).reduced(&raw, nnf)
}

/// Writes labels as cubes.
fn finish(
    graph: &Graph<Ref>,
    bdd: &mut Bdd,
    aps: Vec<ApId>,
    acceptance: Acceptance,
) -> Result<Automaton, TranslateError> {
    let n_sets = match acceptance {
        Acceptance::Generalized => graph.n_sets,
        Acceptance::Buchi | Acceptance::StateBuchi => 1,
    };
    let mut builder = AutomatonBuilder::new(aps, acceptance, n_sets);
    for _ in 0..graph.n_states() {
        builder.add_state();
    }
    builder.set_initial(Id::from_index(graph.initial as usize));
    for (s, row) in graph.rows.iter().enumerate() {
        for arc in row {
            let mut cubes = Vec::new();
            bdd.isop(arc.label, &mut |lits| {
                cubes.push(cube(lits));
                true
            });
            bdd.stopped()?;
            builder.add_edge(
                Id::from_index(s),
                cubes,
                arc.marks,
                Id::from_index(arc.target as usize),
            );
        }
    }
    Ok(builder.finish())
}

fn cube(lits: &[Lit]) -> Cube {
    let mut cube = Cube::TRUE;
    for lit in lits {
        cube.mask |= 1 << lit.var;
        cube.value |= u64::from(lit.positive) << lit.var;
    }
    cube
}
