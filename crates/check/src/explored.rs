//! What has been explored of the abstract product, kept from one round of the loop to the next.
//!
//! *Lazy abstraction* (Henzinger, Jhala, Majumdar, Sutre, POPL'02): a refinement drops the successors of
//! the nodes along the counterexample only; the rest stays as it was made under older precisions. That is
//! sound whatever is kept: a row says where each concrete successor of its node's values lies, and a state
//! means the same under every later precision. A row is *stale* if the precision has changed since it was
//! made. A counterexample that teaches nothing new but runs along a stale row makes progress by dropping
//! that row, and there are finitely many of them: the loop still never spins.
//!
//! *Incremental search*: a node that a search has left for good, since no accepting lasso can be reached
//! from it, is settled. That too is a fact about its values, whatever the precision, so arcs to settled
//! nodes are hidden and the next search does not enter them again. What a proof needs of them is kept: a row
//! forgets which statements it took, not where they led.

use crate::acceptance::MarkSetId;
use crate::graph::{Arc, NodeId};
use crate::product::PlaceId;
use crate::proof::ProofArc;
use lariat_base::{FxHashMap, Id, Interner, id_type};
use lariat_system::StmtId;
use std::hash::Hash;

id_type!(
    /// An abstract state.
    pub(crate) struct AbsId, "a"
);

/// What a refinement does to the explored part of the abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pruning {
    /// Drops what the counterexample ran through, keeps the rest.
    Lazy,
    /// Drops everything.
    Full,
}

impl Pruning {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lazy => "lazy",
            Self::Full => "full",
        }
    }
}

/// One edge of the product that a path takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Taken {
    /// What happens.
    pub stmt: StmtId,
    /// For a step of the model: which of the model's edges (or initial edges) it is.
    pub model_edge: Option<usize>,
    /// The structural state of the product after it.
    pub target: PlaceId,
}

/// An arc and the edges of the product behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    pub arc: Arc,
    pub step: Taken,
    pub reading: Option<Taken>,
}

impl Passage {
    /// What a proof needs of it.
    fn for_proof(&self) -> ProofArc {
        let edge = self.step.model_edge.expect("the model steps first");
        ProofArc {
            edge: u32::try_from(edge).expect("a location has fewer edges than that"),
            target: self.arc.target,
            marks: self.arc.marks,
        }
    }
}

/// The successors of a node, or the initial nodes.
#[derive(Debug)]
struct Row {
    /// Those that are not settled.
    passages: Box<[Passage]>,
    /// Those that are.
    settled: Vec<ProofArc>,
    /// The generation of the precision that it was made under.
    made: u64,
}

impl Row {
    /// Keeps of the passages to settled nodes only what a proof needs.
    fn settle(&mut self, settled: &[bool]) {
        let is_settled = |passage: &&Passage| settled[passage.arc.target.index()];
        let closed = self.passages.iter().filter(is_settled);
        let n_before = self.settled.len();
        self.settled.extend(closed.map(Passage::for_proof));
        if self.settled.len() > n_before {
            self.settled.shrink_to_fit();
            let open = self.passages.iter().filter(|passage| !is_settled(passage));
            self.passages = open.copied().collect();
        }
    }
}

/// Whose row: a node's, or (none) that of the initial nodes.
pub(crate) type Source = Option<NodeId>;

/// Nodes and rows.
#[derive(Debug)]
pub(crate) struct Explored<S> {
    nodes: Interner<NodeId, (PlaceId, AbsId)>,
    states: Interner<AbsId, S>,
    starts: Option<Row>,
    rows: Vec<Option<Row>>,
    settled: Vec<bool>,
    generation: u64,
    /// The nodes of this generation in which states of a family are looked for.
    families: FxHashMap<(PlaceId, u64), Vec<NodeId>>,
}

impl<S: Clone + Eq + Hash> Explored<S> {
    /// Nothing.
    pub fn new() -> Self {
        Self {
            nodes: Interner::new(),
            states: Interner::new(),
            starts: None,
            rows: Vec::new(),
            settled: Vec::new(),
            generation: 0,
            families: FxHashMap::default(),
        }
    }

