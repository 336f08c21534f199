//! Cone of influence: leaves out the variables that cannot matter to a property.
//!
//! A variable matters if the property speaks of it, if an assumption reads it (it can block a run), if
//! a condition that steers something that matters reads it, or if it flows into a variable that
//! matters. Everything else is only written: its assignments are dropped and the variable with them.
//! Runs of the sliced systems are exactly the runs of the given ones without those variables, since
//! what is dropped can neither block nor steer. In particular an infinite run may become a lasso
//! that was none before: a counter that only counts no longer keeps it from closing.
//!
//! A variable whose initial value nobody can see, because it is always written before it is read,
//! starts with a fixed value instead of any.

use crate::system::branch_of;
use crate::{Context, Stmt, StmtId, System};
use lariat_base::{FxHashSet, Id};
use lariat_expr::{TermId, Value, VarId};

/// What was left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sliced {
    /// Variables that do not matter, in the order of their ids.
    pub dropped: Vec<VarId>,
    /// Variables whose initial value does not matter, in the order of their ids.
    pub fixed: Vec<VarId>,
}

/// Slices systems that run together, for a property over `atoms`.
pub fn slice(cx: &mut Context, systems: &mut [System], atoms: &[TermId]) -> Sliced {
    let seen: FxHashSet<VarId> = cx.terms.free_vars(atoms).into_iter().collect();
    let relevant = cone(cx, systems, seen.clone());
    let mut sliced = Sliced::default();
    for system in systems.iter() {
        let vars = system.variables.iter().map(|variable| variable.var);
        sliced
            .dropped
            .extend(vars.filter(|var| !relevant.contains(var)));
    }
    sliced.dropped.sort_unstable();
    sliced.dropped.dedup();
    for system in systems.iter_mut() {
        drop_variables(cx, system, &relevant);
    }
    sliced.fixed = fix_initial_values(cx, systems, &seen);
    sliced
}

/// The variables that matter: the least set that contains `relevant` and is closed under influence.
fn cone(cx: &Context, systems: &[System], mut relevant: FxHashSet<VarId>) -> FxHashSet<VarId> {
    let roots: Vec<StmtId> = systems.iter().flat_map(all_stmts).collect();
    for system in systems {
        // A declared value is an assignment like any other.
        let initial = system.variables.iter().filter_map(|v| v.initial);
        relevant.extend(cx.terms.free_vars(&initial.collect::<Vec<_>>()));
    }
    loop {
        let before = relevant.len();
        for &root in &roots {
            grow(cx, root, &mut relevant);
        }
        if relevant.len() == before {
            return relevant;
        }
    }
}

/// The statements of all edges.
fn all_stmts(system: &System) -> impl Iterator<Item = StmtId> {
    let steps = system.edges.rows().flat_map(|(_, row)| row);
    system.initial.iter().chain(steps).map(|edge| edge.stmt)
}

/// Adds what `root` reads for something that matters; says whether anything in it matters.
///
/// The recursion follows the nesting of blocks in the source, which the parsers bound.
fn grow(cx: &Context, root: StmtId, relevant: &mut FxHashSet<VarId>) -> bool {
    let read = |terms: &[TermId], relevant: &mut FxHashSet<VarId>| {
        relevant.extend(cx.terms.free_vars(terms));
    };
    match cx.stmts.get(root) {
        Stmt::Assume(term) => {
            read(&[term], relevant);
            true
        }
        Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
            let matters = relevant.contains(&var);
            if matters {
                read(&[term], relevant);
            }
            matters
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => relevant.contains(&var),
        Stmt::Seq(list) => {
            // Every part must be looked at: `any` would stop at the first that matters.
            let matter = cx
                .stmts
                .items(list)
                .iter()
                .map(|&part| grow(cx, part, relevant));
            matter.filter(|&matters| matters).count() > 0
        }
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list);
            // A choice without branches blocks.
            let matter = branches.iter().map(|&branch| grow(cx, branch, relevant));
            matter.filter(|&matters| matters).count() > 0 || branches.is_empty()
        }
        Stmt::If(condition, then, otherwise) => {
            let then_matters = grow(cx, then, relevant);
            let matters = grow(cx, otherwise, relevant) || then_matters;
            if matters {
                read(&[condition], relevant);
            }
            matters
        }
        Stmt::For { from, to, body, .. } => {
            let matters = grow(cx, body, relevant);
            if matters {
                read(&[from, to], relevant);
            }
            matters
        }
    }
}

fn drop_variables(cx: &mut Context, system: &mut System, relevant: &FxHashSet<VarId>) {
    if system
        .variables
        .iter()
        .all(|variable| relevant.contains(&variable.var))
    {
        return;
    }
    system
        .variables
        .retain(|variable| relevant.contains(&variable.var));
    for i in 0..system.initial.len() {
        let edge = system.initial[i];
        let branch = branch_of(cx, edge.stmt);
        let branch = keep(cx, branch, relevant);
        let prelude = System::prelude(cx, &system.variables, branch);
        system.initial[i].stmt = cx.stmts.seq(&[prelude, branch], cx.stmts.span(edge.stmt));
    }
    system
        .edges
        .update(|_, edge| edge.stmt = keep(cx, edge.stmt, relevant));
}

