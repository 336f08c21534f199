//! Values of constant expressions: array lengths, enumerators, case labels.

use crate::c::syntax::ast::{Ast, Binary, E, Expr, Unary};
use crate::c::types::{IntTy, Types};

/// A constant and its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) struct Constant {
    pub value: i128,
    pub int: IntTy,
}

/// The value of a constant expression of integers. Chains of operators are followed in a loop; what
/// nests is bounded by the parser.
pub(in crate::c) fn fold(ast: &Ast, types: &Types, e: E) -> Option<Constant> {
    match ast.expr(e) {
        Expr::Int(value, int) => Some(Constant {
            value: *value,
            int: *int,
        }),
        Expr::Binary(..) => {
            let mut spine = Vec::new();
            let mut at = e;
            while let Expr::Binary(op, left, right) = ast.expr(at) {
                spine.push((*op, *right));
                at = *left;
            }
            let mut value = fold(ast, types, at)?;
            for (op, right) in spine.into_iter().rev() {
                value = binary(op, value, fold(ast, types, right)?)?;
            }
            Some(value)
        }
        Expr::Unary(op, arg) => {
            let arg = fold(ast, types, *arg)?;
            let int = arg.int.promoted();
            let value = match op {
                Unary::Plus => arg.value,
                Unary::Neg => arg.value.checked_neg()?,
                Unary::BitNot => !arg.value,
                Unary::Not => return Some(truth(arg.value == 0)),
                Unary::Deref | Unary::Address => return None,
            };
            Some(wrap(value, int))
        }
        Expr::LogicalAnd(..) | Expr::LogicalOr(..) => {
            let is_and = matches!(ast.expr(e), Expr::LogicalAnd(..));
            let mut spine = Vec::new();
            let mut at = e;
            loop {
                match ast.expr(at) {
                    Expr::LogicalAnd(left, right) if is_and => {
                        spine.push(*right);
                        at = *left;
                    }
                    Expr::LogicalOr(left, right) if !is_and => {
                        spine.push(*right);
                        at = *left;
                    }
                    _ => break,
                }
            }
            spine.push(at);
            for operand in spine.into_iter().rev() {
                if (fold(ast, types, operand)?.value != 0) != is_and {
                    return Some(truth(!is_and));
                }
            }
            Some(truth(is_and))
        }
        Expr::Conditional(condition, Some(then), otherwise) => {
            let (then, otherwise) = (fold(ast, types, *then)?, fold(ast, types, *otherwise)?);
            let int = then.int.common(otherwise.int);
            let condition = fold(ast, types, *condition)?;
            let value = if condition.value != 0 {
                then
            } else {
                otherwise
            };
            Some(wrap(value.value, int))
        }
        Expr::Cast(ty, arg) => {
            let arg = fold(ast, types, *arg)?;
            Some(wrap(arg.value, types.as_int(*ty)?))
        }
        Expr::SizeofType(ty) => Some(Constant {
            value: i128::from(types.layout(*ty)?.0),
            int: IntTy::ULONG,
        }),
        _ => None,
    }
}

fn truth(truth: bool) -> Constant {
    Constant {
        value: i128::from(truth),
        int: IntTy::INT,
    }
}

/// The value as the type holds it.
pub(in crate::c) fn wrap(value: i128, int: IntTy) -> Constant {
    if int == IntTy::BOOL {
        return Constant {
            value: i128::from(value != 0),
            int,
        };
    }
    let (low, high) = int.range();
    let value = if (low..=high).contains(&value) || int.bits > 64 {
        value
    } else {
        value.wrapping_sub(low).rem_euclid(1 << int.bits) + low
    };
    Constant { value, int }
}

fn binary(op: Binary, left: Constant, right: Constant) -> Option<Constant> {
    let int = match op {
        Binary::Shl | Binary::Shr => left.int.promoted(),
        _ => left.int.common(right.int),
    };
    let a = wrap(left.value, int).value;
    let b = match op {
        Binary::Shl | Binary::Shr => right.value,
        _ => wrap(right.value, int).value,
    };
    let value = match op {
        Binary::Add => a.checked_add(b)?,
        Binary::Sub => a.checked_sub(b)?,
        Binary::Mul => a.checked_mul(b)?,
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => {
            let by = u32::try_from(b).ok().filter(|&by| by < int.bits)?;
            a.checked_mul(1 << by)?
        }
        Binary::Shr => a >> u32::try_from(b).ok().filter(|&by| by < int.bits)?,
        Binary::Eq => return Some(truth(a == b)),
        Binary::Ne => return Some(truth(a != b)),
        Binary::Lt => return Some(truth(a < b)),
        Binary::Le => return Some(truth(a <= b)),
        Binary::Gt => return Some(truth(a > b)),
        Binary::Ge => return Some(truth(a >= b)),
    };
    Some(wrap(value, int))
}
