//! Moves as sets of polyhedra: what linear programming can argue about.
//!
//! A move's formula is made free of conditionals and of division by constants (each becomes a new variable with its
//! definition), and covered by conjunctions of linear comparisons, one model after the other: of each disjunction
//! one member that is true in the model is kept. What is not linear is left out, so the polyhedra together contain
//! every execution of the move and perhaps more: right for proving, not for refuting.

use super::component::Move;
use super::linear::{Linear, is_number, rat};
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Rat, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Reason};
use lariat_system::PointId;

/// The most polyhedra of all moves together.
const MAX_ARCS: usize = 64;
/// The solver's steps for one polyhedron.
const STEPS: u32 = 500_000;
/// New variables are instances of their own, as ghosts are.
const PURE: u32 = u32::MAX - 2;

/// A linear comparison: the form is at most 0, or 0.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub form: Linear,
    pub is_equation: bool,
}

/// One way to make a move.
#[derive(Clone, Debug)]
pub(super) struct PolyArc {
    pub from: PointId,
    pub to: PointId,
    pub on_loop: bool,
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

/// The polyhedra of some moves; nothing if there are too many or the solver gives up.
pub(super) fn arcs(session: &mut Session, moves: &[Move]) -> Result<Option<Vec<PolyArc>>, Halt> {
    let mut all = Vec::new();
    for one in moves {
        let mut purifier = Purifier::default();
        let terms = &mut session.cx.terms;
        let mut parts: Vec<TermId> = Vec::new();
        for &guard in &one.guard {
            parts.push(purifier.purify(terms, guard));
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
        let Some(polyhedra) = cover(session, &parts, room)? else {
            return Ok(None);
        };
        for rows in polyhedra {
            let mut arc = PolyArc {
                from: one.from,
                to: one.to,
                on_loop: one.on_loop,
                rows,
                after: after.clone(),
            };
            arc.eliminate(&session.variables);
            all.push(arc);
        }
    }
    Ok(Some(all))
}

/// At most `room` polyhedra that cover a conjunction.
fn cover(
    session: &mut Session,
    parts: &[TermId],
    room: usize,
) -> Result<Option<Vec<Vec<Row>>>, Halt> {
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
            let Some(literals) = implicant(session, parts) else {
                return Ok(None);
            };
            let terms = &mut session.cx.terms;
            let all = terms.and(&literals);
            let others = terms.not(all);
            let rows = literals.iter().filter_map(|&literal| row(terms, literal));
            found.push(rows.collect());
            session.solver.assert(&session.cx.terms, others);
        }
    })
}

/// Comparisons of numbers, true in the solver's model, that imply the parts as far as these speak of numbers; nothing
/// if the solver cannot tell a value.
fn implicant(session: &mut Session, parts: &[TermId]) -> Option<Vec<TermId>> {
    let bool_ = session.cx.terms.sorts.bool();
    let mut literals = Vec::new();
    let mut todo: Vec<(TermId, bool)> = parts.iter().map(|&part| (part, true)).collect();
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
    Some(literals)
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

/// Makes terms free of conditional numbers and of division by constants: each becomes a new variable with a definition.
#[derive(Default)]
pub(crate) struct Purifier {
    pure: FxHashMap<TermId, TermId>,
    definitions: Vec<TermId>,
    n_fresh: usize,
    /// Whether conditionals of other sorts go as well.
    of_all_sorts: bool,
}

impl Purifier {
    /// One that makes terms free of all conditionals but Boolean ones.
    pub fn of_all_sorts() -> Self {
        Self {
            of_all_sorts: true,
            ..Self::default()
        }
    }

    /// What is known of the new variables.
    pub fn into_definitions(self) -> Vec<TermId> {
        self.definitions
    }

    /// The term with new variables in it.
    pub fn purify(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        // Arguments are older than their terms.
        let mut subterms = terms.subterms(&[root]);
        subterms.sort_unstable();
        for term in subterms {
            if !self.pure.contains_key(&term) {
                let pure = self.pure_of(terms, term);
                self.pure.insert(term, pure);
            }
        }
        self.pure[&root]
    }

    /// A term whose arguments are pure.
    fn pure_of(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        let Head::Op(op, args) = terms.head(term) else {
            return term;
        };
        let args: Vec<TermId> = args.iter().map(|arg| self.pure[arg]).collect();
        match (op, &args[..]) {
            (Op::Ite, &[condition, then, otherwise]) if self.is_replaced(terms, then) => {
                let value = self.fresh(terms, then);
                let cases = [(condition, then), (terms.not(condition), otherwise)];
                let cases = cases.map(|(condition, case)| {
                    let is_case = terms.eq(value, case);
                    terms.and(&[condition, is_case])
                });
                self.definitions.push(terms.or(&cases));
                value
            }
            (Op::Div | Op::Mod | Op::Rem, &[dividend, divisor]) => {
                match terms.as_lit(divisor).and_then(Value::as_int).cloned() {
                    Some(by) if !by.is_zero() => self.division(terms, op, dividend, &by),
                    _ => terms.build(op, &args).expect("sorts stay"),
                }
            }
            _ => terms.build(op, &args).expect("sorts stay"),
        }
    }

    /// Whether conditionals with such branches are replaced.
    fn is_replaced(&self, terms: &Terms, branch: TermId) -> bool {
        let is_other = self.of_all_sorts && terms.sort(branch) != terms.sorts.bool();
        is_other || is_number(terms, branch)
    }

    /// Quotient or remainder: `dividend = divisor · quotient + remainder`, with a remainder from 0 to below `|divisor|`.
    fn division(&mut self, terms: &mut Terms, op: Op, dividend: TermId, divisor: &Int) -> TermId {
        let (quotient, remainder) = (self.fresh(terms, dividend), self.fresh(terms, dividend));
        let (zero, bound, by) = (
            terms.int(0),
            terms.int(divisor.abs()),
            terms.int(divisor.clone()),
        );
        let multiple = terms.mul(&[by, quotient]);
        let sum = terms.add(&[multiple, remainder]);
        let parts = [
            terms.eq(dividend, sum),
            terms.le(zero, remainder),
            terms.lt(remainder, bound),
        ];
        self.definitions.extend(parts);
        match op {
            Op::Div => quotient,
            Op::Rem if divisor.is_negative() => terms.neg(remainder),
            _ => remainder,
        }
    }

    /// A new variable in place of a number that is not linear.
    fn unknown(&mut self, terms: &mut Terms, like: TermId) -> Linear {
        let fresh = self.fresh(terms, like);
        Linear::var(terms.as_var(fresh).expect("it is a variable"))
    }

    fn fresh(&mut self, terms: &mut Terms, like: TermId) -> TermId {
        let (name, sort) = (format!("pure {}", self.n_fresh), terms.sort(like));
        self.n_fresh += 1;
        let name = format!("{name} {}", terms.sorts.name(sort));
        let var = terms.declare_instance(&name, sort, PURE);
        terms.var(var)
    }
}
