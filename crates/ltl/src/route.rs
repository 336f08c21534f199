//! The choice among several ways to an automaton.
//!
//! No single tableau is the smallest for every formula, and a translation takes microseconds, so
//! several are tried and the smallest result is kept: the rewritten and the original formula, split
//! by letters or not; the disjunctive form for `GF`/`FG` combinations (`suspend`); the recurrence
//! construction; a product of conjuncts (`compose`). Wide disjunctions and many recurrences go their own way (`union`, `turns`). Once there is a result the others are bounded
//! by a multiple of its size, so a hopeless route ends early and the choice depends on sizes only,
//! never on time.

use crate::automaton::Acceptance;
use crate::bdd::{Bdd, Ref};
use crate::class::Class;
use crate::compose::{LastLetter, Right, product, recurrence};
use crate::fm::{Letters, tableau};
use crate::formula::{ApId, FormulaId, Formulas, Op};
use crate::graph::Graph;
use crate::labels::{Atoms, BddLabels, BitLabels};
use crate::limits::TranslateError;
use crate::reduce::{Obligation, cost, reduce};
use crate::scc::{MarksOn, clean};
use crate::simplify::{Simplifier, Simplify};
use crate::suspend::{disjunctive_form, is_suspendable};
use crate::translate::{Effort, TranslateConfig};
use crate::turns::{many_recurring, turns};
use crate::union::{union, wide};
use crate::verify::Negation;
use lariat_base::Budget;

/// A result this large is not polished further: every route would take as long.
const LARGE: usize = 400;

/// With this many disjuncts the suspension route is the best one, and the others are slow.
const MANY_DISJUNCTS: usize = 4;

/// Wide disjunctions inside of one another are translated part by part to this depth.
const MAX_DEPTH: u32 = 16;

/// One translation under way: the store, the manager whose first variables are `aps`, the options.
pub(crate) struct Route<'a> {
    formulas: &'a mut Formulas,
    bdd: &'a mut Bdd,
    aps: &'a [ApId],
    config: TranslateConfig,
    budget: &'a Budget,
    /// In how many formulas this one is a part that is translated by itself.
    depth: u32,
}

impl<'a> Route<'a> {
    pub(crate) fn new(
        formulas: &'a mut Formulas,
        bdd: &'a mut Bdd,
        aps: &'a [ApId],
        config: TranslateConfig,
        budget: &'a Budget,
    ) -> Self {
        Self {
            formulas,
            bdd,
            aps,
            config,
            budget,
            depth: 0,
        }
    }

    /// The smallest automaton of the routes that the effort allows.
    pub(crate) fn smallest(&mut self, nnf: FormulaId) -> Result<Graph<Ref>, TranslateError> {
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
        if low {
            return self.plain(simple, letters);
        }
        if let Some(graph) = self.in_turn(simple)? {
            return Ok(graph);
        }
        let mut best = Best::default();
        if steps.union && self.depth < MAX_DEPTH {
            self.try_route(&mut best, |route| route.by_parts(simple))?;
            if best.found.is_some() {
                return best.graph();
            }
        }
        if steps.suspension
            && let Some((form, n_disjuncts)) = disjunctive_form(self.formulas, simple)
            && n_disjuncts > 1
        {
            // Letters one by one only cost time here: the disjuncts are what it is split by.
            let letters = if n_disjuncts >= MANY_DISJUNCTS {
                Letters::Symbolic
            } else {
                letters
            };
            self.try_route(&mut best, |route| route.plain(form, letters).map(Some))?;
            if n_disjuncts >= MANY_DISJUNCTS && best.found.is_some() {
                return best.graph();
            }
        }
        if steps.recurrence {
            self.try_route(&mut best, |route| route.recurrent(simple))?;
        }
        self.try_route(&mut best, |route| route.plain(simple, letters).map(Some))?;
        if best.found.as_ref().is_some_and(|(_, cost)| cost.0 > LARGE) {
            return best.graph();
        }
        if steps.split {
            self.try_route(&mut best, |route| route.split(simple))?;
        }
        if steps.portfolio {
            let other = |letters| match letters {
                Letters::Explicit => Letters::Symbolic,
                Letters::Symbolic => Letters::Explicit,
            };
            self.try_route(&mut best, |route| {
                route.plain(simple, other(letters)).map(Some)
            })?;
            if nnf != simple {
                self.try_route(&mut best, |route| route.plain(nnf, letters).map(Some))?;
                self.try_route(&mut best, |route| {
                    route.plain(nnf, other(letters)).map(Some)
                })?;
            }
        }
        best.graph()
    }

