//! Types and memory: where each variable lies.
//!
//! Memory is a row of elementary values, the *slots*. A struct, a block instance or an array is a stretch of it; what is
//! inside has an offset. So a place is an address and a type, and an element whose index is not constant a list of addresses.

use super::ast::{Expr, ExprKind, Init, Name, Pos, Section, TypeSpec, VarDecl};
use super::expression::{Env as _, Lowered, constant_int, evaluate_as};
use super::lower::Lower;
use super::value::{Val, elementary, int_of};
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::TermId;
use lariat_system::PlcType;
use std::rc::Rc;

/// How many values a program may have.
pub(super) const MAX_SLOTS: usize = 50_000;
/// How many elements an array may have.
const MAX_ELEMENTS: i128 = 1024;
/// How deep types may be made of one another.
const MAX_TYPES: usize = 50;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    /// With the values that a subrange allows.
    Elem(PlcType, Option<(i128, i128)>),
    Array(Rc<ArrayTy>),
    /// A struct, or an instance of a block, by its record.
    Record(usize),
}

#[derive(PartialEq, Debug)]
pub(super) struct ArrayTy {
    pub dims: Vec<(i128, i128)>,
    pub of: Ty,
    /// How many slots an element has.
    pub size: usize,
}

/// One elementary value of a type.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// What its name has behind that of the variable.
    pub suffix: String,
    pub ty: PlcType,
    pub range: Option<(i128, i128)>,
    pub init: TermId,
    /// Whether it has no meaning between scans.
    pub temp: bool,
    /// Whether it is a memory inside of a standard block.
    pub hidden: bool,
}

/// A type with what its variables start with.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub ty: Ty,
    pub slots: Rc<Vec<Slot>>,
    /// The block instances in it: name behind that of the variable, offset, record.
    pub instances: Rc<Vec<(String, usize, usize)>>,
}

/// A struct, or the variables of a block, a program or a function.
#[derive(Debug)]
pub(super) struct Record {
    pub name: Box<str>,
    /// The program organisation unit, if it is no struct.
    pub pou: Option<usize>,
    pub members: Vec<Member>,
    pub by_key: FxHashMap<Box<str>, usize>,
    pub constants: FxHashMap<Box<str>, Val>,
    pub shape: Shape,
}

#[derive(Debug)]
pub(super) struct Member {
    pub name: Name,
    pub ty: Ty,
    pub offset: usize,
    pub section: Section,
    pub constant: bool,
}

/// What is known of a named type.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// It is being read: it must not be part of itself.
    Open,
    Done(Shape),
    /// It was reported.
    Wrong,
}

