//! Cuts C text into tokens. Comments are skipped; `//@ ltl NAME: φ` is remembered.

use crate::annotation::property;
use crate::c::syntax::token::{IntLit, PUNCTUATION, Symbols, Tok, Token};

/// A property in a comment.
#[derive(Clone, Debug)]
pub(in crate::c) struct Annotation {
    pub name: Box<str>,
    pub formula: Box<str>,
    pub start: usize,
    pub end: usize,
}

/// A comment that looks like a property and is none.
#[derive(Clone, Debug)]
pub(in crate::c) struct Mistake {
    pub message: &'static str,
    pub start: usize,
    pub end: usize,
}

/// Reads tokens one by one.
pub(in crate::c) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    first: bool,
    base: usize,
    pub annotations: Vec<Annotation>,
    pub mistakes: Vec<Mistake>,
}

impl<'a> Scanner<'a> {
    /// `base` is added to every place.
    pub fn new(text: &'a str, base: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            first: true,
            base,
            annotations: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    /// Skips the rest of the line, honouring line continuations; gives its text.
    pub fn rest_of_line(&mut self) -> &'a str {
        let start = self.at;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' if self.continuation() > 0 => self.at += self.continuation(),
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => self.block_comment(),
                b'\n' => break,
                _ => self.at += 1,
            }
        }
        &self.text[start..self.at]
    }

    pub fn next(&mut self, symbols: &mut Symbols) -> Token {
        self.skip_blank();
        let first = std::mem::take(&mut self.first);
        let start = self.at;
        let tok = self.token(symbols);
        Token {
            tok,
            start: (self.base + start) as u32,
            end: (self.base + self.at) as u32,
            first,
        }
    }

    /// The length of a backslash and line break here.
    fn continuation(&self) -> usize {
        match &self.bytes[self.at..] {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        }
    }

    fn skip_blank(&mut self) {
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\n' => {
                    self.first = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.continuation() > 0 => self.at += self.continuation(),
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => self.line_comment(),
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => self.block_comment(),
                _ => return,
            }
        }
    }

    fn line_comment(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
        self.annotation(start + 2, self.at, true);
    }

    fn block_comment(&mut self) {
        let start = self.at + 2;
        let close = self.text[start..].find("*/");
        let end = close.map_or(self.bytes.len(), |at| start + at);
        self.annotation(start, end, false);
        self.at = close.map_or(end, |_| end + 2);
    }

    /// Remembers the property in the comment between these places, or what is wrong with it. In a comment of several
    /// lines `@` has other uses too (`/*@null@*/`).
    fn annotation(&mut self, start: usize, end: usize, one_line: bool) {
        let comment = &self.text[start..end];
        let Some(body) = comment.trim_start().strip_prefix('@') else {
            return;
        };
        let is_ltl = body.trim_start().get(..3);
        if !one_line && !is_ltl.is_some_and(|word| word.eq_ignore_ascii_case("ltl")) {
            return;
        }
        let (start, end) = (self.base + start, self.base + end);
        match property(body) {
            Ok((name, formula)) => self.annotations.push(Annotation {
                name: name.into(),
                formula: formula.into(),
                start,
                end,
            }),
            Err(message) => self.mistakes.push(Mistake {
                message,
                start,
                end,
            }),
        }
    }

    fn token(&mut self, symbols: &mut Symbols) -> Tok {
        let rest = &self.bytes[self.at..];
        match rest {
            [] => Tok::End,
            [b'L' | b'u' | b'U', quote @ (b'"' | b'\''), ..] => {
                self.at += 1;
                self.quoted(*quote)
            }
            [quote @ (b'"' | b'\''), ..] => self.quoted(*quote),
            [b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$', ..] => {
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
                let len = rest.iter().take_while(|b| is_part(b)).count();
                let text = &self.text[self.at..self.at + len];
                self.at += len;
                Tok::Name(symbols.intern(text))
            }
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => self.number(),
            _ => self.punctuation(),
        }
    }

    fn punctuation(&mut self) -> Tok {
        let rest = &self.bytes[self.at..];
        let found = PUNCTUATION.iter().find(|p| rest.starts_with(p.as_bytes()));
        if let Some(text) = found {
            self.at += text.len();
            return Tok::P(text);
        }
        if rest[0] == b'#' {
            self.at += 1;
            return Tok::P("#");
        }
        let len = self.text[self.at..]
            .chars()
            .next()
            .map_or(1, char::len_utf8);
        self.at += len;
        Tok::Bad
    }

    /// A number as the preprocessor sees it; then its value.
    fn number(&mut self) -> Tok {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            let after_exponent = matches!(byte, b'+' | b'-')
                && self.at > start
                && matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P')
                && !self.text[start..self.at].starts_with("0x")
                    | matches!(self.bytes[self.at - 1], b'p' | b'P');
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || after_exponent) {
                break;
            }
            self.at += 1;
        }
        let text = self.text[start..self.at].to_ascii_lowercase();
        integer(&text).unwrap_or_else(|| {
            let is_hex = text.starts_with("0x");
            let is_float = text.contains('.') || text.contains(if is_hex { 'p' } else { 'e' });
            if is_float { Tok::Float } else { Tok::Bad }
        })
    }

    fn quoted(&mut self, quote: u8) -> Tok {
        self.at += 1;
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return Tok::Bad,
                b'\\' => self.at += 2,
                _ if byte == quote => {
                    let body = &self.bytes[start..self.at];
                    self.at += 1;
                    return if quote == b'"' {
                        Tok::Str
                    } else {
                        character(body).map_or(Tok::Bad, Tok::Char)
                    };
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
        Tok::Bad
    }
}

