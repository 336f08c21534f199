//! Places: variables, members, elements.

use super::ast::{Expr, ExprKind, Name, Pos, Section};
use super::declare::Ty;
use super::expression::{Env as _, Lowered, evaluate, misfit};
use super::lower::Lower;
use super::value::{Misfit, Val, ValTy, count, int_of};
use lariat_base::Diagnostic;
use lariat_expr::{TermId, Value};
use lariat_system::{PlcType, Stmt, StmtId};

/// Where a value lies: at the first address whose condition holds; the last one has none.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub at: Vec<(Option<TermId>, usize)>,
    pub ty: Ty,
    pub constant: bool,
    pub global: bool,
}

/// What a name stands for.
pub(super) enum Found {
    Place(Place),
    Constant(Val),
}

impl Lower<'_> {
    fn found(addr: usize, ty: Ty, constant: bool, global: bool) -> Found {
        Found::Place(Place {
            at: vec![(None, addr)],
            ty,
            constant,
            global,
        })
    }

    fn lookup(&mut self, name: &Name) -> Lowered<Found> {
        if let Some(constants) = self.layout.last() {
            // Declarations read constants only.
            let known = constants
                .get(&name.key)
                .or(self.global_constants.get(&name.key));
            return known.copied().map(Found::Constant).ok_or_else(|| {
                let message = format!("`{}` is no constant that is known here", name.text);
                self.error("unknown-name", message, name.pos)
            });
        }
        if let Some(frame) = self.frames.last() {
            let record = &self.records[frame.record];
            if let Some(&val) = record.constants.get(&name.key) {
                return Ok(Found::Constant(val));
            }
            if let Some(&at) = record.by_key.get(&name.key) {
                let member = &record.members[at];
                match member.section {
                    Section::InOut => {
                        // Code that is only looked at has no arguments.
                        let unbound = Self::found(0, member.ty.clone(), false, true);
                        let place = frame.in_outs.get(&name.key);
                        return Ok(place.map_or(unbound, |place| Found::Place(place.clone())));
                    }
                    Section::External => return self.external(name, at),
                    _ => {
                        let addr = frame.base + member.offset;
                        let (ty, constant) = (member.ty.clone(), member.constant);
                        return Ok(Self::found(addr, ty, constant, false));
                    }
                }
            }
        }
        if let Some(&val) = self.global_constants.get(&name.key) {
            return Ok(Found::Constant(val));
        }
        if let Some(global) = self.globals.get(&name.key) {
            let (addr, ty) = (global.addr, global.ty.clone());
            return Ok(Self::found(addr, ty, global.constant, true));
        }
        Err(self.unknown(name))
    }

    /// What `VAR_EXTERNAL` names must be a global variable of that type.
    fn external(&mut self, name: &Name, member: usize) -> Lowered<Found> {
        if let Some(&val) = self.global_constants.get(&name.key) {
            return Ok(Found::Constant(val));
        }
        let frame = self.frames.last().expect("code is lowered in a unit");
        let member = &self.records[frame.record].members[member];
        let Some(global) = self.globals.get(&name.key) else {
            let message = format!("there is no `VAR_GLOBAL` of the name `{}`", name.text);
            return Err(self.error("unknown-name", message, member.name.pos));
        };
        if global.ty != member.ty {
            let message = format!("`{}` has another type where it is global", name.text);
            return Err(self.error("type-mismatch", message, member.name.pos));
        }
        let (addr, ty) = (global.addr, global.ty.clone());
        let constant = global.constant || member.constant;
        Ok(Self::found(addr, ty, constant, true))
    }

    fn unknown(&self, name: &Name) -> Box<Diagnostic> {
        let mut known: Vec<&str> = self.globals.keys().map(|key| &**key).collect();
        known.extend(self.global_constants.keys().map(|key| &**key));
        if let Some(frame) = self.frames.last() {
            let record = &self.records[frame.record];
            known.extend(record.members.iter().map(|member| &*member.name.text));
            known.extend(record.constants.keys().map(|key| &**key));
        }
        known.sort_unstable();
        let near = crate::scope::suggestion(&name.text, known);
        let message = format!("unknown name `{}`", crate::parser::shorten(&name.text));
        let finding = self.error("unknown-name", message, name.pos);
        Box::new(finding.maybe_hint(near.map(|near| format!("did you mean `{near}`?"))))
    }

    /// The place that an expression names.
    pub fn place(&mut self, e: &Expr) -> Lowered<Found> {
        match &e.kind {
            ExprKind::Name(name) => self.lookup(name),
            ExprKind::Member(of, name) => {
                let Found::Place(mut place) = self.place(of)? else {
                    let message = format!("a constant has no member `{}`", name.text);
                    return Err(self.error("unknown-name", message, name.pos));
                };
                let Ty::Record(record) = place.ty else {
                    let message = format!("this has no member `{}`", name.text);
                    return Err(self.error("unknown-name", message, name.pos));
                };
                let known = &self.records[record];
                let member = known.by_key.get(&name.key).map(|&at| &known.members[at]);
                let Some(member) = member else {
                    if let Some(&val) = known.constants.get(&name.key) {
                        return Ok(Found::Constant(val));
                    }
                    return Err(self.no_member(record, name));
                };
                if matches!(member.section, Section::InOut | Section::External) {
                    let what = "a `VAR_IN_OUT` or `VAR_EXTERNAL` of an instance from outside";
                    return Err(self.unsupported(what, name.pos));
                }
                for at in &mut place.at {
                    at.1 += member.offset;
                }
                place.ty = member.ty.clone();
                place.constant |= member.constant;
                Ok(Found::Place(place))
            }
            ExprKind::Index(of, indices) => {
                let Found::Place(place) = self.place(of)? else {
                    let message = "this is no array".to_owned();
                    return Err(self.error("type-mismatch", message, of.pos));
                };
                self.element(place, indices, of.pos).map(Found::Place)
            }
            _ => {
                let message = "this is no variable".to_owned();
                Err(self.error("type-mismatch", message, e.pos))
            }
        }
    }

    fn element(&mut self, place: Place, indices: &[Expr], pos: Pos) -> Lowered<Place> {
        let Ty::Array(array) = place.ty.clone() else {
            let message = "this is no array".to_owned();
            return Err(self.error("type-mismatch", message, pos));
        };
        if indices.len() != array.dims.len() {
            let message = format!("the array has {} dimensions", array.dims.len());
            return Err(self.error("wrong-arguments", message, pos));
        }
        let mut place = place;
        let mut stride: i128 = array.dims.iter().map(|dim| dim.1 - dim.0 + 1).product();
        for (e, &(low, high)) in indices.iter().zip(&array.dims) {
            stride /= high - low + 1;
            let val = evaluate(self, e)?;
            if !matches!(val.ty, ValTy::AnyInt | ValTy::Of(PlcType::Int { .. })) {
                let why = Misfit::Type(
                    val.ty,
                    PlcType::Int {
                        bits: 16,
                        signed: true,
                    },
                );
                return Err(misfit(self, &why, e.pos));
            }
            let index = self.arith().as_int(val);
            let step = count(stride) * array.size;
            if let Some(Value::Int(value)) = self.cx.terms.as_lit(index) {
                let value: Option<i128> = value.to_string().parse().ok();
                let inside = value.filter(|value| (low..=high).contains(value));
                let Some(value) = inside else {
                    let message = format!("the index is not in {low}..{high}");
                    return Err(self.error("out-of-range", message, e.pos));
                };
                for at in &mut place.at {
                    at.1 += count(value - low) * step;
                }
                continue;
            }
            self.index_fault(index, (low, high), e.pos);
            let mut all = Vec::new();
            for &(condition, addr) in &place.at {
                for value in low..=high {
                    let terms = &mut self.cx.terms;
                    let number = terms.int(int_of(value));
                    let is_it = terms.eq(index, number);
                    let both = match condition {
                        Some(condition) => terms.and(&[condition, is_it]),
                        None => is_it,
                    };
                    all.push((Some(both), addr + count(value - low) * step));
                }
            }
            if let Some(last) = all.last_mut() {
                last.0 = None;
            }
            // Long ones count as much code.
            self.n_stmts += all.len() / 16;
            place.at = all;
        }
        place.ty = array.of.clone();
        Ok(place)
    }

    fn index_fault(&mut self, index: TermId, (low, high): (i128, i128), pos: Pos) {
        let terms = &mut self.cx.terms;
        let (low, high) = (terms.int(int_of(low)), terms.int(int_of(high)));
        let (below, above) = (terms.lt(index, low), terms.lt(high, index));
        let outside = terms.or(&[below, above]);
        self.fault(outside, pos);
    }

    /// The value of a place of an elementary type.
    pub fn read_place(&mut self, e: &Expr) -> Lowered<Val> {
        let place = match self.place(e)? {
            Found::Constant(val) => return Ok(val),
            Found::Place(place) => place,
        };
        let Ty::Elem(ty, _) = place.ty else {
            let message = "a whole array, struct or instance has no value here".to_owned();
            return Err(self.error("type-mismatch", message, e.pos));
        };
        let mut term = None;
        for &(condition, addr) in place.at.iter().rev() {
            let value = self.value(addr);
            term = Some(match (condition, term) {
                (Some(condition), Some(rest)) => self.cx.terms.ite(condition, value, rest),
                _ => value,
            });
        }
        Ok(Val::new(term.expect("a place has an address"), ty))
    }

    /// Gives a place a value of its type.
    pub fn store(&mut self, place: &Place, value: TermId, pos: Pos) -> Lowered<()> {
        if place.constant {
            let message = "a constant does not change".to_owned();
            return Err(self.error("not-assignable", message, pos));
        }
        let called = self.frames.iter().any(|frame| frame.in_expression);
        if place.global && called {
            let what = "a function that changes a global variable, called inside of an expression";
            let finding = self.unsupported(what, pos);
            let hint = "call it in an assignment of its own: `x := F(…);`";
            return Err(Box::new(finding.hint(hint)));
        }
        let Ty::Elem(ty, range) = place.ty else {
            let message = "this is no elementary variable".to_owned();
            return Err(self.error("type-mismatch", message, pos));
        };
        if let Some(range) = range {
            let inside = self.arith().within(value, ty, range);
            let outside = self.cx.terms.not(inside);
            self.fault(outside, pos);
        }
        let span = self.stmt_span(pos);
        let mut stmt: Option<StmtId> = None;
        for &(condition, addr) in place.at.iter().rev() {
            let assign = Stmt::Assign(self.vars[addr], value);
            let assign = self.cx.stmts.add(assign, span);
            stmt = Some(match (condition, stmt) {
                (Some(condition), Some(rest)) => {
                    let choice = Stmt::If(condition, assign, rest);
                    self.cx.stmts.add(choice, span)
                }
                _ => assign,
            });
        }
        self.graph.code.extend(stmt);
        Ok(())
    }
}
