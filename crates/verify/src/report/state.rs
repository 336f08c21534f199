//! The values of all variables along a run, as data. States share what did not change.

use super::chart;
use super::wording::Wording;
use super::{StepReport, ValueReport, VariableReport};
use crate::model::Model;
use lariat_base::FxHashMap;
use lariat_expr::VarId;
use lariat_system::{Chart, Context, State, TransitionSystem as _};
use std::sync::Arc;

/// Values by the names of their variables.
pub type Values = Vec<(Arc<str>, Arc<ValueReport>)>;

/// The most values that the states of a run hold together: what comes after is told by its changes only.
const MAX_VALUES: usize = 4_000_000;

/// The state that a run has come to.
pub struct Ledger {
    /// The variables that a user knows, with their position in a state.
    shown: Vec<(usize, VarId)>,
    /// Where a name stands in `values`.
    by_name: FxHashMap<Arc<str>, usize>,
    /// After the last whole step.
    values: Values,
    /// How many more values there is room for.
    room: usize,
    /// The chart, if the model is one: its states are shown, not the variables that hold them.
    chart: Option<Arc<Chart>>,
}

impl Ledger {
    /// Before the first step of a run of `model`.
    pub fn new(cx: &Context, model: &Model) -> Self {
        let program = model.systems[0].program.as_ref();
        let plc = model.systems[0]
            .plc
            .as_ref()
            .filter(|_| model.systems.len() == 1);
        let variables = model.variables().iter().enumerate();
        let variables = variables.filter(|(_, variable)| {
            // What the front end adds to remember an input is nothing of the program.
            !program.is_some_and(|program| program.is_latch(variable.var))
                && !plc.is_some_and(|plc| plc.is_hidden(variable.var))
        });
        let (mut shown, mut values, mut by_name) = (Vec::new(), Vec::new(), FxHashMap::default());
        let unset = Arc::new(ValueReport::from(&lariat_expr::Int::ZERO));
        for (i, variable) in variables {
            let name: Arc<str> = cx.terms.name(variable.var).into();
            by_name.insert(Arc::clone(&name), values.len());
            shown.push((i, variable.var));
            values.push((name, Arc::clone(&unset)));
        }
        Self {
            shown,
            by_name,
            values,
            room: MAX_VALUES,
            chart: chart::chart_of(model),
        }
    }

    /// The variables that a user knows.
    pub fn variables(&self, model: &Model) -> Vec<VariableReport> {
        let shown = self.shown.iter().zip(&self.values);
        shown
            .map(|(&(_, var), (name, _))| VariableReport::new(model, name, var))
            .collect()
    }

    /// Fills in the states after the parts of a step; that after the last one is the state after the step.
    pub fn fill(
        &mut self,
        (cx, model, wording): (&Context, &Model, &Wording),
        parts: &mut [StepReport],
        before: Option<&State>,
        after: &State,
    ) {
        let Some((last, inner)) = parts.split_last_mut() else {
            return;
        };
        if let Some(chart) = &self.chart {
            self.values = chart::values(cx, model, chart, after);
            last.state = told(&self.values, &mut self.room);
            return;
        }
        if !inner.is_empty() {
            let mut values = self.values.clone();
            for part in inner {
                for (name, value) in &part.changes {
                    if let Some(&at) = self.by_name.get(name) {
                        values[at].1 = Arc::clone(value);
                    }
                }
                part.state = told(&values, &mut self.room);
            }
        }
        for ((_, old), &(i, var)) in self.values.iter_mut().zip(&self.shown) {
            let value = &after.values[i];
            if before.is_none_or(|before| before.values[i] != *value) {
                *old = Arc::new(wording.value(cx, model, var, value));
            }
        }
        last.state = told(&self.values, &mut self.room);
    }
}

/// A copy of a state, or nothing if there is no room for it.
fn told(values: &Values, room: &mut usize) -> Values {
    match room.checked_sub(values.len()) {
        Some(left) => {
            *room = left;
            values.clone()
        }
        None => Vec::new(),
    }
}
