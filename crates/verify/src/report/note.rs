//! What the reader of a verdict should know besides.

use super::ValueReport;
use crate::caution::Note;
use crate::model::Model;
use lariat_system::{Context, TransitionSystem as _};
use serde::{Serialize, Serializer};

/// Something that the reader of a verdict should know.
#[derive(Clone, Debug, Serialize)]
pub struct NoteReport {
    /// `note`, or `warning` if the verdict says next to nothing because of it.
    pub severity: &'static str,
    /// What kind of thing it is.
    pub id: &'static str,
    /// What is said.
    pub text: String,
    /// The part of the formula that it is about.
    pub about: Option<String>,
    /// The values of the variables in a state that shows it.
    #[serde(serialize_with = "as_map")]
    pub state: Vec<(String, ValueReport)>,
}

/// The most variables of a state in a sentence.
const MAX_SHOWN: usize = 12;

fn as_map<S: Serializer>(
    pairs: &[(String, ValueReport)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

impl NoteReport {
    /// The notes of an answer about `model`.
    pub(super) fn new(cx: &Context, model: &Model, note: &Note) -> Self {
        let program = model.systems[0].program.as_ref();
        let state = note.state.iter().flat_map(|state| {
            let variables = model.variables().iter().zip(&state.values);
            let own = variables
                .filter(|(own, _)| program.is_none_or(|program| !program.is_latch(own.var)));
            own.map(|(variable, value)| {
                let sort = cx.terms.var_sort(variable.var);
                let name = cx.terms.name(variable.var).to_owned();
                (name, ValueReport::new(&cx.terms.sorts, sort, value))
            })
        });
        Self {
            severity: if note.is_warning { "warning" } else { "note" },
            id: note.id,
            text: note.text.clone(),
            about: note.about.clone(),
            state: state.collect(),
        }
    }

    /// The note in one sentence.
    pub fn sentence(&self) -> String {
        let shown = self.state.iter().take(MAX_SHOWN);
        let shown: Vec<String> = shown
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let more = if self.state.len() > MAX_SHOWN {
            ", …"
        } else {
            ""
        };
        let state = if shown.is_empty() {
            String::new()
        } else {
            format!("; for example in {}{more}", shown.join(", "))
        };
        format!("{}: {}{state}", self.severity, self.text)
    }
}
