//! Bit-vectors, enumerations and bounded integers as truth values, one for each bit, the last bit first: what AIGER and SAT solvers have.
//!
//! Adders ripple, multipliers add shifted copies, dividers subtract and restore, shifters have a stage for each bit of the distance.
//! The gates that are made are simplified as all terms are, and shared. An enumeration's value is its number. Integers are as wide as
//! they need be (`integer.rs`).

mod integer;

pub(crate) use integer::resized;

use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{BvOp, Head, Int, Op, Sort, SortId, TermId, Terms, Value, VarId};

/// The instance of variables that are made here: models have none of it.
const BIT: u32 = u32::MAX - 6;

/// Why a term has no bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoBits(
    /// What it has instead: "… has".
    pub &'static str,
);

/// The bits of a term, the last one first.
pub type Bits = Vec<TermId>;

/// Terms with their bits.
#[derive(Debug, Default)]
pub struct Blasting {
    vars: FxHashMap<VarId, Vec<VarId>>,
    /// The names of the variables that have bits: instances of one name must not share theirs.
    names: FxHashSet<Box<str>>,
    known: FxHashMap<TermId, Bits>,
    /// Between which values integers lie.
    ranges: FxHashMap<VarId, (Int, Int)>,
}

impl Blasting {
    /// Lets an integer have bits for the values between two.
    pub fn bound(&mut self, var: VarId, range: (Int, Int)) {
        self.ranges.insert(var, range);
    }

    /// The variables that stand for the bits of a variable; a truth value stands for itself.
    pub fn variables(&mut self, terms: &mut Terms, var: VarId) -> Vec<VarId> {
        if let Some(known) = self.vars.get(&var) {
            return known.clone();
        }
        let decl = terms.decl(var).clone();
        let stored = self.ranges.get(&var).map(integer::stored_width);
        let vars = match stored.or_else(|| width(terms, decl.sort)) {
            None => vec![var],
            Some(width) => {
                let sort = terms.sorts.bool();
                let mut name = decl.name.to_string();
                while !self.names.insert(name.as_str().into()) {
                    name.push('\'');
                }
                let bit = |at: u32| terms.declare_instance(&format!("{name}[{at}]"), sort, BIT);
                (0..width).map(bit).collect()
            }
        };
        self.vars.insert(var, vars.clone());
        vars
    }

    /// The bits of a term; one for a truth value.
    pub fn bits(&mut self, terms: &mut Terms, root: TermId) -> Result<Bits, NoBits> {
        if let Some(known) = self.known.get(&root) {
            return Ok(known.clone());
        }
        let (mut todo, mut new) = (vec![root], FxHashSet::default());
        while let Some(term) = todo.pop() {
            if !self.known.contains_key(&term)
                && new.insert(term)
                && let Head::Op(_, args) = terms.head(term)
            {
                todo.extend_from_slice(args);
            }
        }
        // Arguments are older than what holds them.
        let mut new: Vec<TermId> = new.into_iter().collect();
        new.sort_unstable();
        for term in new {
            let bits = self.new_bits(terms, term)?;
            self.known.insert(term, bits);
        }
        Ok(self.known[&root].clone())
    }

    fn new_bits(&mut self, terms: &mut Terms, term: TermId) -> Result<Bits, NoBits> {
        let (op, args) = match terms.head(term) {
            Head::Var(var) if is_int(terms, term) && !self.ranges.contains_key(&var) => {
                return Err(NoBits("has integers without bounds"));
            }
            Head::Var(var) => {
                let vars = self.variables(terms, var);
                let mut bits: Bits = vars.into_iter().map(|var| terms.var(var)).collect();
                if self
                    .ranges
                    .get(&var)
                    .is_some_and(|range| !range.0.is_negative())
                {
                    bits.push(terms.false_());
                }
                return Ok(bits);
            }
            Head::Lit(Value::Int(value)) => return integer::literal(terms, &value.clone()),
            Head::Lit(Value::Bool(_)) => return Ok(vec![term]),
            Head::Lit(Value::Bv(value)) => {
                let width = terms.sorts.bv_width(terms.sort(term)).unwrap_or(1);
                return Ok(constant(terms, &value.clone(), width));
            }
            Head::Lit(&Value::Enum(number)) => {
                let width = width(terms, terms.sort(term)).unwrap_or(1);
                return Ok(constant(terms, &Int::from(i64::from(number)), width));
            }
            Head::Lit(_) => return Err(NoBits("has values that are no bits")),
            Head::Op(op, args) => (op, args.to_vec()),
        };
        let bits = |at: usize| &self.known[&args[at]];
        let has_bits = |&arg: &TermId| {
            let sort = terms.sort(arg);
            sort == terms.sorts.bool() || sort == terms.sorts.int() || width(terms, sort).is_some()
        };
        if !args.iter().all(has_bits) {
            return Err(NoBits("has operations that are not on bits"));
        }
        if is_int(terms, term) || args.iter().any(|&arg| is_int(terms, arg)) {
            let args: Vec<&[TermId]> = args.iter().map(|arg| &self.known[arg][..]).collect();
            return Gates { terms }.integer(op, &args);
        }
        let gates = &mut Gates { terms };
        Ok(match op {
            Op::Not => vec![gates.not(bits(0)[0])],
            Op::And | Op::Or => {
                let all = (0..args.len()).map(|at| bits(at)[0]);
                vec![gates.all(op, all)]
            }
            Op::Eq => vec![gates.equal(bits(0), bits(1))],
            Op::Ite => gates.choose(bits(0)[0], bits(1), bits(2)),
            Op::Bv(op) => match args.len() {
                1 => gates.unary(op, bits(0)),
                _ => gates.binary(op, bits(0), bits(1)),
            },
            _ => return Err(NoBits("has operations that are not on bits")),
        })
    }
}

