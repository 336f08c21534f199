//! Statements and expressions.

use super::ast::{
    Arg, Binary, CaseBranch, Expr, ExprKind, For, Literal, Name, Pos, Stmt, StmtKind, Unary,
};
use super::lex::Tok;
use super::parse::{MAX_DEPTH, Parse, Parser};
use lariat_expr::{Int, Rat};

/// How long a number may be.
const MAX_DIGITS: usize = 200;

/// The binary operators, level by level, the loosest first.
const LEVELS: [&[(&str, Binary)]; 7] = [
    &[("OR", Binary::Or), ("||", Binary::Or)],
    &[("XOR", Binary::Xor)],
    &[("&", Binary::And), ("AND", Binary::And)],
    &[("=", Binary::Eq), ("<>", Binary::Ne)],
    &[
        ("<=", Binary::Le),
        (">=", Binary::Ge),
        ("<", Binary::Lt),
        (">", Binary::Gt),
    ],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[("*", Binary::Mul), ("/", Binary::Div), ("MOD", Binary::Mod)],
];

impl Parser<'_> {
    /// Statements up to one of these words. What cannot be read is reported and skipped.
    pub fn statements(&mut self, ends: &[&str]) -> Vec<Stmt> {
        let mut all = Vec::new();
        loop {
            while self.eat(";") {}
            let at_end = self.tok() == Tok::End || ends.iter().any(|end| self.at_word(end));
            if at_end || self.at_outer_end() {
                return all;
            }
            match self.statement() {
                Ok(stmt) => all.push(stmt),
                Err(finding) => {
                    self.findings.push(*finding);
                    self.skip_statement(ends);
                }
            }
        }
    }

    /// At a word that ends something around.
    fn at_outer_end(&self) -> bool {
        let word = self.token_text().to_ascii_uppercase();
        self.tok() == Tok::Word
            && (word.starts_with("END_") || word == "UNTIL" || word == "ELSE" || word == "ELSIF")
    }

    fn skip_statement(&mut self, ends: &[&str]) {
        while self.tok() != Tok::End && !ends.iter().any(|end| self.at_word(end)) {
            if self.eat(";") || self.at_outer_end() {
                return;
            }
            self.advance();
        }
    }

    fn statement(&mut self) -> Parse<Stmt> {
        self.deeper()?;
        let start = self.token().pos;
        let kind = self.statement_inside();
        self.depth -= 1;
        let kind = kind?;
        let pos = start.to(self.before());
        Ok(Stmt { kind, pos })
    }

    fn statement_inside(&mut self) -> Parse<StmtKind> {
        if self.tok() != Tok::Word {
            return Err(self.unexpected("a statement"));
        }
        let word = self.token_text().to_ascii_uppercase();
        let kind = match &*word {
            "IF" => self.if_statement()?,
            "CASE" => self.case_statement()?,
            "FOR" => self.for_statement()?,
            "WHILE" => {
                self.advance();
                let condition = self.expression()?;
                self.expect_word("DO")?;
                let body = self.statements(&["END_WHILE"]);
                self.expect_word("END_WHILE")?;
                StmtKind::While(condition, body)
            }
            "REPEAT" => {
                self.advance();
                let body = self.statements(&["UNTIL"]);
                self.expect_word("UNTIL")?;
                let condition = self.expression()?;
                self.eat(";");
                self.expect_word("END_REPEAT")?;
                StmtKind::Repeat(body, condition)
            }
            "EXIT" => self.word_statement(StmtKind::Exit),
            "CONTINUE" => self.word_statement(StmtKind::Continue),
            "RETURN" => self.word_statement(StmtKind::Return),
            "GOTO" | "JMP" => return Err(self.unsupported("a jump", self.token().pos)),
            _ => self.assignment_or_call()?,
        };
        self.expect(";")?;
        Ok(kind)
    }

    fn word_statement(&mut self, kind: StmtKind) -> StmtKind {
        self.advance();
        kind
    }

    fn assignment_or_call(&mut self) -> Parse<StmtKind> {
        let place = self.place()?;
        if let ExprKind::Call(name, args) = place.kind {
            let callee = Expr {
                pos: name.pos,
                kind: ExprKind::Name(name),
            };
            return Ok(StmtKind::Call(callee, args));
        }
        if self.tok() == Tok::Sign("(") {
            let args = self.arguments()?;
            return Ok(StmtKind::Call(place, args));
        }
        if self.tok() == Tok::Sign("=") {
            let finding = self.unexpected("`:=`");
            return Err(Box::new(finding.hint("`=` compares, `:=` assigns")));
        }
        self.expect(":=")?;
        let value = self.expression()?;
        Ok(StmtKind::Assign(place, value))
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let (mut branches, mut otherwise) = (Vec::new(), Vec::new());
        loop {
            let condition = self.expression()?;
            self.expect_word("THEN")?;
            let body = self.statements(&["ELSIF", "ELSE", "END_IF"]);
            branches.push((condition, body));
            if !self.eat_word("ELSIF") {
                break;
            }
        }
        if self.eat_word("ELSE") {
            otherwise = self.statements(&["END_IF"]);
        }
        self.expect_word("END_IF")?;
        Ok(StmtKind::If(branches, otherwise))
    }

    fn case_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let of = self.expression()?;
        self.expect_word("OF")?;
        let (mut branches, mut otherwise): (Vec<CaseBranch>, _) = (Vec::new(), Vec::new());
        while !self.at_word("ELSE") && !self.at_word("END_CASE") {
            let mut labels = Vec::new();
            loop {
                let from = self.expression()?;
                let to = if self.eat("..") {
                    Some(self.expression()?)
                } else {
                    None
                };
                labels.push((from, to));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(":")?;
            let body = self.case_body();
            branches.push((labels, body));
        }
        if self.eat_word("ELSE") {
            self.eat(":");
            otherwise = self.statements(&["END_CASE"]);
        }
        self.expect_word("END_CASE")?;
        Ok(StmtKind::Case(of, branches, otherwise))
    }

    /// Statements up to the next label.
    fn case_body(&mut self) -> Vec<Stmt> {
        let mut all = Vec::new();
        loop {
            while self.eat(";") {}
            let at_end = self.tok() == Tok::End || self.at_outer_end();
            if at_end || self.at_label() {
                return all;
            }
            match self.statement() {
                Ok(stmt) => all.push(stmt),
                Err(finding) => {
                    self.findings.push(*finding);
                    self.skip_statement(&["END_CASE"]);
                }
            }
        }
    }

    /// Whether a label stands here: no statement starts with a number, a sign or a typed value, nor with a name and one of `:,..`.
    fn at_label(&self) -> bool {
        match self.tok() {
            Tok::Word => {
                let after = self.tok_after();
                matches!(after, Tok::Sign(":" | "," | ".."))
                    || after == Tok::Sign(".") && self.at_dotted_label()
            }
            Tok::Number | Tok::Typed | Tok::Sign("-" | "+" | "(") => true,
            _ => false,
        }
    }

    fn at_dotted_label(&self) -> bool {
        matches!(self.tok_at(3), Tok::Sign(":" | ","))
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let var = self.name("the control variable")?;
        self.expect(":=")?;
        let from = self.expression()?;
        self.expect_word("TO")?;
        let to = self.expression()?;
        let by = if self.eat_word("BY") {
            Some(self.expression()?)
        } else {
            None
        };
        self.expect_word("DO")?;
        let body = self.statements(&["END_FOR"]);
        self.expect_word("END_FOR")?;
        Ok(StmtKind::For(Box::new(For {
            var,
            from,
            to,
            by,
            body,
        })))
    }

    fn arguments(&mut self) -> Parse<Vec<Arg>> {
        self.expect("(")?;
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(args);
        }
        loop {
            let follows = self.tok_after();
            let is_named = self.tok() == Tok::Word && matches!(follows, Tok::Sign(":=" | "=>"));
            let (mut name, mut output) = (None, false);
            if is_named {
                name = Some(self.name("the name of a parameter")?);
                output = follows == Tok::Sign("=>");
                self.advance();
            } else if self.at_word("NOT") && self.tok_at(2) == Tok::Sign("=>") {
                let what = "a negated output";
                return Err(self.unsupported(what, self.token().pos));
            }
            let value = self.expression()?;
            args.push(Arg {
                name,
                output,
                value,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(args)
    }

    pub fn expression(&mut self) -> Parse<Expr> {
        self.deeper()?;
        let e = self.level(0);
        self.depth -= 1;
        e
    }

    fn operator(&self, level: usize) -> Option<Binary> {
        let found = LEVELS[level].iter().find(|(text, _)| match self.tok() {
            Tok::Sign(sign) => sign == *text,
            Tok::Word => self.at_word(text),
            _ => false,
        });
        found.map(|found| found.1)
    }

    fn level(&mut self, level: usize) -> Parse<Expr> {
        if level == LEVELS.len() {
            return self.power();
        }
        let first = self.level(level + 1)?;
        let mut rest = Vec::new();
        while let Some(op) = self.operator(level) {
            self.advance();
            rest.push((op, self.level(level + 1)?));
        }
        for word in ["AND_THEN", "OR_ELSE"] {
            if self.at_word(word) {
                return Err(self.unsupported(&format!("`{word}`"), self.token().pos));
            }
        }
        Ok(chain(first, rest))
    }

    fn power(&mut self) -> Parse<Expr> {
        let first = self.unary()?;
        let mut rest = Vec::new();
        while self.eat("**") {
            rest.push((Binary::Power, self.unary()?));
        }
        Ok(chain(first, rest))
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.token().pos;
        let op = if self.eat("-") {
            Unary::Minus
        } else if self.eat("+") {
            Unary::Plus
        } else if self.eat_word("NOT") || self.eat("!") {
            Unary::Not
        } else {
            return self.operand();
        };
        self.deeper()?;
        let inner = self.unary();
        self.depth -= 1;
        let inner = inner?;
        let pos = start.to(inner.pos);
        Ok(Expr {
            kind: ExprKind::Unary(op, Box::new(inner)),
            pos,
        })
    }

    pub fn operand(&mut self) -> Parse<Expr> {
        let pos = self.token().pos;
        if matches!(self.tok(), Tok::Number | Tok::Typed) && self.token_text().len() > MAX_DIGITS {
            return Err(self.error("too-large", "this number is too long", pos));
        }
        let literal = match self.tok() {
            Tok::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Tok::Number => self.number()?,
            Tok::Typed => self.typed()?,
            Tok::Word if self.at_word("TRUE") => Literal::Bool(true),
            Tok::Word if self.at_word("FALSE") => Literal::Bool(false),
            Tok::Word => return self.place(),
            Tok::Address => {
                let what = "an address in an expression";
                let finding = self.unsupported(what, pos);
                return Err(Box::new(finding.hint("declare a variable `AT` it")));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        let kind = ExprKind::Literal(literal);
        Ok(Expr { kind, pos })
    }

    /// A variable, an element, a member, or a call of a function.
    fn place(&mut self) -> Parse<Expr> {
        let name = self.name("a name")?;
        let start = name.pos;
        if self.tok() == Tok::Sign("(") {
            let args = self.arguments()?;
            let pos = start.to(self.before());
            let mut e = Expr {
                kind: ExprKind::Call(name, args),
                pos,
            };
            if self.eat(".") {
                let member = self.name("the name of a member")?;
                e = member_of(e, member);
            }
            return Ok(e);
        }
        let mut e = Expr {
            pos: start,
            kind: ExprKind::Name(name),
        };
        for _ in 0..MAX_DEPTH {
            if self.eat(".") {
                if self.tok() != Tok::Word {
                    return Err(self.unsupported("a part of a bit string", self.token().pos));
                }
                let member = self.name("the name of a member")?;
                e = member_of(e, member);
            } else if self.eat("[") {
                let mut indices = vec![self.expression()?];
                while self.eat(",") {
                    indices.push(self.expression()?);
                }
                self.expect("]")?;
                e = Expr {
                    pos: start.to(self.before()),
                    kind: ExprKind::Index(Box::new(e), indices),
                };
            } else if self.tok() == Tok::Sign("^") {
                return Err(self.unsupported("a pointer", self.token().pos));
            } else {
                return Ok(e);
            }
        }
        let message = format!("this is nested more than {MAX_DEPTH} deep");
        Err(self.error("too-deep", message, self.token().pos))
    }

    fn number(&self) -> Parse<Literal> {
        let text: String = self.token_text().chars().filter(|&c| c != '_').collect();
        let pos = self.token().pos;
        if text.contains('.') {
            let value = real(&text);
            let value =
                value.ok_or_else(|| self.error("syntax", "this number is too large", pos))?;
            return Ok(Literal::Real(value, None));
        }
        let value = text.parse::<Int>();
        let value = value.map_err(|_| self.error("syntax", "this is no number", pos))?;
        Ok(Literal::Int(value, None))
    }

    /// `16#FF`, `INT#5`, `INT#16#FF`, `T#1s`, `BOOL#1`, `Color#RED`.
    fn typed(&self) -> Parse<Literal> {
        let (text, pos) = (self.token_text(), self.token().pos);
        let wrong = || self.error("syntax", format!("`{text}` is no value"), pos);
        let (before, after) = text.split_once('#').ok_or_else(wrong)?;
        if before.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Literal::Int(radix(before, after).ok_or_else(wrong)?, None));
        }
        let key: Box<str> = before.to_ascii_uppercase().into();
        if matches!(&*key, "T" | "TIME") {
            let value = time(after).ok_or_else(|| {
                let message = format!("`{text}` is no time of whole milliseconds");
                self.error("syntax", message, pos)
            })?;
            return Ok(Literal::Time(value));
        }
        if matches!(&*key, "LT" | "D" | "LD" | "TOD" | "LTOD" | "DT" | "LDT")
            || super::parse::is_refused(&key)
        {
            return Err(self.unsupported(&format!("a value `{before}#…`"), pos));
        }
        let ty = Name {
            text: before.into(),
            key: key.clone(),
            pos,
        };
        if &*key == "BOOL" {
            return match &*after.to_ascii_uppercase() {
                "TRUE" | "1" => Ok(Literal::Bool(true)),
                "FALSE" | "0" => Ok(Literal::Bool(false)),
                _ => Err(wrong()),
            };
        }
        let is_name = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name {
            let value = Name {
                text: after.into(),
                key: after.to_ascii_uppercase().into(),
                pos,
            };
            return Ok(Literal::Enum(ty, value));
        }
        if after.contains('.') {
            let digits: String = after.chars().filter(|&c| c != '_').collect();
            let value = real(&digits).ok_or_else(wrong)?;
            return Ok(Literal::Real(value, Some(ty)));
        }
        let value = match after.split_once('#') {
            Some((base, digits)) => radix(base, digits),
            None => radix("10", after),
        };
        Ok(Literal::Int(value.ok_or_else(wrong)?, Some(ty)))
    }
}

fn chain(first: Expr, rest: Vec<(Binary, Expr)>) -> Expr {
    let Some(last) = rest.last() else {
        return first;
    };
    let pos = first.pos.to(last.1.pos);
    Expr {
        kind: ExprKind::Chain(Box::new(first), rest),
        pos,
    }
}

fn member_of(e: Expr, member: Name) -> Expr {
    let pos: Pos = e.pos.to(member.pos);
    Expr {
        kind: ExprKind::Member(Box::new(e), member),
        pos,
    }
}

/// The value of digits to a base that is written before them.
fn radix(base: &str, digits: &str) -> Option<Int> {
    let base: u32 = base.parse().ok()?;
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    let plain = digits.trim_start_matches(['-', '+']);
    let is_digit = |c: char| c.is_digit(base);
    if !matches!(base, 2 | 8 | 10 | 16) || plain.is_empty() || !plain.chars().all(is_digit) {
        return None;
    }
    Int::parse_radix(&digits, base)
}

/// `1.5`, `1.5e-3`.
fn real(text: &str) -> Option<Rat> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.')?;
    let all: Int = format!("{whole}{fraction}").parse().ok()?;
    let shift = exponent - i32::try_from(fraction.len()).ok()?;
    if shift.abs() > 400 {
        return None;
    }
    let power: Int = format!("1{}", "0".repeat(shift.unsigned_abs() as usize))
        .parse()
        .ok()?;
    if shift < 0 {
        Rat::new(all, power)
    } else {
        Rat::new(&all * &power, Int::ONE)
    }
}

