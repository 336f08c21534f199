//! Decides the properties of a small model from their definition, by listing its states.
//!
//! An LTL formula is read in states and the steps that leave them. The graph that is searched has a node for every step with a guess of
//! what the formula's operators say of the future (each guess is checked by the next step) and a memory of what they said of the past
//! (Clarke, Grumberg and Hamaguchi's tableau). A fair run that makes the formula false is a path on which every `U` is
//! fulfilled: Emerson and Lei's fixpoint, once for each choice of how compassion is met.

use super::eval::Fault;
use super::flat::Flat;
use super::space::{Space, Step, explore, in_state, is_illegal};
use super::tree::{Binary, Expr, Formula, Member, Role, SmvModel, truth};
use std::collections::{BTreeSet, HashMap};

/// A property and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmvProperty {
    /// Its name, as the front end gives it: `ltl0`, `inv1`.
    pub name: String,
    /// Whether it is violated; nothing if it reads what is undefined, or if that would take too long.
    pub is_violated: Option<bool>,
}

/// Larger graphs are not searched.
const MAX_NODES: usize = 40_000;

/// The properties of a model; nothing if the language forbids the model for what its values can be.
pub fn decide_smv(model: &SmvModel) -> Option<Vec<SmvProperty>> {
    let flat = Flat::new(model);
    if is_illegal(&flat) {
        return None;
    }
    let space = explore(&flat);
    let (mut n_ltl, mut n_invariants) = (0, 0);
    let mut properties = Vec::new();
    for &(instance, member) in flat.members.iter().filter(|(instance, _)| *instance == 0) {
        let (kind, count, is_violated) = match member {
            Member::Ltl(formula) => (
                "ltl",
                &mut n_ltl,
                is_refuted(&flat, &space, instance, formula),
            ),
            Member::Invariant(of) => (
                "inv",
                &mut n_invariants,
                is_broken(&flat, &space, instance, of),
            ),
            _ => continue,
        };
        properties.push(SmvProperty {
            name: format!("{kind}{count}"),
            is_violated: is_violated.ok().flatten(),
        });
        *count += 1;
    }
    Some(properties)
}

/// Whether an invariant is false in a state or, if it reads steps, in a step.
fn is_broken(
    flat: &Flat,
    space: &Space,
    instance: usize,
    of: &Expr,
) -> Result<Option<bool>, Fault> {
    let mut in_states = false;
    for state in &space.states {
        match flat.truth(instance, of, in_state(state)) {
            Err(Fault::ReadsInput | Fault::ReadsNext) => {}
            other => in_states |= !other?,
        }
    }
    let mut in_steps = false;
    for step in &space.steps {
        in_steps |= !flat.truth(instance, of, step.env())?;
    }
    let mentions_step = flat
        .reads(instance, of)
        .iter()
        .any(|&(variable, primed)| primed || flat.variables[variable].role == Role::Input);
    Ok(match (mentions_step, in_states, in_steps) {
        (false, broken, _) => Some(broken),
        // In a state without a step, what it says without reading one may count or not.
        (true, true, false) => None,
        (true, _, broken) => Some(broken),
    })
}

/// A formula in few operators, inner parts first. Guesses and memories are bits.
enum Part {
    Atom(usize),
    Not(usize),
    And(usize, usize),
    /// What a part says of the next position, by a guess.
    Next(usize, u32),
    /// The second, or the first and the guess that all of it is true at the next position.
    Until(usize, usize, u32),
    /// What a part said of the position before, by a memory.
    Before(usize, u32),
    Since(usize, usize, u32),
}

#[derive(Default)]
struct Parts<'f> {
    all: Vec<Part>,
    atoms: Vec<&'f Expr>,
    n_guesses: u32,
    n_memories: u32,
}

impl<'f> Parts<'f> {
    fn add(&mut self, part: Part) -> usize {
        self.all.push(part);
        self.all.len() - 1
    }

    fn not(&mut self, of: usize) -> usize {
        self.add(Part::Not(of))
    }

