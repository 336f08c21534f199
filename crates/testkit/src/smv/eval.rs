//! The value of an expression, as the language's description says it.

use super::flat::{Flat, Meaning, Place};
use super::tree::{Binary, Expr, Shape, Value};

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A division by zero, no case that fits, an index or a shift out of bounds.
    Undefined,
    /// It reads the state after a step, which is not given.
    ReadsNext,
    /// It reads inputs, which are not given.
    ReadsInput,
}

/// What an expression is read in: the position of each variable's value in its type.
#[derive(Clone, Copy)]
pub(super) struct Env<'e> {
    /// The state and, if there is a step, its inputs.
    pub now: &'e [u16],
    pub has_inputs: bool,
    /// The state after the step.
    pub next: Option<&'e [u16]>,
    /// Whether the expression stands under `next`.
    pub primed: bool,
}

type Outcome = Result<Value, Fault>;

impl Flat<'_> {
    /// The truth of an expression.
    pub fn truth(&self, instance: usize, expr: &Expr, env: Env) -> Result<bool, Fault> {
        match self.eval(instance, expr, env)? {
            Value::Bool(truth) => Ok(truth),
            other => panic!("{expr:?} is no condition but {other:?}"),
        }
    }

    fn int(&self, instance: usize, expr: &Expr, env: Env) -> Result<i64, Fault> {
        match self.eval(instance, expr, env)? {
            Value::Int(int) => Ok(int),
            Value::Word(shape, bits) => Ok(number(shape, bits)),
            other => panic!("{expr:?} is no number but {other:?}"),
        }
    }

    /// The value of an expression: a single one, or a set.
    pub fn eval(&self, instance: usize, expr: &Expr, env: Env) -> Outcome {
        let sub = |expr: &Expr| self.eval(instance, expr, env);
        Ok(match expr {
            Expr::Literal(value) => value.clone(),
            Expr::Name(_) | Expr::Dot(..) => return self.named(instance, expr, env),
            Expr::Index(of, index) => match (sub(of)?, self.int(instance, index, env)?) {
                (Value::Array(low, values), at) => {
                    let at = usize::try_from(at - low).map_err(|_| Fault::Undefined)?;
                    values.get(at).cloned().ok_or(Fault::Undefined)?
                }
                (other, _) => panic!("{other:?} is no array"),
            },
            Expr::Slice(of, high, low) => match sub(of)? {
                Value::Word(_, bits) => word(false, high - low + 1, bits >> low),
                other => panic!("{other:?} is no word"),
            },
            Expr::Not(of) => match sub(of)? {
                Value::Bool(truth) => Value::Bool(!truth),
                Value::Word(shape, bits) => word(shape.signed, shape.width, !bits),
                other => panic!("{other:?} has no negation"),
            },
            Expr::Minus(of) => match sub(of)? {
                Value::Int(int) => Value::Int(-int),
                Value::Word(shape, bits) => word(shape.signed, shape.width, bits.wrapping_neg()),
                other => panic!("{other:?} has no negative"),
            },
            Expr::Binary(operator, left, right) => {
                let left = sub(left)?;
                // What the left side decides needs no right side.
                match (operator, &left) {
                    (Binary::And, Value::Bool(false)) => return Ok(left),
                    (Binary::Or, Value::Bool(true)) => return Ok(left),
                    (Binary::Implies, Value::Bool(false)) => return Ok(Value::Bool(true)),
                    _ => {}
                }
                apply(*operator, left, sub(right)?)?
            }
            Expr::Ite(condition, then, otherwise) => {
                return sub(if self.truth(instance, condition, env)? {
                    then
                } else {
                    otherwise
                });
            }
            Expr::Case(arms) => {
                for (condition, value) in arms {
                    if self.truth(instance, condition, env)? {
                        return sub(value);
                    }
                }
                return Err(Fault::Undefined);
            }
            Expr::Set(values) => {
                let mut all = Vec::new();
                for value in values {
                    all.extend(elements(sub(value)?));
                }
                Value::Set(all)
            }
            Expr::Range(low, high) => Value::Set((*low..=*high).map(Value::Int).collect()),
            Expr::Next(of) => {
                let primed = Env {
                    primed: true,
                    ..env
                };
                return self.eval(instance, of, primed);
            }
            Expr::Call(name, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(sub(argument)?);
                }
                call(name, &values)
            }
        })
    }

    fn named(&self, instance: usize, expr: &Expr, env: Env) -> Outcome {
        match self.meaning(instance, expr) {
            Some(Meaning::Place(place)) => self.stored(&place, env),
            Some(Meaning::Define(of, at)) => self.eval(at, of, env),
            Some(Meaning::Running(process)) => match self.selector {
                Some(selector) => {
                    let moving = self.stored(&Place::Variable(selector), env)?;
                    Ok(Value::Bool(moving == Value::Int(process as i64)))
                }
                None => panic!("there are no processes"),
            },
            Some(Meaning::Instance(_)) | None => panic!("{expr:?} has no value"),
        }
    }

    fn stored(&self, place: &Place, env: Env) -> Outcome {
        match place {
            Place::Array(low, places) => {
                let values: Result<Vec<Value>, Fault> =
                    places.iter().map(|place| self.stored(place, env)).collect();
                Ok(Value::Array(*low, values?))
            }
            Place::Variable(at) => {
                let variable = &self.variables[*at];
                let is_input = variable.role == super::tree::Role::Input;
                let from = match (env.primed, is_input) {
                    (true, true) => panic!("there is no input after a step"),
                    (true, false) => env.next.ok_or(Fault::ReadsNext)?,
                    (false, true) if !env.has_inputs => return Err(Fault::ReadsInput),
                    (false, _) => env.now,
                };
                Ok(variable.values[from[*at] as usize].clone())
            }
        }
    }
}

