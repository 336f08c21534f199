//! Random XSTS.

use super::ModelGen;
use super::expression::{Exprs, N_VALUES, Names, XSTS};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// A random XSTS model.
pub fn model(gen_: &ModelGen, rng: &mut Rng) -> String {
    let mut exprs = Exprs::new(&XSTS, *gen_, rng);
    exprs.add_enums();
    let idle = exprs.idle(true);
    exprs.arrays.push("a0".into());
    let mut writer = Writer {
        exprs,
        idle,
        is_idle: false,
        open: Vec::new(),
        out: String::new(),
        n_locals: 0,
        forks: 0,
    };
    writer.declarations();
    for block in ["trans", "init", "env"] {
        let n_branches = writer.exprs.rng.random_range(1..4);
        let _ = write!(writer.out, "\n{block} ");
        for i in 0..n_branches {
            writer.forks = 3;
            let size = if block == "trans" {
                gen_.size
            } else {
                gen_.size / 2
            };
            writer.out += if i == 0 { "" } else { " or " };
            if block == "init" {
                writer.start(size);
            } else {
                writer.block(size, 0);
            }
        }
        writer.out.push('\n');
    }
    if !writer.exprs.chance(3) {
        let property = writer.exprs.bool(2);
        let _ = write!(writer.out, "\nprop {{\n    {property}\n}}\n");
    }
    writer.out
}

struct Writer<'a> {
    exprs: Exprs<'a>,
    /// Variables that only idle statements know.
    idle: Option<Names>,
    /// Whether an idle statement is being written: it must not block.
    is_idle: bool,
    /// Integers without a declared value.
    open: Vec<String>,
    out: String,
    n_locals: usize,
    /// How many more nondeterministic statements this branch may have: outcomes multiply.
    forks: usize,
}

