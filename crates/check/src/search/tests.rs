//! Searches against a naive oracle on random graphs, and the published mistakes pinned.

mod clear;
mod mistaken;
mod streett;

use super::stack::{Stack, WindowSize};
use super::{EmptinessCheck, Full, Gdfs, Layers, Ndfs, Reach, Scc, Search, reach, shorten};
use crate::{
    Acceptance, Arc, Graph, GraphLasso, GraphPath, Hop, Mark, MarkSetId, MarkSets, NodeId,
};
use lariat_base::{Budget, Id, Stop};
use lariat_ltl::Rng;
use std::time::Duration;

/// Nearly every arc is dropped and asked for again.
const TINY: WindowSize = WindowSize {
    least: 2,
    frames_per_arc: 4,
};

/// A graph as lists of arcs `(target, marks)`; bit `i` of the marks is mark `i`.
#[derive(Clone, Debug)]
struct Lists {
    acceptance: Acceptance,
    sets: MarkSets,
    initial: Vec<usize>,
    arcs: Vec<Vec<(usize, u64)>>,
    goals: Vec<bool>,
}

impl Graph for Lists {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        out.extend(self.initial.iter().map(|&i| NodeId::from_index(i)));
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        out.extend(self.arcs[node.index()].iter().map(|&(target, marks)| {
            let bits = (0..u64::BITS as usize).filter(|bit| marks >> bit & 1 == 1);
            Arc {
                target: NodeId::from_index(target),
                marks: self.sets.of(bits.map(Mark::from_index)),
            }
        }));
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        Ok(self.goals[node.index()])
    }

    fn distance(&mut self, node: NodeId) -> u32 {
        // Any number will do: it decides the order, not the answer.
        (node.index() as u32 * 5) % 7
    }
}

impl Lists {
    /// A graph with so many Büchi marks whose first node is initial.
    fn new(n_buchi: usize, arcs: Vec<Vec<(usize, u64)>>) -> Self {
        let mut acceptance = Acceptance::new();
        for _ in 0..n_buchi {
            acceptance.add_buchi();
        }
        Self {
            acceptance,
            sets: MarkSets::new(),
            initial: vec![0],
            goals: vec![false; arcs.len()],
            arcs,
        }
    }

    fn random(rng: &mut Rng) -> Self {
        let n_buchi = rng.below(4);
        Self::with_acceptance(rng, n_buchi, 0)
    }

    /// A random graph with so many Büchi marks and Streett pairs.
    fn with_acceptance(rng: &mut Rng, mut n_buchi: u64, mut n_pairs: u64) -> Self {
        let mut acceptance = Acceptance::new();
        let n_marks = n_buchi + 2 * n_pairs;
        while n_buchi + n_pairs > 0 {
            // In any order.
            if rng.below(n_buchi + n_pairs) < n_buchi {
                acceptance.add_buchi();
                n_buchi -= 1;
            } else {
                acceptance.add_streett();
                n_pairs -= 1;
            }
        }
        let n = 1 + rng.below(9) as usize;
        let style = rng.below(3);
        let density = 1 + rng.below(3);
        // Responses are rare, so that components often violate a pair.
        let (rarity, rarer) = (1 + rng.below(4), 2 + rng.below(20));
        let pairs = acceptance.streett().iter();
        let responses = bits(pairs.map(|pair| pair.response));
        let marks = |rng: &mut Rng| {
            let bits = (0..n_marks).map(|bit| 1 << bit);
            let is_rarer = |bit: u64| responses & bit != 0;
            bits.filter(|&bit| rng.below(if is_rarer(bit) { rarer } else { 1 + rarity }) == 0)
                .sum::<u64>()
        };
        let arcs = (0..n)
            .map(|_| {
                let of_state = marks(rng);
                let count = rng.below(1 + 2 * density);
                let arc = |_| {
                    let marks = if style == 0 { of_state } else { marks(rng) };
                    (rng.below(n as u64) as usize, marks)
                };
                (0..count).map(arc).collect()
            })
            .collect();
        let initial = (0..=rng.below(3))
            .map(|_| rng.below(n as u64) as usize)
            .collect();
        let goals = (0..n).map(|_| rng.below(6) == 0).collect();
        Self {
            acceptance,
            sets: MarkSets::new(),
            initial,
            arcs,
            goals,
        }
    }

