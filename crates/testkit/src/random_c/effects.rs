//! What an expression reads and writes, to keep the parts that C evaluates in no fixed order apart.
//!
//! A *cell* is a variable (an array or struct as a whole), the places that pointers of one type lead
//! to, or the trace. Of two unsequenced parts, none may write a cell that the other reads or writes.
//! Calls are in no fixed order either, so that what a function does counts as done by the call.

/// A set of cells, as bits.
pub(super) type Cells = u128;

/// Cells that are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    pub reads: Cells,
    pub writes: Cells,
}

impl Effects {
    pub fn reading(cells: Cells) -> Self {
        Self {
            reads: cells,
            writes: 0,
        }
    }

    pub fn writing(cells: Cells) -> Self {
        Self {
            reads: 0,
            writes: cells,
        }
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
        }
    }

    /// Whether both may happen in any order.
    pub fn fits(self, other: Self) -> bool {
        self.writes & (other.reads | other.writes) == 0 && other.writes & self.reads == 0
    }
}
