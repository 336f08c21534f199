//! Temporal properties in comments, for all languages: `//@ ltl NAME: FORMULA`, or `//@ pattern NAME: WORDS` for a requirement in words.
//!
//! A model file of another tool has no place for temporal formulas; a comment is read by nobody else. So that a mistyped
//! property is not lost in silence, every comment that starts with `//@` must be one. C programs have their own scanner
//! and share [`property`]; there the word `invariant` after `ltl`, as other tools for C have it, means nothing.

use crate::Parsed;
use crate::lexer::is_plain_name;
use lariat_base::{Diagnostic, SourceId, Span};
use lariat_system::{Property, PropertyBody};
use std::borrow::Cow;

/// How a property is written.
pub(crate) const HINT: &str = "a property is `//@ ltl NAME: FORMULA` or `//@ pattern NAME: absence of P`; another comment must not start with `//@`";

/// Adds the properties in the comments of a text to the model that was read from it.
pub(crate) fn add(
    source: SourceId,
    text: &str,
    parsed: Result<Parsed, Vec<Diagnostic>>,
) -> Result<Parsed, Vec<Diagnostic>> {
    let (mut properties, mut mistakes) = (Vec::new(), Vec::new());
    for (start, end) in comments(text) {
        let span = Span::new(source, start, end);
        match property(&text[start + "//@".len()..end]) {
            Ok((name, formula)) => properties.push(Property {
                name: name.into(),
                alias: None,
                body: PropertyBody::Ltl(formula.into()),
                span: Some(span),
            }),
            Err(why) => mistakes.push(mistake(why, span)),
        }
    }
    match parsed {
        Ok(mut parsed) if mistakes.is_empty() => {
            let all = &mut parsed.system.properties;
            for property in properties {
                let name = &property.name;
                if all.iter().any(|other| other.name == *name) {
                    let message = format!("there is another property `{name}`");
                    let finding = Diagnostic::error("duplicate-name", message);
                    return Err(vec![finding.at(property.span.expect("it has a place"))]);
                }
                all.push(property);
            }
            Ok(parsed)
        }
        Ok(_) => Err(mistakes),
        Err(mut findings) => {
            findings.extend(mistakes);
            Err(findings)
        }
    }
}

/// The finding that a comment is no property.
pub(crate) fn mistake(why: &str, span: Span) -> Diagnostic {
    Diagnostic::error("not-a-property", why).at(span).hint(HINT)
}

/// A property as a comment.
pub(crate) fn print(name: &str, formula: &str) -> String {
    format!("//@ ltl {name}: {formula}\n")
}

/// How many properties of a language that has temporal ones itself can be printed as these. Those in comments come after
/// all others; one that would not read back is printed as a comment again, and so are all that follow it.
pub(crate) fn n_own(all: &[Property], reads_back: impl Fn(&str) -> bool) -> usize {
    let is_temporal = |property: &&Property| matches!(property.body, PropertyBody::Ltl(_));
    let n_temporal = all.iter().rev().take_while(is_temporal).count();
    let candidates = all.len() - n_temporal;
    let fits = |property: &Property| match &property.body {
        PropertyBody::Ltl(formula) => is_plain_name(&property.name) && reads_back(formula),
        _ => true,
    };
    let misfit = all[candidates..].iter().position(|p| !fits(p));
    misfit.map_or(all.len(), |at| candidates + at)
}

/// Name and formula of `ltl NAME: φ` or `pattern NAME: WORDS`, with or without a `;` at its end, or what is wrong with it. A
/// requirement in words stands for a formula as `pattern WORDS`.
pub(crate) fn property(text: &str) -> Result<(&str, Cow<'_, str>), &'static str> {
    let unknown = "this comment starts like a property and is none";
    let text = text.trim_start();
    let (body, in_words) = match text.strip_prefix("pattern") {
        Some(body) => (body, true),
        None => (text.strip_prefix("ltl").ok_or(unknown)?, false),
    };
    if !body.starts_with(char::is_whitespace) {
        return Err(unknown);
    }
    let nameless = "this property has no name";
    let (name, formula) = body.split_once(':').ok_or(nameless)?;
    let name = name.trim();
    let name = match name.strip_prefix("invariant") {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => name,
    };
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut words = name.split_whitespace();
    if words.clone().count() > 1 && words.all(|word| word.chars().all(is_part)) {
        // Another word than `invariant` before the name.
        return Err(unknown);
    }
    if name.is_empty() || !name.chars().all(is_part) || formula.starts_with(':') {
        return Err(nameless);
    }
    let (formula, rest) = formula.split_once(';').unwrap_or((formula, ""));
    if !rest.trim().is_empty() {
        return Err("there is text behind the `;` of this property");
    }
    let formula = formula.trim();
    if formula.is_empty() {
        return Err("this property has no formula");
    }
    let formula = if in_words {
        Cow::Owned(format!("pattern {formula}"))
    } else {
        Cow::Borrowed(formula)
    };
    Ok((name, formula))
}

/// Where the comments are that start with `//@`.
fn comments(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let end_of = |from: usize, ends: &dyn Fn(&[u8]) -> bool| {
        let mut all = from..bytes.len();
        all.find(|&at| ends(&bytes[at..])).unwrap_or(bytes.len())
    };
    while at < bytes.len() {
        at = match &bytes[at..] {
            [b'/', b'/', rest @ ..] => {
                let end = end_of(at, &|rest| matches!(rest[0], b'\n' | b'\r'));
                if rest.first() == Some(&b'@') {
                    found.push((at, end));
                }
                end
            }
            [b'/', b'*', ..] => end_of(at + 2, &|rest| rest.starts_with(b"*/")) + 2,
            // A quoted text ends on its line.
            [b'"', ..] => end_of(at + 1, &|rest| matches!(rest[0], b'"' | b'\n')) + 1,
            _ => at + 1,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_have_a_name_and_a_formula() {
        let cases = [
            (" ltl safe: G x = 0", Ok(("safe", "G x = 0"))),
            (
                "ltl invariant a-1: G f::x = 0 ; ",
                Ok(("a-1", "G f::x = 0")),
            ),
            (" ltl invariant: G p", Ok(("invariant", "G p"))),
            (
                " ltlsafe: G p",
                Err("this comment starts like a property and is none"),
            ),
            (
                " LTL safe: G p",
                Err("this comment starts like a property and is none"),
            ),
            (
                " ltl invarient safe: G p",
                Err("this comment starts like a property and is none"),
            ),
            (" ltl G p", Err("this property has no name")),
            (" ltl f::x", Err("this property has no name")),
            (" ltl a: ;", Err("this property has no formula")),
            (
                " ltl a: G p; G q",
                Err("there is text behind the `;` of this property"),
            ),
        ];
        for (text, expected) in cases {
            let found = property(text);
            let found = found.as_ref().map(|(name, formula)| (*name, &**formula));
            assert_eq!(found.map_err(|why| *why), expected, "{text}");
        }
    }

    #[test]
    fn comments_are_found_where_they_are() {
        let text = "//@ one\nx /* //@ no */ \"//@ no\" //@two\r\n// //@ no\n\" //@ no \n//@";
        let found = comments(text).into_iter();
        let found: Vec<&str> = found.map(|(start, end)| &text[start..end]).collect();
        assert_eq!(found, ["//@ one", "//@two", "//@"]);
        assert!(comments("/* //@").is_empty() && comments("\"").is_empty());
    }
}
