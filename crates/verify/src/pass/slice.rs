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
use super::{Applied, Pass, Stage, with_parts_rewritten};
use lariat_base::{FxHashMap, FxHashSet};
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
fn cone(cx: &Context, systems: &[System], relevant: FxHashSet<VarId>) -> FxHashSet<VarId> {
    let mut influence = Influence::default();
    for var in relevant {
        influence.add(var);
    }
    for system in systems {
        // A declared value is an assignment like any other.
        influence.read(cx, &system.declared_values());
        for root in system.all_stmts() {
            influence.look_at(cx, root);
        }
    }
    while let Some(var) = influence.todo.pop() {
        for (value, block) in influence.writes.remove(&var).unwrap_or_default() {
            influence.read(cx, value.as_slice());
            influence.matters(cx, block);
        }
    }
    influence.relevant
}

/// A place under a condition: the conditions that lead there matter if anything in it does.
struct Block {
    conditions: Vec<TermId>,
    /// The block that it is in.
    outer: Option<usize>,
    matters: bool,
}

/// A value (nothing: any) that is written to a variable, and the block in which that is done.
type Write = (Option<TermId>, Option<usize>);

/// What influences what.
#[derive(Default)]
struct Influence {
    relevant: FxHashSet<VarId>,
    /// Relevant variables whose writes have not been looked at.
    todo: Vec<VarId>,
    /// For each variable where it is written.
    writes: FxHashMap<VarId, Vec<Write>>,
    blocks: Vec<Block>,
}

impl Influence {
    fn add(&mut self, var: VarId) {
        if self.relevant.insert(var) {
            self.todo.push(var);
        }
    }

    fn read(&mut self, cx: &Context, terms: &[TermId]) {
        for var in cx.terms.free_vars(terms) {
            self.add(var);
        }
    }

    /// Notes the writes of a statement; what can block matters at once.
    fn look_at(&mut self, cx: &Context, root: StmtId) {
        let mut todo = vec![(root, None)];
        while let Some((stmt, block)) = todo.pop() {
            match cx.stmts.get(stmt) {
                Stmt::Assume(term) => {
                    self.read(cx, &[term]);
                    self.matters(cx, block);
                }
                Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                    let writes = self.writes.entry(var).or_default();
                    writes.push((Some(term), block));
                }
                Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                    self.writes.entry(var).or_default().push((None, block));
                }
                Stmt::Seq(list) => {
                    let parts = cx.stmts.items(list).iter();
                    todo.extend(parts.map(|&part| (part, block)));
                }
                Stmt::Choice(list) => {
                    let branches = cx.stmts.items(list);
                    if branches.is_empty() {
                        // It blocks.
                        self.matters(cx, block);
                    }
                    todo.extend(branches.iter().map(|&branch| (branch, block)));
                }
                Stmt::If(condition, then, otherwise) => {
                    let inner = Some(self.block(vec![condition], block));
                    todo.extend([(then, inner), (otherwise, inner)]);
                }
                Stmt::For { from, to, body, .. } => {
                    let inner = Some(self.block(vec![from, to], block));
                    todo.push((body, inner));
                }
            }
        }
    }

    fn block(&mut self, conditions: Vec<TermId>, outer: Option<usize>) -> usize {
        self.blocks.push(Block {
            conditions,
            outer,
            matters: false,
        });
        self.blocks.len() - 1
    }

    /// Notes that something in a block matters.
    fn matters(&mut self, cx: &Context, mut block: Option<usize>) {
        while let Some(at) = block
            && !std::mem::replace(&mut self.blocks[at].matters, true)
        {
            let conditions = std::mem::take(&mut self.blocks[at].conditions);
            self.read(cx, &conditions);
            block = self.blocks[at].outer;
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

/// The statement without writes to variables that do not matter. It drops exactly what [`cone`] found not to matter:
/// otherwise a condition could stay whose variables are gone.
fn keep(cx: &mut Context, root: StmtId, relevant: &FxHashSet<VarId>) -> StmtId {
    let kept = match cx.stmts.get(root) {
        Stmt::Assign(var, _) | Stmt::Havoc(var) | Stmt::Declare(var, _) => {
            if relevant.contains(&var) {
                root
            } else {
                cx.stmts.derive_seq(&[], root)
            }
        }
        _ => with_parts_rewritten(cx, root, |cx, part| keep(cx, part, relevant)),
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
