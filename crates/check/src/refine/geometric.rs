//! Lassos that never close: can the loop be taken for ever while its numbers grow by a rule?
//!
//! A *geometric* argument (Leike and Heizmann, TACAS 2018) has a state at the honda and some *rays*, vectors by which the
//! numbers grow: one round leads from the state to the state plus the rays, and takes each ray to a multiple of
//! itself, perhaps plus the next one. Every comparison on the way that is true must stay true along the rays.
//!
//! One query finds it, without a disjunctive normal form: the path of the loop is written in negation normal form
//! and each comparison is strengthened by the same comparison of the rays, `s ≤ t` by `ray(s) ≤ ray(t)`. The formula is monotone
//! in its literals, so a model of it is an implicant of the path that has rays. Which multiples are tried is a fixed
//! list, so that the query is linear. (A published implementation looks up the multiple of one variable by the index of another;
//! here one choice of the multiple holds for all variables.)
//!
//! Variables on which the loop does not depend are left out: they may change as they like.
//!
//! Nothing here is trusted: what is found is executed for all rounds at once (`system/src/run/recur.rs`).

use super::along::{Along, Way, ways};
use super::{AbstractLasso, concrete_run};
use crate::encode::{Assignment, PathEncoding};
use crate::explored::Taken;
use crate::product::Product;
use crate::rank::{Purifier, rat};
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Int, Rat, Substitution, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Reason};
use lariat_system::{Decision, Growth, Lasso, Next, repeats_for_ever};

/// The most rays.
const MAX_RAYS: usize = 3;
/// The solver's steps for one query.
const STEPS: u32 = 2_000_000;

/// A run along the lasso whose numbers grow from round to round, if one is found.
pub(crate) fn geometric(
    session: &mut Session,
    product: &mut Product,
    lasso: AbstractLasso<'_>,
) -> Result<Option<Lasso>, Halt> {
    geometric_near(session, product, lasso, &[])
}

/// The same among the runs with these values of the variables after each of some first steps.
pub(crate) fn geometric_near(
    session: &mut Session,
    product: &mut Product,
    AbstractLasso { stem, cycle }: AbstractLasso<'_>,
    states: &[Vec<Value>],
) -> Result<Option<Lasso>, Halt> {
    let taken = [stem, cycle].concat();
    let mut path = PathEncoding::new(session, &[])?;
    for step in &taken {
        path.push(session, step.stmt)?;
    }
    let mut round = Round::new(session, product, &taken, path, stem.len());
    for (at, values) in states.iter().enumerate() {
        round.pin(session, at + 1, values);
    }
    for n_rays in 1..=MAX_RAYS {
        let found = session.scoped(|session| round.solve(session, n_rays))?;
        if let Some(solution) = found {
            return Ok(round.lasso(session, product, &solution));
        }
    }
    Ok(None)
}

/// The stem and one round of a loop.
struct Round<'t> {
    taken: &'t [Taken],
    path: PathEncoding,
    /// Where the round starts.
    start: usize,
    /// The formulas of the round, without conditionals and division.
    parts: Vec<TermId>,
    /// What must be decided in the same way in every round.
    letters: Vec<TermId>,
    /// The copies of numbers that may grow.
    growing: Vec<VarId>,
    /// The copies of each relevant variable that the round changes, at its start and at its end.
    changed: Vec<(TermId, TermId)>,
    /// What is known of the run.
    pins: Vec<TermId>,
    /// The copies of what the round does not change.
    fixed: Vec<TermId>,
}

/// A model of a geometric argument.
struct Solution {
    model: Assignment,
    /// For each copy that may grow, its rays.
    rays: FxHashMap<VarId, Vec<Rat>>,
    n_rays: usize,
}

impl<'t> Round<'t> {
    fn new(
        session: &mut Session,
        product: &Product,
        taken: &'t [Taken],
        path: PathEncoding,
        start: usize,
    ) -> Self {
        let end = taken.len();
        let relevant = relevant(session, product, &path, start);
        let mut purifier = Purifier::of_all_sorts();
        let mut parts = Vec::new();
        for at in start..end {
            for part in step_parts(session, &path, at, &relevant) {
                parts.push(purifier.purify(&mut session.cx.terms, part));
            }
        }
        let mut letters = Vec::new();
        for at in (start..end).filter(|&at| taken[at].model_edge.is_none()) {
            for &atom in product.read_terms() {
                let atom = path.term_at(session, atom, at);
                letters.push(purifier.purify(&mut session.cx.terms, atom));
            }
        }
        parts.append(&mut purifier.definitions);
        let mut changed = Vec::new();
        let mut fixed = Vec::new();
        for &var in &relevant {
            let (before, after) = (
                path.var_at(session, var, start),
                path.var_at(session, var, end),
            );
            if before == after {
                fixed.push(before);
            } else {
                changed.push((before, after));
            }
        }
        let terms = &session.cx.terms;
        let ends = changed.iter().flat_map(|&(before, after)| [before, after]);
        let read: Vec<TermId> = [&parts[..], &letters]
            .concat()
            .into_iter()
            .chain(ends)
            .collect();
        let may_grow = |&var: &VarId| {
            let sort = terms.var_sort(var);
            let is_fixed = fixed.iter().any(|&term| terms.as_var(term) == Some(var));
            !is_fixed && (sort == terms.sorts.int() || sort == terms.sorts.rat())
        };
        let growing = terms
            .free_vars(&read)
            .into_iter()
            .filter(may_grow)
            .collect();
        Self {
            taken,
            path,
            start,
            parts,
            letters,
            growing,
            changed,
            pins: Vec::new(),
            fixed,
        }
    }

