//! Eliminates a variable: a term that is true exactly when another is true for some value of it.
//!
//! A variable of a small sort is tried value by value. For numbers the term is split into cases
//! (conjunctions of comparisons), and in each case the variable is replaced by what it is equal to, or
//! its lower bounds are compared with its upper ones (Fourier and Motzkin). With integers that is
//! exact only for coefficients of one and minus one; anything else, and too many cases, is not done.

use lariat_expr::{Head, Op, Substitution, TermId, Terms, Value, VarId};

/// A variable with at most so many values is tried value by value.
const MAX_VALUES: u64 = 64;
/// How many cases a term may have.
const MAX_CASES: usize = 256;

/// A term over the other variables that is true exactly when `body` is for some value of `var`, if one is found.
pub(crate) fn exists(terms: &mut Terms, var: VarId, body: TermId) -> Option<TermId> {
    if !mentions(terms, var, body) {
        return Some(body);
    }
    let sort = terms.var_sort(var);
    if let Some(n) = terms.sorts.cardinality(sort).filter(|&n| n <= MAX_VALUES) {
        let values = (0..n).map(|i| Value::nth(&terms.sorts, sort, i));
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        let with = |value| {
            let value = terms.lit(value, sort);
            replaced(terms, var, value, body)
        };
        let cases: Vec<TermId> = values.into_iter().map(with).collect();
        return Some(terms.or(&cases));
    }
    let mut todo = vec![Case {
        open: vec![body],
        literals: Vec::new(),
    }];
    let mut done = Vec::new();
    while let Some(case) = todo.pop() {
        if done.len() + todo.len() > MAX_CASES {
            return None;
        }
        match case.advance(terms, var) {
            Advance::Split(cases) => todo.extend(cases),
            Advance::Done(literals) => match solve(terms, var, &literals)? {
                Solved::Term(term) => done.push(term),
                Solved::Split(cases) => todo.extend(cases.map(|open| Case {
                    open,
                    literals: Vec::new(),
                })),
            },
        }
    }
    Some(terms.or(&done))
}

fn mentions(terms: &Terms, var: VarId, term: TermId) -> bool {
    terms.free_vars(&[term]).binary_search(&var).is_ok()
}

fn replaced(terms: &mut Terms, var: VarId, value: TermId, term: TermId) -> TermId {
    let mut substitution = Substitution::new();
    substitution.insert(terms, var, value);
    substitution.apply(terms, term)
}

/// A conjunction that is being split.
struct Case {
    /// Conjuncts that may have structure.
    open: Vec<TermId>,
    /// Comparisons, negations of comparisons, and what does not mention the variable.
    literals: Vec<TermId>,
}

enum Advance {
    Split(Vec<Case>),
    Done(Vec<TermId>),
}

impl Case {
    /// Takes conjuncts apart up to the next disjunction.
    fn advance(mut self, terms: &mut Terms, var: VarId) -> Advance {
        while let Some(conjunct) = self.open.pop() {
            if !mentions(terms, var, conjunct) {
                self.literals.push(conjunct);
                continue;
            }
            let is_negated = terms.as_op(conjunct, Op::Not).is_some();
            let inner = terms
                .as_op(conjunct, Op::Not)
                .map_or(conjunct, |args| args[0]);
            let signed = |terms: &mut Terms, parts: &[TermId]| -> Vec<TermId> {
                let sign = |&part: &TermId| if is_negated { terms.not(part) } else { part };
                parts.iter().map(sign).collect()
            };
            let alternatives = match terms.head(inner) {
                Head::Op(op @ (Op::And | Op::Or), parts) => {
                    let parts = parts.to_vec();
                    let parts = signed(terms, &parts);
                    if (op == Op::And) != is_negated {
                        self.open.extend(parts);
                        continue;
                    }
                    parts.into_iter().map(|part| vec![part]).collect()
                }
                Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                    let parts = signed(terms, &[then, otherwise]);
                    let other = terms.not(condition);
                    vec![vec![condition, parts[0]], vec![other, parts[1]]]
                }
                Head::Op(Op::Eq, &[left, right]) if terms.sort(left) == terms.sorts.bool() => {
                    let parts = signed(terms, &[right]);
                    let (not_left, not_right) = (terms.not(left), terms.not(parts[0]));
                    vec![vec![left, parts[0]], vec![not_left, not_right]]
                }
                _ => {
                    self.literals.push(conjunct);
                    continue;
                }
            };
            let with = |alternative: Vec<TermId>| Self {
                open: [&self.open[..], &alternative].concat(),
                literals: self.literals.clone(),
            };
            return Advance::Split(alternatives.into_iter().map(with).collect());
        }
        Advance::Done(self.literals)
    }
}

