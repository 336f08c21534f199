//! One step for the clocks: which differences of numbers it demands, and which numbers the clocks are afterwards.
//!
//! Every number of a step is a difference of two *points* plus a constant. A clock is a point minus the origin; so is a number
//! that is chosen. A delay moves the origin back: it is the old origin minus the new one, and `clock + delay` is the
//! clock's point minus the new origin. So what a step compares is a difference of two points, with a constant, or it is not told.
//!
//! With the other values put in, a step is cut into cases until each says which comparisons of clocks are true and what
//! everything is afterwards. What cannot be told by such cases is left open: a case then allows more than the step does.

use super::matrix::{Bound, Matrix};
use crate::rank::Linear;
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Rat, Substitution, TermId, Terms, Value, VarId};
use std::rc::Rc;

/// More cases of one step are not told apart.
const MAX_CASES: usize = 10_000;
/// A choice between more values is left open.
const MAX_VALUES: i64 = 64;
/// Larger constants are not told.
const MAX_CONSTANT: i64 = 1 << 40;

/// The position of the origin among the points.
const ORIGIN: usize = 0;

/// A case of a step.
#[derive(Debug)]
pub(super) struct Move {
    /// The bounds that it demands of the differences of two points.
    pub demands: Vec<(usize, usize, Bound)>,
    /// The values of the other variables after it, where they are known.
    pub values: Rc<[Option<Value>]>,
    /// The origin and the clocks after it: a point and what is added, where that is known.
    pub clocks: Box<[Option<(usize, i64)>]>,
    /// The origins before and after it.
    pub origins: [usize; 2],
}

/// The step with its points.
pub(super) struct Points {
    /// The number of points: the origin, one for each clock and each number that is chosen, and the new origin.
    pub n: usize,
    of: FxHashMap<VarId, usize>,
    /// The delay, if there is one; the new origin is the last point.
    delay: Option<VarId>,
    /// What constants are multiplied by to be whole.
    scale: Int,
}

/// A difference of two points plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Difference {
    pub plus: usize,
    pub minus: usize,
    pub constant: i64,
}

impl Points {
    /// The points of a step with some roots that reads `clocks` and chooses `auxiliary` values.
    pub fn new(
        terms: &Terms,
        clocks: &[VarId],
        auxiliary: &[VarId],
        roots: &[TermId],
        scale: &Int,
    ) -> Self {
        let rat = terms.sorts.rat();
        let chosen = || {
            let auxiliary = auxiliary.iter().copied();
            auxiliary.filter(|&var| terms.var_sort(var) == rat)
        };
        let delay = chosen().find(|&var| is_added(terms, var, roots));
        let others = chosen().filter(|&var| Some(var) != delay);
        let points = clocks.iter().copied().chain(others);
        let of: FxHashMap<VarId, usize> = points.zip(ORIGIN + 1..).collect();
        Self {
            n: 1 + of.len() + usize::from(delay.is_some()),
            of,
            delay,
            scale: scale.clone(),
        }
    }

    /// The origin after the step.
    pub fn new_origin(&self) -> usize {
        if self.delay.is_some() {
            self.n - 1
        } else {
            ORIGIN
        }
    }

    /// The clock, or the number that is chosen, that a point belongs to.
    pub fn variable(&self, point: usize) -> Option<VarId> {
        let found = self.of.iter().find(|(_, own)| **own == point);
        found.map(|(var, _)| *var)
    }

