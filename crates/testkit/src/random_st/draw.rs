//! Draws programs. Loops are bounded but for a few; names of loop variables are never assigned elsewhere.

use super::{Ex, Kind, Op, RandomSt, Stm, Ty, Unit, UnitKind, Var};
use crate::Rng;
use rand::Rng as _;

const INTS: [Ty; 5] = [
    Ty::Int(16, true),
    Ty::Int(8, true),
    Ty::Int(8, false),
    Ty::Int(16, false),
    Ty::Int(32, true),
];

pub(super) fn program(rng: &mut Rng) -> RandomSt {
    let mut units: Vec<Unit> = Vec::new();
    if rng.random_bool(0.5) {
        let unit = Draw::new(rng, UnitKind::Function, "Fun", &units).unit();
        units.push(unit);
    }
    for name in ["Inner", "Outer"] {
        if rng.random_bool(0.4) {
            let unit = Draw::new(rng, UnitKind::Block, name, &units).unit();
            units.push(unit);
        }
    }
    let unit = Draw::new(rng, UnitKind::Program, "Main", &units).unit();
    units.push(unit);
    RandomSt { units }
}

struct Draw<'a> {
    rng: &'a mut Rng,
    unit: Unit,
    /// What was drawn before: only that is used.
    before: &'a [Unit],
    /// How many loops are around.
    loops: usize,
    /// Counters of loops so far.
    n_counters: usize,
}

impl<'a> Draw<'a> {
    fn new(rng: &'a mut Rng, kind: UnitKind, name: &str, before: &'a [Unit]) -> Self {
        let result = INTS[rng.random_range(0..INTS.len())];
        let unit = Unit {
            kind,
            name: name.to_owned(),
            result,
            vars: Vec::new(),
            instances: Vec::new(),
            body: Vec::new(),
        };
        Self {
            rng,
            unit,
            before,
            loops: 0,
            n_counters: 0,
        }
    }

