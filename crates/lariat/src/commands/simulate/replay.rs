//! The run of a report of `check`, step by step through the model.
//!
//! A report has the state after each step, not how it came about. A step is found by asking for successors with these values,
//! at that place. Several may fit, since not all that a model keeps is shown: all are followed, up to a limit.

use super::typed::{Wanted, value, variable};
use crate::load::read;
use crate::session::Failure;
use lariat_base::Diagnostic;
use lariat_system::{Simulator, State, Step, TransitionSystem as _};
use lariat_verify::Model;
use serde_json::Value as Json;
use std::path::Path;

/// How many ways are followed at once.
const MAX_WAYS: usize = 64;

/// The run of a report.
pub struct Recorded {
    /// What it violates.
    pub property: String,
    /// The steps of the report that end a step of the model.
    steps: Vec<Json>,
    /// How many of them come before the loop, if there is one.
    stem: Option<usize>,
    /// The variables that differ from round to round.
    changing: Vec<String>,
}

/// A run to show.
pub struct Replay {
    /// Its steps.
    pub steps: Vec<Step>,
    /// With how many steps each round of the loop starts.
    pub rounds: Vec<usize>,
}

impl Recorded {
    /// Reads the first counterexample of a report.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = read(path)?;
        let report: Json = serde_json::from_str(&text).map_err(|error| {
            let message = format!("`{}` is no report: {error}", path.display());
            wrong(message)
        })?;
        let results = report["results"].as_array();
        let mut results = results.into_iter().flatten();
        let Some(result) = results.find(|result| result["counterexample"].is_object()) else {
            let message = format!("`{}` has no counterexample", path.display());
            return Err(wrong(message).into());
        };
        let found = &result["counterexample"];
        let all = found["steps"].as_array().cloned().unwrap_or_default();
        // Steps of the model may be shown in parts; the place is known after the last one.
        let is_placed = |step: &Json| step["location"].as_str().is_some_and(|at| !at.is_empty());
        let has_places = all.iter().any(is_placed);
        let ends = |step: &Json| !has_places || is_placed(step);
        let n_stem = found["loop_starts_after_step"].as_u64();
        let stem = n_stem.map(|n| {
            all.iter()
                .take(n as usize)
                .filter(|step| ends(step))
                .count()
        });
        let growing = found["growth"]["variables"].as_array();
        let growing = growing
            .into_iter()
            .flatten()
            .map(|variable| &variable["name"]);
        let drifting = found["drifting"].as_array().into_iter().flatten();
        let name = result["property"]["name"].as_str().unwrap_or_default();
        let text = result["property"]["text"].as_str().unwrap_or_default();
        Ok(Self {
            property: if name.is_empty() { text } else { name }.to_owned(),
            steps: all.into_iter().filter(ends).collect(),
            stem,
            changing: growing
                .chain(drifting)
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
        })
    }

    /// The run through a model, with so many rounds of the loop.
    pub fn follow(
        &self,
        simulator: &mut Simulator<'_, Model>,
        n_rounds: u64,
    ) -> Result<Replay, Failure> {
        let stem = self.stem.unwrap_or(self.steps.len());
        let later = (1..n_rounds).flat_map(|_| self.steps[stem..].iter().map(|step| (step, true)));
        let first = self.steps.iter().map(|step| (step, false));
        let mut levels: Vec<Vec<(usize, Step)>> = Vec::new();
        for (n, (recorded, again)) in first.chain(later).enumerate() {
            let mut next = Vec::new();
            let before: Vec<Option<State>> = match levels.last() {
                None => vec![None],
                Some(level) => level.iter().map(|(_, s)| Some(s.state.clone())).collect(),
            };
            for (from, state) in before.into_iter().enumerate() {
                simulator.jump(state);
                let steps = self.fitting(simulator, recorded, again)?;
                next.extend(steps.into_iter().map(|step| (from, step)));
            }
            if next.is_empty() && recorded["action"] == "stays" {
                break;
            }
            if next.is_empty() {
                let message = format!("step {n} of the report is none of this model");
                let hint = "replay on the model and with the options that were checked";
                return Err(wrong(message).hint(hint).into());
            }
            next.truncate(MAX_WAYS);
            levels.push(next);
        }
        simulator.restart();
        let mut steps = Vec::new();
        let mut at = 0;
        for level in levels.into_iter().rev() {
            let (from, step) = level.into_iter().nth(at).expect("it was followed");
            steps.push(step);
            at = from;
        }
        steps.reverse();
        let rounds = match self.steps.len() - stem {
            0 => Vec::new(),
            round => (stem..steps.len()).step_by(round).collect(),
        };
        Ok(Replay { steps, rounds })
    }

    /// The steps that lead to the recorded state.
    fn fitting(
        &self,
        simulator: &mut Simulator<'_, Model>,
        recorded: &Json,
        again: bool,
    ) -> Result<Vec<Step>, Failure> {
        let mut wanted: Wanted = Vec::new();
        let terms = &simulator.context().terms;
        for (name, data) in recorded["state"].as_object().into_iter().flatten() {
            if again && self.changing.contains(name) {
                continue;
            }
            let var = variable(terms, simulator.variables(), name);
            let known = var.and_then(|var| {
                let value = value(&terms.sorts, terms.var_sort(var), data)?;
                Some((var, value))
            });
            let message = || format!("the variable `{name}` of the report is none of this model");
            wanted.push(known.ok_or_else(|| wrong(message()))?);
        }
        let mut found = simulator.successors_where(&wanted).steps;
        let at = recorded["location"].as_str().unwrap_or_default();
        found.retain(|step| simulator.system().location_name(step.state.loc) == at);
        Ok(found)
    }
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error("replay", message)
}
