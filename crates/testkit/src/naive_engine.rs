//! Naive twins of the engines: the definitions, as directly as a program can follow them.
//!
//! [`naive_accepts`] lists all states with the reference interpreter, multiplies them with an
//! automaton and takes the greatest set of nodes from which every acceptance set can be met again
//! inside the set (Emerson and Lei's fixpoint): no depth-first search, no components, no packing.
//! [`naive_lasso`] knows no automaton at all: it walks every lasso of the model that visits no state
//! too often and evaluates the formula on its word. It cannot show that a property holds (some
//! counterexamples are longer), but what it finds is a counterexample.

use lariat_expr::{Evaluator, TermId};
use lariat_ltl::{ApId, Automaton, FormulaId, Formulas, LassoWord, StateId, satisfies};
use lariat_system::{
    Context, Fairness, Limits, LocId, State, TransitionSystem, Valuation, successors,
};
use std::collections::{HashMap, VecDeque};

/// All states of a system and the steps between them.
pub struct StateSpace {
    /// The states.
    pub states: Vec<State>,
    /// For each initial step: its state and whether it is observed.
    pub initial: Vec<(usize, bool)>,
    /// For each state its steps: the state after and whether it is observed.
    pub steps: Vec<Vec<(usize, bool)>>,
}

impl StateSpace {
    /// Lists the states; none if there are more than `max` or not every step can be listed.
    pub fn explore(
        cx: &mut Context,
        system: &mut dyn TransitionSystem,
        max: usize,
    ) -> Option<Self> {
        let mut known: HashMap<State, usize> = HashMap::new();
        let mut space = Self {
            states: Vec::new(),
            initial: Vec::new(),
            steps: Vec::new(),
        };
        space.initial = space.list(cx, system, None, &mut known)?;
        while space.steps.len() < space.states.len() {
            if space.states.len() > max {
                return None;
            }
            let state = space.states[space.steps.len()].clone();
            let steps = space.list(cx, system, Some(&state), &mut known)?;
            space.steps.push(steps);
        }
        Some(space)
    }

    fn list(
        &mut self,
        cx: &mut Context,
        system: &mut dyn TransitionSystem,
        from: Option<&State>,
        known: &mut HashMap<State, usize>,
    ) -> Option<Vec<(usize, bool)>> {
        let found = successors(cx, system, from, &Limits::default());
        if found.more.is_some() {
            return None;
        }
        let edges = match from {
            None => system.initial(),
            Some(state) => system.edges(state.loc),
        };
        let mut steps = Vec::new();
        for step in found.steps {
            let observed = edges[step.edge].observed;
            let id = *known.entry(step.state.clone()).or_insert_with(|| {
                self.states.push(step.state);
                self.states.len() - 1
            });
            steps.push((id, observed));
        }
        Some(steps)
    }

    /// The truth of the atoms in each state, as bits.
    pub fn letters(
        &self,
        cx: &Context,
        system: &dyn TransitionSystem,
        atoms: &[TermId],
    ) -> Vec<u64> {
        let letter = |state: &State| {
            let mut env = Valuation::new();
            state.load(system.variables(), &mut env);
            let truth = |(i, &atom)| {
                let value = Evaluator::new().eval(&cx.terms, atom, &env);
                u64::from(value.expect("all variables have values").as_bool()) << i
            };
            atoms.iter().enumerate().map(truth).sum()
        };
        self.states.iter().map(letter).collect()
    }

    /// The truth of fairness constraints in each state.
    pub fn fairness(&self, cx: &Context, system: &dyn TransitionSystem) -> Vec<FairTruth> {
        let truths = |term: TermId| -> Vec<bool> {
            let letters = self.letters(cx, system, &[term]);
            letters.into_iter().map(|letter| letter == 1).collect()
        };
        let constraints = system.fairness().iter();
        constraints
            .map(|constraint| match *constraint {
                Fairness::Justice(term) => FairTruth::Justice(truths(term)),
                Fairness::Compassion(request, response) => {
                    FairTruth::Compassion(truths(request), truths(response))
                }
            })
            .collect()
    }

    /// Whether a state can be reached that is bad: at one of these locations of leaves, or observed
    /// with a letter that is 1.
    pub fn reaches(
        &self,
        system: &dyn TransitionSystem,
        letters: &[u64],
        at: &[(usize, LocId)],
    ) -> bool {
        let here = |state: usize| {
            let loc = self.states[state].loc;
            at.iter()
                .any(|&(leaf, bad)| system.leaf_location(loc, leaf) == bad)
        };
        let mut entered = self.initial.iter().chain(self.steps.iter().flatten());
        entered.any(|&(state, observed)| here(state) || (observed && letters[state] == 1))
    }
}

/// Whether the automaton accepts the word of some infinite run. Bit `i` of a letter is its atom `i`.
pub fn naive_accepts(space: &StateSpace, letters: &[u64], automaton: &Automaton) -> bool {
    naive_fair_accepts(space, letters, automaton, &[])
}

/// A fairness constraint by the truth of its terms in each state.
#[derive(Clone, Debug)]
pub enum FairTruth {
    /// Where it is true.
    Justice(Vec<bool>),
    /// Where the first term is true, and where the second.
    Compassion(Vec<bool>, Vec<bool>),
}

