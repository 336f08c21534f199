//! One step under predicate abstraction: which cubes can follow a cube.
//!
//! What a step is asked: predicates that it cannot touch keep their value; a predicate after the step
//! is a term over the state before (see [`crate::summary`]) and is looked up among the known
//! predicates first; only the rest is asked, one check for all of them together and at most one more
//! for each, since the model of the first gives each predicate one possible value. What was asked
//! before (see [`crate::facts`]) is not asked again.

use super::Predicate;
use super::cube::Cube;
use crate::facts::Consequences;
use crate::session::{Halt, Session};
use crate::summary::Summary;
use lariat_base::FxHashMap;
use lariat_expr::{Head, Op, Substitution, TermId, Terms, VarId};
use lariat_smt::Answer;

/// A statement as the predicates see it.
pub(super) struct PredStep {
    /// What must hold before.
    guard: TermId,
    /// Each predicate, with known values put in.
    before: Vec<TermId>,
    /// Each predicate after the step, as a term over the state before.
    after: Vec<TermId>,
    /// The variables of each predicate.
    vars: Vec<Vec<VarId>>,
    guard_vars: Vec<VarId>,
}

/// What is asked of a step.
pub(super) struct Ask<'a> {
    /// The predicates whose truth after the step is wanted.
    pub wanted: &'a [usize],
    /// Whether those are all predicates that were wanted before, too.
    pub same_as_before: bool,
    /// Every combination, up to this many, instead of each predicate on its own.
    pub exact: Option<usize>,
}

impl PredStep {
    /// The step of `summary` with `known` values put in; `also` must hold in addition to its guard.
    pub fn new(
        terms: &mut Terms,
        summary: &Summary,
        predicates: &[Predicate],
        known: &mut Substitution,
        also: &[TermId],
    ) -> Self {
        let mut updates = Substitution::new();
        for &(var, value) in &summary.updates {
            updates.insert(terms, var, value);
        }
        let mut guard = vec![known.apply(terms, summary.guard)];
        guard.extend(also);
        let guard = terms.and(&guard);
        let mut step = Self {
            guard,
            before: Vec::new(),
            after: Vec::new(),
            vars: Vec::new(),
            guard_vars: terms.free_vars(&[guard]),
        };
        for &predicate in predicates {
            let before = known.apply(terms, predicate.term());
            let after = updates.apply(terms, predicate.term());
            step.vars.push(terms.free_vars(&[before]));
            step.before.push(before);
            step.after.push(known.apply(terms, after));
        }
        step
    }

    /// The cubes that can follow `from` (anything, if none); together they cover every successor.
    pub fn post(
        &self,
        session: &mut Session,
        from: Option<&Cube>,
        ask: &Ask<'_>,
    ) -> Result<Vec<Cube>, Halt> {
        let Some(truths) = Truths::new(&mut session.cx.terms, &self.before, from) else {
            return Ok(Vec::new());
        };
        let related = if ask.same_as_before {
            Vec::new()
        } else {
            session.cx.terms.free_vars(&truths.literals)
        };
        let mut to = Cube::unknown();
        let mut open: Vec<usize> = Vec::new();
        for &i in ask.wanted {
            let truth = truths.of(&session.cx.terms, self.after[i]);
            let mentioned = |var: &VarId| {
                self.guard_vars.binary_search(var).is_ok() || related.binary_search(var).is_ok()
            };
            if truth.is_some() {
                to.set(i, truth);
            } else if self.after[i] != self.before[i] || self.vars[i].iter().any(mentioned) {
                open.push(i);
            }
        }
        match truths.of(&session.cx.terms, self.guard) {
            Some(false) => return Ok(Vec::new()),
            Some(true) if open.is_empty() => return Ok(vec![to]),
            _ => {}
        }
        let mut assumptions = truths.literals;
        assumptions.push(self.guard);
        assumptions.sort_unstable();
        let Some(open) = self.settle(session, &mut to, open, &assumptions)? else {
            return Ok(Vec::new());
        };
        match ask.exact {
            Some(max) if !open.is_empty() => self.split(session, &to, &open, &assumptions, max),
            _ => Ok(vec![to]),
        }
    }

    /// Sets the predicates that can only have one value after the step; returns those that can have
    /// both, or nothing if the step cannot be taken.
    fn settle(
        &self,
        session: &mut Session,
        to: &mut Cube,
        mut open: Vec<usize>,
        assumptions: &[TermId],
    ) -> Result<Option<Vec<usize>>, Halt> {
        let mut both = Vec::new();
        match session.facts.of(assumptions) {
            Some(Consequences::Contradiction) => return Ok(None),
            Some(Consequences::Truths(known)) => {
                open.retain(|&i| match known.get(&self.after[i]) {
                    None => true,
                    Some(&truth) => {
                        to.set(i, truth);
                        if truth.is_none() {
                            both.push(i);
                        }
                        false
                    }
                });
                if open.is_empty() {
                    return Ok(Some(both));
                }
            }
            None => {}
        }
        session.stats.post_checks += 1;
        let answer = session.check(assumptions)?;
        if open.is_empty() || answer == Answer::Unsat {
            session.stats.guard_checks += 1;
        }
        match answer {
            Answer::Unsat => {
                session.facts.contradict(assumptions.to_vec());
                return Ok(None);
            }
            Answer::Unknown(_) => return Ok(Some(Vec::new())),
            Answer::Sat => {}
        }
        session.stats.queried_predicates += open.len() as u64;
        both.extend(decide(session, to, &open, &self.after, assumptions)?);
        let truths = open.iter().map(|&i| (self.after[i], to.get(i)));
        session.facts.learn(assumptions.to_vec(), truths);
        Ok(Some(both))
    }