    /// `closure[a][b]`: whether a path of at least one arc leads from `a` to `b`, by arcs without some marks.
    fn closure(&self, without: u64) -> Vec<Vec<bool>> {
        let n = self.arcs.len();
        let mut closure = vec![vec![false; n]; n];
        for (a, arcs) in self.arcs.iter().enumerate() {
            for &(b, marks) in arcs {
                closure[a][b] |= marks & without == 0;
            }
        }
        for middle in 0..n {
            for a in 0..n {
                for b in 0..n {
                    closure[a][b] |= closure[a][middle] && closure[middle][b];
                }
            }
        }
        closure
    }

    /// From the definition: an accepting cycle settles each Streett pair by having no request or by having the response.
    /// For each way to choose, a reachable node must lie on a cycle without the former and the arcs of its
    /// component must have all of the latter.
    fn has_lasso(&self) -> bool {
        let pairs = self.acceptance.streett();
        let way = self.closure(0);
        let reached = |node: usize| {
            let from = |&start: &usize| start == node || way[start][node];
            self.initial.iter().any(from)
        };
        let buchi = bits(self.acceptance.buchi().iter().copied());
        (0..1_usize << pairs.len()).any(|choice| {
            let (answered, unasked): (Vec<_>, Vec<_>) =
                (0..pairs.len()).partition(|pair| choice >> pair & 1 == 1);
            let without = bits(unasked.into_iter().map(|pair| pairs[pair].request));
            let all = buchi | bits(answered.into_iter().map(|pair| pairs[pair].response));
            let closure = self.closure(without);
            (0..self.arcs.len()).any(|node| {
                let together = |other: usize| closure[node][other] && closure[other][node];
                let marks = (0..self.arcs.len())
                    .filter(|&other| together(other))
                    .flat_map(|other| &self.arcs[other])
                    .filter(|(target, marks)| together(*target) && marks & without == 0)
                    .fold(0, |marks, arc| marks | arc.1);
                reached(node) && together(node) && marks & all == all
            })
        })
    }

    /// Whether a cycle with these marks is accepting, from the definition.
    fn accepts(&self, marks: u64) -> bool {
        let has = |mark: Mark| marks >> mark.index() & 1 == 1;
        let mut pairs = self.acceptance.streett().iter();
        self.acceptance.buchi().iter().all(|&mark| has(mark))
            && pairs.all(|pair| !has(pair.request) || has(pair.response))
    }

    fn distance_to_goal(&self) -> Option<usize> {
        let mut layer = self.initial.clone();
        let mut seen = vec![false; self.arcs.len()];
        for distance in 0..=self.arcs.len() {
            if layer.iter().any(|&node| self.goals[node]) {
                return Some(distance);
            }
            for &node in &layer {
                seen[node] = true;
            }
            layer = layer
                .iter()
                .flat_map(|&node| self.arcs[node].iter().map(|arc| arc.0))
                .filter(|&node| !seen[node])
                .collect();
        }
        None
    }

    /// Follows hops arc by arc; the marks they collect.
    fn follow(&self, from: NodeId, hops: &[Hop]) -> (NodeId, u64) {
        hops.iter().fold((from, 0), |(at, marks), hop| {
            assert_eq!(hop.from, at, "a hop starts where the one before ended");
            let (target, more) = self.arcs[at.index()][hop.index];
            assert_eq!(hop.to.index(), target, "a hop is the arc it names");
            (hop.to, marks | more)
        })
    }

    fn check_path(&self, path: &GraphPath) -> NodeId {
        assert!(self.initial.contains(&path.start.index()));
        self.follow(path.start, &path.hops).0
    }

    fn check_lasso(&self, lasso: &GraphLasso) {
        let honda = self.check_path(&lasso.stem);
        let (end, marks) = self.follow(honda, &lasso.cycle);
        assert!(!lasso.cycle.is_empty(), "a cycle has an arc");
        assert_eq!(end, honda, "the cycle comes back");
        assert!(self.accepts(marks), "the cycle is accepting");
    }
}

fn bits(marks: impl Iterator<Item = Mark>) -> u64 {
    marks.fold(0, |bits, mark| bits | 1 << mark.index())
}

