//! From several acceptance sets on edges to one set, on edges or on states.
//!
//! The classic counter: a copy of the automaton per set, and a run moves on to the next copy when it
//! meets the set it waits for. Three things keep it small (Babiak et al. SPIN'13). *Level skipping*:
//! one edge may satisfy several consecutive sets; for state-based acceptance, sets that every edge
//! out of a state carries are already counted on entry. *Per component*: counting only matters
//! inside one accepting component, so it restarts elsewhere. *Bottommost copies*: the copies of one
//! component may form a chain of components; only a last one is kept and everything that entered an
//! earlier one is sent to it, since acceptance forgets finite prefixes.
//!
//! A mark counted on entry and again on the way out is counted twice at most, so a run that
//! completes infinitely many rounds meets every set infinitely often.

use crate::graph::{Arc, Graph, Numbering};
use crate::labels::Labels;
use crate::limits::LOOK;
use crate::scc::{MarksOn, Sccs, clean};
use lariat_base::{Budget, Stop};

/// Turns `graph`, which has been cleaned, into an automaton with one set.
/// `order` is the order in which sets are awaited.
pub(crate) fn degeneralize<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    order: &[u32],
    marks_on: MarksOn,
    budget: &Budget,
) -> Result<Graph<A::L>, Stop> {
    if order.is_empty() || (order.len() == 1 && marks_on == MarksOn::Edges) {
        let mut out = graph.clone();
        if order.is_empty() {
            out.n_sets = 1;
            let arcs = out.rows.iter_mut().flatten();
            arcs.for_each(|arc| arc.marks = 1);
        }
        return Ok(out);
    }
    let sccs = Sccs::new(graph);
    let levels = Levels::new(graph, &sccs, order, marks_on);
    let mut states = Numbering::new();
    let initial = states.id(&(graph.initial, levels.enter(graph.initial, 0)));
    let mut rows = Vec::new();
    while rows.len() < states.keys.len() {
        if rows.len() % 256 == 255 {
            budget.spend(LOOK)?;
        }
        let (s, level) = states.keys[rows.len()];
        let row = graph.rows[s as usize].iter().map(|arc| {
            let (next, marks) = levels.step(s, level, arc);
            Arc {
                target: states.id(&(arc.target, next)),
                marks,
                label: arc.label,
            }
        });
        let row = row.collect();
        rows.push(row);
    }
    let mut out = Graph {
        initial,
        n_sets: 1,
        rows,
    };
    redirect_to_bottommost(&mut out, &states.keys, &sccs);
    Ok(clean(&out, labels, marks_on))
}

struct Levels<'a, L> {
    graph: &'a Graph<L>,
    sccs: &'a Sccs,
    order: &'a [u32],
    marks_on: MarksOn,
    /// Per state: the sets that every internal edge carries.
    common: Vec<u64>,
}

impl<'a, L: Copy + Eq + Ord> Levels<'a, L> {
    fn new(graph: &'a Graph<L>, sccs: &'a Sccs, order: &'a [u32], marks_on: MarksOn) -> Self {
        let common = graph.rows.iter().enumerate().map(|(s, row)| {
            let internal = row.iter().filter(|arc| sccs.inside(s as u32, arc.target));
            internal.fold(u64::MAX, |acc, arc| acc & arc.marks)
        });
        Self {
            graph,
            sccs,
            order,
            marks_on,
            common: common.collect(),
        }
    }

    fn accepting(&self, s: u32) -> bool {
        self.sccs.accepting[self.sccs.of[s as usize] as usize]
    }

    fn advance(&self, mut level: usize, marks: u64) -> usize {
        while level < self.order.len() && marks >> self.order[level] & 1 == 1 {
            level += 1;
        }
        level
    }

    /// The level at which `s` is entered when `level` sets have been met.
    fn enter(&self, s: u32, level: usize) -> usize {
        if self.marks_on == MarksOn::Edges || !self.accepting(s) {
            return level;
        }
        self.advance(level, self.common[s as usize])
    }

    /// The level of the target and the mark of the new edge.
    fn step(&self, s: u32, level: usize, arc: &Arc<L>) -> (usize, u64) {
        let n = self.order.len();
        if self.marks_on == MarksOn::States {
            let mark = u64::from(level == n);
            if !self.accepting(s) || !self.sccs.inside(s, arc.target) {
                return (self.enter(arc.target, 0), mark);
            }
            let level = if level == n { 0 } else { level };
            return (self.enter(arc.target, self.advance(level, arc.marks)), mark);
        }
        if !self.accepting(s) || !self.sccs.inside(s, arc.target) {
            return (0, 0);
        }
        let reached = self.advance(level, arc.marks);
        if reached < n {
            (reached, 0)
        } else if arc.marks == self.graph.all_marks() {
            (0, 1)
        } else {
            (self.advance(0, arc.marks), 1)
        }
    }
}

/// Sends every edge into a copy of a component to the copy that is bottommost.
fn redirect_to_bottommost<L: Copy + Eq + Ord>(
    graph: &mut Graph<L>,
    keys: &[(u32, usize)],
    old: &Sccs,
) {
    let new = Sccs::new(graph);
    // New components are numbered sinks first: the smallest number among the copies is bottommost.
    let mut bottom = vec![u32::MAX; old.len()];
    for (i, &(s, _)) in keys.iter().enumerate() {
        let c = old.of[s as usize] as usize;
        bottom[c] = bottom[c].min(new.of[i]);
    }
    let n_old = old.of.len();
    let mut copy = vec![u32::MAX; n_old];
    for (i, &(s, _)) in keys.iter().enumerate() {
        let c = old.of[s as usize] as usize;
        if new.of[i] == bottom[c] && copy[s as usize] == u32::MAX {
            copy[s as usize] = i as u32;
        }
    }
    let redirect = |target: u32| {
        let s = keys[target as usize].0;
        let c = old.of[s as usize] as usize;
        if old.cyclic[c] && new.of[target as usize] != bottom[c] && copy[s as usize] != u32::MAX {
            copy[s as usize]
        } else {
            target
        }
    };
    for arc in graph.rows.iter_mut().flatten() {
        arc.target = redirect(arc.target);
    }
    graph.initial = redirect(graph.initial);
}