    /// One cube for each combination of the open predicates.
    fn split(
        &self,
        session: &mut Session,
        to: &Cube,
        open: &[usize],
        assumptions: &[TermId],
        max: usize,
    ) -> Result<Vec<Cube>, Halt> {
        session.scoped(|session| {
            let mut cubes = Vec::new();
            loop {
                session.stats.post_checks += 1;
                match session.check(assumptions)? {
                    Answer::Unsat => return Ok(cubes),
                    Answer::Sat if cubes.len() < max => {}
                    // Cartesian after all: the cube without the open predicates covers every combination.
                    Answer::Sat | Answer::Unknown(_) => return Ok(vec![to.clone()]),
                }
                let mut cube = to.clone();
                let mut differs = Vec::new();
                for &i in open {
                    let Some(truth) = session.truth(self.after[i]) else {
                        continue;
                    };
                    cube.set(i, Some(truth));
                    differs.push(if truth {
                        session.cx.terms.not(self.after[i])
                    } else {
                        self.after[i]
                    });
                }
                let block = session.cx.terms.or(&differs);
                session.solver.assert(&session.cx.terms, block);
                cubes.push(cube);
            }
        })
    }
}

/// Settles the open predicates after a check that was satisfiable under `assumptions`: sets those that
/// can only have one value, returns those that can have both.
fn decide(
    session: &mut Session,
    to: &mut Cube,
    open: &[usize],
    after: &[TermId],
    assumptions: &[TermId],
) -> Result<Vec<usize>, Halt> {
    let mut assumptions = assumptions.to_vec();
    let first: Vec<Option<bool>> = open.iter().map(|&i| session.truth(after[i])).collect();
    let mut both: Vec<bool> = first.iter().map(Option::is_none).collect();
    for at in 0..open.len() {
        let (i, false, Some(truth)) = (open[at], both[at], first[at]) else {
            continue;
        };
        let other = if truth {
            session.cx.terms.not(after[i])
        } else {
            after[i]
        };
        assumptions.push(other);
        session.stats.post_checks += 1;
        let answer = session.check(&assumptions)?;
        assumptions.pop();
        match answer {
            Answer::Unsat => to.set(i, Some(truth)),
            Answer::Unknown(_) => both[at] = true,
            Answer::Sat => {
                // This model may show other values of later predicates, too.
                for later in at..open.len() {
                    both[later] |= session.truth(after[open[later]]) != first[later];
                }
            }
        }
    }
    Ok((0..open.len())
        .filter(|&at| both[at])
        .map(|at| open[at])
        .collect())
}

/// The predicates that are known before a step.
struct Truths {
    map: FxHashMap<TermId, bool>,
    /// The same as assumptions.
    literals: Vec<TermId>,
}

impl Truths {
    /// None if a predicate cannot have the truth that the cube says.
    fn new(terms: &mut Terms, predicates: &[TermId], from: Option<&Cube>) -> Option<Self> {
        let mut truths = Self {
            map: FxHashMap::default(),
            literals: Vec::new(),
        };
        let Some(from) = from else {
            return Some(truths);
        };
        for (i, &predicate) in predicates.iter().enumerate() {
            let Some(truth) = from.get(i) else { continue };
            if let Some(value) = terms.as_lit(predicate) {
                if value.as_bool() != truth {
                    return None;
                }
                continue;
            }
            let negated = terms.not(predicate);
            truths.map.insert(predicate, truth);
            truths.map.insert(negated, !truth);
            truths
                .literals
                .push(if truth { predicate } else { negated });
        }
        Some(truths)
    }

    /// The truth of a term from the known predicates alone, if its Boolean structure shows it. Two
    /// levels are enough for labels of automata (conjunctions of literals, and disjunctions of these).
    fn of(&self, terms: &Terms, term: TermId) -> Option<bool> {
        self.junction(terms, term, 2)
    }

    fn junction(&self, terms: &Terms, term: TermId, depth: u32) -> Option<bool> {
        if let Some(value) = terms.as_lit(term) {
            return Some(value.as_bool());
        }
        if let Some(&truth) = self.map.get(&term) {
            return Some(truth);
        }
        if depth == 0 {
            return None;
        }
        let (decides, args) = match terms.head(term) {
            Head::Op(Op::And, args) => (false, args),
            Head::Op(Op::Or, args) => (true, args),
            _ => return None,
        };
        let mut all_known = true;
        for &arg in args {
            match self.junction(terms, arg, depth - 1) {
                Some(truth) if truth == decides => return Some(decides),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(!decides)
    }
}
