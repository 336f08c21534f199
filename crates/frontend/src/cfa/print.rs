//! Writes CFA: chains of steps through inner locations become edges with several statements.

use crate::annotation;
use crate::as_name;
use crate::token::Syntax;
use lariat_expr::{Dialect, print_term};
use lariat_system::{Context, Edge, Language, LocRole, PropertyBody, Stmt, StmtId, System};
use std::fmt::Write;

/// Writes a CFA model.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let mut text = format!("main process {} {{\n", as_name(&system.name, Syntax::Cfa));
    for variable in &system.variables {
        let sort = cx.terms.var_sort(variable.var);
        let sort = Dialect::THETA.sort_name(&cx.terms.sorts, sort);
        let _ = writeln!(text, "    var {} : {sort}", cx.terms.name(variable.var));
    }
    text.push('\n');
    for location in &system.locations {
        let role = match location.role {
            LocRole::Plain | LocRole::Cut => "",
            LocRole::Initial => "init ",
            LocRole::Final => "final ",
            LocRole::Error => "error ",
            LocRole::Inner => continue,
        };
        let _ = writeln!(text, "    {role}loc {}", location.name);
    }
    text.push('\n');
    for (source, edges) in system.edges.rows() {
        if system.locations[source].role == LocRole::Inner {
            continue;
        }
        for edge in edges.iter().filter(|edge| !edge.stutter) {
            let (stmts, target) = chain(cx, system, *edge);
            let (from, to) = (
                &system.locations[source].name,
                &system.locations[target].name,
            );
            let _ = write!(text, "    {from} -> {to} {{");
            match stmts[..] {
                [] => text += "}\n",
                [ref single] => {
                    let _ = writeln!(text, " {single} }}");
                }
                _ => {
                    text.push('\n');
                    for stmt in stmts {
                        let _ = writeln!(text, "        {stmt}");
                    }
                    text += "    }\n";
                }
            }
        }
    }
    text += "}\n";
    // The formulas of a program that is printed as an automaton speak another language.
    let properties = system.properties.iter();
    for property in properties.filter(|_| system.language == Language::Cfa) {
        if let PropertyBody::Ltl(formula) = &property.body {
            text += &annotation::print(&property.name, formula);
        }
    }
    text
}

/// The statements from an edge on through inner locations, and the location they lead to.
fn chain(cx: &Context, system: &System, edge: Edge) -> (Vec<String>, lariat_system::LocId) {
    let mut stmts = Vec::new();
    let mut edge = edge;
    loop {
        stmts.extend(statement(cx, edge.stmt));
        let inner = system.locations[edge.target].role == LocRole::Inner;
        match system.edges.row(edge.target) {
            &[next] if inner && stmts.len() <= system.locations.len() => edge = next,
            _ => return (stmts, edge.target),
        }
    }
}

fn statement(cx: &Context, stmt: StmtId) -> Option<String> {
    let term = |term| print_term(&cx.terms, term, &Dialect::THETA);
    match cx.stmts.get(stmt) {
        Stmt::Assume(condition) => Some(format!("assume {}", term(condition))),
        Stmt::Assign(var, value) => Some(format!("{} := {}", cx.terms.name(var), term(value))),
        Stmt::Havoc(var) => Some(format!("havoc {}", cx.terms.name(var))),
        Stmt::Seq(list) if cx.stmts.items(list).is_empty() => None,
        other => panic!("{other:?} is no statement of a CFA"),
    }
}
