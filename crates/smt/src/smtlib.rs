//! Terms as SMT-LIB text.
//!
//! [`Writer`] turns terms into text that any SMT-LIB solver reads: it declares sorts and variables when it
//! first meets them and names subterms that are shared or long with `define-fun`, so the text stays as small
//! as the shared term. Operators without a standard counterpart (division with a fixed result by zero,
//! rotation by a term) are spelled out.

use lariat_base::{FxHashMap, FxHashSet, Id};
use lariat_expr::{BvOp, Head, Int, Op, Sort, SortId, TermId, Terms, Value, VarId};
use std::fmt::Write;

/// Longer subterms get a name.
const MAX_INLINE: usize = 120;

/// Writes the terms of one store.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    sorts: FxHashSet<SortId>,
    vars: FxHashSet<VarId>,
    /// The names of the subterms that have one.
    named: FxHashMap<TermId, String>,
}

impl Writer {
    /// The text of a term; declarations and definitions that it needs are written to `out` first.
    pub(crate) fn term(&mut self, terms: &Terms, root: TermId, out: &mut String) -> String {
        let (order, uses) = self.unnamed(terms, root);
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        for at in order {
            let args: Vec<&str> = terms
                .args(at)
                .iter()
                .map(|arg| self.named.get(arg).unwrap_or_else(|| &texts[arg]).as_str())
                .collect();
            let text = match terms.head(at) {
                Head::Op(op, inner) => operator(terms, op, inner, &args),
                Head::Lit(value) => {
                    self.declare_sort(terms, terms.sort(at), out);
                    literal(terms, value, terms.sort(at))
                }
                Head::Var(var) => {
                    self.declare(terms, var, out);
                    symbol(terms, var)
                }
            };
            if at != root && text.len() > 12 && (uses[&at] > 1 || text.len() > MAX_INLINE) {
                let name = format!("t{}", at.index());
                let sort = sort_text(terms, terms.sort(at));
                let _ = writeln!(out, "(define-fun {name} () {sort} {text})");
                self.named.insert(at, name);
            } else {
                texts.insert(at, text);
            }
        }
        self.named
            .get(&root)
            .cloned()
            .unwrap_or_else(|| texts.remove(&root).expect("written"))
    }

    /// The subterms without a name, arguments first, and how often each is used.
    fn unnamed(&self, terms: &Terms, root: TermId) -> (Vec<TermId>, FxHashMap<TermId, u32>) {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut todo = vec![root];
        let mut order = Vec::new();
        while let Some(at) = todo.pop() {
            let count = uses.entry(at).or_insert(0);
            *count += 1;
            if *count == 1 && !self.named.contains_key(&at) {
                order.push(at);
                todo.extend_from_slice(terms.args(at));
            }
        }
        order.sort_unstable();
        (order, uses)
    }

    fn declare(&mut self, terms: &Terms, var: VarId, out: &mut String) {
        if self.vars.insert(var) {
            let sort = terms.var_sort(var);
            self.declare_sort(terms, sort, out);
            let _ = writeln!(
                out,
                "(declare-fun {} () {})",
                symbol(terms, var),
                sort_text(terms, sort)
            );
        }
    }

    fn declare_sort(&mut self, terms: &Terms, sort: SortId, out: &mut String) {
        match terms.sorts.get(sort) {
            Sort::Array { index, element } => {
                self.declare_sort(terms, *index, out);
                self.declare_sort(terms, *element, out);
            }
            Sort::Enum(decl) if self.sorts.insert(sort) => {
                let name = sort_text(terms, sort);
                let literals: Vec<String> = (0..decl.literals.len())
                    .map(|i| format!("({})", enum_literal(terms, sort, i as u32)))
                    .collect();
                let _ = writeln!(
                    out,
                    "(declare-datatypes (({name} 0)) (({})))",
                    literals.join(" ")
                );
            }
            _ => {}
        }
    }
}

/// A quoted symbol: the readable characters of a name, and a number that makes it unique.
fn quoted(name: &str, unique: usize) -> String {
    let readable: String = name
        .chars()
        .filter_map(|c| match c {
            '⟨' => Some('@'),
            '⟩' => None,
            c if c.is_ascii_alphanumeric() || "_.$@".contains(c) => Some(c),
            _ => Some('_'),
        })
        .collect();
    format!("|{readable}!{unique}|")
}

fn symbol(terms: &Terms, var: VarId) -> String {
    quoted(terms.name(var), var.index())
}

fn enum_literal(terms: &Terms, sort: SortId, position: u32) -> String {
    let decl = terms
        .sorts
        .as_enum(sort)
        .expect("only enumerations have literals");
    let name = format!(
        "{}.{}.{position}",
        decl.name, decl.literals[position as usize]
    );
    quoted(&name, sort.index())
}

fn sort_text(terms: &Terms, sort: SortId) -> String {
    match terms.sorts.get(sort) {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Rat => "Real".into(),
        Sort::Enum(decl) => quoted(&decl.name, sort.index()),
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => {
            format!(
                "(Array {} {})",
                sort_text(terms, *index),
                sort_text(terms, *element)
            )
        }
    }
}

