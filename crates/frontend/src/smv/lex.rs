//! The lexer of SMV. It has one of its own because `-` is a letter of names here: `x-1` is one name, `a->b` is `a-`, `>`, `b`.
//!
//! The longest match wins, as in the original. What is no token becomes [`Tok::Bad`]: sections that are skipped (CTL, PSL) may
//! contain anything.

use lariat_expr::{Int, Rat};

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tok {
    /// A name, or a word that is reserved: the parser knows which.
    Word,
    /// `"any text"`: a name.
    Quoted,
    Int(Int),
    Real(Rat),
    Bits(BitsLit),
    /// An operator or bracket, by its text.
    Sign,
    /// What is no token, with the reason.
    Bad(&'static str),
    End,
}

/// A literal of a word type.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BitsLit {
    pub signed: bool,
    pub width: u32,
    /// The digits' value; of signed decimals up to 2^(width - 1).
    pub value: Int,
}

/// A token and where it is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
}

/// Signs, longer ones before those that they begin with.
const SIGNS: [&str; 33] = [
    "<->", "->", "<=", ">=", "<<", ">>", "!=", ":=", "::", "..", "(", ")", "[", "]", "{", "}", "<",
    ">", "=", "!", "&", "|", "+", "-", "*", "/", "?", ":", ";", ",", ".", "@", "'",
];

/// The tokens of a text, with [`Tok::End`] at last.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        after_dot: false,
    };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let open = lexer.skip_blank();
        let start = lexer.at as u32;
        let tok = match open {
            Some(bad) => bad,
            None => lexer.read(),
        };
        lexer.after_dot = tok == Tok::Sign && &text[start as usize..lexer.at] == ".";
        let is_end = tok == Tok::End;
        tokens.push(Token {
            tok,
            start,
            end: lexer.at as u32,
        });
        if is_end {
            return tokens;
        }
    }
}

