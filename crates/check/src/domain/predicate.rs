//! What predicate abstraction tracks the truth of.

use lariat_expr::{TermId, Terms};

/// A Boolean term over the variables of the model.
///
/// Terms of other sorts, and Boolean terms that say what holds of two states or of a step, are not predicates: the type
/// keeps them out of precisions. It is made where a refinement, a property or a setting hands over a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Predicate(TermId);

impl Predicate {
    /// The predicate that a term is.
    pub fn new(terms: &Terms, term: TermId) -> Self {
        assert_eq!(
            terms.sort(term),
            terms.sorts.bool(),
            "a predicate is Boolean"
        );
        Self(term)
    }

    /// Its term.
    pub fn term(self) -> TermId {
        self.0
    }

    /// Its opposite, which tells the same states apart.
    pub fn negation(self, terms: &mut Terms) -> Self {
        Self(terms.not(self.0))
    }
}
