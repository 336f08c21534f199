//! Streett pairs: the searches that support them against a naive twin, and what the others say.

use super::{Lists, as_indices, check_all};
use crate::search::streett::{Part, fair_parts};
use crate::search::whole::Whole;
use crate::search::{EmptinessCheck, Full, Scc, Search};
use crate::{Acceptance, MarkSetId, NodeId, Unsupported};
use lariat_base::{Budget, Id};
use lariat_ltl::Rng;

/// Graphs with up to six pairs and three Büchi marks.
#[test]
fn searches_agree_with_the_definition_under_streett_pairs() {
    let (mut with, mut split, n) = (0, 0, 20_000);
    for seed in 0..n {
        let mut rng = Rng::new(seed);
        let (n_buchi, n_pairs) = (rng.below(4), 1 + rng.below(6));
        let mut graph = Lists::with_acceptance(&mut rng, n_buchi, n_pairs);
        let has_lasso = graph.has_lasso();
        with += u64::from(has_lasso);
        check_all(&graph, &format_args!("seed {seed}"));
        let all = Full::new().all(&mut graph, 4, &Budget::unlimited());
        let lassos = all.expect("no limit").lassos;
        for lasso in &lassos {
            graph.check_lasso(lasso);
        }
        assert_eq!(lassos.is_empty(), !has_lasso, "seed {seed}");
        let whole = Whole::explore(&mut graph, &Budget::unlimited()).expect("no limit");
        let parts = fair_parts(whole.arcs(), &graph.acceptance, &mut graph.sets);
        let needs_split = |part: &Part| part.without != MarkSetId::EMPTY;
        split += u64::from(parts.iter().any(needs_split));
    }
    assert!((n / 5..4 * n / 5).contains(&with), "{with} of {n}");
    assert!(
        split > n / 20,
        "components that must be split: {split} of {n}"
    );
}

#[test]
fn searches_say_what_they_support() {
    let (plain, mut paired) = (Acceptance::new(), Acceptance::new());
    paired.add_streett();
    for search in Search::LASSO {
        let check = search.emptiness().expect("it looks for lassos");
        assert_eq!(check.supports(&plain), Ok(()), "{search}");
        let expected = match search {
            Search::Ndfs | Search::Gdfs => Err(Unsupported::StreettPairs),
            _ => Ok(()),
        };
        assert_eq!(check.supports(&paired), expected, "{search}");
    }
}

#[test]
fn dead_nodes_have_no_lasso_under_streett_pairs() {
    let mut n_dead = 0;
    for seed in 0..2_000 {
        let mut graph = Lists::with_acceptance(&mut Rng::new(seed), 1, 2);
        let mut search = Scc::new();
        let found = search.search(&mut graph, &Budget::unlimited());
        let is_empty = found.expect("no limit").is_none();
        for node in 0..graph.arcs.len() {
            let mut from_here = graph.clone();
            from_here.initial = vec![node];
            let id = NodeId::from_index(node);
            if search.is_dead(id) {
                assert!(!from_here.has_lasso(), "seed {seed}: {node}");
                n_dead += u32::from(!is_empty);
            } else if is_empty {
                assert!(!search.is_explored(id), "seed {seed}: {node}");
            }
        }
    }
    assert!(n_dead > 100, "dead nodes beside a lasso: {n_dead}");
}

/// The pair's request is on the way through both nodes, its response nowhere; the loop at the second node makes no request.
#[test]
fn a_component_that_violates_a_pair_is_split() {
    let (request, response) = (1, 2);
    let mut arcs = vec![vec![(1, request)], vec![(0, 0), (1, 0)]];
    let mut graph = Lists::new(0, arcs.clone());
    graph.acceptance.add_streett();
    check_all(&graph, &"a loop without the request");
    assert!(graph.has_lasso());
    let found = Scc::new().search(&mut graph, &Budget::unlimited());
    let lasso = found.expect("no limit").expect("the loop");
    assert_eq!(as_indices(&lasso), (0, vec![0, 1]));
    // Without that loop every cycle makes the request; with the response on the way back it is answered.
    arcs[1].pop();
    graph.arcs.clone_from(&arcs);
    check_all(&graph, &"an unanswered request");
    assert!(!graph.has_lasso());
    arcs[1][0].1 = response;
    graph.arcs = arcs;
    check_all(&graph, &"an answered request");
    assert!(graph.has_lasso());
}
