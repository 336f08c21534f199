//! The stack of a depth-first search in bounded space per node.
//!
//! A frame is a node and the position of the arc last taken from it: eight bytes. The arcs that are
//! still to be tried are kept only for the top of the stack, in a window of fixed size; where a
//! search comes back to a frame whose arcs have been dropped, it asks the graph again. Each tree arc
//! returns once, so that costs at most one more call per node, and none on stacks that fit.
//!
//! Contract: after such a refill *every* arc of the node is offered again. Handling an arc a second
//! time, with its target visited by then, must change nothing; for all searches here it does not.
//!
//! Rejected: keeping all pending arcs (on a strongly connected model the stack holds most nodes, and
//! their arcs are many times the state), and asking again at every return (twice the work, always).

use super::Pages;
use crate::{Arc, Graph, GraphPath, Hop, NodeId};
use lariat_base::Stop;

/// How many arcs the window holds; 24 bytes each.
const WINDOW: usize = 1 << 16;

/// An arc that is still to be tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub arc: Arc,
    /// Its position among the arcs of its source.
    pub index: u32,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    node: NodeId,
    taken: u32,
}

/// Arranges the arcs of a node: the first is tried first.
pub(super) type Arrange<'a> = &'a mut dyn FnMut(&mut [Pending]);

#[derive(Debug)]
pub(super) struct Stack {
    frames: Pages<Frame>,
    /// Pending arcs of the topmost frames, the next one to try last.
    window: Vec<Pending>,
    /// Where the arcs of each of these frames start in the window, the topmost frame last.
    starts: Vec<usize>,
    capacity: usize,
    arcs: Vec<Arc>,
}

impl Stack {
    pub fn new() -> Self {
        Self::with_window(WINDOW)
    }

    /// A stack that keeps the arcs of at least the top frame and at most about `capacity` arcs.
    pub fn with_window(capacity: usize) -> Self {
        Self {
            frames: Pages::new(),
            window: Vec::new(),
            starts: Vec::new(),
            capacity,
            arcs: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        *self = Self::with_window(self.capacity);
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// The node of the `i`-th frame, counted from the bottom.
    pub fn node(&self, i: usize) -> NodeId {
        self.frames.at(i).node
    }

    pub fn top(&self) -> Option<NodeId> {
        self.frames.last().map(|frame| frame.node)
    }

    /// The position of the arc that the top frame gave last.
    pub fn taken(&self) -> u32 {
        self.frames.last().expect("the stack is not empty").taken
    }

    /// Puts a node on top.
    pub fn push(
        &mut self,
        graph: &mut dyn Graph,
        node: NodeId,
        arrange: Arrange<'_>,
    ) -> Result<(), Stop> {
        self.frames.push(Frame { node, taken: 0 });
        self.fill(graph, node, arrange)
    }

    /// The next arc of the top frame, if one is left.
    pub fn next(
        &mut self,
        graph: &mut dyn Graph,
        arrange: Arrange<'_>,
    ) -> Result<Option<Arc>, Stop> {
        let frame = self.frames.last().expect("the stack is not empty");
        if self.starts.is_empty() {
            self.fill(graph, frame.node, arrange)?;
        }
        let start = *self.starts.last().expect("the top frame has its arcs");
        if self.window.len() == start {
            return Ok(None);
        }
        let pending = self.window.pop().expect("the window is longer");
        self.frames
            .last_mut()
            .expect("the stack is not empty")
            .taken = pending.index;
        Ok(Some(pending.arc))
    }

    /// Removes the top frame, whose arcs have all been tried.
    pub fn pop(&mut self) -> NodeId {
        self.starts.pop();
        self.frames.pop().expect("the stack is not empty").node
    }

    /// The position of the frame of a node that is on the stack.
    pub fn position(&self, node: NodeId) -> usize {
        (0..self.len())
            .rev()
            .find(|&i| self.node(i) == node)
            .expect("the node is on the stack")
    }

    /// The path from the bottom to the `end`-th frame.
    pub fn path(&self, end: usize) -> GraphPath {
        GraphPath {
            start: self.node(0),
            hops: self.hops(0, end),
        }
    }

    /// The arcs from frame `from` to frame `to`.
    pub fn hops(&self, from: usize, to: usize) -> Vec<Hop> {
        (from..to)
            .map(|i| Hop {
                from: self.node(i),
                index: self.frames.at(i).taken as usize,
                to: self.node(i + 1),
            })
            .collect()
    }

    fn fill(
        &mut self,
        graph: &mut dyn Graph,
        node: NodeId,
        arrange: Arrange<'_>,
    ) -> Result<(), Stop> {
        self.arcs.clear();
        graph.successors(node, &mut self.arcs)?;
        let start = self.window.len();
        let pending = |(index, &arc): (usize, &Arc)| Pending {
            arc,
            index: index as u32,
        };
        self.window
            .extend(self.arcs.iter().enumerate().map(pending));
        arrange(&mut self.window[start..]);
        self.window[start..].reverse();
        self.starts.push(start);
        if self.window.len() > self.capacity && self.starts.len() > 1 {
            self.forget();
        }
        Ok(())
    }

    /// Drops the arcs of the lower half of the frames in the window.
    fn forget(&mut self) {
        let kept = self.starts.len() / 2;
        let cut = self.starts[kept];
        self.window.drain(..cut);
        self.starts.drain(..kept);
        for start in &mut self.starts {
            *start -= cut;
        }
    }
}

/// Leaves the arcs in the order of the graph.
pub(super) fn as_given(_: &mut [Pending]) {}
