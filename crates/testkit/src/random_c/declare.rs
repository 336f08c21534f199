//! The maker of a program: what is declared where, and the parts that draw from it.

use super::effects::{Cells, Effects};
use super::inputs::Volatile;
use super::types::{ALL, BOOL, Int};
use super::{CGen, CProgram, Observed};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Scalar,
    Array(u8),
    /// A struct of the program's type with this number, by itself or as elements of an array.
    Struct(usize),
    StructArray(usize, u8),
    /// A pointer to a scalar; it always leads somewhere.
    Pointer,
    /// A pointer to a struct.
    StructPointer(usize),
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub kind: Kind,
    /// The type of the scalar, of the elements, or of what a pointer leads to.
    pub int: Int,
    pub cell: Cells,
    /// Whether statements may write it; loop counters are left alone.
    pub writable: bool,
    /// Whether a local variable of the same name comes before it.
    pub hidden: bool,
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Param {
    Value(Int),
    /// How deep the function may still call itself: from outside a number, from inside one less.
    Fuel,
    Pointer(Int),
    Struct(usize),
    StructPointer(usize),
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: String,
    pub params: Vec<Param>,
    pub result: Option<Int>,
    pub effects: Effects,
}

/// The state of the generator.
pub(super) struct Maker<'a> {
    pub conf: CGen,
    pub prefix: String,
    pub rng: &'a mut Rng,
    /// The largest value of the variables of signed types, by width.
    bounds: [i128; 4],
    /// The members of struct types.
    pub structs: Vec<Vec<(&'static str, Int)>>,
    pub enumerators: Vec<(String, i128)>,
    pub variables: Vec<Variable>,
    /// How many of the variables are global.
    pub n_globals: usize,
    pub functions: Vec<Function>,
    n_cells: u32,
    pub n_names: usize,
    /// The text of the function that is being made, and its indentation.
    pub out: String,
    pub indent: usize,
    /// What the function that is being made does.
    pub does: Effects,
    /// How many statements may still be made.
    pub budget: usize,
    pub result: Option<Int>,
    pub loops: usize,
    /// The volatile variables.
    pub volatiles: Vec<Volatile>,
    /// Whether the program says where formulas look.
    pub steps: bool,
}

/// The cell of the trace.
pub(super) const TRACE: Cells = 1;

/// The members that structs draw from.
const MEMBERS: [&str; 3] = ["a", "b", "c"];

impl<'a> Maker<'a> {
    pub fn new(conf: CGen, prefix: &str, rng: &'a mut Rng) -> Self {
        let mut one_of = |values: [i128; 2]| values[rng.random_range(0..2)];
        let bounds = [
            one_of([20, 127]),
            one_of([300, 32_767]),
            one_of([1_000, 1 << 24]),
            one_of([5_000, 1 << 40]),
        ];
        Self {
            conf,
            prefix: prefix.to_owned(),
            rng,
            bounds,
            structs: Vec::new(),
            enumerators: Vec::new(),
            variables: Vec::new(),
            n_globals: 0,
            functions: Vec::new(),
            n_cells: 22,
            n_names: 0,
            out: String::new(),
            indent: 0,
            does: Effects::default(),
            budget: 0,
            result: None,
            loops: 0,
            volatiles: Vec::new(),
            steps: false,
        }
    }

    /// The whole program.
    pub fn program(mut self) -> CProgram {
        let mut declarations = self.types();
        if self.conf.inputs {
            declarations.push_str(&self.declare_inputs());
        }
        let mut observed = Vec::new();
        for _ in 0..self.rng.random_range(4..9) {
            self.global(&mut declarations, &mut observed);
        }
        for _ in 0..self.rng.random_range(0..3) {
            self.global_pointer(&mut declarations);
        }
        self.n_globals = self.variables.len();
        let mut functions = String::new();
        for _ in 0..self.rng.random_range(0..4) {
            functions.push_str(&self.function());
        }
        functions.push_str(&self.entry());
        CProgram {
            prefix: self.prefix,
            observed,
            declarations,
            functions,
        }
    }

    // Dice.

