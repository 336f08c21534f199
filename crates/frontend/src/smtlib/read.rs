//! Terms as they are written, to terms of ours: `let`, definitions, annotations, and what is refused.
//!
//! What has no counterpart here (an uninterpreted function, a quantifier) becomes a variable of its sort that stands for it, with a
//! finding beside it. So everything around it is checked, and it is an error only where a model uses it.

use super::formula::{Formula, is_temporal};
use super::operator::{self, Failed};
use super::sexpr::{Kind, NodeId, Tree};
use super::sorts::{Logic, SortNames};
use lariat_base::{Diagnostic, FxHashMap, nearest};
use lariat_expr::{Int, Op, Rat, SortId, Substitution, TermId, Value, VarId};
use lariat_system::{Context, TemporalId};

/// What is read, or why it is not.
pub(crate) type Read<T> = Result<T, Diagnostic>;

/// What a term of the script is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Val {
    Term(TermId),
    /// With temporal operators: a formula of [`Reader::formulas`].
    Formula(TemporalId),
}

/// What a name of the script stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    Value(Val),
    /// A definition with parameters.
    Macro {
        params: Vec<VarId>,
        body: Val,
    },
    /// A function without a definition.
    Function {
        params: Vec<SortId>,
        result: SortId,
    },
}

/// `:key value` on a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annotation {
    pub of: Val,
    /// The term that it stands on.
    pub term: NodeId,
    pub key: NodeId,
    pub value: Option<NodeId>,
}

/// Reads the terms of a script.
pub(crate) struct Reader<'a, 'c> {
    pub cx: &'c mut Context,
    pub tree: &'c Tree<'a>,
    pub sorts: SortNames<'a>,
    pub symbols: FxHashMap<&'a str, Symbol>,
    pub formulas: Formula,
    /// The annotations met since somebody took them.
    pub annotations: Vec<Annotation>,
    /// The variable that `x'` is, for each `x` that has one.
    pub next_of: FxHashMap<VarId, VarId>,
    /// Variables that stand for what is not supported.
    pub refused: FxHashMap<VarId, Diagnostic>,
    /// The sorts that may be used.
    pub logic: Logic,
    /// Whether `((= a b))` is `(= a b)`.
    pub lenient: bool,
    locals: FxHashMap<&'a str, Vec<Val>>,
    /// The names among them, in the order they were bound.
    bound: Vec<&'a str>,
    n_fresh: u32,
}

enum Task {
    Eval(NodeId),
    /// Takes the values of the operands of a list.
    Apply(NodeId),
    /// Gives the names of a `let` their values.
    Bind(NodeId),
    /// Takes the names of a `let` or of a quantifier away.
    Unbind(NodeId),
    Annotate(NodeId),
    /// Refuses a quantifier whose body was read.
    Quantified(NodeId),
}

impl<'a, 'c> Reader<'a, 'c> {
    pub fn new(cx: &'c mut Context, tree: &'c Tree<'a>) -> Self {
        Self {
            cx,
            tree,
            sorts: SortNames::default(),
            symbols: FxHashMap::default(),
            formulas: Formula::default(),
            annotations: Vec::new(),
            next_of: FxHashMap::default(),
            refused: FxHashMap::default(),
            logic: Logic::ALL,
            lenient: false,
            locals: FxHashMap::default(),
            bound: Vec::new(),
            n_fresh: 0,
        }
    }

    /// The value of a node.
    pub fn value(&mut self, root: NodeId) -> Read<Val> {
        let mut todo = vec![Task::Eval(root)];
        let mut done: Vec<Val> = Vec::new();
        let n_bound = self.bound.len();
        let read = self.run(&mut todo, &mut done);
        self.unbind(n_bound);
        read.map(|()| done.pop().expect("a value was read"))
    }

