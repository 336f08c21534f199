//! Expressions as terms.
//!
//! Numbers are mathematical integers, strings the literals of one enumeration. A value may be undefined; evaluating it may
//! raise an error, which the standard answers with the event `error.execution`; and it may lead outside of what is modelled
//! (a fraction, arithmetic on what is undefined). All three are Boolean terms, nearly always `false`.

use super::lower::Lower;
use super::script::{Binary, Js, Node};
use super::tree::Code;
use super::types::{Ty, path};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Op, TermId, Value};

/// The value of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct V {
    pub ty: Ty,
    pub term: TermId,
    /// When it is undefined.
    pub lacks: TermId,
    /// When evaluating it is an error.
    pub raises: TermId,
    /// When it is nothing that is modelled.
    pub outside: TermId,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    /// False if evaluating it is an error.
    pub holds: TermId,
    pub raises: TermId,
    pub outside: TermId,
}

/// Why an expression has no value here; it was reported.
pub(super) struct Refused;

type Eval<T> = Result<T, Refused>;

/// The highest exponent of `Math.pow`.
const MAX_EXPONENT: usize = 16;

impl Lower<'_> {
    /// The value of a piece of code; of a refused one, which was reported, anything.
    pub fn value(&mut self, code: &Code<Js>) -> V {
        match self.eval(&code.code, code.span) {
            Ok(value) => value,
            Err(Refused) => self.int(0),
        }
    }

    /// Whether a condition holds.
    pub fn truth(&mut self, code: &Code<Js>) -> Truth {
        let value = self.value(code);
        let fails = self.cx.terms.not(value.raises);
        let holds = self.truthy(value);
        Truth {
            holds: self.cx.terms.and(&[fails, holds]),
            raises: value.raises,
            outside: value.outside,
        }
    }

    fn plain(&self, ty: Ty, term: TermId) -> V {
        let no = self.cx.terms.false_();
        V {
            ty,
            term,
            lacks: no,
            raises: no,
            outside: no,
        }
    }

    pub fn int(&mut self, value: i64) -> V {
        let term = self.cx.terms.int(value);
        self.plain(Ty::Int, term)
    }

    fn bool(&self, value: bool) -> V {
        self.plain(Ty::Bool, self.cx.terms.bool(value))
    }

    pub fn text(&mut self, text: &str) -> V {
        let term = self.texts.term(&mut self.cx.terms, text);
        self.plain(Ty::Text, term)
    }

    /// A value that is an error.
    fn wrong(&mut self) -> V {
        let raises = self.cx.terms.true_();
        V {
            raises,
            ..self.int(0)
        }
    }

    fn refuse<T>(&mut self, message: impl Into<String>, span: Span) -> Eval<T> {
        let finding = Diagnostic::error("unsupported-script", message).at(span);
        self.findings.push(finding);
        Err(Refused)
    }

    fn eval(&mut self, js: &Js, span: Span) -> Eval<V> {
        Ok(match &js.node {
            Node::Int(value) => {
                let term = self.cx.terms.int(value.clone());
                self.plain(Ty::Int, term)
            }
            Node::Fraction => return self.refuse("fractions are not supported", span),
            Node::Text(text) => self.text(text),
            Node::Bool(value) => self.bool(*value),
            Node::Undefined => {
                let lacks = self.cx.terms.true_();
                V {
                    lacks,
                    ..self.int(0)
                }
            }
            Node::Null => return self.refuse("`null` is not supported", span),
            Node::List(_) => {
                return self.refuse("arrays are supported as constants of `<data>` only", span);
            }
            Node::Wrong(word) => {
                let message =
                    format!("`{word}` is no expression: evaluating this raises `error.execution`");
                self.findings
                    .push(Diagnostic::warning("wrong-expression", message).at(span));
                self.wrong()
            }
            Node::Name(name) => return self.name(name, span),
            Node::Member(..) | Node::Index(..) => return self.member(js, span),
            Node::Call(function, args) => return self.call(function, args, span),
            Node::Not(inner) => {
                let inner = self.eval(inner, span)?;
                let truth = self.truthy(inner);
                let term = self.cx.terms.not(truth);
                self.with(Ty::Bool, term, &[inner])
            }
            Node::Neg(inner) => {
                let inner = self.eval(inner, span)?;
                let number = self.number(inner, span)?;
                let term = self.cx.terms.neg(number.term);
                self.with(Ty::Int, term, &[number])
            }
            Node::Typeof(inner) => return self.type_of(inner, span),
            Node::Binary(op, left, right) => return self.binary(*op, left, right, span),
            Node::If(condition, then, otherwise) => {
                let condition = self.eval(condition, span)?;
                let truth = self.truthy(condition);
                let (then, otherwise) = (self.eval(then, span)?, self.eval(otherwise, span)?);
                let (then, otherwise) = self.same_type(then, otherwise, span)?;
                let value = self.choose(truth, then, otherwise);
                self.after(condition, value)
            }
        })
    }

    /// A value made of others: it raises if one of them does, in whatever order.
    fn with(&mut self, ty: Ty, term: TermId, parts: &[V]) -> V {
        let raises: Vec<TermId> = parts.iter().map(|part| part.raises).collect();
        let outside: Vec<TermId> = parts.iter().map(|part| part.outside).collect();
        V {
            raises: self.cx.terms.or(&raises),
            outside: self.cx.terms.or(&outside),
            ..self.plain(ty, term)
        }
    }

    /// A value that is read after another was evaluated.
    fn after(&mut self, first: V, value: V) -> V {
        V {
            raises: self.cx.terms.or(&[first.raises, value.raises]),
            outside: self.cx.terms.or(&[first.outside, value.outside]),
            ..value
        }
    }

    fn choose(&mut self, condition: TermId, then: V, otherwise: V) -> V {
        let terms = &mut self.cx.terms;
        V {
            ty: then.ty,
            term: terms.ite(condition, then.term, otherwise.term),
            lacks: terms.ite(condition, then.lacks, otherwise.lacks),
            raises: terms.ite(condition, then.raises, otherwise.raises),
            outside: terms.ite(condition, then.outside, otherwise.outside),
        }
    }

    /// Two values of one type: what is only undefined takes that of the other.
    fn same_type(&mut self, a: V, b: V, span: Span) -> Eval<(V, V)> {
        if a.ty == b.ty {
            return Ok((a, b));
        }
        let always = self.cx.terms.true_();
        if a.lacks == always || a.raises == always {
            return Ok((
                V {
                    ty: b.ty,
                    term: b.term,
                    ..a
                },
                b,
            ));
        }
        if b.lacks == always || b.raises == always {
            return Ok((
                a,
                V {
                    ty: a.ty,
                    term: a.term,
                    ..b
                },
            ));
        }
        self.refuse("this is of one type or of another", span)
    }

    pub fn truthy(&mut self, value: V) -> TermId {
        let is_true = match value.ty {
            Ty::Bool => value.term,
            Ty::Int => {
                let zero = self.cx.terms.int(0);
                let is_zero = self.cx.terms.eq(value.term, zero);
                self.cx.terms.not(is_zero)
            }
            Ty::Text => {
                let empty = self.text("").term;
                let is_empty = self.cx.terms.eq(value.term, empty);
                self.cx.terms.not(is_empty)
            }
        };
        let is_there = self.cx.terms.not(value.lacks);
        self.cx.terms.and(&[is_there, is_true])
    }

    /// A value as a number; what is undefined is none that is modelled.
    fn number(&mut self, value: V, span: Span) -> Eval<V> {
        let term = match value.ty {
            Ty::Int => value.term,
            Ty::Bool => {
                let (one, zero) = (self.cx.terms.int(1), self.cx.terms.int(0));
                self.cx.terms.ite(value.term, one, zero)
            }
            Ty::Text => return self.refuse("arithmetic on strings is not supported", span),
        };
        let outside = self.cx.terms.or(&[value.outside, value.lacks]);
        let lacks = self.cx.terms.false_();
        Ok(V {
            ty: Ty::Int,
            term,
            lacks,
            outside,
            ..value
        })
    }

    fn name(&mut self, name: &str, span: Span) -> Eval<V> {
        let Some(at) = self.table.find(name) else {
            if name.starts_with('_') {
                return self.refuse(format!("`{name}` is not supported"), span);
            }
            let message =
                format!("there is no variable `{name}`: evaluating this raises `error.execution`");
            let names = self.table.known.iter().map(|known| &*known.name);
            let hint =
                crate::scope::suggestion(name, names).map(|near| format!("did you mean `{near}`?"));
            self.findings.push(
                Diagnostic::warning("unknown-variable", message)
                    .at(span)
                    .maybe_hint(hint),
            );
            return Ok(self.wrong());
        };
        if self.table.known[at].list.is_some() {
            return self.refuse("arrays are for `<foreach>` only", span);
        }
        Ok(self.read(at))
    }

    /// The value of a variable.
    pub fn read(&mut self, at: usize) -> V {
        let slot = self.vars.data[at];
        let term = self.cx.terms.var(slot.var);
        let ty = self.table.known[at].ty.unwrap_or(Ty::Int);
        let mut value = self.plain(ty, term);
        if let Some(defined) = slot.defined {
            let is_there = self.cx.terms.var(defined);
            let lacks = self.cx.terms.not(is_there);
            value.lacks = lacks;
            if self.table.known[at].implicit {
                value.raises = lacks;
            }
        }
        value
    }

    fn member(&mut self, js: &Js, span: Span) -> Eval<V> {
        let Some(path) = path(js) else {
            return self.refuse("only constant arrays are supported, in `<foreach>`", span);
        };
        if path == "_event.name" {
            let var = self.vars.current.expect("it is there if it is read");
            let term = self.cx.terms.var(var);
            return Ok(self.plain(Ty::Text, term));
        }
        if path.starts_with("_event.data") {
            return Ok(match self.table.find(&path) {
                Some(at) => self.read(at),
                // Nobody sends it.
                None => {
                    let lacks = self.cx.terms.true_();
                    V {
                        lacks,
                        ..self.int(0)
                    }
                }
            });
        }
        if path.starts_with("_event.") {
            return self.refuse(
                format!("`{path}` is not supported: `_event.name` and `_event.data` are"),
                span,
            );
        }
        let root = path.split('.').next().unwrap_or(&path);
        if self.table.find(root).is_some() || root.starts_with('_') {
            return self.refuse(format!("`{path}`: objects are not supported"), span);
        }
        self.name(root, span)
    }

    fn call(&mut self, function: &Js, args: &[Js], span: Span) -> Eval<V> {
        match (path(function).as_deref(), args) {
            (
                Some("In"),
                [
                    Js {
                        node: Node::Text(name),
                        ..
                    },
                ],
            ) => {
                let found = self
                    .tree
                    .ids()
                    .find(|&id| *self.tree.state(id).name == **name);
                let Some(state) = found.filter(|&id| !self.tree.kind(id).is_history()) else {
                    let names = self.tree.states.iter().map(|state| &*state.name);
                    let hint = crate::scope::suggestion(name, names)
                        .map(|near| format!("did you mean `{near}`?"));
                    let message = format!("there is no state `{name}`");
                    self.findings.push(
                        Diagnostic::error("unknown-state", message)
                            .at(span)
                            .maybe_hint(hint),
                    );
                    return Err(Refused);
                };
                let term = self.active(state);
                Ok(self.plain(Ty::Bool, term))
            }
            (
                Some("Math.pow"),
                [
                    base,
                    Js {
                        node: Node::Int(exponent),
                        ..
                    },
                ],
            ) => {
                let exponent = exponent.to_i64().and_then(|n| usize::try_from(n).ok());
                let exponent = exponent.filter(|&n| n <= MAX_EXPONENT);
                let Some(exponent) = exponent else {
                    return self.refuse(
                        format!("the exponent is a number from 0 to {MAX_EXPONENT}"),
                        span,
                    );
                };
                let base = self.eval(base, span)?;
                let base = self.number(base, span)?;
                let factors = vec![base.term; exponent];
                let term = match exponent {
                    0 => self.cx.terms.int(1),
                    _ => self.cx.terms.mul(&factors),
                };
                Ok(self.with(Ty::Int, term, &[base]))
            }
            (Some("Math.abs"), [arg]) => {
                let arg = self.eval(arg, span)?;
                let arg = self.number(arg, span)?;
                let (zero, neg) = (self.cx.terms.int(0), self.cx.terms.neg(arg.term));
                let is_negative = self.cx.terms.lt(arg.term, zero);
                let term = self.cx.terms.ite(is_negative, neg, arg.term);
                Ok(self.with(Ty::Int, term, &[arg]))
            }
            (Some(name @ ("Math.min" | "Math.max")), [left, right]) => {
                let (left, right) = (self.eval(left, span)?, self.eval(right, span)?);
                let (left, right) = (self.number(left, span)?, self.number(right, span)?);
                let less = self.cx.terms.le(left.term, right.term);
                let (a, b) = if name == "Math.min" {
                    (left, right)
                } else {
                    (right, left)
                };
                let term = self.cx.terms.ite(less, a.term, b.term);
                Ok(self.with(Ty::Int, term, &[left, right]))
            }
            (name, _) => {
                let name = name.unwrap_or("this");
                self.refuse(format!("calls of `{name}` are not supported"), span)
            }
        }
    }

    fn type_of(&mut self, inner: &Js, span: Span) -> Eval<V> {
        let is_unknown = matches!(&inner.node, Node::Name(name) if self.table.find(name).is_none());
        if is_unknown {
            return Ok(self.text("undefined"));
        }
        let value = self.eval(inner, span)?;
        let name = match value.ty {
            Ty::Int => "number",
            Ty::Bool => "boolean",
            Ty::Text => "string",
        };
        let (undefined, name) = (self.text("undefined").term, self.text(name).term);
        let term = self.cx.terms.ite(value.lacks, undefined, name);
        // What does not exist yet is undefined here, and no error.
        let raises = self.cx.terms.false_();
        Ok(V {
            raises,
            ..self.with(Ty::Text, term, &[value])
        })
    }

    fn binary(&mut self, op: Binary, left: &Js, right: &Js, span: Span) -> Eval<V> {
        let (a, b) = (self.eval(left, span)?, self.eval(right, span)?);
        match op {
            Binary::And | Binary::Or => self.logic(op, a, b, span),
            Binary::Equal | Binary::SameAs => self.equal(op, a, b, span),
            Binary::Differ | Binary::NotSameAs => {
                let same = if op == Binary::Differ {
                    Binary::Equal
                } else {
                    Binary::SameAs
                };
                let equal = self.equal(same, a, b, span)?;
                let term = self.cx.terms.not(equal.term);
                Ok(V { term, ..equal })
            }
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => {
                self.order(op, a, b, span)
            }
            _ => self.arithmetic(op, a, b, span),
        }
    }

    /// The second operand is evaluated only if the first does not decide; the result is that of one of them.
    fn logic(&mut self, op: Binary, a: V, b: V, span: Span) -> Eval<V> {
        let truth = self.truthy(a);
        let value = match (a.ty, b.ty) {
            (Ty::Bool, Ty::Bool) => (a, b),
            // As a condition it does not matter which value it is.
            _ => {
                let second = self.truthy(b);
                let is_condition = |v: V, term: TermId, no: TermId| V {
                    ty: Ty::Bool,
                    term,
                    lacks: no,
                    ..v
                };
                let no = self.cx.terms.false_();
                if a.ty == b.ty {
                    self.same_type(a, b, span)?
                } else {
                    (is_condition(a, truth, no), is_condition(b, second, no))
                }
            }
        };
        Ok(match op {
            Binary::And => {
                let chosen = self.choose(
                    truth,
                    value.1,
                    V {
                        raises: a.raises,
                        outside: a.outside,
                        ..value.0
                    },
                );
                self.after(a, chosen)
            }
            _ => {
                let chosen = self.choose(truth, value.0, value.1);
                self.after(a, chosen)
            }
        })
    }

    fn equal(&mut self, op: Binary, a: V, b: V, span: Span) -> Eval<V> {
        let (a, b) = match (a.ty, b.ty) {
            (x, y) if x == y => (a, b),
            (Ty::Int, Ty::Bool) | (Ty::Bool, Ty::Int) if op == Binary::Equal => {
                let keep = (a.lacks, b.lacks);
                let (a, b) = (self.number(a, span)?, self.number(b, span)?);
                let no = self.cx.terms.false_();
                (
                    V {
                        lacks: keep.0,
                        outside: no,
                        ..a
                    },
                    V {
                        lacks: keep.1,
                        outside: no,
                        ..b
                    },
                )
            }
            _ => {
                let always = self.cx.terms.true_();
                let is_absent = |v: V| v.lacks == always || v.raises == always;
                if is_absent(a) || is_absent(b) || op == Binary::SameAs {
                    let term = self.cx.terms.and(&[a.lacks, b.lacks]);
                    return Ok(self.with(Ty::Bool, term, &[a, b]));
                }
                return self.refuse(
                    "`==` between values of different types is not supported: use `===`",
                    span,
                );
            }
        };
        let terms = &mut self.cx.terms;
        let equal = terms.eq(a.term, b.term);
        let (has_a, has_b) = (terms.not(a.lacks), terms.not(b.lacks));
        let both = terms.and(&[has_a, has_b, equal]);
        let neither = terms.and(&[a.lacks, b.lacks]);
        let term = terms.or(&[both, neither]);
        Ok(self.with(Ty::Bool, term, &[a, b]))
    }

    /// Comparisons with what is undefined are false.
    fn order(&mut self, op: Binary, a: V, b: V, span: Span) -> Eval<V> {
        let lacks = (a.lacks, b.lacks);
        let outside = (a.outside, b.outside);
        let (a, b) = (self.number(a, span)?, self.number(b, span)?);
        let (a, b) = (
            V {
                outside: outside.0,
                ..a
            },
            V {
                outside: outside.1,
                ..b
            },
        );
        let terms = &mut self.cx.terms;
        let holds = match op {
            Binary::Less => terms.lt(a.term, b.term),
            Binary::AtMost => terms.le(a.term, b.term),
            Binary::Greater => terms.lt(b.term, a.term),
            _ => terms.le(b.term, a.term),
        };
        let (has_a, has_b) = (terms.not(lacks.0), terms.not(lacks.1));
        let term = terms.and(&[has_a, has_b, holds]);
        Ok(self.with(Ty::Bool, term, &[a, b]))
    }

    fn arithmetic(&mut self, op: Binary, a: V, b: V, span: Span) -> Eval<V> {
        let (a, b) = (self.number(a, span)?, self.number(b, span)?);
        let terms = &mut self.cx.terms;
        let zero = terms.int(0);
        let build = |terms: &mut lariat_expr::Terms, op: Op, args: &[TermId]| {
            terms.build(op, args).expect("both are integers")
        };
        let mut outside = terms.false_();
        let term = match op {
            Binary::Add => terms.add(&[a.term, b.term]),
            Binary::Sub => terms.sub(a.term, b.term),
            Binary::Mul => terms.mul(&[a.term, b.term]),
            Binary::Div => {
                let rest = build(terms, Op::Mod, &[a.term, b.term]);
                let by_zero = terms.eq(b.term, zero);
                let is_whole = terms.eq(rest, zero);
                let is_fraction = terms.not(is_whole);
                outside = terms.or(&[by_zero, is_fraction]);
                build(terms, Op::Div, &[a.term, b.term])
            }
            _ => {
                // The sign is that of the dividend.
                outside = terms.eq(b.term, zero);
                let is_negative = terms.lt(a.term, zero);
                let opposite = terms.neg(a.term);
                let rest = build(terms, Op::Mod, &[a.term, b.term]);
                let other = build(terms, Op::Mod, &[opposite, b.term]);
                let other = terms.neg(other);
                terms.ite(is_negative, other, rest)
            }
        };
        let value = self.with(Ty::Int, term, &[a, b]);
        let outside = self.cx.terms.or(&[value.outside, outside]);
        Ok(V { outside, ..value })
    }
}

