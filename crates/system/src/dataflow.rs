//! What statements read and write, over whole systems: the one analysis that all rewritings stand on.
//!
//! Live variables are those whose value may be read before it is written again (Muchnick, "Advanced Compiler Design
//! and Implementation", 1997, §14.1). A declared initial value reads variables like any assignment.

use crate::{Context, LocId, Stmt, StmtId, System, Variable};
use lariat_base::{FxHashSet, IdVec};
use lariat_expr::{TermId, VarId};
use std::collections::BTreeMap;

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
///
/// Each variable that becomes alive at a location is handed to the locations before it once.
pub fn live_variables(cx: &Context, system: &System, observed: &Vars) -> IdVec<LocId, Vars> {
    let n = system.locations.len();
    let mut live: IdVec<LocId, Vars> = IdVec::filled(observed.clone(), n);
    // For each location those before it, with what all steps from there surely write.
    let mut sources: IdVec<LocId, Vec<(LocId, Vars)>> = IdVec::filled(Vec::new(), n);
    let mut todo: Vec<(LocId, VarId)> = Vec::new();
    for (at, edges) in system.edges.rows() {
        let mut by_target: BTreeMap<LocId, Vec<Transfer>> = BTreeMap::new();
        for edge in edges {
            let transfer = Transfer::of(cx, edge.stmt);
            by_target.entry(edge.target).or_default().push(transfer);
        }
        for (target, transfers) in by_target {
            let Transfer { read, written } = Transfer::any_of(transfers);
            sources[target].push((at, written));
            live[at].extend(read);
        }
    }
    for (at, alive) in live.iter_ids() {
        todo.extend(alive.iter().map(|&var| (at, var)));
    }
    while let Some((at, var)) = todo.pop() {
        for (source, written) in &sources[at] {
            if !written.contains(&var) && live[*source].insert(var) {
                todo.push((*source, var));
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
pub fn live_before(cx: &Context, stmt: StmtId, live: &mut Vars) {
    let Transfer { read, written } = Transfer::of(cx, stmt);
    for var in &written {
        live.remove(var);
    }
    live.extend(read);
}

/// What a statement does to the variables that are alive: those that it may read before it writes them are alive
/// before it, and of those that are alive after it, the ones that it does not surely write.
#[derive(Default)]
struct Transfer {
    read: Vars,
    written: Vars,
}

impl Transfer {
    fn of(cx: &Context, stmt: StmtId) -> Self {
        let mut transfer = Self::default();
        transfer.put_before(cx, stmt);
        transfer
    }

    /// Puts a statement before what was looked at so far.
    ///
    /// The recursion follows the nesting of blocks in the source.
    fn put_before(&mut self, cx: &Context, stmt: StmtId) {
        match cx.stmts.get(stmt) {
            Stmt::Assume(term) => self.read(cx, term),
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                self.write(var);
                self.read(cx, term);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => self.write(var),
            Stmt::Seq(list) => {
                for &part in cx.stmts.items(list).iter().rev() {
                    self.put_before(cx, part);
                }
            }
            Stmt::Choice(list) => {
                let branches = cx.stmts.items(list).iter();
                let branches = branches.map(|&branch| Self::of(cx, branch)).collect();
                self.follow(Self::any_of(branches));
            }
            Stmt::If(condition, then, otherwise) => {
                let branches = [then, otherwise].map(|branch| Self::of(cx, branch));
                self.follow(Self::any_of(branches.into()));
                self.read(cx, condition);
            }
            // The body may not run at all, and a round may read what another one writes.
            Stmt::For { .. } => self.read.extend(cx.stmts.read(&cx.terms, stmt)),
        }
    }

    /// Any one of several.
    fn any_of(branches: Vec<Self>) -> Self {
        let mut branches = branches.into_iter();
        let mut any = branches.next().unwrap_or_default();
        for branch in branches {
            any.read.extend(branch.read);
            any.written.retain(|var| branch.written.contains(var));
        }
        any
    }

    /// Puts `first` before what was looked at so far.
    fn follow(&mut self, first: Self) {
        for var in first.written {
            self.write(var);
        }
        self.read.extend(first.read);
    }

    fn read(&mut self, cx: &Context, term: TermId) {
        self.read.extend(cx.terms.free_vars(&[term]));
    }

    fn write(&mut self, var: VarId) {
        self.read.remove(&var);
        self.written.insert(var);
    }
}
