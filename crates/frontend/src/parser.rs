//! What every parser needs: the current token, expectations, findings, a bound on nesting.
//!
//! A finding goes into the list at once; [`Failed`] only says that the text around the current token
//! makes no sense any more, so that the caller skips to a place where it does.

use crate::lexer::Lexer;
use crate::scope::Scope;
use crate::token::{Syntax, Tok, Token};
use lariat_base::{Diagnostic, Diagnostics, FxHashSet, SourceId, Span};
use lariat_expr::{SortId, VarId};
use lariat_system::{Context, StmtId};
use std::borrow::Cow;

/// How deep expressions, statements and types may nest. With this bound a parser needs less than half
/// of the 2 MiB that a thread's stack has by default.
pub(crate) const MAX_DEPTH: u32 = 400;

/// The text makes no sense from here on; the reason was reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failed;

/// A part that was read, or a report of why it could not be.
pub(crate) type Parse<T> = Result<T, Failed>;

/// Where primes are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Primes {
    /// Nowhere: the language has none.
    None,
    /// In transitions only, and this is none.
    Outside,
    /// Here.
    Allowed,
}

/// What `<-` means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeftArrow {
    /// Less than a negative number.
    Compares,
    /// An arrow between an index and a value, as the text stands in `[…]`.
    Writes,
}

/// A text, the place that has been reached in it, and what was found so far.
pub(crate) struct Parser<'a> {
    pub cx: &'a mut Context,
    pub scope: Cow<'a, Scope>,
    pub syntax: Syntax,
    pub primes: Primes,
    /// Variables that never change, so that their next value is their value.
    pub rigid: FxHashSet<VarId>,
    /// Enumerations whose literals must not be told apart.
    pub symmetric: FxHashSet<SortId>,
    /// How many copies of what is being read the quantifiers around it stand for.
    pub copies: u64,
    pub left_arrow: LeftArrow,
    pub stacks: crate::expression::Stacks,
    /// The statements of all blocks that are being read.
    pub statements: Vec<StmtId>,
    text: &'a str,
    source: SourceId,
    /// Where `text` begins in its source.
    base: u32,
    lexer: Lexer<'a>,
    token: Token,
    /// Where the last token that was passed ends.
    last_end: u32,
    depth: u32,
    findings: Diagnostics,
    has_errors: bool,
    gave_up: bool,
    /// Up to where bad characters were reported: a text may be read twice.
    lexed_to: u32,
    /// Whether bad characters are let through: the text is another parser's.
    pub foreign: bool,
    unknown: FxHashSet<Box<str>>,
}

impl<'a> Parser<'a> {
    /// A parser at the first token of `text`, which begins at `base` of its source.
    pub fn new(
        cx: &'a mut Context,
        scope: Cow<'a, Scope>,
        syntax: Syntax,
        source: SourceId,
        text: &'a str,
        base: u32,
    ) -> Self {
        let mut parser = Self {
            cx,
            scope,
            syntax,
            primes: Primes::None,
            rigid: FxHashSet::default(),
            symmetric: FxHashSet::default(),
            copies: 1,
            left_arrow: LeftArrow::Compares,
            stacks: crate::expression::Stacks::default(),
            statements: Vec::new(),
            text,
            source,
            base,
            lexer: Lexer::new(text, syntax),
            token: Token {
                tok: Tok::End,
                start: 0,
                end: 0,
            },
            last_end: 0,
            depth: 0,
            findings: Diagnostics::new(),
            has_errors: false,
            gave_up: false,
            lexed_to: 0,
            foreign: false,
            unknown: FxHashSet::default(),
        };
        parser.advance();
        parser
    }

    /// The kind of the current token.
    pub fn tok(&self) -> Tok {
        self.token.tok
    }

    /// The current token.
    pub fn token(&self) -> Token {
        self.token
    }

