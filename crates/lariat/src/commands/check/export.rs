//! `--harness` and `--witness`: the counterexample of the first violated property, in another form.

use super::{Answered, CheckArgs, write_file};
use crate::session::{Failure, Session};
use lariat_base::Diagnostic;
use lariat_verify::Model;
use lariat_verify::export::{harness, witness};

/// Writes what is asked for.
pub fn write(
    args: &CheckArgs,
    session: &mut Session,
    model: &mut Model,
    answers: &[Answered],
) -> Result<(), Failure> {
    let violated = answers.iter().find(|a| a.report.counterexample.is_some());
    let forms = [
        ("harness", "no-harness", &args.harness),
        ("witness", "no-witness", &args.witness),
    ];
    for (what, id, path) in forms {
        let Some(path) = path else { continue };
        let Some(Answered { report, answer }) = violated else {
            let line = format!("no {what} is written: nothing is violated");
            session.out.line(&line)?;
            continue;
        };
        let (cx, sources) = (&mut session.cx, &session.sources);
        let text = match what {
            "harness" => harness(cx, sources, model, report, answer),
            _ => witness(cx, sources, model, report, answer),
        };
        match text {
            Ok(text) => write_file(path, &text)?,
            Err(why) => {
                let message = format!("there is no {what} for this counterexample: {why}");
                session.report(&[Diagnostic::warning(id, message)]);
            }
        }
    }
    Ok(())
}
