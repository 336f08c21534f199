//! Assignments of all instances: which variable each one gives a value, at the start, in every step or always.

use super::build::Model;
use super::flat::{Domain, InstId, Layout, Slot, Sound};
use super::tree::{ExprId, Member, Role, Time};
use super::value::{Data, Pick, PickId, Ty, Value};
use crate::parser::shorten;
use lariat_base::{Diagnostic, FxHashMap, Span};
use lariat_expr::{Int, Op, TermId, Value as Literal};
use std::rc::Rc;

/// An assignment of a scalar.
#[derive(Clone)]
pub(super) struct Given {
    /// The process that it belongs to.
    pub process: InstId,
    pub instance: InstId,
    pub value: ExprId,
    /// The indices of the element of an array value, outer ones first.
    pub element: Vec<usize>,
    pub span: Span,
}

/// The assignments by variable and time, those of `next` one for each process.
#[derive(Default)]
pub(super) struct Assignments {
    pub of: FxHashMap<(Slot, Time), Vec<Given>>,
}

impl Model<'_, '_> {
    /// Collects the assignments of all instances.
    pub(super) fn collect_assignments(&mut self) -> Sound<Assignments> {
        let mut all = Assignments::default();
        let mut sound = Ok(());
        for place in self.flat.members.clone() {
            let member = &self.flat.tree.modules[place.module].members[place.member];
            let Member::Assign {
                time,
                target,
                value,
            } = *member
            else {
                continue;
            };
            let span = self.flat.tree.spans[target];
            let given = Given {
                process: self.flat.instances[place.instance].process,
                instance: place.instance,
                value,
                element: Vec::new(),
                span: span.to(self.flat.tree.spans[value]),
            };
            let added = match self.flat.target(place.instance, target) {
                Ok(layout) => self.add_assignments(&mut all, &layout, time, given),
                Err(wrong) => Err(wrong),
            };
            sound = sound.and(added);
        }
        sound.map(|()| all)
    }

    /// Adds an assignment to a variable, or to the elements of an array. The recursion follows nested array types.
    fn add_assignments(
        &mut self,
        all: &mut Assignments,
        layout: &Layout,
        time: Time,
        given: Given,
    ) -> Sound<()> {
        match layout {
            Layout::Array(_, elements) => {
                for (at, element) in elements.iter().enumerate() {
                    let mut given = given.clone();
                    given.element.push(at);
                    self.add_assignments(all, element, time, given)?;
                }
                Ok(())
            }
            Layout::Scalar(slot) => self.add_assignment(all, *slot, time, given),
        }
    }

    fn add_assignment(
        &mut self,
        all: &mut Assignments,
        slot: Slot,
        time: Time,
        given: Given,
    ) -> Sound<()> {
        let variable = &self.flat.variables[slot];
        let name = shorten(&variable.name).into_owned();
        let refusal = match (variable.role, time) {
            (Role::Input, _) => Some("an input"),
            (Role::Frozen, Time::Next | Time::Always) => {
                Some("a frozen variable, which never changes,")
            }
            _ => None,
        };
        if let Some(what) = refusal {
            let message = format!("`{name}` is {what} and cannot be assigned here");
            return Err(self.flat.error("bad-target", given.span, message));
        }
        let rivals: &[Time] = match time {
            Time::Always => &[Time::Always, Time::Init, Time::Next],
            Time::Init => &[Time::Always, Time::Init],
            Time::Next => &[Time::Always, Time::Next],
        };
        for &rival in rivals {
            let known = all.of.get(&(slot, rival)).into_iter().flatten();
            let clash = |known: &&Given| {
                !(rival == Time::Next && time == Time::Next && known.process != given.process)
            };
            if let Some(first) = known.into_iter().find(clash) {
                let finding =
                    Diagnostic::error("assigned-twice", format!("`{name}` is assigned twice"));
                let finding = finding
                    .at(given.span)
                    .also(first.span, "the other assignment");
                return Err(self.flat.report(finding));
            }
        }
        all.of.entry((slot, time)).or_default().push(given);
        Ok(())
    }

    /// What an assignment may give its variable, in the variable's type; what it must not is an obligation.
    pub(super) fn given_value(&mut self, slot: Slot, given: &Given, primed: bool) -> Sound<PickId> {
        let value = self.flat.value(given.instance, given.value, primed)?;
        let value = self.element_of(value, &given.element, given.span)?;
        let (ty, pick) = self.flat.as_set(&value, given.span)?;
        self.must_be_defined(value.undefined, given.span);
        self.fitted(slot, &ty, pick, given.span)
    }

    fn element_of(
        &mut self,
        mut value: Rc<Value>,
        element: &[usize],
        span: Span,
    ) -> Sound<Rc<Value>> {
        for &at in element {
            let inner = match &value.data {
                Data::Array(_, elements) => elements.get(at).cloned(),
                _ => None,
            };
            value = inner.ok_or_else(|| {
                self.flat.error(
                    "type-mismatch",
                    span,
                    "an array is given another array of its length",
                )
            })?;
        }
        Ok(value)
    }

