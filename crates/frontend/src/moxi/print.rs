//! Writes `MoXI`: one system with all variables, and one query for each property.

use crate::relation::{Role, taken_apart};
use crate::smtlib::{Printer, sort, symbol};
use lariat_base::FxHashSet;
use lariat_expr::TermId;
use lariat_system::{Context, PropertyBody, System};
use std::fmt::Write;

/// Writes a model that [`parse`](super::parse) could have made.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let terms = &cx.terms;
    let (relation, moving) = taken_apart(cx, system);
    let mut text = String::new();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for &id in &system.sorts {
        let decl = terms.sorts.as_enum(id).expect("an enumeration");
        let literals: Vec<String> = decl
            .literals
            .iter()
            .map(|literal| symbol(literal))
            .collect();
        let _ = writeln!(
            text,
            "(declare-enum-sort {} ({}))",
            symbol(&decl.name),
            literals.join(" ")
        );
        taken.extend(decl.literals.iter().map(ToString::to_string));
    }
    let mut variables = String::new();
    for part in &moving {
        let (name, sort) = (terms.name(part.var), sort(terms, terms.var_sort(part.var)));
        taken.insert(name.to_owned());
        let name = symbol(name);
        if part.role == Role::Rigid {
            let _ = writeln!(text, "(declare-const {name} {sort})");
        } else {
            let _ = write!(variables, "\n    ({name} {sort})");
        }
    }
    let mut out = Printer::new(terms, taken);
    let all = |out: &mut Printer<'_>, list: &[(TermId, Option<lariat_base::Span>)]| match list {
        [(single, _)] => out.closed(*single),
        _ => {
            let parts: Vec<String> = list.iter().map(|&(term, _)| out.closed(term)).collect();
            format!("(and {})", parts.join(" "))
        }
    };
    let name = out.fresh("System");
    let _ = writeln!(text, "(define-system {name}\n  :local ({variables})");
    let _ = writeln!(text, "  :init {}", all(&mut out, &relation.initial));
    let _ = writeln!(text, "  :trans {})", all(&mut out, &relation.steps));
    let _ = write!(text, "(check-system {name}\n  :local ({variables})");
    let mut queries = String::new();
    for property in &system.properties {
        let mut conditions: Vec<String> = Vec::new();
        match &property.body {
            PropertyBody::Invariant(invariant) => {
                let bad = format!("(not {})", out.closed(*invariant));
                let condition = out.fresh("reach");
                let _ = write!(text, "\n  :reachable ({condition} {bad})");
                conditions.push(condition);
            }
            PropertyBody::NotAllRecur(parts) => {
                for (name, term) in parts {
                    let fair = out.closed(*term);
                    let condition = symbol(name);
                    let _ = write!(text, "\n  :fairness ({condition} {fair})");
                    conditions.push(condition);
                }
            }
            PropertyBody::Temporal(_) | PropertyBody::Ltl(_) | PropertyBody::Unreachable(_) => {
                continue;
            }
        }
        let _ = write!(
            queries,
            "\n  :query ({} ({}))",
            symbol(&property.name),
            conditions.join(" ")
        );
    }
    text + &queries + ")\n"
}
