//! The value of an expression, in a program or in a formula.
//!
//! Both read their variables in their own way ([`Env`]); operators, literals and standard functions are the same.
//! All operands are evaluated, also those of `AND` and `OR`.

use super::ast::{Arg, Binary, Expr, ExprKind, Literal, Name, Pos, Unary};
use super::value::{Arith, Misfit, Val, ValTy, elementary, int_of, type_name, val_name};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{SortId, TermId, Value};
use lariat_system::{Context, PlcType};

/// What was made, or why not.
pub(super) type Lowered<T> = Result<T, Box<Diagnostic>>;

/// What expressions are evaluated in.
pub(super) trait Env {
    fn cx(&mut self) -> &mut Context;
    /// Whether integers are bit-vectors.
    fn bits(&self) -> bool;
    fn span(&self, pos: Pos) -> Span;
    /// The value of a variable, a member or an element.
    fn read(&mut self, e: &Expr) -> Lowered<Val>;
    /// What a function of the program gives.
    fn call(&mut self, name: &Name, args: &[Arg], pos: Pos) -> Lowered<Val>;
    /// Says that the run has no meaning where a condition holds.
    fn fault(&mut self, when: TermId, pos: Pos);
    /// The enumerations by their names without case.
    fn enums(&self) -> &[(Box<str>, SortId)];

    fn arith(&mut self) -> Arith<'_> {
        let bits = self.bits();
        Arith {
            terms: &mut self.cx().terms,
            bits,
        }
    }

    fn error(&self, id: &'static str, message: String, pos: Pos) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(id, message).at(self.span(pos)))
    }

    fn unsupported(&self, what: &str, pos: Pos) -> Box<Diagnostic> {
        self.error("unsupported", format!("{what} is not supported"), pos)
    }
}

/// Why a value does not fit, to a person.
pub(super) fn misfit(env: &mut (impl Env + ?Sized), misfit: &Misfit, pos: Pos) -> Box<Diagnostic> {
    let terms = &env.cx().terms;
    match misfit {
        Misfit::Type(from, to) => {
            let (from_name, to_name) = (val_name(terms, *from), type_name(terms, *to));
            let message = format!("this is {from_name}, where {to_name} is expected");
            let finding = env.error("type-mismatch", message, pos);
            let is_number = |ty: PlcType| !matches!(ty, PlcType::Enum(_));
            match *from {
                ValTy::Of(ty) if is_number(ty) && is_number(*to) => {
                    let hint = format!("write `{from_name}_TO_{to_name}(…)`");
                    Box::new(finding.hint(hint))
                }
                _ => finding,
            }
        }
        Misfit::Range(value, ty) => {
            let message = format!("{value} is no value of {}", type_name(terms, *ty));
            env.error("out-of-range", message, pos)
        }
        Misfit::Operands(a, b) => {
            let (a, b) = (val_name(terms, *a), val_name(terms, *b));
            let message = if a == b {
                format!("this is not defined for {a}")
            } else {
                format!("this is not defined for {a} and {b}")
            };
            let finding = env.error("type-mismatch", message, pos);
            Box::new(finding.hint("convert one of them, as with `INT_TO_DINT(x)`"))
        }
    }
}

/// The value as one of a type, without a conversion.
pub(super) fn fit(
    env: &mut (impl Env + ?Sized),
    val: Val,
    ty: PlcType,
    pos: Pos,
) -> Lowered<TermId> {
    let term = env.arith().implicit(val, ty);
    term.map_err(|why| misfit(env, &why, pos))
}

/// The value of an expression where a type is expected: that tells which enumeration a name belongs to.
pub(super) fn evaluate_as(env: &mut (impl Env + ?Sized), e: &Expr, ty: PlcType) -> Lowered<TermId> {
    if let (ExprKind::Name(name), PlcType::Enum(sort)) = (&e.kind, ty)
        && let Some(val) = literal_of(env, sort, name)
        && !is_variable(env, e)
    {
        return Ok(val.term);
    }
    let val = evaluate(env, e)?;
    fit(env, val, ty, e.pos)
}

fn is_variable(env: &mut (impl Env + ?Sized), e: &Expr) -> bool {
    env.read(e).is_ok()
}

