//! What the command line asks, or the model itself.

use super::args::{FairnessArgs, PropertyArgs};
use crate::load::{Overflow, read};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceId};
use lariat_ltl::{Acceptance, Syntax};
use lariat_system::Fairness;
use lariat_verify::{Asked, Asker, Findings, Model, asks_for_overflow};
use std::path::PathBuf;

/// The properties that are asked for, or those of the model.
pub fn questions(
    session: &mut Session,
    model: &Model,
    args: &PropertyArgs,
    acceptance: Acceptance,
) -> Result<Vec<Asked>, Failure> {
    let PropertyArgs {
        ltl,
        pattern,
        ltl_file,
        invariant,
        property,
        prop,
        automaton,
        termination,
        syntax,
    } = args;
    let has_formulas = !ltl.is_empty() || !ltl_file.is_empty() || !property.is_empty();
    if syntax.is_some() && !has_formulas {
        let message = "`--syntax` has no effect without a temporal formula";
        return Err(Diagnostic::error("useless-option", message).into());
    }
    let mut file = |path: &PathBuf| -> Result<SourceId, Findings> {
        Ok(session.sources.add(path.display().to_string(), read(path)?))
    };
    let lists = ltl_file
        .iter()
        .map(&mut file)
        .collect::<Result<Vec<_>, _>>()?;
    let prop = prop.as_ref().map(&mut file).transpose()?;
    let automaton = automaton.as_ref().map(&mut file).transpose()?;
    let mut asker = Asker::new(&mut session.cx, &mut session.sources, model);
    asker.syntax = syntax.map_or(asker.syntax, Syntax::from);
    asker.acceptance = acceptance;
    let mut asked = AllAsked::default();
    for text in ltl {
        asked.add(asker.ltl(text).map(one));
    }
    for text in pattern {
        asked.add(asker.pattern(text).map(one));
    }
    for list in lists {
        asked.add(asker.ltl_file(list));
    }
    for text in invariant {
        asked.add(asker.invariant(text).map(one));
    }
    for name in property {
        asked.add(asker.own(Some(name)));
    }
    if let Some(file) = prop {
        asked.add(asker.property_file(file));
    }
    if let Some(file) = automaton {
        asked.add(asker.automaton(file).map(one));
    }
    if *termination {
        asked.add(asker.termination().map(one));
    }
    if asked.is_empty() {
        asked.add(asker.own(None));
    }
    let warnings = asker.warnings;
    session.report(&warnings);
    if asked.findings.is_empty() {
        Ok(asked.questions)
    } else {
        Err(asked.findings.into())
    }
}

/// Lets only the runs of the model count that the command line says to be fair.
pub fn assume_fair(
    session: &mut Session,
    model: &mut Model,
    args: &FairnessArgs,
) -> Result<(), Failure> {
    let mut asker = Asker::new(&mut session.cx, &mut session.sources, model);
    let (mut constraints, mut findings): (Vec<Fairness>, Findings) = (Vec::new(), Vec::new());
    let fair: Vec<_> = args.fair.iter().map(|text| asker.fair(text)).collect();
    let strong = args.strong_fair.iter();
    let strong: Vec<_> = strong.map(|text| asker.strong_fair(text)).collect();
    for constraint in fair.into_iter().chain(strong) {
        match constraint {
            Ok(constraint) => constraints.push(constraint),
            Err(more) => findings.extend(more),
        }
    }
    if !findings.is_empty() {
        return Err(findings.into());
    }
    model.assume_fair(&mut session.cx, constraints);
    Ok(())
}

fn one(question: Asked) -> Vec<Asked> {
    vec![question]
}

/// The questions that could be read, and what is wrong with the others.
#[derive(Default)]
struct AllAsked {
    questions: Vec<Asked>,
    findings: Findings,
}

impl AllAsked {
    fn add(&mut self, more: Result<Vec<Asked>, Findings>) {
        match more {
            Ok(more) => self.questions.extend(more),
            Err(findings) => self.findings.extend(findings),
        }
    }

    /// Whether nothing was asked.
    fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.findings.is_empty()
    }
}

/// Whether a property file asks for signed overflow: the model is made for that question then.
pub fn overflow(args: &PropertyArgs) -> Overflow {
    let text = args.prop.as_ref().and_then(|path| read(path).ok());
    if text.is_some_and(|text| asks_for_overflow(&text)) {
        Overflow::Watch
    } else {
        Overflow::Ignore
    }
}
