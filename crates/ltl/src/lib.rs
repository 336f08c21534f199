//! Linear temporal logic, usable on its own: formulas, their simplification, and their translation
//! to small Büchi automata. Atoms are opaque ids with a name; what they mean is the caller's affair.

mod automaton;
mod class;
mod formula;

pub use automaton::{Acceptance, Automaton, AutomatonBuilder, Cube, Edge, LabelId, StateId};
pub use class::Class;
pub use formula::{ApId, FormulaId, Formulas, Op};