/// Every search for lassos, with wide and with tiny windows of pending arcs.
fn all_searches() -> Vec<(&'static str, Box<dyn EmptinessCheck>)> {
    let tiny = || Stack::new(TINY);
    vec![
        ("scc", Box::new(Scc::new())),
        ("ndfs", Box::new(Ndfs::new())),
        ("gdfs", Box::new(Gdfs::new())),
        ("full", Box::new(Full::new())),
        ("scc, tiny", Box::new(Scc::with_stack(tiny()))),
        ("ndfs, tiny", Box::new(Ndfs::with_stacks(tiny(), tiny()))),
        ("gdfs, tiny", Box::new(Gdfs::with_stack(tiny()))),
        ("layers, tiny", Box::new(Layers::with_first_look(1))),
    ]
}

fn check_all(graph: &Lists, what: &dyn std::fmt::Display) {
    let budget = Budget::unlimited();
    let expected = graph.has_lasso();
    for (name, mut search) in all_searches() {
        if search.supports(&graph.acceptance).is_err() {
            continue;
        }
        let mut copy = graph.clone();
        let found = search.search(&mut copy, &budget).expect("no limit");
        assert_eq!(found.is_some(), expected, "{name} on {what}: {graph:?}");
        let Some(lasso) = found else { continue };
        graph.check_lasso(&lasso);
        let explored = |node| search.is_explored(node);
        let short = shorten(&mut copy, lasso.clone(), &explored, &budget).expect("no limit");
        graph.check_lasso(&short);
        let length = |lasso: &GraphLasso| lasso.stem.hops.len() + lasso.cycle.len();
        assert!(length(&short) <= length(&lasso), "{name} on {what}");
    }
}

#[test]
fn searches_agree_with_the_definition_on_random_graphs() {
    let (mut with, n) = (0, 20_000);
    for seed in 0..n {
        let graph = Lists::random(&mut Rng::new(seed));
        with += u32::from(graph.has_lasso());
        check_all(&graph, &format_args!("seed {seed}"));
    }
    assert!(
        (5_000..15_000).contains(&with),
        "both answers occur often: {with} of {n}"
    );
}

#[test]
fn reachability_agrees_with_the_definition_on_random_graphs() {
    let budget = Budget::unlimited();
    for seed in 0..20_000 {
        let mut graph = Lists::random(&mut Rng::new(seed));
        let expected = graph.distance_to_goal();
        let bfs = Reach::Bfs.search(&mut graph, &budget).expect("no limit");
        let dfs = Reach::Dfs.search(&mut graph, &budget).expect("no limit");
        let near = Reach::ErrDist
            .search(&mut graph, &budget)
            .expect("no limit");
        let tiny = reach::depth_first(&mut graph, &budget, Stack::new(TINY)).expect("no limit");
        for path in [&bfs, &dfs, &tiny, &near].into_iter().flatten() {
            let end = graph.check_path(path);
            assert!(graph.goals[end.index()], "seed {seed}");
        }
        let found = bfs.map(|path| path.hops.len());
        assert_eq!(found, expected, "bfs finds a shortest path; seed {seed}");
        assert_eq!(dfs.is_some(), expected.is_some(), "dfs; seed {seed}");
        assert_eq!(near.is_some(), expected.is_some(), "near; seed {seed}");
        assert_eq!(tiny.is_some(), expected.is_some(), "dfs, tiny; seed {seed}");
    }
}

/// Trap 1: the red search before the blue successors (as printed) misses this cycle.
#[test]
fn nested_search_starts_red_in_post_order() {
    // The accepting arcs are 0→1 and 1→2. From 0, pre-order red starts at 1 and paints 1, 2, 3; then
    // the seed 1→2 finds 2 red already, though 2→3→1 closes its cycle.
    let graph = Lists::new(
        1,
        vec![vec![(1, 1)], vec![(2, 1)], vec![(3, 0)], vec![(1, 0)]],
    );
    assert!(!mistaken::red_first(&graph, mistaken::Seed::Source));
    check_all(&graph, &"the post-order trap");
    assert!(graph.has_lasso());
}

/// Trap 1: seeding the red search with the target (as printed) reports a cycle without the arc.
#[test]
fn nested_search_seeds_with_the_source_of_the_arc() {
    let graph = Lists::new(1, vec![vec![(1, 1)], vec![(1, 0)]]);
    assert!(mistaken::red_first(&graph, mistaken::Seed::Target));
    check_all(&graph, &"the seed trap");
    assert!(!graph.has_lasso());
}

