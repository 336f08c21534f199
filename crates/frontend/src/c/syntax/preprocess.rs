//! The directives of C that need no search for files: what the preprocessor does to a program that
//! uses it for constants and small macros.
//!
//! `#include` of a system header is skipped (what programs take from there is known to the lowering),
//! `#define`, `#undef`, `#ifdef`, `#ifndef`, `#if`, `#elif`, `#else`, `#endif` are done; line markers,
//! `#pragma` and the like are skipped. What goes beyond (`#` and `##` in macros, files of the
//! program's own) is an error with the id [`NEEDS_CPP`]: the program `lariat` then runs the system's
//! preprocessor.

use crate::annotation;
use crate::c::syntax::scan::{Annotation, Mistake, Scanner};
use crate::c::syntax::token::{Sym, Symbols, Tok, Token};
use crate::c::{COptions, Includes};
use lariat_base::{Diagnostic, FxHashMap, SourceId, Span};

/// The id of the finding that the system's preprocessor must be run first.
pub const NEEDS_CPP: &str = "needs-preprocessor";

/// The most tokens that macros may make.
const MAX_TOKENS: usize = 8_000_000;

/// What a file is after preprocessing.
pub(in crate::c) struct Preprocessed {
    pub tokens: Vec<Token>,
    pub annotations: Vec<Annotation>,
    /// Comments that look like properties and are none.
    pub mistakes: Vec<Diagnostic>,
    /// Macros that stand for one expression without arguments: property texts may use them.
    pub constants: Vec<(Sym, Vec<Token>)>,
}

#[derive(Clone, Debug)]
struct Macro {
    params: Option<Vec<Sym>>,
    body: Vec<Token>,
    /// Whether the body needs the system's preprocessor.
    foreign: bool,
}

/// Preprocesses a text, which stands at `base` in its source.
pub(in crate::c) fn preprocess(
    text: &str,
    base: usize,
    source: SourceId,
    symbols: &mut Symbols,
    options: COptions,
) -> Result<Preprocessed, Box<Diagnostic>> {
    let mut pre = Preprocessor {
        scanner: Scanner::new(text, base),
        symbols,
        source,
        macros: FxHashMap::default(),
        order: Vec::new(),
        pending: Vec::new(),
        active: Vec::new(),
        conditions: Vec::new(),
        n_expanded: 0,
        includes: options.includes,
        in_system: false,
    };
    let mut tokens = Vec::with_capacity(text.len() / 3);
    loop {
        let token = pre.expanded()?;
        tokens.push(token);
        if token.tok == Tok::End {
            break;
        }
    }
    if let Some(&(_, _, span)) = pre.conditions.last() {
        let message = "this condition is not closed by `#endif`";
        return Err(Box::new(Diagnostic::error("syntax", message).at(span)));
    }
    let mistakes = pre.scanner.mistakes.iter();
    let mistakes = mistakes.map(|mistake| explained(source, mistake)).collect();
    let macros = pre.macros;
    let constant = |name: Sym| {
        let known = macros.get(&name)?;
        (known.params.is_none() && !known.foreign && !known.body.is_empty())
            .then(|| (name, known.body.clone()))
    };
    let constants = pre
        .order
        .iter()
        .filter_map(|&name| constant(name))
        .collect();
    Ok(Preprocessed {
        tokens,
        annotations: pre.scanner.annotations,
        mistakes,
        constants,
    })
}

fn explained(source: SourceId, mistake: &Mistake) -> Diagnostic {
    let span = Span::new(source, mistake.start, mistake.end);
    annotation::mistake(mistake.message, span)
}

/// What comes before the scanner: tokens of macros that were opened, and where they end.
#[derive(Clone, Copy)]
enum Pending {
    Token(Token),
    EndOf(Sym),
}

