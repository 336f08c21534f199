//! Automata from automata: products, and the automaton of `G e` from the one of `e`.
//!
//! *Product.* Conjunction; marks side by side. If the right language does not depend on finite
//! prefixes it can be *suspended* (Babiak et al. TACAS'12): as long as the left side is not in an
//! accepting component the right automaton waits in its initial state, and it starts over when the
//! left side changes component. That keeps the parts of the left that cannot be final from being
//! multiplied.
//!
//! *Recurrence.* If `e` is a guarantee property and `F e = e`, then `G e` says that a witness of
//! `e` completes again and again (Esparza et al. LICS'18): take an automaton of `e` that accepts by
//! reaching a sink, and lead every edge into the sink back to the start, with a mark. If it is
//! deterministic the last letter may count as the first of the next round, and all states have the
//! same language, so any may be initial.

use crate::bdd::{Bdd, Ref};
use crate::graph::{Arc, Graph, Numbering};
use crate::labels::Labels;
use crate::limits::{LOOK, TranslateError};
use crate::scc::Sccs;
use lariat_base::Budget;

/// How the right side of a product runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Right {
    /// Along with the left side from the start.
    Always,
    /// Only inside accepting components of the left side; needs a prefix-independent language.
    Suspended,
}

/// The synchronous product, unless it has more than `max_states` states or 64 sets.
pub(crate) fn product(
    bdd: &mut Bdd,
    a: &Graph<Ref>,
    b: &Graph<Ref>,
    right: Right,
    max_states: usize,
    budget: &Budget,
) -> Result<Option<Graph<Ref>>, TranslateError> {
    if a.n_sets + b.n_sets > 64 {
        return Ok(None);
    }
    let sccs = (right == Right::Suspended).then(|| Sccs::new(a));
    // Whether the right side moves along an edge of the left side.
    let moves = |s: u32, t: u32| {
        sccs.as_ref()
            .is_none_or(|sccs| sccs.inside(s, t) && sccs.accepting[sccs.of[s as usize] as usize])
    };
    let mut pairs = Numbering::new();
    pairs.id(&(a.initial, b.initial));
    let mut rows = Vec::new();
    while rows.len() < pairs.keys.len() {
        if pairs.keys.len() > max_states {
            return Ok(None);
        }
        if rows.len() % 64 == 63 {
            budget.spend(LOOK)?;
        }
        let (s, t) = pairs.keys[rows.len()];
        let mut row = Vec::new();
        for x in &a.rows[s as usize] {
            if !moves(s, x.target) {
                row.push(Arc {
                    target: pairs.id(&(x.target, b.initial)),
                    marks: 0,
                    label: x.label,
                });
                continue;
            }
            for y in &b.rows[t as usize] {
                let label = bdd.and(x.label, y.label);
                if label != Ref::FALSE {
                    row.push(Arc {
                        target: pairs.id(&(x.target, y.target)),
                        marks: x.marks | y.marks.checked_shl(a.n_sets).unwrap_or(0),
                        label,
                    });
                }
            }
        }
        bdd.stopped()?;
        rows.push(row);
    }
    Ok(Some(Graph {
        initial: 0,
        n_sets: a.n_sets + b.n_sets,
        rows,
    }))
}

/// Whether the last letter of a round is also the first of the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LastLetter {
    Reused,
    Spent,
}

/// The automaton of `G e` from one of `e`, if that accepts only by reaching an accepting sink.
pub(crate) fn recurrence<A: Labels>(
    minimal: &Graph<A::L>,
    labels: &mut A,
    last: LastLetter,
) -> Option<Graph<A::L>> {
    let all = labels.all();
    let deterministic = minimal.is_deterministic(labels);
    let sink = minimal.rows.iter().enumerate().position(|(s, row)| {
        row.iter().any(|arc| {
            arc.target == s as u32 && arc.label == all && arc.marks == minimal.all_marks()
        })
    })? as u32;
    let start = minimal.initial;
    let sccs = Sccs::new(minimal);
    let only_sink = sccs
        .of
        .iter()
        .enumerate()
        .all(|(s, &c)| c == Sccs::UNREACHED || !sccs.accepting[c as usize] || s as u32 == sink);
    if start == sink || !only_sink {
        return None;
    }
    let mut out = Graph {
        initial: start,
        n_sets: 1,
        rows: vec![Vec::new(); minimal.n_states()],
    };
    for (s, row) in minimal.rows.iter().enumerate() {
        if s as u32 == sink {
            continue;
        }
        for arc in row {
            let mut open = arc.label;
            let marks = u64::from(arc.target == sink);
            if marks == 1 && last == LastLetter::Reused && deterministic {
                for first in &minimal.rows[start as usize] {
                    if first.target != sink {
                        let label = labels.and(open, first.label);
                        open = labels.diff(open, first.label);
                        out.rows[s].push(Arc {
                            target: first.target,
                            marks,
                            label,
                        });
                    }
                }
            }
            let target = if marks == 1 { start } else { arc.target };
            out.rows[s].push(Arc {
                target,
                marks,
                label: open,
            });
        }
    }
    out.merge_edges(labels);
    if deterministic {
        // Start inside the component that is never left.
        let sccs = Sccs::new(&out);
        out.initial = sccs.of.iter().position(|&c| c == 0)? as u32;
    }
    Some(out.restrict(|_| true))
}
