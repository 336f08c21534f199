//! Runs that end refute no formula: whether there are some, and whether there are any others.

use super::{Note, Questions, Sample};
use crate::model::Model;
use crate::pass::deadlock::{gets_stuck, goes_on_when_stuck};
use crate::property::{Atom, Claim, Property};
use lariat_check::{Counterexample, Verdict};
use lariat_ltl::{Acceptance, Effort, Formulas, TranslateConfig, translate};
use lariat_system::{Context, State, TransitionSystem as _};
use std::sync::Arc;

/// What there is to say about how runs end.
pub fn notes(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    sample: &Sample,
    questions: &mut Questions<'_, '_>,
) -> Vec<Note> {
    if has_no_start(cx, model, sample, questions) {
        let text = "the model has no initial state, so it has no runs: every property holds";
        return vec![Note::warning("no-run", text)];
    }
    if !property.is_temporal() {
        return Vec::new();
    }
    let stuck = Stuck::look(cx, model, sample, questions);
    if is_finite(cx, model, &stuck, sample, questions) {
        let text = match model.systems[0].program {
            Some(_) => {
                "no run goes on for ever or comes to an end of the program (is there an assumption that always fails?): \
                 every formula holds"
            }
            None => {
                "no run goes on for ever, so every formula holds, whatever it says; \
                 `--deadlock stutter` lets runs that get stuck stay as they are"
            }
        };
        let state = stuck.state();
        return vec![Note {
            state,
            ..Note::warning("no-infinite-run", text)
        }];
    }
    // An assumption of a program that fails leaves runs out on purpose.
    let is_program = model.systems.iter().any(|system| system.program.is_some());
    let state = stuck.state().filter(|_| !is_program);
    let note = state.map(|state| {
        let text = "some runs get stuck; they end there and were ignored (see `--deadlock`)";
        Note {
            state: Some(state),
            ..Note::new("stuck-runs", text)
        }
    });
    note.into_iter().collect()
}

/// What is known about stuck runs.
enum Stuck {
    /// Here.
    At(State),
    /// There are none.
    Nowhere,
    Unknown,
}

impl Stuck {
    fn look(
        cx: &mut Context,
        model: &mut Model,
        sample: &Sample,
        questions: &mut Questions<'_, '_>,
    ) -> Self {
        if let Some(at) = sample.stuck {
            return Self::At(sample.states[at].clone());
        }
        if sample.is_complete || goes_on_when_stuck(cx, &model.systems[0]) {
            return Self::Nowhere;
        }
        // Of programs nobody wants to know.
        if model.systems[0].program.is_some() {
            return Self::Unknown;
        }
        let Some((mut copy, question)) = gets_stuck(cx, model) else {
            return Self::Unknown;
        };
        match questions.ask(cx, &mut copy, &question) {
            Some(Verdict::Holds) => Self::Nowhere,
            Some(Verdict::Violated(Counterexample::Path(run))) => match &run.steps[..] {
                // The last step leads from the stuck state to the place of such states, and changes no value.
                [.., stuck, _] => Self::At(stuck.state.clone()),
                _ => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }

    fn state(&self) -> Option<State> {
        match self {
            Self::At(state) => Some(state.clone()),
            Self::Nowhere | Self::Unknown => None,
        }
    }
}

fn has_no_start(
    cx: &mut Context,
    model: &mut Model,
    sample: &Sample,
    questions: &mut Questions<'_, '_>,
) -> bool {
    if !sample.states.is_empty() || sample.has_no_start() {
        return sample.states.is_empty();
    }
    let start = Property::never_true("no run starts", Atom::Term(cx.terms.true_()));
    let is_seen = model.initial().iter().any(|edge| edge.observed);
    is_seen && questions.holds(cx, model, &start) == Some(true)
}

/// Whether it is certain that every run ends.
fn is_finite(
    cx: &mut Context,
    model: &mut Model,
    stuck: &Stuck,
    sample: &Sample,
    questions: &mut Questions<'_, '_>,
) -> bool {
    if sample.is_complete {
        return sample.has_no_loop();
    }
    if matches!(stuck, Stuck::Nowhere) || sample.has_loop() {
        return false;
    }
    let everything = every_run();
    questions.holds(cx, model, &everything) == Some(true)
}

/// What every infinite run violates.
fn every_run() -> Property {
    let mut formulas = Formulas::new();
    let (everything, nothing) = (formulas.tt(), formulas.ff());
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::Low);
    let budget = lariat_base::Budget::unlimited();
    let automaton = translate(&mut formulas, everything, &config, &budget)
        .expect("the automaton of all words is small");
    Property {
        name: String::new(),
        text: "no run goes on for ever".into(),
        claim: Claim::Temporal {
            automaton: Arc::new(automaton),
            atoms: Vec::new(),
            formula: Some((Arc::new(formulas), nothing)),
        },
        atom_names: Vec::new(),
    }
}
