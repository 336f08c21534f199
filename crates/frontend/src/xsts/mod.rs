//! XSTS: extended symbolic transition systems (`.xsts`).

mod parse;
mod print;
mod statement;

pub(crate) use parse::parse;
pub(crate) use print::print;
