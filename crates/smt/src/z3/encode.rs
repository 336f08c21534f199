//! Terms to Z3.
//!
//! Each term is translated once per backend. Where our operators are total and SMT-LIB leaves the result
//! open (division by zero), the translation says what our result is, so that solver and evaluator agree.

use super::sorts::Z3Sorts;
use super::value;
use lariat_base::{FxHashMap, Id};
use lariat_expr::{BvOp, Head, Int, Op, TermId, Terms, Value, VarId};
use z3::ast::{Array, BV, Bool, Dynamic, Int as Z3Int, Real};

/// Translates the terms of one store and remembers the translations.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    pub(super) sorts: Z3Sorts,
    done: Vec<Option<Dynamic>>,
    /// The variables of the constants, for the way back.
    vars: FxHashMap<Dynamic, VarId>,
}

impl Encoder {
    /// The formula of a Boolean term.
    pub(super) fn formula(&mut self, terms: &Terms, term: TermId) -> Bool {
        as_bool(&self.encode(terms, term))
    }

    /// The Z3 term of a term.
    pub(super) fn encode(&mut self, terms: &Terms, term: TermId) -> Dynamic {
        if self.done.len() < terms.n_terms() {
            self.done.resize(terms.n_terms(), None);
        }
        let mut todo = vec![term];
        while let Some(&at) = todo.last() {
            if self.done[at.index()].is_some() {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let missing = |arg: &&TermId| self.done[arg.index()].is_none();
            todo.extend(terms.args(at).iter().filter(missing));
            if todo.len() == before {
                self.done[at.index()] = Some(self.encode_top(terms, at));
                todo.pop();
            }
        }
        self.done[term.index()]
            .clone()
            .expect("the loop ends when the term is translated")
    }

    /// The constant of a variable.
    pub(super) fn constant(&mut self, terms: &Terms, var: VarId) -> Dynamic {
        let sort = self.sorts.get(terms, terms.var_sort(var));
        let constant = Dynamic::new_const(format!("v!{}", var.index()), &sort);
        self.vars.entry(constant.clone()).or_insert(var);
        constant
    }

    /// The variable of a constant made here.
    pub(super) fn var_of(&self, constant: &Dynamic) -> Option<VarId> {
        self.vars.get(constant).copied()
    }

    fn encode_top(&mut self, terms: &Terms, term: TermId) -> Dynamic {
        match terms.head(term) {
            Head::Var(var) => self.constant(terms, var),
            Head::Lit(literal) => value::encode(&mut self.sorts, terms, literal, terms.sort(term)),
            Head::Op(op, args) => {
                let encoded: Vec<Dynamic> = args
                    .iter()
                    .map(|arg| {
                        self.done[arg.index()]
                            .clone()
                            .expect("arguments come first")
                    })
                    .collect();
                self.apply(terms, op, args, &encoded)
            }
        }
    }

    fn apply(&mut self, terms: &Terms, op: Op, args: &[TermId], z3: &[Dynamic]) -> Dynamic {
        let is_int = || terms.sort(args[0]) == terms.sorts.int();
        match op {
            Op::Not => as_bool(&z3[0]).not().into(),
            Op::And => Bool::and(&all(z3, as_bool)).into(),
            Op::Or => Bool::or(&all(z3, as_bool)).into(),
            Op::Eq => z3[0].eq(&z3[1]).into(),
            Op::Ite => as_bool(&z3[0]).ite(&z3[1], &z3[2]),
            Op::Add if is_int() => Z3Int::add(&all(z3, as_int)).into(),
            Op::Add => Real::add(&all(z3, as_real)).into(),
            Op::Mul if is_int() => Z3Int::mul(&all(z3, as_int)).into(),
            Op::Mul => Real::mul(&all(z3, as_real)).into(),
            Op::Le if is_int() => as_int(&z3[0]).le(as_int(&z3[1])).into(),
            Op::Le => as_real(&z3[0]).le(as_real(&z3[1])).into(),
            Op::Lt if is_int() => as_int(&z3[0]).lt(as_int(&z3[1])).into(),
            Op::Lt => as_real(&z3[0]).lt(as_real(&z3[1])).into(),
            Op::Div | Op::Mod | Op::Rem => {
                let divisor = terms.as_lit(args[1]).and_then(Value::as_int);
                divide(op, &as_int(&z3[0]), &as_int(&z3[1]), divisor).into()
            }
            Op::RatDiv => {
                let (dividend, divisor) = (as_real(&z3[0]), as_real(&z3[1]));
                let zero = Z3Int::from_i64(0).to_real();
                divisor.eq(&zero).ite(&zero, &dividend.div(&divisor)).into()
            }
            Op::ToRat => as_int(&z3[0]).to_real().into(),
            Op::ToInt => as_real(&z3[0]).to_int().into(),
            Op::Select => as_array(&z3[0]).select(&z3[1]),
            Op::Store => as_array(&z3[0]).store(&z3[1], &z3[2]).into(),
            Op::ConstArray(sort) => {
                let (index, _) = terms.sorts.as_array(sort).expect("terms are sort-checked");
                Array::const_array(&self.sorts.get(terms, index), &z3[0]).into()
            }
            Op::Bv(BvOp::OfInt(width)) => BV::from_int(&as_int(&z3[0]), width).into(),
            Op::Bv(op) => apply_bv(op, z3),
        }
    }
}

/// Integer division with our results by zero; `known` is the divisor if it is a literal.
fn divide(op: Op, dividend: &Z3Int, divisor: &Z3Int, known: Option<&Int>) -> Z3Int {
    let zero = Z3Int::from_i64(0);
    let (result, by_zero) = match op {
        Op::Div => (dividend.div(divisor), zero.clone()),
        Op::Mod => (dividend.modulo(divisor), dividend.clone()),
        _ => {
            let modulus = dividend.modulo(divisor);
            let signed = match known.map(Int::is_negative) {
                Some(true) => modulus.unary_minus(),
                Some(false) => modulus,
                None => divisor.lt(&zero).ite(&modulus.unary_minus(), &modulus),
            };
            (signed, dividend.clone())
        }
    };
    match known.map(Int::is_zero) {
        Some(true) => by_zero,
        Some(false) => result,
        None => divisor.eq(&zero).ite(&by_zero, &result),
    }
}

fn apply_bv(op: BvOp, z3: &[Dynamic]) -> Dynamic {
    let a = as_bv(&z3[0]);
    let b = || as_bv(&z3[1]);
    match op {
        BvOp::Neg => a.bvneg().into(),
        BvOp::Not => a.bvnot().into(),
        BvOp::Add => a.bvadd(b()).into(),
        BvOp::Sub => a.bvsub(b()).into(),
        BvOp::Mul => a.bvmul(b()).into(),
        BvOp::Udiv => a.bvudiv(b()).into(),
        BvOp::Urem => a.bvurem(b()).into(),
        BvOp::Sdiv => a.bvsdiv(b()).into(),
        BvOp::Srem => a.bvsrem(b()).into(),
        BvOp::Smod => a.bvsmod(b()).into(),
        BvOp::And => a.bvand(b()).into(),
        BvOp::Or => a.bvor(b()).into(),
        BvOp::Xor => a.bvxor(b()).into(),
        BvOp::Shl => a.bvshl(b()).into(),
        BvOp::Lshr => a.bvlshr(b()).into(),
        BvOp::Ashr => a.bvashr(b()).into(),
        BvOp::Rotl => a.bvrotl(b()).into(),
        BvOp::Rotr => a.bvrotr(b()).into(),
        BvOp::Ult => a.bvult(b()).into(),
        BvOp::Ule => a.bvule(b()).into(),
        BvOp::Slt => a.bvslt(b()).into(),
        BvOp::Sle => a.bvsle(b()).into(),
        BvOp::Concat => a.concat(b()).into(),
        BvOp::Extract { high, low } => a.extract(high, low).into(),
        BvOp::Zext(to) => a.zero_ext(to - a.get_size()).into(),
        BvOp::Sext(to) => a.sign_ext(to - a.get_size()).into(),
        BvOp::ToNat => a.to_int(false).into(),
        BvOp::OfInt(_) => unreachable!("its argument is no bit-vector; handled by the caller"),
    }
}

fn all<T>(args: &[Dynamic], cast: fn(&Dynamic) -> T) -> Vec<T> {
    args.iter().map(cast).collect()
}

fn as_bool(ast: &Dynamic) -> Bool {
    ast.as_bool().expect("terms are sort-checked")
}

fn as_int(ast: &Dynamic) -> Z3Int {
    ast.as_int().expect("terms are sort-checked")
}

fn as_real(ast: &Dynamic) -> Real {
    ast.as_real().expect("terms are sort-checked")
}

fn as_bv(ast: &Dynamic) -> BV {
    ast.as_bv().expect("terms are sort-checked")
}

fn as_array(ast: &Dynamic) -> Array {
    ast.as_array().expect("terms are sort-checked")
}
