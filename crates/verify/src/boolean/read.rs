//! Where the predicates of an abstraction come from: a file of them, or the classes of abstraction functions.

use super::Named;
use crate::ask::Findings;
use crate::formulas::{Listed, lines};
use crate::model::Model;
use lariat_base::{Diagnostic, SourceId, SourceMap, Span};
use lariat_check::Functions;
use lariat_frontend::{Scope, parse_expression};
use lariat_system::Context;

/// Reads a file of predicates: one a line, `NAME: CONDITION` or just the condition.
pub fn read_predicates(
    cx: &mut Context,
    sources: &SourceMap,
    model: &Model,
    source: SourceId,
) -> Result<Vec<Named>, Findings> {
    let scope = Scope::new(cx, &model.systems.iter().collect::<Vec<_>>());
    let text = sources.file(source).text.clone();
    let (mut found, mut findings) = (Vec::new(), Findings::new());
    for Listed { name, formula, at } in lines(&text) {
        let span = Span::new(source, at, at + formula.len());
        let bool_ = cx.terms.sorts.bool();
        match parse_expression(cx, &scope, span, formula, Some(bool_)) {
            Ok(term) => found.push(Named {
                name: name.to_owned(),
                term,
            }),
            Err(more) => findings.extend(more),
        }
    }
    if findings.is_empty() && found.is_empty() {
        let name = &sources.file(source).name;
        let finding = Diagnostic::error("no-formula", format!("`{name}` has no predicate"));
        findings.push(
            finding.hint("write one condition a line, `NAME: CONDITION` or just the condition"),
        );
    }
    if findings.is_empty() {
        Ok(found)
    } else {
        Err(findings)
    }
}

/// Predicates that tell the classes of abstraction functions apart.
pub fn value_predicates(cx: &mut Context, functions: &Functions) -> Result<Vec<Named>, Findings> {
    let (mut found, mut findings) = (Vec::new(), Findings::new());
    for (var, function) in functions.iter() {
        match function.predicates(&mut cx.terms, var) {
            Some(predicates) => {
                let named = predicates.into_iter();
                found.extend(named.map(|(name, term)| Named { name, term }));
            }
            None => {
                let function = function.describe_itself(&cx.terms, var);
                let message = format!("`{function}` has too many classes for truth values");
                let hint = "use intervals, `at N N …`, or a partition";
                findings.push(Diagnostic::error("bad-option", message).hint(hint));
            }
        }
    }
    if findings.is_empty() {
        Ok(found)
    } else {
        Err(findings)
    }
}