    fn run(&mut self, todo: &mut Vec<Task>, done: &mut Vec<Val>) -> Read<()> {
        while let Some(task) = todo.pop() {
            match task {
                Task::Eval(node) => self.eval(node, todo, done)?,
                Task::Apply(node) => {
                    let n_args = self.tree.items(node).len() - 1;
                    let args = done.split_off(done.len() - n_args);
                    let value = self.apply(node, &args)?;
                    done.push(value);
                }
                Task::Bind(node) => {
                    let bindings = self.tree.items(self.tree.items(node)[1]);
                    let values = done.split_off(done.len() - bindings.len());
                    for (&binding, value) in bindings.iter().zip(values) {
                        let name = self.tree.head(binding).expect("a binding has a name");
                        self.bind(name, value);
                    }
                }
                Task::Unbind(node) => {
                    let n_names = self.tree.items(self.tree.items(node)[1]).len();
                    self.unbind(self.bound.len() - n_names);
                }
                Task::Annotate(node) => {
                    let of = *done.last().expect("the term was read");
                    self.annotate(node, of)?;
                }
                Task::Quantified(node) => {
                    done.pop();
                    let message = "quantifiers are not supported";
                    let finding = self.tree.error("smtlib-quantifier", node, message);
                    let bool_ = self.cx.terms.sorts.bool();
                    let term = self.refuse(bool_, finding);
                    done.push(Val::Term(term));
                }
            }
        }
        Ok(())
    }

    fn eval(&mut self, node: NodeId, todo: &mut Vec<Task>, done: &mut Vec<Val>) -> Read<()> {
        let tree = self.tree;
        let items = tree.items(node);
        match (tree.kind(node), tree.head(node)) {
            (Kind::Symbol, _) => {
                let value = self.name(node)?;
                done.push(value);
            }
            (Kind::List(..), Some("let")) => {
                let &[_, bindings, body] = items else {
                    let message = "`let` has bindings and a term";
                    return Err(tree.error("smtlib-let", node, message));
                };
                todo.extend([Task::Unbind(node), Task::Eval(body), Task::Bind(node)]);
                for &binding in tree.items(bindings).iter().rev() {
                    let (Some(_), &[_, value]) = (tree.head(binding), tree.items(binding)) else {
                        let message = "a binding is a name and a term";
                        return Err(tree.error("smtlib-let", binding, message));
                    };
                    todo.push(Task::Eval(value));
                }
            }
            (Kind::List(..), Some("!")) => {
                let Some(&term) = items.get(1) else {
                    return Err(tree.error("smtlib-annotation", node, "`!` stands on a term"));
                };
                todo.extend([Task::Annotate(node), Task::Eval(term)]);
            }
            (Kind::List(..), Some("forall" | "exists")) => {
                let &[_, bound, body] = items else {
                    let message = "a quantifier has variables and a term";
                    return Err(tree.error("smtlib-quantifier", node, message));
                };
                self.bind_quantified(bound)?;
                todo.extend([Task::Quantified(node), Task::Unbind(node), Task::Eval(body)]);
            }
            (Kind::List(..), Some("_")) => {
                let value = self.indexed_literal(node)?;
                done.push(Val::Term(value));
            }
            (Kind::List(..), None) if self.lenient && items.len() == 1 => {
                todo.push(Task::Eval(items[0]));
            }
            (Kind::List(..), _) if items.len() > 1 => {
                todo.push(Task::Apply(node));
                todo.extend(items[1..].iter().rev().map(|&item| Task::Eval(item)));
            }
            (Kind::List(..), _) => {
                return Err(tree.error("smtlib-term", node, "a term is expected here"));
            }
            _ => {
                let value = self.literal(node)?;
                done.push(Val::Term(value));
            }
        }
        Ok(())
    }

    /// The Boolean term of a node.
    pub fn condition(&mut self, node: NodeId) -> Read<TermId> {
        let bool_ = self.cx.terms.sorts.bool();
        self.term(node, bool_)
    }

    /// The term of a node, of a sort.
    pub fn term(&mut self, node: NodeId, sort: SortId) -> Read<TermId> {
        let value = self.value(node)?;
        match self.fitted(node, value, sort)? {
            Val::Term(term) => Ok(term),
            Val::Formula(_) => {
                let message = "temporal operators cannot stand here";
                Err(self.tree.error("smtlib-temporal", node, message))
            }
        }
    }

    /// A value as one of a sort: an integer may stand for a real, a vector of width one for a truth value.
    pub fn fitted(&mut self, node: NodeId, value: Val, sort: SortId) -> Read<Val> {
        let terms = &mut self.cx.terms;
        let bit = terms.sorts.bv(1);
        let given = match value {
            Val::Term(term) => terms.sort(term),
            Val::Formula(_) => terms.sorts.bool(),
        };
        match value {
            _ if given == sort => Ok(value),
            Val::Term(term) if sort == terms.sorts.rat() && given == terms.sorts.int() => {
                let real = terms.build(Op::ToRat, &[term]);
                Ok(Val::Term(real.expect("it is an integer")))
            }
            Val::Term(term) if self.lenient && sort == terms.sorts.bool() && given == bit => {
                let one = terms.lit(Value::Bv(Int::ONE), bit);
                Ok(Val::Term(terms.eq(term, one)))
            }
            _ => {
                let sorts = &terms.sorts;
                let message = format!(
                    "this is {}, not {}",
                    sorts.describe(given),
                    sorts.describe(sort)
                );
                Err(self.tree.error("smtlib-sort", node, message))
            }
        }
    }

