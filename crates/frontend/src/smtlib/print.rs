//! Writes terms as SMT-LIB that reads back as the same terms. Terms that are used often, or long, get a name of their own, so that
//! the text is as small as the shared term.

use crate::circuit::chain;
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{BvOp, Head, Op, Rat, Sort, SortId, TermId, Terms, Value};
use lariat_system::{BinaryTemporal, Temporal, TemporalNode, UnaryTemporal};
use std::fmt::Write;

/// Longer terms get a name.
const LONGEST: usize = 200;

/// Writes the terms of one script.
pub(crate) struct Printer<'t> {
    terms: &'t Terms,
    /// The definitions that the terms so far need and nobody has taken yet.
    pub definitions: Vec<Definition>,
    named: FxHashMap<TermId, String>,
    taken: FxHashSet<String>,
    n_names: usize,
}

/// A name for a term that is used often.
pub(crate) struct Definition {
    pub name: String,
    pub sort: String,
    pub body: String,
}

impl<'t> Printer<'t> {
    /// A script in which these names are used for something.
    pub fn new(terms: &'t Terms, taken: FxHashSet<String>) -> Self {
        Self {
            terms,
            definitions: Vec::new(),
            named: FxHashMap::default(),
            taken,
            n_names: 0,
        }
    }

    /// A name that is not used yet.
    pub fn fresh(&mut self, stem: &str) -> String {
        loop {
            let name = format!("{stem}{}", self.n_names);
            self.n_names += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The term as text; the definitions that it needs are added.
    pub fn term(&mut self, root: TermId) -> String {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            let count = uses.entry(at).or_default();
            *count += 1;
            if *count == 1 && !self.named.contains_key(&at) {
                order.push(at);
                todo.extend_from_slice(self.terms.args(at));
            }
        }
        // Arguments are older than what they are arguments of.
        order.sort_unstable();
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        for at in order {
            let text = self.one(at, &texts);
            let is_compound = matches!(self.terms.head(at), Head::Op(..));
            if at != root
                && is_compound
                && (uses[&at] > 1 && text.len() > 12 || text.len() > LONGEST)
            {
                let name = self.fresh(".d");
                let sort = sort(self.terms, self.terms.sort(at));
                self.named.insert(at, name.clone());
                self.definitions.push(Definition {
                    name,
                    sort,
                    body: text,
                });
            } else {
                texts.insert(at, text);
            }
        }
        self.named
            .get(&root)
            .cloned()
            .unwrap_or_else(|| texts.remove(&root).expect("it was written"))
    }

    /// The term as text by itself: what is used often is bound in it.
    pub fn closed(&mut self, root: TermId) -> String {
        self.named.clear();
        let body = self.term(root);
        let definitions = std::mem::take(&mut self.definitions);
        let mut text = String::new();
        for Definition { name, body, .. } in &definitions {
            let _ = write!(text, "(let (({name} {body})) ");
        }
        text + &body + &")".repeat(definitions.len())
    }

    /// A term whose arguments have their texts.
    fn one(&self, at: TermId, texts: &FxHashMap<TermId, String>) -> String {
        let part = |arg: &TermId| self.named.get(arg).unwrap_or_else(|| &texts[arg]).as_str();
        match self.terms.head(at) {
            Head::Var(var) => symbol(self.terms.name(var)),
            Head::Lit(value) => literal(self.terms, value, self.terms.sort(at)),
            Head::Op(op @ (Op::And | Op::Or), args) => {
                let args = chain(self.terms, op, args);
                let word = if op == Op::And { "and" } else { "or" };
                list(word, args.iter().map(part))
            }
            Head::Op(Op::Bv(op @ (BvOp::Rotl | BvOp::Rotr)), args) => self.rotation(op, args, part),
            Head::Op(Op::Rem, [left, right]) => {
                let (left, right) = (part(left), part(right));
                let rest = format!("(mod {left} {right})");
                format!("(ite (< {right} 0) (- {rest}) {rest})")
            }
            Head::Op(op, args) => list(&self.operator(op, args), args.iter().map(part)),
        }
    }

    /// A rotation by a term has no name of its own: one of a number of them is chosen.
    fn rotation<'s>(&self, op: BvOp, args: &[TermId], part: impl Fn(&TermId) -> &'s str) -> String {
        let word = if op == BvOp::Rotl {
            "rotate_left"
        } else {
            "rotate_right"
        };
        let width = self
            .terms
            .sorts
            .bv_width(self.terms.sort(args[0]))
            .expect("a vector");
        if let Some(Value::Bv(by)) = self.terms.as_lit(args[1]) {
            return format!("((_ {word} {by}) {})", part(&args[0]));
        }
        let by = format!("(bvurem {} (_ bv{width} {width}))", part(&args[1]));
        let mut text = part(&args[0]).to_owned();
        for distance in 1..width {
            let turned = format!("((_ {word} {distance}) {})", part(&args[0]));
            text = format!("(ite (= {by} (_ bv{distance} {width})) {turned} {text})");
        }
        text
    }

