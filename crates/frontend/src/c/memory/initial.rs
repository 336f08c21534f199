//! Initialisers: static ones become the initial values of variables, those of locals a step.

use crate::c::integer::fold::fold;
use crate::c::lower::{Lower, Lowered, Val};
use crate::c::memory::object::{ObjId, Place, member};
use crate::c::memory::place::Location;
use crate::c::syntax::ast::{Designator, E, Expr, Init, Pos};
use crate::c::types::{IntTy, Ty, Type};
use lariat_expr::{Int, Op, Sort, SortId, Substitution, TermId, Value, VarId};

impl Lower<'_> {
    /// The zero of a sort.
    pub fn zero_of(&mut self, sort: SortId) -> TermId {
        let terms = &mut self.cx.terms;
        let mut arrays = Vec::new();
        let mut at = sort;
        while let Sort::Array { element, .. } = *terms.sorts.get(at) {
            arrays.push(at);
            at = element;
        }
        let value = match terms.sorts.get(at) {
            Sort::Bool => Value::Bool(false),
            Sort::Bv(_) => Value::Bv(Int::ZERO),
            _ => Value::Int(Int::ZERO),
        };
        let mut term = terms.lit(value, at);
        for array in arrays.into_iter().rev() {
            let built = terms.build(Op::ConstArray(array), &[term]);
            term = built.expect("an array of zeros is one of its sort");
        }
        term
    }

    /// Gives a static object its initial value: zero where nothing is said.
    pub fn initialize(&mut self, obj: ObjId, init: Option<&Init>, pos: Pos) -> Lowered<()> {
        let saved = std::mem::take(&mut self.step);
        self.clear_object(obj);
        let set = match init {
            Some(init) => {
                let at = self.whole(obj);
                self.initialize_place(&at, init, pos)
            }
            None => Ok(()),
        };
        let step = std::mem::replace(&mut self.step, saved);
        set?;
        for leaf in self.objects.get(obj).leaves.clone() {
            for var in std::iter::once(leaf.var).chain(leaf.offset) {
                let term = step.read(&mut self.cx.terms, var);
                if step.is_input(term) {
                    let message = "a static variable needs a constant as its value";
                    let finding = self.error("not-constant", message, pos);
                    let hint = "give it the value at the start of `main`";
                    return Err(Box::new(finding.hint(hint)));
                }
                let term = self.with_initial_values(term);
                let is_any = |var: &VarId| {
                    let known = self.objects.of_var.get(var);
                    known.is_some_and(|(obj, _)| self.any.contains(obj))
                };
                if !self.cx.terms.free_vars(&[term]).iter().all(is_any) {
                    let message = "a static variable needs a constant as its value";
                    return Err(self.error("not-constant", message, pos));
                }
                self.initial.insert(var, term);
            }
        }
        Ok(())
    }

    /// A term with the initial values of the variables that have one.
    fn with_initial_values(&mut self, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        for var in self.cx.terms.free_vars(&[term]) {
            if let Some(&value) = self.initial.get(&var) {
                substitution.insert(&mut self.cx.terms, var, value);
            }
        }
        substitution.apply(&mut self.cx.terms, term)
    }

    /// Gives a local object the values of a list.
    pub fn initialize_local(&mut self, obj: ObjId, init: &Init, pos: Pos) -> Lowered<()> {
        self.clear_object(obj);
        let at = self.whole(obj);
        self.initialize_place(&at, init, pos)
    }

    fn clear_object(&mut self, obj: ObjId) {
        for leaf in self.objects.get(obj).leaves.clone() {
            for var in std::iter::once(leaf.var).chain(leaf.offset) {
                let sort = self.cx.terms.var_sort(var);
                let zero = self.zero_of(sort);
                self.step.write(var, zero);
            }
        }
    }

    fn initialize_place(&mut self, at: &Location, init: &Init, pos: Pos) -> Lowered<()> {
        let ty = at.ty;
        match init {
            Init::Expr(e) => {
                if let (Expr::Str(bytes), Type::Array(element, length)) =
                    (self.ast.expr(*e), self.types.get(ty).clone())
                {
                    let n = length.map_or(bytes.len() + 1, |n| (bytes.len() + 1).min(n as usize));
                    for i in 0..n {
                        let byte = bytes
                            .get(i)
                            .map_or(0, |&byte| i128::from(byte.cast_signed()));
                        let value = Val::Num(self.arith().constant(byte, IntTy::CHAR));
                        let place = self.element(at, element, length, i as i128);
                        self.write(&place, &value, pos)?;
                    }
                    return Ok(());
                }
                if self.has_flow(*e) {
                    return Err(self.unsupported("a call in this initialiser", self.ast.pos(*e)));
                }
                let value = self.value(*e)?;
                let value = self.converted(value, ty, pos)?;
                self.write(at, &value, pos)
            }
            Init::List(members, pos) => {
                let mut next = 0;
                self.initialize_list(at, members, &mut next, true, *pos)?;
                Ok(())
            }
        }
    }

    /// Takes from a list what belongs to a place; inner braces may be left out.
    fn initialize_list(
        &mut self,
        at: &Location,
        members: &[(Vec<Designator>, Init)],
        next: &mut usize,
        outermost: bool,
        pos: Pos,
    ) -> Lowered<()> {
        self.deeper(pos)?;
        let done = self.initialize_members(at, members, next, outermost, pos);
        self.depth -= 1;
        done
    }

    fn initialize_members(
        &mut self,
        at: &Location,
        members: &[(Vec<Designator>, Init)],
        next: &mut usize,
        outermost: bool,
        pos: Pos,
    ) -> Lowered<()> {
        let mut position: u64 = 0;
        while let Some((designators, init)) = members.get(*next) {
            if !designators.is_empty() && !outermost {
                return Ok(());
            }
            let part = if designators.is_empty() {
                match self.part(at, position) {
                    Some(part) => part,
                    None if outermost => {
                        return Err(self.error(
                            "too-many-values",
                            "there are too many values",
                            pos,
                        ));
                    }
                    None => return Ok(()),
                }
            } else {
                let mut part = at.clone();
                for (i, designator) in designators.iter().enumerate() {
                    let (inner, index) = self.designated(&part, designator, pos)?;
                    part = inner;
                    if i == 0 {
                        position = index;
                    }
                }
                part
            };
            position += 1;
            let aggregate = matches!(self.types.get(part.ty), Type::Array(..) | Type::Record(_));
            if let (true, Init::Expr(e)) = (aggregate, init)
                && !self.fills(*e, part.ty)
            {
                self.initialize_list(&part, members, next, false, pos)?;
                continue;
            }
            *next += 1;
            self.initialize_place(&part, init, pos)?;
        }
        Ok(())
    }

    /// Whether an expression is a value for a whole array or struct.
    fn fills(&mut self, e: E, ty: Ty) -> bool {
        match (self.ast.expr(e), self.types.get(ty)) {
            (Expr::Str(_), Type::Array(element, _)) => {
                self.types.as_int(*element).is_some_and(|int| int.bits == 8)
            }
            (_, Type::Record(_)) => self.type_of(e).is_ok_and(|own| own.plain() == ty.plain()),
            _ => false,
        }
    }

    fn designated(
        &mut self,
        at: &Location,
        designator: &Designator,
        pos: Pos,
    ) -> Lowered<(Location, u64)> {
        match designator {
            Designator::At(e) => {
                let index = fold(self.ast, self.types, *e).map(|constant| constant.value);
                let index = index.and_then(|index| u64::try_from(index).ok());
                match index.and_then(|index| Some((self.part(at, index)?, index))) {
                    Some(found) => Ok(found),
                    None => Err(self.error("not-constant", "there is no such element", pos)),
                }
            }
            Designator::Field(name) => {
                let Type::Record(id) = self.types.get(at.ty) else {
                    return Err(self.error("unknown-member", "this is no struct", pos));
                };
                let fields = self.types.record(*id).fields.as_deref().unwrap_or(&[]);
                let found = fields.iter().position(|field| field.name == Some(*name));
                match found.and_then(|i| Some((self.part(at, i as u64)?, i as u64))) {
                    Some(found) => Ok(found),
                    None => Err(self.error("unknown-member", "there is no such member", pos)),
                }
            }
        }
    }

    /// The `position`-th member or element.
    fn part(&mut self, at: &Location, position: u64) -> Option<Location> {
        match self.types.get(at.ty).clone() {
            Type::Array(element, length) => {
                if length.is_some_and(|length| position >= length) {
                    return None;
                }
                Some(self.element(at, element, length, i128::from(position)))
            }
            Type::Record(id) => {
                let fields = self.types.record(id).fields.as_deref()?;
                let field = fields.get(usize::try_from(position).ok()?)?;
                let (start, ty) = member(self.types, at.ty, field.name?)?;
                let part = |&(condition, place): &(Option<TermId>, Place)| {
                    let leaf = place.leaf + start;
                    (condition, Place { leaf, ty, ..place })
                };
                Some(Location {
                    ty,
                    places: at.places.iter().map(part).collect(),
                })
            }
            _ => (position == 0).then(|| at.clone()),
        }
    }

    fn element(&mut self, at: &Location, element: Ty, length: Option<u64>, i: i128) -> Location {
        let mut places = Vec::new();
        for &(condition, place) in &at.places {
            let base = match place.index.and_then(|index| self.literal(index)) {
                Some(row) => row.saturating_mul(i128::from(length.unwrap_or(1))),
                None => 0,
            };
            let index = self.arith().constant(base.saturating_add(i), IntTy::LONG);
            let index = Some(self.arith().term(index));
            places.push((
                condition,
                Place {
                    ty: element,
                    index,
                    ..place
                },
            ));
        }
        Location {
            ty: element,
            places,
        }
    }

    fn literal(&self, term: TermId) -> Option<i128> {
        match self.cx.terms.as_lit(term)? {
            Value::Int(value) | Value::Bv(value) => i128::try_from(value.to_big()).ok(),
            _ => None,
        }
    }
}