    fn or(&mut self, left: usize, right: usize) -> usize {
        let (left, right) = (self.not(left), self.not(right));
        let both = self.add(Part::And(left, right));
        self.not(both)
    }

    /// `X` or `Y`.
    fn shifted(&mut self, is_past: bool, of: usize) -> usize {
        let counter = if is_past {
            &mut self.n_memories
        } else {
            &mut self.n_guesses
        };
        *counter += 1;
        let bit = *counter - 1;
        self.add(if is_past {
            Part::Before(of, bit)
        } else {
            Part::Next(of, bit)
        })
    }

    /// `U` or `S`.
    fn lasting(&mut self, is_past: bool, left: usize, right: usize) -> usize {
        let counter = if is_past {
            &mut self.n_memories
        } else {
            &mut self.n_guesses
        };
        *counter += 1;
        let bit = *counter - 1;
        self.add(if is_past {
            Part::Since(left, right, bit)
        } else {
            Part::Until(left, right, bit)
        })
    }

    fn formula(&mut self, formula: &'f Formula, yes: &'f Expr) -> usize {
        match formula {
            Formula::Atom(expr) => {
                self.atoms.push(expr);
                self.add(Part::Atom(self.atoms.len() - 1))
            }
            Formula::Not(of) => {
                let of = self.formula(of, yes);
                self.not(of)
            }
            Formula::Logic(operator, left, right) => {
                let (left, right) = (self.formula(left, yes), self.formula(right, yes));
                match operator {
                    Binary::And => self.add(Part::And(left, right)),
                    Binary::Or => self.or(left, right),
                    Binary::Implies => {
                        let not = self.not(left);
                        self.or(not, right)
                    }
                    _ => {
                        let both = self.add(Part::And(left, right));
                        let (not_left, not_right) = (self.not(left), self.not(right));
                        let neither = self.add(Part::And(not_left, not_right));
                        let equal = self.or(both, neither);
                        if *operator == Binary::Xor {
                            self.not(equal)
                        } else {
                            equal
                        }
                    }
                }
            }
            Formula::Unary(operator, bounds, of) => {
                let of = self.formula(of, yes);
                self.unary(*operator, *bounds, of, yes)
            }
            Formula::Binary(operator, left, right) => {
                let (left, right) = (self.formula(left, yes), self.formula(right, yes));
                let is_past = matches!(operator, 'S' | 'T');
                if matches!(operator, 'U' | 'S') {
                    return self.lasting(is_past, left, right);
                }
                // The dual.
                let (left, right) = (self.not(left), self.not(right));
                let dual = self.lasting(is_past, left, right);
                self.not(dual)
            }
        }
    }

    fn unary(
        &mut self,
        operator: char,
        bounds: Option<(u32, u32)>,
        of: usize,
        yes: &'f Expr,
    ) -> usize {
        // `G`, `H` and `Z` say that the negation is never so.
        let (is_dual, operator) = match operator {
            'G' => (true, 'F'),
            'H' => (true, 'O'),
            'Z' => (true, 'Y'),
            other => (false, other),
        };
        let of = if is_dual { self.not(of) } else { of };
        let is_past = matches!(operator, 'O' | 'Y');
        let part = match (operator, bounds) {
            ('X' | 'Y', _) => self.shifted(is_past, of),
            (_, None) => {
                self.atoms.push(yes);
                let yes = self.add(Part::Atom(self.atoms.len() - 1));
                self.lasting(is_past, yes, of)
            }
            (_, Some((low, high))) => {
                let mut at = of;
                for _ in 0..low {
                    at = self.shifted(is_past, at);
                }
                let mut any = at;
                for _ in low..high {
                    at = self.shifted(is_past, at);
                    any = self.or(any, at);
                }
                any
            }
        };
        if is_dual { self.not(part) } else { part }
    }

