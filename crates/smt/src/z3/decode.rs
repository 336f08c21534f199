//! Z3 formulas back to terms.
//!
//! Interpolants and projections come back as Z3 terms over the constants of our variables. Operators are
//! told apart by name: the `z3` crate's `DeclKind` has the numbering of one Z3 version, and reading it
//! from another is undefined behaviour. Names are the same in all versions.
//!
//! What has no exact counterpart is refused, never approximated: quantifiers, unknown operators, and
//! division by something that may be zero (Z3's result is then arbitrary, ours is fixed).

use super::encode::Encoder;
use super::value;
use lariat_base::FxHashMap;
use lariat_expr::{BvOp, Op, TermId, Terms, Value};
use z3::AstKind;
use z3::ast::{Ast, Dynamic};

/// The term of a Z3 term; nothing if some part of it has no counterpart.
pub(super) fn decode(encoder: &Encoder, terms: &mut Terms, root: &Dynamic) -> Option<TermId> {
    let mut done: FxHashMap<Dynamic, TermId> = FxHashMap::default();
    let mut todo = vec![root.clone()];
    while let Some(at) = todo.last().cloned() {
        if done.contains_key(&at) {
            todo.pop();
            continue;
        }
        if let Some(leaf) = decode_leaf(encoder, terms, &at) {
            done.insert(at, leaf);
            continue;
        }
        if at.kind() != AstKind::App {
            return None;
        }
        let children = at.children();
        let before = todo.len();
        todo.extend(
            children
                .iter()
                .filter(|child| !done.contains_key(*child))
                .cloned(),
        );
        if todo.len() > before {
            continue;
        }
        let args: Vec<TermId> = children.iter().map(|child| done[child]).collect();
        let term = decode_top(encoder, terms, &at, &children, &args)?;
        done.insert(at, term);
    }
    done.get(root).copied()
}

/// Variables and literals.
fn decode_leaf(encoder: &Encoder, terms: &mut Terms, at: &Dynamic) -> Option<TermId> {
    if let Some(var) = encoder.var_of(at) {
        return Some(terms.var(var));
    }
    if !at.is_const() {
        return None;
    }
    let sort = encoder.sorts.decode(terms, &at.get_sort())?;
    let value = value::decode(&encoder.sorts, terms, None, at, sort)?;
    Some(terms.lit(value, sort))
}

fn decode_top(
    encoder: &Encoder,
    terms: &mut Terms,
    at: &Dynamic,
    children: &[Dynamic],
    args: &[TermId],
) -> Option<TermId> {
    let name = at.decl().name();
    if let Some(op) = plain_operator(&name) {
        return terms.build(op, args).ok();
    }
    if let Some(op) = folded_operator(&name) {
        let (&first, rest) = args.split_first()?;
        return rest
            .iter()
            .try_fold(first, |so_far, &arg| terms.build(op, &[so_far, arg]).ok());
    }
    match (name.as_str(), args) {
        ("=>", &[left, right]) => Some(terms.implies(left, right)),
        ("xor", &[left, right]) => {
            let same = terms.build(Op::Eq, &[left, right]).ok()?;
            Some(terms.not(same))
        }
        ("distinct", args) => {
            let mut all = Vec::new();
            for (i, &left) in args.iter().enumerate() {
                for &right in &args[i + 1..] {
                    let same = terms.build(Op::Eq, &[left, right]).ok()?;
                    all.push(terms.not(same));
                }
            }
            Some(terms.and(&all))
        }
        (">=", &[left, right]) => terms.build(Op::Le, &[right, left]).ok(),
        (">", &[left, right]) => terms.build(Op::Lt, &[right, left]).ok(),
        ("-", &[arg]) => Some(terms.neg(arg)),
        ("-", &[first, ref rest @ ..]) => Some(
            rest.iter()
                .fold(first, |so_far, &arg| terms.sub(so_far, arg)),
        ),
        ("/" | "div" | "mod" | "rem", &[left, right]) => {
            let op = match name.as_str() {
                "/" => Op::RatDiv,
                "div" => Op::Div,
                "mod" => Op::Mod,
                _ => Op::Rem,
            };
            let is_zero = match terms.as_lit(right)? {
                Value::Int(divisor) => divisor.is_zero(),
                Value::Rat(divisor) => divisor.is_zero(),
                _ => true,
            };
            if is_zero {
                None
            } else {
                terms.build(op, &[left, right]).ok()
            }
        }
        ("const", &[value]) => {
            let sort = encoder.sorts.decode(terms, &at.get_sort())?;
            terms.build(Op::ConstArray(sort), &[value]).ok()
        }
        ("bvuge" | "bvugt" | "bvsge" | "bvsgt", &[left, right]) => {
            let op = match name.as_str() {
                "bvuge" => BvOp::Ule,
                "bvugt" => BvOp::Ult,
                "bvsge" => BvOp::Sle,
                _ => BvOp::Slt,
            };
            terms.build(Op::Bv(op), &[right, left]).ok()
        }
        ("zero_extend" | "sign_extend" | "extract" | "int2bv" | "int_to_bv", &[arg]) => {
            let to = at.as_bv()?.get_size();
            let op = match name.as_str() {
                "zero_extend" => BvOp::Zext(to),
                "sign_extend" => BvOp::Sext(to),
                "extract" => extraction(at, &children[0], to)?,
                _ => BvOp::OfInt(to),
            };
            terms.build(Op::Bv(op), &[arg]).ok()
        }
        (_, &[arg]) => {
            let sort = terms.sort(arg);
            let position = encoder.sorts.tested(sort, &children[0], at)?;
            let literal = terms.lit(Value::Enum(position), sort);
            Some(terms.eq(arg, literal))
        }
        _ => None,
    }
}

