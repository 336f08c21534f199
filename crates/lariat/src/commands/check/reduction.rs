//! What was done to the model before the check, as a person reads it, and the question as it is asked of what is left.

use super::property::Question;
use super::report::ShownRun;
use crate::load::Model;
use lariat_check::{Bad, Goal};
use lariat_expr::TermId;
use lariat_system::{Context, Reduction, TransitionSystem as _};
use serde_json::{Value, json};

/// What was done to the model.
#[derive(Clone, Debug, Default)]
pub struct ShownReduction {
    /// Variables that cannot matter and were left out.
    pub left_out: Vec<String>,
    /// Variables that always have the same value, with that value.
    pub constants: Vec<(String, String)>,
    /// Values that nothing tells apart.
    pub merged: Vec<ShownMerge>,
    /// The names of all variables of the model, in its order.
    variables: Vec<String>,
    /// The constants that the checked model does not have any more.
    put_in: Vec<(String, String)>,
}

/// Values that nothing tells apart.
#[derive(Clone, Debug)]
pub struct ShownMerge {
    /// The enumeration.
    sort: String,
    /// The literal that stands for all of them.
    kept: String,
    /// The literals that it stands for.
    others: Vec<String>,
}

impl ShownReduction {
    /// What was done to `model`.
    pub fn new(cx: &Context, model: &Model, reduction: &Reduction) -> Self {
        let name = |var| cx.terms.name(var).to_owned();
        let (mut constants, mut put_in) = (Vec::new(), Vec::new());
        for variable in model.variables() {
            let var = variable.var;
            let values = &reduction.constants.values;
            let Ok(at) = values.binary_search_by_key(&var, |&(var, _)| var) else {
                continue;
            };
            if let Some(value) = cx.terms.as_lit(values[at].1) {
                let value = value.display(&cx.terms.sorts, cx.terms.var_sort(var));
                if reduction.constant(var).is_some() {
                    put_in.push((name(var), value.clone()));
                }
                constants.push((name(var), value));
            }
        }
        let merged = reduction.merged.iter().filter_map(|merged| {
            let sort = cx.terms.sorts.as_enum(merged.sort)?;
            let literal = |at: u32| sort.literals[at as usize].to_string();
            Some(ShownMerge {
                sort: sort.name.to_string(),
                kept: literal(merged.kept),
                others: merged.others.iter().map(|&at| literal(at)).collect(),
            })
        });
        Self {
            left_out: reduction.left_out().map(name).collect(),
            constants,
            merged: merged.collect(),
            variables: model.variables().iter().map(|v| name(v.var)).collect(),
            put_in,
        }
    }

    /// Adds the constants to the first state of a run, where the model declares them.
    pub fn complete(&self, run: &mut ShownRun) {
        let Some(first) = run.steps.first_mut() else {
            return;
        };
        let mut changes = std::mem::take(&mut first.changes);
        changes.extend(self.put_in.iter().cloned());
        let place = |name: &String| self.variables.iter().position(|known| known == name);
        changes.sort_by_key(|(name, _)| place(name));
        first.changes = changes;
    }

    /// What a reader of a counterexample should know.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            let names = self.left_out.join(", ");
            notes.push(format!("left out, since they cannot matter: {names}"));
        }
        for ShownMerge { sort, kept, others } in &self.merged {
            let others = others.join(", ");
            notes.push(format!(
                "{kept} of {sort} stands for {others} as well: nothing tells them apart"
            ));
        }
        notes
    }

    /// The rows of the statistics.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        let constants: Vec<String> = self
            .constants
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let merged: Vec<String> = self
            .merged
            .iter()
            .map(|m| format!("{} of {} for {}", m.kept, m.sort, m.others.join(", ")))
            .collect();
        let parts = [
            ("variables left out", &self.left_out),
            ("constants", &constants),
            ("values taken as one", &merged),
        ];
        for (name, values) in parts {
            if !values.is_empty() {
                rows.push((name, values.join(", ")));
            }
        }
        rows
    }

    /// The constants for the report.
    pub fn constants_json(&self) -> Value {
        let constants = self.constants.iter();
        let one = |(name, value): &(String, String)| json!({ "name": name, "value": value });
        constants.map(one).collect()
    }

    /// The merged values for the report.
    pub fn merged_json(&self) -> Value {
        let merged = self.merged.iter();
        let one = |m: &ShownMerge| json!({ "type": m.sort, "kept": m.kept, "others": m.others });
        merged.map(one).collect()
    }
}

/// The question with these terms in the place of its own, see [`Question::terms`].
pub fn ask_with(question: &Question, terms: &[TermId]) -> Question {
    let goal = match &question.goal {
        Goal::Reach(bad) => Goal::Reach(Bad {
            when: bad.when.and(terms.first().copied()),
            at: bad.at.clone(),
        }),
        Goal::Accept {
            automaton, formula, ..
        } => Goal::Accept {
            automaton: automaton.clone(),
            atoms: terms.to_vec(),
            formula: formula.clone(),
        },
    };
    Question {
        goal,
        ..question.clone()
    }
}
