//! Puts the gates of a circuit in an order in which each comes after what it reads, and checks that everything that is
//! read is defined, once. The binary form is in this order already.

use super::file::{Aig, Lit, Use};
use lariat_base::{Diagnostic, FxHashMap, SourceId, Span};

/// What a variable is.
#[derive(Clone, Copy)]
enum Definition {
    Leaf,
    Gate(usize),
}

/// Sorts the gates; says what is wrong with the definitions.
pub(super) fn sort(aig: &mut Aig, source: SourceId) -> Result<(), Vec<Diagnostic>> {
    let defined = definitions(aig, source)?;
    check_uses(aig, source, &defined)?;
    if is_sorted(aig, &defined) {
        return Ok(());
    }
    let order = depth_first(aig, source, &defined).map_err(|finding| vec![finding])?;
    aig.gates = order.into_iter().map(|gate| aig.gates[gate]).collect();
    Ok(())
}

fn definitions(aig: &Aig, source: SourceId) -> Result<FxHashMap<u32, Definition>, Vec<Diagnostic>> {
    let mut defined = FxHashMap::default();
    defined.reserve(aig.inputs.len() + aig.latches.len() + aig.gates.len());
    let mut findings = Vec::new();
    let leaves = aig.inputs.iter().copied();
    let leaves = leaves.chain(aig.latches.iter().map(|latch| latch.lit));
    let leaves = leaves.map(|lit| (lit, Definition::Leaf));
    let gates = aig.gates.iter().enumerate();
    let gates = gates.map(|(at, gate)| (gate.output, Definition::Gate(at)));
    for (Use { lit, at }, definition) in leaves.chain(gates) {
        let message = if lit.is_negated() || lit.0 == 0 {
            format!(
                "what is defined has an even, positive number, not {}",
                lit.0
            )
        } else if defined.insert(lit.variable(), definition).is_some() {
            format!("{} is defined twice", lit.0)
        } else {
            continue;
        };
        findings.push(error("aiger-definition", message, source, at));
    }
    if findings.is_empty() {
        Ok(defined)
    } else {
        Err(findings)
    }
}

fn check_uses(
    aig: &Aig,
    source: SourceId,
    defined: &FxHashMap<u32, Definition>,
) -> Result<(), Vec<Diagnostic>> {
    let lists = [&aig.outputs, &aig.bad, &aig.constraints, &aig.fairness];
    let plain = lists.into_iter().chain(&aig.justice).flatten().copied();
    let latches = aig.latches.iter().map(|latch| latch.next);
    let gates = aig.gates.iter().flat_map(|gate| {
        let at = gate.output.at;
        gate.inputs.map(|lit| Use { lit, at })
    });
    let uses = plain.chain(latches).chain(gates);
    let undefined =
        uses.filter(|read| read.lit.0 > 1 && !defined.contains_key(&read.lit.variable()));
    let findings: Vec<Diagnostic> = undefined
        .map(|read| {
            let message = format!("{} is not defined", read.lit.0);
            error("aiger-undefined", message, source, read.at)
        })
        .collect();
    if findings.is_empty() {
        Ok(())
    } else {
        Err(findings)
    }
}

/// The gate that a literal is the output of.
fn gate_of(defined: &FxHashMap<u32, Definition>, lit: Lit) -> Option<usize> {
    match defined.get(&lit.variable()) {
        Some(&Definition::Gate(gate)) => Some(gate),
        _ => None,
    }
}

fn is_sorted(aig: &Aig, defined: &FxHashMap<u32, Definition>) -> bool {
    let mut gates = aig.gates.iter().enumerate();
    gates.all(|(at, gate)| {
        let mut inputs = gate.inputs.iter();
        inputs.all(|&lit| gate_of(defined, lit).is_none_or(|other| other < at))
    })
}

/// Each gate after its inputs, by a depth-first search with a stack of its own.
fn depth_first(
    aig: &Aig,
    source: SourceId,
    defined: &FxHashMap<u32, Definition>,
) -> Result<Vec<usize>, Diagnostic> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; aig.gates.len()];
    let mut order = Vec::with_capacity(aig.gates.len());
    let mut stack: Vec<usize> = Vec::new();
    for root in 0..aig.gates.len() {
        stack.push(root);
        while let Some(&gate) = stack.last() {
            match marks[gate] {
                Mark::New => {
                    marks[gate] = Mark::Open;
                    for input in aig.gates[gate].inputs {
                        let Some(other) = gate_of(defined, input) else {
                            continue;
                        };
                        match marks[other] {
                            Mark::New => stack.push(other),
                            Mark::Open => {
                                let at = aig.gates[gate].output;
                                let message = format!(
                                    "the gates {} and {} depend on each other",
                                    2 * input.variable(),
                                    at.lit.0
                                );
                                return Err(error("aiger-cycle", message, source, at.at));
                            }
                            Mark::Done => {}
                        }
                    }
                }
                Mark::Open => {
                    marks[gate] = Mark::Done;
                    order.push(gate);
                    stack.pop();
                }
                Mark::Done => {
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

fn error(id: &'static str, message: String, source: SourceId, at: u32) -> Diagnostic {
    let at = at as usize;
    Diagnostic::error(id, message).at(Span::new(source, at, at + 1))
}
