//! Linear measures by linear programming.
//!
//! A measure is a template: for each cell, unknown multiples of the variables plus an unknown constant. That it does
//! not increase on a polyhedron, that it falls by 1, that it is not negative, are linear consequences of the polyhedron's
//! rows, and by Farkas' lemma a linear form follows from rows exactly if it is a combination of them with multipliers
//! that are not negative. Rows are constants, so these conditions are linear in the unknowns and the multipliers
//! (Podelski and Rybalchenko, "A complete method for the synthesis of linear ranking functions", VMCAI 2004). How they
//! become the levels of a measure is in `levels.rs`.
//!
//! *Nested* templates for loops in phases (Leike and Heizmann, TACAS 2014): the first falls by 1, each next one falls
//! by 1 once the one before is negative, the last is not negative.

use super::linear::{Linear, rat};
use super::polyhedra::PolyArc;
use crate::session::{Halt, Session};
use lariat_expr::{Rat, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Reason};
use std::collections::BTreeMap;

/// The solver's steps for one linear program.
const STEPS: u32 = 3_000_000;
/// The largest coefficient that is called small.
const SMALL: i64 = 1000;
/// Unknowns are instances of their own, as ghosts are.
const UNKNOWN: u32 = u32::MAX - 3;

/// Terms for the cells of some arcs, and what they do there.
pub(super) struct Solution {
    /// One term per cell, of one phase after the other.
    pub phases: Vec<BTreeMap<usize, Linear>>,
    /// Which arcs make the phases fall. On the others no phase rises.
    pub falling: Vec<bool>,
}

/// Terms that no arc increases and that some arcs decrease, as many as can be; with small coefficients if there are such.
/// (Where an input has a range, one term with huge coefficients often stands for two small ones.)
pub(super) fn affine(session: &mut Session, arcs: &[&PolyArc]) -> Result<Option<Solution>, Halt> {
    match affine_within(session, arcs, Some(SMALL))? {
        Some(found) => Ok(Some(found)),
        None => affine_within(session, arcs, None),
    }
}

/// The same with coefficients up to a bound, if there is one.
fn affine_within(
    session: &mut Session,
    arcs: &[&PolyArc],
    bound: Option<i64>,
) -> Result<Option<Solution>, Halt> {
    session.scoped(|session| {
        let mut program = Program::new(session, arcs, 1);
        if let Some(bound) = bound {
            program.bound(session, bound);
        }
        for arc in arcs {
            let falls = program.fall(session, arc, 0, None);
            program.demand(session, arc, falls);
        }
        let mut falling = vec![false; arcs.len()];
        let (first, others): (Vec<_>, Vec<_>) = (0..arcs.len()).partition(|&i| arcs[i].on_loop);
        for i in first.into_iter().chain(others) {
            falling[i] = program.try_decrease(session, arcs[i])?;
        }
        if !falling.contains(&true) {
            return Ok(None);
        }
        let phases = program.solution(session)?;
        Ok(phases.map(|phases| Solution { phases, falling }))
    })
}

/// Terms in phases that every arc decreases, or one of them.
pub(super) fn nested(
    session: &mut Session,
    arcs: &[&PolyArc],
    only: Option<usize>,
    n_phases: usize,
) -> Result<Option<Solution>, Halt> {
    session.scoped(|session| {
        let mut program = Program::new(session, arcs, n_phases);
        let falling: Vec<bool> = (0..arcs.len())
            .map(|i| only.is_none_or(|only| only == i))
            .collect();
        for (arc, &falling) in arcs.iter().zip(&falling) {
            for phase in 0..n_phases {
                let helper = phase.checked_sub(1).filter(|_| falling);
                let mut falls = program.fall(session, arc, phase, helper);
                if falling {
                    falls.constant = plus(&mut session.cx.terms, falls.constant, -1);
                }
                program.demand(session, arc, falls);
            }
            if falling {
                let last = program.form(arc.from, n_phases - 1);
                program.demand(session, arc, last);
            }
        }
        if !is_solvable(session, &[])? {
            return Ok(None);
        }
        let phases = program.solution(session)?;
        Ok(phases.map(|phases| Solution { phases, falling }))
    })
}

/// A linear form with unknown coefficients.
#[derive(Clone)]
struct Unknown {
    coefficients: BTreeMap<VarId, TermId>,
    constant: TermId,
}

