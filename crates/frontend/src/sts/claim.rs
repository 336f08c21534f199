//! Properties of STS: which of them are invariants.

use super::parse::{Claim, Reader, ends_member};
use crate::scope::Meaning;
use crate::token::Tok;
use lariat_system::{Property, PropertyBody};

impl Reader<'_> {
    /// `G(e)` is an invariant if `e` is an expression; everything else is left to the LTL parser.
    pub(super) fn claim(&mut self, claim: &Claim<'_>) -> Option<Property> {
        self.parser.seek(claim.formula);
        let text = self.parser.ltl_text(ends_member)?;
        let body = if let Some(inner) = self.invariant_of(claim) {
            self.parser.seek(inner);
            let bool_ = self.parser.cx.terms.sorts.bool();
            let term = self.parser.expression(Some(bool_)).ok()?;
            if self
                .parser
                .expect_after_expression(Tok::RParen, "`)`")
                .is_err()
            {
                return None;
            }
            PropertyBody::Invariant(term?)
        } else {
            PropertyBody::Ltl(text.text)
        };
        Some(Property {
            name: claim.name.into(),
            alias: None,
            body,
            span: Some(text.span),
        })
    }

    /// Where `e` of `G(e)` begins, if the formula has that form and `e` is an expression of STS.
    fn invariant_of(&mut self, claim: &Claim<'_>) -> Option<u32> {
        self.parser.foreign = true;
        self.parser.seek(claim.formula);
        let inner = self.inside_of_g(claim);
        self.parser.foreign = false;
        inner
    }

    fn inside_of_g(&mut self, claim: &Claim<'_>) -> Option<u32> {
        if self.parser.token_text() != "G" || self.is_name("G") {
            return None;
        }
        self.parser.advance();
        if !self.parser.eat(Tok::LParen) {
            return None;
        }
        let inner = self.parser.token().start;
        let mut open = 1;
        while open > 0 {
            if self.parser.token().start >= claim.end || self.is_foreign(claim) {
                return None;
            }
            match self.parser.tok() {
                Tok::LParen => open += 1,
                Tok::RParen => open -= 1,
                _ => {}
            }
            self.parser.advance();
        }
        (self.parser.last_end() == claim.end).then_some(inner)
    }

    /// Whether the current token belongs to temporal logic or to another language's expressions.
    fn is_foreign(&self, claim: &Claim<'_>) -> bool {
        let next = |c: char| {
            let rest = self.parser.slice(self.parser.token().end, claim.end);
            rest.starts_with(c)
        };
        match self.parser.tok() {
            Tok::LBrack => next(']'),
            Tok::Lt => next('>'),
            Tok::Word => {
                let word = self.parser.token_text();
                let foreign = ["F", "G", "X", "U", "W", "R", "M", "V", "loc"];
                foreign.contains(&word) && !self.is_name(word)
            }
            tok => matches!(
                tok,
                Tok::End
                    | Tok::Bad
                    | Tok::Quoted
                    | Tok::RArrow
                    | Tok::DoubleArrow
                    | Tok::BothArrow
                    | Tok::BothDoubleArrow
                    | Tok::Double
                    | Tok::BangEq
                    | Tok::Amp
                    | Tok::AmpAmp
                    | Tok::Wedge
                    | Tok::Pipe
                    | Tok::PipePipe
                    | Tok::Vee
                    | Tok::Bang
                    | Tok::Tilde
                    | Tok::Caret
            ),
        }
    }

    fn is_name(&self, name: &str) -> bool {
        self.parser.scope.meaning(name) != Meaning::Nothing
    }
}
