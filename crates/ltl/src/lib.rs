//! Linear temporal logic, usable on its own: formulas, their simplification, and their translation
//! to small Büchi automata. Atoms are opaque ids with a name; what they mean is the caller's affair.

mod automaton;
mod class;
mod eval;
mod formula;
mod parse;
mod print;
mod word;

pub use automaton::{Acceptance, Automaton, AutomatonBuilder, Cube, Edge, LabelId, StateId};
pub use class::Class;
pub use eval::satisfies;
pub use formula::{ApId, FormulaId, Formulas, Op};
pub use parse::{
    AtomSource, AtomStyle, MAX_DEPTH, Parsed, PlainNames, Syntax, parse_formula, parse_formula_at,
};
pub use print::{Brackets, MAX_TEXT, TooLarge, print_formula, unreadable};
pub use word::{LassoWord, WordError};
