//! Statements of actions; functions that are called, inlined.
//!
//! In an expression a function is a term: its body is executed on terms, and branches are joined. As an action it is its
//! statements; what comes after a `return` is skipped by a flag.

use super::lower::{Local, Lower, unknown};
use super::parse::{Parse, unsupported};
use super::tree::{Action, ActionKind, Expr, ExprKind, Function, Name};
use super::value::{Slot, Ty, Val, mismatch};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Int, Op, TermId, Value, VarId};
use lariat_system::{Stmt, StmtId};

/// How many rounds a loop may have that is executed on terms.
const MAX_ROUNDS: i64 = 1000;

impl<'a> Lower<'a> {
    /// The statements of actions; names that they declare are known until their end.
    pub fn actions(&mut self, actions: &[Action]) -> Parse<StmtId> {
        let n_locals = self.locals.len();
        let stmts = self.sequence(actions);
        self.locals.truncate(n_locals);
        let stmts = stmts?;
        Ok(self.seq(&stmts))
    }

    fn sequence(&mut self, actions: &[Action]) -> Parse<Vec<StmtId>> {
        let mut stmts = Vec::new();
        for (at, action) in actions.iter().enumerate() {
            self.action(action, &mut stmts)?;
            if let Some(flag) = self.returned
                && at + 1 < actions.len()
                && may_return(action)
            {
                let rest = self.sequence(&actions[at + 1..])?;
                let (rest, flag) = (self.seq(&rest), self.cx.terms.var(flag));
                let goes_on = self.cx.terms.not(flag);
                stmts.push(self.when(goes_on, rest, None));
                break;
            }
        }
        Ok(stmts)
    }

    fn action(&mut self, action: &Action, out: &mut Vec<StmtId>) -> Parse<()> {
        let span = action.span;
        match &action.kind {
            ActionKind::Assign(target, value) => self.assignment(target, value, span, out)?,
            ActionKind::Raise(port, event, args) => self.raise(port, event, args, span, out)?,
            ActionKind::Set(name, value, factor) => {
                let var = self.timeout(name)?;
                let value = self.duration(value, *factor)?;
                out.push(self.cx.stmts.add(Stmt::Assign(var, value), Some(span)));
            }
            ActionKind::Deactivate(name) => {
                let var = self.timeout(name)?;
                self.deactivated.insert(var);
                let never = self.never();
                out.push(self.cx.stmts.add(Stmt::Assign(var, never), Some(span)));
            }
            ActionKind::If(branches) => {
                let mut stmt = None;
                for (condition, body) in branches.iter().rev() {
                    let body = self.actions(body)?;
                    stmt = Some(match condition {
                        None => body,
                        Some(condition) => {
                            let condition = self.condition(condition)?;
                            self.when(condition, body, stmt)
                        }
                    });
                }
                out.extend(stmt);
            }
            ActionKind::Switch(value, branches) => {
                let mut stmt = None;
                for (case, body) in branches.iter().rev() {
                    let body = self.actions(body)?;
                    stmt = Some(match case {
                        None => body,
                        Some(case) => {
                            let condition = self.condition(&is_case(value, case))?;
                            self.when(condition, body, stmt)
                        }
                    });
                }
                out.extend(stmt);
            }
            ActionKind::For(name, bounds, body) => {
                let (low, high) = &**bounds;
                let (low, high) = (
                    self.value_as(low, &Ty::Int)?,
                    self.value_as(high, &Ty::Int)?,
                );
                let (Val::Term(from), Val::Term(high)) = (low, high) else {
                    unreachable!("integers are terms");
                };
                let one = self.cx.terms.int(1);
                let to = self.cx.terms.add(&[high, one]);
                let int = self.cx.terms.sorts.int();
                let var = self.local(&name.text, int);
                self.locals
                    .push((name.text.clone(), Local::Slot(Slot::Var(var, Ty::Int))));
                let body = self.actions(body);
                self.locals.pop();
                let mut body = body?;
                if let Some(flag) = self.returned.filter(|_| may_return(action)) {
                    let flag = self.cx.terms.var(flag);
                    let goes_on = self.cx.terms.not(flag);
                    body = self.when(goes_on, body, None);
                }
                let stmt = Stmt::For {
                    var,
                    from,
                    to,
                    body,
                };
                out.push(self.cx.stmts.add(stmt, Some(span)));
            }
            ActionKind::Choice(branches) => {
                let mut all = Vec::new();
                for (guard, body) in branches {
                    let guard = self.condition(guard)?;
                    let (guard, body) = (self.assume(guard), self.actions(body)?);
                    all.push(self.seq(&[guard, body]));
                }
                out.push(self.cx.stmts.choice(&all, Some(span)));
            }
            ActionKind::Var(decl) => {
                let ty = self.ty(self.file, &decl.ty)?;
                let value = match &decl.value {
                    Some(value) => self.value_as(value, &ty)?,
                    None => self.default_value(&ty),
                };
                let slot = self.local_slot(&decl.name.text, &value, &ty, out);
                self.locals
                    .push((decl.name.text.clone(), Local::Slot(slot)));
            }
            ActionKind::Assert => return Err(unsupported("`assert`", span)),
            ActionKind::Block(actions) => {
                let inner = self.actions(actions)?;
                out.push(inner);
            }
            ActionKind::Call(name, args) => self.call(name, args, span, out)?,
            ActionKind::Return(_) => {
                let Some(flag) = self.returned else {
                    return Err(unsupported("`return` outside of a function", span));
                };
                out.push(self.assign_bool(flag, true));
            }
        }
        Ok(())
    }

