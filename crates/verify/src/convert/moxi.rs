//! Writes `MoXI`: one system, whose variables are all alike, and a query for each property, which asks for a run that violates it.
//!
//! A system has no definitions of its own: a term that is used twice is bound by `let` where it is used.

use super::claim::Claim;
use super::names::Names;
use super::refuse;
use super::relation::Relation;
use super::shared::Texts;
use super::smtlib::{Definition, Smtlib, is_reserved, sort};
use lariat_base::Diagnostic;
use lariat_expr::{TermId, VarId};
use lariat_system::{Context, Fairness};
use std::fmt::Write as _;

/// The text of a relation without enumerations, all of whose properties are about states or recurrence.
pub(super) fn write(cx: &mut Context, relation: &Relation) -> Result<String, Diagnostic> {
    let [start, step] = relation.whole(cx);
    let mut names = Names::new(is_reserved);
    let system = names.unique("System");
    let mut variables = String::new();
    let states = relation.variables.iter().map(|variable| variable.var);
    let inputs = relation.start_inputs.iter().chain(&relation.inputs);
    let all: Vec<VarId> = states.chain(inputs.copied()).collect();
    for var in all {
        let name = names.declare(cx, var);
        let sort = sort(&cx.terms, cx.terms.var_sort(var));
        let _ = write!(variables, "\n    ({name} {sort})");
    }
    for variable in &relation.variables {
        let next = format!("{}'", names.of(variable.var));
        names.write_as(variable.next_var, next);
    }
    let mut text = format!("(define-system {system}\n  :local ({variables})\n");
    let _ = writeln!(text, "  :init {}", closed(cx, &mut names, start)?);
    let _ = writeln!(text, "  :trans {})", closed(cx, &mut names, step)?);
    let _ = write!(text, "(check-system {system}\n  :local ({variables})");
    let mut fair = String::new();
    let is_asked = |claim: &Claim| !matches!(claim, Claim::Always(_));
    if relation.claims.iter().any(|asked| is_asked(&asked.claim)) {
        for constraint in &relation.fairness {
            let &Fairness::Justice(term) = constraint else {
                panic!("compassion became justice before");
            };
            let (name, term) = (names.unique("fair"), closed(cx, &mut names, term)?);
            let _ = write!(text, "\n  :fairness ({name} {term})");
            let _ = write!(fair, " {name}");
        }
    }
    for claimed in &relation.claims {
        let name = names.unique(&claimed.name);
        let _ = write!(text, "\n  ; {}", claimed.text.replace(['\n', '\r'], " "));
        let mut conditions = Vec::new();
        match &claimed.claim {
            Claim::Always(term) => {
                let never = cx.terms.not(*term);
                conditions.push(("reachable", never));
            }
            Claim::NeverAll(terms) => {
                conditions.extend(terms.iter().map(|&term| ("fairness", term)));
            }
            Claim::Temporal(_) => panic!("formulas became automata before"),
        }
        let mut query = String::new();
        for (number, &(kind, term)) in conditions.iter().enumerate() {
            let term = closed(cx, &mut names, term)?;
            let _ = write!(text, "\n  :{kind} ({name}.{number} {term})");
            let _ = write!(query, " {name}.{number}");
        }
        if is_asked(&claimed.claim) {
            query += &fair;
        }
        let _ = write!(text, "\n  :query ({name} ({}))", query.trim_start());
    }
    Ok(text + ")\n")
}

/// A term as text that needs no definition around it.
fn closed(cx: &Context, names: &mut Names, term: TermId) -> Result<String, Diagnostic> {
    let mut spelling = Smtlib::new(&cx.terms);
    let texts = Texts::new(&cx.terms, &[term], names, &mut spelling);
    let texts = texts.map_err(|what| refuse(&format!("has {what}, which MoXI cannot express")))?;
    let mut text = String::new();
    for Definition {
        name, text: body, ..
    } in &spelling.definitions
    {
        let _ = write!(text, "(let (({name} {body})) ");
    }
    Ok(text + texts.get(term) + &")".repeat(spelling.definitions.len()))
}
