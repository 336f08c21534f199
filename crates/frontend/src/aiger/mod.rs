//! AIGER 1.9, the language of hardware model checking: circuits of and-gates, inverters and latches, with bad states,
//! constraints, justice and fairness. After Biere, Heljanko and Wieringa, "AIGER 1.9 and beyond" (2011).
//!
//! Every state is observed, with the inputs of its step. Fairness is fairness of the system; a justice property says that
//! no fair run makes all its literals true infinitely often.

mod file;
mod lower;
mod order;
mod raise;
mod read;
mod write;

use crate::Parsed;
use lariat_base::{Diagnostic, SourceFile, SourceId};
use lariat_system::{Context, System};

/// Reads an AIGER file.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut aig = read::read(source, &file.text).map_err(|finding| vec![finding])?;
    order::sort(&mut aig, source)?;
    let system = lower::lower(cx, source, &aig, &crate::file_stem(file));
    let warnings = Vec::new();
    Ok(Parsed {
        system,
        obligations: Vec::new(),
        warnings,
    })
}

/// The text of a system that is a circuit over truth values, in the form of text.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    write::write(&raise::raise(cx, system), &system.name)
}

/// The bytes of a system that is a circuit over truth values, in the binary form.
pub fn print_binary(cx: &Context, system: &System) -> Vec<u8> {
    write::write_binary(&raise::raise(cx, system), &system.name)
}
