//! A run by its variables instead of by its steps: when each of them gets which value.

use super::{RunReport, ValueReport};
use lariat_base::FxHashMap;
use std::sync::Arc;

/// The values that a variable gets: the number of a step (from 1), and the value after it. The first is that of step 1.
pub type Column = Vec<(usize, Arc<ValueReport>)>;

impl RunReport {
    /// The values of the variables, in the order of [`RunReport::variables`].
    pub fn columns(&self) -> Vec<Column> {
        let names = self.variables.iter().enumerate();
        let place: FxHashMap<&str, usize> = names.map(|(i, own)| (&*own.name, i)).collect();
        let mut columns: Vec<Column> = vec![Vec::new(); self.variables.len()];
        for (number, step) in (1..).zip(&self.steps) {
            // Very long runs tell their last states by the changes only.
            let told = match &step.state[..] {
                [] => &step.changes,
                _ => &step.state,
            };
            for (i, (name, value)) in told.iter().enumerate() {
                let is_in_order = |own: &super::VariableReport| *own.name == **name;
                let at = if self.variables.get(i).is_some_and(is_in_order) {
                    Some(i)
                } else {
                    place.get(&**name).copied()
                };
                let Some(column) = at.map(|at| &mut columns[at]) else {
                    continue;
                };
                let is_new = column
                    .last()
                    .is_none_or(|(_, old)| !Arc::ptr_eq(old, value) && old != value);
                if is_new {
                    column.push((number, Arc::clone(value)));
                }
            }
        }
        columns
    }

    /// Whether the state after the last step is that in which the loop starts: the run is a lasso of states, and nothing
    /// differs from round to round.
    pub fn comes_back(&self) -> bool {
        self.loop_starts_after_step.is_some()
            && self.growth.is_none()
            && self.region.is_empty()
            && self.drifting.is_empty()
    }
}
