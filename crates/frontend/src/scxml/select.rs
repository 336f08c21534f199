//! Which transitions fire: `selectTransitions` and `removeConflictingTransitions` of the standard, for one trigger.
//!
//! For each active state without states inside, in document order, the first enabled transition of it or of a state around
//! it is considered; one that leaves a state which another one leaves, too, gives way or prevails. All of this depends on
//! the state only through which states are active and which conditions hold. So the algorithm is run once, here, on terms:
//! what it says of each transition is the condition under which it fires.

use super::enter::Way;
use super::lower::Lower;
use super::tree::{StateId, index, root};
use super::value::Truth;
use lariat_base::Id;
use lariat_expr::TermId;

/// What may fire on one trigger.
#[derive(Debug)]
pub(super) struct Selection {
    pub candidates: Vec<Candidate>,
    /// Whether never more than one fires.
    pub exclusive: bool,
    /// When evaluating a condition is an error, one by one: each is an event.
    pub raises: Vec<TermId>,
    /// When a condition is nothing that is modelled.
    pub outside: TermId,
}

/// A transition that may fire.
#[derive(Debug)]
pub(super) struct Candidate {
    pub way: Way,
    pub fires: TermId,
    /// By which state it is considered first, and when; its content runs in this order.
    pub first: Vec<(StateId, TermId)>,
}

impl Lower<'_> {
    /// What fires among these transitions, which are in document order.
    pub fn select(&mut self, ways: Vec<Way>) -> Selection {
        let no = self.cx.terms.false_();
        let mut selection = Selection {
            exclusive: self.are_exclusive(&ways),
            candidates: Vec::with_capacity(ways.len()),
            raises: Vec::new(),
            outside: no,
        };
        let mut at_source: Vec<Vec<usize>> = vec![Vec::new(); self.tree.states.len()];
        let mut conditions: Vec<Truth> = Vec::new();
        for (at, way) in ways.into_iter().enumerate() {
            let transition = &self.tree.transitions[way.transition.index()];
            at_source[index(transition.source)].push(at);
            let truth = match &transition.cond {
                Some(cond) => self.truth(cond),
                None => Truth {
                    holds: self.cx.terms.true_(),
                    raises: no,
                    outside: no,
                },
            };
            let holds = self.cx.terms.and(&[truth.holds, way.when]);
            conditions.push(Truth { holds, ..truth });
            selection.candidates.push(Candidate {
                way,
                fires: no,
                first: Vec::new(),
            });
        }
        for atomic in self.tree.atomics(root()).collect::<Vec<_>>() {
            self.consider(atomic, &at_source, &conditions, &mut selection);
        }
        selection
    }

    /// What an active state without states inside adds to the selection.
    fn consider(
        &mut self,
        atomic: StateId,
        at_source: &[Vec<usize>],
        conditions: &[Truth],
        selection: &mut Selection,
    ) {
        let tree = self.tree;
        let chain = std::iter::once(atomic).chain(tree.ancestors(atomic));
        let chain: Vec<usize> = chain
            .flat_map(|id| at_source[index(id)].iter().copied())
            .collect();
        if chain.is_empty() {
            return;
        }
        let mut open = self.active(atomic);
        for at in chain {
            let Truth {
                holds,
                raises,
                outside,
            } = conditions[at];
            self.note_mistakes(open, raises, outside, selection);
            let picked = self.cx.terms.and(&[open, holds]);
            let not = self.cx.terms.not(holds);
            open = self.cx.terms.and(&[open, not]);
            self.take(at, atomic, picked, selection);
        }
    }

    fn note_mistakes(
        &mut self,
        open: TermId,
        raises: TermId,
        outside: TermId,
        selection: &mut Selection,
    ) {
        let no = self.cx.terms.false_();
        if raises != no {
            self.conditions_raise = true;
            selection.raises.push(self.cx.terms.and(&[open, raises]));
        }
        if outside != no {
            let outside = self.cx.terms.and(&[open, outside]);
            selection.outside = self.cx.terms.or(&[selection.outside, outside]);
        }
    }

    /// Adds a transition that a state picks, unless another one prevails.
    fn take(&mut self, at: usize, atomic: StateId, picked: TermId, selection: &mut Selection) {
        let tree = self.tree;
        if selection.exclusive {
            let old = selection.candidates[at].fires;
            selection.candidates[at].fires = self.cx.terms.or(&[old, picked]);
            return;
        }
        let seen: Vec<TermId> = selection.candidates[at]
            .first
            .iter()
            .map(|first| first.1)
            .collect();
        let seen = self.cx.terms.or(&seen);
        let unseen = self.cx.terms.not(seen);
        let new = self.cx.terms.and(&[picked, unseen]);
        selection.candidates[at].first.push((atomic, new));
        let source =
            |candidate: &Candidate| tree.transitions[candidate.way.transition.index()].source;
        let (mut losing, mut prevailing) = (Vec::new(), Vec::new());
        for (other, candidate) in selection.candidates.iter().enumerate() {
            let conflicts =
                other != at && self.conflict(&candidate.way, &selection.candidates[at].way);
            let may_be_there = candidate
                .first
                .iter()
                .any(|first| tree.are_orthogonal(first.0, atomic));
            if conflicts && may_be_there {
                if tree.is_inside(source(&selection.candidates[at]), source(candidate)) {
                    losing.push(other);
                } else {
                    prevailing.push(candidate.fires);
                }
            }
        }
        let preempted = self.cx.terms.or(&prevailing);
        let stands = self.cx.terms.not(preempted);
        let taken = self.cx.terms.and(&[new, stands]);
        let not_taken = self.cx.terms.not(taken);
        for other in losing {
            let old = selection.candidates[other].fires;
            selection.candidates[other].fires = self.cx.terms.and(&[old, not_taken]);
        }
        let old = selection.candidates[at].fires;
        selection.candidates[at].fires = self.cx.terms.or(&[old, taken]);
    }

    /// Whether both leave a common state, if both fire: their domains are one inside of the other.
    fn conflict(&self, a: &Way, b: &Way) -> bool {
        match (a.domain, b.domain) {
            (Some(a), Some(b)) => self.tree.is_in_or_at(a, b) || self.tree.is_in_or_at(b, a),
            _ => false,
        }
    }

    /// Whether never two of these can fire together, nor can one be considered by two states.
    fn are_exclusive(&self, ways: &[Way]) -> bool {
        let tree = self.tree;
        let source = |way: &Way| tree.transitions[way.transition.index()].source;
        let has_regions = |outer: StateId| {
            let mut all = std::iter::once(outer).chain(tree.inside(outer));
            all.any(|id| tree.kind(id) == lariat_system::ChartKind::Parallel)
        };
        let together = |a: StateId, b: StateId| {
            tree.are_orthogonal(a, b)
                || tree.is_in_or_at(a, b) && has_regions(b)
                || tree.is_in_or_at(b, a) && has_regions(a)
        };
        let mut sources: Vec<StateId> = ways.iter().map(source).collect();
        sources.dedup();
        sources.iter().enumerate().all(|(i, &a)| {
            // One transition of a state with regions is considered by several, but is one.
            sources[..i].iter().all(|&b| a == b || !together(a, b))
        })
    }
}
