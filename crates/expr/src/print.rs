//! Prints terms in the expression syntax of each input language.
//!
//! All our languages agree on how operators nest (or, and, not, equality, order, sum, product), so
//! one printer with a table of spellings serves them all; what it prints, the language's parser
//! reads back to the same term.

use crate::{BvOp, Head, Int, Op, Sort, SortId, Sorts, TermId, Terms, Value};

/// How one language spells what the others spell otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    missing_docs,
    reason = "each field is the spelling of the operator it names"
)]
pub struct Dialect {
    pub and: &'static str,
    pub or: &'static str,
    pub not: &'static str,
    pub eq: &'static str,
    pub ne: &'static str,
    pub div: &'static str,
    pub modulo: &'static str,
    /// Between numerator and denominator of a literal.
    pub ratio: &'static str,
    pub bool_sort: &'static str,
    pub int_sort: &'static str,
}

impl Dialect {
    /// XSTS.
    pub const XSTS: Self = Self {
        and: "&&",
        or: "||",
        not: "!",
        eq: "==",
        ne: "!=",
        div: "/",
        modulo: "%",
        ratio: "/",
        bool_sort: "boolean",
        int_sort: "integer",
    };
    /// CFA and STS.
    pub const THETA: Self = Self {
        and: "and",
        or: "or",
        not: "not ",
        eq: "=",
        ne: "/=",
        div: "div",
        modulo: "mod",
        ratio: "%",
        bool_sort: "bool",
        int_sort: "int",
    };
    /// GCL, and whatever is shown to a person outside of a language.
    pub const GCL: Self = Self {
        ne: "!=",
        ratio: "/",
        ..Self::THETA
    };

    /// The name of a sort in this language.
    pub fn sort_name(&self, sorts: &Sorts, sort: SortId) -> String {
        match sorts.get(sort) {
            Sort::Bool => self.bool_sort.into(),
            Sort::Int => self.int_sort.into(),
            Sort::Array { index, element } => {
                format!(
                    "[{}] -> {}",
                    self.sort_name(sorts, *index),
                    self.sort_name(sorts, *element)
                )
            }
            _ => sorts.name(sort),
        }
    }
}

/// The text of `term` in `dialect`.
pub fn print_term(terms: &Terms, term: TermId, dialect: &Dialect) -> String {
    let mut printer = Printer {
        terms,
        dialect,
        text: String::new(),
        todo: vec![Part::Term(term, level::ITE)],
    };
    printer.run(usize::MAX);
    printer.text
}

/// The text of `term` for people: a term that shares its parts, as those of circuits do, may be too long to write down,
/// so that only its beginning is shown.
pub fn show_term(terms: &Terms, term: TermId, dialect: &Dialect) -> String {
    const LONGEST: usize = 2000;
    let mut printer = Printer {
        terms,
        dialect,
        text: String::new(),
        todo: vec![Part::Term(term, level::ITE)],
    };
    printer.run(LONGEST);
    if !printer.todo.is_empty() {
        printer.text.push('…');
    }
    printer.text
}

/// How tightly an operator binds; a term in a place that needs more is bracketed.
mod level {
    pub const ITE: u8 = 0;
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const EQ: u8 = 4;
    pub const ORDER: u8 = 5;
    pub const SUM: u8 = 6;
    pub const PRODUCT: u8 = 7;
    pub const MINUS: u8 = 8;
    pub const POSTFIX: u8 = 9;
}

/// What is still to be printed, last first.
enum Part {
    Text(String),
    Term(TermId, u8),
}

struct Printer<'a> {
    terms: &'a Terms,
    dialect: &'a Dialect,
    text: String,
    todo: Vec<Part>,
}

