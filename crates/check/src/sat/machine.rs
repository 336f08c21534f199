//! A problem as a machine of bits: what each bit of the state is next, over the state and over input bits, and when a step can be
//! taken.
//!
//! The state is that of the model (locations as numbers), of the automaton that reads it, and a bit that tells whether the
//! run has started: before, all bits are 0, and the first step is a start of the model. A step of the machine reads the state, if it
//! is observed, and then takes a step of the model; the input bits choose which, and whatever is chosen in it. So a
//! state is read one step after it was reached.
//!
//! A variable that every step gives a new value of its own is no part of the state: it is chosen where it is read. Such are
//! the inputs of circuits.
//!
//! Integers have ranges (`ranges.rs`): a step starts inside of them, and none may leave them.
//!
//! A compassion constraint is guessed: from some step on, the request is never true, or the response is true again and again.

use super::ranges::{Ranges, ranges};
use crate::bits::{Blasting, NoBits, resized, width};
use crate::problem::{Bad, Goal, Problem};
use crate::product::label_term;
use crate::summary::Summary;
use lariat_base::{FxHashMap, Id as _};
use lariat_expr::{Int, Sort, TermId, Terms, Value, VarId};
use lariat_ltl::Automaton;
use lariat_system::{Context, Edge, Fairness, PointId, Variable};

/// The instance of variables that are made here: models have none of it.
const MADE: u32 = u32::MAX - 7;
/// The most variables of a model, and the most locations.
const MAX_VARIABLES: usize = 4_000;
const MAX_LOCATIONS: usize = 64;

/// A machine of bits. All terms are over the bits of the state and the inputs.
#[derive(Debug)]
pub(super) struct Machine {
    /// The bit of the state that tells whether the run has started.
    pub started: VarId,
    /// The bits of the state with what they are next; all are 0 before the start.
    pub state: Vec<(VarId, TermId)>,
    pub inputs: Vec<VarId>,
    /// Whether the inputs choose a step that can be taken.
    pub valid: TermId,
    /// Whether the step gives an integer a value outside of its range. That must be impossible for the machine to be right.
    pub leaves: TermId,
    /// Whether the state is bad.
    pub bad: TermId,
    /// What an accepting loop does at least once, each.
    pub marks: Vec<TermId>,
    /// How the steps of the model are read off.
    pub model: Steps,
}

/// The steps of a model, and the bits that tell which was taken.
#[derive(Debug)]
pub(super) struct Steps {
    pub variables: Vec<Variable>,
    /// The starts, then the edges of each location.
    pub plans: Vec<Plan>,
    pub points: Vec<PointId>,
    /// The bits of each variable that is an input, and of what steps choose.
    pub bits: FxHashMap<VarId, Vec<VarId>>,
    /// The ranges of integers.
    pub ranges: Ranges,
    /// Which variables of the model are inputs.
    pub is_input: Vec<bool>,
    /// The bits that choose an edge.
    pub choice: Vec<VarId>,
}

/// The edges of one location.
pub(super) type Plan = Vec<(Edge<PointId>, Summary)>;

/// An edge, when it is taken, and what it does.
type Taken<'p> = (Edge<PointId>, TermId, &'p Summary);

/// Why a problem is no machine of bits.
pub(super) type NoMachine = String;

impl Machine {
    /// The machine of a problem.
    pub fn new(cx: &mut Context, problem: &mut Problem) -> Result<Self, NoMachine> {
        let variables = problem.system.variables().to_vec();
        if variables.len() > MAX_VARIABLES {
            return Err(format!("there are more than {MAX_VARIABLES} variables"));
        }
        for variable in &variables {
            let sort = cx.terms.var_sort(variable.var);
            let is_plain = sort == cx.terms.sorts.bool() || sort == cx.terms.sorts.int();
            if !is_plain && width(&cx.terms, sort).is_none() {
                let name = cx.terms.name(variable.var);
                return Err(format!("`{name}` is not made of bits"));
            }
        }
        let (points, plans) = plans(cx, problem, &variables)?;
        let is_input = inputs_among(cx, &variables, &plans);
        let ranges = ranges(&cx.terms, &variables, &plans)?;
        let mut blasting = Blasting::default();
        for (&var, range) in &ranges {
            blasting.bound(var, range.clone());
        }
        let mut builder = Builder {
            terms: &mut cx.terms,
            blasting,
            ranges,
            leaves: Vec::new(),
            inputs: Vec::new(),
            state: Vec::new(),
            bits: FxHashMap::default(),
            valid: Vec::new(),
        };
        let machine = builder.machine(problem, variables, (points, plans), is_input);
        machine.map_err(|NoBits(why)| format!("the model {why}"))
    }
}

