//! Formulas as text in every tool's syntax, with all brackets or with as few as its table allows.
//!
//! An operator that a tool lacks is written out (`a M b` as `b U (a & b)`), so what is printed for a
//! tool means the same there. Past operators exist only in `NuSMV`; for the others they are printed in
//! our own spelling, and [`unreadable`] tells that the tool would not read them.
//!
//! Invariant: the parser with the same [`Syntax`] reads the text back as an equivalent formula, and as
//! the same one if no operator was written out.

use std::fmt;

use crate::formula::{FormulaId, Formulas, Op};
use crate::parse::{Assoc, BinaryOp, Syntax, UNARY_LEVEL, is_plain_name};

/// Which brackets are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Brackets {
    /// Around every operand that is an infix operator, or that starts with a prefix operator and has another to its right:
    /// `(G a) -> b` is not to be taken for `G(a -> b)`.
    All,
    /// Only where the table needs them.
    Minimal,
}

/// The longest text that is printed; shared subformulas can make a text exponentially long.
pub const MAX_TEXT: usize = 10_000_000;

/// The level of an operand whose brackets show where a prefix operator ends.
const SHOWN: u8 = UNARY_LEVEL + 1;

/// The formula is too large to be written as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the formula is longer than {MAX_TEXT} characters")
    }
}

impl std::error::Error for TooLarge {}

/// The text of `f`.
pub fn print_formula(
    formulas: &Formulas,
    f: FormulaId,
    syntax: Syntax,
    brackets: Brackets,
) -> Result<String, TooLarge> {
    let printer = Printer {
        formulas,
        syntax,
        brackets,
    };
    printer.print(f)
}

/// Why the tool of this syntax would not read the printed text, if it would not.
pub fn unreadable(formulas: &Formulas, f: FormulaId, syntax: Syntax) -> Option<String> {
    for g in formulas.subformulas(f) {
        match formulas.op(g) {
            Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T if syntax != Syntax::Smv => {
                return Some(format!("{syntax} has no past operators"));
            }
            Op::Ap(ap) => {
                let name = formulas.ap_name(ap);
                let quotes = matches!(syntax, Syntax::Spot | Syntax::CpaChecker | Syntax::Ultimate);
                if !quotes && !is_plain_name(name, syntax) {
                    return Some(format!("{syntax} has no atom of the name `{name}`"));
                }
            }
            _ => {}
        }
    }
    None
}

/// A formula, or an operator of the target syntax above formulas.
enum Item {
    Formula(FormulaId),
    Infix(BinaryOp, Vec<Self>),
}

