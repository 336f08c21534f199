//! Clocks: counters that only grow, are reset, and are compared with constants stop growing where nothing can tell any more.
//!
//! In a model in discrete time a timer counts steps and is compared with a deadline. Beyond the largest constant that it is
//! compared with, its value does not matter, but it keeps every run on which it is not reset from coming back to a state. So it is
//! kept at that constant plus one.
//!
//! **When.** An integer `x` without a declared range is a clock if
//! 1. what it is assigned is a constant, or `x + k` for a constant `k ≥ 0`, or a choice of these by if-then-else, and at least once `k > 0`;
//!    no statement gives it any value, though it may start with any;
//! 2. everywhere else, in the models, in the property and in fairness, it stands alone with a constant on the two sides of `<`, `≤` or `=`
//!    (`x + k < c` counts as that).
//!
//! Counters of which each increment is guarded by an upper bound are left as they are: they do not grow for ever.
//!
//! **Why this is exact.** Let `m` be the largest of the constants that `x` is compared with, and `h(v) = min(v, m + 1)`. A
//! comparison of `x` with a constant `c ≤ m` has the same truth for `v` and `h(v)`: if `v > m` both are greater than `c`. And
//! `h(v + k) = h(h(v) + k)` since `k ≥ 0`, and `h` of a constant is a constant. So states of the two models that `h` makes equal
//! have the same letters and the same steps to states that it makes equal again: that is a bisimulation. A run is lifted by taking the same steps with the real values. A loop in which a clock is not reset
//! does not close then: the clock grows by the same number in every round, which is a growth that `recur.rs` confirms.
//! (The idea is that of regions beyond the largest constant; Alur and Dill, "A theory of timed automata", 1994.)

use super::{Applied, Pass, Stage, with_parts_rewritten};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Head, Int, Op, TermId, Terms, Value, VarId};
use lariat_system::{Context, Edge, Initial, Language, Stmt, StmtId, System};

/// The pass. It changes what clocks are assigned; everything else stays.
pub struct KeepClocks;

/// A clock and the value at which it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The variable.
    pub var: VarId,
    /// The value above all that it is compared with.
    pub top: Int,
}

impl Pass for KeepClocks {
    /// Programs count loops rather than time, and large steps have none of the forms that are looked for.
    fn supports(&self, stage: &Stage) -> bool {
        let mut languages = stage.model.systems.iter().map(|system| system.language);
        !languages.any(Language::has_control_flow)
    }

    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let terms = stage.observed_terms();
        Applied::Clocks(keep_clocks(cx, &mut stage.model.systems, &terms))
    }
}

/// Keeps the clocks of systems that run together where they cannot matter any more, for a property over `atoms`.
pub fn keep_clocks(cx: &mut Context, systems: &mut [System], atoms: &[TermId]) -> Vec<Clock> {
    let clocks = find(cx, systems, atoms);
    if clocks.is_empty() {
        return clocks;
    }
    let tops: FxHashMap<VarId, Int> = clocks.iter().map(|c| (c.var, c.top.clone())).collect();
    for system in systems.iter_mut() {
        for variable in &mut system.variables {
            if let (Some(top), Some(initial)) = (tops.get(&variable.var), variable.initial)
                && cx.terms.as_lit(initial).is_some()
            {
                variable.initial = Some(kept(&mut cx.terms, top, variable.var, initial));
            }
        }
        let branches = system.initial.branches().to_vec().into_iter();
        let branches = branches.map(|branch| Edge {
            stmt: rewritten(cx, &tops, branch.stmt),
            ..branch
        });
        let branches = branches.collect();
        system.initial = Initial::new(cx, &system.variables, branches);
        system
            .edges
            .update(|_, edge| edge.stmt = rewritten(cx, &tops, edge.stmt));
    }
    clocks
}

/// What is known of the variables while statements are looked at.
#[derive(Default)]
struct Found {
    /// The largest constant that each candidate is compared with; those that are no clocks are taken out.
    largest: FxHashMap<VarId, Option<Int>>,
    /// Those that are incremented without a bound.
    growing: FxHashSet<VarId>,
    seen: FxHashSet<TermId>,
}