    /// Runs a route and keeps its result if it is the smallest so far. Once there is a result, the
    /// other routes are bounded by it, and their failure is no failure.
    fn try_route(
        &mut self,
        best: &mut Best,
        route: impl FnOnce(&mut Self) -> Result<Option<Graph<Ref>>, TranslateError>,
    ) -> Result<(), TranslateError> {
        /// A tableau this many times larger than the best result is not going to shrink below it.
        const SLACK: usize = 32;
        let limit = self.config.max_states;
        if let Some((_, cost)) = &best.found {
            if cost.0 <= 1 {
                return Ok(());
            }
            self.config.max_states = limit.min(SLACK * (cost.0 + 4));
        }
        let made = route(self);
        self.config.max_states = limit;
        match made {
            Ok(Some(graph)) => {
                let cost = self.cost(&graph);
                if best.found.as_ref().is_none_or(|(_, known)| cost < *known) {
                    best.found = Some((graph, cost));
                }
            }
            Ok(None) => {}
            Err(TranslateError::Stopped(stop)) if best.found.is_none() => return Err(stop.into()),
            Err(error) => best.failure = Some(error),
        }
        Ok(())
    }

    /// `G e` where `e` is a guarantee with `F e = e`: from the minimal automaton of `e`.
    fn recurrent(&mut self, formula: FormulaId) -> Result<Option<Graph<Ref>>, TranslateError> {
        if self.formulas.op(formula) != Op::G {
            return Ok(None);
        }
        let inner = self.formulas.child(formula, 0);
        let recurs = Class::EVENTUAL.union(Class::GUARANTEE);
        if !self.formulas.is(inner, recurs) {
            return Ok(None);
        }
        let mut best = Best::default();
        for effort in [Effort::Deterministic, Effort::High] {
            let witness = self.generalized(effort).plain(inner, Letters::Explicit)?;
            for last in [LastLetter::Reused, LastLetter::Spent] {
                if let Some(raw) = recurrence(&witness, &mut BddLabels(self.bdd), last) {
                    let made = self.reduced(&raw, formula)?;
                    self.try_route(&mut best, |_| Ok(Some(made)))?;
                }
            }
        }
        Ok(best.found.map(|(graph, _)| graph))
    }

    /// A conjunction with many parts `GF a`, where these are waited for one after the other: with a mark for each, every set of them
    /// would be an edge.
    fn in_turn(&mut self, formula: FormulaId) -> Result<Option<Graph<Ref>>, TranslateError> {
        if self.config.acceptance == Acceptance::StateBuchi {
            return Ok(None);
        }
        let Some((again, rest)) = many_recurring(self.formulas, formula) else {
            return Ok(None);
        };
        let mut awaited = Vec::with_capacity(again.len());
        for part in again {
            // Every first edge of it leads to where everything is accepted.
            let graph = self.tableau(part, Letters::Symbolic)?;
            let first = &graph.rows[graph.initial as usize];
            let label = first
                .iter()
                .fold(Ref::FALSE, |so_far, arc| self.bdd.or(so_far, arc.label));
            awaited.push(label);
        }
        let turns = turns(self.bdd, &awaited);
        self.bdd.stopped()?;
        if rest.is_empty() {
            return Ok(Some(turns));
        }
        let rest = self.formulas.and_all(&rest);
        let graph = self.generalized(self.config.effort).smallest(rest)?;
        let max = self.config.max_states;
        let both = product(self.bdd, &graph, &turns, Right::Suspended, max, self.budget)?;
        match both {
            Some(raw) if self.config.acceptance == Acceptance::Generalized => {
                Ok(Some(clean(&raw, &mut BddLabels(self.bdd), MarksOn::Edges)))
            }
            _ => Ok(None),
        }
    }

    /// A wide disjunction as the union of its parts, and a conjunction with such a member as a product. Neither is
    /// looked at by the sets of its parts, as weak minimisation would do.
    fn by_parts(&mut self, formula: FormulaId) -> Result<Option<Graph<Ref>>, TranslateError> {
        let raw = if let Some(wide) = wide(self.formulas, formula) {
            let mut parts = Vec::with_capacity(wide.disjuncts.len());
            for part in wide.disjuncts {
                parts.push(self.generalized(self.config.effort).smallest(part)?);
            }
            Some(union(&parts, wide.start))
        } else if has_wide_conjunct(self.formulas, formula) {
            let parts = split_parts(self.formulas, formula);
            self.product_of(parts)?
        } else {
            None
        };
        let Some(raw) = raw else { return Ok(None) };
        let steps = self.config.steps;
        self.config.steps.wdba = false;
        let made = self.reduced(&raw, formula);
        self.config.steps = steps;
        made.map(Some)
    }

    /// A conjunction as the product of its parts: obligations, what is prefix-independent, the rest.
    fn split(&mut self, formula: FormulaId) -> Result<Option<Graph<Ref>>, TranslateError> {
        let parts = split_parts(self.formulas, formula);
        match self.product_of(parts)? {
            Some(whole) => self.reduced(&whole, formula).map(Some),
            None => Ok(None),
        }
    }

