//! Random small circuits in the AIGER format.

use crate::Rng;
use rand::Rng as _;
use rand::seq::SliceRandom as _;
use std::fmt::Write as _;

/// The text of a circuit with at most 4 latches and 2 inputs, and what else the format has. Variables have gaps and come in
/// any order, gates too.
pub fn random_aiger(rng: &mut Rng) -> String {
    let (n_inputs, n_latches) = (rng.random_range(0..3), rng.random_range(0..5));
    let n_gates = rng.random_range(0..12);
    let n = n_inputs + n_latches + n_gates;
    let largest = n + rng.random_range(0..3);
    let mut variables: Vec<usize> = (1..=largest).collect();
    variables.shuffle(rng);
    let own: Vec<usize> = variables[..n].iter().map(|v| 2 * v).collect();
    let (leaves, gates) = own.split_at(n_inputs + n_latches);
    let (inputs, latches) = leaves.split_at(n_inputs);
    // Of the literals in the order of definition, those before a place are known there.
    let mut known = vec![0];
    known.extend(leaves);
    let any = |known: &[usize], rng: &mut Rng| {
        let lit = known[rng.random_range(0..known.len())];
        lit + rng.random_range(0..2)
    };
    // A latch that once lost stays lost: its next value is a gate that has it as an operand.
    let keeper = (!latches.is_empty() && !gates.is_empty() && rng.random_bool(0.4)).then(|| {
        let is_negated = rng.random_range(0..2);
        (
            latches[0],
            gates[rng.random_range(0..gates.len())],
            is_negated,
        )
    });
    let mut gate_lines = Vec::new();
    for &gate in gates {
        let first = match keeper {
            Some((latch, keeping, is_negated)) if keeping == gate => latch + is_negated,
            _ => any(&known, rng),
        };
        gate_lines.push(format!("{gate} {first} {}", any(&known, rng)));
        known.push(gate);
    }
    gate_lines.shuffle(rng);
    let counts: [usize; 5] = [
        rng.random_range(0..3),
        rng.random_range(0..3),
        rng.random_range(0..2),
        rng.random_range(0..3),
        rng.random_range(0..2),
    ];
    let [outputs, bad, constraints, justice, fair] = counts;
    let mut text = format!(
        "aag {largest} {n_inputs} {n_latches} {outputs} {n_gates} {bad} {constraints} {justice} {fair}\n"
    );
    for input in inputs {
        let _ = writeln!(text, "{input}");
    }
    for &latch in latches {
        let next = match keeper {
            Some((keeper, gate, is_negated)) if keeper == latch => gate + is_negated,
            _ => any(&known, rng),
        };
        let _ = write!(text, "{latch} {next}");
        let _ = match rng.random_range(0..6) {
            0 => writeln!(text, " {latch}"),
            1 => writeln!(text, " 1"),
            2 => writeln!(text, " 0"),
            _ => writeln!(text),
        };
    }
    for _ in 0..outputs + bad {
        let _ = writeln!(text, "{}", any(&known, rng));
    }
    for _ in 0..constraints {
        // One that is a gate or its negation forbids little.
        let lit = *known.last().expect("false is known") + 1;
        let lit = match (keeper, rng.random_range(0..4)) {
            (Some((latch, _, is_negated)), 0) => latch + is_negated,
            (_, 0 | 1) => lit,
            _ => any(&known, rng),
        };
        let _ = writeln!(text, "{lit}");
    }
    let sizes: Vec<usize> = (0..justice).map(|_| rng.random_range(0..3)).collect();
    for size in &sizes {
        let _ = writeln!(text, "{size}");
    }
    for _ in 0..sizes.iter().sum::<usize>() + fair {
        let lit = match keeper {
            Some((latch, _, is_negated)) if rng.random_bool(0.5) => latch + is_negated,
            _ => any(&known, rng),
        };
        let _ = writeln!(text, "{lit}");
    }
    for line in gate_lines {
        let _ = writeln!(text, "{line}");
    }
    if n_latches > 0 && rng.random_bool(0.3) {
        let _ = writeln!(text, "l0 some name<0>");
    }
    if rng.random_bool(0.3) {
        text += "c\nany text\n";
    }
    text
}
