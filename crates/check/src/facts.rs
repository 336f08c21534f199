//! What is known to follow from sets of assumptions.
//!
//! Steps from states that differ only in what a step does not read ask the solver the same, and so do
//! states that are met again after a refinement. Everything here is a fact about terms, whatever the
//! precision, the place or the statement: it never has to be taken back.

use lariat_base::FxHashMap;
use lariat_expr::TermId;

/// So many sets are remembered; then all are forgotten.
const MAX_SETS: usize = 1 << 17;

/// Sets of assumptions and what is known of each.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    known: FxHashMap<Box<[TermId]>, Consequences>,
}

/// What is known of one set.
#[derive(Clone, Debug)]
pub(crate) enum Consequences {
    /// It has no model.
    Contradiction,
    /// It has one. For some terms: whether they are true in all models, false in all, or neither (as far as is known).
    Truths(FxHashMap<TermId, Option<bool>>),
}

impl Facts {
    /// What is known of a set, which must be sorted.
    pub fn of(&self, assumptions: &[TermId]) -> Option<&Consequences> {
        self.known.get(assumptions)
    }

    /// Remembers that a set, sorted, is contradictory.
    pub fn contradict(&mut self, assumptions: Vec<TermId>) {
        self.entry(assumptions, Consequences::Contradiction);
    }

    /// Remembers the truth of terms under a set, sorted, that has a model.
    pub fn learn(
        &mut self,
        assumptions: Vec<TermId>,
        truths: impl Iterator<Item = (TermId, Option<bool>)>,
    ) {
        let entry = self.entry(assumptions, Consequences::Truths(FxHashMap::default()));
        if let Consequences::Truths(known) = entry {
            known.extend(truths);
        }
    }

    fn entry(&mut self, assumptions: Vec<TermId>, new: Consequences) -> &mut Consequences {
        if self.known.len() >= MAX_SETS {
            self.known.clear();
        }
        self.known.entry(assumptions.into()).or_insert(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::Id as _;

    #[test]
    fn facts_add_up_and_contradictions_stay() {
        let [p, q, r] = [0, 1, 2].map(TermId::from_index);
        let mut facts = Facts::default();
        assert!(facts.of(&[p]).is_none());
        facts.learn(vec![p], [(q, Some(true))].into_iter());
        facts.learn(vec![p], [(r, None)].into_iter());
        let Some(Consequences::Truths(truths)) = facts.of(&[p]) else {
            panic!("something was learned");
        };
        assert_eq!(
            (truths.get(&q), truths.get(&r)),
            (Some(&Some(true)), Some(&None))
        );
        facts.contradict(vec![p, q]);
        assert!(matches!(
            facts.of(&[p, q]),
            Some(Consequences::Contradiction)
        ));
        assert!(facts.of(&[q]).is_none());
    }
}
