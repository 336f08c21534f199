//! A machine: what random infinite models are before they are written in a language.
//!
//! Variables, constraints on their initial values, and actions: a guard and assignments that happen at once. A run takes
//! one action after the other; one in which no action is possible ends and refutes nothing. Claims have no `X`, so steps
//! that change nothing they read do not matter.

use super::expression::Expr;
use crate::Rng;
use rand::Rng as _;

/// The sort of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Int,
    Rat,
    Bool,
}

/// What an action does to a variable.
#[derive(Clone, Debug)]
pub enum Update {
    To(Expr),
    /// Any value of its sort. C knows only those of its type.
    Any,
}

#[derive(Clone, Debug)]
pub struct Action {
    /// All of these must hold.
    pub guard: Vec<Expr>,
    pub updates: Vec<(usize, Update)>,
}

impl Action {
    /// Whether a value that it assigns reads another variable that it assigns, so that the order would matter.
    pub fn needs_copies(&self) -> bool {
        let is_read = |var: usize| {
            let mut others = self.updates.iter().filter(|(other, _)| *other != var);
            others.any(|(_, update)| matches!(update, Update::To(value) if value.reads(var)))
        };
        self.updates.iter().any(|(var, _)| is_read(*var))
    }
}

/// What is claimed of all infinite runs.
#[derive(Clone, Debug)]
pub enum Claim {
    /// `F p`.
    Eventually(Expr),
    /// `G (p -> F q)`.
    Response(Expr, Expr),
    /// `G F p`.
    Recurrent(Expr),
    /// `F G p`.
    Stable(Expr),
}

/// A machine in the making, with the random numbers that make it.
pub struct Machine<'r> {
    pub names: Vec<String>,
    pub kinds: Vec<Kind>,
    pub init: Vec<Expr>,
    pub actions: Vec<Action>,
    pub rng: &'r mut Rng,
}

/// First parts of names. No language reserves any of them.
const NAMES: [&str; 10] = [
    "level", "n", "load", "x", "speed", "y", "rest", "k", "weight", "pos",
];

impl<'r> Machine<'r> {
    pub fn new(rng: &'r mut Rng) -> Self {
        Self {
            names: Vec::new(),
            kinds: Vec::new(),
            init: Vec::new(),
            actions: Vec::new(),
            rng,
        }
    }

    /// A new variable with any value; its number.
    pub fn declare(&mut self, kind: Kind) -> usize {
        let name = NAMES[self.rng.random_range(0..NAMES.len())];
        // The number makes it unique.
        self.names.push(format!("{name}_{}", self.names.len()));
        self.kinds.push(kind);
        self.names.len() - 1
    }

    pub fn init(&mut self, condition: Expr) {
        self.init.push(condition);
    }

    pub fn action(&mut self, guard: impl Into<Vec<Expr>>, updates: Vec<(usize, Update)>) {
        self.actions.push(Action {
            guard: guard.into(),
            updates,
        });
    }

    /// An action that assigns terms.
    pub fn step(
        &mut self,
        guard: impl Into<Vec<Expr>>,
        updates: impl IntoIterator<Item = (usize, Expr)>,
    ) {
        let updates = updates.into_iter();
        let updates = updates
            .map(|(var, value)| (var, Update::To(value)))
            .collect();
        self.action(guard, updates);
    }

    /// An action that changes nothing.
    pub fn idle(&mut self, guard: impl Into<Vec<Expr>>) {
        self.action(guard, Vec::new());
    }

    /// True once in `n` times.
    pub fn chance(&mut self, n: u32) -> bool {
        self.rng.random_range(0..n) == 0
    }

    /// A number from `least` to `most`, both included.
    pub fn number(&mut self, least: i64, most: i64) -> i64 {
        self.rng.random_range(least..=most)
    }

    /// How far a step goes: at least 1.
    pub fn stride(&mut self) -> i64 {
        if self.chance(2) { 1 } else { self.number(1, 7) }
    }

    pub fn has_rationals(&self) -> bool {
        self.kinds.contains(&Kind::Rat)
    }
}