struct Preprocessor<'a, 's> {
    scanner: Scanner<'a>,
    symbols: &'s mut Symbols,
    source: SourceId,
    macros: FxHashMap<Sym, Macro>,
    order: Vec<Sym>,
    pending: Vec<Pending>,
    active: Vec<Sym>,
    /// For each open condition: whether its part is live, whether one was live before, its place.
    conditions: Vec<(bool, bool, Span)>,
    n_expanded: usize,
    includes: Includes,
    /// Whether the text comes from a header of the system, or from no file.
    in_system: bool,
}

type Pre<T> = Result<T, Box<Diagnostic>>;

impl Preprocessor<'_, '_> {
    /// The next token after macros were replaced.
    fn expanded(&mut self) -> Pre<Token> {
        loop {
            let token = self.next()?;
            let Tok::Name(name) = token.tok else {
                return Ok(token);
            };
            let is_macro = self.includes != Includes::Done && self.macros.contains_key(&name);
            if !is_macro || self.active.contains(&name) {
                return Ok(token);
            }
            let known = self.macros[&name].clone();
            let args = match &known.params {
                None => Vec::new(),
                Some(params) => match self.arguments(params.len(), token)? {
                    Some(args) => args,
                    None => return Ok(token),
                },
            };
            if known.foreign {
                return Err(self.needs_cpp(token, "a macro with `#` or `##`"));
            }
            self.replace(name, &known, &args, token)?;
        }
    }

    fn replace(&mut self, name: Sym, known: &Macro, args: &[Vec<Token>], at: Token) -> Pre<()> {
        let params: &[Sym] = known.params.as_deref().unwrap_or(&[]);
        self.pending.push(Pending::EndOf(name));
        self.active.push(name);
        for token in known.body.iter().rev() {
            let param = match token.tok {
                Tok::Name(name) => params.iter().position(|&param| param == name),
                _ => None,
            };
            let used = Token {
                start: at.start,
                end: at.end,
                first: false,
                ..*token
            };
            match param {
                Some(param) => {
                    let inner = args[param].iter().rev();
                    self.pending
                        .extend(inner.map(|&token| Pending::Token(token)));
                    self.n_expanded += args[param].len();
                }
                None => self.pending.push(Pending::Token(used)),
            }
        }
        self.n_expanded += known.body.len() + 1;
        if self.n_expanded > MAX_TOKENS || self.active.len() > 200 {
            let finding = Diagnostic::error("too-large", "macros expand to too many tokens");
            return Err(Box::new(finding.at(self.span(at))));
        }
        Ok(())
    }

