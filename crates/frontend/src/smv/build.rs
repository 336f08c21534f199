//! Makes the system of a flat model: one location, how it starts, one step.
//!
//! A step gives every state variable its next value (`next(x)`, a variable of the step alone), checks what must hold, and then
//! takes the next values over. Deterministic assignments come first, in an order in which each reads what has its value; then
//! variables that change freely; then constraints on these; then choices. So neither engine has to guess what the model
//! computes, and what is a relation reads as one (`verify/src/pass/relations.rs`).
//!
//! What properties and fairness read of a step (inputs, values before it) is remembered in variables that nothing else
//! reads: they are left out before a check that does not need them.

use super::assign::{Assignments, Given};
use super::block::Block;
use super::flat::{Domain, Flat, InstId, Slot, Sound, Wrong};
use super::spec::Memory;
use super::tree::{Constraint, Member, Role, Time};
use super::value::{Pick, PickId, Ty};
use crate::parser::shorten;
use crate::{Asked, Obligation};
use lariat_base::{Diagnostic, FxHashSet, Severity, SourceId, Span};
use lariat_expr::{Substitution, TermId, Value as Literal, VarId};
use lariat_system::{
    Edge, Fairness, Language, Location, Property, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// The model while its system is made.
pub(super) struct Model<'a, 'f> {
    pub flat: &'f mut Flat<'a>,
    /// The file.
    file: (SourceId, &'f str),
    /// What is asked from outside of it.
    asked: &'f [Asked<'f>],
    /// What must be impossible, with the finding if it is not.
    pub obligations: Vec<(TermId, Diagnostic)>,
    /// What every state satisfies, of the state before and after a step.
    invariants: Vec<TermId>,
    pub memory: Memory,
    pub justice: Vec<Fairness>,
    pub properties: Vec<Property>,
    /// Sums up delays, in continuous time.
    pub elapsed: Option<VarId>,
}

/// Constraints of one kind with their places.
#[derive(Default)]
struct Constraints {
    init: Vec<(TermId, Span)>,
    invar: Vec<(TermId, Span)>,
    next_invar: Vec<(TermId, Span)>,
    trans: Vec<(TermId, Span)>,
    urgent: Vec<TermId>,
}

/// What a term may not read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// States only.
    State,
    /// States and inputs.
    Inputs,
    /// Everything of a step.
    Step,
}

