//! Cases and sets of values, indices, and the functions of SMV.

use super::flat::{Flat, Sound};
use super::value::{Data, Pick, PickId, Ty, Value};
use lariat_base::{FxHashMap, Span};
use lariat_expr::{BvOp, Int, Op, TermId, Value as Literal};
use std::rc::Rc;

/// Larger ranges are not compared value by value.
const MAX_LISTED: i64 = 4096;

impl Flat<'_> {
    /// The first value whose condition is true; `parts` are conditions and values in turn.
    pub fn case(&mut self, parts: &[Rc<Value>], span: Span) -> Sound<Value> {
        let (arms, _) = parts.as_chunks::<2>();
        let mut conditions = Vec::with_capacity(arms.len());
        for [condition, _] in arms {
            conditions.push(self.truth(condition, span)?);
        }
        let (Some([_, last]), Some(&condition)) = (arms.last(), conditions.last()) else {
            return Err(self.error("empty-case", span, "a case has at least one condition"));
        };
        // Without a condition that fits there is no value: the last one stands for it.
        let mut value = (**last).clone();
        let nothing = self.cx.terms.not(condition);
        let mut undefined = self.cx.terms.or(&[value.undefined, nothing]);
        let undefined_last = arms[arms.len() - 1][0].undefined;
        undefined = self.cx.terms.or(&[undefined, undefined_last]);
        for ([tested, arm], &condition) in arms.iter().zip(&conditions).rev().skip(1) {
            let rest = Rc::new(value);
            value = self.branch(condition, arm, &rest, span)?;
            let here = self.cx.terms.ite(condition, arm.undefined, undefined);
            undefined = self.cx.terms.or(&[tested.undefined, here]);
        }
        Ok(Value { undefined, ..value })
    }

    /// One value or another; what is undefined of it is the caller's affair.
    pub fn branch(
        &mut self,
        condition: TermId,
        then: &Rc<Value>,
        otherwise: &Rc<Value>,
        span: Span,
    ) -> Sound<Value> {
        let undefined = self.cx.terms.false_();
        let data = match (&then.data, &otherwise.data) {
            (Data::Array(low, a), Data::Array(other, b)) if low == other && a.len() == b.len() => {
                let mut elements = Vec::with_capacity(a.len());
                for (a, b) in a.iter().zip(b) {
                    elements.push(Rc::new(self.branch(condition, a, b, span)?));
                }
                Data::Array(*low, elements)
            }
            (Data::Term(..), Data::Term(..)) => {
                let ((left_ty, left), (right_ty, right)) =
                    (self.term(then, span)?, self.term(otherwise, span)?);
                let ty = self.common_type(&left_ty, &right_ty, span)?;
                let left = self.as_type(left, &left_ty, &ty, span)?;
                let right = self.as_type(right, &right_ty, &ty, span)?;
                let (left, right) = match ty {
                    Ty::Symbol => self.same_sort(left, right),
                    _ => (left, right),
                };
                Data::Term(ty, self.cx.terms.ite(condition, left, right))
            }
            _ => {
                let ((left_ty, left), (right_ty, right)) =
                    (self.as_set(then, span)?, self.as_set(otherwise, span)?);
                let ty = self.common_type(&left_ty, &right_ty, span)?;
                let left = self.set_as(left, &left_ty, &ty, span)?;
                let right = self.set_as(right, &right_ty, &ty, span)?;
                Data::Set(ty, self.pick(Pick::If(condition, left, right)))
            }
        };
        Ok(Value { data, undefined })
    }

    /// A set as one of another type.
    pub fn set_as(&mut self, pick: PickId, from: &Ty, to: &Ty, span: Span) -> Sound<PickId> {
        if from == to {
            return Ok(pick);
        }
        let pick = match to {
            Ty::Symbol => self.listed(pick, span)?,
            _ => pick,
        };
        self.map_pick(pick, |flat, term| flat.as_type(term, from, to, span))
    }

    /// A set with its ranges as lists of their numbers.
    fn listed(&mut self, root: PickId, span: Span) -> Sound<PickId> {
        let mut done: FxHashMap<PickId, PickId> = FxHashMap::default();
        for at in self.inner_picks(root) {
            let new = match self.picks[at].clone() {
                Pick::Range(low, high) => {
                    let mut parts = Vec::new();
                    for number in self.numbers_between(&low, &high, span)? {
                        let number = self.cx.terms.int(number);
                        parts.push(self.pick(Pick::One(number)));
                    }
                    Pick::Any(parts)
                }
                Pick::Any(parts) => Pick::Any(parts.iter().map(|part| done[part]).collect()),
                Pick::If(condition, then, otherwise) => {
                    Pick::If(condition, done[&then], done[&otherwise])
                }
                single @ Pick::One(_) => single,
            };
            let new = self.pick(new);
            done.insert(at, new);
        }
        Ok(done[&root])
    }

    /// The numbers of a range that is not too large to be listed.
    fn numbers_between(
        &mut self,
        low: &Int,
        high: &Int,
        span: Span,
    ) -> Sound<std::ops::RangeInclusive<i64>> {
        match (low.to_i64(), high.to_i64()) {
            (Some(low), Some(high)) if high.saturating_sub(low) <= MAX_LISTED => Ok(low..=high),
            _ => Err(self.error("too-large", span, "this range is too large")),
        }
    }

    /// All values together.
    pub fn union(&mut self, values: &[Rc<Value>], span: Span) -> Sound<Value> {
        let mut sets = Vec::with_capacity(values.len());
        let mut ty: Option<Ty> = None;
        for value in values {
            let (own, pick) = self.as_set(value, span)?;
            ty = Some(match ty {
                Some(ty) => self.common_type(&ty, &own, span)?,
                None => own.clone(),
            });
            sets.push((own, pick));
        }
        let Some(ty) = ty else {
            return Err(self.error("empty-set", span, "a set has at least one value"));
        };
        let mut parts = Vec::with_capacity(sets.len());
        for (own, pick) in sets {
            parts.push(self.set_as(pick, &own, &ty, span)?);
        }
        let pick = match parts[..] {
            [single] => single,
            _ => self.pick(Pick::Any(parts)),
        };
        let undefined = self.any_undefined(values);
        let data = Data::Set(ty, pick);
        Ok(Value { data, undefined })
    }

    /// That every value of the left is one of the right.
    pub fn contained(&mut self, left: &Value, right: &Value, span: Span) -> Sound<TermId> {
        let (left_ty, left) = self.as_set(left, span)?;
        let (right_ty, right) = self.as_set(right, span)?;
        let leaf = |flat: &mut Self, single: &Pick| match single {
            Pick::One(term) => flat.is_in((left_ty.clone(), *term), (&right_ty, right), span),
            Pick::Range(low, high) => {
                let mut all = Vec::new();
                for value in flat.numbers_between(low, high, span)? {
                    let term = flat.cx.terms.int(value);
                    all.push(flat.is_in((Ty::Int, term), (&right_ty, right), span)?);
                }
                Ok(flat.cx.terms.and(&all))
            }
            Pick::Any(_) | Pick::If(..) => unreachable!("leaves are single values and ranges"),
        };
        self.fold_pick(left, leaf, Op::And)
    }

    /// That a term is a value of a set.
    pub fn is_in(
        &mut self,
        (ty, term): (Ty, TermId),
        (set_ty, set): (&Ty, PickId),
        span: Span,
    ) -> Sound<TermId> {
        let leaf = |flat: &mut Self, single: &Pick| match single {
            Pick::One(value) => flat.equal((ty.clone(), term), (set_ty.clone(), *value), span),
            Pick::Range(low, high) => {
                let term = flat.as_type(term, &ty, &Ty::Int, span)?;
                Ok(flat.between(term, low, high))
            }
            Pick::Any(_) | Pick::If(..) => unreachable!("leaves are single values and ranges"),
        };
        self.fold_pick(set, leaf, Op::Or)
    }

    /// `a[i]`. A number that `is_written` there must be one of the array's indices; what is computed may be guarded.
    pub fn index(
        &mut self,
        array: &Rc<Value>,
        index: &Rc<Value>,
        is_written: bool,
        span: Span,
    ) -> Sound<Value> {
        let (index_ty, at) = self.term(index, span)?;
        let at = match index_ty {
            Ty::Int => at,
            Ty::Word { signed: false, .. } => self.build(Op::Bv(BvOp::ToNat), &[at]),
            _ => {
                let message = format!("an index is an integer, not {}", index_ty.describe());
                return Err(self.error("type-mismatch", span, message));
            }
        };
        let Data::Array(low, elements) = &array.data else {
            let finding =
                lariat_base::Diagnostic::error("not-an-array", "only an array has elements")
                    .at(span);
            let is_word = matches!(&array.data, Data::Term(Ty::Word { .. }, _));
            let hint = is_word.then_some("a bit of a word is written `w[1:1]`");
            return Err(self.report(finding.maybe_hint(hint)));
        };
        let undefined = self.cx.terms.or(&[array.undefined, index.undefined]);
        if let Some(Literal::Int(constant)) = self.cx.terms.as_lit(at) {
            let position = constant
                .to_i64()
                .and_then(|at| usize::try_from(at.checked_sub(*low)?).ok());
            let Some(element) = position.and_then(|at| elements.get(at)) else {
                if let (false, Some(last)) = (is_written, elements.last()) {
                    let (data, undefined) = (last.data.clone(), self.cx.terms.true_());
                    return Ok(Value { data, undefined });
                }
                let message = format!("there is no element {constant}");
                return Err(self.error("bad-index", span, message));
            };
            let undefined = self.cx.terms.or(&[undefined, element.undefined]);
            let data = element.data.clone();
            return Ok(Value { data, undefined });
        }
        let Some((last, others)) = elements.split_last() else {
            return Err(self.error("bad-index", span, "this array has no elements"));
        };
        let mut value = (**last).clone();
        let mut at_index = low + i64::try_from(others.len()).expect("arrays have few elements");
        let high = Int::from(at_index);
        for element in others.iter().rev() {
            at_index -= 1;
            let own = self.cx.terms.int(at_index);
            let is_own = self.cx.terms.eq(at, own);
            let rest = Rc::new(value);
            value = self.branch(is_own, element, &rest, span)?;
        }
        let inside = self.between(at, &Int::from(*low), &high);
        let outside = self.cx.terms.not(inside);
        let undefined = self.cx.terms.or(&[undefined, outside]);
        Ok(Value { undefined, ..value })
    }

    /// `w[h:l]`.
    pub fn slice(&mut self, values: &[Rc<Value>], span: Span) -> Sound<Value> {
        let (ty, word) = self.term(&values[0], span)?;
        let Ty::Word { width, .. } = ty else {
            let message = format!("bits are taken of a word, not of {}", ty.describe());
            return Err(self.error("type-mismatch", span, message));
        };
        let (high, low) = (
            self.number(&values[1], span)?,
            self.number(&values[2], span)?,
        );
        if high >= width || low > high {
            return Err(self.error(
                "bad-index",
                span,
                format!("a word of {width} bits has no bits {high}:{low}"),
            ));
        }
        let term = self.build(Op::Bv(BvOp::Extract { high, low }), &[word]);
        let ty = Ty::Word {
            signed: false,
            width: high - low + 1,
        };
        let undefined = values[0].undefined;
        let data = Data::Term(ty, term);
        Ok(Value { data, undefined })
    }

    /// A small constant number.
    pub fn number(&mut self, value: &Value, span: Span) -> Sound<u32> {
        let (_, term) = self.term(value, span)?;
        let small = match self.cx.terms.as_lit(term) {
            Some(Literal::Int(int)) => int.to_i64().and_then(|int| u32::try_from(int).ok()),
            _ => None,
        };
        small.ok_or_else(|| {
            self.error(
                "not-constant",
                span,
                "this must be a constant number of bits",
            )
        })
    }
}
