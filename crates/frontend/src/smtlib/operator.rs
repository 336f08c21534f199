//! The operators of SMT-LIB's theories on terms: core, integers and reals, arrays, bit-vectors.
//!
//! An integer among reals counts as a real, as files have it (`(= x 0)`). Conjunctions and disjunctions are taken apart only
//! while they are short: a chain of definitions, each a conjunction with the one before, would be copied once for each.

use lariat_expr::{BvOp, Int, Op, SortError, TermId, Terms, Value};

/// A junction with a longer one inside keeps that as it is.
const SHORT: usize = 8;

/// Where an operator is not to be had.
pub(super) enum Failed {
    /// There is no operator of this name.
    Unknown,
    /// It does not take these operands.
    Operands,
    /// Something else.
    Other(String),
}

impl From<SortError> for Failed {
    fn from(_: SortError) -> Self {
        Self::Operands
    }
}

type Applied = Result<TermId, Failed>;

/// All names without indices, for suggestions.
pub(super) const NAMES: [&str; 73] = [
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "+",
    "-",
    "*",
    "/",
    "div",
    "mod",
    "abs",
    "<=",
    "<",
    ">=",
    ">",
    "to_real",
    "to_int",
    "is_int",
    "select",
    "store",
    "concat",
    "bvnot",
    "bvneg",
    "bvand",
    "bvor",
    "bvxor",
    "bvnand",
    "bvnor",
    "bvxnor",
    "bvcomp",
    "bvadd",
    "bvsub",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvult",
    "bvule",
    "bvugt",
    "bvuge",
    "bvslt",
    "bvsle",
    "bvsgt",
    "bvsge",
    "bvredand",
    "bvredor",
    "bv2nat",
    "ubv_to_int",
    "ltl.X",
    "ltl.F",
    "ltl.G",
    "ltl.U",
    "ltl.R",
    "ltl.W",
    "ltl.M",
    "ltl.Y",
    "ltl.Z",
    "ltl.H",
    "ltl.O",
    "ltl.S",
    "ltl.T",
    "let",
    "!=",
    "!",
];

/// An operator applied to operands. Those of bit-vectors may have indices.
pub(super) fn apply(terms: &mut Terms, name: &str, indices: &[u32], args: &[TermId]) -> Applied {
    if !indices.is_empty() {
        return indexed(terms, name, indices, args);
    }
    if let Some(op) = bit_vector(name) {
        return fold_left(terms, Op::Bv(op), args, is_left_associative(op));
    }
    match (name, args) {
        ("not", &[arg]) => Ok(terms.build(Op::Not, &[arg])?),
        ("and", args) => junction(terms, Op::And, args),
        ("or", args) => junction(terms, Op::Or, args),
        ("=>", &[ref premises @ .., last]) if !premises.is_empty() => {
            let mut result = last;
            for &premise in premises.iter().rev() {
                let not = terms.build(Op::Not, &[premise])?;
                result = junction(terms, Op::Or, &[not, result])?;
            }
            Ok(result)
        }
        ("xor", &[first, ref rest @ ..]) if !rest.is_empty() => {
            let mut result = first;
            for &arg in rest {
                let same = if is_bool(terms, arg) {
                    terms.build(Op::Eq, &[result, arg])?
                } else {
                    return Err(Failed::Operands);
                };
                result = terms.not(same);
            }
            Ok(result)
        }
        ("=", args) => chain(terms, args, |terms, left, right| {
            Ok(terms.build(Op::Eq, &[left, right])?)
        }),
        ("distinct" | "!=", args) => distinct(terms, args),
        ("ite", &[condition, ..]) if args.len() == 3 => {
            let args = promoted(terms, &args[1..])?;
            if_then_else(terms, condition, args[0], args[1])
        }
        ("<=" | "<" | ">=" | ">", args) => chain(terms, args, |terms, left, right| {
            let (op, flipped) = match name {
                "<=" => (Op::Le, false),
                "<" => (Op::Lt, false),
                ">=" => (Op::Le, true),
                _ => (Op::Lt, true),
            };
            let sides = if flipped {
                [right, left]
            } else {
                [left, right]
            };
            Ok(terms.build(op, &sides)?)
        }),
        ("select", &[array, index]) => {
            let index = as_part(terms, array, index, 0)?;
            Ok(terms.build(Op::Select, &[array, index])?)
        }
        ("store", &[array, index, value]) => {
            let index = as_part(terms, array, index, 0)?;
            let value = as_part(terms, array, value, 1)?;
            Ok(terms.build(Op::Store, &[array, index, value])?)
        }
        ("bvnand", &[_, _]) => complement(terms, BvOp::And, args),
        ("bvnor", &[_, _]) => complement(terms, BvOp::Or, args),
        ("bvxnor", &[_, _]) => complement(terms, BvOp::Xor, args),
        ("bvcomp", &[left, right]) => {
            let same = terms.build(Op::Eq, &[left, right])?;
            Ok(bit_of(terms, same))
        }
        ("bvredand", &[arg]) => {
            let none = terms.build(Op::Bv(BvOp::Not), &[arg])?;
            let none = is_zero(terms, none);
            Ok(bit_of(terms, none))
        }
        ("bvredor", &[arg]) => {
            terms.build(Op::Bv(BvOp::Not), &[arg])?;
            let none = is_zero(terms, arg);
            let some = terms.not(none);
            Ok(bit_of(terms, some))
        }
        ("bvugt", &[left, right]) => Ok(terms.build(Op::Bv(BvOp::Ult), &[right, left])?),
        ("bvuge", &[left, right]) => Ok(terms.build(Op::Bv(BvOp::Ule), &[right, left])?),
        ("bvsgt", &[left, right]) => Ok(terms.build(Op::Bv(BvOp::Slt), &[right, left])?),
        ("bvsge", &[left, right]) => Ok(terms.build(Op::Bv(BvOp::Sle), &[right, left])?),
        _ => arithmetic(terms, name, args),
    }
}

