//! Merging: values of an enumeration that nothing ever tells apart are taken as one.
//!
//! Say `enum Msg { ack, nak, a, b, c }` where only `ack` and `nak` are named anywhere in the models and the
//! property, and a variable of that sort is an input. Whatever the model does with `a` it does with `b` and
//! `c`, so one of the three is enough: wherever *any* value may come in (a havoc, a variable without a
//! declared value), the others are excluded by an assumption.
//!
//! **When.** An enumeration is merged only if
//! 1. every operator that takes a value of it is an equation with a literal or an if-then-else that selects one
//!    (an equation of two variables tells all values apart);
//! 2. it is neither index nor element of an array;
//! 3. at least two of its literals are mentioned nowhere: not in a condition, not in an assignment, not as a
//!    declared value, not in the property.
//!
//! **Why this is exact.** Let `h` map every unmentioned literal to the one that is kept, and every other value to
//! itself. A term of another sort has the same value in a state `s` and in `h(s)`, and a term `t` of the
//! enumeration has in `h(s)` the value `h(t(s))`: by induction over the term, since literals in it are mentioned, so
//! that `t = l` iff `h(t) = l`. So whenever a step leads from `s` to `s'`, the step that chooses
//! `h(v)` for every `v` that the first one chooses leads from `h(s)` to `h(s')`, and passes the new
//! assumptions. Hence every run of the given systems becomes a run of the new ones that the property cannot tell
//! from it, a lasso becomes a lasso, and what is blocked stays blocked. Conversely the new systems only have more
//! assumptions: every run of them is, as it stands, a run of the given ones. So counterexamples
//! need no translation back.

use super::{Applied, Pass, Stage, with_parts_rewritten};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, SortId, TermId, Value, VarId};
use lariat_system::{Context, Edge, Initial, Stmt, StmtId, System};
use std::collections::BTreeMap;

/// The pass. It adds assumptions; everything else stays.
pub struct MergeValues;

impl Pass for MergeValues {
    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let terms = stage.observed_terms();
        Applied::Merged(merge_values(cx, &mut stage.model.systems, &terms))
    }
}

/// Values of an enumeration that were taken as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The enumeration.
    pub sort: SortId,
    /// The literal that stands for all of them, by its position.
    pub kept: u32,
    /// The literals that it stands for.
    pub others: Vec<u32>,
}

/// Merges what can be merged in systems that run together, for a property over `atoms`.
pub fn merge_values(cx: &mut Context, systems: &mut [System], atoms: &[TermId]) -> Vec<Merged> {
    let mut merged = mergeable(cx, systems, atoms);
    if merged.is_empty() {
        return Vec::new();
    }
    let mut restrict = Restrict {
        merged: merged.iter().map(|m| (m.sort, m.clone())).collect(),
        used: FxHashSet::default(),
    };
    for system in systems.iter_mut() {
        restrict.system(cx, system);
    }
    merged.retain(|merged| restrict.used.contains(&merged.sort));
    merged
}

/// The enumerations with values that nothing tells apart, in the order of their ids.
fn mergeable(cx: &Context, systems: &[System], atoms: &[TermId]) -> Vec<Merged> {
    let stmts: Vec<StmtId> = systems.iter().flat_map(System::all_stmts).collect();
    let variables = systems.iter().flat_map(|system| &system.variables);
    let mut vars: FxHashSet<VarId> = variables.clone().map(|variable| variable.var).collect();
    let mut roots = atoms.to_vec();
    roots.extend(variables.filter_map(|variable| variable.initial));
    for &stmt in &stmts {
        roots.extend(cx.stmts.terms(stmt));
        vars.extend(cx.stmts.written(stmt));
    }
    // Every enumeration in use, with the literals that are mentioned; those that are told apart are taken out.
    let mut mentioned: BTreeMap<SortId, FxHashSet<u32>> = BTreeMap::new();
    let mut told_apart: FxHashSet<SortId> = FxHashSet::default();
    let sorts = &cx.terms.sorts;
    for &var in &vars {
        let sort = cx.terms.var_sort(var);
        if sorts.as_enum(sort).is_some() {
            mentioned.entry(sort).or_default();
        }
        in_arrays(cx, sort, &mut told_apart);
    }
    for term in cx.terms.subterms(&roots) {
        let sort = cx.terms.sort(term);
        in_arrays(cx, sort, &mut told_apart);
        match cx.terms.head(term) {
            Head::Lit(Value::Enum(literal)) => {
                mentioned.entry(sort).or_default().insert(*literal);
            }
            Head::Lit(_) | Head::Var(_) => {}
            Head::Op(op, args) => {
                let enums = args.iter().map(|&arg| cx.terms.sort(arg));
                let enums = enums.filter(|&sort| sorts.as_enum(sort).is_some());
                if !keeps_together(cx, op, args) {
                    told_apart.extend(enums);
                }
            }
        }
    }
    let merge = |(sort, mentioned): (SortId, FxHashSet<u32>)| {
        let n_literals = sorts.as_enum(sort)?.literals.len() as u32;
        let mut others: Vec<u32> = (0..n_literals).filter(|l| !mentioned.contains(l)).collect();
        if others.len() < 2 || told_apart.contains(&sort) {
            return None;
        }
        let kept = others.remove(0);
        Some(Merged { sort, kept, others })
    };
    mentioned.into_iter().filter_map(merge).collect()
}

