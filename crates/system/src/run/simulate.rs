//! Runs a system step by step, fast where it can be.
//!
//! A [`Simulator`] keeps the current state as machine registers and the edges of each structural
//! state as compiled [`Program`]s. Where a program does not exist (a sort without register form, a
//! havoc of an integer) or gives up (an overflow), that one edge is interpreted instead, so a person
//! never sees the difference. A random step does not list all successors: it searches for one in a
//! random order, with backtracking, and finds one whenever there is one.

use crate::run::exec::{Blocked, Decide, Executor, Valuation};
use crate::run::successors::edge_successors;
use crate::run::symbolic::SYMBOL;
use crate::{
    Context, Decision, Edge, Incomplete, Limits, Machine, PointId, Program, State, Step, Stmt,
    StmtId, Successors, TransitionSystem, Variable, from_register, to_register,
};
use lariat_base::{FxHashSet, Id};
use lariat_expr::{Int, Sort, SortId, Sorts, TermId, Value, VarId};
use std::collections::BTreeSet;

/// How many instructions a random step may take before the interpreter is asked.
const FUEL: usize = 1_000_000;
/// How many random executions the interpreter tries before it lists successors.
const TRIES: usize = 16;
/// How many values are likely ones.
const MAX_LIKELY: usize = 1_000;
/// How many cases the interpreter looks at for one random step.
const CASES: usize = 5_000;

/// What a random step came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A step was taken.
    Stepped,
    /// There is no successor.
    Deadlock,
    /// No successor was found, but not every one could be tried.
    NotFound(Incomplete),
}

/// A system, where its run is, and how the last step was made.
pub struct Simulator<'a, S: ?Sized> {
    cx: &'a mut Context,
    system: &'a mut S,
    variables: Vec<Variable>,
    limits: Limits,
    start: Plan,
    /// The edges of the structural states seen so far.
    plans: Vec<Option<Plan>>,
    machine: Machine,
    executor: Executor,
    position: Position,
    /// The values of the variables while the position is packed.
    registers: Vec<i64>,
    last: Option<Last>,
    /// The names of the variables that got one of infinitely many values.
    sampled: BTreeSet<Box<str>>,
    /// The values to try first for integers.
    likely: Vec<Int>,
}

/// The edges of one structural state with their code.
type Plan = Box<[(Edge<PointId>, Option<Program>)]>;

#[derive(Debug)]
enum Position {
    /// Before the first step.
    Start,
    /// The values are in the registers.
    Packed(PointId),
    /// The values have no register form, or came from the interpreter.
    Plain(State),
}

/// How the last step was made.
#[derive(Debug)]
struct Last {
    index: usize,
    edge: Edge<PointId>,
    /// The decisions, or nothing while they are still in the machine.
    decisions: Option<Vec<Decision>>,
}

impl<'a, S: TransitionSystem + ?Sized> Simulator<'a, S> {
    /// A run of `system` that has not started.
    pub fn new(cx: &'a mut Context, system: &'a mut S, limits: Limits) -> Self {
        let variables = system.variables().to_vec();
        let start = plan(cx, &variables, &system.initial());
        Self {
            cx,
            system,
            variables,
            limits,
            start,
            plans: Vec::new(),
            machine: Machine::new(),
            executor: Executor::new(),
            position: Position::Start,
            registers: Vec::new(),
            last: None,
            sampled: BTreeSet::new(),
            likely: Vec::new(),
        }
    }

    /// Lets integers that may be anything have values that a person would choose: small ones, and those that the terms
    /// of the model mention.
    pub fn prefer_likely_values(&mut self) {
        let mut likely: BTreeSet<Int> = (-2..=10).map(Int::from).collect();
        for i in 0..self.cx.terms.n_terms() {
            let literal = self.cx.terms.as_lit(TermId::from_index(i));
            if let Some(Value::Int(value) | Value::Bv(value)) = literal {
                likely.extend([value.clone(), value + &Int::from(1)]);
            }
            if likely.len() >= MAX_LIKELY {
                break;
            }
        }
        self.likely = likely.into_iter().collect();
    }

    /// The terms and statements of the system.
    pub fn context(&self) -> &Context {
        self.cx
    }

    /// The variables of the system.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// What is simulated.
    pub fn system(&self) -> &S {
        self.system
    }

    /// The edges that could be tried next, whether they are enabled or not: [`Step::edge`] counts these.
    pub fn edges(&mut self) -> Vec<Edge<PointId>> {
        self.prepare();
        self.plan().iter().map(|(edge, _)| *edge).collect()
    }