/// The clocks, in the order of the variables.
fn find(cx: &mut Context, systems: &[System], atoms: &[TermId]) -> Vec<Clock> {
    let int = cx.terms.sorts.int();
    let mut found = Found::default();
    for variable in systems.iter().flat_map(|system| &system.variables) {
        if cx.terms.var_sort(variable.var) == int {
            found.largest.insert(variable.var, None);
        }
    }
    if found.largest.is_empty() {
        return Vec::new();
    }
    // A shared variable is declared more than once, and each declaration counts.
    for variable in systems.iter().flat_map(|system| &system.variables) {
        if variable.range.is_some() {
            found.spoil(variable.var);
        }
        if let Some(value) = variable.initial {
            found.read(&cx.terms, value);
        }
    }
    for &atom in atoms {
        found.read(&cx.terms, atom);
    }
    for system in systems {
        for constraint in &system.fairness {
            for term in constraint.terms() {
                found.read(&cx.terms, term);
            }
        }
        // The preludes give the declared values.
        let branches = system.initial.branches().iter().map(|branch| branch.stmt);
        let edges = system.edges.rows().flat_map(|(_, row)| row);
        for stmt in branches.chain(edges.map(|edge| edge.stmt)) {
            found.look_at(cx, stmt);
        }
    }
    let mut clocks = Vec::new();
    let mut known = FxHashSet::default();
    for variable in systems.iter().flat_map(|system| &system.variables) {
        let var = variable.var;
        if let Some(Some(largest)) = found.largest.get(&var)
            && found.growing.contains(&var)
            && known.insert(var)
        {
            let top = largest + &Int::ONE;
            clocks.push(Clock { var, top });
        }
    }
    clocks
}

impl Found {
    fn spoil(&mut self, var: VarId) {
        self.largest.remove(&var);
    }

    /// Notes that a candidate is compared with a constant.
    fn compared(&mut self, var: VarId, with: &Int) {
        if let Some(largest) = self.largest.get_mut(&var)
            && largest.as_ref().is_none_or(|largest| *with > *largest)
        {
            *largest = Some(with.clone());
        }
    }

    /// Looks at a term in which candidates may only be compared with constants.
    fn read(&mut self, terms: &Terms, root: TermId) {
        let mut todo = vec![root];
        while let Some(term) = todo.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            match terms.head(term) {
                Head::Lit(_) => {}
                Head::Var(var) => self.spoil(var),
                Head::Op(op, args) => match (op, args) {
                    (Op::Eq | Op::Le | Op::Lt, &[left, right])
                        if let Some((var, with)) = comparison(terms, left, right) =>
                    {
                        self.compared(var, &with);
                    }
                    _ => todo.extend_from_slice(args),
                },
            }
        }
    }

    /// Looks at a statement. The bounds that are assumed before an increment are carried along; what follows in the same
    /// sequence may rely on them as long as the variable is not written.
    fn look_at(&mut self, cx: &Context, root: StmtId) {
        let mut todo: Vec<(StmtId, FxHashSet<VarId>)> = vec![(root, FxHashSet::default())];
        while let Some((stmt, mut bounded)) = todo.pop() {
            match cx.stmts.get(stmt) {
                Stmt::Assume(term) => self.read(&cx.terms, term),
                Stmt::Havoc(var) | Stmt::Declare(var, None) => self.spoil(var),
                Stmt::Assign(var, value) | Stmt::Declare(var, Some(value)) => {
                    self.assigned(&cx.terms, var, value, &bounded);
                }
                Stmt::Seq(_) => self.look_at_all(cx, &cx.stmts.flatten(stmt), bounded, &mut todo),
                Stmt::Choice(list) => {
                    let branches = cx.stmts.items(list).iter();
                    todo.extend(branches.map(|&branch| (branch, bounded.clone())));
                }
                Stmt::If(condition, then, otherwise) => {
                    self.read(&cx.terms, condition);
                    todo.push((otherwise, bounded.clone()));
                    upper_bounds(&cx.terms, condition, &mut bounded);
                    todo.push((then, bounded));
                }
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                } => {
                    self.spoil(var);
                    self.read(&cx.terms, from);
                    self.read(&cx.terms, to);
                    todo.push((body, FxHashSet::default()));
                }
            }
        }
    }

    /// Looks at statements one after the other. Values that are put aside in a local variable, because what they read is
    /// assigned in the meantime, count where they are assigned.
    fn look_at_all(
        &mut self,
        cx: &Context,
        parts: &[StmtId],
        mut bounded: FxHashSet<VarId>,
        todo: &mut Vec<(StmtId, FxHashSet<VarId>)>,
    ) {
        let mut aside: FxHashMap<VarId, TermId> = FxHashMap::default();
        for (at, &part) in parts.iter().enumerate() {
            match cx.stmts.get(part) {
                Stmt::Declare(var, Some(value)) if is_put_aside(cx, var, &parts[at + 1..]) => {
                    aside.insert(var, value);
                }
                Stmt::Assign(var, value)
                    if let Some(&value) = cx.terms.as_var(value).and_then(|v| aside.get(&v)) =>
                {
                    self.assigned(&cx.terms, var, value, &bounded);
                }
                stmt => {
                    if let Stmt::Assume(term) = stmt {
                        upper_bounds(&cx.terms, term, &mut bounded);
                    }
                    todo.push((part, bounded.clone()));
                }
            }
            for written in cx.stmts.written(part) {
                bounded.remove(&written);
            }
        }
    }

    /// Looks at what a variable is assigned.
    fn assigned(&mut self, terms: &Terms, var: VarId, value: TermId, bounded: &FxHashSet<VarId>) {
        if !self.largest.contains_key(&var) {
            self.read(terms, value);
            return;
        }
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            if let Some((of, k)) = sum(terms, value)
                && of == var
                && !k.is_negative()
            {
                if !k.is_zero() && !bounded.contains(&var) {
                    self.growing.insert(var);
                }
            } else if let Some(&[condition, then, otherwise]) = terms.as_op(value, Op::Ite) {
                self.read(terms, condition);
                todo.extend([then, otherwise]);
            } else if terms.as_lit(value).is_none() {
                self.spoil(var);
                self.read(terms, value);
            }
        }
    }
}

