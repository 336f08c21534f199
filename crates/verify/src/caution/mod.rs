//! What the reader of "holds" should know: a property may hold because runs end, because there are none, or because what it
//! speaks of never happens.
//!
//! Everything that is said is certain. A small part of the model is listed with the interpreter ([`Sample`]); if that is all of
//! it, it answers the questions. Else it shows which questions need not be asked (what was seen does happen), and the others
//! are tasks of their own, with little work unless more is wanted. A question that is not decided leaves no note.

mod ends;
mod formula;
mod sample;
mod vacuity;

use crate::model::Model;
use crate::property::Property;
use crate::task::{Answer, Options, Task};
use lariat_check::{Shorten, Verdict};
use lariat_system::{Context, State};
use sample::Sample;
use std::sync::Arc;

/// How much is done to find out whether a property holds for a reason that nobody means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vacuity {
    /// Nothing, and nothing about runs that end either.
    Off,
    /// What can be found out with little work.
    Quick,
    /// All questions are decided, within the limits, and parts of the formula are replaced by what makes it stronger.
    Full,
}

/// Something that the reader of a verdict should know.
#[derive(Clone, Debug)]
pub struct Note {
    /// Whether the verdict says next to nothing because of it.
    pub is_warning: bool,
    /// What kind of thing it is.
    pub id: &'static str,
    /// What is said.
    pub text: String,
    /// The part of the formula that it is about.
    pub about: Option<String>,
    /// A state that shows it.
    pub state: Option<State>,
}

impl Note {
    fn new(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            is_warning: false,
            id,
            text: text.into(),
            about: None,
            state: None,
        }
    }

    fn warning(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            is_warning: true,
            ..Self::new(id, text)
        }
    }

    fn about(self, part: &str) -> Self {
        Self {
            about: Some(part.to_owned()),
            ..self
        }
    }
}

/// The least work that all questions about one verdict may take together, about as many microseconds.
const WORK: u64 = 400_000;

/// What there is to know about a property that holds.
pub(crate) fn notes(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    options: &Options<'_>,
    answer: &Answer,
) -> Vec<Note> {
    if options.vacuity == Vacuity::Off || !matches!(answer.verdict, Verdict::Holds) {
        return Vec::new();
    }
    if let Some(note) = formula::constant(property) {
        return vec![note];
    }
    let sample = Sample::new(cx, model);
    let spent: u64 = answer.attempts.iter().map(|attempt| attempt.work).sum();
    let mut questions = Questions {
        options,
        work: match options.vacuity {
            Vacuity::Full => None,
            _ => Some(WORK.max(spent / 4)),
        },
    };
    let mut notes = ends::notes(cx, model, property, &sample, &mut questions);
    // Where there is no run, nothing ever happens.
    if !notes.iter().any(|note| note.is_warning) {
        notes.extend(vacuity::notes(cx, model, property, &sample, &mut questions));
    }
    notes
}

/// Asks further questions, as long as there is work left for them.
struct Questions<'q, 'o> {
    options: &'q Options<'o>,
    /// What is left, if it is limited.
    work: Option<u64>,
}

impl Questions<'_, '_> {
    /// The verdict about another property.
    fn ask(&mut self, cx: &mut Context, model: &mut Model, property: &Property) -> Option<Verdict> {
        if self.work == Some(0) || self.options.budget.check().is_err() {
            return None;
        }
        let given = self.options;
        let mut options = Options {
            engine: given.engine.clone(),
            ranking: given.ranking,
            recurrence: given.recurrence,
            symmetry: given.symmetry,
            passes: given.passes,
            jobs: given.jobs,
            solver: Arc::clone(&given.solver),
            budget: given.budget.clone(),
            time: None,
            work: self.work,
            vacuity: Vacuity::Off,
            shorten: Shorten::Off,
            listener: Box::new(|_| ()),
        };
        let answer = Task { model, property }.check(cx, &mut options);
        let spent: u64 = answer.attempts.iter().map(|attempt| attempt.work).sum();
        self.work = self.work.map(|work| work.saturating_sub(spent));
        Some(answer.verdict)
    }

    /// Whether another property holds, which is not known if it was not decided.
    fn holds(&mut self, cx: &mut Context, model: &mut Model, property: &Property) -> Option<bool> {
        match self.ask(cx, model, property)? {
            Verdict::Holds => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }
}
