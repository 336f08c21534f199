//! Turns relations into assignments where they are ones: `havoc x'; assume x' = x + 1` is `x' := x + 1`.
//!
//! A step that is given as a relation (every STS, and many a havoc with an assumption behind it) is
//! taken apart: the assumptions' disjunctions and if-then-elses become edges of their own, and in each
//! of them an equation that determines a havoced variable becomes an assignment. What remains is
//! assumed as before. The set of steps stays exactly the same; what changes is that evaluating them
//! needs no search. Only the outer sequence of a step is looked at.

use crate::system::branch_of;
use crate::{Context, Edge, Stmt, StmtId, System};
use lariat_base::{Csr, FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, TermId, Terms, VarId};

/// A step is taken apart into at most this many.
const MAX_CASES: usize = 64;

/// Rewrites all steps of systems that run together.
///
/// An initial step of one of several does not start with the values of its own prelude: there is one prelude for all
/// variables, and the initial steps of other parts may have run before. So what the prelude gives to a variable that
/// another part has as well takes no part in the rewriting.
pub fn make_functional(cx: &mut Context, systems: &mut [System]) {
    let is_alone = systems.len() == 1;
    let vars = systems.iter().flat_map(|system| &system.variables);
    let mut n_owners: FxHashMap<VarId, usize> = FxHashMap::default();
    for variable in vars {
        *n_owners.entry(variable.var).or_default() += 1;
    }
    for system in systems {
        let initial = std::mem::take(&mut system.initial);
        for edge in initial {
            let mut parts = if is_alone {
                // The prelude's havocs take part: `initial x = 0` determines `x`.
                Parts::of(cx, edge.stmt)
            } else {
                let own = own_havocs(cx, edge.stmt, &n_owners);
                Parts::behind(cx, branch_of(cx, edge.stmt), own)
            };
            if !parts.is_relation() {
                system.initial.push(edge);
                continue;
            }
            for branch in parts.cases(cx) {
                let prelude = System::prelude(cx, &system.variables, branch);
                let stmt = cx
                    .stmts
                    .seq(&[prelude, branch], cx.stmts.span(branch_of(cx, edge.stmt)));
                system.initial.push(Edge { stmt, ..edge });
            }
        }
        let mut rows: Vec<Vec<Edge>> = Vec::new();
        for (_, row) in system.edges.rows() {
            let mut new_row = Vec::new();
            for edge in row {
                let mut parts = Parts::of(cx, edge.stmt);
                if parts.is_relation() {
                    let cases = parts.cases(cx);
                    new_row.extend(cases.into_iter().map(|stmt| Edge { stmt, ..*edge }));
                } else {
                    new_row.push(*edge);
                }
            }
            rows.push(new_row);
        }
        system.edges = Csr::from_rows(rows);
    }
}

/// The variables of one system only that the prelude of an initial step havocs and does not read.
fn own_havocs(cx: &Context, stmt: StmtId, n_owners: &FxHashMap<VarId, usize>) -> Vec<VarId> {
    let Stmt::Seq(list) = cx.stmts.get(stmt) else {
        return Vec::new();
    };
    let prelude = cx.stmts.items(list)[0];
    let read = cx.stmts.read(&cx.terms, prelude);
    let havoced = flatten(cx, prelude).into_iter();
    havoced
        .filter_map(|stmt| match cx.stmts.get(stmt) {
            Stmt::Havoc(var) => Some(var),
            _ => None,
        })
        .filter(|var| n_owners.get(var) == Some(&1) && read.binary_search(var).is_err())
        .collect()
}

/// The outer sequence of a step: havocs and assumptions first, then the rest.
struct Parts {
    root: StmtId,
    /// Variables with any value, before anything else is written.
    havocs: Vec<VarId>,
    /// Assignments that come before the first assumption.
    first: Vec<StmtId>,
    assumptions: Vec<TermId>,
    rest: Vec<StmtId>,
}

impl Parts {
    fn of(cx: &Context, root: StmtId) -> Self {
        Self::behind(cx, root, Vec::new())
    }

