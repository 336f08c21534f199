//! CFA: control-flow automata (`.cfa`).

mod build;
mod parse;
mod print;

pub(crate) use parse::parse;
pub(crate) use print::print;
