//! Random small systems with finitely many reachable states, and compositions of them.
//!
//! Locations joined by random statements over Booleans, enumerations, integers and sometimes an
//! array. Every step ends by keeping integers in a small range, by assumption or by remainder, so the
//! state space is finite while statements in between may overflow machine words. Which steps are
//! observed follows the habits of the languages, or none.

use crate::{RawStmt, RawTerm, Rng, StmtGen, TermGen};
use lariat_base::Id;
use lariat_expr::{Int, Op, TermId, Value, VarId};
use lariat_system::{
    Alternate, Composition, Context, Edge, Fairness, Interleave, Language, LocId, Location,
    Schedule, Stmt, StmtId, System, SystemBuilder, TransitionSystem, Variable,
};
use rand::Rng as _;

/// Integers stay within these bounds.
const LOW: i64 = -2;
const HIGH: i64 = 3;
/// How many variables [`TermGen::idle`] has.
const N_IDLE: usize = 3;

/// A system to check and what to say about it.
pub struct RandomSystem {
    /// Its terms and statements.
    pub cx: Context,
    /// A model or a composition of two.
    pub system: Box<dyn TransitionSystem>,
    /// Boolean terms over its variables.
    pub atoms: Vec<TermId>,
}

/// Models that run together, and what to say about them.
pub struct RandomParts {
    /// Their terms and statements.
    pub cx: Context,
    /// The models; their variables are the same.
    pub systems: Vec<System>,
    /// Boolean terms over these variables.
    pub atoms: Vec<TermId>,
}

/// A random system with `n_atoms` atoms.
pub fn random_system(rng: &mut Rng, n_atoms: usize) -> RandomSystem {
    let n_parts = n_parts(rng);
    let parts = random_parts(rng, n_parts, n_atoms);
    composed(rng, parts)
}

/// A random system with `n_atoms` atoms and up to four fairness constraints, all of its first model.
pub fn random_fair_system(rng: &mut Rng, n_atoms: usize) -> RandomSystem {
    let n_parts = n_parts(rng);
    let (n_justice, n_compassion) = (rng.random_range(0..3), rng.random_range(0..3));
    let n_terms = n_justice + 2 * n_compassion;
    let mut parts = random_parts(rng, n_parts, n_atoms + n_terms);
    let terms = parts.atoms.split_off(n_atoms);
    let (justice, compassion) = terms.split_at(n_justice);
    let fairness = &mut parts.systems[0].fairness;
    fairness.extend(justice.iter().map(|&term| Fairness::Justice(term)));
    let pairs = compassion.chunks(2).map(|pair| (pair[0], pair[1]));
    fairness.extend(pairs.map(|(request, response)| Fairness::Compassion(request, response)));
    composed(rng, parts)
}

fn n_parts(rng: &mut Rng) -> u32 {
    if rng.random_range(0..4) == 0 { 2 } else { 1 }
}

/// Models as one system, on a random schedule if they are several.
fn composed(rng: &mut Rng, parts: RandomParts) -> RandomSystem {
    let RandomParts {
        mut cx,
        systems,
        atoms,
    } = parts;
    let n_parts = systems.len() as u32;
    let boxed = |system| -> Box<dyn TransitionSystem> { Box::new(system) };
    let mut parts: Vec<_> = systems.into_iter().map(boxed).collect();
    let system = if n_parts == 1 {
        parts.remove(0)
    } else {
        let schedule: Box<dyn Schedule> = if rng.random() {
            Box::new(Alternate { n_parts })
        } else {
            Box::new(Interleave { n_parts })
        };
        Box::new(
            Composition::new(&mut cx, parts, schedule).expect("the parts share their variables"),
        )
    };
    RandomSystem { cx, system, atoms }
}

/// So many random models over the same variables.
pub fn random_parts(rng: &mut Rng, n_parts: u32, n_atoms: usize) -> RandomParts {
    let mut cx = Context::new();
    let mut maker = Maker::new(&mut cx, rng);
    let mut systems = Vec::new();
    for _ in 0..n_parts {
        let n_locations = rng.random_range(1..4);
        systems.push(maker.model(&mut cx, rng, n_locations));
    }
    let atoms = (0..n_atoms).map(|_| maker.atom(&mut cx, rng)).collect();
    RandomParts { cx, systems, atoms }
}

/// A random model with so many locations.
pub fn random_program(rng: &mut Rng, n_locations: usize) -> (Context, System) {
    let mut cx = Context::new();
    let system = Maker::new(&mut cx, rng).model(&mut cx, rng, n_locations);
    (cx, system)
}

struct Maker {
    variables: Vec<Variable>,
    array: Option<VarId>,
    /// Whether there are variables that no atom reads.
    has_idle: bool,
}