/// The strings of a chart, events among them: the literals of one enumeration.
#[derive(Debug)]
pub(super) struct Texts {
    pub sort: lariat_expr::SortId,
    at: lariat_base::FxHashMap<Box<str>, u32>,
    pub none: TermId,
}

impl Texts {
    /// The enumeration of these strings, and of one more for nothing.
    pub fn new(terms: &mut lariat_expr::Terms, texts: &[Box<str>]) -> Self {
        let free = |name: &&str| !texts.iter().any(|text| **text == **name);
        let candidates = [
            "none",
            "no_event",
            "nothing",
            "none_",
            "no_event_",
            "nothing_",
        ];
        let none = candidates
            .iter()
            .copied()
            .find(free)
            .map_or_else(|| format!("none{}", texts.len()), str::to_owned);
        let all = std::iter::once(none.into_boxed_str()).chain(texts.iter().cloned());
        let sort = terms.sorts.enumeration("Text", all);
        let at = texts.iter().cloned().zip(1..).collect();
        Self {
            sort,
            at,
            none: terms.lit(Value::Enum(0), sort),
        }
    }

    /// The literal of a string that occurs in the chart.
    pub fn term(&self, terms: &mut lariat_expr::Terms, text: &str) -> TermId {
        let at = self
            .at
            .get(text)
            .expect("all strings of the chart are collected");
        terms.lit(Value::Enum(*at), self.sort)
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        self.at.get(text).copied()
    }
}
