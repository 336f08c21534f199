//! An abstraction as guarded commands over Boolean variables, with `any` for what is not known: a Boolean program (Ball and
//! Rajamani, SPIN'00).
//!
//! The steps of one action that do the same become one command: what a predicate is after it is fixed, as before, or anything. A set of
//! classes that is no such product is several of them, and the guard is the sources as a disjunction of conjunctions.

use super::{Shown, StepKind};
use lariat_base::Id as _;
use lariat_check::{AbstractStep, ClassId, merge_truths};
use lariat_system::{Context, NameId};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The variable that tells the place of the model.
const PLACE: &str = "place";

/// Writes the abstraction.
pub(super) fn write(shown: &Shown, cx: &Context, kind: StepKind) -> String {
    let mut text = head(shown, kind);
    let _ = writeln!(text, "model {}", shown.model);
    if shown.places.len() > 1 {
        let places: Vec<&str> = shown.places.iter().map(|(_, name)| &**name).collect();
        let _ = writeln!(text, "type Place = {{ {} }}", places.join(", "));
        let _ = writeln!(text, "var {PLACE} : Place");
    }
    for name in &shown.names {
        let _ = writeln!(text, "var {name} : bool");
    }
    let starts = shown.graph.initial.iter();
    let starts = starts.filter(|(_, is_must)| *is_must || kind == StepKind::May);
    let starts: Vec<ClassId> = starts.map(|&(class, _)| class).collect();
    let _ = writeln!(text, "init {}", guard(shown, &starts));
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for (action, sources, effects) in commands(shown, kind) {
        let base = action.map_or("step", |name| &*cx.names[name]);
        let number = numbers.entry(base.to_owned()).or_insert(0);
        *number += 1;
        let base: String = base
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect();
        let _ = writeln!(
            text,
            "action {base}_{number}: {} -> {effects}",
            guard(shown, &sources)
        );
    }
    text
}

fn head(shown: &Shown, kind: StepKind) -> String {
    let mut text = String::from(match kind {
        StepKind::May => {
            "// What some state of a class can do: a property that holds here holds of the model.\n"
        }
        StepKind::Must => {
            "// What every state of a class can do: a run that is found here is one of the model.\n\
             // Check it with `--deadlock ignore`: a class without a step says nothing.\n"
        }
    });
    for (name, what) in shown.names.iter().zip(&shown.texts) {
        let _ = writeln!(text, "// {name}: {what}");
    }
    text
}

/// What a command does to each predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Keep,
    Set(bool),
    Any,
}

/// An action, and the place from which and to which it leads.
type Movement = (Option<NameId>, usize, usize);

/// The commands: their actions, the classes that they can be taken from, and what they do.
fn commands(shown: &Shown, kind: StepKind) -> Vec<(Option<NameId>, Vec<ClassId>, String)> {
    let mut movements: BTreeMap<Movement, Vec<&AbstractStep>> = BTreeMap::new();
    let steps = shown.graph.steps.iter();
    for step in steps.filter(|step| step.is_must || kind == StepKind::May) {
        let place = |class| shown.place_index(class);
        let movement = (step.name, place(step.from), place(step.to));
        movements.entry(movement).or_default().push(step);
    }
    let mut found = Vec::new();
    for ((name, _, to), steps) in movements {
        let place = (shown.places.len() > 1).then(|| format!("{PLACE} := {}", shown.places[to].1));
        for (effects, sources) in grouped(shown, &steps) {
            let named = shown.names.iter().zip(&effects);
            let assigned = named.filter_map(|(name, effect)| match effect {
                Effect::Keep => None,
                Effect::Set(truth) => Some(format!("{name} := {truth}")),
                Effect::Any => Some(format!("{name} := any")),
            });
            let all: Vec<String> = place.clone().into_iter().chain(assigned).collect();
            let all = if all.is_empty() {
                "skip".into()
            } else {
                all.join(", ")
            };
            found.push((name, sources, all));
        }
    }
    found
}

/// The effects of the steps of one movement, each with the classes from which it happens.
fn grouped(shown: &Shown, steps: &[&AbstractStep]) -> BTreeMap<Vec<Effect>, Vec<ClassId>> {
    let truths = |class: ClassId| &shown.graph.class(class).truths;
    let n = shown.names.len();
    // A predicate that is the same after all of them is set, even where it was so before.
    let constant = |i: usize| {
        let first = truths(steps[0].to)[i];
        let all_same = steps.iter().all(|step| truths(step.to)[i] == first);
        let all_kept = steps
            .iter()
            .all(|step| truths(step.to)[i] == truths(step.from)[i]);
        (all_same && !all_kept).then_some(first)
    };
    let constants: Vec<Option<bool>> = (0..n).map(constant).collect();
    let mut targets: BTreeMap<ClassId, Vec<Vec<bool>>> = BTreeMap::new();
    for step in steps {
        targets
            .entry(step.from)
            .or_default()
            .push(truths(step.to).clone());
    }
    let mut found: BTreeMap<Vec<Effect>, Vec<ClassId>> = BTreeMap::new();
    for (from, targets) in targets {
        for cube in merge_truths(&targets) {
            let effect = |i: usize| match (cube[i], constants[i]) {
                (None, _) => Effect::Any,
                (Some(_), Some(truth)) => Effect::Set(truth),
                (Some(truth), None) if truth == truths(from)[i] => Effect::Keep,
                (Some(truth), None) => Effect::Set(truth),
            };
            let effects: Vec<Effect> = (0..n).map(effect).collect();
            found.entry(effects).or_default().push(from);
        }
    }
    found
}

/// That the state is in one of some classes.
fn guard(shown: &Shown, classes: &[ClassId]) -> String {
    let mut by_place: BTreeMap<usize, Vec<Vec<bool>>> = BTreeMap::new();
    for &class in classes {
        let truths = shown.graph.class(class).truths.clone();
        by_place
            .entry(shown.place_index(class))
            .or_default()
            .push(truths);
    }
    let mut cases = Vec::new();
    for (place, truths) in by_place {
        for cube in merge_truths(&truths) {
            let mut literals = Vec::new();
            if shown.places.len() > 1 {
                literals.push(format!("{PLACE} = {}", shown.places[place].1));
            }
            for (name, truth) in shown.names.iter().zip(cube) {
                match truth {
                    Some(true) => literals.push(name.clone()),
                    Some(false) => literals.push(format!("not {name}")),
                    None => {}
                }
            }
            cases.push(if literals.is_empty() {
                "true".into()
            } else {
                literals.join(" and ")
            });
        }
    }
    match &cases[..] {
        [] => "false".into(),
        [one] => one.clone(),
        several => {
            let several: Vec<String> = several.iter().map(|case| format!("({case})")).collect();
            several.join(" or ")
        }
    }
}

impl Shown {
    /// The number of the place of a class.
    fn place_index(&self, class: ClassId) -> usize {
        let at = self.graph.class(class).at;
        let place = self.places.iter().position(|(other, _)| *other == at);
        place.unwrap_or(at.index())
    }
}
