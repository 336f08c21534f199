//! Temporal formulas inside of models: cut out as text, read later by the `ltl` crate.
//!
//! A formula ends before a `;`, before a closing brace that it did not open, and before the next of the
//! language's declaration words, which are reserved and so no part of any formula. Comments and line breaks in it become
//! blanks, one for each byte, so that an offset in the text is an offset in the source.

use crate::parser::Parser;
use crate::token::Tok;
use lariat_base::Span;

/// A formula and where it is.
pub(crate) struct LtlText {
    pub text: Box<str>,
    pub span: Span,
}

impl Parser<'_> {
    /// Cuts out the formula that starts at the current token. `ends` tells which words end it.
    pub(crate) fn ltl_text(&mut self, ends: impl Fn(Tok) -> bool) -> Option<LtlText> {
        self.foreign = true;
        let text = self.cut_ltl(ends);
        self.foreign = false;
        if self.tok() == Tok::Semi {
            self.advance();
        }
        if text.text.is_empty() {
            self.unexpected("a formula");
            return None;
        }
        Some(text)
    }

    fn cut_ltl(&mut self, ends: impl Fn(Tok) -> bool) -> LtlText {
        let start = self.token().start;
        let mut end = start;
        let mut open = 0usize;
        let mut text = String::new();
        loop {
            let token = self.token();
            let gap = self.slice(end, token.start);
            match token.tok {
                Tok::End => break,
                Tok::Semi => break,
                Tok::RBrace if open == 0 => break,
                tok if ends(tok) => break,
                Tok::LBrace => open += 1,
                Tok::RBrace => open -= 1,
                _ => {}
            }
            text.extend(std::iter::repeat_n(' ', gap.len()));
            text += self.token_text();
            end = token.end;
            self.advance();
        }
        LtlText {
            text: text.into(),
            span: self.span(start, end),
        }
    }
}
