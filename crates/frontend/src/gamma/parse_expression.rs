//! Expressions, triggers and actions.

use super::parse::{Parse, Parser, unsupported};
use super::token::Tok;
use super::tree::{Action, ActionKind, Binary, Expr, ExprKind, Join, Name, Trigger, TriggerKind};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Int, Rat};

/// The longest number.
const MAX_DIGITS: usize = 10_000;

/// Operators from loose to tight; `not` stands between `and` and equality, `imply` and `?:` are looser than all.
const LEVELS: [&[(&str, Binary)]; 7] = [
    &[("or", Binary::Or)],
    &[("xor", Binary::Xor)],
    &[("and", Binary::And)],
    &[
        ("=", Binary::Eq),
        ("==", Binary::Eq),
        ("/=", Binary::Ne),
        ("!=", Binary::Ne),
    ],
    &[
        ("<=", Binary::Le),
        (">=", Binary::Ge),
        ("<", Binary::Lt),
        (">", Binary::Gt),
    ],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[
        ("*", Binary::Mul),
        ("/", Binary::Divide),
        ("div", Binary::Div),
        ("mod", Binary::Mod),
    ],
];

/// The level that `not` has.
const NOT: usize = 3;

impl Parser<'_> {
    pub fn expression(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let condition = parser.implication()?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            let span = condition.span.to(otherwise.span);
            let kind = ExprKind::Ite(Box::new(condition), Box::new(then), Box::new(otherwise));
            Ok(Expr { kind, span })
        })
    }

    fn implication(&mut self) -> Parse<Expr> {
        let left = self.level(0)?;
        if !self.eat_word("imply") {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        let span = left.span.to(right.span);
        let kind = ExprKind::Chain(Box::new(left), vec![(Binary::Imply, right)]);
        Ok(Expr { kind, span })
    }

    fn operator(&self, level: usize) -> Option<Binary> {
        let is_it = match self.tok() {
            Tok::Word => |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic()),
            Tok::Sign(_) => |text: &str| !text.starts_with(|c: char| c.is_ascii_alphabetic()),
            _ => return None,
        };
        let word = self.word();
        let found = LEVELS[level]
            .iter()
            .find(|(text, _)| *text == word && is_it(text));
        found.map(|(_, operator)| *operator)
    }

    fn level(&mut self, level: usize) -> Parse<Expr> {
        if level == NOT && (self.is_word("not") || self.is_sign("!")) {
            return self.negation();
        }
        if level == LEVELS.len() {
            return self.prefixed();
        }
        let first = self.level(level + 1)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(level) {
            self.advance();
            rest.push((operator, self.level(level + 1)?));
        }
        let Some((_, last)) = rest.last() else {
            return Ok(first);
        };
        let span = first.span.to(last.span);
        let kind = ExprKind::Chain(Box::new(first), rest);
        Ok(Expr { kind, span })
    }

    fn negation(&mut self) -> Parse<Expr> {
        let start = self.here();
        // `!` binds as tightly as a sign, `not` takes a comparison.
        let is_sign = self.is_sign("!");
        self.advance();
        let arg = self.nested(|parser| {
            if is_sign {
                parser.prefixed()
            } else {
                parser.level(NOT)
            }
        })?;
        let span = start.to(arg.span);
        let negated = Expr {
            kind: ExprKind::Not(Box::new(arg)),
            span,
        };
        if is_sign {
            self.compared(negated)
        } else {
            Ok(negated)
        }
    }

    /// What may follow an operand that began with `!`: `!a = b`.
    fn compared(&mut self, first: Expr) -> Parse<Expr> {
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(NOT) {
            self.advance();
            rest.push((operator, self.level(NOT + 1)?));
        }
        let Some((_, last)) = rest.last() else {
            return Ok(first);
        };
        let span = first.span.to(last.span);
        let kind = ExprKind::Chain(Box::new(first), rest);
        Ok(Expr { kind, span })
    }

    fn prefixed(&mut self) -> Parse<Expr> {
        let start = self.here();
        if self.eat("+") {
            return self.nested(Self::prefixed);
        }
        let negated = if self.is_sign("!") {
            ExprKind::Not
        } else if self.is_sign("-") {
            ExprKind::Neg
        } else {
            return self.suffixed();
        };
        self.advance();
        let arg = self.nested(Self::prefixed)?;
        let span = start.to(arg.span);
        Ok(Expr {
            kind: negated(Box::new(arg)),
            span,
        })
    }

    fn suffixed(&mut self) -> Parse<Expr> {
        let mut expr = self.primary()?;
        let mut n = 0;
        loop {
            n += 1;
            if n > 100 {
                return Err(Box::new(
                    Diagnostic::error("too-deep", "too many accesses in a row").at(expr.span),
                ));
            }
            if self.eat(".") {
                let field = self.name("a name")?;
                expr.span = expr.span.to(field.span);
                expr.kind = ExprKind::Field(
                    Box::new(Expr {
                        kind: expr.kind,
                        span: expr.span,
                    }),
                    field.text,
                );
            } else if self.is_sign("[") && !matches!(expr.kind, ExprKind::Int(_)) {
                self.advance();
                let index = self.expression()?;
                self.expect("]")?;
                let span = self.since(expr.span);
                let kind = ExprKind::Index(Box::new(expr), Box::new(index));
                expr = Expr { kind, span };
            } else if self.is_sign("::") {
                self.advance();
                let last = self.name("a literal or a parameter")?;
                let span = expr.span.to(last.span);
                let kind = match expr.kind {
                    ExprKind::Name(ty) => ExprKind::Literal(ty, last.text),
                    ExprKind::Field(inner, event) => match inner.kind {
                        ExprKind::Name(port) => ExprKind::Param(port, event, last.text),
                        _ => return Err(self.unexpected("`PORT.EVENT::PARAMETER`")),
                    },
                    _ => return Err(self.unexpected("`TYPE::LITERAL` or `PORT.EVENT::PARAMETER`")),
                };
                expr = Expr { kind, span };
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Parse<Expr> {
        let span = self.here();
        let kind = match (self.tok(), self.word()) {
            (Tok::Int, digits) => ExprKind::Int(self.int(digits)?),
            (Tok::Decimal, digits) => self.decimal(digits)?,
            (Tok::Word, "true" | "false") => ExprKind::Bool(self.is_word("true")),
            (Tok::Word, "else") => ExprKind::Else,
            (Tok::Word, "in-state") => {
                self.advance();
                return self.in_state(span);
            }
            (Tok::Sign("("), _) => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            (Tok::Sign("#"), _) => {
                self.advance();
                self.expect("[")?;
                let all = self.list("]", Self::expression)?;
                return Ok(Expr {
                    kind: ExprKind::Array(all),
                    span: self.since(span),
                });
            }
            (Tok::Word | Tok::Name, _) => {
                let name = self.name("an expression")?;
                if self.eat("(") {
                    let args = self.list(")", Self::expression)?;
                    return Ok(Expr {
                        kind: ExprKind::Call(name.text, args),
                        span: self.since(span),
                    });
                }
                if self.is_sign("#") && self.ahead(1).0 == Tok::Sign("{") {
                    self.advance();
                    self.advance();
                    let fields = self.list("}", |parser| {
                        let field = parser.name("the name of a field")?;
                        parser.expect(":=")?;
                        Ok((field.text, parser.expression()?))
                    })?;
                    return Ok(Expr {
                        kind: ExprKind::Record(fields),
                        span: self.since(span),
                    });
                }
                return Ok(Expr {
                    kind: ExprKind::Name(name.text),
                    span,
                });
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    fn in_state(&mut self, start: Span) -> Parse<Expr> {
        self.expect("(")?;
        let mut path = vec![self.name("the name of a state")?.text];
        while self.eat(".") {
            path.push(self.name("the name of a state")?.text);
        }
        self.expect(")")?;
        Ok(Expr {
            kind: ExprKind::InState(path),
            span: self.since(start),
        })
    }

    pub fn int(&self, digits: &str) -> Parse<Int> {
        let value = (digits.len() <= MAX_DIGITS)
            .then(|| Int::parse_radix(digits, 10))
            .flatten();
        value.ok_or_else(|| {
            let message = format!("a number has more than {MAX_DIGITS} digits");
            Box::new(Diagnostic::error("number-too-large", message).at(self.here()))
        })
    }

    fn decimal(&self, digits: &str) -> Parse<ExprKind> {
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let numerator = self.int(&format!("{whole}{part}"))?;
        let denominator = self.int(&format!("1{}", "0".repeat(part.len())))?;
        let value = Rat::new(numerator, denominator).expect("a power of ten is not zero");
        Ok(ExprKind::Rat(value))
    }

    // Triggers.

    pub fn trigger(&mut self) -> Parse<Trigger> {
        self.nested(|parser| {
            let left = parser.triggers(0)?;
            let join = if parser.eat("->") {
                Join::Imply
            } else if parser.eat("==") {
                Join::Eq
            } else {
                return Ok(left);
            };
            let right = parser.trigger()?;
            let span = left.span.to(right.span);
            let kind = TriggerKind::Chain(join, vec![left, right]);
            Ok(Trigger { kind, span })
        })
    }

    fn triggers(&mut self, level: usize) -> Parse<Trigger> {
        const LEVELS: [(&str, Join); 3] = [("||", Join::Or), ("^", Join::Xor), ("&&", Join::And)];
        let Some(&(sign, join)) = LEVELS.get(level) else {
            return self.simple_trigger();
        };
        let first = self.triggers(level + 1)?;
        let mut all = vec![first];
        while self.eat(sign) {
            all.push(self.triggers(level + 1)?);
        }
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        let span = all[0].span.to(all[all.len() - 1].span);
        let kind = TriggerKind::Chain(join, all);
        Ok(Trigger { kind, span })
    }

    fn simple_trigger(&mut self) -> Parse<Trigger> {
        let start = self.here();
        let kind = match (self.tok(), self.word()) {
            (Tok::Sign("("), _) => {
                self.advance();
                let inner = self.trigger()?;
                self.expect(")")?;
                return Ok(inner);
            }
            (Tok::Sign("!"), _) => {
                self.advance();
                TriggerKind::Not(Box::new(self.nested(Self::simple_trigger)?))
            }
            (Tok::Word, "cycle") => {
                self.advance();
                TriggerKind::Cycle
            }
            (Tok::Word, "timeout") => {
                self.advance();
                TriggerKind::Timeout(self.name("the name of a timeout")?)
            }
            (Tok::Word, "any") if self.ahead(1).0 != Tok::Sign(".") => {
                self.advance();
                TriggerKind::Any
            }
            _ => {
                let port = self.name("an event, `any`, `cycle` or `timeout`")?;
                self.expect(".")?;
                if self.is_word("any") {
                    self.advance();
                    TriggerKind::AnyOf(port)
                } else {
                    TriggerKind::Event(port, self.name("the name of an event")?)
                }
            }
        };
        Ok(Trigger {
            kind,
            span: self.since(start),
        })
    }

    // Actions.

    /// `{ … }`
    pub fn block(&mut self) -> Parse<Vec<Action>> {
        self.nested(|parser| {
            parser.expect("{")?;
            let mut all = Vec::new();
            while !parser.eat("}") {
                all.push(parser.action()?);
            }
            Ok(all)
        })
    }

    /// Actions after a `/`, up to what is none.
    pub fn actions(&mut self) -> Parse<Vec<Action>> {
        let mut all = Vec::new();
        while self.at_action() {
            all.push(self.action()?);
        }
        if all.is_empty() {
            return Err(self.unexpected("an action"));
        }
        Ok(all)
    }

    fn at_action(&self) -> bool {
        match (self.tok(), self.word()) {
            (Tok::Sign("{") | Tok::Name, _) => true,
            (
                Tok::Word,
                "transition" | "region" | "state" | "exit" | "entry" | "var" | "timeout"
                | "initial" | "shallow" | "deep" | "choice" | "merge" | "fork" | "join"
                | "procedure" | "function" | "lambda" | "invariant" | "const",
            ) => self.word() == "choice" && self.ahead(1).0 == Tok::Sign("{"),
            (Tok::Word, _) => true,
            _ => false,
        }
    }

    fn body(&mut self) -> Parse<Vec<Action>> {
        if self.is_sign("{") {
            self.block()
        } else {
            Ok(vec![self.nested(Self::action)?])
        }
    }

    fn action(&mut self) -> Parse<Action> {
        let start = self.here();
        let kind = match (self.tok(), self.word()) {
            (Tok::Sign("{"), _) => ActionKind::Block(self.block()?),
            (Tok::Word, "raise") => self.raise()?,
            (Tok::Word, "set") => self.set()?,
            (Tok::Word, "deactivate") => {
                self.advance();
                let name = self.name("the name of a timeout")?;
                self.expect(";")?;
                ActionKind::Deactivate(name)
            }
            (Tok::Word, "if") => self.if_action()?,
            (Tok::Word, "switch") => self.switch()?,
            (Tok::Word, "for") => self.for_action()?,
            (Tok::Word, "choice") => self.choice()?,
            (Tok::Word, "var" | "const") => {
                let decl = self.variable()?;
                self.expect(";")?;
                ActionKind::Var(decl)
            }
            (Tok::Word, "assert") => {
                self.advance();
                self.expression()?;
                self.expect(";")?;
                ActionKind::Assert
            }
            (Tok::Word, "return") => {
                self.advance();
                let value = if self.is_sign(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                self.expect(";")?;
                ActionKind::Return(value)
            }
            (Tok::Word, word @ ("break" | "while" | "call")) => {
                return Err(unsupported(&format!("`{word}`"), start));
            }
            _ => self.assignment()?,
        };
        Ok(Action {
            kind,
            span: self.since(start),
        })
    }

    fn assignment(&mut self) -> Parse<ActionKind> {
        let target = self.suffixed()?;
        let kind = if self.eat(":=") {
            ActionKind::Assign(target, self.expression()?)
        } else if let ExprKind::Call(name, args) = target.kind {
            ActionKind::Call(name, args)
        } else {
            return Err(self.unexpected("`:=`"));
        };
        self.expect(";")?;
        Ok(kind)
    }

    fn raise(&mut self) -> Parse<ActionKind> {
        self.advance();
        let port = self.name("the name of a port")?;
        self.expect(".")?;
        let event = self.name("the name of an event")?;
        let args = if self.eat("(") {
            self.list(")", Self::expression)?
        } else {
            Vec::new()
        };
        self.expect(";")?;
        Ok(ActionKind::Raise(port, event, args))
    }

    fn set(&mut self) -> Parse<ActionKind> {
        self.advance();
        let name: Name = self.name("the name of a timeout")?;
        self.expect(":=")?;
        let value = self.expression()?;
        let factor = match self.word() {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return Err(self.unexpected("`ms`, `s`, `m` or `h`")),
        };
        self.advance();
        self.expect(";")?;
        Ok(ActionKind::Set(name, value, factor))
    }

    fn if_action(&mut self) -> Parse<ActionKind> {
        let mut branches = Vec::new();
        loop {
            self.advance();
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            branches.push((Some(condition), self.body()?));
            if !self.is_word("elseif") {
                break;
            }
        }
        if self.eat_word("else") {
            branches.push((None, self.body()?));
        }
        Ok(ActionKind::If(branches))
    }

    fn switch(&mut self) -> Parse<ActionKind> {
        self.advance();
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        self.expect("{")?;
        let mut branches = Vec::new();
        while !self.eat("}") {
            let case = if self.eat_word("default") {
                None
            } else {
                self.expect_word("case")?;
                Some(self.expression()?)
            };
            self.expect(":")?;
            let mut body = Vec::new();
            while !self.is_sign("}") && !self.is_word("case") && !self.is_word("default") {
                body.push(self.nested(Self::action)?);
            }
            branches.push((case, body));
        }
        Ok(ActionKind::Switch(value, branches))
    }

    fn for_action(&mut self) -> Parse<ActionKind> {
        self.advance();
        self.expect("(")?;
        let name = self.name("the name of a variable")?;
        if self.eat(":") {
            self.ty()?;
        }
        self.expect_word("in")?;
        let start = self.here();
        self.eat("#");
        if !self.eat("[") {
            return Err(unsupported("`for` over something that is no range", start));
        }
        let low = self.expression()?;
        self.expect_word("to")?;
        let high = self.expression()?;
        self.expect("]")?;
        self.expect(")")?;
        let body = self.body()?;
        Ok(ActionKind::For(name, Box::new((low, high)), body))
    }

    fn choice(&mut self) -> Parse<ActionKind> {
        self.advance();
        self.expect("{")?;
        let mut branches = Vec::new();
        while !self.eat("}") {
            self.expect_word("branch")?;
            self.expect("[")?;
            let guard = self.expression()?;
            self.expect("]")?;
            branches.push((guard, self.body()?));
        }
        Ok(ActionKind::Choice(branches))
    }
}
