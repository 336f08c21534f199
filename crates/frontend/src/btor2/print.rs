//! Writes a circuit as BTOR2: one line for each distinct subterm, above its uses.

use crate::circuit::{Part, chain, parts_of};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{BvOp, Head, Op, SortId, TermId, Value, VarId};
use lariat_system::{Context, Fairness, PropertyBody, System};
use std::fmt::Write as _;

/// The text of a system that is a circuit of bit-vectors and arrays of them.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let mut writer = Writer {
        cx,
        text: format!("; {}\n", system.name),
        last: 0,
        sorts: FxHashMap::default(),
        nodes: FxHashMap::default(),
        variables: FxHashMap::default(),
        read_first: FxHashSet::default(),
    };
    let (parts, constraints) = parts_of(cx, system);
    let initial: Vec<TermId> = parts.iter().filter_map(|part| part.initial).collect();
    writer.read_first.extend(cx.terms.free_vars(&initial));
    for part in &parts {
        writer.variable(part);
    }
    for part in &parts {
        if let Some(next) = part.next {
            let next = writer.node(next);
            writer.value("next", part.var, next);
        }
    }
    for constraint in constraints {
        writer.condition("constraint", constraint, "");
    }
    for &constraint in &system.fairness {
        if let Fairness::Justice(term) = constraint {
            writer.condition("fair", term, "");
        }
    }
    for (name, term) in &system.constants {
        writer.condition("output", *term, name);
    }
    for property in &system.properties {
        let symbol = property.alias.as_deref().unwrap_or("");
        writer.property(&property.body, symbol);
    }
    writer.text
}

/// A line, negated if it is less than zero: how operands are written.
type Operand = i64;

struct Writer<'a> {
    cx: &'a Context,
    text: String,
    last: i64,
    /// Lines of sorts, by widths: of vectors with the second one 0.
    sorts: FxHashMap<(u32, u32), i64>,
    nodes: FxHashMap<TermId, Operand>,
    variables: FxHashMap<VarId, i64>,
    /// What first values read: those must be states, even without a first or next value of their own.
    read_first: FxHashSet<VarId>,
}