/// Operators that take the same arguments as ours.
fn plain_operator(name: &str) -> Option<Op> {
    Some(match name {
        "not" => Op::Not,
        "and" => Op::And,
        "or" => Op::Or,
        "=" | "iff" => Op::Eq,
        "if" | "ite" => Op::Ite,
        "<=" => Op::Le,
        "<" => Op::Lt,
        "+" => Op::Add,
        "*" => Op::Mul,
        "to_real" => Op::ToRat,
        "to_int" => Op::ToInt,
        "select" => Op::Select,
        "store" => Op::Store,
        _ => {
            let bv = match name {
                "bvneg" => BvOp::Neg,
                "bvnot" => BvOp::Not,
                "bvsub" => BvOp::Sub,
                "bvudiv" => BvOp::Udiv,
                "bvurem" => BvOp::Urem,
                "bvsdiv" => BvOp::Sdiv,
                "bvsrem" => BvOp::Srem,
                "bvsmod" => BvOp::Smod,
                "bvshl" => BvOp::Shl,
                "bvlshr" => BvOp::Lshr,
                "bvashr" => BvOp::Ashr,
                "ext_rotate_left" => BvOp::Rotl,
                "ext_rotate_right" => BvOp::Rotr,
                "bvule" => BvOp::Ule,
                "bvult" => BvOp::Ult,
                "bvsle" => BvOp::Sle,
                "bvslt" => BvOp::Slt,
                "bv2int" | "bv2nat" | "ubv_to_int" => BvOp::ToNat,
                _ => return None,
            };
            Op::Bv(bv)
        }
    })
}

/// Operators of two arguments here that Z3 applies to more.
fn folded_operator(name: &str) -> Option<Op> {
    Some(Op::Bv(match name {
        "bvadd" => BvOp::Add,
        "bvmul" => BvOp::Mul,
        "bvand" => BvOp::And,
        "bvor" => BvOp::Or,
        "bvxor" => BvOp::Xor,
        "concat" => BvOp::Concat,
        _ => return None,
    }))
}

/// Which bits an extraction takes. The crate does not show the parameters of an operator; but Z3 shares
/// equal terms, so the right guess is the same term.
fn extraction(at: &Dynamic, argument: &Dynamic, width: u32) -> Option<BvOp> {
    let argument = argument.as_bv()?;
    (0..=argument.get_size() - width).find_map(|low| {
        let high = low + width - 1;
        let guess = Dynamic::from(argument.extract(high, low));
        (guess == *at).then_some(BvOp::Extract { high, low })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_expr::{Evaluator, VarId};
    use lariat_testkit::{TermGen, rng};

    #[test]
    fn what_comes_back_means_the_same() {
        let (mut n_back, mut n_all) = (0, 0);
        for seed in 0..200 {
            let (mut terms, mut rng, mut encoder) = (Terms::new(), rng(seed), Encoder::default());
            let t = &mut terms;
            let gen_ = TermGen::all(t);
            let mut state: FxHashMap<VarId, Value> = FxHashMap::default();
            for &var in &gen_.vars {
                state.insert(var, gen_.value(t, t.var_sort(var), &mut rng));
            }
            let sort = gen_.sort(&mut rng);
            let term = gen_.term(t, sort, 8, &mut rng).build(t);
            let encoded = encoder.encode(t, term);
            let expected = Evaluator::new().eval(t, term, &state);
            for ast in [encoded.clone(), encoded.simplify()] {
                n_all += 1;
                if let Some(back) = decode(&encoder, t, &ast) {
                    n_back += 1;
                    let value = Evaluator::new().eval(t, back, &state);
                    assert_eq!(value, expected, "seed {seed}: {ast}");
                }
            }
        }
        assert!(n_back * 10 > n_all * 7, "{n_back} of {n_all}");
    }
}
