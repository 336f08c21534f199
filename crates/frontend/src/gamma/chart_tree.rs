//! A statechart as numbered regions and nodes, with the transitions of each node.

use super::parse::Parse;
use super::tree::{Action, ChartDecl, Name, NodeKind, Region, Transition};
use lariat_base::{Diagnostic, FxHashMap, Span};

pub(super) type RegionId = usize;
pub(super) type NodeId = usize;

pub(super) struct ChartTree<'a> {
    pub regions: Vec<RegionTree>,
    pub nodes: Vec<NodeTree<'a>>,
    /// The regions that no state is around.
    pub top: Vec<RegionId>,
    pub transitions: Vec<Arc<'a>>,
    by_name: FxHashMap<&'a str, NodeId>,
}

pub(super) struct RegionTree {
    pub name: Name,
    /// The state around it.
    pub parent: Option<NodeId>,
    pub nodes: Vec<NodeId>,
    pub initial: Option<NodeId>,
    pub shallow: Option<NodeId>,
    pub deep: Option<NodeId>,
    /// Whether it remembers its state when it is left.
    pub keeps: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    State,
    Initial,
    Shallow,
    Deep,
    Choice,
    Merge,
    Fork,
    Join,
}

pub(super) struct NodeTree<'a> {
    pub name: &'a Name,
    pub what: What,
    pub region: RegionId,
    pub regions: Vec<RegionId>,
    pub entry: &'a [Action],
    pub exit: &'a [Action],
    /// The transitions that leave it, and those that lead to it.
    pub out: Vec<usize>,
    pub into: Vec<usize>,
}

/// A transition with its ends.
pub(super) struct Arc<'a> {
    pub decl: &'a Transition,
    pub from: NodeId,
    pub to: NodeId,
}

impl<'a> ChartTree<'a> {
    pub fn new(chart: &'a ChartDecl) -> Parse<Self> {
        let mut tree = Self {
            regions: Vec::new(),
            nodes: Vec::new(),
            top: Vec::new(),
            transitions: Vec::new(),
            by_name: FxHashMap::default(),
        };
        for region in &chart.regions {
            let id = tree.region(region, None, false)?;
            tree.top.push(id);
        }
        for decl in &chart.transitions {
            let (from, to) = (tree.end(&decl.from)?, tree.end(&decl.to)?);
            let at = tree.transitions.len();
            tree.nodes[from].out.push(at);
            tree.nodes[to].into.push(at);
            tree.transitions.push(Arc { decl, from, to });
        }
        tree.check()?;
        Ok(tree)
    }

