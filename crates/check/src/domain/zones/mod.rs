//! Zones: an abstract state knows the values of all variables but the rational ones, and of these, the *clocks*, bounds on their
//! values and differences.
//!
//! For a timed automaton (clocks grow alike while time passes, are set to constants, and are compared with constants) this is
//! all there is to know: a path between zones is a path of the model, and bounds beyond the largest constants are forgotten so
//! that there are finitely many zones. So there is little to refine: clocks that only the property or fairness asks for come in
//! when a counterexample needs them. In other models what zones cannot tell is left open, and a
//! counterexample may be spurious; then there is no answer.

mod limits;
mod local;
mod matrix;
mod step;

use super::{Domain, Reason};
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, FxHashSet, Id as _, Interner, id_type};
use lariat_expr::{Op, Rat, Substitution, TermId, Terms, Value, VarId};
use lariat_system::{PointId, StmtId};
use limits::Limits;
use matrix::{Limit, Matrix};
use std::rc::Rc;
use step::{Move, Points};

/// The domain.
pub struct Zones {
    /// The variables whose values are told.
    others: Vec<VarId>,
    clocks: Vec<VarId>,
    limits: Limits,
    /// The limits that depend on the other values, by their ids; none if there are too many.
    local_limits: Vec<Vec<Limit>>,
    /// The clocks, by their points, that no step compares with anything but what is read between steps: they are
    /// left out as long as no counterexample needs them.
    left_out: Vec<usize>,
    /// The values of states, each by its position.
    values: Interner<ValuesId, Values>,
    steps: FxHashMap<(StmtId, Option<ValuesId>), Rc<Step>>,
    /// The values that were put in last.
    known: (Option<ValuesId>, Substitution),
    /// How many terms were looked at.
    work: usize,
}

/// So many terms are looked at in a millisecond, about.
const TERMS: usize = 4000;

type Values = Rc<[Option<Value>]>;

id_type!(
    /// The values of some states.
    struct ValuesId, "values"
);

/// A step from states with the same values.
#[derive(Default)]
struct Step {
    n_points: usize,
    /// The cases, with the values after them.
    moves: Vec<(Move, ValuesId)>,
}

/// The values of some variables, and bounds on the clocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Zone {
    values: ValuesId,
    clocks: Matrix,
}

impl Zones {
    /// The domain for a system that takes these steps; `read` terms are read between them.
    pub fn new(
        session: &mut Session,
        (starts, stmts): (&[StmtId], &[StmtId]),
        read: &[TermId],
    ) -> Result<Self, Halt> {
        let terms = &session.cx.terms;
        let is_clock = |var: &VarId| terms.var_sort(*var) == terms.sorts.rat();
        let variables = session.variables.clone();
        let (clocks, others): (Vec<VarId>, Vec<VarId>) = variables.into_iter().partition(is_clock);
        let limits = Limits::new(session, &clocks, stmts, read)?;
        let left_out = unguarded(session, &clocks, stmts)?;
        let mut zones = Self {
            others,
            clocks,
            limits,
            local_limits: Vec::new(),
            left_out,
            values: Interner::new(),
            steps: FxHashMap::default(),
            known: (None, Substitution::new()),
            work: 0,
        };
        zones.find_local_limits(session, stmts, starts)?;
        Ok(zones)
    }