fn is_int(terms: &Terms, term: TermId) -> bool {
    terms.sort(term) == terms.sorts.int()
}

/// How many bits stand for a value of a sort that is no truth value.
pub(crate) fn width(terms: &Terms, sort: SortId) -> Option<u32> {
    match terms.sorts.get(sort) {
        Sort::Bv(_) => terms.sorts.bv_width(sort),
        Sort::Enum(_) => {
            let n_values = terms.sorts.cardinality(sort)?;
            Some((u64::BITS - n_values.saturating_sub(1).leading_zeros()).max(1))
        }
        _ => None,
    }
}

fn constant(terms: &Terms, value: &Int, width: u32) -> Bits {
    let two = Int::from(2);
    let mut rest = value.clone();
    let mut bits = Bits::new();
    for _ in 0..width {
        bits.push(terms.bool(!rest.mod_euclid(&two).is_zero()));
        rest = rest.div_euclid(&two);
    }
    bits
}

/// Makes gates.
struct Gates<'a> {
    terms: &'a mut Terms,
}

impl Gates<'_> {
    fn not(&mut self, a: TermId) -> TermId {
        self.terms.not(a)
    }

    fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.gate(Op::And, a, b)
    }

    fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.gate(Op::Or, a, b)
    }

    fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.terms.eq(a, b);
        self.terms.not(same)
    }

    fn all(&mut self, op: Op, bits: impl Iterator<Item = TermId>) -> TermId {
        let unit = self.terms.bool(op == Op::And);
        bits.fold(unit, |so_far, bit| self.terms.gate(op, so_far, bit))
    }

    fn equal(&mut self, a: &[TermId], b: &[TermId]) -> TermId {
        let mut all = self.terms.true_();
        for (&a, &b) in a.iter().zip(b) {
            let same = self.terms.eq(a, b);
            all = self.and(all, same);
        }
        all
    }

    fn choose(&mut self, condition: TermId, a: &[TermId], b: &[TermId]) -> Bits {
        let pairs = a.iter().zip(b);
        pairs
            .map(|(&a, &b)| self.terms.ite(condition, a, b))
            .collect()
    }

    fn flipped(&mut self, a: &[TermId]) -> Bits {
        a.iter().map(|&bit| self.terms.not(bit)).collect()
    }

    /// The sum, and what is carried out of it.
    fn sum(&mut self, a: &[TermId], b: &[TermId], carry: bool) -> (Bits, TermId) {
        let mut carry = self.terms.bool(carry);
        let mut bits = Bits::new();
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            bits.push(self.xor(half, carry));
            let (both, through) = (self.and(a, b), self.and(half, carry));
            carry = self.or(both, through);
        }
        (bits, carry)
    }

    /// The difference, and whether the first is not less than the second.
    fn difference(&mut self, a: &[TermId], b: &[TermId]) -> (Bits, TermId) {
        let flipped = self.flipped(b);
        self.sum(a, &flipped, true)
    }

    fn negated(&mut self, a: &[TermId]) -> Bits {
        let zero = vec![self.terms.false_(); a.len()];
        self.difference(&zero, a).0
    }

    fn product(&mut self, a: &[TermId], b: &[TermId]) -> Bits {
        let width = a.len();
        let mut so_far = vec![self.terms.false_(); width];
        for (by, &bit) in b.iter().enumerate() {
            let mut shifted = vec![self.terms.false_(); by];
            for &other in &a[..width - by] {
                shifted.push(self.and(bit, other));
            }
            so_far = self.sum(&so_far, &shifted, false).0;
        }
        so_far
    }

    /// Quotient and rest without signs. By zero the quotient is all ones and the rest the dividend, as it comes out.
    fn division(&mut self, a: &[TermId], b: &[TermId]) -> (Bits, Bits) {
        let width = a.len();
        let no = self.terms.false_();
        // One more bit, since the rest is doubled before it is compared.
        let divisor: Bits = b.iter().copied().chain([no]).collect();
        let mut rest = vec![no; width + 1];
        let mut quotient = vec![no; width];
        for at in (0..width).rev() {
            rest.pop();
            rest.insert(0, a[at]);
            let (less, fits) = self.difference(&rest, &divisor);
            quotient[at] = fits;
            rest = self.choose(fits, &less, &rest);
        }
        rest.truncate(width);
        (quotient, rest)
    }

    /// The absolute value of a number with a sign.
    fn size(&mut self, a: &[TermId]) -> Bits {
        let sign = a[a.len() - 1];
        let negated = self.negated(a);
        self.choose(sign, &negated, a)
    }

    fn signed_division(&mut self, op: BvOp, a: &[TermId], b: &[TermId]) -> Bits {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (size_a, size_b) = (self.size(a), self.size(b));
        let (quotient, rest) = self.division(&size_a, &size_b);
        if op == BvOp::Sdiv {
            let differ = self.xor(sign_a, sign_b);
            let negated = self.negated(&quotient);
            return self.choose(differ, &negated, &quotient);
        }
        let negated = self.negated(&rest);
        let rest = self.choose(sign_a, &negated, &rest);
        if op == BvOp::Srem {
            return rest;
        }
        let zero = vec![self.terms.false_(); a.len()];
        let none = self.equal(&rest, &zero);
        let differ = self.xor(sign_a, sign_b);
        let some = self.not(none);
        let moves = self.and(differ, some);
        let moved = self.sum(&rest, b, false).0;
        let moved = self.choose(moves, &moved, &rest);
        // By zero the rest is the dividend, whatever its sign.
        let by_zero = self.equal(b, &zero);
        self.choose(by_zero, a, &moved)
    }

    /// Shifted by as many places as the second number says; `fill` comes in.
    fn shifted(&mut self, op: BvOp, a: &[TermId], b: &[TermId]) -> Bits {
        let width = a.len();
        let fill = match op {
            BvOp::Ashr => a[width - 1],
            _ => self.terms.false_(),
        };
        let mut bits = a.to_vec();
        for (stage, &bit) in b.iter().enumerate() {
            let by = 1usize.checked_shl(stage as u32).unwrap_or(width).min(width);
            let moved: Bits = (0..width)
                .map(|at| match op {
                    BvOp::Shl if at >= by => bits[at - by],
                    BvOp::Lshr | BvOp::Ashr if at + by < width => bits[at + by],
                    _ => fill,
                })
                .collect();
            bits = self.choose(bit, &moved, &bits);
        }
        bits
    }

    fn rotated(&mut self, op: BvOp, a: &[TermId], b: &[TermId]) -> Bits {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut by = 1 % width;
        for &bit in b {
            let moved: Bits = (0..width)
                .map(|at| match op {
                    BvOp::Rotl => bits[(at + width - by) % width],
                    _ => bits[(at + by) % width],
                })
                .collect();
            bits = self.choose(bit, &moved, &bits);
            by = 2 * by % width;
        }
        bits
    }

    fn unary(&mut self, op: BvOp, a: &[TermId]) -> Bits {
        let extended = |to: u32, with: TermId| {
            let more = to as usize - a.len();
            a.iter()
                .copied()
                .chain(std::iter::repeat_n(with, more))
                .collect()
        };
        match op {
            BvOp::Neg => self.negated(a),
            BvOp::Not => self.flipped(a),
            BvOp::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
            BvOp::Zext(to) => extended(to, self.terms.false_()),
            BvOp::Sext(to) => extended(to, a[a.len() - 1]),
            other => panic!("{other:?} is not on bits alone"),
        }
    }

    fn binary(&mut self, op: BvOp, a: &[TermId], b: &[TermId]) -> Bits {
        let bitwise = |gates: &mut Self, op: fn(&mut Self, TermId, TermId) -> TermId| {
            let pairs = a.iter().zip(b);
            pairs.map(|(&a, &b)| op(gates, a, b)).collect()
        };
        match op {
            BvOp::Add => self.sum(a, b, false).0,
            BvOp::Sub => self.difference(a, b).0,
            BvOp::Mul => self.product(a, b),
            BvOp::Udiv => self.division(a, b).0,
            BvOp::Urem => self.division(a, b).1,
            BvOp::Sdiv | BvOp::Srem | BvOp::Smod => self.signed_division(op, a, b),
            BvOp::And => bitwise(self, Self::and),
            BvOp::Or => bitwise(self, Self::or),
            BvOp::Xor => bitwise(self, Self::xor),
            BvOp::Shl | BvOp::Lshr | BvOp::Ashr => self.shifted(op, a, b),
            BvOp::Rotl | BvOp::Rotr => self.rotated(op, a, b),
            BvOp::Concat => b.iter().chain(a).copied().collect(),
            BvOp::Ult | BvOp::Ule | BvOp::Slt | BvOp::Sle => vec![self.order(op, a, b)],
            other => panic!("{other:?} does not take two bit-vectors"),
        }
    }

    fn order(&mut self, op: BvOp, a: &[TermId], b: &[TermId]) -> TermId {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if matches!(op, BvOp::Slt | BvOp::Sle) {
            // With the other sign bits the order is that of numbers without a sign.
            for bits in [&mut a, &mut b] {
                let last = bits.len() - 1;
                bits[last] = self.terms.not(bits[last]);
            }
        }
        match op {
            BvOp::Ult | BvOp::Slt => {
                let (_, not_less) = self.difference(&a, &b);
                self.not(not_less)
            }
            _ => self.difference(&b, &a).1,
        }
    }
}

#[cfg(test)]
mod tests;
