//! What an accepting run must keep for ever.
//!
//! Circuits that were made from relations have a latch which tells that no constraint was violated so far: once false, it stays false, and
//! the steps of all accepting loops need it. So runs that lose it need not be looked at: that the next step keeps it
//! is demanded of every step. Then the constraints are constraints again, and not the function of a latch.

use super::machine::Machine;
use crate::session::Halt;
use lariat_base::{Budget, FxHashSet};
use lariat_expr::{Head, Op, TermId, Terms};
use lariat_smt::{Answer, Backend};

/// Demands of all steps that they keep what cannot be got back and is part of a mark.
pub(super) fn keep(
    terms: &mut Terms,
    machine: &mut Machine,
    solver: &mut dyn Backend,
    budget: &Budget,
) -> Result<(), Halt> {
    let mut asked = FxHashSet::default();
    solver.set_budget(budget);
    for mark in machine.marks.clone() {
        for wanted in conjuncts(terms, mark) {
            let negated = terms.as_op(wanted, Op::Not).map(|args| args[0]);
            let bit = terms.as_var(negated.unwrap_or(wanted));
            let bit = machine.state.iter().position(|&(var, _)| Some(var) == bit);
            let Some(bit) = bit.filter(|_| asked.insert(wanted)) else {
                continue;
            };
            let next = machine.state[bit].1;
            let kept = match negated {
                None => next,
                Some(_) => terms.not(next),
            };
            if is_lost_for_ever(terms, machine, (wanted, kept), solver)? {
                let mut demanded = conjuncts(terms, kept);
                demanded.push(machine.valid);
                machine.valid = terms.and(&demanded);
                machine.state[bit].1 = match negated {
                    None => terms.true_(),
                    Some(_) => terms.false_(),
                };
            }
        }
    }
    Ok(())
}

/// Whether no step of a run leads from where something is false to where it is true.
fn is_lost_for_ever(
    terms: &mut Terms,
    machine: &Machine,
    (now, next): (TermId, TermId),
    solver: &mut dyn Backend,
) -> Result<bool, Halt> {
    let is_started = terms.var(machine.started);
    let is_lost = terms.not(now);
    match solver.check(terms, &[is_started, machine.valid, is_lost, next]) {
        Answer::Unsat => Ok(true),
        Answer::Sat => Ok(false),
        Answer::Unknown(why) => Err(why.into()),
    }
}

/// Terms that are all true if and only if a term is.
pub(super) fn conjuncts(terms: &mut Terms, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    // Each with what must be false for it to matter.
    let mut todo = vec![(terms.false_(), term, true)];
    while let Some((unless, term, is_true)) = todo.pop() {
        if !seen.insert((unless, term, is_true)) {
            continue;
        }
        let (op, args) = match terms.head(term) {
            Head::Op(op, args) => (Some(op), args.to_vec()),
            _ => (None, Vec::new()),
        };
        match op {
            Some(Op::Not) => todo.push((unless, args[0], !is_true)),
            Some(Op::And) if is_true => todo.extend(args.iter().map(|&arg| (unless, arg, true))),
            Some(Op::Or) if !is_true => todo.extend(args.iter().map(|&arg| (unless, arg, false))),
            Some(Op::Ite) => {
                let otherwise = terms.not(args[0]);
                todo.push((terms.or(&[unless, otherwise]), args[1], is_true));
                todo.push((terms.or(&[unless, args[0]]), args[2], is_true));
            }
            _ => {
                let literal = if is_true { term } else { terms.not(term) };
                found.push(terms.or(&[unless, literal]));
            }
        }
    }
    found.reverse();
    found
}
