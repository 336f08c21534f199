//! Reads XSTS: types, variables, the three transition sets and the property.
//!
//! Declarations usually come first and blocks are lowered as they are read. A file that declares
//! something after a block is read again, declarations first.

use crate::parser::{Parse, Parser};
use crate::scope::Scope;
use crate::token::{Syntax, Tok};
use crate::{Parsed, file_stem};
use lariat_base::{Diagnostic, FxHashSet, SourceFile, SourceId, Span};
use lariat_expr::{SortId, TermId};
use lariat_system::{
    Context, Edge, Language, Location, Property, PropertyBody, StmtId, SystemBuilder, Variable,
};
use std::borrow::Cow;

/// Reads an XSTS model.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    for order in [Order::AsWritten, Order::DeclarationsFirst] {
        let scope = Cow::Owned(Scope::default());
        let parser = Parser::new(cx, scope, Syntax::Xsts, source, &file.text, 0);
        let mut reader = Reader {
            parser,
            order,
            model: SystemBuilder::new(Language::Xsts, file_stem(file)),
            blocks: [None, None, None],
            property: None,
        };
        match reader.file() {
            Outcome::Done => return reader.finish(file),
            Outcome::ReadAgain => {}
        }
    }
    unreachable!("declarations are never late when they are read first")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsWritten,
    DeclarationsFirst,
}

enum Outcome {
    Done,
    ReadAgain,
}

struct Reader<'a> {
    parser: Parser<'a>,
    order: Order,
    /// The declarations.
    model: SystemBuilder,
    /// The branches of `trans`, `init` and `env`.
    blocks: [Option<Vec<StmtId>>; 3],
    property: Option<Property>,
}

const BLOCKS: [(Tok, &str); 3] = [
    (Tok::Trans, "trans"),
    (Tok::Init, "init"),
    (Tok::Env, "env"),
];

/// Whether a token can only stand at the top of a file.
pub(super) fn is_top(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Type | Tok::Ctrl | Tok::Trans | Tok::Init | Tok::Env | Tok::Prop
    )
}

