//! VMT-LIB (`.vmt`, `.smt2`): a transition system as a script of SMT-LIB, in which everything is said by annotations on terms.
//!
//! A state has the values of the state variables and the inputs of the step that leaves it; every state is observed. What a property reads
//! of the next state is remembered in variables of the model (`read`), which are state variables like any others: a model that is
//! printed has them too.

mod print;
mod read;

pub(crate) use print::print;
pub(crate) use read::parse;