/// The reachable locations, and what can be done first and there.
fn plans(
    cx: &mut Context,
    problem: &mut Problem,
    variables: &[Variable],
) -> Result<(Vec<PointId>, Vec<Plan>), NoMachine> {
    let own: lariat_base::FxHashSet<VarId> = variables.iter().map(|v| v.var).collect();
    let plan = |cx: &mut Context, edges: Vec<Edge<PointId>>| {
        let summarised = edges.into_iter().map(|edge| {
            let summary = Summary::new(cx, &|var| own.contains(&var), edge.stmt);
            let summary = summary.map_err(|_| "a step has a loop".to_owned())?;
            Ok((edge, summary))
        });
        summarised.collect::<Result<Plan, NoMachine>>()
    };
    let starts = plan(cx, problem.system.initial())?;
    for (_, summary) in &starts {
        let mut read: Vec<TermId> = summary.updates.iter().map(|update| update.1).collect();
        read.push(summary.guard);
        let reads_own = cx
            .terms
            .free_vars(&read)
            .iter()
            .any(|var| own.contains(var));
        if reads_own || summary.updates.len() < variables.len() {
            return Err("a run starts with values that nothing gives".into());
        }
    }
    let mut points: Vec<PointId> = Vec::new();
    let mut plans = vec![starts];
    let mut at = 0;
    while at < plans.len() {
        for target in plans[at].iter().map(|(edge, _)| edge.target) {
            if !points.contains(&target) {
                points.push(target);
            }
        }
        if points.len() > MAX_LOCATIONS {
            return Err(format!("there are more than {MAX_LOCATIONS} locations"));
        }
        at += 1;
        if let Some(&point) = points.get(at - 1) {
            plans.push(plan(cx, problem.system.edges(point))?);
        }
    }
    Ok((points, plans))
}

/// Which variables get a new value in every step on which nothing else depends.
fn inputs_among(cx: &Context, variables: &[Variable], plans: &[Plan]) -> Vec<bool> {
    let mut n_uses: FxHashMap<VarId, usize> = FxHashMap::default();
    let summaries = || plans.iter().flatten().map(|(_, summary)| summary);
    for summary in summaries() {
        let updates = summary.updates.iter().map(|update| update.1);
        for term in updates.chain([summary.guard]) {
            for var in cx.terms.free_vars(&[term]) {
                *n_uses.entry(var).or_default() += 1;
            }
        }
    }
    let is_new = |summary: &Summary, var: VarId| {
        let value = summary.update(var).and_then(|value| cx.terms.as_var(value));
        value.is_some_and(|value| summary.auxiliary.contains(&value) && n_uses[&value] == 1)
    };
    let is_input = |variable: &Variable| {
        let is_plain = !matches!(
            cx.terms.sorts.get(cx.terms.var_sort(variable.var)),
            Sort::Enum(_) | Sort::Int
        );
        is_plain && summaries().all(|summary| is_new(summary, variable.var))
    };
    variables.iter().map(is_input).collect()
}

struct Builder<'a> {
    terms: &'a mut Terms,
    blasting: Blasting,
    ranges: Ranges,
    /// When a step leaves a range.
    leaves: Vec<TermId>,
    inputs: Vec<VarId>,
    state: Vec<(VarId, TermId)>,
    bits: FxHashMap<VarId, Vec<VarId>>,
    /// What the inputs must satisfy.
    valid: Vec<TermId>,
}

