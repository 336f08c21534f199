//! Writes STS.

use crate::annotation;
use crate::as_name;
use crate::token::Syntax;
use lariat_base::{FxHashMap, FxHashSet, Id};
use lariat_expr::{Dialect, Substitution, TermId, VarId, print_term};
use lariat_system::{Context, LocId, PropertyBody, Stmt, StmtId, System};
use std::fmt::Write;

/// Writes an STS model.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let name = as_name(&system.name, Syntax::Sts);
    let term = |term| print_term(&cx.terms, term, &Dialect::THETA);
    let parts = Parts::of(cx, system);
    let mut text = format!("specification {name} {{\n    system {name} := {{\n");
    for (constant, value) in &system.constants {
        let sort = Dialect::THETA.sort_name(&cx.terms.sorts, cx.terms.sort(*value));
        let _ = writeln!(
            text,
            "        const {constant} : {sort} := {}",
            term(*value)
        );
    }
    for variable in &system.variables {
        let word = if parts.moving.contains(&variable.var) {
            "var"
        } else {
            "const"
        };
        let sort = cx.terms.var_sort(variable.var);
        let sort = Dialect::THETA.sort_name(&cx.terms.sorts, sort);
        let _ = write!(
            text,
            "        {word} {} : {sort}",
            cx.terms.name(variable.var)
        );
        if let Some(initial) = variable.initial {
            let _ = write!(text, " := {}", term(initial));
        }
        text.push('\n');
    }
    for (word, constraints) in [
        ("initial", &parts.initial),
        ("invariant", &parts.invariants),
        ("transition", &parts.transitions),
    ] {
        for &constraint in constraints {
            let _ = writeln!(text, "        {word} {}", term(constraint));
        }
    }
    text += "    }\n";
    let n_own = annotation::n_own(&system.properties, |formula| !formula.starts_with('G'));
    for property in &system.properties[..n_own] {
        let formula = match &property.body {
            PropertyBody::Invariant(invariant) => format!("G({})", term(*invariant)),
            PropertyBody::Ltl(formula) => formula.to_string(),
            PropertyBody::Temporal(_)
            | PropertyBody::Unreachable(_)
            | PropertyBody::NotAllRecur(_) => continue,
        };
        let _ = writeln!(
            text,
            "    property {} : {name} models {formula};",
            property.name
        );
    }
    text += "}\n";
    for property in &system.properties[n_own..] {
        if let PropertyBody::Ltl(formula) = &property.body {
            text += &annotation::print(&property.name, formula);
        }
    }
    text
}

/// What the two steps of the system were made of.
struct Parts {
    moving: FxHashSet<VarId>,
    initial: Vec<TermId>,
    invariants: Vec<TermId>,
    transitions: Vec<TermId>,
}

impl Parts {
    fn of(cx: &Context, system: &System) -> Self {
        let mut initial: Vec<TermId> = Vec::new();
        for edge in &system.initial {
            let branch = items(cx, edge.stmt).get(1).copied().unwrap_or(edge.stmt);
            initial.extend(assumed(cx, branch));
        }
        let mut transitions: Vec<TermId> = Vec::new();
        let mut next: FxHashMap<VarId, VarId> = FxHashMap::default();
        for edge in system.edges.row(LocId::from_index(0)) {
            transitions.extend(assumed(cx, edge.stmt));
            for &stmt in items(cx, edge.stmt) {
                if let Stmt::Assign(var, value) = cx.stmts.get(stmt)
                    && let Some(primed) = cx.terms.as_var(value)
                {
                    next.insert(var, primed);
                }
            }
        }
        let n = n_invariants(cx, &initial, &transitions, &next);
        let invariants = initial.split_off(initial.len() - n);
        transitions.truncate(transitions.len() - 2 * n);
        Self {
            moving: next.into_keys().collect(),
            initial,
            invariants,
            transitions,
        }
    }
}

/// How many of the last terms are invariants: `inv` in the first list, `inv` and `inv'` in the second.
fn n_invariants(
    cx: &Context,
    initial: &[TermId],
    transitions: &[TermId],
    next: &FxHashMap<VarId, VarId>,
) -> usize {
    let most = initial.len().min(transitions.len() / 2);
    let suffixes = |n: usize| {
        let singles = initial[initial.len() - n..].iter();
        singles.zip(transitions[transitions.len() - 2 * n..].chunks_exact(2))
    };
    let mut candidates = (1..=most)
        .rev()
        .filter(|&n| suffixes(n).all(|(one, pair)| *one == pair[0]))
        .peekable();
    if candidates.peek().is_none() {
        return 0;
    }
    // Terms can only be compared after they are built, and this store is not ours to change.
    let mut terms = cx.terms.clone();
    let mut substitution = Substitution::new();
    for (&var, &primed) in next {
        let primed = terms.var(primed);
        substitution.insert(&mut terms, var, primed);
    }
    let fits =
        |n: &usize| suffixes(*n).all(|(&one, pair)| substitution.apply(&mut terms, one) == pair[1]);
    candidates.find(fits).unwrap_or(0)
}

fn items(cx: &Context, stmt: StmtId) -> &[StmtId] {
    match cx.stmts.get(stmt) {
        Stmt::Seq(list) => cx.stmts.items(list),
        _ => &[],
    }
}

fn assumed(cx: &Context, stmt: StmtId) -> impl Iterator<Item = TermId> {
    items(cx, stmt)
        .iter()
        .filter_map(|&item| match cx.stmts.get(item) {
            Stmt::Assume(term) => Some(term),
            _ => None,
        })
}
