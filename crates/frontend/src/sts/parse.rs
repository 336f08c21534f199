//! Reads STS. The outline (what is where) is found first, because anything may be used before it
//! is declared; then the system that the properties speak of is read.

use super::build::{self, Body};
use crate::Parsed;
use crate::parser::{Parse, Parser, Primes};
use crate::scope::Scope;
use crate::token::{Syntax, Tok};
use lariat_base::{Diagnostic, FxHashMap, SourceFile, SourceId, Span};
use lariat_expr::{SortId, TermId};
use lariat_system::{Context, Property, Variable};
use std::borrow::Cow;

/// Reads an STS model.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut scope = Scope::default();
    scope.set_ratio_literals();
    let mut parser = Parser::new(cx, Cow::Owned(scope), Syntax::Sts, source, &file.text, 0);
    parser.primes = Primes::Outside;
    let mut reader = Reader {
        parser,
        name: "",
        outline: Outline::default(),
        body: Body::new(),
    };
    let read = reader.specification();
    let properties = match read {
        Ok(()) => reader.chosen_system(),
        Err(_) => Vec::new(),
    };
    reader.finish(properties)
}

pub(super) struct Reader<'a> {
    pub(super) parser: Parser<'a>,
    name: &'a str,
    outline: Outline<'a>,
    body: Body,
}

/// Where the members of the specification are.
#[derive(Default)]
struct Outline<'a> {
    systems: Vec<Definition<'a>>,
    system_names: FxHashMap<&'a str, usize>,
    property_names: FxHashMap<&'a str, Span>,
    properties: Vec<Claim<'a>>,
}

/// A system: its name (none if it stands inside a property) and where its `{` is.
#[derive(Clone, Copy)]
struct Definition<'a> {
    name: Option<&'a str>,
    span: Span,
    body: u32,
}

/// A property: its name, which system it speaks of, and where its formula begins and ends.
pub(super) struct Claim<'a> {
    pub name: &'a str,
    system: usize,
    pub formula: u32,
    pub end: u32,
}

