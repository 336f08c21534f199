//! The builder: sort-checks, simplifies, interns.
//!
//! [`Terms::build`] is the one way to make an operator term. Simplification is local (it looks at the
//! arguments' tops only), keeps the meaning exactly, and never makes a term larger. The short named
//! constructors below it are for code that knows its sorts; they panic on a sort error.

use crate::{BvOp, Head, Int, Op, Rat, SortError, SortId, TermId, Terms, Value};

impl Terms {
    /// The term `op(args)`, sort-checked and simplified.
    pub fn build(&mut self, op: Op, args: &[TermId]) -> Result<TermId, SortError> {
        // Most terms have few arguments: their sorts need no allocation.
        let mut few = [self.sorts.bool(); 4];
        let many: Vec<SortId>;
        let arg_sorts = if let Some(few) = few.get_mut(..args.len()) {
            for (sort, &arg) in few.iter_mut().zip(args) {
                *sort = self.sort(arg);
            }
            &*few
        } else {
            many = args.iter().map(|&arg| self.sort(arg)).collect();
            &many
        };
        let sort = op.result_sort(&mut self.sorts, arg_sorts)?;
        if let Some(values) = self.literal_values(args) {
            let value = op.apply(&self.sorts, arg_sorts, &values);
            return Ok(self.lit(value, sort));
        }
        Ok(match (op, args) {
            (Op::Not, &[arg]) => self.build_not(arg),
            (Op::And, args) => self.build_junction(Op::And, args),
            (Op::Or, args) => self.build_junction(Op::Or, args),
            (Op::Eq, &[left, right]) => self.build_eq(left, right),
            (Op::Ite, &[condition, then, otherwise]) => {
                self.build_ite(condition, then, otherwise, sort)
            }
            (Op::Add, args) => self.build_sum(args, sort),
            (Op::Mul, args) => self.build_product(args, sort),
            (Op::Le | Op::Lt, &[left, right]) if left == right => {
                if op == Op::Le {
                    self.true_()
                } else {
                    self.false_()
                }
            }
            (Op::Div | Op::Mod | Op::Rem, &[left, right]) => {
                self.build_division(op, left, right, sort)
            }
            (Op::RatDiv, &[left, right]) => self.build_rat_division(left, right, sort),
            (Op::Select, &[array, index]) => self.build_select(array, index, sort),
            (Op::Store, &[array, index, value]) => self.build_store(array, index, value, sort),
            (Op::Bv(op), args) => self.build_bv(op, args, sort),
            _ => self.intern_op(op, args, sort),
        })
    }

    /// [`build`](Self::build) for code that knows its sorts.
    fn must(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.build(op, args)
            .unwrap_or_else(|error| panic!("an ill-sorted term is built: {error}"))
    }

    /// The term of an integer.
    pub fn int(&mut self, value: impl Into<Int>) -> TermId {
        let sort = self.sorts.int();
        self.lit(Value::Int(value.into()), sort)
    }

    /// The term of a truth value.
    pub fn bool(&self, value: bool) -> TermId {
        if value { self.true_() } else { self.false_() }
    }

    /// Negation.
    pub fn not(&mut self, arg: TermId) -> TermId {
        self.must(Op::Not, &[arg])
    }

    /// Conjunction; of nothing: true.
    pub fn and(&mut self, args: &[TermId]) -> TermId {
        self.must(Op::And, args)
    }

    /// Conjunction or disjunction of two, as circuits have them by the million: what is inside is taken apart only while
    /// the result is short. [`and`](Self::and) would copy a chain of gates once for each of them.
    pub fn gate(&mut self, op: Op, left: TermId, right: TermId) -> TermId {
        const SHORT: usize = 8;
        let len = |arg| self.as_op(arg, op).map_or(1, <[TermId]>::len);
        if len(left) + len(right) <= SHORT {
            return self.must(op, &[left, right]);
        }
        let (unit, zero) = self.unit_and_zero(op);
        let not_left = self.not(left);
        if left == right || right == unit {
            left
        } else if left == unit {
            right
        } else if left == zero || right == zero || right == not_left {
            zero
        } else {
            let pair = [left.min(right), left.max(right)];
            self.intern_op(op, &pair, self.sorts.bool())
        }
    }

    /// Disjunction; of nothing: false.
    pub fn or(&mut self, args: &[TermId]) -> TermId {
        self.must(Op::Or, args)
    }

    /// Implication, as `!a || b`.
    pub fn implies(&mut self, left: TermId, right: TermId) -> TermId {
        let not_left = self.not(left);
        self.or(&[not_left, right])
    }

