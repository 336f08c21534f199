//! Changes of a machine that cannot change what its claim comes to.
//!
//! - Variables that no guard, no claim and no other variable reads may do anything.
//! - An action that changes nothing else and can be taken only finitely often adds finitely many steps to a run at which
//!   nothing else happens: claims without `X` do not see them, and a run without them is still a run.
//! - An action may be split in two by any condition; guards may be replaced by equivalent ones; the order of conditions,
//!   actions and assignments means nothing.

use super::expression::{Expr, Relation};
use super::machine::{Kind, Machine, Update};
use rand::Rng as _;
use rand::seq::SliceRandom as _;

/// Adds some of it.
pub fn add(machine: &mut Machine<'_>) {
    let is_plain = machine.chance(3);
    if !is_plain {
        if machine.chance(2) {
            idle_counter(machine);
        }
        if machine.chance(2) {
            toggle(machine);
        }
        if machine.chance(3) {
            ignored_input(machine);
        }
        if machine.chance(3) {
            finitely_often(machine);
        }
    }
    for action in 0..machine.actions.len() {
        for condition in 0..machine.actions[action].guard.len() {
            let old = machine.actions[action].guard[condition].clone();
            let new = rewritten(machine, old);
            machine.actions[action].guard[condition] = new;
        }
    }
    for condition in 0..machine.init.len() {
        let old = machine.init[condition].clone();
        machine.init[condition] = rewritten(machine, old);
    }
    shuffle(machine);
}

/// Actions, what they require and what they assign, in any order.
fn shuffle(machine: &mut Machine<'_>) {
    let Machine {
        init, actions, rng, ..
    } = machine;
    init.shuffle(*rng);
    actions.shuffle(*rng);
    for action in actions {
        action.guard.shuffle(*rng);
        action.updates.shuffle(*rng);
    }
}

/// A number that some actions change and nobody reads.
fn idle_counter(machine: &mut Machine<'_>) {
    let var = machine.declare(Kind::Int);
    let first = machine.number(-3, 3);
    match machine.number(0, 2) {
        0 => machine.init(Expr::Var(var).equals(first)),
        1 => machine.init(Expr::Or(vec![
            Expr::Var(var).equals(first),
            Expr::Var(var).equals(first + 2),
        ])),
        _ => {}
    }
    let by = machine.number(-2, 2);
    let factor = machine.number(1, 2);
    sometimes(machine, var, &Update::To(Expr::Var(var) * factor + by));
}

/// A Boolean that changes its value in some steps. An action may be split by it.
fn toggle(machine: &mut Machine<'_>) {
    let var = machine.declare(Kind::Bool);
    if machine.chance(2) {
        machine.init(Expr::Var(var).negated());
    }
    sometimes(machine, var, &Update::To(Expr::Var(var).negated()));
    if machine.chance(2) {
        let at = machine.rng.random_range(0..machine.actions.len());
        let mut other = machine.actions[at].clone();
        machine.actions[at].guard.push(Expr::Var(var));
        other.guard.push(Expr::Var(var).negated());
        machine.actions.push(other);
    }
}

fn ignored_input(machine: &mut Machine<'_>) {
    let kind = if machine.chance(2) {
        Kind::Bool
    } else {
        Kind::Int
    };
    let var = machine.declare(kind);
    sometimes(machine, var, &Update::Any);
}

/// An action that counts down a number of its own, which may start with any value.
fn finitely_often(machine: &mut Machine<'_>) {
    let left = machine.declare(Kind::Int);
    if machine.chance(2) {
        let n = machine.number(0, 3);
        machine.init(Expr::Var(left).equals(n));
    }
    let by = machine.stride();
    machine.step([Expr::Var(left).gt(0)], [(left, Expr::Var(left) - by)]);
}

fn sometimes(machine: &mut Machine<'_>, var: usize, update: &Update) {
    for action in 0..machine.actions.len() {
        if !machine.chance(3) {
            machine.actions[action].updates.push((var, update.clone()));
        }
    }
}

/// An equivalent condition.
fn rewritten(machine: &mut Machine<'_>, condition: Expr) -> Expr {
    let is_bool = |machine: &Machine<'_>, expr: &Expr| matches!(expr, Expr::Var(var) if machine.kinds[*var] == Kind::Bool);
    match (machine.number(0, 7), condition) {
        (0, condition) => condition.negated().negated(),
        (1, Expr::Compare(Relation::Lt, left, right)) => right.le(*left).negated(),
        (2, Expr::Compare(Relation::Le, left, right)) => right.lt(*left).negated(),
        // Of integers only.
        (3, Expr::Compare(Relation::Lt, left, right)) if !machine.has_rationals() => {
            (*left + 1).le(*right)
        }
        (4, Expr::Compare(Relation::Lt, left, right)) if !machine.has_rationals() => {
            let twice = *right * 2;
            (*left * 2).lt(twice)
        }
        (5, Expr::Compare(Relation::Eq, left, right)) => {
            Expr::And(vec![left.clone().le(*right.clone()), right.le(*left)])
        }
        (6, condition) if !is_bool(machine, &condition) => {
            Expr::And(vec![condition.clone(), condition])
        }
        (_, condition) => condition,
    }
}
