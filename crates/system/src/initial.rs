//! How runs start: a *prelude* that gives variables their initial values, then a *branch*, what the language's own
//! initialisation does.
//!
//! Front ends, passes and compositions say what the branches are; the prelude is derived here and nowhere else. A
//! composition joins the branches of its parts and derives one prelude for all variables, so that a part's branch
//! cannot undo what another part set.

use crate::{Context, Edge, LocId, Stmt, StmtId, Variable};
use lariat_base::FxHashSet;
use lariat_expr::{TermId, Terms, VarId};
use std::ops::Deref;

/// With more branches times variables than this, all branches share one prelude that gives every variable a value.
const MAX_PRELUDES: usize = 1 << 20;

/// The edges that start a run; a list of whole steps, prelude and branch.
#[derive(Clone, Debug)]
pub struct Initial<L = LocId> {
    edges: Vec<Edge<L>>,
    branches: Vec<Edge<L>>,
    preludes: Vec<StmtId>,
}

impl<L: Copy> Initial<L> {
    /// The starts of a system with these variables. The statements of the given edges are its branches.
    pub fn new(cx: &mut Context, variables: &[Variable], branches: Vec<Edge<L>>) -> Self {
        let mut initial = Self {
            edges: Vec::new(),
            branches: Vec::new(),
            preludes: Vec::new(),
        };
        let shared = (branches.len() * variables.len() > MAX_PRELUDES).then(|| {
            let skip = cx.stmts.skip();
            prelude(cx, variables, skip)
        });
        for branch in branches {
            let prelude = shared.unwrap_or_else(|| prelude(cx, variables, branch.stmt));
            let span = cx.stmts.span(branch.stmt);
            let stmt = cx.stmts.seq(&[prelude, branch.stmt], span);
            initial.edges.push(Edge { stmt, ..branch });
            initial.preludes.push(prelude);
            initial.branches.push(branch);
        }
        initial
    }

    /// The same edges with their branches only.
    pub fn branches(&self) -> &[Edge<L>] {
        &self.branches
    }

    /// The variables that the prelude of the `index`-th edge gives any value.
    pub fn undetermined(&self, cx: &Context, index: usize) -> Vec<VarId> {
        let mut vars = Vec::new();
        cx.stmts.walk(self.preludes[index], |_, stmt| {
            if let Stmt::Havoc(var) = stmt {
                vars.push(var);
            }
        });
        vars
    }

    /// Makes the first states observed ones.
    pub fn observe(&mut self) {
        for edge in self.edges.iter_mut().chain(&mut self.branches) {
            edge.observed = true;
        }
    }
}

impl<L> Deref for Initial<L> {
    type Target = [Edge<L>];

    fn deref(&self) -> &[Edge<L>] {
        &self.edges
    }
}

impl<'a, L> IntoIterator for &'a Initial<L> {
    type Item = &'a Edge<L>;
    type IntoIter = std::slice::Iter<'a, Edge<L>>;

    fn into_iter(self) -> Self::IntoIter {
        self.edges.iter()
    }
}

/// Gives variables their initial values: declared ones, any value to the others. Variables that `branch` writes before
/// anything reads them are left out, they need no value.
///
/// A declared value may read other variables: those get their values first, in a circle any value.
fn prelude(cx: &mut Context, variables: &[Variable], branch: StmtId) -> StmtId {
    let (order, read_early) = declared_order(&cx.terms, variables);
    let values: Vec<TermId> = order
        .iter()
        .filter_map(|variable| variable.initial)
        .collect();
    let read = cx.terms.free_vars(&values);
    let mut written_first = written_before_read(cx, branch);
    written_first.retain(|var| read.binary_search(var).is_err());
    let mut parts = Vec::new();
    for variable in variables {
        let is_needed = variable.initial.is_none() && !written_first.contains(&variable.var);
        if is_needed || read_early.contains(&variable.var) {
            parts.push(cx.stmts.add(Stmt::Havoc(variable.var), variable.span));
        }
    }
    for (variable, value) in order.into_iter().zip(values) {
        parts.push(
            cx.stmts
                .add(Stmt::Assign(variable.var, value), variable.span),
        );
    }
    cx.stmts.seq(&parts, None)
}

/// The variables with declared values in an order in which each value reads only what has its own before, and those
/// that are read too early all the same because values depend on one another in a circle.
fn declared_order<'v>(
    terms: &Terms,
    variables: &'v [Variable],
) -> (Vec<&'v Variable>, FxHashSet<VarId>) {
    let reads = |variable: &Variable| terms.free_vars(variable.initial.as_slice());
    let declared = variables.iter().filter(|v| v.initial.is_some());
    let mut rest: Vec<(&Variable, Vec<VarId>)> = declared.map(|v| (v, reads(v))).collect();
    let mut waiting: FxHashSet<VarId> = rest.iter().map(|(v, _)| v.var).collect();
    let mut order = Vec::with_capacity(rest.len());
    loop {
        let n_waiting = rest.len();
        rest.retain(|(variable, read)| {
            let is_ready = !read.iter().any(|var| waiting.contains(var));
            if is_ready {
                waiting.remove(&variable.var);
                order.push(*variable);
            }
            !is_ready
        });
        if rest.len() == n_waiting {
            break;
        }
    }
    let read_early = rest.iter().flat_map(|(_, read)| read).copied();
    let read_early = read_early.filter(|var| waiting.contains(var)).collect();
    order.extend(rest.into_iter().map(|(variable, _)| variable));
    (order, read_early)
}

/// Variables that the straight-line start of `root` certainly writes before anything reads them.
///
/// Only the top-level sequence up to the first statement with inner structure is looked at: enough
/// for the initialisation blocks that people and generators write.
fn written_before_read(cx: &Context, root: StmtId) -> FxHashSet<VarId> {
    let (mut written, mut read): (FxHashSet<VarId>, FxHashSet<VarId>) = Default::default();
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        read.extend(match cx.stmts.get(id) {
            Stmt::Seq(list) => {
                todo.extend(cx.stmts.items(list).iter().rev());
                continue;
            }
            Stmt::Choice(_) | Stmt::If(..) | Stmt::For { .. } => break,
            _ => cx.stmts.read(&cx.terms, id),
        });
        if let Stmt::Assign(var, _) | Stmt::Havoc(var) = cx.stmts.get(id)
            && !read.contains(&var)
        {
            written.insert(var);
        }
    }
    written
}