    fn operator(&self, op: Op, args: &[TermId]) -> String {
        match op {
            Op::Not => "not".into(),
            Op::And => "and".into(),
            Op::Or => "or".into(),
            Op::Eq => "=".into(),
            Op::Ite => "ite".into(),
            Op::Add => "+".into(),
            Op::Mul => "*".into(),
            Op::Div => "div".into(),
            Op::Mod => "mod".into(),
            Op::Rem => unreachable!("it is written on its own"),
            Op::RatDiv => "/".into(),
            Op::Le => "<=".into(),
            Op::Lt => "<".into(),
            Op::ToRat => "to_real".into(),
            Op::ToInt => "to_int".into(),
            Op::Select => "select".into(),
            Op::Store => "store".into(),
            Op::ConstArray(array) => format!("(as const {})", sort(self.terms, array)),
            Op::Bv(op) => self.bit_vector(op, args),
        }
    }

    fn bit_vector(&self, op: BvOp, args: &[TermId]) -> String {
        let width = || {
            self.terms
                .sorts
                .bv_width(self.terms.sort(args[0]))
                .expect("a vector")
        };
        match op {
            BvOp::Neg => "bvneg".into(),
            BvOp::Not => "bvnot".into(),
            BvOp::Add => "bvadd".into(),
            BvOp::Sub => "bvsub".into(),
            BvOp::Mul => "bvmul".into(),
            BvOp::Udiv => "bvudiv".into(),
            BvOp::Urem => "bvurem".into(),
            BvOp::Sdiv => "bvsdiv".into(),
            BvOp::Srem => "bvsrem".into(),
            BvOp::Smod => "bvsmod".into(),
            BvOp::And => "bvand".into(),
            BvOp::Or => "bvor".into(),
            BvOp::Xor => "bvxor".into(),
            BvOp::Shl => "bvshl".into(),
            BvOp::Lshr => "bvlshr".into(),
            BvOp::Ashr => "bvashr".into(),
            BvOp::Ult => "bvult".into(),
            BvOp::Ule => "bvule".into(),
            BvOp::Slt => "bvslt".into(),
            BvOp::Sle => "bvsle".into(),
            BvOp::Concat => "concat".into(),
            BvOp::Rotl | BvOp::Rotr => unreachable!("rotations are written on their own"),
            BvOp::Extract { high, low } => format!("(_ extract {high} {low})"),
            BvOp::Zext(to) => format!("(_ zero_extend {})", to - width()),
            BvOp::Sext(to) => format!("(_ sign_extend {})", to - width()),
            BvOp::ToNat => "bv2nat".into(),
            BvOp::OfInt(width) => format!("(_ int2bv {width})"),
        }
    }
}

/// `(word part …)`.
pub(crate) fn list<'s>(word: &str, parts: impl Iterator<Item = &'s str>) -> String {
    let mut text = format!("({word}");
    for part in parts {
        text.push(' ');
        text.push_str(part);
    }
    text.push(')');
    text
}

