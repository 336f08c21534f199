//! The order of the reductions, from a raw tableau to the smallest automaton we can make of it.
//!
//! Clean-up; simulation in both directions, alternated until nothing changes; the minimal weak
//! deterministic automaton if there is one; for Büchi acceptance degeneralisation, tried with
//! several orders of the sets, and simulation again on the result. The smaller wins (states, then
//! edges, then nondeterministic states).
//!
//! Everything is generic in the representation of labels; see `labels`.

use crate::automaton::Acceptance;
use crate::degeneralize::degeneralize;
use crate::graph::Graph;
use crate::labels::Labels;
use crate::limits::TranslateError;
use crate::scc::{MarksOn, Sccs, clean, fatten_marks, thin_marks};
use crate::simulation::{self, Direction};
use crate::translate::{Effort, TranslateConfig};
use crate::wdba;
use lariat_base::{Budget, Stop};

/// Whether a weak deterministic candidate needs a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Obligation {
    /// The formula is syntactically an obligation.
    Known,
    /// Ask.
    Unknown,
    /// The property does not depend on finite prefixes: it is an obligation only if it is trivial.
    Unlikely,
}

/// Whether the candidate, whose language includes the original's, is not larger.
pub(crate) type Verify<'a, A> =
    dyn FnMut(&mut A, &Graph<<A as Labels>::L>) -> Result<bool, TranslateError> + 'a;

/// Reduces `raw` for the acceptance that `config` asks for.
pub(crate) fn reduce<A: Labels>(
    raw: &Graph<A::L>,
    labels: &mut A,
    config: &TranslateConfig,
    obligation: Obligation,
    verify: &mut Verify<'_, A>,
    budget: &Budget,
) -> Result<Graph<A::L>, TranslateError> {
    let steps = &config.steps;
    let cleaned = if steps.scc {
        clean(raw, labels, MarksOn::Edges)
    } else {
        raw.clone()
    };
    let mut small = simulate(cleaned, labels, config, MarksOn::Edges, budget)?;
    if config.effort != Effort::Low && steps.move_marks && simulation::is_feasible(&small) {
        small = with_moved_marks(small, labels, config, budget)?;
    }
    labels.stopped()?;
    let weak = if steps.wdba {
        weak_deterministic(&small, labels, config, obligation, verify, budget)?
    } else {
        None
    };
    let marks_on = match config.acceptance {
        Acceptance::Generalized | Acceptance::Buchi => MarksOn::Edges,
        Acceptance::StateBuchi => MarksOn::States,
    };
    let weak = weak.map(|graph| finish_weak(&graph, labels, marks_on, config.acceptance));
    if let Some(graph) = &weak
        && config.effort == Effort::Deterministic
    {
        return Ok(graph.clone());
    }
    let plain = match config.acceptance {
        Acceptance::Generalized => small,
        Acceptance::Buchi | Acceptance::StateBuchi => {
            single_set(&small, labels, config, marks_on, budget)?
        }
    };
    labels.stopped()?;
    Ok(match weak {
        Some(weak) if cost(&weak, labels) <= cost(&plain, labels) => weak,
        _ => plain,
    })
}

/// What is minimised: states, then edges, then nondeterministic states.
pub(crate) fn cost<A: Labels>(graph: &Graph<A::L>, labels: &mut A) -> (usize, usize, usize) {
    (
        graph.n_states(),
        graph.n_edges(),
        graph.count_nondeterministic(labels),
    )
}

/// Marks can be moved without changing the language; simulation may then see more.
fn with_moved_marks<A: Labels>(
    graph: Graph<A::L>,
    labels: &mut A,
    config: &TranslateConfig,
    budget: &Budget,
) -> Result<Graph<A::L>, Stop> {
    let mut best = graph;
    for move_marks in [thin_marks, fatten_marks] {
        if let Some(mut moved) = move_marks(&best) {
            moved.merge_edges(labels);
            let moved = simulate(moved, labels, config, MarksOn::Edges, budget)?;
            if cost(&moved, labels) < cost(&best, labels) {
                best = moved;
            }
        }
    }
    Ok(best)
}

/// Alternates direct and reverse simulation until neither helps.
fn simulate<A: Labels>(
    graph: Graph<A::L>,
    labels: &mut A,
    config: &TranslateConfig,
    marks_on: MarksOn,
    budget: &Budget,
) -> Result<Graph<A::L>, Stop> {
    let keep = marks_on == MarksOn::States;
    let steps = &config.steps;
    let mut graph = graph;
    loop {
        let size = (graph.n_states(), graph.n_edges());
        if steps.direct_simulation {
            graph = simulation::reduce(&graph, labels, Direction::Direct, keep, budget)?;
        }
        if steps.reverse_simulation && config.effort != Effort::Low {
            graph = simulation::reduce(&graph, labels, Direction::Reverse, keep, budget)?;
        }
        if steps.scc {
            graph = clean(&graph, labels, marks_on);
        }
        if config.effort == Effort::Low || size == (graph.n_states(), graph.n_edges()) {
            return Ok(graph);
        }
    }
}

