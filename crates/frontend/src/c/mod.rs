//! C programs (`.c`, preprocessed `.i`).
//!
//! Text to a syntax tree with types (`syntax/`, `types`), the tree to a control-flow system (`lower`, which `control/`,
//! `memory/`, `integer/` and `expression` add to). What is a step, what is observed and how integers are read
//! is described in `docs/languages.md`.

mod atom;
mod control;
mod expression;
mod facts;
mod integer;
mod link;
mod lower;
mod memory;
mod program;
mod provenance;
mod syntax;
mod types;

pub(crate) use atom::{Names, locations_named, parse_atom};
pub use integer::arith::IntMode;
pub use program::needs_preprocessor;
pub(crate) use program::parse;
pub use syntax::preprocess::NEEDS_CPP;

/// What becomes of files that a program includes by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Includes {
    /// They need the system's preprocessor ([`NEEDS_CPP`]).
    #[default]
    Needed,
    /// They are left out.
    Skipped,
    /// The text is the output of a preprocessor, with the definitions of macros: formulas know these, and they are not
    /// expanded again.
    Done,
}

/// What a read of a volatile object gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Volatile {
    /// Any value of its type, each time.
    #[default]
    Inputs,
    /// What the program stored last, as for any other object.
    Ignore,
}

/// How a C program is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct COptions {
    /// How integers are read.
    pub ints: IntMode,
    /// What becomes of files that a program includes by name.
    pub includes: Includes,
    /// Whether signed overflow leads to the location `overflow`, for the property `G ! overflow`.
    pub overflow: bool,
    /// Whether a run counts that comes to no further `__VERIFIER_ltl_step()`: its last letter repeats.
    pub hangs: bool,
    /// What a read of a volatile object gives.
    pub volatile: Volatile,
    /// How often a function may be entered again while it is active. Where it would be entered once
    /// more, the model is cut off: control goes to a location with the role `LocRole::Cut`. With 0
    /// recursion is refused instead.
    pub recursion: u32,
}
