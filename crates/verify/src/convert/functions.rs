//! A machine as functions: what each variable is at first, what it is next, and when that may be.
//!
//! Which branch is taken is one more input. Terms are over the variables and the inputs of the step; those of the start
//! are over inputs of their own, so that a language may choose them in the same state as those of the first step.

use super::bounds::Bounds;
use super::claim::Claimed;
use super::interval::Interval;
use super::machine::{Branch, Declared, Machine, made};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Int, TermId, Value, VarId};
use lariat_system::{Context, Fairness};

/// A machine as functions.
#[derive(Debug)]
pub(super) struct Functions {
    /// Its name.
    pub name: String,
    /// Its variables.
    pub states: Vec<State>,
    /// What the start chooses.
    pub start_inputs: Vec<VarId>,
    /// What a step chooses.
    pub inputs: Vec<VarId>,
    /// The least and the greatest value of inputs that are integers, where only these can be in a step.
    pub input_ranges: FxHashMap<VarId, (Int, Int)>,
    /// The variable that tells the place, if there are several.
    pub place: Option<VarId>,
    /// Those inputs of which every value beyond the last one means the last one.
    pub choices: FxHashSet<VarId>,
    /// When a run may start with the first values.
    pub start: TermId,
    /// When the next values may be taken.
    pub step: TermId,
    /// Whether a state is a letter of the word that formulas read.
    pub observed: TermId,
    /// Which runs are fair.
    pub fairness: Vec<Fairness>,
    /// What is asked.
    pub claims: Vec<Claimed>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub var: VarId,
    /// The least and the greatest value.
    pub range: Option<(Int, Int)>,
    /// How they are known.
    pub range_from: &'static str,
    /// Its first value, over the start inputs.
    pub first: TermId,
    /// Its next value, over the values and inputs of a step.
    pub next: TermId,
}

impl Functions {
    /// The functions of a machine about which something is asked.
    pub fn new(cx: &mut Context, machine: &Machine, claims: Vec<Claimed>) -> Self {
        let (mut start_inputs, mut inputs) = (machine.start_inputs.clone(), machine.inputs.clone());
        let starts = Merged::new(cx, "start", &machine.starts);
        let steps = Merged::new(cx, "action", &machine.steps);
        start_inputs.extend(starts.input);
        inputs.extend(steps.input);
        let mut states = Vec::new();
        for Declared { var, range } in &machine.variables {
            let now = cx.terms.var(*var);
            let sort = cx.terms.var_sort(*var);
            let some = Value::some(&cx.terms.sorts, sort);
            let some = cx.terms.lit(some, sort);
            let first = starts.value(cx, None, *var, some);
            let next = steps.value(cx, Some(machine), *var, now);
            states.push(State {
                var: *var,
                range: range.clone(),
                range_from: "declared",
                first,
                next,
            });
        }
        Self {
            name: machine.name.clone(),
            states,
            start: starts.enabled(cx, None),
            step: steps.enabled(cx, Some(machine)),
            start_inputs,
            inputs,
            choices: starts.input.into_iter().chain(steps.input).collect(),
            input_ranges: FxHashMap::default(),
            place: machine.place(),
            observed: machine.observed,
            fairness: machine.fairness.clone(),
            claims,
        }
    }

    /// Takes over what was found out about the integers. A declared range is kept if it is one of these: nothing else
    /// keeps a model inside of it.
    pub fn use_bounds(&mut self, cx: &Context, bounds: &Bounds) {
        let int = cx.terms.sorts.int();
        for &input in self.inputs.iter().chain(&self.start_inputs) {
            let found = bounds.get(&input).and_then(Interval::ends);
            if let Some(found) = found.filter(|_| cx.terms.var_sort(input) == int) {
                self.input_ranges.insert(input, found);
            }
        }
        let states = self.states.iter_mut();
        for state in states.filter(|state| cx.terms.var_sort(state.var) == int) {
            let found = bounds.get(&state.var).and_then(Interval::ends);
            let holds = |(low, high): &(Int, Int)| {
                found
                    .as_ref()
                    .is_some_and(|found| *low <= found.0 && found.1 <= *high)
            };
            if !state.range.as_ref().is_some_and(holds) {
                (state.range, state.range_from) = (found, "found");
            }
        }
    }

    /// All terms, to look at them.
    pub fn terms(&self) -> Vec<TermId> {
        let mut terms = vec![self.start, self.step, self.observed];
        for state in &self.states {
            terms.extend([state.first, state.next]);
        }
        for constraint in &self.fairness {
            terms.extend(constraint.terms());
        }
        for claimed in &self.claims {
            terms.extend(claimed.claim.terms());
        }
        terms
    }

    /// Rewrites all terms.
    pub fn map_terms<E>(
        &mut self,
        map: &mut dyn FnMut(TermId) -> Result<TermId, E>,
    ) -> Result<(), E> {
        for term in [&mut self.start, &mut self.step, &mut self.observed] {
            *term = map(*term)?;
        }
        for state in &mut self.states {
            state.first = map(state.first)?;
            state.next = map(state.next)?;
        }
        for constraint in &mut self.fairness {
            *constraint = match *constraint {
                Fairness::Justice(term) => Fairness::Justice(map(term)?),
                Fairness::Compassion(request, response) => {
                    Fairness::Compassion(map(request)?, map(response)?)
                }
            };
        }
        for claimed in &mut self.claims {
            claimed.claim.map_terms(map)?;
        }
        Ok(())
    }