/// The values of a set; one value is a set of one.
pub(super) fn elements(value: Value) -> Vec<Value> {
    match value {
        Value::Set(values) => values,
        single => vec![single],
    }
}

fn word(signed: bool, width: u32, bits: u64) -> Value {
    let shape = Shape { signed, width };
    Value::Word(shape, bits & ((1 << width) - 1))
}

/// The number that a word stands for.
fn number(shape: Shape, bits: u64) -> i64 {
    let bits = bits as i64;
    if shape.signed && bits >> (shape.width - 1) == 1 {
        bits - (1 << shape.width)
    } else {
        bits
    }
}

fn apply(operator: Binary, left: Value, right: Value) -> Outcome {
    match operator {
        Binary::Union => {
            let mut all = elements(left);
            all.extend(elements(right));
            return Ok(Value::Set(all));
        }
        Binary::In => {
            let right = elements(right);
            let all = elements(left).iter().all(|value| right.contains(value));
            return Ok(Value::Bool(all));
        }
        Binary::Eq => return Ok(Value::Bool(left == right)),
        Binary::Ne => return Ok(Value::Bool(left != right)),
        _ => {}
    }
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(match operator {
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Xnor | Binary::Iff => a == b,
            Binary::Implies => !a | b,
            _ => panic!("{operator:?} of truth values"),
        })),
        (Value::Int(a), Value::Int(b)) => arithmetic(operator, a, b).map(|result| match result {
            Ok(int) => Value::Int(int),
            Err(truth) => Value::Bool(truth),
        }),
        (Value::Word(shape, a), Value::Int(by)) => shift(operator, shape, a, by),
        (Value::Word(shape, a), Value::Word(other, b)) => match operator {
            Binary::Concat => Ok(word(false, shape.width + other.width, a << other.width | b)),
            // What SMT-LIB says: shifted too far, nothing but the sign is left.
            Binary::Shl | Binary::Shr => {
                let by = number(other, b).min(i64::from(shape.width));
                shift(operator, shape, a, by)
            }
            // By zero, a quotient is all ones (1 if a sign is lost), a rest the dividend.
            Binary::Div if b == 0 => {
                let is_one = number(shape, a) < 0;
                let quotient = if is_one { 1 } else { u64::MAX };
                Ok(word(shape.signed, shape.width, quotient))
            }
            Binary::Mod if b == 0 => Ok(word(shape.signed, shape.width, a)),
            Binary::And => Ok(word(shape.signed, shape.width, a & b)),
            Binary::Or => Ok(word(shape.signed, shape.width, a | b)),
            Binary::Xor => Ok(word(shape.signed, shape.width, a ^ b)),
            Binary::Xnor | Binary::Iff => Ok(word(shape.signed, shape.width, !(a ^ b))),
            Binary::Implies => Ok(word(shape.signed, shape.width, !a | b)),
            _ => {
                let result = arithmetic(operator, number(shape, a), number(other, b))?;
                Ok(match result {
                    Ok(int) => word(shape.signed, shape.width, int as u64),
                    Err(truth) => Value::Bool(truth),
                })
            }
        },
        (left, right) => panic!("{operator:?} of {left:?} and {right:?}"),
    }
}