    /// True once in `n` times.
    pub fn once_in(&mut self, n: u32) -> bool {
        self.rng.random_range(0..n) == 0
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    pub fn any_int(&mut self) -> Int {
        ALL[self.rng.random_range(0..ALL.len())]
    }

    // What is known of values.

    /// The values that variables of a type have.
    pub fn bound(&self, int: Int) -> (i128, i128) {
        if !int.signed {
            return int.range();
        }
        let most = match int.bits {
            8 => self.bounds[0],
            16 => self.bounds[1],
            32 => self.bounds[2],
            _ => self.bounds[3],
        };
        (-most, most)
    }

    pub fn new_cell(&mut self) -> Cells {
        // Variables beyond the number of bits share the last one.
        let cell = 1 << self.n_cells.min(127);
        self.n_cells += 1;
        cell
    }

    /// The places that a pointer to this type may lead to.
    pub fn pointed(&self, int: Int) -> Cells {
        let tag = ALL.iter().position(|other| *other == int).unwrap_or(0);
        let mut cells = 2 << tag;
        for variable in &self.variables {
            let may = match variable.kind {
                Kind::Scalar | Kind::Array(_) => variable.int == int,
                Kind::Struct(id) | Kind::StructArray(id, _) => {
                    self.structs[id].iter().any(|field| field.1 == int)
                }
                Kind::Pointer | Kind::StructPointer(_) => false,
            };
            if may {
                cells |= variable.cell;
            }
        }
        cells
    }

    /// The structs that a pointer to this struct type may lead to, and what pointers to members reach.
    pub fn pointed_struct(&self, id: usize) -> Cells {
        let fields = self.structs[id].iter();
        fields.fold(0, |cells, field| cells | self.pointed(field.1))
    }

    pub fn fresh(&mut self, kind: &str) -> String {
        self.n_names += 1;
        format!("{kind}{}", self.n_names)
    }

    pub fn add(&mut self, name: &str, kind: Kind, int: Int) -> usize {
        let cell = self.new_cell();
        self.variables.push(Variable {
            name: name.to_owned(),
            kind,
            int,
            cell,
            writable: true,
            hidden: false,
        });
        self.variables.len() - 1
    }

    /// A constant of a type that its variables may have.
    pub fn constant(&mut self, int: Int) -> i128 {
        let (low, high) = self.bound(int);
        match self.rng.random_range(0..8) {
            0 => high,
            1 => low,
            _ => i128::from(self.rng.random_range(-9i64..40)).clamp(low, high),
        }
    }

    // Declarations.

    fn types(&mut self) -> String {
        let mut text = String::new();
        let prefix = self.prefix.clone();
        if self.once_in(2) {
            // A negative one makes the type signed, with every compiler.
            let start = -i128::from(self.rng.random_range(1..4));
            let _ = write!(text, "enum {prefix}e {{ {prefix}E0 = {start}");
            self.enumerators.push((format!("{prefix}E0"), start));
            let mut last = start;
            for i in 1..4 {
                last += 1;
                let _ = write!(text, ", {prefix}E{i}");
                if self.once_in(3) {
                    last += 5;
                    let _ = write!(text, " = {last}");
                }
                self.enumerators.push((format!("{prefix}E{i}"), last));
            }
            text.push_str(" };\n");
        }
        for id in 0..self.rng.random_range(0..3) {
            let mut fields = Vec::new();
            let _ = write!(text, "struct {prefix}s{id} {{");
            for name in &MEMBERS[..self.rng.random_range(1..=3)] {
                let int = self.any_int();
                let _ = write!(text, " {} {name};", int.name);
                fields.push((*name, int));
            }
            text.push_str(" };\n");
            self.structs.push(fields);
        }
        text
    }

    fn global(&mut self, text: &mut String, observed: &mut Vec<Observed>) {
        let prefix = self.prefix.clone();
        let name = self.fresh(&format!("{prefix}g"));
        let int = self.any_int();
        let see = |name: String, int, len: Option<u8>| Observed {
            name,
            int,
            len: len.map(usize::from),
        };
        match self.rng.random_range(0..10) {
            0 | 1 => {
                let len = self.rng.random_range(1..5);
                let _ = write!(text, "{} {name}[{len}]", int.name);
                if self.once_in(2) {
                    let given = self.rng.random_range(1..=len);
                    let values: Vec<String> = (0..given)
                        .map(|_| literal(self.constant(int), int))
                        .collect();
                    let _ = write!(text, " = {{ {} }}", values.join(", "));
                }
                self.add(&name, Kind::Array(len), int);
                observed.push(see(name, int, Some(len)));
            }
            2 | 3 if !self.structs.is_empty() => {
                let id = self.below(self.structs.len());
                let len = self.once_in(3).then(|| self.rng.random_range(1..4));
                let _ = write!(text, "struct {prefix}s{id} {name}");
                let kind = match len {
                    Some(len) => {
                        let _ = write!(text, "[{len}]");
                        Kind::StructArray(id, len)
                    }
                    None => Kind::Struct(id),
                };
                let fields = self.structs[id].clone();
                if len.is_none() && self.once_in(2) {
                    let mut values: Vec<String> = Vec::new();
                    for &(_, int) in &fields {
                        values.push(literal(self.constant(int), int));
                    }
                    let _ = write!(text, " = {{ {} }}", values.join(", "));
                }
                for (field, int) in fields {
                    observed.push(see(format!("{name}.{field}"), int, len));
                }
                self.add(&name, kind, int);
            }
            _ => {
                let _ = write!(text, "{} {name}", int.name);
                if self.once_in(2) {
                    let _ = write!(text, " = {}", literal(self.constant(int), int));
                }
                self.add(&name, Kind::Scalar, int);
                observed.push(see(name, int, None));
            }
        }
        text.push_str(";\n");
    }

    fn global_pointer(&mut self, text: &mut String) {
        let targets: Vec<(String, Int)> = self
            .variables
            .iter()
            .filter(|variable| variable.kind == Kind::Scalar && variable.int != BOOL)
            .map(|variable| (variable.name.clone(), variable.int))
            .collect();
        if targets.is_empty() {
            return;
        }
        let (target, int) = targets[self.below(targets.len())].clone();
        let name = self.fresh(&format!("{}p", self.prefix.clone()));
        let _ = writeln!(text, "{} *{name} = &{target};", int.name);
        self.add(&name, Kind::Pointer, int);
    }

    // Text.

    pub fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }
}

/// A number as an initial value.
pub(super) fn literal(value: i128, int: Int) -> String {
    match int.promoted().suffix() {
        "" => value.to_string(),
        suffix => format!("{value}{suffix}"),
    }
}