impl<'a> Reader<'a> {
    fn specification(&mut self) -> Parse<()> {
        if self.parser.tok() == Tok::End && !self.parser.has_errors() {
            let finding = Diagnostic::error("empty-file", "the file is empty");
            let hint = "a model is written `specification NAME { … }`";
            let finding = finding.at(self.parser.token_span()).hint(hint);
            self.parser.report(finding);
            return Ok(());
        }
        self.parser.expect(Tok::Specification, "`specification`")?;
        self.name = self.parser.name("the name of the specification")?.0;
        if self.parser.eat(Tok::LParen) {
            while self.parser.tok() != Tok::RParen {
                self.constant()?;
                if !self.parser.eat(Tok::Comma) {
                    break;
                }
            }
            self.parser.expect(Tok::RParen, "`)`")?;
        }
        self.parser.expect(Tok::LBrace, "`{`")?;
        let mut references: Vec<(usize, &'a str, Span)> = Vec::new();
        loop {
            let read = match self.parser.tok() {
                Tok::RBrace => break,
                Tok::End => return Err(self.parser.unexpected("`}`")),
                Tok::Const | Tok::Var => self.declaration(),
                Tok::System => self.outline_system(),
                Tok::Property => self.outline_property(&mut references),
                _ => {
                    let what = "`const`, `var`, `system`, `property` or `}`";
                    Err(self.parser.unexpected(what))
                }
            };
            if read.is_err() {
                self.parser
                    .skip_until(|tok| ends_member(tok) || tok == Tok::RBrace);
            }
        }
        self.parser.advance();
        if self.parser.tok() != Tok::End {
            self.parser.unexpected("the end of the file");
        }
        for (claim, name, span) in references {
            self.resolve(claim, name, span);
        }
        Ok(())
    }

    fn outline_system(&mut self) -> Parse<()> {
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a system")?;
        if self.parser.tok() == Tok::LParen {
            return Err(self.unsupported_parameters());
        }
        self.parser.expect(Tok::Assign, "`:=`")?;
        let definition = self.definition(Some(name), span)?;
        let position = self.outline.systems.len();
        if let Some(first) = self.outline.system_names.insert(name, position) {
            let first = self.outline.systems[first].span;
            self.parser.duplicate(name, span, Some(first));
        }
        self.outline.systems.push(definition);
        Ok(())
    }

    fn unsupported_parameters(&mut self) -> crate::parser::Failed {
        let message = "systems with parameters are not supported";
        let finding = Diagnostic::error("unsupported-parameter", message);
        let finding = finding.at(self.parser.token_span());
        self.parser.report(finding);
        crate::parser::Failed
    }

    /// Skips `{ … }` and remembers where it is.
    fn definition(&mut self, name: Option<&'a str>, span: Span) -> Parse<Definition<'a>> {
        let body = self.parser.token().start;
        self.parser.expect(Tok::LBrace, "`{`")?;
        self.parser.skip_until(|tok| tok == Tok::RBrace);
        self.parser.expect(Tok::RBrace, "`}`")?;
        Ok(Definition { name, span, body })
    }

    fn outline_property(&mut self, references: &mut Vec<(usize, &'a str, Span)>) -> Parse<()> {
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a property")?;
        if let Some(first) = self.outline.property_names.insert(name, span) {
            self.parser.duplicate(name, span, Some(first));
        }
        self.parser.expect(Tok::Colon, "`:`")?;
        let mut system = usize::MAX;
        if self.parser.tok() == Tok::LBrace {
            let definition = self.definition(None, span)?;
            system = self.outline.systems.len();
            self.outline.systems.push(definition);
        } else {
            let (reference, span) = self.parser.name("a system")?;
            references.push((self.outline.properties.len(), reference, span));
            if self.parser.tok() == Tok::LParen {
                return Err(self.unsupported_parameters());
            }
        }
        self.parser.expect(Tok::Models, "`models`")?;
        let formula = self.parser.token().start;
        let text = self.parser.ltl_text(ends_member);
        self.outline.properties.push(Claim {
            name,
            system,
            formula,
            end: formula + text.map_or(0, |text| text.text.len() as u32),
        });
        Ok(())
    }

    fn resolve(&mut self, claim: usize, name: &str, span: Span) {
        let systems = &self.outline.systems;
        let found = self.outline.system_names.get(name).copied();
        if found.is_none() {
            let names = systems.iter().filter_map(|system| system.name);
            let near = crate::scope::suggestion(name, names);
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("unknown system `{}`", crate::parser::shorten(name));
            let finding = Diagnostic::error("unknown-system", message).at(span);
            self.parser.report(finding.maybe_hint(hint));
        }
        if let (Some(system), Some(claim)) = (found, self.outline.properties.get_mut(claim)) {
            claim.system = system;
        }
    }

    /// Reads the system of the first property, or the first system, and the properties on it.
    fn chosen_system(&mut self) -> Vec<Property> {
        let first = self.outline.properties.first().map(|claim| claim.system);
        let Some(&chosen) = self.outline.systems.get(first.unwrap_or(0)) else {
            if !self.parser.has_errors() {
                let finding = Diagnostic::error("missing-system", "there is no system");
                let finding = finding.at(self.parser.token_span());
                self.parser
                    .report(finding.hint("write `system NAME := { … }`"));
            }
            return Vec::new();
        };
        let at = first.unwrap_or(0);
        self.name = chosen.name.unwrap_or(self.name);
        self.parser.seek(chosen.body);
        // What makes no sense was reported.
        let _ = self.system_body();
        let claims = std::mem::take(&mut self.outline.properties);
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            claims.into_iter().partition(|claim| claim.system == at);
        if let (Some(first), Some(other)) = (here.first(), elsewhere.first()) {
            let message = format!(
                "only the system of `{}` is used; {} other properties speak of other systems",
                first.name,
                elsewhere.len()
            );
            let span = self.parser.span(other.formula, other.end);
            let finding = Diagnostic::warning("several-systems", message).at(span);
            self.parser
                .report(finding.hint("put each system into a file of its own"));
        } else if here.is_empty() && self.outline.systems.len() > 1 {
            let message = format!("only the first system, `{}`, is used", self.name);
            let finding = Diagnostic::warning("several-systems", message).at(chosen.span);
            self.parser.report(finding);
        }
        here.iter().filter_map(|claim| self.claim(claim)).collect()
    }

    fn system_body(&mut self) -> Parse<()> {
        // Declarations first: they may come after their uses.
        let start = self.parser.token().start;
        for pass in [Pass::Declarations, Pass::Constraints] {
            self.parser.seek(start);
            self.parser.expect(Tok::LBrace, "`{`")?;
            loop {
                let read = match (self.parser.tok(), pass) {
                    (Tok::RBrace | Tok::End, _) => break,
                    (Tok::Const | Tok::Var, Pass::Declarations) => self.declaration(),
                    (Tok::Invariant | Tok::Initial | Tok::Transition, Pass::Constraints) => {
                        self.constraint()
                    }
                    (tok, Pass::Declarations) if !ends_constraint(tok) => {
                        let what = "`const`, `var`, `invariant`, `initial`, `transition` or `}`";
                        Err(self.parser.unexpected(what))
                    }
                    _ => {
                        self.parser.advance();
                        self.parser.skip_until(ends_constraint);
                        Ok(())
                    }
                };
                if read.is_err() {
                    self.parser.skip_until(ends_constraint);
                }
                // After an expression only another member may come.
                if pass == Pass::Constraints && !ends_constraint(self.parser.tok()) {
                    let hint = self.parser.operator_advice();
                    if self.parser.tok() != Tok::End {
                        self.parser
                            .unexpected_hint("an operator or the next constraint", hint);
                    }
                    self.parser.skip_until(ends_constraint);
                }
            }
        }
        Ok(())
    }

    fn constraint(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        let kind = self.parser.tok();
        self.parser.advance();
        self.parser.primes = if kind == Tok::Transition {
            Primes::Allowed
        } else {
            Primes::Outside
        };
        let bool_ = self.parser.cx.terms.sorts.bool();
        let term = self.parser.expression(Some(bool_));
        self.parser.primes = Primes::Outside;
        if let Some(term) = term? {
            let constraint = (term, self.parser.span_from(start));
            match kind {
                Tok::Initial => self.body.initial.push(constraint),
                Tok::Invariant => self.body.invariants.push(constraint),
                _ => self.body.transitions.push(constraint),
            }
        }
        Ok(())
    }

    /// `var x : T [:= e]` or `const c : T [:= e]`.
    fn declaration(&mut self) -> Parse<()> {
        let is_constant = self.parser.tok() == Tok::Const;
        self.parser.advance();
        if is_constant {
            return self.constant();
        }
        let start = self.parser.token().start;
        let (name, span) = self.parser.name("the name of a variable")?;
        let read = self.sort_and_value();
        let (sort, value) = self.parser.declaring(name, read)?;
        let value = match value {
            Given::Value(value, _) => Some(value),
            Given::Nothing | Given::Wrong => None,
        };
        self.declare(name, span, start, sort, value, Kind::Variable);
        Ok(())
    }

    fn constant(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        let (name, span) = self.parser.name("the name of a constant")?;
        let read = self.sort_and_value();
        let (sort, value) = self.parser.declaring(name, read)?;
        match value {
            Given::Value(value, place) if self.parser.cx.terms.as_lit(value).is_none() => {
                let finding = Diagnostic::error("not-constant", "the value is not constant");
                self.parser.report(finding.at(place));
                self.parser.mark_reported(name);
            }
            Given::Value(value, _) => match self.parser.scope.is_taken(name) {
                Some(taken) => self.parser.duplicate(name, span, taken.first),
                None => {
                    let span = self.parser.span_from(start);
                    let scope = self.parser.scope.to_mut();
                    scope.declare_constant(name, value, Some(span));
                    self.body.model.constant(name, value);
                }
            },
            Given::Wrong => self.parser.mark_reported(name),
            Given::Nothing => self.declare(name, span, start, sort, None, Kind::Rigid),
        }
        Ok(())
    }

    /// `: T := e`, of which the value may be left out.
    fn sort_and_value(&mut self) -> Parse<(Option<SortId>, Given)> {
        self.parser.expect(Tok::Colon, "`:` and a type")?;
        let sort = self.parser.sort()?;
        let start = self.parser.token().start;
        if !self.parser.eat(Tok::Assign) && !self.parser.eat(Tok::Single) {
            return Ok((sort, Given::Nothing));
        }
        let value = self.parser.expression(sort)?;
        let span = self.parser.span_from(start);
        Ok((
            sort,
            value.map_or(Given::Wrong, |value| Given::Value(value, span)),
        ))
    }

    fn declare(
        &mut self,
        name: &str,
        span: Span,
        start: u32,
        sort: Option<SortId>,
        initial: Option<TermId>,
        kind: Kind,
    ) {
        if let Some(taken) = self.parser.scope.is_taken(name) {
            self.parser.duplicate(name, span, taken.first);
            return;
        }
        let Some(sort) = sort else {
            self.parser.mark_reported(name);
            return;
        };
        let var = self.parser.cx.terms.declare(name, sort);
        if kind == Kind::Rigid {
            self.parser.rigid.insert(var);
        }
        let span = self.parser.span_from(start);
        let parser = &mut self.parser;
        parser
            .scope
            .to_mut()
            .declare_variable(parser.cx, name, var, Some(span));
        self.body.model.variable(Variable {
            initial,
            span: Some(span),
            ..Variable::new(var)
        });
    }

    fn finish(self, properties: Vec<Property>) -> Result<Parsed, Vec<Diagnostic>> {
        let Self {
            parser,
            name,
            mut body,
            ..
        } = self;
        if parser.has_errors() {
            return Err(parser.into_findings());
        }
        let mut parser = parser;
        body.model.rename(name);
        for property in properties {
            body.model.property(property);
        }
        let system = build::system(&mut parser, body);
        Ok(Parsed {
            obligations: Vec::new(),
            system,
            warnings: parser.into_findings(),
        })
    }
}

/// The value that a declaration gives.
#[derive(Clone, Copy)]
enum Given {
    Nothing,
    Value(TermId, Span),
    /// One that makes no sense, which was reported.
    Wrong,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Variable,
    /// A constant without a value.
    Rigid,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Declarations,
    Constraints,
}

/// Whether a token starts a member of the specification.
pub(super) fn ends_member(tok: Tok) -> bool {
    matches!(tok, Tok::Const | Tok::Var | Tok::System | Tok::Property)
}

/// Whether a token starts a member of a system or ends it.
fn ends_constraint(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Const | Tok::Var | Tok::Invariant | Tok::Initial | Tok::Transition | Tok::RBrace
    )
}