    /// Equality.
    pub fn eq(&mut self, left: TermId, right: TermId) -> TermId {
        self.must(Op::Eq, &[left, right])
    }

    /// If-then-else.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        self.must(Op::Ite, &[condition, then, otherwise])
    }

    /// Sum of at least one number.
    pub fn add(&mut self, args: &[TermId]) -> TermId {
        self.must(Op::Add, args)
    }

    /// Product of at least one number.
    pub fn mul(&mut self, args: &[TermId]) -> TermId {
        self.must(Op::Mul, args)
    }

    /// The number with the other sign.
    pub fn neg(&mut self, arg: TermId) -> TermId {
        let sort = self.sort(arg);
        let minus_one = Int::from(-1);
        let value = if sort == self.sorts.rat() {
            Value::Rat(minus_one.into())
        } else {
            Value::Int(minus_one)
        };
        let minus_one = self.lit(value, sort);
        self.mul(&[minus_one, arg])
    }

    /// Difference.
    pub fn sub(&mut self, left: TermId, right: TermId) -> TermId {
        let negated = self.neg(right);
        self.add(&[left, negated])
    }

    /// At most.
    pub fn le(&mut self, left: TermId, right: TermId) -> TermId {
        self.must(Op::Le, &[left, right])
    }

    /// Less than.
    pub fn lt(&mut self, left: TermId, right: TermId) -> TermId {
        self.must(Op::Lt, &[left, right])
    }

    /// Array read.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        self.must(Op::Select, &[array, index])
    }

    /// Array write.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        self.must(Op::Store, &[array, index, value])
    }

    /// The values of all arguments, if all are literals.
    fn literal_values(&self, args: &[TermId]) -> Option<Vec<Value>> {
        if args.iter().any(|&arg| self.as_lit(arg).is_none()) {
            return None;
        }
        let value = |&arg: &TermId| self.as_lit(arg).cloned();
        args.iter().map(value).collect()
    }

    fn build_not(&mut self, arg: TermId) -> TermId {
        if let Some(&[inner]) = self.as_op(arg, Op::Not) {
            return inner;
        }
        // Integers and rationals are totally ordered.
        let bool_ = self.sorts.bool();
        if let Some(&[left, right]) = self.as_op(arg, Op::Le) {
            return self.intern_op(Op::Lt, &[right, left], bool_);
        }
        if let Some(&[left, right]) = self.as_op(arg, Op::Lt) {
            return self.intern_op(Op::Le, &[right, left], bool_);
        }
        self.intern_op(Op::Not, &[arg], bool_)
    }

    /// What changes nothing in a conjunction or disjunction, and what decides it.
    fn unit_and_zero(&self, op: Op) -> (TermId, TermId) {
        match op {
            Op::And => (self.true_(), self.false_()),
            _ => (self.false_(), self.true_()),
        }
    }

    /// Conjunction or disjunction: flat, sorted, without duplicates, units and complements.
    fn build_junction(&mut self, op: Op, args: &[TermId]) -> TermId {
        let (unit, zero) = self.unit_and_zero(op);
        let mut flat: Vec<TermId> = Vec::with_capacity(args.len());
        for &arg in args {
            match self.as_op(arg, op) {
                Some(inner) => flat.extend_from_slice(inner),
                None if arg == zero => return zero,
                None if arg == unit => {}
                None => flat.push(arg),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let has_complement = flat.iter().any(|&arg| match self.as_op(arg, Op::Not) {
            Some(&[inner]) => flat.binary_search(&inner).is_ok(),
            _ => false,
        });
        match flat[..] {
            _ if has_complement => zero,
            [] => unit,
            [single] => single,
            _ => self.intern_op(op, &flat, self.sorts.bool()),
        }
    }

    fn build_eq(&mut self, left: TermId, right: TermId) -> TermId {
        let bool_ = self.sorts.bool();
        if left == right {
            return self.true_();
        }
        if self.sort(left) == bool_ {
            return self.build_iff(left, right);
        }
        let (left, right) =
            if self.as_lit(left).is_some() || (left > right && self.as_lit(right).is_none()) {
                (right, left)
            } else {
                (left, right)
            };
        self.intern_op(Op::Eq, &[left, right], bool_)
    }

    /// Equality of truth values: constants vanish, negations move outside.
    fn build_iff(&mut self, left: TermId, right: TermId) -> TermId {
        let constants = [(left, right), (right, left)];
        for (constant, other) in constants {
            match self.as_lit(constant) {
                Some(Value::Bool(true)) => return other,
                Some(_) => return self.not(other),
                None => {}
            }
        }
        let mut negated = false;
        let mut strip = |terms: &Self, term: TermId| match terms.as_op(term, Op::Not) {
            Some(&[inner]) => {
                negated = !negated;
                inner
            }
            _ => term,
        };
        let (left, right) = (strip(self, left), strip(self, right));
        let (left, right) = (left.min(right), left.max(right));
        let iff = if left == right {
            self.true_()
        } else {
            self.intern_op(Op::Eq, &[left, right], self.sorts.bool())
        };
        if negated { self.not(iff) } else { iff }
    }

    fn build_ite(
        &mut self,
        condition: TermId,
        then: TermId,
        otherwise: TermId,
        sort: SortId,
    ) -> TermId {
        match self.as_lit(condition) {
            Some(Value::Bool(true)) => return then,
            Some(_) => return otherwise,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if let Some(&[inner]) = self.as_op(condition, Op::Not) {
            return self.build_ite(inner, otherwise, then, sort);
        }
        if self.is_division_guarded(condition, then, otherwise) {
            return otherwise;
        }
        if sort == self.sorts.bool() {
            let not_condition = self.not(condition);
            match (self.as_lit(then), self.as_lit(otherwise)) {
                (Some(Value::Bool(true)), _) => return self.or(&[condition, otherwise]),
                (Some(_), _) => return self.and(&[not_condition, otherwise]),
                (_, Some(Value::Bool(true))) => return self.or(&[not_condition, then]),
                (_, Some(_)) => return self.and(&[condition, then]),
                _ => {}
            }
        }
        self.intern_op(Op::Ite, &[condition, then, otherwise], sort)
    }

    /// Whether `condition ? then : otherwise` is `b = 0 ? 0 : a div b` or the like, which says what division by zero is here anyway.
    fn is_division_guarded(&self, condition: TermId, then: TermId, otherwise: TermId) -> bool {
        let Some(&[divisor, zero]) = self.as_op(condition, Op::Eq) else {
            return false;
        };
        let Head::Op(op, &[dividend, by]) = self.head(otherwise) else {
            return false;
        };
        let is_zero = match self.as_lit(zero) {
            Some(Value::Int(number)) => number.is_zero(),
            Some(Value::Rat(number)) => number.is_zero(),
            _ => false,
        };
        let usual = match op {
            Op::Div | Op::RatDiv => zero,
            Op::Mod => dividend,
            _ => return false,
        };
        is_zero && by == divisor && then == usual
    }

    fn build_division(&mut self, op: Op, left: TermId, right: TermId, sort: SortId) -> TermId {
        let divisor = self
            .as_lit(right)
            .and_then(Value::as_int)
            .and_then(Int::to_i64);
        match (op, divisor) {
            (Op::Div, Some(0)) => self.int(0),
            (Op::Div, Some(1)) | (Op::Mod | Op::Rem, Some(0)) => left,
            (Op::Mod | Op::Rem, Some(1 | -1)) => self.int(0),
            _ => self.intern_op(op, &[left, right], sort),
        }
    }

    /// Division by a constant is multiplication by its inverse.
    fn build_rat_division(&mut self, left: TermId, right: TermId, sort: SortId) -> TermId {
        let Some(Value::Rat(divisor)) = self.as_lit(right) else {
            return self.intern_op(Op::RatDiv, &[left, right], sort);
        };
        let inverse = Rat::from(Int::ONE).divide(divisor);
        let inverse = self.lit(Value::Rat(inverse), sort);
        self.build_product(&[inverse, left], sort)
    }

    fn build_select(&mut self, array: TermId, index: TermId, sort: SortId) -> TermId {
        let mut array = array;
        loop {
            if let Some(&[inner, at, value]) = self.as_op(array, Op::Store) {
                if at == index {
                    return value;
                }
                if self.as_lit(at).is_some() && self.as_lit(index).is_some() {
                    array = inner;
                    continue;
                }
            }
            let constant = match self.head(array) {
                Head::Op(Op::ConstArray(_), &[value]) => Some(value),
                _ => None,
            };
            return match (constant, self.as_lit(array), self.as_lit(index)) {
                (Some(value), _, _) => value,
                (None, Some(Value::Array(map)), Some(at)) => {
                    let value = map.get(at).clone();
                    self.lit(value, sort)
                }
                _ => self.intern_op(Op::Select, &[array, index], sort),
            };
        }
    }

    fn build_store(&mut self, array: TermId, index: TermId, value: TermId, sort: SortId) -> TermId {
        if let Some(&[inner, at, _]) = self.as_op(array, Op::Store)
            && at == index
        {
            return self.must(Op::Store, &[inner, index, value]);
        }
        if self.as_op(value, Op::Select) == Some(&[array, index]) {
            return array;
        }
        self.intern_op(Op::Store, &[array, index, value], sort)
    }

    fn build_bv(&mut self, op: BvOp, args: &[TermId], sort: SortId) -> TermId {
        match (op, args) {
            (BvOp::Ule | BvOp::Sle, &[left, right]) if left == right => self.true_(),
            (BvOp::Ult | BvOp::Slt, &[left, right]) if left == right => self.false_(),
            (BvOp::Zext(_) | BvOp::Sext(_), &[arg]) if self.sort(arg) == sort => arg,
            (BvOp::Extract { .. }, &[arg]) if self.sort(arg) == sort => arg,
            (BvOp::Neg | BvOp::Not, &[arg]) => match self.as_op(arg, Op::Bv(op)) {
                Some(&[inner]) => inner,
                _ => self.intern_op(Op::Bv(op), args, sort),
            },
            (_, &[left, right]) if op.is_commutative() => {
                self.intern_op(Op::Bv(op), &[left.min(right), left.max(right)], sort)
            }
            _ => self.intern_op(Op::Bv(op), args, sort),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_meanings_that_we_see_are_equal_ids() {
        let mut t = Terms::new();
        let (int, bool_) = (t.sorts.int(), t.sorts.bool());
        let (x, p, q) = (
            t.declare("x", int),
            t.declare("p", bool_),
            t.declare("q", bool_),
        );
        let (x, p, q) = (t.var(x), t.var(p), t.var(q));
        let (one, two) = (t.int(1), t.int(2));

        let (left, right) = (t.add(&[x, one, x]), t.mul(&[two, x]));
        let right = t.add(&[one, right]);
        assert_eq!(left, right);
        let zero = t.sub(left, right);
        assert_eq!(zero, t.int(0));

        let not_p = t.not(p);
        assert_eq!(t.and(&[p, q, not_p]), t.false_());
        let nested = t.and(&[q, p]);
        assert_eq!(t.and(&[p, nested, p]), nested);
        let (le, lt) = (t.le(x, one), t.lt(one, x));
        assert_eq!(t.not(le), lt);
        let iff = t.eq(not_p, q);
        let same = t.eq(p, q);
        assert_eq!(iff, t.not(same));
        let (a, b) = (t.ite(not_p, x, one), t.ite(p, one, x));
        assert_eq!(a, b);
    }

    #[test]
    fn what_division_by_zero_is_need_not_be_said() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let [a, b] = ["a", "b"].map(|name| t.declare(name, int));
        let [a, b] = [a, b].map(|var| t.var(var));
        let (zero, one) = (t.int(0), t.int(1));
        let is_zero = t.eq(b, zero);
        let div = t.build(Op::Div, &[a, b]).expect("well-sorted");
        let rest = t.build(Op::Mod, &[a, b]).expect("well-sorted");
        assert_eq!(t.ite(is_zero, zero, div), div);
        assert_eq!(t.ite(is_zero, a, rest), rest);
        // These say something else.
        let other = t.eq(a, zero);
        for (condition, then, otherwise) in [
            (is_zero, one, div),
            (is_zero, zero, rest),
            (is_zero, a, div),
            (other, zero, div),
        ] {
            assert_ne!(t.ite(condition, then, otherwise), otherwise);
        }
    }

    #[test]
    fn arrays_read_what_was_written() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let sort = t.sorts.array(int, int);
        let (a, i) = (t.declare("a", sort), t.declare("i", int));
        let (a, i) = (t.var(a), t.var(i));
        let (one, two, x) = (t.int(1), t.int(2), t.int(42));
        let written = t.store(a, one, x);
        assert_eq!(t.select(written, one), x);
        assert_eq!(t.select(written, two), t.select(a, two));
        let unknown = t.select(written, i);
        assert_eq!(t.args(unknown), [written, i]);
        let read = t.select(a, i);
        assert_eq!(t.store(a, i, read), a);
        let constant = t.build(Op::ConstArray(sort), &[i]).expect("well-sorted");
        assert_eq!(t.select(constant, one), i);
    }

    #[test]
    fn ill_sorted_terms_are_refused() {
        let mut t = Terms::new();
        let (one, yes) = (t.int(1), t.true_());
        let error = t.build(Op::Add, &[one, yes]).expect_err("int + bool");
        assert_eq!(error.to_string(), "operator Add does not take (int, bool)");
        assert!(t.build(Op::Add, &[]).is_err());
        assert!(t.build(Op::Not, &[one]).is_err());
        assert!(t.build(Op::Eq, &[one, yes]).is_err());
        assert!(t.build(Op::Select, &[one, one]).is_err());
        assert!(t.build(Op::Bv(BvOp::Add), &[one, one]).is_err());
    }
}
