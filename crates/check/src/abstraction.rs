//! The abstract product as a graph: structural state and abstract state, made on demand.
//!
//! The reader's turns are passed through: an arc is a step of the model and, if it is observed, the
//! reader's step after it.

use crate::domain::Domain;
use crate::engine::{Engine, Halt};
use crate::graph::{Arc, Graph, GraphPath, Hop, NodeId};
use crate::product::Product;
use lariat_base::{Interner, Stop, id_type};
use lariat_system::{LocId, StmtId};

id_type!(
    /// An abstract state.
    pub(crate) struct AbsId, "a"
);

/// One edge of the product that a path takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    /// What happens.
    pub stmt: StmtId,
    /// For a step of the model: which of the model's edges (or initial edges) it is.
    pub model_edge: Option<usize>,
    /// The structural state of the product after it.
    pub target: LocId,
}

/// An arc and the edges of the product behind it.
#[derive(Clone, Copy, Debug)]
struct Passage {
    arc: Arc,
    step: Taken,
    reading: Option<Taken>,
}

/// The abstract product under one precision.
pub(crate) struct AbstractGraph<'g, 'c, 'p, D: Domain> {
    pub engine: &'g mut Engine<'c>,
    product: &'g mut Product<'p>,
    domain: &'g mut D,
    nodes: Interner<NodeId, (LocId, AbsId)>,
    states: Interner<AbsId, D::State>,
    starts: Vec<Passage>,
    rows: Vec<Option<Box<[Passage]>>>,
    /// What ended the exploration, if it was no limit.
    pub failure: Option<Halt>,
}

impl<'g, 'c, 'p, D: Domain> AbstractGraph<'g, 'c, 'p, D> {
    /// Nothing explored yet.
    pub fn new(
        engine: &'g mut Engine<'c>,
        product: &'g mut Product<'p>,
        domain: &'g mut D,
    ) -> Self {
        Self {
            engine,
            product,
            domain,
            nodes: Interner::new(),
            states: Interner::new(),
            starts: Vec::new(),
            rows: Vec::new(),
            failure: None,
        }
    }

    /// How many nodes have been met.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The edges of the product along a path, those that start the run included.
    pub fn path(&self, path: &GraphPath) -> Vec<Taken> {
        let start = self
            .starts
            .iter()
            .find(|passage| passage.arc.target == path.start);
        let mut taken = Vec::new();
        extend(
            &mut taken,
            start.expect("the path starts at an initial node"),
        );
        taken.extend(self.hops(&path.hops));
        taken
    }

    /// The edges of the product along some hops.
    pub fn hops(&self, hops: &[Hop]) -> Vec<Taken> {
        let mut taken = Vec::new();
        for hop in hops {
            let row = self.rows[lariat_base::Id::index(hop.from)]
                .as_ref()
                .expect("a path is explored");
            extend(&mut taken, &row[hop.index]);
        }
        taken
    }

    /// A node as a person should see it.
    pub fn describe(&self, node: NodeId) -> String {
        let (place, state) = self.nodes[node];
        let state = self.domain.describe(self.engine, &self.states[state]);
        format!("{} [{state}]", self.product.location_name(place))
    }

    fn explore(&mut self, node: NodeId) -> Result<Box<[Passage]>, Halt> {
        let (place, state) = self.nodes[node];
        let edges = self.product.edges(place).to_vec();
        let state = self.states[state].clone();
        let mut row = Vec::new();
        for (index, edge) in edges.into_iter().enumerate() {
            let model_edge = self.product.model_edge(place, index);
            let step = Taken {
                stmt: edge.stmt,
                model_edge,
                target: edge.target,
            };
            self.follow(Some(&state), step, &mut row)?;
        }
        Ok(row.into())
    }

    /// The passages of one step from a state, through the reader if it is its turn.
    fn follow(
        &mut self,
        from: Option<&D::State>,
        step: Taken,
        row: &mut Vec<Passage>,
    ) -> Result<(), Halt> {
        let mut after = Vec::new();
        let at = self.product.model_location(step.target);
        self.domain
            .post(self.engine, from, step.stmt, at, &mut after)?;
        if !self.product.is_reading(step.target) {
            for state in after {
                let arc = Arc {
                    target: self.node(step.target, state),
                    marks: 0,
                };
                row.push(Passage {
                    arc,
                    step,
                    reading: None,
                });
            }
            return Ok(());
        }
        let readings = self.product.edges(step.target).to_vec();
        for state in after {
            for (index, edge) in readings.iter().enumerate() {
                let mut read = Vec::new();
                self.domain
                    .post(self.engine, Some(&state), edge.stmt, at, &mut read)?;
                let marks = self.product.marks(step.target, index);
                let reading = Taken {
                    stmt: edge.stmt,
                    model_edge: None,
                    target: edge.target,
                };
                for state in read {
                    let arc = Arc {
                        target: self.node(edge.target, state),
                        marks,
                    };
                    row.push(Passage {
                        arc,
                        step,
                        reading: Some(reading),
                    });
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, place: LocId, state: D::State) -> NodeId {
        let state = self.states.intern(state);
        let node = self.nodes.intern((place, state));
        if self.rows.len() < self.nodes.len() {
            self.rows.push(None);
        }
        node
    }

    /// Keeps what ended the exploration; the search only learns that it must stop.
    fn fail(&mut self, halt: Halt) -> Stop {
        let stop = match &halt.0 {
            crate::verdict::Unknown::Stopped(stop) => *stop,
            _ => Stop::Cancelled,
        };
        self.failure = Some(halt);
        stop
    }
}

fn extend(taken: &mut Vec<Taken>, passage: &Passage) {
    taken.push(passage.step);
    taken.extend(passage.reading);
}

impl<D: Domain> Graph for AbstractGraph<'_, '_, '_, D> {
    fn all_marks(&self) -> u64 {
        self.product.all_marks()
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        if self.starts.is_empty() {
            let edges = self.product.initial().to_vec();
            let mut starts = Vec::new();
            for (index, edge) in edges.into_iter().enumerate() {
                let step = Taken {
                    stmt: edge.stmt,
                    model_edge: Some(index),
                    target: edge.target,
                };
                self.follow(None, step, &mut starts)
                    .map_err(|halt| self.fail(halt))?;
            }
            self.starts = starts;
        }
        for passage in &self.starts {
            if !out.contains(&passage.arc.target) {
                out.push(passage.arc.target);
            }
        }
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        let at = lariat_base::Id::index(node);
        if self.rows[at].is_none() {
            let row = self.explore(node).map_err(|halt| self.fail(halt))?;
            self.rows[at] = Some(row);
        }
        out.extend(self.rows[at].iter().flatten().map(|passage| passage.arc));
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        Ok(self.product.is_bad(self.nodes[node].0))
    }

    fn distance(&mut self, node: NodeId) -> u32 {
        self.product.distance(self.nodes[node].0)
    }
}
