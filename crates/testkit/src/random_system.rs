//! Random small systems with finitely many reachable states, and compositions of them.
//!
//! Locations joined by random statements over Booleans, enumerations, integers and sometimes an
//! array. Every step ends by keeping integers in a small range, by assumption or by remainder, so the
//! state space is finite while statements in between may overflow machine words. Which steps are
//! observed follows the habits of the languages, or none.

use crate::{Rng, StmtGen, TermGen};
use lariat_base::{Csr, Id, IdVec};
use lariat_expr::{Int, Op, TermId, VarId};
use lariat_system::{
    Alternate, Composition, Context, Edge, Fairness, Initial, Interleave, Language, LocId, LocRole,
    Location, Schedule, Stmt, StmtId, System, TransitionSystem, Variable,
};
use rand::Rng as _;

/// Integers stay within these bounds.
const LOW: i64 = -2;
const HIGH: i64 = 3;

/// A system to check and what to say about it.
pub struct RandomSystem {
    /// Its terms and statements.
    pub cx: Context,
    /// A model or a composition of two.
    pub system: Box<dyn TransitionSystem>,
    /// Boolean terms over its variables.
    pub atoms: Vec<TermId>,
}

/// A random system with `n_atoms` atoms.
pub fn random_system(rng: &mut Rng, n_atoms: usize) -> RandomSystem {
    random_constrained(rng, n_atoms, |_, _, _| Vec::new())
}

/// A random system with `n_atoms` atoms and up to four fairness constraints.
pub fn random_fair_system(rng: &mut Rng, n_atoms: usize) -> RandomSystem {
    random_constrained(rng, n_atoms, |maker, cx, rng| {
        let mut fairness = Vec::new();
        for _ in 0..rng.random_range(0..3) {
            fairness.push(Fairness::Justice(maker.atom(cx, rng)));
        }
        for _ in 0..rng.random_range(0..3) {
            let (request, response) = (maker.atom(cx, rng), maker.atom(cx, rng));
            fairness.push(Fairness::Compassion(request, response));
        }
        fairness
    })
}

/// A random system whose first model has the constraints that `constrain` makes.
fn random_constrained(
    rng: &mut Rng,
    n_atoms: usize,
    constrain: impl Fn(&Maker, &mut Context, &mut Rng) -> Vec<Fairness>,
) -> RandomSystem {
    let mut cx = Context::new();
    let mut maker = Maker::new(&mut cx, rng);
    let n_locations = rng.random_range(1..4);
    let mut first = maker.model(&mut cx, rng, n_locations);
    first.fairness = constrain(&maker, &mut cx, rng);
    let system: Box<dyn TransitionSystem> = if rng.random_range(0..4) == 0 {
        let n_locations = rng.random_range(1..4);
        let second = maker.model(&mut cx, rng, n_locations);
        let schedule: Box<dyn Schedule> = if rng.random() {
            Box::new(Alternate { n_parts: 2 })
        } else {
            Box::new(Interleave { n_parts: 2 })
        };
        let parts: Vec<Box<dyn TransitionSystem>> = vec![Box::new(first), Box::new(second)];
        Box::new(
            Composition::new(&mut cx, parts, schedule).expect("the parts share their variables"),
        )
    } else {
        Box::new(first)
    };
    let atoms = (0..n_atoms).map(|_| maker.atom(&mut cx, rng)).collect();
    RandomSystem { cx, system, atoms }
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
        let variables = vars.into_iter().map(|var| variable(cx, var, rng)).collect();
        Self { variables, array }
    }

    fn model(&mut self, cx: &mut Context, rng: &mut Rng, n: usize) -> System {
        let habit = Habit::random(rng);
        let target = |rng: &mut Rng| LocId::from_index(rng.random_range(0..n));
        let mut initial = Vec::new();
        for _ in 0..rng.random_range(1..3) {
            let branch = self.start(cx, rng);
            initial.push(edge(branch, target(rng), habit.observes_start(rng)));
        }
        let mut rows = Vec::new();
        for _ in 0..n {
            let mut row = Vec::new();
            for _ in 0..rng.random_range(0..4) {
                let stmt = self.step(cx, rng);
                row.push(edge(stmt, target(rng), habit.observes_step(rng)));
            }
            rows.push(row);
        }
        let location = |i| Location {
            name: format!("l{i}").into(),
            role: LocRole::Plain,
            span: None,
        };
        System {
            constants: Vec::new(),
            name: "random".into(),
            language: Language::Cfa,
            sorts: Vec::new(),
            variables: self.variables.clone(),
            locations: (0..n).map(location).collect::<IdVec<_, _>>(),
            initial: Initial::new(cx, &self.variables, initial),
            edges: Csr::from_rows(rows),
            fairness: Vec::new(),
            properties: Vec::new(),
            program: None,
        }
    }

    /// Fixes what the declarations leave open and has infinitely many values.
    fn start(&self, cx: &mut Context, rng: &mut Rng) -> StmtId {
        let mut parts = Vec::new();
        for variable in self.variables.iter().filter(|v| v.initial.is_none()) {
            let is_int = cx.terms.var_sort(variable.var) == cx.terms.sorts.int();
            if is_int {
                parts.push(within(cx, variable.var, LOW, HIGH));
            } else if Some(variable.var) == self.array || rng.random() {
                let sort = cx.terms.var_sort(variable.var);
                let value = lariat_expr::Value::some(&cx.terms.sorts, sort);
                let value = cx.terms.lit(value, sort);
                parts.push(cx.stmts.add(Stmt::Assign(variable.var, value), None));
            }
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
        let size = rng.random_range(0..5);
        let raw = StmtGen::new(terms, 2).stmt(&mut cx.terms, size, rng);
        parts.push(raw.build(cx));
        for variable in &self.variables {
            if cx.terms.var_sort(variable.var) == cx.terms.sorts.int() {
                parts.push(if rng.random() {
                    within(cx, variable.var, LOW, HIGH)
                } else {
                    wrap(cx, variable.var)
                });
            }
        }
        cx.stmts.seq(&parts, None)
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

fn variable(cx: &mut Context, var: VarId, rng: &mut Rng) -> Variable {
    let sort = cx.terms.var_sort(var);
    let is_int = sort == cx.terms.sorts.int();
    let initial = (rng.random_range(0..4) > 0).then(|| {
        if is_int {
            cx.terms.int(rng.random_range(LOW..=HIGH))
        } else {
            let value = lariat_expr::Value::some(&cx.terms.sorts, sort);
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

fn edge(stmt: StmtId, target: LocId, observed: bool) -> Edge {
    Edge {
        stmt,
        target,
        observed,
        name: None,
        stutter: false,
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

/// Brings a variable back into the range.
fn wrap(cx: &mut Context, var: VarId) -> StmtId {
    let terms = &mut cx.terms;
    let (x, size, low) = (terms.var(var), terms.int(HIGH - LOW + 1), terms.int(LOW));
    let rest = terms.build(Op::Mod, &[x, size]).expect("integers");
    let wrapped = terms.add(&[rest, low]);
    cx.stmts.add(Stmt::Assign(var, wrapped), None)
}
