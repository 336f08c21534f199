//! Reads every task once before anything runs: which configurations apply to it, and what is wrong with it.
//!
//! A model and a property that cannot be read are found here, not by each of forty runs. What
//! stands on the command line must be right; a row of a table that cannot be read becomes an `error`
//! in the result, and the others go on.

use super::configuration::Configuration;
use super::task::{Question, Task};
use crate::commands::check::{overflow, questions};
use crate::load::load_for;
use crate::options::Facts;
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, Severity};
use lariat_ltl::Acceptance;
use lariat_system::Context;
use lariat_verify::Asked;

/// A task that was looked at.
pub struct Prepared {
    /// The task.
    pub task: Task,
    /// Whether it is about infinite runs; nothing if it could not be read.
    pub is_temporal: Option<bool>,
    /// The configurations that apply, by their numbers.
    pub configurations: Vec<usize>,
    /// Why it could not be read.
    pub error: Option<String>,
}

/// Looks at all tasks. A configuration that applies to none of them is an error, where a user named it.
pub fn prepare(
    session: &mut Session,
    tasks: Vec<Task>,
    configurations: &[Configuration],
) -> Result<Vec<Prepared>, Failure> {
    let mut prepared = Vec::new();
    // For each configuration, to how many tasks it applies, and why not to another.
    let mut uses: Vec<(usize, Option<Diagnostic>)> = vec![(0, None); configurations.len()];
    for task in tasks {
        // Each model gets a context of its own, so that they do not pile up.
        session.cx = Context::new();
        match read(session, &task, configurations) {
            Ok(all) => {
                for (task, is_temporal, results) in all {
                    let mut apply = Vec::new();
                    for (i, result) in results.into_iter().enumerate() {
                        match result {
                            Ok(()) => {
                                uses[i].0 += 1;
                                apply.push(i);
                            }
                            Err(why) => uses[i].1 = Some(why),
                        }
                    }
                    prepared.push(Prepared {
                        task,
                        is_temporal: Some(is_temporal),
                        configurations: apply,
                        error: None,
                    });
                }
            }
            Err(Failure::Findings(findings)) if task.place.is_some() => {
                session.report(&findings);
                let first = findings.into_iter().next();
                let error = first.map_or_else(String::new, |finding| finding.message);
                prepared.push(Prepared {
                    task,
                    is_temporal: None,
                    configurations: Vec::new(),
                    error: Some(error),
                });
            }
            Err(failure) => return Err(failure),
        }
    }
    session.cx = Context::new();
    judge(session, configurations, uses)?;
    Ok(prepared)
}

/// Refuses configurations without any use, and notes those with less than the user may think.
fn judge(
    session: &mut Session,
    configurations: &[Configuration],
    uses: Vec<(usize, Option<Diagnostic>)>,
) -> Result<(), Failure> {
    let (mut errors, mut notes) = (Vec::new(), Vec::new());
    for (configuration, (n_uses, why)) in configurations.iter().zip(uses) {
        // Those of `all` are for different kinds of properties.
        let (Some(place), Some(why)) = (&configuration.place, why) else {
            continue;
        };
        let at = configuration.place_of(&why.message).unwrap_or(place.whole);
        if n_uses == 0 {
            errors.push(why.at(at));
        } else {
            let message = format!(
                "`{}` is not run on tasks that it does not apply to: {}",
                configuration.name, why.message
            );
            notes.push(Diagnostic::warning("useless-option", message).at(at));
        }
    }
    if errors.is_empty() {
        session.report(&notes);
        Ok(())
    } else {
        Err(errors.into())
    }
}

/// A task, whether it is temporal, and for each configuration whether it applies.
type Read = (Task, bool, Vec<Result<(), Diagnostic>>);

/// Reads a task; several if it asks for several properties that can be named one by one.
fn read(
    session: &mut Session,
    task: &Task,
    configurations: &[Configuration],
) -> Result<Vec<Read>, Failure> {
    let property = task.property_args();
    let model = load_for(
        session,
        &task.model_args(),
        overflow(&property),
        &property.ltl,
    )?;
    let asked = questions(session, &model, &property, Acceptance::Generalized)?;
    let kind = |question: &Asked| (question.name().to_owned(), question.is_temporal());
    let kinds: Vec<(String, bool)> = asked.iter().map(kind).collect();
    let mut applies = |is_temporal: bool| -> Vec<Result<(), Diagnostic>> {
        let apply = |configuration: &Configuration| {
            let facts = Facts::of(&model).for_property(is_temporal);
            let mut options = configuration.args.clone();
            // What a TOML file says for other tasks is left out for this one, as `check` does.
            let useless = options.drop_useless(&facts);
            let mut errors = useless
                .into_iter()
                .filter(|finding| finding.severity == Severity::Error);
            if let Some(why) = errors.next() {
                return Err(why);
            }
            let texts = (&mut session.cx, &mut session.sources);
            let engine = options.engine(is_temporal, texts, &model);
            let first = |findings: Vec<Diagnostic>| findings.into_iter().next();
            engine
                .map(|_| ())
                .map_err(|findings| first(findings).expect("an error has a finding"))
        };
        configurations.iter().map(apply).collect()
    };
    if is_splittable(task, &kinds) {
        let split = |(name, is_temporal): &(String, bool)| {
            let question = Question::Property(name.clone());
            let id = Task::describe(&task.models, &question);
            let task = Task {
                id,
                question,
                ..task.clone()
            };
            (task, *is_temporal, applies(*is_temporal))
        };
        return Ok(kinds.iter().map(split).collect());
    }
    // Several questions are answered by one run: what applies must apply to all of them.
    let is_temporal = kinds.iter().any(|&(_, is_temporal)| is_temporal);
    let mut results = applies(is_temporal);
    if kinds.iter().any(|&(_, other)| other != is_temporal) {
        for (result, other) in results.iter_mut().zip(applies(!is_temporal)) {
            if result.is_ok() {
                *result = other;
            }
        }
    }
    Ok(vec![(task.clone(), is_temporal, results)])
}

/// Whether each of the model's properties can be a task of its own.
fn is_splittable(task: &Task, kinds: &[(String, bool)]) -> bool {
    let mut names: Vec<&String> = kinds.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    matches!(task.question, Question::Own)
        && task.place.is_none()
        && kinds.len() > 1
        && names.len() == kinds.len()
        && names.iter().all(|name| !name.is_empty())
}