fn arithmetic(terms: &mut Terms, name: &str, args: &[TermId]) -> Applied {
    let args = &*promoted(terms, args)?;
    match (name, args) {
        ("+", [_, ..]) => Ok(terms.build(Op::Add, args)?),
        ("*", [_, ..]) => Ok(terms.build(Op::Mul, args)?),
        ("-", &[arg]) => {
            number(terms, arg)?;
            Ok(terms.neg(arg))
        }
        ("-", &[first, ref rest @ ..]) => {
            let mut parts = vec![first];
            for &arg in rest {
                number(terms, arg)?;
                parts.push(terms.neg(arg));
            }
            Ok(terms.build(Op::Add, &parts)?)
        }
        ("/", &[first, ref rest @ ..]) if !rest.is_empty() => {
            let mut result = as_real(terms, first)?;
            for &arg in rest {
                let arg = as_real(terms, arg)?;
                result = terms.build(Op::RatDiv, &[result, arg])?;
            }
            Ok(result)
        }
        ("div", [_, _, ..]) => fold_left(terms, Op::Div, args, true),
        ("mod", [_, _]) => Ok(terms.build(Op::Mod, args)?),
        ("abs", &[arg]) => {
            number(terms, arg)?;
            let negated = terms.neg(arg);
            let zero = terms.add(&[arg, negated]);
            let is_negative = terms.lt(arg, zero);
            Ok(terms.ite(is_negative, negated, arg))
        }
        ("to_real", &[arg]) => as_real(terms, arg),
        ("to_int", &[arg]) => Ok(terms.build(Op::ToInt, &[arg])?),
        ("is_int", &[arg]) => {
            let floor = terms.build(Op::ToInt, &[arg])?;
            let floor = terms.build(Op::ToRat, &[floor])?;
            Ok(terms.eq(arg, floor))
        }
        _ if NAMES.contains(&name) => Err(Failed::Operands),
        _ => Err(Failed::Unknown),
    }
}

/// The operators of bit-vectors that are ours under another name.
fn bit_vector(name: &str) -> Option<BvOp> {
    Some(match name {
        "bvnot" => BvOp::Not,
        "bvneg" => BvOp::Neg,
        "bvand" => BvOp::And,
        "bvor" => BvOp::Or,
        "bvxor" => BvOp::Xor,
        "bvadd" => BvOp::Add,
        "bvsub" => BvOp::Sub,
        "bvmul" => BvOp::Mul,
        "bvudiv" => BvOp::Udiv,
        "bvurem" => BvOp::Urem,
        "bvsdiv" => BvOp::Sdiv,
        "bvsrem" => BvOp::Srem,
        "bvsmod" => BvOp::Smod,
        "bvshl" => BvOp::Shl,
        "bvlshr" => BvOp::Lshr,
        "bvashr" => BvOp::Ashr,
        "bvult" => BvOp::Ult,
        "bvule" => BvOp::Ule,
        "bvslt" => BvOp::Slt,
        "bvsle" => BvOp::Sle,
        "concat" => BvOp::Concat,
        "bv2nat" | "ubv_to_int" => BvOp::ToNat,
        _ => return None,
    })
}

