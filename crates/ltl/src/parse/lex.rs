//! From text to tokens, for every syntax and both kinds of atoms.
//!
//! The lexer decides the three things that depend on neighbours: whether `Ga` is one name or `G a`
//! (as in Spot, where propositions are plain names), whether `(p)Uq` is an operator and a name, and
//! whether `[` after a temporal operator opens a bound. Bad characters are reported and skipped only
//! so that further errors can be found; a text with a diagnostic never becomes a formula.

use lariat_base::{Diagnostic, Diagnostics, Span};

use super::token::{
    BinaryOp, Bound, BoundEnd, CHOICE_WORDS, SIGNS, TermOp, Tok, Token, UnaryOp, WORDS, reserved,
};
use super::{AtomStyle, Syntax, quantify};

/// The largest number that a bound may hold; each step of it is an operator of the formula.
pub(crate) const MAX_BOUND: u32 = 1000;

/// What the lexer returns.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// The texts of quoted atoms with the bytes they came from.
    pub(crate) quoted: Vec<Quoted>,
}

/// An atom written in quotes or as `AP(…)`.
pub(crate) struct Quoted {
    pub(crate) text: String,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Splits `text`; `origin` is where its first byte lies in the source.
pub(crate) fn lex(
    text: &str,
    origin: Span,
    syntax: Syntax,
    style: AtomStyle,
    diagnostics: &mut Diagnostics,
) -> Lexed {
    let mut lexer = Lexer {
        text,
        at: 0,
        origin,
        syntax,
        style,
        diagnostics,
        out: Lexed {
            tokens: Vec::new(),
            quoted: Vec::new(),
        },
    };
    lexer.run();
    lexer.out
}

/// Whether `name`, written without quotes, is read back as one proposition of that name.
pub(crate) fn is_plain_name(name: &str, syntax: Syntax) -> bool {
    let mut chars = name.chars();
    let spin = matches!(syntax, Syntax::Spin | Syntax::SpinNever);
    let starts = |c: char| {
        c.is_ascii_lowercase()
            || c == '_'
            || c.is_ascii_uppercase() && !spin && !"FGXMURVW".contains(c)
    };
    chars.next().is_some_and(starts)
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' && !spin)
        && !matches!(name, "S" | "AP")
        && ![WORDS, CHOICE_WORDS]
            .concat()
            .iter()
            .any(|(word, _)| *word == name)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    origin: Span,
    syntax: Syntax,
    style: AtomStyle,
    diagnostics: &'a mut Diagnostics,
    out: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.peek() {
            if self.diagnostics.is_full() {
                return;
            }
            if c.is_whitespace() {
                self.at += c.len_utf8();
            } else if c == '"' {
                self.quoted();
            } else if c.is_ascii_digit() {
                self.number();
            } else if starts_name(c) {
                self.word();
            } else {
                self.sign(c);
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let base = self.origin.start as usize;
        Span::new(self.origin.source, base + start, base + end)
    }

    fn push(&mut self, tok: Tok, start: usize, end: usize) {
        self.out.tokens.push(Token {
            tok,
            start: start as u32,
            end: end as u32,
        });
    }

    fn continues_name(&self, c: char) -> bool {
        c.is_alphanumeric()
            || matches!(c, '_' | '.' | '$')
            || self.style == AtomStyle::Expressions && matches!(c, '\'' | '@' | '#')
    }

    /// Whether the last token ends an operand, so that an operator must follow.
    fn after_operand(&self) -> bool {
        self.out.tokens.last().is_some_and(|t| {
            matches!(
                t.tok,
                Tok::Const(_)
                    | Tok::Name
                    | Tok::Quoted(_)
                    | Tok::Number
                    | Tok::Close
                    | Tok::CloseBracket
            )
        })
    }

    /// Whether names that begin with an operator letter are split, as `Ga` into `G a`.
    fn splits_words(&self) -> bool {
        self.style == AtomStyle::Names && !matches!(self.syntax, Syntax::Smv | Syntax::Ltsmin)
    }

    fn word(&mut self) {
        let start = self.at;
        let len = self
            .rest()
            .find(|c| !self.continues_name(c))
            .unwrap_or(self.rest().len());
        let len = len + self.qualified(&self.text[start + len..]);
        let word = &self.text[start..start + len];
        if let Some(found) = quantify::read(self.rest(), word) {
            self.at += found.len;
            if !found.all {
                let word = self.text[start..self.at].to_owned();
                let place = self.span(start, self.at);
                self.diagnostics
                    .push(quantify::not_ltl(&word, found.op, place));
            }
            return self.operator(Tok::Unary(found.op, None), start);
        }
        if word == "S" {
            self.at += 1;
            return self.strong_release_or_since(start);
        }
        let as_names = self.style == AtomStyle::Names;
        let keyword = if as_names {
            let mut words = WORDS.iter().chain(CHOICE_WORDS);
            words.find(|(w, _)| *w == word).map(|(_, t)| *t)
        } else {
            reserved(word)
        };
        if let Some(tok) = keyword {
            self.at += len;
            return self.operator(tok, start);
        }
        if word == "AP" && self.text[start + len..].trim_start().starts_with('(') {
            self.at += len;
            return self.ap_call(start);
        }
        let first = word.chars().next().unwrap_or('_');
        let second = word.chars().nth(1).unwrap_or('_');
        let prefix = matches!(first, 'F' | 'G' | 'X');
        let split = if self.splits_words() {
            prefix && !second.is_ascii_digit()
                || matches!(first, 'M' | 'U' | 'R' | 'V' | 'W') && self.after_operand()
        } else {
            prefix && word.chars().all(|c| matches!(c, 'F' | 'G' | 'X'))
        };
        if split && let Some(tok) = reserved(&word[..1]) {
            self.at += 1;
            return self.operator(tok, start);
        }
        self.at += len;
        if !as_names && self.is_bit_prefix(word) {
            // It groups as a sign does.
            return self.push(Tok::Minus, start, start + len);
        }
        if !as_names && word.starts_with("bv") && self.after_operand() {
            let compares = ["lt", "le", "gt", "ge"].iter().any(|c| word.ends_with(c));
            let op = if compares {
                TermOp::Compare
            } else {
                TermOp::Add
            };
            return self.push(Tok::Term(op), start, start + len);
        }
        self.push(Tok::Name, start, start + len);
    }

    /// The length of `::x` behind a name: a local variable of a function, `f::x`.
    fn qualified(&self, rest: &str) -> usize {
        let mut len = 0;
        while self.style == AtomStyle::Expressions
            && let Some(name) = rest[len..].strip_prefix("::")
            && name.starts_with(starts_name)
        {
            let end = name.find(|c| !self.continues_name(c));
            len += "::".len() + end.unwrap_or(name.len());
        }
        len
    }

    /// Whether a word that was just read is a prefix operator of bit-vectors: an operand follows.
    fn is_bit_prefix(&self, word: &str) -> bool {
        let next = self.rest().trim_start().chars().next();
        matches!(word, "bvnot" | "bvneg" | "bvpos")
            && !self.after_operand()
            && next.is_some_and(|c| c == '(' || c.is_ascii_digit() || starts_name(c))
    }

    /// The length of `[<T>` where an array literal begins: what is indexed is said with a type.
    fn array_literal(&self) -> Option<usize> {
        let inner = self.rest().strip_prefix("[<")?;
        let len = inner.find('>')?;
        let is_part = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_.[]".contains(c);
        let is_type = self.style == AtomStyle::Expressions
            && !inner[..len].trim().is_empty()
            && inner[..len].chars().all(is_part);
        is_type.then_some("[<".len() + len + 1)
    }

    /// `S` is strong release in `CPAchecker` and since in `NuSMV`: it is never guessed.
    fn strong_release_or_since(&mut self, start: usize) {
        let op = match self.syntax {
            Syntax::CpaChecker => BinaryOp::StrongRelease,
            Syntax::Smv => BinaryOp::Since,
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(
                        "ambiguous-operator",
                        "`S` means strong release in CPAchecker and since in NuSMV",
                    )
                    .at(self.span(start, start + 1))
                    .hint("write `M` for strong release or `since` for the past operator")
                    .hint("or choose the syntax: `--syntax cpachecker` or `--syntax smv`")
                    .hint("an atom of this name is written in quotes: `\"S\"`"),
                );
                BinaryOp::Since
            }
        };
        self.push(Tok::Binary(op), start, start + 1);
    }

