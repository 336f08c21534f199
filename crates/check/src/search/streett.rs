//! Fair parts: where the accepting cycles of an explored graph run, by splitting components.
//!
//! A strongly connected part without some Büchi mark has no accepting cycle. If it has the request of a Streett
//! pair but not the response, no accepting cycle in it takes an arc with that request; without
//! these arcs it falls into components, which are looked at in the same way. A part with all Büchi marks in which
//! each request has its response is *fair*: a walk through all its arcs is accepting. So every accepting
//! cycle lies in exactly one fair part, and every fair part has one through each of its nodes.
//!
//! Emerson and Lei, "Modalities for model checking" (Sci. Comput. Program. 1987). Invariant: the parts
//! still to be split are disjoint, and each split takes a mark from its part for good, so a node is looked at
//! at most once per pair and once more: O((nodes + arcs) · pairs) in all. Used on the components that a depth-first
//! search closes, this is Latvala and Heljanko's on-the-fly check (Fundam. Inform. 2000); without pairs
//! it is one decomposition. Rejected: Henzinger and Telle's lock-step search (SWAT 1996), a better bound that
//! graphs with few pairs do not repay; a Büchi automaton for the pairs, exponential in their number.

use super::Ticker;
use crate::{Acceptance, Graph, Mark, MarkSetId, MarkSets, NodeId};
use lariat_base::{Budget, Csr, FxHashMap, Id, Stop};

/// The arcs of an explored graph: by the position of a node, target positions and marks.
pub(crate) type Arcs = Csr<NodeId, (usize, MarkSetId)>;

/// Positions, strongly connected by the arcs between them that have none of some marks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// In ascending order.
    pub members: Vec<usize>,
    /// The requests that cannot be answered here: arcs with them are left out.
    pub without: MarkSetId,
}

impl Part {
    /// Whether a position is a member.
    pub fn has(&self, at: usize) -> bool {
        self.members.binary_search(&at).is_ok()
    }
}

/// All fair parts of a graph.
pub(crate) fn fair_parts(arcs: &Arcs, acceptance: &Acceptance, sets: &mut MarkSets) -> Vec<Part> {
    let mut fair = Vec::new();
    let mut splitter = Splitter::new(arcs);
    let mut todo = vec![Part {
        members: (0..arcs.n_rows()).collect(),
        without: MarkSetId::EMPTY,
    }];
    while let Some(part) = todo.pop() {
        for (members, marks) in splitter.split(&part, sets) {
            if !acceptance.has_all_buchi(sets, marks) {
                continue;
            }
            let requests = acceptance.violated(sets, marks).map(|pair| pair.request);
            let requests: Vec<Mark> = requests.collect();
            let refused = sets.of(requests);
            let without = sets.union(part.without, refused);
            let inner = Part { members, without };
            if refused == MarkSetId::EMPTY {
                fair.push(inner);
            } else {
                todo.push(inner);
            }
        }
    }
    fair
}

/// The smallest fair part among some nodes of a graph, as nodes and the marks that its arcs must not have.
pub(super) fn smallest_fair_part(
    graph: &mut dyn Graph,
    nodes: &[NodeId],
    budget: &Budget,
) -> Result<Option<(Vec<NodeId>, MarkSetId)>, Stop> {
    let positions: FxHashMap<NodeId, usize> = nodes
        .iter()
        .enumerate()
        .map(|(at, &node)| (node, at))
        .collect();
    let (mut rows, mut found, mut ticker) = (Vec::new(), Vec::new(), Ticker::default());
    for (at, &node) in nodes.iter().enumerate() {
        ticker.tick(budget)?;
        found.clear();
        graph.successors(node, &mut found)?;
        let inner = found.iter().filter_map(|arc| {
            let target = *positions.get(&arc.target)?;
            Some((NodeId::from_index(at), (target, arc.marks)))
        });
        rows.extend(inner);
    }
    let arcs = Csr::from_pairs(nodes.len(), rows);
    let acceptance = graph.acceptance().clone();
    let parts = fair_parts(&arcs, &acceptance, graph.mark_sets());
    let smallest = parts.into_iter().min_by_key(|part| part.members.len());
    Ok(smallest.map(|part| {
        let nodes = part.members.iter().map(|&at| nodes[at]).collect();
        (nodes, part.without)
    }))
}

/// The number of a position that the depth-first search has not met.
const UNSEEN: u32 = u32::MAX;

/// Decomposes parts of one graph into components: Tarjan (SIAM J. Comput. 1972), with an explicit stack.
struct Splitter<'a> {
    arcs: &'a Arcs,
    /// By position, the part or component that it belongs to at present.
    owners: Vec<u32>,
    n_owners: u32,
    numbers: Vec<u32>,
    lows: Vec<u32>,
}

impl<'a> Splitter<'a> {
    fn new(arcs: &'a Arcs) -> Self {
        let n = arcs.n_rows();
        Self {
            arcs,
            owners: vec![0; n],
            n_owners: 1,
            numbers: vec![UNSEEN; n],
            lows: vec![UNSEEN; n],
        }
    }

    /// The components of a part that have an arc, with the marks of their arcs together.
    fn split(&mut self, part: &Part, sets: &mut MarkSets) -> Vec<(Vec<usize>, MarkSetId)> {
        for &at in &part.members {
            self.numbers[at] = UNSEEN;
        }
        let (mut found, mut n_numbers) = (Vec::new(), 0);
        let mut open: Vec<usize> = Vec::new();
        // Positions with their next arc.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for &root in &part.members {
            if self.numbers[root] != UNSEEN {
                continue;
            }
            // A position belongs to the part until its component is complete.
            let owner = self.owners[root];
            path.push((root, 0));
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                if *next == 0 {
                    self.numbers[at] = n_numbers;
                    self.lows[at] = n_numbers;
                    n_numbers += 1;
                    open.push(at);
                }
                let row = self.arcs.row(NodeId::from_index(at));
                if let Some(&(target, marks)) = row.get(*next) {
                    *next += 1;
                    if self.owners[target] != owner || sets.intersect(marks, part.without) {
                        continue;
                    }
                    if self.numbers[target] == UNSEEN {
                        path.push((target, 0));
                    } else {
                        self.lows[at] = self.lows[at].min(self.numbers[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.lows[parent] = self.lows[parent].min(self.lows[at]);
                }
                if self.lows[at] == self.numbers[at] {
                    let start = open.iter().rposition(|&member| member == at);
                    let start = start.expect("an incomplete component is open");
                    let members = open.split_off(start);
                    found.extend(self.complete(members, part.without, sets));
                }
            }
        }
        found
    }

    /// Makes positions a component of their own; nothing if it has no arc.
    fn complete(
        &mut self,
        mut members: Vec<usize>,
        without: MarkSetId,
        sets: &mut MarkSets,
    ) -> Option<(Vec<usize>, MarkSetId)> {
        let owner = self.n_owners;
        self.n_owners += 1;
        for &member in &members {
            self.owners[member] = owner;
        }
        let mut collected = None;
        for &member in &members {
            for &(target, marks) in self.arcs.row(NodeId::from_index(member)) {
                if self.owners[target] == owner && !sets.intersect(marks, without) {
                    let before = collected.unwrap_or(MarkSetId::EMPTY);
                    collected = Some(sets.union(before, marks));
                }
            }
        }
        members.sort_unstable();
        Some((members, collected?))
    }
}
