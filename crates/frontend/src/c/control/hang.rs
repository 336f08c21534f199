//! Runs that come to no further `__VERIFIER_ltl_step()`: the last letter repeats for ever.
//!
//! Only these calls are observed, so a run that loops for ever between two of them would give a finite word, and refute
//! nothing. Therefore formulas read *latches*, copies of the variables that are set where the program is observed, and
//! the graph has a second copy, *hanging*, in which every step is observed. The program may go over to it where it is
//! observed, and at the start (the letter is that of the initial values then). There it runs on, while the latches keep
//! their values; if it comes to another step or to its end after all, it goes to a place where nothing is ever observed.
//! So the infinite runs of the copy are the runs of the program that hang, with their last letter repeated, and no run
//! repeats a letter and goes on: that is right for every formula, with `X` too.
//!
//! Of an atom such as `at(LABEL)` the letter is remembered by the copy's name: there is one copy for each name that an
//! observed step can lead to.

use crate::c::control::fault::Fault;
use crate::c::control::graph::Graph;
use lariat_base::{Id, IdVec};
use lariat_system::{Context, Edge, LocId, LocRole, StmtId};

/// The copies of the graph.
pub(in crate::c) struct Hanging {
    /// Where a run starts that comes to no step at all.
    pub start: LocId,
    /// The locations of all copies.
    pub locations: Vec<LocId>,
}

impl Graph {
    /// Adds the copies; `latch` sets the latches. Edges have their final targets and say whether they are observed.
    pub fn add_hanging(&mut self, cx: &mut Context, latch: StmtId, steps: &[usize]) -> Hanging {
        let (n_edges, n_locations) = (self.edges.len(), self.locations.len());
        for i in 0..n_edges {
            let (from, edge) = self.edges[i];
            let is_read = edge.observed || edge.target == self.end && from != self.end;
            if is_read && !edge.stutter {
                let span = cx.stmts.span(edge.stmt);
                self.edges[i].1.stmt = cx.stmts.seq(&[edge.stmt, latch], span);
            }
        }
        let skip = cx.stmts.skip();
        let lost = self.location(None);
        self.edge(lost, skip, lost, false);
        let mut names: Vec<Option<Box<str>>> = vec![None];
        for &step in steps {
            let name = self.name_of(self.edges[step].1.target);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let (mut start, mut locations) = (self.start, Vec::new());
        for name in &names {
            let copy = self.copied(name.as_deref(), lost, (n_locations, n_edges), steps);
            if name.is_none() {
                start = copy[self.start].expect("the start is no special place");
            }
            for &step in steps {
                let (from, edge) = self.edges[step];
                if let Some(target) = copy[edge.target]
                    && self.name_of(edge.target) == *name
                {
                    self.edges.push((from, Edge { target, ..edge }));
                }
            }
            locations.extend(copy.iter().flatten().copied());
        }
        Hanging { start, locations }
    }

    /// The name by which a formula can speak of a location.
    fn name_of(&self, loc: LocId) -> Option<Box<str>> {
        self.named[loc.index()].then(|| self.locations[loc].name.clone())
    }

    /// One copy of the graph, without the places where a run ends.
    fn copied(
        &mut self,
        name: Option<&str>,
        lost: LocId,
        (n_locations, n_edges): (usize, usize),
        steps: &[usize],
    ) -> IdVec<LocId, Option<LocId>> {
        let mut ends = vec![self.end, self.error, self.assert];
        ends.extend(Fault::ALL.map(|fault| self.fault(fault)));
        let mut copy: IdVec<LocId, Option<LocId>> = IdVec::new();
        for loc in (0..n_locations).map(LocId::from_index) {
            let goes_on = matches!(self.locations[loc].role, LocRole::Plain | LocRole::Initial);
            let span = self.locations[loc].span;
            copy.push((goes_on && !ends.contains(&loc)).then(|| match name {
                Some(name) => self.named(name, LocRole::Plain, span),
                None => self.location(span),
            }));
        }
        for i in 0..n_edges {
            let (from, edge) = self.edges[i];
            let Some(from) = copy[from] else { continue };
            let is_step = steps.binary_search(&i).is_ok();
            let target = copy[edge.target].filter(|_| !is_step);
            let observed = target.is_some();
            let target = target.unwrap_or(lost);
            let edge = Edge { target, ..edge };
            self.edges.push((from, edge.observed_if(observed)));
        }
        copy
    }
}