impl Lower<'_> {
    /// The type that a name stands for.
    fn named_type(&mut self, name: &Name) -> Lowered<Shape> {
        if let Some(ty) = elementary(&name.key) {
            if ty == PlcType::Real {
                self.reals.get_or_insert(name.pos);
            }
            let init = self.arith().default(ty);
            return Ok(elementary_shape(ty, None, init));
        }
        match self.known_types.get(&name.key) {
            Some(Known::Done(shape)) => return Ok(shape.clone()),
            Some(Known::Open) => {
                let message = format!("the type `{}` is part of itself", name.text);
                return Err(self.error("recursion", message, name.pos));
            }
            Some(Known::Wrong) => {
                let message = format!("the type `{}` could not be read", name.text);
                return Err(self.error("unknown-type", message, name.pos));
            }
            None => {}
        }
        if self.type_depth >= MAX_TYPES {
            let message = format!("types are made of one another more than {MAX_TYPES} deep");
            return Err(self.error("too-deep", message, name.pos));
        }
        let unit = self.unit;
        self.known_types.insert(name.key.clone(), Known::Open);
        self.type_depth += 1;
        let shape = if let Some(&at) = self.type_names.get(&name.key) {
            let declared = &unit.types[at];
            self.shape_of(&declared.spec, Some(&declared.name), declared.init.as_ref())
        } else if let Some(&at) = self.pou_names.get(&name.key) {
            self.block_type(at, name)
        } else {
            let known = self.type_names.keys().chain(self.pou_names.keys());
            let mut known: Vec<&str> = known.map(|key| &**key).collect();
            known.sort_unstable();
            let near = crate::scope::suggestion(&name.key, known);
            let message = format!("there is no type `{}`", name.text);
            let finding = self.error("unknown-type", message, name.pos);
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Err(Box::new(finding.maybe_hint(hint)))
        };
        self.type_depth -= 1;
        let known = match &shape {
            Ok(shape) => Known::Done(shape.clone()),
            Err(_) => Known::Wrong,
        };
        self.known_types.insert(name.key.clone(), known);
        shape
    }

    fn block_type(&mut self, at: usize, name: &Name) -> Lowered<Shape> {
        if self.unit.pous[at].kind != super::ast::PouKind::Block {
            let message = format!("`{}` is no type", name.text);
            let hint = "variables are instances of function blocks only";
            let finding = self.error("unknown-type", message, name.pos);
            return Err(Box::new(finding.hint(hint)));
        }
        let record = self.pou_record(at)?;
        Ok(self.records[record].shape.clone())
    }

    /// A type with what its variables start with; `name` is the name that it is declared under.
    pub fn shape_of(
        &mut self,
        spec: &TypeSpec,
        name: Option<&Name>,
        init: Option<&Init>,
    ) -> Lowered<Shape> {
        let shape = match spec {
            TypeSpec::Named(name) => self.named_type(name)?,
            TypeSpec::Sub(of, from, to) => self.subrange(of, from, to)?,
            TypeSpec::Enum(names) => self.enumeration(names, name)?,
            TypeSpec::Array(ranges, of, pos) => self.array(ranges, of, *pos)?,
            TypeSpec::Struct(members) => {
                let name = name.map_or("STRUCT", |name| &name.text).into();
                let record = self.record(name, None, members)?;
                self.records[record].shape.clone()
            }
        };
        let Some(init) = init else { return Ok(shape) };
        let mut slots = shape.slots.to_vec();
        self.initialize(&shape.ty, &mut slots, init)?;
        Ok(Shape {
            slots: Rc::new(slots),
            ..shape
        })
    }

    fn subrange(&mut self, of: &Name, from: &Expr, to: &Expr) -> Lowered<Shape> {
        let Some(ty @ PlcType::Int { .. }) = elementary(&of.key) else {
            let message = format!("`{}` is no integer type", of.text);
            return Err(self.error("type-mismatch", message, of.pos));
        };
        let range = (constant_int(self, from)?, constant_int(self, to)?);
        let (low, high) = ty.range().expect("integers have a range");
        if range.0 > range.1 || range.0 < low || range.1 > high {
            let message = format!("{}..{} is no range of `{}`", range.0, range.1, of.text);
            return Err(self.error("out-of-range", message, from.pos.to(to.pos)));
        }
        let init = self.arith().number(&int_of(range.0), ty);
        Ok(elementary_shape(ty, Some(range), init))
    }

    fn enumeration(&mut self, names: &[Name], name: Option<&Name>) -> Lowered<Shape> {
        for (i, name) in names.iter().enumerate() {
            if names[..i].iter().any(|other| other.key == name.key) {
                let message = format!("there is another value `{}`", name.text);
                return Err(self.error("duplicate-name", message, name.pos));
            }
        }
        let text = match name {
            Some(name) => name.text.to_string(),
            None => {
                // The same list is the same type, wherever it stands.
                let keys: Vec<&str> = names.iter().map(|name| &*name.key).collect();
                format!("Enum_{}", keys.join("_"))
            }
        };
        let known = self.enums.iter().find(|known| *known.0 == *text);
        let sort = match known {
            Some(&(_, sort)) => sort,
            None => {
                let literals = names.iter().map(|name| name.text.clone());
                let sort = self.cx.terms.sorts.enumeration(&text, literals);
                self.enums.push((text.into(), sort));
                sort
            }
        };
        let ty = PlcType::Enum(sort);
        let init = self.arith().default(ty);
        Ok(elementary_shape(ty, None, init))
    }

    fn array(&mut self, ranges: &[(Expr, Expr)], of: &TypeSpec, pos: Pos) -> Lowered<Shape> {
        let mut dims = Vec::new();
        let mut n: i128 = 1;
        for (from, to) in ranges {
            let (low, high) = (constant_int(self, from)?, constant_int(self, to)?);
            if low > high {
                let message = format!("{low}..{high} is an empty range");
                return Err(self.error("out-of-range", message, from.pos.to(to.pos)));
            }
            n = n.saturating_mul(high - low + 1);
            dims.push((low, high));
        }
        let element = self.shape_of(of, None, None)?;
        let total = n.saturating_mul(element.slots.len() as i128);
        if n > MAX_ELEMENTS || total > MAX_SLOTS as i128 {
            let message = format!("an array of more than {MAX_ELEMENTS} elements");
            return Err(self.unsupported(&message, pos));
        }
        let (mut slots, mut instances) = (Vec::new(), Vec::new());
        let mut index: Vec<i128> = dims.iter().map(|dim| dim.0).collect();
        for _ in 0..n {
            let text: Vec<String> = index.iter().map(i128::to_string).collect();
            let prefix = format!("[{}]", text.join(","));
            add_part(&mut slots, &mut instances, &prefix, &element);
            for (at, dim) in index.iter_mut().zip(&dims).rev() {
                *at += 1;
                if *at <= dim.1 {
                    break;
                }
                *at = dim.0;
            }
        }
        let size = element.slots.len();
        let ty = Ty::Array(Rc::new(ArrayTy {
            dims,
            of: element.ty,
            size,
        }));
        Ok(Shape {
            ty,
            slots: Rc::new(slots),
            instances: Rc::new(instances),
        })
    }

    /// The variables of a program organisation unit.
    pub fn pou_record(&mut self, at: usize) -> Lowered<usize> {
        if let Some(&record) = self.pou_records.get(&at) {
            return Ok(record);
        }
        let unit = self.unit;
        let pou = &unit.pous[at];
        if let Some(result) = &pou.result {
            // A function gives what the variable of its name has in the end.
            let mut vars = pou.vars.clone();
            vars.push(VarDecl {
                section: Section::Local,
                constant: false,
                name: pou.name.clone(),
                ty: result.clone(),
                init: None,
                address: None,
            });
            let record = self.record(pou.name.text.clone(), Some(at), &vars)?;
            self.pou_records.insert(at, record);
            return Ok(record);
        }
        let record = self.record(pou.name.text.clone(), Some(at), &pou.vars)?;
        self.pou_records.insert(at, record);
        Ok(record)
    }

    fn record(&mut self, name: Box<str>, pou: Option<usize>, vars: &[VarDecl]) -> Lowered<usize> {
        self.layout.push(FxHashMap::default());
        let made = self.record_inside(name, pou, vars);
        self.layout.pop();
        made
    }

    fn record_inside(
        &mut self,
        name: Box<str>,
        pou: Option<usize>,
        vars: &[VarDecl],
    ) -> Lowered<usize> {
        let (mut slots, mut instances) = (Vec::new(), Vec::new());
        let (mut members, mut by_key) = (Vec::new(), FxHashMap::default());
        for var in vars {
            if by_key.contains_key(&var.name.key)
                || self
                    .layout
                    .last()
                    .is_some_and(|known| known.contains_key(&var.name.key))
            {
                let message = format!("there is another `{}`", var.name.text);
                return Err(self.error("duplicate-name", message, var.name.pos));
            }
            let has_storage = !matches!(var.section, Section::External | Section::InOut);
            let shape = self.shape_of(&var.ty, None, var.init.as_ref().filter(|_| has_storage))?;
            if let (true, Ty::Elem(ty, _), Some(slot)) =
                (var.constant && has_storage, &shape.ty, shape.slots.first())
            {
                let val = Val::new(slot.init, *ty);
                let constants = self.layout.last_mut().expect("a record is read");
                constants.insert(var.name.key.clone(), val);
                continue;
            }
            by_key.insert(var.name.key.clone(), members.len());
            members.push(Member {
                name: var.name.clone(),
                ty: shape.ty.clone(),
                offset: slots.len(),
                section: var.section,
                constant: var.constant,
            });
            if has_storage {
                let first = slots.len();
                let prefix = format!(".{}", var.name.text);
                add_part(&mut slots, &mut instances, &prefix, &shape);
                if var.section == Section::Temp {
                    slots[first..].iter_mut().for_each(|slot| slot.temp = true);
                }
                let is_standard = pou.is_some_and(|at| at >= self.n_own);
                if is_standard && var.section == Section::Local {
                    slots[first..]
                        .iter_mut()
                        .for_each(|slot| slot.hidden = true);
                }
            }
            if slots.len() > MAX_SLOTS {
                let message = format!("more than {MAX_SLOTS} values");
                return Err(self.unsupported(&message, var.name.pos));
            }
        }
        let at = self.records.len();
        if pou.is_some() {
            instances.insert(0, (String::new(), 0, at));
        }
        self.records.push(Record {
            name,
            pou,
            members,
            by_key,
            constants: self.layout.last().cloned().unwrap_or_default(),
            shape: Shape {
                ty: Ty::Record(at),
                slots: Rc::new(slots),
                instances: Rc::new(instances),
            },
        });
        Ok(at)
    }

    /// Gives slots the values of an initialization.
    fn initialize(&mut self, ty: &Ty, slots: &mut [Slot], init: &Init) -> Lowered<()> {
        match (ty, init) {
            (Ty::Elem(of, range), Init::Expr(e)) => {
                let term = evaluate_as(self, e, *of)?;
                if self.cx.terms.as_lit(term).is_none() {
                    let message = "an initial value must be constant".to_owned();
                    return Err(self.error("not-constant", message, e.pos));
                }
                if let Some(range) = range {
                    let inside = self.arith().within(term, *of, *range);
                    if inside != self.cx.terms.true_() {
                        let message = format!("this is not in {}..{}", range.0, range.1);
                        return Err(self.error("out-of-range", message, e.pos));
                    }
                }
                slots[0].init = term;
                Ok(())
            }
            (Ty::Array(array), Init::Array(items, pos)) => {
                self.initialize_array(array, slots, items, *pos)
            }
            (Ty::Record(record), Init::Struct(members, _)) => {
                for (name, init) in members {
                    let known = &self.records[*record];
                    let member = known.by_key.get(&name.key).map(|&at| &known.members[at]);
                    let Some(member) = member else {
                        return Err(self.no_member(*record, name));
                    };
                    let (ty, offset) = (member.ty.clone(), member.offset);
                    self.initialize(&ty, &mut slots[offset..], init)?;
                }
                Ok(())
            }
            (_, Init::Expr(Expr { pos, .. }) | Init::Array(_, pos) | Init::Struct(_, pos)) => {
                let message = "this does not fit the type of the variable".to_owned();
                Err(self.error("type-mismatch", message, *pos))
            }
        }
    }

    fn initialize_array(
        &mut self,
        array: &ArrayTy,
        slots: &mut [Slot],
        items: &[(Option<Expr>, Init)],
        pos: Pos,
    ) -> Lowered<()> {
        let mut at = 0;
        let n: i128 = array.dims.iter().map(|dim| dim.1 - dim.0 + 1).product();
        for (count, init) in items {
            let count = match count {
                Some(count) => constant_int(self, count)?,
                None => 1,
            };
            for _ in 0..count {
                let first = at * array.size;
                if at as i128 >= n {
                    let message = format!("the array has only {n} elements");
                    return Err(self.error("out-of-range", message, pos));
                }
                self.initialize(&array.of, &mut slots[first..first + array.size], init)?;
                at += 1;
            }
        }
        Ok(())
    }

    pub fn no_member(&self, record: usize, name: &Name) -> Box<Diagnostic> {
        let record = &self.records[record];
        let message = format!("`{}` has no member `{}`", record.name, name.text);
        let names = record.members.iter().map(|member| &*member.name.text);
        let near = crate::scope::suggestion(&name.text, names);
        let finding = self.error("unknown-name", message, name.pos);
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        Box::new(finding.maybe_hint(hint))
    }
}

