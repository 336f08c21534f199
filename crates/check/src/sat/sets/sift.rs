//! A better order of the variables: each in turn is moved through all levels and stays where there are fewest nodes (Rudell, "Dynamic
//! variable ordering for ordered binary decision diagrams", ICCAD'93). Variables of a block move together.
//!
//! Two neighbouring levels are exchanged in place: a node keeps its function, so edges stay right. How often each node is referred
//! to is counted afresh each time, so that nodes that an exchange makes superfluous are freed at once.

use super::diagram::{Bdd, Diagrams, NO_VAR, Var};
use lariat_base::Stop;

/// A block is moved on in one direction while there are at most so many times the fewest nodes, in tenths.
const TOLERANCE: usize = 12;
/// A block with so many times fewer nodes than the mean is left where it is.
const SMALL: usize = 4;
/// After so many nodes of exchanges the budget is looked at.
const PORTION: u64 = 20_000;
/// How many nodes of an exchange are a unit of work.
const PER_WORK: u64 = 10;

impl Diagrams {
    /// Moves every block to its best place. Nodes that no root needs must be freed before.
    pub(super) fn sift(&mut self, roots: &[Bdd], blocks: &[Vec<Var>]) -> Result<(), Stop> {
        let mut sifting = Sifting::new(self, roots, blocks);
        let n_nodes = |block: usize| -> usize {
            let vars = blocks[block].iter();
            vars.map(|&var| sifting.diagrams.n_nodes_of(var)).sum()
        };
        let least = sifting.diagrams.n_nodes() / (SMALL * blocks.len());
        let sizes = (0..blocks.len()).map(|block| (n_nodes(block), block));
        let mut largest: Vec<(usize, usize)> = sizes.filter(|size| size.0 > least).collect();
        largest.sort_unstable_by(|a, b| b.cmp(a));
        for (_, block) in largest {
            sifting.place(block)?;
        }
        Ok(())
    }
}

struct Sifting<'d> {
    diagrams: &'d mut Diagrams,
    /// How often each node is referred to.
    n_uses: Vec<u32>,
    /// The blocks from top to bottom, and how many levels each has.
    line: Vec<usize>,
    sizes: Vec<usize>,
    /// Which variables occur together in a function. Where others are exchanged, no node changes.
    meets: Meets,
    work: u64,
}

impl<'d> Sifting<'d> {
    fn new(diagrams: &'d mut Diagrams, roots: &[Bdd], blocks: &[Vec<Var>]) -> Self {
        let mut n_uses = vec![0; diagrams.nodes.len()];
        for node in diagrams.nodes.iter().filter(|node| node.var != NO_VAR) {
            n_uses[node.low.node()] += 1;
            n_uses[node.high.node()] += 1;
        }
        for root in roots {
            n_uses[root.node()] += 1;
        }
        let meets = Meets::new(diagrams, roots);
        let mut line: Vec<usize> = (0..blocks.len()).collect();
        line.sort_by_key(|&block| diagrams.level[blocks[block][0] as usize]);
        Self {
            diagrams,
            n_uses,
            line,
            sizes: blocks.iter().map(Vec::len).collect(),
            meets,
            work: 0,
        }
    }

    /// Moves a block to the nearer end, to the other one, and then to the best place.
    fn place(&mut self, block: usize) -> Result<(), Stop> {
        let place = self.line.iter().position(|&other| other == block);
        let mut at = place.expect("it is in the line");
        let (mut best, mut fewest) = (at, self.diagrams.n_nodes());
        let last = self.line.len() - 1;
        let goes_down_first = at > last / 2;
        for goes_down in [goes_down_first, !goes_down_first] {
            // The way back to where the block was is not a reason to stop.
            while self.diagrams.n_nodes() <= fewest * TOLERANCE / 10
                || (goes_down && at < best)
                || (!goes_down && at > best)
            {
                let is_at_end = if goes_down { at == last } else { at == 0 };
                if is_at_end {
                    break;
                }
                at = self.pass(at, goes_down)?;
                if self.diagrams.n_nodes() < fewest {
                    (best, fewest) = (at, self.diagrams.n_nodes());
                }
            }
        }
        while at != best {
            at = self.pass(at, at < best)?;
        }
        Ok(())
    }

