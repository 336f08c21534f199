//! Rays: vectors by which the numbers of a state grow, and formulas that stay true along them.
//!
//! A formula in negation normal form is true in a state and whatever multiples of the rays are added to it if each of its
//! comparisons is strengthened by the same comparison of the rays, `s ≤ t` by `ray(s) ≤ ray(t)`: no disjunctive
//! normal form is needed.

use crate::rank::{Linear, is_number, number as literal, rat};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Op, TermId, Terms, VarId};

/// The multiples of a ray that one round may lead to.
const MULTIPLES: [i64; 7] = [1, 0, 2, 3, 4, 5, 10];
/// Rays are instances of their own, as ghosts of measures are.
const RAY: u32 = u32::MAX - 4;

/// What a round makes of a ray: a multiple of itself, perhaps plus the next ray.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub multiple: i64,
    pub has_next: bool,
}

/// What a round may make of one of some rays.
pub(crate) fn ways(ray: usize, n_rays: usize) -> impl Iterator<Item = Way> {
    let next = if ray + 1 < n_rays { 2 } else { 1 };
    let nexts = [false, true].into_iter().take(next);
    nexts.flat_map(|has_next| {
        MULTIPLES
            .map(|multiple| Way { multiple, has_next })
            .into_iter()
    })
}

/// Formulas that are true along rays: in a state, and whatever multiples of the rays are added to it.
pub(crate) struct Along {
    rays: FxHashMap<VarId, Vec<VarId>>,
    n_rays: usize,
    /// That a term is false, and that it is true, along the rays.
    done: FxHashMap<TermId, [TermId; 2]>,
}

impl Along {
    /// Some rays for each of some variables.
    pub fn new(terms: &mut Terms, growing: &[VarId], n_rays: usize) -> Self {
        let mut rays = FxHashMap::default();
        for &var in growing {
            let sort = terms.var_sort(var);
            let ray = |i: usize| terms.declare_instance(&format!("ray {i} of {var:?}"), sort, RAY);
            rays.insert(var, (0..n_rays).map(ray).collect::<Vec<VarId>>());
        }
        Self {
            rays,
            n_rays,
            done: FxHashMap::default(),
        }
    }

    /// The variables that may grow, with their rays.
    pub fn rays(&self) -> &FxHashMap<VarId, Vec<VarId>> {
        &self.rays
    }

    /// The ray of a variable that may grow.
    pub fn ray(&self, terms: &mut Terms, var: TermId, ray: usize) -> Option<TermId> {
        let rays = self.rays.get(&terms.as_var(var)?)?;
        Some(terms.var(rays[ray]))
    }

    /// That the round leads to the next state, and each ray to a multiple of itself and perhaps the next ray.
    /// `changed` has the copies of what changes, at its start and at its end.
    pub fn closing(&self, terms: &mut Terms, changed: &[(TermId, TermId)]) -> Vec<TermId> {
        let mut conditions = Vec::new();
        for &(before, after) in changed {
            let mut sum = vec![before];
            for ray in 0..self.n_rays {
                sum.extend(self.ray(terms, before, ray));
            }
            let next = if sum.len() > 1 {
                terms.add(&sum)
            } else {
                before
            };
            conditions.push(terms.eq(after, next));
        }
        for ray in 0..self.n_rays {
            let ways: Vec<TermId> = ways(ray, self.n_rays)
                .map(|Way { multiple, has_next }| {
                    let mut equations = Vec::new();
                    for &(before, after) in changed {
                        let Some(own) = self.ray(terms, before, ray) else {
                            continue;
                        };
                        let factor = literal(terms, own, multiple);
                        let mut sum = vec![terms.mul(&[factor, own])];
                        if has_next {
                            sum.extend(self.ray(terms, before, ray + 1));
                        }
                        let sum = terms.add(&sum);
                        let end = self.ray(terms, after, ray).expect("both ends may grow");
                        equations.push(terms.eq(end, sum));
                    }
                    terms.and(&equations)
                })
                .collect();
            conditions.push(terms.or(&ways));
        }
        conditions
    }

    /// That a formula is false, and that it is true, along the rays.
    pub fn truths(&mut self, terms: &mut Terms, root: TermId) -> [TermId; 2] {
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