    fn timeout(&self, name: &Name) -> Parse<VarId> {
        let own = self.own();
        let found = own.timeouts.get(&name.text).copied();
        found.ok_or_else(|| unknown("timeout", name, own.timeouts.keys().map(|name| &**name)))
    }

    fn assignment(
        &mut self,
        target: &Expr,
        value: &Expr,
        span: Span,
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        if let ExprKind::Index(array, index) = &target.kind {
            let slot = self.target(array)?;
            let Slot::Var(var, Ty::Array(_, element)) = slot else {
                return Err(mismatch("only arrays have elements", array.span));
            };
            let (index, value) = (
                self.value_as(index, &Ty::Int)?,
                self.value_as(value, &element)?,
            );
            let (Val::Term(index), Val::Term(value)) = (index, value) else {
                unreachable!("elements of arrays are no records");
            };
            let array = self.cx.terms.var(var);
            let array = self.cx.terms.store(array, index, value);
            out.push(self.cx.stmts.add(Stmt::Assign(var, array), Some(span)));
            return Ok(());
        }
        let slot = self.target(target)?;
        let (_, ty) = self.read(&slot);
        let value = self.value_as(value, &ty)?;
        if let (Slot::Record(_), Val::Record(_)) = (&slot, &value) {
            // Fields may be exchanged: all are read before one is written.
            let copy = self.local_slot("copy", &value, &ty, out);
            let (value, _) = self.read(&copy);
            self.write(&slot, &value, out, Some(span));
        } else {
            self.write(&slot, &value, out, Some(span));
        }
        Ok(())
    }

    /// What is assigned to.
    fn target(&mut self, target: &Expr) -> Parse<Slot> {
        match &target.kind {
            ExprKind::Name(name) => {
                let locals = self.locals[self.hidden..].iter().rev();
                let local = locals
                    .clone()
                    .find(|(known, _)| known == name)
                    .map(|(_, local)| local);
                match local {
                    Some(Local::Slot(slot)) => return Ok(slot.clone()),
                    Some(Local::Value(..)) => {
                        let message = format!("`{name}` cannot be assigned to");
                        return Err(Box::new(
                            Diagnostic::error("not-a-variable", message).at(target.span),
                        ));
                    }
                    None => {}
                }
                if let Some(slot) = self.own().vars.get(name) {
                    return Ok(slot.clone());
                }
                let name = Name {
                    text: name.clone(),
                    span: target.span,
                };
                let known = self.own().vars.keys().map(|name| &**name);
                Err(unknown("variable", &name, known))
            }
            ExprKind::Field(inner, field) => {
                let Slot::Record(fields) = self.target(inner)? else {
                    return Err(mismatch("only records have fields", inner.span));
                };
                match fields.iter().find(|(known, _)| known == field) {
                    Some((_, slot)) => Ok(slot.clone()),
                    None => {
                        let name = Name {
                            text: field.clone(),
                            span: target.span,
                        };
                        Err(unknown(
                            "field",
                            &name,
                            fields.iter().map(|(name, _)| &**name),
                        ))
                    }
                }
            }
            _ => {
                let message = "this cannot be assigned to";
                Err(Box::new(
                    Diagnostic::error("not-a-variable", message).at(target.span),
                ))
            }
        }
    }

