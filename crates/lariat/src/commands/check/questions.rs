//! What the command line asks, or the model itself.

use super::args::PropertyArgs;
use crate::load::{Overflow, read};
use crate::session::{Failure, Session};
use lariat_base::{Budget, Diagnostic};
use lariat_ltl::{Acceptance, Syntax};
use lariat_verify::{Asker, Findings, Model, Property, asks_for_overflow};

/// The properties that are asked for.
pub fn questions(
    session: &mut Session,
    model: &Model,
    args: &PropertyArgs,
    acceptance: Acceptance,
    budget: &Budget,
) -> Result<Vec<Property>, Failure> {
    let file = match (&args.prop, &args.automaton) {
        (Some(path), _) | (None, Some(path)) => {
            let text = read(path)?;
            Some(session.sources.add(path.display().to_string(), text))
        }
        (None, None) => None,
    };
    let mut asker = Asker::new(&mut session.cx, &mut session.sources, model);
    asker.syntax = args.syntax.map_or(asker.syntax, Syntax::from);
    asker.acceptance = acceptance;
    asker.budget = budget.clone();
    if args.syntax.is_some() && args.ltl.is_none() && args.property.is_none() {
        let message = "`--syntax` has no effect without a temporal formula";
        return Err(Diagnostic::error("useless-option", message).into());
    }
    let asked: Result<Vec<Property>, Findings> = match (args, file) {
        (
            PropertyArgs {
                ltl: Some(text), ..
            },
            _,
        ) => asker.ltl(text).map(|one| vec![one]),
        (
            PropertyArgs {
                termination: true, ..
            },
            _,
        ) => asker.termination().map(|one| vec![one]),
        (PropertyArgs { prop: Some(_), .. }, Some(file)) => asker.property_file(file),
        (
            PropertyArgs {
                invariant: Some(text),
                ..
            },
            _,
        ) => asker.invariant(text).map(|one| vec![one]),
        (_, Some(file)) => asker.automaton(file).map(|one| vec![one]),
        (_, None) => asker.own(args.property.as_deref()),
    };
    let warnings = asker.warnings;
    session.report(&warnings);
    Ok(asked?)
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
