//! Reads the lines of a BTOR2 file into a circuit. What a line uses stands above it, so terms are made on the way.
//!
//! A line that makes no sense is reported and defines something unknown, about which nothing more is said.

use super::line::{Line, Word};
use super::node::{Node, Sort, op};
use super::operator;
use crate::circuit::{Circuit, recurring};
use lariat_base::{Diagnostic, FxHashMap, SourceId, Span, nearest};
use lariat_expr::{BvOp, Int, Op, TermId, VarId};
use lariat_system::{Context, Fairness, Language, Property, PropertyBody, System};

/// The widest bit-vector: beyond it, constants alone would fill the memory.
const WIDEST: u32 = 1 << 16;
/// After so many errors the rest is left alone.
const MOST_ERRORS: usize = 20;

/// Reads a file.
pub(super) fn read(
    cx: &mut Context,
    source: SourceId,
    text: &str,
    name: &str,
) -> Result<System, Vec<Diagnostic>> {
    let mut reader = Reader {
        cx,
        circuit: Circuit::new(Language::Btor2, name),
        known: FxHashMap::default(),
        last: 0,
        states: FxHashMap::default(),
        n_inputs: 0,
        n_bad: 0,
        n_justice: 0,
        n_outputs: 0,
    };
    let (mut findings, mut start) = (Vec::new(), 0);
    for line in text.split('\n') {
        if let Err(Wrong::Here(finding)) = reader.line(Line::new(source, start, line)) {
            findings.push(*finding);
        }
        start += line.len() + 1;
        if findings.len() >= MOST_ERRORS {
            break;
        }
    }
    if findings.is_empty() {
        Ok(reader.circuit.finish(cx))
    } else {
        Err(findings)
    }
}

/// What an id stands for.
#[derive(Clone, Copy, Debug)]
enum Known {
    Sort(Sort),
    Node(Node),
    /// A variable that is no input: its part of the circuit.
    State(Node, usize),
    /// A line without a value: `init`, `bad` …
    Statement,
    /// A line that was reported.
    Wrong,
}

/// Why a line was not read.
enum Wrong {
    Here(Box<Diagnostic>),
    /// It uses a line that was reported.
    Before,
}

impl From<Diagnostic> for Wrong {
    fn from(finding: Diagnostic) -> Self {
        Self::Here(Box::new(finding))
    }
}

type Read<T> = Result<T, Wrong>;

struct Reader<'a> {
    cx: &'a mut Context,
    circuit: Circuit,
    known: FxHashMap<u64, Known>,
    last: u64,
    /// The parts of the circuit that are states.
    states: FxHashMap<VarId, usize>,
    n_inputs: usize,
    n_bad: usize,
    n_justice: usize,
    n_outputs: usize,
}

