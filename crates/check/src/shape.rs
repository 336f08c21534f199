//! What kind of model it is: what `auto` chooses by, and which variables are control variables.

use crate::bits::width;
use crate::classes::takes_remainders;
use crate::problem::Problem;
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, Sort, TermId, VarId};
use lariat_system::{Context, Stmt, StmtId, reachable_locations};
use std::fmt;

/// More structural states are not looked at.
const MAX_LOCATIONS: usize = 10_000;
/// With fewer control variables, control is not what makes a model hard.
const FEW_CONTROL: usize = 3;
/// An integer with more values than this is no control variable.
const MAX_VALUES: usize = 64;

/// The kinds of models that `auto` tells apart, the first that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Some variable is rational: values cannot be listed.
    Rational,
    /// Every variable has finitely many values, by its type, its range or all that is assigned to it.
    Finite,
    /// Integers without bounds, compared with constants for equality only.
    Equalities,
    /// Integers without bounds in sums and comparisons, but most variables are control variables.
    Control,
    /// Integers without bounds in sums and comparisons.
    Arithmetic,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rational => "rational numbers",
            Self::Finite => "finitely many values",
            Self::Equalities => "integers that are compared for equality",
            Self::Control => "few unbounded integers among control variables",
            Self::Arithmetic => "unbounded integers in arithmetic",
        })
    }
}

/// What was found out about a model.
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are facts that do not depend on each other"
)]
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its kind.
    pub kind: Kind,
    /// How many variables it has.
    pub n_variables: usize,
    /// How many structural states were looked at.
    pub n_locations: usize,
    /// Whether all variables are truth values, bit-vectors, enumerations or integers between known bounds.
    pub has_bits: bool,
    /// Whether all are truth values.
    pub is_boolean: bool,
    /// Whether its integers are known to stay between bounds that are declared nowhere. Who knows more of the model than is seen here says so.
    pub is_bounded: bool,
    /// Whether remainders by small numbers are taken of an integer without bounds.
    pub has_remainders: bool,
    /// Whether rational variables grow by a number that is chosen: clocks, while time passes.
    pub has_delays: bool,
    /// The control variables: declared so, or integers to which only a few constants are ever assigned.
    pub control: Vec<VarId>,
}

impl Shape {
    /// Looks at a problem.
    pub fn new(cx: &Context, problem: &mut Problem) -> Self {
        let variables = problem.system.variables().to_vec();
        let system = &mut *problem.system;
        let mut stmts: Vec<StmtId> = system.initial().iter().map(|edge| edge.stmt).collect();
        let locations = reachable_locations(system, MAX_LOCATIONS);
        for &at in &locations {
            stmts.extend(system.edges(at).iter().map(|edge| edge.stmt));
        }
        stmts.sort_unstable();
        stmts.dedup();
        let few = few_valued(cx, &stmts);
        let is_control = |var: VarId| few.contains(&var);
        let control: Vec<VarId> = variables
            .iter()
            .filter(|variable| variable.ctrl || is_control(variable.var))
            .map(|variable| variable.var)
            .collect();
        let sort = |var| cx.terms.sorts.get(cx.terms.var_sort(var));
        let is_rational = |var| matches!(sort(var), Sort::Rat);
        let finite = |variable: &lariat_system::Variable| {
            let sort = cx.terms.var_sort(variable.var);
            variable.range.is_some()
                || is_control(variable.var)
                || cx.terms.sorts.cardinality(sort).is_some()
        };
        let kind = if variables.iter().any(|variable| is_rational(variable.var)) {
            Kind::Rational
        } else if variables.iter().all(finite) {
            Kind::Finite
        } else if !computes(cx, &stmts) {
            Kind::Equalities
        } else if control.len() >= FEW_CONTROL && 2 * control.len() >= variables.len() {
            Kind::Control
        } else {
            Kind::Arithmetic
        };
        let sorts = variables
            .iter()
            .map(|variable| cx.terms.var_sort(variable.var));
        let is_bool = |sort| sort == cx.terms.sorts.bool();
        let has_bits = |variable: &lariat_system::Variable| {
            let sort = cx.terms.var_sort(variable.var);
            let is_bounded = || variable.range.is_some() || is_control(variable.var);
            is_bool(sort)
                || width(&cx.terms, sort).is_some()
                || sort == cx.terms.sorts.int() && is_bounded()
        };
        let is_open = |var| {
            let mut open = variables.iter().filter(|variable| !finite(variable));
            open.any(|variable| variable.var == var)
        };
        Self {
            kind,
            has_remainders: matches!(kind, Kind::Control | Kind::Arithmetic)
                && takes_remainders(cx, problem, is_open),
            has_delays: kind == Kind::Rational && has_delays(cx, &stmts),
            has_bits: variables.iter().all(has_bits),
            is_boolean: sorts.into_iter().all(is_bool),
            is_bounded: false,
            n_variables: variables.len(),
            n_locations: locations.len(),
            control,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            n_variables,
            n_locations,
            control,
            is_bounded,
            ..
        } = self;
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        write!(
            f,
            "{kind}; {n_variables} variable{}, {} of them control; {n_locations} location{}",
            plural(*n_variables),
            control.len(),
            plural(*n_locations)
        )?;
        if *is_bounded {
            f.write_str("; conditions keep the integers between bounds")?;
        }
        Ok(())
    }
}