/// Notes the enumerations inside of array sorts.
fn in_arrays(cx: &Context, sort: SortId, out: &mut FxHashSet<SortId>) {
    let mut todo = vec![sort];
    while let Some(sort) = todo.pop() {
        if let Some((index, element)) = cx.terms.sorts.as_array(sort) {
            out.extend([index, element]);
            todo.extend([index, element]);
        }
    }
}

/// Whether an operator sees no more of the values of enumerations among its arguments than their equations with literals.
fn keeps_together(cx: &Context, op: Op, args: &[TermId]) -> bool {
    match op {
        Op::Ite => true,
        Op::Eq => {
            args.iter()
                .filter(|&&arg| cx.terms.as_lit(arg).is_none())
                .count()
                <= 1
        }
        _ => args
            .iter()
            .all(|&arg| cx.terms.sorts.as_enum(cx.terms.sort(arg)).is_none()),
    }
}

/// Excludes merged values wherever any value may come in.
struct Restrict {
    merged: FxHashMap<SortId, Merged>,
    /// The enumerations of which values were excluded somewhere.
    used: FxHashSet<SortId>,
}

impl Restrict {
    fn system(&mut self, cx: &mut Context, system: &mut System) {
        let mut branches = Vec::new();
        for (at, branch) in system.initial.branches().iter().enumerate() {
            let mut parts = Vec::new();
            // The prelude is derived from the declarations, so what it lets in is excluded behind it.
            for var in system.initial.undetermined(cx, at) {
                parts.extend(self.exclusion(cx, var));
            }
            self.stmt(cx, branch.stmt, &mut parts);
            let stmt = one_of(cx, &parts, branch.stmt);
            branches.push(Edge { stmt, ..*branch });
        }
        system.initial = Initial::new(cx, &system.variables, branches);
        system
            .edges
            .update(|_, edge| edge.stmt = self.whole(cx, edge.stmt));
    }

    /// The statement as one.
    fn whole(&mut self, cx: &mut Context, root: StmtId) -> StmtId {
        let mut parts = Vec::new();
        self.stmt(cx, root, &mut parts);
        one_of(cx, &parts, root)
    }

    /// Adds the statement and, behind it, what it must exclude: in the same sequence, so that a local variable stays in its block.
    ///
    /// The recursion follows the nesting of blocks in the source.
    fn stmt(&mut self, cx: &mut Context, root: StmtId, out: &mut Vec<StmtId>) {
        let new = match cx.stmts.get(root) {
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                out.push(root);
                out.extend(self.exclusion(cx, var));
                return;
            }
            Stmt::Seq(list) => {
                let mut new = Vec::new();
                for part in cx.stmts.items(list).to_vec() {
                    self.stmt(cx, part, &mut new);
                }
                cx.stmts.with_parts(root, &new)
            }
            _ => with_parts_rewritten(cx, root, |cx, part| self.whole(cx, part)),
        };
        out.push(new);
    }

    /// The assumption that a variable has none of the values that another one stands for.
    fn exclusion(&mut self, cx: &mut Context, var: VarId) -> Option<StmtId> {
        let sort = cx.terms.var_sort(var);
        let merged = self.merged.get(&sort)?;
        self.used.insert(sort);
        let n_literals = cx.terms.sorts.as_enum(sort)?.literals.len() as u32;
        let kept: Vec<u32> = (0..n_literals)
            .filter(|l| !merged.others.contains(l))
            .collect();
        let subject = cx.terms.var(var);
        let any_of = |cx: &mut Context, literals: &[u32]| {
            let mut equations = Vec::with_capacity(literals.len());
            for &literal in literals {
                let literal = cx.terms.lit(Value::Enum(literal), sort);
                equations.push(cx.terms.eq(subject, literal));
            }
            cx.terms.or(&equations)
        };
        let condition = if kept.len() <= merged.others.len() {
            any_of(cx, &kept)
        } else {
            let excluded = any_of(cx, &merged.others);
            cx.terms.not(excluded)
        };
        Some(cx.stmts.add(Stmt::Assume(condition), None))
    }
}

/// What became of a statement, as one.
fn one_of(cx: &mut Context, parts: &[StmtId], from: StmtId) -> StmtId {
    match parts {
        [only] => *only,
        _ => cx.stmts.derive_seq(parts, from),
    }
}
