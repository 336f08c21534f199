//! Constant propagation: a variable that always has its first value is replaced by that value.
//!
//! The variables that are constant are found as the largest set that is an inductive invariant of the form
//! `v₁ = c₁ ∧ … ∧ vₙ = cₙ`: start with those that every initial step leaves with the same value, then drop those
//! that some step may leave with another, until all steps keep what is left. Within a step the values
//! are followed statement by statement (assignments of known values, branches whose condition is
//! known), as in Kildall's constant propagation ("A unified approach to global program optimization",
//! 1973). So a variable may be assigned its own value again, or copied back and forth as relations
//! make it, and is constant still; and of two variables of which each is constant only if the other is,
//! both are found.
//!
//! What is put in is what the variable holds at that very point in every run: the steps stay exactly
//! the same, state by state. Nothing is removed here but branches that are never taken; a constant that nobody
//! reads any more is left to slicing.
//!
//! Systems that run together are looked at together. A variable that several of them have must be kept by
//! the steps of all; since their initial steps run one after the other, its first value counts only if it is
//! declared and no initial step writes another one.
//!
//! Arrays are left alone: their values are large, and reading them would not become simpler.

use super::{Applied, Pass, Stage};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Substitution, TermId, VarId};
use lariat_system::{Context, Edge, Initial, Stmt, StmtId, System, shared_variables};

/// The pass. It may change terms and drop branches that are never taken; variables, locations and edges stay.
pub struct PropagateConstants;

impl Pass for PropagateConstants {
    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let constants = propagate_constants(cx, &mut stage.model.systems);
        stage.property.map_terms(|term| constants.apply(cx, term));
        for system in &mut stage.model.systems {
            for constraint in &mut system.fairness {
                *constraint = constraint.map(|term| constants.apply(cx, term));
            }
        }
        Applied::Constants(constants)
    }
}

/// Variables that always have the same value, in the order of their ids, with that value as a literal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Constants {
    /// The variables and their values.
    pub values: Vec<(VarId, TermId)>,
}

impl Constants {
    /// A term over observed states with the values put in.
    pub fn apply(&self, cx: &mut Context, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        for &(var, value) in &self.values {
            substitution.insert(&mut cx.terms, var, value);
        }
        substitution.apply(&mut cx.terms, term)
    }
}

/// Finds the constants of systems that run together, and puts their values in.
pub fn propagate_constants(cx: &mut Context, systems: &mut [System]) -> Constants {
    let shared = shared_variables(systems);
    let mut known = first_values(cx, systems, &shared);
    while !known.is_empty() {
        let changed = changed_by_steps(cx, systems, &known);
        if changed.is_empty() {
            break;
        }
        for var in changed {
            known.remove(&var);
        }
    }
    for system in systems.iter_mut() {
        rewrite(cx, system, &known, &shared);
    }
    let mut values: Vec<(VarId, TermId)> = known.into_iter().collect();
    values.sort_unstable();
    Constants { values }
}

/// What is known at a point of a step: the literals that variables hold.
type Known = FxHashMap<VarId, TermId>;

/// The variables that have the same known value after every initial step.
fn first_values(cx: &mut Context, systems: &[System], shared: &FxHashSet<VarId>) -> Known {
    let mut all = Known::default();
    for system in systems {
        let mut flow = None;
        for edge in &system.initial {
            let mut after = Some(Known::default());
            follow(cx, edge.stmt, &mut after, shared);
            flow = join(flow, after);
        }
        let own = flow.unwrap_or_default();
        let vars = system.variables.iter().map(|variable| variable.var);
        all.extend(vars.filter_map(|var| own.get(&var).map(|&value| (var, value))));
    }
    let declared = systems.iter().flat_map(|system| &system.variables);
    let declared: Vec<(VarId, TermId)> = declared
        .filter(|variable| shared.contains(&variable.var))
        .filter_map(|variable| variable.initial.map(|value| (variable.var, value)))
        .collect();
    for (var, value) in declared {
        let is_plain = is_value(cx, value);
        let mut branches = systems.iter().flat_map(|system| system.initial.branches());
        if is_plain && branches.all(|branch| only_writes(cx, branch.stmt, var, value)) {
            all.insert(var, value);
        }
    }
    all
}

/// Whether a statement leaves `var` alone or writes `value` to it.
fn only_writes(cx: &Context, root: StmtId, var: VarId, value: TermId) -> bool {
    let mut only = true;
    cx.stmts.walk(root, |_, stmt| match stmt {
        Stmt::Assign(written, term) => only &= written != var || term == value,
        Stmt::Havoc(written) => only &= written != var,
        _ => {}
    });
    only
}

/// The variables that some step from a state with these values may leave with another value.
fn changed_by_steps(cx: &mut Context, systems: &[System], known: &Known) -> Vec<VarId> {
    let mut changed = FxHashSet::default();
    for system in systems {
        for edge in system.edges.rows().flat_map(|(_, row)| row) {
            let mut flow = Some(known.clone());
            follow(cx, edge.stmt, &mut flow, &FxHashSet::default());
            let Some(after) = flow else { continue };
            let others = known
                .iter()
                .filter(|&(var, value)| after.get(var) != Some(value));
            changed.extend(others.map(|(&var, _)| var));
        }
    }
    changed.into_iter().collect()
}

