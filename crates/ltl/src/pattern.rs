//! Requirements for people who know no temporal logic: `absence of X between A and B`.
//!
//! The patterns and scopes are those of the catalogue of Dwyer, Avrunin and Corbett. A scope cuts *segments* out of a run: all of
//! it, up to the first R, from the first Q on, or from each state with Q and without R to the next R. A segment has its first
//! state and not its last. Of a segment the pattern says something. The formulas are made from that definition, the
//! part of a segment that ends at R with `U` or `W`.

use lariat_base::{Diagnostic, nearest};

/// What is said of a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Body {
    Absence(String),
    Universality(String),
    Existence(String),
    /// At most so many times: stretches of states count, not states.
    Bounded(String, u32),
    /// Every first is followed by a second, or is one.
    Response(String, String),
    /// No second before the first first.
    Precedence(String, String),
}

/// Which segments.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Scope {
    Globally,
    Before(String),
    After(String),
    Between(String, String),
    AfterUntil(String, String),
}

/// How patterns are written, for messages and pages.
pub const PATTERNS: [&str; 6] = [
    "absence of P",
    "universality of P",
    "existence of P",
    "existence of P at most N times",
    "response of S to P",
    "precedence of S before P",
];

/// How scopes are written; they stand behind the pattern.
pub const SCOPES: [&str; 5] = [
    "globally",
    "before R",
    "after Q",
    "between Q and R",
    "after Q until R",
];

/// How often something may happen at most in a pattern.
const MAX_TIMES: u32 = 20;

/// The formula that a pattern means.
pub fn pattern_formula(text: &str) -> Result<String, Diagnostic> {
    let words = Words::new(text);
    let (body, scope) = words.read()?;
    Ok(formula(&body, &scope))
}