impl Maker {
    fn new(cx: &mut Context, rng: &mut Rng) -> Self {
        let mut vars = TermGen::scalar(&mut cx.terms).vars;
        let array = (rng.random_range(0..4) == 0).then(|| {
            let (bool_, int) = (cx.terms.sorts.bool(), cx.terms.sorts.int());
            let sort = cx.terms.sorts.array(bool_, int);
            cx.terms.declare("array", sort)
        });
        vars.extend(array);
        let has_idle = rng.random_range(0..3) == 0;
        if has_idle {
            // First, so that declared values of the others may read them.
            let idle = TermGen::idle(&mut cx.terms).vars;
            vars.splice(0..0, idle);
        }
        let mut variables = Vec::new();
        for var in vars {
            let new = variable(cx, var, &variables, rng);
            variables.push(new);
        }
        Self {
            variables,
            array,
            has_idle,
        }
    }

    fn model(&mut self, cx: &mut Context, rng: &mut Rng, n: usize) -> System {
        let habit = Habit::random(rng);
        let target = |rng: &mut Rng| LocId::from_index(rng.random_range(0..n));
        let mut builder = SystemBuilder::new(Language::Cfa, "random");
        for variable in &self.variables {
            builder.variable(variable.clone());
        }
        let locations: Vec<LocId> = (0..n)
            .map(|i| builder.location(Location::new(format!("l{i}"))))
            .collect();
        for _ in 0..rng.random_range(1..4) {
            let branch = Edge::new(self.start(cx, rng), target(rng));
            builder.start(branch.observed_if(habit.observes_start(rng)));
        }
        for from in locations {
            for _ in 0..rng.random_range(0..4) {
                let step = Edge::new(self.step(cx, rng), target(rng));
                builder.edge(from, step.observed_if(habit.observes_step(rng)));
            }
        }
        builder.finish(cx)
    }

    /// Fixes what the declarations leave open and has infinitely many values; sometimes does something else as well.
    fn start(&self, cx: &mut Context, rng: &mut Rng) -> StmtId {
        let mut parts = Vec::new();
        for variable in self.variables.iter().filter(|v| v.initial.is_none()) {
            let is_int = cx.terms.var_sort(variable.var) == cx.terms.sorts.int();
            if is_int {
                if rng.random() {
                    parts.push(cx.stmts.add(Stmt::Havoc(variable.var), None));
                }
                parts.push(within(cx, variable.var, LOW, HIGH));
            } else if Some(variable.var) == self.array || rng.random() {
                let sort = cx.terms.var_sort(variable.var);
                let value = Value::some(&cx.terms.sorts, sort);
                let value = cx.terms.lit(value, sort);
                parts.push(cx.stmts.add(Stmt::Assign(variable.var, value), None));
            }
        }
        if rng.random_range(0..3) == 0 {
            parts.push(self.step(cx, rng));
        }
        cx.stmts.seq(&parts, None)
    }

    fn step(&self, cx: &mut Context, rng: &mut Rng) -> StmtId {
        let terms = TermGen::scalar(&mut cx.terms);
        let mut parts = Vec::new();
        if let Some(array) = self.array
            && rng.random_range(0..3) == 0
        {
            parts.push(store(cx, array, &terms, rng));
        }
        if self.has_idle && rng.random() {
            parts.push(idle(cx, rng));
        }
        let size = rng.random_range(0..5);
        let raw = StmtGen::new(terms, 2).stmt(&mut cx.terms, size, rng);
        parts.push(raw.build(cx));
        for variable in self.seen() {
            if cx.terms.var_sort(variable.var) == cx.terms.sorts.int() {
                parts.push(if rng.random() {
                    within(cx, variable.var, LOW, HIGH)
                } else {
                    wrap(cx, variable.var, LOW, HIGH)
                });
            }
        }
        cx.stmts.seq(&parts, None)
    }

    /// The variables but the idle ones.
    fn seen(&self) -> &[Variable] {
        let n_idle = if self.has_idle { N_IDLE } else { 0 };
        &self.variables[n_idle..]
    }

    fn atom(&self, cx: &mut Context, rng: &mut Rng) -> TermId {
        let terms = TermGen::scalar(&mut cx.terms);
        if let Some(array) = self.array
            && rng.random_range(0..3) == 0
        {
            let (whole, index) = (cx.terms.var(array), cx.terms.bool(rng.random()));
            let element = cx.terms.select(whole, index);
            let bound = cx.terms.int(rng.random_range(LOW..HIGH));
            return cx.terms.le(element, bound);
        }
        let (bool_, size) = (cx.terms.sorts.bool(), rng.random_range(1..4));
        terms
            .term(&mut cx.terms, bool_, size, rng)
            .build(&mut cx.terms)
    }
}