    /// The cases of a statement from states with these values.
    fn step(
        &mut self,
        session: &mut Session,
        from: Option<ValuesId>,
        stmt: StmtId,
    ) -> Result<Rc<Step>, Halt> {
        let key = (stmt, from);
        if let Some(step) = self.steps.get(&key) {
            session.stats.cached_posts += 1;
            return Ok(step.clone());
        }
        let summary = session.summary(stmt)?;
        if self.known.0 != from {
            self.known = (from, self.known_at(&mut session.cx.terms, from));
        }
        let (terms, known) = (&mut session.cx.terms, &mut self.known.1);
        let n_before = known.n_visited();
        let guard = put_in(terms, known, summary.guard);
        let mut work = 1 + known.n_visited() - n_before;
        let mut step = Step::default();
        if guard != terms.false_() {
            let mut after = |vars: &[VarId]| -> Vec<TermId> {
                let before: Vec<TermId> = vars.iter().map(|&var| terms.var(var)).collect();
                let after = summary.after(terms, &before).into_iter();
                after.map(|term| known.apply(terms, term)).collect()
            };
            let (others, clocks) = (after(&self.others), after(&self.clocks));
            let roots = [&others[..], &clocks, &[guard]].concat();
            let auxiliary = &summary.auxiliary;
            let points = Points::new(terms, &self.clocks, auxiliary, &roots, &self.limits.scale);
            let (moves, n_visited) =
                step::moves(terms, &points, guard, (others, clocks), auxiliary);
            work += n_visited;
            step.n_points = points.n;
            step.moves = moves
                .into_iter()
                .map(|one| {
                    let values = self.values.intern(one.values.clone());
                    (one, values)
                })
                .collect();
        }
        let done = (self.work + work) / TERMS - self.work / TERMS;
        self.work += work;
        if done > 0 {
            session.budget.spend(1000 * done as u64)?;
        }
        let step = Rc::new(step);
        self.steps.insert(key, step.clone());
        Ok(step)
    }

    /// What is put in where the others have some values.
    fn known_at(&self, terms: &mut Terms, at: Option<ValuesId>) -> Substitution {
        let mut known = Substitution::new();
        let values = at.map_or(&[][..], |at| &self.values[at]);
        for (&var, value) in self.others.iter().zip(values) {
            if let Some(value) = value {
                let literal = terms.lit(value.clone(), terms.var_sort(var));
                known.insert(terms, var, literal);
            }
        }
        known
    }

    /// Leaves out what cannot matter where the others have some values.
    fn forget(&self, clocks: &mut Matrix, values: ValuesId) {
        let limits = self.local_limits.get(values.index());
        let limits = limits.unwrap_or(&self.limits.of);
        if self.left_out.is_empty() {
            return clocks.forget_above(limits);
        }
        let mut limits = limits.clone();
        for &clock in &self.left_out {
            limits[clock] = Limit::NOTHING;
        }
        clocks.forget_above(&limits);
    }

    /// A constant of a bound as it stands in the model.
    fn unscaled(&self, value: i64) -> Rat {
        Rat::new(value.into(), self.limits.scale.clone()).expect("the scale is positive")
    }
}

impl Domain for Zones {
    type State = Zone;

    fn post(
        &mut self,
        session: &mut Session,
        from: Option<&Zone>,
        stmt: StmtId,
        _at: PointId,
        out: &mut Vec<Zone>,
    ) -> Result<(), Halt> {
        session.stats.posts += 1;
        let step = self.step(session, from.map(|zone| zone.values), stmt)?;
        if step.moves.is_empty() {
            return Ok(());
        }
        let before = match from {
            Some(zone) => zone.clocks.extended(step.n_points),
            None => Matrix::anything(step.n_points),
        };
        let mut seen = FxHashSet::default();
        for (one, values) in &step.moves {
            let mut clocks = before.clone();
            let mut demands = one.demands.iter();
            if !demands.all(|&(number, minus, bound)| {
                number == minus || clocks.demand(number, minus, bound)
            }) {
                continue;
            }
            let mut clocks = clocks.chosen(&one.clocks);
            self.forget(&mut clocks, *values);
            let zone = Zone {
                values: *values,
                clocks,
            };
            if seen.insert(zone.clone()) {
                out.push(zone);
            }
        }
        Ok(())
    }

    fn refine(&mut self, _session: &mut Session, _reason: &Reason<'_>) -> bool {
        let has_left_out = !self.left_out.is_empty();
        self.left_out.clear();
        has_left_out
    }