impl Writer<'_> {
    fn line(&mut self, body: &str) -> i64 {
        self.last += 1;
        let _ = writeln!(self.text, "{} {body}", self.last);
        self.last
    }

    fn bits(&mut self, width: u32) -> i64 {
        if let Some(&line) = self.sorts.get(&(width, 0)) {
            return line;
        }
        let line = self.line(&format!("sort bitvec {width}"));
        self.sorts.insert((width, 0), line);
        line
    }

    fn sort(&mut self, sort: SortId) -> i64 {
        let sorts = &self.cx.terms.sorts;
        let Some((index, element)) = sorts.as_array(sort) else {
            return self.bits(self.width(sort));
        };
        let widths = (self.width(index), self.width(element));
        if let Some(&line) = self.sorts.get(&widths) {
            return line;
        }
        let (index, element) = (self.bits(widths.0), self.bits(widths.1));
        let line = self.line(&format!("sort array {index} {element}"));
        self.sorts.insert(widths, line);
        line
    }

    fn width(&self, sort: SortId) -> u32 {
        self.cx.terms.sorts.bv_width(sort).unwrap_or(1)
    }

    fn variable(&mut self, part: &Part) {
        let initial = part.initial.map(|initial| self.initial_value(initial));
        let decl = self.cx.terms.decl(part.var);
        let is_input =
            part.initial.is_none() && part.next.is_none() && !self.read_first.contains(&part.var);
        let keyword = if is_input { "input" } else { "state" };
        let sort = self.sort(decl.sort);
        let line = self.line(&format!("{keyword} {sort} {}", decl.name));
        self.variables.insert(part.var, line);
        if let Some(initial) = initial {
            self.value("init", part.var, initial);
        }
    }

    /// A first value; an array that is one value everywhere is given by that value.
    fn initial_value(&mut self, term: TermId) -> Operand {
        let terms = &self.cx.terms;
        let element = terms.sorts.as_array(terms.sort(term)).map(|sorts| sorts.1);
        match (terms.head(term), element) {
            (Head::Op(Op::ConstArray(_), &[value]), _) => self.node(value),
            (Head::Lit(Value::Array(array)), Some(element)) if array.entries().len() == 0 => {
                let sort = self.sort(element);
                self.line(&format!(
                    "constd {sort} {}",
                    constant(array.default_value())
                ))
            }
            _ => self.node(term),
        }
    }

    /// `init` or `next` of a variable.
    fn value(&mut self, keyword: &str, var: VarId, value: Operand) {
        let sort = self.sort(self.cx.terms.var_sort(var));
        let var = self.variables[&var];
        self.line(&format!("{keyword} {sort} {var} {value}"));
    }

    fn condition(&mut self, keyword: &str, term: TermId, symbol: &str) {
        let node = self.node(term);
        self.line(format!("{keyword} {node} {symbol}").trim_end());
    }

    fn property(&mut self, body: &PropertyBody, symbol: &str) {
        match body {
            PropertyBody::Invariant(term) => {
                let never = -self.node(*term);
                self.line(format!("bad {never} {symbol}").trim_end());
            }
            PropertyBody::NotAllRecur(terms) => {
                let nodes = terms.iter().map(|(_, term)| self.node(*term));
                let nodes: Vec<String> = nodes.map(|node| node.to_string()).collect();
                let line = format!("justice {} {} {symbol}", nodes.len(), nodes.join(" "));
                self.line(line.trim_end());
            }
            PropertyBody::Ltl(_) | PropertyBody::Temporal(_) | PropertyBody::Unreachable(_) => {}
        }
    }

    /// The line of a term; lines for what it consists of come first.
    fn node(&mut self, root: TermId) -> Operand {
        if let Some(&node) = self.nodes.get(&root) {
            return node;
        }
        for term in self.cx.terms.subterms(&[root]) {
            if !self.nodes.contains_key(&term) {
                let node = self.new_node(term);
                self.nodes.insert(term, node);
            }
        }
        self.nodes[&root]
    }

    fn new_node(&mut self, term: TermId) -> Operand {
        let terms = &self.cx.terms;
        let sort = terms.sort(term);
        match terms.head(term) {
            Head::Var(var) => self.variables[&var],
            Head::Lit(value) => {
                let (line, value) = (self.sort(sort), constant(value));
                self.line(&format!("constd {line} {value}"))
            }
            Head::Op(Op::Not | Op::Bv(BvOp::Not), &[arg]) => -self.nodes[&arg],
            Head::Op(op @ (Op::And | Op::Or), args) => {
                let keyword = if op == Op::And { "and" } else { "or" };
                let mut args = chain(terms, op, args).into_iter();
                let first = args.next().map_or(0, |arg| self.nodes[&arg]);
                args.fold(first, |so_far, arg| {
                    let (line, arg) = (self.bits(1), self.nodes[&arg]);
                    self.line(&format!("{keyword} {line} {so_far} {arg}"))
                })
            }
            Head::Op(op, args) => {
                let operands: Vec<String> =
                    args.iter().map(|arg| self.nodes[arg].to_string()).collect();
                let from = self.width(terms.sort(args[0]));
                let line = self.sort(sort);
                let (keyword, indices) = keyword(op, from);
                let operands = operands.join(" ");
                self.line(format!("{keyword} {line} {operands} {indices}").trim_end())
            }
        }
    }
}

fn constant(value: &Value) -> String {
    match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Bv(value) => value.to_string(),
        other => panic!("circuits have no value {other:?}"),
    }
}

/// The keyword of an operator whose first argument has a width, and the numbers that follow the operands.
fn keyword(op: Op, from: u32) -> (&'static str, String) {
    let plain = match op {
        Op::Eq => "eq",
        Op::Ite => "ite",
        Op::Select => "read",
        Op::Store => "write",
        Op::Bv(op) => match op {
            BvOp::Neg => "neg",
            BvOp::Add => "add",
            BvOp::Sub => "sub",
            BvOp::Mul => "mul",
            BvOp::Udiv => "udiv",
            BvOp::Urem => "urem",
            BvOp::Sdiv => "sdiv",
            BvOp::Srem => "srem",
            BvOp::Smod => "smod",
            BvOp::And => "and",
            BvOp::Or => "or",
            BvOp::Xor => "xor",
            BvOp::Shl => "sll",
            BvOp::Lshr => "srl",
            BvOp::Ashr => "sra",
            BvOp::Rotl => "rol",
            BvOp::Rotr => "ror",
            BvOp::Ult => "ult",
            BvOp::Ule => "ulte",
            BvOp::Slt => "slt",
            BvOp::Sle => "slte",
            BvOp::Concat => "concat",
            BvOp::Extract { high, low } => return ("slice", format!("{high} {low}")),
            BvOp::Zext(to) => return ("uext", (to - from).to_string()),
            BvOp::Sext(to) => return ("sext", (to - from).to_string()),
            BvOp::Not | BvOp::ToNat | BvOp::OfInt(_) => panic!("circuits have no {op:?} here"),
        },
        other => panic!("circuits have no {other:?}"),
    };
    (plain, String::new())
}
