//! Findings as text: message, place, the line of the source with a caret, advice.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use lariat_base::{Annotation, Diagnostic, Severity, SourceFile, SourceMap, Span};
use std::io::Write as _;

/// Writes findings to standard error. If that cannot be done there is nobody to tell.
pub fn report(sources: &SourceMap, findings: &[Diagnostic], styled: bool) {
    let mut text = String::new();
    for finding in findings {
        text += &render(sources, finding, styled);
        text += "\n\n";
    }
    text += &summary(findings);
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// How many errors there were, if there were several.
fn summary(findings: &[Diagnostic]) -> String {
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    match findings.iter().filter(is_error).count() {
        0 | 1 => String::new(),
        n => format!("{n} errors\n"),
    }
}

/// One finding as text.
pub fn render(sources: &SourceMap, finding: &Diagnostic, styled: bool) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&*finding.message).id(finding.id);
    let mut elements: Vec<Element<'_>> = Vec::new();
    for excerpt in excerpts(sources, finding) {
        elements.push(excerpt.element());
    }
    let hints = finding.hints.iter();
    elements.extend(hints.map(|hint| Level::HELP.message(&**hint).into()));
    let group: Group<'_> = title.elements(elements);
    let renderer = if styled {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&[group])
}

/// Notes further apart than this many lines are shown in excerpts of their own.
const NEAR: usize = 8;
/// Of a line longer than this only the place is told, not the text.
const LONG: usize = 10_000;

/// A few lines of one source with all notes on them.
struct Excerpt<'a> {
    file: &'a SourceFile,
    /// The bytes of the source that are shown.
    range: std::ops::Range<usize>,
    /// The number of the first line.
    line: usize,
    last_line: usize,
    notes: Vec<(AnnotationKind, Span, &'a str)>,
}

fn excerpts<'a>(sources: &'a SourceMap, finding: &'a Diagnostic) -> Vec<Excerpt<'a>> {
    let primary = finding
        .primary
        .iter()
        .map(|note| (AnnotationKind::Primary, note));
    let secondary = finding
        .secondary
        .iter()
        .map(|note| (AnnotationKind::Context, note));
    let mut all: Vec<Excerpt<'a>> = Vec::new();
    for (kind, note) in primary.chain(secondary) {
        let new = Excerpt::new(sources.file(note.span.source), kind, note);
        let near = all.iter_mut().find(|old| {
            std::ptr::eq(old.file, new.file)
                && old.piece() == new.piece()
                && new.line <= old.last_line + NEAR
                && old.line <= new.last_line + NEAR
        });
        match near {
            None => all.push(new),
            Some(old) => {
                old.range = old.range.start.min(new.range.start)..old.range.end.max(new.range.end);
                old.line = old.line.min(new.line);
                old.last_line = old.last_line.max(new.last_line);
                old.notes.extend(new.notes);
            }
        }
    }
    all
}

impl<'a> Excerpt<'a> {
    fn new(file: &'a SourceFile, kind: AnnotationKind, note: &'a Annotation) -> Self {
        let text = &file.text;
        let start = boundary(text, note.span.start as usize);
        let end = boundary(text, note.span.end as usize).max(start);
        let (line, _) = file.line_column_here(start as u32);
        // Of a note over several lines the first one is enough.
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = end.min(line_end);
        let mut span = note.span;
        (span.start, span.end) = (start as u32, end as u32);
        Self {
            file,
            range: line_start..line_end,
            line,
            last_line: line,
            notes: vec![(kind, span, &note.label)],
        }
    }

    /// The file that it comes from, if its source was put together, and how far lines are shifted.
    fn piece(&self) -> (&'a str, usize) {
        let at = self.range.start as u32;
        let line = self.file.line_there(at, self.line);
        (self.file.name_at(at), line.wrapping_sub(self.line))
    }

    fn element(self) -> Element<'a> {
        let shown = &self.file.text[self.range.clone()];
        let is_long = shown.lines().any(|line| line.len() > LONG);
        if shown.trim().is_empty() || is_long {
            return self.origin();
        }
        let offset = self.range.start;
        let notes = self.notes.into_iter().map(|(kind, span, label)| {
            let range = span.start as usize - offset..span.end as usize - offset;
            let note = kind.span(range);
            if label.is_empty() {
                note
            } else {
                note.label(label)
            }
        });
        let line = self.file.line_there(offset as u32, self.line);
        Snippet::source(shown)
            .path(self.file.name_at(offset as u32))
            .line_start(line)
            .annotations(notes)
            .into()
    }

    /// Only the place.
    fn origin(&self) -> Element<'a> {
        let (line, column) = self.file.line_column(self.notes[0].1.start);
        Origin::path(self.file.name_at(self.notes[0].1.start))
            .line(line)
            .char_column(column)
            .into()
    }
}

/// The start of the character at `offset`, or the end of the text.
fn boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