/// What may end a segment.
#[derive(Clone, Copy)]
enum End<'a> {
    /// Nothing.
    Never,
    /// This, which comes.
    Comes(&'a str),
    /// This, if it comes.
    May(&'a str),
}

fn formula(body: &Body, scope: &Scope) -> String {
    match scope {
        Scope::Globally => segment(body, End::Never),
        Scope::Before(r) => format!("(F {r}) -> ({})", segment(body, End::Comes(r))),
        Scope::After(q) => format!("!{q} W ({q} && ({}))", segment(body, End::Never)),
        Scope::Between(q, r) => {
            let inside = segment(body, End::Comes(r));
            format!("G (({q} && !{r} && F {r}) -> ({inside}))")
        }
        Scope::AfterUntil(q, r) => format!("G (({q} && !{r}) -> ({}))", segment(body, End::May(r))),
    }
}

/// What a body says of a segment that starts here.
fn segment(body: &Body, end: End<'_>) -> String {
    let (until, r) = match end {
        End::Never => return whole(body),
        End::Comes(r) => ("U", r),
        End::May(r) => ("W", r),
    };
    match body {
        Body::Absence(p) => format!("!{p} {until} {r}"),
        Body::Universality(p) => format!("{p} {until} {r}"),
        Body::Existence(p) => format!("!{r} U ({p} && !{r})"),
        Body::Response(s, p) => format!("({p} -> (!{r} U ({s} && !{r}))) {until} {r}"),
        Body::Precedence(s, p) => format!("!{p} {until} ({s} || {r})"),
        Body::Bounded(p, times) => (0..*times).fold(format!("!{p} {until} {r}"), |rest, _| {
            format!("(!{p} && !{r}) {until} ({r} || (({p} && !{r}) {until} ({r} || ({rest}))))")
        }),
    }
}

/// What a body says of all that comes.
fn whole(body: &Body) -> String {
    match body {
        Body::Absence(p) => format!("G !{p}"),
        Body::Universality(p) => format!("G {p}"),
        Body::Existence(p) => format!("F {p}"),
        Body::Response(s, p) => format!("G ({p} -> F {s})"),
        Body::Precedence(s, p) => format!("!{p} W {s}"),
        Body::Bounded(p, times) => (0..*times).fold(format!("G !{p}"), |rest, _| {
            format!("!{p} W ({p} W ({rest}))")
        }),
    }
}

/// The words of a pattern that stand outside of brackets and quotes, with the text between them.
struct Words<'a> {
    text: &'a str,
    /// Where each word starts and ends.
    words: Vec<(usize, usize)>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let (mut words, mut start) = (Vec::new(), None);
        let (mut depth, mut quoted) = (0usize, false);
        for (i, c) in text.char_indices() {
            let is_outside = depth == 0 && !quoted;
            if is_outside && (c.is_alphanumeric() || c == '_') {
                start.get_or_insert(i);
            } else if let Some(start) = start.take() {
                words.push((start, i));
            }
            match c {
                '"' => quoted = !quoted,
                '(' | '[' if !quoted => depth += 1,
                ')' | ']' if !quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        words.extend(start.map(|start| (start, text.len())));
        Self { text, words }
    }

    fn word(&self, at: usize) -> String {
        let (start, end) = self.words[at];
        self.text[start..end].to_ascii_lowercase()
    }

    /// The positions of a word.
    fn all(&self, word: &str, from: usize, to: usize) -> Vec<usize> {
        (from..to).filter(|&at| self.word(at) == word).collect()
    }

    /// The condition between two words, as an operand of a formula.
    fn condition(&self, after: usize, before: usize, what: &str) -> Result<String, Diagnostic> {
        let start = self.words[after].1;
        let end = self
            .words
            .get(before)
            .map_or(self.text.len(), |word| word.0);
        let text = self.text[start..end].trim();
        if text.is_empty() {
            return Err(wrong(format!("{what} is missing")));
        }
        let is_name = text
            .chars()
            .all(|c| c.is_alphanumeric() || "_.".contains(c));
        let has_brackets = text.starts_with('(') && closes_at_end(text);
        if is_name || has_brackets {
            return Ok(text.to_owned());
        }
        Ok(format!("({text})"))
    }

    fn read(&self) -> Result<(Body, Scope), Diagnostic> {
        if self.words.is_empty() {
            return Err(wrong("this pattern is empty".to_owned()));
        }
        let (scope, end) = self.scope()?;
        Ok((self.body(end)?, scope))
    }

    /// The scope, and where it starts.
    fn scope(&self) -> Result<(Scope, usize), Diagnostic> {
        let n = self.words.len();
        if self.word(n - 1) == "globally" {
            return Ok((Scope::Globally, n - 1));
        }
        let starts: Vec<usize> = (1..n)
            .filter(|&at| matches!(&*self.word(at), "before" | "after" | "between"))
            .collect();
        // `precedence of S before P` has the word itself.
        let is_precedence = self.word(0) == "precedence";
        let skip = usize::from(
            is_precedence && starts.first().is_some_and(|&at| self.word(at) == "before"),
        );
        let Some(&start) = starts.get(skip) else {
            return Ok((Scope::Globally, n));
        };
        if starts.len() > skip + 1 {
            let word = self.word(starts[skip + 1]);
            return Err(ambiguous(&word));
        }
        let one = |word: &str| match self.all(word, start + 1, n)[..] {
            [] => Ok(None),
            [at] => Ok(Some(at)),
            _ => Err(ambiguous(word)),
        };
        let scope = match &*self.word(start) {
            "before" => Scope::Before(self.condition(start, n, "what ends the scope")?),
            "between" => {
                let Some(and) = one("and")? else {
                    return Err(wrong("`between Q and R` needs its `and`".to_owned()));
                };
                Scope::Between(
                    self.condition(start, and, "what starts the scope")?,
                    self.condition(and, n, "what ends the scope")?,
                )
            }
            _ => match one("until")? {
                Some(until) => Scope::AfterUntil(
                    self.condition(start, until, "what starts the scope")?,
                    self.condition(until, n, "what ends the scope")?,
                ),
                None => Scope::After(self.condition(start, n, "what starts the scope")?),
            },
        };
        Ok((scope, start))
    }

    /// The pattern, up to a word.
    fn body(&self, end: usize) -> Result<Body, Diagnostic> {
        let name = self.word(0);
        let has_of = end > 1 && self.word(1) == "of";
        let known = [
            "absence",
            "universality",
            "existence",
            "response",
            "precedence",
        ];
        if !known.contains(&&*name) {
            let message = format!("there is no pattern `{name}`");
            let near = nearest(&name, known);
            let finding = wrong(message);
            return Err(finding.maybe_hint(near.map(|near| format!("did you mean `{near}`?"))));
        }
        if !has_of {
            return Err(wrong(format!("`{name}` needs `of` behind it")));
        }
        let what = "what the pattern is about";
        match &*name {
            "absence" => Ok(Body::Absence(self.condition(1, end, what)?)),
            "universality" => Ok(Body::Universality(self.condition(1, end, what)?)),
            "existence" => self.existence(end),
            _ => {
                let link = if name == "response" { "to" } else { "before" };
                let [at] = self.all(link, 2, end)[..] else {
                    return Err(wrong(format!("`{name} of S {link} P` needs one `{link}`")));
                };
                let first = self.condition(1, at, what)?;
                let second = self.condition(at, end, what)?;
                Ok(if name == "response" {
                    Body::Response(first, second)
                } else {
                    Body::Precedence(first, second)
                })
            }
        }
    }

    /// `existence of P`, perhaps `at most N times`.
    fn existence(&self, end: usize) -> Result<Body, Diagnostic> {
        let what = "what the pattern is about";
        let is_bounded = end >= 6
            && self.word(end - 4) == "at"
            && self.word(end - 3) == "most"
            && matches!(&*self.word(end - 1), "times" | "time");
        if !is_bounded {
            return Ok(Body::Existence(self.condition(1, end, what)?));
        }
        let number = self.word(end - 2).parse::<u32>().ok();
        let Some(times) = number.filter(|&n| (1..=MAX_TIMES).contains(&n)) else {
            let message = format!("`at most N times` needs a number from 1 to {MAX_TIMES}");
            return Err(wrong(message));
        };
        let p = self.condition(1, end - 4, what)?;
        Ok(Body::Bounded(p, times))
    }
}

/// Whether the bracket that a text starts with is closed by its last character.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return i + 1 == text.len();
        }
    }
    false
}

