//! Decides the properties of a small circuit from their definition, by listing all states with all inputs.

use std::collections::{BTreeMap, BTreeSet};

/// What happens in one step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The state after it.
    pub next: u64,
    /// Whether all constraints are met in it.
    pub allowed: bool,
    /// The bad states that it is in.
    pub bad: Vec<bool>,
    /// For each justice property, which of its conditions are true.
    pub justice: Vec<Vec<bool>>,
    /// Which fairness conditions are true.
    pub fair: Vec<bool>,
}

/// A circuit whose states and inputs are numbered by their bits.
pub trait NaiveCircuit {
    /// The states in which it may start.
    fn initial(&self) -> Vec<u64>;
    /// How many different inputs a step has.
    fn n_inputs(&self) -> u64;
    /// One step.
    fn step(&self, state: u64, input: u64) -> Step;
}

type Node = (u64, u64);

/// The steps that a run can come to, all constraints met up to and in them.
fn reachable(circuit: &impl NaiveCircuit) -> BTreeMap<Node, Step> {
    let mut steps = BTreeMap::new();
    let mut todo = circuit.initial();
    let mut seen: BTreeSet<u64> = todo.iter().copied().collect();
    while let Some(state) = todo.pop() {
        for input in 0..circuit.n_inputs() {
            let step = circuit.step(state, input);
            if !step.allowed {
                continue;
            }
            if seen.insert(step.next) {
                todo.push(step.next);
            }
            steps.insert((state, input), step);
        }
    }
    steps
}

/// Whether some run comes to a bad state.
pub fn bad_is_reachable(circuit: &impl NaiveCircuit, bad: usize) -> bool {
    reachable(circuit).values().any(|step| step.bad[bad])
}

/// Whether some infinite run is fair and makes all conditions of a justice property true again and again.
///
/// There is one exactly if some step lies on a round, and each condition is true in a step of its strongly connected
/// component: the component is found from the sets of steps that each step leads to.
pub fn justice_is_possible(circuit: &impl NaiveCircuit, property: usize) -> bool {
    let steps = reachable(circuit);
    let conditions = |step: &Step| -> Vec<bool> {
        let own = step.justice[property].iter().chain(&step.fair);
        own.copied().collect()
    };
    let successors = |step: &Step| -> Vec<Node> {
        let next = step.next;
        let all = steps.range((next, 0)..=(next, u64::MAX));
        all.map(|(node, _)| *node).collect()
    };
    let forward: BTreeMap<Node, BTreeSet<Node>> = steps
        .iter()
        .map(|(&node, step)| {
            let mut seen: BTreeSet<Node> = BTreeSet::new();
            let mut todo = successors(step);
            while let Some(node) = todo.pop() {
                if seen.insert(node) {
                    todo.extend(successors(&steps[&node]));
                }
            }
            (node, seen)
        })
        .collect();
    steps.keys().any(|node| {
        let component = forward[node]
            .iter()
            .filter(|other| forward[other].contains(node));
        let met: Vec<Vec<bool>> = component.map(|other| conditions(&steps[other])).collect();
        let n = conditions(&steps[node]).len();
        forward[node].contains(node) && (0..n).all(|i| met.iter().any(|met| met[i]))
    })
}
