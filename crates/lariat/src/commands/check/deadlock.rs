//! What becomes of runs that get stuck (`--deadlock`); by themselves they do what the language means.

use super::args::CheckArgs;
use crate::session::Session;
use lariat_base::Diagnostic;
use lariat_verify::pass::deadlock::{Deadlock, Opaque, go_on_after_deadlock};
use lariat_verify::{Model, Property};

/// Lets the runs of a model go on where they would get stuck, or not. With `--deadlock error`: the question whether any does.
pub fn prepare(
    args: &CheckArgs,
    session: &mut Session,
    model: &mut Model,
) -> Result<Option<Property>, Diagnostic> {
    go_on(session, model, args.limits.deadlock())
}

/// The same for a model that is not checked; by default as its language means it.
pub fn go_on(
    session: &mut Session,
    model: &mut Model,
    how: Option<Deadlock>,
) -> Result<Option<Property>, Diagnostic> {
    let how = how.unwrap_or_else(|| Deadlock::usual(model));
    if how == Deadlock::Ignore {
        return Ok(None);
    }
    let [system] = &mut model.systems[..] else {
        let message = "`--deadlock stutter` and `--deadlock error` are for one model: when a composition is stuck \
                       depends on the places of all of its parts at once";
        return Err(Diagnostic::error("unsupported-option", message)
            .hint("check the models one by one, or let runs that get stuck refute nothing: `--deadlock ignore`"));
    };
    let place = go_on_after_deadlock(&mut session.cx, system, how);
    let place = place.map_err(|Opaque { why, span }| {
        let message = format!("cannot tell in which states this is blocked: {why}");
        let finding = Diagnostic::error("unknown-deadlock", message);
        let finding = match span {
            Some(span) => finding.at(span),
            None => finding,
        };
        finding.hint("with `--deadlock ignore` runs that get stuck refute nothing")
    })?;
    Ok(place.map(|place| Property::never("deadlock", "no run gets stuck", vec![(0, place)])))
}
