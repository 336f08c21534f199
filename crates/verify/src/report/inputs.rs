//! What came in from outside during a run of a C program, in order.

use super::{ValueReport, place};
use crate::calls::{Call, calls};
use crate::model::Model;
use lariat_base::SourceMap;
use lariat_check::Counterexample;
use lariat_system::{CProgram, CRole, Context};
use serde::Serialize;

/// The inputs of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Inputs {
    /// Those of the stem, or of a finite run.
    pub stem: Vec<Input>,
    /// Those of one round of the loop.
    #[serde(rename = "loop")]
    pub round: Option<Vec<Input>>,
}

/// One input.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    /// The call, as in the source.
    pub call: String,
    /// `file:line`.
    pub source: String,
    /// What it returned or stored.
    pub value: ValueReport,
}

impl Inputs {
    /// The inputs of a counterexample of `model`, if that is a C program by itself.
    pub fn new(
        cx: &Context,
        sources: &SourceMap,
        model: &Model,
        found: &Counterexample,
    ) -> Option<Self> {
        let system = model.systems.first().filter(|_| model.composed.is_none())?;
        let program = system.program.as_ref()?;
        let calls = calls(cx, system, found);
        let list = |calls: &[Vec<Call>]| {
            let calls = calls.iter().flatten();
            let inputs = calls.flat_map(|call| inputs_of(sources, program, call));
            inputs.collect()
        };
        Some(match found {
            Counterexample::Path(_) => Self {
                stem: list(&calls),
                round: None,
            },
            Counterexample::Lasso(lasso) => {
                let (stem, round) = calls.split_at(lasso.honda + 1);
                Self {
                    stem: list(stem),
                    round: Some(list(round)),
                }
            }
        })
    }
}

/// The values of one call: what it stores, and what it returns.
fn inputs_of(sources: &SourceMap, program: &CProgram, call: &Call) -> Vec<Input> {
    let text = super::run::snippet(sources, call.span);
    let source = place(sources, call.span);
    let mut inputs = Vec::new();
    for target in &call.targets {
        let argument = super::run::snippet(sources, target.argument);
        let what = match argument.strip_prefix('&') {
            Some(object) => object.trim().to_owned(),
            None => format!("*{argument}"),
        };
        inputs.push(Input {
            call: format!("{text} sets {what}"),
            source: source.clone(),
            value: (&target.value).into(),
        });
    }
    // A result that nobody reads is shown where it is all there is, so that the calls can be counted.
    let role = program.functions[call.function].role;
    let counts = inputs.is_empty() && matches!(role, CRole::Input | CRole::Volatile);
    if let Some(result) = call.result.as_ref().filter(|r| r.used || counts) {
        inputs.push(Input {
            call: text,
            source,
            value: (&result.value).into(),
        });
    }
    inputs
}
