//! Terms of expressions and triggers.

use super::lower::{Local, Lower, unknown};
use super::parse::{Parse, unsupported};
use super::tree::{Binary, Expr, ExprKind, Join, Name, Trigger, TriggerKind};
use super::value::{Ty, Val, mismatch};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Int, Op, TermId, Value};

impl Lower<'_> {
    /// A truth value.
    pub fn condition(&mut self, expr: &Expr) -> Parse<TermId> {
        let value = self.value(expr)?;
        match self.fit(value, &Ty::Bool, expr.span)? {
            Val::Term(term) => Ok(term),
            Val::Record(_) => unreachable!("a truth value is one term"),
        }
    }

    /// A value of a type.
    pub fn value_as(&mut self, expr: &Expr, ty: &Ty) -> Parse<Val> {
        if let (ExprKind::Array(all), Ty::Array(_, element)) = (&expr.kind, ty) {
            let Val::Term(mut array) = self.default_value(ty) else {
                unreachable!("an array is one term");
            };
            for (at, one) in all.iter().enumerate() {
                let Val::Term(value) = self.value_as(one, element)? else {
                    unreachable!("elements of arrays are no records");
                };
                let at = self
                    .cx
                    .terms
                    .int(Int::from(i64::try_from(at).unwrap_or(i64::MAX)));
                array = self.cx.terms.store(array, at, value);
            }
            return Ok(Val::Term(array));
        }
        if let (ExprKind::Record(given), Ty::Record(fields)) = (&expr.kind, ty) {
            let mut all = Vec::new();
            for (name, ty) in fields {
                let value = match given.iter().find(|(known, _)| known == name) {
                    Some((_, value)) => self.value_as(value, ty)?,
                    None => self.default_value(ty),
                };
                all.push((name.clone(), value));
            }
            return Ok(Val::Record(all));
        }
        let value = self.value(expr)?;
        self.fit(value, ty, expr.span)
    }

    /// A value and its type.
    pub fn value(&mut self, expr: &Expr) -> Parse<(Val, Ty)> {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Bool(value) => (Val::Term(self.cx.terms.bool(*value)), Ty::Bool),
            ExprKind::Int(value) => (Val::Term(self.cx.terms.int(value.clone())), Ty::Int),
            ExprKind::Rat(value) => {
                let rat = self.cx.terms.sorts.rat();
                (
                    Val::Term(self.cx.terms.lit(Value::Rat(value.clone()), rat)),
                    Ty::Rat,
                )
            }
            ExprKind::Name(name) => self.named(name, span)?,
            ExprKind::Literal(ty, literal) => self.literal(ty, literal, span)?,
            ExprKind::Param(port, event, param) => self.parameter([port, event, param], span)?,
            ExprKind::Field(inner, field) => {
                let (value, ty) = self.value(inner)?;
                let (Val::Record(values), Ty::Record(types)) = (value, ty) else {
                    return Err(mismatch("only records have fields", inner.span));
                };
                let at = types.iter().position(|(known, _)| known == field);
                let Some(at) = at else {
                    let name = Name {
                        text: field.clone(),
                        span,
                    };
                    return Err(unknown(
                        "field",
                        &name,
                        types.iter().map(|(name, _)| &**name),
                    ));
                };
                (values[at].1.clone(), types[at].1.clone())
            }
            ExprKind::Index(array, index) => {
                let (Val::Term(array), Ty::Array(_, element)) = self.value(array)? else {
                    return Err(mismatch("only arrays have elements", array.span));
                };
                let Val::Term(index) = self.value_as(index, &Ty::Int)? else {
                    unreachable!("an integer is one term");
                };
                (Val::Term(self.cx.terms.select(array, index)), *element)
            }
            ExprKind::Call(name, args) => self.call_value(name, args, span)?,
            ExprKind::InState(path) => {
                let name = &path[path.len() - 1];
                let state = self.instance.and_then(|_| self.own().tree.node(name));
                let is_state =
                    |&at: &usize| self.own().tree.nodes[at].what == super::chart_tree::What::State;
                let Some(state) = state.filter(is_state) else {
                    let message = format!("there is no state `{name}`");
                    return Err(Box::new(
                        Diagnostic::error("unknown-state", message).at(span),
                    ));
                };
                (Val::Term(self.active(state)), Ty::Bool)
            }
            // The condition of a last branch.
            ExprKind::Else => (Val::Term(self.cx.terms.true_()), Ty::Bool),
            ExprKind::Array(_) => return Err(unsupported("an array literal here", span)),
            ExprKind::Record(_) => return Err(unsupported("a record literal here", span)),
            ExprKind::Not(arg) => {
                let arg = self.condition(arg)?;
                (Val::Term(self.cx.terms.not(arg)), Ty::Bool)
            }
            ExprKind::Neg(arg) => {
                let (value, ty) = self.value(arg)?;
                let (Val::Term(term), Ty::Int | Ty::Range(..) | Ty::Rat) = (value, &ty) else {
                    return Err(mismatch("only numbers have a sign", arg.span));
                };
                let ty = if ty == Ty::Rat { Ty::Rat } else { Ty::Int };
                (Val::Term(self.cx.terms.neg(term)), ty)
            }
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
                let ty = if then.1 == Ty::Rat || otherwise.1 == Ty::Rat {
                    Ty::Rat
                } else {
                    then.1.clone()
                };
                let then = self.fit(then, &ty, span)?;
                let otherwise = self.fit(otherwise, &ty, span)?;
                (self.ite(condition, &then, &otherwise), ty)
            }
            ExprKind::Chain(first, rest) => {
                let mut left = self.value(first)?;
                for (operator, right) in rest {
                    let value = self.value(right)?;
                    left = self.binary(*operator, left, value, first.span.to(right.span))?;
                }
                left
            }
        })
    }

    pub fn ite(&mut self, condition: TermId, then: &Val, otherwise: &Val) -> Val {
        match (then, otherwise) {
            (Val::Term(then), Val::Term(otherwise)) => {
                Val::Term(self.cx.terms.ite(condition, *then, *otherwise))
            }
            (Val::Record(then), Val::Record(otherwise)) => {
                let both = then.iter().zip(otherwise);
                let fields = both.map(|((name, then), (_, other))| {
                    (name.clone(), self.ite(condition, then, other))
                });
                Val::Record(fields.collect())
            }
            _ => unreachable!("both values are of one type"),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Parse<(Val, Ty)> {
        let locals = self.locals[self.hidden..].iter().rev();
        let local = locals
            .clone()
            .find(|(known, _)| **known == *name)
            .map(|(_, local)| local.clone());
        match local {
            Some(Local::Value(value, ty)) => return Ok((value, ty)),
            Some(Local::Slot(slot)) => return Ok(self.read(&slot)),
            None => {}
        }
        if self.instance.is_some() {
            let own = self.own();
            if let Some(slot) = own.vars.get(name).cloned() {
                return Ok(self.read(&slot));
            }
            if let Some(value) = own.params.get(name) {
                return Ok(value.clone());
            }
        }
        if let Some((file, decl)) = self.project.constant(self.file, name) {
            if self.calls.iter().any(|call| **call == *name) {
                let message = format!("the constant `{name}` is defined by itself");
                return Err(Box::new(Diagnostic::error("recursion", message).at(span)));
            }
            let ty = self.ty(file, &decl.ty)?;
            let Some(value) = &decl.value else {
                let message = format!("the constant `{name}` has no value");
                return Err(Box::new(
                    Diagnostic::error("not-constant", message).at(decl.name.span),
                ));
            };
            self.calls.push(name.into());
            let before = (
                std::mem::replace(&mut self.file, file),
                std::mem::replace(&mut self.hidden, self.locals.len()),
            );
            let value = self.value_as(value, &ty);
            (self.file, self.hidden) = before;
            self.calls.pop();
            return Ok((value?, ty));
        }
        let mut known: Vec<&str> = self.locals[self.hidden..]
            .iter()
            .map(|(name, _)| &**name)
            .collect();
        if self.instance.is_some() {
            known.extend(self.own().vars.keys().map(|name| &**name));
        }
        known.sort_unstable();
        let near = crate::scope::suggestion(name, known);
        let message = format!("unknown variable `{name}`");
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        let finding = Diagnostic::error("unknown-variable", message).at(span);
        Err(Box::new(finding.maybe_hint(hint)))
    }

    fn literal(&mut self, ty: &str, literal: &str, span: Span) -> Parse<(Val, Ty)> {
        let named = super::tree::Type {
            kind: super::tree::TypeKind::Named(ty.into()),
            span,
        };
        let found = self.ty(self.file, &named)?;
        let Ty::Enum(sort) = found else {
            return Err(mismatch(format!("`{ty}` is no enumeration"), span));
        };
        let decl = self.cx.terms.sorts.as_enum(sort).expect("an enumeration");
        let Some(at) = decl.position(literal) else {
            let name = Name {
                text: literal.into(),
                span,
            };
            return Err(unknown(
                "literal",
                &name,
                decl.literals.iter().map(|name| &**name),
            ));
        };
        Ok((Val::Term(self.cx.terms.lit(Value::Enum(at), sort)), found))
    }

    fn parameter(&mut self, [port, event, param]: [&str; 3], span: Span) -> Parse<(Val, Ty)> {
        if self.instance.is_none() {
            return Err(unsupported("an event parameter here", span));
        }
        let name = |text: &str| Name {
            text: text.into(),
            span,
        };
        let ends = self.ends(&name(port), &name(event))?;
        let Some(signal) = ends.input.or(ends.output) else {
            return Err(unsupported("a parameter of this event", span));
        };
        let params = &self.signals[signal].params;
        match params.iter().find(|(known, _)| **known == *param) {
            Some((_, slot)) => {
                let slot = slot.clone();
                Ok(self.read(&slot))
            }
            None => Err(unknown(
                "parameter",
                &name(param),
                params.iter().map(|(name, _)| &**name),
            )),
        }
    }

    fn equal(&mut self, left: &Val, right: &Val) -> TermId {
        match (left, right) {
            (Val::Term(left), Val::Term(right)) => self.cx.terms.eq(*left, *right),
            (Val::Record(left), Val::Record(right)) => {
                let both = left.iter().zip(right);
                let parts: Vec<TermId> = both
                    .map(|((_, left), (_, right))| self.equal(left, right))
                    .collect();
                self.cx.terms.and(&parts)
            }
            _ => unreachable!("both values are of one type"),
        }
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: (Val, Ty),
        right: (Val, Ty),
        span: Span,
    ) -> Parse<(Val, Ty)> {
        match operator {
            Binary::And | Binary::Or | Binary::Xor | Binary::Imply => {
                let left = self.fit(left, &Ty::Bool, span)?;
                let right = self.fit(right, &Ty::Bool, span)?;
                let (Val::Term(left), Val::Term(right)) = (left, right) else {
                    unreachable!("truth values are terms");
                };
                let term = match operator {
                    Binary::And => self.cx.terms.and(&[left, right]),
                    Binary::Or => self.cx.terms.or(&[left, right]),
                    Binary::Imply => self.cx.terms.implies(left, right),
                    _ => {
                        let same = self.cx.terms.eq(left, right);
                        self.cx.terms.not(same)
                    }
                };
                Ok((Val::Term(term), Ty::Bool))
            }
            Binary::Eq | Binary::Ne => {
                let ty = if left.1 == Ty::Rat {
                    Ty::Rat
                } else {
                    right.1.clone()
                };
                let (left, right) = (self.fit(left, &ty, span)?, self.fit(right, &ty, span)?);
                let same = self.equal(&left, &right);
                let term = if operator == Binary::Eq {
                    same
                } else {
                    self.cx.terms.not(same)
                };
                Ok((Val::Term(term), Ty::Bool))
            }
            _ => self.arithmetic(operator, left, right, span),
        }
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        left: (Val, Ty),
        right: (Val, Ty),
        span: Span,
    ) -> Parse<(Val, Ty)> {
        let is_rat = left.1 == Ty::Rat || right.1 == Ty::Rat;
        let ty = if is_rat { Ty::Rat } else { Ty::Int };
        let (left, right) = (self.fit(left, &ty, span)?, self.fit(right, &ty, span)?);
        let (Val::Term(left), Val::Term(right)) = (left, right) else {
            unreachable!("numbers are terms");
        };
        let terms = &mut self.cx.terms;
        let (term, ty) = match operator {
            Binary::Add => (terms.add(&[left, right]), ty),
            Binary::Sub => (terms.sub(left, right), ty),
            Binary::Mul => (terms.mul(&[left, right]), ty),
            Binary::Lt => (terms.lt(left, right), Ty::Bool),
            Binary::Le => (terms.le(left, right), Ty::Bool),
            Binary::Gt => (terms.lt(right, left), Ty::Bool),
            Binary::Ge => (terms.le(right, left), Ty::Bool),
            _ => {
                let op = match (operator, is_rat) {
                    (Binary::Divide, true) => Op::RatDiv,
                    (Binary::Divide | Binary::Div, false) => Op::Div,
                    (Binary::Mod, false) => Op::Mod,
                    _ => return Err(mismatch("`div` and `mod` are for integers", span)),
                };
                let term = terms.build(op, &[left, right]);
                (term.map_err(|error| mismatch(error.to_string(), span))?, ty)
            }
        };
        Ok((Val::Term(term), ty))
    }

    /// Whether a trigger is there.
    pub fn trigger(&mut self, trigger: &Trigger) -> Parse<TermId> {
        Ok(match &trigger.kind {
            TriggerKind::Event(port, event) => {
                let ends = self.ends(port, event)?;
                let Some(signal) = ends.input else {
                    let message = format!("`{}.{}` does not come in", port.text, event.text);
                    let finding = Diagnostic::error("gamma-port", message).at(trigger.span);
                    return Err(Box::new(finding));
                };
                let flag = self.signals[signal].flag;
                self.cx.terms.var(flag)
            }
            TriggerKind::AnyOf(port) => {
                let found = self.own().ports.iter().find(|(name, _)| *name == port.text);
                let Some((_, events)) = found else {
                    return Err(unknown(
                        "port",
                        port,
                        self.own().ports.iter().map(|(name, _)| &**name),
                    ));
                };
                let inputs: Vec<_> = events.iter().filter_map(|(_, ends)| ends.input).collect();
                self.any_of(&inputs)
            }
            TriggerKind::Any => {
                let events = self.own().ports.iter().flat_map(|(_, events)| events);
                let inputs: Vec<_> = events.filter_map(|(_, ends)| ends.input).collect();
                let timeouts: Vec<_> = {
                    let mut all: Vec<_> = self.own().timeouts.values().copied().collect();
                    all.sort_unstable();
                    all
                };
                let mut parts = vec![self.any_of(&inputs)];
                for var in timeouts {
                    parts.push(self.is_over(var));
                }
                self.cx.terms.or(&parts)
            }
            TriggerKind::Cycle => self.cx.terms.true_(),
            TriggerKind::Timeout(name) => {
                let Some(&var) = self.own().timeouts.get(&name.text) else {
                    return Err(unknown(
                        "timeout",
                        name,
                        self.own().timeouts.keys().map(|name| &**name),
                    ));
                };
                self.is_over(var)
            }
            TriggerKind::Not(inner) => {
                let inner = self.trigger(inner)?;
                self.cx.terms.not(inner)
            }
            TriggerKind::Chain(join, all) => {
                let mut terms = Vec::new();
                for one in all {
                    terms.push(self.trigger(one)?);
                }
                match join {
                    Join::And => self.cx.terms.and(&terms),
                    Join::Or => self.cx.terms.or(&terms),
                    Join::Imply => self.cx.terms.implies(terms[0], terms[1]),
                    Join::Eq => self.cx.terms.eq(terms[0], terms[1]),
                    Join::Xor => {
                        let first = terms[0];
                        terms[1..].iter().fold(first, |left, &right| {
                            let same = self.cx.terms.eq(left, right);
                            self.cx.terms.not(same)
                        })
                    }
                }
            }
        })
    }

    fn any_of(&mut self, signals: &[usize]) -> TermId {
        let flags: Vec<TermId> = signals
            .iter()
            .map(|&signal| self.cx.terms.var(self.signals[signal].flag))
            .collect();
        self.cx.terms.or(&flags)
    }
}
