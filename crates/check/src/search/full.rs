//! Explores everything and returns many lassos: the elementary ones, up to a limit.
//!
//! One lasso per exploration makes refinement learn one thing per exploration. Where exploring is expensive
//! and lassos are many, it pays to take them all: every one that is spurious refines in the same round,
//! and if one is real it need not wait for its turn.
//!
//! A lasso is elementary if no node occurs twice on it. Elementary cycles are listed fair part by
//! fair part (`streett.rs`; without Streett pairs that is an accepting component): from each node in
//! breadth-first order, through later nodes of its part only, so that each is met once; a node from which the first one cannot be reached again is never entered. Each cycle
//! gets a shortest stem first; then, while there is room, its other elementary stems. Both lists
//! can be exponential, so lassos and steps are limited, and [`Lassos::cut`] says so.
//!
//! Emptiness does not rest on the list: with several marks an accepting cycle need not be elementary (two
//! petals round one node). A fair part for which no elementary cycle was listed gives the cycle of `cycle.rs`,
//! so the result is empty only if there is no fair part.
//!
//! Rejected: Johnson's blocking of nodes (SIAM J. Comput. 1975), whose guarantee per listed cycle is
//! worth little when cycles without all marks are thrown away and the list is short anyway.

use super::cycle::{Region, accepting_cycle};
use super::streett::{Part, fair_parts};
use super::whole::Whole;
use super::{EmptinessCheck, Ticker};
use crate::{
    Acceptance, Graph, GraphLasso, GraphPath, Hop, MarkSetId, MarkSets, NodeId, Unsupported,
};
use lariat_base::{Budget, FxHashSet, Stop};
use std::fmt;
use std::ops::ControlFlow;

/// How many arcs are followed to list cycles and stems of one exploration.
const MAX_STEPS: u64 = 2_000_000;

/// The search.
#[derive(Debug, Default)]
pub struct Full {
    whole: Whole,
}

/// What a full search found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lassos {
    /// Accepting lassos; none only if there are none.
    pub lassos: Vec<GraphLasso>,
    /// Why some may be missing, if some may.
    pub cut: Option<Cutoff>,
}

/// What ended the list of lassos.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cutoff {
    /// There may be more lassos than were asked for.
    Limit(usize),
    /// Listing more would take too long.
    Effort,
}

impl fmt::Display for Cutoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(limit) => write!(f, "cut at the limit of {limit}"),
            Self::Effort => f.write_str("cut, listing all takes too long"),
        }
    }
}

impl Full {
    /// A search that has not started.
    pub fn new() -> Self {
        Self::default()
    }

    /// Up to `limit` accepting lassos of `graph` (at least one, if it has any).
    pub fn all(
        &mut self,
        graph: &mut dyn Graph,
        limit: usize,
        budget: &Budget,
    ) -> Result<Lassos, Stop> {
        self.whole = Whole::explore(graph, budget)?;
        let whole = &self.whole;
        let mut effort = Effort::new(budget);
        let acceptance = graph.acceptance().clone();
        let parts = fair_parts(whole.arcs(), &acceptance, graph.mark_sets());
        let limit = limit.max(1);
        let mut list = List::default();
        for (nth, part) in parts.iter().enumerate() {
            // Room for one of each part that is still to come.
            let to_come = parts.len() - nth - 1;
            let room = limit.saturating_sub(list.cycles.len() + to_come).max(1);
            let before = list.cycles.len();
            let condition = (&acceptance, graph.mark_sets());
            list.cycles_of(whole, part, condition, room, &mut effort)?;
            if list.cycles.len() == before {
                let region = Region {
                    has: &|node| whole.position(node).is_some_and(|at| part.has(at)),
                    without: part.without,
                };
                let from = whole.node(part.members[0]);
                let cycle = accepting_cycle(graph, from, region, budget)?
                    .expect("a fair part has an accepting cycle through each node");
                list.cycles.push(cycle);
            }
            if list.cycles.len() >= limit {
                list.is_full |= to_come > 0;
                break;
            }
        }
        let mut lassos = list.with_shortest_stems(whole);
        if !list.is_full && !effort.is_spent() {
            list.is_full = list.other_stems(whole, limit, &mut lassos, &mut effort)?;
        }
        let cut = if list.is_full {
            Some(Cutoff::Limit(limit))
        } else {
            effort.is_spent().then_some(Cutoff::Effort)
        };
        Ok(Lassos { lassos, cut })
    }
}

