//! Writes VMT-LIB: terms of SMT-LIB, with annotations that say which is the start, which the step, and which a property.
//!
//! The format knows no fairness, so it stands in front of each temporal property.

use super::claim::{Claim, Claimed};
use super::names::Names;
use super::refuse;
use super::relation::Relation;
use super::shared::{Spelling, Texts};
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::{BvOp, Head, Int, Op, Rat, Sort, SortId, TermId, Terms, Value, VarId};
use lariat_ltl::{FormulaId, Formulas, MAX_TEXT, Op as Temporal};
use lariat_system::{Context, Fairness};
use std::fmt::Write as _;

/// The text of a relation without enumerations.
pub(super) fn write(cx: &Context, relation: &Relation) -> Result<String, Diagnostic> {
    let mut names = Names::new(is_reserved);
    let mut text = format!("; {}\n", relation.name.replace(['\n', '\r'], " "));
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
    let mut spelling = Vmt {
        terms,
        definitions: String::new(),
    };
    let texts = Texts::new(terms, &relation.terms(), &mut names, &mut spelling);
    let texts =
        texts.map_err(|what| refuse(&format!("has {what}, which VMT-LIB cannot express")))?;
    text += &spelling.definitions;
    let mut start = vec![texts.get(relation.start).to_owned()];
    let mut step = vec![texts.get(relation.step).to_owned()];
    for variable in &relation.variables {
        let equation =
            |var: VarId, value: TermId| format!("(= {} {})", names.of(var), texts.get(value));
        start.extend(variable.first.map(|value| equation(variable.var, value)));
        step.extend(
            variable
                .next
                .map(|value| equation(variable.next_var, value)),
        );
    }
    for (key, parts) in [("init", start), ("trans", step)] {
        let parts: Vec<String> = parts.into_iter().filter(|part| part != "true").collect();
        let _ = writeln!(
            text,
            "(define-fun .{key} () Bool (! {} :{key} true))",
            all(&parts)
        );
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

/// Words of SMT-LIB that nothing may be called.
fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 36] = [
        "true",
        "false",
        "not",
        "and",
        "or",
        "xor",
        "ite",
        "distinct",
        "let",
        "forall",
        "exists",
        "match",
        "par",
        "as",
        "_",
        "div",
        "mod",
        "abs",
        "to_real",
        "to_int",
        "is_int",
        "select",
        "store",
        "concat",
        "assert",
        "Bool",
        "Int",
        "Real",
        "Array",
        "BitVec",
        "String",
        "STRING",
        "NUMERAL",
        "DECIMAL",
        "BINARY",
        "HEXADECIMAL",
    ];
    WORDS.contains(&word) || word.starts_with("bv") || word.starts_with("int2bv")
}

fn sort(terms: &Terms, of: SortId) -> String {
    match terms.sorts.get(of) {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Rat => "Real".into(),
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => {
            format!("(Array {} {})", sort(terms, *index), sort(terms, *element))
        }
        Sort::Enum(decl) => panic!("the enumeration {} became a bit-vector before", decl.name),
    }
}

fn all(parts: &[String]) -> String {
    match parts {
        [] => "true".into(),
        [one] => one.clone(),
        parts => format!("(and {})", parts.join(" ")),
    }
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

/// How SMT-LIB writes terms.
struct Vmt<'a> {
    terms: &'a Terms,
    definitions: String,
}

impl Spelling for Vmt<'_> {
    fn spell(&mut self, names: &Names, term: TermId, args: &[&str]) -> Result<String, String> {
        Ok(match self.terms.head(term) {
            Head::Var(var) => names.of(var).to_owned(),
            Head::Lit(value) => literal(self.terms, self.terms.sort(term), value),
            Head::Op(op, own) => {
                let width = own.first().and_then(|&arg| {
                    let sort = self.terms.sort(arg);
                    self.terms.sorts.bv_width(sort)
                });
                operation(self.terms, op, args, width.unwrap_or(0))
            }
        })
    }

    fn define(&mut self, name: &str, term: TermId, text: &str) {
        let sort = sort(self.terms, self.terms.sort(term));
        let _ = writeln!(self.definitions, "(define-fun {name} () {sort} {text})");
    }
}

fn integer(int: &Int) -> String {
    if int.is_negative() {
        format!("(- {})", int.abs())
    } else {
        int.to_string()
    }
}

fn rational(rat: &Rat) -> String {
    let (above, below) = (rat.numerator(), rat.denominator());
    let absolute = format!("(/ {}.0 {below}.0)", above.abs());
    if above.is_negative() {
        format!("(- {absolute})")
    } else {
        absolute
    }
}