impl Reader<'_> {
    fn file(&mut self) -> Outcome {
        if self.parser.tok() == Tok::End && !self.parser.has_errors() {
            let finding = Diagnostic::error("empty-file", "the file is empty");
            let hint = "a model has the blocks `trans {…}`, `init {…}` and `env {…}`";
            let finding = finding.at(self.parser.token_span()).hint(hint);
            self.parser.report(finding);
            return Outcome::Done;
        }
        if self.order == Order::DeclarationsFirst {
            self.declarations();
            self.parser.seek(0);
        }
        loop {
            let read = match self.parser.tok() {
                Tok::End => return Outcome::Done,
                Tok::Type | Tok::Ctrl | Tok::Var => match self.order {
                    Order::DeclarationsFirst => {
                        self.skip_declaration();
                        Ok(())
                    }
                    Order::AsWritten if self.has_block() => return Outcome::ReadAgain,
                    Order::AsWritten => self.declaration(),
                },
                Tok::Trans | Tok::Init | Tok::Env => self.block(),
                Tok::Prop => self.property(),
                _ => {
                    let what = "a declaration or one of `trans`, `init`, `env`, `prop`";
                    Err(self.parser.unexpected(what))
                }
            };
            if read.is_err() {
                self.skip_to_top();
            }
        }
    }

    fn has_block(&self) -> bool {
        self.blocks.iter().any(Option::is_some) || self.property.is_some()
    }

    /// Reads all declarations, wherever they are.
    fn declarations(&mut self) {
        loop {
            match self.parser.tok() {
                Tok::End => return,
                Tok::Type | Tok::Ctrl | Tok::Var => {
                    if self.declaration().is_err() {
                        self.skip_to_top();
                    }
                }
                _ => {
                    self.parser.advance();
                    self.skip_to_top();
                }
            }
        }
    }

    fn skip_declaration(&mut self) {
        if self.parser.eat(Tok::Ctrl) {
            self.parser.eat(Tok::Var);
        } else {
            self.parser.advance();
        }
        self.skip_to_top();
    }

    /// Skips to the next declaration or block.
    fn skip_to_top(&mut self) {
        let mut after_local = false;
        loop {
            match self.parser.tok() {
                Tok::End => return,
                Tok::Var if !after_local => return,
                tok if is_top(tok) => return,
                tok => after_local = tok == Tok::Local,
            }
            self.parser.advance();
        }
    }

    fn declaration(&mut self) -> Parse<()> {
        if self.parser.tok() == Tok::Type {
            return self.enumeration();
        }
        let start = self.parser.token().start;
        let ctrl = self.parser.eat(Tok::Ctrl);
        self.parser.expect(Tok::Var, "`var`")?;
        let (name, span) = self.parser.name("the name of a variable")?;
        let read = self.sort_and_value();
        let (sort, initial) = self.parser.declaring(name, read)?;
        let taken = self.parser.scope.is_taken(name);
        if let Some(taken) = taken {
            self.parser.duplicate(name, span, taken.first);
        }
        let Some(sort) = sort else {
            // The type was reported; uses of the variable need no reports of their own.
            self.parser.mark_reported(name);
            return Ok(());
        };
        let var = self.parser.cx.terms.declare(name, sort);
        if taken.is_some() {
            return Ok(());
        }
        let span = self.parser.span_from(start);
        let parser = &mut self.parser;
        parser
            .scope
            .to_mut()
            .declare_variable(parser.cx, name, var, Some(span));
        self.model.variable(Variable {
            ctrl,
            initial,
            span: Some(span),
            ..Variable::new(var)
        });
        Ok(())
    }

    /// `: T = e`, of which the value may be left out.
    fn sort_and_value(&mut self) -> Parse<(Option<SortId>, Option<TermId>)> {
        self.parser.expect(Tok::Colon, "`:` and a type")?;
        let sort = self.parser.sort()?;
        if self.parser.eat(Tok::Single) {
            return Ok((sort, self.parser.expression(sort)?));
        }
        if self.parser.tok() == Tok::Assign {
            let hint = Some("an initial value is given by `=`".into());
            let what = "`=` or the next declaration";
            return Err(self.parser.unexpected_hint(what, hint));
        }
        Ok((sort, None))
    }

    fn enumeration(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a type")?;
        self.parser.expect(Tok::Colon, "`:`")?;
        let literals = self.parser.literals()?;
        if let Some(sort) = self.parser.declare_enum(name, span, start, &literals) {
            self.model.sort(sort);
        }
        Ok(())
    }

    fn block(&mut self) -> Parse<()> {
        let at = BLOCKS.iter().position(|block| block.0 == self.parser.tok());
        let at = at.expect("a block starts here");
        if self.blocks[at].is_some() {
            let message = format!("there are two `{}` blocks", BLOCKS[at].1);
            let finding = Diagnostic::error("duplicate-block", message);
            let finding = finding.at(self.parser.token_span());
            self.parser
                .report(finding.hint("alternatives are joined with `or`"));
        }
        self.parser.advance();
        // Even if its text makes no sense, the block is there.
        self.blocks[at].get_or_insert_default();
        let branches = self.parser.branches()?;
        self.blocks[at] = Some(branches);
        Ok(())
    }

    fn property(&mut self) -> Parse<()> {
        let span = self.parser.token_span();
        self.parser.advance();
        self.parser.expect(Tok::LBrace, "`{`")?;
        let start = self.parser.token().start;
        let bool_ = self.parser.cx.terms.sorts.bool();
        let term = self.parser.expression(Some(bool_))?;
        let place = self.parser.span_from(start);
        self.parser.expect_after_expression(Tok::RBrace, "`}`")?;
        if self.property.is_some() {
            let finding = Diagnostic::error("duplicate-block", "there are two `prop` blocks");
            self.parser.report(finding.at(span));
        }
        if let Some(term) = term {
            self.property = Some(Property {
                name: "".into(),
                alias: None,
                body: PropertyBody::Invariant(term),
                span: Some(place),
            });
        }
        Ok(())
    }

    fn finish(mut self, file: &SourceFile) -> Result<Parsed, Vec<Diagnostic>> {
        for (at, (_, name)) in BLOCKS.iter().enumerate() {
            if self.blocks[at].is_none() && !file.text.trim().is_empty() {
                let message = format!("the model has no `{name}` block");
                let hint = format!("add `{name} {{}}` if it does nothing");
                let finding = Diagnostic::error("missing-block", message);
                let end = self
                    .parser
                    .span(file.text.len() as u32, file.text.len() as u32);
                self.parser.report(finding.at(end).hint(hint));
            }
        }
        if self.parser.has_errors() {
            return Err(self.parser.into_findings());
        }
        let [trans, init, env] = self.blocks.map(Option::unwrap_or_default);
        let mut model = self.model;
        let [stable, moved] = ["env", "trans"].map(|name| model.location(Location::new(name)));
        for stmt in init {
            model.start(Edge::new(stmt, stable));
        }
        for stmt in env {
            model.edge(stable, Edge::new(stmt, moved));
        }
        for stmt in trans {
            model.edge(moved, Edge::new(stmt, stable));
        }
        if let Some(property) = self.property {
            model.property(property);
        }
        let system = model.finish(self.parser.cx);
        Ok(Parsed {
            obligations: Vec::new(),
            system,
            warnings: self.parser.into_findings(),
        })
    }
}

impl<'a> Parser<'a> {
    /// `{ a, b, c }`: the literals of an enumeration and where they are.
    pub(crate) fn literals(&mut self) -> Parse<Vec<(&'a str, Span)>> {
        self.expect(Tok::LBrace, "`{` and the literals of the type")?;
        let mut literals = vec![self.name("a literal")?];
        while self.eat(Tok::Comma) {
            literals.push(self.name("a literal")?);
        }
        self.expect(Tok::RBrace, "`,` or `}`")?;
        Ok(literals)
    }

    /// Declares an enumeration whose text began at `start`; gives nothing if that makes no sense.
    pub(crate) fn declare_enum(
        &mut self,
        name: &str,
        span: Span,
        start: u32,
        literals: &[(&str, Span)],
    ) -> Option<SortId> {
        if let Some(taken) = self.scope.is_taken(name) {
            self.duplicate(name, span, taken.first);
            return None;
        }
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut sound = true;
        for &(literal, span) in literals {
            if !seen.insert(literal) {
                self.duplicate(literal, span, None);
                sound = false;
            }
        }
        if !sound {
            return None;
        }
        let names = literals.iter().map(|literal| literal.0);
        let sort = self.cx.terms.sorts.enumeration(name, names);
        let whole = self.span_from(start);
        let taken = self.scope.to_mut().declare_enum(self.cx, sort, Some(whole));
        if let Some(full) = taken {
            self.duplicate(&full, span, None);
        }
        Some(sort)
    }
}