    /// A variable that stands for something that is not supported.
    fn refuse(&mut self, sort: SortId, finding: Diagnostic) -> TermId {
        let var = self.fresh("refused", sort);
        self.refused.insert(var, finding);
        self.cx.terms.var(var)
    }

    /// The finding about the first thing in these terms that is not supported.
    pub fn unsupported(&self, terms: &[TermId]) -> Option<&Diagnostic> {
        if self.refused.is_empty() {
            return None;
        }
        let vars = self.cx.terms.free_vars(terms);
        vars.iter().find_map(|var| self.refused.get(var))
    }

    /// A variable that no name of the script stands for.
    pub fn fresh(&mut self, name: &str, sort: SortId) -> VarId {
        self.n_fresh += 1;
        let instance = self.n_fresh;
        let name = format!("{name}?");
        self.cx.terms.declare_instance(&name, sort, instance)
    }

    fn bind_quantified(&mut self, bound: NodeId) -> Read<()> {
        for &variable in self.tree.items(bound) {
            let (Some(name), &[_, sort]) = (self.tree.head(variable), self.tree.items(variable))
            else {
                let message = "a variable is a name and a sort";
                return Err(self.tree.error("smtlib-quantifier", variable, message));
            };
            let sort = self.sort(sort)?;
            let var = self.fresh(name, sort);
            let term = self.cx.terms.var(var);
            self.bind(name, Val::Term(term));
        }
        Ok(())
    }

    fn annotate(&mut self, node: NodeId, of: Val) -> Read<()> {
        let items = self.tree.items(node);
        let mut at = 2;
        while let Some(&key) = items.get(at) {
            if self.tree.kind(key) != Kind::Keyword {
                let message = "a keyword such as `:next` is expected here";
                return Err(self.tree.error("smtlib-annotation", key, message));
            }
            let value = items.get(at + 1).copied();
            let value = value.filter(|&value| self.tree.kind(value) != Kind::Keyword);
            at += if value.is_some() { 2 } else { 1 };
            self.annotations.push(Annotation {
                of,
                term: items[1],
                key,
                value,
            });
        }
        Ok(())
    }

    // ----- names and literals -----

    fn name(&mut self, node: NodeId) -> Read<Val> {
        let name = self.tree.symbol(node).expect("it is a symbol");
        if let Some(value) = self.meaning(name) {
            return Ok(value);
        }
        match name {
            "true" => return Ok(Val::Term(self.cx.terms.true_())),
            "false" => return Ok(Val::Term(self.cx.terms.false_())),
            _ => {}
        }
        if let Some(base) = name.strip_suffix('\'')
            && let base = base
                .strip_prefix('|')
                .and_then(|base| base.strip_suffix('|'))
                .unwrap_or(base)
            && let Some(Val::Term(term)) = self.meaning(base)
            && let Some(var) = self.cx.terms.as_var(term)
            && let Some(&next) = self.next_of.get(&var)
        {
            return Ok(Val::Term(self.cx.terms.var(next)));
        }
        Err(self.unknown(node, name))
    }

    fn meaning(&self, name: &str) -> Option<Val> {
        if let Some(value) = self.local(name) {
            return Some(value);
        }
        match self.symbols.get(name) {
            Some(&Symbol::Value(value)) => Some(value),
            _ => None,
        }
    }

    fn unknown(&self, node: NodeId, name: &str) -> Diagnostic {
        let message = match self.symbols.get(name) {
            Some(_) => format!("`{name}` takes arguments"),
            None => format!("`{name}` is not declared"),
        };
        let mut known: Vec<&str> = self.symbols.keys().chain(&self.bound).copied().collect();
        known.sort_unstable();
        let near = nearest(name, known.into_iter().chain(operator::NAMES));
        let hint = near
            .filter(|&near| near != name)
            .map(|near| format!("did you mean `{near}`?"));
        self.tree
            .error("smtlib-unknown", node, message)
            .maybe_hint(hint)
    }