/// `1d2h3m4s5ms` in milliseconds, if these are whole. Only the last part may have a fraction.
pub(super) fn time(text: &str) -> Option<Int> {
    let text: String = text
        .to_ascii_lowercase()
        .chars()
        .filter(|&c| c != '_')
        .collect();
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.trim_start_matches('+')),
    };
    let mut total = Int::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let len = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(len);
        let unit_len = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_len);
        let factor: i64 = match unit {
            "d" => 86_400_000,
            "h" => 3_600_000,
            "m" => 60_000,
            "s" => 1000,
            "ms" => 1,
            _ => return None,
        };
        let number = if number.contains('.') {
            if !after.is_empty() {
                return None;
            }
            real(number)?
        } else {
            Rat::from(number.parse::<Int>().ok()?)
        };
        let part = &number * &Rat::from(Int::from(factor));
        total = &total + part.to_int()?;
        rest = after;
    }
    Some(if is_negative { -&total } else { total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds() {
        let cases = [
            ("1s500ms", Some(1500)),
            ("1.5s", Some(1500)),
            ("1h_2m", Some(3_720_000)),
            ("-5ms", Some(-5)),
            ("0.5ms", None),
            ("5", None),
            ("1.5s2ms", None),
            ("5us", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(time(text), expected.map(Int::from), "{text}");
        }
    }

    #[test]
    fn reals_are_exact() {
        let rat = |n: i64, d: i64| Rat::new(Int::from(n), Int::from(d));
        assert_eq!(real("1.5"), rat(3, 2));
        assert_eq!(real("2.5e-1"), rat(1, 4));
        assert_eq!(real("1.0e3"), rat(1000, 1));
    }
}
