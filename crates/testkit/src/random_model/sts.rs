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
    for name in &exprs.bools {
        let _ = writeln!(out, "    var {name} : bool");
    }
    for name in &exprs.ints {
        let _ = writeln!(out, "    var {name} : int");
    }
    if gen_.wild {
        out += "    var r0 : rat\n    initial 0%1 <= r0 and r0 < 7%2\n";
    }
    let (bools, ints) = (exprs.bools.clone(), exprs.ints.clone());
    for name in &bools {
        if !exprs.chance(4) {
            let not = if exprs.chance(2) { "not " } else { "" };
            let _ = writeln!(out, "    initial {not}{name}");
        }
    }
    for name in &ints {
        let value = exprs.rng.random_range(0..N_VALUES);
        let _ = match exprs.rng.random_range(0..3) {
            0 => writeln!(out, "    initial 0 <= {name} and {name} <= {value}"),
            _ => writeln!(out, "    initial {name} = {value}"),
        };
    }
    if gen_.wild && exprs.chance(2) {
        let _ = writeln!(out, "    invariant {}", exprs.bool(1));
    }
    // Some variables keep their values while a condition holds, others take new ones.
    for name in &bools {
        let relation = match exprs.rng.random_range(0..4) {
            0 => {
                let condition = exprs.bool(2);
                format!("({condition}) imply ({name}' iff {name})")
            }
            1 => format!("{name}' = ({})", exprs.bool(2)),
            2 => format!("{name}' iff ({})", exprs.bool(2)),
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
