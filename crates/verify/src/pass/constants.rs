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

use super::known::{Flow, Known};
use super::{Applied, Pass, Stage};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Substitution, TermId, VarId};
use lariat_system::{Context, Edge, Initial, Stmt, StmtId, System, shared_variables};
use std::collections::VecDeque;

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
        let find = |var| self.values.binary_search_by_key(&var, |&(var, _)| var);
        put_in(cx, |var| find(var).ok().map(|at| self.values[at].1), term)
    }
}

/// Finds the constants of systems that run together, and puts their values in.
pub fn propagate_constants(cx: &mut Context, systems: &mut [System]) -> Constants {
    let shared = shared_variables(systems);
    let mut known = first_values(cx, systems, &shared);
    keep_constants(cx, systems, &mut known);
    for system in systems.iter_mut() {
        rewrite(cx, system, &known, &shared);
    }
    let mut values: Vec<(VarId, TermId)> = known.into_iter().collect();
    values.sort_unstable();
    Constants { values }
}

/// The variables that have the same known value after every initial step.
fn first_values(cx: &mut Context, systems: &[System], shared: &FxHashSet<VarId>) -> Known {
    let mut all = Known::default();
    for system in systems {
        let nothing = Known::default();
        let mut flow = Flow::new(&nothing);
        let mut ends = Vec::new();
        for edge in &system.initial {
            let mark = flow.mark();
            Follow::new(shared, Made::Nothing).stmt(cx, edge.stmt, &mut flow);
            ends.extend(flow.take_back(&mark));
        }
        flow.meet(&ends);
        let vars = system.variables.iter().map(|variable| variable.var);
        all.extend(vars.filter_map(|var| flow.get(var).map(|value| (var, value))));
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

/// A step is followed at most so often: then nothing that it writes is taken as constant. So a step that is a whole
/// model, with a chain of variables of which each changes once another has, is not followed once for each of them.
const MAX_VISITS: u32 = 64;

/// Drops what some step may leave with another value, until all steps keep what is left.
///
/// A step is looked at again only when something that it reads has been dropped: what it leaves in other variables does
/// not depend on the rest.
fn keep_constants(cx: &mut Context, systems: &[System], known: &mut Known) {
    let edges = systems.iter().flat_map(|system| system.edges.rows());
    let steps: Vec<StmtId> = edges
        .flat_map(|(_, row)| row)
        .map(|edge| edge.stmt)
        .collect();
    let mut readers: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
    for (at, &step) in steps.iter().enumerate() {
        for var in cx.stmts.read(&cx.terms, step) {
            if known.contains_key(&var) {
                readers.entry(var).or_default().push(at);
            }
        }
    }
    let none = FxHashSet::default();
    let mut n_visits = vec![0; steps.len()];
    let mut waiting = vec![true; steps.len()];
    let mut todo: VecDeque<usize> = (0..steps.len()).collect();
    while let Some(at) = todo.pop_front() {
        waiting[at] = false;
        n_visits[at] += 1;
        let changed: Vec<VarId> = if n_visits[at] > MAX_VISITS {
            cx.stmts.written(steps[at])
        } else {
            let mut flow = Flow::new(known);
            let start = flow.mark();
            Follow::new(&none, Made::Nothing).stmt(cx, steps[at], &mut flow);
            let after = flow.take_back(&start).unwrap_or_default();
            let others = after
                .iter()
                .filter(|&(var, value)| known.get(var) != value.as_ref());
            others.map(|(&var, _)| var).collect()
        };
        for var in changed {
            if known.remove(&var).is_none() {
                continue;
            }
            for &reader in readers.get(&var).into_iter().flatten() {
                if !std::mem::replace(&mut waiting[reader], true) {
                    todo.push_back(reader);
                }
            }
        }
    }
}

fn rewrite(cx: &mut Context, system: &mut System, known: &Known, shared: &FxHashSet<VarId>) {
    let mut branches = Vec::new();
    for (start, branch) in system.initial.iter().zip(system.initial.branches()) {
        let Stmt::Seq(list) = cx.stmts.get(start.stmt) else {
            panic!("a start is a prelude and a branch");
        };
        let nothing = Known::default();
        let mut flow = Flow::new(&nothing);
        let mut stmt = branch.stmt;
        for part in cx.stmts.items(list).to_vec() {
            stmt = Follow::new(shared, Made::Statements).stmt(cx, part, &mut flow);
        }
        branches.push(Edge { stmt, ..*branch });
    }
    system.initial = Initial::new(cx, &system.variables, branches);
    let none = FxHashSet::default();
    system.edges.update(|_, edge| {
        let mut flow = Flow::new(known);
        edge.stmt = Follow::new(&none, Made::Statements).stmt(cx, edge.stmt, &mut flow);
    });
}

/// What is made while statements are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Nothing: it is only asked what is known.
    Nothing,
    /// Statements with what is known put in.
    Statements,
}

/// Follows statements.
#[derive(Clone, Copy)]
struct Follow<'f> {
    /// Of these variables nothing is ever known.
    opaque: &'f FxHashSet<VarId>,
    made: Made,
}

impl<'f> Follow<'f> {
    fn new(opaque: &'f FxHashSet<VarId>, made: Made) -> Self {
        Self { opaque, made }
    }

