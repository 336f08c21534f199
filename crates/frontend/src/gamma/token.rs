//! Words, numbers and signs of Gamma texts.
//!
//! Some of Gamma's words have hyphens in them (`scheduled-async`, `in-state`); they are listed, since `a-b` is a
//! difference everywhere else. A name that is a word of the language is written with `^` before it, which is no part of it.

use lariat_base::{Diagnostic, SourceId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// A word: of the language, or a name.
    Word,
    /// A name that was escaped, so that it is no word of the language.
    Name,
    /// Digits.
    Int,
    /// Digits with a point in them.
    Decimal,
    /// A text in double quotes.
    Text,
    /// Signs, as listed in [`SIGNS`].
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
}

/// All signs, longer ones first.
const SIGNS: [&str; 36] = [
    "-o)-", "&&", "||", "->", ":=", "::", "==", "/=", "!=", "<=", ">=", "..", "(", ")", "[", "]",
    "{", "}", "<", ">", "=", "+", "-", "*", "/", ",", ";", ":", ".", "!", "^", "@", "?", "#", "|",
    "&",
];

/// Words with hyphens.
const HYPHENED: [&str; 9] = [
    "scheduled-async",
    "in-state",
    "top-down",
    "bottom-up",
    "order-based",
    "value-based",
    "on-the-fly",
    "beginning-of-step",
    "asynchronous-adapter",
];

/// Cuts a text into tokens; the last is the end.
pub(super) fn tokens(source: SourceId, text: &str) -> Result<Vec<Token>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut all = Vec::with_capacity(text.len() / 5 + 1);
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    loop {
        at = skip_blanks(source, text, at)?;
        let Some(&byte) = bytes.get(at) else { break };
        let start = at;
        let tok = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                at = word_end(bytes, at);
                if bytes.get(at) == Some(&b'-') {
                    let rest = &bytes[start..];
                    let longer = HYPHENED.iter().filter(|word| {
                        rest.starts_with(word.as_bytes())
                            && word_end(bytes, start + word.len()) == start + word.len()
                    });
                    if let Some(longest) = longer.max_by_key(|word| word.len()) {
                        at = start + longest.len();
                    }
                }
                Tok::Word
            }
            b'^' if bytes.get(at + 1).is_some_and(|&b| is_start(b)) => {
                // `^` is also "exclusive or" between triggers: it follows an operand without a blank, or has one after it.
                let before: Option<&Token> = all.last();
                let is_operator = before.is_some_and(|token| {
                    let is_operand = matches!(token.tok, Tok::Word | Tok::Name | Tok::Sign(")"));
                    is_operand && token.end as usize == start
                });
                if is_operator {
                    at += 1;
                    Tok::Sign("^")
                } else {
                    at = word_end(bytes, at + 1);
                    Tok::Name
                }
            }
            b'0'..=b'9' => {
                at = digits_end(bytes, at);
                if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
                {
                    at = digits_end(bytes, at + 1);
                    Tok::Decimal
                } else {
                    Tok::Int
                }
            }
            b'"' => {
                let len = text[at + 1..]
                    .find('"')
                    .filter(|&len| !text[at + 1..at + 1 + len].contains('\n'));
                let Some(len) = len else {
                    let message = "a text has no second `\"` in its line";
                    let span = Span::new(source, start, start + 1);
                    return Err(Diagnostic::error("unexpected-character", message).at(span));
                };
                at += len + 2;
                Tok::Text
            }
            _ => {
                let Some(sign) = SIGNS
                    .iter()
                    .find(|sign| bytes[at..].starts_with(sign.as_bytes()))
                else {
                    let sign = text[at..].chars().next().unwrap_or(' ');
                    let message = format!("`{}` means nothing here", sign.escape_debug());
                    let span = Span::new(source, start, start + sign.len_utf8());
                    return Err(Diagnostic::error("unexpected-character", message).at(span));
                };
                at += sign.len();
                Tok::Sign(sign)
            }
        };
        all.push(Token {
            tok,
            start: start as u32,
            end: at as u32,
        });
    }
    all.push(Token {
        tok: Tok::End,
        start: text.len() as u32,
        end: text.len() as u32,
    });
    Ok(all)
}

fn is_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$'
}

fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes
        .get(at)
        .is_some_and(|&b| is_start(b) || b.is_ascii_digit())
    {
        at += 1;
    }
    at
}

fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Where the next token starts: after blanks and comments.
fn skip_blanks(source: SourceId, text: &str, mut at: usize) -> Result<usize, Diagnostic> {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | b'\x0c') => at += 1,
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(text.len(), |len| at + len);
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'*') => {
                let Some(len) = text[at + 2..].find("*/") else {
                    let message = "the comment has no end";
                    let finding = Diagnostic::error("unterminated-comment", message);
                    return Err(finding.at(Span::new(source, at, at + 2)));
                };
                at += len + 4;
            }
            _ => return Ok(at),
        }
    }
}