/// Whether the automaton accepts the word of some fair infinite run.
///
/// A run meets a compassion constraint if it meets its request finitely often, or its response infinitely often. So each
/// choice of one of the two for all constraints is tried: in the long run, no arc with a request of the first kind is taken.
pub fn naive_fair_accepts(
    space: &StateSpace,
    letters: &[u64],
    automaton: &Automaton,
    fairness: &[FairTruth],
) -> bool {
    let mut product = Product {
        ids: HashMap::new(),
        todo: VecDeque::new(),
    };
    for &(state, observed) in &space.initial {
        for (at, _) in read(automaton, automaton.initial(), observed, letters[state]) {
            product.id((state, at));
        }
    }
    // Two marks for each constraint: true, or request and response.
    let mark = |constraint: usize, which: usize| FIRST_FAIR << (2 * constraint + which);
    let fair_marks = |state: usize| {
        let marks = fairness.iter().enumerate().map(|(i, truth)| match truth {
            FairTruth::Justice(term) => u128::from(term[state]) * mark(i, 1),
            FairTruth::Compassion(request, response) => {
                let [request, response] = [request, response].map(|term| u128::from(term[state]));
                request * mark(i, 0) + response * mark(i, 1)
            }
        });
        marks.fold(0, |all, marks| all | marks)
    };
    let mut arcs: Vec<Vec<(usize, u128)>> = Vec::new();
    while let Some((state, at)) = product.todo.pop_front() {
        let mut row = Vec::new();
        for &(target, observed) in &space.steps[state] {
            let fair = if observed { fair_marks(target) } else { 0 };
            for (next, marks) in read(automaton, at, observed, letters[target]) {
                row.push((product.id((target, next)), marks | fair));
            }
        }
        arcs.push(row);
    }
    (0..1 << fairness.len()).any(|choice: u32| {
        let mut sets: Vec<u128> = (0..automaton.n_sets()).map(|set| 1 << set).collect();
        sets.push(READING);
        let mut refused = 0;
        for (i, truth) in fairness.iter().enumerate() {
            match truth {
                FairTruth::Compassion(..) if choice >> i & 1 == 1 => refused |= mark(i, 0),
                _ => sets.push(mark(i, 1)),
            }
        }
        let taken = |row: &Vec<(usize, u128)>| {
            let row = row.iter().copied();
            row.filter(|&(_, marks)| marks & refused == 0).collect()
        };
        let left: Vec<Vec<(usize, u128)>> = arcs.iter().map(taken).collect();
        greatest_fair_set(&left, &sets)
    })
}

struct Product {
    ids: HashMap<(usize, StateId), usize>,
    todo: VecDeque<(usize, StateId)>,
}

impl Product {
    fn id(&mut self, node: (usize, StateId)) -> usize {
        let new = self.ids.len();
        let id = *self.ids.entry(node).or_insert(new);
        if id == new {
            self.todo.push_back(node);
        }
        id
    }
}

/// The mark of arcs that read a letter: an infinite run of the automaton reads infinitely often.
const READING: u128 = 1 << 64;
/// The marks of fairness constraints are from here on.
const FIRST_FAIR: u128 = 1 << 65;

fn read(automaton: &Automaton, at: StateId, observed: bool, letter: u64) -> Vec<(StateId, u128)> {
    if !observed {
        return vec![(at, 0)];
    }
    let edges = automaton.edges(at).iter();
    edges
        .filter(|edge| automaton.holds(edge.label, letter))
        .map(|edge| (edge.target, u128::from(edge.marks) | READING))
        .collect()
}

/// Whether some nodes can, for every set, reach an arc of that set again and again without leaving.
fn greatest_fair_set(arcs: &[Vec<(usize, u128)>], sets: &[u128]) -> bool {
    let mut inside = vec![true; arcs.len()];
    loop {
        let before = inside.clone();
        for &set in sets {
            // The nodes inside from which a path inside leads to an arc of the set.
            let mut good = vec![false; arcs.len()];
            loop {
                let mut changed = false;
                for node in (0..arcs.len()).filter(|&node| inside[node]) {
                    let leads =
                        |&(to, marks): &(usize, u128)| inside[to] && (marks & set != 0 || good[to]);
                    if !good[node] && arcs[node].iter().any(leads) {
                        good[node] = true;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
            inside = good;
        }
        if inside == before {
            return inside.contains(&true);
        }
    }
}

/// Looks for a lasso of the model whose word violates `formula`, among those that visit no state more
/// than `visits` times, giving up after `max` steps. Bit `i` of a letter is atom `i` of `aps`.
pub fn naive_lasso(
    space: &StateSpace,
    (aps, letters): (&[ApId], &[u64]),
    (formulas, formula): (&Formulas, FormulaId),
    visits: usize,
    max: usize,
) -> Option<LassoWord> {
    let mut fuel = max;
    for &(start, observed) in &space.initial {
        let mut path = vec![(start, observed)];
        // The position of the next step to try, for each state of the path.
        let mut next = vec![0];
        while let Some(&(state, _)) = path.last() {
            fuel = fuel.checked_sub(1)?;
            let at = next.last_mut().expect("as long as the path");
            let Some(&(target, observed)) = space.steps[state].get(*at) else {
                path.pop();
                next.pop();
                continue;
            };
            *at += 1;
            path.push((target, observed));
            for honda in (0..path.len() - 1).filter(|&i| path[i].0 == target) {
                let read = |part: &[(usize, bool)]| -> Vec<u64> {
                    let observed = part.iter().filter(|step| step.1);
                    observed.map(|step| letters[step.0]).collect()
                };
                let (stem, cycle) = (read(&path[..=honda]), read(&path[honda + 1..]));
                if let Some(word) = LassoWord::new(aps.to_vec(), stem, cycle)
                    && !satisfies(formulas, &word, formula)
                {
                    return Some(word);
                }
            }
            if path.iter().filter(|step| step.0 == target).count() > visits {
                path.pop();
            } else {
                next.push(0);
            }
        }
    }
    None
}
