//! Reads of arrays, made fit for quantifier elimination.
//!
//! Z3 eliminates integers, rationals and Booleans, but gives up as soon as an array is near. Most array
//! terms of a path need no reasoning about arrays: a read of a written array is an if-then-else over the
//! indices, and a read that does not depend on the variables to eliminate is just some value.

use lariat_base::{FxHashMap, Id};
use lariat_expr::{Head, Op, Substitution, TermId, Terms, VarId};

/// The same formula with every read of a write spelled out: `a[i <- v][j]` is `i = j ? v : a[j]`.
pub(super) fn expand(terms: &mut Terms, formula: TermId) -> TermId {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in terms.subterms(&[formula]) {
        let expanded = match terms.head(term) {
            Head::Op(op, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| done[arg]).collect();
                match op {
                    Op::Select => read(terms, args[0], args[1]),
                    _ => terms.build(op, &args).expect("sorts are kept"),
                }
            }
            _ => term,
        };
        done.insert(term, expanded);
    }
    done[&formula]
}

/// `array[index]`, through all writes that are on top.
fn read(terms: &mut Terms, array: TermId, index: TermId) -> TermId {
    let mut writes: Vec<(TermId, TermId)> = Vec::new();
    let mut array = array;
    while let Some(&[inner, at, value]) = terms.as_op(array, Op::Store) {
        writes.push((at, value));
        array = inner;
    }
    let base = terms.select(array, index);
    writes.into_iter().rev().fold(base, |below, (at, value)| {
        let hit = terms.eq(at, index);
        terms.ite(hit, value, below)
    })
}

/// The formula with every largest read that has none of `vars` replaced by a variable of its own, and
/// what puts the reads back.
pub(super) fn abstract_away(
    terms: &mut Terms,
    formula: TermId,
    vars: &[VarId],
) -> (TermId, Substitution) {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut back = Substitution::new();
    for term in terms.subterms(&[formula]) {
        let abstracted = match terms.head(term) {
            Head::Op(Op::Select, _)
                if terms
                    .free_vars(&[term])
                    .iter()
                    .all(|var| !vars.contains(var)) =>
            {
                // No input language has such a name.
                let (name, sort) = (format!("read⟨{}⟩", term.index()), terms.sort(term));
                let var = terms.declare(&name, sort);
                back.insert(terms, var, term);
                terms.var(var)
            }
            Head::Op(op, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| done[arg]).collect();
                terms.build(op, &args).expect("sorts are kept")
            }
            _ => term,
        };
        done.insert(term, abstracted);
    }
    (done[&formula], back)
}

/// What the writes of a conjunction say about reads: `b = a[i <- v]` implies `b[i] = v`.
pub(super) fn implied(terms: &mut Terms, conjuncts: &[TermId]) -> Vec<TermId> {
    let mut facts = Vec::new();
    for &conjunct in conjuncts {
        let Some(&[left, right]) = terms.as_op(conjunct, Op::Eq) else {
            continue;
        };
        for (array, written) in [(left, right), (right, left)] {
            if let Some(&[_, at, value]) = terms.as_op(written, Op::Store) {
                let read = terms.select(array, at);
                facts.push(terms.eq(read, value));
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_of_writes_are_spelled_out() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let sort = t.sorts.array(int, int);
        let (a, i, j) = (
            t.declare("a", sort),
            t.declare("i", int),
            t.declare("j", int),
        );
        let (ta, ti, tj, zero) = (t.var(a), t.var(i), t.var(j), t.int(0));
        let written = t.store(ta, ti, zero);
        let term = t.select(written, tj);
        let (hit, below) = (t.eq(ti, tj), t.select(ta, tj));
        let expected = t.ite(hit, zero, below);
        let expanded = expand(&mut t, term);
        assert_eq!(expanded, expected);
        let (same, _) = abstract_away(&mut t, expanded, &[j]);
        assert_eq!(same, expanded);
        let (abstracted, mut back) = abstract_away(&mut t, expanded, &[i]);
        assert!(!t.free_vars(&[abstracted]).contains(&a));
        assert_eq!(back.apply(&mut t, abstracted), expanded);
    }
}
