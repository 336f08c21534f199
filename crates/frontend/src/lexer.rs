//! The lexer of all languages: bytes in, tokens out, one at a time and without copies.
//!
//! The languages differ only in their reserved words and in what a dot inside a name means: in XSTS
//! it is a letter like any other, elsewhere it joins two names (`Color.red`) and `0..5` is a range.

use crate::token::{Syntax, Tok, Token, keyword};

const SPACE: u8 = 1;
const START: u8 = 2;
const DIGIT: u8 = 4;

/// What some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What each byte may be part of.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => START,
            b'0'..=b'9' => DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    class
};

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Whether `text` is a name in every language.
pub(crate) fn is_plain_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&b| is(b, START) && b != b'$')
        && bytes.iter().all(|&b| is(b, START | DIGIT) && b != b'$')
}

/// Reads tokens from a position of a text on.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    syntax: Syntax,
}

impl<'a> Lexer<'a> {
    /// Reads `text` from its beginning.
    pub fn new(text: &'a str, syntax: Syntax) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
            syntax,
        }
    }

    /// Continues from another position.
    pub fn seek(&mut self, at: u32) {
        self.at = at as usize;
    }

    /// The next token.
    pub fn next(&mut self) -> Token {
        let tok = self.skip_blank();
        let start = self.at;
        let tok = match tok {
            Some(tok) => {
                self.at = self.bytes.len();
                tok
            }
            None => self.read(),
        };
        Token {
            tok,
            start: start as u32,
            end: self.at as u32,
        }
    }

    /// Skips spaces and comments; a comment that never ends is a token.
    fn skip_blank(&mut self) -> Option<Tok> {
        if self.at == 0 && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
        }
        loop {
            while self.at < self.bytes.len() && is(self.bytes[self.at], SPACE) {
                self.at += 1;
            }
            match self.bytes.get(self.at..self.at + 2) {
                Some(b"//") => {
                    let rest = &self.bytes[self.at..];
                    let line = rest.iter().position(|&b| b == b'\n' || b == b'\r');
                    self.at += line.unwrap_or(rest.len());
                }
                Some(b"/*") => {
                    let rest = &self.bytes[self.at + 2..];
                    match rest.windows(2).position(|pair| pair == b"*/") {
                        Some(end) => self.at += end + 4,
                        None => return Some(Tok::OpenComment),
                    }
                }
                _ => return None,
            }
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn read(&mut self) -> Tok {
        let Some(&byte) = self.bytes.get(self.at) else {
            return Tok::End;
        };
        if is(byte, START) {
            return self.word();
        }
        if is(byte, DIGIT) {
            return self.number();
        }
        if byte == b'"'
            && let Some(length) = self.quoted()
        {
            self.at += length;
            return Tok::Quoted;
        }
        let (tok, length) = self.symbol(byte);
        self.at += length;
        if tok == Tok::Bad {
            self.bad_run();
        }
        tok
    }

    fn word(&mut self) -> Tok {
        let start = self.at;
        loop {
            while self.at < self.bytes.len() && is(self.bytes[self.at], START | DIGIT) {
                self.at += 1;
            }
            let joins = self.peek(0) == b'.'
                && (self.syntax == Syntax::Xsts || is(self.peek(1), START | DIGIT));
            if !joins {
                break;
            }
            self.at += 1;
        }
        keyword(self.syntax, &self.bytes[start..self.at])
    }

    /// The length of a quoted text that ends on its line.
    fn quoted(&self) -> Option<usize> {
        let rest = &self.bytes[self.at + 1..];
        let end = rest.iter().position(|&b| b == b'"' || b == b'\n')?;
        (rest[end] == b'"').then_some(end + 2)
    }

    fn number(&mut self) -> Tok {
        while is(self.peek(0), DIGIT) {
            self.at += 1;
        }
        if self.peek(0) != b'\'' {
            return Tok::Int;
        }
        let sign = usize::from(self.peek(1) == b'd' && matches!(self.peek(2), b'+' | b'-'));
        let digit: fn(u8) -> bool = match self.peek(1) {
            b'b' => |b| matches!(b, b'0' | b'1'),
            b'd' => |b| b.is_ascii_digit(),
            b'x' => |b| b.is_ascii_hexdigit(),
            _ => return Tok::Int,
        };
        if !digit(self.peek(2 + sign)) {
            return Tok::Int;
        }
        self.at += 2 + sign;
        while digit(self.peek(0)) {
            self.at += 1;
        }
        Tok::Bv
    }

    /// A symbol and its length.
    fn symbol(&self, byte: u8) -> (Tok, usize) {
        let next = self.peek(1);
        let third = self.peek(2);
        match (byte, next, third) {
            (b'(', ..) => (Tok::LParen, 1),
            (b')', ..) => (Tok::RParen, 1),
            (b'[', ..) => (Tok::LBrack, 1),
            (b']', ..) => (Tok::RBrack, 1),
            (b'{', ..) => (Tok::LBrace, 1),
            (b'}', ..) => (Tok::RBrace, 1),
            (b',', ..) => (Tok::Comma, 1),
            (b';', ..) => (Tok::Semi, 1),
            (b':', b'=', _) => (Tok::Assign, 2),
            (b':', ..) => (Tok::Colon, 1),
            (b'\'', ..) => (Tok::Quote, 1),
            (b'.', b'.', _) => (Tok::DotDot, 2),
            (b'.', ..) => (Tok::Dot, 1),
            (b'<', b'-', b'>') => (Tok::BothArrow, 3),
            (b'<', b'=', b'>') => (Tok::BothDoubleArrow, 3),
            (b'<', b'-', _) => (Tok::LArrow, 2),
            (b'<', b'=', _) => (Tok::Le, 2),
            (b'<', ..) => (Tok::Lt, 1),
            (b'>', b'=', _) => (Tok::Ge, 2),
            (b'>', ..) => (Tok::Gt, 1),
            (b'-', b'>', _) => (Tok::RArrow, 2),
            (b'-', ..) => (Tok::Minus, 1),
            (b'=', b'=', _) => (Tok::Double, 2),
            (b'=', b'>', _) => (Tok::DoubleArrow, 2),
            (b'=', ..) => (Tok::Single, 1),
            (b'!', b'=', _) => (Tok::BangEq, 2),
            (b'!', ..) => (Tok::Bang, 1),
            (b'/', b'=', _) => (Tok::SlashEq, 2),
            (b'/', b'\\', _) => (Tok::Wedge, 2),
            (b'/', ..) => (Tok::Slash, 1),
            (b'\\', b'/', _) => (Tok::Vee, 2),
            (b'+', b'+', _) => (Tok::PlusPlus, 2),
            (b'+', ..) => (Tok::Plus, 1),
            (b'*', ..) => (Tok::Star, 1),
            (b'%', ..) => (Tok::Percent, 1),
            (b'&', b'&', _) => (Tok::AmpAmp, 2),
            (b'&', ..) => (Tok::Amp, 1),
            (b'|', b'|', _) => (Tok::PipePipe, 2),
            (b'|', ..) => (Tok::Pipe, 1),
            (b'~', ..) => (Tok::Tilde, 1),
            (b'^', ..) => (Tok::Caret, 1),
            _ => (Tok::Bad, 1),
        }
    }

    /// Takes all neighbouring bytes that belong to no token, so that they are reported once.
    fn bad_run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte.is_ascii() && (CLASS[byte as usize] != 0 || self.symbol(byte).0 != Tok::Bad) {
                break;
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(syntax: Syntax, text: &str) -> String {
        let mut lexer = Lexer::new(text, syntax);
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            if token.tok == Tok::End {
                return out.join(" ");
            }
            let text = &text[token.start as usize..token.end as usize];
            out.push(format!("{:?}:{text}", token.tok));
        }
    }

    #[test]
    fn names_numbers_and_symbols() {
        assert_eq!(
            lex(Syntax::Xsts, "a.b $c := and // x\n/* y */ <=d<-1"),
            "Word:a.b Word:$c Assign::= Word:and Le:<= Word:d LArrow:<- Int:1"
        );
        assert_eq!(
            lex(Syntax::Gcl, "0..N Color.red and"),
            "Int:0 DotDot:.. Word:N Word:Color.red And:and"
        );
        assert_eq!(
            lex(Syntax::Cfa, "4'd5 4'b01 8'xfF x' 4'd-1 4'z"),
            "Bv:4'd5 Bv:4'b01 Bv:8'xfF Word:x Quote:' Bv:4'd-1 Int:4 Quote:' Word:z"
        );
    }

    #[test]
    fn strangers_are_one_token_and_comments_end() {
        assert_eq!(lex(Syntax::Sts, "x é@# y"), "Word:x Bad:é@# Word:y");
        assert_eq!(lex(Syntax::Sts, "x /* y"), "Word:x OpenComment:/* y");
    }
}
