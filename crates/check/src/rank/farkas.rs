//! Linear measures by linear programming.
//!
//! A measure is a template: for each location, unknown multiples of the variables plus an unknown constant. That it does
//! not increase on a polyhedron, that it falls by 1, that it is not negative, are linear consequences of the polyhedron's
//! rows, and by Farkas' lemma a linear form follows from rows exactly if it is a combination of them with multipliers
//! that are not negative. Rows are constants, so these conditions are linear in the unknowns and the multipliers
//! (Podelski and Rybalchenko, "A complete method for the synthesis of linear ranking functions", VMCAI 2004; over
//! whole components, level by level: Alias, Darte, Feautrier and Gonnord, SAS 2010). Levels come one at a time: what one
//! leaves of the component is a component of the next round.
//!
//! *Nested* templates for loops in phases (Leike and Heizmann, TACAS 2014): the first falls by 1, each next one falls
//! by 1 once the one before is negative, the last is not negative.

use super::component::Move;
use super::linear::{Linear, rat};
use super::measure::{Level, Measure};
use super::polyhedra::{PolyArc, arcs};
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Rat, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Reason};
use lariat_system::PointId;
use std::collections::BTreeMap;

/// The solver's steps for one linear program.
const STEPS: u32 = 3_000_000;
/// Unknowns are instances of their own, as ghosts are.
const UNKNOWN: u32 = u32::MAX - 3;
/// The longest nested template.
const MAX_PHASES: usize = 3;

/// A linear measure for the loop of a component, if there is one.
pub(super) fn best(
    session: &mut Session,
    moves: &[Move],
    is_new: &dyn Fn(&Measure) -> bool,
) -> Result<Option<Measure>, Halt> {
    let Some(all) = arcs(session, moves)? else {
        return Ok(None);
    };
    let on_loop: Vec<PolyArc> = all.iter().filter(|arc| arc.on_loop).cloned().collect();
    let has_others = on_loop.len() < all.len();
    for arcs in [&all, &on_loop] {
        if let Some(found) = affine(session, arcs)?.filter(is_new) {
            return Ok(Some(found));
        }
        for n_phases in 2..=MAX_PHASES {
            if let Some(found) = nested(session, arcs, n_phases)?.filter(is_new) {
                return Ok(Some(found));
            }
        }
        if !has_others {
            break;
        }
    }
    Ok(None)
}

/// A measure that no arc increases and one on the loop decreases, and as many others as can be.
fn affine(session: &mut Session, arcs: &[PolyArc]) -> Result<Option<Measure>, Halt> {
    session.scoped(|session| {
        let mut program = Program::new(session, arcs, 1);
        for arc in arcs {
            let falls = program.fall(session, arc, 0, None);
            program.demand(session, arc, falls);
        }
        if !is_solvable(session, &[])? {
            return Ok(None);
        }
        let mut any = false;
        let (first, others): (Vec<_>, Vec<_>) = arcs.iter().partition(|arc| arc.on_loop);
        for arc in first {
            any |= program.try_decrease(session, arc)?;
        }
        if !any {
            return Ok(None);
        }
        for arc in others {
            program.try_decrease(session, arc)?;
        }
        program.solution(session, arcs)
    })
}

/// A measure in phases that every arc decreases.
fn nested(
    session: &mut Session,
    arcs: &[PolyArc],
    n_phases: usize,
) -> Result<Option<Measure>, Halt> {
    session.scoped(|session| {
        let mut program = Program::new(session, arcs, n_phases);
        for arc in arcs {
            for phase in 0..n_phases {
                let mut falls = program.fall(session, arc, phase, phase.checked_sub(1));
                falls.constant = plus(&mut session.cx.terms, falls.constant, -1);
                program.demand(session, arc, falls);
            }
            let last = program.form(arc.from, n_phases - 1);
            program.demand(session, arc, last);
        }
        if !is_solvable(session, &[])? {
            return Ok(None);
        }
        program.solution(session, arcs)
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
    /// For each phase and location: the coefficient of each variable, then the constant.
    templates: Vec<FxHashMap<PointId, Vec<TermId>>>,
    variables: Vec<VarId>,
    n_unknowns: usize,
}

impl Program {
    fn new(session: &mut Session, arcs: &[PolyArc], n_phases: usize) -> Self {
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
            let mut template = FxHashMap::default();
            for at in arcs.iter().flat_map(|arc| [arc.from, arc.to]) {
                template.entry(at).or_insert_with(|| {
                    (0..=program.variables.len())
                        .map(|_| program.unknown(session))
                        .collect()
                });
            }
            program.templates.push(template);
        }
        program
    }

    fn unknown(&mut self, session: &mut Session) -> TermId {
        let terms = &mut session.cx.terms;
        let (name, rat) = (format!("unknown {}", self.n_unknowns), terms.sorts.rat());
        self.n_unknowns += 1;
        let var = terms.declare_instance(&name, rat, UNKNOWN);
        terms.var(var)
    }

    /// The template of a phase at a location.
    fn form(&self, at: PointId, phase: usize) -> Unknown {
        let own = &self.templates[phase][&at];
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

    /// A solution with as many zeros as can be had one after the other, as a measure.
    fn solution(
        &mut self,
        session: &mut Session,
        arcs: &[PolyArc],
    ) -> Result<Option<Measure>, Halt> {
        let mut scope: Vec<PointId> = arcs.iter().flat_map(|arc| [arc.from, arc.to]).collect();
        scope.sort_unstable();
        scope.dedup();
        let n = self.variables.len();
        for template in &self.templates {
            let coefficients = scope.iter().flat_map(|at| &template[at][..n]);
            let constants = scope.iter().map(|at| &template[at][n]);
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
        let mut levels = Vec::new();
        for phase in 0..self.templates.len() {
            let mut forms = Vec::new();
            for &at in &scope {
                let Some(form) = self.value(session, at, phase) else {
                    return Ok(None);
                };
                forms.push(form);
            }
            levels.push(forms);
        }
        let is_last = |phase: usize| phase + 1 == levels.len();
        let levels = levels.iter().enumerate().map(|(phase, forms)| {
            // What a phase hands over to the next at, -1, is what a level ignores.
            let shift = i64::from(!is_last(phase));
            level(&mut session.cx.terms, &scope, forms, shift)
        });
        Ok(Some(Measure {
            levels: levels.collect(),
            scope: scope.clone(),
        }))
    }

    /// The form of a phase at a location in the solver's model.
    fn value(&self, session: &mut Session, at: PointId, phase: usize) -> Option<Linear> {
        let own = self.templates[phase][&at].clone();
        let mut form = Linear::constant(rat(0));
        for (i, unknown) in own.into_iter().enumerate() {
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

/// A level with the forms of some locations, all multiplied so that they are whole.
fn level(terms: &mut Terms, scope: &[PointId], forms: &[Linear], shift: i64) -> Level {
    let mut multiple = rat(1);
    for form in forms {
        for number in form.coefficients.values().chain([&form.constant]) {
            let scaled = number * &multiple;
            multiple = &multiple * &Rat::from(scaled.denominator().clone());
        }
    }
    let mut at = FxHashMap::default();
    for (&place, form) in scope.iter().zip(forms) {
        let mut scaled = Linear::constant(rat(shift));
        scaled.add(form, &multiple);
        at.insert(place, scaled.term(terms));
    }
    let term = at[&scope[0]];
    if at.values().all(|&other| other == term) {
        return Level::uniform(term);
    }
    Level { term, at }
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
