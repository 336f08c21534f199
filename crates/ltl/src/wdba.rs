//! Minimal weak deterministic automata for obligation properties (Dax et al. ATVA'07).
//!
//! Subset construction without acceptance; a component of the result accepts if some cycle above it
//! is accepted by the original (the product with the original has an accepting component there);
//! then the colouring of Löding (IPL'01) makes transient states agree with what follows, and plain
//! partition refinement gives the unique minimal automaton.
//!
//! The candidate's language always includes the original's. It is exact when the property is an
//! obligation; when that is not known beforehand the caller checks the candidate against the
//! automaton of the negation.

use crate::graph::{Arc, Graph, Numbering};
use crate::labels::Labels;
use crate::limits::LOOK;
use crate::scc::Sccs;
use lariat_base::{Budget, FxHashMap, Stop};

/// A state with more different labels than this is not determinized.
const MAX_BLOCKS: usize = 128;

/// The candidate, or none if it would be too large. Its one set marks all edges of accepting states.
pub(crate) fn candidate<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    max_states: usize,
    budget: &Budget,
) -> Result<Option<Graph<A::L>>, Stop> {
    let Some(subsets) = determinize(graph, labels, max_states, budget)? else {
        return Ok(None);
    };
    let sccs = Sccs::new(&subsets.graph);
    let accepting = accepting_components(graph, labels, &subsets, &sccs);
    labels.stopped()?;
    let colours = colour(&subsets.graph, &sccs, &accepting);
    let class = minimize(&subsets.graph, labels, &colours, budget)?;
    Ok(Some(build(&subsets.graph, labels, &colours, &class)))
}

struct Subsets<L> {
    /// The deterministic automaton, without marks.
    graph: Graph<L>,
    /// The sorted states of the original that each of its states stands for.
    members: Vec<Box<[u32]>>,
}

fn determinize<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    max_states: usize,
    budget: &Budget,
) -> Result<Option<Subsets<A::L>>, Stop> {
    let all = labels.all();
    let sink = graph.rows.iter().enumerate().find_map(|(s, row)| {
        let loops = |arc: &Arc<A::L>| {
            arc.target == s as u32 && arc.label == all && arc.marks == graph.all_marks()
        };
        row.iter().any(loops).then_some(s as u32)
    });
    let mut subsets: Numbering<Box<[u32]>> = Numbering::new();
    subsets.id(&Box::from([graph.initial]));
    let mut rows: Vec<Vec<Arc<A::L>>> = Vec::new();
    let mut blocks = Vec::new();
    let mut successors = Vec::new();
    while rows.len() < subsets.keys.len() {
        if subsets.keys.len() > max_states {
            return Ok(None);
        }
        if rows.len() % 64 == 63 {
            budget.spend(LOOK)?;
        }
        let members = subsets.keys[rows.len()].clone();
        let arcs = || members.iter().flat_map(|&s| &graph.rows[s as usize]);
        if !labels.blocks(arcs().map(|arc| arc.label), MAX_BLOCKS, &mut blocks) {
            return Ok(None);
        }
        let mut row: Vec<Arc<A::L>> = Vec::new();
        for &block in &blocks {
            successors.clear();
            for arc in arcs() {
                if labels.overlap(arc.label, block) {
                    successors.push(arc.target);
                }
            }
            successors.sort_unstable();
            successors.dedup();
            if let Some(sink) = sink.filter(|sink| successors.contains(sink)) {
                successors.clear();
                successors.push(sink);
            }
            let target = subsets.id(&Box::from(successors.as_slice()));
            row.push(Arc {
                target,
                marks: 0,
                label: block,
            });
        }
        rows.push(row);
    }
    let mut graph = Graph {
        initial: 0,
        n_sets: 0,
        rows,
    };
    graph.merge_edges(labels);
    Ok(Some(Subsets {
        graph,
        members: subsets.keys,
    }))
}