/// The statement without writes to variables that do not matter.
fn keep(cx: &mut Context, root: StmtId, relevant: &FxHashSet<VarId>) -> StmtId {
    let span = cx.stmts.span(root);
    match cx.stmts.get(root) {
        Stmt::Assume(_) => root,
        Stmt::Assign(var, _) | Stmt::Havoc(var) | Stmt::Declare(var, _) => {
            if relevant.contains(&var) {
                root
            } else {
                cx.stmts.seq(&[], span)
            }
        }
        Stmt::Seq(list) => {
            let parts = cx.stmts.items(list).to_vec();
            let parts: Vec<StmtId> = parts
                .into_iter()
                .map(|part| keep(cx, part, relevant))
                .collect();
            cx.stmts.seq(&parts, span)
        }
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list).to_vec();
            let branches: Vec<StmtId> = branches
                .into_iter()
                .map(|branch| keep(cx, branch, relevant))
                .collect();
            // A choice of nothing is nothing: `grow` did not count it, so what leads to it is not read.
            if !branches.is_empty() && branches.iter().all(|&branch| is_skip(cx, branch)) {
                return cx.stmts.seq(&[], span);
            }
            cx.stmts.choice(&branches, span)
        }
        Stmt::If(condition, then, otherwise) => {
            let (then, otherwise) = (keep(cx, then, relevant), keep(cx, otherwise, relevant));
            if is_skip(cx, then) && is_skip(cx, otherwise) {
                return cx.stmts.seq(&[], span);
            }
            cx.stmts.add(Stmt::If(condition, then, otherwise), span)
        }
        Stmt::For {
            var,
            from,
            to,
            body,
        } => {
            let body = keep(cx, body, relevant);
            if is_skip(cx, body) {
                return cx.stmts.seq(&[], span);
            }
            cx.stmts.add(
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                },
                span,
            )
        }
    }
}

/// Whether a statement does nothing: sequences of nothing.
fn is_skip(cx: &Context, root: StmtId) -> bool {
    let mut todo = vec![root];
    while let Some(stmt) = todo.pop() {
        match cx.stmts.get(stmt) {
            Stmt::Seq(list) => todo.extend(cx.stmts.items(list)),
            _ => return false,
        }
    }
    true
}

/// Gives variables a fixed initial value where nobody can see it; says which.
fn fix_initial_values(
    cx: &mut Context,
    systems: &mut [System],
    seen: &FxHashSet<VarId>,
) -> Vec<VarId> {
    let mut fixed = Vec::new();
    for at in 0..systems.len() {
        let live = live_at_start(cx, &systems[at]);
        let foreign: FxHashSet<VarId> = systems
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != at)
            .flat_map(|(_, system)| system.variables.iter().map(|variable| variable.var))
            .collect();
        let system = &mut systems[at];
        let mut changed = false;
        for variable in &mut system.variables {
            let var = variable.var;
            let hidden = !live.contains(&var) && !seen.contains(&var) && !foreign.contains(&var);
            if variable.initial.is_none() && hidden {
                let sort = cx.terms.var_sort(var);
                let value = Value::some(&cx.terms.sorts, sort);
                variable.initial = Some(cx.terms.lit(value, sort));
                fixed.push(var);
                changed = true;
            }
        }
        for i in 0..if changed { system.initial.len() } else { 0 } {
            let edge = system.initial[i];
            let branch = branch_of(cx, edge.stmt);
            let prelude = System::prelude(cx, &system.variables, branch);
            system.initial[i].stmt = cx.stmts.seq(&[prelude, branch], cx.stmts.span(edge.stmt));
        }
    }
    fixed.sort_unstable();
    fixed
}

/// The variables whose value before the initial branches may be read, by those, by later steps or by declared
/// values: live-variable analysis.
fn live_at_start(cx: &Context, system: &System) -> FxHashSet<VarId> {
    let n = system.locations.len();
    let mut live: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); n];
    loop {
        let mut changed = false;
        for (at, row) in system.edges.rows() {
            for edge in row {
                let before = live_before(cx, edge.stmt, live[edge.target.index()].clone());
                let own = &mut live[at.index()];
                let size = own.len();
                own.extend(before);
                changed |= own.len() > size;
            }
        }
        if !changed {
            break;
        }
    }
    let declared: Vec<TermId> = system.variables.iter().filter_map(|v| v.initial).collect();
    let mut start: FxHashSet<VarId> = cx.terms.free_vars(&declared).into_iter().collect();
    for edge in &system.initial {
        start.extend(live_before(
            cx,
            branch_of(cx, edge.stmt),
            live[edge.target.index()].clone(),
        ));
    }
    start
}

/// The variables that may be read before they are written, given those that may be read afterwards.
fn live_before(cx: &Context, root: StmtId, mut after: FxHashSet<VarId>) -> FxHashSet<VarId> {
    match cx.stmts.get(root) {
        Stmt::Assume(term) => after.extend(cx.terms.free_vars(&[term])),
        Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
            after.remove(&var);
            after.extend(cx.terms.free_vars(&[term]));
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => {
            after.remove(&var);
        }
        Stmt::Seq(list) => {
            for &part in cx.stmts.items(list).iter().rev() {
                after = live_before(cx, part, after);
            }
        }
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list).iter();
            let all: Vec<_> = branches
                .map(|&branch| live_before(cx, branch, after.clone()))
                .collect();
            after = all.into_iter().flatten().collect();
        }
        Stmt::If(condition, then, otherwise) => {
            let mut before = live_before(cx, then, after.clone());
            before.extend(live_before(cx, otherwise, after));
            before.extend(cx.terms.free_vars(&[condition]));
            after = before;
        }
        Stmt::For { from, to, body, .. } => {
            // Perhaps no round, perhaps several: what a round reads, and what is read after.
            let round = live_before(cx, body, after.clone());
            after.extend(round);
            let again = live_before(cx, body, after.clone());
            after.extend(again);
            after.extend(cx.terms.free_vars(&[from, to]));
        }
    }
    after
}