    /// The arguments of a macro; none if no parenthesis follows.
    fn arguments(&mut self, n_params: usize, at: Token) -> Pre<Option<Vec<Vec<Token>>>> {
        let open = self.next()?;
        if open.tok != Tok::P("(") {
            self.pending.push(Pending::Token(open));
            return Ok(None);
        }
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = self.next()?;
            match token.tok {
                Tok::End => return Err(self.wrong(at, "the macro's arguments do not end")),
                Tok::P(")") if depth == 0 => break,
                Tok::P(",") if depth == 0 => {
                    args.push(Vec::new());
                    continue;
                }
                Tok::P("(") => depth += 1,
                Tok::P(")") => depth -= 1,
                _ => {}
            }
            let last = args.last_mut().expect("there is an argument");
            last.push(Token {
                first: false,
                ..token
            });
        }
        if n_params == 0 && args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        if args.len() != n_params {
            let message = format!("the macro takes {n_params} arguments, not {}", args.len());
            return Err(self.wrong(at, &message));
        }
        Ok(Some(args))
    }

    /// The next token before macros are replaced; directives are done on the way.
    fn next(&mut self) -> Pre<Token> {
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Token(token) => return Ok(token),
                Pending::EndOf(name) => {
                    let at = self.active.iter().rposition(|&active| active == name);
                    self.active
                        .remove(at.expect("a macro that ends was opened"));
                }
            }
        }
        loop {
            let token = self.scanner.next(self.symbols);
            if token.first && token.tok == Tok::P("#") {
                self.directive(token)?;
                continue;
            }
            let live = self.conditions.iter().all(|condition| condition.0);
            if live || token.tok == Tok::End {
                return Ok(token);
            }
        }
    }

    fn directive(&mut self, hash: Token) -> Pre<()> {
        let line = self.scanner.rest_of_line().to_owned();
        let mut tokens = self.line_tokens(&line, hash);
        let live = self.conditions.iter().all(|condition| condition.0);
        let Some(&head) = tokens.first() else {
            return Ok(());
        };
        let Tok::Name(word) = head.tok else {
            // A line marker: the file is the system's own (3), or made up.
            let flags = line.rsplit('"').next().unwrap_or("");
            let is_made_up = line.contains("\"<built-in>\"");
            self.in_system = flags.split_whitespace().any(|flag| flag == "3") || is_made_up;
            return Ok(());
        };
        let word = self.symbols.text(word).to_owned();
        tokens.remove(0);
        match word.as_str() {
            "ifdef" | "ifndef" => {
                let name = tokens.first().map(|token| token.tok);
                let known =
                    matches!(name, Some(Tok::Name(name)) if self.macros.contains_key(&name));
                let truth = known == (word == "ifdef");
                self.conditions.push((truth, truth, self.span(hash)));
            }
            "if" => {
                let truth = live && self.condition(&tokens, hash)?;
                self.conditions.push((truth, truth, self.span(hash)));
            }
            "elif" | "else" => {
                let Some((_, before, span)) = self.conditions.pop() else {
                    return Err(self.wrong(hash, "there is no `#if` before"));
                };
                let outer = self.conditions.iter().all(|condition| condition.0);
                let truth =
                    !before && outer && (word == "else" || self.condition(&tokens, hash)?);
                self.conditions.push((truth, before || truth, span));
            }
            "endif" => {
                if self.conditions.pop().is_none() {
                    return Err(self.wrong(hash, "there is no `#if` before"));
                }
            }
            _ if !live => {}
            "define" | "undef" if self.in_system && self.includes == Includes::Done => {}
            "define" => self.define(&line, &tokens, hash)?,
            "undef" => {
                if let Some(Tok::Name(name)) = tokens.first().map(|token| token.tok) {
                    self.macros.remove(&name);
                }
            }
            "include" => {
                let is_own = tokens.first().map(|token| token.tok) == Some(Tok::Str);
                if is_own && self.includes == Includes::Needed {
                    return Err(self.needs_cpp(hash, "an `#include` of a file of its own"));
                }
            }
            "error" => return Err(self.wrong(hash, "the program has an `#error` here")),
            "pragma" | "line" | "ident" | "warning" => {}
            _ => return Err(self.needs_cpp(hash, &format!("the directive `#{word}`"))),
        }
        Ok(())
    }

    fn line_tokens(&mut self, line: &str, hash: Token) -> Vec<Token> {
        let mut scanner = Scanner::new(line, hash.end as usize);
        let mut tokens = Vec::new();
        loop {
            let token = scanner.next(self.symbols);
            if token.tok == Tok::End {
                // Comments of several lines were seen before.
                let last = self.scanner.annotations.last().map_or(0, |last| last.start);
                let new = scanner.annotations.into_iter();
                let new = new.filter(|found| found.start > last);
                self.scanner.annotations.extend(new);
                self.scanner.mistakes.extend(scanner.mistakes);
                return tokens;
            }
            tokens.push(token);
        }
    }

    fn define(&mut self, line: &str, tokens: &[Token], hash: Token) -> Pre<()> {
        let Some((head, rest)) = tokens.split_first() else {
            return Err(self.wrong(hash, "a macro needs a name"));
        };
        let Tok::Name(name) = head.tok else {
            return Err(self.wrong(hash, "a macro needs a name"));
        };
        let after = (head.end - hash.end) as usize;
        let mut body = rest.to_vec();
        let mut params = None;
        if line.as_bytes().get(after) == Some(&b'(') {
            let close = rest.iter().position(|token| token.tok == Tok::P(")"));
            let Some(close) = close else {
                return Err(self.wrong(hash, "the macro's parameters do not end"));
            };
            let mut names = Vec::new();
            for token in &rest[1..close] {
                match token.tok {
                    Tok::Name(name) => names.push(name),
                    Tok::P(",") => {}
                    _ => return Err(self.needs_cpp(*token, "a macro with such parameters")),
                }
            }
            params = Some(names);
            body = rest[close + 1..].to_vec();
        }
        let foreign = body
            .iter()
            .any(|token| matches!(token.tok, Tok::P("#" | "##")));
        self.macros.insert(
            name,
            Macro {
                params,
                body,
                foreign,
            },
        );
        self.order.retain(|&known| known != name);
        self.order.push(name);
        Ok(())
    }

    /// The truth of an `#if`: numbers, `defined`, macros that are numbers, `!`, and comparisons of these.
    fn condition(&mut self, tokens: &[Token], hash: Token) -> Pre<bool> {
        let mut values: Vec<Tok> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at];
            at += 1;
            let Tok::Name(name) = token.tok else {
                values.push(token.tok);
                continue;
            };
            let truth = |truth: bool| Tok::Char(i64::from(truth));
            if self.symbols.text(name) == "defined" {
                let rest: Vec<Tok> = tokens[at..].iter().take(3).map(|t| t.tok).collect();
                let (asked, len) = match rest[..] {
                    [Tok::P("("), Tok::Name(asked), Tok::P(")")] => (asked, 3),
                    [Tok::Name(asked), ..] => (asked, 1),
                    _ => return Err(self.needs_cpp(hash, "such a condition")),
                };
                values.push(truth(self.macros.contains_key(&asked)));
                at += len;
                continue;
            }
            match self.macros.get(&name).map(|known| &known.body[..]) {
                None => values.push(truth(false)),
                Some(&[value]) if !matches!(value.tok, Tok::Name(_)) => values.push(value.tok),
                Some(_) => return Err(self.needs_cpp(hash, "such a condition")),
            }
        }
        let parts = values.split(|&tok| tok == Tok::P("&&"));
        let mut all = true;
        for part in parts {
            match simple_condition(part) {
                Some(truth) => all &= truth,
                None => return Err(self.needs_cpp(hash, "such a condition")),
            }
        }
        Ok(all)
    }

    fn needs_cpp(&self, at: Token, what: &str) -> Box<Diagnostic> {
        let message = format!("the program needs the C preprocessor: {what}");
        let hint = "run `cc -E` on it and check the output";
        let finding = Diagnostic::error(NEEDS_CPP, message).at(self.span(at));
        Box::new(finding.hint(hint))
    }

    fn wrong(&self, at: Token, message: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error("syntax", message).at(self.span(at)))
    }

    fn span(&self, token: Token) -> Span {
        Span::new(self.source, token.start as usize, token.end as usize)
    }
}

fn simple_condition(tokens: &[Tok]) -> Option<bool> {
    let number = |tok: Tok| match tok {
        Tok::Int(lit) => i64::try_from(lit.value).ok(),
        Tok::Char(value) => Some(value),
        _ => None,
    };
    match *tokens {
        [value] => Some(number(value)? != 0),
        [Tok::P("!"), value] => Some(number(value)? == 0),
        [left, Tok::P(op), right] => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                "==" => Some(left == right),
                "!=" => Some(left != right),
                "<" => Some(left < right),
                "<=" => Some(left <= right),
                ">" => Some(left > right),
                ">=" => Some(left >= right),
                _ => None,
            }
        }
        _ => None,
    }
}