/// Adds the slots of a part under its name.
fn add_part(
    slots: &mut Vec<Slot>,
    instances: &mut Vec<(String, usize, usize)>,
    prefix: &str,
    part: &Shape,
) {
    let base = slots.len();
    slots.extend(part.slots.iter().map(|slot| Slot {
        suffix: format!("{prefix}{}", slot.suffix),
        ..slot.clone()
    }));
    let inner = part.instances.iter();
    instances.extend(
        inner.map(|(suffix, at, record)| (format!("{prefix}{suffix}"), base + at, *record)),
    );
}

/// The name at the root of a place.
pub(super) fn root(e: &Expr) -> Option<&Name> {
    let mut at = e;
    loop {
        match &at.kind {
            ExprKind::Name(name) => return Some(name),
            ExprKind::Member(of, _) | ExprKind::Index(of, _) => at = of,
            _ => return None,
        }
    }
}

/// A type of one slot.
fn elementary_shape(ty: PlcType, range: Option<(i128, i128)>, init: TermId) -> Shape {
    let slot = Slot {
        suffix: String::new(),
        ty,
        range,
        init,
        temp: false,
        hidden: false,
    };
    Shape {
        ty: Ty::Elem(ty, range),
        slots: Rc::new(vec![slot]),
        instances: Rc::new(Vec::new()),
    }
}