    fn chance(&mut self, p: f64) -> bool {
        self.rng.random_bool(p)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())].clone()
    }

    fn var(&mut self, name: String, ty: Ty, kind: Kind) {
        let init = match ty {
            Ty::Bool => self.rng.random_range(0..=1),
            Ty::Time => 0,
            Ty::Int(..) => {
                let (low, high) = ty.range();
                let near = [0, 1, 2, 5, low, high];
                self.pick(&near)
            }
        };
        let init = if kind == Kind::Input && self.unit.kind == UnitKind::Program {
            0
        } else {
            init
        };
        self.unit.vars.push(Var {
            name,
            ty,
            kind,
            init,
            sub: None,
            array: None,
        });
    }

    fn unit(mut self) -> Unit {
        let is_function = self.unit.kind == UnitKind::Function;
        for kind in [Kind::Input, Kind::Output, Kind::Local, Kind::Temp] {
            if is_function && matches!(kind, Kind::Output | Kind::Temp) {
                continue;
            }
            let n = self.rng.random_range(1..=3);
            for i in 0..n {
                let ty = if self.chance(0.5) {
                    Ty::Bool
                } else {
                    self.pick(&INTS)
                };
                let letter = match kind {
                    Kind::Input => "in",
                    Kind::Output => "out",
                    Kind::Temp => "tmp",
                    _ => "x",
                };
                self.var(format!("{letter}{i}"), ty, kind);
            }
        }
        for i in 0..4 {
            self.var(format!("loop{i}"), Ty::Int(16, true), Kind::Local);
        }
        if self.unit.kind == UnitKind::Block && self.chance(0.4) {
            self.var("ref".to_owned(), Ty::Int(16, true), Kind::InOut);
        }
        if self.chance(0.4) {
            let low = self.rng.random_range(-1..=1);
            self.var("arr".to_owned(), Ty::Int(16, true), Kind::Local);
            let var = self.unit.vars.last_mut().expect("just pushed");
            var.array = Some((low, low + 3));
            var.init = 0;
        }
        if self.chance(0.3) {
            self.var("sub".to_owned(), Ty::Int(16, true), Kind::Local);
            let var = self.unit.vars.last_mut().expect("just pushed");
            (var.sub, var.init) = (Some((-10, 90)), 3);
        }
        self.var("plain".to_owned(), Ty::Int(16, true), Kind::Local);
        if !is_function {
            self.instances();
        }
        let n = self.rng.random_range(3..=8);
        let mut body: Vec<Stm> = (0..n).map(|_| self.statement(3)).collect();
        if is_function {
            let value = self.int(self.unit.result, 2);
            body.insert(0, Stm::Assign("Fun".to_owned(), value));
            let value = self.int(self.unit.result, 2);
            body.push(Stm::Assign("Fun".to_owned(), value));
        }
        self.unit.body = body;
        self.unit
    }

    fn instances(&mut self) {
        let standard = [
            "TON", "TOF", "TP", "CTU", "CTD", "CTUD", "SR", "RS", "R_TRIG", "F_TRIG",
        ];
        for i in 0..self.rng.random_range(0..=2) {
            let block = self.pick(&standard);
            self.unit
                .instances
                .push((format!("std{i}"), block.to_owned()));
        }
        let blocks: Vec<String> = self
            .before
            .iter()
            .filter(|unit| unit.kind == UnitKind::Block)
            .map(|unit| unit.name.clone())
            .collect();
        for (i, block) in blocks.into_iter().enumerate() {
            self.unit.instances.push((format!("own{i}"), block));
        }
    }

    /// The names of plain variables of a type that may be assigned.
    fn places(&self, ty: Ty) -> Vec<String> {
        let is_free = |var: &&Var| {
            var.ty == ty
                && var.array.is_none()
                && !var.name.starts_with("loop")
                && !(var.kind == Kind::Input && self.unit.kind == UnitKind::Program)
        };
        let vars = self.unit.vars.iter().filter(is_free);
        vars.map(|var| var.name.clone()).collect()
    }

    /// The names of values of a type that may be read.
    fn readable(&self, ty: Ty) -> Vec<String> {
        let fits = |var: &&Var| var.ty == ty && var.array.is_none();
        let vars = self.unit.vars.iter().filter(fits);
        let mut all: Vec<String> = vars.map(|var| var.name.clone()).collect();
        for (name, block) in &self.unit.instances {
            let (truths, numbers): (&[&str], &[&str]) = match &**block {
                "TON" | "TOF" | "TP" => (&["Q", "IN"], &[]),
                "CTU" | "CTD" => (&["Q"], &["CV"]),
                "CTUD" => (&["QU", "QD"], &["CV"]),
                "SR" | "RS" => (&["Q1"], &[]),
                "R_TRIG" | "F_TRIG" => (&["Q"], &[]),
                _ => (&[], &[]),
            };
            let members = match ty {
                Ty::Bool => truths,
                Ty::Int(16, true) => numbers,
                _ => &[],
            };
            all.extend(members.iter().map(|member| format!("{name}.{member}")));
            if let Some(unit) = self.before.iter().find(|unit| unit.name == *block) {
                let outputs = unit.vars.iter().filter(|var| var.kind == Kind::Output);
                let outputs = outputs.filter(|var| var.ty == ty);
                all.extend(outputs.map(|var| format!("{name}.{}", var.name)));
            }
        }
        all
    }

    fn truth(&mut self, depth: usize) -> Ex {
        let names = self.readable(Ty::Bool);
        if depth == 0 || self.chance(0.25) {
            if names.is_empty() || self.chance(0.1) {
                return Ex::Lit(Ty::Bool, self.rng.random_range(0..=1));
            }
            return Ex::Var(self.pick(&names));
        }
        match self.rng.random_range(0..6) {
            0 => Ex::Not(Box::new(self.truth(depth - 1))),
            1 | 2 => {
                let op = self.pick(&[Op::And, Op::Or, Op::Xor, Op::Eq, Op::Ne]);
                let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                Ex::Bin(op, Ty::Bool, Box::new(a), Box::new(b))
            }
            3 => {
                let ty = self.pick(&INTS);
                let inner = self.int(ty, depth - 1);
                Ex::Conv(ty, Ty::Bool, Box::new(inner))
            }
            _ => {
                let ty = self.pick(&INTS);
                let op = self.pick(&[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                let (a, b) = (self.int(ty, depth - 1), self.int(ty, depth - 1));
                Ex::Bin(op, ty, Box::new(a), Box::new(b))
            }
        }
    }

    fn lit(&mut self, ty: Ty) -> Ex {
        let (low, high) = ty.range();
        let near = [0, 1, 2, 3, 7, -1, -2, low, high];
        Ex::Lit(ty, self.pick(&near).clamp(low, high))
    }

    fn int(&mut self, ty: Ty, depth: usize) -> Ex {
        let names = self.readable(ty);
        if depth == 0 || self.chance(0.25) {
            return if names.is_empty() || self.chance(0.3) {
                self.lit(ty)
            } else {
                Ex::Var(self.pick(&names))
            };
        }
        let inner = |draw: &mut Self| Box::new(draw.int(ty, depth - 1));
        match self.rng.random_range(0..9) {
            0..=2 => {
                let op = self.pick(&[Op::Add, Op::Sub]);
                Ex::Bin(op, ty, inner(self), inner(self))
            }
            3 => {
                let factor = Ex::Lit(ty, self.rng.random_range(0..=3));
                Ex::Bin(Op::Mul, ty, inner(self), Box::new(factor))
            }
            4 => {
                let op = self.pick(&[Op::Div, Op::Mod]);
                let left = inner(self);
                let right = if self.chance(0.7) {
                    Box::new(self.lit(ty))
                } else {
                    inner(self)
                };
                Ex::Bin(op, ty, left, right)
            }
            5 => {
                let name = self.pick(&["MIN", "MAX", "SEL", "LIMIT", "ABS"]);
                let mut args = Vec::new();
                if name == "SEL" {
                    args.push(self.truth(depth - 1));
                }
                let n = match name {
                    "ABS" => 1,
                    "LIMIT" => 3,
                    _ => 2,
                };
                args.extend((0..n).map(|_| self.int(ty, depth - 1)));
                Ex::Std(name, ty, args)
            }
            6 => {
                let from = self.pick(&INTS);
                let value = Box::new(self.int(from, depth - 1));
                Ex::Conv(from, ty, value)
            }
            7 => self.call_or(ty, depth),
            _ => {
                let array = self.unit.vars.iter().find(|var| var.array.is_some());
                if let (Some(array), Ty::Int(16, true)) = (array, ty) {
                    let (name, (low, high)) = (array.name.clone(), array.array.expect("found so"));
                    return Ex::Elem(name, Box::new(self.index(low, high, depth - 1)));
                }
                let signed = matches!(ty, Ty::Int(_, true));
                if signed {
                    Ex::Neg(ty, inner(self))
                } else {
                    *inner(self)
                }
            }
        }
    }

    /// An index that is mostly inside of its array.
    fn index(&mut self, low: i128, high: i128, depth: usize) -> Ex {
        let ty = Ty::Int(16, true);
        if self.chance(0.4) {
            return Ex::Lit(ty, self.rng.random_range(low..=high));
        }
        if self.chance(0.1) {
            // No constant: one outside of its array is refused.
            return Ex::Var("plain".to_owned());
        }
        let e = self.int(ty, depth);
        Ex::Std("LIMIT", ty, vec![Ex::Lit(ty, low), e, Ex::Lit(ty, high)])
    }

    fn call_or(&mut self, ty: Ty, depth: usize) -> Ex {
        let mut functions = self
            .before
            .iter()
            .filter(|unit| unit.kind == UnitKind::Function);
        let Some(function) = functions.find(|unit| unit.result == ty) else {
            return self.int(ty, depth - 1);
        };
        let types: Vec<Ty> = function
            .vars
            .iter()
            .filter(|var| var.kind == Kind::Input)
            .map(|var| var.ty)
            .collect();
        let args = types
            .into_iter()
            .map(|ty| self.value(ty, depth - 1))
            .collect();
        Ex::Call(function.name.clone(), args)
    }

    fn value(&mut self, ty: Ty, depth: usize) -> Ex {
        match ty {
            Ty::Bool => self.truth(depth),
            Ty::Int(..) => self.int(ty, depth),
            Ty::Time => Ex::Lit(ty, 0),
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Stm> {
        let n = self.rng.random_range(1..=2);
        (0..n).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Stm {
        let choice = if depth == 0 {
            0
        } else {
            self.rng.random_range(0..12)
        };
        match choice {
            4 | 5 => {
                let n = self.rng.random_range(1..=3);
                let branches = (0..n)
                    .map(|_| (self.truth(2), self.block(depth - 1)))
                    .collect();
                let otherwise = if self.chance(0.5) {
                    self.block(depth - 1)
                } else {
                    Vec::new()
                };
                Stm::If(branches, otherwise)
            }
            6 => {
                let of = self.int(Ty::Int(16, true), 1);
                let mut branches = Vec::new();
                for i in 0..self.rng.random_range(1..=3) {
                    let low = i * 3 - 1;
                    let mut labels = vec![(low, low + self.rng.random_range(0..=1))];
                    if self.chance(0.3) {
                        labels.push((low + 20, low + 20));
                    }
                    branches.push((labels, self.block(depth - 1)));
                }
                let otherwise = if self.chance(0.5) {
                    self.block(depth - 1)
                } else {
                    Vec::new()
                };
                // A selector that is a number has no type of its own.
                match of {
                    Ex::Lit(..) => Stm::Case(Ex::Var("plain".to_owned()), branches, otherwise),
                    of => Stm::Case(of, branches, otherwise),
                }
            }
            7 if self.n_counters < 4 => self.for_loop(depth),
            8 if self.n_counters < 4 => self.while_loop(depth),
            9 if self.loops > 0 => self.pick(&[Stm::Exit, Stm::Continue]),
            9 if self.chance(0.3) => {
                let test = self.truth(2);
                Stm::If(vec![(test, vec![Stm::Return])], Vec::new())
            }
            10 | 11 if !self.unit.instances.is_empty() => self.call(),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) -> Stm {
        let array = self.unit.vars.iter().find(|var| var.array.is_some());
        if let (Some(array), true) = (array, self.rng.random_bool(0.2)) {
            let (name, (low, high)) = (array.name.clone(), array.array.expect("found so"));
            let index = self.index(low, high, 1);
            let value = self.int(Ty::Int(16, true), 2);
            return Stm::AssignElem(name, index, value);
        }
        let mut types = vec![Ty::Bool];
        types.extend(INTS);
        types.retain(|&ty| !self.places(ty).is_empty());
        let ty = self.pick(&types);
        let places = self.places(ty);
        let name = self.pick(&places);
        let value = if name == "sub" && self.chance(0.8) {
            let inner = self.int(ty, 2);
            Ex::Std("LIMIT", ty, vec![Ex::Lit(ty, -10), inner, Ex::Lit(ty, 90)])
        } else {
            self.value(ty, 3)
        };
        Stm::Assign(name, value)
    }

    fn counter(&mut self) -> String {
        self.n_counters += 1;
        format!("loop{}", self.n_counters - 1)
    }

    fn body(&mut self, depth: usize) -> Vec<Stm> {
        self.loops += 1;
        let body = self.block(depth - 1);
        self.loops -= 1;
        body
    }

    fn for_loop(&mut self, depth: usize) -> Stm {
        let name = self.counter();
        let ty = Ty::Int(16, true);
        let from = Ex::Lit(ty, self.rng.random_range(-1..=2));
        let to = if self.chance(0.5) {
            Ex::Lit(ty, self.rng.random_range(0..=4))
        } else {
            let end = self.int(ty, 1);
            Ex::Std("LIMIT", ty, vec![Ex::Lit(ty, -2), end, Ex::Lit(ty, 4)])
        };
        let by = self.pick(&[1, 1, 2, -1]);
        Stm::For(name, from, to, by, self.body(depth))
    }

    /// A loop that counts, and has another condition besides.
    fn while_loop(&mut self, depth: usize) -> Stm {
        let (name, ty) = (self.counter(), Ty::Int(16, true));
        let counter = || Box::new(Ex::Var(name.clone()));
        let one = || Box::new(Ex::Lit(ty, 1));
        let more = Stm::Assign(name.clone(), Ex::Bin(Op::Add, ty, counter(), one()));
        let limit = Box::new(Ex::Lit(ty, self.rng.random_range(1..=4)));
        let other = Box::new(self.truth(2));
        let mut body = vec![more];
        body.extend(self.body(depth));
        let is_while = self.chance(0.5);
        // Few of them may never end.
        let is_bounded = self.rng.random_bool(0.95);
        let test = match (is_while, is_bounded) {
            (true, true) => {
                let inside = Ex::Bin(Op::Lt, ty, counter(), limit);
                Ex::Bin(Op::And, Ty::Bool, Box::new(inside), other)
            }
            (false, true) => {
                let outside = Ex::Bin(Op::Ge, ty, counter(), limit);
                Ex::Bin(Op::Or, Ty::Bool, Box::new(outside), other)
            }
            (_, false) => *other,
        };
        let start = Stm::Assign(name.clone(), Ex::Lit(ty, 0));
        let inner = if is_while {
            Stm::While(test, body)
        } else {
            Stm::Repeat(body, test)
        };
        // The counter starts anew, with the loop in one statement.
        Stm::If(vec![(Ex::Lit(Ty::Bool, 1), vec![start, inner])], Vec::new())
    }

    fn call(&mut self) -> Stm {
        let instances = self.unit.instances.clone();
        let (at, (name, block)) = {
            let at = self.rng.random_range(0..instances.len());
            (at, instances[at].clone())
        };
        let (mut inputs, mut references, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        let int = Ty::Int(16, true);
        let members: Vec<(&str, Ty)> = match &*block {
            "TON" | "TOF" | "TP" => vec![("IN", Ty::Bool), ("PT", Ty::Time)],
            "CTU" => vec![("CU", Ty::Bool), ("R", Ty::Bool), ("PV", int)],
            "CTD" => vec![("CD", Ty::Bool), ("LD", Ty::Bool), ("PV", int)],
            "CTUD" => vec![
                ("CU", Ty::Bool),
                ("CD", Ty::Bool),
                ("R", Ty::Bool),
                ("LD", Ty::Bool),
                ("PV", int),
            ],
            "SR" => vec![("S1", Ty::Bool), ("R", Ty::Bool)],
            "RS" => vec![("S", Ty::Bool), ("R1", Ty::Bool)],
            "R_TRIG" | "F_TRIG" => vec![("CLK", Ty::Bool)],
            _ => Vec::new(),
        };
        for (member, ty) in members {
            let value = match ty {
                // Each timer has one time of its own.
                Ty::Time => Ex::Lit(ty, [0, 5, 20][at % 3]),
                Ty::Int(..) => Ex::Lit(ty, self.rng.random_range(-1..=3)),
                Ty::Bool => self.truth(2),
            };
            inputs.push((member.to_owned(), value));
        }
        if let Some(unit) = self.before.iter().find(|unit| unit.name == block) {
            for var in &unit.vars {
                match var.kind {
                    Kind::Input if self.chance(0.8) => {
                        let value = self.value(var.ty, 2);
                        inputs.push((var.name.clone(), value));
                    }
                    Kind::InOut => references.push((var.name.clone(), "plain".to_owned())),
                    Kind::Output if self.chance(0.4) => {
                        let places = self.places(var.ty);
                        if !places.is_empty() {
                            outputs.push((var.name.clone(), self.pick(&places)));
                        }
                    }
                    _ => {}
                }
            }
        }
        Stm::Call(name, inputs, references, outputs)
    }
}