    /// How many nodes that are not settled have a row.
    pub fn n_rows(&self) -> usize {
        let rows = self.rows.iter().zip(&self.settled);
        rows.filter(|(row, settled)| row.is_some() && !**settled)
            .count()
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<S> {
        (0..self.rows.len()).map(NodeId::from_index)
    }

    /// The structural state and the abstract state of a node.
    pub fn node(&self, node: NodeId) -> (PlaceId, &S) {
        let (place, state) = self.nodes[node];
        (place, &self.states[state])
    }

    /// The node of a structural and an abstract state.
    pub fn intern(&mut self, place: PlaceId, state: S) -> NodeId {
        let state = self.states.intern(state);
        let node = self.nodes.intern((place, state));
        if self.rows.len() < self.nodes.len() {
            self.rows.push(None);
            self.settled.push(false);
        }
        node
    }

    /// The node of a structural and an abstract state, or one of the same family that covers it.
    pub fn intern_covered(
        &mut self,
        place: PlaceId,
        (family, state): (u64, S),
        covers: impl Fn(&S, &S) -> bool,
    ) -> NodeId {
        if let Some(known) = self.states.get(&state)
            && let Some(node) = self.nodes.get(&(place, known))
        {
            return node;
        }
        let mut members = self.families.remove(&(place, family)).unwrap_or_default();
        let covering = |node: &&NodeId| covers(self.node(**node).1, &state);
        let node = members.iter().find(covering).copied();
        let node = node.unwrap_or_else(|| {
            members.retain(|&node| !covers(&state, self.node(node).1));
            let node = self.intern(place, state);
            members.push(node);
            node
        });
        self.families.insert((place, family), members);
        node
    }

    /// What is known of a source, settled nodes left out.
    pub fn row(&self, source: Source) -> Option<&[Passage]> {
        self.row_of(source).map(|row| &*row.passages)
    }

    /// Keeps what a source leads to.
    pub fn set_row(&mut self, source: Source, passages: Vec<Passage>) {
        let mut row = Row {
            passages: passages.into(),
            settled: Vec::new(),
            made: self.generation,
        };
        row.settle(&self.settled);
        *self.slot(source) = Some(row);
    }

    /// Whether a source's row was made under an older precision.
    pub fn is_stale(&self, source: Source) -> bool {
        self.row_of(source)
            .is_some_and(|row| row.made < self.generation)
    }

    /// Drops a row.
    pub fn drop_row(&mut self, source: Source) {
        *self.slot(source) = None;
    }

    /// Changes the marks of everything that was made.
    pub fn mark(&mut self, mut map: impl FnMut(MarkSetId) -> MarkSetId) {
        for row in self.rows.iter_mut().flatten() {
            for passage in &mut row.passages {
                passage.arc.marks = map(passage.arc.marks);
            }
            for arc in &mut row.settled {
                arc.marks = map(arc.marks);
            }
        }
    }

    /// Drops the rows of the nodes at some places, unless they are settled.
    pub fn drop_rows(&mut self, is_there: impl Fn(PlaceId) -> bool) {
        for (i, row) in self.rows.iter_mut().enumerate() {
            let (place, _) = self.nodes[NodeId::from_index(i)];
            if !self.settled[i] && is_there(place) {
                *row = None;
            }
        }
    }

    /// To be called when the precision has changed: every row is stale now.
    pub fn age(&mut self) {
        self.generation += 1;
        self.families.clear();
    }

    /// Keeps in mind that no accepting lasso can be reached from the nodes that `is_dead` names.
    pub fn settle(&mut self, is_dead: impl Fn(NodeId) -> bool) {
        let mut any = false;
        for (i, settled) in self.settled.iter_mut().enumerate() {
            if !*settled && is_dead(NodeId::from_index(i)) {
                *settled = true;
                any = true;
            }
        }
        if any {
            let rows = self.rows.iter_mut().chain([&mut self.starts]);
            rows.flatten().for_each(|row| row.settle(&self.settled));
        }
    }

    /// Everything that a source leads to, settled or not; nothing if it was not explored.
    pub fn arcs(&self, source: Source) -> Option<impl Iterator<Item = ProofArc>> {
        let row = self.row_of(source)?;
        let open = row.passages.iter().map(Passage::for_proof);
        Some(open.chain(row.settled.iter().copied()))
    }

    /// How many nodes are settled.
    pub fn n_settled(&self) -> usize {
        self.settled.iter().filter(|&&settled| settled).count()
    }

    fn row_of(&self, source: Source) -> Option<&Row> {
        match source {
            None => self.starts.as_ref(),
            Some(node) => self.rows[node.index()].as_ref(),
        }
    }

    fn slot(&mut self, source: Source) -> &mut Option<Row> {
        match source {
            None => &mut self.starts,
            Some(node) => &mut self.rows[node.index()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(target: NodeId) -> Passage {
        let step = Taken {
            stmt: StmtId::from_index(0),
            model_edge: Some(0),
            target: PlaceId::from_index(0),
        };
        let arc = Arc {
            target,
            marks: MarkSetId::EMPTY,
        };
        Passage {
            arc,
            step,
            reading: None,
        }
    }

    /// Three nodes: the first leads to the others.
    fn fork() -> (Explored<u32>, [NodeId; 3]) {
        let mut explored = Explored::new();
        let here = PlaceId::from_index(0);
        let nodes = [0, 1, 2].map(|state| explored.intern(here, state));
        explored.set_row(None, vec![passage(nodes[0])]);
        explored.set_row(Some(nodes[0]), vec![passage(nodes[1]), passage(nodes[2])]);
        explored.set_row(Some(nodes[1]), Vec::new());
        (explored, nodes)
    }

    #[test]
    fn rows_age_until_they_are_made_again() {
        let (mut explored, nodes) = fork();
        assert!(!explored.is_stale(None));
        explored.age();
        assert!(explored.is_stale(None) && explored.is_stale(Some(nodes[0])));
        assert!(!explored.is_stale(Some(nodes[2])), "it has no row");
        explored.drop_row(Some(nodes[0]));
        explored.set_row(Some(nodes[0]), Vec::new());
        assert!(!explored.is_stale(Some(nodes[0])) && explored.is_stale(None));
    }

    #[test]
    fn arcs_to_settled_nodes_are_hidden_and_kept() {
        let (mut explored, nodes) = fork();
        explored.settle(|node| node == nodes[1]);
        let row = explored.row(Some(nodes[0])).expect("it was made");
        let targets: Vec<NodeId> = row.iter().map(|passage| passage.arc.target).collect();
        assert_eq!(targets, [nodes[2]]);
        let kept = explored.arcs(Some(nodes[0])).expect("it was made");
        let kept: Vec<NodeId> = kept.map(|arc| arc.target).collect();
        assert_eq!(kept, [nodes[2], nodes[1]]);
        assert_eq!((explored.n_settled(), explored.n_rows()), (1, 1));
        explored.set_row(Some(nodes[2]), vec![passage(nodes[1])]);
        assert_eq!(explored.row(Some(nodes[2])).map(<[Passage]>::len), Some(0));
        let kept = explored.arcs(Some(nodes[2])).expect("it was made");
        assert_eq!(kept.count(), 1);
    }

    /// What was made before a measure came in may increase it: settled arcs and those of stale rows, too.
    #[test]
    fn every_arc_that_was_made_gets_a_later_mark() {
        let (mut explored, nodes) = fork();
        explored.settle(|node| node == nodes[1]);
        explored.age();
        let later = MarkSetId::from_index(7);
        explored.mark(|_| later);
        let arcs = explored.arcs(Some(nodes[0])).expect("it was made");
        let marks: Vec<MarkSetId> = arcs.map(|arc| arc.marks).collect();
        assert_eq!(marks, [later, later]);
        explored.set_row(Some(nodes[2]), vec![passage(nodes[0])]);
        let mut arcs = explored.arcs(Some(nodes[2])).expect("it was made");
        assert!(arcs.all(|arc| arc.marks == MarkSetId::EMPTY));
    }
}
