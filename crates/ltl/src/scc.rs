//! Strongly connected components, and the clean-up that rests on them.
//!
//! Acceptance is a matter of cycles. So: a state from which no accepting component can be reached
//! is useless; marks outside accepting components mean nothing and are erased; and inside one
//! accepting component a set is redundant when every cycle meets it, or when another set that must
//! be met anyway implies it. The sets that remain are renumbered per component, so the automaton
//! needs only as many sets as its most demanding component (the others carry the surplus sets on
//! every edge). A weak automaton thus ends with at most one set, and with none if nothing can loop
//! outside acceptance.
//!
//! Components come from Tarjan's algorithm with an explicit stack; their numbers are a reverse
//! topological order: an edge never leads to a higher number.

use crate::automaton::all_marks;
use crate::graph::{Arc, Graph};
use crate::labels::Labels;

/// The components of a graph.
#[derive(Debug)]
pub(crate) struct Sccs {
    /// The component of each state; unreachable states have [`Sccs::UNREACHED`].
    pub(crate) of: Vec<u32>,
    /// Per component: whether it contains a cycle that meets every set.
    pub(crate) accepting: Vec<bool>,
    /// Per component: whether it contains an edge.
    pub(crate) cyclic: Vec<bool>,
}

impl Sccs {
    pub(crate) const UNREACHED: u32 = u32::MAX;

    pub(crate) fn new<L: Copy + Eq + Ord>(graph: &Graph<L>) -> Self {
        let mut sccs = Self {
            of: components(graph.rows.len(), graph.initial, |s, i| {
                graph.rows[s as usize].get(i).map(|arc| arc.target)
            }),
            accepting: Vec::new(),
            cyclic: Vec::new(),
        };
        let n = sccs
            .of
            .iter()
            .filter(|&&c| c != Self::UNREACHED)
            .max()
            .map_or(0, |&c| c as usize + 1);
        let mut marks = vec![0; n];
        sccs.cyclic = vec![false; n];
        for (s, row) in graph.rows.iter().enumerate() {
            for arc in row {
                if sccs.of[s] != Self::UNREACHED && sccs.of[s] == sccs.of[arc.target as usize] {
                    marks[sccs.of[s] as usize] |= arc.marks;
                    sccs.cyclic[sccs.of[s] as usize] = true;
                }
            }
        }
        let all = graph.all_marks();
        sccs.accepting = (0..n).map(|c| sccs.cyclic[c] && marks[c] == all).collect();
        sccs
    }

    pub(crate) fn len(&self) -> usize {
        self.accepting.len()
    }

    /// Whether the edge stays inside one component.
    pub(crate) fn inside(&self, from: u32, to: u32) -> bool {
        self.of[from as usize] == self.of[to as usize]
    }
}

/// Tarjan from `root`; `successor(s, i)` is the `i`-th successor of `s`.
pub(crate) fn components(
    n_states: usize,
    root: u32,
    successor: impl Fn(u32, usize) -> Option<u32>,
) -> Vec<u32> {
    const NEW: u32 = 0;
    let mut index = vec![NEW; n_states];
    let mut low = vec![0u32; n_states];
    let mut component = vec![Sccs::UNREACHED; n_states];
    let mut open = Vec::new();
    let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
    let mut clock = 1;
    let mut n_components = 0;
    index[root as usize] = clock;
    low[root as usize] = clock;
    open.push(root);
    while let Some(call) = calls.last_mut() {
        let s = call.0;
        if let Some(t) = successor(s, call.1) {
            call.1 += 1;
            if index[t as usize] == NEW {
                clock += 1;
                index[t as usize] = clock;
                low[t as usize] = clock;
                open.push(t);
                calls.push((t, 0));
            } else if component[t as usize] == Sccs::UNREACHED {
                low[s as usize] = low[s as usize].min(index[t as usize]);
            }
            continue;
        }
        calls.pop();
        if let Some(&(parent, _)) = calls.last() {
            low[parent as usize] = low[parent as usize].min(low[s as usize]);
        }
        if low[s as usize] == index[s as usize] {
            loop {
                let t = open.pop().expect("the root of a component is still open");
                component[t as usize] = n_components;
                if t == s {
                    break;
                }
            }
            n_components += 1;
        }
    }
    component
}

/// Which edges carry the marks that the clean-up writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarksOn {
    /// Each edge on its own.
    Edges,
    /// All edges of a state alike; needs an automaton where this already holds inside components.
    States,
}

