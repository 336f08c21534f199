//! Gates against the operators that they stand for, on all values of small widths and ranges.

use super::*;
use lariat_expr::{Dialect, Evaluator, show_term};
use lariat_system::{Context, Valuation};

const BINARY: [BvOp; 22] = [
    BvOp::Add,
    BvOp::Sub,
    BvOp::Mul,
    BvOp::Udiv,
    BvOp::Urem,
    BvOp::Sdiv,
    BvOp::Srem,
    BvOp::Smod,
    BvOp::And,
    BvOp::Or,
    BvOp::Xor,
    BvOp::Shl,
    BvOp::Lshr,
    BvOp::Ashr,
    BvOp::Rotl,
    BvOp::Rotr,
    BvOp::Ult,
    BvOp::Ule,
    BvOp::Slt,
    BvOp::Sle,
    BvOp::Concat,
    BvOp::Add,
];

/// Every operator on all values of small widths, against what it means on values.
#[test]
fn gates_compute_what_the_operators_mean() {
    for width in 1..=4 {
        let mut cx = Context::new();
        let sort = cx.terms.sorts.bv(width);
        let vars = ["x", "y"].map(|name| cx.terms.declare(name, sort));
        let [x, y] = vars.map(|var| cx.terms.var(var));
        let binary = BINARY.map(|op| (op, vec![x, y]));
        let high = width - 1;
        let unary = [
            BvOp::Neg,
            BvOp::Not,
            BvOp::Zext(width + 2),
            BvOp::Sext(width + 2),
            BvOp::Extract { high, low: 0 },
            BvOp::Extract { high, low: high },
        ];
        let unary = unary.map(|op| (op, vec![x]));
        for (op, args) in binary.into_iter().chain(unary) {
            let term = cx.terms.build(Op::Bv(op), &args).expect("the sorts fit");
            let mut blasting = Blasting::default();
            let bits = blasting.bits(&mut cx.terms, term).expect("these are bits");
            let parts = vars.map(|var| blasting.variables(&mut cx.terms, var));
            for (a, b) in (0..1i64 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                let mut env = Valuation::new();
                for ((value, var), parts) in [a, b].into_iter().zip(vars).zip(&parts) {
                    env.set(var, Value::Bv(Int::from(value)));
                    for (at, &part) in parts.iter().enumerate() {
                        env.set(part, Value::Bool(value >> at & 1 == 1));
                    }
                }
                let value = |term| {
                    let value = Evaluator::new().eval(&cx.terms, term, &env);
                    value.expect("all variables have values")
                };
                let number = |value: Value| match value {
                    Value::Bv(bits) => bits.to_i64().expect("it is small"),
                    other => i64::from(other.as_bool()),
                };
                let expected = number(value(term));
                let found = bits.iter().enumerate();
                let found = found.map(|(at, &bit)| number(value(bit)) << at);
                assert_eq!(
                    found.sum::<i64>(),
                    expected,
                    "{op:?} of {a} and {b} in {width} bits"
                );
            }
        }
    }
}

/// Operators on integers on all values of small ranges, negative ones among them, against what they mean on values.
#[test]
fn gates_compute_what_operators_on_integers_mean() {
    for ranges in [[(0, 5), (0, 3)], [(-3, 4), (-2, 2)], [(1, 1), (-4, -1)]] {
        let mut cx = Context::new();
        let int = cx.terms.sorts.int();
        let vars = ["x", "y"].map(|name| cx.terms.declare(name, int));
        let [x, y] = vars.map(|var| cx.terms.var(var));
        let [three, less] = [3, -7].map(|number| cx.terms.int(number));
        let mut terms = Vec::new();
        for op in [
            Op::Add,
            Op::Mul,
            Op::Div,
            Op::Mod,
            Op::Rem,
            Op::Le,
            Op::Lt,
            Op::Eq,
        ] {
            for (a, b) in [(x, y), (y, x), (x, less), (three, y)] {
                terms.push(cx.terms.build(op, &[a, b]).expect("the sorts fit"));
            }
        }
        let sum = cx.terms.add(&[x, y, three, x]);
        let product = cx.terms.mul(&[sum, sum, y]);
        let above = cx.terms.lt(x, y);
        terms.extend([sum, product, cx.terms.ite(above, product, less)]);
        for width in [2, 9] {
            let cut = cx.terms.build(Op::Bv(BvOp::OfInt(width)), &[product]);
            let cut = cut.expect("the sorts fit");
            let back = cx.terms.build(Op::Bv(BvOp::ToNat), &[cut]);
            terms.extend([cut, back.expect("the sorts fit")]);
        }
        for term in terms {
            let mut blasting = Blasting::default();
            for (var, (low, high)) in vars.into_iter().zip(ranges) {
                blasting.bound(var, (Int::from(low), Int::from(high)));
            }
            let bits = blasting.bits(&mut cx.terms, term).expect("these have bits");
            let parts = vars.map(|var| blasting.variables(&mut cx.terms, var));
            let [first, second] = ranges;
            let pairs =
                (first.0..=first.1).flat_map(|a| (second.0..=second.1).map(move |b| (a, b)));
            for (a, b) in pairs {
                let mut env = Valuation::new();
                for ((value, var), parts) in [a, b].into_iter().zip(vars).zip(&parts) {
                    env.set(var, Value::Int(Int::from(value)));
                    for (at, &part) in parts.iter().enumerate() {
                        env.set(part, Value::Bool(value >> at & 1 == 1));
                    }
                }
                let value = |term| {
                    let value = Evaluator::new().eval(&cx.terms, term, &env);
                    value.expect("all variables have values")
                };
                let mut found = 0i64;
                for (at, &bit) in bits.iter().enumerate() {
                    found += i64::from(value(bit).as_bool()) << at;
                }
                let expected = match value(term) {
                    Value::Int(int) => {
                        // The last bit is the sign.
                        if value(bits[bits.len() - 1]).as_bool() {
                            found -= 1 << bits.len();
                        }
                        int.to_i64()
                    }
                    Value::Bv(int) => int.to_i64(),
                    other => Some(i64::from(other.as_bool())),
                };
                assert_eq!(
                    Some(found),
                    expected,
                    "{} of {a} and {b}",
                    show_term(&cx.terms, term, &Dialect::GCL)
                );
            }
        }
    }
}
