//! What becomes of runs that get stuck (`--deadlock`): by themselves they end and refute nothing.

use super::args::CheckArgs;
use crate::session::Session;
use lariat_base::Diagnostic;
use lariat_verify::pass::deadlock::{Opaque, go_on_after_deadlock};
use lariat_verify::{Model, Property};

/// Lets the runs of a model go on where they would get stuck. With `--deadlock error`: the question whether any does.
pub fn prepare(
    args: &CheckArgs,
    session: &mut Session,
    model: &mut Model,
) -> Result<Option<Property>, Diagnostic> {
    let Some(how) = args.limits.deadlock() else {
        return Ok(None);
    };
    let [system] = &mut model.systems[..] else {
        let message = "`--deadlock` is for one model: parts of a composition wait for each other";
        return Err(Diagnostic::error("unsupported-option", message)
            .hint("check the models one by one, or leave the option out"));
    };
    let place = go_on_after_deadlock(&mut session.cx, system, how);
    let place = place.map_err(|Opaque { why, span }| {
        let message = format!("cannot tell in which states this is blocked: {why}");
        let finding = Diagnostic::error("unknown-deadlock", message);
        let finding = match span {
            Some(span) => finding.at(span),
            None => finding,
        };
        finding.hint("leave out `--deadlock`: then runs that get stuck refute nothing")
    })?;
    Ok(place.map(|place| Property::never("deadlock", "no run gets stuck", vec![(0, place)])))
}
