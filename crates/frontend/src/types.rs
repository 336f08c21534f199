//! Types as they are written in each language.

use crate::parser::{Parse, Parser, shorten};
use crate::token::{Syntax, Tok};
use lariat_base::Diagnostic;
use lariat_expr::SortId;

/// How many arrays may lie inside each other.
const MAX_DIMENSIONS: usize = 100;

impl Parser<'_> {
    /// Reads a type; nothing if it is none of ours, which is reported.
    pub fn sort(&mut self) -> Parse<Option<SortId>> {
        let mut indices: Vec<Option<SortId>> = Vec::new();
        while self.eat(Tok::LBrack) {
            let index = self.nested(Self::sort)?;
            if self.tok() == Tok::Comma {
                let message = "arrays have one index; write `[int] -> [int] -> …`";
                let finding = Diagnostic::error("unsupported-array", message);
                self.report(finding.at(self.token_span()));
            }
            self.expect(Tok::RBrack, "`]` after the type of an array's indices")?;
            self.expect(Tok::RArrow, "`->` and the type of an array's elements")?;
            indices.push(index);
            if indices.len() > MAX_DIMENSIONS {
                return Err(self.too_deep());
            }
        }
        let mut sort = self.simple_sort()?;
        for index in indices.into_iter().rev() {
            sort = match (index, sort) {
                (Some(index), Some(element)) => Some(self.cx.terms.sorts.array(index, element)),
                _ => None,
            };
        }
        Ok(sort)
    }

    fn simple_sort(&mut self) -> Parse<Option<SortId>> {
        let sorts = &self.cx.terms.sorts;
        let sort = match self.tok() {
            Tok::Bool => sorts.bool(),
            Tok::Integer => sorts.int(),
            Tok::Rat if self.syntax != Syntax::Gcl => sorts.rat(),
            Tok::BvType => {
                self.advance();
                let width = self.width()?;
                return Ok(width.map(|width| self.cx.terms.sorts.bv(width)));
            }
            Tok::FpType => {
                self.unsupported_float("`fp`");
                self.advance();
                if self.eat(Tok::LBrack) {
                    self.skip_until(|tok| tok == Tok::RBrack);
                    self.advance();
                }
                return Ok(None);
            }
            Tok::LParen if matches!(self.syntax, Syntax::Cfa | Syntax::Sts) => {
                return Err(self.unsupported_function());
            }
            Tok::Word => return Ok(self.named_sort()),
            _ => return Err(self.unexpected("a type")),
        };
        self.advance();
        Ok(Some(sort))
    }

    fn named_sort(&mut self) -> Option<SortId> {
        let (name, span) = (self.token_text(), self.token_span());
        self.advance();
        let found = self.scope.type_of(name);
        if found.is_none() {
            let usual = match (self.syntax, name) {
                (Syntax::Xsts, "bool" | "Boolean") => Some("boolean"),
                (Syntax::Xsts, "int" | "Integer") => Some("integer"),
                (Syntax::Xsts, _) => None,
                (_, "boolean" | "Boolean") => Some("bool"),
                (_, "integer" | "Integer") => Some("int"),
                _ => None,
            };
            let hint = match (usual, self.scope.nearest_type(name)) {
                (Some(usual), _) => Some(format!("write `{usual}` in {}", self.syntax.name())),
                (None, Some(near)) => Some(format!("did you mean `{near}`?")),
                (None, None) => None,
            };
            let message = format!("unknown type `{}`", shorten(name));
            let finding = Diagnostic::error("unknown-type", message).at(span);
            self.report(finding.maybe_hint(hint));
        }
        found
    }
}
