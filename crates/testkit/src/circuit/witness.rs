//! Checks witnesses of circuits by simulation: the run that they describe starts where the circuit may start, meets the
//! constraints, and ends in a bad state, or comes back to a state with all that must recur on the way.

use super::btor2::NaiveBtor2;
use super::oracle::{NaiveCircuit, Step};

/// Checks a witness of an AIGER file.
pub fn check_aiger_witness(circuit: &impl NaiveCircuit, witness: &str) -> Result<(), String> {
    let lines: Vec<&str> = witness.lines().collect();
    let ["1", property, first, inputs @ .., "."] = &lines[..] else {
        return Err("not the form of a witness".into());
    };
    let number = |bits: &str| {
        bits.bytes()
            .rev()
            .fold(0, |sum, bit| 2 * sum + u64::from(bit == b'1'))
    };
    let inputs: Vec<u64> = inputs.iter().map(|line| number(line)).collect();
    check(circuit, property, number(first), &inputs, inputs.len())
}

/// Checks a witness of a BTOR2 file.
pub fn check_btor2_witness(circuit: &NaiveBtor2, witness: &str) -> Result<(), String> {
    let lines: Vec<&str> = witness.lines().collect();
    let ["sat", property, frames @ .., "."] = &lines[..] else {
        return Err("not the form of a witness".into());
    };
    let (first, inputs) = circuit.frames(frames)?;
    check(circuit, property, first, &inputs, inputs.len() - 1)
}

/// Checks a run. If it is infinite, the state before step `repeated` (or after the last one) is there again.
fn check(
    circuit: &impl NaiveCircuit,
    property: &str,
    first: u64,
    inputs: &[u64],
    repeated: usize,
) -> Result<(), String> {
    if !circuit.initial().contains(&first) {
        return Err("the circuit does not start there".into());
    }
    let (mut state, mut states) = (first, vec![first]);
    let mut steps: Vec<Step> = Vec::new();
    for &input in inputs {
        let step = circuit.step(state, input);
        if !step.allowed {
            return Err(format!("a constraint is not met in step {}", steps.len()));
        }
        state = step.next;
        states.push(state);
        steps.push(step);
    }
    let position: usize = property[1..].parse().map_err(|_| "no property")?;
    let last = steps.last().ok_or("no step")?;
    if property.starts_with('b') {
        return if last.bad[position] {
            Ok(())
        } else {
            Err("the last state is not bad".into())
        };
    }
    let loops = (0..repeated).filter(|&at| states[at] == states[repeated]);
    let is_fair = |at: usize| {
        let conditions = |step: &Step| [&step.justice[position][..], &step.fair].concat();
        let met: Vec<Vec<bool>> = steps[at..repeated].iter().map(conditions).collect();
        (0..met[0].len()).all(|condition| met.iter().any(|met| met[condition]))
    };
    if loops.into_iter().any(is_fair) {
        Ok(())
    } else {
        Err("no loop meets all conditions".into())
    }
}
