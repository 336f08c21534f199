//! Wide disjunctions: the automaton of each disjunct, side by side.
//!
//! The negation of a conjunction of n requirements is a disjunction of n parts, often under one `F`:
//! `¬G(∧ (aᵢ -> F bᵢ))` is `F(∨ (aᵢ ∧ G ¬bᵢ))`. A run picks one of the parts, so an automaton of n parts
//! and one more state is enough. Reading such a formula as a whole tells the sets of parts apart that a letter
//! may begin, which are exponentially many.

use crate::bdd::Ref;
use crate::formula::{FormulaId, Formulas, Op};
use crate::graph::{Arc, Graph};

/// From this many disjuncts on each is translated by itself. Of fewer, the tableaux of the whole are smaller.
const WIDE: usize = 8;

/// A disjunction with many members.
pub(crate) struct Wide {
    pub(crate) disjuncts: Vec<FormulaId>,
    pub(crate) start: Start,
}

/// When a word of a disjunct begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// With the word.
    Now,
    /// With any suffix of it.
    AnyTime,
}

/// The disjuncts of `formula`, or of what it says will finally be, if they are many.
pub(crate) fn wide(formulas: &Formulas, formula: FormulaId) -> Option<Wide> {
    let (inner, start) = match formulas.op(formula) {
        Op::F => (formulas.child(formula, 0), Start::AnyTime),
        _ => (formula, Start::Now),
    };
    let is_wide = formulas.op(inner) == Op::Or && formulas.children(inner).len() >= WIDE;
    is_wide.then(|| Wide {
        disjuncts: formulas.children(inner).to_vec(),
        start,
    })
}

/// The union of automata: a new initial state with the first edges of all of them.
pub(crate) fn union(parts: &[Graph<Ref>], start: Start) -> Graph<Ref> {
    let most = parts.iter().map(|part| part.n_sets).max().unwrap_or(0);
    let mut whole = Graph {
        initial: 0,
        // To wait for ever is not accepted.
        n_sets: most.max(u32::from(start == Start::AnyTime)),
        rows: vec![Vec::new()],
    };
    if start == Start::AnyTime {
        whole.rows[0].push(Arc {
            target: 0,
            marks: 0,
            label: Ref::TRUE,
        });
    }
    let all = whole.all_marks();
    for part in parts {
        let offset = whole.rows.len() as u32;
        // Sets that a part does not have are met by all its edges.
        let others = all & !part.all_marks();
        let shifted = |arc: &Arc<Ref>| Arc {
            target: arc.target + offset,
            marks: arc.marks | others,
            label: arc.label,
        };
        let first = &part.rows[part.initial as usize];
        whole.rows[0].extend(first.iter().map(shifted));
        let rows = part.rows.iter();
        whole
            .rows
            .extend(rows.map(|row| row.iter().map(shifted).collect::<Vec<_>>()));
    }
    whole.restrict(|_| true)
}
