//! Random GCL.

use super::ModelGen;
use super::expression::{Exprs, GCL, N_VALUES, Names};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// A random GCL model.
pub fn model(gen_: &ModelGen, rng: &mut Rng) -> String {
    let mut exprs = Exprs::new(&GCL, *gen_, rng);
    exprs.add_enums();
    let mut idle = exprs.idle(true);
    exprs.arrays.push("a0".into());
    let mut out = String::from("model random\n");
    declarations(&mut exprs, idle.as_mut(), &mut out);
    let n_actions = exprs.rng.random_range(1..2 + gen_.size);
    for i in 0..n_actions {
        let guard = exprs.bool(2);
        let effects = effects(&mut exprs, idle.as_mut());
        let _ = writeln!(out, "action act{i}: {guard} -> {effects}");
    }
    if exprs.chance(2) {
        let (one, other) = (exprs.bool(1), exprs.bool(1));
        let _ = writeln!(out, "property p: G (({one}) -> F ({other}))");
    }
    out
}

fn declarations(exprs: &mut Exprs<'_>, idle: Option<&mut Names>, out: &mut String) {
    let _ = writeln!(out, "const TOP = {}", N_VALUES - 1);
    for n in 0..exprs.literals.len() {
        let literals = exprs.bare_literals(n);
        let _ = writeln!(out, "type E{n} = {{ {literals} }}");
    }
    let mut declared = exprs.source();
    for name in &declared.bools {
        let _ = writeln!(out, "var {name} : bool");
    }
    declare(exprs, "0..TOP", &mut declared, out);
    if let Some(idle) = idle {
        exprs.exchange(idle);
        // A range would be an assumption.
        declare(exprs, "int", &mut declared, out);
        exprs.exchange(idle);
    }
    let _ = writeln!(out, "var a0 : [int] -> int = [<int>default <- 0]");
    while exprs.chance(3) {
        let (one, other) = (exprs.bool(1), exprs.bool(1));
        let _ = writeln!(out, "init {one} or {other}");
    }
}

/// Declares the present names. Their values may read what is `declared` before.
fn declare(exprs: &mut Exprs<'_>, range: &str, declared: &mut Names, out: &mut String) {
    for name in exprs.bools.clone() {
        let value = match exprs.rng.random_range(0..8) {
            0 | 1 => String::new(),
            2 | 3 => format!(" = {}", exprs.declared_bool(declared)),
            _ => " = true".into(),
        };
        let _ = writeln!(out, "var {name} : bool{value}");
        declared.bools.push(name);
    }
    for name in exprs.ints.clone() {
        let value = match exprs.rng.random_range(0..8) {
            0 | 1 if range != "int" => String::new(),
            2 | 3 => {
                let value = exprs.over(declared, |exprs| exprs.int(1));
                format!(" = ({value} mod {N_VALUES})")
            }
            _ => format!(" = {}", exprs.rng.random_range(0..N_VALUES)),
        };
        let is_wild = exprs.gen_.wild && exprs.chance(2);
        let sort = if is_wild { "int" } else { range };
        let _ = writeln!(out, "var {name} : {sort}{value}");
        declared.ints.push(name);
    }
    for (name, n) in exprs.enums.clone() {
        let value = match exprs.rng.random_range(0..6) {
            0 => String::new(),
            1 => {
                let condition = exprs.over(declared, |exprs| exprs.bool(1));
                let value = exprs.over(declared, |exprs| exprs.enum_value(n));
                format!(" = (if {condition} then {value} else {})", exprs.literal(n))
            }
            _ => format!(" = {}", exprs.literal(n)),
        };
        let _ = writeln!(out, "var {name} : E{n}{value}");
        declared.enums.push((name, n));
    }
}

/// Assignments to different variables, all at the same time.
fn effects(exprs: &mut Exprs<'_>, idle: Option<&mut Names>) -> String {
    let mut effects = Vec::new();
    if let Some(idle) = idle
        && exprs.chance(2)
    {
        exprs.exchange(idle);
        let (condition, number) = (exprs.bool(2), exprs.bounded_int(1));
        let value = exprs.pick(&[condition, "any".into()]);
        effects.push(format!("x0 := {value}"));
        effects.push(format!("x1 := {number}"));
        if let Some((name, n)) = exprs.enums.first().cloned() {
            effects.push(format!("{name} := {}", exprs.enum_value(n)));
        }
        exprs.exchange(idle);
    }
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
            effects.push(format!("{name} := {}", exprs.enum_value(n)));
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