/// Whether a byte may be inside of a name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$#-".contains(&byte)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Whether the last token was a dot: `a.0.1` has no real number in it.
    after_dot: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Passes over spaces and comments; a comment that never ends is bad.
    fn skip_blank(&mut self) -> Option<Tok> {
        if self.at == 0 && self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        loop {
            while self.peek(0).is_ascii_whitespace() {
                self.at += 1;
            }
            let rest = &self.text[self.at..];
            if rest.starts_with("--") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/--") {
                match comment.find("--/") {
                    Some(end) => self.at += end + 6,
                    None => {
                        self.at = self.bytes.len();
                        return Some(Tok::Bad("this comment is never closed"));
                    }
                }
            } else {
                return None;
            }
        }
    }

    fn read(&mut self) -> Tok {
        let byte = self.peek(0);
        if self.at == self.bytes.len() {
            return Tok::End;
        }
        if matches!(byte, b'f' | b'F') && self.peek(1) == b'\'' && self.peek(2).is_ascii_digit() {
            return self.fraction();
        }
        if byte.is_ascii_alphabetic() || byte == b'_' {
            self.take_while(is_name_byte);
            return Tok::Word;
        }
        if byte == b'"' {
            return self.quoted();
        }
        if byte.is_ascii_digit() {
            return self.number();
        }
        let rest = &self.text[self.at..];
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.at += sign.len();
            return Tok::Sign;
        }
        self.at += rest.chars().next().map_or(1, char::len_utf8);
        Tok::Bad("this character is no part of the language")
    }

    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> usize {
        let start = self.at;
        while self.at < self.bytes.len() && is_part(self.bytes[self.at]) {
            self.at += 1;
        }
        start
    }

    fn quoted(&mut self) -> Tok {
        let rest = &self.text[self.at + 1..];
        match rest.find(['"', '\n']) {
            Some(end) if rest.as_bytes()[end] == b'"' => {
                self.at += end + 2;
                Tok::Quoted
            }
            _ => {
                self.at += 1;
                Tok::Bad("this quotation mark is never closed")
            }
        }
    }

    fn digits(&mut self) -> Int {
        let start = self.take_while(|byte| byte.is_ascii_digit());
        Int::parse_radix(&self.text[start..self.at], 10).unwrap_or(Int::ZERO)
    }

    /// `f'1/2`.
    fn fraction(&mut self) -> Tok {
        self.at += 2;
        let numerator = self.digits();
        if self.peek(0) != b'/' || !self.peek(1).is_ascii_digit() {
            return Tok::Real(Rat::from(numerator));
        }
        self.at += 1;
        let denominator = self.digits();
        Rat::new(numerator, denominator).map_or(Tok::Bad("a fraction over zero"), Tok::Real)
    }

    fn number(&mut self) -> Tok {
        if self.peek(0) == b'0' && !self.after_dot {
            let mut mark = self.at + 1;
            let at = |i: usize| self.bytes.get(i).copied().unwrap_or(0).to_ascii_lowercase();
            let signed = at(mark) == b's';
            if matches!(at(mark), b's' | b'u') {
                mark += 1;
            }
            let radix = match at(mark) {
                b'b' => Some(2),
                b'o' => Some(8),
                b'd' => Some(10),
                b'h' => Some(16),
                _ => None,
            };
            if let Some(radix) = radix {
                self.at = mark + 1;
                return self.word_digits(signed, radix);
            }
        }
        let whole = self.digits();
        let is_real = self.peek(0) == b'.' && self.peek(1).is_ascii_digit() && !self.after_dot;
        if !is_real {
            return Tok::Int(whole);
        }
        self.at += 1;
        let start = self.at;
        let part = self.digits();
        let mut scale = power(10, (self.at - start) as u32);
        let mut numerator = &(&whole * &scale) + &part;
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = matches!(self.peek(1), b'-' | b'+');
            if self.peek(1 + usize::from(sign)).is_ascii_digit() {
                let negative = self.peek(1) == b'-';
                self.at += 1 + usize::from(sign);
                let exponent = self.digits().to_i64().and_then(|e| u32::try_from(e).ok());
                let Some(exponent) = exponent.filter(|&e| e <= 10_000) else {
                    return Tok::Bad("this exponent is too large");
                };
                if negative {
                    scale = &scale * &power(10, exponent);
                } else {
                    numerator = &numerator * &power(10, exponent);
                }
            }
        }
        Tok::Real(Rat::new(numerator, scale).expect("a power of ten is not zero"))
    }

    /// The rest of a word literal, after its base: `8_11`, `_1010`.
    fn word_digits(&mut self, signed: bool, radix: u32) -> Tok {
        let width = self.peek(0).is_ascii_digit().then(|| self.digits());
        if self.peek(0) != b'_' {
            return Tok::Bad("a word literal is written `0ud8_11`: base, width, `_`, digits");
        }
        let start = self.take_while(|byte| byte.is_ascii_hexdigit() || byte == b'_');
        let digits: String = self.text[start..self.at].split('_').collect();
        let Some(value) = Int::parse_radix(&digits, radix) else {
            return Tok::Bad("these are no digits of this base");
        };
        let width = match (width, radix) {
            (Some(width), _) => width.to_i64().and_then(|width| u32::try_from(width).ok()),
            (None, 10) => None,
            (None, radix) => u32::try_from(digits.len()).ok().map(|n| n * radix.ilog2()),
        };
        let Some(width) = width.filter(|width| (1..=MAX_WIDTH).contains(width)) else {
            return Tok::Bad("a word has from 1 to 65535 bits, and a decimal one says how many");
        };
        let most = if signed && radix == 10 {
            Int::power_of_two(width - 1)
        } else {
            &Int::power_of_two(width) - &Int::ONE
        };
        if value > most {
            return Tok::Bad("this value does not fit into the word");
        }
        Tok::Bits(BitsLit {
            signed,
            width,
            value,
        })
    }
}

/// The widest word.
pub(super) const MAX_WIDTH: u32 = 65_535;

fn power(base: i64, exponent: u32) -> Int {
    (0..exponent).fold(Int::ONE, |so_far, _| &so_far * &Int::from(base))
}