/// A number, or the truth of a comparison.
fn arithmetic(operator: Binary, a: i64, b: i64) -> Result<Result<i64, bool>, Fault> {
    Ok(match operator {
        Binary::Add => Ok(a + b),
        Binary::Sub => Ok(a - b),
        Binary::Mul => Ok(a * b),
        // Both round towards zero, as in Rust.
        Binary::Div => Ok(a.checked_div(b).ok_or(Fault::Undefined)?),
        Binary::Mod => Ok(a.checked_rem(b).ok_or(Fault::Undefined)?),
        Binary::Lt => Err(a < b),
        Binary::Gt => Err(a > b),
        Binary::Le => Err(a <= b),
        Binary::Ge => Err(a >= b),
        _ => panic!("{operator:?} of numbers"),
    })
}

fn shift(operator: Binary, shape: Shape, bits: u64, by: i64) -> Outcome {
    let by = u32::try_from(by).ok().filter(|by| *by <= shape.width);
    let by = by.ok_or(Fault::Undefined)?;
    let bits = match operator {
        Binary::Shl => bits << by,
        _ => (number(shape, bits) >> by) as u64,
    };
    Ok(word(shape.signed, shape.width, bits))
}

fn call(name: &str, values: &[Value]) -> Value {
    match (name, values) {
        ("toint", [Value::Bool(truth)]) => Value::Int(i64::from(*truth)),
        ("toint", [Value::Word(shape, bits)]) => Value::Int(number(*shape, *bits)),
        ("bool", [Value::Int(int)]) => Value::Bool(*int != 0),
        ("bool", [Value::Word(_, bits)]) => Value::Bool(*bits != 0),
        ("word1", [Value::Bool(truth)]) => word(false, 1, u64::from(*truth)),
        ("signed", [Value::Word(shape, bits)]) => word(true, shape.width, *bits),
        ("unsigned", [Value::Word(shape, bits)]) => word(false, shape.width, *bits),
        ("extend", [Value::Word(shape, bits), Value::Int(by)]) => {
            let width = shape.width + *by as u32;
            word(shape.signed, width, number(*shape, *bits) as u64)
        }
        ("resize", [Value::Word(shape, bits), Value::Int(width)]) => {
            let width = *width as u32;
            if shape.signed && width < shape.width {
                // The sign stays, the lowest of the others do.
                let sign = bits >> (shape.width - 1) << (width - 1);
                word(true, width, sign | bits & ((1 << (width - 1)) - 1))
            } else {
                word(shape.signed, width, number(*shape, *bits) as u64)
            }
        }
        ("uwconst", [Value::Int(value), Value::Int(width)]) => {
            word(false, *width as u32, *value as u64)
        }
        ("swconst", [Value::Int(value), Value::Int(width)]) => {
            word(true, *width as u32, *value as u64)
        }
        ("count", values) => {
            let n = values.iter().filter(|value| **value == Value::Bool(true));
            Value::Int(n.count() as i64)
        }
        ("abs", [Value::Int(int)]) => Value::Int(int.abs()),
        ("min", [Value::Int(a), Value::Int(b)]) => Value::Int(*a.min(b)),
        ("max", [Value::Int(a), Value::Int(b)]) => Value::Int(*a.max(b)),
        _ => panic!("{name} of {values:?}"),
    }
}
