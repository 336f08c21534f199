//! Calls inside expressions: they are made before the rest of the expression is evaluated, in the
//! order in which they stand. C leaves the order of operands open, so this is one of its orders;
//! where it is fixed (`&&`, `||`, `?:`, the comma) control flow makes it so.

use crate::c::lower::{Lower, Lowered, Val};
use crate::c::syntax::ast::{self, E, Expr, Pos, S, Stmt};
use crate::c::types::{self, IntTy, Ty};
use lariat_system::LocId;

impl Lower<'_> {
    /// Makes the calls inside of an expression that need steps of their own.
    pub fn hoist(&mut self, e: E) -> Lowered<()> {
        if !self.has_flow(e) || self.hoisted.contains_key(&e) {
            return Ok(());
        }
        let pos = self.ast.pos(e);
        self.deeper(pos)?;
        let done = self.hoist_inside(e, pos);
        self.depth -= 1;
        done
    }

    fn hoist_inside(&mut self, e: E, pos: Pos) -> Lowered<()> {
        let ast = self.ast;
        match ast.expr(e) {
            Expr::Call(callee, args) => match ast.expr(*callee) {
                &Expr::Name(name) if self.needs_steps(name) && !self.scope.contains_key(&name) => {
                    let value = self.call(e, name, args, pos)?;
                    self.hoisted.insert(e, value);
                    Ok(())
                }
                _ => args.iter().try_for_each(|&arg| self.hoist(arg)),
            },
            &Expr::LogicalAnd(left, right) | &Expr::LogicalOr(left, right) => {
                if !self.has_flow(right) {
                    return self.hoist(left);
                }
                let int = self.int_ty();
                let (yes, no) = self.two_locations(pos);
                self.branch(e, yes, no)?;
                self.join_values(e, int, [(yes, None, 1), (no, None, 0)], pos)
            }
            &Expr::Conditional(condition, then, otherwise) => {
                let inside =
                    then.is_some_and(|then| self.has_flow(then)) || self.has_flow(otherwise);
                let Some(then) = then.filter(|_| inside) else {
                    if inside {
                        return Err(self.unsupported("a call inside `?:`", pos));
                    }
                    return self.hoist(condition);
                };
                let ty = self.type_of(e)?;
                let (yes, no) = self.two_locations(pos);
                self.branch(condition, yes, no)?;
                self.join_values(e, ty, [(yes, Some(then), 0), (no, Some(otherwise), 0)], pos)
            }
            Expr::Comma(..) => {
                let mut parts = Vec::new();
                let mut at = e;
                while let &Expr::Comma(left, right) = ast.expr(at) {
                    parts.push(right);
                    at = left;
                }
                parts.push(at);
                let last = parts.remove(0);
                for part in parts.into_iter().rev() {
                    self.effect(part)?;
                    self.hoisted.insert(part, Val::Void);
                }
                self.hoist(last)
            }
            &Expr::Block(body) => {
                let value = self.block_value(e, body, pos)?;
                self.hoisted.insert(e, value);
                Ok(())
            }
            Expr::Binary(..) => {
                let mut spine = Vec::new();
                let mut at = e;
                while let &Expr::Binary(_, left, right) = ast.expr(at) {
                    spine.push(right);
                    at = left;
                }
                self.hoist(at)?;
                spine
                    .into_iter()
                    .rev()
                    .try_for_each(|part| self.hoist(part))
            }
            _ => {
                let mut parts = Vec::new();
                ast.children(e, |child| parts.push(child));
                parts.into_iter().try_for_each(|part| self.hoist(part))
            }
        }
    }

    fn two_locations(&mut self, pos: Pos) -> (LocId, LocId) {
        let span = Some(self.span(pos));
        (self.graph.location(span), self.graph.location(span))
    }

    /// Two ways to a value: each stores it in a variable, and they meet.
    fn join_values(
        &mut self,
        e: E,
        ty: Ty,
        ways: [(LocId, Option<E>, i128); 2],
        pos: Pos,
    ) -> Lowered<()> {
        let is_void = matches!(self.types.get(ty), types::Type::Void);
        let meet = self.graph.location(Some(self.span(pos)));
        let live = self.live.len();
        for (start, part, constant) in ways {
            self.graph.at = self.graph.is_reached(start).then_some(start);
            let value = match part {
                Some(part) => {
                    self.hoist(part)?;
                    self.value(part)?
                }
                None => Val::Num(self.arith().constant(constant, IntTy::INT)),
            };
            if !is_void {
                let obj = self.temporary(e, ty, pos)?;
                let at = self.whole(obj);
                let value = self.converted(value, ty, pos)?;
                self.write(&at, &value, pos)?;
            }
            self.live.truncate(live);
            self.end_silent_step(pos);
            self.graph.jump(self.cx, meet);
        }
        self.graph.at = self.graph.is_reached(meet).then_some(meet);
        let value = if is_void {
            Val::Void
        } else {
            let obj = self.temporary(e, ty, pos)?;
            let at = self.whole(obj);
            self.read(&at, pos)?
        };
        self.hoisted.insert(e, value);
        Ok(())
    }

    /// A statement expression: its value is that of its last statement.
    fn block_value(&mut self, e: E, body: S, pos: Pos) -> Lowered<Val> {
        let ast = self.ast;
        let Stmt::Block(stmts) = ast.stmt(body) else {
            return Err(self.unsupported("this statement expression", pos));
        };
        let Some((&last, before)) = stmts.split_last() else {
            return Ok(Val::Void);
        };
        let mark = self.undo.len();
        for &stmt in before {
            self.statement(stmt);
        }
        let value = match ast.stmt(last) {
            &Stmt::Expr(value) => {
                let ty = self.type_of(value)?;
                self.hoist(value)?;
                let value = self.value(value)?;
                if let Val::Void = value {
                    self.end_step(pos, false);
                    Val::Void
                } else {
                    let obj = self.temporary(e, ty, pos)?;
                    let at = self.whole(obj);
                    let value = self.converted(value, ty, pos)?;
                    self.write(&at, &value, pos)?;
                    self.end_silent_step(pos);
                    self.read(&at, pos)?
                }
            }
            _ => {
                self.statement(last);
                Val::Void
            }
        };
        self.unbind(mark);
        Ok(value)
    }

    /// Evaluates an expression for its effects, as a step if it has any.
    pub fn effect(&mut self, e: E) -> Lowered<()> {
        let pos = self.ast.pos(e);
        let mark = self.live.len();
        self.hoist(e)?;
        self.value(e)?;
        self.live.truncate(mark);
        self.end_step(pos, false);
        Ok(())
    }

    /// Goes to `yes` where the condition holds, else to `no`. Calls inside of it are made in order.
    pub fn branch(&mut self, e: E, yes: LocId, no: LocId) -> Lowered<()> {
        let pos = self.ast.pos(e);
        self.deeper(pos)?;
        let done = self.branch_inside(e, yes, no, pos);
        self.depth -= 1;
        done
    }

    fn branch_inside(&mut self, e: E, yes: LocId, no: LocId, pos: Pos) -> Lowered<()> {
        let mark = self.live.len();
        if self.has_flow(e) {
            match *self.ast.expr(e) {
                Expr::Unary(ast::Unary::Not, inner) => {
                    return self.branch(inner, no, yes);
                }
                Expr::LogicalAnd(..) | Expr::LogicalOr(..) => {
                    return self.branch_chain(e, yes, no, pos);
                }
                _ => {}
            }
            self.hoist(e)?;
        }
        let value = self.value(e)?;
        let truth = self.truth(value, pos)?;
        self.live.truncate(mark);
        self.end_branch(truth, yes, no, pos);
        Ok(())
    }

    fn branch_chain(&mut self, e: E, yes: LocId, no: LocId, pos: Pos) -> Lowered<()> {
        let is_and = matches!(self.ast.expr(e), Expr::LogicalAnd(..));
        let operands = self.operands(e, is_and);
        let n = operands.len();
        for (i, part) in operands.into_iter().enumerate() {
            if i + 1 == n {
                return self.branch(part, yes, no);
            }
            let next = self.graph.location(Some(self.span(pos)));
            if is_and {
                self.branch(part, next, no)?;
            } else {
                self.branch(part, yes, next)?;
            }
            self.graph.at = Some(next);
        }
        Ok(())
    }
}