/// The value of an expression.
pub(super) fn evaluate(env: &mut (impl Env + ?Sized), e: &Expr) -> Lowered<Val> {
    match &e.kind {
        ExprKind::Literal(written) => literal(env, written, e.pos),
        ExprKind::Name(name) => match env.read(e) {
            Ok(val) => Ok(val),
            Err(finding) => enum_literal(env, name)?.ok_or(finding),
        },
        ExprKind::Member(of, name) => {
            if let ExprKind::Name(ty) = &of.kind
                && let Some(sort) = enumeration(env, &ty.key)
                && let Some(val) = literal_of(env, sort, name)
            {
                return Ok(val);
            }
            env.read(e)
        }
        ExprKind::Index(..) => env.read(e),
        ExprKind::Unary(op, inner) => {
            let val = evaluate(env, inner)?;
            let result = match op {
                Unary::Plus => Some(val),
                Unary::Minus => env.arith().negated(val),
                Unary::Not => env.arith().not(val),
            };
            result.ok_or_else(|| misfit(env, &Misfit::Operands(val.ty, val.ty), e.pos))
        }
        ExprKind::Chain(first, rest) => {
            let mut val = operand(env, first, rest.first().map(|(_, e)| e))?;
            let mut before: &Expr = first;
            for (op, next) in rest {
                let right = operand(env, next, Some(before))?;
                let pos = e.pos;
                val = if *op == Binary::Power {
                    power(env, val, right, pos)?
                } else {
                    binary(env, *op, val, right, pos)?
                };
                before = next;
            }
            Ok(val)
        }
        ExprKind::Call(name, args) => standard(env, name, args, e.pos),
    }
}

/// An operand; if it is a name that several enumerations have, the other operand tells which is meant.
fn operand(env: &mut (impl Env + ?Sized), e: &Expr, other: Option<&Expr>) -> Lowered<Val> {
    if let (ExprKind::Name(name), Some(other)) = (&e.kind, other)
        && n_enums_with(env, &name.key) > 1
        && !is_variable(env, e)
        && let Ok(Val {
            ty: ValTy::Of(PlcType::Enum(sort)),
            ..
        }) = env.read(other)
        && let Some(val) = literal_of(env, sort, name)
    {
        return Ok(val);
    }
    evaluate(env, e)
}

fn binary(
    env: &mut (impl Env + ?Sized),
    op: Binary,
    left: Val,
    right: Val,
    pos: Pos,
) -> Lowered<Val> {
    if op == Binary::Div {
        let when = env.arith().is_zero(right);
        env.fault(when, pos);
    }
    let val = env.arith().binary(op, left, right);
    val.map_err(|why| misfit(env, &why, pos))
}

/// A power with a written exponent.
fn power(env: &mut (impl Env + ?Sized), base: Val, exponent: Val, pos: Pos) -> Lowered<Val> {
    let value = match (exponent.ty, env.cx().terms.as_lit(exponent.term)) {
        (ValTy::AnyInt, Some(Value::Int(value))) => value.to_i64(),
        _ => None,
    };
    let Some(n @ 1..=64) = value else {
        let what = "a power whose exponent is not a number from 1 to 64";
        return Err(env.unsupported(what, pos));
    };
    let mut val = base;
    for _ in 1..n {
        val = binary(env, Binary::Mul, val, base, pos)?;
    }
    Ok(val)
}

fn literal(env: &mut (impl Env + ?Sized), literal: &Literal, pos: Pos) -> Lowered<Val> {
    let terms = &mut env.cx().terms;
    let (val, ty) = match literal {
        Literal::Bool(value) => return Ok(Val::new(terms.bool(*value), PlcType::Bool)),
        Literal::Int(value, ty) => {
            let term = terms.int(value.clone());
            let any = ValTy::AnyInt;
            (Val { term, ty: any }, ty)
        }
        Literal::Real(value, ty) => {
            let sort = terms.sorts.rat();
            let term = terms.lit(Value::Rat(value.clone()), sort);
            let any = ValTy::AnyReal;
            (Val { term, ty: any }, ty)
        }
        Literal::Time(value) => {
            let term = terms.int(value.clone());
            return Ok(Val::new(term, PlcType::Time));
        }
        Literal::Enum(ty, name) => {
            let Some(sort) = enumeration(env, &ty.key) else {
                let message = format!("there is no enumeration `{}`", ty.text);
                return Err(env.error("unknown-type", message, pos));
            };
            return literal_of(env, sort, name).ok_or_else(|| {
                let message = format!("`{}` has no value `{}`", ty.text, name.text);
                env.error("unknown-name", message, pos)
            });
        }
    };
    let Some(name) = ty else { return Ok(val) };
    let Some(ty) = elementary(&name.key) else {
        let message = format!("there is no elementary type `{}`", name.text);
        return Err(env.error("unknown-type", message, pos));
    };
    Ok(Val::new(fit(env, val, ty, pos)?, ty))
}