/// A name as a symbol, in bars if it must be.
pub(crate) fn symbol(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/'".contains(&byte);
    let first = |byte: u8| !byte.is_ascii_digit() && byte != b'\'' && byte != b'-';
    if !name.is_empty() && name.bytes().all(plain) && first(name.as_bytes()[0]) {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

/// A sort as it is written.
pub(crate) fn sort(terms: &Terms, id: SortId) -> String {
    let mut open = 0;
    let mut text = String::new();
    let mut at = id;
    // Arrays nest in their elements; an index is no array of arrays in practice, and short.
    while let Sort::Array { index, element } = terms.sorts.get(at) {
        let _ = write!(text, "(Array {} ", sort(terms, *index));
        open += 1;
        at = *element;
    }
    match terms.sorts.get(at) {
        Sort::Bool => text.push_str("Bool"),
        Sort::Int => text.push_str("Int"),
        Sort::Rat => text.push_str("Real"),
        Sort::Bv(width) => {
            let _ = write!(text, "(_ BitVec {width})");
        }
        Sort::Enum(decl) => text.push_str(&symbol(&decl.name)),
        Sort::Array { .. } => unreachable!("the loop ends at a sort that is no array"),
    }
    text + &")".repeat(open)
}

fn literal(terms: &Terms, value: &Value, of: SortId) -> String {
    match (value, terms.sorts.get(of)) {
        (Value::Bool(value), _) => value.to_string(),
        (Value::Int(value), _) => signed(&value.abs().to_string(), value.is_negative()),
        (Value::Rat(value), _) => rational(value),
        (Value::Bv(bits), Sort::Bv(width)) => format!("(_ bv{bits} {width})"),
        (Value::Enum(position), Sort::Enum(decl)) => symbol(&decl.literals[*position as usize]),
        (Value::Array(map), Sort::Array { index, element }) => {
            let default = literal(terms, map.default_value(), *element);
            let mut text = format!("((as const {}) {default})", sort(terms, of));
            for (at, value) in map.entries() {
                let at = literal(terms, at, *index);
                let value = literal(terms, value, *element);
                text = format!("(store {text} {at} {value})");
            }
            text
        }
        (value, sort) => panic!("{value:?} is no value of {sort:?}"),
    }
}

fn signed(digits: &str, is_negative: bool) -> String {
    if is_negative {
        format!("(- {digits})")
    } else {
        digits.to_owned()
    }
}

fn rational(value: &Rat) -> String {
    let whole = signed(
        &format!("{}.0", value.numerator().abs()),
        value.numerator().is_negative(),
    );
    match value.to_int() {
        Some(_) => whole,
        None => format!("(/ {whole} {}.0)", value.denominator()),
    }
}

/// A temporal formula as text; the definitions that it needs are added.
pub(crate) fn print_formula(out: &mut Printer<'_>, tree: &Temporal) -> String {
    let mut uses = vec![0u32; tree.nodes().len()];
    for operand in tree.nodes().iter().flat_map(TemporalNode::operands) {
        uses[operand as usize] += 1;
    }
    let mut texts: Vec<String> = Vec::with_capacity(uses.len());
    for (at, node) in tree.nodes().iter().enumerate() {
        let text = match node {
            TemporalNode::Atom(term, _) => out.term(*term),
            TemporalNode::Unary(operator, of) => {
                list(unary(*operator), [texts[*of as usize].as_str()].into_iter())
            }
            TemporalNode::Within(operator, low, high, of) => {
                within(*operator, *low, *high, &texts[*of as usize])
            }
            TemporalNode::Binary(operator, left, right) => {
                let parts = [
                    texts[*left as usize].as_str(),
                    texts[*right as usize].as_str(),
                ];
                list(binary(*operator), parts.into_iter())
            }
        };
        let is_long = uses[at] > 1 && text.len() > 12 || text.len() > LONGEST;
        let is_last = at + 1 == tree.nodes().len();
        if is_long && !is_last && !matches!(node, TemporalNode::Atom(..)) {
            let name = out.fresh(".f");
            let sort = "Bool".to_owned();
            out.definitions.push(Definition {
                name: name.clone(),
                sort,
                body: text,
            });
            texts.push(name);
        } else {
            texts.push(text);
        }
    }
    texts.pop().expect("a formula has a node")
}

fn unary(operator: UnaryTemporal) -> &'static str {
    match operator {
        UnaryTemporal::Not => "not",
        UnaryTemporal::X => "ltl.X",
        UnaryTemporal::F => "ltl.F",
        UnaryTemporal::G => "ltl.G",
        UnaryTemporal::Y => "ltl.Y",
        UnaryTemporal::Z => "ltl.Z",
        UnaryTemporal::O => "ltl.O",
        UnaryTemporal::H => "ltl.H",
    }
}

fn binary(operator: BinaryTemporal) -> &'static str {
    match operator {
        BinaryTemporal::And => "and",
        BinaryTemporal::Or => "or",
        BinaryTemporal::Xor => "xor",
        BinaryTemporal::Iff => "=",
        BinaryTemporal::Implies => "=>",
        BinaryTemporal::U => "ltl.U",
        BinaryTemporal::R => "ltl.R",
        BinaryTemporal::W => "ltl.W",
        BinaryTemporal::M => "ltl.M",
        BinaryTemporal::S => "ltl.S",
        BinaryTemporal::T => "ltl.T",
    }
}

/// An operator that looks from `low` to `high` steps ahead or back, step by step.
fn within(operator: UnaryTemporal, low: u32, high: u32, of: &str) -> String {
    let (step, connective) = match operator {
        UnaryTemporal::F => ("ltl.X", "or"),
        UnaryTemporal::G => ("ltl.X", "and"),
        UnaryTemporal::O => ("ltl.Y", "or"),
        // Positions before the start do not count.
        UnaryTemporal::H => ("ltl.Z", "and"),
        _ => return list(unary(operator), [of].into_iter()),
    };
    let mut text = of.to_owned();
    for _ in low..high {
        text = format!("({connective} {of} ({step} {text}))");
    }
    for _ in 0..low {
        text = format!("({step} {text})");
    }
    text
}
