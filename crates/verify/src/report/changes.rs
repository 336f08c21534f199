//! What was done to the model before an engine saw it, as a person reads it.

use super::ValueReport;
use crate::model::Model;
use crate::pass::clocks::Clock;
use crate::pass::{Applied, Done};
use lariat_expr::{Value, VarId};
use lariat_system::{Context, TransitionSystem as _};
use serde::Serialize;

/// What was done to the model.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Changes {
    /// Variables that cannot matter and were left out.
    pub left_out: Vec<String>,
    /// Variables that always have the same value, with that value.
    pub constants: Vec<Constant>,
    /// Values that nothing tells apart.
    pub merged: Vec<Merge>,
    /// Clocks, each with the value beyond which nothing tells its values apart.
    pub clocks: Vec<KeptClock>,
}

/// A clock that stops growing.
#[derive(Clone, Debug, Serialize)]
pub struct KeptClock {
    /// The variable.
    pub name: String,
    /// The value at which it stays.
    pub top: ValueReport,
}

/// A variable that always has the same value.
#[derive(Clone, Debug, Serialize)]
pub struct Constant {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: ValueReport,
}

/// Values that nothing tells apart.
#[derive(Clone, Debug, Serialize)]
pub struct Merge {
    /// The enumeration.
    #[serde(rename = "type")]
    pub sort: String,
    /// The literal that stands for all of them.
    pub kept: String,
    /// The literals that it stands for.
    pub others: Vec<String>,
}

impl Changes {
    /// What passes did to `model`.
    pub fn new(cx: &Context, model: &Model, done: &[Done]) -> Self {
        let name = |var: VarId| cx.terms.name(var).to_owned();
        let program = model.systems[0].program.as_ref();
        let is_latch = |var: VarId| program.is_some_and(|program| program.is_latch(var));
        let mut changes = Self::default();
        let mut constant_vars = Vec::new();
        for done in done {
            match &done.applied {
                Applied::Constants(constants) => {
                    for variable in model.variables() {
                        let var = variable.var;
                        let values = &constants.values;
                        let known = values.binary_search_by_key(&var, |&(var, _)| var);
                        let Some(value) = known.ok().and_then(|at| cx.terms.as_lit(values[at].1))
                        else {
                            continue;
                        };
                        constant_vars.push(var);
                        if is_latch(var) {
                            continue;
                        }
                        changes.constants.push(Constant {
                            name: name(var),
                            value: ValueReport::new(&cx.terms.sorts, cx.terms.var_sort(var), value),
                        });
                    }
                }
                Applied::Sliced(sliced) => {
                    let dropped = sliced.dropped.iter().copied();
                    let left_out =
                        dropped.filter(|&var| !constant_vars.contains(&var) && !is_latch(var));
                    changes.left_out = left_out.map(name).collect();
                }
                Applied::Merged(merged) => {
                    changes.merged = merged
                        .iter()
                        .filter_map(|merged| {
                            let sort = cx.terms.sorts.as_enum(merged.sort)?;
                            let literal = |at: u32| sort.literals[at as usize].to_string();
                            Some(Merge {
                                sort: sort.name.to_string(),
                                kept: literal(merged.kept),
                                others: merged.others.iter().map(|&at| literal(at)).collect(),
                            })
                        })
                        .collect();
                }
                Applied::Clocks(clocks) => {
                    let kept = |clock: &Clock| {
                        let sort = cx.terms.var_sort(clock.var);
                        let top = Value::Int(clock.top.clone());
                        KeptClock {
                            name: name(clock.var),
                            top: ValueReport::new(&cx.terms.sorts, sort, &top),
                        }
                    };
                    changes.clocks = clocks.iter().map(kept).collect();
                }
                Applied::InPlace | Applied::Halves | Applied::Cases(_) | Applied::Blocks(_) => {}
            }
        }
        changes
    }

    /// What a reader of a counterexample should know.
    pub fn notes(&self) -> Vec<String> {
        let note = |Merge { sort, kept, others }: &Merge| {
            let others = others.join(", ");
            format!("{kept} of {sort} stands for {others} as well: nothing tells them apart")
        };
        self.merged.iter().map(note).collect()
    }

    /// Each kind of change with what it was about.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let constants = self.constants.iter();
        let constants: Vec<String> = constants
            .map(|constant| format!("{} = {}", constant.name, constant.value))
            .collect();
        let merged = self.merged.iter();
        let merged: Vec<String> = merged
            .map(|m| format!("{} of {} for {}", m.kept, m.sort, m.others.join(", ")))
            .collect();
        let clocks = self.clocks.iter();
        let clocks: Vec<String> = clocks
            .map(|clock| format!("{} at {}", clock.name, clock.top))
            .collect();
        [
            ("variables left out", &self.left_out),
            ("constants", &constants),
            ("values taken as one", &merged),
            ("clocks stop", &clocks),
        ]
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| (name, values.join(", ")))
        .collect()
    }
}