    /// The text of the current token.
    pub fn token_text(&self) -> &'a str {
        self.slice(self.token.start, self.token.end)
    }

    /// The text between two offsets.
    pub fn slice(&self, start: u32, end: u32) -> &'a str {
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Goes to the next token, reporting what is no token on the way.
    pub fn advance(&mut self) {
        self.last_end = self.token.end;
        loop {
            self.token = self.lexer.next();
            match self.token.tok {
                Tok::Bad | Tok::OpenComment if self.token.start < self.lexed_to => {}
                Tok::Bad if !self.foreign => {
                    self.lexed_to = self.token.end;
                    let what = shorten(self.token_text());
                    let finding = Diagnostic::error(
                        "unexpected-character",
                        format!("`{what}` cannot stand here"),
                    );
                    self.report(finding.at(self.token_span()));
                }
                Tok::OpenComment => {
                    self.lexed_to = self.token.end;
                    let finding =
                        Diagnostic::error("unterminated-comment", "this comment never ends");
                    let (start, end) = (self.token.start, self.token.start + 2);
                    let finding = finding.at(self.span(start, end));
                    self.report(finding.hint("close it with `*/`"));
                }
                _ => return,
            }
        }
    }

    /// Goes to another place of the text.
    pub fn seek(&mut self, offset: u32) {
        self.lexer.seek(offset);
        self.token.end = offset;
        self.advance();
    }

    /// Cuts the current token after its first `length` bytes, which are a token of kind `tok`.
    pub fn split_token(&mut self, tok: Tok, length: u32) {
        self.token.tok = tok;
        self.token.end = self.token.start + length;
        self.lexer.seek(self.token.end);
    }

    /// Consumes the current token if it is of this kind.
    pub fn eat(&mut self, tok: Tok) -> bool {
        let here = self.token.tok == tok;
        if here {
            self.advance();
        }
        here
    }

    /// Consumes the current token if it is of this kind, else reports that `what` was expected.
    pub fn expect(&mut self, tok: Tok, what: &str) -> Parse<()> {
        if self.eat(tok) {
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    /// A name and where it is.
    pub fn name(&mut self, what: &str) -> Parse<(&'a str, Span)> {
        if self.token.tok == Tok::Word {
            let found = (self.token_text(), self.token_span());
            self.advance();
            return Ok(found);
        }
        let text = self.token_text();
        let is_reserved = text.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_reserved && self.token.tok != Tok::End {
            let message = format!("expected {what}, but `{text}` is a reserved word");
            let finding = Diagnostic::error("reserved-word", message);
            self.report(finding.at(self.token_span()));
            return Err(Failed);
        }
        Err(self.unexpected(what))
    }

    /// Reports that `what` was expected here.
    pub fn unexpected(&mut self, what: &str) -> Failed {
        self.unexpected_hint(what, None)
    }

    /// Reports that `what` was expected here, with advice.
    pub fn unexpected_hint(&mut self, what: &str, hint: Option<String>) -> Failed {
        let found = self.describe_token();
        let message = format!("expected {what}, found {found}");
        let finding = Diagnostic::error("unexpected-token", message);
        self.report(finding.at(self.token_span()).maybe_hint(hint));
        Failed
    }

    /// Whether a line ended before the current token.
    pub fn is_on_new_line(&self) -> bool {
        let between = self.last_end as usize..self.token.start as usize;
        self.text.get(between).is_some_and(|gap| gap.contains('\n'))
    }

    /// Reports that `what` is missing behind the last token that was passed.
    pub fn missing_at_end(&mut self, what: &str) -> Failed {
        let found = self.describe_token();
        let message = format!("expected {what} at the end of this line, found {found} on another");
        let place = self.span(self.last_end.saturating_sub(1), self.last_end);
        let finding = Diagnostic::error("unexpected-token", message).at(place);
        self.report(finding.hint(format!("write {what} behind it")));
        Failed
    }

    /// The current token as a message calls it.
    pub fn describe_token(&self) -> String {
        match self.token.tok {
            Tok::End => "the end of the text".into(),
            _ => format!("`{}`", shorten(self.token_text())),
        }
    }

    /// Where the current token is.
    pub fn token_span(&self) -> Span {
        self.span(self.token.start, self.token.end)
    }

    /// A part of the text by its offsets.
    pub fn span(&self, start: u32, end: u32) -> Span {
        Span {
            source: self.source,
            start: self.base + start,
            end: self.base + end,
        }
    }

    /// From `start` to the end of the last token that was passed.
    pub fn span_from(&self, start: u32) -> Span {
        self.span(start, self.last_end.max(start))
    }

    /// Where the last token that was passed ends.
    pub fn last_end(&self) -> u32 {
        self.last_end
    }

    /// Adds a finding. When there are too many the rest of the text is not read.
    pub fn report(&mut self, finding: Diagnostic) {
        self.has_errors |= finding.severity == lariat_base::Severity::Error;
        if !self.gave_up {
            self.findings.push(finding);
        }
        if self.findings.is_full() {
            self.give_up();
        }
    }

    /// Reports an unknown name, once for each name.
    pub fn report_unknown(&mut self, name: &str, finding: Diagnostic) {
        self.has_errors = true;
        if self.unknown.insert(name.into()) {
            self.report(finding);
        }
    }

    /// Lets no use of a name be reported as unknown, because its declaration was reported.
    pub fn mark_reported(&mut self, name: &str) {
        self.unknown.insert(name.into());
    }

    /// The result of reading a part of the declaration of `name`; if it failed, uses of the name need no
    /// findings of their own.
    pub fn declaring<T>(&mut self, name: &str, result: Parse<T>) -> Parse<T> {
        if result.is_err() {
            self.mark_reported(name);
        }
        result
    }

    /// Notes an error that the caller is about to report.
    pub fn will_be_reported(&mut self) {
        self.has_errors = true;
    }

    /// Reads no further.
    pub fn give_up(&mut self) {
        self.gave_up = true;
        self.lexer.seek(self.text.len() as u32);
        let end = self.text.len() as u32;
        self.token = Token {
            tok: Tok::End,
            start: end,
            end,
        };
    }

    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// The findings in the order of the text, which may have been read in another one, and twice.
    pub fn into_findings(self) -> Vec<Diagnostic> {
        let mut findings = self.findings.into_vec();
        let place = |finding: &Diagnostic| {
            let primary = finding.primary.as_ref();
            primary.map_or(u32::MAX, |annotation| annotation.span.start)
        };
        findings.sort_by_key(place);
        findings.dedup();
        findings
    }

    /// Reads something that nests one deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reports that the nesting is too deep; nothing after it is read.
    pub fn too_deep(&mut self) -> Failed {
        let message = format!("this is nested more than {MAX_DEPTH} deep");
        let finding = Diagnostic::error("too-deep", message).at(self.token_span());
        self.report(finding);
        self.give_up();
        Failed
    }

    /// Reports that a term of one sort stands where another is needed.
    pub fn mismatch(&mut self, span: Span, wanted: &str, sort: SortId) {
        let given = self.cx.terms.sorts.describe(sort);
        let message = format!("expected {wanted}, found {given}");
        let hint = self.symmetric_advice(sort);
        let finding = Diagnostic::error("type-mismatch", message);
        self.report(finding.at(span).maybe_hint(hint));
    }

    /// What to know of the values of a symmetric type that are used as something else.
    pub fn symmetric_advice(&self, sort: SortId) -> Option<&'static str> {
        let advice =
            "its values are symmetric: they have neither an order nor a sum, only `=` and `!=`";
        self.symmetric.contains(&sort).then_some(advice)
    }

    /// Reports a name that is declared again.
    pub fn duplicate(&mut self, name: &str, span: Span, first: Option<Span>) {
        let message = format!("`{}` is declared twice", shorten(name));
        let mut finding = Diagnostic::error("duplicate-name", message).at(span);
        if let Some(first) = first {
            finding = finding.also(first, "first declared here");
        }
        self.report(finding);
    }

    /// Skips tokens until one satisfies `stop` outside of any bracket that opens on the way, or the end.
    pub fn skip_until(&mut self, stop: impl Fn(Tok) -> bool) {
        let mut open = 0usize;
        loop {
            match self.token.tok {
                Tok::End => return,
                tok if open == 0 && stop(tok) => return,
                Tok::LBrace => open += 1,
                Tok::RBrace => open = open.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }
}

/// A text cut to what fits a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
