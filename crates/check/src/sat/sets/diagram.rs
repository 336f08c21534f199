//! Reduced ordered binary decision diagrams: truth functions as graphs, each function once (Bryant, "Graph-based algorithms for Boolean
//! function manipulation", IEEE Transactions on Computers 1986; Brace, Rudell, Bryant, "Efficient implementation of a BDD package", DAC'90).
//!
//! A node asks for one variable; its high edge is followed if that is true. An edge may be negated, but a high edge never is, so that a
//! function and its negation share their nodes and still each has one edge. Variables have *levels*, which change (`sift.rs`); nodes are kept by variable.
//!
//! Nothing is freed while an operation works. Between operations (`operations.rs`), [`Diagrams::tidy`] frees what the caller does not name, and looks for a
//! better order if there is much left. Operations recurse along levels, of which there are at most [`MAX_VARS`].

use lariat_base::{Budget, FxHashMap, FxHashSet, Stop};
use std::cmp::Reverse;

/// The most variables.
pub(super) const MAX_VARS: usize = 4_000;
/// The most nodes.
const MAX_NODES: usize = 40_000_000;
/// Steps of operations between two looks at the budget, and what they count for.
const STEPS: u64 = 1 << 13;
const WORK: u64 = STEPS / 8;
/// From how many nodes on unused ones are freed at first, and another order is looked for.
const FIRST_SWEEP: usize = 50_000;
const FIRST_SIFTING: usize = 10_000;
/// The entries of the table of results, at first and at most.
const FIRST_RESULTS: usize = 1 << 16;
const MAX_RESULTS: usize = 1 << 22;

/// A variable.
pub(super) type Var = u32;

/// An edge: a node, and whether its function is negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Bdd(pub(super) u32);

impl Bdd {
    pub const TRUE: Self = Self(0);
    pub const FALSE: Self = Self(1);

    pub(super) fn new(node: u32) -> Self {
        Self(node << 1)
    }

    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The edge itself, or its negation.
    pub(super) fn negated_if(self, condition: bool) -> Self {
        Self(self.0 ^ u32::from(condition))
    }

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl std::ops::Not for Bdd {
    type Output = Self;

    fn not(self) -> Self {
        self.negated_if(true)
    }
}

/// The variable of the node without variable, and of nodes that are free.
pub(super) const NO_VAR: Var = u32::MAX;
/// The places of the smallest table of a variable.
const SMALLEST_TABLE: usize = 16;
/// No node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub var: Var,
    pub low: Bdd,
    pub high: Bdd,
    /// The next one with the same hash, or the next free one.
    next: u32,
}

/// The nodes of a variable, by hash.
#[derive(Debug)]
struct Table {
    heads: Vec<u32>,
    n_nodes: usize,
}

/// Which operation a result is of, beside its operands.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    And = 0,
    Xor = 1,
    Ite = 2,
    AndExists = 3,
    Rename = 4,
}

/// A result: the operands (the third one with the operation), and what they give.
#[derive(Clone, Copy)]
struct Known {
    operands: [u32; 3],
    operation: u32,
    result: Bdd,
}

const UNKNOWN: Known = Known {
    operands: [NONE; 3],
    operation: NONE,
    result: Bdd::FALSE,
};

/// All diagrams, over one order of the variables.
pub(super) struct Diagrams {
    pub(super) nodes: Vec<Node>,
    tables: Vec<Table>,
    /// The level of each variable, and the variable of each level.
    pub(super) level: Vec<u32>,
    pub(super) order: Vec<Var>,
    free: u32,
    n_used: usize,
    results: Vec<Known>,
    steps: u64,
    pub(super) budget: Budget,
    /// From how many nodes on unused ones are freed, and another order is looked for.
    sweep_at: usize,
    sift_at: usize,
    is_full: bool,
}

impl Diagrams {
    /// No diagram but the constants. The variables are in the order of their numbers.
    pub fn new(n_vars: usize, budget: &Budget) -> Self {
        let constant = Node {
            var: NO_VAR,
            low: Bdd::TRUE,
            high: Bdd::TRUE,
            next: NONE,
        };
        let table = |_| Table {
            heads: vec![NONE; SMALLEST_TABLE],
            n_nodes: 0,
        };
        Self {
            nodes: vec![constant],
            tables: (0..n_vars).map(table).collect(),
            level: (0..n_vars as u32).collect(),
            order: (0..n_vars as u32).collect(),
            free: NONE,
            n_used: 1,
            results: vec![UNKNOWN; FIRST_RESULTS],
            steps: 0,
            budget: budget.clone(),
            sweep_at: FIRST_SWEEP,
            sift_at: FIRST_SIFTING,
            is_full: false,
        }
    }