impl Builder<'_> {
    fn machine(
        &mut self,
        problem: &mut Problem,
        variables: Vec<Variable>,
        (points, plans): (Vec<PointId>, Vec<Plan>),
        is_input: Vec<bool>,
    ) -> Result<Machine, NoBits> {
        let started = self.flag("started");
        let is_started = self.terms.var(started);
        let most = plans.iter().map(Vec::len).max().unwrap_or(0);
        let choice = self.number("edge", most);
        self.inputs.extend(&choice);
        let place = self.number("place", points.len());
        let taken = self.taken(&points, &plans, is_started, (&choice, &place))?;

        // The state of the model.
        let mut model: Vec<(VarId, TermId)> = Vec::new();
        for (variable, &is_input) in variables.iter().zip(&is_input) {
            let vars = self.blasting.variables(self.terms, variable.var);
            if is_input {
                self.inputs.extend(&vars);
                self.bits.insert(variable.var, vars);
                continue;
            }
            let now = self.terms.var(variable.var);
            let mut next = self.blasting.bits(self.terms, now)?;
            if self.ranges.contains_key(&variable.var) {
                let inside = self.inside(variable.var, now)?;
                let outside = self.terms.not(inside);
                let outside = self.terms.and(&[is_started, outside]);
                self.valid.push(self.terms.not(outside));
                next.truncate(vars.len());
            }
            for (_, condition, summary) in &taken {
                if let Some(value) = summary.update(variable.var) {
                    let value = self.stored(variable.var, value, *condition, vars.len())?;
                    for (next, value) in next.iter_mut().zip(value) {
                        *next = self.terms.ite(*condition, value, *next);
                    }
                }
            }
            model.extend(vars.into_iter().zip(next));
        }
        self.choices(&plans)?;
        for (i, &bit) in place.iter().enumerate() {
            let mut leading = Vec::new();
            for (edge, condition, _) in &taken {
                let target = points.iter().position(|point| *point == edge.target);
                if target.is_some_and(|target| target >> i & 1 == 1) {
                    leading.push(*condition);
                }
            }
            let next = self.terms.or(&leading);
            model.push((bit, next));
        }
        let pending = self.flag("pending");
        let observed = taken.iter().filter(|(edge, ..)| edge.observed);
        let observed: Vec<TermId> = observed.map(|&(_, condition, _)| condition).collect();
        let observed = self.terms.or(&observed);
        self.state.push((started, self.terms.true_()));
        self.state.push((pending, observed));
        self.state.append(&mut model);

        let is_pending = self.terms.var(pending);
        let (mut bad, mut marks) = (self.terms.false_(), Vec::new());
        match &problem.goal {
            Goal::Reach(Bad { when, at }) => {
                let mut ways = Vec::new();
                if let Some(when) = *when {
                    let when = self.blasting.bits(self.terms, when)?[0];
                    ways.push(self.terms.and(&[is_pending, when]));
                }
                for (number, &point) in points.iter().enumerate() {
                    let is_bad = |&(leaf, loc)| problem.system.leaf_location(point, leaf) == loc;
                    if at.iter().any(is_bad) {
                        let here = self.is_number(&place, number);
                        ways.push(self.terms.and(&[is_started, here]));
                    }
                }
                bad = self.terms.or(&ways);
            }
            Goal::Accept {
                automaton, atoms, ..
            } => {
                marks = self.read(automaton, atoms, is_pending)?;
                for &constraint in problem.system.fairness() {
                    marks.push(self.fair(constraint, is_pending)?);
                }
            }
        }
        Ok(Machine {
            started,
            state: std::mem::take(&mut self.state),
            inputs: std::mem::take(&mut self.inputs),
            valid: self.terms.and(&self.valid),
            leaves: self.terms.or(&self.leaves),
            bad,
            marks,
            model: Steps {
                variables,
                plans,
                points,
                bits: std::mem::take(&mut self.bits),
                ranges: std::mem::take(&mut self.ranges),
                is_input,
                choice,
            },
        })
    }

    /// When each edge is taken. That one of them is, and can be, is demanded.
    fn taken<'p>(
        &mut self,
        points: &[PointId],
        plans: &'p [Plan],
        is_started: TermId,
        (choice, place): (&[VarId], &[VarId]),
    ) -> Result<Vec<Taken<'p>>, NoBits> {
        let mut taken = Vec::new();
        let mut ways = Vec::new();
        for (at, plan) in plans.iter().enumerate() {
            let here = match at.checked_sub(1) {
                None => self.terms.not(is_started),
                Some(at) if points.len() > 1 => {
                    let here = self.is_number(place, at);
                    self.terms.and(&[is_started, here])
                }
                Some(_) => is_started,
            };
            for (number, (edge, summary)) in plan.iter().enumerate() {
                // The last edge is chosen by all greater numbers, too.
                let is_chosen = if number + 1 < plan.len() {
                    self.is_number(choice, number)
                } else {
                    let others = (0..number).map(|other| self.is_number(choice, other));
                    let others: Vec<TermId> = others.collect();
                    let others = self.terms.or(&others);
                    self.terms.not(others)
                };
                let condition = self.terms.and(&[here, is_chosen]);
                let guard = self.blasting.bits(self.terms, summary.guard)?[0];
                ways.push(self.terms.and(&[condition, guard]));
                taken.push((*edge, condition, summary));
            }
        }
        let some = self.terms.or(&ways);
        self.valid.push(some);
        Ok(taken)
    }

    /// That a value is in the range of an integer.
    fn inside(&mut self, var: VarId, value: TermId) -> Result<TermId, NoBits> {
        let (low, high) = self.ranges[&var].clone();
        let (low, high) = (self.terms.int(low), self.terms.int(high));
        let ends = [self.terms.le(low, value), self.terms.le(value, high)];
        let inside = self.terms.and(&ends);
        Ok(self.blasting.bits(self.terms, inside)?[0])
    }

    /// The bits that a variable gets if a condition is true. An integer that has none there leaves its range.
    fn stored(
        &mut self,
        var: VarId,
        value: TermId,
        condition: TermId,
        n_bits: usize,
    ) -> Result<Vec<TermId>, NoBits> {
        let bits = self.blasting.bits(self.terms, value)?;
        if !self.ranges.contains_key(&var) {
            return Ok(bits);
        }
        let inside = self.inside(var, value)?;
        let outside = self.terms.not(inside);
        self.leaves.push(self.terms.and(&[condition, outside]));
        Ok(resized(&bits, n_bits))
    }

    /// What steps choose becomes inputs.
    fn choices(&mut self, plans: &[Plan]) -> Result<(), NoBits> {
        for (_, summary) in plans.iter().flatten() {
            for &chosen in &summary.auxiliary {
                let vars = self.blasting.variables(self.terms, chosen);
                let sort = self.terms.var_sort(chosen);
                if let (Sort::Enum(_), Some(n)) = (
                    self.terms.sorts.get(sort),
                    self.terms.sorts.cardinality(sort),
                ) {
                    let is_value = self.is_below(&vars, n);
                    self.valid.push(is_value);
                }
                if self.ranges.contains_key(&chosen) {
                    let value = self.terms.var(chosen);
                    let inside = self.inside(chosen, value)?;
                    self.valid.push(inside);
                }
                self.inputs.extend(&vars);
                self.bits.insert(chosen, vars);
            }
        }
        Ok(())
    }

    /// The automaton reads the state; its acceptance sets are the first marks.
    fn read(
        &mut self,
        automaton: &Automaton,
        atoms: &[TermId],
        is_pending: TermId,
    ) -> Result<Vec<TermId>, NoBits> {
        let atoms: Result<Vec<TermId>, NoBits> = atoms
            .iter()
            .map(|&atom| Ok(self.blasting.bits(self.terms, atom)?[0]))
            .collect();
        let atoms = atoms?;
        // The automaton starts in the state with number 0.
        let first = automaton.initial().index();
        let number_of = |state: usize| match state {
            0 => first,
            other if other == first => 0,
            other => other,
        };
        let most = automaton.states().map(|state| automaton.edges(state).len());
        let choice = self.number("read", most.max().unwrap_or(0));
        self.inputs.extend(&choice);
        let at = self.number("automaton", automaton.n_states());
        let n_sets = automaton.n_sets();
        let mut marked = vec![Vec::new(); n_sets as usize];
        let mut leading = vec![Vec::new(); at.len()];
        let mut ways = vec![self.terms.not(is_pending)];
        for state in automaton.states() {
            let here = self.is_number(&at, number_of(state.index()));
            for (number, edge) in automaton.edges(state).iter().enumerate() {
                let is_chosen = self.is_number(&choice, number);
                let label = label_term(self.terms, automaton, &atoms, edge.label);
                let taken = self.terms.and(&[is_pending, here, is_chosen, label]);
                ways.push(taken);
                for (set, marked) in marked.iter_mut().enumerate() {
                    if edge.marks >> set & 1 == 1 {
                        marked.push(taken);
                    }
                }
                for (i, leading) in leading.iter_mut().enumerate() {
                    if number_of(edge.target.index()) >> i & 1 == 1 {
                        leading.push(taken);
                    }
                }
            }
        }
        let reads = self.terms.or(&ways);
        self.valid.push(reads);
        for (&bit, leading) in at.iter().zip(&leading) {
            let (now, next) = (self.terms.var(bit), self.terms.or(leading));
            let next = self.terms.ite(is_pending, next, now);
            self.state.push((bit, next));
        }
        let mut marks: Vec<TermId> = marked.iter().map(|taken| self.terms.or(taken)).collect();
        if marks.is_empty() {
            marks.push(is_pending);
        }
        Ok(marks)
    }

    /// The mark of a fairness constraint.
    fn fair(&mut self, constraint: Fairness, is_pending: TermId) -> Result<TermId, NoBits> {
        let mut here = |term| {
            let term = self.blasting.bits(self.terms, term)?[0];
            Ok(self.terms.and(&[is_pending, term]))
        };
        match constraint {
            Fairness::Justice(term) => here(term),
            Fairness::Compassion(request, response) => {
                let (request, response) = (here(request)?, here(response)?);
                let number = self.state.len();
                let given_up = self.flag(&format!("given up {number}"));
                let gives_up = self.flag(&format!("gives up {number}"));
                self.inputs.push(gives_up);
                let [now, chosen] = [given_up, gives_up].map(|var| self.terms.var(var));
                let next = self.terms.or(&[now, chosen]);
                self.state.push((given_up, next));
                let both = self.terms.and(&[now, request]);
                let never = self.terms.not(both);
                self.valid.push(never);
                Ok(self.terms.or(&[now, response]))
            }
        }
    }

    fn flag(&mut self, name: &str) -> VarId {
        let sort = self.terms.sorts.bool();
        self.terms.declare_instance(name, sort, MADE)
    }

    /// Bits for a number below `n`.
    fn number(&mut self, name: &str, n: usize) -> Vec<VarId> {
        let n_bits = usize::BITS - n.saturating_sub(1).leading_zeros();
        let bits = (0..n_bits).map(|bit| self.flag(&format!("{name} {bit}")));
        bits.collect()
    }

    fn is_number(&mut self, bits: &[VarId], number: usize) -> TermId {
        let mut literals = Vec::new();
        for (i, &bit) in bits.iter().enumerate() {
            let bit = self.terms.var(bit);
            let is_set = number >> i & 1 == 1;
            literals.push(if is_set { bit } else { self.terms.not(bit) });
        }
        self.terms.and(&literals)
    }

    /// That bits stand for a number below `n`.
    fn is_below(&mut self, bits: &[VarId], n: u64) -> TermId {
        // From the last bit on: the rest is less, or the same so far.
        let mut is_less = self.terms.false_();
        for (i, &bit) in bits.iter().enumerate() {
            let bit = self.terms.var(bit);
            let not = self.terms.not(bit);
            is_less = if n >> i & 1 == 1 {
                self.terms.or(&[not, is_less])
            } else {
                self.terms.and(&[not, is_less])
            };
        }
        if bits.len() < 64 && n >> bits.len() != 0 {
            return self.terms.true_();
        }
        is_less
    }
}

