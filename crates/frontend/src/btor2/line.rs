//! A line of a BTOR2 file as words, each with its place.

use lariat_base::{Diagnostic, SourceId, Span};

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub span: Span,
}

impl Word<'_> {
    /// An error at this word.
    pub fn error(&self, id: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(id, message).at(self.span)
    }
}

/// The words of a line that have not been read yet.
pub(super) struct Line<'a> {
    words: std::vec::IntoIter<Word<'a>>,
    /// The end of the line, for what is missing.
    end: Span,
}

impl<'a> Line<'a> {
    /// The line that starts at a byte, without its comment.
    pub fn new(source: SourceId, start: usize, text: &'a str) -> Self {
        let text = text.split(';').next().unwrap_or_default();
        let mut words = Vec::new();
        let mut at = 0;
        for piece in text.split([' ', '\r', '\t']) {
            if !piece.is_empty() {
                let span = Span::new(source, start + at, start + at + piece.len());
                words.push(Word { text: piece, span });
            }
            at += piece.len() + 1;
        }
        let end = start + text.trim_end().len();
        Self {
            words: words.into_iter(),
            end: Span::new(source, end, end),
        }
    }

    /// The next word, if there is one.
    pub fn next(&mut self) -> Option<Word<'a>> {
        self.words.next()
    }

    /// The next word.
    pub fn word(&mut self, what: &str) -> Result<Word<'a>, Diagnostic> {
        self.next().ok_or_else(|| {
            let message = format!("{what} is missing");
            Diagnostic::error("btor2-missing", message).at(self.end)
        })
    }

    /// The next word as a number.
    pub fn number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let word = self.word(what)?;
        word.text
            .parse()
            .map_err(|_| word.error("btor2-number", format!("{what} is a number")))
    }

    /// The symbol at the end of a line, which may be left out.
    pub fn symbol(&mut self) -> Result<Option<&'a str>, Diagnostic> {
        let symbol = self.next();
        match self.next() {
            Some(more) => Err(more.error("btor2-line", "the end of the line is expected here")),
            None => Ok(symbol.map(|word| word.text)),
        }
    }
}
