//! What breadth-first searches tell of how far there is nothing, against distances counted by hand.

use super::*;
use std::collections::{BTreeSet, VecDeque};

/// A graph that hears how far there is nothing.
struct Hearing {
    graph: Lists,
    told: Vec<u64>,
}

impl Graph for Hearing {
    fn acceptance(&self) -> &Acceptance {
        self.graph.acceptance()
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        self.graph.mark_sets()
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        self.graph.initial(out)
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        self.graph.successors(node, out)
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        self.graph.is_goal(node)
    }

    fn is_clear_to(&mut self, n_arcs: u64) {
        self.told.push(n_arcs);
    }
}

/// The fewest arcs from one of some nodes to each, with the marks met on the way: walks, not paths.
fn walks(graph: &Lists, starts: &[usize]) -> Vec<((usize, u64), u64)> {
    let mut queue: VecDeque<((usize, u64), u64)> =
        starts.iter().map(|&start| ((start, 0), 0)).collect();
    let mut seen: BTreeSet<(usize, u64)> = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(((node, marks), n_arcs)) = queue.pop_front() {
        for &(target, more) in &graph.arcs[node] {
            let next = (target, marks | more);
            if seen.insert(next) {
                found.push((next, n_arcs + 1));
                queue.push_back((next, n_arcs + 1));
            }
        }
    }
    found
}

fn distances(graph: &Lists) -> Vec<(usize, u64)> {
    let there = graph.initial.iter().map(|&node| (node, 0));
    let reached = walks(graph, &graph.initial).into_iter();
    there
        .chain(reached.map(|((node, _), n)| (node, n)))
        .collect()
}

/// The fewest arcs of an accepting lasso: a way to a node, and a walk from it back to it with all marks.
fn shortest_lasso(graph: &Lists) -> Option<u64> {
    let all = bits(graph.acceptance.buchi().iter().copied());
    let lassos = distances(graph).into_iter().flat_map(|(honda, stem)| {
        let rounds = walks(graph, &[honda]).into_iter();
        let closed = rounds.filter(move |((node, marks), _)| *node == honda && marks & all == all);
        closed.map(move |(_, n_arcs)| stem + n_arcs)
    });
    lassos.min()
}

#[test]
fn what_breadth_first_searches_tell_is_true() {
    let mut rng = Rng::new(47);
    let (mut n_paths, mut n_lassos) = (0, 0);
    for _ in 0..4000 {
        let graph = Lists::random(&mut rng);
        let goals = distances(&graph).into_iter();
        let nearest = goals
            .filter(|&(node, _)| graph.goals[node])
            .map(|(_, n)| n)
            .min();
        let lasso = shortest_lasso(&graph);
        let budget = Budget::unlimited();
        let mut hearing = Hearing {
            graph,
            told: Vec::new(),
        };
        let found = Reach::Bfs.search(&mut hearing, &budget).expect("no limit");
        assert_eq!(found.is_some(), nearest.is_some());
        if let Some(nearest) = nearest {
            n_paths += 1;
            let told = hearing.told.last().copied().unwrap_or(0);
            assert_eq!(told, nearest.saturating_sub(1), "{:?}", hearing.graph);
        }
        hearing.told.clear();
        let mut layers = Layers::with_first_look(1);
        let found = layers.search(&mut hearing, &budget).expect("no limit");
        assert_eq!(found.is_some(), lasso.is_some());
        if let Some(lasso) = lasso {
            n_lassos += 1;
            assert!(
                hearing.told.iter().all(|&n| n < lasso),
                "{:?}",
                hearing.graph
            );
        }
    }
    assert!(n_paths > 500 && n_lassos > 500, "{n_paths}, {n_lassos}");
}