    /// The parts of a step before which these variables got any value.
    fn behind(cx: &Context, root: StmtId, havocs: Vec<VarId>) -> Self {
        let mut parts = Self {
            root,
            havocs,
            first: Vec::new(),
            assumptions: Vec::new(),
            rest: Vec::new(),
        };
        for stmt in flatten(cx, root) {
            match cx.stmts.get(stmt) {
                _ if !parts.rest.is_empty() => parts.rest.push(stmt),
                Stmt::Havoc(var) | Stmt::Declare(var, None) if parts.is_fresh(cx, var) => {
                    parts.havocs.push(var);
                }
                Stmt::Assume(term) => parts.assumptions.push(term),
                Stmt::Assign(var, value)
                    if parts.assumptions.is_empty()
                        && parts.is_fresh(cx, var)
                        && !parts.reads_havoced(cx, value) =>
                {
                    parts.first.push(stmt);
                }
                _ => parts.rest.push(stmt),
            }
        }
        parts
    }

    /// Whether nothing before this point reads or writes the variable.
    fn is_fresh(&self, cx: &Context, var: VarId) -> bool {
        let written = |&stmt: &StmtId| {
            cx.stmts.written(stmt).contains(&var) || cx.stmts.read(&cx.terms, stmt).contains(&var)
        };
        !self.havocs.contains(&var)
            && !self.first.iter().any(written)
            && cx
                .terms
                .free_vars(&self.assumptions)
                .binary_search(&var)
                .is_err()
    }

    /// Whether a value depends on what was havoced: it cannot be assigned before that.
    fn reads_havoced(&self, cx: &Context, value: TermId) -> bool {
        let read = cx.terms.free_vars(&[value]);
        self.havocs.iter().any(|var| read.contains(var))
    }

    /// Whether there is something to be gained.
    fn is_relation(&self) -> bool {
        !self.havocs.is_empty() && !self.assumptions.is_empty()
    }

    /// One statement per case of the assumptions.
    fn cases(&mut self, cx: &mut Context) -> Vec<StmtId> {
        let all = cx.terms.and(&self.assumptions);
        let cases = expand(&mut cx.terms, all, &self.havocs);
        cases.into_iter().map(|case| self.case(cx, case)).collect()
    }

    fn case(&self, cx: &mut Context, case: TermId) -> StmtId {
        let span = cx.stmts.span(self.root);
        let conjuncts = cx
            .terms
            .as_op(case, Op::And)
            .map_or_else(|| vec![case], <[TermId]>::to_vec);
        let Solved { values, rest } = solve(&cx.terms, &self.havocs, &conjuncts);
        let mut parts = self.first.clone();
        let solved: FxHashSet<VarId> = values.iter().map(|&(var, _)| var).collect();
        for &var in &self.havocs {
            if !solved.contains(&var) {
                parts.push(cx.stmts.add(Stmt::Havoc(var), span));
            }
        }
        for (var, value) in values {
            parts.push(cx.stmts.add(Stmt::Assign(var, value), span));
        }
        for term in rest {
            if term != cx.terms.true_() {
                parts.push(cx.stmts.add(Stmt::Assume(term), span));
            }
        }
        parts.extend_from_slice(&self.rest);
        cx.stmts.seq(&parts, span)
    }
}

/// The statements of nested sequences, in order.
fn flatten(cx: &Context, root: StmtId) -> Vec<StmtId> {
    let (mut flat, mut todo) = (Vec::new(), vec![root]);
    while let Some(stmt) = todo.pop() {
        match cx.stmts.get(stmt) {
            Stmt::Seq(list) => todo.extend(cx.stmts.items(list).iter().rev()),
            _ => flat.push(stmt),
        }
    }
    flat
}

/// The cases of a Boolean term: their disjunction is the term. Only what may determine a havoced
/// variable is taken apart, and nothing any more when there would be too many.
fn expand(terms: &mut Terms, term: TermId, havocs: &[VarId]) -> Vec<TermId> {
    let mut done: Vec<TermId> = Vec::new();
    let mut todo = vec![term];
    while let Some(case) = todo.pop() {
        match split(terms, case, havocs) {
            Some(cases) if done.len() + todo.len() + cases.len() <= MAX_CASES => {
                todo.extend(cases.into_iter().rev());
            }
            _ => done.push(case),
        }
    }
    done
}

