//! GCL: guarded commands (`.gcl`), Lariat's own small language; `docs/languages.md` describes it.

mod build;
mod parse;
mod print;

pub(crate) use parse::parse;
pub(crate) use print::print;
