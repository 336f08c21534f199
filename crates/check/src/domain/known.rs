//! What a state says of tracked terms, as a step makes use of it.
//!
//! The value of a variable is put in for it. The value of another term is put in for that term; remainders are followed
//! through sums and products; and what a step then still depends on is told to the solver as a fact.

use super::residue::Residues;
use lariat_base::FxHashSet;
use lariat_expr::{Substitution, TermId, Terms, Value, VarId};

/// The tracked terms whose values are known.
#[derive(Default)]
pub(super) struct Known {
    /// Values, put in for their terms.
    pub values: Substitution,
    residues: Residues,
    /// What is known of terms that are no variables, as formulas, with their variables.
    facts: Vec<(TermId, Vec<VarId>)>,
}

impl Known {
    /// The values of `tracked` terms.
    pub fn new(terms: &mut Terms, tracked: &[TermId], values: &[Option<Value>]) -> Self {
        let mut known = Self::default();
        let mut others = Vec::new();
        for (&term, value) in tracked.iter().zip(values) {
            let Some(value) = value else { continue };
            let literal = terms.lit(value.clone(), terms.sort(term));
            known.values.replace(terms, term, literal);
            if terms.as_var(term).is_none() {
                known.residues.learn(terms, term, value);
                others.push((term, literal));
            }
        }
        if others.is_empty() {
            return known;
        }
        let mut variables = Substitution::new();
        for (&term, value) in tracked.iter().zip(values) {
            if let (Some(var), Some(value)) = (terms.as_var(term), value) {
                let literal = terms.lit(value.clone(), terms.sort(term));
                variables.insert(terms, var, literal);
            }
        }
        for (term, literal) in others {
            let fact = terms.eq(term, literal);
            let fact = variables.apply(terms, fact);
            if fact != terms.true_() {
                let vars = terms.free_vars(&[fact]);
                known.facts.push((fact, vars));
            }
        }
        known
    }

    /// A term over the state, with what is known put in.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        let term = self.values.apply(terms, term);
        self.residues.apply(terms, term)
    }

    /// The facts that can matter for some terms: those that share variables with them, or with one another.
    pub fn relevant(&self, terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
        if self.facts.is_empty() {
            return Vec::new();
        }
        let mut vars: FxHashSet<VarId> = terms.free_vars(roots).into_iter().collect();
        let mut left: Vec<&(TermId, Vec<VarId>)> = self.facts.iter().collect();
        let mut found = Vec::new();
        loop {
            let (meet, others): (Vec<_>, Vec<_>) = left
                .into_iter()
                .partition(|(_, own)| own.is_empty() || own.iter().any(|var| vars.contains(var)));
            if meet.is_empty() {
                return found;
            }
            for (fact, own) in meet {
                found.push(*fact);
                vars.extend(own);
            }
            left = others;
        }
    }
}