    /// Pushes the operator that ends at the current position, with the bound that may follow it.
    fn operator(&mut self, tok: Tok, start: usize) {
        let Tok::Unary(op, None) = tok else {
            return self.push(tok, start, self.at);
        };
        let bound = if op.is_temporal() { self.bound() } else { None };
        self.push(Tok::Unary(op, bound), start, self.at);
    }

    /// Reads `[n]`, `[n..m]`, `[n,m]`, `[n:m]`, `[..m]`, `[n..]` or `[n..$]`, if that is what follows.
    fn bound(&mut self) -> Option<Bound> {
        let start = self.at + (self.rest().len() - self.rest().trim_start().len());
        let inner = self.text[start..].strip_prefix('[')?;
        let first = inner.trim_start().chars().next()?;
        if !(first.is_ascii_digit() || matches!(first, '.' | ':' | ',' | '-')) {
            return None;
        }
        let Some(len) = inner.find(']') else {
            self.at = start + 1;
            self.diagnostics.push(
                Diagnostic::error("syntax", "this bound is never closed")
                    .at(self.span(start, start + 1))
                    .hint("a bound is written like `F[2..4]`"),
            );
            return None;
        };
        self.at = start + len + 2;
        match parse_bound(&inner[..len]) {
            Ok(bound) => Some(bound),
            Err(message) => {
                self.diagnostics.push(
                    Diagnostic::error("bad-bound", message)
                        .at(self.span(start, self.at))
                        .hint("bounds are written like `X[3]`, `F[2..4]` or `G[0,3]`"),
                );
                None
            }
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut len = 0;
        while len < bytes.len() {
            let range = bytes[len] == b'.' && bytes.get(len + 1) == Some(&b'.');
            let inside = bytes[len].is_ascii_alphanumeric()
                || matches!(bytes[len], b'_' | b'\'')
                || bytes[len] == b'#' && self.style == AtomStyle::Expressions
                || bytes[len] == b'.' && bytes.get(len + 1).is_some_and(u8::is_ascii_digit);
            if range || !inside {
                break;
            }
            len += 1;
        }
        let word = &rest[..len];
        let tok = match (self.style, word) {
            (AtomStyle::Names, "1") => Tok::Const(true),
            (AtomStyle::Names, "0") => Tok::Const(false),
            _ => Tok::Number,
        };
        if self.style == AtomStyle::Names && tok == Tok::Number {
            let message = format!("`{word}` is not a proposition");
            self.diagnostics.push(
                Diagnostic::error("syntax", message)
                    .at(self.span(start, start + len))
                    .hint(
                        "names begin with a letter; other atoms are written in quotes: `\"x > 3\"`",
                    ),
            );
        }
        self.at += len;
        self.push(tok, start, start + len);
    }

    fn sign(&mut self, c: char) {
        let start = self.at;
        // Two brackets with nothing between them are an old spelling of "next".
        if self.rest().starts_with("()") && !self.after_operand() {
            self.at += 2;
            return self.operator(Tok::Unary(UnaryOp::Next, None), start);
        }
        if let Some(len) = self.array_literal() {
            self.at += len;
            return self.push(Tok::OpenBracket, start, self.at);
        }
        let Some((sign, tok)) = SIGNS.iter().find(|(s, _)| self.rest().starts_with(s)) else {
            self.at += c.len_utf8();
            self.diagnostics.push(
                Diagnostic::error("syntax", format!("unexpected character `{c}`"))
                    .at(self.span(start, self.at))
                    .hint("an atom with other characters is written in quotes: `\"x > 3\"`"),
            );
            return;
        };
        self.at += sign.len();
        let tok = match (self.style, *sign) {
            (AtomStyle::Names, "*") => Tok::Binary(BinaryOp::And),
            (AtomStyle::Names, "+") => Tok::Binary(BinaryOp::Or),
            _ => *tok,
        };
        self.operator(tok, start);
    }

    fn quoted(&mut self) {
        let start = self.at;
        let mut text = String::new();
        let mut escaped = false;
        for (i, c) in self.text[start + 1..].char_indices() {
            match c {
                '"' if !escaped => {
                    self.at = start + 1 + i + 1;
                    return self.push_quoted(text, start + 1, start + 1 + i, start);
                }
                '\\' if !escaped => escaped = true,
                _ => {
                    if escaped && c != '"' && c != '\\' {
                        text.push('\\');
                    }
                    text.push(c);
                    escaped = false;
                }
            }
        }
        self.at = self.text.len();
        self.diagnostics.push(
            Diagnostic::error("syntax", "this quotation mark is never closed")
                .at(self.span(start, start + 1)),
        );
    }

    /// `AP(expression)`: everything up to the matching bracket is the atom.
    fn ap_call(&mut self, start: usize) {
        let rest = self.rest();
        let open = self.at + (rest.len() - rest.trim_start().len());
        let mut depth = 0usize;
        for (i, c) in self.text[open..].char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inner = &self.text[open + 1..open + i];
                let from = open + 1 + (inner.len() - inner.trim_start().len());
                let atom = inner.trim().to_owned();
                self.at = open + i + 1;
                let to = from + atom.len();
                return self.push_quoted(atom, from, to, start);
            }
        }
        self.at = self.text.len();
        self.diagnostics.push(
            Diagnostic::error("syntax", "this bracket is never closed")
                .at(self.span(open, open + 1)),
        );
    }

    fn push_quoted(&mut self, text: String, from: usize, to: usize, start: usize) {
        if text.trim().is_empty() {
            self.diagnostics.push(
                Diagnostic::error("syntax", "this atom is empty").at(self.span(start, self.at)),
            );
        }
        let index = self.out.quoted.len() as u32;
        self.out.quoted.push(Quoted {
            text,
            start: from as u32,
            end: to as u32,
        });
        self.push(Tok::Quoted(index), start, self.at);
    }
}

pub(crate) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '.' | '$')
}

/// The inside of a bound's brackets.
fn parse_bound(inner: &str) -> Result<Bound, String> {
    let number = |text: &str| -> Result<u32, String> {
        match text.trim().parse::<u32>() {
            Ok(n) if n <= MAX_BOUND => Ok(n),
            _ if text.trim().bytes().all(|b| b.is_ascii_digit()) && !text.trim().is_empty() => Err(
                format!("the bound {} is larger than {MAX_BOUND}", text.trim()),
            ),
            _ => Err(format!("`{}` is not a bound", inner.trim())),
        }
    };
    let cut = ["..", ":", ","].iter().find_map(|s| inner.split_once(s));
    let Some((from, to)) = cut else {
        return Ok(Bound {
            from: number(inner)?,
            to: BoundEnd::Missing,
        });
    };
    let from = if from.trim().is_empty() {
        0
    } else {
        number(from)?
    };
    let to = match to.trim() {
        "" | "$" => BoundEnd::Never,
        to => BoundEnd::At(number(to)?),
    };
    if let BoundEnd::At(to) = to
        && to < from
    {
        return Err(format!(
            "the bound ends at {to}, before it begins at {from}"
        ));
    }
    Ok(Bound { from, to })
}