fn literal(terms: &Terms, of: SortId, value: &Value) -> String {
    match (value, terms.sorts.get(of)) {
        (Value::Bool(value), _) => value.to_string(),
        (Value::Int(int), _) => integer(int),
        (Value::Rat(rat), _) => rational(rat),
        (Value::Bv(bits), Sort::Bv(width)) => format!("(_ bv{bits} {width})"),
        (Value::Array(map), Sort::Array { index, element }) => {
            let default = literal(terms, *element, map.default_value());
            let mut text = format!("((as const {}) {default})", sort(terms, of));
            for (at, value) in map.entries() {
                let at = literal(terms, *index, at);
                let value = literal(terms, *element, value);
                text = format!("(store {text} {at} {value})");
            }
            text
        }
        (value, sort) => panic!("{value:?} of {sort:?} is written"),
    }
}

/// An operator; its first argument has this width, if it is a bit-vector.
fn operation(terms: &Terms, op: Op, args: &[&str], width: u32) -> String {
    let plain = |word: &str| format!("({word} {})", args.join(" "));
    match (op, args) {
        (Op::And, []) => "true".into(),
        (Op::Or, []) => "false".into(),
        (Op::Not, _) => plain("not"),
        (Op::And, _) => plain("and"),
        (Op::Or, _) => plain("or"),
        (Op::Eq, _) => plain("="),
        (Op::Ite, _) => plain("ite"),
        (Op::Add, _) => plain("+"),
        (Op::Mul, _) => plain("*"),
        (Op::Le, _) => plain("<="),
        (Op::Lt, _) => plain("<"),
        (Op::Div, [a, b]) => format!("(ite (= {b} 0) 0 (div {a} {b}))"),
        (Op::Mod, [a, b]) => format!("(ite (= {b} 0) {a} (mod {a} {b}))"),
        (Op::Rem, [a, b]) => {
            format!("(ite (= {b} 0) {a} (ite (< {b} 0) (- (mod {a} {b})) (mod {a} {b})))")
        }
        (Op::RatDiv, [a, b]) => format!("(ite (= {b} 0.0) 0.0 (/ {a} {b}))"),
        (Op::ToRat, _) => plain("to_real"),
        (Op::ToInt, _) => plain("to_int"),
        (Op::Select, _) => plain("select"),
        (Op::Store, _) => plain("store"),
        (Op::ConstArray(array), [value]) => format!("((as const {}) {value})", sort(terms, array)),
        (Op::Bv(op), args) => bits(op, args, width),
        (op, args) => panic!("{op:?} does not take {} arguments", args.len()),
    }
}

fn bits(op: BvOp, args: &[&str], width: u32) -> String {
    let plain = |word: &str| format!("({word} {})", args.join(" "));
    // Rotation by a term is written with shifts.
    let rotated = |one: &str, other: &str| {
        let [a, b] = args else {
            panic!("a rotation has two arguments");
        };
        let all = format!("(_ bv{width} {width})");
        let by = format!("(bvurem {b} {all})");
        format!("(bvor ({one} {a} {by}) ({other} {a} (bvsub {all} {by})))")
    };
    match op {
        BvOp::Neg => plain("bvneg"),
        BvOp::Not => plain("bvnot"),
        BvOp::Add => plain("bvadd"),
        BvOp::Sub => plain("bvsub"),
        BvOp::Mul => plain("bvmul"),
        BvOp::Udiv => plain("bvudiv"),
        BvOp::Urem => plain("bvurem"),
        BvOp::Sdiv => plain("bvsdiv"),
        BvOp::Srem => plain("bvsrem"),
        BvOp::Smod => plain("bvsmod"),
        BvOp::And => plain("bvand"),
        BvOp::Or => plain("bvor"),
        BvOp::Xor => plain("bvxor"),
        BvOp::Shl => plain("bvshl"),
        BvOp::Lshr => plain("bvlshr"),
        BvOp::Ashr => plain("bvashr"),
        BvOp::Rotl => rotated("bvshl", "bvlshr"),
        BvOp::Rotr => rotated("bvlshr", "bvshl"),
        BvOp::Ult => plain("bvult"),
        BvOp::Ule => plain("bvule"),
        BvOp::Slt => plain("bvslt"),
        BvOp::Sle => plain("bvsle"),
        BvOp::Concat => plain("concat"),
        BvOp::Extract { high, low } => plain(&format!("(_ extract {high} {low})")),
        BvOp::Zext(to) => plain(&format!("(_ zero_extend {})", to - width)),
        BvOp::Sext(to) => plain(&format!("(_ sign_extend {})", to - width)),
        BvOp::ToNat => plain("bv2nat"),
        BvOp::OfInt(to) => plain(&format!("(_ int2bv {to})")),
    }
}