fn enumeration(env: &(impl Env + ?Sized), key: &str) -> Option<SortId> {
    let mut enums = env.enums().iter();
    enums
        .find(|(name, _)| name.eq_ignore_ascii_case(key))
        .map(|found| found.1)
}

fn literal_of(env: &mut (impl Env + ?Sized), sort: SortId, name: &Name) -> Option<Val> {
    let terms = &mut env.cx().terms;
    let literals = &terms.sorts.as_enum(sort)?.literals;
    let at = literals
        .iter()
        .position(|literal| literal.eq_ignore_ascii_case(&name.key))?;
    let term = terms.lit(Value::Enum(at as u32), sort);
    Some(Val::new(term, PlcType::Enum(sort)))
}

fn n_enums_with(env: &mut (impl Env + ?Sized), key: &str) -> usize {
    let sorts: Vec<SortId> = env.enums().iter().map(|found| found.1).collect();
    let terms = &env.cx().terms;
    let has = |sort: &SortId| {
        let literals = terms.sorts.as_enum(*sort).map(|known| &known.literals);
        literals.is_some_and(|all| all.iter().any(|name| name.eq_ignore_ascii_case(key)))
    };
    sorts.iter().filter(|sort| has(sort)).count()
}

/// The value of a name that is one of an enumeration; nothing if it is none.
fn enum_literal(env: &mut (impl Env + ?Sized), name: &Name) -> Lowered<Option<Val>> {
    let sorts: Vec<SortId> = env.enums().iter().map(|found| found.1).collect();
    let mut found = None;
    for sort in sorts {
        if let Some(val) = literal_of(env, sort, name) {
            if found.is_some() {
                let message = format!("several enumerations have a value `{}`", name.text);
                let finding = env.error("ambiguous-name", message, name.pos);
                return Err(Box::new(finding.hint("write `Type#VALUE`")));
            }
            found = Some(val);
        }
    }
    Ok(found)
}

/// Standard functions without a meaning here.
const REFUSED: [&str; 20] = [
    "SQRT", "LN", "LOG", "EXP", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2", "LEN",
    "LEFT", "RIGHT", "MID", "CONCAT", "INSERT", "DELETE", "REPLACE", "FIND",
];

/// How many arguments a standard function has; 0 for any number.
fn n_arguments(key: &str) -> Option<usize> {
    match key {
        "ABS" | "NOT" | "MOVE" | "TRUNC" => Some(1),
        "SUB" | "DIV" | "MOD" | "EXPT" | "NE" | "SHL" | "SHR" | "ROL" | "ROR" => Some(2),
        "SEL" | "LIMIT" => Some(3),
        "ADD" | "MUL" | "AND" | "OR" | "XOR" | "MIN" | "MAX" | "MUX" | "GT" | "GE" | "EQ"
        | "LE" | "LT" => Some(0),
        _ => None,
    }
}

/// Whether a name (without case) is that of a standard function, which programs cannot define anew.
pub(super) fn is_standard(key: &str) -> bool {
    n_arguments(key).is_some() || REFUSED.contains(&key) || conversion(key).is_some()
}