    /// Fixes the variables before step `at`. The values of what the round does not change are put in where they stand: a product
    /// with one of them is linear.
    fn pin(&mut self, session: &mut Session, at: usize, values: &[Value]) {
        let mut known = Substitution::new();
        for (var, value) in session.variables.clone().into_iter().zip(values) {
            let copy = self.path.var_at(session, var, at);
            let terms = &mut session.cx.terms;
            let value = terms.lit(value.clone(), terms.sort(copy));
            self.pins.push(terms.eq(copy, value));
            if self.fixed.contains(&copy) {
                known.replace(terms, copy, value);
            }
        }
        for term in self.parts.iter_mut().chain(&mut self.letters) {
            *term = known.apply(&mut session.cx.terms, *term);
        }
    }

    /// A model with this many rays, in a scope of the solver.
    fn solve(&self, session: &mut Session, n_rays: usize) -> Result<Option<Solution>, Halt> {
        let terms = &mut session.cx.terms;
        let mut along = Along::new(terms, &self.growing, n_rays);
        let mut conditions = self.path.parts.clone();
        for &part in &self.parts {
            conditions.push(along.truths(terms, part)[1]);
        }
        for &letter in &self.letters {
            let either = along.truths(terms, letter);
            conditions.push(terms.or(&either));
        }
        conditions.extend(along.closing(terms, &self.changed));
        conditions.extend(&self.pins);
        for condition in conditions {
            session.solver.assert(&session.cx.terms, condition);
        }
        session.stats.checks += 1;
        match session.solver.check_briefly(&session.cx.terms, &[], STEPS) {
            Answer::Sat => {}
            Answer::Unknown(Reason::Stopped(stop)) => return Err(stop.into()),
            Answer::Unsat | Answer::Unknown(_) => return Ok(None),
        }
        let model = self.path.model(session, self.path.parts.len())?;
        let mut values = FxHashMap::default();
        for (&var, own) in along.rays() {
            let own: Option<Vec<Rat>> = own.iter().map(|&ray| number(session, ray)).collect();
            let Some(own) = own else {
                return Ok(None);
            };
            values.insert(var, own);
        }
        Ok(Some(Solution {
            model,
            rays: values,
            n_rays,
        }))
    }

    /// The lasso of a solution, if it can be taken for ever.
    fn lasso(
        &self,
        session: &mut Session,
        product: &mut Product,
        solution: &Solution,
    ) -> Option<Lasso> {
        let run = concrete_run(session, product, self.taken, &self.path, &solution.model);
        let is_step = |step: &&Taken| step.model_edge.is_some();
        let honda = self.taken[..self.start].iter().filter(is_step).count() - 1;
        let lasso = Lasso {
            run,
            honda,
            growth: self.growth(session, solution)?,
            region: Vec::new(),
            inputs: Vec::new(),
        };
        let atoms = product.read_terms().to_vec();
        repeats_for_ever(session.cx, product.model(), &lasso, &atoms).ok()?;
        Some(lasso)
    }

    /// How the rounds of a solution differ.
    fn growth(&self, session: &mut Session, solution: &Solution) -> Option<Growth> {
        let n_rays = solution.n_rays;
        let none = Next {
            plus: Int::ONE,
            times: vec![Int::ZERO; n_rays],
        };
        let mut rule = vec![none; n_rays];
        for ray in 0..n_rays {
            let leads = |&way: &Way| self.leads(&session.cx.terms, solution, ray, way);
            let way = ways(ray, n_rays).find(leads)?;
            rule[ray].times[ray] = way.multiple.into();
            if way.has_next {
                rule[ray + 1].times[ray] = Int::ONE;
            }
        }
        let mut state = Vec::new();
        for var in session.variables.clone() {
            let copy = self.path.var_at(session, var, self.start);
            state.push(solution.rays(&session.cx.terms, copy).to_vec());
        }
        let decisions = self.decisions(session, solution)?;
        let rays = state.iter().chain(decisions.iter().flatten()).flatten();
        if rays.clone().all(Rat::is_zero) {
            return Some(Growth::default());
        }
        Some(Growth {
            rule,
            state,
            decisions,
        })
    }

