//! Where a model is cut off: a queue that is full, a call that is too deep, a division by zero. No other language knows how to say that
//! nothing is known of such a run. If no run comes there, the steps that lead there mean nothing, and are left out; otherwise the model
//! is not converted.

use super::refuse;
use crate::model::Model;
use crate::property::Property;
use crate::task::{Options, Task};
use lariat_base::{Budget, Csr, Diagnostic, FxHashSet};
use lariat_check::Verdict;
use lariat_system::{Context, Edge, Initial, LocId, LocRole, System};
use std::time::Duration;

/// The work that the question whether any run comes there may take.
const WORK: u64 = 10_000_000;
/// The time it may take.
const TIME: Duration = Duration::from_mins(1);

/// Leaves out the steps to where a model is cut off, once it is shown that no run takes them.
pub(super) fn leave_out_cuts(cx: &mut Context, model: &mut Model) -> Result<(), Diagnostic> {
    let cuts = model.cuts();
    let Some(&(part, at)) = cuts.first() else {
        return Ok(());
    };
    let name = model.systems[part].locations[at].name.clone();
    let question = Property::never("", "no run is cut off", cuts);
    let mut options = Options {
        budget: Budget::unlimited().with_time(TIME),
        work: Some(WORK),
        ..Options::default()
    };
    let property = &question;
    let asked = Task { model, property }.check(cx, &mut options);
    let (why, hint) = match asked.verdict {
        Verdict::Holds => {
            for system in &mut model.systems {
                leave_out(cx, system);
            }
            model.recompose(cx);
            return Ok(());
        }
        Verdict::Violated(_) => (
            "and a run comes there, of which nobody knows how it goes on",
            "raise the bound (`--queue`, `--recursion`), or mend what leads there (`--property queue`, `--property faults`)",
        ),
        Verdict::Unknown(_) => (
            "and it is not known whether a run comes there",
            "raise the bound (`--queue`, `--recursion`)",
        ),
    };
    Err(refuse(&format!("is cut off at `{name}`, {why}")).hint(hint))
}

/// Leaves out the steps of a system to where it is cut off.
fn leave_out(cx: &mut Context, system: &mut System) {
    let locations = system.locations.iter_ids();
    let cuts = locations.filter(|(_, location)| location.role == LocRole::Cut);
    let cuts: FxHashSet<LocId> = cuts.map(|(at, _)| at).collect();
    let kept = |row: &[Edge]| -> Vec<Edge> {
        let kept = row.iter().filter(|edge| !cuts.contains(&edge.target));
        kept.copied().collect()
    };
    let rows: Vec<Vec<Edge>> = system.edges.rows().map(|(_, row)| kept(row)).collect();
    let starts = kept(system.initial.branches());
    system.edges = Csr::from_rows(rows);
    system.initial = Initial::new(cx, &system.variables, starts);
    for &at in &cuts {
        system.locations[at].role = LocRole::Plain;
    }
}
