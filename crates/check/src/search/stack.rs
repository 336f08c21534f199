//! The stack of a depth-first search in bounded space per node.
//!
//! A frame is a node, the position of the arc last taken from it, and where its pending arcs start:
//! twelve bytes. Arcs that are still to be tried are kept in a window of bounded size. They need
//! little room: arcs to visited nodes are arranged to come first, so they are done before the search
//! descends; and of the others most *settle* while the search is below: their target was visited from
//! there, and trying them later would do nothing. When the window is full, settled arcs are removed;
//! if that does not help, the lower half of the frames lose their arcs. Where a search comes back to
//! such a frame, it asks the graph again: at most one more call per node.
//!
//! Contract: after such a refill *every* arc of the node is offered again. Handling an arc a second
//! time, with its target visited by then, must change nothing; for all searches here it does not.
//!
//! Rejected: keeping all pending arcs (on a strongly connected model the stack holds most nodes, and
//! their arcs are many times the state), and asking again at every return (twice the work, always).

use super::Pages;
use crate::{Arc, Graph, GraphPath, Hop, MarkSets, NodeId};
use lariat_base::Stop;

/// The rank of the arcs that are tried last.
pub(super) const LAST: u8 = 3;
/// The start of a frame without arcs in the window that has none to try either.
const DONE: u32 = u32::MAX;

/// An arc that is still to be tried.
#[derive(Clone, Copy, Debug)]
struct Pending {
    arc: Arc,
    /// Its position among the arcs of its source.
    index: u32,
}

/// How many pending arcs a stack may keep. Each takes twelve bytes; each frame without its arcs asks the graph again.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowSize {
    /// So many in any case.
    pub least: usize,
    /// One more for so many frames.
    pub frames_per_arc: usize,
}

impl WindowSize {
    /// For searches that keep little else.
    pub const WIDE: Self = Self {
        least: 1 << 17,
        frames_per_arc: 1,
    };
    /// For those that keep more.
    pub const NARROW: Self = Self {
        frames_per_arc: 5,
        ..Self::WIDE
    };

    fn limit(self, n_frames: usize) -> usize {
        self.least.max(n_frames / self.frames_per_arc)
    }
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    node: NodeId,
    taken: u32,
    /// Where its pending arcs start, unless they were dropped.
    start: u32,
}

/// What a search knows about the arcs it will be offered.
pub(super) trait Guide {
    /// How soon an arc is tried, from 0 to [`LAST`]; those to visited nodes come first. None: it need not
    /// be tried.
    fn rank(&self, sets: &MarkSets, arc: Arc) -> Option<u8>;
    /// Whether an arc whose target was not visited when it was arranged need not be tried any more.
    fn is_settled(&self, arc: Arc) -> bool;
}

#[derive(Debug)]
pub(super) struct Stack {
    frames: Pages<Frame>,
    /// Pending arcs of the topmost frames, the next one to try last.
    window: Pages<Pending>,
    /// The lowest frame whose pending arcs are kept.
    first_kept: usize,
    window_size: WindowSize,
    arcs: Vec<Arc>,
    ranks: Vec<Option<u8>>,
}

impl Stack {
    /// A stack that keeps the arcs of at least the top frame, and others as the window allows.
    pub fn new(window_size: WindowSize) -> Self {
        Self {
            frames: Pages::new(),
            window: Pages::new(),
            first_kept: 0,
            window_size,
            arcs: Vec::new(),
            ranks: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        *self = Self::new(self.window_size);
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
        guide: &dyn Guide,
    ) -> Result<(), Stop> {
        self.frames.push(Frame {
            node,
            taken: 0,
            start: 0,
        });
        self.fill(graph, guide)
    }

    /// The next arc of the top frame, if one is left.
    pub fn next(&mut self, graph: &mut dyn Graph, guide: &dyn Guide) -> Result<Option<Arc>, Stop> {
        if self.len() <= self.first_kept {
            // All frames below have lost their arcs too: the window starts anew.
            self.window.clear();
            self.first_kept = self.len() - 1;
            let frame = self.frames.last_mut().expect("the stack is not empty");
            if frame.start == DONE {
                frame.start = 0;
            } else {
                self.fill(graph, guide)?;
            }
        }
        let frame = self.frames.last_mut().expect("the stack is not empty");
        if self.window.len() == frame.start as usize {
            return Ok(None);
        }
        let pending = self.window.pop().expect("the window is longer");
        frame.taken = pending.index;
        Ok(Some(pending.arc))
    }

    /// Removes the top frame, whose arcs have all been tried.
    pub fn pop(&mut self) -> NodeId {
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

    /// Fetches the arcs of the top frame.
    fn fill(&mut self, graph: &mut dyn Graph, guide: &dyn Guide) -> Result<(), Stop> {
        let frame = self.frames.last_mut().expect("the stack is not empty");
        frame.start = self.window.len() as u32;
        self.arcs.clear();
        graph.successors(frame.node, &mut self.arcs)?;
        self.ranks.clear();
        let sets = &*graph.mark_sets();
        self.ranks
            .extend(self.arcs.iter().map(|&arc| guide.rank(sets, arc)));
        // The next to try comes last.
        for rank in (0..=LAST).rev() {
            for (index, &arc) in self.arcs.iter().enumerate().rev() {
                if self.ranks[index] == Some(rank) {
                    let index = index as u32;
                    self.window.push(Pending { arc, index });
                }
            }
        }
        let limit = self.window_size.limit(self.len());
        if self.window.len() > limit {
            self.settle(guide);
            if self.window.len() > limit / 2 {
                self.forget();
            }
        }
        Ok(())
    }

    /// Removes settled arcs from all frames but the top one, whose arcs have not been tried at all.
    fn settle(&mut self, guide: &dyn Guide) {
        let (mut write, mut read) = (0, 0);
        for i in self.first_kept..self.len() {
            let is_top = i + 1 == self.len();
            let end = if is_top {
                self.window.len()
            } else {
                self.frames.at(i + 1).start as usize
            };
            self.frames.at_mut(i).start = write as u32;
            for at in read..end {
                let pending = self.window.at(at);
                if is_top || !guide.is_settled(pending.arc) {
                    *self.window.at_mut(write) = pending;
                    write += 1;
                }
            }
            read = end;
        }
        self.window.truncate(write);
    }

    /// Drops the pending arcs of the lower half of the frames that have them.
    fn forget(&mut self) {
        let top = self.len() - 1;
        let first = self.first_kept + (top - self.first_kept).div_ceil(2);
        for i in self.first_kept..first {
            if self.frames.at(i).start == self.frames.at(i + 1).start {
                self.frames.at_mut(i).start = DONE;
            }
        }
        let cut = self.frames.at(first).start;
        for i in first..=top {
            self.frames.at_mut(i).start -= cut;
        }
        for at in cut as usize..self.window.len() {
            *self.window.at_mut(at - cut as usize) = self.window.at(at);
        }
        self.window.truncate(self.window.len() - cut as usize);
        self.first_kept = first;
    }
}
