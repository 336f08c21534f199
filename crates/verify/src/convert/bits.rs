//! Functions over bit-vectors as functions over truth values, one for each bit: what AIGER has.

use super::functions::{Functions, State};
use super::refuse;
use lariat_base::Diagnostic;
use lariat_check::{Blasting, NoBits};
use lariat_system::Context;

/// Takes all bit-vectors apart.
pub(super) fn blast(cx: &mut Context, functions: &mut Functions) -> Result<(), Diagnostic> {
    let mut blasting = Blasting::default();
    let mut states = Vec::new();
    for state in std::mem::take(&mut functions.states) {
        let vars = blasting.variables(&mut cx.terms, state.var);
        let mut bits = |term| blasting.bits(&mut cx.terms, term).map_err(no_bits);
        let first = bits(state.first)?;
        let next = bits(state.next)?;
        for ((var, first), next) in vars.into_iter().zip(first).zip(next) {
            let range = None;
            states.push(State {
                var,
                range,
                range_from: "",
                first,
                next,
            });
        }
    }
    for list in [&mut functions.inputs, &mut functions.start_inputs] {
        let bits = list
            .iter()
            .flat_map(|&input| blasting.variables(&mut cx.terms, input));
        *list = bits.collect();
    }
    functions.map_terms(&mut |term| {
        let bits = blasting.bits(&mut cx.terms, term).map_err(no_bits)?;
        Ok::<_, Diagnostic>(bits[0])
    })?;
    functions.states = states;
    Ok(())
}

fn no_bits(NoBits(why): NoBits) -> Diagnostic {
    refuse(why)
}
