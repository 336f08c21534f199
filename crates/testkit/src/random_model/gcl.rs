//! Random GCL.

use super::ModelGen;
use super::expression::{Exprs, GCL, N_VALUES};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// A random GCL model.
pub fn model(gen_: &ModelGen, rng: &mut Rng) -> String {
    let mut exprs = Exprs::new(&GCL, *gen_, rng);
    exprs.add_enums();
    exprs.arrays.push("a0".into());
    let mut out = String::from("model random\n");
    declarations(&mut exprs, &mut out);
    let n_actions = exprs.rng.random_range(1..2 + gen_.size);
    for i in 0..n_actions {
        let guard = exprs.bool(2);
        let effects = effects(&mut exprs);
        let _ = writeln!(out, "action act{i}: {guard} -> {effects}");
    }
    if exprs.chance(2) {
        let (one, other) = (exprs.bool(1), exprs.bool(1));
        let _ = writeln!(out, "property p: G (({one}) -> F ({other}))");
    }
    out
}

fn declarations(exprs: &mut Exprs<'_>, out: &mut String) {
    let _ = writeln!(out, "const TOP = {}", N_VALUES - 1);
    for n in 0..exprs.literals.len() {
        let literals = exprs.bare_literals(n);
        let _ = writeln!(out, "type E{n} = {{ {literals} }}");
    }
    for name in exprs.bools.clone() {
        let value = if exprs.chance(4) { "" } else { " = true" };
        let _ = writeln!(out, "var {name} : bool{value}");
    }
    for name in exprs.ints.clone() {
        let value = if exprs.chance(3) {
            String::new()
        } else {
            format!(" = {}", exprs.rng.random_range(0..N_VALUES))
        };
        let sort = if exprs.gen_.wild && exprs.chance(2) {
            "int"
        } else {
            "0..TOP"
        };
        let _ = writeln!(out, "var {name} : {sort}{value}");
    }
    for (name, n) in exprs.enums.clone() {
        let value = exprs.literal(n);
        let _ = writeln!(out, "var {name} : E{n} = {value}");
    }
    let _ = writeln!(out, "var a0 : [int] -> int = [<int>default <- 0]");
    if exprs.chance(3) {
        let (one, other) = (exprs.bool(1), exprs.bool(1));
        let _ = writeln!(out, "init {one} or {other}");
    }
}

/// Assignments to different variables, all at the same time.
fn effects(exprs: &mut Exprs<'_>) -> String {
    let mut effects = Vec::new();
    for name in exprs.bools.clone() {
        match exprs.rng.random_range(0..6) {
            0 => effects.push(format!("{name} := any")),
            1 | 2 => effects.push(format!("{name} := {}", exprs.bool(2))),
            _ => {}
        }
    }
    for name in exprs.ints.clone() {
        match exprs.rng.random_range(0..6) {
            // Any value of the range; an unbounded variable stays unbounded.
            0 => effects.push(format!("{name} := any")),
            1 => effects.push(format!("{name} := {name} + 1")),
            2 | 3 => effects.push(format!("{name} := {}", exprs.bounded_int(2))),
            _ => {}
        }
    }
    for (name, n) in exprs.enums.clone() {
        if exprs.chance(3) {
            effects.push(format!("{name} := {}", exprs.literal(n)));
        }
    }
    if exprs.chance(4) {
        let (index, value) = (exprs.index(), exprs.bounded_int(1));
        effects.push(format!("a0[{index}] := {value}"));
    }
    if effects.is_empty() {
        "skip".into()
    } else {
        effects.join(", ")
    }
}