/// Drops useless states and meaningless marks, and renumbers the sets per component.
pub(crate) fn clean<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    marks_on: MarksOn,
) -> Graph<A::L> {
    let sccs = Sccs::new(graph);
    let mut useful = sccs.accepting.clone();
    // Components are numbered sinks first, so one pass in that order settles usefulness.
    let mut by_component: Vec<Vec<u32>> = vec![Vec::new(); sccs.len()];
    for (s, &c) in sccs.of.iter().enumerate() {
        if c != Sccs::UNREACHED {
            by_component[c as usize].push(s as u32);
        }
    }
    for (c, members) in by_component.iter().enumerate() {
        useful[c] = useful[c]
            || members.iter().any(|&s| {
                let row = &graph.rows[s as usize];
                row.iter()
                    .any(|arc| useful[sccs.of[arc.target as usize] as usize])
            });
    }
    if !useful[sccs.of[graph.initial as usize] as usize] {
        return Graph::empty();
    }
    let needed: Vec<Vec<u32>> = by_component
        .iter()
        .enumerate()
        .map(|(c, members)| {
            if sccs.accepting[c] {
                needed_sets(graph, &sccs, c as u32, members)
            } else {
                Vec::new()
            }
        })
        .collect();
    let rejecting_cycle =
        (0..sccs.len()).any(|c| useful[c] && sccs.cyclic[c] && !sccs.accepting[c]);
    let most = needed.iter().map(Vec::len).max().unwrap_or(0);
    let n_sets = most.max(usize::from(rejecting_cycle)) as u32;
    let mut out = graph.clone();
    out.n_sets = n_sets;
    for (s, row) in out.rows.iter_mut().enumerate() {
        let c = sccs.of[s];
        if c == Sccs::UNREACHED {
            row.clear();
            continue;
        }
        row.retain(|arc| useful[sccs.of[arc.target as usize] as usize]);
        let accepting = sccs.accepting[c as usize];
        let mut of_state = 0;
        for arc in row.iter_mut() {
            let internal = accepting && sccs.inside(s as u32, arc.target);
            arc.marks = if internal {
                renumber(arc.marks, &needed[c as usize], n_sets)
            } else {
                0
            };
            of_state |= arc.marks;
        }
        if marks_on == MarksOn::States {
            for arc in row.iter_mut() {
                arc.marks = of_state;
            }
        }
    }
    let mut out = out.restrict(|s| useful[sccs.of[s as usize] as usize]);
    out.merge_edges(labels);
    out
}

/// Takes marks from edges that are followed by them anyway: a set that every internal edge out of a
/// state carries need not be on the internal edges into it. State after state, so that marks are
/// never taken all around a cycle. Fewer marks are easier to simulate.
pub(crate) fn thin_marks<L: Copy + Eq + Ord>(graph: &Graph<L>) -> Option<Graph<L>> {
    let sccs = Sccs::new(graph);
    let mut out = graph.clone();
    let mut changed = false;
    // States with few edges are most likely to be simulated once their marks match.
    let mut order: Vec<u32> = (0..graph.n_states() as u32).collect();
    order.sort_by_key(|&t| graph.rows[t as usize].len());
    for t in order {
        let internal = |arc: &&Arc<L>| sccs.inside(t, arc.target);
        let row = out.rows[t as usize].iter().filter(internal);
        let common = row.fold(out.all_marks(), |acc, arc| acc & arc.marks);
        if common == 0 || !sccs.accepting[sccs.of[t as usize] as usize] {
            continue;
        }
        for (s, row) in out.rows.iter_mut().enumerate() {
            if s as u32 != t && sccs.inside(s as u32, t) {
                for arc in row.iter_mut().filter(|arc| arc.target == t) {
                    changed |= arc.marks & common != 0;
                    arc.marks &= !common;
                }
            }
        }
    }
    changed.then_some(out)
}

/// Puts all marks on edges between components, where they mean nothing, so that a state that only
/// leads into an accepting loop can be merged with the state of that loop.
pub(crate) fn fatten_marks<L: Copy + Eq + Ord>(graph: &Graph<L>) -> Option<Graph<L>> {
    let sccs = Sccs::new(graph);
    let mut out = graph.clone();
    let all = out.all_marks();
    let mut changed = false;
    for (s, row) in out.rows.iter_mut().enumerate() {
        for arc in row {
            if !sccs.inside(s as u32, arc.target) {
                changed |= arc.marks != all;
                arc.marks = all;
            }
        }
    }
    changed.then_some(out)
}