/// A linear program in a scope of the solver.
struct Program {
    /// For each phase and cell: the coefficient of each variable, then the constant.
    templates: Vec<BTreeMap<usize, Vec<TermId>>>,
    variables: Vec<VarId>,
    n_unknowns: usize,
}

impl Program {
    fn new(session: &mut Session, arcs: &[&PolyArc], n_phases: usize) -> Self {
        let mut variables: Vec<VarId> = arcs
            .iter()
            .flat_map(|arc| {
                let read = arc.rows.iter().flat_map(|row| row.form.coefficients.keys());
                let written = arc
                    .after
                    .iter()
                    .flat_map(|(var, form)| [var].into_iter().chain(form.coefficients.keys()));
                read.chain(written).copied()
            })
            .filter(|var| session.variables.contains(var))
            .collect();
        variables.sort_unstable();
        variables.dedup();
        let mut program = Self {
            templates: Vec::new(),
            variables,
            n_unknowns: 0,
        };
        for _ in 0..n_phases {
            let mut template = BTreeMap::new();
            for cell in arcs.iter().flat_map(|arc| [arc.from, arc.to]) {
                template.entry(cell).or_insert_with(|| {
                    (0..=program.variables.len())
                        .map(|_| program.unknown(session))
                        .collect()
                });
            }
            program.templates.push(template);
        }
        program
    }

    /// Demands that all coefficients are between `-bound` and `bound`.
    fn bound(&self, session: &mut Session, bound: i64) {
        let n = self.variables.len();
        for own in self.templates.iter().flat_map(BTreeMap::values) {
            for &coefficient in &own[..n] {
                let terms = &mut session.cx.terms;
                let [low, high] = [-bound, bound].map(|number| literal(terms, &rat(number)));
                let conditions = [terms.le(low, coefficient), terms.le(coefficient, high)];
                for condition in conditions {
                    session.solver.assert(&session.cx.terms, condition);
                }
            }
        }
    }

    fn unknown(&mut self, session: &mut Session) -> TermId {
        let terms = &mut session.cx.terms;
        let (name, rat) = (format!("unknown {}", self.n_unknowns), terms.sorts.rat());
        self.n_unknowns += 1;
        let var = terms.declare_instance(&name, rat, UNKNOWN);
        terms.var(var)
    }

    /// The template of a phase in a cell.
    fn form(&self, cell: usize, phase: usize) -> Unknown {
        let own = &self.templates[phase][&cell];
        let coefficients = self.variables.iter().copied().zip(own.iter().copied());
        Unknown {
            coefficients: coefficients.collect(),
            constant: own[self.variables.len()],
        }
    }

    /// How much a phase falls on an arc, plus the value before of another phase.
    fn fall(
        &self,
        session: &mut Session,
        arc: &PolyArc,
        phase: usize,
        plus: Option<usize>,
    ) -> Unknown {
        let mut sum = Sum::default();
        let before = self.form(arc.from, phase);
        sum.add(&before);
        if let Some(other) = plus {
            let other = self.form(arc.from, other);
            sum.add(&other);
        }
        let after = self.form(arc.to, phase);
        let terms = &mut session.cx.terms;
        for (&var, &coefficient) in &after.coefficients {
            let value = arc.after(var);
            for (&inner, factor) in &value.coefficients {
                let product = times(terms, &(&rat(-1) * factor), coefficient);
                sum.coefficients.entry(inner).or_default().push(product);
            }
            sum.constants
                .push(times(terms, &(&rat(-1) * &value.constant), coefficient));
        }
        sum.constants.push(times(terms, &rat(-1), after.constant));
        sum.finish(terms)
    }

    /// Demands that a form is not negative on an arc's polyhedron.
    fn demand(&mut self, session: &mut Session, arc: &PolyArc, goal: Unknown) {
        for condition in self.follows(session, arc, goal) {
            session.solver.assert(&session.cx.terms, condition);
        }
    }

    /// That a form is a combination of an arc's rows, plus a number that is not negative.
    fn follows(&mut self, session: &mut Session, arc: &PolyArc, goal: Unknown) -> Vec<TermId> {
        let mut sum = Sum::default();
        sum.add(&goal);
        let mut conditions = Vec::new();
        for row in &arc.rows {
            let multiplier = self.unknown(session);
            let terms = &mut session.cx.terms;
            if !row.is_equation {
                let zero = literal(terms, &rat(0));
                conditions.push(terms.le(zero, multiplier));
            }
            for (&var, coefficient) in &row.form.coefficients {
                let product = times(terms, coefficient, multiplier);
                sum.coefficients.entry(var).or_default().push(product);
            }
            sum.constants
                .push(times(terms, &row.form.constant, multiplier));
        }
        let terms = &mut session.cx.terms;
        let sum = sum.finish(terms);
        let zero = literal(terms, &rat(0));
        for coefficient in sum.coefficients.into_values() {
            conditions.push(terms.eq(coefficient, zero));
        }
        conditions.push(terms.le(zero, sum.constant));
        conditions
    }

