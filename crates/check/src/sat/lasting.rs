//! What all steps of a run to the end of time must keep, demanded where it can first be lost.
//!
//! Circuits that were made from relations have a latch which tells that no constraint was violated so far: once false, it stays false, and
//! constraints or the marks of all accepting loops need it. Runs that lose it need not be looked at; so that the next state has it is demanded of every
//! step but the first. Then the constraints are constraints again, and not the function of a latch.

use super::machine::Machine;
use crate::session::Halt;
use lariat_base::{Budget, FxHashSet};
use lariat_expr::{Head, Op, Substitution, TermId, Terms};
use lariat_smt::{Answer, Backend};

/// Choices are not split any more when there are so many conjuncts.
const MANY: usize = 2_000;

/// A bit of the state that must have a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Wanted {
    bit: usize,
    value: bool,
}

/// Demands of all steps but the first that they keep what infinite runs need: what every step needs, and what a mark needs if it cannot be
/// got back.
pub(super) fn keep(
    terms: &mut Terms,
    machine: &mut Machine,
    solver: &mut dyn Backend,
    budget: &Budget,
) -> Result<(), Halt> {
    if machine.marks.is_empty() {
        return Ok(());
    }
    solver.set_budget(budget);
    let later = Later::new(terms, machine);
    for wanted in later.of_all_steps(terms, machine) {
        later.demand(terms, machine, wanted);
    }
    for wanted in later.lost_for_ever(terms, machine) {
        if later.is_of_a_mark(terms, machine, wanted, solver)? {
            later.demand(terms, machine, wanted);
        }
    }
    Ok(())
}

/// A machine after its first step.
struct Later {
    /// What the bits of the state are next.
    next: Vec<TermId>,
    valid: TermId,
    /// The same after the second step, and so for ever, where some bits are constant.
    settled: Vec<TermId>,
    marks: Vec<TermId>,
}

impl Later {
    fn new(terms: &mut Terms, machine: &Machine) -> Self {
        let mut started = Substitution::new();
        let true_ = terms.true_();
        started.insert(terms, machine.started, true_);
        let next = machine.state.iter().map(|&(_, next)| next);
        let next: Vec<TermId> = next.map(|next| started.apply(terms, next)).collect();
        let valid = started.apply(terms, machine.valid);
        let mut later = Self {
            next,
            valid,
            settled: Vec::new(),
            marks: Vec::new(),
        };
        let mut settled = started;
        for (bit, &(var, _)) in machine.state.iter().enumerate() {
            if let Some(value) = later.constant(terms, bit) {
                let value = terms.bool(value);
                settled.insert(terms, var, value);
            }
        }
        let mut settle = |term: &TermId| settled.apply(terms, *term);
        later.settled = later.next.iter().map(&mut settle).collect();
        later.marks = machine.marks.iter().map(&mut settle).collect();
        later
    }

    /// The value that a bit has from the second step on, if it is always the same.
    fn constant(&self, terms: &Terms, bit: usize) -> Option<bool> {
        let is = |value| self.next[bit] == value;
        let (true_, false_) = (terms.true_(), terms.false_());
        is(true_).then_some(true).or(is(false_).then_some(false))
    }

    /// What every step needs of the state that it starts from: so every step of an infinite run leads to such a state.
    fn of_all_steps(&self, terms: &mut Terms, machine: &Machine) -> Vec<Wanted> {
        let mut found = Vec::new();
        for conjunct in conjuncts(terms, self.valid) {
            let args = terms.as_op(conjunct, Op::Or).map(<[TermId]>::to_vec);
            let args = args.unwrap_or(vec![conjunct]);
            let literals = args.into_iter().map(|arg| literal(terms, machine, arg));
            let Some(literals) = literals.collect::<Option<Vec<Wanted>>>() else {
                continue;
            };
            let is_possible =
                |wanted: &Wanted| self.constant(terms, wanted.bit) != Some(!wanted.value);
            let mut possible = literals.into_iter().filter(is_possible);
            if let (Some(only), None) = (possible.next(), possible.next()) {
                found.push(only);
            }
        }
        found
    }

    /// What a state cannot get back: every step needs it to keep it.
    fn lost_for_ever(&self, terms: &mut Terms, machine: &Machine) -> Vec<Wanted> {
        let mut found = Vec::new();
        for (bit, &(var, _)) in machine.state.iter().enumerate() {
            let var = terms.var(var);
            for value in [true, false] {
                let next = signed(terms, self.settled[bit], value);
                let needed = signed(terms, var, value);
                if self.constant(terms, bit).is_none() && conjuncts(terms, next).contains(&needed) {
                    found.push(Wanted { bit, value });
                }
            }
        }
        found
    }

    /// Whether all steps with some mark need what is wanted.
    fn is_of_a_mark(
        &self,
        terms: &mut Terms,
        machine: &Machine,
        wanted: Wanted,
        solver: &mut dyn Backend,
    ) -> Result<bool, Halt> {
        let var = terms.var(machine.state[wanted.bit].0);
        let is_lost = signed(terms, var, !wanted.value);
        for &mark in &self.marks {
            match solver.check(terms, &[is_lost, mark]) {
                Answer::Unsat => return Ok(true),
                Answer::Sat => {}
                Answer::Unknown(why) => return Err(why.into()),
            }
        }
        Ok(false)
    }

