//! From a formula to a finished automaton: the public entry, its options, and the choice among
//! several routes.

use crate::automaton::{Acceptance, Automaton, AutomatonBuilder, Cube};
use crate::bdd::{Bdd, Lit, Ref};
use crate::class::Class;
use crate::fm::{Letters, tableau};
use crate::formula::{ApId, FormulaId, Formulas};
use crate::graph::{Arc, Graph, Numbering};
use crate::labels::{Atoms, BddLabels, BitLabels};
pub use crate::limits::TranslateError;
use crate::nnf::to_nnf;
use crate::reduce::{Obligation, cost, reduce};
use crate::scc::Sccs;
use crate::simplify::{Simplifier, Simplify};
use lariat_base::{Budget, Id};

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
    /// Weak deterministic minimisation.
    pub wdba: bool,
    /// Simulation after degeneralisation.
    pub buchi_simulation: bool,
    /// Several orders of the acceptance sets.
    pub set_orders: bool,
    /// Several routes, the smallest result kept.
    pub portfolio: bool,
}

impl Steps {
    /// Everything on.
    pub const ALL: Self = Self {
        simplify: true,
        explicit_letters: true,
        scc: true,
        direct_simulation: true,
        reverse_simulation: true,
        wdba: true,
        buchi_simulation: true,
        set_orders: true,
        portfolio: true,
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
    let nnf = to_nnf(formulas, formula, false);
    let mut route = Route {
        formulas,
        bdd: &mut bdd,
        aps: &aps,
        config,
        budget,
    };
    let graph = route.smallest(nnf)?;
    finish(&graph, &mut bdd, aps, config.acceptance)
}

struct Route<'a> {
    formulas: &'a mut Formulas,
    bdd: &'a mut Bdd,
    aps: &'a [ApId],
    config: &'a TranslateConfig,
    budget: &'a Budget,
}

impl Route<'_> {
    /// The smallest automaton of the routes that the effort allows.
    fn smallest(&mut self, nnf: FormulaId) -> Result<Graph<Ref>, TranslateError> {
        let steps = self.config.steps;
        let low = self.config.effort == Effort::Low;
        let how = if low { Simplify::Cheap } else { Simplify::Full };
        let simple = if steps.simplify {
            Simplifier::new(self.formulas, how).run(nnf)
        } else {
            nnf
        };
        let letters = if steps.explicit_letters && !low {
            Letters::Explicit
        } else {
            Letters::Symbolic
        };
        let mut best = self.plain(simple, letters)?;
        if low || !steps.portfolio {
            return Ok(best);
        }
        let mut best_cost = self.cost(&best);
        let mut routes = vec![(simple, Letters::Symbolic)];
        if nnf != simple {
            routes.push((nnf, Letters::Explicit));
            routes.push((nnf, Letters::Symbolic));
        }
        for (formula, letters) in routes {
            if best_cost.0 <= 1 {
                break;
            }
            let other = self.plain(formula, letters)?;
            let cost = self.cost(&other);
            if cost < best_cost {
                best = other;
                best_cost = cost;
            }
        }
        Ok(best)
    }

    fn cost(&mut self, graph: &Graph<Ref>) -> (usize, usize, usize) {
        cost(graph, &mut BddLabels(self.bdd))
    }

    fn tableau(
        &mut self,
        formula: FormulaId,
        letters: Letters,
    ) -> Result<Graph<Ref>, TranslateError> {
        let max = self.config.max_states;
        let tableau = tableau(
            self.formulas,
            formula,
            self.aps,
            self.bdd,
            letters,
            max,
            self.budget,
        )?;
        Ok(tableau.graph)
    }

    /// Tableau and reductions.
    fn plain(
        &mut self,
        formula: FormulaId,
        letters: Letters,
    ) -> Result<Graph<Ref>, TranslateError> {
        let raw = self.tableau(formula, letters)?;
        let obligation = if self.formulas.is(formula, Class::OBLIGATION) {
            Obligation::Known
        } else {
            Obligation::Unknown
        };
        self.reduced(&raw, formula, obligation)
    }

    /// Reduces `raw`, an automaton of `formula`, with the cheapest labels that fit.
    fn reduced(
        &mut self,
        raw: &Graph<Ref>,
        formula: FormulaId,
        obligation: Obligation,
    ) -> Result<Graph<Ref>, TranslateError> {
        let distinct = raw.distinct_labels();
        let atoms = Atoms::of(self.bdd, &distinct, 256);
        self.bdd.stopped()?;
        match atoms {
            Some(atoms) if atoms.len() <= 64 => {
                self.reduced_bits::<1>(raw, &distinct, &atoms, formula, obligation)
            }
            Some(atoms) => self.reduced_bits::<4>(raw, &distinct, &atoms, formula, obligation),
            None => {
                let (config, budget) = (self.config, self.budget);
                let mut negation = Negation::new(self.formulas, self.aps, formula, config, budget);
                let mut verify = |labels: &mut BddLabels<'_>, candidate: &Graph<Ref>| {
                    negation.disjoint(labels.0, candidate)
                };
                let mut labels = BddLabels(self.bdd);
                reduce(raw, &mut labels, config, obligation, &mut verify, budget)
            }
        }
    }

    fn reduced_bits<const N: usize>(
        &mut self,
        raw: &Graph<Ref>,
        distinct: &[Ref],
        atoms: &Atoms,
        formula: FormulaId,
        obligation: Obligation,
    ) -> Result<Graph<Ref>, TranslateError> {
        let codes = atoms.encode::<N>(self.bdd, distinct);
        self.bdd.stopped()?;
        let coded = raw.map_labels(|label| codes[&label]);
        let (config, budget) = (self.config, self.budget);
        let mut negation = Negation::new(self.formulas, self.aps, formula, config, budget);
        let bdd = &mut *self.bdd;
        let mut verify = |_: &mut BitLabels<N>, candidate: &Graph<[u64; N]>| {
            let candidate = candidate.map_labels(|code| atoms.decode(bdd, code));
            negation.disjoint(bdd, &candidate)
        };
        let mut labels = BitLabels::<N>::new(atoms.len());
        let small = reduce(&coded, &mut labels, config, obligation, &mut verify, budget)?;
        let decoded = small.map_labels(|code| atoms.decode(self.bdd, code));
        self.bdd.stopped()?;
        Ok(decoded)
    }
}

