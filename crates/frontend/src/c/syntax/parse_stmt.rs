//! Statements.

use crate::c::syntax::ast::{self, Declaration, S, Stmt};
use crate::c::syntax::parse::{Entity, Parse, Parser};
use crate::c::syntax::token::{Tok, is_keyword, kw};
use crate::c::types::Type;

impl Parser<'_> {
    /// `{ … }`.
    pub fn block(&mut self) -> Parse<S> {
        let start = self.start();
        self.expect("{")?;
        self.deeper()?;
        let mark = self.open();
        let mut stmts = Vec::new();
        while !self.is("}") {
            if self.tok() == Tok::End {
                return Err(self.unexpected("`}`"));
            }
            self.item(&mut stmts)?;
        }
        self.close(mark);
        self.shallower();
        self.advance();
        let pos = self.since(start);
        Ok(self.ast.add_stmt(Stmt::Block(stmts), pos))
    }

    /// A declaration or a statement.
    fn item(&mut self, out: &mut Vec<S>) -> Parse<()> {
        if self.is_word(kw::EXTENSION) {
            self.advance();
        }
        if self.static_assert()? {
            return Ok(());
        }
        if self.eat_word(kw::LABEL) {
            while !self.eat(";") {
                if self.tok() == Tok::End {
                    return Err(self.unexpected("`;`"));
                }
                self.advance();
            }
            return Ok(());
        }
        let is_label = self.peek(1) == Tok::P(":");
        if self.starts_type() && !is_label {
            out.push(self.declaration()?);
            return Ok(());
        }
        out.push(self.statement()?);
        Ok(())
    }

    fn declaration(&mut self) -> Parse<S> {
        let start = self.start();
        let specifiers = self.specifiers()?;
        let mut list = Vec::new();
        if self.eat(";") {
            let pos = self.since(start);
            return Ok(self.ast.add_stmt(Stmt::Empty, pos));
        }
        loop {
            let declared = self.declarator(specifiers.ty)?;
            self.skip_extensions()?;
            let Some((name, name_pos)) = declared.name else {
                return Err(self.unexpected("a name"));
            };
            if self.is("{") {
                // A nested function: the body is skipped, a call finds nothing.
                self.skip_balanced()?;
                let pos = self.since(start);
                return Ok(self
                    .ast
                    .add_stmt(Stmt::Unsupported("a nested function"), pos));
            }
            let init = self.declare(specifiers, name, declared.ty)?;
            let ty = self.completed(declared.ty, init.as_ref());
            let is_function = matches!(self.types.get(declared.ty), Type::Function(_));
            let pos = ast::Pos {
                start: name_pos.start,
                end: self.since(start).end,
            };
            if !specifiers.is_typedef && !is_function {
                let name = match self.entities.get(&name) {
                    Some(&Entity::Internal(full)) => full,
                    _ => name,
                };
                list.push(Declaration {
                    name,
                    ty,
                    storage: specifiers.storage,
                    init,
                    pos,
                });
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        let pos = self.since(start);
        Ok(self.ast.add_stmt(Stmt::Declare(list), pos))
    }

    /// A statement with the labels before it.
    pub fn statement(&mut self) -> Parse<S> {
        self.deeper()?;
        let start = self.start();
        let mut labels = Vec::new();
        while let Some(label) = self.label()? {
            labels.push(label);
        }
        let stmt = if labels.is_empty() {
            self.unlabelled()?
        } else {
            // A label may stand at the end of a block, or before a declaration.
            if !self.is("}") {
                self.item(&mut labels)?;
            }
            let pos = self.since(start);
            self.ast.add_stmt(Stmt::Group(labels), pos)
        };
        self.shallower();
        Ok(stmt)
    }

    fn label(&mut self) -> Parse<Option<S>> {
        let start = self.start();
        let label = match self.tok() {
            Tok::Name(kw::CASE) => {
                self.advance();
                let value = self.conditional()?;
                if self.is("...") {
                    return Err(self.unexpected("`:` (ranges of cases are not supported)"));
                }
                Stmt::Case(value)
            }
            Tok::Name(kw::DEFAULT) => {
                self.advance();
                Stmt::Default
            }
            Tok::Name(name) if !is_keyword(name) && self.peek(1) == Tok::P(":") => {
                self.advance();
                Stmt::Label(name)
            }
            _ => return Ok(None),
        };
        let pos = self.since(start);
        self.expect(":")?;
        self.skip_extensions()?;
        Ok(Some(self.ast.add_stmt(label, pos)))
    }

    fn unlabelled(&mut self) -> Parse<S> {
        let start = self.start();
        let Tok::Name(word) = self.tok() else {
            if self.is("{") {
                return self.block();
            }
            if self.eat(";") {
                let pos = self.since(start);
                return Ok(self.ast.add_stmt(Stmt::Empty, pos));
            }
            return self.expression_statement();
        };
        let stmt = match word {
            kw::IF => return self.if_statement(),
            kw::WHILE => {
                self.advance();
                let condition = self.parenthesized()?;
                Stmt::While(condition, self.statement()?)
            }
            kw::DO => {
                self.advance();
                let body = self.statement()?;
                if !self.eat_word(kw::WHILE) {
                    return Err(self.unexpected("`while`"));
                }
                let condition = self.parenthesized()?;
                self.expect(";")?;
                Stmt::DoWhile(body, condition)
            }
            kw::FOR => return self.for_statement(),
            kw::SWITCH => {
                self.advance();
                let value = self.parenthesized()?;
                Stmt::Switch(value, self.statement()?)
            }
            kw::GOTO => {
                self.advance();
                if self.is("*") {
                    return Err(self.unexpected("a label (computed `goto` is not supported)"));
                }
                let (label, _) = self.name("a label")?;
                self.expect(";")?;
                Stmt::Goto(label)
            }
            kw::BREAK | kw::CONTINUE => {
                self.advance();
                self.expect(";")?;
                if word == kw::BREAK {
                    Stmt::Break
                } else {
                    Stmt::Continue
                }
            }
            kw::RETURN => {
                self.advance();
                let value = if self.is(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                self.expect(";")?;
                Stmt::Return(value)
            }
            kw::ASM | kw::ASM_2 | kw::ASM_3 => {
                self.skip_extensions()?;
                self.expect(";")?;
                Stmt::Unsupported("inline assembly")
            }
            kw::ATTRIBUTE | kw::ATTRIBUTE_2 => {
                self.skip_extensions()?;
                return self.unlabelled();
            }
            _ => return self.expression_statement(),
        };
        let pos = self.since(start);
        Ok(self.ast.add_stmt(stmt, pos))
    }

    fn expression_statement(&mut self) -> Parse<S> {
        let start = self.start();
        let e = self.expression()?;
        self.expect(";")?;
        let pos = self.since(start);
        Ok(self.ast.add_stmt(Stmt::Expr(e), pos))
    }

    fn parenthesized(&mut self) -> Parse<ast::E> {
        self.expect("(")?;
        let e = self.expression()?;
        self.expect(")")?;
        Ok(e)
    }

    /// `if … else if … else …` is one statement, however long.
    fn if_statement(&mut self) -> Parse<S> {
        let start = self.start();
        let mut arms = Vec::new();
        let mut otherwise = None;
        while self.eat_word(kw::IF) {
            let condition = self.parenthesized()?;
            let then = self.statement()?;
            arms.push((condition, then));
            if !self.eat_word(kw::ELSE) {
                break;
            }
            if !self.is_word(kw::IF) {
                otherwise = Some(self.statement()?);
                break;
            }
        }
        let pos = self.since(start);
        Ok(self.ast.add_stmt(Stmt::If(arms, otherwise), pos))
    }

    fn for_statement(&mut self) -> Parse<S> {
        let start = self.start();
        self.advance();
        self.expect("(")?;
        let mark = self.open();
        let first = if self.eat(";") {
            None
        } else if self.starts_type() {
            Some(self.declaration()?)
        } else {
            Some(self.expression_statement()?)
        };
        let condition = if self.is(";") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(";")?;
        let step = if self.is(")") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(")")?;
        let body = self.statement()?;
        self.close(mark);
        let pos = self.since(start);
        let stmt = Stmt::For(first, condition, step, body);
        Ok(self.ast.add_stmt(stmt, pos))
    }
}
