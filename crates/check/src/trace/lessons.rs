//! What is learned from one counterexample: facts for an interpolant automaton.
//!
//! The tests of counterexamples, and the order in which arguments are tried, are those of abstraction refinement
//! (`respond/`); here the learner is not a domain that becomes finer but a set of words that is subtracted.

use super::facts::conjuncts;
use crate::domain::{Learned, Reason};
use crate::respond::Learn;
use crate::session::Session;
use lariat_base::FxHashSet;
use lariat_expr::TermId;
use lariat_system::{PointId, StmtId};

/// What was learned, and what was learned before.
#[derive(Default)]
pub(super) struct Lessons {
    /// The facts of the present counterexample.
    new: Vec<Learned>,
    /// Those of them that support an argument, or would if they were known.
    conditions: Vec<Learned>,
    /// Explanations of infeasible paths that were subtracted.
    explained: FxHashSet<Vec<(PointId, TermId)>>,
    /// Facts that support measures.
    supporting: FxHashSet<(PointId, TermId)>,
}

impl Lessons {
    /// The facts that were learned since this was last asked, and the conditions among them.
    pub fn take(&mut self) -> (Vec<Learned>, Vec<Learned>) {
        let facts = std::mem::take(&mut self.new);
        (facts, std::mem::take(&mut self.conditions))
    }

    /// Conditions that were not used after all may be learned again.
    pub fn forget(&mut self, conditions: &[Learned]) {
        for one in conditions {
            self.supporting.remove(&(one.at, one.predicate.term()));
        }
    }
}

impl Learn for Lessons {
    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool {
        match *reason {
            Reason::Infeasible(learned) => {
                let terms = &session.cx.terms;
                let parts = learned.iter().flat_map(|one| {
                    let parts = conjuncts(terms, one.predicate.term()).into_iter();
                    parts.map(|part| (one.at, part))
                });
                let mut parts: Vec<(PointId, TermId)> = parts.collect();
                parts.sort_unstable();
                parts.dedup();
                let is_new = self.explained.insert(parts);
                if is_new {
                    self.new.extend(learned);
                }
                is_new
            }
            Reason::Support(learned) => {
                let before = self.new.len();
                for one in learned {
                    if !(self.supporting).contains(&(one.at, one.predicate.term())) {
                        self.conditions.push(*one);
                    }
                    let opposite = one.predicate.negation(&mut session.cx.terms);
                    for predicate in [one.predicate, opposite] {
                        if self.supporting.insert((one.at, predicate.term())) {
                            self.new.push(Learned { predicate, ..*one });
                        }
                    }
                }
                self.new.len() > before
            }
            // Variables say nothing without their values, and what keeps a loop from closing excludes no word.
            Reason::Variables(_) | Reason::NotClosing { .. } => false,
        }
    }

    fn escalate(&mut self, _stmts: &[StmtId]) -> bool {
        false
    }

    fn is_exact(&self, _stmts: &[StmtId]) -> bool {
        true
    }
}
