//! The check of a weak deterministic candidate: no word of the negation may be one of its words.
//!
//! The automaton of the negation is a plain tableau, made when it is first needed. Everything here
//! is bounded; when a bound is met the answer is "not proven" and the candidate is dropped.

use crate::bdd::{Bdd, Ref};
use crate::class::Class;
use crate::compose::{Right, product};
use crate::fm::{Letters, tableau};
use crate::formula::{ApId, FormulaId, Formulas};
use crate::graph::Graph;
use crate::limits::TranslateError;
use crate::nnf::to_nnf;
use crate::scc::Sccs;
use crate::simplify::{Simplifier, Simplify};
use lariat_base::Budget;

/// The automaton of a formula's negation, made when it is first needed.
pub(crate) struct Negation<'a> {
    formulas: &'a mut Formulas,
    aps: &'a [ApId],
    formula: FormulaId,
    budget: &'a Budget,
    graph: Option<Graph<Ref>>,
}

impl<'a> Negation<'a> {
    pub(crate) fn new(
        formulas: &'a mut Formulas,
        aps: &'a [ApId],
        formula: FormulaId,
        budget: &'a Budget,
    ) -> Self {
        Self {
            formulas,
            aps,
            formula,
            budget,
            graph: None,
        }
    }

    /// Whether no word of the negation is a word of `candidate`.
    pub(crate) fn disjoint(
        &mut self,
        bdd: &mut Bdd,
        candidate: &Graph<Ref>,
    ) -> Result<bool, TranslateError> {
        /// A check that needs more product states is not worth its time.
        const MAX_PAIRS: usize = 20_000;
        if !self.formulas.is(self.formula, Class::FUTURE) {
            return Ok(false);
        }
        if self.graph.is_none() {
            let negation = to_nnf(self.formulas, self.formula, true);
            let negation = Simplifier::new(self.formulas, Simplify::Full).run(negation);
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
        let product = product(
            bdd,
            candidate,
            negation,
            Right::Always,
            MAX_PAIRS,
            self.budget,
        )?;
        bdd.stopped()?;
        Ok(product.is_some_and(|graph| !Sccs::new(&graph).accepting.contains(&true)))
    }
}
