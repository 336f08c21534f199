//! Moves as sets of polyhedra: what linear programming can argue about.
//!
//! A move's formula is made free of conditionals and of division by constants (each becomes a new variable with its
//! definition), and covered by conjunctions of linear comparisons, one model after the other: of each disjunction
//! one member that is true in the model is kept. What is not linear is left out, so the polyhedra together contain
//! every execution of the move and perhaps more: right for proving, not for refuting.

use super::cells::Cells;
use super::component::Move;
use super::linear::{Linear, is_number, rat};
use super::purify::Purifier;
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Op, Rat, TermId, Terms, VarId};
use lariat_smt::{Answer, Reason};

/// The most polyhedra of all moves together.
const MAX_ARCS: usize = 64;
/// The solver's steps for one polyhedron.
const STEPS: u32 = 500_000;

/// A linear comparison: the form is at most 0, or 0.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub form: Linear,
    pub is_equation: bool,
}

/// One way to make a move.
#[derive(Clone, Debug)]
pub(super) struct PolyArc {
    /// The cells between which it leads.
    pub from: usize,
    pub to: usize,
    pub on_loop: bool,
    /// The acceptance sets that it is in.
    pub sets: u64,
    pub rows: Vec<Row>,
    /// The new values of the numbers that it writes.
    pub after: FxHashMap<VarId, Linear>,
}

impl PolyArc {
    /// The value of a variable after it.
    pub fn after(&self, var: VarId) -> Linear {
        let written = self.after.get(&var);
        written.cloned().unwrap_or_else(|| Linear::var(var))
    }
}

impl PolyArc {
    /// Puts in what equations say of variables that are none of the model's.
    fn eliminate(&mut self, variables: &[VarId]) {
        let mut next = 0;
        while next < self.rows.len() {
            let Row { form, is_equation } = &self.rows[next];
            let other = form
                .coefficients
                .keys()
                .find(|var| !variables.contains(var));
            let Some(&var) = other.filter(|_| *is_equation) else {
                next += 1;
                continue;
            };
            // form = 0, so var = var - form / coefficient.
            let mut value = Linear::var(var);
            value.add(form, &rat(-1).divide(&form.coefficients[&var]));
            self.rows.swap_remove(next);
            let rows = self.rows.iter_mut().map(|row| &mut row.form);
            for form in rows.chain(self.after.values_mut()) {
                form.put_in(var, &value);
            }
            next = 0;
        }
    }
}

/// The polyhedra of some moves between cells; nothing if there are too many or the solver gives up.
pub(super) fn arcs(
    session: &mut Session,
    moves: &[Move],
    cells: &Cells,
) -> Result<Option<Vec<PolyArc>>, Halt> {
    let mut all = Vec::new();
    for one in moves {
        let mut purifier = Purifier::default();
        let mut parts: Vec<TermId> = Vec::new();
        for &guard in one.guard.iter().chain(&one.support) {
            parts.push(purifier.purify(&mut session.cx.terms, guard));
        }
        let (before, after) = (cells.conditions(one.from), cells.conditions(one.to));
        let n_before = before.len();
        let mut decided = before.to_vec();
        for &condition in after {
            decided.push(one.after(session, condition));
        }
        let terms = &mut session.cx.terms;
        for condition in &mut decided {
            *condition = purifier.purify(terms, *condition);
        }
        let mut after = FxHashMap::default();
        for &(var, value) in one.updates() {
            if is_number(terms, value) {
                let value = purifier.purify(terms, value);
                let form = Linear::of(terms, value);
                after.insert(var, form.unwrap_or_else(|| purifier.unknown(terms, value)));
            }
        }
        parts.append(&mut purifier.definitions);
        let room = MAX_ARCS - all.len();
        let Some(polyhedra) = cover(session, &parts, &decided, room)? else {
            return Ok(None);
        };
        for Polyhedron { rows, truths } in polyhedra {
            let (before, behind) = truths.split_at(n_before);
            let ends = (cells.find(one.from, before), cells.find(one.to, behind));
            let (Some(from), Some(to)) = ends else {
                continue;
            };
            let mut arc = PolyArc {
                from,
                to,
                on_loop: one.on_loop,
                sets: one.sets,
                rows,
                after: after.clone(),
            };
            arc.eliminate(&session.variables);
            all.push(arc);
        }
    }
    Ok(Some(all))
}

/// A conjunction of comparisons, and what some conditions are in it.
struct Polyhedron {
    rows: Vec<Row>,
    truths: Vec<bool>,
}

