//! Writes an AIGER file in the form of text, or in the binary form.

use super::file::{Aig, Latch, Reset, SECTIONS, Use};
use std::fmt::Write as _;

/// The text of a file, with the name of its model as the comment.
pub(super) fn write(aig: &Aig, comment: &str) -> String {
    let mut text = header(aig, "aag");
    literals(&mut text, &aig.inputs);
    for latch in &aig.latches {
        let _ = writeln!(
            text,
            "{} {} {}",
            latch.lit.lit.0,
            latch.next.lit.0,
            reset(latch)
        );
    }
    sections(&mut text, aig);
    for gate in &aig.gates {
        let [left, right] = gate.inputs;
        let _ = writeln!(text, "{} {} {}", gate.output.lit.0, left.0, right.0);
    }
    symbols(&mut text, aig);
    let _ = writeln!(text, "c\n{comment}");
    text
}

fn literals(text: &mut String, list: &[Use]) {
    for used in list {
        let _ = writeln!(text, "{}", used.lit.0);
    }
}

/// The bytes of a file whose inputs, latches and gates are numbered in this order, each gate after what it reads.
pub(super) fn write_binary(aig: &Aig, comment: &str) -> Vec<u8> {
    let mut text = header(aig, "aig");
    for latch in &aig.latches {
        let _ = writeln!(text, "{} {}", latch.next.lit.0, reset(latch));
    }
    sections(&mut text, aig);
    let mut bytes = text.into_bytes();
    for gate in &aig.gates {
        let [left, right] = gate.inputs;
        number(&mut bytes, gate.output.lit.0 - left.0);
        number(&mut bytes, left.0 - right.0);
    }
    let mut text = String::new();
    symbols(&mut text, aig);
    let _ = writeln!(text, "c\n{comment}");
    bytes.extend(text.into_bytes());
    bytes
}

/// A number, seven bits a byte, the last ones first; all bytes but the last have the first bit set.
fn number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn header(aig: &Aig, word: &str) -> String {
    let defined = aig.inputs.iter().copied();
    let defined = defined.chain(aig.latches.iter().map(|latch| latch.lit));
    let defined = defined.chain(aig.gates.iter().map(|gate| gate.output));
    let largest = defined.map(|used| used.lit.variable()).max().unwrap_or(0);
    let numbers = [
        largest as usize,
        aig.inputs.len(),
        aig.latches.len(),
        aig.outputs.len(),
        aig.gates.len(),
        aig.bad.len(),
        aig.constraints.len(),
        aig.justice.len(),
        aig.fairness.len(),
    ];
    let mut text = String::from(word);
    for number in numbers {
        let _ = write!(text, " {number}");
    }
    text.push('\n');
    text
}

fn reset(latch: &Latch) -> u32 {
    match latch.reset {
        Reset::To(value) => u32::from(value),
        Reset::Any => latch.lit.lit.0,
    }
}

/// The sections between the latches and the gates, which are text in both forms.
fn sections(text: &mut String, aig: &Aig) {
    for list in [&aig.outputs, &aig.bad, &aig.constraints] {
        literals(text, list);
    }
    for property in &aig.justice {
        let _ = writeln!(text, "{}", property.len());
    }
    for list in aig.justice.iter().chain([&aig.fairness]) {
        literals(text, list);
    }
}

fn symbols(text: &mut String, aig: &Aig) {
    for &section in SECTIONS {
        for position in 0..aig.n_in(section) {
            if let Some(name) = aig.symbol(section, position) {
                let _ = writeln!(text, "{}{position} {name}", section as char);
            }
        }
    }
}