    /// Demands that the first phase falls by 1 on an arc and is not negative before it, if that can be.
    fn try_decrease(&mut self, session: &mut Session, arc: &PolyArc) -> Result<bool, Halt> {
        let mut falls = self.fall(session, arc, 0, None);
        falls.constant = plus(&mut session.cx.terms, falls.constant, -1);
        let mut conditions = self.follows(session, arc, falls);
        let bounded = self.form(arc.from, 0);
        conditions.extend(self.follows(session, arc, bounded));
        let all = session.cx.terms.and(&conditions);
        let is_solvable = is_solvable(session, &[all])?;
        if is_solvable {
            session.solver.assert(&session.cx.terms, all);
        }
        Ok(is_solvable)
    }

    /// A solution with as many zeros as can be had one after the other, by phases and cells.
    fn solution(
        &mut self,
        session: &mut Session,
    ) -> Result<Option<Vec<BTreeMap<usize, Linear>>>, Halt> {
        let n = self.variables.len();
        for template in &self.templates {
            let coefficients = template.values().flat_map(|own| &own[..n]);
            let constants = template.values().map(|own| &own[n]);
            for &unknown in coefficients.chain(constants) {
                let zero = literal(&mut session.cx.terms, &rat(0));
                let is_zero = session.cx.terms.eq(unknown, zero);
                if is_solvable(session, &[is_zero])? {
                    session.solver.assert(&session.cx.terms, is_zero);
                }
            }
        }
        if !is_solvable(session, &[])? {
            return Ok(None);
        }
        let phases = self.templates.iter().map(|template| {
            let forms = template.iter();
            forms
                .map(|(&cell, own)| Some((cell, self.value(session, own)?)))
                .collect::<Option<_>>()
        });
        Ok(phases.collect())
    }

    /// A template in the solver's model.
    fn value(&self, session: &mut Session, own: &[TermId]) -> Option<Linear> {
        let mut form = Linear::constant(rat(0));
        for (i, &unknown) in own.iter().enumerate() {
            let Some(Value::Rat(value)) = session.solver.value(&session.cx.terms, unknown) else {
                return None;
            };
            match self.variables.get(i) {
                Some(&var) => form.add(&Linear::var(var), &value),
                None => form.constant = value,
            }
        }
        Some(form)
    }
}

/// Whether the linear program in the solver's scope has a solution under some assumptions.
fn is_solvable(session: &mut Session, assumptions: &[TermId]) -> Result<bool, Halt> {
    session.stats.checks += 1;
    let terms = &session.cx.terms;
    match session.solver.check_briefly(terms, assumptions, STEPS) {
        Answer::Sat => Ok(true),
        Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
        Answer::Unsat | Answer::Unknown(_) => Ok(false),
    }
}

/// Sums under construction.
#[derive(Default)]
struct Sum {
    coefficients: BTreeMap<VarId, Vec<TermId>>,
    constants: Vec<TermId>,
}

impl Sum {
    fn add(&mut self, form: &Unknown) {
        for (&var, &coefficient) in &form.coefficients {
            self.coefficients.entry(var).or_default().push(coefficient);
        }
        self.constants.push(form.constant);
    }

    fn finish(self, terms: &mut Terms) -> Unknown {
        let coefficients = self.coefficients.into_iter();
        Unknown {
            coefficients: coefficients
                .map(|(var, parts)| (var, terms.add(&parts)))
                .collect(),
            constant: terms.add(&self.constants),
        }
    }
}

fn literal(terms: &mut Terms, value: &Rat) -> TermId {
    let sort = terms.sorts.rat();
    terms.lit(Value::Rat(value.clone()), sort)
}

fn times(terms: &mut Terms, factor: &Rat, term: TermId) -> TermId {
    let factor = literal(terms, factor);
    terms.mul(&[factor, term])
}

fn plus(terms: &mut Terms, term: TermId, number: i64) -> TermId {
    let number = literal(terms, &rat(number));
    terms.add(&[term, number])
}