    /// The structural state, unless the run has not started.
    pub fn location(&self) -> Option<PointId> {
        match &self.position {
            Position::Start => None,
            Position::Packed(loc) => Some(*loc),
            Position::Plain(state) => Some(state.loc),
        }
    }

    /// The state, unless the run has not started.
    pub fn state(&self) -> Option<State> {
        match &self.position {
            Position::Start => None,
            Position::Plain(state) => Some(state.clone()),
            Position::Packed(loc) => Some(self.unpack(*loc, &self.registers)),
        }
    }

    /// The edge of the last step, if there was one.
    pub fn last_edge(&self) -> Option<Edge<PointId>> {
        self.last.as_ref().map(|last| last.edge)
    }

    /// The last step as a part of a [`Run`](crate::Run), if there was one.
    pub fn last_step(&self) -> Option<Step> {
        let last = self.last.as_ref()?;
        let decisions = match &last.decisions {
            Some(decisions) => decisions.clone(),
            None => self.machine_decisions(),
        };
        Some(Step {
            edge: last.index,
            decisions,
            state: self.state()?,
        })
    }

    /// The names of the variables that in some step so far got one of infinitely many values, of which
    /// only a few were tried.
    pub fn sampled(&self) -> impl ExactSizeIterator<Item = &str> {
        self.sampled.iter().map(|name| &**name)
    }

    /// Takes a random step: `pick(n)` is a random number below `n > 0`.
    pub fn step(&mut self, mut pick: impl FnMut(u32) -> u32) -> Outcome {
        self.prepare();
        self.last = None;
        let n = self.plan().len();
        if n == 0 {
            return Outcome::Deadlock;
        }
        let first = pick(n as u32) as usize;
        let mut outcome = Outcome::Deadlock;
        for i in 0..n {
            let index = (first + i) % n;
            if let Some(edge) = self.sample_compiled(index, &mut pick) {
                match edge {
                    Compiled::Stepped => return Outcome::Stepped,
                    Compiled::Blocked => continue,
                }
            }
            match self.sample_interpreted(index, &mut pick) {
                Outcome::Deadlock => {}
                Outcome::Stepped => return Outcome::Stepped,
                not_found @ Outcome::NotFound(_) => outcome = not_found,
            }
        }
        outcome
    }

    /// All successors of the current state, as far as [`Limits`] let them be found.
    pub fn successors(&mut self) -> Successors {
        self.keep_decisions();
        self.prepare();
        let mut found = Successors::default();
        for index in 0..self.plan().len() {
            if self.all_compiled(index, &mut found) {
                continue;
            }
            let (edge, _) = self.plan()[index];
            let before = self.state();
            let here = (index, edge);
            let more = edge_successors(
                self.cx,
                &self.variables,
                before.as_ref(),
                here,
                &self.limits,
            );
            found.steps.extend(more.steps);
            found.more = found.more.or(more.more);
        }
        found
    }

    /// The successors after which variables have these values: found by solving for them, not by listing all.
    pub fn successors_where(&mut self, wanted: &[(VarId, Value)]) -> Successors {
        self.keep_decisions();
        let terms = &mut self.cx.terms;
        let mut equations = Vec::new();
        for (var, value) in wanted {
            let literal = terms.lit(value.clone(), terms.var_sort(*var));
            let var = terms.var(*var);
            equations.push(terms.eq(var, literal));
        }
        let condition = terms.and(&equations);
        let assume = self.cx.stmts.add(Stmt::Assume(condition), None);
        let before = self.state();
        let mut found = Successors::default();
        for (index, edge) in self.edges().into_iter().enumerate() {
            // An assumption takes no decision, so that the decisions are those of the edge.
            let stmt = self.cx.stmts.seq(&[edge.stmt, assume], None);
            let here = (index, Edge { stmt, ..edge });
            let more = edge_successors(
                self.cx,
                &self.variables,
                before.as_ref(),
                here,
                &self.limits,
            );
            found.steps.extend(more.steps);
            found.more = found.more.or(more.more);
        }
        found
    }

    /// Takes over the decisions of the last step from the machine, which is about to be used again.
    fn keep_decisions(&mut self) {
        if matches!(&self.last, Some(last) if last.decisions.is_none()) {
            let decisions = self.machine_decisions();
            if let Some(last) = &mut self.last {
                last.decisions = Some(decisions);
            }
        }
    }

    /// Goes to a state, or before the start.
    pub fn jump(&mut self, state: Option<State>) {
        self.last = None;
        self.position = state.map_or(Position::Start, Position::Plain);
    }