/// Per component of the subset automaton: whether the original accepts along one of its cycles.
fn accepting_components<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    subsets: &Subsets<A::L>,
    sccs: &Sccs,
) -> Vec<bool> {
    let mut n_pairs = 0u32;
    let mut number: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (m, members) in subsets.members.iter().enumerate() {
        for &s in members {
            number.insert((m as u32, s), n_pairs);
            n_pairs += 1;
        }
    }
    let mut rows: Vec<Vec<Arc<()>>> = Vec::with_capacity(n_pairs as usize);
    let mut component = Vec::with_capacity(n_pairs as usize);
    for (m, members) in subsets.members.iter().enumerate() {
        for &s in members {
            let mut row = Vec::new();
            for step in &subsets.graph.rows[m] {
                if !sccs.inside(m as u32, step.target) {
                    continue;
                }
                for arc in &graph.rows[s as usize] {
                    // A subset that was replaced by its sink has lost the other members.
                    if let Some(&target) = number.get(&(step.target, arc.target))
                        && labels.overlap(arc.label, step.label)
                    {
                        row.push(Arc {
                            target,
                            marks: arc.marks,
                            label: (),
                        });
                    }
                }
            }
            rows.push(row);
            component.push(sccs.of[m]);
        }
    }
    // One extra root that reaches every pair, so that one search sees all components.
    let root = n_pairs;
    rows.push(
        (0..n_pairs)
            .map(|target| Arc {
                target,
                marks: 0,
                label: (),
            })
            .collect(),
    );
    let pairs = Graph {
        initial: root,
        n_sets: graph.n_sets,
        rows,
    };
    let pair_sccs = Sccs::new(&pairs);
    let mut accepting = vec![false; sccs.len()];
    for (pair, &c) in component.iter().enumerate() {
        if pair_sccs.accepting[pair_sccs.of[pair] as usize] {
            accepting[c as usize] = true;
        }
    }
    accepting
}

/// The colour of each state: even accepts, odd rejects, none is useless.
fn colour<L: Copy + Eq + Ord>(
    graph: &Graph<L>,
    sccs: &Sccs,
    accepting: &[bool],
) -> Vec<Option<u32>> {
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); sccs.len()];
    for (s, row) in graph.rows.iter().enumerate() {
        for arc in row {
            if !sccs.inside(s as u32, arc.target) {
                successors[sccs.of[s] as usize].push(sccs.of[arc.target as usize]);
            }
        }
    }
    let top = 2 * (sccs.len() as u32 + 2);
    let mut colours: Vec<Option<u32>> = Vec::with_capacity(sccs.len());
    // Useless components take part in the minimum with their rejecting colour.
    let mut raw: Vec<u32> = Vec::with_capacity(sccs.len());
    for c in 0..sccs.len() {
        let lowest = successors[c].iter().map(|&d| raw[d as usize]).min();
        let useless_below = successors[c].iter().all(|&d| colours[d as usize].is_none());
        let (own, useless) = if !sccs.cyclic[c] {
            (lowest.unwrap_or(top - 1), useless_below)
        } else if accepting[c] {
            (lowest.unwrap_or(top) & !1, false)
        } else {
            ((lowest.unwrap_or(top) - 1) | 1, useless_below)
        };
        raw.push(own);
        colours.push((!useless).then_some(own));
    }
    sccs.of
        .iter()
        .map(|&c| colours.get(c as usize).copied().flatten())
        .collect()
}

/// Moore's partition refinement; useless states get no class.
fn minimize<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    colours: &[Option<u32>],
    budget: &Budget,
) -> Result<Vec<Option<u32>>, Stop> {
    let mut class: Vec<Option<u32>> = colours.iter().map(|c| c.map(|c| c & 1)).collect();
    let mut n_classes = 0;
    loop {
        budget.spend(LOOK)?;
        let mut numbering = Numbering::new();
        let mut next = Vec::with_capacity(class.len());
        for (s, row) in graph.rows.iter().enumerate() {
            let Some(own) = class[s] else {
                next.push(None);
                continue;
            };
            let mut moves: Vec<(u32, A::L)> = Vec::with_capacity(row.len());
            for arc in row {
                if let Some(to) = class[arc.target as usize] {
                    match moves.iter_mut().find(|(c, _)| *c == to) {
                        Some((_, label)) => *label = labels.or(*label, arc.label),
                        None => moves.push((to, arc.label)),
                    }
                }
            }
            moves.sort_unstable();
            next.push(Some(numbering.id(&(own, moves))));
        }
        class = next;
        if numbering.keys.len() == n_classes {
            return Ok(class);
        }
        n_classes = numbering.keys.len();
    }
}

fn build<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    colours: &[Option<u32>],
    class: &[Option<u32>],
) -> Graph<A::L> {
    let Some(initial) = class[graph.initial as usize] else {
        return Graph::empty();
    };
    let n = class.iter().flatten().max().map_or(0, |&c| c as usize + 1);
    let mut rows: Vec<Option<Vec<Arc<A::L>>>> = vec![None; n];
    for (s, row) in graph.rows.iter().enumerate() {
        if let (Some(c), Some(own)) = (colours[s], class[s])
            && rows[own as usize].is_none()
        {
            let marks = u64::from(c % 2 == 0);
            let arcs = row.iter().filter_map(|arc| {
                class[arc.target as usize].map(|target| Arc {
                    target,
                    marks,
                    label: arc.label,
                })
            });
            rows[own as usize] = Some(arcs.collect());
        }
    }
    let mut out = Graph {
        initial,
        n_sets: 1,
        rows: rows.into_iter().map(Option::unwrap_or_default).collect(),
    };
    out.merge_edges(labels);
    out
}