    /// Exchanges a block with the one below or above it; where it is then.
    fn pass(&mut self, at: usize, goes_down: bool) -> Result<usize, Stop> {
        let upper = if goes_down { at } else { at - 1 };
        let top: usize = self.line[..upper]
            .iter()
            .map(|&block| self.sizes[block])
            .sum();
        let (above, below) = (
            self.sizes[self.line[upper]],
            self.sizes[self.line[upper + 1]],
        );
        for moved in 0..below {
            for level in (top + moved..top + moved + above).rev() {
                self.exchange(level)?;
            }
        }
        self.line.swap(upper, upper + 1);
        if self.work > PORTION {
            self.diagrams.budget.spend(self.work / PER_WORK)?;
            self.work = 0;
        }
        Ok(if goes_down { at + 1 } else { at - 1 })
    }

    /// Exchanges a level with the one below it.
    fn exchange(&mut self, level: usize) -> Result<(), Stop> {
        let (upper, lower) = (self.diagrams.order[level], self.diagrams.order[level + 1]);
        let mut moved = Vec::new();
        if self.meets.has(upper, lower) {
            self.work += self.diagrams.n_nodes_of(upper) as u64;
            moved = self.diagrams.take_dependent(upper, lower);
        }
        self.work += 1;
        self.diagrams.order.swap(level, level + 1);
        self.diagrams.level[upper as usize] = level as u32 + 1;
        self.diagrams.level[lower as usize] = level as u32;
        for at in moved {
            let node = self.diagrams.nodes[at as usize];
            let (low0, low1) = self.cofactors(node.low, lower);
            let (high0, high1) = self.cofactors(node.high, lower);
            let low = self.make(upper, low0, high0)?;
            let high = self.make(upper, low1, high1)?;
            self.n_uses[low.node()] += 1;
            self.n_uses[high.node()] += 1;
            let changed = &mut self.diagrams.nodes[at as usize];
            (changed.var, changed.low, changed.high) = (lower, low, high);
            self.diagrams.insert(at);
            self.drop_use(node.low);
            self.drop_use(node.high);
        }
        Ok(())
    }

    fn cofactors(&self, edge: Bdd, var: Var) -> (Bdd, Bdd) {
        let node = &self.diagrams.nodes[edge.node()];
        if node.var != var {
            return (edge, edge);
        }
        let is_negated = edge.is_negated();
        (
            node.low.negated_if(is_negated),
            node.high.negated_if(is_negated),
        )
    }

    /// A node whose uses are counted; none of itself yet.
    fn make(&mut self, var: Var, low: Bdd, high: Bdd) -> Result<Bdd, Stop> {
        let n_before = self.diagrams.n_nodes();
        let made = self.diagrams.make(var, low, high)?;
        if self.diagrams.n_nodes() > n_before {
            self.n_uses.resize(self.diagrams.nodes.len(), 0);
            self.n_uses[made.node()] = 0;
            let node = self.diagrams.nodes[made.node()];
            self.n_uses[node.low.node()] += 1;
            self.n_uses[node.high.node()] += 1;
        }
        Ok(made)
    }

    /// One use less: a node without uses is freed, and its uses of others end.
    fn drop_use(&mut self, edge: Bdd) {
        let mut todo = vec![edge.node()];
        while let Some(at) = todo.pop() {
            self.n_uses[at] -= 1;
            if self.n_uses[at] == 0 && at != 0 {
                let node = self.diagrams.nodes[at];
                todo.extend([node.low.node(), node.high.node()]);
                self.diagrams.release(at as u32);
            }
        }
    }
}

/// Pairs of variables that occur in the same function, as bits.
struct Meets {
    rows: Vec<Vec<u64>>,
}

impl Meets {
    fn new(diagrams: &Diagrams, roots: &[Bdd]) -> Self {
        let n_vars = diagrams.order.len();
        let mut rows = vec![vec![0; n_vars.div_ceil(64)]; n_vars];
        for &root in roots {
            let vars = diagrams.support(root);
            let mut together = vec![0u64; n_vars.div_ceil(64)];
            for &var in &vars {
                together[var as usize / 64] |= 1 << (var % 64);
            }
            for &var in &vars {
                let row = rows[var as usize].iter_mut().zip(&together);
                row.for_each(|(met, also)| *met |= also);
            }
        }
        Self { rows }
    }

    fn has(&self, a: Var, b: Var) -> bool {
        self.rows[a as usize][b as usize / 64] >> (b % 64) & 1 == 1
    }
}
