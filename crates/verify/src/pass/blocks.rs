//! Large blocks: code between the points that a property can see becomes one step.
//!
//! A location between two steps is eliminated by running the second step right after the first, and steps
//! between the same two locations become one step with a choice (Beyer, Cimatti, Griggio, Keremoglu,
//! Sebastiani, "Software model checking via large-block encoding", FMCAD'09). Every cycle keeps a
//! location, so infinite runs stay infinite.
//!
//! What the property reads must not change. A letter is dropped only if it repeats the letter before it or
//! the one after it, which a formula without `X` cannot tell; a step counts as changing the letter if it
//! writes any variable of the property. With `X` in the formula (or an automaton, of which nothing is
//! known) no letter is dropped: then only steps that are not observed merge with what follows them. Three
//! cases of two steps `a → m → b`, by which of them are observed:
//!
//! - the first is not: whatever is read, is read after the second;
//! - both are: the letter after the first goes. It repeats the one after the second if that step changes
//!   nothing, and the one before if the first step changes nothing and `a` is *fresh*: the letter read
//!   last is the letter of the state at `a`;
//! - only the first is: it is read after the second instead, which must change nothing.
//!
//! A letter that is read later may not be read at all if the second step is blocked. That is no difference
//! for infinite runs; where a finite run refutes the property, letters are not read later.

use super::{Applied, Pass, Stage};
use crate::property::Claim;
use lariat_base::{Csr, FxHashSet, Id, IdVec};
use lariat_expr::{TermId, VarId};
use lariat_ltl::Class;
use lariat_system::{Context, Edge, LocId, Stmt, StmtId, System};
use std::rc::Rc;

/// The pass, for programs and XSTSs by themselves: in a composition, every step is a point where another part may go on. It may
/// merge edges and leave locations without any; variables stay.
pub struct MergeBlocks;

impl Pass for MergeBlocks {
    fn supports(&self, stage: &Stage) -> bool {
        stage.model.has_inner_points()
    }

    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let view = View::new(cx, stage);
        let system = &mut stage.model.systems[0];
        Applied::Blocks(merge_blocks(cx, system, &view))
    }
}

/// For each edge after merging: the edges that it is made of.
pub type Routes = Csr<LocId, Rc<Route>>;

/// How a merged edge goes through the edges that it was made of.
#[derive(Clone, Debug)]
pub enum Route {
    /// One of them: the location that it leaves, and its position there.
    Edge(LocId, usize),
    /// One after the other.
    Then(Rc<Route>, Rc<Route>),
    /// A choice of the merged statement decides.
    Choice(Vec<Rc<Route>>),
    /// A condition decides.
    If(TermId, Rc<Route>, Rc<Route>),
}

/// What a property sees of a system.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The variables that it reads.
    pub variables: FxHashSet<VarId>,
    /// The locations that it names.
    pub locations: FxHashSet<LocId>,
    /// Whether it can tell how often a letter is repeated.
    pub counts_steps: bool,
    /// Whether a finite run can refute it, even one that is blocked afterwards.
    pub ends_early: bool,
}

impl View {
    /// What the property of a stage sees, fairness included.
    pub fn new(cx: &Context, stage: &Stage) -> Self {
        let variables = cx.terms.free_vars(&stage.observed_terms());
        let variables = variables.into_iter().collect();
        match &stage.property.claim {
            Claim::Never { at, .. } => Self {
                variables,
                locations: at.iter().map(|&(_, at)| at).collect(),
                counts_steps: false,
                ends_early: true,
            },
            Claim::Temporal { formula, .. } => Self {
                variables,
                locations: FxHashSet::default(),
                counts_steps: !formula
                    .as_ref()
                    .is_some_and(|(formulas, f)| formulas.class(*f).has(Class::STUTTER_FREE)),
                ends_early: false,
            },
        }
    }
}

/// The most statements that a merged step is made of, counted as often as they occur.
const MAX_SIZE: usize = 200_000;
/// A step is copied in front of several others only up to this size.
const MAX_COPY: usize = 24;

/// Merges the steps of `system` where `view` cannot tell the difference; says what each step is made of.
pub fn merge_blocks(cx: &mut Context, system: &mut System, view: &View) -> Routes {
    let mut merger = Merger::new(cx, system, view);
    loop {
        let mut n_eliminated = 0;
        for way in [Way::OneToOne, Way::ManyToOne, Way::OneToMany] {
            for at in (0..merger.out.len()).rev() {
                let mid = LocId::from_index(at);
                while merger.eliminate(cx, mid, way) {
                    n_eliminated += 1;
                }
            }
        }
        if n_eliminated == 0 {
            break;
        }
    }
    let (edges, routes) = merger.finish(cx);
    system.edges = edges;
    routes
}

