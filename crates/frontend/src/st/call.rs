//! Calls: functions and instances of blocks are written out where they are called.

use super::ast::{Arg, Expr, ExprKind, Name, Pos, PouKind, Section, Stmt, StmtKind};
use super::body::has_root;
use super::declare::Ty;
use super::expression::{Env as _, Lowered, evaluate_as, fit};
use super::lower::Lower;
use super::place::{Found, Place};
use super::value::Val;
use lariat_base::FxHashMap;
use lariat_system::PlcType;

impl Lower<'_> {
    /// Whether a name is a function of the program.
    pub fn is_own_function(&self, key: &str) -> bool {
        let at = self.pou_names.get(key);
        at.is_some_and(|&at| self.unit.pous[at].kind == PouKind::Function)
    }

    /// The unit that a call statement runs.
    pub fn callee_unit(&mut self, callee: &Expr) -> Option<usize> {
        if let Ok(Found::Place(Place {
            ty: Ty::Record(record),
            ..
        })) = self.place(callee)
        {
            return self.records[record].pou;
        }
        let ExprKind::Name(name) = &callee.kind else {
            return None;
        };
        self.pou_names.get(&name.key).copied()
    }

    /// `T1(IN := x);` or `F(x);`.
    pub fn call_statement(&mut self, callee: &Expr, args: &[Arg], pos: Pos) -> Lowered<()> {
        if let ExprKind::Name(name) = &callee.kind
            && self.is_own_function(&name.key)
        {
            return self.function(name, args, pos, false).map(|_| ());
        }
        let place = match self.place(callee)? {
            Found::Place(place) => place,
            Found::Constant(_) => {
                let message = "a constant cannot be called".to_owned();
                return Err(self.error("type-mismatch", message, pos));
            }
        };
        let unit = match place.ty {
            Ty::Record(record) => self.records[record].pou.map(|unit| (record, unit)),
            _ => None,
        };
        let Some((record, unit)) = unit else {
            let message = "this is no instance of a function block".to_owned();
            return Err(self.error("type-mismatch", message, callee.pos));
        };
        let [(None, base)] = place.at[..] else {
            let what = "a call of an instance whose index is not constant";
            return Err(self.unsupported(what, pos));
        };
        if self.frames.iter().any(|frame| frame.in_expression) {
            return Err(self.unsupported("a call of a block inside of a function", pos));
        }
        self.too_deep(pos)?;
        let bound = self.bind(record, base, args, false, pos)?;
        self.run(unit, record, base, bound.in_outs, false);
        self.outputs(record, base, &bound.outputs)
    }

    /// A function of the program, for its value.
    pub fn call_function(
        &mut self,
        name: &Name,
        args: &[Arg],
        pos: Pos,
        in_expression: bool,
    ) -> Lowered<Val> {
        if !self.is_own_function(&name.key) {
            if self.pou_names.contains_key(&name.key) {
                let message = format!("`{}` is no function", name.text);
                let finding = self.error("unknown-function", message, name.pos);
                let hint = "declare an instance of the block and call that";
                return Err(Box::new(finding.hint(hint)));
            }
            if let Ok(Found::Place(_)) = self.place(&Expr {
                kind: ExprKind::Name(name.clone()),
                pos: name.pos,
            }) {
                let message = format!("`{}` is called in an expression", name.text);
                let finding = self.error("unknown-function", message, name.pos);
                let hint = "call the instance in a statement, then read its outputs";
                return Err(Box::new(finding.hint(hint)));
            }
            let known = self.pou_names.keys().map(|key| &**key);
            let near = crate::scope::suggestion(&name.key, known.chain(FUNCTIONS));
            let message = format!("there is no function `{}`", name.text);
            let finding = self.error("unknown-function", message, name.pos);
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(Box::new(finding.maybe_hint(hint)));
        }
        let result = self.function(name, args, pos, in_expression)?;
        result.ok_or_else(|| {
            let message = format!("the function `{}` has no result", name.text);
            self.error("type-mismatch", message, pos)
        })
    }

    fn function(
        &mut self,
        name: &Name,
        args: &[Arg],
        pos: Pos,
        in_expression: bool,
    ) -> Lowered<Option<Val>> {
        if !self.layout.is_empty() {
            let message = "a declaration cannot call a function of the program".to_owned();
            return Err(self.error("not-constant", message, pos));
        }
        let unit = self.pou_names[&name.key];
        let record = self.pou_record(unit)?;
        if self.frames.iter().any(|frame| frame.record == record) {
            let message = format!("the function `{}` calls itself here", name.text);
            return Err(self.error("recursion", message, pos));
        }
        self.too_deep(pos)?;
        if self.records[record].shape.instances.len() > 1 {
            return Err(self.unsupported("a block instance in a function", pos));
        }
        let base = match self.function_bases.get(&unit) {
            Some(&base) => base,
            None => {
                let mut shape = self.records[record].shape.clone();
                let slots = std::rc::Rc::make_mut(&mut shape.slots);
                for slot in slots.iter_mut() {
                    slot.temp = true;
                }
                shape.instances = std::rc::Rc::default();
                let text = self.unit.pous[unit].name.text.clone();
                let base = self.allocate(&text, &shape, None);
                self.function_bases.insert(unit, base);
                base
            }
        };
        let bound = self.bind(record, base, args, true, pos)?;
        if in_expression && !bound.outputs.is_empty() {
            let what = "an output of a function that is called inside of an expression";
            return Err(self.unsupported(what, pos));
        }
        self.run(unit, record, base, bound.in_outs, in_expression);
        let result = self.records[record].by_key.get(&name.key).copied();
        let result = match result.map(|at| &self.records[record].members[at]) {
            None => None,
            Some(member) => {
                let Ty::Elem(ty, _) = member.ty else {
                    let what = "a function whose result is no elementary value";
                    return Err(self.unsupported(what, pos));
                };
                let value = self.value(base + member.offset);
                let temp = self.temp(ty);
                self.assign_cell(temp, value, None);
                Some(Val::new(self.value(temp), ty))
            }
        };
        self.outputs(record, base, &bound.outputs)?;
        Ok(result)
    }

    /// A cell that keeps a value until the statement is done.
    pub fn temp(&mut self, ty: PlcType) -> usize {
        let free = self.temps[self.temps_in_use.min(self.temps.len())..]
            .iter()
            .position(|known| known.0 == ty);
        let at = match free {
            Some(at) => self.temps_in_use + at,
            None => {
                let init = self.arith().default(ty);
                let name = format!("temp {}", self.temps.len() + 1);
                let addr = self.cell(&name, ty, init);
                self.memory[addr].temp = true;
                self.memory[addr].hidden = true;
                self.temps.push((ty, addr));
                self.temps.len() - 1
            }
        };
        self.temps_in_use = at + 1;
        self.temps[at].1
    }

    /// Evaluates arguments and stores them where the parameters are.
    fn bind(
        &mut self,
        record: usize,
        base: usize,
        args: &[Arg],
        is_function: bool,
        pos: Pos,
    ) -> Lowered<Bound> {
        let mut bound = Bound::default();
        let names = self.parameters(record, args, pos)?;
        let mut values = Vec::new();
        for (arg, at) in args.iter().zip(names) {
            let member = &self.records[record].members[at];
            let (section, ty) = (member.section, member.ty.clone());
            let (offset, key) = (member.offset, member.name.key.clone());
            match section {
                Section::Output => bound.outputs.push((at, arg.value.clone())),
                Section::InOut => {
                    let place = self.reference(&arg.value, &ty)?;
                    bound.in_outs.insert(key, place);
                }
                _ => {
                    let to = Place {
                        at: vec![(None, base + offset)],
                        ty: ty.clone(),
                        constant: false,
                        global: false,
                    };
                    let Ty::Elem(of, _) = ty else {
                        let Found::Place(from) = self.place(&arg.value)? else {
                            let message = "this is an elementary value".to_owned();
                            return Err(self.error("type-mismatch", message, arg.value.pos));
                        };
                        self.copy(&to, &from, arg.value.pos)?;
                        continue;
                    };
                    let value = evaluate_as(self, &arg.value, of)?;
                    if is_function {
                        // Its variables may be those of a call inside of a later argument.
                        let kept = self.temp(of);
                        self.assign_cell(kept, value, None);
                        values.push((to, self.value(kept), arg.value.pos));
                    } else {
                        self.store(&to, value, arg.value.pos)?;
                    }
                }
            }
        }
        if is_function {
            let size = self.records[record].shape.slots.len();
            for addr in base..base + size {
                self.assign_cell(addr, self.memory[addr].init, None);
            }
        }
        for (to, value, pos) in values {
            self.store(&to, value, pos)?;
        }
        let needs = self.records[record].members.iter();
        let missing = needs
            .filter(|member| member.section == Section::InOut)
            .find(|member| !bound.in_outs.contains_key(&member.name.key));
        if let Some(member) = missing {
            let message = format!("the parameter `{}` is not given", member.name.text);
            return Err(self.error("wrong-arguments", message, pos));
        }
        Ok(bound)
    }

    fn reference(&mut self, e: &Expr, ty: &Ty) -> Lowered<Place> {
        let Found::Place(place) = self.place(e)? else {
            let message = "a `VAR_IN_OUT` needs a variable".to_owned();
            return Err(self.error("type-mismatch", message, e.pos));
        };
        if place.ty != *ty {
            let message = "a `VAR_IN_OUT` needs a variable of its own type".to_owned();
            return Err(self.error("type-mismatch", message, e.pos));
        }
        if place.at.len() > 1 {
            let what = "an element as `VAR_IN_OUT` whose index is not constant";
            return Err(self.unsupported(what, e.pos));
        }
        Ok(Place {
            // What a function changes through it is an effect.
            global: true,
            ..place
        })
    }

    /// Which parameter each argument is for.
    fn parameters(&mut self, record: usize, args: &[Arg], pos: Pos) -> Lowered<Vec<usize>> {
        let known = &self.records[record];
        let is_parameter =
            |section| matches!(section, Section::Input | Section::Output | Section::InOut);
        let members = known.members.iter().enumerate();
        let in_order: Vec<usize> = members
            .filter(|(_, member)| is_parameter(member.section))
            .map(|(at, _)| at)
            .collect();
        let (mut found, mut used) = (Vec::new(), vec![false; known.members.len()]);
        for (i, arg) in args.iter().enumerate() {
            let at = match &arg.name {
                Some(name) => {
                    if matches!(&*name.key, "EN" | "ENO") && !known.by_key.contains_key(&name.key) {
                        return Err(self.unsupported("`EN` and `ENO`", name.pos));
                    }
                    let at = known.by_key.get(&name.key).copied();
                    at.filter(|&at| is_parameter(known.members[at].section))
                        .ok_or_else(|| self.no_member(record, name))?
                }
                None if args.iter().any(|arg| arg.name.is_some()) => {
                    let message = "either all arguments have names or none".to_owned();
                    return Err(self.error("wrong-arguments", message, arg.value.pos));
                }
                None => *in_order.get(i).ok_or_else(|| {
                    let message = format!("`{}` has only {i} parameters", known.name);
                    self.error("wrong-arguments", message, arg.value.pos)
                })?,
            };
            let is_output = known.members[at].section == Section::Output;
            if arg.name.is_some() && is_output != arg.output {
                let sign = if is_output { "=>" } else { ":=" };
                let message = format!("this parameter is given with `{sign}`");
                return Err(self.error("wrong-arguments", message, arg.value.pos));
            }
            if std::mem::replace(&mut used[at], true) {
                let message = "this parameter is given twice".to_owned();
                return Err(self.error("wrong-arguments", message, arg.value.pos));
            }
            found.push(at);
        }
        let is_function = known
            .pou
            .is_some_and(|at| self.unit.pous[at].kind == PouKind::Function);
        let no_names = args.iter().all(|arg| arg.name.is_none());
        let n_inputs = in_order
            .iter()
            .filter(|&&at| known.members[at].section != Section::Output)
            .count();
        if is_function && no_names && args.len() < n_inputs {
            let message = format!("`{}` has {n_inputs} inputs", known.name);
            return Err(self.error("wrong-arguments", message, pos));
        }
        Ok(found)
    }

    /// Stores outputs where the arguments say.
    fn outputs(&mut self, record: usize, base: usize, outputs: &[(usize, Expr)]) -> Lowered<()> {
        for (at, target) in outputs {
            let member = &self.records[record].members[*at];
            let (ty, addr) = (member.ty.clone(), base + member.offset);
            let Found::Place(place) = self.place(target)? else {
                let message = "a constant does not change".to_owned();
                return Err(self.error("not-assignable", message, target.pos));
            };
            match (&ty, &place.ty) {
                (Ty::Elem(from, _), Ty::Elem(to, _)) => {
                    let val = Val::new(self.value(addr), *from);
                    let value = fit(self, val, *to, target.pos)?;
                    self.store(&place, value, target.pos)?;
                }
                _ => {
                    let from = Place {
                        at: vec![(None, addr)],
                        ty,
                        constant: false,
                        global: false,
                    };
                    self.copy(&place, &from, target.pos)?;
                }
            }
        }
        Ok(())
    }
}