impl Reader<'_> {
    fn line(&mut self, mut line: Line<'_>) -> Read<()> {
        let Some(id) = line.next() else {
            return Ok(());
        };
        let number = self.new_id(id)?;
        self.known.insert(number, Known::Wrong);
        let keyword = line.word("the keyword")?;
        let known = self.statement(keyword, id.span, &mut line)?;
        self.known.insert(number, known);
        Ok(())
    }

    fn new_id(&mut self, id: Word<'_>) -> Read<u64> {
        let number = match id.text.parse::<u64>() {
            Ok(number) if number > 0 => number,
            _ => {
                let message = "a line begins with its id, a positive number";
                return Err(id.error("btor2-id", message).into());
            }
        };
        if number <= self.last {
            let message = if self.known.contains_key(&number) {
                format!("the id {number} is used twice")
            } else {
                format!("ids increase: {number} comes after {}", self.last)
            };
            return Err(id.error("btor2-id", message).into());
        }
        self.last = number;
        Ok(number)
    }

    fn statement(&mut self, keyword: Word<'_>, id: Span, line: &mut Line<'_>) -> Read<Known> {
        match keyword.text {
            "sort" => self.sort(line),
            "input" | "state" => self.variable(keyword.text, id, line),
            "init" | "next" => self.value_of_state(keyword, line),
            "const" | "constd" | "consth" | "zero" | "one" | "ones" => {
                let node = self.constant(keyword.text, line)?;
                self.named(line, node)
            }
            "sext" | "uext" | "slice" => {
                let node = self.indexed(keyword, line)?;
                self.named(line, node)
            }
            "bad" | "constraint" | "fair" | "output" => self.property(keyword.text, id, line),
            "justice" => self.justice(id, line),
            name => {
                let Some(arity) = operator::arity(name) else {
                    let finding = keyword.error("btor2-operator", format!("there is no `{name}`"));
                    let near = nearest(name, operator::NAMES);
                    let hint = near.map(|near| format!("did you mean `{near}`?"));
                    return Err(finding.maybe_hint(hint).into());
                };
                let node = self.operation(keyword, arity, line)?;
                self.named(line, node)
            }
        }
    }

    fn sort(&mut self, line: &mut Line<'_>) -> Read<Known> {
        let kind = line.word("`bitvec` or `array`")?;
        let sort = match kind.text {
            "bitvec" => {
                let width = line.word("the width")?;
                match width.text.parse() {
                    Ok(width @ 1..=WIDEST) => Sort::Bits(width),
                    _ => {
                        let message = format!("a width is a number from 1 to {WIDEST}");
                        return Err(width.error("btor2-width", message).into());
                    }
                }
            }
            "array" => {
                let widths = [self.width(line)?, self.width(line)?];
                Sort::Array(widths[0], widths[1])
            }
            _ => {
                let message = "a sort is `bitvec` or `array`";
                return Err(kind.error("btor2-sort", message).into());
            }
        };
        line.symbol()?;
        Ok(Known::Sort(sort))
    }

    /// The sort of the elements or indices of an array: one level is all that is used of them.
    fn width(&mut self, line: &mut Line<'_>) -> Read<u32> {
        let word = line.word("a sort")?;
        match self.sort_at(word)? {
            Sort::Bits(width) => Ok(width),
            Sort::Array(..) => {
                let message = "arrays of arrays are not supported";
                Err(word.error("btor2-nested-array", message).into())
            }
        }
    }

    fn variable(&mut self, kind: &str, span: Span, line: &mut Line<'_>) -> Read<Known> {
        let word = line.word("the sort")?;
        let sort = self.sort_at(word)?;
        let symbol = line.symbol()?;
        let by_position = match kind {
            "input" => {
                self.n_inputs += 1;
                format!("input{}", self.n_inputs - 1)
            }
            _ => format!("state{}", self.states.len()),
        };
        let name = self.circuit.name(symbol, &by_position);
        let id = sort.sort(&mut self.cx.terms);
        let part = self.circuit.declare(self.cx, &name, id, Some(span));
        let var = self.circuit.parts[part].var;
        let term = self.cx.terms.var(var);
        let node = Node { sort, term };
        if kind == "input" {
            return Ok(Known::Node(node));
        }
        self.states.insert(var, part);
        Ok(Known::State(node, part))
    }

    /// `init` and `next`.
    fn value_of_state(&mut self, keyword: Word<'_>, line: &mut Line<'_>) -> Read<Known> {
        let sort_word = line.word("the sort")?;
        let sort = self.sort_at(sort_word)?;
        let state_word = line.word("the state")?;
        let Known::State(state, part) = self.look_up(state_word, state_word.text)? else {
            let message = format!("`{}` is for states", keyword.text);
            return Err(state_word.error("btor2-no-state", message).into());
        };
        let value_word = line.word("the value")?;
        let value = self.node(value_word)?;
        line.symbol()?;
        if state.sort != sort {
            let message = format!("the state is {}", state.sort.describe());
            return Err(sort_word.error("btor2-sort", message).into());
        }
        let is_first = keyword.text == "init";
        let term = match (sort, value.sort) {
            (sort, other) if sort == other => value.term,
            (Sort::Array(_, element), Sort::Bits(width)) if is_first && element == width => {
                let array = sort.sort(&mut self.cx.terms);
                let bits = value.bits(&mut self.cx.terms);
                let everywhere = self.cx.terms.build(Op::ConstArray(array), &[bits]);
                everywhere.expect("the widths were checked")
            }
            _ => {
                let message = format!("the value is {}", value.sort.describe());
                return Err(value_word.error("btor2-sort", message).into());
            }
        };
        if is_first {
            self.check_initial(value_word, term, part)?;
        }
        let part = &mut self.circuit.parts[part];
        let place = if is_first {
            &mut part.initial
        } else {
            &mut part.next
        };
        if place.replace(term).is_some() {
            let message = format!("the state has two `{}`", keyword.text);
            return Err(keyword.error("btor2-twice", message).into());
        }
        Ok(Known::Statement)
    }

    /// A first value reads nothing but states that are declared above the state: so the format has it, and there can be
    /// no circle.
    fn check_initial(&self, word: Word<'_>, term: TermId, part: usize) -> Read<()> {
        let read = self.cx.terms.free_vars(&[term]);
        let is_right = |var: &VarId| self.states.get(var).is_some_and(|&other| other < part);
        if read.iter().all(is_right) {
            return Ok(());
        }
        let message = "a first value depends only on constants and on states above";
        Err(word.error("btor2-init", message).into())
    }

    fn constant(&mut self, kind: &str, line: &mut Line<'_>) -> Read<Node> {
        let sort_word = line.word("the sort")?;
        let Sort::Bits(width) = self.sort_at(sort_word)? else {
            let message = "a constant is a bit-vector";
            return Err(sort_word.error("btor2-sort", message).into());
        };
        let terms = &mut self.cx.terms;
        let radix = match kind {
            "zero" => return Ok(Node::constant(terms, width, &Int::ZERO)),
            "one" => return Ok(Node::constant(terms, width, &Int::ONE)),
            "ones" => return Ok(Node::constant(terms, width, &Int::from(-1))),
            "const" => 2,
            "constd" => 10,
            _ => 16,
        };
        let digits = line.word("the digits")?;
        let value = number(digits, radix, width)?;
        Ok(Node::constant(&mut self.cx.terms, width, &value))
    }

    fn indexed(&mut self, keyword: Word<'_>, line: &mut Line<'_>) -> Read<Node> {
        let sort_word = line.word("the sort")?;
        let sort = self.sort_at(sort_word)?;
        let arg_word = line.word("the operand")?;
        let arg = self.node(arg_word)?;
        let first = line.number("an index")?;
        let Sort::Bits(width) = arg.sort else {
            let message = format!("`{}` is for bit-vectors", keyword.text);
            return Err(arg_word.error("btor2-sort", message).into());
        };
        let bits = arg.bits(&mut self.cx.terms);
        let node = if keyword.text == "slice" {
            let low = line.number("the lower index")?;
            if first >= width || low > first {
                let message =
                    format!("there are no bits {first} down to {low} in a width of {width}");
                return Err(keyword.error("btor2-slice", message).into());
            }
            operator::extract(&mut self.cx.terms, bits, first, low)
        } else {
            let wide = width.checked_add(first).filter(|&wide| wide <= WIDEST);
            let Some(wide) = wide else {
                let message = format!("a width is a number from 1 to {WIDEST}");
                return Err(keyword.error("btor2-width", message).into());
            };
            let extension = if keyword.text == "sext" {
                BvOp::Sext(wide)
            } else {
                BvOp::Zext(wide)
            };
            let term = op(&mut self.cx.terms, extension, &[bits]);
            Node::vector(&mut self.cx.terms, wide, term)
        };
        fits(sort_word, sort, node)
    }

    fn operation(&mut self, keyword: Word<'_>, arity: usize, line: &mut Line<'_>) -> Read<Node> {
        let sort_word = line.word("the sort")?;
        let sort = self.sort_at(sort_word)?;
        let mut args = Vec::with_capacity(arity);
        for _ in 0..arity {
            let word = line.word("an operand")?;
            args.push(self.node(word)?);
        }
        let node = operator::apply(&mut self.cx.terms, keyword.text, &args)
            .map_err(|message| keyword.error("btor2-operands", message))?;
        fits(sort_word, sort, node)
    }

    /// A node may have a symbol, which names it in formulas.
    fn named(&mut self, line: &mut Line<'_>, node: Node) -> Read<Known> {
        if let Some(symbol) = line.symbol()? {
            self.circuit.define(Some(symbol), "node", node.term);
        }
        Ok(Known::Node(node))
    }

    fn property(&mut self, kind: &str, span: Span, line: &mut Line<'_>) -> Read<Known> {
        let word = line.word("the node")?;
        let node = self.node(word)?;
        let symbol = line.symbol()?;
        if kind == "output" {
            let by_position = format!("output{}", self.n_outputs);
            self.n_outputs += 1;
            self.circuit.define(symbol, &by_position, node.term);
            return Ok(Known::Statement);
        }
        let term = condition(word, node)?;
        match kind {
            "constraint" => self.circuit.constraints.push((term, Some(span))),
            "fair" => self.circuit.model.fairness(Fairness::Justice(term)),
            _ => {
                let name = format!("b{}", self.n_bad);
                self.n_bad += 1;
                let never = self.cx.terms.not(term);
                self.declare_property(name, symbol, PropertyBody::Invariant(never), span);
            }
        }
        Ok(Known::Statement)
    }

    fn justice(&mut self, span: Span, line: &mut Line<'_>) -> Read<Known> {
        let n = line.number("the number of nodes")?;
        let mut terms = Vec::new();
        for _ in 0..n {
            let word = line.word("a node")?;
            let node = self.node(word)?;
            terms.push(condition(word, node)?);
        }
        let symbol = line.symbol()?;
        let name = format!("j{}", self.n_justice);
        self.n_justice += 1;
        let terms = recurring(self.cx, &name, &terms);
        self.declare_property(name, symbol, PropertyBody::NotAllRecur(terms), span);
        Ok(Known::Statement)
    }

    fn declare_property(
        &mut self,
        name: String,
        symbol: Option<&str>,
        body: PropertyBody,
        span: Span,
    ) {
        self.circuit.model.property(Property {
            name: name.into(),
            alias: symbol.map(Into::into),
            body,
            span: Some(span),
        });
    }

    fn sort_at(&self, word: Word<'_>) -> Read<Sort> {
        match self.look_up(word, word.text)? {
            Known::Sort(sort) => Ok(sort),
            _ => Err(word.error("btor2-sort", "this is no sort").into()),
        }
    }

    /// An operand: an id, negated if it has a minus sign.
    fn node(&mut self, word: Word<'_>) -> Read<Node> {
        let (negated, id) = match word.text.strip_prefix('-') {
            Some(id) => (true, id),
            None => (false, word.text),
        };
        let (Known::Node(node) | Known::State(node, _)) = self.look_up(word, id)? else {
            let message = "a sort or a statement is no operand";
            return Err(word.error("btor2-no-value", message).into());
        };
        match (negated, node.sort) {
            (false, _) => Ok(node),
            (true, Sort::Bits(_)) => Ok(node.complement(&mut self.cx.terms)),
            (true, Sort::Array(..)) => Err(word
                .error("btor2-sort", "an array has no complement")
                .into()),
        }
    }

    fn look_up(&self, word: Word<'_>, id: &str) -> Read<Known> {
        let number = id.parse::<u64>();
        let Ok(number) = number else {
            return Err(word.error("btor2-id", "an id is expected here").into());
        };
        match self.known.get(&number) {
            Some(Known::Wrong) => Err(Wrong::Before),
            Some(&known) => Ok(known),
            None => {
                let message = format!("{number} is not defined above");
                Err(word.error("btor2-undefined", message).into())
            }
        }
    }
}