/// A statement about idle variables, mostly one that cannot block; often a choice under a condition or in a loop.
fn idle(cx: &mut Context, rng: &mut Rng) -> StmtId {
    let terms = TermGen::idle(&mut cx.terms);
    let (bool_, int, counter) = (cx.terms.sorts.bool(), cx.terms.sorts.int(), terms.vars[1]);
    let condition = terms.term(&mut cx.terms, bool_, 2, rng);
    let mut stmts = StmtGen::new(terms, 2);
    let mut some = |size: usize, rng: &mut Rng| stmts.stmt(&mut cx.terms, size, rng);
    let mut raw = if rng.random() {
        let size = rng.random_range(1..9);
        some(size, rng)
    } else {
        let choice = RawStmt::Choice(vec![some(1, rng), some(1, rng)]);
        if rng.random() {
            let otherwise = some(1, rng);
            RawStmt::If(condition, Box::new(choice), Box::new(otherwise))
        } else {
            let (i, two) = (cx.terms.declare("idle_i", int), Value::from(2));
            let two = RawTerm::Lit(two, int);
            let to = RawTerm::Op(Op::Mod, vec![RawTerm::Var(counter), two]);
            let from = RawTerm::Lit(Value::from(0), int);
            RawStmt::For(i, from, to, Box::new(choice))
        }
    };
    if rng.random_range(0..4) > 0 {
        raw = raw.without_assumptions(int);
    }
    let parts = [raw.build(cx), wrap(cx, counter, 0, 1)];
    cx.stmts.seq(&parts, None)
}

/// Writes one of the array's elements.
fn store(cx: &mut Context, array: VarId, terms: &TermGen, rng: &mut Rng) -> StmtId {
    let (bool_, int) = (cx.terms.sorts.bool(), cx.terms.sorts.int());
    let index = terms
        .term(&mut cx.terms, bool_, 1, rng)
        .build(&mut cx.terms);
    let ints = terms.vars.iter().copied();
    let ints: Vec<VarId> = ints.filter(|&var| cx.terms.var_sort(var) == int).collect();
    let value = cx.terms.var(ints[rng.random_range(0..ints.len())]);
    let whole = cx.terms.var(array);
    let stored = cx.terms.store(whole, index, value);
    cx.stmts.add(Stmt::Assign(array, stored), None)
}

/// Which steps are observed.
#[derive(Clone, Copy)]
enum Habit {
    /// All, the first included (STS).
    All,
    /// All but the first (CFA).
    NotStart,
    /// Any.
    Some,
}

impl Habit {
    fn random(rng: &mut Rng) -> Self {
        [Self::All, Self::NotStart, Self::Some][rng.random_range(0..3)]
    }

    fn observes_start(self, rng: &mut Rng) -> bool {
        match self {
            Self::All => true,
            Self::NotStart => false,
            Self::Some => rng.random(),
        }
    }

    fn observes_step(self, rng: &mut Rng) -> bool {
        match self {
            Self::All | Self::NotStart => true,
            Self::Some => rng.random_range(0..3) > 0,
        }
    }
}

/// Declares a variable; its value may read those that were declared `before`.
fn variable(cx: &mut Context, var: VarId, before: &[Variable], rng: &mut Rng) -> Variable {
    let sort = cx.terms.var_sort(var);
    let is_int = sort == cx.terms.sorts.int();
    let alike = before.iter().map(|variable| variable.var);
    let alike: Vec<VarId> = alike
        .filter(|&other| cx.terms.var_sort(other) == sort)
        .collect();
    let initial = (rng.random_range(0..4) > 0).then(|| {
        if !alike.is_empty() && rng.random_range(0..3) == 0 {
            let other = cx.terms.var(alike[rng.random_range(0..alike.len())]);
            if is_int {
                wrapped(cx, other, LOW, HIGH)
            } else if sort == cx.terms.sorts.bool() && rng.random() {
                cx.terms.not(other)
            } else {
                other
            }
        } else if is_int {
            cx.terms.int(rng.random_range(LOW..=HIGH))
        } else {
            let value = Value::some(&cx.terms.sorts, sort);
            cx.terms.lit(value, sort)
        }
    });
    // A declared range that is too small must not matter.
    let range = (is_int && rng.random()).then(|| (Int::from(LOW), Int::from(1)));
    Variable {
        var,
        // What has few values is control.
        ctrl: cx.terms.sorts.cardinality(sort).is_some(),
        initial,
        range,
        span: None,
    }
}

/// Assumes `low <= var <= high`.
fn within(cx: &mut Context, var: VarId, low: i64, high: i64) -> StmtId {
    let terms = &mut cx.terms;
    let (x, low, high) = (terms.var(var), terms.int(low), terms.int(high));
    let bounds = [terms.le(low, x), terms.le(x, high)];
    let within = terms.and(&bounds);
    cx.stmts.add(Stmt::Assume(within), None)
}

/// Brings a variable back into a range.
fn wrap(cx: &mut Context, var: VarId, low: i64, high: i64) -> StmtId {
    let x = cx.terms.var(var);
    let wrapped = wrapped(cx, x, low, high);
    cx.stmts.add(Stmt::Assign(var, wrapped), None)
}

/// A value within a range, by remainder.
fn wrapped(cx: &mut Context, x: TermId, low: i64, high: i64) -> TermId {
    let terms = &mut cx.terms;
    let (size, low) = (terms.int(high - low + 1), terms.int(low));
    let rest = terms.build(Op::Mod, &[x, size]).expect("integers");
    terms.add(&[rest, low])
}
