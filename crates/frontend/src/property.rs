//! Expressions outside of a model: property files, conditions, atoms of temporal formulas.
//!
//! They may use the spelling of any of the languages.

use crate::parser::{Parse, Parser, shorten};
use crate::scope::Scope;
use crate::token::{Syntax, Tok};
use lariat_base::{Diagnostic, SourceFile, SourceId, Span};
use lariat_expr::{SortId, TermId};
use lariat_system::{Context, LocId, NameId, System};
use std::borrow::Cow;

/// What an atom of a temporal formula says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExprAtom {
    /// A Boolean term holds.
    Term(TermId),
    /// The system at this position of the scope's list is at this location: `loc(NAME)`.
    Location(usize, LocId),
    /// The system at this position is at a location of this name: `call(f)`, `at(LABEL)` of C.
    Named(usize, NameId),
}

/// The locations that [`ExprAtom::Named`] speaks of.
pub fn locations_named(system: &System, name: &str) -> Vec<LocId> {
    crate::c::locations_named(system, name)
}

/// Reads an expression over the variables of a scope. `text` is the part `span` of its source.
pub fn parse_expression(
    cx: &mut Context,
    scope: &Scope,
    span: Span,
    text: &str,
    expected: Option<SortId>,
) -> Result<TermId, Vec<Diagnostic>> {
    if let (Some(names), true) = (scope.c_names(), expected == Some(cx.terms.sorts.bool())) {
        return match crate::c::parse_atom(cx, names, span, text)? {
            ExprAtom::Term(term) => Ok(term),
            _ => {
                let message = "places in the program are for temporal formulas";
                Err(vec![
                    Diagnostic::error("location-in-expression", message).at(span),
                ])
            }
        };
    }
    if let (Some(names), true) = (scope.plc_names(), expected == Some(cx.terms.sorts.bool())) {
        return match crate::st::parse_atom(cx, names, span, text)? {
            ExprAtom::Term(term) => Ok(term),
            _ => unreachable!("a program of a controller has no places"),
        };
    }
    let mut parser = property_parser(cx, scope, span, text);
    let term = parser.expression(expected);
    finish(parser, term)
}

/// Reads an atom of a temporal formula: a Boolean expression, or `loc(NAME)`. `text` is the part
/// `span` of its source.
pub fn parse_atom(
    cx: &mut Context,
    scope: &Scope,
    span: Span,
    text: &str,
) -> Result<ExprAtom, Vec<Diagnostic>> {
    if let Some(names) = scope.c_names() {
        return crate::c::parse_atom(cx, names, span, text);
    }
    if let Some(names) = scope.plc_names() {
        return crate::st::parse_atom(cx, names, span, text);
    }
    let bool_ = cx.terms.sorts.bool();
    let mut parser = property_parser(cx, scope, span, text);
    if parser.at_location() {
        let atom = parser.location();
        return finish(parser, atom);
    }
    let term = parser.expression(Some(bool_));
    let atom = term.map(|term| term.map(ExprAtom::Term));
    finish(parser, atom)
}

/// Reads a property file: `prop { expression }`, true in every observed state.
pub fn parse_property_file(
    cx: &mut Context,
    scope: &Scope,
    source: SourceId,
    file: &SourceFile,
) -> Result<TermId, Vec<Diagnostic>> {
    let span = Span::new(source, 0, file.text.len());
    let bool_ = cx.terms.sorts.bool();
    let mut parser = property_parser(cx, scope, span, &file.text);
    let term = parser.property_block(bool_);
    finish(parser, term)
}

fn property_parser<'a>(
    cx: &'a mut Context,
    scope: &'a Scope,
    span: Span,
    text: &'a str,
) -> Parser<'a> {
    Parser::new(
        cx,
        Cow::Borrowed(scope),
        Syntax::Property,
        span.source,
        text,
        span.start,
    )
}

/// The result, if the whole text was read and all is well.
fn finish<T>(mut parser: Parser<'_>, result: Parse<Option<T>>) -> Result<T, Vec<Diagnostic>> {
    if result.is_ok() && parser.tok() != Tok::End {
        let hint = parser.operator_advice();
        parser.unexpected_hint("the end of the expression", hint);
    }
    match result {
        Ok(Some(value)) if !parser.has_errors() => Ok(value),
        _ => Err(parser.into_findings()),
    }
}

impl Parser<'_> {
    fn property_block(&mut self, bool_: SortId) -> Parse<Option<TermId>> {
        if self.token_text() != "prop" {
            return Err(self.unexpected("`prop { … }`"));
        }
        self.advance();
        self.expect(Tok::LBrace, "`{`")?;
        let term = self.expression(Some(bool_))?;
        self.expect_after_expression(Tok::RBrace, "`}`")?;
        Ok(term)
    }

    /// Whether `loc(` stands here and `loc` is no variable.
    fn at_location(&self) -> bool {
        let rest = self.text()[self.token().end as usize..].trim_start();
        self.token_text() == "loc"
            && rest.starts_with('(')
            && self.scope.meaning("loc") == crate::scope::Meaning::Nothing
    }

    /// `loc(NAME)`, or `loc(SYSTEM.NAME)` where several systems have such a location.
    fn location(&mut self) -> Parse<Option<ExprAtom>> {
        self.advance();
        self.expect(Tok::LParen, "`(`")?;
        let (text, span) = (self.token_text(), self.token_span());
        if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.unexpected("the name of a location"));
        }
        self.advance();
        self.expect(Tok::RParen, "`)`")?;
        let mut found: Vec<(usize, LocId)> = self.scope.locations(text).to_vec();
        if let (true, Some((system, name))) = (found.is_empty(), text.split_once('.')) {
            let systems = self.scope.systems();
            let of_system = |at: &&(usize, LocId)| *systems[at.0] == *system;
            found = self
                .scope
                .locations(name)
                .iter()
                .filter(of_system)
                .copied()
                .collect();
        }
        match found[..] {
            [(system, location)] => return Ok(Some(ExprAtom::Location(system, location))),
            [] => {
                let near = self.scope.nearest_location(text);
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                let message = format!("unknown location `{}`", shorten(text));
                let finding = Diagnostic::error("unknown-location", message).at(span);
                self.report(finding.maybe_hint(hint));
            }
            [(first, _), (second, _), ..] => {
                let message = format!("several models have a location `{}`", shorten(text));
                let systems = self.scope.systems();
                let hint = (systems[first] != systems[second])
                    .then(|| format!("write `loc({}.{text})`", systems[first]));
                let finding = Diagnostic::error("ambiguous-location", message).at(span);
                self.report(finding.maybe_hint(hint));
            }
        }
        Ok(None)
    }
}