/// The automaton of a formula's negation, made when it is first needed.
struct Negation<'a> {
    formulas: &'a mut Formulas,
    aps: &'a [ApId],
    formula: FormulaId,
    config: &'a TranslateConfig,
    budget: &'a Budget,
    graph: Option<Graph<Ref>>,
}

impl<'a> Negation<'a> {
    fn new(
        formulas: &'a mut Formulas,
        aps: &'a [ApId],
        formula: FormulaId,
        config: &'a TranslateConfig,
        budget: &'a Budget,
    ) -> Self {
        Self {
            formulas,
            aps,
            formula,
            config,
            budget,
            graph: None,
        }
    }

    /// Whether no word of the negation is a word of `candidate`.
    fn disjoint(&mut self, bdd: &mut Bdd, candidate: &Graph<Ref>) -> Result<bool, TranslateError> {
        /// A check that needs more product states is not worth its time.
        const MAX_PAIRS: usize = 20_000;
        if self.graph.is_none() {
            let negation = to_nnf(self.formulas, self.formula, true);
            let made = tableau(
                self.formulas,
                negation,
                self.aps,
                bdd,
                Letters::Explicit,
                MAX_PAIRS,
                self.budget,
            );
            let graph = match made {
                Ok(tableau) => tableau.graph,
                Err(TranslateError::Stopped(stop)) => return Err(stop.into()),
                Err(_) => return Ok(false),
            };
            self.graph = Some(graph);
        }
        let negation = self.graph.as_ref().expect("made above");
        if negation.n_sets + candidate.n_sets > 64 {
            return Ok(false);
        }
        let product = product(bdd, candidate, negation, MAX_PAIRS, self.budget)?;
        bdd.stopped()?;
        Ok(product.is_some_and(|graph| !Sccs::new(&graph).accepting.contains(&true)))
    }
}

/// The synchronous product, unless it has more than `max_states` states.
fn product(
    bdd: &mut Bdd,
    a: &Graph<Ref>,
    b: &Graph<Ref>,
    max_states: usize,
    budget: &Budget,
) -> Result<Option<Graph<Ref>>, TranslateError> {
    let mut pairs = Numbering::new();
    pairs.id(&(a.initial, b.initial));
    let mut rows = Vec::new();
    while rows.len() < pairs.keys.len() {
        if pairs.keys.len() > max_states {
            return Ok(None);
        }
        if rows.len() % 64 == 63 {
            budget.check()?;
        }
        let (s, t) = pairs.keys[rows.len()];
        let mut row = Vec::new();
        for x in &a.rows[s as usize] {
            for y in &b.rows[t as usize] {
                let label = bdd.and(x.label, y.label);
                if label != Ref::FALSE {
                    row.push(Arc {
                        target: pairs.id(&(x.target, y.target)),
                        marks: x.marks | y.marks << a.n_sets,
                        label,
                    });
                }
            }
        }
        rows.push(row);
    }
    Ok(Some(Graph {
        initial: 0,
        n_sets: a.n_sets + b.n_sets,
        rows,
    }))
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
            bdd.isop(arc.label, &mut |lits| cubes.push(cube(lits)));
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