impl Steps {
    /// The variables that are inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &Variable> {
        let variables = self.variables.iter().zip(&self.is_input);
        variables
            .filter(|(_, is_input)| **is_input)
            .map(|(variable, _)| variable)
    }

    /// The value of a variable whose bits these are.
    pub fn value(&self, terms: &Terms, var: VarId, truth: &dyn Fn(VarId) -> bool) -> Value {
        let bits = self.bits[&var].iter().enumerate();
        let sort = terms.var_sort(var);
        match terms.sorts.get(sort) {
            Sort::Bool => Value::Bool(truth(self.bits[&var][0])),
            Sort::Enum(_) => {
                let number = bits.map(|(i, &bit)| u32::from(truth(bit)) << i);
                Value::Enum(number.sum())
            }
            of => {
                let mut value = Int::ZERO;
                for (_, &bit) in bits.rev() {
                    value = &value + &value;
                    if truth(bit) {
                        value = &value + &Int::ONE;
                    }
                }
                if !matches!(of, Sort::Int) {
                    return Value::Bv(value);
                }
                let width = self.bits[&var].len();
                let is_signed = self.ranges[&var].0.is_negative();
                if is_signed && truth(self.bits[&var][width - 1]) {
                    value = &value - &Int::power_of_two(width as u32);
                }
                Value::Int(value)
            }
        }
    }
}