/// A standard function, or else one of the program.
fn standard(env: &mut (impl Env + ?Sized), name: &Name, args: &[Arg], pos: Pos) -> Lowered<Val> {
    if let Some(conversion) = conversion(&name.key) {
        let [arg] = values(env, name, args, Some(1))?[..] else {
            return Err(wrong_number(env, name, pos));
        };
        return convert(env, conversion, arg, args[0].value.pos);
    }
    if REFUSED.contains(&&*name.key) {
        return Err(env.unsupported(&format!("the function `{}`", name.text), pos));
    }
    let Some(n_args) = n_arguments(&name.key) else {
        return env.call(name, args, pos);
    };
    let n_args = (n_args > 0).then_some(n_args);
    let vals = values(env, name, args, n_args)?;
    let (Some(&first), Some(&last)) = (vals.first(), vals.last()) else {
        return Err(wrong_number(env, name, pos));
    };
    let wrong = |env: &mut _| misfit(env, &Misfit::Operands(first.ty, last.ty), pos);
    let fold = |env: &mut _, op| {
        let mut all = vals.iter().copied();
        let first = all.next().expect("there is one");
        all.try_fold(first, |left, right| binary(env, op, left, right, pos))
    };
    match &*name.key {
        "MOVE" => Ok(first),
        "NOT" => env.arith().not(first).ok_or_else(|| wrong(env)),
        "ABS" => {
            let negated = env.arith().negated(first).ok_or_else(|| wrong(env))?;
            let zero = zero_of(env, first);
            let is_negative = binary(env, Binary::Lt, first, zero, pos)?;
            choose(env, is_negative.term, negated, first, pos)
        }
        "TRUNC" => {
            let real = fit(env, first, PlcType::Real, pos)?;
            let int = env.arith().truncated(real);
            let ty = PlcType::Int {
                bits: 32,
                signed: true,
            };
            let term = env.arith().of_int(int, ty);
            Ok(Val::new(term, ty))
        }
        "ADD" => fold(env, Binary::Add),
        "MUL" => fold(env, Binary::Mul),
        "SUB" => fold(env, Binary::Sub),
        "DIV" => fold(env, Binary::Div),
        "MOD" => fold(env, Binary::Mod),
        "AND" => fold(env, Binary::And),
        "OR" => fold(env, Binary::Or),
        "XOR" => fold(env, Binary::Xor),
        "EXPT" => power(env, first, last, pos),
        "MIN" | "MAX" => {
            let op = if &*name.key == "MIN" {
                Binary::Lt
            } else {
                Binary::Gt
            };
            let mut best = first;
            for &val in &vals[1..] {
                let is_better = binary(env, op, val, best, pos)?;
                best = choose(env, is_better.term, val, best, pos)?;
            }
            Ok(best)
        }
        "LIMIT" => {
            let (low, val, high) = (vals[0], vals[1], vals[2]);
            let above = binary(env, Binary::Gt, val, high, pos)?;
            let val = choose(env, above.term, high, val, pos)?;
            let below = binary(env, Binary::Lt, val, low, pos)?;
            choose(env, below.term, low, val, pos)
        }
        "SEL" => {
            let which = fit(env, first, PlcType::Bool, args[0].value.pos)?;
            choose(env, which, vals[2], vals[1], pos)
        }
        "MUX" => mux(env, name, &vals, pos),
        "SHL" | "SHR" | "ROL" | "ROR" => {
            let zero = zero_of(env, last);
            let is_negative = binary(env, Binary::Lt, last, zero, pos)?;
            env.fault(is_negative.term, pos);
            let shifted = env.arith().shift(&name.key, first, last);
            shifted.ok_or_else(|| wrong(env))
        }
        _ => {
            let op = match &*name.key {
                "GT" => Binary::Gt,
                "GE" => Binary::Ge,
                "EQ" => Binary::Eq,
                "LE" => Binary::Le,
                "LT" => Binary::Lt,
                _ => Binary::Ne,
            };
            let mut all = Vec::new();
            for pair in vals.windows(2) {
                all.push(binary(env, op, pair[0], pair[1], pos)?.term);
            }
            Ok(Val::new(env.cx().terms.and(&all), PlcType::Bool))
        }
    }
}

/// Zero of the type of a value.
fn zero_of(env: &mut (impl Env + ?Sized), val: Val) -> Val {
    match val.ty {
        ValTy::Of(ty) => Val::new(env.arith().default(ty), ty),
        _ => Val {
            term: env.cx().terms.int(0),
            ty: ValTy::AnyInt,
        },
    }
}

fn choose(
    env: &mut (impl Env + ?Sized),
    condition: TermId,
    then: Val,
    otherwise: Val,
    pos: Pos,
) -> Lowered<Val> {
    let both = env.arith().unify(then, otherwise);
    let (then, otherwise) = both.map_err(|why| misfit(env, &why, pos))?;
    let is_literal = !matches!(then.ty, ValTy::Of(_));
    let term = env.cx().terms.ite(condition, then.term, otherwise.term);
    if is_literal && env.cx().terms.as_lit(term).is_none() {
        // Of two written numbers: the type must be known.
        let ty = if then.ty == ValTy::AnyInt {
            PlcType::Int {
                bits: 16,
                signed: true,
            }
        } else {
            PlcType::Real
        };
        let (then, otherwise) = (fit(env, then, ty, pos)?, fit(env, otherwise, ty, pos)?);
        let term = env.cx().terms.ite(condition, then, otherwise);
        return Ok(Val::new(term, ty));
    }
    Ok(Val { term, ty: then.ty })
}

