//! Random CFA.
//!
//! All variables of a CFA start with any value, so a model with integers has infinitely many initial
//! states. Models that must be finite have Booleans and narrow bit-vectors instead.

use super::ModelGen;
use super::expression::{Exprs, THETA};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// How wide bit-vectors are.
const WIDTH: usize = 2;

/// A random CFA model.
pub fn model(gen_: &ModelGen, rng: &mut Rng) -> String {
    let mut exprs = Exprs::new(&THETA, *gen_, rng);
    if gen_.wild {
        exprs.arrays.push("a0".into());
    } else {
        exprs.ints.clear();
    }
    let has_idle = exprs.chance(3);
    let vectors = (0..gen_.variables).map(|i| format!("v{i}")).collect();
    let mut writer = Writer {
        exprs,
        vectors,
        has_idle,
        out: String::from("main process random {\n"),
    };
    writer.declarations();
    writer.graph();
    writer.out += "}\n";
    writer.out
}

struct Writer<'a> {
    exprs: Exprs<'a>,
    vectors: Vec<String>,
    /// Whether there are variables that are only written.
    has_idle: bool,
    out: String,
}

impl Writer<'_> {
    fn declarations(&mut self) {
        if self.has_idle {
            let _ = writeln!(self.out, "  var x0 : bool\n  var x1 : bv[{WIDTH}]");
        }
        let exprs = &self.exprs;
        let named = [
            (&exprs.bools, "bool".to_owned()),
            (&exprs.ints, "int".to_owned()),
            (&self.vectors, format!("bv[{WIDTH}]")),
            (&exprs.arrays, "[int] -> int".to_owned()),
        ];
        for (names, sort) in named {
            for name in names {
                let _ = writeln!(self.out, "  var {name} : {sort}");
            }
        }
    }

    fn graph(&mut self) {
        let n = self.exprs.rng.random_range(2..6);
        let role = |i: usize| match i {
            0 => "init loc",
            1 => "error loc",
            2 if n > 3 => "final loc",
            _ => "loc",
        };
        for i in 0..n {
            let _ = writeln!(self.out, "  {} L{i}", role(i));
        }
        for at in 0..n {
            // Error and final locations have no way out.
            if at == 1 || (at == 2 && n > 3) {
                continue;
            }
            for _ in 0..self.exprs.rng.random_range(1..4) {
                let to = self.exprs.rng.random_range(0..n);
                let n_statements = self.exprs.rng.random_range(0..=self.exprs.gen_.size.min(4));
                let _ = write!(self.out, "  L{at} -> L{to}");
                if n_statements == 0 && self.exprs.chance(2) {
                    self.out.push('\n');
                    continue;
                }
                self.out += " {\n";
                for _ in 0..n_statements {
                    let statement = self.statement();
                    let _ = writeln!(self.out, "    {statement}");
                }
                self.out += "  }\n";
            }
        }
    }

    fn statement(&mut self) -> String {
        if self.has_idle && self.exprs.chance(4) {
            return match self.exprs.rng.random_range(0..4) {
                0 => "havoc x0".into(),
                1 => format!("x0 := ({} and x0)", self.condition()),
                2 => format!("x1 := (x1 bvadd {})", self.vector(1)),
                _ => format!("x1 := (if x0 then {} else x1)", self.vector(1)),
            };
        }
        match self.exprs.rng.random_range(0..8) {
            0 | 1 => {
                let (one, other) = (self.condition(), self.condition());
                format!("assume {one} or {other}")
            }
            2 => {
                let names: Vec<String> = [&self.exprs.bools, &self.vectors, &self.exprs.ints]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect();
                format!("havoc {}", self.exprs.pick(&names))
            }
            3 | 4 if !self.exprs.ints.is_empty() => {
                let ints = self.exprs.ints.clone();
                format!(
                    "{} := {}",
                    self.exprs.pick(&ints),
                    self.exprs.bounded_int(2)
                )
            }
            5 if !self.exprs.arrays.is_empty() => {
                let (index, value) = (self.exprs.index(), self.exprs.int(1));
                format!("a0 := (a0)[{index} <- {value}]")
            }
            6 | 7 => {
                let vectors = self.vectors.clone();
                format!("{} := {}", self.exprs.pick(&vectors), self.vector(2))
            }
            _ => {
                let bools = self.exprs.bools.clone();
                format!("{} := {}", self.exprs.pick(&bools), self.condition())
            }
        }
    }

    fn condition(&mut self) -> String {
        if self.exprs.chance(2) {
            return self.exprs.bool(2);
        }
        let op = self
            .exprs
            .pick(&["=", "/=", "bvult", "bvule", "bvslt", "bvsle"]);
        format!("({} {op} {})", self.vector(1), self.vector(1))
    }

    /// A bit-vector expression.
    fn vector(&mut self, depth: usize) -> String {
        if depth == 0 {
            if self.exprs.chance(3) {
                return format!("{WIDTH}'d{}", self.exprs.rng.random_range(0..1 << WIDTH));
            }
            let vectors = self.vectors.clone();
            return self.exprs.pick(&vectors);
        }
        let d = depth - 1;
        match self.exprs.rng.random_range(0..5) {
            0 => format!("(bvnot {})", self.vector(d)),
            1 => format!(
                "(if {} then {} else {})",
                self.exprs.bool(1),
                self.vector(d),
                self.vector(d)
            ),
            _ => {
                let words = [
                    "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvudiv", "bvurem",
                    "bvshl",
                ];
                let op = self.exprs.pick(&words);
                format!("({} {op} {})", self.vector(d), self.vector(d))
            }
        }
    }
}
