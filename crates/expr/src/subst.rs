//! Substitution of terms for variables.

use crate::{Head, TermId, Terms, VarId};
use lariat_base::FxHashMap;

/// A map from variables to terms of the same sort, applied to all variables at once.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    map: FxHashMap<VarId, TermId>,
    memo: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// Maps nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `term` for `var` from now on.
    pub fn insert(&mut self, terms: &Terms, var: VarId, term: TermId) {
        assert_eq!(
            terms.var_sort(var),
            terms.sort(term),
            "a substitution keeps sorts"
        );
        if self.map.insert(var, term) != Some(term) {
            self.memo.clear();
        }
    }

    /// What stands for `var`, if anything.
    pub fn get(&self, var: VarId) -> Option<TermId> {
        self.map.get(&var).copied()
    }

    /// The variables that are mapped, with their terms, in the order of their ids.
    pub fn pairs(&self) -> Vec<(VarId, TermId)> {
        let mut pairs: Vec<_> = self.map.iter().map(|(&var, &term)| (var, term)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// `term` with every mapped variable replaced, simplified as it is rebuilt.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        if self.map.is_empty() {
            return term;
        }
        for at in terms.subterms(&[term]) {
            if self.memo.contains_key(&at) {
                continue;
            }
            let replaced = match terms.head(at) {
                Head::Lit(_) => at,
                Head::Var(var) => self.map.get(&var).copied().unwrap_or(at),
                Head::Op(op, args) => {
                    let new_args: Vec<TermId> = args.iter().map(|arg| self.memo[arg]).collect();
                    if new_args == args {
                        at
                    } else {
                        terms
                            .build(op, &new_args)
                            .expect("a substitution keeps sorts")
                    }
                }
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
        swap.insert(&t, x, ty);
        swap.insert(&t, y, tx);
        let two = t.int(2);
        let twice = t.mul(&[two, tx]);
        let term = t.sub(twice, ty);
        let twice_y = t.mul(&[two, ty]);
        let expected = t.sub(twice_y, tx);
        assert_eq!(swap.apply(&mut t, term), expected);
        assert_eq!(t.free_vars(&[term]), [x, y]);
    }
}
