//! What Lariat tells a person about an input: plain data, rendered only by the binary.

use crate::Span;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; the input is accepted.
    Warning,
    /// The input is rejected.
    Error,
}

/// A place in a source text and what is to be said there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Where.
    pub span: Span,
    /// What is said beside the caret; may be empty.
    pub label: String,
}

/// One finding: a stable id for tools, a message for people, the place, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable kebab-case name of the kind of finding, such as `unknown-variable`.
    pub id: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence, no full stop.
    pub message: String,
    /// The main place, if the finding has one.
    pub primary: Option<Annotation>,
    /// Other places that matter, such as the first declaration of a name declared twice.
    pub secondary: Vec<Annotation>,
    /// What the person can do, such as "did you mean `displayRed`?".
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self {
            id,
            severity: Severity::Error,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// A warning without a place.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(id, message)
        }
    }

    /// Puts the main caret at `span`.
    pub fn at(mut self, span: Span) -> Self {
        self.primary = Some(Annotation {
            span,
            label: String::new(),
        });
        self
    }

    /// Puts the main caret at `span` with a few words beside it.
    pub fn at_label(mut self, span: Span, label: impl Into<String>) -> Self {
        self.primary = Some(Annotation {
            span,
            label: label.into(),
        });
        self
    }

    /// Points to another place.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push(Annotation {
            span,
            label: label.into(),
        });
        self
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds advice if there is any.
    pub fn maybe_hint(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }
}

/// A collection of findings that stops growing at a limit, so that a broken file of many megabytes
/// does not bury the person (nor the memory) under its errors.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    n_dropped: usize,
}

impl Diagnostics {
    /// How many findings are kept.
    pub const LIMIT: usize = 100;

    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding, or only counts it beyond the limit.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.items.len() < Self::LIMIT {
            self.items.push(diagnostic);
        } else {
            self.n_dropped += 1;
        }
    }

    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether the limit has been reached; a parser may give up then.
    pub fn is_full(&self) -> bool {
        self.items.len() >= Self::LIMIT
    }

    /// The findings in the order they were made, with a last one that counts what was dropped.
    pub fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.n_dropped > 0 {
            let message = format!("{} more findings are not shown", self.n_dropped);
            self.items
                .push(Diagnostic::warning("too-many-findings", message));
        }
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_not_kept() {
        let mut all = Diagnostics::new();
        for i in 0..Diagnostics::LIMIT + 5 {
            all.push(Diagnostic::error("syntax", format!("{i}")));
        }
        assert!(all.has_errors() && all.is_full());
        let all = all.into_vec();
        assert_eq!(all.len(), Diagnostics::LIMIT + 1);
        assert_eq!(
            all.last().map(|d| d.message.as_str()),
            Some("5 more findings are not shown")
        );
    }
}
