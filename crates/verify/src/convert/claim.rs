//! What is asked of a machine. Every state of a machine is a letter there, so a formula about the observed states of a
//! model is one about those states of the machine that are observed.

use super::machine::Machine;
use super::names::Names;
use crate::model::Model;
use crate::property::{Atom, Claim as Asked, Property};
use lariat_base::FxHashMap;
use lariat_expr::{TermId, Terms};
use lariat_ltl::{ApId, Automaton, Class, FormulaId, Formulas, Op};
use lariat_system::Context;
use std::sync::Arc;

/// A question about a machine.
#[derive(Clone, Debug)]
pub(super) struct Claimed {
    /// Its name in the file that is written.
    pub name: String,
    /// What was asked.
    pub text: String,
    pub claim: Claim,
}

/// What a question claims of all runs of a machine.
#[derive(Clone, Debug)]
pub(super) enum Claim {
    /// This is true in every state.
    Always(TermId),
    /// No fair run is bad.
    Temporal(Temporal),
    /// No fair run makes all of these true infinitely often; they may read the inputs of the step.
    NeverAll(Vec<TermId>),
}

/// A temporal property.
#[derive(Clone, Debug)]
pub(super) struct Temporal {
    /// Reads the observed states, and accepts the words of bad runs.
    pub automaton: Arc<Automaton>,
    /// Its atoms.
    pub letters: Vec<TermId>,
    /// The same as a formula that reads every state of the machine, if the property was one.
    pub formula: Option<Formula>,
}

/// A formula with what its atoms mean.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    pub formulas: Formulas,
    pub root: FormulaId,
    pub atoms: Vec<(ApId, TermId)>,
}

impl Claim {
    /// What it reads.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Self::Always(term) => vec![*term],
            Self::NeverAll(terms) => terms.clone(),
            Self::Temporal(temporal) => {
                let mut terms = temporal.letters.clone();
                let atoms = temporal.formula.iter().flat_map(|formula| &formula.atoms);
                terms.extend(atoms.map(|atom| atom.1));
                terms
            }
        }
    }

    /// Rewrites what it reads.
    pub fn map_terms<E>(
        &mut self,
        map: &mut dyn FnMut(TermId) -> Result<TermId, E>,
    ) -> Result<(), E> {
        match self {
            Self::Always(term) => *term = map(*term)?,
            Self::NeverAll(terms) => {
                for term in terms {
                    *term = map(*term)?;
                }
            }
            Self::Temporal(temporal) => {
                for term in &mut temporal.letters {
                    *term = map(*term)?;
                }
                for (_, term) in temporal.formula.iter_mut().flat_map(|f| &mut f.atoms) {
                    *term = map(*term)?;
                }
            }
        }
        Ok(())
    }
}

/// The questions about a model as questions about its machine.
pub(super) fn claims(
    cx: &mut Context,
    model: &Model,
    machine: &Machine,
    properties: &[Property],
) -> Vec<Claimed> {
    let mut names = Names::plain();
    let mut all = Vec::new();
    for (position, property) in properties.iter().enumerate() {
        let name = match &*property.name {
            "" => format!("property{position}"),
            name => named(model, name).to_owned(),
        };
        let place = |cx: &mut Context, atom: &Atom| match atom {
            Atom::Term(term) => *term,
            Atom::At(places) => machine.at(cx, model, places),
            Atom::NotAt(places) => {
                let at = machine.at(cx, model, places);
                cx.terms.not(at)
            }
        };
        let claim = match &property.claim {
            Asked::Never { when, at } => {
                let when = when.as_ref().map(|atom| place(cx, atom));
                let when = when.map(|when| cx.terms.and(&[machine.observed, when]));
                let at = machine.at(cx, model, at);
                let bad = cx.terms.or(&[at, when.unwrap_or(cx.terms.false_())]);
                Claim::Always(cx.terms.not(bad))
            }
            Asked::Temporal {
                automaton,
                atoms,
                formula,
            } => {
                let letters: Vec<TermId> = atoms.iter().map(|atom| place(cx, atom)).collect();
                let known = automaton.aps().iter().copied().zip(letters.iter().copied());
                let known: FxHashMap<ApId, TermId> = known.collect();
                let formula = formula.as_ref().map(|(formulas, formula)| {
                    let formulas = (**formulas).clone();
                    machine_formula(cx, machine, formulas, *formula, &known)
                });
                Claim::Temporal(Temporal {
                    automaton: Arc::clone(automaton),
                    letters,
                    formula,
                })
            }
        };
        all.push(Claimed {
            name: names.unique(&name),
            text: property.text.clone(),
            claim,
        });
    }
    all
}

