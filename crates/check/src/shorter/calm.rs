//! Plain values: an input gets another one wherever the run goes on as before.
//!
//! So does a choice, if fewer variables change by that: whether an input is true may be a choice of branches.
//!
//! As before means by the same edges and branches, with the same letters, and soon back in the states it had; or else to
//! the end, where it must come back to the state at which its loop starts. First all values from one place are tried to be
//! the same, then those of one step, then each by itself.

use super::Trail;
use super::walker::{Site, Walker};
use lariat_expr::{Int, Sort, Value, VarId};
use lariat_system::{Decision, State, Step};

/// After so many steps a run of a longer one must be back in the states it had.
const MAX_DETOUR: usize = 48;
/// How many literals of an enumeration are tried.
const MAX_LITERALS: u64 = 16;

/// How many branches of a choice are tried.
const MAX_BRANCHES: u32 = 4;

/// How many variables may change when a run is made anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Measure {
    Any,
    NotMore,
    Fewer,
}

/// Which values are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    /// The same wherever that is possible: false, 0, the first literal. Equal steps are what a shorter run is made of.
    Plain,
    /// What the variable has already, so that nothing changes; else a small one.
    Kept,
}

/// Replaces values of a run.
pub(super) fn calm(walker: &mut Walker<'_>, trail: &mut Trail, wish: Wish) {
    let Some(mut calming) = Calming::new(walker, trail) else {
        return;
    };
    let is_over = |calming: &Calming<'_, '_>| match wish {
        Wish::Plain => calming.walker.has_spent(1, 3),
        Wish::Kept => calming.walker.has_spent(1, 1),
    };
    calming.everywhere();
    // What a loop does goes first: what happens before it may matter only because the loop does it, too.
    for at in (0..calming.trail.steps.len()).rev() {
        if is_over(&calming) {
            return;
        }
        calming.branches(at);
    }
    for at in 0..calming.trail.steps.len() {
        if is_over(&calming) {
            return;
        }
        calming.step(at, wish);
    }
}

struct Calming<'c, 'w> {
    walker: &'c mut Walker<'w>,
    trail: &'c mut Trail,
    /// By step, its letter if it is observed.
    letters: Vec<Option<u64>>,
    /// By step and decision, where the value is given.
    sites: Vec<Vec<Option<Site>>>,
}

/// Steps with the decisions that they are to have, in the order of the run.
type Change = Vec<(usize, Vec<Decision>)>;

impl<'c, 'w> Calming<'c, 'w> {
    fn new(walker: &'c mut Walker<'w>, trail: &'c mut Trail) -> Option<Self> {
        let (mut letters, mut sites) = (Vec::new(), Vec::new());
        let mut before: Option<&State> = None;
        for step in &trail.steps {
            let row = walker.row(before.map(|state| state.loc));
            let observed = row[step.edge].observed;
            letters.push(observed.then(|| walker.letter(&step.state)));
            let has_values = step
                .decisions
                .iter()
                .any(|d| matches!(d, Decision::Value(_)));
            sites.push(if has_values {
                walker.sites(before, step.edge, &step.decisions)?
            } else {
                vec![None; step.decisions.len()]
            });
            before = Some(&step.state);
        }
        Some(Self {
            walker,
            trail,
            letters,
            sites,
        })
    }

    /// Tries to give each place one value throughout.
    fn everywhere(&mut self) {
        let mut all: Vec<Site> = self.sites.iter().flatten().copied().flatten().collect();
        all.sort_unstable_by_key(|site| site.stmt);
        all.dedup_by_key(|site| site.stmt);
        for site in all {
            if self.walker.has_spent(1, 4) {
                return;
            }
            let values: Vec<Value> = [0, 1]
                .into_iter()
                .filter_map(|n| self.small(site.var, n))
                .collect();
            for value in values {
                let value = Decision::Value(value);
                let change = self.changed_at(site, |_| Some(value.clone()));
                if change.is_empty() || self.redo(&change) {
                    break;
                }
            }
        }
    }

    /// The steps with decisions at a place that are changed by this.
    fn changed_at(&self, site: Site, change: impl Fn(&Decision) -> Option<Decision>) -> Change {
        let steps = self.trail.steps.iter().zip(&self.sites).enumerate();
        let changed = steps.filter_map(|(at, (step, sites))| {
            let mut decisions = step.decisions.clone();
            for (decision, own) in decisions.iter_mut().zip(sites) {
                if own.is_some_and(|own| own.stmt == site.stmt)
                    && let Some(new) = change(decision)
                {
                    *decision = new;
                }
            }
            (decisions != step.decisions).then_some((at, decisions))
        });
        changed.collect()
    }