/// Trap 2: `h→d, d→c, c→d, d→h, h→t (accepting), t→c`, explored in that order.
#[test]
fn guided_search_knows_every_honda() {
    let (h, d, c, t) = (0, 1, 2, 3);
    let mut arcs = vec![Vec::new(); 4];
    arcs[h] = vec![(d, 0), (t, 1)];
    arcs[d] = vec![(c, 0), (h, 0)];
    arcs[c] = vec![(d, 0)];
    arcs[t] = vec![(c, 0)];
    let mut graph = Lists::new(1, arcs);
    assert!(!mistaken::guided(&graph));
    check_all(&graph, &"the honda trap");
    let found = Gdfs::new().search(&mut graph, &Budget::unlimited());
    let lasso = found.expect("no limit").expect("the lasso of the trap");
    let mut cycle: Vec<usize> = lasso.cycle.iter().map(|hop| hop.from.index()).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, [h, d, c, t]);
}

/// All elementary lassos, from the definition: the start and the index of each arc.
fn elementary_lassos(graph: &Lists) -> Vec<(usize, Vec<usize>)> {
    fn extend(
        graph: &Lists,
        nodes: &mut Vec<usize>,
        arcs: &mut Vec<usize>,
        out: &mut Vec<(usize, Vec<usize>)>,
    ) {
        let at = *nodes.last().expect("a path has a node");
        for (index, &(target, _)) in graph.arcs[at].iter().enumerate() {
            arcs.push(index);
            if let Some(honda) = nodes.iter().position(|&node| node == target) {
                let marks = (honda..nodes.len())
                    .fold(0, |marks, i| marks | graph.arcs[nodes[i]][arcs[i]].1);
                if graph.accepts(marks) {
                    out.push((nodes[0], arcs.clone()));
                }
            } else {
                nodes.push(target);
                extend(graph, nodes, arcs, out);
                nodes.pop();
            }
            arcs.pop();
        }
    }
    let mut found = Vec::new();
    let mut starts = graph.initial.clone();
    starts.sort_unstable();
    starts.dedup();
    for start in starts {
        extend(graph, &mut vec![start], &mut Vec::new(), &mut found);
    }
    found.sort_unstable();
    found
}

fn as_indices(lasso: &GraphLasso) -> (usize, Vec<usize>) {
    let hops = lasso.stem.hops.iter().chain(&lasso.cycle);
    let indices = hops.map(|hop| hop.index).collect();
    (lasso.stem.start.index(), indices)
}

#[test]
fn full_search_lists_every_elementary_lasso() {
    let budget = Budget::unlimited();
    let (mut many, mut cut) = (0, 0);
    for seed in 0..6_000 {
        let mut graph = Lists::random(&mut Rng::new(seed));
        if graph.arcs.len() > 5 {
            continue;
        }
        let expected = elementary_lassos(&graph);
        let all = Full::new().all(&mut graph, usize::MAX, &budget);
        let all = all.expect("no limit");
        assert_eq!(all.cut, None, "seed {seed}");
        all.lassos.iter().for_each(|lasso| graph.check_lasso(lasso));
        let is_elementary = |lasso: &&GraphLasso| expected.contains(&as_indices(lasso));
        let listed = all.lassos.iter().filter(is_elementary);
        let mut listed: Vec<_> = listed.map(as_indices).collect();
        listed.sort_unstable();
        assert_eq!(listed, expected, "seed {seed}: {graph:?}");
        assert_eq!(all.lassos.is_empty(), !graph.has_lasso(), "seed {seed}");
        many += u32::from(expected.len() > 5);
        let few = Full::new().all(&mut graph, 3, &budget).expect("no limit");
        few.lassos.iter().for_each(|lasso| graph.check_lasso(lasso));
        assert!(few.lassos.len() <= 3, "seed {seed}");
        assert_eq!(few.lassos.is_empty(), all.lassos.is_empty());
        assert_eq!(
            few.cut.is_some(),
            few.lassos.len() < all.lassos.len(),
            "seed {seed}: {few:?}"
        );
        cut += u32::from(few.cut.is_some());
    }
    assert!(many > 100 && cut > 100, "{many} {cut}");
}

