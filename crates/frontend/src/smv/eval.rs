//! Reads expressions in their instances: names are resolved, defines and arguments are read where they stand.
//!
//! One loop with a stack of its own: chains of defines may be as long as the file. What was read once is kept, so that a define
//! that is used everywhere costs one reading.

use super::flat::{Flat, InstId, Layout, Slot, Sound, Symbol, Wrong};
use super::tree::{ExprId, NameId, Node, Role};
use super::value::{Data, Ty, Value};
use crate::parser::shorten;
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Int, TermId, Value as Literal};
use std::fmt::Write as _;
use std::rc::Rc;

/// An expression in its instance; whether it is read after the step (`next`).
pub(super) type Key = (InstId, ExprId, bool);

/// What a path stands for.
enum Found {
    Symbol(Symbol),
    Constant(TermId),
}

/// A step of a path.
enum Part {
    Name(NameId),
    Index(Int),
}

impl Flat<'_> {
    /// The value of an expression.
    pub fn value(&mut self, instance: InstId, expr: ExprId, primed: bool) -> Sound<Rc<Value>> {
        let root = (instance, expr, primed);
        let mut stack = vec![root];
        let result = self.evaluate(&mut stack);
        if result.is_err() {
            // What was not finished may be asked for again.
            for key in stack {
                if self.memo.get(&key).is_some_and(Option::is_none) {
                    self.memo.remove(&key);
                }
            }
            return Err(Wrong);
        }
        Ok(self.memo[&root]
            .clone()
            .expect("what was evaluated has a value"))
    }

    fn evaluate(&mut self, stack: &mut Vec<Key>) -> Sound<()> {
        let mut missing: Vec<Key> = Vec::new();
        while let Some(&key) = stack.last() {
            if self.memo.get(&key).is_some_and(Option::is_some) {
                stack.pop();
                continue;
            }
            // In progress: whatever needs it again is circular.
            self.memo.insert(key, None);
            let needs = self.needs(key)?;
            missing.clear();
            for &need in &needs {
                match self.memo.get(&need) {
                    Some(Some(_)) => {}
                    Some(None) => return Err(self.circular(need.1)),
                    None => missing.push(need),
                }
            }
            if missing.is_empty() {
                let values: Vec<Rc<Value>> = needs
                    .iter()
                    .map(|need| self.memo[need].clone().expect("nothing is missing"))
                    .collect();
                let value = self.compute(key, &values)?;
                self.memo.insert(key, Some(value));
                stack.pop();
            } else {
                stack.extend(missing.iter().rev());
            }
        }
        Ok(())
    }

    fn circular(&mut self, expr: ExprId) -> Wrong {
        let span = self.tree.spans[expr];
        self.error("circular-definition", span, "this is defined by itself")
    }

    /// What must be known before an expression.
    fn needs(&mut self, (instance, expr, primed): Key) -> Sound<Vec<Key>> {
        let span = self.tree.spans[expr];
        let node = &self.tree.nodes[expr];
        if matches!(node, Node::Name(_) | Node::Dot(..) | Node::Index(..)) {
            match self.resolve(instance, expr) {
                Some((at, Found::Symbol(Symbol::Define(value)))) => {
                    return Ok(vec![(at, value, primed)]);
                }
                Some((_, Found::Symbol(Symbol::Parameter(value, at)))) => {
                    return Ok(vec![(at, value, primed)]);
                }
                Some(_) => return Ok(Vec::new()),
                None => {}
            }
            return match self.tree.nodes[expr] {
                Node::Index(of, index) => {
                    Ok(vec![(instance, of, primed), (instance, index, primed)])
                }
                _ => Err(self.unknown(instance, expr)),
            };
        }
        if let Node::Call(name, arguments) = node
            && self.tree.text(*name) == "next"
        {
            let arguments = arguments.clone();
            if primed {
                return Err(self.error("nested-next", span, "`next` inside of `next`"));
            }
            let [argument] = arguments[..] else {
                return Err(self.error("wrong-arguments", span, "`next` has one argument"));
            };
            return Ok(vec![(instance, argument, true)]);
        }
        let children = node.children();
        Ok(children
            .into_iter()
            .map(|child| (instance, child, primed))
            .collect())
    }

    fn compute(&mut self, (instance, expr, primed): Key, values: &[Rc<Value>]) -> Sound<Rc<Value>> {
        let span = self.tree.spans[expr];
        let node = self.tree.nodes[expr].clone();
        if matches!(node, Node::Name(_) | Node::Dot(..) | Node::Index(..))
            && let Some((_, found)) = self.resolve(instance, expr)
        {
            return match found {
                Found::Constant(term) => Ok(Rc::new(self.defined(Ty::Symbol, term))),
                Found::Symbol(Symbol::Define(_) | Symbol::Parameter(..)) => {
                    Ok(Rc::clone(&values[0]))
                }
                Found::Symbol(Symbol::Instance(id)) => {
                    let undefined = self.cx.terms.false_();
                    let data = Data::Instance(id);
                    Ok(Rc::new(Value { data, undefined }))
                }
                Found::Symbol(Symbol::Variable(layout)) => self.layout_value(&layout, primed, span),
                Found::Symbol(Symbol::Declared) => {
                    let message = "the value of a variable is not known here";
                    Err(self.error("not-constant", span, message))
                }
                Found::Symbol(Symbol::Running(process)) => {
                    let selector = self.selector.expect("there are processes");
                    let now = self.slot_term(selector, primed, span)?;
                    let position = self.processes.iter().position(|&at| at == process);
                    let position = position.expect("it is a process") as u32;
                    let sort = self.cx.terms.sort(now);
                    let own = self.cx.terms.lit(Literal::Enum(position), sort);
                    let term = self.cx.terms.eq(now, own);
                    Ok(Rc::new(self.defined(Ty::Bool, term)))
                }
            };
        }
        if let Node::Call(name, _) = &node
            && self.tree.text(*name) == "next"
        {
            return Ok(Rc::clone(&values[0]));
        }
        self.operation(&node, span, values).map(Rc::new)
    }

    /// The values of a variable, or of the elements of an array. The recursion follows nested array types.
    fn layout_value(&mut self, layout: &Layout, primed: bool, span: Span) -> Sound<Rc<Value>> {
        match layout {
            Layout::Scalar(slot) => {
                let term = self.slot_term(*slot, primed, span)?;
                let ty = self.variables[*slot].ty.clone();
                Ok(Rc::new(self.defined(ty, term)))
            }
            Layout::Array(low, elements) => {
                let mut values = Vec::with_capacity(elements.len());
                for element in elements {
                    values.push(self.layout_value(element, primed, span)?);
                }
                let data = Data::Array(*low, values);
                let undefined = self.cx.terms.false_();
                Ok(Rc::new(Value { data, undefined }))
            }
        }
    }

    fn slot_term(&mut self, slot: Slot, primed: bool, span: Span) -> Sound<TermId> {
        let variable = &self.variables[slot];
        let var = match (variable.role, primed) {
            (Role::Input, true) => {
                let message = format!(
                    "`{}` is an input: it has no next value",
                    shorten(&variable.name)
                );
                return Err(self.error("next-of-input", span, message));
            }
            (Role::State, true) => variable.next,
            _ => variable.now,
        };
        Ok(self.cx.terms.var(var))
    }

    /// What a path stands for, and in which instance; the longest declared name wins.
    fn resolve(&self, instance: InstId, expr: ExprId) -> Option<(InstId, Found)> {
        if let Node::Name(name) = self.tree.nodes[expr]
            && let Some((symbol, _)) = self.symbols.get(&(instance, name))
        {
            return Some((instance, Found::Symbol(symbol.clone())));
        }
        let parts = self.parts(expr)?;
        let (mut at, mut rest) = (instance, &parts[..]);
        loop {
            let found = (1..=rest.len()).rev().find_map(|n| {
                let symbol = self.declared(at, self.join(&rest[..n]))?;
                Some((n, symbol))
            });
            let inner = match found {
                None => match rest {
                    [Part::Name(name), ..]
                        if rest.len() == parts.len() && self.tree.text(*name) == "self" =>
                    {
                        rest = &rest[1..];
                        Symbol::Instance(at)
                    }
                    _ if rest.len() == parts.len() => {
                        let constant = self.symbol_value(&self.join(rest))?;
                        return Some((at, Found::Constant(constant)));
                    }
                    _ => return None,
                },
                Some((n, symbol)) => {
                    rest = &rest[n..];
                    symbol
                }
            };
            if rest.is_empty() {
                return Some((at, Found::Symbol(inner)));
            }
            at = self.instance_of(inner)?;
        }
    }

    /// What a name is declared as in an instance.
    fn declared(&self, at: InstId, text: String) -> Option<Symbol> {
        let key = self.tree.names.get(&text.into_boxed_str())?;
        let (symbol, _) = self.symbols.get(&(at, key))?;
        Some(symbol.clone())
    }

    /// The instance that a path stands for.
    pub fn named_instance(&self, at: InstId, path: ExprId) -> Option<InstId> {
        match self.resolve(at, path)? {
            (_, Found::Symbol(symbol)) => self.instance_of(symbol),
            (_, Found::Constant(_)) => None,
        }
    }

    /// The instance that a symbol stands for, by parameters of any number of instances.
    fn instance_of(&self, mut symbol: Symbol) -> Option<InstId> {
        loop {
            match symbol {
                Symbol::Instance(id) => return Some(id),
                Symbol::Parameter(expr, at) => match self.resolve(at, expr)? {
                    (_, Found::Symbol(inner)) => symbol = inner,
                    (_, Found::Constant(_)) => return None,
                },
                _ => return None,
            }
        }
    }

    /// The parts of a path, if the expression is one with constant indices.
    fn parts(&self, expr: ExprId) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut at = expr;
        loop {
            match &self.tree.nodes[at] {
                Node::Name(name) => {
                    parts.push(Part::Name(*name));
                    break;
                }
                Node::Dot(of, name) => {
                    parts.push(Part::Name(*name));
                    at = *of;
                }
                Node::Index(of, index) => {
                    parts.push(Part::Index(self.tree.constant_index(*index)?));
                    at = *of;
                }
                _ => return None,
            }
        }
        parts.reverse();
        Some(parts)
    }

    fn join(&self, parts: &[Part]) -> String {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Name(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(self.tree.text(*name));
                }
                Part::Index(index) => {
                    let _ = write!(text, "[{index}]");
                }
            }
        }
        text
    }

    fn unknown(&mut self, instance: InstId, expr: ExprId) -> Wrong {
        let span = self.tree.spans[expr];
        let text = self.tree.path(expr).unwrap_or_else(|| "this".into());
        let parts = text.split('-').filter(|part| !part.is_empty());
        let is_known = |part: &str| {
            let key = self.tree.names.get(&part.into());
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            is_number || key.is_some_and(|key| self.symbols.contains_key(&(instance, key)))
        };
        let hint = if text.contains('-') && parts.clone().all(is_known) {
            Some("`-` is a letter of names: put spaces around it to subtract".to_owned())
        } else {
            let mut names: Vec<&str> = self
                .symbols
                .keys()
                .filter(|(at, _)| *at == instance)
                .map(|(_, name)| self.tree.text(*name))
                .collect();
            names.sort_unstable();
            crate::scope::suggestion(&text, names).map(|near| format!("did you mean `{near}`?"))
        };
        let message = format!("`{}` is not declared", shorten(&text));
        self.report(
            Diagnostic::error("unknown-name", message)
                .at(span)
                .maybe_hint(hint),
        )
    }

    /// A constant integer: a bound, a width.
    pub fn constant(&mut self, instance: InstId, expr: ExprId) -> Sound<Int> {
        let span = self.tree.spans[expr];
        let value = self.value(instance, expr, false)?;
        let (_, term) = self.term(&value, span)?;
        match self.cx.terms.as_lit(term) {
            Some(Literal::Int(int)) => Ok(int.clone()),
            _ => Err(self.error("not-constant", span, "this must be a constant integer")),
        }
    }

    /// The scalar variable or array that is assigned, by parameters of any number of instances.
    pub fn target(&mut self, instance: InstId, expr: ExprId) -> Sound<Rc<Layout>> {
        let span = self.tree.spans[expr];
        let (mut instance, mut expr) = (instance, expr);
        let mut indices = Vec::new();
        loop {
            match self.resolve(instance, expr) {
                Some((_, Found::Symbol(Symbol::Variable(layout)))) => {
                    return self.element(layout, &indices, span);
                }
                Some((_, Found::Symbol(Symbol::Parameter(value, at)))) => {
                    (instance, expr) = (at, value);
                }
                Some(_) => break,
                None => match self.tree.nodes[expr] {
                    Node::Index(of, index) => {
                        indices.push(self.constant(instance, index)?);
                        expr = of;
                    }
                    Node::Name(_) | Node::Dot(..) => return Err(self.unknown(instance, expr)),
                    _ => break,
                },
            }
        }
        Err(self.error("bad-target", span, "only a variable can be assigned"))
    }

    fn element(
        &mut self,
        mut layout: Rc<Layout>,
        indices: &[Int],
        span: Span,
    ) -> Sound<Rc<Layout>> {
        for index in indices.iter().rev() {
            let found = match &*layout {
                Layout::Array(low, elements) => {
                    let at = index
                        .to_i64()
                        .and_then(|index| usize::try_from(index - low).ok());
                    at.and_then(|at| elements.get(at)).cloned()
                }
                Layout::Scalar(_) => None,
            };
            layout =
                found.ok_or_else(|| self.error("bad-index", span, "there is no such element"))?;
        }
        Ok(layout)
    }
}