/// Whether one of a term's cases has a conjunct that determines a havoced variable.
fn may_determine(terms: &Terms, term: TermId, havocs: &[VarId]) -> bool {
    let mut todo = vec![term];
    while let Some(term) = todo.pop() {
        match terms.head(term) {
            Head::Op(Op::And | Op::Or, parts) => todo.extend(parts),
            Head::Op(Op::Ite, &[_, then, otherwise]) => todo.extend([then, otherwise]),
            _ if definitions(terms, term)
                .iter()
                .any(|(var, _)| havocs.contains(var)) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// The cases of the first disjunction or if-then-else of a conjunction that may determine something.
fn split(terms: &mut Terms, case: TermId, havocs: &[VarId]) -> Option<Vec<TermId>> {
    let conjuncts = terms
        .as_op(case, Op::And)
        .map_or_else(|| vec![case], <[TermId]>::to_vec);
    for (at, &conjunct) in conjuncts.iter().enumerate() {
        if !may_determine(terms, conjunct, havocs) {
            continue;
        }
        let alternatives = match terms.head(conjunct) {
            Head::Op(Op::Or, parts) => parts.to_vec(),
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let not_condition = terms.not(condition);
                vec![
                    terms.and(&[condition, then]),
                    terms.and(&[not_condition, otherwise]),
                ]
            }
            _ => continue,
        };
        let with = |terms: &mut Terms, alternative: TermId| {
            let mut parts = conjuncts.clone();
            parts[at] = alternative;
            terms.and(&parts)
        };
        return Some(
            alternatives
                .into_iter()
                .map(|alternative| with(terms, alternative))
                .collect(),
        );
    }
    None
}

/// What a conjunction says about havoced variables.
struct Solved {
    /// Values, each over variables that have theirs before.
    values: Vec<(VarId, TermId)>,
    /// What else must hold.
    rest: Vec<TermId>,
}

/// Solves a conjunction for havoced variables. A variable is solved once, by a term that does not
/// depend on it, not even through the values of others.
fn solve(terms: &Terms, havocs: &[VarId], conjuncts: &[TermId]) -> Solved {
    let mut solved = Solved {
        values: Vec::new(),
        rest: Vec::new(),
    };
    // What the value of each solved variable depends on.
    let mut depends: FxHashMap<VarId, FxHashSet<VarId>> = FxHashMap::default();
    for &conjunct in conjuncts {
        let definition = definitions(terms, conjunct)
            .into_iter()
            .find(|&(var, value)| {
                let free = havocs.contains(&var) && !depends.contains_key(&var);
                free && !dependencies(terms, value, &depends).contains(&var)
            });
        match definition {
            Some((var, value)) => {
                depends.insert(var, dependencies(terms, value, &depends));
                // Whatever depends on the variable depends on what it depends on.
                let own = depends[&var].clone();
                for others in depends.values_mut().filter(|others| others.contains(&var)) {
                    others.extend(&own);
                }
                solved.values.push((var, value));
            }
            None => solved.rest.push(conjunct),
        }
    }
    order(terms, &mut solved.values);
    solved
}

fn dependencies(
    terms: &Terms,
    value: TermId,
    depends: &FxHashMap<VarId, FxHashSet<VarId>>,
) -> FxHashSet<VarId> {
    let vars = terms.free_vars(&[value]);
    let indirect = vars.iter().filter_map(|var| depends.get(var)).flatten();
    indirect.chain(&vars).copied().collect()
}

/// Puts values after those that they read.
fn order(terms: &Terms, values: &mut Vec<(VarId, TermId)>) {
    let mut waiting = std::mem::take(values);
    while !waiting.is_empty() {
        let pending: FxHashSet<VarId> = waiting.iter().map(|&(var, _)| var).collect();
        let is_ready = |value: TermId| {
            terms
                .free_vars(&[value])
                .iter()
                .all(|var| !pending.contains(var))
        };
        let (ready, others): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|&(_, value)| is_ready(value));
        assert!(
            !ready.is_empty(),
            "solved variables do not depend on one another in a circle"
        );
        values.extend(ready);
        waiting = others;
    }
}

/// The variables that a conjunct would determine, with their values; only plain forms: `v = t`, `v`, `!v`.
fn definitions(terms: &Terms, conjunct: TermId) -> Vec<(VarId, TermId)> {
    match terms.head(conjunct) {
        Head::Var(var) => vec![(var, terms.true_())],
        Head::Op(Op::Not, &[inner]) => terms
            .as_var(inner)
            .map(|var| (var, terms.false_()))
            .into_iter()
            .collect(),
        Head::Op(Op::Eq, &[left, right]) => {
            let sides = [(left, right), (right, left)];
            sides
                .into_iter()
                .filter_map(|(side, other)| terms.as_var(side).map(|var| (var, other)))
                .collect()
        }
        _ => Vec::new(),
    }
}
