//! Reads CFA in two passes, because anything may be used before it is declared: first the variables
//! and locations, then the edges.

use super::build::{self, Process, SourceEdge};
use crate::Parsed;
use crate::expression::is_float_word;
use crate::parser::{Failed, Parse, Parser, shorten};
use crate::scope::{Scope, suggestion};
use crate::token::{Syntax, Tok};
use lariat_base::{Diagnostic, FxHashMap, SourceFile, SourceId, Span};
use lariat_expr::SortId;
use lariat_system::{Context, LocId, LocRole, Location, Stmt, StmtId, Variable};
use std::borrow::Cow;

/// Reads a CFA model.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut scope = Scope::default();
    scope.set_ratio_literals();
    let parser = Parser::new(cx, Cow::Owned(scope), Syntax::Cfa, source, &file.text, 0);
    let mut reader = Reader {
        parser,
        globals: Vec::new(),
        main: None,
        processes: Vec::new(),
        names: FxHashMap::default(),
    };
    reader.file();
    reader.finish()
}

struct Reader<'a> {
    parser: Parser<'a>,
    globals: Vec<Variable>,
    main: Option<(Process, Span)>,
    /// Where the processes begin.
    processes: Vec<u32>,
    names: FxHashMap<&'a str, Span>,
}

impl<'a> Reader<'a> {
    fn file(&mut self) {
        if self.parser.tok() == Tok::End && !self.parser.has_errors() {
            let finding = Diagnostic::error("empty-file", "the file is empty");
            let hint = "a model has a `main process NAME { … }`";
            let finding = finding.at(self.parser.token_span()).hint(hint);
            self.parser.report(finding);
            return;
        }
        self.find_processes();
        for start in std::mem::take(&mut self.processes) {
            self.parser.seek(start);
            // A process that makes no sense was reported; the others may.
            let _ = self.process();
        }
    }

    /// The first pass over the top of the file: declares the global variables.
    fn find_processes(&mut self) {
        loop {
            let start = self.parser.token().start;
            let read = match self.parser.tok() {
                Tok::End => return,
                Tok::Var => self.parser.cfa_variable().map(|variable| {
                    self.globals.extend(variable);
                }),
                Tok::Main | Tok::Process => self.skip_process(start),
                _ => Err(self.parser.unexpected("`var` or `process`")),
            };
            if read.is_err() {
                self.parser
                    .skip_until(|tok| matches!(tok, Tok::Var | Tok::Main | Tok::Process));
            }
        }
    }

    fn skip_process(&mut self, start: u32) -> Parse<()> {
        self.parser.eat(Tok::Main);
        self.parser.expect(Tok::Process, "`process`")?;
        let (name, span) = self.parser.name("the name of a process")?;
        if let Some(first) = self.names.insert(name, span) {
            self.parser.duplicate(name, span, Some(first));
        }
        self.processes.push(start);
        self.parser.skip_until(|tok| tok == Tok::LBrace);
        self.parser.expect(Tok::LBrace, "`{`")?;
        self.parser.skip_until(|tok| tok == Tok::RBrace);
        self.parser.expect(Tok::RBrace, "`}`")
    }

    /// Reads a whole process; its variables are known only inside.
    fn process(&mut self) -> Parse<()> {
        let span = self.parser.token_span();
        let is_main = self.parser.eat(Tok::Main);
        self.parser.advance();
        let (name, _) = self.parser.name("the name of a process")?;
        let mut process = Process::new(name);
        let mark = self.parser.scope.to_mut().open();
        let read = self.process_body(&mut process);
        self.parser.scope.to_mut().close(mark);
        if is_main {
            if let Some((_, first)) = &self.main {
                let message = "there are two main processes";
                let finding = Diagnostic::error("duplicate-main", message).at(span);
                let finding = finding.also(*first, "the first one");
                self.parser.report(finding);
            } else {
                self.main = Some((process, span));
            }
        }
        read
    }

    fn process_body(&mut self, process: &mut Process) -> Parse<()> {
        if self.parser.eat(Tok::LParen) {
            while self.parser.tok() != Tok::RParen {
                process.variables.extend(self.parser.cfa_declaration()?);
                if !self.parser.eat(Tok::Comma) {
                    break;
                }
            }
            self.parser.expect(Tok::RParen, "`)`")?;
        }
        self.parser.expect(Tok::LBrace, "`{`")?;
        let mut locations: FxHashMap<&'a str, LocId> = FxHashMap::default();
        let mut edges: Vec<u32> = Vec::new();
        self.each_member(|reader| match reader.parser.tok() {
            Tok::Var => {
                process.variables.extend(reader.parser.cfa_variable()?);
                Ok(())
            }
            Tok::Word => {
                let start = reader.parser.token().start;
                reader.skip_edge()?;
                edges.push(start);
                Ok(())
            }
            _ => reader.location(process, &mut locations),
        })?;
        for edge in edges {
            self.parser.seek(edge);
            // An edge that makes no sense was reported; the others may.
            let _ = self.edge(process, &locations);
        }
        Ok(())
    }