    /// Leaves out variables on which nothing depends that is asked.
    pub fn slice(&mut self, cx: &Context) {
        let mut roots = vec![self.start, self.step, self.observed];
        for constraint in &self.fairness {
            roots.extend(constraint.terms());
        }
        for claimed in &self.claims {
            roots.extend(claimed.claim.terms());
        }
        let mut needed: FxHashSet<VarId> = FxHashSet::default();
        while !roots.is_empty() {
            let read = cx.terms.free_vars(&std::mem::take(&mut roots));
            let new: FxHashSet<VarId> =
                read.into_iter().filter(|&var| needed.insert(var)).collect();
            let states = self.states.iter().filter(|state| new.contains(&state.var));
            roots.extend(states.map(|state| state.next));
        }
        self.states.retain(|state| needed.contains(&state.var));
        self.forget_unread(cx);
    }

    /// Leaves out inputs that nothing reads.
    pub fn forget_unread(&mut self, cx: &Context) {
        let read: FxHashSet<VarId> = cx.terms.free_vars(&self.terms()).into_iter().collect();
        self.inputs.retain(|input| read.contains(input));
        self.start_inputs.retain(|input| read.contains(input));
    }
}

/// Branches with the conditions under which each is the one that is taken.
struct Merged<'a> {
    branches: &'a [Branch],
    /// By the input alone, at the place of the branch.
    chosen: Vec<TermId>,
    /// Chooses among those of a place.
    input: Option<VarId>,
    n_places: usize,
}

impl<'a> Merged<'a> {
    fn new(cx: &mut Context, name: &str, branches: &'a [Branch]) -> Self {
        let n_places = branches.iter().map(|branch| branch.from + 1).max();
        let n_places = n_places.unwrap_or(0);
        let mut counts = vec![0u32; n_places];
        let positions: Vec<u32> = branches
            .iter()
            .map(|branch| {
                counts[branch.from] += 1;
                counts[branch.from] - 1
            })
            .collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        if most < 2 {
            let chosen = branches.iter().map(|_| cx.terms.true_()).collect();
            return Self {
                branches,
                chosen,
                input: None,
                n_places,
            };
        }
        let names = names(branches, n_places, most);
        let sort = cx.terms.sorts.enumeration(name, names);
        let input = made(cx, name, sort);
        let number = cx.terms.var(input);
        let mut is = |position: u32| {
            let literal = cx.terms.lit(Value::Enum(position), sort);
            cx.terms.eq(number, literal)
        };
        let is: Vec<TermId> = (0..most).map(&mut is).collect();
        let mut chosen = Vec::new();
        for (branch, position) in branches.iter().zip(positions) {
            let n_here = counts[branch.from];
            // The last one is taken, too, if there is none of that number.
            chosen.push(if position + 1 == n_here {
                let others = cx.terms.or(&is[..position as usize]);
                cx.terms.not(others)
            } else {
                is[position as usize]
            });
        }
        Self {
            branches,
            chosen,
            input: Some(input),
            n_places,
        }
    }

    /// The value of a variable afterwards; `otherwise` if no branch changes it.
    fn value(
        &self,
        cx: &mut Context,
        places: Option<&Machine>,
        var: VarId,
        otherwise: TermId,
    ) -> TermId {
        let changing = self
            .branches
            .iter()
            .zip(&self.chosen)
            .filter_map(|(branch, &chosen)| {
                let value = branch.values.iter().find(|value| value.0 == var)?.1;
                Some((branch.from, chosen, value))
            });
        let changing: Vec<(usize, TermId, TermId)> = changing.collect();
        if changing.len() == self.branches.len()
            && let Some(&(_, _, same)) = changing.first()
            && changing.iter().all(|&(_, _, value)| value == same)
        {
            return same;
        }
        let mut so_far = otherwise;
        if changing.len() == self.branches.len() && places.is_none() {
            so_far = changing.last().map_or(otherwise, |last| last.2);
        }
        for (from, chosen, value) in changing.into_iter().rev() {
            let taken = match places {
                Some(machine) => {
                    let here = machine.is_at(cx, from);
                    cx.terms.and(&[here, chosen])
                }
                None => chosen,
            };
            so_far = cx.terms.ite(taken, value, so_far);
        }
        so_far
    }

    /// When the branch that is chosen can be taken.
    fn enabled(&self, cx: &mut Context, places: Option<&Machine>) -> TermId {
        let mut here: Vec<Vec<TermId>> = vec![Vec::new(); self.n_places];
        let mut is_free: Vec<bool> = vec![true; self.n_places];
        for (branch, &chosen) in self.branches.iter().zip(&self.chosen) {
            is_free[branch.from] &= branch.guard == cx.terms.true_();
            here[branch.from].push(cx.terms.and(&[chosen, branch.guard]));
        }
        let n_places = places.map_or(1, Machine::n_places);
        let has_all = self.n_places == n_places && here.iter().all(|ways| !ways.is_empty());
        if has_all && is_free.iter().all(|&free| free) {
            return cx.terms.true_();
        }
        let mut ways = Vec::new();
        for (place, (here, free)) in here.into_iter().zip(is_free).enumerate() {
            let some = if free && !here.is_empty() {
                cx.terms.true_()
            } else {
                cx.terms.or(&here)
            };
            let at = places.map_or(cx.terms.true_(), |machine| machine.is_at(cx, place));
            ways.push(cx.terms.and(&[at, some]));
        }
        cx.terms.or(&ways)
    }
}

/// What the choices are called: as the actions, if all of them have names of their own.
fn names(branches: &[Branch], n_places: usize, most: u32) -> Vec<String> {
    let given: Vec<&str> = branches
        .iter()
        .filter_map(|branch| branch.name.as_deref())
        .collect();
    let distinct: FxHashSet<&str> = given.iter().copied().collect();
    if n_places == 1 && distinct.len() == branches.len() {
        return given.into_iter().map(str::to_owned).collect();
    }
    (0..most).map(|number| format!("choice{number}")).collect()
}
