//! What measures may not do: no proof is accepted of what does not hold, whatever is claimed of measures.
//!
//! For random problems with a counterexample, the graph of all places, honestly marked by what each concrete step does to some
//! random measures, is changed at random. What is left must show a counterexample, or a step that it does not cover.

use super::{MAX_STATES, Next, World, check, has_accepting_cycle, is_shown, random_automaton};
use crate::acceptance::{Acceptance, Mark, MarkSetId, MarkSets, StreettPair};
use crate::proof::{ProofArc, ProofGraph, ProofMeasure, ProofNode};
use crate::rank::tests::random_measures;
use crate::{Goal, NodeId, Problem};
use lariat_base::{Csr, Id as _, IdVec};
use lariat_ltl::StateId;
use lariat_system::{PointId, State};
use lariat_testkit::{RandomSystem, Rng, StateSpace, naive_accepts, random_system, rng};
use rand::Rng as _;
use std::sync::Arc;

/// How often each graph is changed.
const N_CHANGED: usize = 250;
/// Of how many of those without accepting cycle a solver is asked.
const N_ASKED: usize = 5;
/// How many graphs.
const N_GRAPHS: usize = 40;

#[test]
fn no_claim_about_measures_proves_what_does_not_hold() {
    let (mut n_graphs, mut n_hidden, mut n_asked) = (0, 0, 0);
    for seed in 0.. {
        let mut random = rng(seed);
        let RandomSystem {
            mut cx,
            mut system,
            atoms,
        } = random_system(&mut random, 2);
        let Some(space) = StateSpace::explore(&mut cx, &mut *system, MAX_STATES / 8) else {
            continue;
        };
        let automaton = random_automaton(&mut random);
        let letters = space.letters(&cx, &*system, &atoms);
        if space.states.len() < 4 || !naive_accepts(&space, &letters, &automaton) {
            continue;
        }
        let variables = system.variables().to_vec();
        let measures = random_measures(&mut cx.terms, &variables, &space, &mut random);
        let Some(measure) = measures.into_iter().next() else {
            continue;
        };
        let goal = Goal::Accept {
            automaton: Arc::new(automaton),
            atoms,
            formula: None,
        };
        let mut acceptance = Acceptance::new();
        let Goal::Accept { automaton, .. } = &goal else {
            panic!("it is temporal");
        };
        for _ in 0..automaton.n_sets().max(1) {
            acceptance.add_buchi();
        }
        let levels = measure.levels.iter();
        let measure = ProofMeasure {
            pairs: levels.map(|_| acceptance.add_streett()).collect(),
            measure,
        };
        let mut world = World::new(&mut cx, &mut *system, &goal);
        let graph = honest(&mut world, &space, acceptance, measure);
        let why = check(&mut world, &graph, &space, &[]);
        assert_eq!(why, Err("it shows a counterexample".into()), "seed {seed}");
        let mut hidden = Vec::new();
        for n in 0..N_CHANGED {
            let changed = change(&graph, &mut random);
            let is_accepted = check(&mut world, &changed, &space, &[]).is_ok();
            assert!(!is_accepted, "seed {seed}, change {n}");
            if !has_accepting_cycle(&changed) {
                hidden.push(changed);
            }
        }
        n_hidden += hidden.len();
        let mut problem = Problem { system, goal };
        for changed in hidden.iter().take(N_ASKED) {
            let is_shown = is_shown(&mut cx, &mut problem, changed);
            assert_ne!(is_shown, Some(true), "seed {seed}: {changed:?}");
            n_asked += usize::from(is_shown.is_some());
        }
        n_graphs += 1;
        if n_graphs == N_GRAPHS {
            break;
        }
    }
    assert!(
        n_hidden > 500 && n_asked > 50,
        "changes that hide the counterexample: {n_hidden}, {n_asked} shown to a solver"
    );
}