    fn literal(&mut self, node: NodeId) -> Read<TermId> {
        let text = self.tree.text(node);
        let terms = &mut self.cx.terms;
        match self.tree.kind(node) {
            Kind::Numeral => Ok(terms.int(decimal(text))),
            Kind::Decimal => {
                let (whole, part) = text.split_once('.').expect("a decimal has a point");
                let scale = format!("1{}", "0".repeat(part.len()));
                let value = Rat::new(decimal(&format!("{whole}{part}")), decimal(&scale));
                let value = value.expect("the scale is not zero");
                let rat = terms.sorts.rat();
                Ok(terms.lit(Value::Rat(value), rat))
            }
            Kind::Hex | Kind::Binary => {
                let (radix, bits) = if text.starts_with("#x") {
                    (16, 4)
                } else {
                    (2, 1)
                };
                let value = Int::parse_radix(&text[2..], radix).expect("they are digits");
                let width = (text.len() as u32 - 2) * bits;
                if width > 65_536 {
                    return Err(self
                        .tree
                        .error("smtlib-width", node, "this vector is too wide"));
                }
                let sort = terms.sorts.bv(width);
                Ok(terms.lit(Value::Bv(value), sort))
            }
            _ => Err(self
                .tree
                .error("smtlib-term", node, "a term is expected here")),
        }
    }

    /// `(_ bv5 8)`.
    fn indexed_literal(&mut self, node: NodeId) -> Read<TermId> {
        let items = self.tree.items(node);
        let wrong = || {
            self.tree
                .error("smtlib-term", node, "there is no such literal")
        };
        let &[_, value, width] = items else {
            return Err(wrong());
        };
        let value = self
            .tree
            .symbol(value)
            .and_then(|text| text.strip_prefix("bv"));
        let value = value.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        let value = value.and_then(|digits| Int::parse_radix(digits, 10));
        let width: Option<u32> = self.tree.text(width).parse().ok();
        let (Some(value), Some(width @ 1..=65_536)) = (value, width) else {
            return Err(wrong());
        };
        if value >= Int::power_of_two(width) {
            let message = format!("the number does not fit a width of {width}");
            return Err(self.tree.error("smtlib-width", node, message));
        }
        let sort = self.cx.terms.sorts.bv(width);
        Ok(self.cx.terms.lit(Value::Bv(value), sort))
    }

    // ----- applications -----

    fn apply(&mut self, node: NodeId, args: &[Val]) -> Read<Val> {
        let head = self.tree.items(node)[0];
        let Some(name) = self.tree.symbol(head) else {
            return self.apply_indexed(node, head, args);
        };
        if self.local(name).is_none()
            && let Some(symbol) = self.symbols.get(name).cloned()
        {
            return self.apply_symbol(node, name, &symbol, args);
        }
        let terms = plain(args);
        let applied = match terms {
            Some(terms) if !is_temporal(name) => {
                operator::apply(&mut self.cx.terms, name, &[], &terms).map(Val::Term)
            }
            _ => self.connect(name, args),
        };
        applied.map_err(|failed| self.failed(node, head, name, args, failed))
    }

    /// `((_ extract 3 0) t)` and `((as const S) t)`.
    fn apply_indexed(&mut self, node: NodeId, head: NodeId, args: &[Val]) -> Read<Val> {
        let items = self.tree.items(head);
        let wrong = || {
            self.tree
                .error("smtlib-operator", head, "an operator is expected here")
        };
        let terms = plain(args).ok_or_else(wrong)?;
        match (self.tree.head(head), items) {
            (Some("as"), &[_, what, sort]) if self.tree.symbol(what) == Some("const") => {
                let array = self.sort(sort)?;
                let (Some((_, element)), &[value]) =
                    (self.cx.terms.sorts.as_array(array), &terms[..])
                else {
                    let message = "`const` makes an array of one value";
                    return Err(self.tree.error("smtlib-sort", head, message));
                };
                let place = self.tree.items(node)[1];
                let Val::Term(value) = self.fitted(place, Val::Term(value), element)? else {
                    return Err(wrong());
                };
                let everywhere = self.cx.terms.build(Op::ConstArray(array), &[value]);
                Ok(Val::Term(everywhere.expect("the sorts were checked")))
            }
            (Some("_"), &[_, name, ref indices @ ..]) if !indices.is_empty() => {
                let name = self.tree.symbol(name).ok_or_else(wrong)?;
                let numbers: Option<Vec<u32>> = indices
                    .iter()
                    .map(|&index| self.tree.text(index).parse().ok())
                    .collect();
                let numbers = numbers.ok_or_else(wrong)?;
                let applied = operator::apply(&mut self.cx.terms, name, &numbers, &terms);
                applied
                    .map(Val::Term)
                    .map_err(|failed| self.failed(node, head, name, args, failed))
            }
            _ => Err(wrong()),
        }
    }