/// What a property is called that has a number: by the name besides it, if there is one.
fn named<'a>(model: &'a Model, name: &'a str) -> &'a str {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let mut own = model.systems.iter().flat_map(|system| &system.properties);
    let called = own.find(|property| is_number && *property.name == *name);
    called
        .and_then(|property| property.alias.as_deref())
        .unwrap_or(name)
}

/// The formula about all states of the machine. Atoms that the automaton does not know decide nothing.
fn machine_formula(
    cx: &Context,
    machine: &Machine,
    mut formulas: Formulas,
    formula: FormulaId,
    known: &FxHashMap<ApId, TermId>,
) -> Formula {
    let aps = formulas.aps_of(formula);
    let meaning = |ap: ApId| (ap, known.get(&ap).copied().unwrap_or(cx.terms.false_()));
    let mut atoms: Vec<(ApId, TermId)> = aps.into_iter().map(meaning).collect();
    if machine.observed == cx.terms.true_() {
        return Formula {
            formulas,
            root: formula,
            atoms,
        };
    }
    if machine.is_read_late && formulas.is(formula, Class::FUTURE) {
        let formula = formulas.next(formula);
        return Formula {
            formulas,
            root: formula,
            atoms,
        };
    }
    let observed = formulas.fresh_ap();
    atoms.push((observed, machine.observed));
    let formula = observed_only(&mut formulas, formula, observed);
    Formula {
        formulas,
        root: formula,
        atoms,
    }
}

/// The formula that reads only the positions at which `observed` is true, of which there are infinitely many.
fn observed_only(formulas: &mut Formulas, formula: FormulaId, observed: ApId) -> FormulaId {
    let seen = formulas.ap(observed);
    let unseen = formulas.not(seen);
    let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for at in formulas.subformulas(formula) {
        let op = formulas.op(at);
        let mut args: Vec<FormulaId> = formulas.children(at).iter().map(|arg| done[arg]).collect();
        // What must come is seen there; what must last need only hold where it is seen.
        let strong: &[bool] = match op {
            Op::X | Op::Y | Op::F | Op::O => &[true],
            Op::Z | Op::G | Op::H => &[false],
            Op::U | Op::W | Op::S => &[false, true],
            Op::R | Op::M | Op::T => &[true, false],
            _ => &[],
        };
        for (arg, &strong) in args.iter_mut().zip(strong) {
            *arg = if strong {
                formulas.and(seen, *arg)
            } else {
                formulas.implies(seen, *arg)
            };
        }
        // The next and the last position are the next and the last that are seen.
        match op {
            Op::X => args[0] = formulas.until(unseen, args[0]),
            Op::Y => args[0] = formulas.since(unseen, args[0]),
            Op::Z => args[0] = formulas.triggered(seen, args[0]),
            _ => {}
        }
        let new = match op {
            Op::True | Op::False | Op::Ap(_) => at,
            _ => formulas.make(op, &args),
        };
        done.insert(at, new);
    }
    let there = formulas.and(seen, done[&formula]);
    formulas.until(unseen, there)
}

impl Formula {
    /// The formula with other names for its atoms.
    pub fn renamed(
        &self,
        terms: &Terms,
        name: &mut dyn FnMut(TermId) -> String,
    ) -> (Formulas, FormulaId) {
        let mut formulas = Formulas::new();
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for at in self.formulas.subformulas(self.root) {
            let args = self.formulas.children(at).iter();
            let args: Vec<FormulaId> = args.map(|arg| done[arg]).collect();
            let new = match self.formulas.op(at) {
                Op::True => formulas.tt(),
                Op::False => formulas.ff(),
                Op::Ap(ap) => {
                    let atom = self.atoms.iter().find(|atom| atom.0 == ap);
                    let term = atom.expect("every atom has a meaning").1;
                    match terms.as_lit(term) {
                        Some(value) => formulas.constant(value.as_bool()),
                        None => formulas.ap_named(&name(term)),
                    }
                }
                op => formulas.make(op, &args),
            };
            done.insert(at, new);
        }
        (formulas, done[&self.root])
    }
}