impl EmptinessCheck for Full {
    fn supports(&self, _acceptance: &Acceptance) -> Result<(), Unsupported> {
        Ok(())
    }

    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        Ok(self.all(graph, 1, budget)?.lassos.pop())
    }

    fn is_explored(&self, node: NodeId) -> bool {
        self.whole.position(node).is_some()
    }
}

/// The steps that are left.
struct Effort<'b> {
    left: u64,
    budget: &'b Budget,
    ticker: Ticker,
}

impl<'b> Effort<'b> {
    fn new(budget: &'b Budget) -> Self {
        Self {
            left: MAX_STEPS,
            budget,
            ticker: Ticker::default(),
        }
    }

    fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Whether one more step may be made.
    fn step(&mut self) -> Result<bool, Stop> {
        self.ticker.tick(self.budget)?;
        self.left = self.left.saturating_sub(1);
        Ok(self.left > 0)
    }
}

/// The accepting cycles listed so far.
#[derive(Default)]
struct List {
    cycles: Vec<Vec<Hop>>,
    /// Whether there was no room for all.
    is_full: bool,
}

impl List {
    /// Lists at most `room` elementary accepting cycles of a fair part.
    fn cycles_of(
        &mut self,
        whole: &Whole,
        part: &Part,
        (acceptance, sets): (&Acceptance, &mut MarkSets),
        room: usize,
        effort: &mut Effort<'_>,
    ) -> Result<(), Stop> {
        let mut found = 0;
        for &root in &part.members {
            let inside = |at: usize| at > root && part.has(at);
            let back = backward(whole, &[root], &inside, effort)?;
            let walk = Walk {
                whole,
                may_pass: &|at| back.contains(&at),
                is_end: &|at| at == root,
            };
            let full = walk.run(root, effort, &mut |hops| {
                let marks = hops.iter().map(|hop| whole.marks(hop));
                let marks = marks.fold(MarkSetId::EMPTY, |all, marks| sets.union(all, marks));
                if !acceptance.accepts(sets, marks) {
                    return ControlFlow::Continue(());
                }
                if found == room {
                    return ControlFlow::Break(());
                }
                found += 1;
                self.cycles.push(hops.to_vec());
                ControlFlow::Continue(())
            })?;
            self.is_full |= full;
            if full || effort.is_spent() {
                break;
            }
        }
        Ok(())
    }

    /// A lasso for each cycle: entered at its earliest node, by the shortest way.
    fn with_shortest_stems(&self, whole: &Whole) -> Vec<GraphLasso> {
        let lasso = |cycle: &Vec<Hop>| {
            let (honda, first) = cycle
                .iter()
                .map(|hop| whole.position(hop.from).expect("a cycle is explored"))
                .enumerate()
                .min_by_key(|&(_, position)| position)
                .expect("a cycle has an arc");
            GraphLasso {
                stem: whole.shortest(first),
                cycle: turned(cycle, honda),
            }
        };
        self.cycles.iter().map(lasso).collect()
    }