fn ambiguous(word: &str) -> Diagnostic {
    let message = format!("`{word}` stands here more than once");
    wrong(message).hint("put conditions with such words into brackets: `between (a and b) and c`")
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error("bad-pattern", message)
        .hint(format!("patterns are `{}`", PATTERNS.join("`, `")))
        .hint(format!("scopes are `{}`", SCOPES.join("`, `")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read() {
        let cases = [
            ("absence of x", "G !x"),
            ("Absence of x > 3 globally", "G !(x > 3)"),
            (
                "absence of x between a and b",
                "G ((a && !b && F b) -> (!x U b))",
            ),
            ("response of s to p", "G (p -> F s)"),
            ("precedence of s before p", "!p W s"),
            (
                "precedence of s before p before r",
                "(F r) -> (!p U (s || r))",
            ),
            ("existence of p after q", "!q W (q && (F p))"),
            ("existence of p at most 1 times", "!p W (p W (G !p))"),
            (
                "universality of (a and b) between (q and r) and t",
                "G (((q and r) && !t && F t) -> ((a and b) U t))",
            ),
            ("absence of x after q until r", "G ((q && !r) -> (!x W r))"),
        ];
        for (text, expected) in cases {
            assert_eq!(pattern_formula(text).expect(text), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("", "this pattern is empty"),
            ("abscence of x", "there is no pattern `abscence`"),
            ("absence x", "`absence` needs `of` behind it"),
            ("absence of", "what the pattern is about is missing"),
            (
                "absence of x between a",
                "`between Q and R` needs its `and`",
            ),
            (
                "absence of x between a and b and c",
                "`and` stands here more than once",
            ),
            ("response of x", "`response of S to P` needs one `to`"),
            (
                "existence of x at most 99 times",
                "`at most N times` needs a number from 1 to 20",
            ),
            (
                "absence of x after q before r",
                "`before` stands here more than once",
            ),
            ("absence of x before", "what ends the scope is missing"),
        ];
        for (text, expected) in cases {
            let finding = pattern_formula(text).expect_err(text);
            assert_eq!(finding.message, expected, "{text}");
        }
    }
}
