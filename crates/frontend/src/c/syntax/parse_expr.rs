//! Expressions. Infix operators go through a stack, so that long chains do not nest.

use crate::c::syntax::ast::{Binary, E, Expr, Pos, Unary};
use crate::c::syntax::parse::{Entity, Parse, Parser};
use crate::c::syntax::scan::escape;
use crate::c::syntax::token::{self, Tok, is_keyword, kw};
use crate::c::types::{IntTy, Ty};

/// An infix operator.
#[derive(Clone, Copy)]
enum Infix {
    Or,
    And,
    Op(Binary),
}

/// Something before an operand.
enum Prefix {
    Unary(Unary),
    Step(bool),
    Cast(Ty),
    Sizeof,
}

impl Parser<'_> {
    /// A full expression, commas included.
    pub fn expression(&mut self) -> Parse<E> {
        let start = self.start();
        let mut e = self.assignment()?;
        while self.eat(",") {
            let right = self.assignment()?;
            let pos = self.since(start);
            e = self.node(Expr::Comma(e, right), pos)?;
        }
        Ok(e)
    }

    pub fn assignment(&mut self) -> Parse<E> {
        let start = self.start();
        let left = self.conditional()?;
        let Tok::P(text) = self.tok() else {
            return Ok(left);
        };
        let op = match text {
            "=" => None,
            "+=" => Some(Binary::Add),
            "-=" => Some(Binary::Sub),
            "*=" => Some(Binary::Mul),
            "/=" => Some(Binary::Div),
            "%=" => Some(Binary::Rem),
            "&=" => Some(Binary::And),
            "|=" => Some(Binary::Or),
            "^=" => Some(Binary::Xor),
            "<<=" => Some(Binary::Shl),
            ">>=" => Some(Binary::Shr),
            _ => return Ok(left),
        };
        self.advance();
        self.deeper()?;
        let right = self.assignment()?;
        self.shallower();
        let pos = self.since(start);
        self.node(Expr::Assign(op, left, right), pos)
    }

    pub fn conditional(&mut self) -> Parse<E> {
        let start = self.start();
        let condition = self.infix()?;
        if !self.eat("?") {
            return Ok(condition);
        }
        self.deeper()?;
        let then = if self.is(":") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(":")?;
        let otherwise = self.conditional()?;
        self.shallower();
        let pos = self.since(start);
        self.node(Expr::Conditional(condition, then, otherwise), pos)
    }

    fn infix(&mut self) -> Parse<E> {
        let mut operands = vec![self.operand()?];
        let mut operators: Vec<(Infix, u8)> = Vec::new();
        loop {
            let next = self.infix_operator();
            let level = next.map_or(0, |next| next.1);
            while let Some(&(op, known)) = operators.last()
                && known >= level
            {
                operators.pop();
                let right = operands.pop().expect("an operator has two operands");
                let left = operands.pop().expect("an operator has two operands");
                let pos = Pos {
                    start: self.ast.pos(left).start,
                    end: self.ast.pos(right).end,
                };
                let expr = match op {
                    Infix::Or => Expr::LogicalOr(left, right),
                    Infix::And => Expr::LogicalAnd(left, right),
                    Infix::Op(op) => Expr::Binary(op, left, right),
                };
                operands.push(self.node(expr, pos)?);
            }
            let Some(next) = next else {
                return Ok(operands.pop().expect("one operand is left"));
            };
            self.advance();
            operators.push(next);
            operands.push(self.operand()?);
        }
    }

    fn infix_operator(&self) -> Option<(Infix, u8)> {
        let Tok::P(text) = self.tok() else {
            return None;
        };
        let op = |op, level| Some((Infix::Op(op), level));
        match text {
            "||" => Some((Infix::Or, 1)),
            "&&" => Some((Infix::And, 2)),
            "|" => op(Binary::Or, 3),
            "^" => op(Binary::Xor, 4),
            "&" => op(Binary::And, 5),
            "==" => op(Binary::Eq, 6),
            "!=" => op(Binary::Ne, 6),
            "<" => op(Binary::Lt, 7),
            "<=" => op(Binary::Le, 7),
            ">" => op(Binary::Gt, 7),
            ">=" => op(Binary::Ge, 7),
            "<<" => op(Binary::Shl, 8),
            ">>" => op(Binary::Shr, 8),
            "+" => op(Binary::Add, 9),
            "-" => op(Binary::Sub, 9),
            "*" => op(Binary::Mul, 10),
            "/" => op(Binary::Div, 10),
            "%" => op(Binary::Rem, 10),
            _ => None,
        }
    }

    /// An operand with what comes before it.
    fn operand(&mut self) -> Parse<E> {
        let mut prefixes: Vec<(Prefix, u32)> = Vec::new();
        let mut e = loop {
            let start = self.start();
            let prefix = match self.tok() {
                Tok::Name(kw::EXTENSION) => {
                    self.advance();
                    continue;
                }
                Tok::Name(kw::SIZEOF | kw::ALIGNOF | kw::ALIGNOF_2) => {
                    self.advance();
                    if self.is("(") && self.names_type(self.peek(1)) {
                        self.advance();
                        let ty = self.type_name()?;
                        self.expect(")")?;
                        let pos = self.since(start);
                        break self.node(Expr::SizeofType(ty), pos)?;
                    }
                    prefixes.push((Prefix::Sizeof, start));
                    continue;
                }
                Tok::P("(") if self.names_type(self.peek(1)) => {
                    self.advance();
                    let ty = self.type_name()?;
                    self.expect(")")?;
                    if self.is("{") {
                        self.skip_balanced()?;
                        let pos = self.since(start);
                        break self.node(Expr::Unsupported("a compound literal"), pos)?;
                    }
                    prefixes.push((Prefix::Cast(ty), start));
                    continue;
                }
                Tok::P("+") => Prefix::Unary(Unary::Plus),
                Tok::P("-") => Prefix::Unary(Unary::Neg),
                Tok::P("~") => Prefix::Unary(Unary::BitNot),
                Tok::P("!") => Prefix::Unary(Unary::Not),
                Tok::P("*") => Prefix::Unary(Unary::Deref),
                Tok::P("&") => Prefix::Unary(Unary::Address),
                Tok::P("++") => Prefix::Step(true),
                Tok::P("--") => Prefix::Step(false),
                Tok::P("&&") => {
                    self.advance();
                    self.name("a label")?;
                    let pos = self.since(start);
                    break self.node(Expr::Unsupported("the address of a label"), pos)?;
                }
                _ => {
                    let primary = self.primary()?;
                    break self.postfix(primary)?;
                }
            };
            self.advance();
            prefixes.push((prefix, start));
        };
        for (prefix, start) in prefixes.into_iter().rev() {
            let pos = self.since(start);
            let expr = match prefix {
                Prefix::Unary(op) => Expr::Unary(op, e),
                Prefix::Step(up) => Expr::Step {
                    place: e,
                    up,
                    post: false,
                },
                Prefix::Cast(ty) => Expr::Cast(ty, e),
                Prefix::Sizeof => Expr::SizeofValue(e),
            };
            e = self.node(expr, pos)?;
        }
        Ok(e)
    }

    fn postfix(&mut self, mut e: E) -> Parse<E> {
        let start = self.ast.pos(e).start;
        loop {
            let Tok::P(text) = self.tok() else {
                return Ok(e);
            };
            let expr = match text {
                "[" => {
                    self.advance();
                    self.deeper()?;
                    let index = self.expression()?;
                    self.shallower();
                    self.expect("]")?;
                    Expr::Index(e, index)
                }
                "(" => {
                    self.advance();
                    self.deeper()?;
                    let args = self.call_arguments(e)?;
                    self.shallower();
                    Expr::Call(e, args)
                }
                "." => {
                    self.advance();
                    Expr::Member(e, self.name("a member")?.0)
                }
                "->" => {
                    self.advance();
                    let pos = self.since(start);
                    let member = self.name("a member")?.0;
                    e = self.node(Expr::Unary(Unary::Deref, e), pos)?;
                    Expr::Member(e, member)
                }
                "++" | "--" => {
                    self.advance();
                    Expr::Step {
                        place: e,
                        up: text == "++",
                        post: true,
                    }
                }
                _ => return Ok(e),
            };
            let pos = self.since(start);
            e = self.node(expr, pos)?;
        }
    }

    fn call_arguments(&mut self, _callee: E) -> Parse<Box<[E]>> {
        let mut args = Vec::new();
        while !self.eat(")") {
            if self.starts_type() {
                // `__builtin_offsetof (type, member)` and its like.
                let start = self.start();
                self.type_name()?;
                let pos = self.since(start);
                args.push(self.node(Expr::Unsupported("a type as an argument"), pos)?);
            } else {
                args.push(self.assignment()?);
            }
            if !self.eat(",") && !self.is(")") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
        Ok(args.into())
    }

    fn primary(&mut self) -> Parse<E> {
        let start = self.start();
        let expr = match self.tok() {
            Tok::Int(lit) => {
                self.advance();
                Expr::Int(i128::from(lit.value), literal_type(lit))
            }
            Tok::Char(value) => {
                self.advance();
                Expr::Int(i128::from(value), IntTy::INT)
            }
            Tok::Float => {
                self.advance();
                Expr::Float
            }
            Tok::Str => self.string(),
            Tok::Name(name) if !is_keyword(name) => {
                self.advance();
                let mut name = name;
                while self.is("::") {
                    self.advance();
                    let (inner, _) = self.name("a name")?;
                    let full = format!("{}::{}", self.symbols.text(name), self.symbols.text(inner));
                    name = self.symbols.intern(&full);
                }
                match self.entities.get(&name) {
                    Some(&Entity::Constant(value, int)) => Expr::Int(value, int),
                    Some(&Entity::Internal(full)) => Expr::Name(full),
                    _ => Expr::Name(name),
                }
            }
            Tok::Name(kw::GENERIC) => {
                self.advance();
                self.skip_balanced()?;
                Expr::Unsupported("_Generic")
            }
            Tok::P("(") => {
                self.deeper()?;
                self.advance();
                if self.is("{") {
                    let body = self.block()?;
                    self.shallower();
                    self.expect(")")?;
                    let pos = self.since(start);
                    return self.node(Expr::Block(body), pos);
                }
                let inner = self.expression()?;
                self.shallower();
                self.expect(")")?;
                return Ok(inner);
            }
            _ => return Err(self.unexpected("an expression")),
        };
        let pos = self.since(start);
        self.node(expr, pos)
    }

    /// String literals that stand side by side are one.
    fn string(&mut self) -> Expr {
        let mut bytes = Vec::new();
        while self.tok() == Tok::Str {
            let token = self.tokens[self.at];
            let range = (token.start - self.base) as usize..(token.end - self.base) as usize;
            let text = self.text.get(range).unwrap_or("");
            // What a macro made has the place of the macro: its bytes are not there.
            let body = text.find('"').map_or("", |at| &text[at + 1..]);
            let mut body = body.strip_suffix('"').unwrap_or(body).as_bytes();
            while let Some((byte, len)) = escape(body) {
                bytes.push(byte);
                body = &body[len..];
            }
            self.advance();
        }
        Expr::Str(bytes.into())
    }
}

/// The first type that holds the literal.
fn literal_type(lit: token::IntLit) -> IntTy {
    let candidates = [IntTy::INT, IntTy::UINT, IntTy::LONG, IntTy::ULONG];
    let fits = |int: &IntTy| {
        let wide = !lit.long || int.bits == 64;
        let sign = if lit.unsigned {
            !int.signed
        } else {
            int.signed || !lit.decimal
        };
        wide && sign && i128::from(lit.value) <= int.range().1
    };
    candidates.into_iter().find(fits).unwrap_or(IntTy::ULONG)
}
