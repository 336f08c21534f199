//! Structured Text of IEC 61131-3 (`.st`): programs of programmable logic controllers.
//!
//! Text becomes a tree (`lex`, `parse`, `parse_body`, `ast`), declarations a row of elementary values (`declare`), and the
//! programs a system whose rounds are scans (`lower`, `graph`; statements in `body`, calls in `call`, variables in `place`,
//! expressions in `expression` and `value`). The standard blocks are text of the language itself (`blocks`). `atom` reads
//! expressions of formulas. What is read and what it means is described in `docs/st.md`.

mod ast;
mod atom;
mod blocks;
mod body;
mod call;
mod declare;
mod expression;
mod graph;
mod lex;
mod lower;
mod parse;
mod parse_body;
mod place;
mod value;

pub use atom::parse_input;
pub(crate) use atom::{Names, parse_atom};

use crate::{IntMode, Parsed, annotation, file_stem};
use ast::{Pos, PouKind, Unit};
use lariat_base::{Diagnostic, SourceFile, SourceId, Span};
use lariat_system::{Context, Property, PropertyBody};

/// How programs are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// How integers are read.
    pub ints: IntMode,
    /// The shortest and the longest cycle, in milliseconds.
    pub cycle: (i128, i128),
    /// Whether scans that never end are runs.
    pub hangs: bool,
}

/// The cycle time, if nothing is said.
pub const DEFAULT_CYCLE: (i128, i128) = (10, 10);

impl Default for Reading {
    fn default() -> Self {
        Self {
            ints: IntMode::default(),
            cycle: DEFAULT_CYCLE,
            hangs: false,
        }
    }
}

/// Reads a time such as `T#10ms` or `10ms`, or two of them with `..` between: a cycle time.
pub fn cycle_time(text: &str) -> Option<(i128, i128)> {
    let time = |text: &str| -> Option<i128> {
        let text = text.trim();
        let text = match text.split_once('#') {
            Some((kind, rest)) if kind.eq_ignore_ascii_case("t") => rest,
            Some(_) => return None,
            None => text,
        };
        let value: i128 = parse_body::time(text)?.to_string().parse().ok()?;
        (0..=i128::from(i32::MAX)).contains(&value).then_some(value)
    };
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (time(from)?, time(to)?);
            (from <= to).then_some((from, to))
        }
        None => time(text).map(|time| (time, time)),
    }
}

/// Reads a file.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
    reading: &Reading,
) -> Result<Parsed, Vec<Diagnostic>> {
    let text = &file.text;
    let lexed = lex::lex(text);
    let span = |pos: Pos| Span::new(source, pos.start as usize, pos.end as usize);
    let mut findings: Vec<Diagnostic> = lexed
        .findings
        .iter()
        .map(|&(message, pos)| lex::finding(message, span(pos)))
        .collect();
    let mut parser = parse::Parser::new(text, &lexed, source, 0);
    let mut unit = parser.unit();
    findings.append(&mut parser.findings);
    let properties = properties(text, &lexed.annotations, span, &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    let own = unit.pous.len();
    add_standard(&mut unit, source);
    let programs = || unit.pous.iter().filter(|pou| pou.kind == PouKind::Program);
    let Some(first) = programs().next() else {
        let finding = Diagnostic::error("missing-program", "there is no `PROGRAM`");
        return Err(vec![finding]);
    };
    let name = if programs().count() == 1 {
        first.name.text.clone()
    } else {
        file_stem(file)
    };
    let mut lower = lower::Lower::new(cx, &unit, own, source, reading);
    let programs = lower.declare();
    if !lower.findings.is_empty() {
        return Err(lower.findings);
    }
    let mut model = lower.system(name, &programs);
    if !lower.findings.is_empty() {
        return Err(lower.findings);
    }
    for property in properties {
        model.property(property);
    }
    let warnings: Vec<Diagnostic> = lower
        .reals
        .map(|pos| real_warning(span(pos)))
        .into_iter()
        .collect();
    let system = lower.finish(model);
    Ok(Parsed {
        system,
        warnings,
        obligations: Vec::new(),
    })
}

fn real_warning(span: Span) -> Diagnostic {
    let message = "numbers with fractions are exact here, without the rounding of a controller";
    Diagnostic::warning("exact-reals", message).at(span)
}

/// The standard blocks that the file does not define itself.
fn add_standard(unit: &mut Unit, source: SourceId) {
    let lexed = lex::lex(blocks::TEXT);
    let mut parser = parse::Parser::new(blocks::TEXT, &lexed, source, 0);
    let standard = parser.unit();
    assert!(
        parser.findings.is_empty(),
        "the standard blocks can be read"
    );
    for pou in standard.pous {
        if !unit.pous.iter().any(|own| own.name.key == pou.name.key) {
            unit.pous.push(pou);
        }
    }
}

/// The properties in comments.
fn properties(
    text: &str,
    annotations: &[Pos],
    span: impl Fn(Pos) -> Span,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let mut all: Vec<Property> = Vec::new();
    for &pos in annotations {
        let inside = &text[pos.start as usize..pos.end as usize];
        match annotation::property(inside) {
            Ok((name, formula)) => {
                if all.iter().any(|other| *other.name == *name) {
                    let message = format!("there is another property `{name}`");
                    findings.push(Diagnostic::error("duplicate-name", message).at(span(pos)));
                }
                // A line break in a comment is a blank in the formula, at the same place.
                let formula: String = formula
                    .chars()
                    .map(|c| {
                        if c.is_whitespace() && c.len_utf8() == 1 {
                            ' '
                        } else {
                            c
                        }
                    })
                    .collect();
                all.push(Property {
                    name: name.into(),
                    alias: None,
                    body: PropertyBody::Ltl(formula.into()),
                    span: Some(span(pos)),
                });
            }
            Err(why) => findings.push(annotation::mistake(why, span(pos))),
        }
    }
    all
}