    /// A number of the step, if it can be told.
    pub fn difference(&self, form: &Linear) -> Option<Difference> {
        let mut factors: FxHashMap<usize, i64> = FxHashMap::default();
        for (var, coefficient) in &form.coefficients {
            let factor = coefficient.to_int()?.to_i64()?;
            if factor.abs() != 1 {
                return None;
            }
            let (plus, minus) = match self.of.get(var) {
                Some(&point) => (point, ORIGIN),
                None if self.delay == Some(*var) => (ORIGIN, self.new_origin()),
                None => return None,
            };
            *factors.entry(plus).or_default() += factor;
            *factors.entry(minus).or_default() -= factor;
        }
        let scaled = &form.constant * &Rat::from(self.scale.clone());
        let constant = scaled.to_int()?.to_i64()?;
        if constant.abs() > MAX_CONSTANT {
            return None;
        }
        let mut difference = Difference {
            plus: ORIGIN,
            minus: ORIGIN,
            constant,
        };
        factors.retain(|_, factor| *factor != 0);
        if factors.len() > 2 {
            return None;
        }
        for (point, factor) in factors {
            match factor {
                1 => difference.plus = point,
                -1 => difference.minus = point,
                _ => return None,
            }
        }
        Some(difference)
    }

    /// What a comparison of numbers compares with zero.
    pub fn compared(&self, terms: &Terms, atom: TermId) -> Option<(Op, Difference)> {
        let Head::Op(op @ (Op::Lt | Op::Le | Op::Eq), &[left, right]) = terms.head(atom) else {
            return None;
        };
        if terms.sort(left) != terms.sorts.rat() {
            return None;
        }
        let form = Linear::of(terms, left)?.minus(&Linear::of(terms, right)?);
        Some((op, self.difference(&form)?))
    }

    /// What the truth of a comparison demands: one of some lists of bounds.
    fn demanded(&self, terms: &Terms, atom: TermId, is_true: bool) -> Option<Vec<Demands>> {
        let (
            op,
            Difference {
                plus,
                minus,
                constant,
            },
        ) = self.compared(terms, atom)?;
        let at_most = (plus, minus, Bound::at_most(-constant));
        let below = (plus, minus, Bound::below(-constant));
        let at_least = (minus, plus, Bound::at_most(constant));
        let above = (minus, plus, Bound::below(constant));
        Some(match (op, is_true) {
            (Op::Le, true) => vec![vec![at_most]],
            (Op::Le, false) => vec![vec![above]],
            (Op::Lt, true) => vec![vec![below]],
            (Op::Lt, false) => vec![vec![at_least]],
            (_, true) => vec![vec![at_most, at_least]],
            (_, false) => vec![vec![below], vec![above]],
        })
    }

    /// What a clock is after the step, if its point minus the new origin tells it.
    fn after(&self, terms: &Terms, term: TermId) -> Option<(usize, i64)> {
        let value = self.difference(&Linear::of(terms, term)?)?;
        if value.plus == value.minus {
            Some((self.new_origin(), value.constant))
        } else {
            (value.minus == self.new_origin()).then_some((value.plus, value.constant))
        }
    }
}

type Demands = Vec<(usize, usize, Bound)>;

/// Whether a variable is a summand somewhere.
fn is_added(terms: &Terms, var: VarId, roots: &[TermId]) -> bool {
    let mut sums = terms.subterms(roots).into_iter();
    sums.any(|term| {
        let summands = terms.as_op(term, Op::Add).unwrap_or_default();
        summands
            .iter()
            .any(|&summand| terms.as_var(summand) == Some(var))
    })
}

/// A case that is not yet told.
#[derive(Clone)]
struct Case {
    guard: TermId,
    /// The terms of the other variables after the step, then those of the clocks.
    after: Vec<TermId>,
    demands: Demands,
    /// All demands together.
    zone: Matrix,
}

impl Case {
    /// Puts in values for terms; says how many terms were looked at.
    fn put_in(&mut self, terms: &mut Terms, known: &[(TermId, Value)]) -> usize {
        let mut substitution = Substitution::new();
        for (term, value) in known {
            let value = terms.lit(value.clone(), terms.sort(*term));
            substitution.replace(terms, *term, value);
        }
        self.guard = substitution.apply(terms, self.guard);
        if self.guard != terms.false_() {
            for after in &mut self.after {
                *after = substitution.apply(terms, *after);
            }
        }
        substitution.n_visited()
    }