    fn formula(&self, terms: &mut Terms, state: &Zone) -> TermId {
        let mut facts = Vec::new();
        for (&var, value) in self.others.iter().zip(&*self.values[state.values]) {
            if let Some(value) = value {
                let literal = terms.lit(value.clone(), terms.var_sort(var));
                let var = terms.var(var);
                facts.push(terms.eq(var, literal));
            }
        }
        let rat = terms.sorts.rat();
        let zero = terms.lit(Value::Rat(self.unscaled(0)), rat);
        let clocks = self.clocks.iter().map(|&clock| terms.var(clock));
        let points: Vec<TermId> = [zero].into_iter().chain(clocks).collect();
        for (i, &number) in points.iter().enumerate() {
            for (j, &minus) in points.iter().enumerate().filter(|(j, _)| *j != i) {
                let Some((value, is_reached)) = state.clocks.bound(i, j).get() else {
                    continue;
                };
                let value = terms.lit(Value::Rat(self.unscaled(value)), rat);
                let most = terms.add(&[minus, value]);
                facts.push(if is_reached {
                    terms.le(number, most)
                } else {
                    terms.lt(number, most)
                });
            }
        }
        terms.and(&facts)
    }

    fn covers(&self, big: &Zone, small: &Zone) -> bool {
        let (known, other) = (&self.values[big.values], &self.values[small.values]);
        let mut values = known.iter().zip(&**other);
        values.all(|(known, other)| known.is_none() || known == other)
            && big.clocks.includes(&small.clocks)
    }

    /// One bad state is enough, so smaller zones need not be followed.
    fn family(&self, state: &Zone) -> Option<u64> {
        Some(state.values.index() as u64)
    }

    fn precision_size(&self) -> usize {
        self.others.len() + self.clocks.len()
    }

    fn describe(&self, session: &Session, state: &Zone) -> String {
        let terms = &session.cx.terms;
        let mut facts = Vec::new();
        for (&var, value) in self.others.iter().zip(&*self.values[state.values]) {
            if let Some(value) = value {
                let value = value.display(&terms.sorts, terms.var_sort(var));
                facts.push(format!("{} = {value}", terms.name(var)));
            }
        }
        for i in 0..state.clocks.len() {
            for j in (0..state.clocks.len()).filter(|&j| j != i) {
                facts.extend(self.describe_bound(terms, state, i, j));
            }
        }
        if facts.is_empty() {
            "true".into()
        } else {
            facts.join(" and ")
        }
    }

    fn describe_precision(&self, session: &Session) -> Vec<String> {
        let variables = self.others.iter().chain(&self.clocks);
        variables
            .map(|&var| session.cx.terms.name(var).to_owned())
            .collect()
    }
}

/// A guard with values put in, one conjunct after the other: most are false soon.
fn put_in(terms: &mut Terms, known: &mut Substitution, guard: TermId) -> TermId {
    let one = [guard];
    let conjuncts = terms.as_op(guard, Op::And).unwrap_or(&one).to_vec();
    let mut left = Vec::new();
    for conjunct in conjuncts {
        let conjunct = known.apply(terms, conjunct);
        if conjunct == terms.false_() {
            return conjunct;
        }
        left.push(conjunct);
    }
    terms.and(&left)
}

/// The points of the clocks that no step reads, except to count on.
fn unguarded(
    session: &mut Session,
    clocks: &[VarId],
    stmts: &[StmtId],
) -> Result<Vec<usize>, Halt> {
    let mut read = FxHashSet::default();
    for &stmt in stmts {
        let step = session.summary(stmt)?;
        let terms = &session.cx.terms;
        read.extend(terms.free_vars(&[step.guard]));
        for &(var, term) in &step.updates {
            let others = terms.free_vars(&[term]).into_iter();
            read.extend(others.filter(|&other| other != var));
        }
    }
    let points = clocks.iter().zip(1..);
    Ok(points
        .filter(|(clock, _)| !read.contains(clock))
        .map(|(_, point)| point)
        .collect())
}

impl Zones {
    /// A bound as shown to the user.
    fn describe_bound(&self, terms: &Terms, state: &Zone, i: usize, j: usize) -> Option<String> {
        let (value, is_reached) = state.clocks.bound(i, j).get()?;
        let name = |point: usize| terms.name(self.clocks[point - 1]);
        let equal = if is_reached { "=" } else { "" };
        Some(match (i, j) {
            (0, _) => format!("{} >{equal} {}", name(j), self.unscaled(-value)),
            (_, 0) => format!("{} <{equal} {}", name(i), self.unscaled(value)),
            _ => format!(
                "{} - {} <{equal} {}",
                name(i),
                name(j),
                self.unscaled(value)
            ),
        })
    }
}
