//! The precedence tables of the tools whose syntax we read.
//!
//! Higher levels bind tighter. All tables share the levels of prefix operators and of the model's
//! expressions: a comparison binds tighter than `!` and every temporal operator, so `F not x = 1` is
//! `F(not(x = 1))`. `NuSMV` is the exception: there `!` binds tighter than `=`.

use std::fmt;
use std::str::FromStr;

use super::token::{BinaryOp, TermOp, UnaryOp};

/// Whose precedence table, and whose reading of `S`, a formula is read with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Syntax {
    /// Spot; the default.
    #[default]
    Spot,
    /// Spin's `ltl { … }` blocks.
    Spin,
    /// `spin -f`, LTL2BA and LTL3BA: `&&`, `||`, `->` and `<->` on one level.
    SpinNever,
    /// `NuSMV` and nuXmv.
    Smv,
    /// `CPAchecker` and Owl: `->` binds tighter than `&`.
    CpaChecker,
    /// `LTSmin`: `U` binds loosest.
    Ltsmin,
    /// Ultimate's `//@ ltl invariant`.
    Ultimate,
}

impl Syntax {
    /// Every syntax, with the name it has on the command line.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Spot, "spot"),
        (Self::Spin, "spin"),
        (Self::SpinNever, "never"),
        (Self::Smv, "smv"),
        (Self::CpaChecker, "cpachecker"),
        (Self::Ltsmin, "ltsmin"),
        (Self::Ultimate, "ultimate"),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(syntax, _)| *syntax == self)
            .map_or("spot", |(_, name)| name)
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Syntax {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let name = match name {
            "owl" => "cpachecker",
            "ltl2ba" | "ltl3ba" => "never",
            "nusmv" | "nuxmv" => "smv",
            name => name,
        };
        let found = Self::ALL.iter().find(|(_, n)| *n == name);
        found.map(|(syntax, _)| *syntax).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(_, n)| *n).collect();
            format!("unknown syntax `{name}`; known are {}", names.join(", "))
        })
    }
}

/// How operators of one level group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Assoc {
    Left,
    Right,
}

/// The level of `if … then … else …`, which reaches as far right as it can.
pub(crate) const IF_LEVEL: u8 = 1;
/// The level of `… ? … : …`.
pub(crate) const CHOICE_LEVEL: u8 = 15;
/// The level of prefix operators of the logic.
pub(crate) const UNARY_LEVEL: u8 = 60;
/// The level of a number's sign.
pub(crate) const SIGN_LEVEL: u8 = 90;

impl Syntax {
    /// The level of an infix operator and how it groups.
    pub(crate) fn binary(self, op: BinaryOp) -> (u8, Assoc) {
        use Assoc::{Left, Right};
        use BinaryOp::{And, Iff, Implies, LeadsTo, Or, Xnor, Xor};
        match (self, op) {
            (Self::Spot, Implies | Iff | LeadsTo) => (10, Right),
            (Self::Spin, Implies | Iff | LeadsTo) | (Self::Ltsmin, Implies | LeadsTo) => (10, Left),
            (Self::SpinNever, And | Or | Xor | Xnor | Implies | Iff | LeadsTo) => (10, Left),
            (Self::CpaChecker, Or) => (20, Left),
            (Self::CpaChecker, And) => (30, Left),
            (Self::CpaChecker, _) => (40, Right),
            (Self::Ultimate, Iff) => (8, Left),
            (_, Implies | LeadsTo) => (10, Right),
            (_, Iff) => (12, Left),
            (_, Or) | (Self::Smv, Xor | Xnor) => (20, Left),
            (Self::Ltsmin, Xor | Xnor) => (16, Left),
            (_, Xor | Xnor) => (30, Left),
            (_, And) => (40, Left),
            (Self::Ltsmin, _) => (5, Left),
            (Self::Spot, _) => (50, Right),
            (_, _) => (50, Left),
        }
    }

    /// The level of a prefix operator.
    pub(crate) fn unary(self, op: UnaryOp) -> u8 {
        if self == Self::Smv && op == UnaryOp::Not {
            75
        } else {
            UNARY_LEVEL
        }
    }
}

/// The level of an operator of the model's expressions.
pub(crate) fn term_level(op: TermOp) -> u8 {
    match op {
        TermOp::Compare => 70,
        TermOp::Add => 80,
        TermOp::Multiply => 85,
    }
}