impl Printer<'_> {
    /// Prints until nothing is left, or the text is this long.
    fn run(&mut self, longest: usize) {
        while self.text.len() < longest
            && let Some(part) = self.todo.pop()
        {
            match part {
                Part::Text(text) => self.text.push_str(&text),
                Part::Term(term, needed) => {
                    let (level, mut parts) = self.parts(term);
                    if level < needed {
                        parts.insert(0, Part::Text("(".into()));
                        parts.push(Part::Text(")".into()));
                    }
                    self.todo.extend(parts.into_iter().rev());
                }
            }
        }
    }

    /// The level of a term and what it consists of.
    fn parts(&self, term: TermId) -> (u8, Vec<Part>) {
        match self.terms.head(term) {
            Head::Var(var) => (
                level::POSTFIX,
                vec![Part::Text(self.terms.name(var).into())],
            ),
            Head::Lit(value) => {
                let negative = match value {
                    Value::Int(int) => int.is_negative(),
                    Value::Rat(rat) => rat.numerator().is_negative(),
                    _ => false,
                };
                let text = literal(
                    &self.terms.sorts,
                    self.terms.sort(term),
                    value,
                    self.dialect,
                );
                (
                    if negative {
                        level::MINUS
                    } else {
                        level::POSTFIX
                    },
                    vec![Part::Text(text)],
                )
            }
            Head::Op(op, args) => self.operator(op, args),
        }
    }

    fn operator(&self, op: Op, args: &[TermId]) -> (u8, Vec<Part>) {
        let d = self.dialect;
        match op {
            Op::Not => match self.terms.as_op(args[0], Op::Eq) {
                Some(sides) => (level::EQ, infix(d.ne, sides, level::SUM)),
                None => (
                    level::NOT,
                    vec![
                        Part::Text(d.not.into()),
                        Part::Term(args[0], level::POSTFIX),
                    ],
                ),
            },
            Op::And => (level::AND, infix(d.and, args, level::NOT)),
            Op::Or => (level::OR, infix(d.or, args, level::AND)),
            Op::Eq => (level::EQ, infix(d.eq, args, level::SUM)),
            Op::Le => (level::ORDER, self.order(["<=", ">="], args)),
            Op::Lt => (level::ORDER, self.order(["<", ">"], args)),
            Op::Ite => (
                level::ITE,
                vec![
                    Part::Text("if ".into()),
                    Part::Term(args[0], level::OR),
                    Part::Text(" then ".into()),
                    Part::Term(args[1], level::OR),
                    Part::Text(" else ".into()),
                    Part::Term(args[2], level::ITE),
                ],
            ),
            Op::Add => (level::SUM, self.sum(args)),
            Op::Mul => self.product(args),
            Op::Div => (level::PRODUCT, infix(d.div, args, level::MINUS)),
            Op::Mod => (level::PRODUCT, infix(d.modulo, args, level::MINUS)),
            Op::Rem => (level::PRODUCT, infix("rem", args, level::MINUS)),
            Op::RatDiv => (level::PRODUCT, infix("/", args, level::MINUS)),
            Op::ToRat => (level::POSTFIX, function("to_rat", args)),
            Op::ToInt => (level::POSTFIX, function("to_int", args)),
            Op::Select => (
                level::POSTFIX,
                vec![
                    Part::Term(args[0], level::POSTFIX),
                    Part::Text("[".into()),
                    Part::Term(args[1], level::ITE),
                    Part::Text("]".into()),
                ],
            ),
            Op::Store => (
                level::POSTFIX,
                vec![
                    Part::Term(args[0], level::POSTFIX),
                    Part::Text("[".into()),
                    Part::Term(args[1], level::ITE),
                    Part::Text(" <- ".into()),
                    Part::Term(args[2], level::ITE),
                    Part::Text("]".into()),
                ],
            ),
            Op::ConstArray(sort) => (
                level::POSTFIX,
                vec![
                    Part::Text(array_default(&self.terms.sorts, sort, d)),
                    Part::Term(args[0], level::ITE),
                    Part::Text("]".into()),
                ],
            ),
            Op::Bv(op) => bit_vector(op, args),
        }
    }

    /// A comparison, with a number behind what it is compared with: `timer >= 5`, not `5 <= timer`.
    fn order(&self, [sign, turned]: [&'static str; 2], args: &[TermId]) -> Vec<Part> {
        let is_number = |&arg: &TermId| self.terms.as_lit(arg).is_some();
        match args {
            [left, right] if is_number(left) && !is_number(right) => {
                infix(turned, &[*right, *left], level::SUM)
            }
            _ => infix(sign, args, level::SUM),
        }
    }

    /// `a - 2 * b + c`: negative coefficients and constants as subtraction.
    fn sum(&self, args: &[TermId]) -> Vec<Part> {
        let mut parts = Vec::with_capacity(2 * args.len());
        for (i, &arg) in args.iter().enumerate() {
            if i == 0 {
                parts.push(Part::Term(arg, level::SUM));
                continue;
            }
            match self.negated(arg) {
                Some((coefficient, rest)) => {
                    parts.push(Part::Text(format!(" - {coefficient}")));
                    parts.extend(rest.map(|rest| Part::Term(rest, level::MINUS)));
                }
                None => {
                    parts.push(Part::Text(" + ".into()));
                    parts.push(Part::Term(arg, level::PRODUCT));
                }
            }
        }
        parts
    }

    /// For a negative integer summand: the text of its absolute coefficient, and the rest of it.
    fn negated(&self, arg: TermId) -> Option<(String, Option<TermId>)> {
        let negative = |term: TermId| match self.terms.as_lit(term) {
            Some(Value::Int(int)) if int.is_negative() => Some(int.abs()),
            _ => None,
        };
        if let Some(absolute) = negative(arg) {
            return Some((absolute.to_string(), None));
        }
        let &[factor, rest] = self.terms.as_op(arg, Op::Mul)? else {
            return None;
        };
        let absolute = negative(factor)?;
        let text = if absolute == Int::ONE {
            String::new()
        } else {
            format!("{absolute} * ")
        };
        Some((text, Some(rest)))
    }

    fn product(&self, args: &[TermId]) -> (u8, Vec<Part>) {
        if let [factor, rest] = args
            && let Some(Value::Int(int)) = self.terms.as_lit(*factor)
            && int.to_i64() == Some(-1)
        {
            return (
                level::MINUS,
                vec![Part::Text("-".into()), Part::Term(*rest, level::POSTFIX)],
            );
        }
        (level::PRODUCT, infix("*", args, level::MINUS))
    }
}