    /// Reads the members of a process up to its closing brace.
    fn each_member(&mut self, mut read: impl FnMut(&mut Self) -> Parse<()>) -> Parse<()> {
        loop {
            match self.parser.tok() {
                Tok::RBrace => {
                    self.parser.advance();
                    return Ok(());
                }
                Tok::End => return Err(self.parser.unexpected("`}`")),
                _ => {}
            }
            let before = self.parser.token().start;
            if read(self).is_err() {
                let stops = |tok| {
                    matches!(
                        tok,
                        Tok::RBrace | Tok::Var | Tok::Init | Tok::Final | Tok::Error | Tok::Loc
                    )
                };
                if self.parser.token().start == before {
                    self.parser.advance();
                }
                self.parser.skip_until(stops);
            }
        }
    }

    fn skip_edge(&mut self) -> Parse<()> {
        self.parser.advance();
        self.parser.expect(Tok::RArrow, "`->` of an edge")?;
        self.parser.name("the location that the edge leads to")?;
        if self.parser.eat(Tok::LBrace) {
            self.parser.skip_until(|tok| tok == Tok::RBrace);
            self.parser.expect(Tok::RBrace, "`}`")?;
        }
        Ok(())
    }

    fn location(
        &mut self,
        process: &mut Process,
        known: &mut FxHashMap<&'a str, LocId>,
    ) -> Parse<()> {
        let start = self.parser.token().start;
        let role = match self.parser.tok() {
            Tok::Init => LocRole::Initial,
            Tok::Final => LocRole::Final,
            Tok::Error => LocRole::Error,
            Tok::Loc => LocRole::Plain,
            _ => return Err(self.parser.unexpected("`var`, `loc`, an edge or `}`")),
        };
        if role != LocRole::Plain {
            self.parser.advance();
        }
        self.parser.expect(Tok::Loc, "`loc`")?;
        let (name, name_span) = self.parser.name("the name of a location")?;
        let span = self.parser.span_from(start);
        if let Some(&first) = known.get(name) {
            let first = process.locations[first].span;
            self.parser.duplicate(name, name_span, first);
            return Ok(());
        }
        let same_role = |other: &&Location| other.role == role;
        if role != LocRole::Plain
            && let Some(first) = process.locations.iter().find(same_role)
        {
            let what = self.parser.slice(start, name_span.start);
            let what = what.split_whitespace().next().unwrap_or("loc");
            let message = format!("there are two `{what}` locations");
            let mut finding = Diagnostic::error("duplicate-location", message).at(span);
            if let Some(first) = first.span {
                finding = finding.also(first, "the first one");
            }
            self.parser.report(finding);
        }
        let id = process.locations.push(Location {
            name: name.into(),
            role,
            span: Some(span),
        });
        known.insert(name, id);
        Ok(())
    }

    fn edge(&mut self, process: &mut Process, locations: &FxHashMap<&'a str, LocId>) -> Parse<()> {
        let start = self.parser.token().start;
        let source = self.known_location(locations)?;
        self.parser.expect(Tok::RArrow, "`->` of an edge")?;
        let target = self.known_location(locations)?;
        let mut stmts: Vec<StmtId> = Vec::new();
        if self.parser.eat(Tok::LBrace) {
            while !self.parser.eat(Tok::RBrace) {
                if self.parser.tok() == Tok::Semi {
                    self.parser.advance();
                    continue;
                }
                let before = self.parser.token().start;
                match self.parser.cfa_statement() {
                    Ok(stmt) => stmts.push(stmt),
                    Err(failed) => {
                        let starts = |tok| {
                            matches!(tok, Tok::Assume | Tok::Havoc | Tok::Return | Tok::RBrace)
                        };
                        if self.parser.token().start == before {
                            self.parser.advance();
                        }
                        self.parser.skip_until(starts);
                        if self.parser.tok() == Tok::End {
                            return Err(failed);
                        }
                    }
                }
            }
        }
        if let (Some(source), Some(target)) = (source, target) {
            process.edges.push(SourceEdge {
                source,
                target,
                stmts,
                span: self.parser.span_from(start),
            });
        }
        Ok(())
    }