    /// The truth of all parts in a step.
    fn values(&self, letter: u64, guesses: u32, memories: u32) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.all.len());
        for part in &self.all {
            let bit = |bits: u32, at: u32| bits >> at & 1 == 1;
            let value = match *part {
                Part::Atom(at) => letter >> at & 1 == 1,
                Part::Not(of) => !values[of],
                Part::And(left, right) => values[left] && values[right],
                Part::Next(_, at) => bit(guesses, at),
                Part::Until(left, right, at) => values[right] || values[left] && bit(guesses, at),
                Part::Before(_, at) => bit(memories, at),
                Part::Since(left, right, at) => values[right] || values[left] && bit(memories, at),
            };
            values.push(value);
        }
        values
    }

    /// The guesses that would have been right of this position.
    fn guessed(&self, values: &[bool]) -> u32 {
        let parts = self.all.iter().enumerate();
        let bits = parts.map(|(at, part)| match *part {
            Part::Next(of, bit) => u32::from(values[of]) << bit,
            Part::Until(_, _, bit) => u32::from(values[at]) << bit,
            _ => 0,
        });
        bits.sum()
    }

    /// What is remembered of this position.
    fn remembered(&self, values: &[bool]) -> u32 {
        let parts = self.all.iter().enumerate();
        let bits = parts.map(|(at, part)| match *part {
            Part::Before(of, bit) => u32::from(values[of]) << bit,
            Part::Since(_, _, bit) => u32::from(values[at]) << bit,
            _ => 0,
        });
        bits.sum()
    }

    /// For each `U`, that it is not waiting here.
    fn fulfilled(&self, values: &[bool]) -> u64 {
        let parts = self.all.iter().enumerate();
        let bits = parts.map(|(at, part)| match *part {
            Part::Until(_, right, bit) => u64::from(values[right] || !values[at]) << bit,
            _ => 0,
        });
        bits.sum()
    }

    fn untils(&self) -> impl Iterator<Item = u64> {
        self.all.iter().filter_map(|part| match part {
            Part::Until(_, _, bit) => Some(1 << bit),
            _ => None,
        })
    }
}

/// The marks of fairness are above those of `U`: two bits for each constraint.
const FIRST_FAIR: u32 = 32;

/// A step by what matters of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Letter {
    from: usize,
    to: usize,
    atoms: u64,
    fair: u64,
}

/// Whether some fair infinite run makes a formula false.
fn is_refuted(
    flat: &Flat,
    space: &Space,
    instance: usize,
    formula: &Formula,
) -> Result<Option<bool>, Fault> {
    let yes = truth(true);
    let mut parts = Parts::default();
    let root = parts.formula(formula, &yes);
    let fairness = fairness(flat);
    let mut letters: BTreeSet<Letter> = BTreeSet::new();
    for step in &space.steps {
        let mut atoms = 0;
        for (at, atom) in parts.atoms.iter().enumerate() {
            atoms |= u64::from(flat.truth(instance, atom, step.env())?) << at;
        }
        letters.insert(Letter {
            from: step.from,
            to: step.to,
            atoms,
            fair: fair_marks(flat, &fairness, step),
        });
    }
    let letters: Vec<Letter> = letters.into_iter().collect();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); space.states.len()];
    for (at, letter) in letters.iter().enumerate() {
        leaving[letter.from].push(at);
    }
    let Some((successors, marks)) = graph(space, &parts, root, &letters, &leaving) else {
        return Ok(None);
    };
    let refuted = (0..1u32 << fairness.len()).any(|choice| {
        let mut sets: Vec<u64> = parts.untils().collect();
        let mut refused = 0;
        for (at, constraint) in fairness.iter().enumerate() {
            let mark = 1u64 << (FIRST_FAIR as usize + 2 * at);
            match constraint {
                Fair::Compassion(..) if choice >> at & 1 == 1 => refused |= mark,
                _ => sets.push(mark << 1),
            }
        }
        has_fair_path(&successors, &marks, &sets, refused)
    });
    Ok(Some(refuted))
}

enum Fair<'m> {
    Justice(usize, &'m Expr),
    Compassion(usize, &'m Expr, &'m Expr),
}

fn fairness<'m>(flat: &Flat<'m>) -> Vec<Fair<'m>> {
    let members = flat.members.iter();
    members
        .filter_map(|&(instance, member)| match member {
            Member::Justice(of) => Some(Fair::Justice(instance, of)),
            Member::Compassion(request, response) => {
                Some(Fair::Compassion(instance, request, response))
            }
            _ => None,
        })
        .collect()
}