fn bit_vector(op: BvOp, args: &[TermId]) -> (u8, Vec<Part>) {
    // The bit-vector words of CFA have no common precedence with the rest: always bracketed.
    let spread = |word: &str| (level::ITE, infix(word, args, level::POSTFIX));
    let prefix = |word: &str| {
        (
            level::ITE,
            vec![
                Part::Text(format!("{word} ")),
                Part::Term(args[0], level::POSTFIX),
            ],
        )
    };
    let suffix = |text: String| vec![Part::Term(args[0], level::POSTFIX), Part::Text(text)];
    match op {
        BvOp::Neg => prefix("bvneg"),
        BvOp::Not => prefix("bvnot"),
        BvOp::Concat => spread("++"),
        BvOp::Extract { high, low } => (level::POSTFIX, suffix(format!("[{}:{low}]", high + 1))),
        BvOp::Zext(width) => (level::ITE, suffix(format!(" bv_zero_extend bv[{width}]"))),
        BvOp::Sext(width) => (level::ITE, suffix(format!(" bv_sign_extend bv[{width}]"))),
        BvOp::ToNat => (level::POSTFIX, function("bv2nat", args)),
        BvOp::OfInt(width) => (level::POSTFIX, function(&format!("nat2bv[{width}]"), args)),
        _ => spread(bv_word(op)),
    }
}

