//! What a language forbids and only a solver can rule out: values out of range, cases that do not fit.
//!
//! A front end says what must be impossible; here a solver is asked. What it does not decide in a short time is a warning.

use lariat_base::{Diagnostic, Severity};
use lariat_frontend::Obligation;
use lariat_smt::{Answer, Models as _, Solver as _, Z3, Z3Config};
use lariat_system::Context;

/// How many of the solver's steps one question may take: about a second.
const STEPS: u32 = 5_000_000;
/// The most variables of a witness that are shown.
const MAX_SHOWN: usize = 6;

/// The findings of the obligations that are not met.
pub fn unmet_obligations(cx: &Context, obligations: Vec<Obligation>) -> Vec<Diagnostic> {
    if obligations.is_empty() {
        return Vec::new();
    }
    let mut solver = Z3::new(Z3Config::default());
    let mut findings = Vec::new();
    for Obligation { bad, finding } in obligations {
        match solver.check_briefly(&cx.terms, &[bad], STEPS) {
            Answer::Unsat => {}
            Answer::Sat => {
                let mut witness = Vec::new();
                for var in cx.terms.free_vars(&[bad]).into_iter().take(MAX_SHOWN) {
                    let mut terms = cx.terms.clone();
                    let term = terms.var(var);
                    if let Some(value) = solver.value(&terms, term) {
                        let decl = cx.terms.decl(var);
                        let value = value.display(&cx.terms.sorts, decl.sort);
                        witness.push(format!("{} = {value}", decl.name));
                    }
                }
                let example =
                    (!witness.is_empty()).then(|| format!("for example {}", witness.join(", ")));
                findings.push(finding.maybe_hint(example));
            }
            Answer::Unknown(_) => {
                let message = format!("could not rule out that {}", finding.message);
                findings.push(Diagnostic {
                    severity: Severity::Warning,
                    message,
                    ..finding
                });
            }
        }
    }
    findings
}
