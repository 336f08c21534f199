//! Substitution of terms for variables, or for whole subterms.

use crate::{TermId, Terms, VarId};
use lariat_base::FxHashMap;

/// A map from terms to terms of the same sort, applied to all occurrences at once.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    map: FxHashMap<TermId, TermId>,
    memo: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// Maps nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `term` for `var` from now on.
    pub fn insert(&mut self, terms: &mut Terms, var: VarId, term: TermId) {
        let var = terms.var(var);
        self.replace(terms, var, term);
    }

    /// Puts `by` for the whole subterm `what` from now on.
    pub fn replace(&mut self, terms: &Terms, what: TermId, by: TermId) {
        assert_eq!(
            terms.sort(what),
            terms.sort(by),
            "a substitution keeps sorts"
        );
        if self.map.insert(what, by) != Some(by) {
            self.memo.clear();
        }
    }

    /// How many subterms have been looked at since the map last changed.
    pub fn n_visited(&self) -> usize {
        self.memo.len()
    }

    /// `term` with every mapped subterm replaced, simplified as it is rebuilt. Outer subterms win
    /// over inner ones, and what was put in is not looked into again.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        if self.map.is_empty() {
            return term;
        }
        for at in terms.subterms(&[term]) {
            if self.memo.contains_key(&at) {
                continue;
            }
            let replaced = match (self.map.get(&at), terms.head(at)) {
                (Some(&by), _) => by,
                (None, crate::Head::Op(op, args)) => {
                    let new_args: Vec<TermId> = args.iter().map(|arg| self.memo[arg]).collect();
                    if new_args == args {
                        at
                    } else {
                        terms
                            .build(op, &new_args)
                            .expect("a substitution keeps sorts")
                    }
                }
                (None, _) => at,
            };
            self.memo.insert(at, replaced);
        }
        self.memo[&term]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variables_at_once() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let (x, y) = (t.declare("x", int), t.declare("y", int));
        let (tx, ty) = (t.var(x), t.var(y));
        let mut swap = Substitution::new();
        swap.insert(&mut t, x, ty);
        swap.insert(&mut t, y, tx);
        let two = t.int(2);
        let twice = t.mul(&[two, tx]);
        let term = t.sub(twice, ty);
        let twice_y = t.mul(&[two, ty]);
        let expected = t.sub(twice_y, tx);
        assert_eq!(swap.apply(&mut t, term), expected);
        assert_eq!(t.free_vars(&[term]), [x, y]);
    }
}
