//! Structured Text as tokens. Comments go, but for the properties in them; letters have no case.

use super::ast::Pos;
use lariat_base::Diagnostic;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// A name or a keyword.
    Word,
    /// Digits, perhaps with a fraction and an exponent.
    Number,
    /// Anything with `#`: `16#FF`, `T#5s`, `INT#3`, `Color#RED`.
    Typed,
    /// `%IX0.0`.
    Address,
    /// A character string.
    Text,
    /// An operator or a bracket.
    Sign(&'static str),
    /// A character that no token starts with.
    Strange,
    /// Behind the last token.
    End,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub pos: Pos,
}

/// What is in a text.
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    /// The comments that start with `@`, without that sign.
    pub annotations: Vec<Pos>,
    pub findings: Vec<(&'static str, Pos)>,
}

/// Longer signs before their prefixes.
const SIGNS: [&str; 24] = [
    ":=", "=>", "<>", "<=", ">=", "**", "..", ";", ":", ",", "(", ")", "[", "]", ".", "+", "-",
    "*", "/", "&", "=", "<", ">", "^",
];

/// How formulas write operators that the language writes otherwise.
const OF_FORMULAS: [(&str, &str); 5] = [
    ("&&", "&"),
    ("||", "||"),
    ("!=", "<>"),
    ("==", "="),
    ("!", "!"),
];

/// Splits a program.
pub(super) fn lex(text: &str) -> Lexed {
    split(text, false)
}

/// Splits an expression of a formula.
pub(super) fn lex_formula(text: &str) -> Lexed {
    split(text, true)
}

fn split(text: &str, formula: bool) -> Lexed {
    let mut lexer = Lexer {
        formula,
        text,
        at: 0,
        out: Lexed {
            tokens: Vec::new(),
            annotations: Vec::new(),
            findings: Vec::new(),
        },
    };
    lexer.run();
    lexer.out
}

/// A finding about a text, with its place.
pub(super) fn finding(message: &str, span: lariat_base::Span) -> Diagnostic {
    Diagnostic::error("syntax", message).at(span)
}

struct Lexer<'a> {
    formula: bool,
    text: &'a str,
    at: usize,
    out: Lexed,
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn pos(&self, start: usize) -> Pos {
        Pos {
            start: start as u32,
            end: self.at as u32,
        }
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            if c.is_whitespace() || c == '\u{feff}' {
                self.at += c.len_utf8();
            } else if !self.comment() {
                self.token(c);
            }
        }
        let pos = self.pos(self.at);
        let tok = Tok::End;
        self.out.tokens.push(Token { tok, pos });
    }

    /// Skips a comment or a pragma, if one starts here.
    fn comment(&mut self) -> bool {
        let (start, rest) = (self.at, self.rest());
        if rest.starts_with("//") {
            self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            self.annotation(start, self.at);
        } else if rest.starts_with("/*") {
            if self.skip_to("*/") {
                self.annotation(start, self.at - 2);
            }
        } else if rest.starts_with("(*") {
            if self.nested() {
                self.annotation(start, self.at - 2);
            }
        } else if rest.starts_with('{') {
            self.skip_to("}");
        } else {
            return false;
        }
        true
    }

    fn annotation(&mut self, start: usize, end: usize) {
        if self.text[start + 2..].starts_with('@') && start + 3 <= end {
            let pos = Pos {
                start: start as u32 + 3,
                end: end as u32,
            };
            self.out.annotations.push(pos);
        }
    }

    /// Behind the next `end`; whether there is one.
    fn skip_to(&mut self, end: &str) -> bool {
        let start = self.at;
        let found = self.text[start + 1..].find(end);
        self.at = found.map_or(self.text.len(), |at| start + 1 + at + end.len());
        if found.is_none() {
            self.unclosed(start);
        }
        found.is_some()
    }

    fn unclosed(&mut self, start: usize) {
        let pos = Pos {
            start: start as u32,
            end: start as u32 + 1,
        };
        self.out.findings.push(("this is never closed", pos));
    }

    /// `(* … (* … *) … *)`; whether it is closed.
    fn nested(&mut self) -> bool {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let mut depth = 0usize;
        while self.at < bytes.len() {
            match &bytes[self.at..] {
                [b'(', b'*', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'*', b')', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return true;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.unclosed(start);
        false
    }

    fn token(&mut self, first: char) {
        let start = self.at;
        let tok = if first.is_ascii_alphabetic() || first == '_' {
            self.skip(is_part);
            self.typed().unwrap_or(Tok::Word)
        } else if first.is_ascii_digit() {
            self.skip(|c| c.is_ascii_digit() || c == '_');
            self.typed().unwrap_or_else(|| self.fraction())
        } else if first == '%' {
            self.at += 1;
            self.skip(|c| is_part(c) || matches!(c, '.' | '*'));
            Tok::Address
        } else if matches!(first, '\'' | '"') {
            self.quoted(first);
            Tok::Text
        } else if let Some(sign) = self.of_formula() {
            Tok::Sign(sign)
        } else if let Some(sign) = SIGNS.iter().find(|sign| self.rest().starts_with(**sign)) {
            self.at += sign.len();
            Tok::Sign(sign)
        } else {
            self.at += first.len_utf8();
            Tok::Strange
        };
        let pos = self.pos(start);
        self.out.tokens.push(Token { tok, pos });
    }

    fn of_formula(&mut self) -> Option<&'static str> {
        let mut signs = OF_FORMULAS.iter().filter(|_| self.formula);
        let (text, sign) = signs.find(|(text, _)| self.rest().starts_with(text))?;
        self.at += text.len();
        Some(sign)
    }

    fn skip(&mut self, inside: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !inside(c)).unwrap_or(rest.len());
    }

    /// `#…` behind a word or a number.
    fn typed(&mut self) -> Option<Tok> {
        let mut found = None;
        while self.rest().starts_with('#') {
            self.at += 1;
            if self.rest().starts_with(['-', '+']) {
                self.at += 1;
            }
            self.skip(is_part);
            // A fraction, but not the dots of a range.
            if self.rest().starts_with('.') && self.digit_at(1) {
                self.at += 1;
                self.skip(is_part);
            }
            found = Some(Tok::Typed);
        }
        found
    }

    fn digit_at(&self, offset: usize) -> bool {
        let byte = self.text.as_bytes().get(self.at + offset);
        byte.is_some_and(u8::is_ascii_digit)
    }

    fn fraction(&mut self) -> Tok {
        if self.rest().starts_with('.') && self.digit_at(1) {
            self.at += 1;
            self.skip(|c| c.is_ascii_digit() || c == '_');
            if self.rest().starts_with(['e', 'E']) {
                let sign = usize::from(matches!(
                    self.text.as_bytes().get(self.at + 1),
                    Some(b'-' | b'+')
                ));
                if self.digit_at(1 + sign) {
                    self.at += 1 + sign;
                    self.skip(|c| c.is_ascii_digit());
                }
            }
        }
        Tok::Number
    }

    /// A string ends on its line; `$` escapes the next character.
    fn quoted(&mut self, mark: char) {
        let start = self.at;
        self.at += 1;
        let mut escaped = false;
        for (i, c) in self.text[self.at..].char_indices() {
            if c == '\n' {
                break;
            }
            if c == mark && !escaped {
                self.at += i + 1;
                return;
            }
            escaped = c == '$' && !escaped;
        }
        self.skip(|c| c != '\n');
        self.unclosed(start);
    }
}
