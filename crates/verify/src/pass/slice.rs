//! Cone of influence: leaves out the variables that cannot matter to a property.
//!
//! A variable matters if the property speaks of it, if an assumption reads it (it can block a run), if
//! a condition that something that matters depends on reads it, or if it flows into a variable that
//! matters. Everything else is only written: its assignments are dropped and the variable with them.
//! Runs of the sliced systems are exactly the runs of the given ones without those variables, since
//! what is dropped can neither block a run nor decide where it goes. In particular an infinite run may become a lasso
//! that was none before: a counter that only counts no longer keeps it from closing.
//!
//! A variable whose initial value nobody can see, because it is always written before it is read,
//! starts with a fixed value instead of any.

use super::forget::fixed_value;
use super::{Applied, Pass, Stage};
use lariat_base::FxHashSet;
use lariat_expr::{TermId, VarId};
use lariat_system::{
    Context, Edge, Initial, Stmt, StmtId, System, Vars, live_at_start, live_variables,
};

/// The pass. It may drop variables and whatever writes only those; locations and edges stay.
pub struct Slice;

impl Pass for Slice {
    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let terms = stage.observed_terms();
        Applied::Sliced(slice(cx, &mut stage.model.systems, &terms))
    }
}

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
    let roots: Vec<StmtId> = systems.iter().flat_map(System::all_stmts).collect();
    for system in systems {
        // A declared value is an assignment like any other.
        relevant.extend(cx.terms.free_vars(&system.declared_values()));
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

/// Adds what `root` reads for something that matters; says whether anything in it matters.
///
/// The recursion follows the nesting of blocks in the source.
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
    let branches = system.initial.branches().to_vec().into_iter();
    let branches = branches.map(|branch| Edge {
        stmt: keep(cx, branch.stmt, relevant),
        ..branch
    });
    let branches = branches.collect();
    system.initial = Initial::new(cx, &system.variables, branches);
    system
        .edges
        .update(|_, edge| edge.stmt = keep(cx, edge.stmt, relevant));
}

/// The statement without writes to variables that do not matter. It drops exactly what [`grow`] found not to matter:
/// otherwise a condition could stay whose variables are gone.
fn keep(cx: &mut Context, root: StmtId, relevant: &FxHashSet<VarId>) -> StmtId {
    let kept = match cx.stmts.get(root) {
        Stmt::Assume(_) => root,
        Stmt::Assign(var, _) | Stmt::Havoc(var) | Stmt::Declare(var, _) => {
            if relevant.contains(&var) {
                root
            } else {
                cx.stmts.derive_seq(&[], root)
            }
        }
        Stmt::Seq(list) | Stmt::Choice(list) => {
            let parts = cx.stmts.items(list).to_vec();
            let kept: Vec<StmtId> = parts
                .into_iter()
                .map(|part| keep(cx, part, relevant))
                .collect();
            cx.stmts.with_parts(root, &kept)
        }
        Stmt::If(condition, then, otherwise) => {
            let (then, otherwise) = (keep(cx, then, relevant), keep(cx, otherwise, relevant));
            cx.stmts.with(root, Stmt::If(condition, then, otherwise))
        }
        Stmt::For {
            var,
            from,
            to,
            body,
        } => {
            let body = keep(cx, body, relevant);
            let new = Stmt::For {
                var,
                from,
                to,
                body,
            };
            cx.stmts.with(root, new)
        }
    };
    if is_skip(cx, kept) && !matches!(cx.stmts.get(kept), Stmt::Seq(_)) {
        return cx.stmts.derive_seq(&[], root);
    }
    kept
}

/// Whether a statement does nothing, whichever way it goes; its inner statements that do nothing are sequences.
fn is_skip(cx: &Context, root: StmtId) -> bool {
    let is_empty = |stmt: StmtId| matches!(cx.stmts.get(stmt), Stmt::Seq(_)) && is_skip(cx, stmt);
    match cx.stmts.get(root) {
        Stmt::Seq(list) => cx.stmts.items(list).iter().all(|&part| is_empty(part)),
        // A choice without branches blocks.
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list);
            !branches.is_empty() && branches.iter().all(|&branch| is_empty(branch))
        }
        Stmt::If(_, then, otherwise) => is_empty(then) && is_empty(otherwise),
        Stmt::For { body, .. } => is_empty(body),
        _ => false,
    }
}

/// Gives variables a fixed initial value where nobody can see it; says which.
fn fix_initial_values(
    cx: &mut Context,
    systems: &mut [System],
    seen: &FxHashSet<VarId>,
) -> Vec<VarId> {
    let mut fixed = Vec::new();
    for at in 0..systems.len() {
        let live = live_variables(cx, &systems[at], &Vars::default());
        let live = live_at_start(cx, &systems[at], &live);
        let foreign: FxHashSet<VarId> = systems
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != at)
            .flat_map(|(_, system)| system.variables.iter().map(|variable| variable.var))
            .collect();
        let system = &mut systems[at];
        let n_before = fixed.len();
        for variable in &mut system.variables {
            let var = variable.var;
            let hidden = !live.contains(&var) && !seen.contains(&var) && !foreign.contains(&var);
            if variable.initial.is_none() && hidden {
                variable.initial = Some(fixed_value(cx, var));
                fixed.push(var);
            }
        }
        if fixed.len() > n_before {
            let branches = system.initial.branches().to_vec();
            system.initial = Initial::new(cx, &system.variables, branches);
        }
    }
    fixed.sort_unstable();
    fixed
}