/// Whether the statements that follow only assign a local variable's value to others.
fn is_put_aside(cx: &Context, local: VarId, then: &[StmtId]) -> bool {
    then.iter().all(|&stmt| match cx.stmts.get(stmt) {
        Stmt::Assign(_, value) if cx.terms.as_var(value) == Some(local) => true,
        _ => cx
            .stmts
            .read(&cx.terms, stmt)
            .binary_search(&local)
            .is_err(),
    })
}

/// A variable plus a constant.
fn sum(terms: &Terms, term: TermId) -> Option<(VarId, Int)> {
    if let Some(var) = terms.as_var(term) {
        return Some((var, Int::ZERO));
    }
    let args = terms.as_op(term, Op::Add)?;
    let &[one, other] = args else { return None };
    let (var, constant) = match (terms.as_var(one), terms.as_var(other)) {
        (Some(var), None) => (var, other),
        (None, Some(var)) => (var, one),
        _ => return None,
    };
    Some((var, terms.as_lit(constant)?.as_int()?.clone()))
}

/// The variable of a comparison with a constant, and the constant.
fn comparison(terms: &Terms, left: TermId, right: TermId) -> Option<(VarId, Int)> {
    let constant = |term: TermId| terms.as_lit(term).and_then(Value::as_int);
    let ((var, plus), with) = match (constant(left), constant(right)) {
        (Some(with), None) => (sum(terms, right)?, with),
        (None, Some(with)) => (sum(terms, left)?, with),
        _ => return None,
    };
    Some((var, with - &plus))
}

/// The variables that a condition bounds from above.
fn upper_bounds(terms: &Terms, condition: TermId, out: &mut FxHashSet<VarId>) {
    let one = [condition];
    let conjuncts = terms.as_op(condition, Op::And).unwrap_or(&one);
    for &conjunct in conjuncts {
        let bounded = match terms.head(conjunct) {
            Head::Op(Op::Lt | Op::Le, &[left, right]) if terms.as_lit(right).is_some() => {
                sum(terms, left)
            }
            Head::Op(Op::Eq, &[left, right]) => {
                comparison(terms, left, right).map(|(var, _)| (var, Int::ZERO))
            }
            _ => None,
        };
        out.extend(bounded.map(|(var, _)| var));
    }
}

/// The statement with clocks kept at their tops.
///
/// The recursion follows the nesting of blocks in the source.
fn rewritten(cx: &mut Context, tops: &FxHashMap<VarId, Int>, root: StmtId) -> StmtId {
    match cx.stmts.get(root) {
        Stmt::Assign(var, value) => match tops.get(&var) {
            Some(top) => {
                let value = kept(&mut cx.terms, top, var, value);
                cx.stmts.with(root, Stmt::Assign(var, value))
            }
            None => root,
        },
        _ => with_parts_rewritten(cx, root, |cx, part| rewritten(cx, tops, part)),
    }
}

/// The least of a value that a clock is assigned and its top.
///
/// The recursion follows the choices in the value, which are as deep as an expression may nest.
fn kept(terms: &mut Terms, top: &Int, var: VarId, value: TermId) -> TermId {
    if let Some(&[condition, then, otherwise]) = terms.as_op(value, Op::Ite) {
        let then = kept(terms, top, var, then);
        let otherwise = kept(terms, top, var, otherwise);
        return terms.ite(condition, then, otherwise);
    }
    if terms.as_var(value) == Some(var) {
        return value;
    }
    let top = terms.int(top.clone());
    let is_less = terms.le(value, top);
    terms.ite(is_less, value, top)
}

#[cfg(test)]
mod tests;