    /// Forgets the run.
    pub fn restart(&mut self) {
        self.position = Position::Start;
        self.last = None;
    }

    /// Continues with one of the [`successors`](Self::successors).
    pub fn take(&mut self, step: Step) {
        self.prepare();
        let (edge, _) = self.plan()[step.edge];
        self.last = Some(Last {
            index: step.edge,
            edge,
            decisions: Some(step.decisions),
        });
        self.position = Position::Plain(step.state);
    }

    /// Compiles the edges of the current structural state and packs its values, if that can be done.
    fn prepare(&mut self) {
        if let Position::Plain(state) = &self.position {
            self.registers.clear();
            self.registers
                .extend(state.values.iter().map_while(to_register));
            if self.registers.len() == state.values.len() {
                self.position = Position::Packed(state.loc);
            }
        }
        let Some(at) = self.location() else {
            return;
        };
        if at.index() >= self.plans.len() {
            self.plans.resize(at.index() + 1, None);
        }
        if self.plans[at.index()].is_none() {
            let plan = plan(self.cx, &self.variables, &self.system.edges(at));
            self.plans[at.index()] = Some(plan);
        }
    }

    /// The decisions of the machine's last outcome.
    fn machine_decisions(&self) -> Vec<Decision> {
        let (_, choices) = self.machine.outcome(self.registers.len());
        let sorts = &self.cx.terms.sorts;
        choices.iter().map(|c| c.decision(sorts)).collect()
    }

    fn plan(&self) -> &[(Edge<PointId>, Option<Program>)] {
        match self.location() {
            None => &self.start,
            Some(at) => self.plans[at.index()].as_deref().expect("prepared"),
        }
    }

    /// Tries an edge by its program; nothing if there is none or it gave up.
    fn sample_compiled(
        &mut self,
        index: usize,
        pick: &mut impl FnMut(u32) -> u32,
    ) -> Option<Compiled> {
        let plan = match self.position {
            Position::Start => {
                self.registers.clear();
                self.registers.resize(self.variables.len(), 0);
                &self.start
            }
            Position::Packed(at) => self.plans[at.index()].as_ref().expect("prepared"),
            Position::Plain(_) => return None,
        };
        let (edge, program) = &plan[index];
        let (edge, program) = (*edge, program.as_ref()?);
        let found = self.machine.sample(program, &self.registers, FUEL, pick);
        if !found.ok()? {
            return Some(Compiled::Blocked);
        }
        let (registers, _) = self.machine.outcome(self.registers.len());
        self.registers.copy_from_slice(registers);
        self.position = Position::Packed(edge.target);
        self.last = Some(Last {
            index,
            edge,
            decisions: None,
        });
        Some(Compiled::Stepped)
    }

    /// Tries an edge by the interpreter: random executions first, then a list of successors.
    fn sample_interpreted(&mut self, index: usize, pick: &mut impl FnMut(u32) -> u32) -> Outcome {
        let (edge, _) = self.plan()[index];
        let before = self.state();
        for _ in 0..TRIES {
            let mut env = Valuation::new();
            if let Some(before) = &before {
                before.load(&self.variables, &mut env);
            }
            let mut dice = Dice {
                pick,
                decisions: Vec::new(),
                likely: &self.likely,
            };
            match self.executor.run(self.cx, edge.stmt, &mut env, &mut dice) {
                Ok(()) => {
                    let decisions = dice.decisions;
                    if let Ok(state) = State::read(&self.variables, edge.target, &env) {
                        self.go(index, edge, decisions, state);
                        return Outcome::Stepped;
                    }
                }
                Err(Blocked::TooManyValues(_) | Blocked::TooLong) => break,
                Err(_) => {}
            }
        }
        let limits = Limits {
            cases: self.limits.cases.min(CASES),
            seed: u64::from(pick(u32::MAX)),
            ..self.limits.clone()
        };
        let here = (index, edge);
        let mut found = edge_successors(self.cx, &self.variables, before.as_ref(), here, &limits);
        if found.steps.is_empty() {
            return found.more.map_or(Outcome::Deadlock, Outcome::NotFound);
        }
        if let Some(Incomplete::Sampled(symbol)) = found.more {
            let name = self.cx.terms.name(symbol);
            self.sampled.insert(name.trim_start_matches(SYMBOL).into());
        }
        let chosen = pick(found.steps.len() as u32) as usize;
        let step = found.steps.swap_remove(chosen);
        self.go(index, edge, step.decisions, step.state);
        Outcome::Stepped
    }