    /// The node of a name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    fn end(&self, name: &Name) -> Parse<NodeId> {
        self.node(&name.text).ok_or_else(|| {
            let known = self.nodes.iter().map(|node| &*node.name.text);
            let near = crate::scope::suggestion(&name.text, known);
            let message = format!("the statechart has no state `{}`", name.text);
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Box::new(
                Diagnostic::error("unknown-state", message)
                    .at(name.span)
                    .maybe_hint(hint),
            )
        })
    }

    fn region(
        &mut self,
        region: &'a Region,
        parent: Option<NodeId>,
        deep: bool,
    ) -> Parse<RegionId> {
        let id = self.regions.len();
        let has_deep = region
            .nodes
            .iter()
            .any(|node| matches!(node.kind, NodeKind::DeepHistory));
        let has_shallow = region
            .nodes
            .iter()
            .any(|node| matches!(node.kind, NodeKind::ShallowHistory));
        self.regions.push(RegionTree {
            name: region.name.clone(),
            parent,
            nodes: Vec::new(),
            initial: None,
            shallow: None,
            deep: None,
            keeps: deep || has_deep || has_shallow,
        });
        for node in &region.nodes {
            let at = self.nodes.len();
            let (what, state) = match &node.kind {
                NodeKind::State(state) => (What::State, Some(state)),
                NodeKind::Initial => (What::Initial, None),
                NodeKind::ShallowHistory => (What::Shallow, None),
                NodeKind::DeepHistory => (What::Deep, None),
                NodeKind::Choice => (What::Choice, None),
                NodeKind::Merge => (What::Merge, None),
                NodeKind::Fork => (What::Fork, None),
                NodeKind::Join => (What::Join, None),
            };
            let entry_node = match what {
                What::Initial => Some(&mut self.regions[id].initial),
                What::Shallow => Some(&mut self.regions[id].shallow),
                What::Deep => Some(&mut self.regions[id].deep),
                _ => None,
            };
            if let Some(entry_node) = entry_node
                && entry_node.replace(at).is_some()
            {
                return Err(wrong(
                    "a region has two entry nodes of one kind",
                    node.name.span,
                ));
            }
            self.nodes.push(NodeTree {
                name: &node.name,
                what,
                region: id,
                regions: Vec::new(),
                entry: state.map_or(&[], |state| &state.entry),
                exit: state.map_or(&[], |state| &state.exit),
                out: Vec::new(),
                into: Vec::new(),
            });
            self.regions[id].nodes.push(at);
            if let Some(&first) = self.by_name.get(&*node.name.text) {
                let message = format!("two states are called `{}`", node.name.text);
                let finding = Diagnostic::error("duplicate-name", message).at(node.name.span);
                let first = self.nodes[first].name.span;
                return Err(Box::new(finding.also(first, "the first is here")));
            }
            self.by_name.insert(&node.name.text, at);
            for inner in state.iter().flat_map(|state| &state.regions) {
                let inner = self.region(inner, Some(at), deep || has_deep)?;
                self.nodes[at].regions.push(inner);
            }
        }
        Ok(id)
    }

    /// The entry node of a region: its initial node, else a history.
    pub fn entry_of(&self, region: RegionId) -> Option<NodeId> {
        let region = &self.regions[region];
        region.initial.or(region.deep).or(region.shallow)
    }

    /// The states of a region.
    pub fn states(&self, region: RegionId) -> Vec<NodeId> {
        let nodes = self.regions[region].nodes.iter().copied();
        nodes
            .filter(|&node| self.nodes[node].what == What::State)
            .collect()
    }

    /// The regions around a node, from inside.
    fn around(&self, node: NodeId) -> Vec<RegionId> {
        let mut all = vec![self.nodes[node].region];
        while let Some(outer) = self.regions[all[all.len() - 1]].parent {
            all.push(self.nodes[outer].region);
        }
        all
    }

    /// The innermost region that several nodes are in.
    pub fn common(&self, nodes: &[NodeId]) -> Option<RegionId> {
        let (first, rest) = nodes.split_first()?;
        let rest: Vec<Vec<RegionId>> = rest.iter().map(|&node| self.around(node)).collect();
        let mut all = self.around(*first).into_iter();
        all.find(|region| rest.iter().all(|around| around.contains(region)))
    }

    /// The state directly in a region that a node is, or is inside of.
    pub fn below(&self, region: RegionId, mut node: NodeId) -> NodeId {
        while self.nodes[node].region != region {
            node = self.regions[self.nodes[node].region]
                .parent
                .expect("the node is inside of the region");
        }
        node
    }

    /// What every chart must have: regions with entries, entries with one way on, no loops of nodes that are no states.
    fn check(&self) -> Parse<()> {
        for (id, region) in self.regions.iter().enumerate() {
            if self.entry_of(id).is_none() {
                let message = format!("the region `{}` has no initial state", region.name.text);
                return Err(wrong(&message, region.name.span));
            }
        }
        for node in &self.nodes {
            let span = node.name.span;
            let is_one = node.out.len() == 1;
            let message = match node.what {
                What::State => continue,
                What::Initial | What::Shallow | What::Deep | What::Merge | What::Join
                    if !is_one =>
                {
                    "exactly one transition must lead on from here"
                }
                What::Choice | What::Fork if node.out.is_empty() => {
                    "no transition leads on from here"
                }
                What::Fork if node.into.len() != 1 => "exactly one transition must lead to a fork",
                What::Initial if !node.into.is_empty() => {
                    "no transition may lead to an initial state"
                }
                _ => continue,
            };
            return Err(wrong(message, span));
        }
        self.check_loops()
    }

    fn check_loops(&self) -> Parse<()> {
        let is_inner = |node: NodeId| {
            matches!(
                self.nodes[node].what,
                What::Choice | What::Merge | What::Fork | What::Join
            )
        };
        let mut n_before: Vec<usize> = vec![0; self.nodes.len()];
        let arcs = || {
            self.transitions
                .iter()
                .filter(|arc| is_inner(arc.from) && is_inner(arc.to))
        };
        arcs().for_each(|arc| n_before[arc.to] += 1);
        let mut todo: Vec<NodeId> = (0..self.nodes.len())
            .filter(|&node| n_before[node] == 0)
            .collect();
        while let Some(node) = todo.pop() {
            for &at in &self.nodes[node].out {
                let to = self.transitions[at].to;
                if is_inner(node) && is_inner(to) {
                    n_before[to] -= 1;
                    if n_before[to] == 0 {
                        todo.push(to);
                    }
                }
            }
        }
        match arcs().find(|arc| n_before[arc.to] > 0) {
            Some(arc) => Err(wrong(
                "transitions lead round in a circle without a state",
                arc.decl.span,
            )),
            None => Ok(()),
        }
    }
}

/// A statechart that cannot be one.
pub(super) fn wrong(message: &str, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("gamma-chart", message).at(span))
}
