//! Expressions as terms within one step. Calls that need steps of their own were made before (`hoist`).

use super::control::edge::Input;
use super::integer::arith::{IntMode, Num};
use super::lower::{Lower, Lowered, Val};
use super::memory::object::{self, LeafKind};
use super::memory::place;
use super::memory::pointer::Ptr;
use super::provenance::{Origin, Source};
use super::syntax::ast::{self, Binary, E, Expr, Pos, Unary};
use super::types::{IntTy, Ty, Type};
use lariat_expr::TermId;

impl Lower<'_> {
    /// The value of an expression, its effects added to the step.
    pub fn value(&mut self, e: E) -> Lowered<Val> {
        let pos = self.ast.pos(e);
        self.deeper(pos)?;
        let value = self.value_inside(e, pos);
        self.depth -= 1;
        value
    }

    fn value_inside(&mut self, e: E, pos: Pos) -> Lowered<Val> {
        if let Some(value) = self.hoisted.get(&e) {
            return Ok(value.clone());
        }
        match self.ast.expr(e) {
            &Expr::Int(value, int) => Ok(Val::Num(self.arith().constant(value, int))),
            Expr::Float => Err(self.unsupported("a floating-point number", pos)),
            Expr::Str(_) => {
                let pointee = self.types.int(IntTy::CHAR);
                let id = self.cx.terms.int(-1);
                Ok(Val::Ptr(Ptr::foreign(pointee, id)))
            }
            Expr::Name(_) | Expr::Index(..) | Expr::Member(..) => self.read_expr(e),
            &Expr::Unary(op, arg) => self.unary(op, arg, e, pos),
            Expr::Binary(..) => self.chain(e),
            Expr::LogicalAnd(..) => self.logical(e, true),
            Expr::LogicalOr(..) => self.logical(e, false),
            &Expr::Assign(op, left, right) => self.assign(op, left, right, pos),
            &Expr::Step { place, up, post } => self.step_by_one(place, up, post, pos),
            &Expr::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, pos)
            }
            Expr::Comma(..) => {
                let mut spine = vec![];
                let mut at = e;
                while let &Expr::Comma(left, right) = self.ast.expr(at) {
                    spine.push(right);
                    at = left;
                }
                let mut value = self.value(at)?;
                for part in spine.into_iter().rev() {
                    value = self.value(part)?;
                }
                Ok(value)
            }
            Expr::Call(callee, args) => self.simple_call(*callee, args, pos),
            &Expr::Cast(ty, arg) => {
                let value = self.value(arg)?;
                self.converted(value, ty, pos)
            }
            &Expr::SizeofType(ty) => self.size(ty, pos),
            &Expr::SizeofValue(arg) => {
                let ty = self.type_of(arg)?;
                self.size(ty, pos)
            }
            Expr::Block(_) => Err(self.unsupported("a statement expression here", pos)),
            Expr::Unsupported(what) => Err(self.unsupported(what, pos)),
        }
    }

    /// The value as a number.
    pub fn number(&mut self, value: Val, pos: Pos) -> Lowered<Num> {
        match value {
            Val::Num(num) => Ok(num),
            Val::Ptr(_) => Err(self.unsupported("a pointer as a number", pos)),
            _ => Err(self.error("type-mismatch", "this is no number", pos)),
        }
    }

    /// Whether the value counts as true.
    pub fn truth(&mut self, value: Val, pos: Pos) -> Lowered<TermId> {
        match value {
            Val::Num(num) => Ok(self.arith().is_true(num)),
            Val::Ptr(pointer) => {
                let zero = self.cx.terms.int(0);
                let is_null = self.cx.terms.eq(pointer.id, zero);
                Ok(self.cx.terms.not(is_null))
            }
            _ => Err(self.error("type-mismatch", "this is no condition", pos)),
        }
    }

    /// Whether the value of an expression counts as true. In a formula an array does not: its address is never 0.
    pub fn truth_of(&mut self, e: E) -> Lowered<TermId> {
        if self.in_atom
            && let Ok(ty) = self.type_of(e)
            && let Type::Array(..) = self.types.get(ty)
        {
            let finding = self.error(
                "array-as-condition",
                "an array is no condition: its address is never 0",
                self.ast.pos(e),
            );
            return Err(Box::new(finding.hint("ask about an element: `a[0]`")));
        }
        let value = self.value(e)?;
        self.truth(value, self.ast.pos(e))
    }

    fn unary(&mut self, op: Unary, arg: E, e: E, pos: Pos) -> Lowered<Val> {
        match op {
            Unary::Deref => return self.read_expr(e),
            Unary::Address if self.in_atom => {
                let finding = self.unsupported("an address in a formula", pos);
                let hint = "pointers can be compared with one another and with 0";
                return Err(Box::new(finding.hint(hint)));
            }
            Unary::Address => {
                // `&*p` is `p`, and `&a[i]` may lie one past the end.
                if let &Expr::Unary(Unary::Deref, pointer) = self.ast.expr(arg) {
                    return self.value(pointer);
                }
                return self.address_of(arg);
            }
            Unary::Not => {
                let truth = self.truth_of(arg)?;
                let not = self.cx.terms.not(truth);
                return Ok(Val::Num(Num::truth(not)));
            }
            Unary::Plus | Unary::Neg | Unary::BitNot => {}
        }
        let value = self.value(arg)?;
        let num = self.number(value, pos)?;
        let int = num.int.promoted();
        let num = self.arith().convert(num, int);
        Ok(Val::Num(match op {
            Unary::Neg => self.negated(num),
            Unary::BitNot => self.arith().complement(num),
            _ => num,
        }))
    }

    /// Minus the number, of a promoted type.
    pub fn negated(&mut self, num: Num) -> Num {
        let zero = self.arith().constant(0, num.int);
        self.check_overflow(Binary::Sub, zero, num);
        self.arith().negate(num)
    }

    /// A chain of infix operators, from its left end.
    fn chain(&mut self, e: E) -> Lowered<Val> {
        let mut spine = Vec::new();
        let mut at = e;
        while let &Expr::Binary(op, left, right) = self.ast.expr(at) {
            if self.hoisted.contains_key(&at) {
                break;
            }
            spine.push((op, right, at));
            at = left;
        }
        let mut value = self.value(at)?;
        for (op, right, whole) in spine.into_iter().rev() {
            let right = self.value(right)?;
            value = self.binary(op, value, right, self.ast.pos(whole))?;
        }
        Ok(value)
    }

    pub fn binary(&mut self, op: Binary, left: Val, right: Val, pos: Pos) -> Lowered<Val> {
        match (left, right) {
            (Val::Num(left), Val::Num(right)) => {
                Ok(Val::Num(self.binary_num(op, left, right, pos)?))
            }
            (Val::Ptr(pointer), Val::Num(num)) if matches!(op, Binary::Add | Binary::Sub) => {
                Ok(Val::Ptr(self.moved(&pointer, num, op == Binary::Sub)))
            }
            (Val::Num(num), Val::Ptr(pointer)) if op == Binary::Add => {
                Ok(Val::Ptr(self.moved(&pointer, num, false)))
            }
            (Val::Ptr(left), Val::Num(num)) => {
                let right = self.pointer_operand(num, left.pointee, pos)?;
                self.pointers_compared(op, &left, &right, pos)
            }
            (Val::Num(num), Val::Ptr(right)) => {
                let left = self.pointer_operand(num, right.pointee, pos)?;
                self.pointers_compared(op, &left, &right, pos)
            }
            (Val::Ptr(left), Val::Ptr(right)) => self.pointers_compared(op, &left, &right, pos),
            _ => Err(self.error(
                "type-mismatch",
                "operands of this kind have no such operator",
                pos,
            )),
        }
    }

    /// [`Lower::pointer_of`], where it has a meaning: in a formula no number but zero is an address.
    fn pointer_operand(&mut self, num: Num, pointee: Ty, pos: Pos) -> Lowered<Ptr> {
        if self.in_atom && num.value() != Some(0) {
            return Err(self.unsupported("a number as an address in a formula", pos));
        }
        Ok(self.pointer_of(num, pointee))
    }

    /// A number as a pointer: only zero is one that we know, others may not be followed.
    fn pointer_of(&mut self, num: Num, pointee: Ty) -> Ptr {
        if num.value() == Some(0) {
            return self.null(pointee);
        }
        let wide = self.arith().convert(num, IntTy::LONG);
        let id = self.arith().integer(wide);
        Ptr::foreign(pointee, id)
    }

    /// A pointer as a number, if it is no address of an object.
    fn number_of(&mut self, pointer: &Ptr, int: IntTy, pos: Pos) -> Lowered<Num> {
        if self.in_atom || !pointer.targets.set.is_empty() {
            return Err(self.unsupported("an address as a number", pos));
        }
        Ok(self.arith().of_integer(pointer.id, int))
    }

    /// Whether a pointer of a formula comes from no variable and is not null. The program has numbers
    /// for its targets that the formula does not know.
    fn is_address(&self, ptr: &Ptr) -> bool {
        let literal = self.cx.terms.as_lit(ptr.id);
        let number = literal.and_then(|value| value.as_int());
        !ptr.targets.set.is_empty() || number.is_some_and(|number| !number.is_zero())
    }

    fn pointers_compared(&mut self, op: Binary, left: &Ptr, right: &Ptr, pos: Pos) -> Lowered<Val> {
        if self.in_atom && [left, right].iter().any(|ptr| self.is_address(ptr)) {
            return Err(self.unsupported("an address in a formula", pos));
        }
        let offsets = left.offset.is_some() || right.offset.is_some();
        let zero = self.zero_index();
        let (a, b) = (left.offset.unwrap_or(zero), right.offset.unwrap_or(zero));
        if matches!(op, Binary::Eq | Binary::Ne) {
            let mut same = self.cx.terms.eq(left.id, right.id);
            if offsets {
                let same_offset = self.cx.terms.eq(a, b);
                // Null pointers have no offset.
                let null = self.cx.terms.int(0);
                let is_null = self.cx.terms.eq(left.id, null);
                let either = self.cx.terms.or(&[is_null, same_offset]);
                same = self.cx.terms.and(&[same, either]);
            }
            let truth = if op == Binary::Eq {
                same
            } else {
                self.cx.terms.not(same)
            };
            return Ok(Val::Num(Num::truth(truth)));
        }
        if op == Binary::Sub || op.is_comparison() {
            let (a, b) = (
                Num::word(a, IntTy::LONG, false),
                Num::word(b, IntTy::LONG, false),
            );
            let difference = self.arith().binary(op, a, b);
            let difference = difference.expect("differences have a meaning in every mode");
            return Ok(Val::Num(difference));
        }
        Err(self.error("type-mismatch", "pointers have no such operator", pos))
    }

    /// `&&` or `||` of any length: an operand is evaluated only where the ones before say so.
    fn logical(&mut self, e: E, is_and: bool) -> Lowered<Val> {
        let mark = self.guard.len();
        let truths = self.guarded_truths(e, is_and);
        self.guard.truncate(mark);
        let truth = self.connected(&truths?, is_and);
        Ok(Val::Num(Num::truth(truth)))
    }

    /// The operands' truth values. Each one, or its negation, stays behind as a guard of those after
    /// it; one by one, so that long chains need no conjunction for each operand.
    fn guarded_truths(&mut self, e: E, is_and: bool) -> Lowered<Vec<TermId>> {
        let mut truths = Vec::new();
        for operand in self.operands(e, is_and) {
            let truth = if truths.is_empty() || !self.has_effects(operand) {
                self.truth_of(operand)?
            } else {
                let so_far = self.connected(&truths, is_and);
                let evaluated = if is_and {
                    so_far
                } else {
                    self.cx.terms.not(so_far)
                };
                let before = self.step.fork();
                let truth = self.truth_of(operand)?;
                let after = self.step.back(&before);
                self.step
                    .merge(&mut self.cx.terms, evaluated, &after, &before);
                truth
            };
            truths.push(truth);
            self.guard.push(if is_and {
                truth
            } else {
                self.cx.terms.not(truth)
            });
        }
        Ok(truths)
    }

    /// The operands of `&&` or `||`, from left to right.
    pub(super) fn operands(&self, e: E, is_and: bool) -> Vec<E> {
        let (mut operands, mut at) = (Vec::new(), e);
        loop {
            match *self.ast.expr(at) {
                _ if self.hoisted.contains_key(&at) => break,
                Expr::LogicalAnd(left, right) if is_and => {
                    operands.push(right);
                    at = left;
                }
                Expr::LogicalOr(left, right) if !is_and => {
                    operands.push(right);
                    at = left;
                }
                _ => break,
            }
        }
        operands.push(at);
        operands.reverse();
        operands
    }

    fn connected(&mut self, truths: &[TermId], is_and: bool) -> TermId {
        if is_and {
            self.cx.terms.and(truths)
        } else {
            self.cx.terms.or(truths)
        }
    }

    fn conditional(
        &mut self,
        condition: E,
        then: Option<E>,
        otherwise: E,
        pos: Pos,
    ) -> Lowered<Val> {
        let first = self.value(condition)?;
        let truth = self.truth(first.clone(), pos)?;
        let before = self.step.fork();
        self.guard.push(truth);
        let then_value = match then {
            Some(then) => self.value(then),
            None => Ok(first),
        };
        self.guard.pop();
        let after_then = self.step.back(&before);
        let not = self.cx.terms.not(truth);
        self.guard.push(not);
        let other_value = self.value(otherwise);
        self.guard.pop();
        let after_other = self.step.back(&before);
        self.step
            .merge(&mut self.cx.terms, truth, &after_then, &after_other);
        let (then, other) = (then_value?, other_value?);
        Ok(self.choose(truth, &then, &other))
    }

    /// One value or the other, brought to a common type.
    pub fn choose(&mut self, condition: TermId, then: &Val, other: &Val) -> Val {
        match (then, other) {
            (Val::Num(a), Val::Num(b)) => {
                let int = if a.int == b.int {
                    a.int
                } else {
                    a.int.common(b.int)
                };
                let (a, b) = (self.arith().convert(*a, int), self.arith().convert(*b, int));
                Val::Num(self.arith().choose(condition, a, b))
            }
            (Val::Ptr(a), Val::Ptr(b)) => Val::Ptr(self.either(condition, a, b)),
            // No value: what a formula does with it is refused.
            (Val::Ptr(_), Val::Num(num)) | (Val::Num(num), Val::Ptr(_))
                if self.in_atom && num.value() != Some(0) =>
            {
                Val::Void
            }
            (Val::Ptr(a), Val::Num(num)) => {
                let b = self.pointer_of(*num, a.pointee);
                Val::Ptr(self.either(condition, a, &b))
            }
            (Val::Num(num), Val::Ptr(b)) => {
                let a = self.pointer_of(*num, b.pointee);
                Val::Ptr(self.either(condition, &a, b))
            }
            (Val::Record(ty, a), Val::Record(_, b)) if a.len() == b.len() => {
                let mut parts = Vec::new();
                for (a, b) in a.iter().zip(b) {
                    parts.push(self.choose(condition, a, b));
                }
                Val::Record(*ty, parts)
            }
            (&Val::Array(a), &Val::Array(b)) => Val::Array(self.cx.terms.ite(condition, a, b)),
            _ => Val::Void,
        }
    }

    fn assign(&mut self, op: Option<Binary>, left: E, right: E, pos: Pos) -> Lowered<Val> {
        let value = self.value(right)?;
        let at = self.place(left)?;
        let value = match op {
            None => value,
            Some(op) => {
                let old = self.read(&at, self.ast.pos(left))?;
                self.binary(op, old, value, pos)?
            }
        };
        let value = self.converted(value, at.ty, pos)?;
        self.write(&at, &value, pos)?;
        Ok(value)
    }

    fn step_by_one(&mut self, place: E, up: bool, post: bool, pos: Pos) -> Lowered<Val> {
        let at = self.place(place)?;
        let old = self.read(&at, self.ast.pos(place))?;
        let one = Val::Num(self.arith().constant(1, IntTy::INT));
        let op = if up { Binary::Add } else { Binary::Sub };
        let new = self.binary(op, old.clone(), one, pos)?;
        let new = self.converted(new, at.ty, pos)?;
        self.write(&at, &new, pos)?;
        Ok(if post { old } else { new })
    }

    /// A value as one of another type, as an assignment does it.
    pub fn converted(&mut self, value: Val, ty: Ty, pos: Pos) -> Lowered<Val> {
        match (value, self.types.get(ty).clone()) {
            (Val::Num(num), Type::Int(int)) => Ok(Val::Num(self.arith().convert(num, int))),
            (Val::Num(num), Type::Ptr(to)) => Ok(Val::Ptr(self.pointer_operand(num, to, pos)?)),
            (Val::Ptr(mut pointer), Type::Ptr(to)) => {
                pointer.pointee = to;
                Ok(Val::Ptr(pointer))
            }
            (value @ Val::Ptr(_), Type::Int(IntTy::BOOL)) => {
                let truth = self.truth(value, pos)?;
                let num = Num::truth(truth);
                Ok(Val::Num(self.arith().convert(num, IntTy::BOOL)))
            }
            (Val::Record(own, parts), Type::Record(_)) if own.plain() == ty.plain() => {
                Ok(Val::Record(own, parts))
            }
            (_, Type::Void) => Ok(Val::Void),
            (_, Type::Float) => Err(self.unsupported("a floating-point number", pos)),
            (_, Type::Unsupported(what)) => Err(self.unsupported(what, pos)),
            (Val::Ptr(pointer), Type::Int(int)) => {
                Ok(Val::Num(self.number_of(&pointer, int, pos)?))
            }
            _ => {
                let message = format!("this is no value of type {}", self.types.describe(ty));
                Err(self.error("type-mismatch", message, pos))
            }
        }
    }

    fn size(&mut self, ty: Ty, pos: Pos) -> Lowered<Val> {
        match self.types.layout(ty) {
            Some((size, _)) => {
                let size = self.arith().constant(i128::from(size), IntTy::ULONG);
                Ok(Val::Num(size))
            }
            None => Err(self.unsupported("the size of this type", pos)),
        }
    }

    /// The type of an expression that is not evaluated.
    pub fn type_of(&mut self, e: E) -> Lowered<Ty> {
        let pos = self.ast.pos(e);
        self.deeper(pos)?;
        let ty = self.type_inside(e, pos);
        self.depth -= 1;
        ty
    }

    fn type_inside(&mut self, e: E, pos: Pos) -> Lowered<Ty> {
        Ok(match *self.ast.expr(e) {
            Expr::Name(name) => {
                let obj = self.lookup(name, pos)?;
                self.objects.get(obj).ty
            }
            Expr::Unary(Unary::Deref, of) | Expr::Index(of, _) => {
                let ty = self.type_of(of)?;
                match self.types.pointee(ty) {
                    Some(ty) => ty,
                    None => return Err(self.error("type-mismatch", "this is no pointer", pos)),
                }
            }
            Expr::Unary(Unary::Address, of) => {
                let ty = self.type_of(of)?;
                self.types.add(Type::Ptr(ty))
            }
            Expr::Unary(Unary::Not, _) | Expr::LogicalAnd(..) | Expr::LogicalOr(..) => {
                self.int_ty()
            }
            Expr::Unary(_, of) => {
                let ty = self.type_of(of)?;
                self.promoted(ty)
            }
            Expr::Binary(..) => return self.type_of_chain(e),
            Expr::Assign(_, of, _) | Expr::Step { place: of, .. } => self.type_of(of)?,
            Expr::Conditional(condition, then, otherwise) => {
                let then = self.type_of(then.unwrap_or(condition))?;
                let otherwise = self.type_of(otherwise)?;
                self.common(then, otherwise)
            }
            Expr::Comma(_, last) => self.type_of(last)?,
            Expr::Call(callee, _) => match *self.ast.expr(callee) {
                Expr::Name(name) => {
                    let text = self.symbols.text(name);
                    self.result_type(name, text)
                }
                _ => self.int_ty(),
            },
            Expr::Member(of, name) => {
                let ty = self.type_of(of)?;
                match object::member(self.types, ty, name) {
                    Some((_, ty)) => ty,
                    None => return Err(self.unsupported("the type of this member", pos)),
                }
            }
            Expr::Cast(ty, _) => ty,
            Expr::Int(_, int) => self.types.int(int),
            Expr::SizeofValue(_) | Expr::SizeofType(_) => self.types.int(IntTy::ULONG),
            Expr::Str(ref bytes) => {
                let char_ = self.types.int(IntTy::CHAR);
                self.types
                    .add(Type::Array(char_, Some(bytes.len() as u64 + 1)))
            }
            Expr::Block(body) => match self.ast.stmt(body) {
                ast::Stmt::Block(stmts) => match stmts.last().map(|&s| self.ast.stmt(s)) {
                    Some(&ast::Stmt::Expr(last)) => self.type_of(last)?,
                    _ => self.types.add(Type::Void),
                },
                _ => self.types.add(Type::Void),
            },
            Expr::Float => self.types.add(Type::Float),
            Expr::Unsupported(what) => return Err(self.unsupported(what, pos)),
        })
    }

    fn type_of_chain(&mut self, e: E) -> Lowered<Ty> {
        let mut spine = Vec::new();
        let mut at = e;
        while let &Expr::Binary(op, left, right) = self.ast.expr(at) {
            spine.push((op, right));
            at = left;
        }
        let mut ty = self.type_of(at)?;
        for (op, right) in spine.into_iter().rev() {
            ty = match op {
                _ if op.is_comparison() => self.int_ty(),
                Binary::Shl | Binary::Shr => self.promoted(ty),
                _ => {
                    let right = self.type_of(right)?;
                    self.common(ty, right)
                }
            };
        }
        Ok(ty)
    }

    fn promoted(&mut self, ty: Ty) -> Ty {
        match self.types.as_int(ty) {
            Some(int) => self.types.int(int.promoted()),
            None => ty,
        }
    }

    /// The type of a value that is one or the other, or made of both.
    fn common(&mut self, a: Ty, b: Ty) -> Ty {
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (Type::Int(a), Type::Int(b)) => self.types.int(a.common(b)),
            (Type::Array(element, _), Type::Int(_)) => self.types.add(Type::Ptr(element)),
            (Type::Int(_), Type::Array(element, _)) => self.types.add(Type::Ptr(element)),
            (Type::Int(_), _) => b,
            _ => a,
        }
    }

    /// A value that the environment chooses, of a type.
    pub fn any_value(&mut self, ty: Ty, from: Option<Origin>, pos: Pos) -> Lowered<Val> {
        if self.in_atom {
            return Err(self.unsupported("a value without a place in a formula", pos));
        }
        match *self.types.get(ty) {
            Type::Void => Ok(Val::Void),
            Type::Int(int) => {
                let sort = self.arith().sort(int);
                let term = self.input_of(sort, Some(int), from, pos);
                Ok(Val::Num(Num::word(term, int, true)))
            }
            Type::Ptr(to) => {
                let int = self.cx.terms.sorts.int();
                let id = self.input_of(int, None, from, pos);
                Ok(Val::Ptr(Ptr::foreign(to, id)))
            }
            _ => Err(self.unsupported(&format!("any value of {}", self.types.describe(ty)), pos)),
        }
    }

    fn input_of(
        &mut self,
        sort: lariat_expr::SortId,
        int: Option<IntTy>,
        from: Option<Origin>,
        pos: Pos,
    ) -> TermId {
        let instance = 1 + self.step.n_inputs() as u32;
        let var = self.cx.terms.declare_instance("input", sort, instance);
        let term = self.cx.terms.var(var);
        let noted = from.map(|origin| self.incoming(origin, int, Some(var)));
        self.step.input(Input {
            var,
            term,
            int: int.filter(|_| self.mode == IntMode::Math),
            span: self.span(pos),
            id: noted,
            when: noted.and_then(|id| self.provenance.inputs[id].when),
            silent: from.is_some_and(|origin| match origin.source {
                Source::Function(function) => self.is_silent(function),
                Source::Volatile(_) => false,
            }),
        });
        term
    }

    /// Gives what a pointer leads to any value; whether it did.
    pub fn havoc_target(&mut self, value: &Val, from: Origin, pos: Pos) -> Lowered<bool> {
        let Val::Ptr(pointer) = value else {
            return Ok(false);
        };
        let is_plain = matches!(self.types.get(pointer.pointee), Type::Int(_));
        if pointer.targets.unknown || !is_plain {
            return Ok(false);
        }
        let places = self.follow(pointer, pos)?;
        for &(_, place) in &places {
            let leaf = self.objects.get(place.obj).leaves[place.leaf as usize];
            if !matches!(leaf.kind, LeafKind::Int(_)) {
                return Ok(false);
            }
        }
        let any = self.any_value(pointer.pointee, Some(from), pos)?;
        let ty = pointer.pointee;
        self.write_unchecked(&place::Location { ty, places }, &any, pos)?;
        Ok(true)
    }
}