    fn go(&mut self, index: usize, edge: Edge<PointId>, decisions: Vec<Decision>, state: State) {
        self.position = Position::Plain(state);
        self.last = Some(Last {
            index,
            edge,
            decisions: Some(decisions),
        });
    }

    /// Adds all successors by the program of an edge; false if there is none or it gave up.
    fn all_compiled(&mut self, index: usize, found: &mut Successors) -> bool {
        let plan = match self.position {
            Position::Start => {
                self.registers.clear();
                self.registers.resize(self.variables.len(), 0);
                &self.start
            }
            Position::Packed(at) => self.plans[at.index()].as_ref().expect("prepared"),
            Position::Plain(_) => return false,
        };
        let (edge, Some(program)) = &plan[index] else {
            return false;
        };
        let limit = self.limits.cases;
        let mut seen: FxHashSet<Box<[i64]>> = FxHashSet::default();
        let mut outcomes: Vec<(Box<[i64]>, Box<[_]>)> = Vec::new();
        let mut too_many = false;
        let run = self
            .machine
            .run(program, &self.registers, |registers, choices| {
                too_many |= outcomes.len() >= limit;
                if !too_many && seen.insert(registers.into()) {
                    outcomes.push((registers.into(), choices.into()));
                }
            });
        if run.is_err() {
            return false;
        }
        let sorts = &self.cx.terms.sorts;
        for (registers, choices) in outcomes {
            found.steps.push(Step {
                edge: index,
                decisions: choices.iter().map(|c| c.decision(sorts)).collect(),
                state: self.unpack(edge.target, &registers),
            });
        }
        if too_many {
            found.more = found.more.or(Some(Incomplete::Cases));
        }
        true
    }

    fn unpack(&self, loc: PointId, registers: &[i64]) -> State {
        let terms = &self.cx.terms;
        let values = self
            .variables
            .iter()
            .zip(registers)
            .map(|(v, &register)| from_register(&terms.sorts, terms.var_sort(v.var), register))
            .collect();
        State { loc, values }
    }
}

impl<S: ?Sized> std::fmt::Debug for Simulator<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulator")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

/// What the program of an edge did.
enum Compiled {
    Stepped,
    Blocked,
}

/// Compiles what can be compiled.
fn plan(cx: &Context, variables: &[Variable], edges: &[Edge<PointId>]) -> Plan {
    let compiled = |&edge: &Edge<PointId>| (edge, Program::new(cx, variables, edge.stmt).ok());
    edges.iter().map(compiled).collect()
}

/// Decides at random and remembers what it decided.
struct Dice<'a, P> {
    pick: &'a mut P,
    decisions: Vec<Decision>,
    likely: &'a [Int],
}

impl<P: FnMut(u32) -> u32> Dice<'_, P> {
    /// One of the values to try first, for a sort with too many to draw among all.
    fn likely_value(&mut self, sorts: &Sorts, sort: SortId) -> Option<Value> {
        let (Sort::Int | Sort::Bv(17..)) = sorts.get(sort) else {
            return None;
        };
        let n = u32::try_from(self.likely.len()).ok().filter(|&n| n > 0)?;
        let number = self.likely[(self.pick)(n) as usize].clone();
        let Some(width) = sorts.bv_width(sort) else {
            return Some(Value::Int(number));
        };
        let range = Int::power_of_two(width);
        let bits = if number.is_negative() {
            &number + &range
        } else {
            number
        };
        let fits = !bits.is_negative() && bits < range;
        fits.then_some(Value::Bv(bits))
    }
}

impl<P: FnMut(u32) -> u32> Decide for Dice<'_, P> {
    fn branch(&mut self, _cx: &Context, _choice: StmtId, n: usize) -> Result<usize, Blocked> {
        let branch = (self.pick)(n as u32);
        self.decisions.push(Decision::Branch(branch));
        Ok(branch as usize)
    }

    fn value(&mut self, cx: &Context, _havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        let (sorts, sort) = (&cx.terms.sorts, cx.terms.var_sort(var));
        if let Some(value) = self.likely_value(sorts, sort) {
            self.decisions.push(Decision::Value(value.clone()));
            return Ok(value);
        }
        let count = sorts
            .cardinality(sort)
            .and_then(|count| u32::try_from(count).ok())
            .ok_or(Blocked::TooManyValues(var))?;
        let n = (self.pick)(count);
        let value = Value::nth(sorts, sort, u64::from(n)).ok_or(Blocked::TooManyValues(var))?;
        self.decisions.push(Decision::Value(value.clone()));
        Ok(value)
    }
}