impl<'a, 'f> Model<'a, 'f> {
    pub fn new(flat: &'f mut Flat<'a>, file: (SourceId, &'f str), asked: &'f [Asked<'f>]) -> Self {
        Self {
            flat,
            file,
            asked,
            obligations: Vec::new(),
            invariants: Vec::new(),
            memory: Memory::default(),
            justice: Vec::new(),
            properties: Vec::new(),
            elapsed: None,
        }
    }

    /// The system, and what must be impossible in it.
    pub fn system(mut self, name: &str) -> Sound<(System, Vec<Obligation>)> {
        if self.flat.tree.timed.is_some() {
            self.elapsed = Some(self.require_divergence());
        }
        let assignments = self.collect_assignments();
        let constraints = self.constraints();
        let properties = self.read_properties();
        let unused = self.check_defines();
        let (assignments, constraints) = (assignments?, constraints?);
        properties.and(unused)?;
        let start = self.start_block(&assignments, &constraints)?;
        let step = self.step_block(&assignments, &constraints)?;
        let start = self.statements(start)?;
        let step = self.statements(step)?;
        if self.flat.findings.has_errors() {
            return Err(Wrong);
        }
        let obligations = self.obligations();
        let mut model = SystemBuilder::new(Language::Smv, name);
        for &sort in &self.flat.enum_sorts {
            model.sort(sort);
        }
        self.declare_variables(&mut model);
        let run = model.location(Location::new("run"));
        let branch = self.flat.cx.stmts.seq(&start, None);
        model.start(Edge::new(branch, run));
        let step = self.committed(step);
        model.edge(run, Edge::new(step, run));
        if self.flat.tree.timed.is_some() {
            let remembered = self.remember();
            let delay = self.delay(&constraints.invar, &constraints.urgent, &remembered);
            let name = self.flat.cx.names.intern("time passes".into());
            model.edge(run, Edge::new(delay, run).named(name));
            let clocks = self
                .flat
                .variables
                .iter()
                .filter(|variable| variable.is_clock);
            model.continuous(clocks.map(|variable| variable.now).collect());
        }
        for constraint in self.justice {
            model.fairness(constraint);
        }
        for property in self.properties {
            model.property(property);
        }
        Ok((model.finish(self.flat.cx), obligations))
    }

    fn declare_variables(&mut self, model: &mut SystemBuilder) {
        for slot in self.flat.variables.ids() {
            let first = self.flat.some_value(slot);
            let variable = &self.flat.variables[slot];
            let range = match &variable.domain {
                Domain::All => None,
                Domain::Range(low, high) => Some((low.clone(), high.clone())),
                Domain::OneOf(values) => values.first().cloned().zip(values.last().cloned()),
            };
            let is_input = variable.role == Role::Input;
            model.variable(Variable {
                range,
                span: Some(variable.span),
                // There is no input before the first step.
                initial: is_input.then_some(first),
                ..Variable::new(if is_input {
                    variable.next
                } else {
                    variable.now
                })
            });
        }
        for (slot, var) in self.memory.before.clone() {
            let first = self.flat.some_value(slot);
            let variable = &self.flat.variables[slot];
            let range = match &variable.domain {
                Domain::Range(low, high) => Some((low.clone(), high.clone())),
                _ => None,
            };
            model.variable(Variable {
                range,
                initial: Some(first),
                span: Some(variable.span),
                ..Variable::new(var)
            });
        }
        if let Some(elapsed) = self.elapsed {
            let variable = self.elapsed_variable(elapsed);
            model.variable(variable);
        }
        if let Some(stepped) = self.memory.stepped {
            model.variable(Variable {
                initial: Some(self.flat.cx.terms.false_()),
                ..Variable::new(stepped)
            });
        }
    }

    // ----- what is read -----

    /// Whether a place is in the file.
    pub fn is_of_file(&self, span: Span) -> bool {
        span.source == self.file.0
    }

    /// The text that a place is in.
    pub fn text_of(&self, span: Span) -> &'f str {
        let asked = self.asked.iter().find(|asked| asked.source == span.source);
        match asked {
            Some(asked) if span.source != self.file.0 => asked.text,
            _ => self.file.1,
        }
    }

    /// The value of a Boolean expression that must be defined everywhere.
    fn condition(
        &mut self,
        instance: InstId,
        expr: super::tree::ExprId,
        primed: bool,
        reads: Reads,
    ) -> Sound<TermId> {
        let span = self.flat.tree.spans[expr];
        let value = self.flat.value(instance, expr, primed)?;
        let term = self.flat.truth(&value, span)?;
        self.must_be_defined(value.undefined, span);
        if !primed {
            self.check_reads(term, reads, span)?;
        }
        Ok(term)
    }

    /// Reports inputs and next values where they have no place.
    fn check_reads(&mut self, term: TermId, reads: Reads, span: Span) -> Sound<()> {
        if reads == Reads::Step {
            return Ok(());
        }
        for var in self.flat.cx.terms.free_vars(&[term]) {
            let Some(&slot) = self.flat.slot_of.get(&var) else {
                continue;
            };
            let variable = &self.flat.variables[slot];
            let name = shorten(&variable.name).into_owned();
            match variable.role {
                Role::Input if reads == Reads::State => {
                    let message =
                        format!("the input `{name}` belongs to a step and cannot be read here");
                    return Err(self.flat.error("input-in-state", span, message));
                }
                Role::State if var == variable.next => {
                    let message = format!("`next({name})` cannot be read here");
                    return Err(self.flat.error("next-in-state", span, message));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn constraints(&mut self) -> Sound<Constraints> {
        let mut all = Constraints::default();
        let mut sound = Ok(());
        for place in self.flat.members.clone() {
            let member = self.flat.tree.modules[place.module].members[place.member].clone();
            let added = match member {
                Member::Constrain(kind, expr) => {
                    self.constraint(&mut all, kind, place.instance, expr)
                }
                Member::Compassion(request, response) => {
                    self.compassion(place.instance, request, response)
                }
                _ => continue,
            };
            sound = sound.and(added);
        }
        sound.map(|()| all)
    }

    fn constraint(
        &mut self,
        all: &mut Constraints,
        kind: Constraint,
        instance: InstId,
        expr: super::tree::ExprId,
    ) -> Sound<()> {
        let span = self.flat.tree.spans[expr];
        match kind {
            Constraint::Init => {
                let term = self.condition(instance, expr, false, Reads::State)?;
                all.init.push((term, span));
            }
            Constraint::Invar => {
                let term = self.condition(instance, expr, false, Reads::State)?;
                if self.flat.tree.timed.is_some() {
                    self.check_convex(term, span);
                }
                all.invar.push((term, span));
                let next = self.condition(instance, expr, true, Reads::Step)?;
                all.next_invar.push((next, span));
                self.invariants.extend([term, next]);
            }
            Constraint::Trans => {
                let term = self.condition(instance, expr, false, Reads::Step)?;
                all.trans.push((term, span));
            }
            Constraint::Urgent => {
                let term = self.condition(instance, expr, false, Reads::State)?;
                self.check_urgent(term, span);
                all.urgent.push(term);
            }
            Constraint::Justice => {
                let term = self.condition(instance, expr, false, Reads::Inputs)?;
                let term = self.remembered(term);
                self.justice.push(Fairness::Justice(term));
            }
        }
        Ok(())
    }

    fn compassion(
        &mut self,
        instance: InstId,
        request: super::tree::ExprId,
        response: super::tree::ExprId,
    ) -> Sound<()> {
        let request = self.condition(instance, request, false, Reads::Inputs)?;
        let response = self.condition(instance, response, false, Reads::Inputs)?;
        let (request, response) = if self.reads_step(request) || self.reads_step(response) {
            (self.after_step(request), self.after_step(response))
        } else {
            (request, response)
        };
        self.justice.push(Fairness::Compassion(request, response));
        Ok(())
    }

    /// Defines that nothing uses must make sense, too.
    fn check_defines(&mut self) -> Sound<()> {
        let mut sound = Ok(());
        for place in self.flat.members.clone() {
            if let Member::Define { value, .. } =
                self.flat.tree.modules[place.module].members[place.member]
            {
                sound = sound.and(self.flat.value(place.instance, value, false).map(|_| ()));
            }
        }
        sound
    }

    // ----- obligations -----

    /// In the model, a value must be defined for all values of the types.
    pub fn must_be_defined(&mut self, undefined: TermId, span: Span) {
        let message =
            "this can be undefined: no case fits, a division by zero, or an index out of bounds";
        let finding = Diagnostic::error("undefined-value", message).at(span);
        let hint = "all values of the types count, reachable or not: add a guard, or `TRUE : …` as last case";
        self.obligations.push((undefined, finding.hint(hint)));
    }

    /// In a property, it had better be.
    pub fn may_be_undefined(&mut self, undefined: TermId, span: Span) {
        let message =
            "this can be undefined: no case fits, a division by zero, or an index out of bounds";
        let finding = Diagnostic::warning("undefined-value", message).at(span);
        let hint = "the last case, 0 or the last element is taken then; add a guard";
        self.obligations.push((undefined, finding.hint(hint)));
    }

    /// The obligations that are not trivial, each with what the types say of the variables in it.
    fn obligations(&mut self) -> Vec<Obligation> {
        let mut all = Vec::new();
        let mut seen = FxHashSet::default();
        for (bad, finding) in self.graded_obligations() {
            let place = finding.primary.as_ref().map(|at| at.span);
            if bad == self.flat.cx.terms.false_() || !seen.insert((bad, place)) {
                continue;
            }
            let mut parts = vec![bad];
            for var in self.flat.cx.terms.free_vars(&[bad]) {
                if let Some(&slot) = self.flat.slot_of.get(&var) {
                    let domain = self.flat.variables[slot].domain.clone();
                    let term = self.flat.cx.terms.var(var);
                    parts.push(self.flat.in_domain(&domain, term));
                }
            }
            let mut finding = finding;
            if self.is_unbounded(bad) {
                // Types do not bound it: what states must satisfy counts, and what is left is not certain to matter.
                parts.extend(&self.invariants);
                finding.severity = Severity::Warning;
            }
            let bad = self.flat.cx.terms.and(&parts);
            if bad != self.flat.cx.terms.false_() {
                all.push(Obligation { bad, finding });
            }
        }
        all
    }

    /// The obligations, those of words apart: they are warnings.
    fn graded_obligations(&mut self) -> Vec<(TermId, Diagnostic)> {
        let warned = self.flat.warned();
        let terms = &mut self.flat.cx.terms;
        let [strict, all] = [terms.false_(), terms.true_()].map(|truth| {
            let mut substitution = Substitution::new();
            substitution.replace(terms, warned, truth);
            substitution
        });
        let (mut strict, mut all) = (strict, all);
        let mut graded = Vec::new();
        for (bad, finding) in std::mem::take(&mut self.obligations) {
            let without = strict.apply(terms, bad);
            if without != bad {
                let message =
                    "words can be divided by zero here, or shifted by more than their width";
                let warning = Diagnostic {
                    primary: finding.primary.clone(),
                    ..Diagnostic::warning("undefined-word", message)
                };
                let hint = "as in SMT-LIB, a quotient by zero is all ones, a rest the dividend, and nothing is left of what is shifted too far";
                graded.push((all.apply(terms, bad), warning.hint(hint)));
            }
            graded.push((without, finding));
        }
        graded
    }

    /// Whether a term reads a number without bounds.
    fn is_unbounded(&self, term: TermId) -> bool {
        let vars = self.flat.cx.terms.free_vars(&[term]);
        vars.iter().any(|var| {
            self.flat.slot_of.get(var).is_some_and(|&slot| {
                let variable = &self.flat.variables[slot];
                variable.domain == Domain::All && matches!(variable.ty, Ty::Int | Ty::Real)
            })
        })
    }

    // ----- how it starts and steps -----

    fn start_block(
        &mut self,
        assignments: &Assignments,
        constraints: &Constraints,
    ) -> Sound<Block> {
        let mut block = Block::default();
        for slot in self.flat.variables.ids() {
            let variable = &self.flat.variables[slot];
            if variable.role == Role::Input {
                continue;
            }
            let (now, span) = (variable.now, variable.span);
            let given = [Time::Init, Time::Always]
                .into_iter()
                .find_map(|time| assignments.of.get(&(slot, time))?.first());
            match given {
                Some(given) => {
                    let pick = self.given_value(slot, given, false)?;
                    self.check_pick(pick, Reads::State, given.span)?;
                    block.given.push((now, pick, given.span));
                }
                None => block.free.push((now, self.domain_of(slot, now), span)),
            }
        }
        block
            .assumed
            .extend(constraints.init.iter().chain(&constraints.invar));
        Ok(block)
    }

    fn step_block(&mut self, assignments: &Assignments, constraints: &Constraints) -> Sound<Block> {
        let mut block = Block::default();
        for slot in self.flat.variables.ids() {
            let variable = &self.flat.variables[slot];
            let (role, now, next, span) =
                (variable.role, variable.now, variable.next, variable.span);
            match role {
                Role::Frozen => {}
                Role::Input => block.free.push((now, self.domain_of(slot, now), span)),
                Role::State => {
                    let given = if let Some(given) = assignments.of.get(&(slot, Time::Next)) {
                        Some((self.next_value(slot, given)?, given[0].span))
                    } else if let Some(given) = assignments.of.get(&(slot, Time::Always)) {
                        Some((self.given_value(slot, &given[0], true)?, given[0].span))
                    } else {
                        None
                    };
                    match given {
                        Some((pick, span)) => block.given.push((next, pick, span)),
                        None => block.free.push((next, self.domain_of(slot, next), span)),
                    }
                }
            }
        }
        block
            .assumed
            .extend(constraints.trans.iter().chain(&constraints.next_invar));
        Ok(block)
    }

    /// What a variable is given in a step: by the process that moves, else its old value.
    fn next_value(&mut self, slot: Slot, given: &[Given]) -> Sound<PickId> {
        let Some(selector) = self.flat.selector else {
            return self.given_value(slot, &given[0], false);
        };
        let now = self.flat.variables[slot].now;
        let now = self.flat.cx.terms.var(now);
        let mut pick = self.flat.pick(Pick::One(now));
        let moving = self.flat.variables[selector].now;
        let sort = self.flat.cx.terms.var_sort(moving);
        let moving = self.flat.cx.terms.var(moving);
        for given in given {
            let own = self.given_value(slot, given, false)?;
            let position = self
                .flat
                .processes
                .iter()
                .position(|&process| process == given.process);
            let position = position.expect("an instance belongs to a process") as u32;
            let literal = self.flat.cx.terms.lit(Literal::Enum(position), sort);
            let moves = self.flat.cx.terms.eq(moving, literal);
            pick = self.flat.pick(Pick::If(moves, own, pick));
        }
        Ok(pick)
    }

    fn domain_of(&mut self, slot: Slot, var: VarId) -> TermId {
        let domain = self.flat.variables[slot].domain.clone();
        let term = self.flat.cx.terms.var(var);
        self.flat.in_domain(&domain, term)
    }

    fn check_pick(&mut self, pick: PickId, reads: Reads, span: Span) -> Sound<()> {
        for term in self.terms_of(pick) {
            self.check_reads(term, reads, span)?;
        }
        Ok(())
    }

    /// A step with what is remembered and taken over at its end.
    fn committed(&mut self, mut step: Vec<StmtId>) -> StmtId {
        step.extend(self.remember());
        if let Some(elapsed) = self.elapsed {
            step.push(self.count_time(elapsed, None));
        }
        for slot in self.flat.variables.ids() {
            let variable = &self.flat.variables[slot];
            let (to, from, span) = match variable.role {
                Role::Frozen => continue,
                Role::State => (variable.now, variable.next, variable.span),
                Role::Input => (variable.next, variable.now, variable.span),
            };
            let value = self.flat.cx.terms.var(from);
            step.push(self.flat.cx.stmts.add(Stmt::Assign(to, value), Some(span)));
        }
        self.flat.cx.stmts.seq(&step, None)
    }

    /// Remembers the values before a step, and that there was one.
    fn remember(&mut self) -> Vec<StmtId> {
        let mut step = Vec::new();
        for (slot, before) in self.memory.before.clone() {
            let variable = &self.flat.variables[slot];
            let (now, span) = (variable.now, variable.span);
            let now = self.flat.cx.terms.var(now);
            step.push(
                self.flat
                    .cx
                    .stmts
                    .add(Stmt::Assign(before, now), Some(span)),
            );
        }
        if let Some(stepped) = self.memory.stepped {
            let yes = self.flat.cx.terms.true_();
            step.push(self.flat.cx.stmts.add(Stmt::Assign(stepped, yes), None));
        }
        step
    }
}
