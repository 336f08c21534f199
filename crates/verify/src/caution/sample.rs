//! The states of a model that are nearest to its start, listed by the interpreter.

use crate::confirm::letter;
use crate::model::Model;
use crate::property::Atom;
use lariat_base::{Budget, FxHashMap, Quota};
use lariat_system::{Context, Limits, State, TransitionSystem as _, successors};
use std::sync::Arc;

/// The work that listing may take, about as many microseconds.
const WORK: u64 = 100_000;
/// What looking at one edge of one state costs at least.
const EDGE: u64 = 20;
/// The most states.
const MAX_STATES: usize = 4_000;

/// Some states, in the order of their distance from the start.
pub struct Sample {
    /// The states.
    pub states: Vec<State>,
    /// Whether a step to it is observed.
    observed: Vec<bool>,
    /// The steps from each state that was looked at: where to, and whether that is observed.
    steps: Vec<Vec<(usize, bool)>>,
    /// Whether these are all states and all of their steps.
    pub is_complete: bool,
    /// Whether these are all initial states.
    knows_starts: bool,
    /// A state without any step.
    pub stuck: Option<usize>,
}

impl Sample {
    /// Lists states until the work is done.
    pub fn new(cx: &mut Context, model: &mut Model) -> Self {
        let quota = Arc::new(Quota::default());
        quota.open();
        let limits = Limits {
            values: 16,
            cases: 500,
            samples: 2,
            seed: 0,
            budget: Budget::unlimited().with_quota(Arc::clone(&quota)),
        };
        let mut sample = Self {
            states: Vec::new(),
            observed: Vec::new(),
            steps: Vec::new(),
            is_complete: true,
            knows_starts: true,
            stuck: None,
        };
        let mut known: FxHashMap<State, usize> = FxHashMap::default();
        let mut work = 0;
        sample.list(cx, model, None, &mut known, &limits);
        sample.knows_starts = sample.is_complete;
        while let Some(state) = sample.states.get(sample.steps.len()).cloned() {
            if work + quota.used() > WORK || sample.states.len() > MAX_STATES {
                sample.is_complete = false;
                break;
            }
            work += EDGE * model.edges(state.loc).len() as u64;
            let was_complete = std::mem::replace(&mut sample.is_complete, true);
            let steps = sample.list(cx, model, Some(&state), &mut known, &limits);
            if steps.is_empty() && sample.is_complete {
                sample.stuck.get_or_insert(sample.steps.len());
            }
            sample.is_complete &= was_complete;
            sample.steps.push(steps);
        }
        sample
    }

    /// The steps from a state, or those that start a run; notes if they are not all.
    fn list(
        &mut self,
        cx: &mut Context,
        model: &mut Model,
        from: Option<&State>,
        known: &mut FxHashMap<State, usize>,
        limits: &Limits,
    ) -> Vec<(usize, bool)> {
        let found = successors(cx, model, from, limits);
        self.is_complete &= found.more.is_none();
        let edges = match from {
            None => model.initial(),
            Some(state) => model.edges(state.loc),
        };
        let steps = found.steps.into_iter().map(|step| {
            let observed = edges[step.edge].observed;
            let id = *known.entry(step.state.clone()).or_insert_with(|| {
                self.states.push(step.state);
                self.observed.push(false);
                self.states.len() - 1
            });
            self.observed[id] |= observed;
            (id, observed)
        });
        steps.collect()
    }

    /// Whether it is certain that no run can even start.
    pub fn has_no_start(&self) -> bool {
        self.states.is_empty() && self.knows_starts
    }

    /// Whether some run goes on for ever and is observed again and again: it comes back to a state.
    pub fn has_loop(&self) -> bool {
        let observed = self.steps.iter().enumerate().flat_map(|(from, steps)| {
            let read = steps.iter().filter(|&&(_, observed)| observed);
            read.map(move |&(to, _)| (from, to))
        });
        // Most often the first steps of all close a loop; a model without one is seldom large.
        let mut pairs = observed.take(MAX_PAIRS);
        pairs.any(|(from, to)| self.reaches(to, from))
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.states.len()];
        seen[from] = true;
        let mut todo = vec![from];
        while let Some(at) = todo.pop() {
            if at == to {
                return true;
            }
            for &(next, _) in self.steps.get(at).into_iter().flatten() {
                if !std::mem::replace(&mut seen[next], true) {
                    todo.push(next);
                }
            }
        }
        false
    }

    /// Whether it is certain that every run ends.
    pub fn has_no_loop(&self) -> bool {
        let n_steps: usize = self.steps.iter().map(Vec::len).sum();
        self.is_complete && n_steps <= MAX_PAIRS && !self.has_loop()
    }

    /// Whether an atom was seen to be false and to be true in observed states.
    pub fn seen(&self, cx: &Context, model: &Model, atom: &Atom) -> [bool; 2] {
        let mut seen = [false; 2];
        let observed = self.states.iter().zip(&self.observed);
        for (state, _) in observed.filter(|&(_, &observed)| observed) {
            seen[letter(cx, model, state, std::slice::from_ref(atom)) as usize] = true;
            if seen == [true; 2] {
                break;
            }
        }
        seen
    }
}

/// The most steps from which a way back is looked for.
const MAX_PAIRS: usize = 5_000;