    /// Adds lassos with other elementary stems up to `limit` in all; says whether there was no room.
    fn other_stems(
        &self,
        whole: &Whole,
        limit: usize,
        lassos: &mut Vec<GraphLasso>,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Stop> {
        for (nth, cycle) in self.cycles.iter().enumerate() {
            let shortest = lassos[nth].stem.clone();
            let on_cycle: Vec<usize> = cycle
                .iter()
                .map(|hop| whole.position(hop.from).expect("a cycle is explored"))
                .collect();
            let ends: FxHashSet<usize> = on_cycle.iter().copied().collect();
            let before = backward(whole, &on_cycle, &|at| !ends.contains(&at), effort)?;
            let walk = Walk {
                whole,
                may_pass: &|at| before.contains(&at),
                is_end: &|at| ends.contains(&at),
            };
            for start in whole.starts() {
                let mut add = |hops: &[Hop]| {
                    let end = hops.last().map_or(whole.node(start), |hop| hop.to);
                    let stem = GraphPath {
                        start: whole.node(start),
                        hops: hops.to_vec(),
                    };
                    if stem == shortest {
                        return ControlFlow::Continue(());
                    }
                    if lassos.len() == limit {
                        return ControlFlow::Break(());
                    }
                    let honda = cycle.iter().position(|hop| hop.from == end);
                    let honda = honda.expect("a stem ends on its cycle");
                    lassos.push(GraphLasso {
                        stem,
                        cycle: turned(cycle, honda),
                    });
                    ControlFlow::Continue(())
                };
                let full = if ends.contains(&start) {
                    add(&[]).is_break()
                } else {
                    walk.run(start, effort, &mut add)?
                };
                if full {
                    return Ok(true);
                }
            }
            if effort.is_spent() {
                break;
            }
        }
        Ok(false)
    }
}

/// The same cycle from its `first`-th node on.
fn turned(cycle: &[Hop], first: usize) -> Vec<Hop> {
    [&cycle[first..], &cycle[..first]].concat()
}

/// The positions `inside` from which one of `ends` can be reached through such positions.
fn backward(
    whole: &Whole,
    ends: &[usize],
    inside: &dyn Fn(usize) -> bool,
    effort: &mut Effort<'_>,
) -> Result<FxHashSet<usize>, Stop> {
    let mut found = FxHashSet::default();
    let mut todo = ends.to_vec();
    while let Some(at) = todo.pop() {
        for &before in whole.before(at) {
            if !effort.step()? {
                return Ok(found);
            }
            if inside(before) && found.insert(before) {
                todo.push(before);
            }
        }
    }
    Ok(found)
}

/// Lists simple paths.
struct Walk<'w> {
    whole: &'w Whole,
    may_pass: &'w dyn Fn(usize) -> bool,
    is_end: &'w dyn Fn(usize) -> bool,
}

impl Walk<'_> {
    /// Calls `found` with each path from `from` to an end through positions that it may pass, until that
    /// says stop (then true) or the effort is spent.
    fn run(
        &self,
        from: usize,
        effort: &mut Effort<'_>,
        found: &mut dyn FnMut(&[Hop]) -> ControlFlow<()>,
    ) -> Result<bool, Stop> {
        let mut hops: Vec<Hop> = Vec::new();
        // The positions on the path, each with its next arc.
        let mut path = vec![(from, 0)];
        let mut on_path: FxHashSet<usize> = FxHashSet::default();
        on_path.insert(from);
        while let Some((at, next)) = path.last_mut() {
            let (at, index) = (*at, *next);
            let Some(&(target, _)) = self.whole.after(at).get(index) else {
                on_path.remove(&at);
                path.pop();
                hops.pop();
                continue;
            };
            *next += 1;
            if !effort.step()? {
                return Ok(false);
            }
            let hop = Hop {
                from: self.whole.node(at),
                index,
                to: self.whole.node(target),
            };
            if (self.is_end)(target) {
                hops.push(hop);
                if found(&hops).is_break() {
                    return Ok(true);
                }
                hops.pop();
            } else if (self.may_pass)(target) && on_path.insert(target) {
                path.push((target, 0));
                hops.push(hop);
            }
        }
        Ok(false)
    }
}
