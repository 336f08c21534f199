//! Writes VMT-LIB: terms of SMT-LIB, with annotations that say which is the start, which the step, and which a property.
//!
//! The format knows no fairness, so it stands in front of each temporal property.

use super::claim::{Claim, Claimed};
use super::names::Names;
use super::refuse;
use super::relation::Relation;
use super::shared::Texts;
use super::smtlib::{Definition, Smtlib, is_reserved, sort};
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::{TermId, Terms};
use lariat_ltl::{FormulaId, Formulas, MAX_TEXT, Op as Temporal};
use lariat_system::{Context, Fairness};
use std::fmt::Write as _;

/// The text of a relation without enumerations.
pub(super) fn write(cx: &mut Context, relation: &Relation) -> Result<String, Diagnostic> {
    let [start, step] = relation.whole(cx);
    let mut names = Names::new(is_reserved);
    let mut text = String::new();
    let terms = &cx.terms;
    for (position, variable) in relation.variables.iter().enumerate() {
        let sort = sort(terms, terms.var_sort(variable.var));
        let name = names.declare(cx, variable.var);
        let next = names.unique(&format!("{name}_next"));
        names.write_as(variable.next_var, next.clone());
        let _ = writeln!(text, "(declare-fun {name} () {sort})");
        let _ = writeln!(text, "(declare-fun {next} () {sort})");
        let _ = writeln!(
            text,
            "(define-fun .sv{position} () {sort} (! {name} :next {next}))"
        );
    }
    for &input in relation.start_inputs.iter().chain(&relation.inputs) {
        let name = names.declare(cx, input);
        let sort = sort(terms, terms.var_sort(input));
        let _ = writeln!(text, "(declare-fun {name} () {sort})");
    }
    let mut spelling = Smtlib::new(terms);
    let roots = [vec![start, step], relation.asked()].concat();
    let texts = Texts::new(terms, &roots, &mut names, &mut spelling);
    let texts =
        texts.map_err(|what| refuse(&format!("has {what}, which VMT-LIB cannot express")))?;
    for Definition {
        name,
        sort,
        text: body,
    } in spelling.definitions
    {
        let _ = writeln!(text, "(define-fun {name} () {sort} {body})");
    }
    for (key, term) in [("init", start), ("trans", step)] {
        let body = texts.get(term);
        let _ = writeln!(text, "(define-fun .{key} () Bool (! {body} :{key} true))");
    }
    for (position, claimed) in relation.claims.iter().enumerate() {
        let (key, body) = property(terms, &texts, relation, claimed)?;
        let name = names.unique(&claimed.name);
        let _ = writeln!(text, "; {}", claimed.text.replace(['\n', '\r'], " "));
        let _ = writeln!(
            text,
            "(define-fun {name} () Bool (! {body} :{key} {position}))"
        );
    }
    text += "(assert true)\n";
    Ok(text)
}

/// The key of a property, and its formula.
fn property(
    terms: &Terms,
    texts: &Texts,
    relation: &Relation,
    claimed: &Claimed,
) -> Result<(&'static str, String), Diagnostic> {
    let (mut formulas, formula) = match &claimed.claim {
        Claim::Always(term) => return Ok(("invar-property", texts.get(*term).to_owned())),
        Claim::NeverAll(recurring) => {
            if let ([one], []) = (&recurring[..], &relation.fairness[..]) {
                let never = format!("(not {})", texts.get(*one));
                return Ok(("live-property", never));
            }
            let mut formulas = Formulas::new();
            let all = recurring
                .iter()
                .map(|&term| recurs(&mut formulas, texts, term));
            let all: Vec<FormulaId> = all.collect();
            let all = formulas.and_all(&all);
            let never = formulas.not(all);
            (formulas, never)
        }
        Claim::Temporal(temporal) => {
            let formula = temporal.formula.as_ref();
            let formula = formula.expect("a property without a formula is an automaton by now");
            formula.renamed(terms, &mut |term| texts.get(term).to_owned())
        }
    };
    let mut fair = Vec::new();
    for constraint in &relation.fairness {
        fair.push(match *constraint {
            Fairness::Justice(term) => recurs(&mut formulas, texts, term),
            Fairness::Compassion(request, response) => {
                let request = recurs(&mut formulas, texts, request);
                let response = recurs(&mut formulas, texts, response);
                formulas.implies(request, response)
            }
        });
    }
    let fair = formulas.and_all(&fair);
    let formula = formulas.implies(fair, formula);
    Ok(("ltl-property", print(&formulas, formula)?))
}

/// That a term is true again and again.
fn recurs(formulas: &mut Formulas, texts: &Texts, term: TermId) -> FormulaId {
    let atom = match texts.get(term) {
        "true" => formulas.tt(),
        "false" => formulas.ff(),
        text => formulas.ap_named(text),
    };
    let again = formulas.finally(atom);
    formulas.globally(again)
}

/// A formula whose atoms are named by their texts.
fn print(formulas: &Formulas, formula: FormulaId) -> Result<String, Diagnostic> {
    let mut texts: FxHashMap<FormulaId, String> = FxHashMap::default();
    for at in formulas.subformulas(formula) {
        let args = formulas.children(at).iter().map(|arg| texts[arg].as_str());
        let args: Vec<&str> = args.collect();
        let plain = |word: &str| format!("({word} {})", args.join(" "));
        let text = match (formulas.op(at), &args[..]) {
            (Temporal::True, _) => "true".into(),
            (Temporal::False, _) => "false".into(),
            (Temporal::Ap(ap), _) => formulas.ap_name(ap).to_owned(),
            (Temporal::Not, _) => plain("not"),
            (Temporal::And, _) => plain("and"),
            (Temporal::Or, _) => plain("or"),
            (Temporal::Implies, _) => plain("=>"),
            (Temporal::Iff, _) => plain("="),
            (Temporal::Xor, _) => plain("xor"),
            (Temporal::X, _) => plain("ltl.X"),
            (Temporal::F, _) => plain("ltl.F"),
            (Temporal::G, _) => plain("ltl.G"),
            (Temporal::U, _) => plain("ltl.U"),
            (Temporal::Y, _) => plain("ltl.Y"),
            (Temporal::O, _) => plain("ltl.O"),
            (Temporal::H, _) => plain("ltl.H"),
            (Temporal::S, _) => plain("ltl.S"),
            (Temporal::R, [a, b]) => format!("(not (ltl.U (not {a}) (not {b})))"),
            (Temporal::W, [a, b]) => format!("(not (ltl.U (not {b}) (and (not {a}) (not {b}))))"),
            (Temporal::M, [a, b]) => format!("(ltl.U {b} (and {a} {b}))"),
            (Temporal::Z, [a]) => format!("(not (ltl.Y (not {a})))"),
            (Temporal::T, [a, b]) => format!("(not (ltl.S (not {a}) (not {b})))"),
            (op, args) => panic!("{op:?} does not take {} operands", args.len()),
        };
        if text.len() > MAX_TEXT {
            return Err(refuse("has a formula that is too long to be written"));
        }
        texts.insert(at, text);
    }
    Ok(texts
        .remove(&formula)
        .expect("the formula is a part of itself"))
}
