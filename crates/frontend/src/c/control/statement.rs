//! Statements as edges of the control-flow graph.

use crate::c::control::edge;
use crate::c::control::graph;
use crate::c::integer::fold::fold;
use crate::c::lower::{Cases, Lower, Lowered, Owner};
use crate::c::syntax::ast::{self, Declaration, E, Expr, Init, Pos, S, Stmt, Storage};
use crate::c::syntax::token::Sym;
use lariat_system::{LocId, LocRole};

impl Lower<'_> {
    /// Lowers a statement; what is wrong with it is noted, and the next one is tried.
    pub fn statement(&mut self, s: S) {
        if self.graph.at.is_none() && !self.has_label[s.0 as usize] {
            self.skip(s);
            return;
        }
        let pos = self.ast.stmt_pos(s);
        let done = self.deeper(pos).and_then(|()| {
            let done = self.statement_inside(s, pos);
            self.depth -= 1;
            done
        });
        if let Err(finding) = done {
            self.step = edge::Step::default();
            self.guard.clear();
            self.live.clear();
            if self.findings.len() < 100 {
                self.findings.push(*finding);
            }
        }
    }

    /// Passes over code that cannot be reached: a jump may lead to where its variables are in scope.
    fn skip(&mut self, s: S) {
        let Stmt::Declare(list) = self.ast.stmt(s) else {
            return;
        };
        for (i, declaration) in list.iter().enumerate() {
            let Declaration { name, ty, pos, .. } = *declaration;
            let done = if declaration.storage == Storage::Plain {
                self.local((s.0, i as u32), name, ty, pos).map(|obj| {
                    self.any_at_start(obj, false);
                    self.bind(name, obj);
                })
            } else {
                self.declare(s, i as u32, declaration)
            };
            // Of a type that we do not know: an error where it is used.
            let _ = done;
        }
    }

    fn statement_inside(&mut self, s: S, pos: Pos) -> Lowered<()> {
        let ast = self.ast;
        match ast.stmt(s) {
            Stmt::Empty => {}
            Stmt::Expr(e) => self.full(|lower| lower.effect(*e))?,
            Stmt::Declare(list) => {
                for (i, declaration) in list.iter().enumerate() {
                    self.full(|lower| lower.declare(s, i as u32, declaration))?;
                }
            }
            Stmt::Block(stmts) => {
                let mark = self.undo.len();
                for &stmt in stmts {
                    self.statement(stmt);
                }
                self.unbind(mark);
            }
            Stmt::Group(stmts) => {
                for &stmt in stmts {
                    self.statement(stmt);
                }
            }
            Stmt::If(arms, otherwise) => self.if_statement(arms, *otherwise, pos)?,
            &Stmt::While(condition, body) => self.while_loop(condition, body, None, pos)?,
            &Stmt::DoWhile(body, condition) => self.do_loop(body, condition, pos)?,
            &Stmt::For(first, condition, step, body) => {
                let mark = self.undo.len();
                if let Some(first) = first {
                    self.statement(first);
                }
                match condition {
                    Some(condition) => self.while_loop(condition, body, step, pos)?,
                    None => self.endless_loop(body, step, pos)?,
                }
                self.unbind(mark);
            }
            &Stmt::Switch(value, body) => self.switch(value, body, pos)?,
            &Stmt::Case(value) => self.case(value, pos)?,
            Stmt::Default => {
                let at = self.case_location(pos);
                match self.frame().switches.last_mut() {
                    Some(cases) => cases.default = Some(at),
                    None => {
                        return Err(self.error("misplaced", "`default` outside of a switch", pos));
                    }
                }
            }
            &Stmt::Label(name) => self.label(name, pos),
            &Stmt::Goto(name) => {
                let target = self.label_location(name, pos);
                self.graph.jump(self.cx, target);
            }
            Stmt::Break | Stmt::Continue => {
                let is_break = matches!(ast.stmt(s), Stmt::Break);
                let frame = self.frame();
                let targets = if is_break {
                    &frame.breaks
                } else {
                    &frame.continues
                };
                let Some(&target) = targets.last() else {
                    let message = "there is no loop around this";
                    return Err(self.error("misplaced", message, pos));
                };
                self.graph.jump(self.cx, target);
            }
            &Stmt::Return(value) => self.full(|lower| lower.leave(value, pos))?,
            Stmt::Unsupported(what) => return Err(self.unsupported(what, pos)),
        }
        Ok(())
    }

    /// Lowers something that ends at a sequence point; the values of calls inside are forgotten then.
    fn full<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let hoisted = std::mem::take(&mut self.hoisted);
        let live = std::mem::take(&mut self.live);
        let result = lower(self);
        (self.hoisted, self.live) = (hoisted, live);
        result
    }

    fn fresh(&mut self, pos: Pos) -> LocId {
        let span = Some(self.span(pos));
        self.graph.location(span)
    }

    fn if_statement(&mut self, arms: &[(E, S)], otherwise: Option<S>, pos: Pos) -> Lowered<()> {
        let end = self.fresh(pos);
        for &(condition, then) in arms {
            let (yes, no) = (self.fresh(pos), self.fresh(pos));
            if self.graph.at.is_some() {
                self.full(|lower| lower.branch(condition, yes, no))?;
                self.graph.at = self.reached(yes);
            }
            self.statement(then);
            self.graph.jump(self.cx, end);
            self.graph.at = self.reached(no);
        }
        if let Some(otherwise) = otherwise {
            self.statement(otherwise);
        }
        self.graph.jump(self.cx, end);
        self.graph.at = self.reached(end);
        Ok(())
    }

    /// The location, if an edge leads there.
    fn reached(&self, loc: LocId) -> Option<LocId> {
        self.graph.is_reached(loc).then_some(loc)
    }

    fn while_loop(&mut self, condition: E, body: S, step: Option<E>, pos: Pos) -> Lowered<()> {
        let (start, end) = (self.fresh(pos), self.fresh(pos));
        let entered = self.fresh(pos);
        let live = self.graph.at.is_some() || self.has_label[body.0 as usize];
        if !live {
            return Ok(());
        }
        self.graph.jump(self.cx, start);
        self.graph.at = Some(start);
        self.full(|lower| lower.branch(condition, entered, end))?;
        self.graph.at = Some(entered);
        self.loop_body(body, step, start, end, pos)?;
        self.graph.at = self.reached(end);
        Ok(())
    }

    fn endless_loop(&mut self, body: S, step: Option<E>, pos: Pos) -> Lowered<()> {
        let (start, end) = (self.fresh(pos), self.fresh(pos));
        self.graph.jump(self.cx, start);
        self.graph.at = Some(start);
        let span = Some(self.span(pos));
        self.graph.step(self.cx, &[], true, span);
        self.loop_body(body, step, start, end, pos)?;
        self.graph.at = self.reached(end);
        Ok(())
    }

    /// The body of a loop and its way back to the start.
    fn loop_body(
        &mut self,
        body: S,
        step: Option<E>,
        start: LocId,
        end: LocId,
        pos: Pos,
    ) -> Lowered<()> {
        let again = match step {
            Some(_) => self.fresh(pos),
            None => start,
        };
        self.inside_loop(again, end, body);
        self.graph.jump(self.cx, again);
        if let Some(step) = step {
            self.graph.at = self.reached(again);
            if self.graph.at.is_some() {
                self.full(|lower| lower.effect(step))?;
            }
            self.graph.jump(self.cx, start);
        }
        Ok(())
    }

    fn inside_loop(&mut self, again: LocId, end: LocId, body: S) {
        let frame = self.frame();
        frame.breaks.push(end);
        frame.continues.push(again);
        frame.n_loops += 1;
        self.statement(body);
        let frame = self.frame();
        frame.breaks.pop();
        frame.continues.pop();
        frame.n_loops -= 1;
    }

    fn do_loop(&mut self, body: S, condition: E, pos: Pos) -> Lowered<()> {
        let (start, again, end) = (self.fresh(pos), self.fresh(pos), self.fresh(pos));
        self.graph.jump(self.cx, start);
        self.graph.at = Some(start);
        self.inside_loop(again, end, body);
        self.graph.jump(self.cx, again);
        self.graph.at = self.reached(again);
        if self.graph.at.is_some() {
            self.full(|lower| lower.branch(condition, start, end))?;
        }
        self.graph.at = self.reached(end);
        Ok(())
    }

    fn switch(&mut self, value: E, body: S, pos: Pos) -> Lowered<()> {
        let end = self.fresh(pos);
        self.full(|lower| lower.hoist_and_dispatch(value, body, end, pos))
    }

    fn hoist_and_dispatch(&mut self, value: E, body: S, end: LocId, pos: Pos) -> Lowered<()> {
        self.hoist(value)?;
        let num = self.value(value)?;
        let num = self.number(num, pos)?;
        let num = {
            let int = num.int.promoted();
            self.arith().convert(num, int)
        };
        let step = std::mem::take(&mut self.step);
        let span = Some(self.span(pos));
        self.fault_edges(&step, span);
        let from = self.graph.settle(self.cx);
        let frame = self.frame();
        frame.breaks.push(end);
        frame.switches.push(Cases::default());
        self.graph.at = None;
        self.statement(body);
        let frame = self.frame();
        frame.breaks.pop();
        let cases = frame.switches.pop().unwrap_or_default();
        self.graph.jump(self.cx, end);
        let mut others = Vec::new();
        let mut edges = Vec::new();
        for (i, &(value, target, case_pos)) in cases.values.iter().enumerate() {
            if cases.values[..i].iter().any(|case| case.0 == value) {
                return Err(self.error("duplicate-case", "this case stands twice", case_pos));
            }
            let literal = self.arith().constant(value, num.int);
            let same = self.binary_num(ast::Binary::Eq, num, literal, pos)?;
            let same = self.arith().is_true(same);
            edges.push((same, target));
            others.push(self.cx.terms.not(same));
        }
        let none = self.cx.terms.and(&others);
        edges.push((none, cases.default.unwrap_or(end)));
        if let Some(from) = from {
            for (condition, target) in edges {
                let arena = (&mut *self.cx, &mut self.provenance);
                if let Some(stmts) = step.statements(arena, self.mode, Some(condition), span) {
                    let stmt = graph::one(self.cx, &stmts, span);
                    self.graph.edge(from, stmt, target, true);
                }
            }
        }
        self.graph.at = self.reached(end);
        Ok(())
    }

    /// A location for a case; what comes before falls through into it.
    fn case_location(&mut self, pos: Pos) -> LocId {
        let at = self.fresh(pos);
        self.graph.jump(self.cx, at);
        self.graph.at = Some(at);
        self.graph.mark_reached(at);
        at
    }

    fn case(&mut self, value: E, pos: Pos) -> Lowered<()> {
        let Some(constant) = fold(self.ast, self.types, value) else {
            return Err(self.error("not-constant", "a case must be a constant", pos));
        };
        let at = self.case_location(pos);
        match self.frame().switches.last_mut() {
            Some(cases) => cases.values.push((constant.value, at, pos)),
            None => return Err(self.error("misplaced", "`case` outside of a switch", pos)),
        }
        Ok(())
    }

    fn label(&mut self, name: Sym, pos: Pos) {
        let known = self.frame().labels.contains_key(&name);
        let span = Some(self.span(pos));
        if !known {
            let text = self.label_name(name);
            if let Some(at) = self.graph.rename_open(&text, span) {
                self.frame().labels.insert(name, at);
                return;
            }
        }
        let at = self.label_location(name, pos);
        self.graph.jump(self.cx, at);
        self.graph.at = Some(at);
        self.graph.mark_reached(at);
    }

    fn label_name(&self, name: Sym) -> String {
        format!("at({})", self.symbols.text(name))
    }

    fn label_location(&mut self, name: Sym, pos: Pos) -> LocId {
        if let Some(&known) = self.frame().labels.get(&name) {
            return known;
        }
        let (text, span) = (self.label_name(name), Some(self.span(pos)));
        let at = self.graph.named(&text, LocRole::Plain, span);
        self.frame().labels.insert(name, at);
        at
    }

    fn declare(&mut self, s: S, position: u32, declaration: &Declaration) -> Lowered<()> {
        let Declaration {
            name,
            ty,
            storage,
            ref init,
            pos,
        } = *declaration;
        match storage {
            Storage::Extern => {
                if let Ok(obj) = self.global(name, pos) {
                    self.bind(name, obj);
                }
                return Ok(());
            }
            Storage::Static => {
                let obj = self.owned(Owner::Function, (s.0, position), name, ty, pos)?;
                self.initialize(obj, init.as_ref(), pos)?;
                self.bind(name, obj);
                return Ok(());
            }
            Storage::Plain => {}
        }
        let obj = self.local((s.0, position), name, ty, pos)?;
        self.bind(name, obj);
        match init {
            Some(Init::Expr(e)) if !matches!(self.ast.expr(*e), Expr::Str(_)) => {
                self.zero_at_start(obj);
                self.hoist(*e)?;
                let value = self.value(*e)?;
                let at = self.whole(obj);
                let value = self.converted(value, at.ty, pos)?;
                self.write(&at, &value, pos)?;
                self.live.clear();
                self.end_step(pos, true);
            }
            Some(init) => {
                self.zero_at_start(obj);
                self.initialize_local(obj, init, pos)?;
                self.end_step(pos, true);
            }
            None => {
                self.objects.list[obj.0 as usize].clean = false;
                let is_main = self.frames.len() == 1;
                let frame = self.frame();
                let once = is_main && frame.n_loops == 0 && !frame.has_labels;
                if once {
                    self.any_at_start(obj, false);
                } else {
                    self.zero_at_start(obj);
                    if self.graph.at.is_some() {
                        let stmts = self.havoc(obj);
                        self.graph.pending.extend(stmts);
                    }
                }
            }
        }
        Ok(())
    }
}
