//! Operators of SMV on values: their types and what they compute.

use super::flat::{Flat, Sound, Wrong};
use super::tree::{Binary, Node, Unary};
use super::value::{Data, Pick, Ty, Value};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{BvOp, Int, Op, TermId, Value as Literal};
use std::rc::Rc;

impl Flat<'_> {
    /// The value of an operation on the values of its operands.
    pub fn operation(&mut self, node: &Node, span: Span, values: &[Rc<Value>]) -> Sound<Value> {
        match node {
            Node::Bool(value) => Ok(self.defined(Ty::Bool, self.cx.terms.bool(*value))),
            Node::Int(int) => {
                let term = self.cx.terms.int(int.clone());
                Ok(self.defined(Ty::Int, term))
            }
            Node::Real(rat) => {
                let sort = self.cx.terms.sorts.rat();
                let term = self.cx.terms.lit(Literal::Rat(rat.clone()), sort);
                Ok(self.defined(Ty::Real, term))
            }
            Node::Bits(bits) => {
                let sort = self.cx.terms.sorts.bv(bits.width);
                let term = self.cx.terms.lit(Literal::Bv(bits.value.clone()), sort);
                let ty = Ty::Word {
                    signed: bits.signed,
                    width: bits.width,
                };
                Ok(self.defined(ty, term))
            }
            Node::Unary(operator, _) if !operator.is_temporal() => {
                self.unary(*operator, &values[0], span)
            }
            Node::Unary(..) | Node::Bounded(..) => Err(self.temporal(span)),
            Node::Binary(operator, ..) if operator.is_temporal() => Err(self.temporal(span)),
            Node::Binary(operator, ..) => self.binary(*operator, &values[0], &values[1], span),
            Node::Ite(..) => {
                let condition = self.truth(&values[0], span)?;
                let not = self.cx.terms.not(condition);
                let value = self.branch(condition, &values[1], &values[2], span)?;
                let undefined = self.guarded(
                    values[0].undefined,
                    &[(condition, &values[1]), (not, &values[2])],
                );
                Ok(Value { undefined, ..value })
            }
            Node::Case(_) => self.case(values, span),
            Node::Set(_) => self.union(values, span),
            Node::List(_) => {
                let undefined = self.any_undefined(values);
                let data = Data::Array(0, values.to_vec());
                Ok(Value { data, undefined })
            }
            Node::Index(_, index) => {
                let is_written = self.tree.constant_index(*index).is_some();
                self.index(&values[0], &values[1], is_written, span)
            }
            Node::Slice(..) => self.slice(values, span),
            Node::Call(name, _) => {
                let name = self.tree.text(*name).to_owned();
                self.call(&name, values, span)
            }
            Node::Name(_) | Node::Dot(..) => panic!("names are resolved before operations"),
        }
    }

    fn temporal(&mut self, span: Span) -> Wrong {
        let message = "a temporal operator cannot stand inside of an expression";
        let finding = Diagnostic::error("temporal-operator", message).at(span);
        self.report(finding.hint(
            "in LTLSPEC it stands under `! & | xor xnor -> <->` and other temporal operators",
        ))
    }

    /// When any of the values is undefined.
    pub fn any_undefined(&mut self, values: &[Rc<Value>]) -> TermId {
        let all: Vec<TermId> = values.iter().map(|value| value.undefined).collect();
        self.cx.terms.or(&all)
    }

    /// When the first is undefined, or one of the others where its guard is true.
    pub fn guarded(&mut self, first: TermId, others: &[(TermId, &Rc<Value>)]) -> TermId {
        let mut all = vec![first];
        for (guard, value) in others {
            all.push(self.cx.terms.and(&[*guard, value.undefined]));
        }
        self.cx.terms.or(&all)
    }

    fn mismatch(&mut self, what: &str, left: &Ty, right: &Ty, span: Span) -> Wrong {
        let message = format!(
            "{what} does not take {} and {}",
            left.describe(),
            right.describe()
        );
        self.error("type-mismatch", span, message)
    }

    fn unary(&mut self, operator: Unary, value: &Rc<Value>, span: Span) -> Sound<Value> {
        let (ty, term) = self.term(value, span)?;
        let result = match (operator, &ty) {
            (Unary::Not, Ty::Word { .. }) => self.build(Op::Bv(BvOp::Not), &[term]),
            (Unary::Not, _) => {
                let truth = self.as_type(term, &ty, &Ty::Bool, span)?;
                let term = self.cx.terms.not(truth);
                let data = Data::Term(Ty::Bool, term);
                let undefined = value.undefined;
                return Ok(Value { data, undefined });
            }
            (_, Ty::Word { .. }) => self.build(Op::Bv(BvOp::Neg), &[term]),
            (_, Ty::Int | Ty::Real) => self.cx.terms.neg(term),
            _ => {
                let message = format!("{} has no negative", ty.describe());
                return Err(self.error("type-mismatch", span, message));
            }
        };
        let undefined = value.undefined;
        let data = Data::Term(ty, result);
        Ok(Value { data, undefined })
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &Rc<Value>,
        right: &Rc<Value>,
        span: Span,
    ) -> Sound<Value> {
        let no = self.cx.terms.false_();
        let (ty, term, impossible) = match operator {
            Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Xnor
            | Binary::Iff
            | Binary::Implies => return self.logic(operator, left, right, span),
            Binary::Union => return self.union(&[Rc::clone(left), Rc::clone(right)], span),
            Binary::Range => return self.range(left, right, span),
            Binary::In => (Ty::Bool, self.contained(left, right, span)?, no),
            Binary::Eq => (Ty::Bool, self.equal_values(left, right, span)?, no),
            Binary::Ne => {
                let equal = self.equal_values(left, right, span)?;
                (Ty::Bool, self.cx.terms.not(equal), no)
            }
            _ => {
                let (left, right) = (self.term(left, span)?, self.term(right, span)?);
                self.computed(operator, left, right, span)?
            }
        };
        let undefined = [left.undefined, right.undefined, impossible];
        let undefined = self.cx.terms.or(&undefined);
        let data = Data::Term(ty, term);
        Ok(Value { data, undefined })
    }

    /// An operation on numbers and words; and when it is impossible.
    fn computed(
        &mut self,
        operator: Binary,
        left: (Ty, TermId),
        right: (Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId, TermId)> {
        let no = self.cx.terms.false_();
        match operator {
            Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => {
                let term = self.order(operator, left, right, span)?;
                Ok((Ty::Bool, term, no))
            }
            Binary::Add | Binary::Sub | Binary::Mul => {
                let (ty, term) = self.arithmetic(operator, left, right, span)?;
                Ok((ty, term, no))
            }
            Binary::Div | Binary::Mod => self.division(operator, left, right, span),
            Binary::Shl | Binary::Shr => self.shift(operator, left, right, span),
            Binary::Concat => {
                let (ty, term) = self.concatenation(&left, &right, span)?;
                Ok((ty, term, no))
            }
            _ => Err(self.temporal(span)),
        }
    }

    fn concatenation(
        &mut self,
        left: &(Ty, TermId),
        right: &(Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId)> {
        let (Ty::Word { width: a, .. }, Ty::Word { width: b, .. }) = (&left.0, &right.0) else {
            return Err(self.mismatch("`::`", &left.0, &right.0, span));
        };
        let width = a + b;
        if width > super::lex::MAX_WIDTH {
            return Err(self.error("bad-width", span, "a word has at most 65535 bits"));
        }
        let ty = Ty::Word {
            signed: false,
            width,
        };
        Ok((ty, self.build(Op::Bv(BvOp::Concat), &[left.1, right.1])))
    }

    fn logic(
        &mut self,
        operator: Binary,
        left: &Rc<Value>,
        right: &Rc<Value>,
        span: Span,
    ) -> Sound<Value> {
        let (left_ty, a) = self.term(left, span)?;
        let (right_ty, b) = self.term(right, span)?;
        if let (Ty::Word { .. }, Ty::Word { .. }) = (&left_ty, &right_ty) {
            if left_ty != right_ty {
                return Err(self.mismatch("a bitwise operator", &left_ty, &right_ty, span));
            }
            let term = self.bitwise(operator, a, b);
            let undefined = self.cx.terms.or(&[left.undefined, right.undefined]);
            let data = Data::Term(left_ty, term);
            return Ok(Value { data, undefined });
        }
        let a = self.as_type(a, &left_ty, &Ty::Bool, span)?;
        let b = self.as_type(b, &right_ty, &Ty::Bool, span)?;
        let yes = self.cx.terms.true_();
        let not_a = self.cx.terms.not(a);
        let (term, guard) = match operator {
            Binary::And => (self.cx.terms.and(&[a, b]), a),
            Binary::Or => (self.cx.terms.or(&[a, b]), not_a),
            Binary::Implies => (self.cx.terms.implies(a, b), a),
            Binary::Xor => {
                let equal = self.cx.terms.eq(a, b);
                (self.cx.terms.not(equal), yes)
            }
            _ => (self.cx.terms.eq(a, b), yes),
        };
        let undefined = self.guarded(left.undefined, &[(guard, right)]);
        let data = Data::Term(Ty::Bool, term);
        Ok(Value { data, undefined })
    }

    fn bitwise(&mut self, operator: Binary, a: TermId, b: TermId) -> TermId {
        match operator {
            Binary::And => self.build(Op::Bv(BvOp::And), &[a, b]),
            Binary::Or => self.build(Op::Bv(BvOp::Or), &[a, b]),
            Binary::Xor => self.build(Op::Bv(BvOp::Xor), &[a, b]),
            Binary::Implies => {
                let not = self.build(Op::Bv(BvOp::Not), &[a]);
                self.build(Op::Bv(BvOp::Or), &[not, b])
            }
            _ => {
                let differ = self.build(Op::Bv(BvOp::Xor), &[a, b]);
                self.build(Op::Bv(BvOp::Not), &[differ])
            }
        }
    }

    /// That two values are equal; arrays element by element. The recursion follows nested array types.
    fn equal_values(&mut self, left: &Rc<Value>, right: &Rc<Value>, span: Span) -> Sound<TermId> {
        if let (Data::Array(_, a), Data::Array(_, b)) = (&left.data, &right.data) {
            if a.len() != b.len() {
                return Err(self.error(
                    "type-mismatch",
                    span,
                    "these arrays have different lengths",
                ));
            }
            let mut parts = Vec::with_capacity(a.len());
            for (a, b) in a.iter().zip(b) {
                parts.push(self.equal_values(a, b, span)?);
            }
            return Ok(self.cx.terms.and(&parts));
        }
        let (left, right) = (self.term(left, span)?, self.term(right, span)?);
        self.equal(left, right, span)
    }

    /// That two terms are equal, whatever their types if those may be compared.
    pub fn equal(
        &mut self,
        (left_ty, left): (Ty, TermId),
        (right_ty, right): (Ty, TermId),
        span: Span,
    ) -> Sound<TermId> {
        match (&left_ty, &right_ty) {
            (Ty::Symbol, Ty::Symbol) => return Ok(self.equal_symbols(left, right)),
            (Ty::Symbol, Ty::Int) => return self.symbol_is_number(left, right, span),
            (Ty::Int, Ty::Symbol) => return self.symbol_is_number(right, left, span),
            (Ty::Word { .. }, Ty::Word { .. }) if left_ty != right_ty => {
                return Err(self.mismatch("`=`", &left_ty, &right_ty, span));
            }
            _ => {}
        }
        let common = self.common_type(&left_ty, &right_ty, span)?;
        let left = self.as_type(left, &left_ty, &common, span)?;
        let right = self.as_type(right, &right_ty, &common, span)?;
        Ok(self.cx.terms.eq(left, right))
    }

    fn equal_symbols(&mut self, left: TermId, right: TermId) -> TermId {
        let (a, b) = (self.cx.terms.sort(left), self.cx.terms.sort(right));
        if a == b {
            return self.cx.terms.eq(left, right);
        }
        // The sort of all symbols is converted to that of a variable.
        let (from, to, sort) = if Some(a) == self.symbols_sort {
            (left, right, b)
        } else {
            (right, left, a)
        };
        let (converted, outside) = self.convert(from, sort);
        let inside = self.cx.terms.not(outside);
        let equal = self.cx.terms.eq(converted, to);
        self.cx.terms.and(&[inside, equal])
    }

    /// That a value of an enumeration with numbers in it is a number.
    fn symbol_is_number(&mut self, symbol: TermId, number: TermId, span: Span) -> Sound<TermId> {
        let sort = self.cx.terms.sort(symbol);
        let decl = self
            .cx
            .terms
            .sorts
            .as_enum(sort)
            .expect("symbols are enumerations")
            .clone();
        let mut cases = Vec::new();
        for (position, literal) in decl.literals.iter().enumerate() {
            if let Ok(int) = literal.parse::<Int>() {
                let own = self.cx.terms.lit(Literal::Enum(position as u32), sort);
                let int = self.cx.terms.int(int);
                let (is_own, is_number) =
                    (self.cx.terms.eq(symbol, own), self.cx.terms.eq(number, int));
                cases.push(self.cx.terms.and(&[is_own, is_number]));
            }
        }
        if cases.is_empty() {
            return Err(self.mismatch("`=`", &Ty::Symbol, &Ty::Int, span));
        }
        Ok(self.cx.terms.or(&cases))
    }

    /// Numbers of one type: integers become reals where they meet one.
    fn numbers(
        &mut self,
        left: (Ty, TermId),
        right: (Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId, TermId)> {
        match (&left.0, &right.0) {
            (Ty::Int, Ty::Int) | (Ty::Real, Ty::Real) => Ok((left.0, left.1, right.1)),
            (Ty::Int, Ty::Real) | (Ty::Real, Ty::Int) => {
                let a = self.as_type(left.1, &left.0, &Ty::Real, span)?;
                let b = self.as_type(right.1, &right.0, &Ty::Real, span)?;
                Ok((Ty::Real, a, b))
            }
            (Ty::Word { .. }, Ty::Word { .. }) if left.0 == right.0 => {
                Ok((left.0, left.1, right.1))
            }
            (Ty::Symbol, _) | (_, Ty::Symbol) => {
                let message = "symbolic values have no order and no arithmetic";
                Err(self.error("type-mismatch", span, message))
            }
            _ => Err(self.mismatch("this operator", &left.0, &right.0, span)),
        }
    }

    fn order(
        &mut self,
        operator: Binary,
        left: (Ty, TermId),
        right: (Ty, TermId),
        span: Span,
    ) -> Sound<TermId> {
        let (ty, a, b) = self.numbers(left, right, span)?;
        let (a, b) = match operator {
            Binary::Gt | Binary::Ge => (b, a),
            _ => (a, b),
        };
        let is_strict = matches!(operator, Binary::Lt | Binary::Gt);
        let op = match (ty, is_strict) {
            (Ty::Word { signed: true, .. }, true) => Op::Bv(BvOp::Slt),
            (Ty::Word { signed: true, .. }, false) => Op::Bv(BvOp::Sle),
            (Ty::Word { .. }, true) => Op::Bv(BvOp::Ult),
            (Ty::Word { .. }, false) => Op::Bv(BvOp::Ule),
            (_, true) => Op::Lt,
            (_, false) => Op::Le,
        };
        Ok(self.build(op, &[a, b]))
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        left: (Ty, TermId),
        right: (Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId)> {
        let (ty, a, b) = self.numbers(left, right, span)?;
        let term = match (&ty, operator) {
            (Ty::Word { .. }, Binary::Add) => self.build(Op::Bv(BvOp::Add), &[a, b]),
            (Ty::Word { .. }, Binary::Sub) => self.build(Op::Bv(BvOp::Sub), &[a, b]),
            (Ty::Word { .. }, _) => self.build(Op::Bv(BvOp::Mul), &[a, b]),
            (_, Binary::Add) => self.cx.terms.add(&[a, b]),
            (_, Binary::Sub) => self.cx.terms.sub(a, b),
            _ => self.cx.terms.mul(&[a, b]),
        };
        Ok((ty, term))
    }

    /// Division or remainder, towards zero; and when the divisor is zero.
    fn division(
        &mut self,
        operator: Binary,
        left: (Ty, TermId),
        right: (Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId, TermId)> {
        let (ty, a, b) = self.numbers(left, right, span)?;
        let zero = match ty {
            Ty::Word { width, .. } => {
                let sort = self.cx.terms.sorts.bv(width);
                self.cx.terms.lit(Literal::Bv(Int::ZERO), sort)
            }
            Ty::Real => {
                let sort = self.cx.terms.sorts.rat();
                self.cx.terms.lit(Literal::Rat(Int::ZERO.into()), sort)
            }
            _ => self.cx.terms.int(0),
        };
        let by_zero = self.cx.terms.eq(b, zero);
        let is_mod = operator == Binary::Mod;
        let term = match (&ty, is_mod) {
            (Ty::Word { signed: true, .. }, false) => self.build(Op::Bv(BvOp::Sdiv), &[a, b]),
            (Ty::Word { signed: true, .. }, true) => self.build(Op::Bv(BvOp::Srem), &[a, b]),
            (Ty::Word { .. }, false) => self.build(Op::Bv(BvOp::Udiv), &[a, b]),
            (Ty::Word { .. }, true) => self.build(Op::Bv(BvOp::Urem), &[a, b]),
            (Ty::Real, false) => self.build(Op::RatDiv, &[a, b]),
            (Ty::Real, true) => {
                return Err(self.error("type-mismatch", span, "`mod` is for integers and words"));
            }
            (_, false) => self.truncated(a, b, zero),
            (_, true) => {
                // a - b * (a / b): the remainder has the sign of the dividend.
                let quotient = self.truncated(a, b, zero);
                let product = self.cx.terms.mul(&[b, quotient]);
                let negative = self.cx.terms.lt(a, zero);
                let is_literal = self.cx.terms.as_lit(b).is_some();
                let other = self.cx.terms.sub(a, product);
                if is_literal {
                    let plain = self.build(Op::Mod, &[a, b]);
                    self.cx.terms.ite(negative, other, plain)
                } else {
                    other
                }
            }
        };
        let impossible = match ty {
            Ty::Word { .. } => self.only_warned(by_zero),
            _ => by_zero,
        };
        Ok((ty, term, impossible))
    }

    /// Integer division towards zero, from one that rounds down for positive divisors.
    fn truncated(&mut self, a: TermId, b: TermId, zero: TermId) -> TermId {
        let negated = self.cx.terms.neg(a);
        let negative = self.cx.terms.lt(a, zero);
        let plain = self.build(Op::Div, &[a, b]);
        let other = self.build(Op::Div, &[negated, b]);
        let other = self.cx.terms.neg(other);
        self.cx.terms.ite(negative, other, plain)
    }

    fn shift(
        &mut self,
        operator: Binary,
        left: (Ty, TermId),
        right: (Ty, TermId),
        span: Span,
    ) -> Sound<(Ty, TermId, TermId)> {
        let Ty::Word { signed, width } = left.0 else {
            return Err(self.mismatch("a shift", &left.0, &right.0, span));
        };
        let sort = self.cx.terms.sorts.bv(width);
        let no = self.cx.terms.false_();
        let (by, far) = match right.0 {
            Ty::Int => {
                let most = Int::from(i64::from(width));
                let inside = self.between(right.1, &Int::ZERO, &most);
                (
                    self.build(Op::Bv(BvOp::OfInt(width)), &[right.1]),
                    self.cx.terms.not(inside),
                )
            }
            Ty::Word {
                signed: false,
                width: other,
            } => {
                // The width itself may need more bits than the other word has: then nothing is too far.
                let fits = Int::from(i64::from(width)) < Int::power_of_two(other);
                let far = if fits {
                    let other_sort = self.cx.terms.sorts.bv(other);
                    let most = self
                        .cx
                        .terms
                        .lit(Literal::Bv(Int::from(i64::from(width))), other_sort);
                    self.build(Op::Bv(BvOp::Ult), &[most, right.1])
                } else {
                    no
                };
                let by = match other.cmp(&width) {
                    std::cmp::Ordering::Less => self.build(Op::Bv(BvOp::Zext(width)), &[right.1]),
                    std::cmp::Ordering::Equal => right.1,
                    std::cmp::Ordering::Greater => {
                        let low = BvOp::Extract {
                            high: width - 1,
                            low: 0,
                        };
                        let low = self.build(Op::Bv(low), &[right.1]);
                        let ones = &Int::power_of_two(width) - &Int::ONE;
                        let all = self.cx.terms.lit(Literal::Bv(ones), sort);
                        self.cx.terms.ite(far, all, low)
                    }
                };
                (by, self.only_warned(far))
            }
            _ => return Err(self.mismatch("a shift", &left.0, &right.0, span)),
        };
        debug_assert_eq!(
            self.cx.terms.sort(by),
            sort,
            "a shift is by a word of its own width"
        );
        let op = match (operator, signed) {
            (Binary::Shl, _) => BvOp::Shl,
            (_, true) => BvOp::Ashr,
            (_, false) => BvOp::Lshr,
        };
        let term = self.build(Op::Bv(op), &[left.1, by]);
        Ok((left.0, term, far))
    }

    fn range(&mut self, left: &Rc<Value>, right: &Rc<Value>, span: Span) -> Sound<Value> {
        let (low, high) = (self.term(left, span)?.1, self.term(right, span)?.1);
        let bounds = match (self.cx.terms.as_lit(low), self.cx.terms.as_lit(high)) {
            (Some(Literal::Int(low)), Some(Literal::Int(high))) => {
                Some((low.clone(), high.clone()))
            }
            _ => None,
        };
        let Some((low, high)) = bounds.filter(|(low, high)| low <= high) else {
            return Err(self.error(
                "bad-range",
                span,
                "a range goes from one constant to another that is not less",
            ));
        };
        let pick = self.pick(Pick::Range(low, high));
        let undefined = self.cx.terms.false_();
        let data = Data::Set(Ty::Int, pick);
        Ok(Value { data, undefined })
    }
}
