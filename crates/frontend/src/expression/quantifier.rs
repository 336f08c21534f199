//! `forall(i : T, e)` and `exists(i : T, e)` over an enumeration: short for a conjunction or disjunction over its literals.
//!
//! The body is read once, with a variable for the bound name; then each literal is put in. Conjunctions and disjunctions are sorted,
//! so that what comes out does not depend on the order of the literals: the values of a symmetric type stay alike.

use super::{Operand, What};
use crate::parser::{Failed, LeftArrow, Parse, Parser};
use crate::token::{Syntax, Tok};
use lariat_base::Diagnostic;
use lariat_expr::{SortId, Substitution, TermId, Value, VarId};

/// The most copies of one body, those of the quantifiers around it counted.
const MAX_COPIES: u64 = 100_000;

impl Parser<'_> {
    /// Reads a quantifier, whose word is the current token.
    pub(super) fn quantified(&mut self) -> Parse<Operand> {
        let start = self.token().start;
        if !matches!(self.syntax, Syntax::Gcl | Syntax::Property) {
            return Err(self.unsupported_quantifier());
        }
        let is_forall = self.tok() == Tok::Forall;
        let word = self.token_span();
        self.advance();
        if self.tok() != Tok::LParen {
            let text = "a quantifier ranges over the literals of an enumeration";
            let hint = "it is written `forall(i : T, e)` or `exists(i : T, e)`";
            let finding = Diagnostic::error("unsupported-quantifier", text);
            self.report(finding.at(word).hint(hint));
            return Err(Failed);
        }
        self.advance();
        let (name, name_span) = self.name("the name that a quantifier binds")?;
        self.expect(Tok::Colon, "`:` and a type")?;
        let sort_start = self.token().start;
        let sort = self.sort()?;
        let sort_span = self.span_from(sort_start);
        self.expect(Tok::Comma, "`,` and an expression")?;
        let sort = sort.and_then(|sort| self.bindable(sort, sort_span));
        let Some(sort) = sort else {
            return Err(Failed);
        };
        let n_values = self.cx.terms.sorts.cardinality(sort).unwrap_or(1);
        let outer_copies = self.copies;
        self.copies = outer_copies.saturating_mul(n_values);
        if self.copies > MAX_COPIES {
            let text = "these quantifiers stand for too many copies of their body";
            self.report(Diagnostic::error("too-large", text).at(word));
            self.copies = outer_copies;
            return Err(Failed);
        }
        let mark = self.scope.to_mut().open();
        let scope = self.scope.to_mut();
        let var = scope.declare_local(self.cx, name, sort, name_span);
        let outer = std::mem::replace(&mut self.left_arrow, LeftArrow::Compares);
        let bool_ = self.cx.terms.sorts.bool();
        let body = self.expression(Some(bool_));
        self.left_arrow = outer;
        self.copies = outer_copies;
        self.scope.to_mut().close(mark);
        let body = body?;
        self.expect_after_expression(Tok::RParen, "`)`")?;
        let term = body.map(|body| self.instances(var, sort, body, is_forall));
        Ok(Operand {
            what: term.map_or(What::Wrong, What::Term),
            start,
            end: self.last_end(),
        })
    }

    /// A type over whose values something may range.
    pub(crate) fn bindable(&mut self, sort: SortId, span: lariat_base::Span) -> Option<SortId> {
        let sorts = &self.cx.terms.sorts;
        if sorts.as_enum(sort).is_some() || sort == sorts.bool() {
            return Some(sort);
        }
        self.mismatch(span, "an enumeration", sort);
        None
    }

    fn instances(&mut self, var: VarId, sort: SortId, body: TermId, is_forall: bool) -> TermId {
        let terms = &mut self.cx.terms;
        let n_values = terms.sorts.cardinality(sort).unwrap_or(0);
        let mut instances = Vec::new();
        for value in 0..n_values {
            let value = Value::nth(&terms.sorts, sort, value).expect("there are as many");
            let value = terms.lit(value, sort);
            let mut substitution = Substitution::new();
            substitution.insert(terms, var, value);
            instances.push(substitution.apply(terms, body));
        }
        if is_forall {
            terms.and(&instances)
        } else {
            terms.or(&instances)
        }
    }

    fn unsupported_quantifier(&mut self) -> Failed {
        let text = "quantifiers are not supported";
        let finding = Diagnostic::error("unsupported-quantifier", text);
        self.report(finding.at(self.token_span()));
        Failed
    }
}