    /// Makes other choices in one step.
    fn branches(&mut self, at: usize) {
        for i in 0..self.trail.steps[at].decisions.len() {
            let Decision::Branch(taken) = self.trail.steps[at].decisions[i] else {
                continue;
            };
            for branch in (0..MAX_BRANCHES).filter(|&branch| branch != taken) {
                let mut decisions = self.trail.steps[at].decisions.clone();
                decisions[i] = Decision::Branch(branch);
                // Of two that change as much the later one: the first is for what is true.
                let measure = if branch > taken {
                    Measure::NotMore
                } else {
                    Measure::Fewer
                };
                if self.redo_measured(&[(at, decisions)], measure) {
                    break;
                }
            }
        }
    }

    /// Calms one step: all of its values together, or one by one.
    fn step(&mut self, at: usize, wish: Wish) {
        let wanted: Vec<(usize, Vec<Value>)> = (0..self.sites[at].len())
            .filter_map(|i| self.sites[at][i].map(|site| (i, self.wanted(at, site, wish))))
            .collect();
        let mut all = self.trail.steps[at].decisions.clone();
        for (i, values) in &wanted {
            if let Some(value) = values.first() {
                all[*i] = Decision::Value(value.clone());
            }
        }
        if all == self.trail.steps[at].decisions || self.redo(&[(at, all)]) {
            return;
        }
        for (i, values) in wanted {
            if !values
                .into_iter()
                .any(|value| self.is_or_becomes(at, i, value))
                && wish == Wish::Kept
            {
                self.approach_zero(at, i);
            }
        }
    }

    /// The values to try first, for a place of one step.
    fn wanted(&self, at: usize, site: Site, wish: Wish) -> Vec<Value> {
        let mut wanted = Vec::new();
        if wish == Wish::Kept {
            wanted.extend(self.value_before(at, site));
        }
        wanted.extend(self.small(site.var, 0));
        if wish == Wish::Kept {
            wanted.extend((1..MAX_LITERALS).map_while(|n| self.small(site.var, n)));
        }
        wanted
    }

    /// The value that a variable has before a step; of one that the step itself declares, what the place gave it last.
    fn value_before(&self, at: usize, site: Site) -> Option<Value> {
        let before = &self.trail.steps[at.checked_sub(1)?].state;
        let mut variables = self.walker.variables.iter();
        if let Some(position) = variables.position(|variable| variable.var == site.var) {
            return Some(before.values[position].clone());
        }
        let earlier = self.trail.steps[..at].iter().zip(&self.sites).rev();
        let mut given = earlier.flat_map(|(step, sites)| step.decisions.iter().zip(sites));
        given.find_map(|(decision, own)| match decision {
            Decision::Value(value) if *own == Some(site) => Some(value.clone()),
            _ => None,
        })
    }

    /// The `n`-th of the small values of a variable: of numbers 0 and 1, of others all.
    fn small(&self, var: VarId, n: u64) -> Option<Value> {
        let sorts = &self.walker.cx.terms.sorts;
        let sort = self.walker.cx.terms.var_sort(var);
        match (sorts.get(sort), n) {
            (_, 0) => Some(Value::some(sorts, sort)),
            (Sort::Bool | Sort::Enum(_), _) => Value::nth(sorts, sort, n),
            (Sort::Int, 1) => Some(Value::Int(Int::ONE)),
            (Sort::Bv(_), 1) => Some(Value::Bv(Int::ONE)),
            _ => None,
        }
    }

    /// Whether a decision gives this value, or can be made to: by itself, or with all that give the same value at its place,
    /// as a loop and the way to it may.
    fn is_or_becomes(&mut self, at: usize, i: usize, value: Value) -> bool {
        let wanted = Decision::Value(value);
        let given = self.trail.steps[at].decisions[i].clone();
        if given == wanted {
            return true;
        }
        let mut alone = self.trail.steps[at].decisions.clone();
        alone[i] = wanted.clone();
        if self.redo(&[(at, alone)]) {
            return true;
        }
        let Some(site) = self.sites[at][i] else {
            return false;
        };
        let all = self.changed_at(site, |old| (*old == given).then(|| wanted.clone()));
        all.len() > 1 && self.redo(&all)
    }

