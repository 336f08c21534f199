//! Why a property holds, as data: the abstract state graph that was exhausted, and what is known at each location.

use super::measures::plain_term;
use super::unknown::shortened;
use crate::model::Model;
use crate::task::Proved;
use lariat_base::{FxHashMap, Id as _};
use lariat_check::{Proof, ProofGraph, Subtracted};
use lariat_expr::{Op, TermId, Terms, Value};
use lariat_ltl::StateId;
use lariat_system::{PointId, TransitionSystem as _};
use serde::Serialize;

/// Graphs with more states are told by location only.
const MAX_NODES: usize = 120;
const MAX_ARCS: usize = 600;
/// So many locations are told, and so many facts of each.
const MAX_LOCATIONS: usize = 200;
const MAX_FACTS: usize = 40;

/// What a proof rests on.
#[derive(Clone, Debug, Serialize)]
pub struct ProofReport {
    /// `graph`: abstract states; `states`: all states were listed; `words`: sets of runs were subtracted.
    pub kind: &'static str,
    /// How many states there are of the product with the property.
    pub n_states: u64,
    /// The abstract states, unless they are very many.
    pub nodes: Vec<ProofNodeReport>,
    /// The nodes that runs start in.
    pub initial: Vec<usize>,
    /// The steps between nodes.
    pub arcs: Vec<(usize, usize)>,
    /// What is known at each location.
    pub locations: Vec<LocationReport>,
    /// The facts of each set of runs that was subtracted because they exclude a step (`words`).
    pub excluded: Vec<Vec<String>>,
    /// Whether there are more locations, or more known of them, than is told.
    pub cut: bool,
}

/// An abstract state.
#[derive(Clone, Debug, Serialize)]
pub struct ProofNodeReport {
    /// The place in the model.
    pub location: String,
    /// The state of the property's automaton.
    pub automaton_state: Option<usize>,
    /// What is true of the variables.
    pub formula: String,
}

/// What is tracked at a location.
#[derive(Clone, Debug, Serialize)]
pub struct LocationReport {
    /// The place in the model.
    pub location: String,
    /// How many abstract states are there.
    pub n_nodes: usize,
    /// What the states there say of the variables: conjuncts, each once.
    pub facts: Vec<String>,
}

impl ProofReport {
    /// What a proof rests on.
    pub fn new(proved: &Proved) -> Self {
        match &proved.proof {
            Proof::States(n_states) => Self::empty("states", *n_states),
            Proof::Graph(graph) => Self::of_graph(&proved.cx.terms, &proved.model, graph),
            Proof::Words {
                n_states,
                subtracted,
            } => Self::of_words(&proved.cx.terms, *n_states, subtracted),
        }
    }

    fn empty(kind: &'static str, n_states: u64) -> Self {
        Self {
            kind,
            n_states,
            nodes: Vec::new(),
            initial: Vec::new(),
            arcs: Vec::new(),
            locations: Vec::new(),
            excluded: Vec::new(),
            cut: false,
        }
    }

    fn of_words(terms: &Terms, n_states: u64, subtracted: &[Subtracted]) -> Self {
        let mut report = Self::empty("words", n_states);
        for set in subtracted {
            let Subtracted::Infeasible(facts) = set else {
                continue;
            };
            if report.excluded.len() == MAX_LOCATIONS || facts.len() > MAX_FACTS {
                report.cut = true;
                continue;
            }
            let facts = facts.iter().map(|&term| fact(terms, term));
            report.excluded.push(facts.collect());
        }
        report
    }

    fn of_graph(terms: &Terms, model: &Model, graph: &ProofGraph) -> Self {
        let mut report = Self::empty("graph", graph.nodes.len() as u64);
        let mut arcs: Vec<(usize, usize)> = Vec::new();
        for (from, row) in graph.arcs.rows() {
            arcs.extend(row.iter().map(|arc| (from.index(), arc.target.index())));
        }
        arcs.sort_unstable();
        arcs.dedup();
        if graph.nodes.len() <= MAX_NODES && arcs.len() <= MAX_ARCS {
            report.nodes = (graph.nodes.iter())
                .map(|node| ProofNodeReport {
                    location: model.location_name(node.location),
                    automaton_state: node.reader.map(StateId::index),
                    formula: fact(terms, node.formula),
                })
                .collect();
            report.initial = graph.initial.iter().map(|arc| arc.target.index()).collect();
            report.initial.sort_unstable();
            report.initial.dedup();
            report.arcs = arcs;
        }
        (report.locations, report.cut) = locations(terms, model, graph);
        report
    }
}

/// What is known at each location, and whether there is more than is told.
fn locations(terms: &Terms, model: &Model, graph: &ProofGraph) -> (Vec<LocationReport>, bool) {
    let mut by_location: Vec<(PointId, usize, Vec<TermId>)> = Vec::new();
    let mut place: FxHashMap<PointId, usize> = FxHashMap::default();
    for node in &graph.nodes {
        let at = *place.entry(node.location).or_insert_with(|| {
            by_location.push((node.location, 0, Vec::new()));
            by_location.len() - 1
        });
        let (_, n_nodes, facts) = &mut by_location[at];
        *n_nodes += 1;
        for fact in conjuncts(terms, node.formula) {
            if facts.len() <= MAX_FACTS && !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    let cut = by_location.len() > MAX_LOCATIONS
        || by_location
            .iter()
            .any(|(.., facts)| facts.len() > MAX_FACTS);
    let told = by_location.into_iter().take(MAX_LOCATIONS);
    let told = told.map(|(at, n_nodes, facts)| LocationReport {
        location: model.location_name(at),
        n_nodes,
        facts: (facts.iter().take(MAX_FACTS))
            .map(|&term| fact(terms, term))
            .collect(),
    });
    (told.collect(), cut)
}

/// The parts of a conjunction; none of `true`.
fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    match terms.as_op(term, Op::And) {
        Some(parts) => parts.to_vec(),
        None if terms.as_lit(term) == Some(&Value::Bool(true)) => Vec::new(),
        None => vec![term],
    }
}

fn fact(terms: &Terms, term: TermId) -> String {
    shortened(&plain_term(terms, term))
}
