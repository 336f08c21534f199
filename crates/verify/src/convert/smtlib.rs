//! Terms, sorts and names as SMT-LIB writes them, for VMT-LIB and `MoXI`. What SMT-LIB leaves open (division by zero) is spelled
//! out, so that every solver reads it as it is meant here.

use super::names::Names;
use super::shared::Spelling;
use lariat_expr::{BvOp, Head, Int, Op, Rat, Sort, SortId, TermId, Terms, Value};

/// Words of SMT-LIB that nothing may be called.
pub(super) fn is_reserved(word: &str) -> bool {
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

/// A sort that is no enumeration.
pub(super) fn sort(terms: &Terms, of: SortId) -> String {
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

/// How SMT-LIB writes terms.
pub(super) struct Smtlib<'a> {
    terms: &'a Terms,
    /// The terms that have names, the first one first.
    pub definitions: Vec<Definition>,
}

/// A name for a term.
pub(super) struct Definition {
    pub name: String,
    pub sort: String,
    pub text: String,
}

impl<'a> Smtlib<'a> {
    /// A spelling without definitions so far.
    pub fn new(terms: &'a Terms) -> Self {
        Self {
            terms,
            definitions: Vec::new(),
        }
    }
}

impl Spelling for Smtlib<'_> {
    fn spell(&mut self, names: &Names, term: TermId, args: &[&str]) -> Result<String, String> {
        Ok(match self.terms.head(term) {
            Head::Var(var) => names.of(var).to_owned(),
            Head::Lit(value) => literal(self.terms, self.terms.sort(term), value),
            Head::Op(op, own) => {
                let width = own.first().and_then(|&arg| {
                    let sort = self.terms.sort(arg);
                    self.terms.sorts.bv_width(sort)
                });
                match (op, args, own) {
                    (Op::Div | Op::Mod | Op::Rem | Op::RatDiv, &[a, b], &[_, by]) => {
                        let text = divided(op, a, b);
                        match self.terms.as_lit(by) {
                            // The simplifier leaves no division by the number zero.
                            Some(_) => text,
                            None => guarded(op, a, b, &text),
                        }
                    }
                    _ => operation(self.terms, op, args, width.unwrap_or(0)),
                }
            }
        })
    }

    fn define(&mut self, name: &str, term: TermId, text: &str) {
        self.definitions.push(Definition {
            name: name.to_owned(),
            sort: sort(self.terms, self.terms.sort(term)),
            text: text.to_owned(),
        });
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
        (Op::ToRat, _) => plain("to_real"),
        (Op::ToInt, _) => plain("to_int"),
        (Op::Select, _) => plain("select"),
        (Op::Store, _) => plain("store"),
        (Op::ConstArray(array), [value]) => format!("((as const {}) {value})", sort(terms, array)),
        (Op::Bv(op), args) => bits(op, args, width),
        (op, args) => panic!("{op:?} does not take {} arguments", args.len()),
    }
}

/// A division by something that is not zero.
fn divided(op: Op, a: &str, b: &str) -> String {
    match op {
        Op::Div => format!("(div {a} {b})"),
        Op::Mod => format!("(mod {a} {b})"),
        Op::Rem => format!("(ite (< {b} 0) (- (mod {a} {b})) (mod {a} {b}))"),
        Op::RatDiv => format!("(/ {a} {b})"),
        op => panic!("{op:?} is no division"),
    }
}

/// A division that is `divided` if it is not by zero.
fn guarded(op: Op, a: &str, b: &str, divided: &str) -> String {
    match op {
        Op::Div => format!("(ite (= {b} 0) 0 {divided})"),
        Op::RatDiv => format!("(ite (= {b} 0.0) 0.0 {divided})"),
        _ => format!("(ite (= {b} 0) {a} {divided})"),
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
