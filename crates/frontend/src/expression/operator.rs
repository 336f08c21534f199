//! The table of binary operators: who spells them how, and how tightly they bind.

use crate::token::{Syntax, Tok};
use lariat_expr::BvOp;

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Iff,
    Imply,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    /// `/`: of integers or of rationals.
    Divide,
    Div,
    Mod,
    Rem,
    Bv(BvOp),
    /// A comparison of bit-vectors with its sides exchanged.
    BvSwapped(BvOp),
}

/// How tightly operators bind, loosest first.
pub(crate) mod level {
    pub const ANY: u8 = 0;
    pub const IFF: u8 = 1;
    pub const IMPLY: u8 = 2;
    pub const OR: u8 = 3;
    pub const XOR: u8 = 4;
    pub const AND: u8 = 5;
    pub const NOT: u8 = 6;
    pub const EQ: u8 = 7;
    pub const ORDER: u8 = 8;
    pub const BV_OR: u8 = 9;
    pub const BV_XOR: u8 = 10;
    pub const BV_AND: u8 = 11;
    pub const SHIFT: u8 = 12;
    pub const SUM: u8 = 13;
    pub const PRODUCT: u8 = 14;
    pub const CONCAT: u8 = 15;
}

impl Binary {
    /// How tightly it binds.
    pub fn level(self) -> u8 {
        match self {
            Self::Iff => level::IFF,
            Self::Imply => level::IMPLY,
            Self::Or => level::OR,
            Self::Xor => level::XOR,
            Self::And => level::AND,
            Self::Eq | Self::Ne => level::EQ,
            Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::BvSwapped(_) => level::ORDER,
            Self::Add | Self::Sub => level::SUM,
            Self::Mul | Self::Divide | Self::Div | Self::Mod | Self::Rem => level::PRODUCT,
            Self::Bv(op) => match op {
                BvOp::Ult | BvOp::Ule | BvOp::Slt | BvOp::Sle => level::ORDER,
                BvOp::Or => level::BV_OR,
                BvOp::Xor => level::BV_XOR,
                BvOp::And => level::BV_AND,
                BvOp::Shl | BvOp::Ashr | BvOp::Lshr | BvOp::Rotl | BvOp::Rotr => level::SHIFT,
                BvOp::Add | BvOp::Sub => level::SUM,
                BvOp::Concat => level::CONCAT,
                _ => level::PRODUCT,
            },
        }
    }

    /// Whether `a op b op c` has no meaning.
    pub fn never_chains(self) -> bool {
        matches!(self.level(), level::EQ | level::ORDER)
    }
}

const XSTS: u8 = 1;
const CFA: u8 = 2;
const STS: u8 = 4;
const GCL: u8 = 8;
const PROPERTY: u8 = 16;
const THETA: u8 = CFA | STS;
const OURS: u8 = GCL | PROPERTY;
const ALL: u8 = XSTS | THETA | OURS;
const BV: u8 = CFA | PROPERTY;

/// The operator that a token is in a syntax.
pub(crate) fn binary(tok: Tok, syntax: Syntax) -> Option<Binary> {
    let (operator, spoken_in) = spelling(tok)?;
    let here = match syntax {
        Syntax::Xsts => XSTS,
        Syntax::Cfa => CFA,
        Syntax::Sts => STS,
        Syntax::Gcl => GCL,
        Syntax::Property => PROPERTY,
    };
    (spoken_in & here != 0).then_some(operator)
}

/// How a syntax spells an operator that the text spells otherwise.
pub(crate) fn advice(text: &str, syntax: Syntax) -> Option<String> {
    let (xsts, theta) = match text {
        "=" | "==" | "===" => ("==", "="),
        "!=" | "/=" | "<>" => ("!=", "/="),
        "and" | "&" | "&&" | "/\\" => ("&&", "and"),
        "or" | "|" | "||" | "\\/" => ("||", "or"),
        "not" | "!" | "~" => ("!", "not"),
        "->" | "=>" | "imply" | "implies" => ("=>", "imply"),
        "<->" | "<=>" | "iff" | "equal" => ("iff", "iff"),
        "^" => ("xor", "xor"),
        "div" => ("/", "div"),
        "mod" | "%" => ("%", "mod"),
        _ => return None,
    };
    let (right, name) = match syntax {
        Syntax::Xsts => (xsts, "XSTS"),
        Syntax::Cfa => (theta, "CFA"),
        Syntax::Sts => (theta, "STS"),
        Syntax::Gcl if text == "->" => ("=>", "GCL"),
        Syntax::Gcl | Syntax::Property => return None,
    };
    (right != text).then(|| format!("write `{right}` in {name}"))
}