/// Which locations are eliminated: those with so many steps in and out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    OneToOne,
    ManyToOne,
    OneToMany,
}

/// A step that is being merged.
#[derive(Clone, Debug)]
struct Block {
    /// Its statements, none of them a sequence.
    stmts: Vec<StmtId>,
    target: LocId,
    observed: bool,
    /// Whether it may change what the property reads.
    changes: bool,
    size: usize,
    /// The only edge it is made of, if that is so.
    edge: Option<Edge>,
    route: Rc<Route>,
}

struct Merger {
    out: IdVec<LocId, Vec<Block>>,
    /// The locations with steps to each location, as often as there are steps.
    into: IdVec<LocId, Vec<LocId>>,
    kept: IdVec<LocId, bool>,
    fresh: IdVec<LocId, bool>,
    counts_steps: bool,
    ends_early: bool,
}

impl Merger {
    fn new(cx: &Context, system: &System, view: &View) -> Self {
        let n = system.locations.len();
        let block = |at: LocId, index: usize, edge: &Edge| {
            let mut size = 0;
            cx.stmts.walk(edge.stmt, |_, _| size += 1);
            let written = cx.stmts.written(edge.stmt);
            Block {
                stmts: cx.stmts.flatten(edge.stmt),
                target: edge.target,
                observed: edge.observed,
                changes: written.iter().any(|var| view.variables.contains(var)),
                size,
                edge: Some(*edge),
                route: Rc::new(Route::Edge(at, index)),
            }
        };
        let mut merger = Self {
            out: IdVec::default(),
            into: IdVec::filled(Vec::new(), n),
            kept: IdVec::filled(false, n),
            fresh: IdVec::filled(true, n),
            counts_steps: view.counts_steps,
            ends_early: view.ends_early,
        };
        for (at, edges) in system.edges.rows() {
            for edge in edges {
                merger.into[edge.target].push(at);
                merger.kept[at] |= edge.stutter;
            }
            let edges = edges.iter().enumerate();
            merger
                .out
                .push(edges.map(|(i, edge)| block(at, i, edge)).collect());
        }
        for edge in &system.initial {
            merger.kept[edge.target] = true;
            merger.fresh[edge.target] &= edge.observed;
        }
        for &loc in &view.locations {
            merger.kept[loc] = true;
        }
        merger.spread_staleness();
        merger
    }

    /// A location is not fresh if a step that is not observed leads there from one that is not, or
    /// changes what the property reads.
    fn spread_staleness(&mut self) {
        let mut todo: Vec<LocId> = (0..self.out.len()).map(LocId::from_index).collect();
        while let Some(at) = todo.pop() {
            for block in &self.out[at] {
                let stale = !block.observed && (block.changes || !self.fresh[at]);
                if stale && self.fresh[block.target] {
                    self.fresh[block.target] = false;
                    todo.push(block.target);
                }
            }
        }
    }

    /// Eliminates a location if that is the way to do it and nothing can tell; says whether it did.
    fn eliminate(&mut self, cx: &mut Context, mid: LocId, way: Way) -> bool {
        let (n_in, n_out) = (self.into[mid].len(), self.out[mid].len());
        let fits = match way {
            Way::OneToOne => n_in == 1 && n_out == 1,
            Way::ManyToOne => n_in > 1 && n_out == 1,
            Way::OneToMany => n_in == 1 && n_out > 1,
        };
        if !fits || self.kept[mid] || self.out[mid].iter().any(|second| second.target == mid) {
            return false;
        }
        let mut sources = self.into[mid].clone();
        sources.dedup();
        let pairs_merge = sources.iter().all(|&from| {
            let firsts = self.out[from].iter().filter(|first| first.target == mid);
            firsts.into_iter().all(|first| {
                (n_out == 1 || first.size <= MAX_COPY)
                    && self.out[mid]
                        .iter()
                        .all(|second| self.may_follow(from, first, second))
            })
        });
        if !pairs_merge {
            return false;
        }
        let seconds = std::mem::take(&mut self.out[mid]);
        self.into[mid].clear();
        for second in &seconds {
            self.into[second.target].retain(|&from| from != mid);
        }
        sources.sort_unstable();
        sources.dedup();
        for from in sources {
            self.join(cx, from, mid, &seconds);
        }
        true
    }

    /// Whether the second step can run right after the first, which starts at `from`, unnoticed.
    fn may_follow(&self, from: LocId, first: &Block, second: &Block) -> bool {
        let read_later = !second.changes && !self.ends_early;
        let read_before = !first.changes && self.fresh[from];
        first.size + second.size <= MAX_SIZE
            && match (first.observed, second.observed) {
                (false, _) => true,
                (true, true) => !self.counts_steps && (read_later || read_before),
                (true, false) => read_later,
            }
    }