    /// The product of the automata of at least two formulas, unless it is too large.
    fn product_of(&mut self, parts: Vec<FormulaId>) -> Result<Option<Graph<Ref>>, TranslateError> {
        if parts.len() < 2 {
            return Ok(None);
        }
        let mut whole: Option<Graph<Ref>> = None;
        for part in parts {
            let mut route = self.generalized(self.config.effort);
            let graph = route.smallest(part)?;
            let right = if is_suspendable(self.formulas, part) {
                Right::Suspended
            } else {
                Right::Always
            };
            let Some(known) = whole else {
                whole = Some(graph);
                continue;
            };
            let max = self.config.max_states;
            let both = product(self.bdd, &known, &graph, right, max, self.budget)?;
            let Some(both) = both else { return Ok(None) };
            whole = Some(clean(&both, &mut BddLabels(self.bdd), MarksOn::Edges));
        }
        Ok(whole)
    }

    /// The same route for generalized acceptance.
    fn generalized(&mut self, effort: Effort) -> Route<'_> {
        Route {
            formulas: self.formulas,
            bdd: self.bdd,
            aps: self.aps,
            config: TranslateConfig {
                acceptance: Acceptance::Generalized,
                effort,
                ..self.config
            },
            budget: self.budget,
            depth: self.depth + 1,
        }
    }

    fn obligation(&self, formula: FormulaId) -> Obligation {
        if is_suspendable(self.formulas, formula) {
            Obligation::Unlikely
        } else if self.formulas.is(formula, Class::OBLIGATION) {
            Obligation::Known
        } else {
            Obligation::Unknown
        }
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
        self.reduced(&raw, formula)
    }

    /// Reduces `raw`, an automaton of `formula`, with the cheapest labels that fit.
    pub(crate) fn reduced(
        &mut self,
        raw: &Graph<Ref>,
        formula: FormulaId,
    ) -> Result<Graph<Ref>, TranslateError> {
        let obligation = self.obligation(formula);
        let distinct = raw.distinct_labels();
        let atoms = Atoms::of(self.bdd, &distinct, 256);
        self.bdd.stopped()?;
        match atoms {
            Some(atoms) if atoms.len() <= 64 => {
                self.reduced_bits::<1>(raw, &distinct, &atoms, formula, obligation)
            }
            Some(atoms) => self.reduced_bits::<4>(raw, &distinct, &atoms, formula, obligation),
            None => {
                let (config, budget) = (&self.config, self.budget);
                let mut negation = Negation::new(self.formulas, self.aps, formula, budget);
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
        let (config, budget) = (&self.config, self.budget);
        let mut negation = Negation::new(self.formulas, self.aps, formula, budget);
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

/// The smallest automaton so far, or why there is none.
#[derive(Default)]
struct Best {
    found: Option<(Graph<Ref>, (usize, usize, usize))>,
    failure: Option<TranslateError>,
}

impl Best {
    fn graph(self) -> Result<Graph<Ref>, TranslateError> {
        match (self.found, self.failure) {
            (Some((graph, _)), _) => Ok(graph),
            (None, Some(failure)) => Err(failure),
            (None, None) => unreachable!("the plain route always answers"),
        }
    }
}

/// Whether `formula` is a conjunction with a wide disjunction in it.
fn has_wide_conjunct(formulas: &Formulas, formula: FormulaId) -> bool {
    let mut conjuncts = formulas.children(formula).iter();
    formulas.op(formula) == Op::And && conjuncts.any(|&part| wide(formulas, part).is_some())
}

/// The conjuncts of `formula` (also those of `G` over a conjunction), grouped: obligations, other
/// parts that depend on prefixes, and one by one those that do not or that are wide.
fn split_parts(formulas: &mut Formulas, formula: FormulaId) -> Vec<FormulaId> {
    let conjuncts = match formulas.op(formula) {
        Op::And => formulas.children(formula).to_vec(),
        Op::G if formulas.op(formulas.child(formula, 0)) == Op::And => {
            let inner = formulas.children(formulas.child(formula, 0)).to_vec();
            inner
                .into_iter()
                .map(|part| formulas.globally(part))
                .collect()
        }
        _ => return Vec::new(),
    };
    let (mut obligations, mut rest, mut single) = (Vec::new(), Vec::new(), Vec::new());
    for part in conjuncts {
        if is_suspendable(formulas, part) || wide(formulas, part).is_some() {
            single.push(part);
        } else if formulas.is(part, Class::OBLIGATION) {
            obligations.push(part);
        } else {
            rest.push(part);
        }
    }
    let groups = [obligations, rest];
    let mut parts: Vec<FormulaId> = groups
        .iter()
        .filter(|group| !group.is_empty())
        .map(|group| formulas.and_all(group))
        .collect();
    parts.extend(single);
    parts
}
