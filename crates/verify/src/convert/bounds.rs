//! Between which values the integers of a machine lie: intervals that contain every value that a run can give a variable, and
//! every value that an input can have in a step that is taken.
//!
//! The usual analysis (Cousot and Cousot, 1976): what the starts give, joined with what the steps give, until nothing grows. Bounds that
//! keep growing move to the next constant of the model, at last to infinity; then two rounds take back what was too much. Guards
//! and conditions of if-then-else narrow what is below them. Each place of the model has intervals of its own. All of this only ever makes
//! intervals larger than need be.

use super::interval::{Interval, divided};
use super::machine::{Branch, Machine};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, TermId, Value, VarId};
use lariat_system::Context;
use std::cell::Cell;

/// Intervals of variables and inputs; of an array, of all its elements. What is missing may be anything.
pub(super) type Bounds = FxHashMap<VarId, Interval>;

/// After so many rounds growing bounds are moved.
const PATIENCE: usize = 3;
/// After so many rounds they are moved to infinity.
const MOST_ROUNDS: usize = 64;
/// How deep conditions are looked into.
const DEEP: usize = 64;
/// How many terms are looked at with the conditions above them; the others without.
const FUEL: usize = 400_000;
/// An integer with more values is no better than one without bounds for who lists them.
const MANY_VALUES: i64 = 1 << 16;

/// The intervals of a machine.
pub(super) fn bounds(cx: &Context, machine: &Machine) -> Bounds {
    let analysis = Analysis::new(cx, FUEL, Haste::Patient);
    analysis.bounds(machine)
}

/// Whether conditions and sums keep each of these integers between bounds with not too many values between, as far as a quick
/// look tells.
pub(super) fn are_bounded(cx: &Context, machine: &Machine, integers: &[VarId]) -> bool {
    let analysis = Analysis::new(cx, FUEL, Haste::Hasty);
    let bounds = analysis.bounds(machine);
    let is_small = |var: &VarId| {
        let ends = bounds.get(var).and_then(Interval::ends);
        ends.is_some_and(|(low, high)| &high - &low < Int::from(MANY_VALUES))
    };
    !analysis.has_given_up() && integers.iter().all(is_small)
}

/// The bounds at each place that can be reached.
type Places = Vec<Option<Bounds>>;

/// What holds if one of two holds; of those that can be.
fn either(one: Option<&Bounds>, other: Option<&Bounds>) -> Option<Bounds> {
    match (one, other) {
        (Some(one), Some(other)) => Some(join(one, other)),
        (one, other) => one.or(other).cloned(),
    }
}

/// The interval of a term between given bounds.
pub(super) fn interval(cx: &Context, bounds: &Bounds, term: TermId) -> Interval {
    let analysis = Analysis::new(cx, 0, Haste::Patient);
    analysis.plain(bounds, term)
}