enum Solved {
    Term(TermId),
    /// The variable differs from something: it is below or above.
    Split([Vec<TermId>; 2]),
}

/// Eliminates the variable from a conjunction of literals.
fn solve(terms: &mut Terms, var: VarId, literals: &[TermId]) -> Option<Solved> {
    let mut rest = Vec::new();
    let mut comparisons = Vec::new();
    for &literal in literals {
        if !mentions(terms, var, literal) {
            rest.push(literal);
        } else if let Some(value) = equal_to(terms, var, literal) {
            let all = terms.and(literals);
            return Some(Solved::Term(replaced(terms, var, value, all)));
        } else {
            comparisons.push((literal, Comparison::of(terms, var, literal)?));
        }
    }
    let (mut lower, mut upper, mut different) = (Vec::new(), Vec::new(), Vec::new());
    for (literal, comparison) in comparisons {
        match comparison {
            Comparison::Above(bound) => lower.push(bound),
            Comparison::Below(bound) => upper.push(bound),
            Comparison::Differs(value) => different.push((literal, value)),
        }
    }
    // A number that is unbounded on one side avoids finitely many others.
    if let (false, false, Some(&(literal, value))) =
        (lower.is_empty(), upper.is_empty(), different.first())
    {
        let others = literals.iter().copied().filter(|&other| other != literal);
        let others: Vec<TermId> = others.collect();
        let itself = terms.var(var);
        let sides = [terms.lt(itself, value), terms.lt(value, itself)];
        return Some(Solved::Split(
            sides.map(|side| [&others[..], &[side]].concat()),
        ));
    }
    for low in &lower {
        for high in &upper {
            rest.push(if low.strict || high.strict {
                terms.lt(low.term, high.term)
            } else {
                terms.le(low.term, high.term)
            });
        }
    }
    Some(Solved::Term(terms.and(&rest)))
}

/// What a literal says the variable is equal to.
fn equal_to(terms: &mut Terms, var: VarId, literal: TermId) -> Option<TermId> {
    let &[left, right] = terms.as_op(literal, Op::Eq)? else {
        return None;
    };
    for (one, other) in [(left, right), (right, left)] {
        if terms.as_var(one) == Some(var) && !mentions(terms, var, other) {
            return Some(other);
        }
    }
    Isolated::of(terms, var, left, right).map(|isolated| isolated.value)
}

/// A bound of a variable, over other variables.
#[derive(Clone, Copy)]
struct Bound {
    term: TermId,
    /// The variable does not reach it; never so for integers.
    strict: bool,
}

/// What a literal says of a numeric variable.
enum Comparison {
    Above(Bound),
    Below(Bound),
    Differs(TermId),
}

impl Comparison {
    fn of(terms: &mut Terms, var: VarId, literal: TermId) -> Option<Self> {
        let is_negated = terms.as_op(literal, Op::Not).is_some();
        let inner = terms
            .as_op(literal, Op::Not)
            .map_or(literal, |args| args[0]);
        let Head::Op(op, &[left, right]) = terms.head(inner) else {
            return None;
        };
        // `left ~ right` with `~` one of `<` and `<=`, turned round if it is negated.
        let (left, right, strict) = match (op, is_negated) {
            (Op::Le, false) => (left, right, false),
            (Op::Lt, false) => (left, right, true),
            (Op::Le, true) => (right, left, true),
            (Op::Lt, true) => (right, left, false),
            (Op::Eq, true) => {
                let isolated = Isolated::of(terms, var, left, right)?;
                return Some(Self::Differs(isolated.value));
            }
            _ => return None,
        };
        let Isolated { value, on_left } = Isolated::of(terms, var, left, right)?;
        let is_int = terms.sort(value) == terms.sorts.int();
        let term = if strict && is_int {
            let one = terms.int(if on_left { -1 } else { 1 });
            terms.add(&[value, one])
        } else {
            value
        };
        let bound = Bound {
            term,
            strict: strict && !is_int,
        };
        Some(if on_left {
            Self::Below(bound)
        } else {
            Self::Above(bound)
        })
    }
}

/// A comparison of numbers with the variable alone on one side.
struct Isolated {
    value: TermId,
    /// Whether the variable is on the left.
    on_left: bool,
}

