//! Properties of SMV, and what they read of a step: inputs, and the values before it.

use super::build::Model;
use super::flat::{InstId, Slot, Sound};
use super::tree::{ExprId, Member, Role};
use super::value::Data;
use crate::parser::shorten;
use lariat_base::{Diagnostic, FxHashMap, Span};
use lariat_expr::{Substitution, TermId, VarId};
use lariat_system::{Property, PropertyBody};

/// What is remembered of the last step.
#[derive(Default)]
pub(super) struct Memory {
    /// The variable that has the value of each one before the step, in the order of their first use.
    pub before: Vec<(Slot, VarId)>,
    of: FxHashMap<Slot, VarId>,
    /// Whether there was a step.
    pub stepped: Option<VarId>,
}

impl Model<'_, '_> {
    pub(super) fn read_properties(&mut self) -> Sound<()> {
        let mut names: FxHashMap<String, Span> = FxHashMap::default();
        let mut counts: FxHashMap<(InstId, bool), usize> = FxHashMap::default();
        let mut sound = Ok(());
        for place in self.flat.members.clone() {
            let member = self.flat.tree.modules[place.module].members[place.member].clone();
            let Member::Spec {
                is_ltl,
                name,
                formula,
                span,
                place: inside,
            } = member
            else {
                continue;
            };
            let count = counts.entry((place.instance, is_ltl)).or_default();
            let own = match &name {
                Some((name, _)) => name.to_string(),
                None => format!("{}{count}", if is_ltl { "ltl" } else { "inv" }),
            };
            *count += 1;
            let full = format!("{}{own}", self.flat.instances[place.instance].prefix);
            let at = name.as_ref().map_or(span, |(_, span)| *span);
            if let Some(first) = names.insert(full.clone(), at) {
                let message = format!("there are two properties `{}`", shorten(&full));
                let finding = Diagnostic::error("duplicate-name", message).at(at);
                sound = Err(self.flat.report(finding.also(first, "the first")));
                continue;
            }
            let read = self.place_of(place.instance, inside).and_then(|instance| {
                if is_ltl {
                    self.temporal(instance, formula)
                } else {
                    self.invariant(instance, formula).map(Some)
                }
            });
            match read {
                Ok(None) => {}
                Ok(Some(body)) => self.properties.push(Property {
                    name: full.into(),
                    alias: None,
                    body,
                    span: Some(span),
                }),
                Err(wrong) => sound = Err(wrong),
            }
        }
        sound
    }

    /// A temporal formula; nothing if it is about time in a way that is not supported.
    fn temporal(&mut self, instance: InstId, expr: ExprId) -> Sound<Option<PropertyBody>> {
        let span = self.flat.tree.spans[expr];
        let source = self.text_of(span);
        let (formula, later) = self.formula(instance, expr, source)?;
        if self.flat.tree.timed.is_some() && !self.is_dense(&formula) {
            // Whoever asks from outside is told when the formula is read in our own spelling.
            if self.is_of_file(span) {
                let message = "this LTLSPEC is skipped: it can tell a delay from two shorter ones";
                let finding = Diagnostic::warning("skipped-property", message).at(span);
                let hint =
                    "in continuous time, formulas without `X`, inputs and clocks are supported";
                self.flat.report(finding.hint(hint));
            }
            return Ok(None);
        }
        let formula = if later {
            self.of_states(&formula)
        } else {
            formula
        };
        Ok(Some(PropertyBody::Temporal(formula)))
    }

    /// The instance that a property speaks of: `IN instance`, or where it stands.
    fn place_of(&mut self, instance: InstId, inside: Option<ExprId>) -> Sound<InstId> {
        let Some(expr) = inside else {
            return Ok(instance);
        };
        let span = self.flat.tree.spans[expr];
        let value = self.flat.value(instance, expr, false)?;
        match value.data {
            Data::Instance(id) => Ok(id),
            _ => Err(self.flat.error(
                "bad-context",
                span,
                "behind `IN` stands an instance of a module",
            )),
        }
    }

    /// True in every state; of a step, true of every step.
    fn invariant(&mut self, instance: InstId, expr: ExprId) -> Sound<PropertyBody> {
        let span = self.flat.tree.spans[expr];
        let value = self.flat.value(instance, expr, false)?;
        let term = self.flat.truth(&value, span)?;
        self.may_be_undefined(value.undefined, span);
        if !self.reads_step(term) {
            return Ok(PropertyBody::Invariant(term));
        }
        let term = self.after_step(term);
        let bool_ = self.flat.cx.terms.sorts.bool();
        let stepped = self.flat.cx.terms.declare("stepped()", bool_);
        self.memory.stepped = Some(stepped);
        let stepped = self.flat.cx.terms.var(stepped);
        Ok(PropertyBody::Invariant(
            self.flat.cx.terms.implies(stepped, term),
        ))
    }

    /// Whether a term reads inputs or next values.
    pub fn reads_step(&self, term: TermId) -> bool {
        let vars = self.flat.cx.terms.free_vars(&[term]);
        vars.iter().any(|var| {
            self.flat.slot_of.get(var).is_some_and(|&slot| {
                let variable = &self.flat.variables[slot];
                variable.role == Role::Input
                    || variable.role == Role::State && *var == variable.next
            })
        })
    }

    /// A term about states, or what it says of the last step if it reads inputs.
    pub(super) fn remembered(&mut self, term: TermId) -> TermId {
        if self.reads_step(term) {
            self.after_step(term)
        } else {
            term
        }
    }

    /// What a term about a step says after it, by what is remembered of it.
    pub fn after_step(&mut self, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        for var in self.flat.cx.terms.free_vars(&[term]) {
            let Some(&slot) = self.flat.slot_of.get(&var) else {
                continue;
            };
            let variable = &self.flat.variables[slot];
            let by = match variable.role {
                Role::Frozen => continue,
                Role::Input => variable.next,
                Role::State if var == variable.next => variable.now,
                Role::State => self.before(slot),
            };
            let by = self.flat.cx.terms.var(by);
            substitution.insert(&mut self.flat.cx.terms, var, by);
        }
        substitution.apply(&mut self.flat.cx.terms, term)
    }

    /// The variable that has the value of another one before the last step.
    fn before(&mut self, slot: Slot) -> VarId {
        if let Some(&known) = self.memory.of.get(&slot) {
            return known;
        }
        let variable = &self.flat.variables[slot];
        let name = format!("prev({})", variable.name);
        let sort = self.flat.cx.terms.var_sort(variable.now);
        let var = self.flat.cx.terms.declare(&name, sort);
        self.memory.before.push((slot, var));
        self.memory.of.insert(slot, var);
        var
    }
}