    /// A set of values in the type and sort of a variable.
    fn fitted(&mut self, slot: Slot, ty: &Ty, pick: PickId, span: Span) -> Sound<PickId> {
        let variable = &self.flat.variables[slot];
        let (own, now) = (variable.ty.clone(), variable.now);
        let pick = self.flat.set_as(pick, ty, &own, span)?;
        let no = self.flat.cx.terms.false_();
        let (pick, bad) = if own == Ty::Symbol {
            let sort = self.flat.cx.terms.var_sort(now);
            let bad = self.flat.fold_pick(
                pick,
                |flat, single| match single {
                    Pick::One(term) => Ok(flat.convert(*term, sort).1),
                    _ => Ok(no),
                },
                Op::Or,
            )?;
            let pick = self
                .flat
                .map_pick(pick, |flat, term| Ok(flat.convert(term, sort).0))?;
            (pick, bad)
        } else if self.flat.variables[slot].domain == Domain::All {
            (pick, no)
        } else {
            let bad =
                self.flat
                    .fold_pick(pick, |flat, single| Ok(flat.outside(slot, single)), Op::Or)?;
            (pick, bad)
        };
        if bad != no {
            let variable = &self.flat.variables[slot];
            let message = format!(
                "this can be outside of {}",
                describe_domain(
                    &variable.domain,
                    &self
                        .flat
                        .cx
                        .terms
                        .sorts
                        .name(self.flat.cx.terms.var_sort(now))
                )
            );
            let finding = Diagnostic::error("out-of-range", message).at(span);
            let name = shorten(&variable.name).into_owned();
            let finding = finding.also(variable.span, format!("`{name}` is declared here"));
            let hint = "every value of the right side must fit, reachable or not: guard it, or widen the type";
            self.obligations.push((bad, finding.hint(hint)));
        }
        Ok(pick)
    }
}

impl super::flat::Flat<'_> {
    /// That a value lies outside of the domain of a variable; pushed into cases, where most are constants.
    fn outside(&mut self, slot: Slot, single: &Pick) -> TermId {
        let domain = self.variables[slot].domain.clone();
        match single {
            Pick::One(term) => self.outside_term(&domain, *term),
            Pick::Range(low, high) => {
                let inside = match &domain {
                    Domain::All => true,
                    Domain::Range(from, to) => from <= low && high <= to,
                    Domain::OneOf(values) => {
                        let within = values
                            .iter()
                            .filter(|value| low <= value && *value <= high)
                            .count();
                        i64::try_from(within).is_ok_and(|n| high - low == Int::from(n - 1))
                    }
                };
                self.cx.terms.bool(!inside)
            }
            Pick::Any(_) | Pick::If(..) => unreachable!("leaves are single values and ranges"),
        }
    }

    fn outside_term(&mut self, domain: &Domain, term: TermId) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut todo = vec![term];
        while let Some(&at) = todo.last() {
            if done.contains_key(&at) {
                todo.pop();
                continue;
            }
            if let Some(&[condition, then, otherwise]) = self.cx.terms.as_op(at, Op::Ite) {
                match (done.get(&then), done.get(&otherwise)) {
                    (Some(&a), Some(&b)) => {
                        let bad = self.cx.terms.ite(condition, a, b);
                        done.insert(at, bad);
                    }
                    _ => todo.extend([then, otherwise]),
                }
                continue;
            }
            let inside = self.in_domain(domain, at);
            let bad = if self.keeps_domain(domain, at) {
                self.cx.terms.false_()
            } else {
                self.cx.terms.not(inside)
            };
            done.insert(at, bad);
        }
        done[&term]
    }

    /// Whether a term is a variable of the same domain or a smaller one.
    fn keeps_domain(&self, domain: &Domain, term: TermId) -> bool {
        let slot = self
            .cx
            .terms
            .as_var(term)
            .and_then(|var| self.slot_of.get(&var));
        let own = slot.map(|&slot| &self.variables[slot].domain);
        match (domain, own) {
            (Domain::Range(low, high), Some(Domain::Range(from, to))) => low <= from && to <= high,
            (domain, Some(own)) => domain == own,
            _ => false,
        }
    }

    /// That a number lies in a domain.
    pub(super) fn in_domain(&mut self, domain: &Domain, term: TermId) -> TermId {
        match domain {
            Domain::All => self.cx.terms.true_(),
            Domain::Range(low, high) => self.between(term, low, high),
            Domain::OneOf(values) => {
                let mut cases = Vec::with_capacity(values.len());
                for value in values {
                    let value = self.cx.terms.int(value.clone());
                    cases.push(self.cx.terms.eq(term, value));
                }
                self.cx.terms.or(&cases)
            }
        }
    }

    /// Some value of a variable: the first of its domain.
    pub(super) fn some_value(&mut self, slot: Slot) -> TermId {
        let variable = &self.variables[slot];
        let first = match &variable.domain {
            Domain::All => None,
            Domain::Range(low, _) => Some(low.clone()),
            Domain::OneOf(values) => values.first().cloned(),
        };
        let sort = self.cx.terms.var_sort(variable.now);
        let value = match first {
            Some(int) => Literal::Int(int),
            None => Literal::some(&self.cx.terms.sorts, sort),
        };
        self.cx.terms.lit(value, sort)
    }
}

fn describe_domain(domain: &Domain, sort: &str) -> String {
    match domain {
        Domain::All => sort.to_owned(),
        Domain::Range(low, high) => format!("{low}..{high}"),
        Domain::OneOf(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{{{}}}", values.join(", "))
        }
    }
}