/// A constant of a width, written to a base.
fn number(word: Word<'_>, radix: u32, width: u32) -> Read<Int> {
    let wrong = |message: String| Wrong::from(word.error("btor2-constant", message));
    let (negative, digits) = match word.text.strip_prefix('-') {
        Some(digits) if radix == 10 => (true, digits),
        _ => (false, word.text),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(wrong(format!(
            "a number to the base {radix} is expected here"
        )));
    }
    if radix == 2 && digits.len() != width as usize {
        let n = digits.len();
        return Err(wrong(format!("{n} digits for a width of {width}")));
    }
    let value = Int::parse_radix(digits, radix).expect("they are digits");
    let value = if negative { -&value } else { value };
    let limit = Int::power_of_two(width);
    let least = -&Int::power_of_two(width - 1);
    if value >= limit || value < least {
        return Err(wrong(format!("the number does not fit a width of {width}")));
    }
    Ok(value)
}

/// The node, if it is of the sort that its line says.
fn fits(word: Word<'_>, sort: Sort, node: Node) -> Read<Node> {
    if node.sort == sort {
        return Ok(node);
    }
    let message = format!(
        "the result is {}, not {}",
        node.sort.describe(),
        sort.describe()
    );
    Err(word.error("btor2-sort", message).into())
}

/// A node that is true or false.
fn condition(word: Word<'_>, node: Node) -> Read<TermId> {
    match node.sort {
        Sort::Bits(1) => Ok(node.term),
        sort => {
            let message = format!("a condition has width 1; this is {}", sort.describe());
            Err(word.error("btor2-sort", message).into())
        }
    }
}