fn fair_marks(flat: &Flat, fairness: &[Fair], step: &Step) -> u64 {
    let holds = |instance, of| -> u64 {
        let truth = flat.truth(instance, of, step.env());
        u64::from(truth.expect("a legal model is defined everywhere"))
    };
    let marks = fairness.iter().enumerate().map(|(at, constraint)| {
        let bits = match *constraint {
            Fair::Justice(instance, of) => holds(instance, of) << 1,
            Fair::Compassion(instance, request, response) => {
                holds(instance, request) | holds(instance, response) << 1
            }
        };
        bits << (FIRST_FAIR as usize + 2 * at)
    });
    marks.fold(0, |all, marks| all | marks)
}

type Graph = (Vec<Vec<usize>>, Vec<u64>);

/// The nodes that a run which makes the formula false can come to: their successors, and their marks.
fn graph(
    space: &Space,
    parts: &Parts,
    root: usize,
    letters: &[Letter],
    leaving: &[Vec<usize>],
) -> Option<Graph> {
    let mut known: HashMap<(usize, u32, u32), usize> = HashMap::new();
    let mut nodes: Vec<(usize, Vec<bool>, u32)> = Vec::new();
    let mut visit = |letter: usize, guesses: u32, memories: u32, nodes: &mut Vec<_>| {
        *known.entry((letter, guesses, memories)).or_insert_with(|| {
            let values = parts.values(letters[letter].atoms, guesses, memories);
            nodes.push((letter, values, guesses));
            nodes.len() - 1
        })
    };
    let all_guesses = 1u32 << parts.n_guesses;
    for &letter in leaving.iter().take(space.n_initial).flatten() {
        for guesses in 0..all_guesses {
            let values = parts.values(letters[letter].atoms, guesses, 0);
            if !values[root] {
                visit(letter, guesses, 0, &mut nodes);
            }
        }
    }
    let mut successors: Vec<Vec<usize>> = Vec::new();
    while successors.len() < nodes.len() {
        if nodes.len() > MAX_NODES {
            return None;
        }
        let (letter, values, expected) = nodes[successors.len()].clone();
        let memories = parts.remembered(&values);
        let mut row = Vec::new();
        for &next in &leaving[letters[letter].to] {
            for guesses in 0..all_guesses {
                let values = parts.values(letters[next].atoms, guesses, memories);
                if parts.guessed(&values) == expected {
                    row.push(visit(next, guesses, memories, &mut nodes));
                }
            }
        }
        successors.push(row);
    }
    let marks = nodes
        .iter()
        .map(|(letter, values, _)| parts.fulfilled(values) | letters[*letter].fair);
    Some((successors, marks.collect()))
}

/// Whether some path goes on for ever without the refused marks and meets each of the sets again and again.
fn has_fair_path(successors: &[Vec<usize>], marks: &[u64], sets: &[u64], refused: u64) -> bool {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); successors.len()];
    for (from, row) in successors.iter().enumerate() {
        for &to in row {
            before[to].push(from);
        }
    }
    let mut inside: Vec<bool> = marks.iter().map(|marks| marks & refused == 0).collect();
    loop {
        let old = inside.clone();
        // With no set, any node will do.
        for set in sets.iter().copied().chain([u64::MAX]) {
            let is_met = |at: usize| set == u64::MAX || marks[at] & set != 0;
            let mut leads: Vec<bool> = (0..inside.len())
                .map(|at| inside[at] && is_met(at))
                .collect();
            let mut todo: Vec<usize> = (0..inside.len()).filter(|&at| leads[at]).collect();
            while let Some(at) = todo.pop() {
                for &from in &before[at] {
                    if inside[from] && !leads[from] {
                        leads[from] = true;
                        todo.push(from);
                    }
                }
            }
            for at in 0..inside.len() {
                inside[at] &= successors[at].iter().any(|&to| leads[to]);
            }
        }
        if inside == old {
            return inside.contains(&true);
        }
    }
}
