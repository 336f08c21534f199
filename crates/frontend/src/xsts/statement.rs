//! Statements of XSTS.

use super::parse::is_top;
use crate::parser::{Parse, Parser, shorten};
use crate::scope::{Found, Meaning};
use crate::token::Tok;
use lariat_base::{Diagnostic, Span};
use lariat_expr::{SortId, TermId, VarId};
use lariat_system::{Stmt, StmtId};

impl Parser<'_> {
    /// `stmt or stmt or …`: the branches of a transition set or of a choice.
    pub(super) fn branches(&mut self) -> Parse<Vec<StmtId>> {
        let mut branches = vec![self.scoped_statement()?];
        while self.eat(Tok::Or) {
            branches.push(self.scoped_statement()?);
        }
        Ok(branches)
    }

    /// A statement whose local variables end with it.
    fn scoped_statement(&mut self) -> Parse<StmtId> {
        let mark = self.scope.to_mut().open();
        let result = self.nested(Self::statement);
        self.scope.to_mut().close(mark);
        result
    }

    fn statement(&mut self) -> Parse<StmtId> {
        let start = self.token().start;
        match self.tok() {
            Tok::LBrace => self.block_statement(),
            Tok::Word => self.assignment(),
            Tok::Assume => {
                self.advance();
                let bool_ = self.cx.terms.sorts.bool();
                let condition = self.expression(Some(bool_))?;
                self.end_of_statement()?;
                let condition = condition.unwrap_or(self.cx.terms.true_());
                Ok(self.add(Stmt::Assume(condition), start))
            }
            Tok::Havoc => {
                self.advance();
                let var = self.variable()?;
                self.end_of_statement()?;
                Ok(match var {
                    Some(var) => self.add(Stmt::Havoc(var), start),
                    None => self.cx.stmts.skip(),
                })
            }
            Tok::Local => self.local_variable(),
            Tok::If => self.if_statement(),
            Tok::Choice => {
                self.advance();
                let branches = self.branches()?;
                let span = self.span_from(start);
                Ok(self.cx.stmts.choice(&branches, Some(span)))
            }
            Tok::For => self.for_statement(),
            _ => Err(self.unexpected("a statement")),
        }
    }

    fn add(&mut self, stmt: Stmt, start: u32) -> StmtId {
        let span = self.span_from(start);
        self.cx.stmts.add(stmt, Some(span))
    }

    fn end_of_statement(&mut self) -> Parse<()> {
        self.expect_after_expression(Tok::Semi, "`;`")
    }

    fn block_statement(&mut self) -> Parse<StmtId> {
        let start = self.token().start;
        self.advance();
        let mark = self.scope.to_mut().open();
        let bottom = self.statements.len();
        let result = self.block_body();
        self.scope.to_mut().close(mark);
        if let Err(failed) = result {
            self.statements.truncate(bottom);
            return Err(failed);
        }
        let span = self.span_from(start);
        let block = self.cx.stmts.seq(&self.statements[bottom..], Some(span));
        self.statements.truncate(bottom);
        Ok(block)
    }

    /// The statements up to the closing brace. One that makes no sense is skipped.
    fn block_body(&mut self) -> Parse<()> {
        loop {
            match self.tok() {
                Tok::RBrace => {
                    self.advance();
                    return Ok(());
                }
                tok if tok == Tok::End || is_top(tok) => {
                    return Err(self.unexpected("a statement or `}`"));
                }
                _ => match self.nested(Self::statement) {
                    Ok(statement) => self.statements.push(statement),
                    Err(failed) => {
                        let ends = |tok| matches!(tok, Tok::Semi | Tok::RBrace) || is_top(tok);
                        self.skip_until(ends);
                        if self.tok() == Tok::End || is_top(self.tok()) {
                            return Err(failed);
                        }
                        self.eat(Tok::Semi);
                    }
                },
            }
        }
    }

    /// `x := e;` or `a[i] := e;`
    fn assignment(&mut self) -> Parse<StmtId> {
        let start = self.token().start;
        let var = self.variable()?;
        let sort = var.map(|var| self.cx.terms.var_sort(var));
        let array = sort.and_then(|sort| self.cx.terms.sorts.as_array(sort));
        let value = if self.tok() == Tok::LBrack {
            if let (Some(sort), None) = (sort, array) {
                self.mismatch(self.span_from(start), "an array", sort);
            }
            self.advance();
            let index = self.expression(array.map(|array| array.0))?;
            self.expect_after_expression(Tok::RBrack, "`]`")?;
            self.assign_sign()?;
            let value = self.expression(array.map(|array| array.1))?;
            self.stored(var.filter(|_| array.is_some()), index, value)
        } else {
            self.assign_sign()?;
            self.expression(sort)?
        };
        self.end_of_statement()?;
        Ok(match (var, value) {
            (Some(var), Some(value)) => self.add(Stmt::Assign(var, value), start),
            _ => self.cx.stmts.skip(),
        })
    }

    /// `var` with one element changed.
    pub(crate) fn stored(
        &mut self,
        var: Option<VarId>,
        index: Option<TermId>,
        value: Option<TermId>,
    ) -> Option<TermId> {
        let array = self.cx.terms.var(var?);
        Some(self.cx.terms.store(array, index?, value?))
    }

    fn assign_sign(&mut self) -> Parse<()> {
        if self.eat(Tok::Assign) {
            return Ok(());
        }
        let hint = matches!(self.tok(), Tok::Single | Tok::Double)
            .then(|| "an assignment is written `:=`".to_owned());
        Err(self.unexpected_hint("`:=`", hint))
    }

    /// The name of a variable that is written; nothing if it is unknown, which is reported.
    pub(crate) fn variable(&mut self) -> Parse<Option<VarId>> {
        let (name, span) = self.name("the name of a variable")?;
        Ok(self.writable(name, span))
    }

    /// The variable of this name.
    pub(crate) fn writable(&mut self, name: &str, span: Span) -> Option<VarId> {
        if let Meaning::Variable { var, .. } = self.scope.meaning(name) {
            return Some(var);
        }
        let finding = match self.scope.find(self.cx, name, None) {
            Found::Nothing => {
                let near = self.scope.nearest_name(name);
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                let message = format!("unknown variable `{}`", shorten(name));
                Diagnostic::error("unknown-variable", message).maybe_hint(hint)
            }
            _ => {
                let message = format!("`{}` is a constant, not a variable", shorten(name));
                Diagnostic::error("not-a-variable", message)
            }
        };
        self.report_unknown(name, finding.at(span));
        None
    }

    fn local_variable(&mut self) -> Parse<StmtId> {
        let start = self.token().start;
        self.advance();
        self.expect(Tok::Var, "`var`")?;
        let (name, span) = self.name("the name of a local variable")?;
        self.expect(Tok::Colon, "`:` and a type")?;
        let sort = self.sort()?;
        // The value is read before the name is known: `local var x : integer = x + 1`.
        let value = if self.eat(Tok::Single) {
            self.expression(sort)?
        } else {
            None
        };
        self.end_of_statement()?;
        let Some(var) = self.declare_local(name, span, sort) else {
            return Ok(self.cx.stmts.skip());
        };
        Ok(self.add(Stmt::Declare(var, value), start))
    }

    fn declare_local(&mut self, name: &str, span: Span, sort: Option<SortId>) -> Option<VarId> {
        if let Some(taken) = self.scope.is_taken(name) {
            self.duplicate(name, span, taken.first);
        }
        let Some(sort) = sort else {
            self.mark_reported(name);
            return None;
        };
        Some(self.scope.to_mut().declare_local(self.cx, name, sort, span))
    }

    /// `if (c) s else if (d) t else u`, however long, without recursion on `else`.
    fn if_statement(&mut self) -> Parse<StmtId> {
        let bool_ = self.cx.terms.sorts.bool();
        let mut chain: Vec<(Option<TermId>, StmtId, u32)> = Vec::new();
        let mut last = None;
        while self.tok() == Tok::If {
            let start = self.token().start;
            self.advance();
            self.expect(Tok::LParen, "`(` and a condition")?;
            let condition = self.expression(Some(bool_))?;
            self.expect_after_expression(Tok::RParen, "`)`")?;
            let then = self.scoped_statement()?;
            chain.push((condition, then, start));
            if !self.eat(Tok::Else) {
                break;
            }
            if self.tok() != Tok::If {
                last = Some(self.scoped_statement()?);
                // An `if` that follows is the next statement.
                break;
            }
        }
        let mut so_far = last.unwrap_or_else(|| self.cx.stmts.skip());
        for (condition, then, start) in chain.into_iter().rev() {
            let condition = condition.unwrap_or(self.cx.terms.true_());
            so_far = self.add(Stmt::If(condition, then, so_far), start);
        }
        Ok(so_far)
    }

    fn for_statement(&mut self) -> Parse<StmtId> {
        let start = self.token().start;
        self.advance();
        let (name, span) = self.name("the name of a loop variable")?;
        let int = self.cx.terms.sorts.int();
        self.expect(Tok::From, "`from`")?;
        let from = self.expression(Some(int))?;
        self.expect_after_expression(Tok::To, "`to`")?;
        let to = self.expression(Some(int))?;
        self.expect_after_expression(Tok::Do, "`do`")?;
        let mark = self.scope.to_mut().open();
        let var = self.declare_local(name, span, Some(int));
        let body = self.scoped_statement();
        self.scope.to_mut().close(mark);
        let body = body?;
        Ok(match (var, from, to) {
            (Some(var), Some(from), Some(to)) => self.add(
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                },
                start,
            ),
            _ => body,
        })
    }
}