/// The constants of a model and their neighbours, in order.
fn thresholds(cx: &Context, machine: &Machine) -> Vec<Int> {
    let branches = machine.starts.iter().chain(&machine.steps);
    let mut roots: Vec<TermId> = Vec::new();
    for branch in branches {
        roots.push(branch.guard);
        roots.extend(branch.values.iter().map(|value| value.1));
    }
    let mut found = vec![Int::ZERO];
    for term in cx.terms.subterms(&roots) {
        if let Some(Value::Int(int)) = cx.terms.as_lit(term) {
            found.extend([int - &Int::ONE, int.clone(), int + &Int::ONE]);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Moves bounds that have grown.
fn widen(old: &Bounds, new: &Bounds, thresholds: &[Int]) -> Bounds {
    let mut wide = Bounds::default();
    for (var, new) in new {
        let Some(old) = old.get(var) else { continue };
        let mut interval = new.clone();
        if new.low != old.low {
            let below = |low: &Int| thresholds.iter().rev().find(|t| *t <= low).cloned();
            interval.low = new.low.as_ref().and_then(below);
        }
        if new.high != old.high {
            let above = |high: &Int| thresholds.iter().find(|t| *t >= high).cloned();
            interval.high = new.high.as_ref().and_then(above);
        }
        wide.insert(*var, interval);
    }
    wide
}

fn join(one: &Bounds, other: &Bounds) -> Bounds {
    let mut joined = Bounds::default();
    for (var, interval) in one {
        if let Some(other) = other.get(var) {
            joined.insert(*var, interval.join(other));
        }
    }
    joined
}

fn meet(one: &Bounds, other: &Bounds) -> Bounds {
    let mut met = one.clone();
    for (var, interval) in other {
        let known = met.entry(*var).or_insert_with(Interval::all);
        *known = known.meet(interval);
    }
    met
}

/// What is done when the fuel is used up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Haste {
    /// The analysis goes on, without the conditions inside of terms.
    Patient,
    /// It gives up: anything may be anything.
    Hasty,
}

struct Analysis<'a> {
    cx: &'a Context,
    fuel: Cell<usize>,
    haste: Haste,
}

impl<'a> Analysis<'a> {
    fn new(cx: &'a Context, fuel: usize, haste: Haste) -> Self {
        let fuel = Cell::new(fuel);
        Self { cx, fuel, haste }
    }

    fn has_given_up(&self) -> bool {
        self.haste == Haste::Hasty && self.fuel.get() == 0
    }

    fn spend(&self, work: usize) {
        self.fuel.set(self.fuel.get().saturating_sub(work));
    }

    /// The intervals of a machine.
    fn bounds(&self, machine: &Machine) -> Bounds {
        let mut inputs = Bounds::default();
        let n_places = machine.n_places();
        let anything: Places = vec![Some(Bounds::default()); n_places.max(1)];
        let chosen = Some((&machine.start_inputs[..], &mut inputs));
        let first = self.round(&machine.starts, &anything, chosen);
        if first.iter().flatten().all(Bounds::is_empty) {
            return inputs;
        }
        let thresholds = thresholds(self.cx, machine);
        let mut now = first.clone();
        for round in 0.. {
            let after = self.round(&machine.steps, &now, None);
            let known = if round < MOST_ROUNDS {
                &thresholds[..]
            } else {
                &[]
            };
            let mut grown = now.clone();
            for (grown, after) in grown.iter_mut().zip(&after) {
                let joined = either(grown.as_ref(), after.as_ref());
                *grown = match (&*grown, joined) {
                    (Some(old), Some(new)) if round >= PATIENCE => Some(widen(old, &new, known)),
                    (_, joined) => joined,
                };
            }
            if grown == now || self.has_given_up() {
                break;
            }
            now = grown;
        }
        for _ in 0..2 {
            let after = self.round(&machine.steps, &now, None);
            for ((now, after), first) in now.iter_mut().zip(&after).zip(&first) {
                let exact = either(first.as_ref(), after.as_ref());
                *now = now
                    .as_ref()
                    .zip(exact)
                    .map(|(now, exact)| meet(now, &exact));
            }
        }
        let wanted = Some((&machine.inputs[..], &mut inputs));
        let _ = self.round(&machine.steps, &now, wanted);
        let everywhere = now
            .into_iter()
            .flatten()
            .reduce(|one, other| join(&one, &other));
        let mut all = everywhere.unwrap_or_default();
        all.extend(inputs);
        all
    }

    /// What the branches that can be taken give, at the places where they lead. What they want of inputs is joined, if
    /// that is asked.
    fn round(
        &self,
        branches: &[Branch],
        now: &[Option<Bounds>],
        mut inputs: Option<(&[VarId], &mut Bounds)>,
    ) -> Places {
        let mut all: Places = vec![None; now.len()];
        for branch in branches {
            let Some(mut here) = now[branch.from].clone() else {
                continue;
            };
            let can_be = (0..3).all(|_| self.refine(&mut here, branch.guard, true, 0));
            if !can_be {
                continue;
            }
            if let Some((inputs, wanted)) = &mut inputs {
                self.want(branch, &here, inputs, wanted);
            }
            let mut after = here.clone();
            for &(var, value) in &branch.values {
                if self.has_numbers(var) {
                    after.insert(var, self.value(&here, value, 0));
                }
            }
            all[branch.to] = either(all[branch.to].as_ref(), Some(&after));
        }
        all
    }

    /// Whether a variable is an integer, or an array of integers.
    fn has_numbers(&self, var: VarId) -> bool {
        let sorts = &self.cx.terms.sorts;
        let sort = self.cx.terms.var_sort(var);
        let element = sorts.as_array(sort).map_or(sort, |(_, element)| element);
        element == sorts.int()
    }

    /// Joins what a branch wants of the inputs that it reads to what others want.
    fn want(&self, branch: &Branch, here: &Bounds, inputs: &[VarId], wanted: &mut Bounds) {
        let mut terms: Vec<TermId> = branch.values.iter().map(|value| value.1).collect();
        terms.push(branch.guard);
        let read = self.cx.terms.free_vars(&terms);
        let read = read.into_iter().filter(|var| inputs.contains(var));
        for var in read.filter(|&var| self.has_numbers(var)) {
            let own = here.get(&var).cloned().unwrap_or_else(Interval::all);
            let joined = wanted.get(&var).map(|other| other.join(&own));
            wanted.insert(var, joined.unwrap_or(own));
        }
    }

    /// Narrows the bounds by what a condition says; whether it can be so at all.
    fn refine(&self, bounds: &mut Bounds, condition: TermId, truth: bool, depth: usize) -> bool {
        if depth > DEEP || self.has_given_up() {
            return true;
        }
        self.spend(1);
        match self.cx.terms.head(condition) {
            Head::Lit(Value::Bool(value)) => *value == truth,
            Head::Op(Op::Not, &[inner]) => self.refine(bounds, inner, !truth, depth + 1),
            Head::Op(op @ (Op::And | Op::Or), args) => {
                if (op == Op::And) == truth {
                    return args
                        .iter()
                        .all(|&arg| self.refine(bounds, arg, truth, depth + 1));
                }
                let mut ways: Option<Bounds> = None;
                for &arg in args {
                    let mut way = bounds.clone();
                    if self.refine(&mut way, arg, truth, depth + 1) {
                        ways = Some(match ways {
                            Some(ways) => join(&ways, &way),
                            None => way,
                        });
                    }
                }
                match ways {
                    Some(ways) => {
                        *bounds = meet(bounds, &ways);
                        true
                    }
                    None => false,
                }
            }
            Head::Op(Op::Ite, &[choice, then, otherwise]) => {
                let (mut yes, mut no) = (bounds.clone(), bounds.clone());
                let is_yes = self.refine(&mut yes, choice, true, depth + 1)
                    && self.refine(&mut yes, then, truth, depth + 1);
                let is_no = self.refine(&mut no, choice, false, depth + 1)
                    && self.refine(&mut no, otherwise, truth, depth + 1);
                match (is_yes, is_no) {
                    (true, true) => *bounds = meet(bounds, &join(&yes, &no)),
                    (true, false) => *bounds = yes,
                    (false, true) => *bounds = no,
                    (false, false) => return false,
                }
                true
            }
            Head::Op(op @ (Op::Le | Op::Lt | Op::Eq), &[left, right])
                if self.cx.terms.sort(left) == self.cx.terms.sorts.int() =>
            {
                self.compare(bounds, op, (left, right), truth, depth)
            }
            _ => true,
        }
    }

    fn compare(
        &self,
        bounds: &mut Bounds,
        op: Op,
        (left, right): (TermId, TermId),
        truth: bool,
        depth: usize,
    ) -> bool {
        let (of_left, of_right) = (
            self.value(bounds, left, depth),
            self.value(bounds, right, depth),
        );
        // `!(a < b)` is `b <= a`.
        let (op, left, right, of_left, of_right) = match (op, truth) {
            (Op::Lt, false) => (Op::Le, right, left, of_right, of_left),
            (Op::Le, false) => (Op::Lt, right, left, of_right, of_left),
            _ => (op, left, right, of_left, of_right),
        };
        let (for_left, for_right) = match (op, truth) {
            (Op::Eq, true) => (of_right.clone(), of_left.clone()),
            (Op::Eq, false) => {
                if of_left.is_point() && of_left == of_right {
                    return false;
                }
                (of_left.without(&of_right), of_right.without(&of_left))
            }
            (op, _) => {
                let gap = if op == Op::Lt { Int::ONE } else { Int::ZERO };
                let below = Interval {
                    low: None,
                    high: of_right.high.as_ref().map(|high| high - &gap),
                };
                let above = Interval {
                    low: of_left.low.as_ref().map(|low| low + &gap),
                    high: None,
                };
                (below, above)
            }
        };
        if of_left.meet(&for_left).is_empty() || of_right.meet(&for_right).is_empty() {
            return false;
        }
        self.narrow(bounds, left, &for_left, depth);
        self.narrow(bounds, right, &for_right, depth);
        true
    }

    /// Narrows the bounds by the interval in which a term lies.
    fn narrow(&self, bounds: &mut Bounds, term: TermId, within: &Interval, depth: usize) {
        if depth > DEEP {
            return;
        }
        match self.cx.terms.head(term) {
            Head::Var(var) => {
                let known = bounds.entry(var).or_insert_with(Interval::all);
                *known = known.meet(within);
            }
            Head::Op(Op::Add, args) => {
                for (at, &arg) in args.iter().enumerate() {
                    let mut rest = within.clone();
                    for (_, &other) in args.iter().enumerate().filter(|&(i, _)| i != at) {
                        rest = rest.minus(&self.value(bounds, other, depth));
                    }
                    self.narrow(bounds, arg, &rest, depth + 1);
                }
            }
            Head::Op(Op::Mul, &[factor, arg]) => {
                if let Some(Value::Int(factor)) = self.cx.terms.as_lit(factor)
                    && !factor.is_zero()
                {
                    self.narrow(bounds, arg, &within.divided(factor), depth + 1);
                }
            }
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let cannot = |value: TermId| {
                    let interval = self.value(bounds, value, depth);
                    interval.meet(within).is_empty()
                };
                let (no_then, no_otherwise) = (cannot(then), cannot(otherwise));
                if no_otherwise {
                    self.refine(bounds, condition, true, depth + 1);
                    self.narrow(bounds, then, within, depth + 1);
                } else if no_then {
                    self.refine(bounds, condition, false, depth + 1);
                    self.narrow(bounds, otherwise, within, depth + 1);
                } else if self.fuel.get() > 0 {
                    self.spend(1);
                    let mut ways: Option<Bounds> = None;
                    for (value, truth) in [(then, true), (otherwise, false)] {
                        let mut way = bounds.clone();
                        if self.refine(&mut way, condition, truth, depth + 1) {
                            self.narrow(&mut way, value, within, depth + 1);
                            ways = either(ways.as_ref(), Some(&way));
                        }
                    }
                    if let Some(ways) = ways {
                        *bounds = meet(bounds, &ways);
                    }
                }
            }
            _ => {}
        }
    }

    /// The interval of a term, with conditions inside of it taken into account while that is not too much work.
    fn value(&self, bounds: &Bounds, term: TermId, depth: usize) -> Interval {
        if self.has_given_up() {
            return Interval::all();
        }
        if depth > DEEP || self.fuel.get() == 0 {
            return self.plain(bounds, term);
        }
        self.spend(1);
        match self.cx.terms.head(term) {
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let mut ways = Vec::new();
                for (value, truth) in [(then, true), (otherwise, false)] {
                    let mut here = bounds.clone();
                    if self.refine(&mut here, condition, truth, depth + 1) {
                        ways.push(self.value(&here, value, depth + 1));
                    }
                }
                let joined = ways.into_iter().reduce(|one, other| one.join(&other));
                joined.unwrap_or_else(Interval::all)
            }
            Head::Op(_, args) => {
                let args = args.iter().map(|&arg| {
                    if self.cx.terms.sort(arg) == self.cx.terms.sorts.bool() {
                        Interval::all()
                    } else {
                        self.value(bounds, arg, depth + 1)
                    }
                });
                let args: Vec<Interval> = args.collect();
                self.applied(term, &args)
            }
            _ => self.leaf(bounds, term),
        }
    }

    /// The interval of a term, whatever its conditions say.
    fn plain(&self, bounds: &Bounds, term: TermId) -> Interval {
        let mut known: FxHashMap<TermId, Interval> = FxHashMap::default();
        let subterms = self.cx.terms.subterms(&[term]);
        self.spend(subterms.len());
        for at in subterms {
            let args = self.cx.terms.args(at);
            let interval = if args.is_empty() {
                self.leaf(bounds, at)
            } else {
                let args: Vec<Interval> = args.iter().map(|arg| known[arg].clone()).collect();
                self.applied(at, &args)
            };
            known.insert(at, interval);
        }
        known.remove(&term).unwrap_or_else(Interval::all)
    }

    fn leaf(&self, bounds: &Bounds, term: TermId) -> Interval {
        match self.cx.terms.head(term) {
            Head::Var(var) => bounds.get(&var).cloned().unwrap_or_else(Interval::all),
            Head::Lit(value) => Interval::of(value),
            Head::Op(..) => Interval::all(),
        }
    }

    /// The interval of an operator on arguments in intervals. An array is in the interval of its elements.
    fn applied(&self, term: TermId, args: &[Interval]) -> Interval {
        let terms = &self.cx.terms;
        let Head::Op(op, own) = terms.head(term) else {
            return Interval::all();
        };
        match (op, args) {
            (Op::Add, [first, rest @ ..]) => {
                let rest = rest.iter();
                rest.fold(first.clone(), |sum, next| sum.plus(next))
            }
            (Op::Mul, [first, rest @ ..]) => {
                let rest = rest.iter();
                rest.fold(first.clone(), |product, next| product.times(next))
            }
            (Op::Mod | Op::Rem | Op::Div, [left, right]) => divided(op, left, right),
            (Op::Ite, [_, then, otherwise]) => then.join(otherwise),
            (Op::Select, [array, _]) => array.clone(),
            (Op::Store, [array, _, value]) => array.join(value),
            (Op::ConstArray(_), [value]) => value.clone(),
            (Op::Bv(lariat_expr::BvOp::ToNat), _) => {
                let width = terms.sorts.bv_width(terms.sort(own[0])).unwrap_or(1);
                Interval::new(Int::ZERO, &Int::power_of_two(width) - &Int::ONE)
            }
            _ => Interval::all(),
        }
    }
}