fn integer(text: &str) -> Option<Tok> {
    let (digits, radix) = if let Some(hex) = text.strip_prefix("0x") {
        (hex, 16)
    } else if let Some(binary) = text.strip_prefix("0b") {
        (binary, 2)
    } else if text.len() > 1 && text.starts_with('0') {
        (&text[1..], 8)
    } else {
        (text, 10)
    };
    let is_digit = |c: char| c.is_digit(radix);
    let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return None,
    };
    let value = match (digits, radix) {
        // A lone zero and a suffix: `0u`.
        ("", 8) => 0,
        _ => u64::from_str_radix(digits, radix).ok()?,
    };
    Some(Tok::Int(IntLit {
        value,
        unsigned,
        long,
        decimal: radix == 10,
    }))
}

/// The value of a character constant, as gcc gives it.
fn character(body: &[u8]) -> Option<i64> {
    let mut value: u32 = 0;
    let mut n_chars = 0;
    let mut rest = body;
    while !rest.is_empty() {
        let (code, len) = escape(rest)?;
        value = (value << 8) | u32::from(code);
        rest = &rest[len..];
        n_chars += 1;
    }
    match n_chars {
        0 => None,
        1 => Some(i64::from((value as u8).cast_signed())),
        _ => Some(i64::from(value.cast_signed())),
    }
}

/// The first character of a literal's body, and how many bytes it takes.
pub(in crate::c) fn escape(body: &[u8]) -> Option<(u8, usize)> {
    match body {
        [] => None,
        [b'\\', b'x', digits @ ..] => {
            let n = digits.iter().take_while(|d| d.is_ascii_hexdigit()).count();
            let text = std::str::from_utf8(&digits[..n]).ok()?;
            let code = u64::from_str_radix(text, 16).ok()?;
            Some((code as u8, 2 + n))
        }
        [b'\\', digits @ ..] if digits.first().is_some_and(|d| (b'0'..=b'7').contains(d)) => {
            let is_octal = |d: &&u8| (b'0'..=b'7').contains(*d);
            let n = digits.iter().take(3).take_while(is_octal).count();
            let code = digits[..n]
                .iter()
                .fold(0u32, |code, d| code * 8 + u32::from(d - b'0'));
            Some((code as u8, 1 + n))
        }
        [b'\\', letter, ..] => {
            let code = match letter {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'a' => 7,
                b'b' => 8,
                b'f' => 12,
                b'v' => 11,
                b'e' => 27,
                other => *other,
            };
            Some((code, 2))
        }
        [b'\\'] => None,
        [code, ..] => Some((*code, 1)),
    }
}
