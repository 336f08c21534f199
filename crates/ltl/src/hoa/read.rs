//! Reads a stream of HOA automata.
//!
//! An error inside one automaton is reported and the reader goes on after its end, so that one bad
//! automaton does not hide the others. An automaton with an error is never returned.

use lariat_base::{Diagnostic, Diagnostics, SourceId, Span, nearest};

use super::body::check_state;
use super::expression::{AccAtom, Expression, Item, LabelAtom};
use super::lex::{Tok, Token, lex};
use super::{AcceptanceCondition, HoaAutomaton, Label};

/// The automata of a text and what is to be said about it.
#[derive(Clone, Debug)]
pub struct HoaStream {
    /// Every automaton that was read whole, in order.
    pub automata: Vec<HoaAutomaton>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads every automaton of `text`.
pub fn read_hoa(source: SourceId, text: &str) -> HoaStream {
    let (tokens, bad_token) = lex(source, text);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        end: Span::new(source, text.len(), text.len()),
        diagnostics: Diagnostics::new(),
    };
    let mut automata = Vec::new();
    while reader.at < tokens.len() && !reader.diagnostics.is_full() {
        match reader.automaton() {
            Ok(Some(automaton)) => automata.push(automaton),
            Ok(None) => {}
            // What follows a character that is no token was not read: report that character alone.
            Err(_) if bad_token.is_some() && reader.at >= tokens.len() => {}
            Err(error) => {
                reader.diagnostics.push(*error);
                reader.skip_to_end();
            }
        }
    }
    if let Some(diagnostic) = bad_token {
        reader.diagnostics.push(diagnostic);
    } else if tokens.is_empty() {
        let message = "there is no automaton in this text";
        let place = Span::new(source, 0, text.len());
        let diagnostic = Diagnostic::error("hoa-syntax", message).at(place);
        reader.diagnostics.push(diagnostic);
    }
    HoaStream {
        automata,
        diagnostics: reader.diagnostics.into_vec(),
    }
}

pub(super) type Read<T> = Result<T, Box<Diagnostic>>;

/// The headers of the format that begin with a capital letter: unknown ones may change the meaning.
const HEADERS: [&str; 6] = ["HOA", "States", "Start", "AP", "Alias", "Acceptance"];