#[test]
fn nearest_first_goes_to_the_goal() {
    // A chain of 100 nodes to the goal; from each, two arcs lead to dead ends that are farther off.
    struct Chain {
        acceptance: Acceptance,
        sets: MarkSets,
        expanded: usize,
    }
    impl Graph for Chain {
        fn acceptance(&self) -> &Acceptance {
            &self.acceptance
        }
        fn mark_sets(&mut self) -> &mut MarkSets {
            &mut self.sets
        }
        fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
            out.push(NodeId::from_index(0));
            Ok(())
        }
        fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
            self.expanded += 1;
            let i = node.index();
            let mut arc = |target: usize| {
                out.push(Arc {
                    target: NodeId::from_index(target),
                    marks: MarkSetId::EMPTY,
                });
            };
            if i < 1000 {
                arc(1000 + 2 * i);
                arc(1001 + 2 * i);
                arc(i + 1);
            }
            Ok(())
        }
        fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
            Ok(node.index() == 100)
        }
        fn distance(&mut self, node: NodeId) -> u32 {
            100_u32.saturating_sub(node.index() as u32) + if node.index() >= 1000 { 200 } else { 0 }
        }
    }
    let mut chain = Chain {
        acceptance: Acceptance::new(),
        sets: MarkSets::new(),
        expanded: 0,
    };
    let found = Reach::ErrDist.search(&mut chain, &Budget::unlimited());
    let path = found.expect("no limit").expect("the goal");
    assert_eq!(path.hops.len(), 100);
    // Each node of the chain once, and once more to tell which arcs the path takes.
    assert_eq!(chain.expanded, 200);
}

#[test]
fn marks_that_only_different_cycles_carry_are_joined() {
    // Two petals round 0, one mark each: only a walk through both is accepting.
    let graph = Lists::new(2, vec![vec![(1, 0), (2, 0)], vec![(0, 1)], vec![(0, 2)]]);
    assert!(graph.has_lasso());
    check_all(&graph, &"two petals");
}

#[test]
fn shortening_finds_the_near_short_loop() {
    // A ring of 40 nodes whose every arc is accepting, with a chord that closes a loop of two.
    let n = 40;
    let mut arcs: Vec<Vec<(usize, u64)>> = (0..n).map(|i| vec![((i + 1) % n, 1)]).collect();
    arcs[5].push((4, 1));
    let mut graph = Lists::new(1, arcs);
    let budget = Budget::unlimited();
    let mut search = Scc::new();
    let lasso = search
        .search(&mut graph, &budget)
        .expect("no limit")
        .expect("the ring");
    let explored = |node| search.is_explored(node);
    let short = shorten(&mut graph, lasso, &explored, &budget).expect("no limit");
    graph.check_lasso(&short);
    assert_eq!((short.stem.hops.len(), short.cycle.len()), (4, 2));
}

#[test]
fn deep_graphs_need_no_recursion_and_limits_stop() {
    let n = 300_000;
    let mut arcs: Vec<Vec<(usize, u64)>> = (0..n).map(|i| vec![((i + 1) % n, 0)]).collect();
    arcs[n - 1][0].1 = 1;
    let mut graph = Lists::new(1, arcs);
    for search in Search::LASSO {
        let mut check = search.emptiness().expect("it looks for lassos");
        let found = check.search(&mut graph, &Budget::unlimited());
        graph.check_lasso(&found.expect("no limit").expect("the ring"));
        let late = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(check.search(&mut graph, &late), Err(Stop::Time), "{search}");
    }
    for search in Search::REACH {
        let late = Budget::unlimited().with_time(Duration::ZERO);
        let reach = search.reach().expect("it looks for goals");
        assert_eq!(reach.search(&mut graph, &late), Err(Stop::Time), "{search}");
        assert_eq!(reach.search(&mut graph, &Budget::unlimited()), Ok(None));
    }
}

#[test]
fn searches_are_found_by_name() {
    for search in Search::ALL {
        assert_eq!(search.name().parse(), Ok(search));
        assert_eq!(search.emptiness().is_none(), search.reach().is_some());
    }
    assert_eq!("NDFS".parse(), Ok(Search::Ndfs));
    assert!("tarjan".parse::<Search>().is_err());
}