    /// Demands of all steps but the first that they lead to a state that has what is wanted.
    fn demand(&self, terms: &mut Terms, machine: &mut Machine, wanted: Wanted) {
        let is_started = terms.var(machine.started);
        let is_first = terms.not(is_started);
        let next = signed(terms, self.next[wanted.bit], wanted.value);
        let mut valid = vec![machine.valid];
        for conjunct in conjuncts(terms, next) {
            valid.push(terms.or(&[is_first, conjunct]));
        }
        machine.valid = terms.and(&valid);
        let mut first = Substitution::new();
        let false_ = terms.false_();
        first.insert(terms, machine.started, false_);
        let first = first.apply(terms, machine.state[wanted.bit].1);
        let value = terms.bool(wanted.value);
        machine.state[wanted.bit].1 = terms.ite(is_started, value, first);
    }
}

fn signed(terms: &mut Terms, term: TermId, value: bool) -> TermId {
    if value { term } else { terms.not(term) }
}

/// A term as a bit of the state that must have a value, if it is that.
fn literal(terms: &Terms, machine: &Machine, term: TermId) -> Option<Wanted> {
    let negated = terms.as_op(term, Op::Not).map(|args| args[0]);
    let var = terms.as_var(negated.unwrap_or(term))?;
    let bit = machine.state.iter().position(|&(bit, _)| bit == var)?;
    Some(Wanted {
        bit,
        value: negated.is_none(),
    })
}

/// Whether a term is a variable or its negation.
fn is_bit(terms: &Terms, term: TermId) -> bool {
    let negated = terms.as_op(term, Op::Not).map(|args| args[0]);
    terms.as_var(negated.unwrap_or(term)).is_some()
}

/// Terms that are all true if and only if a term is.
fn conjuncts(terms: &mut Terms, term: TermId) -> Vec<TermId> {
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
            // One of these, or some bits: the bits go to each part of the one.
            Some(Op::And | Op::Or)
                if args.iter().filter(|&&arg| !is_bit(terms, arg)).count() == 1 =>
            {
                let mut cases = vec![unless];
                let mut rest = None;
                for arg in args {
                    if is_bit(terms, arg) {
                        cases.push(signed(terms, arg, is_true));
                    } else {
                        rest = Some(arg);
                    }
                }
                let rest = rest.expect("one is no bit");
                todo.push((terms.or(&cases), rest, is_true));
            }
            Some(Op::Ite) if found.len() < MANY => {
                let otherwise = terms.not(args[0]);
                todo.push((terms.or(&[unless, otherwise]), args[1], is_true));
                todo.push((terms.or(&[unless, args[0]]), args[2], is_true));
            }
            _ => {
                let literal = signed(terms, term, is_true);
                found.push(terms.or(&[unless, literal]));
            }
        }
    }
    found.reverse();
    found
}

/// What must be true for a step to be taken, in parts: those of the first step, and those of all others.
pub(super) fn demands(terms: &mut Terms, machine: &Machine) -> Vec<TermId> {
    let is_started = terms.var(machine.started);
    let mut all = Vec::new();
    for value in [false, true] {
        let mut phase = Substitution::new();
        let constant = terms.bool(value);
        phase.insert(terms, machine.started, constant);
        let valid = phase.apply(terms, machine.valid);
        let is_other = signed(terms, is_started, !value);
        for conjunct in conjuncts(terms, valid) {
            all.push(terms.or(&[is_other, conjunct]));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_expr::{Evaluator, Value};
    use lariat_system::{Context, Valuation};

    /// Terms of conjunctions, disjunctions, choices and negations over four variables, all together true where the term is.
    #[test]
    fn conjuncts_mean_what_the_term_means() {
        let mut cx = Context::new();
        let bool_ = cx.terms.sorts.bool();
        let vars = ["a", "b", "c", "d"].map(|name| cx.terms.declare(name, bool_));
        let mut made: Vec<TermId> = vars.map(|var| cx.terms.var(var)).to_vec();
        let mut random = 1u64;
        let mut below = |bound: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) as usize % bound
        };
        let mut n_split = 0;
        for _ in 0..400 {
            let [a, b, c] = [(); 3].map(|()| made[below(made.len())]);
            let terms = &mut cx.terms;
            let term = match below(4) {
                0 => terms.and(&[a, b, c]),
                1 => terms.or(&[a, b, c]),
                2 => terms.ite(a, b, c),
                _ => terms.not(a),
            };
            made.push(term);
            let parts = conjuncts(terms, term);
            n_split += usize::from(parts.len() > 1);
            for values in 0..16 {
                let mut at = Valuation::new();
                for (bit, &var) in vars.iter().enumerate() {
                    at.set(var, Value::Bool(values >> bit & 1 == 1));
                }
                let mut is_true = |term: &TermId| {
                    Evaluator::new().eval(&cx.terms, *term, &at) == Ok(Value::Bool(true))
                };
                assert_eq!(parts.iter().all(&mut is_true), is_true(&term));
            }
        }
        assert!(n_split > 50, "{n_split}");
    }
}
