//! Findings as data, for programs that read them: places as files, lines and columns.

use lariat_base::{Annotation, Diagnostic, Severity, SourceMap};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// `error` or `warning`.
    severity: Cow<'static, str>,
    /// What kind of finding it is; `lariat explain` knows it.
    id: Cow<'static, str>,
    message: String,
    /// Where it is, if it has a place.
    place: Option<Place>,
    /// Other places that matter.
    related: Vec<Place>,
    hints: Vec<String>,
}

/// A place in a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place {
    file: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    /// What is there; may be empty.
    label: String,
}

impl Finding {
    /// A finding in these sources.
    pub fn new(sources: &SourceMap, finding: &Diagnostic) -> Self {
        let place = |note: &Annotation| Place::new(sources, note);
        Self {
            severity: Cow::Borrowed(match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            }),
            id: Cow::Borrowed(finding.id),
            message: finding.message.clone(),
            place: finding.primary.as_ref().map(place),
            related: finding.secondary.iter().map(place).collect(),
            hints: finding.hints.clone(),
        }
    }
}

impl Place {
    fn new(sources: &SourceMap, note: &Annotation) -> Self {
        let span = note.span;
        let file = sources.file(span.source);
        let (line, column) = file.line_column(span.start);
        let (end_line, end_column) = file.line_column(span.end);
        Self {
            file: file.name_at(span.start).to_owned(),
            line,
            column,
            end_line,
            end_column,
            label: note.label.clone(),
        }
    }
}