fn literal(terms: &Terms, value: &Value, sort: SortId) -> String {
    let signed = |negative: bool, text: String| {
        if negative {
            format!("(- {text})")
        } else {
            text
        }
    };
    match (value, terms.sorts.get(sort)) {
        (Value::Bool(value), _) => value.to_string(),
        (Value::Int(value), _) => signed(value.is_negative(), value.abs().to_string()),
        (Value::Rat(value), _) => {
            let numerator = value.numerator().abs();
            let text = match value.denominator() {
                denominator if *denominator == Int::ONE => format!("{numerator}.0"),
                denominator => format!("(/ {numerator}.0 {denominator}.0)"),
            };
            signed(value.numerator().is_negative(), text)
        }
        (Value::Enum(position), _) => enum_literal(terms, sort, *position),
        (Value::Bv(bits), Sort::Bv(width)) => format!("(_ bv{bits} {width})"),
        (Value::Array(map), Sort::Array { index, element }) => {
            let default = literal(terms, map.default_value(), *element);
            let mut text = format!("((as const {}) {default})", sort_text(terms, sort));
            for (at, value) in map.entries() {
                let (at, value) = (literal(terms, at, *index), literal(terms, value, *element));
                text = format!("(store {text} {at} {value})");
            }
            text
        }
        (value, sort) => panic!("{value:?} is no value of {sort:?}"),
    }
}

fn operator(terms: &Terms, op: Op, args: &[TermId], texts: &[&str]) -> String {
    let plain = |name: &str| format!("({name} {})", texts.join(" "));
    let (a, b) = (texts[0], texts.get(1).copied().unwrap_or_default());
    match op {
        Op::Not => plain("not"),
        Op::And => plain("and"),
        Op::Or => plain("or"),
        Op::Eq => plain("="),
        Op::Ite => plain("ite"),
        Op::Add => plain("+"),
        Op::Mul => plain("*"),
        Op::Div => format!("(ite (= {b} 0) 0 (div {a} {b}))"),
        Op::Mod => format!("(ite (= {b} 0) {a} (mod {a} {b}))"),
        Op::Rem => {
            let modulus = format!("(mod {a} {b})");
            format!("(ite (= {b} 0) {a} (ite (< {b} 0) (- {modulus}) {modulus}))")
        }
        Op::RatDiv => format!("(ite (= {b} 0.0) 0.0 (/ {a} {b}))"),
        Op::Le => plain("<="),
        Op::Lt => plain("<"),
        Op::ToRat => plain("to_real"),
        Op::ToInt => plain("to_int"),
        Op::Select => plain("select"),
        Op::Store => plain("store"),
        Op::ConstArray(sort) => format!("((as const {}) {a})", sort_text(terms, sort)),
        Op::Bv(op) => bv_operator(op, terms.sorts.bv_width(terms.sort(args[0])), a, b),
    }
}

/// `width` is the width of the first argument, if that is a bit-vector.
fn bv_operator(op: BvOp, width: Option<u32>, a: &str, b: &str) -> String {
    let width = width.unwrap_or(0);
    let name = match op {
        BvOp::Neg => return format!("(bvneg {a})"),
        BvOp::Not => return format!("(bvnot {a})"),
        BvOp::Extract { high, low } => return format!("((_ extract {high} {low}) {a})"),
        BvOp::Zext(to) => return format!("((_ zero_extend {}) {a})", to - width),
        BvOp::Sext(to) => return format!("((_ sign_extend {}) {a})", to - width),
        BvOp::ToNat => return format!("(bv2nat {a})"),
        BvOp::OfInt(to) => return format!("((_ int2bv {to}) {a})"),
        BvOp::Rotl => return rotation("bvshl", "bvlshr", width, a, b),
        BvOp::Rotr => return rotation("bvlshr", "bvshl", width, a, b),
        BvOp::Add => "bvadd",
        BvOp::Sub => "bvsub",
        BvOp::Mul => "bvmul",
        BvOp::Udiv => "bvudiv",
        BvOp::Urem => "bvurem",
        BvOp::Sdiv => "bvsdiv",
        BvOp::Srem => "bvsrem",
        BvOp::Smod => "bvsmod",
        BvOp::And => "bvand",
        BvOp::Or => "bvor",
        BvOp::Xor => "bvxor",
        BvOp::Shl => "bvshl",
        BvOp::Lshr => "bvlshr",
        BvOp::Ashr => "bvashr",
        BvOp::Ult => "bvult",
        BvOp::Ule => "bvule",
        BvOp::Slt => "bvslt",
        BvOp::Sle => "bvsle",
        BvOp::Concat => "concat",
    };
    format!("({name} {a} {b})")
}

/// One shift by the amount modulo the width, the other by what is missing to the width.
fn rotation(there: &str, back: &str, width: u32, a: &str, b: &str) -> String {
    let whole = format!("(_ bv{width} {width})");
    let by = format!("(bvurem {b} {whole})");
    format!("(bvor ({there} {a} {by}) ({back} {a} (bvsub {whole} {by})))")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_named_once() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let (x, y) = (t.declare("x", int), t.declare("y|\\é", int));
        let (x, y) = (t.var(x), t.var(y));
        let quotient = t.build(Op::Div, &[x, y]).expect("well-sorted");
        let product = t.mul(&[quotient, quotient]);
        let small = t.le(product, y);
        let (mut writer, mut out) = (Writer::default(), String::new());
        let text = writer.term(&t, small, &mut out);
        let again = writer.term(&t, quotient, &mut out);
        assert_eq!(
            out,
            "(declare-fun |x!0| () Int)\n\
             (declare-fun |y___!1| () Int)\n\
             (define-fun t4 () Int (ite (= |y___!1| 0) 0 (div |x!0| |y___!1|)))\n"
        );
        assert_eq!(text, "(<= (* t4 t4) |y___!1|)");
        assert_eq!(again, "t4");
    }
}