fn mux(env: &mut (impl Env + ?Sized), name: &Name, vals: &[Val], pos: Pos) -> Lowered<Val> {
    let Some((&which, inputs)) = vals.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Err(wrong_number(env, name, pos));
    };
    if !matches!(which.ty, ValTy::AnyInt | ValTy::Of(PlcType::Int { .. })) {
        return Err(misfit(env, &Misfit::Operands(which.ty, which.ty), pos));
    }
    let which = env.arith().as_int(which);
    let mut val = inputs[inputs.len() - 1];
    for (i, &input) in inputs.iter().enumerate().rev().skip(1) {
        let terms = &mut env.cx().terms;
        let number = terms.int(int_of(i as i128));
        let is_it = terms.eq(which, number);
        val = choose(env, is_it, input, val, pos)?;
    }
    let terms = &mut env.cx().terms;
    let (zero, n) = (terms.int(0), terms.int(int_of(inputs.len() as i128)));
    let (low, high) = (terms.lt(which, zero), terms.le(n, which));
    let outside = terms.or(&[low, high]);
    env.fault(outside, pos);
    Ok(val)
}

fn wrong_number(env: &(impl Env + ?Sized), name: &Name, pos: Pos) -> Box<Diagnostic> {
    let message = format!("`{}` has another number of arguments", name.text);
    env.error("wrong-arguments", message, pos)
}

/// The values of the arguments of a standard function, in the order in which they stand.
fn values(
    env: &mut (impl Env + ?Sized),
    name: &Name,
    args: &[Arg],
    n: Option<usize>,
) -> Lowered<Vec<Val>> {
    let order = |arg: &Arg| -> Option<usize> {
        let key = &*arg.name.as_ref()?.key;
        match (&*name.key, key) {
            ("SEL", "G") | ("LIMIT", "MN") | ("MUX", "K") | (_, "IN") if &*name.key != "LIMIT" => {
                Some(0)
            }
            ("LIMIT", "MN") => Some(0),
            ("LIMIT", "IN") => Some(1),
            ("LIMIT", "MX") => Some(2),
            ("SHL" | "SHR" | "ROL" | "ROR", "N") => Some(1),
            ("SEL" | "MUX", key) => key.strip_prefix("IN")?.parse::<usize>().ok().map(|n| n + 1),
            (_, key) => key
                .strip_prefix("IN")?
                .parse::<usize>()
                .ok()?
                .checked_sub(1),
        }
    };
    let mut placed: Vec<(usize, &Arg)> = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let place = if arg.name.is_some() {
            order(arg)
        } else {
            Some(i)
        };
        let Some(place) = place.filter(|_| !arg.output) else {
            let message = format!("`{}` has no such parameter", name.text);
            return Err(env.error("wrong-arguments", message, arg.value.pos));
        };
        placed.push((place, arg));
    }
    placed.sort_by_key(|placed| placed.0);
    let in_order = placed.iter().enumerate().all(|(i, placed)| i == placed.0);
    if !in_order || n.is_some_and(|n| n != args.len()) {
        return Err(wrong_number(env, name, name.pos));
    }
    placed
        .into_iter()
        .map(|(_, arg)| evaluate(env, &arg.value))
        .collect()
}

/// The types of `FROM_TO_TO` or `TO_TO`.
fn conversion(key: &str) -> Option<(Option<PlcType>, PlcType)> {
    if let Some(to) = key.strip_prefix("TO_") {
        return Some((None, elementary(to)?));
    }
    let (from, to) = key.split_once("_TO_")?;
    Some((Some(elementary(from)?), elementary(to)?))
}

fn convert(
    env: &mut (impl Env + ?Sized),
    (from, to): (Option<PlcType>, PlcType),
    val: Val,
    pos: Pos,
) -> Lowered<Val> {
    let val = match from {
        Some(from) => Val::new(fit(env, val, from, pos)?, from),
        None => val,
    };
    let term = env.arith().converted(val, to);
    let term = term.map_err(|why| misfit(env, &why, pos))?;
    Ok(Val::new(term, to))
}

/// The value of a constant whole number.
pub(super) fn constant_int(env: &mut (impl Env + ?Sized), e: &Expr) -> Lowered<i128> {
    let val = evaluate(env, e)?;
    let int = env.arith().as_int(val);
    let value = match env.cx().terms.as_lit(int) {
        Some(Value::Int(value)) => value.to_i64().map(i128::from),
        _ => None,
    };
    value.ok_or_else(|| {
        let message = "this must be a constant whole number of at most 64 bits".to_owned();
        env.error("not-constant", message, e.pos)
    })
}
