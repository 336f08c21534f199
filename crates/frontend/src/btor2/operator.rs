//! The operators of BTOR2 on nodes, with their widths checked.

use super::node::{Node, Sort, op};
use lariat_expr::{BvOp, Int, Op, TermId, Terms};

/// The operands that an operator takes, besides its sort.
pub(super) fn arity(name: &str) -> Option<usize> {
    Some(match name {
        "not" | "inc" | "dec" | "neg" | "redand" | "redor" | "redxor" => 1,
        "ite" | "write" => 3,
        "iff" | "implies" | "eq" | "neq" | "ugt" | "ugte" | "ult" | "ulte" | "sgt" | "sgte"
        | "slt" | "slte" | "and" | "nand" | "nor" | "or" | "xnor" | "xor" | "sll" | "srl"
        | "sra" | "rol" | "ror" | "add" | "sub" | "mul" | "udiv" | "sdiv" | "urem" | "srem"
        | "smod" | "uaddo" | "saddo" | "usubo" | "ssubo" | "umulo" | "smulo" | "sdivo"
        | "concat" | "read" => 2,
        _ => return None,
    })
}

/// All names, for suggestions.
pub(super) const NAMES: [&str; 47] = [
    "not", "inc", "dec", "neg", "redand", "redor", "redxor", "ite", "write", "iff", "implies",
    "eq", "neq", "ugt", "ugte", "ult", "ulte", "sgt", "sgte", "slt", "slte", "and", "nand", "nor",
    "or", "xnor", "xor", "sll", "srl", "sra", "rol", "ror", "add", "sub", "mul", "udiv", "sdiv",
    "urem", "srem", "smod", "uaddo", "saddo", "usubo", "ssubo", "umulo", "smulo", "sdivo",
];

/// The value of an operator of [`arity`] on that many operands; what it does not take otherwise.
pub(super) fn apply(terms: &mut Terms, name: &str, args: &[Node]) -> Result<Node, String> {
    let misfit = || {
        let given: Vec<String> = args.iter().map(|arg| arg.sort.describe()).collect();
        format!("`{name}` does not take {}", given.join(" and "))
    };
    let node = match *args {
        [arg] => unary(terms, name, arg),
        [left, right] => binary(terms, name, left, right),
        [first, second, third] => ternary(terms, name, first, second, third),
        _ => None,
    };
    node.ok_or_else(misfit)
}

fn unary(terms: &mut Terms, name: &str, arg: Node) -> Option<Node> {
    let Sort::Bits(width) = arg.sort else {
        return None;
    };
    let bits = arg.bits(terms);
    Some(match name {
        "not" => arg.complement(terms),
        "neg" => vector(terms, width, BvOp::Neg, &[bits]),
        "inc" | "dec" => {
            let by = if name == "inc" { 1 } else { -1 };
            let by = Node::constant(terms, width, &Int::from(by));
            return binary(terms, "add", arg, by);
        }
        "redand" | "redor" => {
            let (value, is_and) = if name == "redand" {
                (-1, true)
            } else {
                (0, false)
            };
            let value = Node::constant(terms, width, &Int::from(value));
            let same = terms.eq(arg.term, value.term);
            Node::truth(if is_and { same } else { terms.not(same) })
        }
        _ => {
            let mut odd = terms.bool(false);
            for at in 0..width {
                let bit = extract(terms, bits, at, at);
                odd = xor(terms, odd, bit.term);
            }
            Node::truth(odd)
        }
    })
}

fn binary(terms: &mut Terms, name: &str, left: Node, right: Node) -> Option<Node> {
    match (name, left.sort, right.sort) {
        ("read", Sort::Array(index, element), Sort::Bits(width)) if index == width => {
            let at = right.bits(terms);
            let value = terms.select(left.term, at);
            Some(Node::vector(terms, element, value))
        }
        ("concat", Sort::Bits(high), Sort::Bits(low)) => {
            let args = [left.bits(terms), right.bits(terms)];
            let width = high.checked_add(low)?;
            Some(vector(terms, width, BvOp::Concat, &args))
        }
        ("eq" | "neq", left_sort, right_sort) if left_sort == right_sort => {
            let same = terms.eq(left.term, right.term);
            Some(Node::truth(if name == "eq" {
                same
            } else {
                terms.not(same)
            }))
        }
        (_, Sort::Bits(width), Sort::Bits(other)) if width == other => (width == 1)
            .then(|| on_bits(terms, name, left.term, right.term))
            .flatten()
            .or_else(|| {
                let args = [left.bits(terms), right.bits(terms)];
                on_vectors(terms, name, width, args)
            }),
        _ => None,
    }
}

fn ternary(terms: &mut Terms, name: &str, first: Node, second: Node, third: Node) -> Option<Node> {
    match (name, first.sort, second.sort, third.sort) {
        ("ite", Sort::Bits(1), then, otherwise) if then == otherwise => {
            let term = terms.ite(first.term, second.term, third.term);
            Some(Node { sort: then, term })
        }
        ("write", Sort::Array(index, element), Sort::Bits(at), Sort::Bits(value))
            if (index, element) == (at, value) =>
        {
            let (at, value) = (second.bits(terms), third.bits(terms));
            let term = terms.store(first.term, at, value);
            Some(Node { term, ..first })
        }
        _ => None,
    }
}