    fn raise(
        &mut self,
        port: &Name,
        event: &Name,
        args: &[Expr],
        span: Span,
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let ends = self.ends(port, event)?;
        let Some(signal) = ends.output else {
            let message = format!("`{}.{}` does not go out", port.text, event.text);
            return Err(Box::new(Diagnostic::error("gamma-port", message).at(span)));
        };
        let params = self.signals[signal].params.clone();
        check_arguments(params.len(), args.len(), span)?;
        let mut values = Vec::new();
        for ((_, slot), arg) in params.iter().zip(args) {
            let (_, ty) = self.read(slot);
            values.push(self.value_as(arg, &ty)?);
        }
        for ((_, slot), value) in params.iter().zip(&values) {
            self.write(slot, value, out, Some(span));
        }
        let flag = self.signals[signal].flag;
        let yes = self.cx.terms.true_();
        out.push(self.cx.stmts.add(Stmt::Assign(flag, yes), Some(span)));
        for target in self.signals[signal].targets.clone() {
            let to = self.signals[target.signal].clone();
            let (flag, slots) = match (&to.next, target.at_once) {
                (Some(next), false) => (next.flag, &next.params),
                _ => (to.flag, &to.params),
            };
            for ((_, from), (_, slot)) in params.iter().zip(slots) {
                let (value, _) = self.read(from);
                self.write(slot, &value, out, None);
            }
            out.push(self.assign_bool(flag, true));
        }
        Ok(())
    }

    // Functions.

    fn function(&self, name: &str, span: Span) -> Parse<(usize, &'a Function)> {
        let own = self.instance.map(|at| &self.instances[at]);
        let local = own.and_then(|own| {
            let mut all = own.chart.functions.iter();
            all.find(|function| *function.name.text == *name)
                .map(|function| (own.file, function))
        });
        let project = self.project;
        let found = local.or_else(|| project.function(self.file, name));
        let Some(found) = found else {
            let message = format!("there is no function `{name}`");
            return Err(Box::new(
                Diagnostic::error("unknown-function", message).at(span),
            ));
        };
        if self.calls.iter().any(|call| **call == *name) {
            let message = format!("the function `{name}` calls itself");
            return Err(Box::new(Diagnostic::error("recursion", message).at(span)));
        }
        Ok(found)
    }

    /// The values of arguments, as those of the parameters.
    fn arguments(
        &mut self,
        (file, function): (usize, &Function),
        args: &[Expr],
        span: Span,
    ) -> Parse<Vec<(Val, Ty)>> {
        check_arguments(function.params.len(), args.len(), span)?;
        let mut values = Vec::new();
        for (param, arg) in function.params.iter().zip(args) {
            let ty = self.ty(file, &param.ty)?;
            values.push((self.value_as(arg, &ty)?, ty));
        }
        Ok(values)
    }

    /// What is done inside of a function: only its own names are known.
    fn inside<T>(
        &mut self,
        file: usize,
        name: &str,
        body: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        let n_locals = self.locals.len();
        let before = (
            std::mem::replace(&mut self.file, file),
            std::mem::replace(&mut self.hidden, n_locals),
            self.returned.take(),
        );
        self.calls.push(name.into());
        let result = body(self);
        self.calls.pop();
        self.locals.truncate(n_locals);
        (self.file, self.hidden, self.returned) = before;
        result
    }

    /// A function as an action.
    fn call(&mut self, name: &str, args: &[Expr], span: Span, out: &mut Vec<StmtId>) -> Parse<()> {
        let (file, function) = self.function(name, span)?;
        let values = self.arguments((file, function), args, span)?;
        let stmt = self.inside(file, name, |lower| {
            let mut stmts = Vec::new();
            for (param, (value, ty)) in function.params.iter().zip(&values) {
                let slot = lower.local_slot(&param.name.text, value, ty, &mut stmts);
                lower
                    .locals
                    .push((param.name.text.clone(), Local::Slot(slot)));
            }
            if function.body.iter().any(may_return) {
                let bool_ = lower.cx.terms.sorts.bool();
                let (flag, no) = (lower.local("returned", bool_), lower.cx.terms.false_());
                stmts.push(lower.cx.stmts.add(Stmt::Declare(flag, Some(no)), None));
                lower.returned = Some(flag);
            }
            stmts.extend(lower.sequence(&function.body)?);
            Ok(lower.seq(&stmts))
        })?;
        out.push(stmt);
        Ok(())
    }