    /// Whether there was no room for another node.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.n_used
    }

    /// The function that is true if a variable is.
    pub fn var(&mut self, var: Var) -> Result<Bdd, Stop> {
        self.make(var, Bdd::FALSE, Bdd::TRUE)
    }

    /// The node that asks for a variable and goes on with these.
    pub(super) fn make(&mut self, var: Var, low: Bdd, high: Bdd) -> Result<Bdd, Stop> {
        if low == high {
            return Ok(low);
        }
        let is_negated = high.is_negated();
        let (low, high) = (low.negated_if(is_negated), high.negated_if(is_negated));
        let table = &self.tables[var as usize];
        let mut at = table.heads[slot(low, high, table.heads.len())];
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.low == low && node.high == high {
                return Ok(Bdd::new(at).negated_if(is_negated));
            }
            at = node.next;
        }
        let node = self.take(var, low, high)?;
        self.insert(node);
        Ok(Bdd::new(node).negated_if(is_negated))
    }

    /// A node that is in no table yet.
    fn take(&mut self, var: Var, low: Bdd, high: Bdd) -> Result<u32, Stop> {
        let node = Node {
            var,
            low,
            high,
            next: NONE,
        };
        self.n_used += 1;
        if self.free != NONE {
            let at = self.free;
            self.free = self.nodes[at as usize].next;
            self.nodes[at as usize] = node;
            return Ok(at);
        }
        if self.nodes.len() >= MAX_NODES {
            self.is_full = true;
            return Err(Stop::Memory);
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as u32 - 1)
    }

    /// Puts a node into the table of its variable.
    pub(super) fn insert(&mut self, at: u32) {
        let Node { var, low, high, .. } = self.nodes[at as usize];
        let table = &mut self.tables[var as usize];
        if table.n_nodes > 2 * table.heads.len() {
            self.refill(var, &self.nodes_of(var));
        }
        let table = &mut self.tables[var as usize];
        let size = table.heads.len();
        let head = &mut table.heads[slot(low, high, size)];
        self.nodes[at as usize].next = *head;
        *head = at;
        table.n_nodes += 1;
    }

    /// Makes the table of a variable anew, with these nodes.
    fn refill(&mut self, var: Var, nodes: &[u32]) {
        let size = (2 * nodes.len()).next_power_of_two().max(SMALLEST_TABLE);
        self.tables[var as usize] = Table {
            heads: vec![NONE; size],
            n_nodes: 0,
        };
        for &node in nodes {
            self.insert(node);
        }
    }

    /// The nodes of a variable.
    fn nodes_of(&self, var: Var) -> Vec<u32> {
        let table = &self.tables[var as usize];
        let mut nodes = Vec::with_capacity(table.n_nodes);
        for &head in &table.heads {
            let mut at = head;
            while at != NONE {
                nodes.push(at);
                at = self.nodes[at as usize].next;
            }
        }
        nodes
    }

    /// How many nodes a variable has.
    pub(super) fn n_nodes_of(&self, var: Var) -> usize {
        self.tables[var as usize].n_nodes
    }

    /// Takes the nodes of a variable that have to do with another one out of their table.
    pub(super) fn take_dependent(&mut self, var: Var, other: Var) -> Vec<u32> {
        let Self { tables, nodes, .. } = self;
        let table = &mut tables[var as usize];
        let mut taken = Vec::new();
        for head in &mut table.heads {
            let (mut before, mut at) = (NONE, *head);
            while at != NONE {
                let Node {
                    low, high, next, ..
                } = nodes[at as usize];
                if nodes[low.node()].var == other || nodes[high.node()].var == other {
                    taken.push(at);
                    match before {
                        NONE => *head = next,
                        before => nodes[before as usize].next = next,
                    }
                } else {
                    before = at;
                }
                at = next;
            }
        }
        table.n_nodes -= taken.len();
        taken
    }

    /// Takes a node out of its table and frees it.
    pub(super) fn release(&mut self, at: u32) {
        let Node { var, low, high, .. } = self.nodes[at as usize];
        let table = &mut self.tables[var as usize];
        let size = table.heads.len();
        let mut before = NONE;
        let mut seen = table.heads[slot(low, high, size)];
        while seen != at {
            before = seen;
            seen = self.nodes[seen as usize].next;
        }
        let after = self.nodes[at as usize].next;
        match before {
            NONE => table.heads[slot(low, high, size)] = after,
            before => self.nodes[before as usize].next = after,
        }
        table.n_nodes -= 1;
        self.set_free(at);
    }

    fn set_free(&mut self, at: u32) {
        let node = &mut self.nodes[at as usize];
        node.var = NO_VAR;
        node.next = self.free;
        self.free = at;
        self.n_used -= 1;
    }

    /// The level of an edge's node; constants are below all.
    pub(super) fn level(&self, f: Bdd) -> u32 {
        match self.nodes[f.node()].var {
            NO_VAR => u32::MAX,
            var => self.level[var as usize],
        }
    }

    /// What a function is where the variable of this level is false, and where it is true.
    pub(super) fn split(&self, f: Bdd, level: u32) -> (Bdd, Bdd) {
        if self.level(f) != level {
            return (f, f);
        }
        let node = &self.nodes[f.node()];
        let is_negated = f.is_negated();
        (
            node.low.negated_if(is_negated),
            node.high.negated_if(is_negated),
        )
    }

    /// Counts a step.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) {
            self.budget.spend(WORK)?;
        }
        Ok(())
    }

    pub(super) fn recall(&self, operation: Operation, operands: [u32; 3]) -> Option<Bdd> {
        let known = &self.results[spread(operands) & (self.results.len() - 1)];
        let is_same = known.operands == operands && known.operation == operation as u32;
        is_same.then_some(known.result)
    }

    pub(super) fn remember(&mut self, operation: Operation, operands: [u32; 3], result: Bdd) {
        let at = spread(operands) & (self.results.len() - 1);
        self.results[at] = Known {
            operands,
            operation: operation as u32,
            result,
        };
    }

    /// The conjunction of variables.
    pub fn cube(&mut self, vars: &[Var]) -> Result<Bdd, Stop> {
        let mut vars = vars.to_vec();
        vars.sort_unstable_by_key(|&var| Reverse(self.level[var as usize]));
        let mut cube = Bdd::TRUE;
        for var in vars {
            cube = self.make(var, Bdd::FALSE, cube)?;
        }
        Ok(cube)
    }

    /// The assignment of these variables, as a function.
    pub fn point(&mut self, vars: &[Var], values: &[bool]) -> Result<Bdd, Stop> {
        let mut literals: Vec<(Var, bool)> =
            vars.iter().copied().zip(values.iter().copied()).collect();
        literals.sort_unstable_by_key(|&(var, _)| Reverse(self.level[var as usize]));
        let mut point = Bdd::TRUE;
        for (var, value) in literals {
            point = if value {
                self.make(var, Bdd::FALSE, point)?
            } else {
                self.make(var, point, Bdd::FALSE)?
            };
        }
        Ok(point)
    }

    /// Values of these variables with which a function is true for some values of the others; it must not be false.
    pub fn pick(&self, f: Bdd, vars: &[Var]) -> Vec<bool> {
        let mut chosen = vec![false; self.order.len()];
        let mut at = f;
        while !at.is_constant() {
            let node = &self.nodes[at.node()];
            let low = node.low.negated_if(at.is_negated());
            let goes_high = low == Bdd::FALSE;
            chosen[node.var as usize] = goes_high;
            at = if goes_high {
                node.high.negated_if(at.is_negated())
            } else {
                low
            };
        }
        vars.iter().map(|&var| chosen[var as usize]).collect()
    }

    /// The variables on which a function depends.
    pub fn support(&self, f: Bdd) -> FxHashSet<Var> {
        let reached = self.reached(&[f]);
        reached
            .iter()
            .map(|&at| self.nodes[at as usize].var)
            .collect()
    }

    /// How many nodes a function has.
    pub fn size(&self, f: Bdd) -> usize {
        self.reached(&[f]).len()
    }

    /// How many assignments of these variables, which must be all that it has, make a function true; or the largest number, if it is more.
    pub fn count(&self, f: Bdd, vars: &[Var]) -> u64 {
        let mut levels: Vec<u32> = vars.iter().map(|&var| self.level[var as usize]).collect();
        levels.sort_unstable();
        // How many of the variables are above a node.
        let above = |edge: Bdd| levels.partition_point(|&level| level < self.level(edge));
        let mut nodes: Vec<u32> = self.reached(&[f]).into_iter().collect();
        nodes.sort_by_key(|&at| Reverse(self.level(Bdd::new(at))));
        let mut known = FxHashMap::from_iter([(Bdd::TRUE, 1), (Bdd::FALSE, 0)]);
        for edge in nodes
            .into_iter()
            .map(Bdd::new)
            .flat_map(|edge| [edge, !edge])
        {
            let (low, high) = self.split(edge, self.level(edge));
            let [low, high] = [low, high].map(|next| {
                let n_free = above(next) - above(edge) - 1;
                doubled(known[&next], n_free)
            });
            known.insert(edge, low.saturating_add(high));
        }
        doubled(known[&f], above(f))
    }

    /// The nodes of these functions, but the constant.
    fn reached(&self, roots: &[Bdd]) -> FxHashSet<u32> {
        let mut seen = FxHashSet::default();
        let mut todo: Vec<u32> = roots.iter().map(|root| root.node() as u32).collect();
        while let Some(at) = todo.pop() {
            if at != 0 && seen.insert(at) {
                let node = &self.nodes[at as usize];
                todo.extend([node.low.node() as u32, node.high.node() as u32]);
            }
        }
        seen
    }

    /// Whether there is much that may not be needed.
    pub fn is_untidy(&self) -> bool {
        self.n_used >= self.sweep_at
    }

    /// Frees what none of these functions needs, and looks for a better order if there is much left. Variables of a
    /// block stay together. What is not among the roots must not be used any more.
    pub fn tidy(&mut self, roots: &[Bdd], blocks: &[Vec<Var>]) -> Result<(), Stop> {
        self.sweep(roots);
        let is_sifted = self.n_used >= self.sift_at;
        if is_sifted {
            let n_before = self.n_used;
            self.sift(roots, blocks)?;
            let is_better = self.n_used < n_before / 4 * 3;
            let growth = if is_better { 2 } else { 4 };
            self.sift_at = growth * self.n_used.max(FIRST_SIFTING);
        }
        self.sweep_at = (2 * self.n_used).max(FIRST_SWEEP);
        let size = self.n_used.next_power_of_two() * 4;
        let size = size.clamp(self.results.len(), MAX_RESULTS);
        if is_sifted || size > self.results.len() {
            self.results.resize(size, UNKNOWN);
            self.forget();
        } else {
            self.forget_free();
        }
        Ok(())
    }

    /// Forgets all results of operations.
    pub(super) fn forget(&mut self) {
        self.results.fill(UNKNOWN);
    }

    /// Forgets the results of operations that have to do with nodes that are free.
    fn forget_free(&mut self) {
        let nodes = &self.nodes;
        let is_free = |edge: u32| {
            let at = (edge >> 1) as usize;
            at != 0 && nodes.get(at).is_none_or(|node| node.var == NO_VAR)
        };
        for known in &mut self.results {
            if known
                .operands
                .into_iter()
                .chain([known.result.0])
                .any(is_free)
            {
                *known = UNKNOWN;
            }
        }
    }

    /// Frees what none of these functions needs.
    pub(super) fn sweep(&mut self, roots: &[Bdd]) {
        let mut is_needed = vec![false; self.nodes.len()];
        is_needed[0] = true;
        let mut todo: Vec<usize> = roots.iter().map(|root| root.node()).collect();
        while let Some(at) = todo.pop() {
            if !is_needed[at] {
                is_needed[at] = true;
                todo.extend([self.nodes[at].low.node(), self.nodes[at].high.node()]);
            }
        }
        for var in 0..self.tables.len() as Var {
            let (needed, others): (Vec<u32>, Vec<u32>) = self
                .nodes_of(var)
                .into_iter()
                .partition(|&at| is_needed[at as usize]);
            self.refill(var, &needed);
            for at in others {
                self.set_free(at);
            }
        }
    }
}

/// A number that is doubled so many times; the largest one if that is more.
fn doubled(n: u64, times: usize) -> u64 {
    if n == 0 || times <= n.leading_zeros() as usize {
        n.checked_shl(times as u32).unwrap_or(0)
    } else {
        u64::MAX
    }
}

/// Where a node is in a table of this size.
fn slot(low: Bdd, high: Bdd, size: usize) -> usize {
    spread([low.0, high.0, 0]) & (size - 1)
}

/// A number that depends on all of these.
fn spread([a, b, c]: [u32; 3]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(FACTOR);
    let mixed = (mixed ^ mixed >> 29 ^ u64::from(c)).wrapping_mul(FACTOR);
    (mixed >> 32) as usize
}