fn renumber(marks: u64, needed: &[u32], n_sets: u32) -> u64 {
    let surplus = all_marks(n_sets) & !all_marks(needed.len() as u32);
    let kept = needed.iter().enumerate();
    kept.fold(surplus, |acc, (new, &old)| acc | (marks >> old & 1) << new)
}

/// The sets that still have to be watched inside accepting component `c`.
fn needed_sets<L: Copy + Eq + Ord>(
    graph: &Graph<L>,
    sccs: &Sccs,
    c: u32,
    members: &[u32],
) -> Vec<u32> {
    let mut distinct: Vec<u64> = Vec::new();
    for &s in members {
        for arc in &graph.rows[s as usize] {
            if sccs.of[arc.target as usize] == c && !distinct.contains(&arc.marks) {
                distinct.push(arc.marks);
            }
        }
    }
    let everywhere = distinct.iter().fold(u64::MAX, |acc, m| acc & m);
    let mut needed: Vec<u32> = (0..graph.n_sets)
        .filter(|&i| everywhere >> i & 1 == 0)
        .filter(|&i| has_cycle_without(graph, sccs, c, members, i))
        .collect();
    // Set j is implied by set i if every edge of i is one of j; of equal sets the first stays.
    let implied = |i: u32, j: u32| distinct.iter().all(|m| m >> i & 1 <= m >> j & 1);
    let mut at = 0;
    while at < needed.len() {
        let j = needed[at];
        let redundant = needed
            .iter()
            .any(|&i| i != j && implied(i, j) && !(implied(j, i) && j < i));
        if redundant {
            needed.remove(at);
        } else {
            at += 1;
        }
    }
    needed
}

/// Whether component `c` has a cycle that avoids set `set`: a depth-first search for a back edge.
fn has_cycle_without<L: Copy + Eq + Ord>(
    graph: &Graph<L>,
    sccs: &Sccs,
    c: u32,
    members: &[u32],
    set: u32,
) -> bool {
    let counts = |arc: &Arc<L>| sccs.of[arc.target as usize] == c && arc.marks >> set & 1 == 0;
    if members.len() == 1 {
        return graph.rows[members[0] as usize].iter().any(counts);
    }
    let mut colour = lariat_base::FxHashMap::<u32, bool>::default();
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for &root in members {
        if colour.contains_key(&root) {
            continue;
        }
        colour.insert(root, true);
        stack.push((root, 0));
        while let Some(top) = stack.last_mut() {
            let (s, i) = *top;
            top.1 += 1;
            let Some(arc) = graph.rows[s as usize].get(i) else {
                colour.insert(s, false);
                stack.pop();
                continue;
            };
            if !counts(arc) {
                continue;
            }
            match colour.get(&arc.target) {
                Some(true) => return true,
                Some(false) => {}
                None => {
                    colour.insert(arc.target, true);
                    stack.push((arc.target, 0));
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    /// Two states are in one component if each reaches the other: the naive twin.
    #[test]
    fn components_are_mutual_reachability() {
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let n = 1 + rng.below(9) as usize;
            let rows: Vec<Vec<u32>> = (0..n)
                .map(|_| {
                    let degree = rng.below(4);
                    (0..degree).map(|_| rng.below(n as u64) as u32).collect()
                })
                .collect();
            let mut reach = vec![vec![false; n]; n];
            for (s, row) in reach.iter_mut().enumerate() {
                row[s] = true;
            }
            for _ in 0..n {
                for s in 0..n {
                    for &t in &rows[s] {
                        let further = reach[t as usize].clone();
                        for (known, more) in reach[s].iter_mut().zip(further) {
                            *known |= more;
                        }
                    }
                }
            }
            let of = components(n, 0, |s, i| rows[s as usize].get(i).copied());
            for s in 0..n {
                assert_eq!(of[s] != Sccs::UNREACHED, reach[0][s], "seed {seed}");
                for t in (0..n).filter(|&t| reach[0][s] && reach[0][t]) {
                    let together = reach[s][t] && reach[t][s];
                    assert_eq!(of[s] == of[t], together, "seed {seed}");
                    let ordered = !reach[s][t] || of[t] <= of[s];
                    assert!(
                        ordered,
                        "seed {seed}: numbers are a reverse topological order"
                    );
                }
            }
        }
    }
}
