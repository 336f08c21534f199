//! The automaton while it is being reduced: rows of edges with labels from some [`Labels`].
//!
//! Invariants: state 0 .. n, edges inside a row sorted and merged by (target, marks) after
//! [`Graph::merge_edges`]; marks below `n_sets`.

use crate::automaton::all_marks;
use crate::labels::Labels;
use lariat_base::FxHashMap;

/// An edge under reduction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Arc<L> {
    pub(crate) target: u32,
    pub(crate) marks: u64,
    pub(crate) label: L,
}

/// An automaton under reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Graph<L> {
    pub(crate) initial: u32,
    pub(crate) n_sets: u32,
    pub(crate) rows: Vec<Vec<Arc<L>>>,
}

impl<L: Copy + Eq + Ord> Graph<L> {
    /// The automaton of the empty language.
    pub(crate) fn empty() -> Self {
        Self {
            initial: 0,
            n_sets: 0,
            rows: vec![Vec::new()],
        }
    }

    pub(crate) fn n_states(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    pub(crate) fn all_marks(&self) -> u64 {
        all_marks(self.n_sets)
    }

    /// Joins parallel edges with equal marks and drops edges with empty labels.
    pub(crate) fn merge_edges<A: Labels<L = L>>(&mut self, labels: &mut A) {
        for row in &mut self.rows {
            row.retain(|arc| !labels.is_none(arc.label));
            row.sort_unstable_by_key(|arc| (arc.target, arc.marks));
            row.dedup_by(|later, kept| {
                let same = later.target == kept.target && later.marks == kept.marks;
                if same {
                    kept.label = labels.or(kept.label, later.label);
                }
                same
            });
        }
    }

    /// Whether no letter has two edges from one state.
    pub(crate) fn is_deterministic<A: Labels<L = L>>(&self, labels: &mut A) -> bool {
        self.count_nondeterministic(labels) == 0
    }

    /// How many states have two edges for one letter.
    pub(crate) fn count_nondeterministic<A: Labels<L = L>>(&self, labels: &mut A) -> usize {
        let mut n = 0;
        for row in &self.rows {
            let mut seen = labels.none();
            for arc in row {
                if labels.overlap(seen, arc.label) {
                    n += 1;
                    break;
                }
                seen = labels.or(seen, arc.label);
            }
        }
        n
    }

    /// Keeps the states that are reachable and for which `keep` says so, in breadth-first order
    /// from the initial state, which is always kept.
    pub(crate) fn restrict(&self, keep: impl Fn(u32) -> bool) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let mut number = vec![UNSEEN; self.rows.len()];
        let mut order = vec![self.initial];
        number[self.initial as usize] = 0;
        let mut next = 0;
        while next < order.len() {
            for arc in &self.rows[order[next] as usize] {
                if number[arc.target as usize] == UNSEEN && keep(arc.target) {
                    number[arc.target as usize] = order.len() as u32;
                    order.push(arc.target);
                }
            }
            next += 1;
        }
        let keep_initial = keep(self.initial);
        let rows = order
            .iter()
            .map(|&old| {
                let row = &self.rows[old as usize];
                row.iter()
                    .filter(|arc| number[arc.target as usize] != UNSEEN)
                    .filter(|arc| keep_initial || arc.target != self.initial)
                    .map(|arc| Arc {
                        target: number[arc.target as usize],
                        ..*arc
                    })
                    .collect()
            })
            .collect();
        Self {
            initial: 0,
            n_sets: self.n_sets,
            rows,
        }
    }

    /// The same automaton with other labels.
    pub(crate) fn map_labels<M>(&self, mut map: impl FnMut(L) -> M) -> Graph<M> {
        let rows = self.rows.iter().map(|row| {
            row.iter()
                .map(|arc| Arc {
                    target: arc.target,
                    marks: arc.marks,
                    label: map(arc.label),
                })
                .collect()
        });
        Graph {
            initial: self.initial,
            n_sets: self.n_sets,
            rows: rows.collect(),
        }
    }

    /// The distinct labels, sorted.
    pub(crate) fn distinct_labels(&self) -> Vec<L> {
        let mut labels: Vec<L> = self.rows.iter().flatten().map(|arc| arc.label).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}

/// Numbers things in the order in which they are first seen.
#[derive(Debug)]
pub(crate) struct Numbering<K> {
    ids: FxHashMap<K, u32>,
    pub(crate) keys: Vec<K>,
}

impl<K: Clone + Eq + std::hash::Hash> Numbering<K> {
    pub(crate) fn new() -> Self {
        Self {
            ids: FxHashMap::default(),
            keys: Vec::new(),
        }
    }

    pub(crate) fn id(&mut self, key: &K) -> u32 {
        if let Some(&id) = self.ids.get(key) {
            return id;
        }
        let id = self.keys.len() as u32;
        self.ids.insert(key.clone(), id);
        self.keys.push(key.clone());
        id
    }
}
