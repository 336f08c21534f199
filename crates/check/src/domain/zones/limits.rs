//! The largest constants that matter for each clock.
//!
//! A clock matters up to a constant if it is compared with it, or if its value is passed on to a clock, or to a number that is
//! chosen, that matters so far.

use super::matrix::Limit;
use super::step::Points;
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Int, TermId, Terms, Value, VarId};
use lariat_system::StmtId;

/// What constants are multiplied by has at most so many bits.
const MAX_BITS: u64 = 20;

/// The constants of a problem.
#[derive(Debug)]
pub(super) struct Limits {
    /// What constants are multiplied by to be whole.
    pub scale: Int,
    /// The limits of the origin and of each clock.
    pub of: Vec<Limit>,
    /// Those that what is read between steps asks for.
    pub of_read: Vec<Limit>,
}

impl Limits {
    /// The limits of `clocks` in steps, and in terms that are read between them.
    pub fn new(
        session: &mut Session,
        clocks: &[VarId],
        stmts: &[StmtId],
        read: &[TermId],
    ) -> Result<Self, Halt> {
        let mut steps = Vec::new();
        for &stmt in stmts {
            steps.push(session.summary(stmt)?);
        }
        let mut roots = read.to_vec();
        for step in &steps {
            roots.push(step.guard);
            roots.extend(step.updates.iter().map(|update| update.1));
        }
        let terms = &session.cx.terms;
        let scale = scale(terms, &roots);
        let mut found = Found::default();
        found.look_at(terms, &Points::new(terms, clocks, &[], read, &scale), read);
        let of_read = found.limits_of(clocks);
        for step in &steps {
            let updates = step.updates.iter().map(|update| update.1);
            let roots: Vec<TermId> = [step.guard].into_iter().chain(updates).collect();
            let points = Points::new(terms, clocks, &step.auxiliary, &roots, &scale);
            found.look_at(terms, &points, &roots);
            for &(var, term) in &step.updates {
                for source in terms.free_vars(&[term]) {
                    found.passes.push((source, var));
                }
            }
        }
        found.pass_on();
        Ok(Self {
            scale,
            of: found.limits_of(clocks),
            of_read,
        })
    }
}

/// The least number that makes all rational constants whole, unless it is large.
fn scale(terms: &Terms, roots: &[TermId]) -> Int {
    let mut scale = Int::ONE;
    for term in terms.subterms(roots) {
        if let Some(Value::Rat(rat)) = terms.as_lit(term) {
            let gcd = scale.gcd(rat.denominator());
            let multiple = &scale * &rat.denominator().div_euclid(&gcd);
            if multiple.bits() <= MAX_BITS {
                scale = multiple;
            }
        }
    }
    scale
}

#[derive(Default)]
struct Found {
    limits: FxHashMap<VarId, i64>,
    /// The value of the first goes to the second.
    passes: Vec<(VarId, VarId)>,
}

impl Found {
    /// The limits of the origin and of clocks.
    fn limits_of(&self, clocks: &[VarId]) -> Vec<Limit> {
        let limit = |clock| {
            let limit = self.limits.get(clock).copied();
            limit.map_or(Limit::NOTHING, Limit::at)
        };
        let clocks = clocks.iter().map(limit);
        [Limit::at(0)].into_iter().chain(clocks).collect()
    }

    fn look_at(&mut self, terms: &Terms, points: &Points, roots: &[TermId]) {
        for atom in terms.subterms(roots) {
            let Some((_, difference)) = points.compared(terms, atom) else {
                continue;
            };
            let ends = [difference.plus, difference.minus].map(|point| points.variable(point));
            for var in ends.into_iter().flatten() {
                let limit = self.limits.entry(var).or_default();
                *limit = (*limit).max(difference.constant.abs());
            }
            if let [Some(one), Some(other)] = ends {
                self.passes.extend([(one, other), (other, one)]);
            }
        }
    }

    fn pass_on(&mut self) {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (source, target) in &self.passes {
                let limit = self.limits.get(target).copied();
                if limit > self.limits.get(source).copied() {
                    self.limits.extend(limit.map(|limit| (*source, limit)));
                    has_changed = true;
                }
            }
        }
    }
}
