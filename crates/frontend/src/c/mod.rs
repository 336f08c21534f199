//! C programs (`.c`, preprocessed `.i`).
//!
//! Text to tokens (`scan`, `preprocess`), tokens to a syntax tree with types (`parse*`, `types`), the tree
//! to a control-flow system (`lower` and its parts). What is a step, what is observed and how integers are read
//! stands in `docs/languages.md`.

mod arith;
mod ast;
mod atom;
mod call;
mod edge;
mod expression;
mod facts;
mod fold;
mod graph;
mod hoist;
mod initial;
mod lower;
mod object;
mod overflow;
mod parse;
mod parse_expr;
mod parse_stmt;
mod parse_type;
mod place;
mod pointer;
mod preprocess;
mod program;
mod provenance;
mod scan;
mod statement;
mod token;
mod types;

pub use arith::IntMode;
pub(crate) use atom::{Names, locations_named, parse_atom};
pub use preprocess::NEEDS_CPP;
pub(crate) use program::parse;

/// How a C program is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct COptions {
    /// How integers are read.
    pub ints: IntMode,
    /// Whether files that a program includes by name are left out.
    pub skip_includes: bool,
    /// Whether signed overflow leads to the location `overflow`, for the property `G ! overflow`.
    pub overflow: bool,
    /// How often a function may be entered again while it is active. Where it would be entered once
    /// more, the model is cut off: control goes to a location with the role `LocRole::Cut`. With 0
    /// recursion is refused instead.
    pub recursion: u32,
}