impl Isolated {
    fn of(terms: &mut Terms, var: VarId, left: TermId, right: TermId) -> Option<Self> {
        let sort = terms.sort(left);
        // Of another sort, the variable stands inside of a conversion.
        if sort != terms.var_sort(var) {
            return None;
        }
        if sort != terms.sorts.int() && sort != terms.sorts.rat() {
            return None;
        }
        // left - right = ±var + rest, and `left ~ right` is `±var + rest ~ 0`.
        let difference = terms.sub(left, right);
        let itself = terms.var(var);
        let plus = terms.sub(difference, itself);
        if !mentions(terms, var, plus) {
            let value = terms.neg(plus);
            return Some(Self {
                value,
                on_left: true,
            });
        }
        let minus = terms.add(&[difference, itself]);
        (!mentions(terms, var, minus)).then_some(Self {
            value: minus,
            on_left: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::FxHashMap;
    use lariat_expr::{Evaluator, Int};

    /// A number below `n` that the state decides.
    fn draw(state: &mut u64, n: i64) -> i64 {
        *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (*state >> 33).cast_signed() % n
    }

    /// A random formula over `x`, with coefficients of one and minus one, and `y`.
    fn formula(terms: &mut Terms, (x, y): (VarId, VarId), depth: u32, state: &mut u64) -> TermId {
        if depth == 0 {
            let sign = terms.int(draw(state, 3) - 1);
            let factor = terms.int(draw(state, 5) - 2);
            let (x, y) = (terms.var(x), terms.var(y));
            let (x, y) = (terms.mul(&[sign, x]), terms.mul(&[factor, y]));
            let left = terms.add(&[x, y]);
            let right = terms.int(draw(state, 9) - 4);
            return match draw(state, 3) {
                0 => terms.le(left, right),
                1 => terms.lt(left, right),
                _ => terms.eq(left, right),
            };
        }
        let mut part = || formula(terms, (x, y), depth - 1, state);
        let parts = [part(), part(), part()];
        match draw(state, 5) {
            0 => terms.and(&parts),
            1 => terms.or(&parts),
            2 => terms.ite(parts[0], parts[1], parts[2]),
            3 => terms.eq(parts[0], parts[1]),
            _ => terms.not(parts[0]),
        }
    }

    #[test]
    fn bits_inside_of_a_number_are_left_alone() {
        let mut terms = Terms::new();
        let word = terms.sorts.bv(8);
        let x = terms.declare("x", word);
        let bits = terms.var(x);
        let number = terms.build(Op::Bv(lariat_expr::BvOp::ToNat), &[bits]);
        let (number, three) = (number.expect("it is a word"), terms.int(3));
        let small = terms.le(number, three);
        assert_eq!(exists(&mut terms, x, small), None);
    }

    #[test]
    fn the_variable_is_gone_and_nothing_else_has_changed() {
        let (mut n_found, mut state) = (0, 7);
        for depth in [0, 1, 2].repeat(300) {
            let mut terms = Terms::new();
            let int = terms.sorts.int();
            let (x, y) = (terms.declare("x", int), terms.declare("y", int));
            let body = formula(&mut terms, (x, y), depth, &mut state);
            let Some(found) = exists(&mut terms, x, body) else {
                continue;
            };
            n_found += 1;
            assert!(!mentions(&terms, x, found));
            for value in -4..=4 {
                let holds = |term, x_value: i64| {
                    let mut env = FxHashMap::default();
                    env.insert(x, Value::Int(Int::from(x_value)));
                    env.insert(y, Value::Int(Int::from(value)));
                    let truth = Evaluator::new().eval(&terms, term, &env);
                    truth == Ok(Value::Bool(true))
                };
                // All bounds of x lie within ±(2 * 4 + 5), and at most 27 comparisons exclude values.
                let expected = (-50..=50).any(|x_value| holds(body, x_value));
                assert_eq!(holds(found, 0), expected, "y = {value}");
            }
        }
        assert!(n_found > 600, "{n_found}");
    }

    #[test]
    fn what_is_not_linear_is_left_alone() {
        let mut terms = Terms::new();
        let int = terms.sorts.int();
        let (x, y) = (terms.declare("x", int), terms.declare("y", int));
        let (x_term, y_term, two) = (terms.var(x), terms.var(y), terms.int(2));
        let double = terms.mul(&[two, x_term]);
        // Some x has 2x = y only if y is even.
        let even = terms.eq(double, y_term);
        assert_eq!(exists(&mut terms, x, even), None);
    }
}