    /// The statement with known values put in (if anything is made). `flow` goes from before it to after it.
    ///
    /// The recursion follows the nesting of blocks in the source.
    fn stmt(self, cx: &mut Context, root: StmtId, flow: &mut Flow<'_>) -> StmtId {
        if !flow.is_reached {
            return root;
        }
        match cx.stmts.get(root) {
            Stmt::Assume(term) => {
                let new = put_in(cx, |var| flow.get(var), term);
                flow.is_reached = new != cx.terms.false_();
                self.with(cx, root, Stmt::Assume(new))
            }
            Stmt::Assign(var, term) => {
                let new = self.assign(cx, flow, var, term);
                self.with(cx, root, Stmt::Assign(var, new))
            }
            Stmt::Declare(var, Some(term)) => {
                let new = self.assign(cx, flow, var, term);
                self.with(cx, root, Stmt::Declare(var, Some(new)))
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                flow.set(var, None);
                root
            }
            Stmt::Seq(list) => {
                let mut new = Vec::new();
                for part in cx.stmts.items(list).to_vec() {
                    // What comes after a false assumption is never reached.
                    if flow.is_reached {
                        new.push(self.stmt(cx, part, flow));
                    }
                }
                self.with_parts(cx, root, &new)
            }
            Stmt::Choice(list) => {
                let branches = cx.stmts.items(list).to_vec();
                self.choice(cx, root, &branches, flow)
            }
            Stmt::If(condition, then, otherwise) => {
                self.branch(cx, root, (condition, then, otherwise), flow)
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let known = |var| flow.get(var);
                let (from, to) = (put_in(cx, known, from), put_in(cx, known, to));
                // In any round, and after the loop, only what no round writes is known.
                flow.set(var, None);
                for written in cx.stmts.written(body) {
                    flow.set(written, None);
                }
                let mark = flow.mark();
                let body = self.stmt(cx, body, flow);
                flow.take_back(&mark);
                let new = Stmt::For {
                    var,
                    from,
                    to,
                    body,
                };
                self.with(cx, root, new)
            }
        }
    }

    fn choice(
        self,
        cx: &mut Context,
        root: StmtId,
        branches: &[StmtId],
        flow: &mut Flow<'_>,
    ) -> StmtId {
        let (mut new, mut ends) = (Vec::new(), Vec::new());
        for &branch in branches {
            let mark = flow.mark();
            let followed = self.stmt(cx, branch, flow);
            // A branch that certainly blocks is none.
            if let Some(end) = flow.take_back(&mark) {
                new.push(followed);
                ends.push(end);
            }
        }
        flow.meet(&ends);
        match new[..] {
            [only] => self.in_place_of(cx, root, only),
            _ => self.with_parts(cx, root, &new),
        }
    }

    fn branch(
        self,
        cx: &mut Context,
        root: StmtId,
        (condition, then, otherwise): (TermId, StmtId, StmtId),
        flow: &mut Flow<'_>,
    ) -> StmtId {
        let new = put_in(cx, |var| flow.get(var), condition);
        for (truth, taken) in [(true, then), (false, otherwise)] {
            if new == cx.terms.bool(truth) {
                let taken = self.stmt(cx, taken, flow);
                return self.in_place_of(cx, root, taken);
            }
        }
        let mut ends = Vec::new();
        let [then, otherwise] = [then, otherwise].map(|branch| {
            let mark = flow.mark();
            let followed = self.stmt(cx, branch, flow);
            ends.extend(flow.take_back(&mark));
            followed
        });
        flow.meet(&ends);
        self.with(cx, root, Stmt::If(new, then, otherwise))
    }

    /// Notes what a variable is assigned; the value with what is known put in.
    fn assign(self, cx: &mut Context, flow: &mut Flow<'_>, var: VarId, term: TermId) -> TermId {
        let new = put_in(cx, |var| flow.get(var), term);
        let is_known = is_value(cx, new) && !self.opaque.contains(&var);
        flow.set(var, is_known.then_some(new));
        new
    }

    fn with(self, cx: &mut Context, root: StmtId, stmt: Stmt) -> StmtId {
        match self.made {
            Made::Nothing => root,
            Made::Statements => cx.stmts.with(root, stmt),
        }
    }

    fn with_parts(self, cx: &mut Context, root: StmtId, parts: &[StmtId]) -> StmtId {
        match self.made {
            Made::Nothing => root,
            Made::Statements => cx.stmts.with_parts(root, parts),
        }
    }

    /// The only branch of a statement that is ever taken.
    fn in_place_of(self, cx: &mut Context, root: StmtId, taken: StmtId) -> StmtId {
        match self.made {
            Made::Nothing => root,
            Made::Statements => cx.stmts.derive_seq(&[taken], root),
        }
    }
}

/// Whether a term is a literal that may be put in.
fn is_value(cx: &Context, term: TermId) -> bool {
    let is_array = cx.terms.sorts.as_array(cx.terms.sort(term)).is_some();
    !is_array && cx.terms.as_lit(term).is_some()
}

/// A term with what is known put in.
fn put_in(cx: &mut Context, known: impl Fn(VarId) -> Option<TermId>, term: TermId) -> TermId {
    let mut substitution = Substitution::new();
    for var in cx.terms.free_vars(&[term]) {
        if let Some(value) = known(var) {
            substitution.insert(&mut cx.terms, var, value);
        }
    }
    substitution.apply(&mut cx.terms, term)
}
