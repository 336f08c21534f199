//! Time-indexed copies of variables.
//!
//! An encoding of a path needs each variable once per step. [`Unroller`] makes the copy of a variable
//! at an index (`x` at 3 prints as `x⟨3⟩`; no input language has such a name, so copies never clash with
//! a model's variables), renames whole terms into copies and back, and remembers both. [`Indexing`] says
//! which index each variable has at some point of a path, as in static single assignment.

use lariat_base::FxHashMap;
use lariat_expr::{Head, TermId, Terms, VarId};

/// Copies of the variables of one [`Terms`] store.
#[derive(Clone, Debug, Default)]
pub struct Unroller {
    copies: FxHashMap<(VarId, u32), VarId>,
    origins: FxHashMap<VarId, (VarId, u32)>,
    /// Terms with all variables at one index.
    memo: FxHashMap<(TermId, u32), TermId>,
    /// Terms with all copies replaced by their originals.
    folded: FxHashMap<TermId, TermId>,
}

impl Unroller {
    /// No copies yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The copy of a variable at an index.
    pub fn var(&mut self, terms: &mut Terms, var: VarId, index: u32) -> VarId {
        if let Some(&copy) = self.copies.get(&(var, index)) {
            return copy;
        }
        let decl = terms.decl(var);
        let (name, sort, instance) = (format!("{}⟨{index}⟩", decl.name), decl.sort, decl.instance);
        let known = terms.n_vars();
        let copy = terms.declare_instance(&name, sort, instance);
        if terms.n_vars() == known {
            // Another unroller made it: terms with it may have been folded as if it were no copy.
            self.folded.clear();
        }
        self.copies.insert((var, index), copy);
        self.origins.insert(copy, (var, index));
        copy
    }

    /// The variable and the index of a copy made here.
    pub fn origin(&self, copy: VarId) -> Option<(VarId, u32)> {
        self.origins.get(&copy).copied()
    }

    /// The term with every variable replaced by its copy at `index`.
    pub fn at(&mut self, terms: &mut Terms, term: TermId, index: u32) -> TermId {
        if let Some(&done) = self.memo.get(&(term, index)) {
            return done;
        }
        let mut memo = std::mem::take(&mut self.memo);
        let result = rename(
            terms,
            term,
            |at| memo_get(&memo, at, index),
            |terms, var| self.var(terms, var, index),
        );
        memo.extend(result.iter().map(|(&from, &to)| ((from, index), to)));
        self.memo = memo;
        self.memo[&(term, index)]
    }

    /// The term with every variable replaced by its copy at the index that `indexing` gives it.
    pub fn unfold(&mut self, terms: &mut Terms, term: TermId, indexing: &Indexing) -> TermId {
        let result = rename(
            terms,
            term,
            |_| None,
            |terms, var| self.var(terms, var, indexing.get(var)),
        );
        result[&term]
    }

    /// The term with every copy replaced by its original, whatever its index.
    pub fn fold(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        let folded = std::mem::take(&mut self.folded);
        let result = rename(
            terms,
            term,
            |at| folded.get(&at).copied(),
            |_, var| {
                self.origins
                    .get(&var)
                    .map_or(var, |&(original, _)| original)
            },
        );
        self.folded = folded;
        self.folded.extend(result);
        self.folded[&term]
    }
}

fn memo_get(memo: &FxHashMap<(TermId, u32), TermId>, term: TermId, index: u32) -> Option<TermId> {
    memo.get(&(term, index)).copied()
}

/// The images of all subterms of `term` that `known` does not give, when variables are mapped by `map`.
fn rename(
    terms: &mut Terms,
    term: TermId,
    known: impl Fn(TermId) -> Option<TermId>,
    mut map: impl FnMut(&mut Terms, VarId) -> VarId,
) -> FxHashMap<TermId, TermId> {
    let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut todo = vec![term];
    let mut args: Vec<TermId> = Vec::new();
    while let Some(&at) = todo.last() {
        if images.contains_key(&at) {
            todo.pop();
            continue;
        }
        if let Some(image) = known(at) {
            images.insert(at, image);
            continue;
        }
        let image = match terms.head(at) {
            Head::Lit(_) => at,
            Head::Var(var) => {
                let copy = map(terms, var);
                terms.var(copy)
            }
            Head::Op(op, inner) => {
                let before = todo.len();
                todo.extend(inner.iter().filter(|arg| !images.contains_key(arg)));
                if todo.len() > before {
                    continue;
                }
                args.clear();
                args.extend(inner.iter().map(|arg| images[arg]));
                if args == inner {
                    at
                } else {
                    terms.build(op, &args).expect("renaming keeps sorts")
                }
            }
        };
        images.insert(at, image);
    }
    images
}

/// Which copy of each variable is meant; 0 unless said otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Indexing {
    indices: FxHashMap<VarId, u32>,
}

impl Indexing {
    /// Every variable at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The index of a variable.
    pub fn get(&self, var: VarId) -> u32 {
        self.indices.get(&var).copied().unwrap_or(0)
    }

    /// Moves a variable to its next copy, as an assignment does, and returns the new index.
    pub fn advance(&mut self, var: VarId) -> u32 {
        let index = self.indices.entry(var).or_insert(0);
        *index += 1;
        *index
    }

    /// Moves a variable to the given copy, as the join of two branches does.
    pub fn set(&mut self, var: VarId, index: u32) {
        self.indices.insert(var, index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_distinct_and_fold_back() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let (x, y) = (t.declare("x", int), t.declare("y", int));
        let (tx, ty) = (t.var(x), t.var(y));
        let sum = t.add(&[tx, ty]);
        let mut unroller = Unroller::new();
        let (at1, at2) = (unroller.at(&mut t, sum, 1), unroller.at(&mut t, sum, 2));
        assert_ne!(at1, at2);
        assert_eq!(unroller.at(&mut t, sum, 1), at1);
        assert_eq!(unroller.fold(&mut t, at1), sum);
        let x1 = unroller.var(&mut t, x, 1);
        assert_eq!((t.name(x1), unroller.origin(x1)), ("x⟨1⟩", Some((x, 1))));

        let mut indexing = Indexing::new();
        assert_eq!(indexing.advance(x), 1);
        let mixed = unroller.unfold(&mut t, sum, &indexing);
        let y0 = unroller.var(&mut t, y, 0);
        let mut expected = [x1, y0];
        expected.sort_unstable();
        assert_eq!(t.free_vars(&[mixed]), expected);
    }
}