    fn known_location(&mut self, locations: &FxHashMap<&'a str, LocId>) -> Parse<Option<LocId>> {
        let (name, span) = self.parser.name("the name of a location")?;
        let found = locations.get(name).copied();
        if found.is_none() {
            let mut names: Vec<(LocId, &str)> = locations.iter().map(|(&n, &id)| (id, n)).collect();
            names.sort_unstable();
            let near = suggestion(name, names.into_iter().map(|named| named.1));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("unknown location `{}`", shorten(name));
            let finding = Diagnostic::error("unknown-location", message).at(span);
            self.parser.report_unknown(name, finding.maybe_hint(hint));
        }
        Ok(found)
    }

    fn finish(mut self) -> Result<Parsed, Vec<Diagnostic>> {
        match &self.main {
            None if !self.parser.has_errors() => {
                let finding = Diagnostic::error("missing-main", "there is no main process");
                let finding = finding.at(self.parser.token_span());
                self.parser
                    .report(finding.hint("write `main process NAME { … }`"));
            }
            Some((process, span)) => {
                let has_init = process.locations.iter().any(|l| l.role == LocRole::Initial);
                if !has_init && !self.parser.has_errors() {
                    let message = "the main process has no initial location";
                    let finding = Diagnostic::error("missing-location", message).at(*span);
                    self.parser.report(finding.hint("write `init loc NAME`"));
                }
            }
            None => {}
        }
        let main = self.main.take();
        match main {
            Some((process, _)) if !self.parser.has_errors() => {
                let mut variables = self.globals;
                variables.extend(process.variables.iter().cloned());
                let system = build::system(self.parser.cx, variables, process);
                Ok(Parsed {
                    obligations: Vec::new(),
                    system,
                    warnings: self.parser.into_findings(),
                })
            }
            _ => Err(self.parser.into_findings()),
        }
    }
}

impl Parser<'_> {
    /// `var x : T`.
    fn cfa_variable(&mut self) -> Parse<Option<Variable>> {
        self.advance();
        self.cfa_declaration()
    }

    /// `x : T`; nothing if the type is none of ours, which is reported.
    fn cfa_declaration(&mut self) -> Parse<Option<Variable>> {
        let start = self.token().start;
        let (name, span) = self.name("the name of a variable")?;
        let sort = self.cfa_sort();
        let sort = self.declaring(name, sort)?;
        let known = match self.scope.meaning(name) {
            crate::scope::Meaning::Nothing => None,
            _ => Some(self.scope.declared_at(name)),
        };
        if let Some(first) = known {
            self.duplicate(name, span, first);
            return Ok(None);
        }
        let Some(sort) = sort else {
            self.mark_reported(name);
            return Ok(None);
        };
        let var = self.cx.terms.declare(name, sort);
        let span = self.span_from(start);
        let scope = self.scope.to_mut();
        scope.declare_local_variable(self.cx, name, var, span);
        Ok(Some(Variable {
            span: Some(span),
            ..Variable::new(var)
        }))
    }

    /// `: T`.
    fn cfa_sort(&mut self) -> Parse<Option<SortId>> {
        self.expect(Tok::Colon, "`:` and a type")?;
        let sort = self.sort()?;
        if matches!(self.tok(), Tok::Single | Tok::Assign) {
            let hint = Some("variables of a CFA start with any value; assign it on an edge".into());
            return Err(self.unexpected_hint("the next declaration", hint));
        }
        Ok(sort)
    }

    fn cfa_statement(&mut self) -> Parse<StmtId> {
        let start = self.token().start;
        let stmt = match self.tok() {
            Tok::Assume => {
                self.advance();
                let bool_ = self.cx.terms.sorts.bool();
                self.expression(Some(bool_))?.map(Stmt::Assume)
            }
            Tok::Havoc => {
                self.advance();
                self.variable()?.map(Stmt::Havoc)
            }
            Tok::Word if is_float_word(self.token_text()) => {
                let what = format!("`{}`", self.token_text());
                return Err(self.unsupported_float(&what));
            }
            Tok::Word => {
                let var = self.variable()?;
                if !self.eat(Tok::Assign) {
                    let hint = matches!(self.tok(), Tok::Single | Tok::Double)
                        .then(|| "an assignment is written `:=`".to_owned());
                    return Err(self.unexpected_hint("`:=`", hint));
                }
                let sort = var.map(|var| self.cx.terms.var_sort(var));
                let value = self.expression(sort)?;
                var.zip(value).map(|(var, value)| Stmt::Assign(var, value))
            }
            Tok::Return => {
                let message = "`return` is not supported: there are no calls";
                let finding = Diagnostic::error("unsupported-return", message);
                self.report(finding.at(self.token_span()));
                return Err(Failed);
            }
            _ => {
                let hint = self.operator_advice();
                return Err(self.unexpected_hint("a statement or `}`", hint));
            }
        };
        Ok(match stmt {
            Some(stmt) => {
                let span = self.span_from(start);
                self.cx.stmts.add(stmt, Some(span))
            }
            None => self.cx.stmts.skip(),
        })
    }
}
