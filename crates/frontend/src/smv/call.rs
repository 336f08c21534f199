//! The functions of SMV: conversions between types, counting, arrays over words.

use super::flat::{Flat, Sound};
use super::lex::MAX_WIDTH;
use super::value::{Data, Ty, Value};
use lariat_base::Span;
use lariat_expr::{BvOp, Int, Op, TermId, Value as Literal};
use std::rc::Rc;

impl Flat<'_> {
    /// The value of a function.
    pub fn call(&mut self, name: &str, values: &[Rc<Value>], span: Span) -> Sound<Value> {
        let n_arguments = match name {
            "toint" | "bool" | "word1" | "signed" | "unsigned" | "sizeof" | "abs" | "typeof"
            | "floor" => Some(1),
            "extend" | "resize" | "uwconst" | "swconst" | "min" | "max" | "READ" | "CONSTARRAY"
            | "pow" => Some(2),
            "WRITE" => Some(3),
            "count" => None,
            _ => {
                let message = format!("there is no function `{}`", crate::parser::shorten(name));
                return Err(self.error("unknown-function", span, message));
            }
        };
        if n_arguments.is_some_and(|n| n != values.len()) {
            let message = format!("`{name}` has {} arguments", n_arguments.unwrap_or_default());
            return Err(self.error("wrong-arguments", span, message));
        }
        if name == "typeof" {
            return Ok((*values[0]).clone());
        }
        let mut terms = Vec::with_capacity(values.len());
        for value in values {
            terms.push(self.term(value, span)?);
        }
        let (ty, term) = match name {
            "count" => {
                let mut ones = vec![self.cx.terms.int(0)];
                for (ty, term) in terms {
                    let truth = self.as_type(term, &ty, &Ty::Bool, span)?;
                    ones.push(self.one_if(truth));
                }
                (Ty::Int, self.cx.terms.add(&ones))
            }
            "pow" => {
                let exponent = self.number(&values[1], span)?;
                self.power(terms.swap_remove(0), exponent, span)?
            }
            "READ" | "WRITE" | "CONSTARRAY" => self.map_function(name, &terms, span)?,
            "abs" | "min" | "max" => self.extreme(name, &terms, span)?,
            "extend" | "resize" | "uwconst" | "swconst" => {
                let width = self.number(&values[1], span)?;
                self.sized(name, terms.swap_remove(0), width, span)?
            }
            _ => self.conversion(name, terms.swap_remove(0), span)?,
        };
        let undefined = self.any_undefined(values);
        let data = Data::Term(ty, term);
        Ok(Value { data, undefined })
    }

    fn one_if(&mut self, truth: TermId) -> TermId {
        let (one, zero) = (self.cx.terms.int(1), self.cx.terms.int(0));
        self.cx.terms.ite(truth, one, zero)
    }

    fn wrong_argument(&mut self, name: &str, ty: &Ty, span: Span) -> super::flat::Wrong {
        let message = format!("`{name}` does not take {}", ty.describe());
        self.error("type-mismatch", span, message)
    }

    fn conversion(
        &mut self,
        name: &str,
        (ty, term): (Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId)> {
        Ok(match (name, &ty) {
            ("toint", Ty::Bool) => (Ty::Int, self.one_if(term)),
            ("toint", Ty::Int) => (Ty::Int, term),
            ("toint", Ty::Word { signed, width }) => {
                let nat = self.build(Op::Bv(BvOp::ToNat), &[term]);
                if !signed {
                    return Ok((Ty::Int, nat));
                }
                let sort = self.cx.terms.sorts.bv(*width);
                let zero = self.cx.terms.lit(Literal::Bv(Int::ZERO), sort);
                let negative = self.build(Op::Bv(BvOp::Slt), &[term, zero]);
                let size = self.cx.terms.int(Int::power_of_two(*width));
                let below = self.cx.terms.sub(nat, size);
                (Ty::Int, self.cx.terms.ite(negative, below, nat))
            }
            ("bool", Ty::Bool) => (Ty::Bool, term),
            ("bool", Ty::Int) => {
                let zero = self.cx.terms.int(0);
                let is_zero = self.cx.terms.eq(term, zero);
                (Ty::Bool, self.cx.terms.not(is_zero))
            }
            ("bool", Ty::Word { width: 1, .. }) => {
                let sort = self.cx.terms.sort(term);
                let one = self.cx.terms.lit(Literal::Bv(Int::ONE), sort);
                (Ty::Bool, self.cx.terms.eq(term, one))
            }
            ("word1", Ty::Bool) => {
                let sort = self.cx.terms.sorts.bv(1);
                let one = self.cx.terms.lit(Literal::Bv(Int::ONE), sort);
                let zero = self.cx.terms.lit(Literal::Bv(Int::ZERO), sort);
                let ty = Ty::Word {
                    signed: false,
                    width: 1,
                };
                (ty, self.cx.terms.ite(term, one, zero))
            }
            ("signed" | "unsigned", Ty::Word { width, .. }) => {
                let ty = Ty::Word {
                    signed: name == "signed",
                    width: *width,
                };
                (ty, term)
            }
            ("sizeof", Ty::Word { width, .. }) => (Ty::Int, self.cx.terms.int(i64::from(*width))),
            ("floor", Ty::Real) => (Ty::Int, self.build(Op::ToInt, &[term])),
            ("floor", Ty::Int) => (Ty::Int, term),
            _ => return Err(self.wrong_argument(name, &ty, span)),
        })
    }

    /// Words of another width.
    fn sized(
        &mut self,
        name: &str,
        (ty, term): (Ty, TermId),
        n: u32,
        span: Span,
    ) -> Sound<(Ty, TermId)> {
        let width = match (name, &ty) {
            ("extend", Ty::Word { width, .. }) => width.saturating_add(n),
            _ => n,
        };
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(self.error("bad-width", span, "a word has from 1 to 65535 bits"));
        }
        match (name, ty) {
            ("uwconst" | "swconst", Ty::Int) => {
                let signed = name == "swconst";
                let term = self.build(Op::Bv(BvOp::OfInt(width)), &[term]);
                Ok((Ty::Word { signed, width }, term))
            }
            ("extend" | "resize", Ty::Word { signed, width: old }) => {
                let ty = Ty::Word { signed, width };
                let term = if width >= old {
                    let op = if signed {
                        BvOp::Sext(width)
                    } else {
                        BvOp::Zext(width)
                    };
                    self.build(Op::Bv(op), &[term])
                } else if signed {
                    self.cut_signed(term, old, width)
                } else {
                    let low = BvOp::Extract {
                        high: width - 1,
                        low: 0,
                    };
                    self.build(Op::Bv(low), &[term])
                };
                Ok((ty, term))
            }
            (name, ty) => Err(self.wrong_argument(name, &ty, span)),
        }
    }

    /// A signed word with fewer bits keeps its sign.
    fn cut_signed(&mut self, term: TermId, old: u32, width: u32) -> TermId {
        let (high, low) = (old - 1, old - 1);
        let sign = self.build(Op::Bv(BvOp::Extract { high, low }), &[term]);
        if width == 1 {
            return sign;
        }
        let high = width - 2;
        let rest = self.build(Op::Bv(BvOp::Extract { high, low: 0 }), &[term]);
        self.build(Op::Bv(BvOp::Concat), &[sign, rest])
    }

    fn extreme(&mut self, name: &str, terms: &[(Ty, TermId)], span: Span) -> Sound<(Ty, TermId)> {
        let (ty, first) = terms[0].clone();
        let is_number = |ty: &Ty| matches!(ty, Ty::Int | Ty::Real);
        if !terms.iter().all(|(ty, _)| is_number(ty)) {
            return Err(self.wrong_argument(name, &ty, span));
        }
        let (ty, first, second) = match terms {
            [_] => {
                let negated = self.cx.terms.neg(first);
                (ty, first, negated)
            }
            _ => {
                let (other, second) = terms[1].clone();
                let common = self.common_type(&ty, &other, span)?;
                let first = self.as_type(first, &ty, &common, span)?;
                let second = self.as_type(second, &other, &common, span)?;
                (common, first, second)
            }
        };
        let less = self.cx.terms.le(first, second);
        let term = if name == "min" {
            self.cx.terms.ite(less, first, second)
        } else {
            self.cx.terms.ite(less, second, first)
        };
        Ok((ty, term))
    }

    /// A power with a constant exponent.
    fn power(
        &mut self,
        (ty, term): (Ty, TermId),
        exponent: u32,
        span: Span,
    ) -> Sound<(Ty, TermId)> {
        const MOST: u32 = 64;
        if !matches!(ty, Ty::Int | Ty::Real) || !(1..=MOST).contains(&exponent) {
            let message = format!("a power is of a number, with a constant from 1 to {MOST}");
            return Err(self.error("unsupported-power", span, message));
        }
        let factors = vec![term; exponent as usize];
        Ok((ty, self.cx.terms.mul(&factors)))
    }

    fn map_function(
        &mut self,
        name: &str,
        terms: &[(Ty, TermId)],
        span: Span,
    ) -> Sound<(Ty, TermId)> {
        let (ty, map) = terms[0].clone();
        let Ty::Map(types) = &ty else {
            return Err(self.wrong_argument(name, &ty, span));
        };
        let argument = |flat: &mut Self, at: usize, wanted: &Ty| {
            let (own, term) = terms[at].clone();
            flat.as_type(term, &own, wanted, span)
        };
        Ok(match name {
            "READ" => {
                let index = argument(self, 1, &types.0)?;
                (types.1.clone(), self.cx.terms.select(map, index))
            }
            "WRITE" => {
                let index = argument(self, 1, &types.0)?;
                let value = argument(self, 2, &types.1)?;
                let stored = self.cx.terms.store(map, index, value);
                (ty, stored)
            }
            _ => {
                let value = argument(self, 1, &types.1)?;
                let sort = self.cx.terms.sort(map);
                let constant = self.build(Op::ConstArray(sort), &[value]);
                (ty, constant)
            }
        })
    }
}