impl Writer<'_> {
    fn declarations(&mut self) {
        for n in 0..self.exprs.literals.len() {
            let literals = self.exprs.bare_literals(n);
            let _ = writeln!(self.out, "type E{n} : {{ {literals} }}");
        }
        let mut declared = self.exprs.source();
        for name in &declared.bools {
            self.declare(name, "boolean", "");
        }
        self.declare_all(&mut declared);
        if let Some(mut idle) = self.idle.take() {
            self.exprs.exchange(&mut idle);
            self.declare_all(&mut declared);
            self.exprs.exchange(&mut idle);
            self.idle = Some(idle);
        }
    }

    /// Declares the present names. Their values may read what is `declared` before.
    fn declare_all(&mut self, declared: &mut Names) {
        for name in self.exprs.bools.clone() {
            // A Boolean without a value doubles the initial states, that is all.
            let value = match self.exprs.rng.random_range(0..8) {
                0 | 1 => String::new(),
                2 | 3 => format!(" = {}", self.exprs.declared_bool(declared)),
                _ => " = false".into(),
            };
            self.declare(&name, "boolean", &value);
            declared.bools.push(name);
        }
        for name in self.exprs.ints.clone() {
            let value = match self.exprs.rng.random_range(0..8) {
                0 => String::new(),
                _ if self.exprs.gen_.wild && self.exprs.chance(2) => String::new(),
                1 | 2 => {
                    let value = self.exprs.over(declared, |exprs| exprs.bounded_int(1));
                    format!(" = {value}")
                }
                _ => format!(" = {}", self.exprs.rng.random_range(0..N_VALUES)),
            };
            if value.is_empty() && !self.exprs.gen_.wild {
                self.open.push(name.clone());
            }
            self.declare(&name, "integer", &value);
            declared.ints.push(name);
        }
        for (name, n) in self.exprs.enums.clone() {
            let value = match self.exprs.rng.random_range(0..6) {
                0 => String::new(),
                1 => {
                    let condition = self.exprs.over(declared, |exprs| exprs.bool(1));
                    let value = self.exprs.over(declared, |exprs| exprs.enum_value(n));
                    let other = self.exprs.literal(n);
                    format!(" = (if {condition} then {value} else {other})")
                }
                _ => format!(" = {}", self.exprs.literal(n)),
            };
            self.declare(&name, &format!("E{n}"), &value);
            declared.enums.push((name, n));
        }
        for name in self.exprs.arrays.clone() {
            let value = if self.exprs.gen_.wild && self.exprs.chance(3) {
                ""
            } else {
                " = [<integer>default <- 0]"
            };
            self.declare(&name, "[integer] -> integer", value);
            declared.arrays.push(name);
        }
    }

    fn declare(&mut self, name: &str, sort: &str, value: &str) {
        let ctrl = if self.exprs.chance(4) { "ctrl " } else { "" };
        let _ = writeln!(self.out, "{ctrl}var {name} : {sort}{value}");
    }

    fn line(&mut self, indent: usize, text: &str) {
        self.out.push('\n');
        self.out += &"    ".repeat(indent + 1);
        self.out += text;
    }

    /// A branch of `init`: it bounds the integers that have no declared value.
    fn start(&mut self, size: usize) {
        let open = self.open.clone();
        if open.is_empty() {
            return self.block(size, 0);
        }
        self.out.push('{');
        for var in open {
            match self.exprs.rng.random_range(0..3) {
                0 => {
                    let value = self.exprs.bounded_int(1);
                    self.line(0, &format!("{var} := {value};"));
                }
                1 => {
                    self.line(0, &format!("havoc {var};"));
                    self.line(0, &format!("assume 0 <= {var} && {var} < {N_VALUES};"));
                }
                _ => self.line(0, &format!("assume 0 <= {var} && {var} < {N_VALUES};")),
            }
        }
        self.line(0, "");
        self.block(size, 1);
        self.out += "\n}";
    }

    /// `{ … }`, perhaps with local variables, which are gone afterwards.
    fn block(&mut self, size: usize, indent: usize) {
        let (n_bools, n_ints) = (self.exprs.bools.len(), self.exprs.ints.len());
        self.out.push('{');
        if size > 1 && self.exprs.chance(3) {
            self.local(indent);
        }
        for _ in 0..self.exprs.rng.random_range(0..=size) {
            self.statement(size / 2, indent);
        }
        self.exprs.bools.truncate(n_bools);
        self.exprs.ints.truncate(n_ints);
        self.line(indent, "");
        self.out.truncate(self.out.len() - 4);
        self.out.push('}');
    }

    fn local(&mut self, indent: usize) {
        let name = format!("t{}", self.n_locals % 3);
        self.n_locals += 1;
        if self.exprs.bools.contains(&name) || self.exprs.ints.contains(&name) {
            return;
        }
        if self.forks > 0 && self.exprs.chance(3) {
            self.forks -= 1;
            self.line(indent, &format!("local var {name} : boolean;"));
            self.exprs.bools.push(name);
        } else {
            let value = self.exprs.bounded_int(1);
            self.line(indent, &format!("local var {name} : integer = {value};"));
            self.exprs.ints.push(name);
        }
    }

    fn statement(&mut self, size: usize, indent: usize) {
        if !self.is_idle
            && self.exprs.chance(4)
            && let Some(mut idle) = self.idle.take()
        {
            self.exprs.exchange(&mut idle);
            self.is_idle = true;
            if self.exprs.chance(2) {
                self.idle_choice(indent);
            } else {
                self.statement(size.max(2), indent);
            }
            self.is_idle = false;
            self.exprs.exchange(&mut idle);
            self.idle = Some(idle);
            return;
        }
        let n_kinds = if size == 0 { 7 } else { 11 };
        match self.exprs.rng.random_range(0..n_kinds) {
            0 if !self.is_idle => {
                // Two ways to be true: an assumption that never holds makes a dull model.
                let (one, other) = (self.exprs.bool(1), self.exprs.bool(1));
                self.line(indent, &format!("assume {one} || {other};"));
            }
            1 if self.forks > 0 => {
                self.forks -= 1;
                self.havoc(indent);
            }
            0..=2 => {
                let bools = self.exprs.bools.clone();
                let (var, value) = (self.exprs.pick(&bools), self.exprs.bool(2));
                self.line(indent, &format!("{var} := {value};"));
            }
            3 | 4 => {
                let ints = self.exprs.ints.clone();
                let (var, value) = (self.exprs.pick(&ints), self.exprs.bounded_int(2));
                self.line(indent, &format!("{var} := {value};"));
            }
            5 => {
                let enums = self.exprs.enums.clone();
                let (var, n) = self.exprs.pick(&enums);
                let value = if self.exprs.chance(2) {
                    self.exprs.enum_value(n)
                } else {
                    let (condition, one) = (self.exprs.bool(1), self.exprs.enum_value(n));
                    format!("(if {condition} then {one} else {var})")
                };
                self.line(indent, &format!("{var} := {value};"));
            }
            6 if !self.exprs.arrays.is_empty() => {
                let (index, value) = (self.exprs.index(), self.exprs.bounded_int(1));
                self.line(indent, &format!("a0[{index}] := {value};"));
            }
            7 if self.forks > 0 => {
                self.forks -= 1;
                self.line(indent, "choice ");
                self.block(size, indent + 1);
                for _ in 0..self.exprs.rng.random_range(0..3) {
                    self.out += " or ";
                    self.block(size, indent + 1);
                }
            }
            8 => {
                let condition = self.exprs.bool(2);
                self.line(indent, &format!("if ({condition}) "));
                self.block(size, indent + 1);
                if self.exprs.chance(2) {
                    self.out += " else ";
                    self.block(size, indent + 1);
                }
            }
            9 => self.for_loop(size, indent),
            _ => {
                self.line(indent, "");
                self.block(size, indent + 1);
            }
        }
    }

    /// A choice under a condition, or in a loop, that decides nothing else.
    fn idle_choice(&mut self, indent: usize) {
        if self.exprs.chance(2) {
            let condition = self.exprs.bool(1);
            self.line(indent, &format!("if ({condition}) {{"));
        } else {
            let to = self.exprs.int(1);
            self.line(indent, &format!("for k{indent} from 0 to ({to} % 3) do {{"));
        }
        self.line(indent + 1, "choice ");
        self.block(1, indent + 1);
        self.out += " or ";
        self.block(1, indent + 1);
        self.line(indent, "}");
    }

    fn havoc(&mut self, indent: usize) {
        let n_kinds = if self.is_idle { 2 } else { 3 };
        match self.exprs.rng.random_range(0..n_kinds) {
            0 => {
                let bools = self.exprs.bools.clone();
                let var = self.exprs.pick(&bools);
                self.line(indent, &format!("havoc {var};"));
            }
            1 => {
                let enums = self.exprs.enums.clone();
                let (var, _) = self.exprs.pick(&enums);
                self.line(indent, &format!("havoc {var};"));
            }
            _ => {
                let ints = self.exprs.ints.clone();
                let var = self.exprs.pick(&ints);
                self.line(indent, &format!("havoc {var};"));
                if !self.exprs.gen_.wild || self.exprs.chance(2) {
                    let bounds = format!("assume 0 <= {var} && {var} < {N_VALUES};");
                    self.line(indent, &bounds);
                }
            }
        }
    }

    fn for_loop(&mut self, size: usize, indent: usize) {
        let name = format!("k{indent}");
        if self.exprs.ints.contains(&name) {
            return;
        }
        let from = self.exprs.rng.random_range(0..2);
        let to = if self.exprs.chance(3) {
            format!("({} % 3)", self.exprs.int(1))
        } else {
            self.exprs.rng.random_range(0..4).to_string()
        };
        self.line(indent, &format!("for {name} from {from} to {to} do "));
        // The counter is read inside, never written: it is taken out before anything is assigned. A fork inside a loop
        // multiplies: at most one.
        let forks = self.forks;
        self.forks = forks.min(1);
        self.out.push('{');
        let body = self.exprs.bounded_int(1);
        let ints = self.exprs.ints.clone();
        let var = self.exprs.pick(&ints);
        let sum = format!("{var} := ({body} + {name}) % {N_VALUES};");
        self.line(indent + 1, &sum);
        self.statement(size / 2, indent + 1);
        self.line(indent, "}");
        self.forks += forks - forks.min(1);
    }
}