    /// Whether the round leads a ray there.
    fn leads(&self, terms: &Terms, solution: &Solution, ray: usize, way: Way) -> bool {
        self.changed.iter().all(|&(before, after)| {
            let (before, after) = (solution.rays(terms, before), solution.rays(terms, after));
            let Some(own) = before.get(ray) else {
                return true;
            };
            let mut sum = own * &rat(way.multiple);
            if way.has_next {
                sum = &sum + &before[ray + 1];
            }
            after[ray] == sum
        })
    }

    /// By how much the decisions of each step of the model grow: they are executed with each ray added to the values.
    fn decisions(&self, session: &mut Session, solution: &Solution) -> Option<Vec<Vec<Vec<Rat>>>> {
        let further: Vec<Assignment> = (0..solution.n_rays)
            .map(|ray| solution.moved(ray))
            .collect();
        let mut all = Vec::new();
        for at in self.start..self.taken.len() {
            if self.taken[at].model_edge.is_none() {
                continue;
            }
            let here = self.path.decisions(session, &solution.model, at);
            let mut rays = vec![Vec::new(); here.len()];
            for model in &further {
                let there = self.path.decisions(session, model, at);
                if there.len() != here.len() {
                    return None;
                }
                for (ray, (here, there)) in rays.iter_mut().zip(here.iter().zip(&there)) {
                    ray.push(difference(here, there)?);
                }
            }
            all.push(rays);
        }
        Some(all)
    }
}

impl Solution {
    /// The rays of a copy; none if it does not grow.
    fn rays(&self, terms: &Terms, copy: TermId) -> &[Rat] {
        let own = terms.as_var(copy).and_then(|var| self.rays.get(&var));
        own.map_or(&[], Vec::as_slice)
    }

    /// The model with a ray added to all numbers.
    fn moved(&self, ray: usize) -> Assignment {
        let mut model = self.model.clone();
        for (var, value) in &mut model {
            if let Some(rays) = self.rays.get(var) {
                *value = match &*value {
                    Value::Int(int) => Value::Int(int + &rays[ray].floor()),
                    Value::Rat(rat) => Value::Rat(rat + &rays[ray]),
                    other => other.clone(),
                };
            }
        }
        model
    }
}

/// The variables that matter to what the round does and to what is read on it. The others may change as they like.
fn relevant(
    session: &mut Session,
    product: &Product,
    path: &PathEncoding,
    start: usize,
) -> Vec<VarId> {
    let steps = start..path.parts.len();
    let mut read: Vec<TermId> = steps.clone().map(|at| path.step(at).guard).collect();
    read.extend(product.read_terms());
    let mut found: Vec<VarId> = Vec::new();
    let mut next = session.cx.terms.free_vars(&read);
    while let Some(var) = next.pop() {
        if found.contains(&var) {
            continue;
        }
        found.push(var);
        let values = steps.clone().filter_map(|at| path.step(at).update(var));
        next.extend(session.cx.terms.free_vars(&values.collect::<Vec<TermId>>()));
    }
    let variables = session.variables.iter().copied();
    variables.filter(|var| found.contains(var)).collect()
}

/// A step of the path as formulas, as far as some variables are concerned.
fn step_parts(
    session: &mut Session,
    path: &PathEncoding,
    at: usize,
    relevant: &[VarId],
) -> Vec<TermId> {
    let (guard, updates) = (path.step(at).guard, path.step(at).updates.clone());
    let mut parts = vec![path.term_at(session, guard, at)];
    for (var, value) in updates {
        if relevant.contains(&var) {
            let (after, value) = (
                path.var_at(session, var, at + 1),
                path.term_at(session, value, at),
            );
            parts.push(session.cx.terms.eq(after, value));
        }
    }
    parts
}

/// By how much a decision grows; nothing if another branch is taken.
fn difference(here: &Decision, there: &Decision) -> Option<Rat> {
    let minus = |left: &Rat, right: &Rat| left + &(right * &rat(-1));
    match (here, there) {
        (Decision::Value(Value::Int(here)), Decision::Value(Value::Int(there))) => {
            Some((there - here).into())
        }
        (Decision::Value(Value::Rat(here)), Decision::Value(Value::Rat(there))) => {
            Some(minus(there, here))
        }
        _ => (here == there).then(|| rat(0)),
    }
}

/// The value of a number in the solver's model.
fn number(session: &mut Session, var: VarId) -> Option<Rat> {
    let term = session.cx.terms.var(var);
    match session.solver.value(&session.cx.terms, term)? {
        Value::Int(int) => Some(int.into()),
        Value::Rat(rat) => Some(rat),
        _ => None,
    }
}