fn rewrite(cx: &mut Context, system: &mut System, known: &Known, shared: &FxHashSet<VarId>) {
    let mut branches = Vec::new();
    for (start, branch) in system.initial.iter().zip(system.initial.branches()) {
        let Stmt::Seq(list) = cx.stmts.get(start.stmt) else {
            panic!("a start is a prelude and a branch");
        };
        let mut flow = Some(Known::default());
        let mut stmt = branch.stmt;
        for part in cx.stmts.items(list).to_vec() {
            stmt = follow(cx, part, &mut flow, shared);
        }
        branches.push(Edge { stmt, ..*branch });
    }
    system.initial = Initial::new(cx, &system.variables, branches);
    system.edges.update(|_, edge| {
        let mut flow = Some(known.clone());
        edge.stmt = follow(cx, edge.stmt, &mut flow, &FxHashSet::default());
    });
}

/// The statement with known values put in. `flow` is what is known before it, and afterwards what is known after it:
/// nothing if that point is never reached. Of `opaque` variables nothing is ever known.
///
/// The recursion follows the nesting of blocks in the source.
fn follow(
    cx: &mut Context,
    root: StmtId,
    flow: &mut Option<Known>,
    opaque: &FxHashSet<VarId>,
) -> StmtId {
    let Some(known) = flow else { return root };
    match cx.stmts.get(root) {
        Stmt::Assume(term) => {
            let new = put_in(cx, known, term);
            if new == cx.terms.false_() {
                *flow = None;
            }
            cx.stmts.with(root, Stmt::Assume(new))
        }
        Stmt::Assign(var, term) => {
            let new = assign(cx, known, var, term, opaque);
            cx.stmts.with(root, Stmt::Assign(var, new))
        }
        Stmt::Declare(var, Some(term)) => {
            let new = assign(cx, known, var, term, opaque);
            cx.stmts.with(root, Stmt::Declare(var, Some(new)))
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => {
            known.remove(&var);
            root
        }
        Stmt::Seq(list) => {
            let mut new = Vec::new();
            for part in cx.stmts.items(list).to_vec() {
                // What comes after a false assumption is never reached.
                if flow.is_some() {
                    new.push(follow(cx, part, flow, opaque));
                }
            }
            cx.stmts.with_parts(root, &new)
        }
        Stmt::Choice(list) => {
            let (before, mut after) = (flow.take(), None);
            let mut new = Vec::new();
            for branch in cx.stmts.items(list).to_vec() {
                let mut own = before.clone();
                let followed = follow(cx, branch, &mut own, opaque);
                // A branch that certainly blocks is none.
                if own.is_some() {
                    new.push(followed);
                    after = join(after, own);
                }
            }
            *flow = after;
            match new[..] {
                [only] => cx.stmts.derive_seq(&[only], root),
                _ => cx.stmts.with_parts(root, &new),
            }
        }
        Stmt::If(condition, then, otherwise) => {
            let new = put_in(cx, known, condition);
            for (truth, taken) in [(true, then), (false, otherwise)] {
                if new == cx.terms.bool(truth) {
                    let taken = follow(cx, taken, flow, opaque);
                    return cx.stmts.derive_seq(&[taken], root);
                }
            }
            let mut other = flow.clone();
            let then = follow(cx, then, flow, opaque);
            let otherwise = follow(cx, otherwise, &mut other, opaque);
            *flow = join(flow.take(), other);
            cx.stmts.with(root, Stmt::If(new, then, otherwise))
        }
        Stmt::For {
            var,
            from,
            to,
            body,
        } => {
            let (from, to) = (put_in(cx, known, from), put_in(cx, known, to));
            // In any round, and after the loop, only what no round writes is known.
            known.remove(&var);
            for written in cx.stmts.written(body) {
                known.remove(&written);
            }
            let mut inside = Some(known.clone());
            let body = follow(cx, body, &mut inside, opaque);
            let new = Stmt::For {
                var,
                from,
                to,
                body,
            };
            cx.stmts.with(root, new)
        }
    }
}

/// Notes what a variable is assigned; the value with what is known put in.
fn assign(
    cx: &mut Context,
    known: &mut Known,
    var: VarId,
    term: TermId,
    opaque: &FxHashSet<VarId>,
) -> TermId {
    let new = put_in(cx, known, term);
    if is_value(cx, new) && !opaque.contains(&var) {
        known.insert(var, new);
    } else {
        known.remove(&var);
    }
    new
}

/// Whether a term is a literal that may be put in.
fn is_value(cx: &Context, term: TermId) -> bool {
    let is_array = cx.terms.sorts.as_array(cx.terms.sort(term)).is_some();
    !is_array && cx.terms.as_lit(term).is_some()
}

/// A term with what is known put in.
fn put_in(cx: &mut Context, known: &Known, term: TermId) -> TermId {
    let mut substitution = Substitution::new();
    for var in cx.terms.free_vars(&[term]) {
        if let Some(&value) = known.get(&var) {
            substitution.insert(&mut cx.terms, var, value);
        }
    }
    substitution.apply(&mut cx.terms, term)
}

/// What is known where two flows meet.
fn join(left: Option<Known>, right: Option<Known>) -> Option<Known> {
    match (left, right) {
        (None, flow) | (flow, None) => flow,
        (Some(mut left), Some(right)) => {
            left.retain(|var, value| right.get(var) == Some(value));
            Some(left)
        }
    }
}
