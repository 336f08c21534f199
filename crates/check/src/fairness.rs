//! What the fairness constraints of a system ask of a cycle, as acceptance marks of what is read.
//!
//! A justice constraint is one more Büchi mark, carried by the arcs that read a state in which its term is true. A
//! compassion constraint is a Streett pair. Where the response is true the request does not matter, since a cycle with
//! that arc has the response; so a pair has three cases, not four.
//!
//! A reader that reads concrete states evaluates the terms. A reader of abstract states must decide them exactly, too: a
//! mark that an abstract arc lacks would hide runs, and one too many would find runs that are not fair. So each of its
//! edges is split into the [cases](FairMarks::cases) of all constraints together, which cover the edge.

use crate::acceptance::{Acceptance, Mark, StreettPair};
use lariat_expr::{TermId, Terms};
use lariat_system::Fairness;

/// The constraints of a system with their marks.
#[derive(Debug, Default)]
pub(crate) struct FairMarks {
    /// The terms that constraints read, each once.
    terms: Vec<TermId>,
    constraints: Vec<Constraint>,
}

/// A constraint over the terms at some positions.
#[derive(Clone, Copy, Debug)]
enum Constraint {
    Justice(usize, Mark),
    Compassion(usize, usize, StreettPair),
}

/// One way in which the constraints can read a state: the condition for it, and the marks of the arc that reads it.
pub(crate) type Case = (TermId, Vec<Mark>);

impl FairMarks {
    /// Adds what the constraints demand to `acceptance`.
    pub fn new(fairness: &[Fairness], acceptance: &mut Acceptance) -> Self {
        let mut terms: Vec<TermId> = Vec::new();
        let mut position = |term: TermId| {
            let known = terms.iter().position(|&other| other == term);
            known.unwrap_or_else(|| {
                terms.push(term);
                terms.len() - 1
            })
        };
        let mut constraint = |constraint: &Fairness| match *constraint {
            Fairness::Justice(term) => Constraint::Justice(position(term), acceptance.add_buchi()),
            Fairness::Compassion(request, response) => {
                let (request, response) = (position(request), position(response));
                Constraint::Compassion(request, response, acceptance.add_streett())
            }
        };
        let constraints = fairness.iter().map(&mut constraint).collect();
        Self { terms, constraints }
    }

    /// The terms whose truth is asked for.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }

    /// The marks of an arc that reads a state; bit `i` tells whether the `i`-th of the terms is true there.
    pub fn marks(&self, truths: u64) -> impl Iterator<Item = Mark> {
        let is_true = move |at: usize| truths >> at & 1 == 1;
        self.constraints
            .iter()
            .filter_map(move |constraint| match *constraint {
                Constraint::Justice(at, mark) => is_true(at).then_some(mark),
                Constraint::Compassion(_, response, pair) if is_true(response) => {
                    Some(pair.response)
                }
                Constraint::Compassion(request, _, pair) => {
                    is_true(request).then_some(pair.request)
                }
            })
    }

    /// How many cases there may be.
    pub fn max_cases(&self) -> usize {
        let n_cases = |constraint: &Constraint| match constraint {
            Constraint::Justice(..) => 2,
            Constraint::Compassion(..) => 3,
        };
        let counts = self.constraints.iter().map(n_cases);
        counts.fold(1, usize::saturating_mul)
    }

    /// All ways to read a state: exactly one of the conditions is true of each. Without constraints there is one.
    pub fn cases(&self, terms: &mut Terms) -> Vec<Case> {
        let mut cases: Vec<Case> = vec![(terms.true_(), Vec::new())];
        for constraint in &self.constraints {
            let parts: Vec<(TermId, Option<Mark>)> = match *constraint {
                Constraint::Justice(at, mark) => {
                    let term = self.terms[at];
                    vec![(term, Some(mark)), (terms.not(term), None)]
                }
                Constraint::Compassion(request, response, pair) => {
                    let (request, response) = (self.terms[request], self.terms[response]);
                    let [silent, idle] = [response, request].map(|term| terms.not(term));
                    vec![
                        (response, Some(pair.response)),
                        (terms.and(&[silent, request]), Some(pair.request)),
                        (terms.and(&[silent, idle]), None),
                    ]
                }
            };
            let mut split = Vec::with_capacity(cases.len() * parts.len());
            for (condition, marks) in &cases {
                for &(part, mark) in &parts {
                    let both = terms.and(&[*condition, part]);
                    if both != terms.false_() {
                        split.push((both, marks.iter().copied().chain(mark).collect()));
                    }
                }
            }
            cases = split;
        }
        cases
    }
}

#[cfg(test)]
mod tests;
