//! Terms over Booleans, integers, rationals, enumerations, bit-vectors and arrays.
//!
//! A [`Terms`] store owns everything: sorts, variables and hash-consed terms. Terms are [`TermId`]s,
//! `Copy`; equal ids are equal terms. Arguments are always older than the terms that hold them, so
//! increasing id order is a topological order: every traversal is a loop, none recurses.

mod build;
mod eval;
mod int;
mod linear;
mod op;
mod print;
mod rat;
mod sort;
mod subst;
mod table;
mod term;
mod value;

pub use eval::{Env, Evaluator};
pub use int::Int;
pub use op::{BvOp, Op, SortError};
pub use print::{Dialect, print_term, show_term};
pub use rat::Rat;
pub use sort::{EnumSort, Sort, SortId, Sorts};
pub use subst::Substitution;
pub use term::{Head, TermId, Terms, VarDecl, VarId};
pub use value::{ArrayValue, Value};
