//! Writes VMT-LIB.

use crate::relation::{Role, taken_apart};
use crate::smtlib::{Definition, Printer, print_formula, sort, symbol};
use lariat_base::FxHashSet;
use lariat_system::{Context, PropertyBody, System, Temporal, TemporalNode, UnaryTemporal};
use std::fmt::Write;

/// Writes a model that [`parse`](super::parse) could have made.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let terms = &cx.terms;
    let (relation, moving) = taken_apart(cx, system);
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for part in &moving {
        taken.insert(terms.name(part.var).to_owned());
        if let Role::State(next) = part.role {
            taken.insert(terms.name(next).to_owned());
        }
    }
    taken.extend(system.constants.iter().map(|(name, _)| name.to_string()));
    taken.extend(
        system
            .properties
            .iter()
            .filter_map(|property| Some(property.alias.as_ref()?.to_string())),
    );
    let mut out = Printer::new(terms, taken);
    let mut text = String::new();
    for part in &moving {
        let name = symbol(terms.name(part.var));
        let sort = sort(terms, terms.var_sort(part.var));
        let _ = writeln!(text, "(declare-fun {name} () {sort})");
        if let Role::State(next) = part.role {
            let next = symbol(terms.name(next));
            let alias = symbol(&out.fresh(".sv"));
            let _ = writeln!(text, "(declare-fun {next} () {sort})");
            let _ = writeln!(
                text,
                "(define-fun {alias} () {sort} (! {name} :next {next}))"
            );
        }
    }
    for (name, term) in &system.constants {
        let body = out.term(*term);
        define(&mut text, &mut out);
        let sort = sort(terms, terms.sort(*term));
        let _ = writeln!(text, "(define-fun {} () {sort} {body})", symbol(name));
    }
    for (key, constraints) in [("init", &relation.initial), ("trans", &relation.steps)] {
        for &(term, _) in constraints {
            let body = out.term(term);
            define(&mut text, &mut out);
            let name = out.fresh(&format!(".{key}"));
            let _ = writeln!(text, "(define-fun {name} () Bool (! {body} :{key} true))");
        }
    }
    for property in &system.properties {
        let (key, body) = match &property.body {
            PropertyBody::Invariant(term) => ("invar-property", out.term(*term)),
            PropertyBody::Temporal(tree) => match in_the_long_run(tree) {
                Some(inner) => ("live-property", print_formula(&mut out, &inner)),
                None => ("ltl-property", print_formula(&mut out, tree)),
            },
            PropertyBody::Ltl(_) | PropertyBody::Unreachable(_) | PropertyBody::NotAllRecur(_) => {
                continue;
            }
        };
        define(&mut text, &mut out);
        let name = property
            .alias
            .as_ref()
            .map_or_else(|| out.fresh(".p"), ToString::to_string);
        let _ = writeln!(
            text,
            "(define-fun {} () Bool (! {body} :{key} {}))",
            symbol(&name),
            property.name
        );
    }
    text + "(assert true)\n"
}

/// Writes the definitions that the next term needs.
fn define(text: &mut String, out: &mut Printer<'_>) {
    for Definition { name, sort, body } in out.definitions.drain(..) {
        let _ = writeln!(text, "(define-fun {name} () {sort} {body})");
    }
}

/// What a formula of the form `F G p` says to be true in the long run.
fn in_the_long_run(tree: &Temporal) -> Option<Temporal> {
    let (inner, outer) = tree.nodes().split_at(tree.nodes().len().checked_sub(2)?);
    let last = inner.len() as u32;
    let is_live = outer[0] == TemporalNode::Unary(UnaryTemporal::G, last.checked_sub(1)?)
        && outer[1] == TemporalNode::Unary(UnaryTemporal::F, last);
    let mut rest = Temporal::default();
    if is_live {
        for node in inner {
            rest.push(node.clone());
        }
    }
    is_live.then_some(rest)
}
