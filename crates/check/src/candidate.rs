//! What a round of refinement works on: a counterexample of the abstraction, as the places in the source that it runs through.
//!
//! It need not be a run of the model: nobody has shown yet that it can be executed. If the check ends as unknown, it is what
//! could be neither confirmed nor excluded, and a person who knows the model may see at once which it is.

use crate::explored::Taken;
use crate::respond::Found;
use lariat_base::Span;
use lariat_system::Stmts;

/// Longer parts are cut: nobody reads them.
const MAX_PLACES: usize = 400;

/// A run that would refute the property, if it were one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The places of its statements up to the bad state, or to the loop.
    pub stem: Vec<Span>,
    /// Those once round the loop; nothing of a path to a bad state.
    pub cycle: Vec<Span>,
    /// Whether there are more than are told.
    pub cut: bool,
}

impl Candidate {
    /// What a search found.
    pub(crate) fn new(stmts: &Stmts, found: &Found) -> Self {
        let (stem, stem_cut) = places(stmts, &found.stem);
        let (cycle, cycle_cut) = places(stmts, &found.cycle);
        Self {
            stem,
            cycle,
            cut: stem_cut || cycle_cut,
        }
    }
}

/// The places of the model's statements along some steps, and whether there are more.
fn places(stmts: &Stmts, steps: &[Taken]) -> (Vec<Span>, bool) {
    let model_steps = steps.iter().filter(|step| step.model_edge.is_some());
    let parts = model_steps.flat_map(|step| stmts.flatten(step.stmt));
    let mut places = parts.filter_map(|part| stmts.span(part));
    let told = places.by_ref().take(MAX_PLACES).collect();
    (told, places.next().is_some())
}