/// The infix word of a binary operator.
fn bv_word(op: BvOp) -> &'static str {
    match op {
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
        BvOp::Rotl => "bvrol",
        BvOp::Rotr => "bvror",
        BvOp::Ult => "bvult",
        BvOp::Ule => "bvule",
        BvOp::Slt => "bvslt",
        BvOp::Sle => "bvsle",
        other => panic!("{other:?} is not written as an infix word"),
    }
}

fn infix(word: &str, args: &[TermId], needed: u8) -> Vec<Part> {
    let mut parts = Vec::with_capacity(2 * args.len());
    for (i, &arg) in args.iter().enumerate() {
        if i > 0 {
            parts.push(Part::Text(format!(" {word} ")));
        }
        parts.push(Part::Term(arg, needed));
    }
    parts
}

fn function(name: &str, args: &[TermId]) -> Vec<Part> {
    let mut parts = vec![Part::Text(format!("{name}("))];
    parts.push(Part::Term(args[0], level::ITE));
    parts.push(Part::Text(")".into()));
    parts
}

/// `[<integer>default <- `: the start of an array that is the same everywhere.
fn array_default(sorts: &Sorts, array: SortId, dialect: &Dialect) -> String {
    let (index, _) = sorts
        .as_array(array)
        .expect("a constant array is of an array sort");
    format!("[<{}>default <- ", dialect.sort_name(sorts, index))
}

/// A value as a literal of the language.
fn literal(sorts: &Sorts, sort: SortId, value: &Value, dialect: &Dialect) -> String {
    match (value, sorts.get(sort)) {
        (Value::Enum(position), Sort::Enum(decl)) => {
            format!("{}.{}", decl.name, decl.literals[*position as usize])
        }
        (Value::Rat(rat), _) => {
            format!("{}{}{}", rat.numerator(), dialect.ratio, rat.denominator())
        }
        (Value::Array(map), Sort::Array { index, element }) => {
            let mut text = String::from("[");
            for (at, value) in map.entries() {
                text += &literal(sorts, *index, at, dialect);
                text += " <- ";
                text += &literal(sorts, *element, value, dialect);
                text += ", ";
            }
            if map.entries().len() == 0 {
                text = array_default(sorts, sort, dialect);
            } else {
                text += "default <- ";
            }
            text + &literal(sorts, *element, map.default_value(), dialect) + "]"
        }
        _ => value.display(sorts, sort),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_only_where_needed() {
        let mut t = Terms::new();
        let (int, bool_) = (t.sorts.int(), t.sorts.bool());
        let (x, y, p) = (
            t.declare("x", int),
            t.declare("y", int),
            t.declare("p", bool_),
        );
        let (x, y, p) = (t.var(x), t.var(y), t.var(p));
        let (two, five) = (t.int(2), t.int(-5));
        let twice = t.mul(&[two, y]);
        let sum = t.sub(x, twice);
        let sum = t.add(&[sum, five]);
        let order = t.lt(sum, y);
        let not_p = t.not(p);
        let either = t.or(&[order, not_p]);
        let both = t.and(&[either, p]);
        assert_eq!(
            print_term(&t, both, &Dialect::XSTS),
            "p && (x - 2 * y - 5 < y || !p)"
        );
        assert_eq!(
            print_term(&t, both, &Dialect::THETA),
            "p and (x - 2 * y - 5 < y or not p)"
        );
        let ite = t.ite(p, x, y);
        let same = t.eq(ite, x);
        let differs = t.not(same);
        assert_eq!(
            print_term(&t, differs, &Dialect::GCL),
            "x != (if p then x else y)"
        );
    }

    #[test]
    fn numbers_stand_behind_what_they_are_compared_with() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let timer = t.declare("timer", int);
        let (timer, five) = (t.var(timer), t.int(5));
        let orders = [
            (t.le(five, timer), "timer >= 5"),
            (t.lt(five, timer), "timer > 5"),
            (t.le(timer, five), "timer <= 5"),
            (t.lt(timer, five), "timer < 5"),
        ];
        for (order, text) in orders {
            assert_eq!(print_term(&t, order, &Dialect::XSTS), text);
        }
    }
}