pub(super) struct Reader<'a> {
    tokens: &'a [Token],
    pub(super) at: usize,
    end: Span,
    diagnostics: Diagnostics,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<&Tok> {
        self.tokens.get(self.at).map(|token| &token.tok)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |t| t.span)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error("hoa-syntax", message).at(self.span()))
    }

    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Tok::Sign(sign));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_sign(&mut self, sign: char) -> Read<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.error(format!("expected `{sign}`")))
        }
    }

    pub(super) fn take_number(&mut self) -> Option<u32> {
        let Some(&Tok::Number(number)) = self.peek() else {
            return None;
        };
        self.at += 1;
        Some(number)
    }

    pub(super) fn number(&mut self, what: &str) -> Read<u32> {
        match self.take_number() {
            Some(number) => Ok(number),
            None => Err(self.error(format!("expected {what}"))),
        }
    }

    pub(super) fn take_text(&mut self) -> Option<String> {
        let Some(Tok::Text(text)) = self.peek() else {
            return None;
        };
        let text = text.clone();
        self.at += 1;
        Some(text)
    }

    fn text(&mut self, what: &str) -> Read<String> {
        match self.take_text() {
            Some(text) => Ok(text),
            None => Err(self.error(format!("expected {what} in quotes"))),
        }
    }

    fn take_ident(&mut self) -> Option<String> {
        let Some(Tok::Ident(word)) = self.peek() else {
            return None;
        };
        let word = word.clone();
        self.at += 1;
        Some(word)
    }

    /// After an error: on to the token after the end of this automaton.
    fn skip_to_end(&mut self) {
        while let Some(tok) = self.peek() {
            let over = matches!(tok, Tok::End | Tok::Abort);
            self.at += 1;
            if over {
                return;
            }
        }
    }

    /// One automaton; `None` if it was aborted.
    fn automaton(&mut self) -> Read<Option<HoaAutomaton>> {
        if self.peek() != Some(&Tok::Header("HOA".to_owned())) {
            return Err(self.error("an automaton begins with `HOA: v1`"));
        }
        self.at += 1;
        let Some(version) = self.take_ident() else {
            return Err(self.error("expected the version of the format, such as `v1`"));
        };
        if version != "v1" && !version.starts_with("v1.") {
            self.at -= 1;
            let message = format!("version `{version}` of the format is not supported, only `v1`");
            return Err(Box::new(
                Diagnostic::error("hoa-version", message).at(self.span()),
            ));
        }
        let mut automaton = HoaAutomaton {
            version,
            name: None,
            tool: None,
            n_states: None,
            starts: Vec::new(),
            aps: Vec::new(),
            aliases: Vec::new(),
            acc_name: Vec::new(),
            n_sets: 0,
            acceptance: Expression::constant(true),
            properties: Vec::new(),
            other_headers: Vec::new(),
            states: Vec::new(),
        };
        let mut seen: Vec<String> = Vec::new();
        loop {
            match self.peek().cloned() {
                Some(Tok::Header(name)) => {
                    let once = matches!(
                        name.as_str(),
                        "HOA" | "States" | "AP" | "Acceptance" | "acc-name" | "tool" | "name"
                    );
                    if name == "HOA" || once && seen.contains(&name) {
                        return Err(self.error(format!("`{name}:` may occur only once")));
                    }
                    self.header(&name, &mut automaton)?;
                    seen.push(name);
                }
                Some(Tok::Body) => break,
                Some(Tok::Abort) => {
                    self.at += 1;
                    return Ok(None);
                }
                _ => return Err(self.error("expected a header or `--BODY--`")),
            }
        }
        if !seen.iter().any(|name| name == "Acceptance") {
            return Err(self.error("`Acceptance:` is missing"));
        }
        self.check_headers(&automaton)?;
        self.at += 1;
        if !self.body(&mut automaton)? {
            return Ok(None);
        }
        Ok(Some(automaton))
    }

    /// What can be checked only when all headers are known, as they come in any order.
    fn check_headers(&self, automaton: &HoaAutomaton) -> Read<()> {
        for &start in automaton.starts.iter().flatten() {
            check_state(automaton, start, self.span())?;
        }
        let n_aps = automaton.aps.len();
        for (name, label) in &automaton.aliases {
            for item in label.items() {
                if let Item::Atom(LabelAtom::Ap(ap)) = item
                    && *ap as usize >= n_aps
                {
                    let message =
                        format!("the alias `@{name}` uses proposition {ap}; `AP:` lists {n_aps}");
                    let place = self.span();
                    return Err(Diagnostic::error("hoa-label", message).at(place).into());
                }
            }
        }
        Ok(())
    }

    fn header(&mut self, name: &str, automaton: &mut HoaAutomaton) -> Read<()> {
        let place = self.span();
        self.at += 1;
        match name {
            "States" => automaton.n_states = Some(self.number("the number of states")?),
            "Start" => {
                let start = self.conjunction()?;
                automaton.starts.push(start);
            }
            "AP" => self.propositions(automaton)?,
            "Alias" => {
                let Some(Tok::Alias(alias)) = self.peek().cloned() else {
                    return Err(self.error("expected a name such as `@a`"));
                };
                if automaton.aliases.iter().any(|(known, _)| *known == alias) {
                    return Err(self.error(format!("the alias `@{alias}` is defined twice")));
                }
                self.at += 1;
                let label = self.label(automaton, usize::MAX)?;
                automaton.aliases.push((alias, label));
            }
            "Acceptance" => {
                automaton.n_sets = self.number("the number of acceptance sets")?;
                automaton.acceptance = self.acceptance(automaton.n_sets)?;
            }
            "acc-name" => automaton.acc_name = self.words(),
            "tool" => automaton.tool = Some((self.text("the tool's name")?, self.take_text())),
            "name" => automaton.name = Some(self.text("the automaton's name")?),
            "properties" => loop {
                let negated = self.take_sign('!');
                match self.take_ident() {
                    Some(word) if negated => automaton.properties.push(format!("!{word}")),
                    Some(word) => automaton.properties.push(word),
                    None if negated => return Err(self.error("expected a property after `!`")),
                    None => break,
                }
            },
            _ => {
                if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                    let message = format!("the header `{name}:` is unknown and may matter");
                    let near = nearest(name, HEADERS);
                    self.diagnostics.push(
                        Diagnostic::warning("hoa-header", message)
                            .at(place)
                            .maybe_hint(near.map(|n| format!("did you mean `{n}:`?"))),
                    );
                }
                let words = self.words();
                automaton.other_headers.push((name.to_owned(), words));
            }
        }
        Ok(())
    }

    fn propositions(&mut self, automaton: &mut HoaAutomaton) -> Read<()> {
        let place = self.span();
        let n = self.number("the number of propositions")?;
        while let Some(Tok::Text(name)) = self.peek() {
            if automaton.aps.contains(name) {
                return Err(self.error(format!("the proposition `{name}` is listed twice")));
            }
            automaton.aps.push(name.clone());
            self.at += 1;
        }
        if automaton.aps.len() != n as usize {
            let message = format!("{n} propositions announced, {} listed", automaton.aps.len());
            let diagnostic = Diagnostic::error("hoa-syntax", message).at(place);
            return Err(diagnostic.into());
        }
        Ok(())
    }

    /// Words, numbers and strings up to the next header, as they are written.
    fn words(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        loop {
            let word = match self.peek() {
                Some(Tok::Ident(word)) => word.clone(),
                Some(Tok::Number(number)) => number.to_string(),
                Some(Tok::Text(text)) => super::write::quote(text),
                _ => return words,
            };
            words.push(word);
            self.at += 1;
        }
    }

    pub(super) fn conjunction(&mut self) -> Read<Vec<u32>> {
        let mut states = vec![self.number("a state")?];
        while self.take_sign('&') {
            states.push(self.number("a state")?);
        }
        Ok(states)
    }

    pub(super) fn bracketed_label(&mut self, automaton: &HoaAutomaton) -> Read<Option<Label>> {
        if !self.take_sign('[') {
            return Ok(None);
        }
        let label = self.label(automaton, automaton.aps.len())?;
        self.expect_sign(']')?;
        Ok(Some(label))
    }

    /// A label over propositions below `n_aps`.
    fn label(&mut self, automaton: &HoaAutomaton, n_aps: usize) -> Read<Label> {
        self.expression(true, |reader| match reader.peek().cloned() {
            Some(Tok::Number(ap)) => {
                if ap as usize >= n_aps {
                    let message = format!("there is no proposition {ap}; `AP:` lists {n_aps}");
                    let place = reader.span();
                    return Err(Diagnostic::error("hoa-label", message).at(place).into());
                }
                reader.at += 1;
                Ok(LabelAtom::Ap(ap))
            }
            Some(Tok::Alias(name)) => {
                if !automaton.aliases.iter().any(|(known, _)| *known == name) {
                    let known = automaton.aliases.iter().map(|(known, _)| known.as_str());
                    let near = nearest(&name, known).map(|n| format!("did you mean `@{n}`?"));
                    let message = format!("the alias `@{name}` is not defined");
                    let place = reader.span();
                    let diagnostic = Diagnostic::error("hoa-label", message).at(place);
                    return Err(diagnostic.maybe_hint(near).into());
                }
                reader.at += 1;
                Ok(LabelAtom::Alias(name))
            }
            _ => Err(reader.error("expected a proposition, an alias, `t`, `f`, `!` or `(`")),
        })
    }

    fn acceptance(&mut self, n_sets: u32) -> Read<AcceptanceCondition> {
        self.expression(false, |reader| {
            let fin = match reader.peek() {
                Some(Tok::Ident(word)) if word == "Fin" => true,
                Some(Tok::Ident(word)) if word == "Inf" => false,
                _ => return Err(reader.error("expected `Inf`, `Fin`, `t`, `f` or `(`")),
            };
            reader.at += 1;
            reader.expect_sign('(')?;
            let complement = reader.take_sign('!');
            let place = reader.span();
            let set = reader.number("an acceptance set")?;
            if set >= n_sets {
                let message =
                    format!("there is no acceptance set {set}; `Acceptance:` says {n_sets}");
                return Err(Diagnostic::error("hoa-set", message).at(place).into());
            }
            reader.expect_sign(')')?;
            Ok(AccAtom {
                fin,
                complement,
                set,
            })
        })
    }

    /// A Boolean expression: `|` binds loosest, then `&`, then `!`. Two stacks, no recursion.
    fn expression<A: Clone>(
        &mut self,
        negation: bool,
        atom: impl Fn(&mut Self) -> Read<A>,
    ) -> Read<Expression<A>> {
        let mut items: Vec<Item<A>> = Vec::new();
        let mut pending: Vec<char> = Vec::new();
        let mut n_open = 0usize;
        let reduce = |items: &mut Vec<Item<A>>, pending: &mut Vec<char>, signs: &str| {
            while let Some(&top) = pending.last() {
                if !signs.contains(top) {
                    break;
                }
                pending.pop();
                items.push(match top {
                    '!' => Item::Not,
                    '&' => Item::And,
                    _ => Item::Or,
                });
            }
        };
        loop {
            let constant = match self.peek() {
                Some(Tok::Ident(word)) if word == "t" => Some(true),
                Some(Tok::Ident(word)) if word == "f" => Some(false),
                _ => None,
            };
            if let Some(value) = constant {
                self.at += 1;
                items.push(Item::Const(value));
            } else if negation && self.take_sign('!') {
                pending.push('!');
                continue;
            } else if self.take_sign('(') {
                pending.push('(');
                n_open += 1;
                continue;
            } else {
                items.push(Item::Atom(atom(self)?));
            }
            while n_open > 0 && self.take_sign(')') {
                reduce(&mut items, &mut pending, "!&|");
                pending.pop();
                n_open -= 1;
            }
            if self.take_sign('&') {
                reduce(&mut items, &mut pending, "!&");
                pending.push('&');
            } else if self.take_sign('|') {
                reduce(&mut items, &mut pending, "!&|");
                pending.push('|');
            } else {
                break;
            }
        }
        reduce(&mut items, &mut pending, "!&|");
        if pending.is_empty() {
            Ok(Expression::from_items(items))
        } else {
            Err(self.error("expected `)`"))
        }
    }
}