    /// A function in an expression.
    pub fn call_value(&mut self, name: &str, args: &[Expr], span: Span) -> Parse<(Val, Ty)> {
        let (file, function) = self.function(name, span)?;
        let values = self.arguments((file, function), args, span)?;
        let ty = self.ty(file, &function.result)?;
        if ty == Ty::Void {
            let message = format!("the function `{name}` has no value");
            return Err(mismatch(message, span));
        }
        let value = self.inside(file, name, |lower| {
            for (param, (value, ty)) in function.params.iter().zip(values) {
                lower
                    .locals
                    .push((param.name.text.clone(), Local::Value(value, ty)));
            }
            let mut run = Run {
                over: lower.cx.terms.false_(),
                result: lower.default_value(&ty),
                ty: ty.clone(),
            };
            lower.execute(&function.body, &mut run)?;
            Ok(run.result)
        })?;
        Ok((value, ty))
    }

    /// Executes actions on terms: local names stand for values.
    fn execute(&mut self, actions: &[Action], run: &mut Run) -> Parse<()> {
        let n_locals = self.locals.len();
        for action in actions {
            self.execute_one(action, run)?;
        }
        self.locals.truncate(n_locals);
        Ok(())
    }

    fn execute_one(&mut self, action: &Action, run: &mut Run) -> Parse<()> {
        match &action.kind {
            ActionKind::Block(actions) => self.execute(actions, run),
            ActionKind::Var(decl) => {
                let ty = self.ty(self.file, &decl.ty)?;
                let value = match &decl.value {
                    Some(value) => self.value_as(value, &ty)?,
                    None => self.default_value(&ty),
                };
                self.locals
                    .push((decl.name.text.clone(), Local::Value(value, ty)));
                Ok(())
            }
            ActionKind::Return(Some(value)) => {
                let value = self.value_as(value, &run.ty)?;
                run.result = self.ite(run.over, &run.result, &value);
                run.over = self.cx.terms.true_();
                Ok(())
            }
            ActionKind::Assign(target, value) => {
                let ExprKind::Name(name) = &target.kind else {
                    return Err(effect(action.span));
                };
                let locals = self.locals[self.hidden..]
                    .iter()
                    .rposition(|(known, _)| known == name);
                let Some(at) = locals.map(|at| at + self.hidden) else {
                    return Err(effect(action.span));
                };
                let Local::Value(old, ty) = self.locals[at].1.clone() else {
                    return Err(effect(action.span));
                };
                let value = self.value_as(value, &ty)?;
                let value = self.ite(run.over, &old, &value);
                self.locals[at].1 = Local::Value(value, ty);
                Ok(())
            }
            ActionKind::If(branches) => self.execute_branches(branches, run),
            ActionKind::Switch(value, branches) => {
                let branches: Vec<_> = branches
                    .iter()
                    .map(|(case, body)| {
                        (case.as_ref().map(|case| is_case(value, case)), body.clone())
                    })
                    .collect();
                self.execute_branches(&branches, run)
            }
            ActionKind::For(name, bounds, body) => {
                let (low, high) = &**bounds;
                let (low, high) = (
                    self.constant_int(self.file, low)?,
                    self.constant_int(self.file, high)?,
                );
                let (Some(low), Some(high)) = (low.to_i64(), high.to_i64()) else {
                    return Err(unsupported("a loop this long", action.span));
                };
                if high.saturating_sub(low) > MAX_ROUNDS {
                    return Err(unsupported("a loop this long", action.span));
                }
                for i in low..=high {
                    let i = self.cx.terms.int(i);
                    self.locals
                        .push((name.text.clone(), Local::Value(Val::Term(i), Ty::Int)));
                    self.execute(body, run)?;
                    self.locals.pop();
                }
                Ok(())
            }
            _ => Err(effect(action.span)),
        }
    }

    fn execute_branches(
        &mut self,
        branches: &[(Option<Expr>, Vec<Action>)],
        run: &mut Run,
    ) -> Parse<()> {
        // Each branch starts from here; the last one first, so that earlier ones win.
        let start = (self.locals.clone(), run.clone());
        let mut conditions = Vec::new();
        for (condition, _) in branches {
            conditions.push(match condition {
                Some(condition) => self.condition(condition)?,
                None => self.cx.terms.true_(),
            });
        }
        let mut joined = start.clone();
        for ((_, body), &condition) in branches.iter().zip(&conditions).rev() {
            (self.locals, *run) = start.clone();
            self.execute(body, run)?;
            joined = (
                self.join_locals(condition, &joined.0),
                Run {
                    over: self.cx.terms.ite(condition, run.over, joined.1.over),
                    result: self.ite(condition, &run.result, &joined.1.result),
                    ty: run.ty.clone(),
                },
            );
        }
        (self.locals, *run) = joined;
        Ok(())
    }