/// What becomes of the arguments of a call.
#[derive(Default)]
struct Bound {
    in_outs: FxHashMap<Box<str>, Place>,
    /// Members with the places that they are stored in.
    outputs: Vec<(usize, Expr)>,
}

/// Standard functions, for hints.
const FUNCTIONS: [&str; 12] = [
    "ABS", "MIN", "MAX", "LIMIT", "SEL", "MUX", "SHL", "SHR", "ROL", "ROR", "TRUNC", "MOVE",
];

/// Where statements change a variable of this name, if they do.
pub(super) fn assigned(stmts: &[Stmt], key: &str) -> Option<Pos> {
    let mut todo: Vec<&Stmt> = stmts.iter().collect();
    while let Some(stmt) = todo.pop() {
        match &stmt.kind {
            StmtKind::Assign(place, _) if has_root(place, key) => return Some(place.pos),
            StmtKind::Assign(..) | StmtKind::Exit | StmtKind::Continue | StmtKind::Return => {}
            StmtKind::Call(_, args) => {
                let gives = |arg: &&Arg| arg.output && has_root(&arg.value, key);
                if let Some(arg) = args.iter().find(gives) {
                    return Some(arg.value.pos);
                }
            }
            StmtKind::If(branches, otherwise) => {
                todo.extend(branches.iter().flat_map(|(_, body)| body));
                todo.extend(otherwise);
            }
            StmtKind::Case(_, branches, otherwise) => {
                todo.extend(branches.iter().flat_map(|(_, body)| body));
                todo.extend(otherwise);
            }
            StmtKind::For(inner) => {
                if *inner.var.key == *key {
                    return Some(inner.var.pos);
                }
                todo.extend(&inner.body);
            }
            StmtKind::While(_, body) | StmtKind::Repeat(body, _) => todo.extend(body),
        }
    }
    None
}
