//! Random STS.

use super::ModelGen;
use super::expression::{Exprs, N_VALUES, THETA};
use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// A random STS model.
pub fn model(gen_: &ModelGen, rng: &mut Rng) -> String {
    let mut exprs = Exprs::new(&THETA, *gen_, rng);
    let mut out = String::from("specification Random {\n  system s := {\n");
    let idle = exprs.idle(false);
    let mut declared = exprs.source();
    for name in &declared.bools {
        let _ = writeln!(out, "    var {name} : bool");
    }
    let (mut bools, mut ints) = (exprs.bools.clone(), exprs.ints.clone());
    if let Some(idle) = &idle {
        bools.extend(idle.bools.iter().cloned());
        ints.extend(idle.ints.iter().cloned());
    }
    if exprs.chance(3) {
        // Any value, for ever.
        out.insert_str("specification Random {\n".len(), "  const K : bool\n");
        exprs.bools.push("K".into());
    }
    // The variables that have a declared value.
    let mut valued: Vec<String> = Vec::new();
    for name in &bools {
        let mut value = String::new();
        if exprs.chance(4) {
            value = format!(" := {}", exprs.declared_bool(&declared));
            valued.push(name.clone());
        }
        let _ = writeln!(out, "    var {name} : bool{value}");
        declared.bools.push(name.clone());
    }
    for name in &ints {
        let mut value = String::new();
        if exprs.chance(4) {
            value = exprs.over(&declared, |exprs| exprs.bounded_int(1));
            value = format!(" := {value}");
            valued.push(name.clone());
        }
        let _ = writeln!(out, "    var {name} : int{value}");
        declared.ints.push(name.clone());
    }
    if gen_.wild {
        out += "    var r0 : rat\n    initial 0%1 <= r0 and r0 < 7%2\n";
    }
    for name in bools.iter().filter(|name| !valued.contains(name)) {
        if exprs.chance(6) {
            let _ = writeln!(out, "    initial {name} iff {}", exprs.bool(1));
        } else if !exprs.chance(4) {
            let not = if exprs.chance(2) { "not " } else { "" };
            let _ = writeln!(out, "    initial {not}{name}");
        }
    }
    for name in ints.iter().filter(|name| !valued.contains(name)) {
        let value = exprs.rng.random_range(0..N_VALUES);
        let _ = match exprs.rng.random_range(0..4) {
            0 if declared.ints[0] != *name => {
                let other = &declared.ints[0];
                writeln!(
                    out,
                    "    initial {name} = ({other} + {value}) mod {N_VALUES}"
                )
            }
            1 => writeln!(out, "    initial 0 <= {name} and {name} <= {value}"),
            _ => writeln!(out, "    initial {name} = {value}"),
        };
    }
    if exprs.chance(if gen_.wild { 2 } else { 6 }) {
        let (one, other) = (exprs.bool(1), exprs.bool(1));
        let _ = writeln!(out, "    invariant {one} or {other}");
    }
    // Some variables keep their values while a condition holds, others take new ones.
    for name in &bools {
        let relation = match exprs.rng.random_range(0..8) {
            // It may take any value.
            0 => continue,
            1 => {
                let condition = exprs.bool(2);
                format!("({condition}) imply ({name}' iff {name})")
            }
            2 | 3 => format!("{name}' = ({})", exprs.bool(2)),
            4..=6 => format!("{name}' iff ({})", exprs.bool(2)),
            _ => format!("{name}' or ({})", exprs.bool(2)),
        };
        let _ = writeln!(out, "    transition {relation}");
    }
    for name in &ints {
        let relation = match exprs.rng.random_range(0..4) {
            0 => format!("0 <= {name}' and {name}' < {N_VALUES}"),
            1 => format!("{name}' = {name} or {name}' = {}", exprs.bounded_int(2)),
            2 => format!(
                "if {} then {name}' = {} else {name}' = {}",
                exprs.bool(1),
                exprs.bounded_int(1),
                exprs.bounded_int(1)
            ),
            _ => format!("{name}' = {}", exprs.bounded_int(2)),
        };
        let _ = writeln!(out, "    transition {relation}");
    }
    if gen_.wild {
        let _ = writeln!(out, "    transition r0' = r0 + 1%2 or r0' = 0%1");
    }
    out += "  }\n";
    let property = exprs.bool(2);
    let _ = writeln!(out, "  property p : s models G ({property})\n}}");
    out
}
