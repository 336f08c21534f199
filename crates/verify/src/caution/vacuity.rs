//! What a formula speaks of and what never happens, or never changes; and parts of it that do not matter.
//!
//! A part of a formula does not matter if the formula still holds with the part replaced by the constant that makes it
//! stronger: `false` where the part stands for something to be shown, `true` where it is assumed (Beer, Ben-David, Eisner,
//! Rodeh: "Efficient detection of vacuity in temporal model checking", 2001; Kupferman, Vardi: "Vacuity detection in temporal
//! model checking", 2003). Parts that count in both senses (under `<->` and `xor`) are left alone.

use super::formula::Asked;
use super::{Note, Questions, Sample, Vacuity};
use crate::model::Model;
use crate::property::{Atom, Claim, Property};
use lariat_ltl::{ApId, FormulaId, Op};
use lariat_system::Context;

/// The most atoms that are asked about.
const MAX_ATOMS: usize = 16;
/// The most parts that are replaced.
const MAX_PARTS: usize = 64;

/// What there is to say about a property that holds of some runs.
pub fn notes(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    sample: &Sample,
    questions: &mut Questions<'_, '_>,
) -> Vec<Note> {
    let Some(mut asked) = Asked::new(property, &questions.options.budget) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for (ap, atom) in atoms(property) {
        notes.extend(constant(cx, model, &asked, (ap, &atom), sample, questions));
    }
    for (part, never) in asked.assumptions() {
        let question = asked.question(never);
        if question.is_some_and(|question| questions.holds(cx, model, &question) == Some(true)) {
            let part = asked.text(part);
            let text = format!("`{part}` is never true, so what follows from it is not tested");
            notes.push(Note::new("never-true", text).about(&part));
        }
    }
    if questions.options.vacuity == Vacuity::Full {
        notes.extend(parts(cx, model, &mut asked, questions));
    }
    notes
}

/// The atoms that the verdict depends on.
fn atoms(property: &Property) -> Vec<(ApId, Atom)> {
    let Claim::Temporal {
        automaton, atoms, ..
    } = &property.claim
    else {
        return Vec::new();
    };
    let aps = automaton.aps().iter().copied();
    aps.zip(atoms.iter().cloned()).take(MAX_ATOMS).collect()
}

/// That an atom is never true, or always, and the formula does not just say that.
fn constant(
    cx: &mut Context,
    model: &mut Model,
    asked: &Asked,
    (ap, atom): (ApId, &Atom),
    sample: &Sample,
    questions: &mut Questions<'_, '_>,
) -> Option<Note> {
    let value = match sample.seen(cx, model, atom) {
        [true, true] => return None,
        [true, false] => false,
        [false, true] => true,
        // No observed state was seen at all.
        [false, false] => return None,
    };
    if asked.claims(ap, value) {
        return None;
    }
    let other = if value {
        atom.negated(&mut cx.terms)
    } else {
        atom.clone()
    };
    let question = Property::never_true("it never changes", other);
    if !sample.is_complete && questions.holds(cx, model, &question) != Some(true) {
        return None;
    }
    let name = asked.formulas.ap_name(ap);
    let (id, text) = match (value, is_antecedent(asked, ap)) {
        (false, true) => (
            "never-true",
            format!("`{name}` is never true, so what follows from it is not tested"),
        ),
        (false, false) => ("never-true", format!("`{name}` is never true")),
        (true, _) => ("always-true", format!("`{name}` is always true")),
    };
    Some(Note::new(id, text).about(name))
}

/// Whether an atom is the left side of an implication.
fn is_antecedent(asked: &Asked, ap: ApId) -> bool {
    let formulas = &asked.formulas;
    let mut parts = formulas.subformulas(asked.root).into_iter();
    parts.any(|part| {
        formulas.op(part) == Op::Implies && formulas.op(formulas.child(part, 0)) == Op::Ap(ap)
    })
}

/// The parts that do not matter, from the outside in; what is inside of such a part is not looked at.
fn parts(
    cx: &mut Context,
    model: &mut Model,
    asked: &mut Asked,
    questions: &mut Questions<'_, '_>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut todo = below(asked, asked.root, &[]);
    let mut n_asked = 0;
    while let Some(path) = todo.pop() {
        let part = asked.part(&path);
        let formula = asked.strengthened(&path);
        n_asked += 1;
        if n_asked > MAX_PARTS {
            break;
        }
        let question = formula
            .filter(|&formula| formula != asked.root)
            .and_then(|formula| asked.question(formula));
        let matters =
            question.is_none_or(|question| questions.holds(cx, model, &question) != Some(true));
        if matters {
            todo.extend(below(asked, part, &path));
        } else {
            let part = asked.text(part);
            let stronger = formula.map_or_else(String::new, |formula| asked.text(formula));
            let text = format!("`{part}` does not matter: `{stronger}` holds too");
            notes.push(Note::new("does-not-matter", text).about(&part));
        }
    }
    notes
}

/// The paths to the children of a part, the last one first.
fn below(asked: &Asked, part: FormulaId, path: &[usize]) -> Vec<Vec<usize>> {
    let n_children = asked.formulas.children(part).len();
    let child = |child: usize| [path, &[child]].concat();
    (0..n_children).rev().map(child).collect()
}