    /// Puts the steps that follow `mid` behind those that lead there from `from`.
    fn join(&mut self, cx: &mut Context, from: LocId, mid: LocId, seconds: &[Block]) {
        let blocks = std::mem::take(&mut self.out[from]);
        let mut joined: Vec<Block> = Vec::new();
        for first in blocks {
            if first.target != mid {
                joined.push(first);
                continue;
            }
            for second in seconds {
                joined.push(Block {
                    stmts: [&first.stmts[..], &second.stmts].concat(),
                    target: second.target,
                    observed: first.observed || second.observed,
                    changes: first.changes || second.changes,
                    size: first.size + second.size,
                    edge: None,
                    route: Rc::new(Route::Then(
                        Rc::clone(&first.route),
                        Rc::clone(&second.route),
                    )),
                });
                self.into[second.target].push(from);
            }
        }
        self.out[from] = joined;
        for second in seconds {
            self.unite(cx, from, second.target);
        }
    }

    /// Makes steps between the same two locations one.
    fn unite(&mut self, cx: &mut Context, from: LocId, to: LocId) {
        let is_stutter = |block: &Block| block.edge.is_some_and(|edge| edge.stutter);
        for observed in [false, true] {
            let same = |block: &Block| {
                block.target == to && block.observed == observed && !is_stutter(block)
            };
            let blocks = std::mem::take(&mut self.out[from]);
            let (mut parallel, others): (Vec<Block>, Vec<Block>) =
                blocks.into_iter().partition(same);
            let size = parallel.iter().map(|block| block.size).sum::<usize>();
            self.out[from] = others;
            if parallel.len() < 2 || size > MAX_SIZE {
                self.out[from].append(&mut parallel);
                continue;
            }
            let gone = parallel.len() - 1;
            let mut n = 0;
            self.into[to].retain(|&source| {
                let drop = source == from && n < gone;
                n += usize::from(drop);
                !drop
            });
            self.out[from].push(united(cx, parallel, size + 1));
        }
    }

    fn finish(self, cx: &mut Context) -> (Csr<LocId, Edge>, Routes) {
        let (mut rows, mut routes) = (Vec::new(), Vec::new());
        for blocks in &self.out {
            let edge = |block: &Block| {
                block.edge.unwrap_or_else(|| {
                    let stmt = sequence(cx, &block.stmts);
                    Edge::new(stmt, block.target).observed_if(block.observed)
                })
            };
            rows.push(blocks.iter().map(edge).collect::<Vec<Edge>>());
            let of_row = blocks.iter().map(|block| Rc::clone(&block.route));
            routes.push(of_row.collect::<Vec<_>>());
        }
        (Csr::from_rows(rows), Csr::from_rows(routes))
    }
}

/// One step for several between the same locations: a conditional where their guards exclude each other.
fn united(cx: &mut Context, parallel: Vec<Block>, size: usize) -> Block {
    let routes = || parallel.iter().map(|block| Rc::clone(&block.route));
    let condition = match &parallel[..] {
        [one, other] => opposite(cx, one, other),
        _ => None,
    };
    let (stmt, route) = match (condition, &parallel[..]) {
        (Some(condition), [one, other]) => {
            let then = sequence(cx, &one.stmts[1..]);
            let otherwise = sequence(cx, &other.stmts[1..]);
            let stmt = Stmt::If(condition, then, otherwise);
            let stmt = cx.stmts.derive(stmt, one.stmts[0]);
            let routes = [one, other].map(|block| Rc::clone(&block.route));
            let [then, otherwise] = routes;
            (stmt, Route::If(condition, then, otherwise))
        }
        _ => {
            let branches = parallel.iter().map(|block| sequence(cx, &block.stmts));
            let branches: Vec<StmtId> = branches.collect();
            let route = Route::Choice(routes().collect());
            (cx.stmts.choice(&branches, None), route)
        }
    };
    let first = &parallel[0];
    Block {
        stmts: vec![stmt],
        target: first.target,
        observed: first.observed,
        changes: parallel.iter().any(|block| block.changes),
        size,
        edge: None,
        route: Rc::new(route),
    }
}

/// The condition of the first step, if both start with an assumption and these are opposites.
fn opposite(cx: &mut Context, one: &Block, other: &Block) -> Option<TermId> {
    let assumed = |cx: &Context, block: &Block| match cx.stmts.get(*block.stmts.first()?) {
        Stmt::Assume(term) => Some(term),
        _ => None,
    };
    let (yes, no) = (assumed(cx, one)?, assumed(cx, other)?);
    (cx.terms.not(yes) == no).then_some(yes)
}

fn sequence(cx: &mut Context, stmts: &[StmtId]) -> StmtId {
    match stmts {
        [one] => *one,
        several => cx.stmts.seq(
            several,
            several.first().and_then(|&first| cx.stmts.span(first)),
        ),
    }
}
