//! The tokens of HOA. Comments nest; strings keep what a backslash protects.

use lariat_base::{Diagnostic, SourceId, Span};

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    /// `name:` without the colon.
    Header(String),
    Ident(String),
    /// `@name` without the sign.
    Alias(String),
    Text(String),
    Number(u32),
    /// One of `! & | ( ) [ ] { }`.
    Sign(char),
    Body,
    End,
    Abort,
}

/// A token and its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
}

/// All tokens; stops at the first thing that is none.
pub(crate) fn lex(source: SourceId, text: &str) -> (Vec<Token>, Option<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        match next(source, text, &mut at) {
            Ok(Some(token)) => tokens.push(token),
            Ok(None) => return (tokens, None),
            Err(diagnostic) => return (tokens, Some(*diagnostic)),
        }
    }
}

fn next(source: SourceId, text: &str, at: &mut usize) -> Result<Option<Token>, Box<Diagnostic>> {
    skip_space(source, text, at)?;
    let start = *at;
    let rest = &text[start..];
    let Some(first) = rest.chars().next() else {
        return Ok(None);
    };
    let word_len = |from: usize| {
        let part = &rest[from..];
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        part.find(|c| !inside(c)).unwrap_or(part.len())
    };
    let error = |len: usize, message: &str| {
        let place = Span::new(source, start, start + len);
        Box::new(Diagnostic::error("hoa-syntax", message).at(place))
    };
    let (tok, len) = match first {
        '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => (Tok::Sign(first), 1),
        '"' => string(rest).ok_or_else(|| error(1, "this quotation mark is never closed"))?,
        '@' => match word_len(1) {
            0 => return Err(error(1, "a name must follow `@`")),
            len => (Tok::Alias(rest[1..=len].to_owned()), len + 1),
        },
        '-' => {
            let marks = [
                ("--BODY--", Tok::Body),
                ("--END--", Tok::End),
                ("--ABORT--", Tok::Abort),
            ];
            let found = marks.into_iter().find(|(word, _)| rest.starts_with(word));
            let Some((word, tok)) = found else {
                let message = "expected `--BODY--`, `--END--` or `--ABORT--`";
                return Err(error(word_len(0), message));
            };
            (tok, word.len())
        }
        '0'..='9' => {
            let len = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let number = rest[..len].parse();
            let number = number.map_err(|_| error(len, "this number is too large"))?;
            (Tok::Number(number), len)
        }
        'a'..='z' | 'A'..='Z' | '_' => {
            let len = word_len(0);
            let word = rest[..len].to_owned();
            if rest[len..].starts_with(':') {
                (Tok::Header(word), len + 1)
            } else {
                (Tok::Ident(word), len)
            }
        }
        other => {
            let message = format!("unexpected character `{other}`");
            return Err(error(other.len_utf8(), &message));
        }
    };
    *at = start + len;
    let span = Span::new(source, start, *at);
    Ok(Some(Token { tok, span }))
}

/// Skips blanks and comments.
fn skip_space(source: SourceId, text: &str, at: &mut usize) -> Result<(), Box<Diagnostic>> {
    loop {
        let rest = &text[*at..];
        *at += rest.len() - rest.trim_start().len();
        let start = *at;
        if !text[start..].starts_with("/*") {
            return Ok(());
        }
        let mut depth = 0usize;
        let bytes = text.as_bytes();
        loop {
            match (bytes.get(*at), bytes.get(*at + 1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    *at += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    *at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                (Some(_), _) => *at += 1,
                (None, _) => {
                    let place = Span::new(source, start, start + 2);
                    let message = "this comment is never closed";
                    return Err(Diagnostic::error("hoa-syntax", message).at(place).into());
                }
            }
        }
    }
}

/// The string that `rest` begins with, and its length with quotes.
fn string(rest: &str) -> Option<(Tok, usize)> {
    let mut text = String::new();
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some((Tok::Text(text), i + 1)),
            '\\' if !escaped => escaped = true,
            _ => {
                text.push(c);
                escaped = false;
            }
        }
    }
    None
}