    /// The present values of local names if the condition holds, else others.
    fn join_locals(
        &mut self,
        condition: TermId,
        others: &[(Box<str>, Local)],
    ) -> Vec<(Box<str>, Local)> {
        let now = std::mem::take(&mut self.locals);
        let both = now.into_iter().zip(others);
        let joined = both.map(|((name, now), (_, other))| {
            let local = match (now, other) {
                (Local::Value(now, ty), Local::Value(other, _)) => {
                    Local::Value(self.ite(condition, &now, other), ty)
                }
                (now, _) => now,
            };
            (name, local)
        });
        joined.collect()
    }

    // Time.

    /// Whether a timeout is over.
    pub fn is_over(&mut self, var: VarId) -> TermId {
        let (var, zero) = (self.cx.terms.var(var), self.zero());
        self.cx.terms.eq(var, zero)
    }

    /// No time.
    pub fn zero(&mut self) -> TermId {
        self.duration_of(0)
    }

    /// What a timeout holds that is switched off: less than nothing, which no time makes more.
    pub fn never(&mut self) -> TermId {
        self.duration_of(-1)
    }

    fn duration_of(&mut self, time: i64) -> TermId {
        let int = self.cx.terms.int(time);
        if self.time.is_dense() {
            return self.cx.terms.build(Op::ToRat, &[int]).expect("an integer");
        }
        int
    }

    /// A duration in milliseconds, whole units of time. What is not positive is over at once.
    fn duration(&mut self, value: &Expr, factor: u32) -> Parse<TermId> {
        let ty = if self.time.is_dense() {
            Ty::Rat
        } else {
            Ty::Int
        };
        let Val::Term(value_term) = self.value_as(value, &ty)? else {
            unreachable!("a number is a term");
        };
        let factor = self.duration_of(i64::from(factor));
        let mut term = self.cx.terms.mul(&[value_term, factor]);
        let unit = self.time.unit();
        if unit > 1 {
            // Time passes in whole units: what ends within one is over after it.
            let (unit, rest) = (self.cx.terms.int(unit), self.cx.terms.int(unit - 1));
            let sum = self.cx.terms.add(&[term, rest]);
            let units = self
                .cx
                .terms
                .build(Op::Div, &[sum, unit])
                .expect("integers");
            term = self.cx.terms.mul(&[units, unit]);
        }
        if let Some(Value::Int(known)) = self.cx.terms.as_lit(term)
            && *known >= Int::from(0)
        {
            let known = known.clone();
            self.longest = self.longest.take().map(|longest| longest.max(known));
            return Ok(term);
        }
        self.longest = None;
        let zero = self.zero();
        let is_past = self.cx.terms.le(term, zero);
        Ok(self.cx.terms.ite(is_past, zero, term))
    }
}

/// A function that is executed on terms.
#[derive(Clone, Debug)]
struct Run {
    /// Whether it has returned.
    over: TermId,
    result: Val,
    ty: Ty,
}

fn may_return(action: &Action) -> bool {
    match &action.kind {
        ActionKind::Return(_) => true,
        ActionKind::Block(actions) | ActionKind::For(_, _, actions) => {
            actions.iter().any(may_return)
        }
        ActionKind::If(branches) | ActionKind::Switch(_, branches) => {
            branches.iter().any(|(_, body)| body.iter().any(may_return))
        }
        ActionKind::Choice(branches) => {
            branches.iter().any(|(_, body)| body.iter().any(may_return))
        }
        _ => false,
    }
}

/// `VALUE = CASE`
fn is_case(value: &Expr, case: &Expr) -> Expr {
    Expr {
        kind: ExprKind::Chain(
            Box::new(value.clone()),
            vec![(super::tree::Binary::Eq, case.clone())],
        ),
        span: case.span,
    }
}

fn check_arguments(wanted: usize, given: usize, span: Span) -> Parse<()> {
    if wanted == given {
        return Ok(());
    }
    let message = format!("{given} arguments are given where {wanted} are needed");
    Err(Box::new(
        Diagnostic::error("wrong-arguments", message).at(span),
    ))
}

fn effect(span: Span) -> Box<Diagnostic> {
    unsupported(
        "a function that changes something, called in an expression,",
        span,
    )
}
