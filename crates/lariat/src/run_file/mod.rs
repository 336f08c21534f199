//! `--export FILE`: a counterexample in forms that other tools read, made from its report. The ending of the name says which.

mod csv;
mod dot;
mod film;
mod itf;
mod mermaid;
mod vcd;

use lariat_verify::report::{PropertyReport, RunReport, StepReport};
use std::path::Path;

/// A form of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunForm {
    /// States for tools of TLA+.
    Itf,
    /// A waveform.
    Vcd,
    /// A table.
    Csv,
    /// A diagram in Markdown.
    Mermaid,
    /// A graph.
    Dot,
    /// A statechart, drawn once for each step.
    Svg,
}

impl RunForm {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Itf,
        Self::Vcd,
        Self::Csv,
        Self::Mermaid,
        Self::Dot,
        Self::Svg,
    ];

    /// How the names of files end.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Itf => ".itf.json",
            Self::Vcd => ".vcd",
            Self::Csv => ".csv",
            Self::Mermaid => ".mmd",
            Self::Dot => ".dot",
            Self::Svg => ".svg",
        }
    }

    /// The form that the name of a file asks for.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|form| name.ends_with(form.ending()))
    }

    /// A run that refutes a property, in this form, or why there is none.
    pub fn write(self, property: &PropertyReport, run: &RunReport) -> Result<String, &'static str> {
        Ok(match self {
            Self::Itf => itf::write(property, run),
            Self::Vcd => vcd::write(property, run),
            Self::Csv => csv::write(run),
            Self::Mermaid => mermaid::write(run),
            Self::Dot => dot::write(property, run),
            Self::Svg => return film::write(run).ok_or("the model is no statechart"),
        })
    }
}

/// What a step did, in a line.
fn said(step: &StepReport) -> String {
    match (&step.case, step.tested) {
        (Some(case), _) => format!("{}: {case}", step.action),
        (None, Some(truth)) => format!("{}: {truth}", step.action),
        (None, None) => step.action.clone(),
    }
}

/// The changes of a step, in a line each; those of the first step are all variables.
fn changes(step: &StepReport) -> Vec<String> {
    let changes = step.changes.iter();
    changes
        .map(|(name, value)| format!("{name} = {value}"))
        .collect()
}

/// How many changes a picture shows of a step.
const N_SHOWN: usize = 12;

/// The changes of a step as a picture shows them.
fn shown_changes(step: &StepReport) -> Vec<String> {
    let mut lines = changes(step);
    let more = lines.len().saturating_sub(N_SHOWN);
    if more > 0 {
        lines.truncate(N_SHOWN);
        lines.push(format!("… {more} more"));
    }
    lines
}

/// How a run goes on after its last step, in words; nothing for a path.
fn way_back(run: &RunReport) -> Option<String> {
    let start = run.loop_starts_after_step?;
    Some(if run.comes_back() {
        format!("for ever again from the state after step {start}")
    } else {
        format!("for ever again, with other values, from after step {start}")
    })
}
