//! Limits that depend on the values of the other variables: where a clock is not compared before it is set again it does
//! not matter at all.
//!
//! The graph of the values alone, clocks left out, is explored; in it limits go backwards over the steps that pass a
//! clock on (Behrmann, Bouyer, Fleury and Larsen, "Static guard analysis in timed automata verification", 2003).

use super::matrix::Limit;
use super::step::Move;
use super::{Step, ValuesId, Zones};
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, Id as _};
use lariat_system::StmtId;
use std::rc::Rc;

/// The graph is not explored if that means to look at more terms: some seconds.
const MAX_WORK: usize = 4_000_000;

/// The steps from each of the values.
type Explored = FxHashMap<ValuesId, Vec<Rc<Step>>>;

impl Zones {
    /// Finds the limits of the clocks at all values that the others can have, if these are not too many.
    pub(super) fn find_local_limits(
        &mut self,
        session: &mut Session,
        stmts: &[StmtId],
        starts: &[StmtId],
    ) -> Result<(), Halt> {
        let Some(explored) = self.explore(session, stmts, starts)? else {
            return Ok(());
        };
        let mut limits = vec![self.limits.of_read.clone(); self.values.len()];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (from, steps) in &explored {
                for step in steps {
                    for (one, to) in &step.moves {
                        let new = before(one, step.n_points, &limits[to.index()]);
                        for (own, new) in limits[from.index()].iter_mut().zip(new).skip(1) {
                            let new = new.max(*own);
                            has_changed |= new != *own;
                            *own = new;
                        }
                    }
                }
            }
        }
        self.local_limits = limits;
        Ok(())
    }

    /// The steps from all values that can be reached if clocks are left out.
    fn explore(
        &mut self,
        session: &mut Session,
        stmts: &[StmtId],
        starts: &[StmtId],
    ) -> Result<Option<Explored>, Halt> {
        let mut todo = Vec::new();
        for &start in starts {
            let step = self.step(session, None, start)?;
            todo.extend(step.moves.iter().map(|(_, values)| *values));
        }
        let mut explored = Explored::default();
        while let Some(from) = todo.pop() {
            if explored.contains_key(&from) {
                continue;
            }
            if self.work > MAX_WORK {
                return Ok(None);
            }
            let mut steps = Vec::new();
            for &stmt in stmts {
                let step = self.step(session, Some(from), stmt)?;
                todo.extend(step.moves.iter().map(|(_, values)| *values));
                steps.push(step);
            }
            steps.retain(|step| !step.moves.is_empty());
            explored.insert(from, steps);
        }
        Ok(Some(explored))
    }
}

/// How far the points of a step matter: what it compares them with, and what the clocks that they become matter for.
fn before(one: &Move, n_points: usize, after: &[Limit]) -> Vec<Limit> {
    let mut limits = vec![Limit::NOTHING; n_points];
    for (&clock, &limit) in one.clocks.iter().zip(after).skip(1) {
        if let Some((point, _)) = clock {
            limits[point] = limits[point].max(limit);
        }
    }
    for &(number, minus, bound) in &one.demands {
        let value = bound.get().map(|(value, _)| value.abs());
        limits[number].upper = limits[number].upper.max(value);
        limits[minus].lower = limits[minus].lower.max(value);
    }
    // Of two points that are compared with each other, both matter as far as one does.
    let origins = one.origins;
    for &(number, minus, _) in one.demands.iter().chain(&one.demands) {
        if !origins.contains(&number) && !origins.contains(&minus) {
            let both = limits[number].max(limits[minus]);
            (limits[number], limits[minus]) = (both, both);
        }
    }
    limits
}
