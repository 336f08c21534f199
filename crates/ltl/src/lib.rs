//! Linear temporal logic, usable on its own: formulas, their simplification, and their translation
//! to small Büchi automata. Atoms are opaque ids with a name; what they mean is the caller's affair.

mod automaton;
mod bdd;
mod build;
mod class;
mod compose;
mod degeneralize;
mod draw;
mod eval;
mod fm;
mod formula;
mod graph;
mod hoa;
mod labels;
mod limits;
mod nnf;
mod parse;
mod past;
mod pattern;
mod print;
mod product;
mod random;
mod reduce;
mod route;
mod scc;
mod simplify;
mod simulation;
mod suspend;
mod translate;
mod turns;
mod union;
mod verify;
mod wdba;
mod why;
mod word;

pub use automaton::{Acceptance, Automaton, AutomatonBuilder, Cube, Edge, LabelId, StateId};
pub use class::Class;
pub use draw::{label_text, to_dot, to_never, to_text};
pub use eval::{Truths, satisfies, truths};
pub use formula::{ApId, FormulaId, Formulas, Op};
pub use hoa::{
    AccAtom, AcceptanceCondition, Expression, HoaAutomaton, HoaEdge, HoaError, HoaState, HoaStream,
    Item, Label, LabelAtom, read_hoa,
};
pub use parse::{
    AtomSource, AtomStyle, MAX_DEPTH, Parsed, PlainNames, Syntax, parse_formula, parse_formula_at,
};
pub use pattern::{PATTERNS, SCOPES, pattern_formula};
pub use print::{Brackets, MAX_TEXT, TooLarge, print_formula, unreadable};
pub use random::{Operators, Rng, random_formula, random_word};
pub use simplify::{Simplify, negation_normal_form, simplify};
pub use translate::{Effort, Steps, TranslateConfig, TranslateError, translate};
pub use why::{Explanation, Fact, Moments, Reason, explain};
pub use word::{LassoWord, WordError};