/// Operators that are plain logic on truth values.
fn on_bits(terms: &mut Terms, name: &str, left: TermId, right: TermId) -> Option<Node> {
    let term = match name {
        "and" | "mul" => terms.gate(Op::And, left, right),
        "nand" => {
            let both = terms.gate(Op::And, left, right);
            terms.not(both)
        }
        "or" => terms.gate(Op::Or, left, right),
        "nor" => {
            let any = terms.gate(Op::Or, left, right);
            terms.not(any)
        }
        "xor" | "add" | "sub" => xor(terms, left, right),
        "xnor" | "iff" => terms.eq(left, right),
        "implies" => {
            let not_left = terms.not(left);
            terms.gate(Op::Or, not_left, right)
        }
        _ => return None,
    };
    Some(Node::truth(term))
}

fn on_vectors(terms: &mut Terms, name: &str, width: u32, args: [TermId; 2]) -> Option<Node> {
    let [left, right] = args;
    let swapped = [right, left];
    let plain = match name {
        "and" => BvOp::And,
        "or" => BvOp::Or,
        "xor" => BvOp::Xor,
        "sll" => BvOp::Shl,
        "srl" => BvOp::Lshr,
        "sra" => BvOp::Ashr,
        "rol" => BvOp::Rotl,
        "ror" => BvOp::Rotr,
        "add" => BvOp::Add,
        "sub" => BvOp::Sub,
        "mul" => BvOp::Mul,
        "udiv" => BvOp::Udiv,
        "sdiv" => BvOp::Sdiv,
        "urem" => BvOp::Urem,
        "srem" => BvOp::Srem,
        "smod" => BvOp::Smod,
        "nand" | "nor" | "xnor" => {
            let inner =
                ["and", "or", "xor"][["nand", "nor", "xnor"].iter().position(|&n| n == name)?];
            let inner = on_vectors(terms, inner, width, args)?;
            return Some(inner.complement(terms));
        }
        "ult" => return Some(compare(terms, BvOp::Ult, args)),
        "ulte" => return Some(compare(terms, BvOp::Ule, args)),
        "ugt" => return Some(compare(terms, BvOp::Ult, swapped)),
        "ugte" => return Some(compare(terms, BvOp::Ule, swapped)),
        "slt" => return Some(compare(terms, BvOp::Slt, args)),
        "slte" => return Some(compare(terms, BvOp::Sle, args)),
        "sgt" => return Some(compare(terms, BvOp::Slt, swapped)),
        "sgte" => return Some(compare(terms, BvOp::Sle, swapped)),
        "uaddo" => return Some(overflow(terms, "add", Sign::Unsigned, width, args)),
        "usubo" => return Some(compare(terms, BvOp::Ult, args)),
        "umulo" => return Some(overflow(terms, "mul", Sign::Unsigned, width, args)),
        "saddo" => return Some(overflow(terms, "add", Sign::Signed, width, args)),
        "ssubo" => return Some(overflow(terms, "sub", Sign::Signed, width, args)),
        "smulo" => return Some(overflow(terms, "mul", Sign::Signed, width, args)),
        "sdivo" => return Some(division_overflow(terms, width, args)),
        _ => return None,
    };
    Some(vector(terms, width, plain, &args))
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Signed,
    Unsigned,
}

/// Whether the exact result of an operator, which fits twice the width, does not fit the width of the operands.
fn overflow(terms: &mut Terms, name: &str, sign: Sign, width: u32, args: [TermId; 2]) -> Node {
    let wide = 2 * width;
    let extension = match sign {
        Sign::Signed => BvOp::Sext(wide),
        Sign::Unsigned => BvOp::Zext(wide),
    };
    let exact = args.map(|arg| op(terms, extension, &[arg]));
    let exact = on_vectors(terms, name, wide, exact).expect("it is an operator");
    let [left, right] = args.map(|arg| Node::vector(terms, width, arg));
    let cut = binary(terms, name, left, right).expect("it is an operator");
    let cut = cut.bits(terms);
    let cut = op(terms, extension, &[cut]);
    let same = terms.eq(exact.term, cut);
    Node::truth(terms.not(same))
}

/// The least number divided by minus one: the one quotient that does not fit.
fn division_overflow(terms: &mut Terms, width: u32, [left, right]: [TermId; 2]) -> Node {
    let mut equals = |arg: TermId, value: Int| {
        let arg = Node::vector(terms, width, arg);
        let value = Node::constant(terms, width, &value);
        terms.eq(arg.term, value.term)
    };
    let both = [
        equals(left, Int::power_of_two(width - 1)),
        equals(right, Int::from(-1)),
    ];
    Node::truth(terms.and(&both))
}

fn compare(terms: &mut Terms, by: BvOp, args: [TermId; 2]) -> Node {
    Node::truth(op(terms, by, &args))
}

fn vector(terms: &mut Terms, width: u32, by: BvOp, args: &[TermId]) -> Node {
    let term = op(terms, by, args);
    Node::vector(terms, width, term)
}

/// Bits `high` down to `low` of a vector.
pub(super) fn extract(terms: &mut Terms, bits: TermId, high: u32, low: u32) -> Node {
    vector(terms, high - low + 1, BvOp::Extract { high, low }, &[bits])
}

fn xor(terms: &mut Terms, left: TermId, right: TermId) -> TermId {
    let same = terms
        .build(Op::Eq, &[left, right])
        .expect("both are truth values");
    terms.not(same)
}