fn is_left_associative(op: BvOp) -> bool {
    op.is_commutative() || op == BvOp::Concat
}

/// An operator with numbers in its name: `(_ extract 3 0)`.
fn indexed(terms: &mut Terms, name: &str, indices: &[u32], args: &[TermId]) -> Applied {
    let &[arg] = args else {
        return Err(Failed::Operands);
    };
    let sort = terms.sort(arg);
    let width = terms.sorts.bv_width(sort);
    let wider = |by: u32| {
        let wide = width.and_then(|width| width.checked_add(by));
        wide.filter(|&wide| wide <= 65_536).ok_or(Failed::Operands)
    };
    let op = match (name, indices) {
        ("extract", &[high, low]) => BvOp::Extract { high, low },
        ("zero_extend", &[by]) => BvOp::Zext(wider(by)?),
        ("sign_extend", &[by]) => BvOp::Sext(wider(by)?),
        ("rotate_left" | "rotate_right", &[by]) => {
            let width = width.ok_or(Failed::Operands)?;
            // A distance is a vector of the same width here, which holds it modulo that width.
            let by = Int::from(i64::from(by % width));
            let by = terms.lit(Value::Bv(by), sort);
            let op = if name == "rotate_left" {
                BvOp::Rotl
            } else {
                BvOp::Rotr
            };
            return Ok(terms.build(Op::Bv(op), &[arg, by])?);
        }
        ("repeat", &[times @ 1..=65_536]) => {
            let width = width.ok_or(Failed::Operands)?;
            if u64::from(width) * u64::from(times) > 65_536 {
                return Err(Failed::Operands);
            }
            let args = vec![arg; times as usize];
            return fold_left(terms, Op::Bv(BvOp::Concat), &args, true);
        }
        ("int2bv" | "int_to_bv" | "nat2bv", &[width @ 1..=65_536]) => BvOp::OfInt(width),
        ("divisible", &[by @ 1..=u32::MAX]) => {
            let by = terms.int(i64::from(by));
            let rest = terms.build(Op::Mod, &[arg, by])?;
            let zero = terms.int(0);
            return Ok(terms.eq(rest, zero));
        }
        (
            "extract" | "repeat" | "int2bv" | "int_to_bv" | "nat2bv" | "divisible" | "zero_extend"
            | "sign_extend" | "rotate_left" | "rotate_right",
            _,
        ) => {
            return Err(Failed::Other(format!(
                "`{name}` does not take these indices"
            )));
        }
        _ => return Err(Failed::Unknown),
    };
    Ok(terms.build(Op::Bv(op), &[arg])?)
}

/// An operator on the first two operands, then on the result and the next.
fn fold_left(terms: &mut Terms, op: Op, args: &[TermId], may_be_many: bool) -> Applied {
    if args.len() <= 2 || !may_be_many {
        return Ok(terms.build(op, args)?);
    }
    let mut result = args[0];
    for &arg in &args[1..] {
        result = terms.build(op, &[result, arg])?;
    }
    Ok(result)
}

/// A conjunction or disjunction.
pub(super) fn junction(terms: &mut Terms, op: Op, args: &[TermId]) -> Applied {
    if !args.iter().all(|&arg| is_bool(terms, arg)) {
        return Err(Failed::Operands);
    }
    let is_short = |&arg: &TermId| {
        terms
            .as_op(arg, op)
            .is_none_or(|inner| inner.len() <= SHORT)
    };
    if args.len() != 2 && args.iter().all(is_short) {
        return Ok(terms.build(op, args)?);
    }
    let gates = args
        .iter()
        .copied()
        .reduce(|left, right| terms.gate(op, left, right));
    Ok(gates.expect("there are operands"))
}

/// The conjunction or disjunction of Boolean terms, as a script's `and` or `or` would be.
pub(crate) fn joined(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    match args {
        [single] => *single,
        _ => junction(terms, op, args).unwrap_or_else(|_| panic!("Boolean terms are joined")),
    }
}