    /// Demands bounds; says whether it is still possible.
    fn demand(&mut self, demands: &[(usize, usize, Bound)]) -> bool {
        demands.iter().all(|&(number, minus, bound)| {
            self.demands.push((number, minus, bound));
            if number == minus {
                return Bound::ZERO <= bound;
            }
            self.zone.demand(number, minus, bound)
        })
    }
}

/// The cases of a step with a guard and terms after it, the values of other variables put in, and how many terms were looked at.
pub(super) fn moves(
    terms: &mut Terms,
    points: &Points,
    guard: TermId,
    (others, clocks): (Vec<TermId>, Vec<TermId>),
    auxiliary: &[VarId],
) -> (Vec<Move>, usize) {
    let n_others = others.len();
    let mut todo = vec![Case {
        guard,
        after: [others, clocks].concat(),
        demands: Vec::new(),
        zone: Matrix::anything(points.n),
    }];
    let (mut found, mut n_cases, mut work) = (Vec::new(), 1, 0);
    while let Some(mut case) = todo.pop() {
        if !absorb(terms, points, &mut case, auxiliary, &mut work) {
            continue;
        }
        let split = if n_cases < MAX_CASES {
            split(terms, points, &case, auxiliary, &mut work)
        } else {
            None
        };
        match split {
            Some(cases) => {
                n_cases += cases.len();
                todo.extend(cases);
            }
            None => found.push(told(terms, points, case, n_others)),
        }
    }
    (found, work)
}

/// Puts in what the guard says as it stands; says whether the case is possible.
fn absorb(
    terms: &mut Terms,
    points: &Points,
    case: &mut Case,
    auxiliary: &[VarId],
    work: &mut usize,
) -> bool {
    loop {
        if case.guard == terms.false_() {
            return false;
        }
        let one = [case.guard];
        let conjuncts = terms.as_op(case.guard, Op::And).unwrap_or(&one);
        let mut known = Vec::new();
        for &conjunct in conjuncts {
            let (atom, is_true) = match terms.as_op(conjunct, Op::Not) {
                Some(&[inner]) => (inner, false),
                _ => (conjunct, true),
            };
            if let Some(demands) = points.demanded(terms, atom, is_true) {
                if let [demands] = &demands[..] {
                    if !case.demand(demands) {
                        return false;
                    }
                    known.push((atom, Value::Bool(is_true)));
                }
            } else if let Some((term, value)) = fixed(terms, atom, is_true)
                && terms
                    .as_var(term)
                    .is_some_and(|var| auxiliary.contains(&var))
            {
                known.push((term, value));
            }
        }
        if known.is_empty() {
            return true;
        }
        *work += case.put_in(terms, &known);
    }
}