/// The integers to which only constants are assigned, a few, directly or through each other.
fn few_valued(cx: &Context, stmts: &[StmtId]) -> FxHashSet<VarId> {
    let mut assigned: FxHashMap<VarId, Vec<TermId>> = FxHashMap::default();
    let mut anything: FxHashSet<VarId> = FxHashSet::default();
    for &stmt in stmts {
        cx.stmts.walk(stmt, |_, stmt| match stmt {
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                leaves(cx, term, assigned.entry(var).or_default());
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) | Stmt::For { var, .. } => {
                anything.insert(var);
            }
            _ => {}
        });
    }
    let is_int = |var: &VarId| *cx.terms.sorts.get(cx.terms.var_sort(*var)) == Sort::Int;
    let mut few: FxHashSet<VarId> = assigned.keys().copied().collect();
    few.retain(|var| is_int(var) && !anything.contains(var));
    // For each variable those that get its value.
    let mut copies: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut todo = Vec::new();
    for (&var, values) in &assigned {
        for source in values.iter().filter_map(|&leaf| cx.terms.as_var(leaf)) {
            copies.entry(source).or_default().push(var);
        }
        let is_known = |&leaf: &TermId| match cx.terms.as_var(leaf) {
            Some(other) => few.contains(&other),
            None => cx.terms.as_lit(leaf).is_some(),
        };
        let n_values = values.iter().collect::<FxHashSet<_>>().len();
        if n_values > MAX_VALUES || !values.iter().all(is_known) {
            todo.push(var);
        }
    }
    while let Some(var) = todo.pop() {
        if few.remove(&var) {
            todo.extend(copies.remove(&var).unwrap_or_default());
        }
    }
    few
}

/// Whether a statement adds a rational number that it chooses to a variable.
fn has_delays(cx: &Context, stmts: &[StmtId]) -> bool {
    let rat = cx.terms.sorts.rat();
    stmts.iter().any(|&root| {
        let (mut chosen, mut is_found) = (FxHashSet::default(), false);
        cx.stmts.walk(root, |_, stmt| match stmt {
            Stmt::Havoc(var) | Stmt::Declare(var, None) if cx.terms.var_sort(var) == rat => {
                chosen.insert(var);
            }
            Stmt::Assign(var, term) => {
                let mut ends = Vec::new();
                leaves(cx, term, &mut ends);
                let grows = |&end: &TermId| {
                    let summands = cx.terms.as_op(end, Op::Add).unwrap_or_default();
                    let vars: Vec<VarId> = summands
                        .iter()
                        .filter_map(|&s| cx.terms.as_var(s))
                        .collect();
                    vars.contains(&var) && vars.iter().any(|var| chosen.contains(var))
                };
                is_found |= ends.iter().any(grows);
            }
            _ => {}
        });
        is_found
    })
}

/// What a term can be: the ends of its conditionals.
fn leaves(cx: &Context, root: TermId, found: &mut Vec<TermId>) {
    let (mut todo, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        match cx.terms.head(term) {
            Head::Op(Op::Ite, &[_, then, otherwise]) => todo.extend([then, otherwise]),
            _ => found.push(term),
        }
    }
}

/// Whether a statement adds, multiplies or compares by order.
fn computes(cx: &Context, stmts: &[StmtId]) -> bool {
    let mut todo: Vec<TermId> = stmts
        .iter()
        .flat_map(|&stmt| cx.stmts.terms(stmt))
        .collect();
    let mut seen = FxHashSet::default();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Head::Op(op, args) = cx.terms.head(term) {
            if matches!(
                op,
                Op::Add | Op::Mul | Op::Div | Op::Mod | Op::Rem | Op::Le | Op::Lt
            ) {
                return true;
            }
            todo.extend(args);
        }
    }
    false
}
