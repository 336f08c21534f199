//! SMV, the language of `NuSMV` and nuXmv (`.smv`).
//!
//! Text becomes tokens (`lex`), tokens a tree of modules (`parse`, `expression`, `tree`). Modules are instantiated without being
//! copied (`flat`); expressions are read in their instances (`eval`, with `operator`, `call` and `set`) to typed
//! values (`value`). `assign` collects who gives which variable a value, `spec` and `formula` read properties, `build` and `block` make the system,
//! `time` lets time pass.

mod asked;
mod assign;
mod block;
mod build;
mod call;
mod eval;
mod expression;
mod flat;
mod formula;
mod lex;
mod operator;
mod parse;
mod set;
mod spec;
mod time;
mod tree;
mod types;
mod value;

use crate::{Asked, Parsed};
use lariat_base::{Diagnostic, Diagnostics, SourceFile, SourceId};
use lariat_system::Context;

/// Whether SMV reserves a word.
pub(crate) fn is_reserved(word: &str) -> bool {
    parse::is_reserved(word)
}

/// Reads an SMV model.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
    asked: &[Asked<'_>],
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut findings = Diagnostics::new();
    let mut tree = parse::read(source, &file.text, &mut findings);
    for question in asked {
        let name = question.name().into();
        let text = (question.text, name);
        tree = asked::read(tree, question.source, text, &mut findings);
    }
    if findings.has_errors() {
        return Err(findings.into_vec());
    }
    let mut flat = flat::Flat::new(cx, &mut tree, &mut findings);
    let made = flat.instantiate().and_then(|()| {
        let model = build::Model::new(&mut flat, (source, &file.text), asked);
        model.system(&crate::file_stem(file))
    });
    if let Some(span) = flat.old_dialect {
        let message = "0 and 1 are used as truth values, as before NuSMV 2.5";
        let finding = Diagnostic::warning("old-dialect", message).at(span);
        flat.report(finding.hint("write `FALSE` and `TRUE`"));
    }
    match made {
        Ok((system, obligations)) if !findings.has_errors() => Ok(Parsed {
            system,
            obligations,
            warnings: findings.into_vec(),
        }),
        _ => Err(findings.into_vec()),
    }
}
