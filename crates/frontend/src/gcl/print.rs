//! Writes GCL.

use super::build::starts_in_doubt;
use crate::annotation;
use crate::as_name;
use crate::token::Syntax;
use lariat_base::{FxHashMap, FxHashSet, Id};
use lariat_expr::{Dialect, SortId, TermId, Value, VarId, print_term};
use lariat_system::{Context, Edge, Fairness, LocId, PropertyBody, Stmt, StmtId, System, Variable};
use std::fmt::Write;

/// Writes a GCL model.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let mut text = format!("model {}\n", as_name(&system.name, Syntax::Gcl));
    let named = named_literals(cx, system);
    for &sort in &system.sorts {
        let decl = cx.terms.sorts.as_enum(sort);
        let decl = decl.expect("a model's own sorts are enumerations");
        let word = if system.symmetric.contains(&sort) && !named.contains(&sort) {
            "symmetric"
        } else {
            "type"
        };
        let literals = decl.literals.join(", ");
        let _ = writeln!(text, "{word} {} = {{ {literals} }}", decl.name);
    }
    for (name, value) in &system.constants {
        let _ = writeln!(text, "const {name} = {}", term(cx, *value));
    }
    for variable in &system.variables {
        let _ = writeln!(text, "{}", declaration(cx, variable));
    }
    for edge in &system.initial {
        for constraint in constraints(cx, system, *edge) {
            let _ = writeln!(text, "init {}", term(cx, constraint));
        }
    }
    for (at, edge) in system.edges.row(LocId::from_index(0)).iter().enumerate() {
        let name = match edge.name {
            Some(name) => cx.names[name].to_string(),
            None => format!("step{at}"),
        };
        let parameters = parameters(cx, *edge);
        let _ = writeln!(text, "action {name}{parameters}: {}", action(cx, *edge));
    }
    for constraint in &system.fairness {
        let _ = match *constraint {
            Fairness::Justice(fair) => writeln!(text, "fair {};", term(cx, fair)),
            Fairness::Compassion(request, response) => {
                writeln!(
                    text,
                    "compassion {} -> {};",
                    term(cx, request),
                    term(cx, response)
                )
            }
        };
    }
    let n_own = annotation::n_own(&system.properties, |_| true);
    for property in &system.properties[..n_own] {
        let formula = match &property.body {
            PropertyBody::Ltl(formula) => formula.to_string(),
            PropertyBody::Invariant(invariant) => format!("G ({})", term(cx, *invariant)),
            PropertyBody::Temporal(_)
            | PropertyBody::Unreachable(_)
            | PropertyBody::NotAllRecur(_) => continue,
        };
        let _ = writeln!(text, "property {}: {formula};", property.name);
    }
    for property in &system.properties[n_own..] {
        if let PropertyBody::Ltl(formula) = &property.body {
            text += &annotation::print(&property.name, formula);
        }
    }
    text
}

fn term(cx: &Context, term: TermId) -> String {
    print_term(&cx.terms, term, &Dialect::GCL)
}

fn items(cx: &Context, stmt: StmtId) -> &[StmtId] {
    match cx.stmts.get(stmt) {
        Stmt::Seq(list) => cx.stmts.items(list),
        _ => &[],
    }
}

fn declaration(cx: &Context, variable: &Variable) -> String {
    let sort = match &variable.range {
        Some((low, high)) => format!("{low}..{high}"),
        None => {
            let sort = cx.terms.var_sort(variable.var);
            Dialect::GCL.sort_name(&cx.terms.sorts, sort)
        }
    };
    let mut text = format!("var {} : {sort}", cx.terms.name(variable.var));
    if let Some(initial) = variable.initial {
        let _ = write!(text, " = {}", term(cx, initial));
    }
    text
}

/// The `init` constraints: all that is assumed but for the ranges, which come last.
fn constraints(cx: &Context, system: &System, edge: Edge) -> Vec<TermId> {
    let branch = items(cx, edge.stmt).get(1).copied().unwrap_or(edge.stmt);
    let mut assumed: Vec<TermId> = items(cx, branch)
        .iter()
        .filter_map(|&item| match cx.stmts.get(item) {
            Stmt::Assume(term) => Some(term),
            _ => None,
        })
        .collect();
    let n_ranges = system
        .variables
        .iter()
        .filter(|v| starts_in_doubt(cx, v))
        .count();
    assumed.truncate(assumed.len().saturating_sub(n_ranges));
    assumed
}

/// The enumerations of which a literal will be written: quantifiers are, as what they stand for.
fn named_literals(cx: &Context, system: &System) -> FxHashSet<SortId> {
    let mut roots = system.declared_values();
    for stmt in system.all_stmts() {
        roots.extend(cx.stmts.terms(stmt));
    }
    roots.extend(system.fairness.iter().flat_map(|fair| fair.terms()));
    let terms = cx.terms.subterms(&roots).into_iter();
    let is_literal = |term: &TermId| matches!(cx.terms.as_lit(*term), Some(Value::Enum(_)));
    terms
        .filter(is_literal)
        .map(|term| cx.terms.sort(term))
        .collect()
}

/// `(i : T, j : T)`, or nothing: the variables that have any value at the start.
fn parameters(cx: &Context, edge: Edge) -> String {
    let mut parameters = Vec::new();
    for &item in items(cx, edge.stmt) {
        let Stmt::Declare(var, None) = cx.stmts.get(item) else {
            break;
        };
        let sort = Dialect::GCL.sort_name(&cx.terms.sorts, cx.terms.var_sort(var));
        parameters.push(format!("{} : {sort}", cx.terms.name(var)));
    }
    if parameters.is_empty() {
        String::new()
    } else {
        format!("({})", parameters.join(", "))
    }
}

/// `guard -> x := e, y := any`: values that were saved are put back in their places, and the
/// assumptions after the assignments are the ranges.
fn action(cx: &Context, edge: Edge) -> String {
    let mut guard = String::from("true");
    let mut aside: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut effects: Vec<String> = Vec::new();
    let mut is_first = true;
    for &item in items(cx, edge.stmt) {
        match cx.stmts.get(item) {
            Stmt::Declare(_, None) => continue,
            Stmt::Assume(condition) if is_first => guard = term(cx, condition),
            Stmt::Declare(var, Some(value)) => {
                aside.insert(var, value);
            }
            Stmt::Assign(var, value) => {
                let put_aside = cx.terms.as_var(value).and_then(|var| aside.get(&var));
                let value = term(cx, *put_aside.unwrap_or(&value));
                effects.push(format!("{} := {value}", cx.terms.name(var)));
            }
            Stmt::Havoc(var) => effects.push(format!("{} := any", cx.terms.name(var))),
            _ => {}
        }
        is_first = false;
    }
    if effects.is_empty() {
        effects.push("skip".into());
    }
    format!("{guard} -> {}", effects.join(", "))
}