fn spelling(tok: Tok) -> Option<(Binary, u8)> {
    Some(match tok {
        Tok::Iff => (Binary::Iff, ALL),
        Tok::BothArrow | Tok::BothDoubleArrow => (Binary::Iff, OURS),
        Tok::Imply => (Binary::Imply, THETA | OURS),
        Tok::DoubleArrow => (Binary::Imply, XSTS | OURS),
        Tok::RArrow => (Binary::Imply, PROPERTY),
        Tok::Or => (Binary::Or, THETA | OURS),
        Tok::PipePipe => (Binary::Or, XSTS | OURS),
        Tok::Pipe | Tok::Vee => (Binary::Or, OURS),
        Tok::Xor => (Binary::Xor, ALL),
        Tok::Caret => (Binary::Xor, OURS),
        Tok::And => (Binary::And, THETA | OURS),
        Tok::AmpAmp => (Binary::And, XSTS | OURS),
        Tok::Amp | Tok::Wedge => (Binary::And, OURS),
        Tok::Single => (Binary::Eq, THETA | OURS),
        Tok::Double => (Binary::Eq, XSTS | OURS),
        Tok::BangEq => (Binary::Ne, XSTS | OURS),
        Tok::SlashEq => (Binary::Ne, THETA | OURS),
        Tok::Lt => (Binary::Lt, ALL),
        Tok::Le => (Binary::Le, ALL),
        Tok::Gt => (Binary::Gt, ALL),
        Tok::Ge => (Binary::Ge, ALL),
        Tok::Plus => (Binary::Add, ALL),
        Tok::Minus => (Binary::Sub, ALL),
        Tok::Star => (Binary::Mul, ALL),
        Tok::Slash => (Binary::Divide, ALL),
        Tok::Percent => (Binary::Mod, XSTS | OURS),
        Tok::Div => (Binary::Div, THETA | OURS),
        Tok::Mod => (Binary::Mod, THETA | OURS),
        Tok::Rem => (Binary::Rem, ALL),
        Tok::PlusPlus => (Binary::Bv(BvOp::Concat), BV),
        _ => (bit_vector(tok)?, BV),
    })
}

fn bit_vector(tok: Tok) -> Option<Binary> {
    Some(Binary::Bv(match tok {
        Tok::BvAdd => BvOp::Add,
        Tok::BvSub => BvOp::Sub,
        Tok::BvMul => BvOp::Mul,
        Tok::BvUdiv => BvOp::Udiv,
        Tok::BvSdiv => BvOp::Sdiv,
        Tok::BvSmod => BvOp::Smod,
        Tok::BvUrem => BvOp::Urem,
        Tok::BvSrem => BvOp::Srem,
        Tok::BvAnd => BvOp::And,
        Tok::BvOr => BvOp::Or,
        Tok::BvXor => BvOp::Xor,
        Tok::BvShl => BvOp::Shl,
        Tok::BvAshr => BvOp::Ashr,
        Tok::BvLshr => BvOp::Lshr,
        Tok::BvRol => BvOp::Rotl,
        Tok::BvRor => BvOp::Rotr,
        Tok::BvUlt => BvOp::Ult,
        Tok::BvUle => BvOp::Ule,
        Tok::BvSlt => BvOp::Slt,
        Tok::BvSle => BvOp::Sle,
        Tok::BvUgt => return Some(Binary::BvSwapped(BvOp::Ult)),
        Tok::BvUge => return Some(Binary::BvSwapped(BvOp::Ule)),
        Tok::BvSgt => return Some(Binary::BvSwapped(BvOp::Slt)),
        Tok::BvSge => return Some(Binary::BvSwapped(BvOp::Sle)),
        _ => return None,
    }))
}
