//! Arithmetic without conditionals and division by constants: each becomes a new variable with its definition.

use super::linear::{Linear, is_number};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, TermId, Terms, Value};

/// New variables are instances of their own, as ghosts are.
const PURE: u32 = u32::MAX - 2;

/// Makes terms free of conditional numbers and of division by constants.
#[derive(Default)]
pub(crate) struct Purifier {
    pure: FxHashMap<TermId, TermId>,
    /// What is true of the new variables.
    pub definitions: Vec<TermId>,
    n_fresh: usize,
    /// Whether conditionals of other sorts go as well.
    of_all_sorts: bool,
}

impl Purifier {
    /// One that makes terms free of all conditionals but Boolean ones.
    pub fn of_all_sorts() -> Self {
        Self {
            of_all_sorts: true,
            ..Self::default()
        }
    }

    /// One like this that knows nothing yet; its variables are others.
    pub fn another(&self) -> Self {
        Self {
            of_all_sorts: self.of_all_sorts,
            n_fresh: self.n_fresh,
            ..Self::default()
        }
    }

    /// A term that is equal to another where the definitions hold.
    pub fn purify(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        // Arguments are older than their terms.
        let mut subterms = terms.subterms(&[root]);
        subterms.sort_unstable();
        for term in subterms {
            if !self.pure.contains_key(&term) {
                let pure = self.pure_of(terms, term);
                self.pure.insert(term, pure);
            }
        }
        self.pure[&root]
    }

    /// A term whose arguments are pure.
    fn pure_of(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        let Head::Op(op, args) = terms.head(term) else {
            return term;
        };
        let args: Vec<TermId> = args.iter().map(|arg| self.pure[arg]).collect();
        match (op, &args[..]) {
            (Op::Ite, &[condition, then, otherwise]) if self.is_replaced(terms, then) => {
                let value = self.fresh(terms, then);
                let cases = [(condition, then), (terms.not(condition), otherwise)];
                let cases = cases.map(|(condition, case)| {
                    let is_case = terms.eq(value, case);
                    terms.and(&[condition, is_case])
                });
                self.definitions.push(terms.or(&cases));
                value
            }
            (Op::Div | Op::Mod | Op::Rem, &[dividend, divisor]) => {
                match terms.as_lit(divisor).and_then(Value::as_int).cloned() {
                    Some(by) if !by.is_zero() => self.division(terms, op, dividend, &by),
                    _ => terms.build(op, &args).expect("sorts stay"),
                }
            }
            _ => terms.build(op, &args).expect("sorts stay"),
        }
    }

    /// Whether conditionals with such branches are replaced.
    fn is_replaced(&self, terms: &Terms, branch: TermId) -> bool {
        let is_other = self.of_all_sorts && terms.sort(branch) != terms.sorts.bool();
        is_other || is_number(terms, branch)
    }

    /// Quotient or remainder: `dividend = divisor · quotient + remainder`, with a remainder from 0 to below `|divisor|`.
    fn division(&mut self, terms: &mut Terms, op: Op, dividend: TermId, divisor: &Int) -> TermId {
        let (quotient, remainder) = (self.fresh(terms, dividend), self.fresh(terms, dividend));
        let (zero, bound, by) = (
            terms.int(0),
            terms.int(divisor.abs()),
            terms.int(divisor.clone()),
        );
        let multiple = terms.mul(&[by, quotient]);
        let sum = terms.add(&[multiple, remainder]);
        let parts = [
            terms.eq(dividend, sum),
            terms.le(zero, remainder),
            terms.lt(remainder, bound),
        ];
        self.definitions.extend(parts);
        match op {
            Op::Div => quotient,
            Op::Rem if divisor.is_negative() => terms.neg(remainder),
            _ => remainder,
        }
    }

    /// A new variable in place of a number that is not linear.
    pub fn unknown(&mut self, terms: &mut Terms, like: TermId) -> Linear {
        let fresh = self.fresh(terms, like);
        Linear::var(terms.as_var(fresh).expect("it is a variable"))
    }

    fn fresh(&mut self, terms: &mut Terms, like: TermId) -> TermId {
        let (name, sort) = (format!("pure {}", self.n_fresh), terms.sort(like));
        self.n_fresh += 1;
        let name = format!("{name} {}", terms.sorts.name(sort));
        let var = terms.declare_instance(&name, sort, PURE);
        terms.var(var)
    }
}
