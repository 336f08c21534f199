//! `--harness`, `--witness` and `--export`: the counterexample of the first violated property, in another form; `--certificate`:
//! the proof of the first one that holds.

use super::CheckArgs;
use super::journal::{Export, Message};
use crate::run_file::RunForm;
use crate::session::{Failure, Session, Telling};
use lariat_base::{Diagnostic, SourceMap};
use lariat_system::Context;
use lariat_verify::export::{certificate, harness, witness};
use lariat_verify::report::{Report, RunReport};
use lariat_verify::{Answer, Model, Proved};

/// A form that is asked for.
#[derive(Clone)]
pub struct Wanted {
    file: Export,
    form: Form,
    /// What it is called.
    name: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Harness,
    Witness,
    Run(RunForm),
    Certificate,
}

/// A text for a file, or why there is none.
pub type Made = (Export, Result<String, Diagnostic>);

/// The forms that are asked for.
pub fn wanted(args: &CheckArgs) -> Vec<Wanted> {
    let output = &args.output;
    let mut wanted = Vec::new();
    let all = [
        (&output.harness, Export::Harness, Form::Harness, "harness"),
        (&output.witness, Export::Witness, Form::Witness, "witness"),
        (
            &output.certificate,
            Export::Certificate,
            Form::Certificate,
            "certificate",
        ),
    ];
    for (path, file, form, name) in all {
        wanted.extend(path.iter().map(|_| Wanted {
            file,
            form,
            name: name.to_owned(),
        }));
    }
    for (i, run) in output.export.iter().enumerate() {
        wanted.push(Wanted {
            file: Export::Run(i),
            form: Form::Run(run.form),
            name: format!("`{}`", run.path.display()),
        });
    }
    wanted
}

impl Wanted {
    /// The text of a counterexample in this form, unless it is one of proofs.
    pub fn of_run(
        &self,
        cx: &mut Context,
        sources: &SourceMap,
        model: &mut Model,
        (report, run): (&Report, &RunReport),
        answer: &Answer,
    ) -> Option<Made> {
        let none = |id, why| {
            let name = &self.name;
            let message = format!("there is no {name} for this counterexample: {why}");
            Diagnostic::warning(id, message)
        };
        let text =
            match self.form {
                Form::Harness => harness(cx, sources, model, report, answer)
                    .map_err(|why| none("no-harness", why)),
                Form::Witness => witness(cx, sources, model, report, answer)
                    .map_err(|why| none("no-witness", why)),
                Form::Run(form) => form
                    .write(&report.property, run)
                    .map_err(|why| none("no-drawing", why)),
                Form::Certificate => return None,
            };
        Some((self.file, text))
    }

    /// The text of a proof, if this is the form for it.
    pub fn of_proof(
        &self,
        sources: &SourceMap,
        report: &Report,
        proved: &mut Proved,
    ) -> Option<Made> {
        let none = |why| {
            let message = format!("there is no certificate of this proof: {why}");
            Diagnostic::warning("no-certificate", message)
        };
        (self.form == Form::Certificate).then(|| {
            (
                self.file,
                certificate(sources, report, proved).map_err(none),
            )
        })
    }
}

/// Hands over what is asked for: the forms of the first counterexample and of the first proof, if there are any.
pub fn hand_over(
    args: &CheckArgs,
    session: &mut Session,
    run: Option<&[Made]>,
    proof: Option<&[Made]>,
) -> Result<(), Failure> {
    for Wanted { file, name, form } in wanted(args) {
        let (made, missing) = match form {
            Form::Certificate => (proof, "nothing holds"),
            _ => (run, "nothing is violated"),
        };
        let made = made.and_then(|made| made.iter().find(|(own, _)| *own == file));
        match made {
            None if session.telling != Telling::Text => {}
            None => {
                let line = format!("no {name} is written: {missing}");
                session.out.line(&line)?;
            }
            Some((_, Ok(text))) => session.out.tell(Message::File(file, text.clone()))?,
            Some((_, Err(why))) => session.report(std::slice::from_ref(why)),
        }
    }
    Ok(())
}
