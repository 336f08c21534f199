//! Builds the terms of operators: checks the operands' sorts, says what is wrong with them, and folds
//! a whole run of equally tight operators at once.

use super::operator::{Binary, level};
use super::{Operand, Waiting, What};
use crate::parser::{Failed, MAX_DEPTH, Parse, Parser};
use lariat_base::Diagnostic;
use lariat_expr::{BvOp, Op, SortId, TermId, Value};

/// No constant is computed that needs more bits: the work on it would not be worth waiting for.
const MAX_BITS: u64 = 1 << 17;

/// The same for the numerators and denominators of rationals that are added or multiplied.
const MAX_RAT_BITS: u64 = 1 << 13;

/// The widest bit-vectors.
pub(crate) const MAX_WIDTH: u32 = 1 << 14;

impl Parser<'_> {
    /// Folds the last `n` waiting operators, all of one level, with their `n + 1` operands.
    pub(super) fn fold_run(&mut self, n: usize, level: u8) -> Parse<()> {
        let first_waiting = self.stacks.waiting.len() - n;
        let first = self.stacks.operands.len() - n - 1;
        let (start, end) = (
            self.stacks.operands[first].start,
            self.stacks.operands[first + n].end,
        );
        let what = if n == 1 {
            let right = self.stacks.operands.pop().expect("two operands");
            let left = self.stacks.operands.pop().expect("two operands");
            let Some(Waiting::Binary(operator)) = self.stacks.waiting.pop() else {
                unreachable!("a run consists of binary operators");
            };
            self.fold_pair(operator, left, right)
        } else {
            let operands: Vec<Operand> = self.stacks.operands.drain(first..).collect();
            let waiting = self.stacks.waiting.drain(first_waiting..);
            let operators: Vec<Binary> = waiting
                .map(|waiting| match waiting {
                    Waiting::Binary(operator) => operator,
                    Waiting::Not { .. } => unreachable!("a run consists of binary operators"),
                })
                .collect();
            self.fold_chain(level, &operators, &operands)?
        };
        self.stacks.operands.push(Operand {
            what: what.map_or(What::Wrong, What::Term),
            start,
            end,
        });
        Ok(())
    }

    /// `!operand`.
    pub(super) fn negation(&mut self, start: u32, operand: Operand) -> Operand {
        let term = self.truth(operand, "a negation");
        let what = term.map_or(What::Wrong, |term| What::Term(self.cx.terms.not(term)));
        Operand {
            what,
            start,
            end: operand.end,
        }
    }

    fn fold_pair(&mut self, operator: Binary, left: Operand, right: Operand) -> Option<TermId> {
        match operator {
            Binary::Iff | Binary::Xor | Binary::Imply | Binary::Or | Binary::And => {
                let name = logical_name(operator);
                let (left, right) = (self.truth(left, name), self.truth(right, name));
                let (left, right) = (left?, right?);
                let terms = &mut self.cx.terms;
                Some(match operator {
                    Binary::Iff => terms.eq(left, right),
                    Binary::Xor => {
                        let same = terms.eq(left, right);
                        terms.not(same)
                    }
                    Binary::Imply => terms.implies(left, right),
                    Binary::Or => terms.or(&[left, right]),
                    _ => terms.and(&[left, right]),
                })
            }
            Binary::Eq | Binary::Ne => self.equality(operator, left, right),
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                let (left, right) = self.two_numbers(left, right, "a comparison")?;
                let terms = &mut self.cx.terms;
                Some(match operator {
                    Binary::Lt => terms.lt(left, right),
                    Binary::Le => terms.le(left, right),
                    Binary::Gt => terms.lt(right, left),
                    _ => terms.le(right, left),
                })
            }
            Binary::Add | Binary::Sub | Binary::Mul => {
                let name = arithmetic_name(operator);
                let (left, right) = self.two_numbers(left, right, name)?;
                match operator {
                    Binary::Add => Some(self.cx.terms.add(&[left, right])),
                    Binary::Sub => Some(self.cx.terms.sub(left, right)),
                    _ => self.product(&[left, right]),
                }
            }
            Binary::Divide | Binary::Div | Binary::Mod | Binary::Rem => {
                self.division(operator, left, right)
            }
            Binary::Bv(op) => self.bit_vectors(op, left, right),
            Binary::BvSwapped(op) => self.bit_vectors(op, right, left),
        }
    }

    fn fold_chain(
        &mut self,
        at: u8,
        operators: &[Binary],
        operands: &[Operand],
    ) -> Parse<Option<TermId>> {
        match at {
            level::OR | level::AND | level::IMPLY | level::IFF | level::XOR => {
                Ok(self.logical_chain(operators[0], operands)?)
            }
            level::SUM
                if operators
                    .iter()
                    .all(|op| matches!(op, Binary::Add | Binary::Sub)) =>
            {
                Ok(self.sum(operators, operands))
            }
            level::PRODUCT if operators.iter().all(|op| *op == Binary::Mul) => {
                let Some(terms) = self.numbers(operands, "a product") else {
                    return Ok(None);
                };
                Ok(self.product(&terms))
            }
            _ => {
                self.bound_chain(operands.len())?;
                let mut so_far = operands[0];
                for (&operator, &next) in operators.iter().zip(&operands[1..]) {
                    let what = self.fold_pair(operator, so_far, next);
                    so_far = Operand {
                        what: what.map_or(What::Wrong, What::Term),
                        start: so_far.start,
                        end: next.end,
                    };
                }
                Ok(match so_far.what {
                    What::Term(term) => Some(term),
                    _ => None,
                })
            }
        }
    }

    /// Chains that make terms as deep as they are long, and so are printed with as many brackets.
    fn bound_chain(&mut self, n_operands: usize) -> Parse<()> {
        if n_operands > MAX_DEPTH as usize {
            return Err(self.too_deep());
        }
        Ok(())
    }

    fn logical_chain(
        &mut self,
        operator: Binary,
        operands: &[Operand],
    ) -> Result<Option<TermId>, Failed> {
        if matches!(operator, Binary::Iff | Binary::Xor) {
            self.bound_chain(operands.len())?;
        }
        let name = logical_name(operator);
        let terms: Vec<Option<TermId>> = operands
            .iter()
            .map(|&operand| self.truth(operand, name))
            .collect();
        let Some(mut list) = terms.into_iter().collect::<Option<Vec<TermId>>>() else {
            return Ok(None);
        };
        let terms = &mut self.cx.terms;
        Ok(Some(match operator {
            Binary::Or => terms.or(&list),
            Binary::And => terms.and(&list),
            Binary::Imply => {
                // a => b => c is a => (b => c), which is !a || !b || c.
                let last = list.len() - 1;
                for premise in &mut list[..last] {
                    *premise = terms.not(*premise);
                }
                terms.or(&list)
            }
            _ => {
                let last = list.pop().expect("a chain has operands");
                list.iter().rev().fold(last, |so_far, &term| {
                    let same = terms.eq(term, so_far);
                    if operator == Binary::Iff {
                        same
                    } else {
                        terms.not(same)
                    }
                })
            }
        }))
    }

    fn sum(&mut self, operators: &[Binary], operands: &[Operand]) -> Option<TermId> {
        let mut terms = self.numbers(operands, "a sum")?;
        for (&operator, term) in operators.iter().zip(&mut terms[1..]) {
            if operator == Binary::Sub {
                *term = self.cx.terms.neg(*term);
            }
        }
        self.bound_constants(&terms, u64::MAX)?;
        Some(self.cx.terms.add(&terms))
    }

    /// The product, if its constant factor does not grow beyond all bounds.
    fn product(&mut self, factors: &[TermId]) -> Option<TermId> {
        self.bound_constants(factors, MAX_BITS)?;
        Some(self.cx.terms.mul(factors))
    }

    /// Refuses to compute constants of many bits. Rationals cost most: their common factors are sought.
    fn bound_constants(&mut self, terms: &[TermId], most_int_bits: u64) -> Option<()> {
        let (mut int_bits, mut rat_bits) = (0, 0);
        for &term in terms {
            match self.cx.terms.as_lit(term) {
                Some(Value::Int(int)) => {
                    int_bits += match int.to_i64() {
                        Some(small) => u64::from(64 - small.unsigned_abs().leading_zeros()),
                        None => int.bits(),
                    }
                }
                Some(Value::Rat(rat)) => {
                    rat_bits += rat.numerator().bits() + rat.denominator().bits();
                }
                _ => {}
            }
        }
        if int_bits <= most_int_bits && rat_bits <= MAX_RAT_BITS {
            return Some(());
        }
        let message = "this constant is too large to be computed";
        let finding = Diagnostic::error("number-too-large", message);
        self.report(finding.at(self.token_span()));
        None
    }

    fn equality(&mut self, operator: Binary, left: Operand, right: Operand) -> Option<TermId> {
        let sort_of = |parser: &Self, operand: Operand| match operand.what {
            What::Term(term) => Some(parser.cx.terms.sort(term)),
            _ => None,
        };
        let (left_sort, right_sort) = (sort_of(self, left), sort_of(self, right));
        let left_term = self.resolve(left, right_sort);
        let right_term = self.resolve(right, left_sort);
        let (left_term, right_term) = self.same_number_sort(left_term?, right_term?);
        let terms = &mut self.cx.terms;
        let (left_sort, right_sort) = (terms.sort(left_term), terms.sort(right_term));
        if left_sort != right_sort {
            let (a, b) = (
                terms.sorts.describe(left_sort),
                terms.sorts.describe(right_sort),
            );
            let message = format!("{a} cannot be compared with {b}");
            let span = self.span(left.start, right.end);
            self.report(Diagnostic::error("type-mismatch", message).at(span));
            return None;
        }
        let equal = terms.eq(left_term, right_term);
        Some(if operator == Binary::Eq {
            equal
        } else {
            terms.not(equal)
        })
    }

    /// `/` divides integers as `div` does and rationals exactly; the words are for integers only.
    fn division(&mut self, operator: Binary, left: Operand, right: Operand) -> Option<TermId> {
        let int = self.cx.terms.sorts.int();
        let op = match operator {
            Binary::Divide => {
                let (left, right) = self.two_numbers(left, right, "a division")?;
                let op = if self.cx.terms.sort(left) == int {
                    Op::Div
                } else {
                    Op::RatDiv
                };
                return self.build(op, &[left, right]);
            }
            Binary::Div => Op::Div,
            Binary::Mod => Op::Mod,
            _ => Op::Rem,
        };
        let (left, right) = (self.settle(left, Some(int)), self.settle(right, Some(int)));
        self.build(op, &[left?, right?])
    }

    fn bit_vectors(&mut self, op: BvOp, left: Operand, right: Operand) -> Option<TermId> {
        let (left_term, left_width) = self.bits(left)?;
        let (right_term, right_width) = self.bits(right)?;
        if op == BvOp::Concat {
            if left_width + right_width > MAX_WIDTH {
                self.too_wide(self.span(left.start, right.end));
                return None;
            }
        } else if left_width != right_width {
            let message = format!("{left_width} bits are combined with {right_width} bits");
            let span = self.span(left.start, right.end);
            let finding = Diagnostic::error("type-mismatch", message).at(span);
            self.report(finding.hint("extend the shorter one with `bv_zero_extend bv[n]`"));
            return None;
        }
        self.build(Op::Bv(op), &[left_term, right_term])
    }

    /// A bit-vector and its width.
    pub(super) fn bits(&mut self, operand: Operand) -> Option<(TermId, u32)> {
        let term = self.resolve(operand, None)?;
        let sort = self.cx.terms.sort(term);
        let width = self.cx.terms.sorts.bv_width(sort);
        if width.is_none() {
            self.mismatch(self.operand_span(operand), "a bit-vector", sort);
        }
        width.map(|width| (term, width))
    }

    /// Reports a bit-vector that is too wide.
    pub(crate) fn too_wide(&mut self, span: lariat_base::Span) {
        let message = format!("bit-vectors are at most {MAX_WIDTH} bits wide");
        self.report(Diagnostic::error("unsupported-width", message).at(span));
    }

    fn truth(&mut self, operand: Operand, what: &str) -> Option<TermId> {
        let term = self.resolve(operand, None)?;
        let sort = self.cx.terms.sort(term);
        if sort == self.cx.terms.sorts.bool() {
            return Some(term);
        }
        let wanted = format!("a Boolean in {what}");
        self.mismatch(self.operand_span(operand), &wanted, sort);
        None
    }

    /// A number of either sort.
    pub(super) fn number(&mut self, operand: Operand, what: &str) -> Option<TermId> {
        let term = self.resolve(operand, None)?;
        let sort = self.cx.terms.sort(term);
        let sorts = &self.cx.terms.sorts;
        if sort == sorts.int() || sort == sorts.rat() {
            return Some(term);
        }
        let is_bv = sorts.bv_width(sort).is_some();
        let given = sorts.describe(sort);
        let message = format!("expected a number in {what}, found {given}");
        let finding = Diagnostic::error("type-mismatch", message).at(self.operand_span(operand));
        let hint = if is_bv {
            Some("bit-vectors have operators of their own, such as `bvadd`")
        } else {
            self.symmetric_advice(sort)
        };
        self.report(finding.maybe_hint(hint));
        None
    }

    fn two_numbers(
        &mut self,
        left: Operand,
        right: Operand,
        what: &str,
    ) -> Option<(TermId, TermId)> {
        let (left, right) = (self.number(left, what), self.number(right, what));
        Some(self.same_number_sort(left?, right?))
    }

    /// Numbers of one sort: if any is a rational, all are.
    fn numbers(&mut self, operands: &[Operand], what: &str) -> Option<Vec<TermId>> {
        let rat = self.cx.terms.sorts.rat();
        let numbers: Vec<Option<TermId>> = operands
            .iter()
            .map(|&operand| self.number(operand, what))
            .collect();
        let mut numbers = numbers.into_iter().collect::<Option<Vec<TermId>>>()?;
        if numbers.iter().any(|&n| self.cx.terms.sort(n) == rat) {
            for number in &mut numbers {
                *number = self.as_rat(*number);
            }
        }
        Some(numbers)
    }

    fn same_number_sort(&mut self, left: TermId, right: TermId) -> (TermId, TermId) {
        let (rat, int) = (self.cx.terms.sorts.rat(), self.cx.terms.sorts.int());
        let (left_sort, right_sort) = (self.cx.terms.sort(left), self.cx.terms.sort(right));
        match (left_sort, right_sort) {
            (a, b) if a == rat && b == int => (left, self.rational_of(right)),
            (a, b) if a == int && b == rat => (self.rational_of(left), right),
            _ => (left, right),
        }
    }

    fn as_rat(&mut self, number: TermId) -> TermId {
        if self.cx.terms.sort(number) == self.cx.terms.sorts.rat() {
            number
        } else {
            self.rational_of(number)
        }
    }

    /// An integer as a rational.
    pub(crate) fn rational_of(&mut self, int: TermId) -> TermId {
        self.cx
            .terms
            .build(Op::ToRat, &[int])
            .expect("an integer is given")
    }

    /// A term whose operands' sorts were checked.
    pub(super) fn build(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        match self.cx.terms.build(op, args) {
            Ok(term) => Some(term),
            Err(error) => {
                let finding = Diagnostic::error("type-mismatch", error.to_string());
                self.report(finding.at(self.token_span()));
                None
            }
        }
    }

    /// The sort of an operand, if it is known yet.
    pub(super) fn sort_of(&self, operand: Operand) -> Option<SortId> {
        match operand.what {
            What::Term(term) => Some(self.cx.terms.sort(term)),
            _ => None,
        }
    }
}

fn logical_name(operator: Binary) -> &'static str {
    match operator {
        Binary::Iff => "an equivalence",
        Binary::Imply => "an implication",
        Binary::Or => "a disjunction",
        Binary::Xor => "an exclusive or",
        _ => "a conjunction",
    }
}

fn arithmetic_name(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "a sum",
        Binary::Sub => "a difference",
        _ => "a product",
    }
}