    /// Halves the way to zero as long as the run goes on as before.
    fn approach_zero(&mut self, at: usize, i: usize) {
        let Some(site) = self.sites[at][i] else {
            return;
        };
        let sort = self.walker.cx.terms.var_sort(site.var);
        let width = match self.walker.cx.terms.sorts.get(sort) {
            Sort::Int => None,
            Sort::Bv(width) => Some(*width),
            _ => return,
        };
        let Decision::Value(value) = &self.trail.steps[at].decisions[i] else {
            return;
        };
        let (mut too_small, mut good) = (Int::ZERO, signed(value, width));
        let two = Int::from(2);
        loop {
            let middle = (&too_small + &good).div_euclid(&two);
            if middle == too_small || middle == good {
                return;
            }
            if self.is_or_becomes(at, i, unsigned(&middle, width)) {
                good = middle;
            } else {
                too_small = middle;
            }
        }
    }

    /// Executes the run with other decisions; takes it if it goes on as before.
    fn redo(&mut self, change: &[(usize, Vec<Decision>)]) -> bool {
        self.redo_measured(change, Measure::Any)
    }

    /// The same, if so many variables change on the way.
    fn redo_measured(&mut self, change: &[(usize, Vec<Decision>)], measure: Measure) -> bool {
        let (Some((first, _)), Some((last, _))) = (change.first(), change.last()) else {
            return false;
        };
        let (first, last) = (*first, *last);
        let mut changes = change.iter().peekable();
        let mut new: Vec<Step> = Vec::new();
        let n = self.trail.steps.len();
        for at in first..n {
            let old = &self.trail.steps[at];
            let changed = changes.next_if(|(changed, _)| *changed == at);
            let decisions = changed.map_or(&old.decisions, |(_, decisions)| decisions);
            let before = match new.last() {
                Some(step) => Some(&step.state),
                None => at
                    .checked_sub(1)
                    .map(|before| &self.trail.steps[before].state),
            };
            let Some(state) = self.walker.execute(before, old.edge, decisions) else {
                return false;
            };
            if self.letters[at].is_some_and(|letter| self.walker.letter(&state) != letter) {
                return false;
            }
            let is_back = at >= last && state == old.state;
            new.push(Step {
                edge: old.edge,
                decisions: decisions.clone(),
                state,
            });
            if is_back {
                break;
            }
            if at > last + MAX_DETOUR && n > 4 * MAX_DETOUR {
                return false;
            }
        }
        if !self.closes(first, &new) || !self.has_measure(first, &new, measure) {
            return false;
        }
        for (step, new) in self.trail.steps[first..].iter_mut().zip(new) {
            *step = new;
        }
        true
    }

    /// Whether these steps change as few variables as wanted, compared with those from `first` on.
    fn has_measure(&self, first: usize, new: &[Step], measure: Measure) -> bool {
        if measure == Measure::Any {
            return true;
        }
        let before = first.checked_sub(1).map(|at| &self.trail.steps[at].state);
        let old = self.trail.steps[first..].iter().take(new.len());
        let (old, new) = (n_changes(before, old), n_changes(before, new.iter()));
        new < old || new == old && measure == Measure::NotMore
    }

    /// Whether a loop still comes back when these steps replace those from `first` on.
    fn closes(&self, first: usize, new: &[Step]) -> bool {
        let Some(honda) = self.trail.honda else {
            return true;
        };
        let state = |at: usize| match at.checked_sub(first).and_then(|at| new.get(at)) {
            Some(step) => &step.state,
            None => &self.trail.steps[at].state,
        };
        state(honda) == state(self.trail.steps.len() - 1)
    }
}

/// How many variables change along some steps, one after the other.
fn n_changes<'s>(before: Option<&'s State>, steps: impl Iterator<Item = &'s Step>) -> usize {
    let (mut before, mut n) = (before, 0);
    for step in steps {
        if let Some(before) = before {
            let pairs = before.values.iter().zip(&step.state.values);
            n += pairs.filter(|(old, new)| old != new).count();
        }
        before = Some(&step.state);
    }
    n
}

/// The number that a value stands for; bit-vectors are taken as signed.
fn signed(value: &Value, width: Option<u32>) -> Int {
    match (value, width) {
        (Value::Bv(bits), Some(width)) if bits.bits() == u64::from(width) => {
            bits - &Int::power_of_two(width)
        }
        (Value::Bv(number) | Value::Int(number), _) => number.clone(),
        _ => Int::ZERO,
    }
}

/// The value that stands for a number.
fn unsigned(number: &Int, width: Option<u32>) -> Value {
    match width {
        None => Value::Int(number.clone()),
        Some(width) if number.is_negative() => Value::Bv(number + &Int::power_of_two(width)),
        Some(_) => Value::Bv(number.clone()),
    }
}