/// If-then-else; with a constant truth value it is a gate.
fn if_then_else(terms: &mut Terms, condition: TermId, then: TermId, otherwise: TermId) -> Applied {
    if !is_bool(terms, condition) {
        return Err(Failed::Operands);
    }
    let value = |terms: &Terms, arg| match terms.as_lit(arg) {
        Some(Value::Bool(value)) => Some(*value),
        _ => None,
    };
    let not = terms.not(condition);
    let gate = match (value(terms, then), value(terms, otherwise)) {
        (Some(true), None) => (Op::Or, condition, otherwise),
        (Some(false), None) => (Op::And, not, otherwise),
        (None, Some(true)) => (Op::Or, not, then),
        (None, Some(false)) => (Op::And, condition, then),
        _ => return Ok(terms.build(Op::Ite, &[condition, then, otherwise])?),
    };
    junction(terms, gate.0, &[gate.1, gate.2])
}

/// Whether neighbours are related, for all of them.
fn chain(
    terms: &mut Terms,
    args: &[TermId],
    related: impl Fn(&mut Terms, TermId, TermId) -> Applied,
) -> Applied {
    let args = promoted(terms, args)?;
    let mut parts = Vec::new();
    for pair in args.windows(2) {
        parts.push(related(terms, pair[0], pair[1])?);
    }
    match parts[..] {
        [] => Err(Failed::Operands),
        [part] => Ok(part),
        _ => Ok(terms.and(&parts)),
    }
}

/// Whether all differ from one another.
fn distinct(terms: &mut Terms, args: &[TermId]) -> Applied {
    const MOST: usize = 1000;
    let args = promoted(terms, args)?;
    if args.len() > MOST {
        let message = format!("`distinct` is supported for up to {MOST} terms");
        return Err(Failed::Other(message));
    }
    let mut parts = Vec::new();
    for (at, &left) in args.iter().enumerate() {
        for &right in &args[at + 1..] {
            let same = terms.build(Op::Eq, &[left, right])?;
            parts.push(terms.not(same));
        }
    }
    match parts[..] {
        [] => Err(Failed::Operands),
        _ => Ok(terms.and(&parts)),
    }
}

/// The operands, integers among them as reals if others are real.
fn promoted(terms: &mut Terms, args: &[TermId]) -> Result<Vec<TermId>, Failed> {
    let rat = terms.sorts.rat();
    if !args.iter().any(|&arg| terms.sort(arg) == rat) {
        return Ok(args.to_vec());
    }
    args.iter().map(|&arg| as_real(terms, arg)).collect()
}

/// A number as a real one.
pub(super) fn as_real(terms: &mut Terms, arg: TermId) -> Applied {
    if terms.sort(arg) == terms.sorts.rat() {
        return Ok(arg);
    }
    Ok(terms.build(Op::ToRat, &[arg])?)
}

/// A number as an index (0) or element (1) of an array.
fn as_part(terms: &mut Terms, array: TermId, arg: TermId, part: usize) -> Applied {
    let sort = terms.sort(array);
    let (index, element) = terms.sorts.as_array(sort).ok_or(Failed::Operands)?;
    let wanted = [index, element][part];
    if wanted == terms.sorts.rat() {
        return as_real(terms, arg);
    }
    Ok(arg)
}

fn number(terms: &Terms, arg: TermId) -> Result<(), Failed> {
    let sort = terms.sort(arg);
    let is_number = sort == terms.sorts.int() || sort == terms.sorts.rat();
    is_number.then_some(()).ok_or(Failed::Operands)
}

fn is_bool(terms: &Terms, arg: TermId) -> bool {
    terms.sort(arg) == terms.sorts.bool()
}

/// The bitwise complement of an operator's result.
fn complement(terms: &mut Terms, op: BvOp, args: &[TermId]) -> Applied {
    let result = terms.build(Op::Bv(op), args)?;
    Ok(terms.build(Op::Bv(BvOp::Not), &[result])?)
}

/// Whether a vector is zero.
fn is_zero(terms: &mut Terms, arg: TermId) -> TermId {
    let zero = terms.lit(Value::Bv(Int::ZERO), terms.sort(arg));
    terms.eq(arg, zero)
}

/// A truth value as a vector of width one.
fn bit_of(terms: &mut Terms, condition: TermId) -> TermId {
    let sort = terms.sorts.bv(1);
    let [zero, one] = [Int::ZERO, Int::ONE].map(|bit| terms.lit(Value::Bv(bit), sort));
    terms.ite(condition, one, zero)
}