fn weak_deterministic<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    config: &TranslateConfig,
    obligation: Obligation,
    verify: &mut Verify<'_, A>,
    budget: &Budget,
) -> Result<Option<Graph<A::L>>, TranslateError> {
    /// Larger subset automata are not worth their time.
    const MAX_SUBSETS: usize = 4096;
    const MAX_GUESSED: usize = 256;
    /// Trivial properties that simulation does not see through have small automata.
    const MAX_UNLIKELY: usize = 2;
    let unlikely = obligation == Obligation::Unlikely && graph.n_states() > MAX_UNLIKELY;
    if config.effort == Effort::Low || unlikely {
        return Ok(None);
    }
    let deterministic = graph.is_deterministic(labels);
    if deterministic && !is_weak(graph) {
        // A component with accepting and rejecting cycles of a deterministic automaton refutes it.
        return Ok(None);
    }
    let known = obligation == Obligation::Known || deterministic;
    let max = if known {
        MAX_SUBSETS
    } else {
        MAX_GUESSED.min(8 * graph.n_states() + 16)
    };
    let Some(candidate) = wdba::candidate(graph, labels, max, budget)? else {
        return Ok(None);
    };
    labels.stopped()?;
    if known || verify(labels, &candidate)? {
        Ok(Some(candidate))
    } else {
        Ok(None)
    }
}

/// Whether all edges inside each accepting component carry all marks.
fn is_weak<L: Copy + Eq + Ord>(graph: &Graph<L>) -> bool {
    let sccs = Sccs::new(graph);
    graph.rows.iter().enumerate().all(|(s, row)| {
        let accepting = sccs.accepting[sccs.of[s] as usize];
        !accepting
            || row
                .iter()
                .all(|arc| !sccs.inside(s as u32, arc.target) || arc.marks == graph.all_marks())
    })
}

fn finish_weak<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    marks_on: MarksOn,
    acceptance: Acceptance,
) -> Graph<A::L> {
    let mut out = clean(graph, labels, marks_on);
    if acceptance != Acceptance::Generalized {
        force_one_set(&mut out);
    }
    out
}

/// An automaton without sets accepts everything it can read: mark all edges.
fn force_one_set<L>(graph: &mut Graph<L>) {
    if graph.n_sets == 0 {
        graph.n_sets = 1;
        let arcs = graph.rows.iter_mut().flatten();
        arcs.for_each(|arc| arc.marks = 1);
    }
}

/// Degeneralises with several orders of the sets and keeps the smallest result.
fn single_set<A: Labels>(
    graph: &Graph<A::L>,
    labels: &mut A,
    config: &TranslateConfig,
    marks_on: MarksOn,
    budget: &Budget,
) -> Result<Graph<A::L>, TranslateError> {
    let mut best: Option<Graph<A::L>> = None;
    let mut best_cost = None;
    for order in orders(graph.n_sets, config) {
        let single = degeneralize(graph, labels, &order, marks_on, budget)?;
        let mut single = if config.effort == Effort::Low || !config.steps.buchi_simulation {
            single
        } else {
            simulate(single, labels, config, marks_on, budget)?
        };
        force_one_set(&mut single);
        labels.stopped()?;
        let cost = cost(&single, labels);
        if best_cost.is_none_or(|known| cost < known) {
            best_cost = Some(cost);
            best = Some(single);
        }
    }
    Ok(best.expect("there is at least one order"))
}

/// The orders in which sets are awaited: all of them for few sets, otherwise the rotations.
fn orders(n_sets: u32, config: &TranslateConfig) -> Vec<Vec<u32>> {
    let plain: Vec<u32> = (0..n_sets).collect();
    if config.effort == Effort::Low || !config.steps.set_orders || n_sets < 2 {
        return vec![plain];
    }
    if n_sets <= 3 {
        // Insert each set at every place of the shorter orders.
        let mut orders: Vec<Vec<u32>> = vec![Vec::new()];
        for set in 0..n_sets {
            orders = orders
                .iter()
                .flat_map(|order| {
                    (0..=order.len()).rev().map(move |at| {
                        let mut longer = order.clone();
                        longer.insert(at, set);
                        longer
                    })
                })
                .collect();
        }
        return orders;
    }
    let backwards: Vec<u32> = (0..n_sets).rev().collect();
    vec![plain, backwards]
}
