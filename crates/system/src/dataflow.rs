//! What statements read and write, over whole systems: the one analysis that all rewritings stand on.
//!
//! Live variables are those whose value may be read before it is written again (Muchnick, "Advanced Compiler Design
//! and Implementation", 1997, §14.1). A declared initial value reads variables like any assignment.

use crate::{Context, LocId, Stmt, StmtId, System, Variable};
use lariat_base::{FxHashSet, Id, IdVec};
use lariat_expr::{TermId, VarId};

/// A set of variables.
pub type Vars = FxHashSet<VarId>;

impl System {
    /// The statements of all edges, initial ones first.
    pub fn all_stmts(&self) -> impl Iterator<Item = StmtId> {
        let steps = self.edges.rows().flat_map(|(_, row)| row);
        self.initial.iter().chain(steps).map(|edge| edge.stmt)
    }

    /// The declared initial values.
    pub fn declared_values(&self) -> Vec<TermId> {
        let declared = self.variables.iter().filter_map(|v: &Variable| v.initial);
        declared.collect()
    }
}

/// The variables that several of the systems have.
pub fn shared_variables(systems: &[System]) -> Vars {
    let (mut seen, mut shared) = (Vars::default(), Vars::default());
    for variable in systems.iter().flat_map(|system| &system.variables) {
        if !seen.insert(variable.var) {
            shared.insert(variable.var);
        }
    }
    shared
}

/// The variables that are alive at each location; those in `observed` always are.
pub fn live_variables(cx: &Context, system: &System, observed: &Vars) -> IdVec<LocId, Vars> {
    let n = system.locations.len();
    let mut live: IdVec<LocId, Vars> = IdVec::filled(observed.clone(), n);
    let mut sources: IdVec<LocId, Vec<LocId>> = IdVec::filled(Vec::new(), n);
    for (at, edges) in system.edges.rows() {
        for edge in edges {
            sources[edge.target].push(at);
        }
    }
    let mut todo: Vec<LocId> = (0..n).map(LocId::from_index).collect();
    let mut waiting = IdVec::filled(true, n);
    while let Some(at) = todo.pop() {
        waiting[at] = false;
        let mut now = observed.clone();
        for edge in system.edges.row(at) {
            let mut before = live[edge.target].clone();
            live_before(cx, edge.stmt, &mut before);
            now.extend(before);
        }
        if now.len() > live[at].len() {
            live[at] = now;
            for &source in &sources[at] {
                if !std::mem::replace(&mut waiting[source], true) {
                    todo.push(source);
                }
            }
        }
    }
    live
}

/// The variables whose value before the initial branches may be read: by those, by later steps, or by declared
/// values. `live` is what is alive at each location.
pub fn live_at_start(cx: &Context, system: &System, live: &IdVec<LocId, Vars>) -> Vars {
    let declared = system.declared_values();
    let mut start: Vars = cx.terms.free_vars(&declared).into_iter().collect();
    for branch in system.initial.branches() {
        let mut before = live[branch.target].clone();
        live_before(cx, branch.stmt, &mut before);
        start.extend(before);
    }
    start
}

/// Turns the variables that are alive after a statement into those alive before it.
///
/// The recursion follows the nesting of blocks in the source.
pub fn live_before(cx: &Context, stmt: StmtId, live: &mut Vars) {
    let read = |live: &mut Vars, term| live.extend(cx.terms.free_vars(&[term]));
    match cx.stmts.get(stmt) {
        Stmt::Assume(term) => read(live, term),
        Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
            live.remove(&var);
            read(live, term);
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => {
            live.remove(&var);
        }
        Stmt::Seq(list) => {
            for &part in cx.stmts.items(list).iter().rev() {
                live_before(cx, part, live);
            }
        }
        Stmt::Choice(list) => {
            let after = std::mem::take(live);
            for &branch in cx.stmts.items(list) {
                let mut before = after.clone();
                live_before(cx, branch, &mut before);
                live.extend(before);
            }
        }
        Stmt::If(condition, then, otherwise) => {
            let mut other = live.clone();
            live_before(cx, then, live);
            live_before(cx, otherwise, &mut other);
            live.extend(other);
            read(live, condition);
        }
        // The body may not run at all, and a round may read what another one writes.
        Stmt::For { .. } => live.extend(cx.stmts.read(&cx.terms, stmt)),
    }
}
