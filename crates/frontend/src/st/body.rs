//! Statements.
//!
//! Code is *plain* if it has no loop and no jump; plain code becomes one structured statement. Loops with constant bounds and a
//! plain body are unrolled. Everything else is made of locations.

use super::ast::{CaseBranch, Expr, ExprKind, For, Pos, PouKind, Stmt, StmtKind};
use super::call::assigned;
use super::declare::{Ty, root};
use super::expression::{Env as _, Lowered, constant_int, evaluate, evaluate_as, fit, misfit};
use super::lower::{Frame, Lower};
use super::place::{Found, Place};
use super::value::{Misfit, Val, ValTy};
use lariat_base::{Diagnostic, FxHashMap, Span};
use lariat_expr::TermId;
use lariat_system::{PlcType, Stmt as Op, StmtId};

/// How many rounds of a loop are written out.
const MAX_UNROLLED: i128 = 64;
/// How many statements a scan may have, calls written out.
const MAX_STMTS: usize = 200_000;
/// How deep calls may be nested.
const MAX_CALLS: usize = 50;

impl Lower<'_> {
    /// The place of a statement in the user's text.
    pub fn stmt_span(&self, pos: Pos) -> Option<Span> {
        let is_standard = self.frames.last().is_some_and(|frame| frame.standard);
        (!is_standard).then(|| self.span(pos))
    }

    /// The body of a unit, with its variables at an address.
    pub fn run(
        &mut self,
        pou: usize,
        record: usize,
        base: usize,
        in_outs: FxHashMap<Box<str>, Place>,
        in_expression: bool,
    ) {
        let unit = self.unit;
        self.frames.push(Frame {
            record,
            base,
            in_outs,
            returns: None,
            in_expression,
            standard: pou >= self.n_own,
        });
        // What is temporary has its initial value in each call.
        let size = self.records[record].shape.slots.len();
        let is_function = unit.pous[pou].kind == PouKind::Function;
        for addr in (base..base + size).filter(|_| !is_function) {
            if self.memory[addr].temp {
                self.assign_cell(addr, self.memory[addr].init, None);
            }
        }
        let loops = std::mem::take(&mut self.graph.loops);
        self.statements(&unit.pous[pou].body);
        self.graph.loops = loops;
        let frame = self.frames.pop().expect("it was pushed");
        if let Some(returns) = frame.returns {
            self.graph.jump(self.cx, returns);
            self.graph.at = Some(returns);
        }
    }

    /// Whether calls are nested too deep for one more.
    pub fn too_deep(&self, pos: Pos) -> Lowered<()> {
        if self.frames.len() <= MAX_CALLS {
            return Ok(());
        }
        let message = format!("calls are nested more than {MAX_CALLS} deep");
        Err(self.error("too-deep", message, pos))
    }

    pub fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let in_use = self.temps_in_use;
            self.n_stmts += 1;
            let done = if self.n_stmts > MAX_STMTS {
                let message = format!("a scan has more than {MAX_STMTS} statements");
                Err(self.error("too-large", message, stmt.pos))
            } else {
                self.statement(stmt)
            };
            self.temps_in_use = in_use;
            if let Err(finding) = done {
                let is_new = |known: &Diagnostic| {
                    known.message == finding.message && known.primary == finding.primary
                };
                let is_large = finding.id == "too-large";
                if !self.findings.iter().any(is_new) {
                    self.findings.push(*finding);
                }
                if is_large {
                    return;
                }
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) -> Lowered<()> {
        match &stmt.kind {
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Call(callee, args) => self.call_statement(callee, args, stmt.pos),
            StmtKind::If(branches, otherwise) => self.if_statement(stmt, branches, otherwise),
            StmtKind::Case(of, branches, otherwise) => {
                self.case_statement(stmt, of, branches, otherwise)
            }
            StmtKind::For(inner) => self.for_statement(inner, stmt.pos),
            StmtKind::While(condition, body) => {
                self.may_hang = true;
                let (head, inside, after) =
                    (self.graph.place(), self.graph.place(), self.graph.place());
                self.head(head);
                let condition = self.condition(condition);
                let condition = condition.unwrap_or_else(|finding| self.wrong(*finding));
                let span = self.stmt_span(stmt.pos);
                self.graph.branch(self.cx, condition, (inside, after), span);
                self.graph.at = Some(inside);
                self.loop_body(body, head, after);
                self.graph.jump(self.cx, head);
                self.graph.at = Some(after);
                Ok(())
            }
            StmtKind::Repeat(body, until) => {
                self.may_hang = true;
                let (head, test, after) =
                    (self.graph.place(), self.graph.place(), self.graph.place());
                self.head(head);
                self.loop_body(body, test, after);
                self.graph.jump(self.cx, test);
                self.graph.at = Some(test);
                let until = self.condition(until);
                let until = until.unwrap_or_else(|finding| self.wrong(*finding));
                let span = self.stmt_span(stmt.pos);
                self.graph.branch(self.cx, until, (after, head), span);
                self.graph.at = Some(after);
                Ok(())
            }
            StmtKind::Exit | StmtKind::Continue => {
                let Some(&(next, after)) = self.graph.loops.last() else {
                    let message = "there is no loop around this".to_owned();
                    return Err(self.error("no-loop", message, stmt.pos));
                };
                let is_exit = matches!(stmt.kind, StmtKind::Exit);
                let target = if is_exit { after } else { next };
                self.graph.jump(self.cx, target);
                Ok(())
            }
            StmtKind::Return => {
                let frame = self.frames.last().expect("code is lowered in a unit");
                let target = match frame.returns {
                    Some(target) => target,
                    None => self.graph.place(),
                };
                self.frames.last_mut().expect("as above").returns = Some(target);
                self.graph.jump(self.cx, target);
                Ok(())
            }
        }
    }

    fn wrong(&mut self, finding: Diagnostic) -> TermId {
        self.findings.push(finding);
        self.cx.terms.true_()
    }

    /// Goes to the head of a loop. A run with a fault does not go round: it might never come to the end of the scan.
    fn head(&mut self, head: lariat_system::LocId) {
        self.graph.has_loops = true;
        self.graph.jump(self.cx, head);
        self.graph.at = Some(head);
        if let Some(fault) = self.fault {
            let (cut, go_on) = (self.graph.cut(), self.graph.place());
            let fault = self.value(fault);
            self.graph.branch(self.cx, fault, (cut, go_on), None);
            self.graph.at = Some(go_on);
        }
    }

    fn loop_body(
        &mut self,
        body: &[Stmt],
        next: lariat_system::LocId,
        after: lariat_system::LocId,
    ) {
        self.graph.loops.push((next, after));
        self.statements(body);
        self.graph.loops.pop();
    }

    fn condition(&mut self, e: &Expr) -> Lowered<TermId> {
        evaluate_as(self, e, PlcType::Bool)
    }

    fn assign(&mut self, target: &Expr, value: &Expr) -> Lowered<()> {
        let Found::Place(place) = self.place(target)? else {
            let message = "a constant does not change".to_owned();
            return Err(self.error("not-assignable", message, target.pos));
        };
        if let Ty::Elem(ty, _) = place.ty {
            let val = match &value.kind {
                // Not inside of an expression: it may have effects.
                ExprKind::Call(name, args) if self.is_own_function(&name.key) => {
                    self.call_function(name, args, value.pos, false)?
                }
                _ => {
                    let term = evaluate_as(self, value, ty)?;
                    return self.store(&place, term, target.pos);
                }
            };
            let term = fit(self, val, ty, value.pos)?;
            return self.store(&place, term, target.pos);
        }
        let Found::Place(from) = self.place(value)? else {
            let message = "this is an elementary value".to_owned();
            return Err(self.error("type-mismatch", message, value.pos));
        };
        self.copy(&place, &from, target.pos)
    }

    /// Copies a whole array or struct.
    pub fn copy(&mut self, to: &Place, from: &Place, pos: Pos) -> Lowered<()> {
        if to.ty != from.ty {
            let message = "the types of both sides differ".to_owned();
            return Err(self.error("type-mismatch", message, pos));
        }
        if let Ty::Record(record) = to.ty
            && self.records[record].pou.is_some()
        {
            return Err(self.unsupported("an assignment of a block instance", pos));
        }
        let ([(None, to_addr)], [(None, from_addr)]) = (&to.at[..], &from.at[..]) else {
            let what = "an assignment of a whole element whose index is not constant";
            return Err(self.unsupported(what, pos));
        };
        let (to_addr, from_addr) = (*to_addr, *from_addr);
        let shape = self.size(&to.ty);
        for i in 0..shape {
            let value = self.value(from_addr + i);
            let cell = &self.memory[to_addr + i];
            let part = Place {
                at: vec![(None, to_addr + i)],
                ty: Ty::Elem(cell.ty, cell.range),
                ..*to
            };
            self.store(&part, value, pos)?;
        }
        Ok(())
    }

    /// Statements by themselves, as one.
    fn apart(&mut self, body: &[Stmt]) -> StmtId {
        let before = std::mem::take(&mut self.graph.code);
        self.graph.apart += 1;
        self.statements(body);
        self.graph.apart -= 1;
        let code = std::mem::replace(&mut self.graph.code, before);
        self.cx.stmts.seq(&code, None)
    }

    fn if_statement(
        &mut self,
        stmt: &Stmt,
        branches: &[(Expr, Vec<Stmt>)],
        otherwise: &[Stmt],
    ) -> Lowered<()> {
        let is_plain = self.plain(std::slice::from_ref(stmt));
        let mut tests = Vec::new();
        if !is_plain {
            let end = self.graph.place();
            for (condition, body) in branches {
                let condition = self.condition(condition)?;
                let (then, next) = (self.graph.place(), self.graph.place());
                let span = self.stmt_span(stmt.pos);
                self.graph.branch(self.cx, condition, (then, next), span);
                self.graph.at = Some(then);
                self.statements(body);
                self.graph.jump(self.cx, end);
                self.graph.at = Some(next);
            }
            self.statements(otherwise);
            self.graph.jump(self.cx, end);
            self.graph.at = Some(end);
            return Ok(());
        }
        for (condition, body) in branches {
            let before = std::mem::take(&mut self.graph.code);
            let condition = self.condition(condition);
            let code = std::mem::replace(&mut self.graph.code, before);
            tests.push((code, condition?, self.apart(body)));
        }
        let mut rest = self.apart(otherwise);
        let span = self.stmt_span(stmt.pos);
        for (i, (mut code, condition, body)) in tests.into_iter().enumerate().rev() {
            let choice = self.cx.stmts.add(Op::If(condition, body, rest), span);
            if i == 0 {
                self.graph.code.append(&mut code);
                self.graph.code.push(choice);
                break;
            }
            code.push(choice);
            rest = self.cx.stmts.seq(&code, None);
        }
        Ok(())
    }

    /// When one of some labels fits.
    fn label(&mut self, val: Val, labels: &[(Expr, Option<Expr>)]) -> Lowered<TermId> {
        let mut any = Vec::new();
        for (from, to) in labels {
            let ValTy::Of(ty) = val.ty else {
                let message = "the selector is a constant".to_owned();
                return Err(self.error("type-mismatch", message, from.pos));
            };
            let low = evaluate_as(self, from, ty)?;
            let Some(to) = to else {
                any.push(self.cx.terms.eq(val.term, low));
                continue;
            };
            let (from, to) = (constant_int(self, from)?, constant_int(self, to)?);
            any.push(self.arith().within(val.term, ty, (from, to)));
        }
        Ok(self.cx.terms.or(&any))
    }

    fn case_statement(
        &mut self,
        stmt: &Stmt,
        of: &Expr,
        branches: &[CaseBranch],
        otherwise: &[Stmt],
    ) -> Lowered<()> {
        let is_plain = self.plain(std::slice::from_ref(stmt));
        let val = evaluate(self, of)?;
        if !matches!(
            val.ty,
            ValTy::Of(PlcType::Int { .. } | PlcType::Enum(_) | PlcType::Bits(_))
        ) {
            return Err(misfit(self, &Misfit::Operands(val.ty, val.ty), of.pos));
        }
        let mut tests = Vec::new();
        for (labels, body) in branches {
            let test = self.label(val, labels);
            let test = test.unwrap_or_else(|finding| self.wrong(*finding));
            tests.push((test, body));
        }
        let span = self.stmt_span(stmt.pos);
        if is_plain {
            let bodies: Vec<(TermId, StmtId)> = tests
                .into_iter()
                .map(|(test, body)| (test, self.apart(body)))
                .collect();
            let mut rest = self.apart(otherwise);
            for (test, body) in bodies.into_iter().rev() {
                rest = self.cx.stmts.add(Op::If(test, body, rest), span);
            }
            self.graph.code.push(rest);
            return Ok(());
        }
        let end = self.graph.place();
        for (test, body) in tests {
            let (then, next) = (self.graph.place(), self.graph.place());
            self.graph.branch(self.cx, test, (then, next), span);
            self.graph.at = Some(then);
            self.statements(body);
            self.graph.jump(self.cx, end);
            self.graph.at = Some(next);
        }
        self.statements(otherwise);
        self.graph.jump(self.cx, end);
        self.graph.at = Some(end);
        Ok(())
    }

    /// The values of a control variable, if they are constant and not many.
    fn rounds(&mut self, inner: &For) -> Option<Vec<i128>> {
        let n_before = self.graph.code.len();
        let mut constant = |e: &Expr| {
            let value = is_written(e).then(|| constant_int(self, e).ok()).flatten();
            // Looking at it has no effect.
            self.graph.code.truncate(n_before);
            value
        };
        let (from, to) = (constant(&inner.from)?, constant(&inner.to)?);
        let by = match &inner.by {
            Some(by) => constant(by)?,
            None => 1,
        };
        if by == 0 || (to - from) / by >= MAX_UNROLLED {
            return None;
        }
        let rounds = (0..).map(|i| from + i * by);
        let inside = |value: &i128| if by > 0 { *value <= to } else { *value >= to };
        Some(rounds.take_while(inside).collect())
    }

    fn for_statement(&mut self, inner: &For, pos: Pos) -> Lowered<()> {
        let var = Expr {
            kind: ExprKind::Name(inner.var.clone()),
            pos: inner.var.pos,
        };
        let Found::Place(place) = self.place(&var)? else {
            let message = "a constant does not change".to_owned();
            return Err(self.error("not-assignable", message, var.pos));
        };
        let Ty::Elem(ty @ PlcType::Int { .. }, _) = place.ty else {
            let message = "the control variable of a loop is an integer".to_owned();
            return Err(self.error("type-mismatch", message, var.pos));
        };
        if let Some(place) = assigned(&inner.body, &inner.var.key) {
            let message = format!("`{}` must not change inside of its loop", inner.var.text);
            return Err(self.error("not-assignable", message, place));
        }
        if self.plain(&inner.body)
            && let Some(rounds) = self.rounds(inner)
        {
            for value in &rounds {
                let value = self.arith().number(&super::value::int_of(*value), ty);
                self.store(&place, value, pos)?;
                self.statements(&inner.body);
            }
            let last = rounds.last().copied();
            let by = match &inner.by {
                Some(by) => constant_int(self, by)?,
                None => 1,
            };
            let after = match last {
                Some(last) => last + by,
                None => constant_int(self, &inner.from)?,
            };
            let after = self.arith().number(&super::value::int_of(after), ty);
            return self.store_counter(&place, after);
        }
        self.counted_loop(inner, &place, ty, pos)
    }

    /// The control variable behind its last value, which may be outside of its subrange.
    fn store_counter(&mut self, place: &Place, value: TermId) -> Lowered<()> {
        let Ty::Elem(ty, _) = place.ty else {
            return Ok(());
        };
        let free = Place {
            ty: Ty::Elem(ty, None),
            ..place.clone()
        };
        let pos = Pos { start: 0, end: 0 };
        self.store(&free, value, pos)
    }

    /// A loop that counts on mathematical integers of its own: it always ends.
    fn counted_loop(&mut self, inner: &For, place: &Place, ty: PlcType, pos: Pos) -> Lowered<()> {
        let by = match &inner.by {
            Some(by) => constant_int(self, by)?,
            None => 1,
        };
        if by == 0 {
            let message = "the step of a loop must not be zero".to_owned();
            return Err(self.error("out-of-range", message, pos));
        }
        let mut bound = |e: &Expr| -> Lowered<TermId> {
            let term = evaluate_as(self, e, ty)?;
            Ok(self.arith().as_int(Val::new(term, ty)))
        };
        let (from, to) = (bound(&inner.from)?, bound(&inner.to)?);
        // Times are mathematical integers.
        let (counter, end) = (self.temp(PlcType::Time), self.temp(PlcType::Time));
        self.assign_cell(counter, from, None);
        self.assign_cell(end, to, None);
        let (head, inside, next, after) = (
            self.graph.place(),
            self.graph.place(),
            self.graph.place(),
            self.graph.place(),
        );
        self.head(head);
        let (at, limit) = (self.value(counter), self.value(end));
        let value = self.arith().of_int(at, ty);
        self.store_counter(place, value)?;
        let goes_on = if by > 0 {
            self.cx.terms.le(at, limit)
        } else {
            self.cx.terms.le(limit, at)
        };
        let span = self.stmt_span(pos);
        self.graph.branch(self.cx, goes_on, (inside, after), span);
        self.graph.at = Some(inside);
        if let Ty::Elem(_, Some(range)) = place.ty {
            let inside = self.arith().within(value, ty, range);
            let outside = self.cx.terms.not(inside);
            self.fault(outside, pos);
        }
        self.loop_body(&inner.body, next, after);
        self.graph.jump(self.cx, next);
        self.graph.at = Some(next);
        let step = self.cx.terms.int(super::value::int_of(by));
        let at = self.value(counter);
        let more = self.cx.terms.add(&[at, step]);
        self.assign_cell(counter, more, None);
        self.graph.jump(self.cx, head);
        self.graph.at = Some(after);
        Ok(())
    }

    /// Whether statements have no loop and no jump, nor calls of units that have.
    fn plain(&mut self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Assign(place, value) => self.plain_expr(place) && self.plain_expr(value),
            StmtKind::Call(callee, args) => {
                let plain = match self.callee_unit(callee) {
                    Some(unit) => self.plain_unit(unit),
                    None => true,
                };
                plain && args.iter().all(|arg| self.plain_expr(&arg.value))
            }
            StmtKind::If(branches, otherwise) => {
                branches
                    .iter()
                    .all(|(test, body)| self.plain_expr(test) && self.plain(body))
                    && self.plain(otherwise)
            }
            StmtKind::Case(of, branches, otherwise) => {
                self.plain_expr(of)
                    && branches.iter().all(|(_, body)| self.plain(body))
                    && self.plain(otherwise)
            }
            StmtKind::For(inner) => self.plain(&inner.body) && self.rounds(inner).is_some(),
            StmtKind::While(..)
            | StmtKind::Repeat(..)
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return => false,
        })
    }

    /// Whether an expression calls plain functions only.
    fn plain_expr(&mut self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Literal(_) | ExprKind::Name(_) => true,
            ExprKind::Member(of, _) | ExprKind::Unary(_, of) => self.plain_expr(of),
            ExprKind::Index(of, indices) => {
                self.plain_expr(of) && indices.iter().all(|e| self.plain_expr(e))
            }
            ExprKind::Chain(first, rest) => {
                self.plain_expr(first) && rest.iter().all(|(_, e)| self.plain_expr(e))
            }
            ExprKind::Call(name, args) => {
                let unit = self.pou_names.get(&name.key).copied();
                unit.is_none_or(|unit| self.plain_unit(unit))
                    && args.iter().all(|arg| self.plain_expr(&arg.value))
            }
        }
    }

    fn plain_unit(&mut self, unit: usize) -> bool {
        if let Some(&known) = self.is_plain.get(&unit) {
            return known;
        }
        // Of a unit that calls itself: it is refused elsewhere.
        self.is_plain.insert(unit, false);
        let Ok(record) = self.pou_record(unit) else {
            return false;
        };
        self.frames.push(Frame {
            record,
            base: 0,
            in_outs: FxHashMap::default(),
            returns: None,
            in_expression: false,
            standard: true,
        });
        let whole = self.unit;
        let plain = self.plain(&whole.pous[unit].body);
        self.frames.pop();
        self.is_plain.insert(unit, plain);
        plain
    }
}

/// Whether an expression is made of numbers and names only, so that looking at it has no effect.
fn is_written(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) => true,
        ExprKind::Unary(_, inner) => is_written(inner),
        ExprKind::Chain(first, rest) => {
            is_written(first) && rest.iter().all(|(_, e)| is_written(e))
        }
        _ => false,
    }
}

/// Whether a place has the root of this name.
pub(super) fn has_root(e: &Expr, key: &str) -> bool {
    root(e).is_some_and(|name| &*name.key == key)
}