/// At most `room` polyhedra that cover a conjunction, and in each of which some conditions are decided.
fn cover(
    session: &mut Session,
    parts: &[TermId],
    decided: &[TermId],
    room: usize,
) -> Result<Option<Vec<Polyhedron>>, Halt> {
    session.scoped(|session| {
        for &part in parts {
            session.solver.assert(&session.cx.terms, part);
        }
        let mut found = Vec::new();
        loop {
            session.stats.checks += 1;
            match session.solver.check_briefly(&session.cx.terms, &[], STEPS) {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(Reason::Stopped(stop)) => return Err(stop.into()),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat if found.len() == room => return Ok(None),
                Answer::Sat => {}
            }
            let Some((literals, truths)) = implicant(session, parts, decided) else {
                return Ok(None);
            };
            let terms = &mut session.cx.terms;
            let all = terms.and(&literals);
            let others = terms.not(all);
            let rows = literals.iter().filter_map(|&literal| row(terms, literal));
            let rows = rows.collect();
            found.push(Polyhedron { rows, truths });
            session.solver.assert(&session.cx.terms, others);
        }
    })
}

/// Comparisons of numbers, true in the solver's model, that imply the parts and decide some conditions as far as these
/// speak of numbers, with the truths of those; nothing if the solver cannot tell a value.
fn implicant(
    session: &mut Session,
    parts: &[TermId],
    decided: &[TermId],
) -> Option<(Vec<TermId>, Vec<bool>)> {
    let bool_ = session.cx.terms.sorts.bool();
    let mut literals = Vec::new();
    let truths = decided.iter().map(|&condition| session.truth(condition));
    let truths: Vec<bool> = truths.collect::<Option<_>>()?;
    let mut todo: Vec<(TermId, bool)> = parts.iter().map(|&part| (part, true)).collect();
    todo.extend(decided.iter().copied().zip(truths.iter().copied()));
    while let Some((term, truth)) = todo.pop() {
        match session.cx.terms.head(term) {
            Head::Op(Op::Not, &[inner]) => todo.push((inner, !truth)),
            Head::Op(op @ (Op::And | Op::Or), args) => {
                let args = args.to_vec();
                if (op == Op::And) == truth {
                    todo.extend(args.into_iter().map(|arg| (arg, truth)));
                } else {
                    todo.push((smallest(session, &args, truth)?, truth));
                }
            }
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let holds = session.truth(condition)?;
                todo.push((condition, holds));
                todo.push((if holds { then } else { otherwise }, truth));
            }
            Head::Op(Op::Eq, &[left, right]) if session.cx.terms.sort(left) == bool_ => {
                for side in [left, right] {
                    todo.push((side, session.truth(side)?));
                }
            }
            Head::Op(Op::Eq, &[left, right]) if !truth && is_number(&session.cx.terms, left) => {
                let less = session.cx.terms.lt(left, right);
                let more = session.cx.terms.lt(right, left);
                literals.push(if session.truth(less)? { less } else { more });
            }
            Head::Op(Op::Eq | Op::Le | Op::Lt, &[left, _])
                if is_number(&session.cx.terms, left) =>
            {
                let literal = if truth {
                    term
                } else {
                    session.cx.terms.not(term)
                };
                literals.push(literal);
            }
            _ => {}
        }
    }
    literals.sort_unstable();
    literals.dedup();
    Some((literals, truths))
}

/// The smallest of some terms with a truth.
fn smallest(session: &mut Session, args: &[TermId], truth: bool) -> Option<TermId> {
    let mut best: Option<(usize, TermId)> = None;
    for &arg in args {
        if session.truth(arg)? == truth {
            let size = session.cx.terms.subterms(&[arg]).len();
            if best.is_none_or(|(least, _)| size < least) {
                best = Some((size, arg));
            }
        }
    }
    best.map(|(_, arg)| arg)
}

/// A comparison as a row, if it is linear.
fn row(terms: &Terms, literal: TermId) -> Option<Row> {
    let Head::Op(op, &[left, right]) = terms.head(literal) else {
        return None;
    };
    let mut form = Linear::of(terms, left)?.minus(&Linear::of(terms, right)?);
    let is_int = terms.sort(left) == terms.sorts.int();
    if op == Op::Lt && is_int {
        form.constant = &form.constant + &rat(1);
    }
    let is_equation = op == Op::Eq;
    if is_int && !is_equation {
        form = form.whole(false);
        // Coefficients are whole and values are integers: the constant may be rounded up.
        let down = (&rat(-1) * &form.constant).floor();
        form.constant = &rat(-1) * &Rat::from(down);
    }
    Some(Row { form, is_equation })
}
