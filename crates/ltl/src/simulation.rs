//! Direct and reverse simulation: merge states that do the same, drop edges that a better one covers.
//!
//! State `s` simulates `t` when every letter that `t` can read on an edge can be read by `s` on an
//! edge with at least its marks to a state that simulates the target; reverse simulation is the
//! same on the transposed graph, where only initial states may match the initial one. States that
//! simulate each other are merged. Afterwards an edge loses the letters for which another edge of
//! the same state (for reverse: into the same state) has at least its marks and a target (source)
//! that simulates its own. Both steps keep the language (Somenzi-Bloem CAV'00, Babiak et al. SPIN'13).
//!
//! The relation is a bit matrix that shrinks to the greatest fixpoint; a row is looked at again only
//! when a successor's row has shrunk. For automata of everyday size this is faster than signatures
//! as diagrams. Above [`MAX_WORK`] the caller gets the automaton back unchanged.

use crate::graph::{Arc, Graph};
use crate::labels::Labels;
use crate::limits::LOOK;
use lariat_base::{Budget, Stop};

/// Bound on (pairs of edges of all pairs of states), beyond which simulation is not tried.
const MAX_WORK: usize = 40_000_000;

/// Which graph the relation is computed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Direct,
    Reverse,
}

/// Whether the automaton is small enough for simulation to be tried.
pub(crate) fn is_feasible<L: Copy + Eq + Ord>(graph: &Graph<L>) -> bool {
    let (n, n_edges) = (graph.n_states(), graph.n_edges());
    n_edges.saturating_mul(n_edges) <= MAX_WORK && n.saturating_mul(n) <= MAX_WORK
}

/// Reduces by simulation. With `keep_state_marks` states are only merged when all their edges carry
/// the same marks, so state-based acceptance survives.
pub(crate) fn reduce<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    direction: Direction,
    keep_state_marks: bool,
    budget: &Budget,
) -> Result<Graph<A::L>, Stop> {
    if !is_feasible(graph) {
        return Ok(graph.clone());
    }
    let n = graph.n_states();
    let forward: Vec<Vec<Arc<A::L>>> = match direction {
        Direction::Direct => graph.rows.clone(),
        Direction::Reverse => transpose(&graph.rows),
    };
    let mut relation = Relation::full(n);
    for t in 0..n as u32 {
        for s in 0..n as u32 {
            let state_marks = |x: u32| graph.rows[x as usize].first().map_or(0, |arc| arc.marks);
            let differ = direction == Direction::Reverse
                && ((t == graph.initial && s != graph.initial)
                    || (keep_state_marks && state_marks(t) & !state_marks(s) != 0));
            if differ {
                relation.remove(t, s);
            }
        }
    }
    refine(&forward, labels, &mut relation, budget)?;
    labels.stopped()?;
    Ok(quotient(graph, labels, direction, &relation))
}

/// `row(t)` holds the states that simulate `t`.
#[derive(Debug)]
struct Relation {
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    fn full(n: usize) -> Self {
        let words = n.div_ceil(64);
        Self {
            words,
            bits: vec![u64::MAX; n * words],
        }
    }

    fn holds(&self, t: u32, s: u32) -> bool {
        self.bits[t as usize * self.words + s as usize / 64] >> (s % 64) & 1 == 1
    }

    fn remove(&mut self, t: u32, s: u32) {
        self.bits[t as usize * self.words + s as usize / 64] &= !(1 << (s % 64));
    }
}

fn transpose<L: Copy>(rows: &[Vec<Arc<L>>]) -> Vec<Vec<Arc<L>>> {
    let mut back = vec![Vec::new(); rows.len()];
    for (s, row) in rows.iter().enumerate() {
        for arc in row {
            back[arc.target as usize].push(Arc {
                target: s as u32,
                ..*arc
            });
        }
    }
    back
}

/// Shrinks `relation` to the greatest simulation inside it.
fn refine<A: Labels>(
    rows: &[Vec<Arc<A::L>>],
    labels: &mut A,
    relation: &mut Relation,
    budget: &Budget,
) -> Result<(), Stop> {
    let n = rows.len() as u32;
    let mut dirty = vec![true; rows.len()];
    let mut steps = 0u32;
    loop {
        let mut shrunk = vec![false; rows.len()];
        for t in 0..n {
            if !dirty[t as usize] {
                continue;
            }
            steps += 1;
            if steps.is_multiple_of(64) {
                budget.spend(LOOK)?;
            }
            for s in 0..n {
                if s != t && relation.holds(t, s) && !matches(rows, labels, relation, t, s) {
                    relation.remove(t, s);
                    shrunk[t as usize] = true;
                }
            }
        }
        if !shrunk.contains(&true) {
            return Ok(());
        }
        for (t, row) in rows.iter().enumerate() {
            dirty[t] = row.iter().any(|arc| shrunk[arc.target as usize]);
        }
    }
}

/// Whether `s` can answer every edge of `t` under the relation so far.
fn matches<A: Labels>(
    rows: &[Vec<Arc<A::L>>],
    labels: &mut A,
    relation: &Relation,
    t: u32,
    s: u32,
) -> bool {
    rows[t as usize].iter().all(|arc| {
        let mut open = arc.label;
        for answer in &rows[s as usize] {
            if arc.marks & !answer.marks == 0 && relation.holds(arc.target, answer.target) {
                open = labels.diff(open, answer.label);
                if labels.is_none(open) {
                    return true;
                }
            }
        }
        false
    })
}

/// Merges mutually similar states and prunes dominated edges.
fn quotient<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    direction: Direction,
    relation: &Relation,
) -> Graph<A::L> {
    let n = graph.n_states() as u32;
    // The representative of a class is its first member.
    let class: Vec<u32> = (0..n)
        .map(|s| {
            (0..s)
                .find(|&t| relation.holds(t, s) && relation.holds(s, t))
                .unwrap_or(s)
        })
        .collect();
    let mut rows = vec![Vec::new(); n as usize];
    for (s, row) in graph.rows.iter().enumerate() {
        rows[class[s] as usize].extend(row.iter().map(|arc| Arc {
            target: class[arc.target as usize],
            ..*arc
        }));
    }
    let mut merged = Graph {
        initial: class[graph.initial as usize],
        n_sets: graph.n_sets,
        rows,
    };
    merged.merge_edges(labels);
    if direction == Direction::Reverse {
        merged.rows = transpose(&merged.rows);
    }
    for row in &mut merged.rows {
        prune(row, labels, relation);
    }
    if direction == Direction::Reverse {
        merged.rows = transpose(&merged.rows);
    }
    let mut out = merged.restrict(|_| true);
    out.merge_edges(labels);
    out
}

/// Takes from each edge the letters of the edges that strictly dominate it. Domination is a partial
/// order on merged edges, so every letter stays on a maximal edge.
fn prune<A: Labels>(row: &mut [Arc<A::L>], labels: &mut A, relation: &Relation) {
    let full = row.to_vec();
    for (i, arc) in row.iter_mut().enumerate() {
        for (j, better) in full.iter().enumerate() {
            let dominated = i != j
                && arc.marks & !better.marks == 0
                && relation.holds(arc.target, better.target);
            if dominated {
                arc.label = labels.diff(arc.label, better.label);
            }
        }
    }
}