/// What is still to be printed.
enum Piece {
    Text(&'static str),
    /// In brackets if it binds less tightly than the level.
    Item(Item, u8),
}

/// What an item looks like.
enum Shape {
    Leaf(String),
    Prefix(&'static str, Item),
    Infix(BinaryOp, Vec<Item>),
}

struct Printer<'a> {
    formulas: &'a Formulas,
    syntax: Syntax,
    brackets: Brackets,
}

impl Printer<'_> {
    fn print(&self, f: FormulaId) -> Result<String, TooLarge> {
        let mut out = String::new();
        let mut stack = vec![Piece::Item(Item::Formula(f), 0)];
        while let Some(piece) = stack.pop() {
            if out.len() > MAX_TEXT || stack.len() > MAX_TEXT {
                return Err(TooLarge);
            }
            let (item, need) = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Item(item, need) => (item, need),
            };
            let narrow = need == SHOWN && self.starts_temporally(&item);
            match self.shape(item) {
                Shape::Leaf(text) => {
                    if out.ends_with(char::is_alphanumeric) {
                        out.push(' ');
                    }
                    out.push_str(&text);
                }
                Shape::Prefix(word, operand) => {
                    if narrow {
                        out.push('(');
                        stack.push(Piece::Text(")"));
                    } else if out.ends_with(char::is_alphanumeric) {
                        out.push(' ');
                    }
                    out.push_str(word);
                    stack.push(Piece::Item(operand, UNARY_LEVEL));
                }
                Shape::Infix(op, operands) => {
                    let (level, assoc) = self.syntax.binary(op);
                    if level < need {
                        out.push('(');
                        stack.push(Piece::Text(")"));
                    }
                    let word = self.infix_word(op);
                    let last = operands.len() - 1;
                    for (i, operand) in operands.into_iter().enumerate().rev() {
                        let near = match assoc {
                            Assoc::Left => i == 0,
                            Assoc::Right => i == last,
                        };
                        let need = match self.brackets {
                            Brackets::All if i < last => SHOWN,
                            Brackets::All => UNARY_LEVEL,
                            Brackets::Minimal => level + u8::from(!near),
                        };
                        stack.push(Piece::Item(operand, need));
                        if i > 0 {
                            stack.extend([" ", word, " "].map(Piece::Text));
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// Whether an item starts with a temporal prefix operator, perhaps after negations.
    fn starts_temporally(&self, item: &Item) -> bool {
        let Item::Formula(mut f) = *item else {
            return false;
        };
        while self.formulas.op(f) == Op::Not {
            f = self.formulas.child(f, 0);
        }
        matches!(
            self.formulas.op(f),
            Op::X | Op::F | Op::G | Op::Y | Op::Z | Op::O | Op::H
        )
    }

    fn shape(&self, item: Item) -> Shape {
        let f = match item {
            Item::Infix(op, operands) => return Shape::Infix(op, operands),
            Item::Formula(f) => f,
        };
        let kids = self.formulas.children(f);
        let kid = |i: usize| Item::Formula(kids[i]);
        let infix = |op| Shape::Infix(op, kids.iter().map(|&kid| Item::Formula(kid)).collect());
        let signs = self.has_signs();
        match self.formulas.op(f) {
            Op::True => Shape::Leaf(self.constant("TRUE", "true")),
            Op::False => Shape::Leaf(self.constant("FALSE", "false")),
            Op::Ap(ap) => Shape::Leaf(self.atom(self.formulas.ap_name(ap))),
            Op::Not => Shape::Prefix("!", kid(0)),
            Op::X => Shape::Prefix("X", kid(0)),
            Op::F => Shape::Prefix(if signs { "<>" } else { "F" }, kid(0)),
            Op::G => Shape::Prefix(if signs { "[]" } else { "G" }, kid(0)),
            Op::Y => Shape::Prefix("Y", kid(0)),
            Op::Z => Shape::Prefix("Z", kid(0)),
            Op::O => Shape::Prefix("O", kid(0)),
            Op::H => Shape::Prefix("H", kid(0)),
            Op::And => infix(BinaryOp::And),
            Op::Or => infix(BinaryOp::Or),
            Op::Implies => infix(BinaryOp::Implies),
            Op::Iff => infix(BinaryOp::Iff),
            Op::Xor if signs => {
                let iff = Item::Infix(BinaryOp::Iff, vec![kid(0), kid(1)]);
                Shape::Prefix("!", iff)
            }
            Op::Xor => infix(BinaryOp::Xor),
            Op::U => infix(BinaryOp::Until),
            Op::R => infix(BinaryOp::Release),
            Op::W if matches!(self.syntax, Syntax::SpinNever | Syntax::Smv) => {
                let either = Item::Infix(BinaryOp::Or, vec![kid(0), kid(1)]);
                Shape::Infix(BinaryOp::Release, vec![kid(1), either])
            }
            Op::W => infix(BinaryOp::WeakUntil),
            Op::M if self.syntax == Syntax::Spot => infix(BinaryOp::StrongRelease),
            Op::M => {
                let both = Item::Infix(BinaryOp::And, vec![kid(0), kid(1)]);
                Shape::Infix(BinaryOp::Until, vec![kid(1), both])
            }
            Op::S => infix(BinaryOp::Since),
            Op::T => infix(BinaryOp::Triggered),
        }
    }

    /// Whether the syntax writes `[]`, `<>`, `&&` and `||`.
    fn has_signs(&self) -> bool {
        !matches!(self.syntax, Syntax::Spot | Syntax::Smv | Syntax::CpaChecker)
    }

    fn constant(&self, smv: &str, others: &str) -> String {
        let word = if self.syntax == Syntax::Smv {
            smv
        } else {
            others
        };
        word.to_owned()
    }

    fn atom(&self, name: &str) -> String {
        if self.syntax == Syntax::Ultimate && is_balanced(name) {
            return format!("AP({name})");
        }
        if is_plain_name(name, self.syntax) {
            return name.to_owned();
        }
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }

    fn infix_word(&self, op: BinaryOp) -> &'static str {
        let pick = |first: bool, word, other| if first { word } else { other };
        let doubled = self.has_signs();
        let ultimate = self.syntax == Syntax::Ultimate;
        let v = matches!(self.syntax, Syntax::Spin | Syntax::SpinNever | Syntax::Smv);
        match op {
            BinaryOp::And => pick(doubled, "&&", "&"),
            BinaryOp::Or => pick(doubled, "||", "|"),
            BinaryOp::Xor | BinaryOp::Xnor => "xor",
            BinaryOp::Implies | BinaryOp::LeadsTo => pick(ultimate, "==>", "->"),
            BinaryOp::Iff => pick(ultimate, "<==>", "<->"),
            BinaryOp::Until => "U",
            BinaryOp::WeakUntil => pick(ultimate, "WU", "W"),
            BinaryOp::Release => pick(v, "V", "R"),
            BinaryOp::StrongRelease => "M",
            BinaryOp::Since if self.syntax == Syntax::Smv => "S",
            BinaryOp::Since => "since",
            BinaryOp::Triggered => "T",
        }
    }
}

/// Whether `AP(name)` is read back as that name.
fn is_balanced(name: &str) -> bool {
    let mut depth = 0i64;
    for c in name.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && name.trim() == name && !name.is_empty()
}
