//! Random XSTS.

use super::ModelGen;
use super::expression::{Exprs, N_VALUES, XSTS};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// A random XSTS model.
pub fn model(gen_: &ModelGen, rng: &mut Rng) -> String {
    let mut exprs = Exprs::new(&XSTS, *gen_, rng);
    exprs.add_enums();
    exprs.arrays.push("a0".into());
    let mut writer = Writer {
        exprs,
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
            writer.block(size, 0);
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
        for name in self.exprs.bools.clone() {
            // A Boolean without a value doubles the initial states, that is all.
            let value = if self.exprs.chance(4) { "" } else { " = false" };
            self.declare(&name, "boolean", value);
        }
        for name in self.exprs.ints.clone() {
            let value = if self.exprs.gen_.wild && self.exprs.chance(2) {
                String::new()
            } else {
                format!(" = {}", self.exprs.rng.random_range(0..N_VALUES))
            };
            self.declare(&name, "integer", &value);
        }
        for (name, n) in self.exprs.enums.clone() {
            let value = format!(" = {}", self.exprs.literal(n));
            self.declare(&name, &format!("E{n}"), &value);
        }
        for name in self.exprs.arrays.clone() {
            let value = if self.exprs.gen_.wild && self.exprs.chance(3) {
                ""
            } else {
                " = [<integer>default <- 0]"
            };
            self.declare(&name, "[integer] -> integer", value);
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
        let n_kinds = if size == 0 { 7 } else { 11 };
        match self.exprs.rng.random_range(0..n_kinds) {
            0 => {
                // Two ways to be true: an assumption that never holds makes a dull model.
                let (one, other) = (self.exprs.bool(1), self.exprs.bool(1));
                self.line(indent, &format!("assume {one} || {other};"));
            }
            1 if self.forks > 0 => {
                self.forks -= 1;
                self.havoc(indent);
            }
            2 | 1 => {
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
                    self.exprs.literal(n)
                } else {
                    let (condition, one) = (self.exprs.bool(1), self.exprs.literal(n));
                    format!("(if {condition} then {one} else {var})")
                };
                self.line(indent, &format!("{var} := {value};"));
            }
            6 => {
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

    fn havoc(&mut self, indent: usize) {
        match self.exprs.rng.random_range(0..3) {
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
        let to = self.exprs.rng.random_range(0..3);
        self.line(indent, &format!("for {name} from 0 to {to} do "));
        // The counter is read inside, never written: it is taken out before anything is assigned.
        let forks = std::mem::take(&mut self.forks);
        self.out.push('{');
        let body = self.exprs.bounded_int(1);
        let ints = self.exprs.ints.clone();
        let var = self.exprs.pick(&ints);
        let sum = format!("{var} := ({body} + {name}) % {N_VALUES};");
        self.line(indent + 1, &sum);
        self.statement(size / 2, indent + 1);
        self.line(indent, "}");
        self.forks = forks;
    }
}