    fn apply_symbol(
        &mut self,
        node: NodeId,
        name: &str,
        symbol: &Symbol,
        args: &[Val],
    ) -> Read<Val> {
        let sorts: Vec<SortId> = match symbol {
            Symbol::Value(_) => Vec::new(),
            Symbol::Macro { params, .. } => params
                .iter()
                .map(|&var| self.cx.terms.var_sort(var))
                .collect(),
            Symbol::Function { params, .. } => params.clone(),
        };
        if sorts.len() != args.len() {
            let message = format!(
                "`{name}` takes {} arguments, not {}",
                sorts.len(),
                args.len()
            );
            return Err(self.tree.error("smtlib-arguments", node, message));
        }
        let mut fitted = Vec::with_capacity(args.len());
        for (at, (&arg, &sort)) in args.iter().zip(&sorts).enumerate() {
            let place = self.tree.items(node)[at + 1];
            match self.fitted(place, arg, sort)? {
                Val::Term(term) => fitted.push(term),
                Val::Formula(_) => {
                    let message = "a temporal operator cannot stand in an argument";
                    return Err(self.tree.error("smtlib-temporal", place, message));
                }
            }
        }
        match symbol {
            Symbol::Macro {
                params,
                body: Val::Term(body),
            } => {
                let mut substitution = Substitution::new();
                for (&param, &arg) in params.iter().zip(&fitted) {
                    substitution.insert(&mut self.cx.terms, param, arg);
                }
                Ok(Val::Term(substitution.apply(&mut self.cx.terms, *body)))
            }
            Symbol::Function { result, .. } => {
                let message = format!(
                    "`{name}` has no definition: uninterpreted functions are not supported"
                );
                let finding = self.tree.error("smtlib-uninterpreted", node, message);
                Ok(Val::Term(self.refuse(*result, finding)))
            }
            Symbol::Value(_) | Symbol::Macro { .. } => {
                let message = "a definition with temporal operators has no parameters";
                Err(self.tree.error("smtlib-temporal", node, message))
            }
        }
    }

    fn failed(
        &self,
        node: NodeId,
        head: NodeId,
        name: &str,
        args: &[Val],
        failed: Failed,
    ) -> Diagnostic {
        match failed {
            Failed::Unknown => self.unknown(head, name),
            Failed::Other(message) => self.tree.error("smtlib-operands", node, message),
            Failed::Operands => {
                let sorts = &self.cx.terms.sorts;
                let given: Vec<String> = args
                    .iter()
                    .map(|arg| match arg {
                        Val::Term(term) => sorts.describe(self.cx.terms.sort(*term)),
                        Val::Formula(_) => "a temporal formula".to_owned(),
                    })
                    .collect();
                let message = format!("`{name}` does not take {}", given.join(" and "));
                self.tree.error("smtlib-operands", node, message)
            }
        }
    }

    /// Makes parameters known while `read` reads a body; their variables.
    pub fn with_locals<T>(
        &mut self,
        locals: &[(&'a str, Val)],
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        let n_bound = self.bound.len();
        for &(name, value) in locals {
            self.bind(name, value);
        }
        let result = read(self);
        self.unbind(n_bound);
        result
    }

    fn bind(&mut self, name: &'a str, value: Val) {
        self.locals.entry(name).or_default().push(value);
        self.bound.push(name);
    }

    /// Takes all names away but the first ones.
    fn unbind(&mut self, n_left: usize) {
        for name in self.bound.drain(n_left..) {
            self.locals.get_mut(name).and_then(Vec::pop);
        }
    }

    fn local(&self, name: &str) -> Option<Val> {
        self.locals.get(name)?.last().copied()
    }
}

/// The terms, if there are no formulas among them.
fn plain(args: &[Val]) -> Option<Vec<TermId>> {
    let term = |arg: &Val| match arg {
        Val::Term(term) => Some(*term),
        Val::Formula(_) => None,
    };
    args.iter().map(term).collect()
}

/// The number that digits are, with a sign or without.
fn decimal(text: &str) -> Int {
    match text.strip_prefix('-') {
        Some(digits) => -&decimal(digits),
        None => Int::parse_radix(text, 10).expect("they are digits"),
    }
}
