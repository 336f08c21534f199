//! What is done to models before a check, in its order: constants, cone of influence, merged values.
//!
//! Each of the three keeps verdicts (see the files of that name) and makes the next one better: a constant that is put in
//! is not read any more, a variable that is left out mentions no literals.

use crate::constants::{Constants, propagate_constants};
use crate::merge::{Merged, merge_values};
use crate::slice::{Sliced, slice};
use crate::{Context, System};
use lariat_expr::{TermId, VarId};

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reduction {
    /// Variables that always have the same value.
    pub constants: Constants,
    /// Variables that cannot matter; constants that nobody reads any more among them.
    pub sliced: Sliced,
    /// Values that nothing tells apart.
    pub merged: Vec<Merged>,
}

impl Reduction {
    /// The value of a variable that was left out because it is constant.
    pub fn constant(&self, var: VarId) -> Option<TermId> {
        let is_dropped = self.sliced.dropped.binary_search(&var).is_ok();
        let values = &self.constants.values;
        let at = values.binary_search_by_key(&var, |&(var, _)| var).ok()?;
        is_dropped.then(|| values[at].1)
    }

    /// The variables that were left out because they cannot matter, whatever their values.
    pub fn left_out(&self) -> impl Iterator<Item = VarId> {
        let dropped = self.sliced.dropped.iter().copied();
        dropped.filter(|&var| self.constant(var).is_none())
    }
}

/// Reduces systems that run together, for a property over `atoms`. The constants are put into the atoms as well: the
/// reduced systems may not have their variables any more.
pub fn reduce(cx: &mut Context, systems: &mut [System], atoms: &mut [TermId]) -> Reduction {
    let constants = propagate_constants(cx, systems);
    for atom in atoms.iter_mut() {
        *atom = constants.apply(cx, *atom);
    }
    let sliced = slice(cx, systems, atoms);
    let merged = merge_values(cx, systems, atoms);
    Reduction {
        constants,
        sliced,
        merged,
    }
}