/// A node for each location and state of the reader, with an arc for all that a step can do.
fn honest(
    world: &mut World,
    space: &StateSpace,
    acceptance: Acceptance,
    measure: ProofMeasure,
) -> ProofGraph {
    let mut sets = MarkSets::new();
    let mut places: Vec<(PointId, StateId)> = Vec::new();
    let mut rows: Vec<Vec<ProofArc>> = Vec::new();
    let start = world.start();
    let mut arcs_of = |world: &mut World, from: Option<&State>, reader, places: &mut Vec<_>| {
        let mut arcs = Vec::new();
        for next in world.steps(from).iter() {
            for (reader, read) in world.read(reader, next) {
                let place = (next.state.loc, reader);
                let known = places.iter().position(|&known| known == place);
                let target = known.unwrap_or_else(|| {
                    places.push(place);
                    places.len() - 1
                });
                let buchi = acceptance.buchi().iter().enumerate();
                let buchi = buchi.filter(|(i, _)| read >> i & 1 == 1);
                let mut marks: Vec<Mark> = buchi.map(|(_, &mark)| mark).collect();
                if let Some(from) = from {
                    marks.extend(judge(world, &measure, from, next));
                }
                arcs.push(ProofArc {
                    edge: next.edge as u32,
                    target: NodeId::from_index(target),
                    marks: sets.of(marks),
                });
            }
        }
        arcs.sort_unstable_by_key(|arc| (arc.edge, arc.target, arc.marks));
        arcs.dedup();
        arcs
    };
    let initial = arcs_of(world, None, start, &mut places);
    while let Some(&(at, reader)) = places.get(rows.len()) {
        let mut row = Vec::new();
        for state in space.states.iter().filter(|state| state.loc == at) {
            row.extend(arcs_of(world, Some(state), reader, &mut places));
        }
        rows.push(row);
    }
    let truth = world.cx.terms.true_();
    let mut nodes = IdVec::new();
    for (location, reader) in places {
        nodes.push(ProofNode {
            location,
            reader: Some(reader),
            formula: truth,
        });
    }
    ProofGraph {
        nodes,
        initial,
        arcs: csr(&rows),
        acceptance,
        mark_sets: sets,
        measures: vec![measure],
    }
}

/// The marks of what a step does to a measure.
fn judge(world: &mut World, known: &ProofMeasure, from: &State, next: &Next) -> Vec<Mark> {
    let (mut marks, mut kept) = (Vec::new(), true);
    for (level, pair) in known.measure.levels.iter().zip(&known.pairs) {
        let before = world.number(level.at(from.loc), from);
        let after = world.number(level.at(next.state.loc), &next.state);
        let (falls, rises) = (before >= 0 && after < before, after >= 0 && after > before);
        if !kept || rises {
            marks.push(pair.response);
        } else if falls {
            marks.push(pair.request);
        }
        kept &= !falls && !rises;
    }
    marks
}

fn csr(rows: &[Vec<ProofArc>]) -> Csr<NodeId, ProofArc> {
    let arcs = rows.iter().enumerate();
    let arcs = arcs.flat_map(|(i, row)| row.iter().map(move |&arc| (NodeId::from_index(i), arc)));
    Csr::from_pairs(rows.len(), arcs.collect())
}

/// A few changes of arcs, marks and measures.
fn change(graph: &ProofGraph, random: &mut Rng) -> ProofGraph {
    let mut changed = graph.clone();
    let mut rows: Vec<Vec<ProofArc>> = graph.arcs.rows().map(|(_, row)| row.to_vec()).collect();
    for _ in 0..random.random_range(1..4) {
        let row = random.random_range(0..rows.len());
        let pairs = &graph.measures[0].pairs;
        let pair = pairs[random.random_range(0..pairs.len())];
        let sets = &mut changed.mark_sets;
        match random.random_range(0..6) {
            0 if !rows[row].is_empty() => {
                let arc = random.random_range(0..rows[row].len());
                rows[row].remove(arc);
            }
            1 if !rows[row].is_empty() => {
                let (arc, claim) = (random.random_range(0..rows[row].len()), random.random());
                let arc = &mut rows[row][arc];
                arc.marks = claimed(sets, &graph.acceptance, arc.marks, pair, claim);
            }
            2 if !rows[row].is_empty() => {
                let arc = random.random_range(0..rows[row].len());
                rows[row][arc].target = NodeId::from_index(random.random_range(0..rows.len()));
            }
            // Everything decreases, from some nodes or from all.
            3 | 4 => {
                let everywhere = random.random();
                for row in &mut rows {
                    if everywhere || random.random() {
                        for arc in row {
                            arc.marks = claimed(sets, &graph.acceptance, arc.marks, pair, true);
                        }
                    }
                }
            }
            _ => {
                let levels = &mut changed.measures[0].measure.levels;
                let n = levels.len();
                levels.swap(0, random.random_range(0..n));
                let (from, to) = (random.random_range(0..n), random.random_range(0..n));
                levels[to] = levels[from].clone();
            }
        }
    }
    changed.arcs = csr(&rows);
    changed
}

/// Marks without those of a pair, with its request if that is claimed.
fn claimed(
    sets: &mut MarkSets,
    acceptance: &Acceptance,
    marks: MarkSetId,
    pair: StreettPair,
    is_requested: bool,
) -> MarkSetId {
    let pairs = acceptance.streett().iter();
    let all = pairs.flat_map(|pair| [pair.request, pair.response]);
    let all = all.chain(acceptance.buchi().iter().copied());
    let is_left = |&mark: &Mark| mark != pair.request && mark != pair.response;
    let left = all
        .filter(is_left)
        .filter(|&mark| sets.contains(marks, mark));
    let left: Vec<Mark> = left.chain(is_requested.then_some(pair.request)).collect();
    sets.of(left)
}
