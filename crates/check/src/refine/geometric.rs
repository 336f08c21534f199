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

use super::{AbstractLasso, concrete_run};
use crate::encode::{Assignment, PathEncoding};
use crate::explored::Taken;
use crate::product::Product;
use crate::rank::{Linear, Purifier, is_number, number as literal, rat};
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Rat, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Reason};
use lariat_system::{Decision, Growth, Lasso, Next, repeats_for_ever};

/// The most rays.
const MAX_RAYS: usize = 3;
/// The multiples of a ray that one round may lead to.
const MULTIPLES: [i64; 7] = [1, 0, 2, 3, 4, 5, 10];
/// The solver's steps for one query.
const STEPS: u32 = 2_000_000;
/// Rays are instances of their own, as ghosts of measures are.
const RAY: u32 = u32::MAX - 4;

/// A run along the lasso whose numbers grow from round to round, if one is found.
pub(crate) fn geometric(
    session: &mut Session,
    product: &mut Product,
    AbstractLasso { stem, cycle }: AbstractLasso<'_>,
) -> Result<Option<Lasso>, Halt> {
    let taken = [stem, cycle].concat();
    let mut path = PathEncoding::new(session, &[])?;
    for step in &taken {
        path.push(session, step.stmt)?;
    }
    let round = Round::new(session, product, &taken, path, stem.len());
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
        }
    }

    /// A model with this many rays, in a scope of the solver.
    fn solve(&self, session: &mut Session, n_rays: usize) -> Result<Option<Solution>, Halt> {
        let terms = &mut session.cx.terms;
        let mut rays = FxHashMap::default();
        for &var in &self.growing {
            let sort = terms.var_sort(var);
            let ray = |i: usize| terms.declare_instance(&format!("ray {i} of {var:?}"), sort, RAY);
            rays.insert(var, (0..n_rays).map(ray).collect::<Vec<VarId>>());
        }
        let mut along = Along {
            rays: &rays,
            n_rays,
            done: FxHashMap::default(),
        };
        let mut conditions = self.path.parts.clone();
        for &part in &self.parts {
            conditions.push(along.truths(terms, part)[1]);
        }
        for &letter in &self.letters {
            let either = along.truths(terms, letter);
            conditions.push(terms.or(&either));
        }
        conditions.extend(self.closing(terms, &along));
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
        for (&var, own) in &rays {
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

    /// That the round leads to the next state, and each ray to a multiple of itself and perhaps the next ray.
    fn closing(&self, terms: &mut Terms, along: &Along<'_>) -> Vec<TermId> {
        let mut conditions = Vec::new();
        for &(before, after) in &self.changed {
            let mut sum = vec![before];
            for ray in 0..along.n_rays {
                sum.extend(along.ray(terms, before, ray));
            }
            let next = if sum.len() > 1 {
                terms.add(&sum)
            } else {
                before
            };
            conditions.push(terms.eq(after, next));
        }
        for ray in 0..along.n_rays {
            let ways: Vec<TermId> = ways(ray, along.n_rays)
                .map(|Way { multiple, has_next }| {
                    let mut equations = Vec::new();
                    for &(before, after) in &self.changed {
                        let Some(own) = along.ray(terms, before, ray) else {
                            continue;
                        };
                        let factor = literal(terms, own, multiple);
                        let mut sum = vec![terms.mul(&[factor, own])];
                        if has_next {
                            sum.extend(along.ray(terms, before, ray + 1));
                        }
                        let sum = terms.add(&sum);
                        let end = along.ray(terms, after, ray).expect("both ends may grow");
                        equations.push(terms.eq(end, sum));
                    }
                    terms.and(&equations)
                })
                .collect();
            conditions.push(terms.or(&ways));
        }
        conditions
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

/// What a round makes of a ray: a multiple of itself, perhaps plus the next ray.
#[derive(Clone, Copy)]
struct Way {
    multiple: i64,
    has_next: bool,
}

/// What a round may make of one of some rays.
fn ways(ray: usize, n_rays: usize) -> impl Iterator<Item = Way> {
    let next = if ray + 1 < n_rays { 2 } else { 1 };
    let nexts = [false, true].into_iter().take(next);
    nexts.flat_map(|has_next| {
        MULTIPLES
            .map(|multiple| Way { multiple, has_next })
            .into_iter()
    })
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

/// Formulas that are true along rays: in a state, and whatever multiples of the rays are added to it.
struct Along<'r> {
    rays: &'r FxHashMap<VarId, Vec<VarId>>,
    n_rays: usize,
    /// That a term is false, and that it is true, along the rays.
    done: FxHashMap<TermId, [TermId; 2]>,
}

impl Along<'_> {
    /// The ray of a variable that may grow.
    fn ray(&self, terms: &mut Terms, var: TermId, ray: usize) -> Option<TermId> {
        let rays = self.rays.get(&terms.as_var(var)?)?;
        Some(terms.var(rays[ray]))
    }

    /// That a formula is false, and that it is true, along the rays.
    fn truths(&mut self, terms: &mut Terms, root: TermId) -> [TermId; 2] {
        let bool_ = terms.sorts.bool();
        // Arguments are older than their terms.
        let mut subterms = terms.subterms(&[root]);
        subterms.sort_unstable();
        for term in subterms {
            if terms.sort(term) == bool_ && !self.done.contains_key(&term) {
                let truths = self.truths_of(terms, term);
                self.done.insert(term, truths);
            }
        }
        self.done[&root]
    }

    /// The same for a formula whose Boolean arguments are done.
    fn truths_of(&self, terms: &mut Terms, term: TermId) -> [TermId; 2] {
        let bool_ = terms.sorts.bool();
        let Head::Op(op, args) = terms.head(term) else {
            return [terms.not(term), term];
        };
        let args = args.to_vec();
        let is_connective = args.iter().all(|arg| self.done.contains_key(arg))
            && args.iter().all(|&arg| terms.sort(arg) == bool_);
        if is_connective {
            return self.connective(terms, op, &args);
        }
        if let (Op::Le | Op::Lt | Op::Eq, &[left, right]) = (op, &args[..])
            && is_number(terms, left)
            && let Some(truths) = self.comparison(terms, op, left, right)
        {
            return truths;
        }
        let still = self.still(terms, term);
        let not = terms.not(term);
        [not, term].map(|literal| terms.and(&[literal, still]))
    }

    fn connective(&self, terms: &mut Terms, op: Op, args: &[TermId]) -> [TermId; 2] {
        let done = |i: usize| self.done[&args[i]];
        let of = |truth: usize| -> Vec<TermId> {
            args.iter().map(|arg| self.done[arg][truth]).collect()
        };
        let mut either = |first: [TermId; 2], second: [TermId; 2]| {
            let cases = [first, second].map(|case| terms.and(&case));
            terms.or(&cases)
        };
        match op {
            Op::Not => [done(0)[1], done(0)[0]],
            Op::And => [terms.or(&of(0)), terms.and(&of(1))],
            Op::Or => [terms.and(&of(0)), terms.or(&of(1))],
            Op::Ite => [0, 1]
                .map(|truth| either([done(0)[1], done(1)[truth]], [done(0)[0], done(2)[truth]])),
            _ => [
                either([done(0)[1], done(1)[0]], [done(0)[0], done(1)[1]]),
                either([done(0)[1], done(1)[1]], [done(0)[0], done(1)[0]]),
            ],
        }
    }

    /// A comparison with the same of the rays; nothing if its sides are not linear.
    fn comparison(
        &self,
        terms: &mut Terms,
        op: Op,
        left: TermId,
        right: TermId,
    ) -> Option<[TermId; 2]> {
        let difference = Linear::of(terms, left)?.minus(&Linear::of(terms, right)?);
        let (mut falls, mut rises) = (Vec::new(), Vec::new());
        for ray in 0..self.n_rays {
            let mut form = Linear::constant(rat(0));
            for (var, factor) in &difference.coefficients {
                if let Some(rays) = self.rays.get(var) {
                    form.add(&Linear::var(rays[ray]), factor);
                }
            }
            let form = form.term(terms);
            let zero = literal(terms, form, 0);
            falls.push(terms.le(form, zero));
            rises.push(terms.le(zero, form));
        }
        let (less, more) = (terms.lt(left, right), terms.lt(right, left));
        let mut stays = |literal: TermId, rays: &[&[TermId]]| {
            let all = [&[literal][..], &rays.concat()].concat();
            terms.and(&all)
        };
        let (less_stays, more_stays) = (stays(less, &[&falls]), stays(more, &[&rises]));
        Some(match op {
            Op::Le => {
                let at_most = terms.le(left, right);
                [more_stays, terms.and(&[&[at_most][..], &falls].concat())]
            }
            Op::Lt => {
                let at_least = terms.le(right, left);
                [terms.and(&[&[at_least][..], &rises].concat()), less_stays]
            }
            _ => {
                let equal = terms.eq(left, right);
                let equal = terms.and(&[&[equal][..], &falls, &rises].concat());
                [terms.or(&[less_stays, more_stays]), equal]
            }
        })
    }

    /// That nothing grows on which a term depends.
    fn still(&self, terms: &mut Terms, term: TermId) -> TermId {
        let mut still = Vec::new();
        for var in terms.free_vars(&[term]) {
            for &ray in self.rays.get(&var).into_iter().flatten() {
                let ray = terms.var(ray);
                let zero = literal(terms, ray, 0);
                still.push(terms.eq(ray, zero));
            }
        }
        terms.and(&still)
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