/// The term to which a true (or false) atom gives a value.
fn fixed(terms: &Terms, atom: TermId, is_true: bool) -> Option<(TermId, Value)> {
    if terms.as_var(atom).is_some() {
        return Some((atom, Value::Bool(is_true)));
    }
    match terms.as_op(atom, Op::Eq) {
        Some(&[left, right]) if is_true => match (terms.as_lit(left), terms.as_lit(right)) {
            (None, Some(value)) => Some((left, value.clone())),
            (Some(value), None) => Some((right, value.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// The cases of a case: by a choice between few values, else by a comparison of clocks.
fn split(
    terms: &mut Terms,
    points: &Points,
    case: &Case,
    auxiliary: &[VarId],
    work: &mut usize,
) -> Option<Vec<Case>> {
    if let Some((var, values)) = choice(terms, case, auxiliary) {
        let term = terms.var(var);
        let cases = values.into_iter().map(|value| {
            let mut case = case.clone();
            *work += case.put_in(terms, &[(term, value)]);
            case
        });
        return Some(cases.collect());
    }
    let mut roots = case.after.clone();
    roots.push(case.guard);
    let mut atoms = terms.subterms(&roots).into_iter();
    let atom = atoms.find(|&atom| points.compared(terms, atom).is_some())?;
    let mut cases = Vec::new();
    for is_true in [true, false] {
        for demands in points.demanded(terms, atom, is_true)? {
            let mut case = case.clone();
            if case.demand(&demands) {
                *work += case.put_in(terms, &[(atom, Value::Bool(is_true))]);
                cases.push(case);
            }
        }
    }
    Some(cases)
}

/// A variable that is chosen between few values: one that a conjunct with the fewest such variables asks for, since that settles
/// others soon.
fn choice(terms: &Terms, case: &Case, auxiliary: &[VarId]) -> Option<(VarId, Vec<Value>)> {
    let chosen = |root: &[TermId]| -> Vec<(VarId, Vec<Value>)> {
        let free = terms.free_vars(root).into_iter();
        let chosen = free.filter(|var| auxiliary.contains(var));
        chosen
            .filter_map(|var| Some((var, values(terms, case.guard, var)?)))
            .collect()
    };
    let one = [case.guard];
    let conjuncts = terms.as_op(case.guard, Op::And).unwrap_or(&one);
    let asked = conjuncts.iter().map(|&conjunct| chosen(&[conjunct]));
    let asked = asked.filter(|chosen| !chosen.is_empty());
    let fewest = asked.min_by_key(Vec::len);
    let among = fewest.unwrap_or_else(|| chosen(&case.after));
    among.into_iter().min_by_key(|(_, values)| values.len())
}

/// The values of a variable that is chosen, if there are few, by its sort or by what the guard demands.
fn values(terms: &Terms, guard: TermId, var: VarId) -> Option<Vec<Value>> {
    let sort = terms.var_sort(var);
    if let Some(count) = terms.sorts.cardinality(sort) {
        // Arrays have finitely many values that are not numbered.
        let all = (count <= MAX_VALUES as u64).then_some(0..count)?;
        return all.map(|n| Value::nth(&terms.sorts, sort, n)).collect();
    }
    let one = [guard];
    let conjuncts = terms.as_op(guard, Op::And).unwrap_or(&one);
    let number = |term: TermId| terms.as_lit(term)?.as_int()?.to_i64();
    let compared = conjuncts
        .iter()
        .filter_map(|&conjunct| match terms.head(conjunct) {
            Head::Op(Op::Le | Op::Lt, &[left, right]) => Some((left, right)),
            _ => None,
        });
    let is_it = |term: TermId| terms.as_var(term) == Some(var);
    let above = compared.clone().filter(|&(left, _)| is_it(left));
    let below = compared.filter(|&(_, right)| is_it(right));
    let high = above.filter_map(|(_, right)| number(right)).min()?;
    let low = below.filter_map(|(left, _)| number(left)).max()?;
    let is_few = high.checked_sub(low)? < MAX_VALUES;
    is_few.then(|| (low..=high).map(|n| Value::Int(Int::from(n))).collect())
}

fn told(terms: &Terms, points: &Points, case: Case, n_others: usize) -> Move {
    let (others, clocks) = case.after.split_at(n_others);
    let values = others.iter().map(|&term| terms.as_lit(term).cloned());
    let clocks = clocks.iter().map(|&term| points.after(terms, term));
    Move {
        demands: case.demands,
        origins: [ORIGIN, points.new_origin()],
        values: values.collect(),
        clocks: [Some((points.new_origin(), 0))]
            .into_iter()
            .chain(clocks)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_between_all_values_or_left_open() {
        let mut terms = Terms::new();
        let (bool, int) = (terms.sorts.bool(), terms.sorts.int());
        let array = terms.sorts.array(bool, bool);
        let [flag, number, table] = [("flag", bool), ("number", int), ("table", array)]
            .map(|(name, sort)| terms.declare(name, sort));
        let term = terms.var(number);
        let (low, high) = (terms.int(2), terms.int(4));
        let bounds = [terms.le(low, term), terms.le(term, high)];
        let guard = terms.and(&bounds);
        let n_values = |var| values(&terms, guard, var).map(|values| values.len());
        assert_eq!(n_values(flag), Some(2));
        assert_eq!(n_values(number), Some(3));
        // It has four values, and none of them may be lost.
        assert_eq!(n_values(table), None);
    }
}
