//! STS: symbolic transition systems (`.sts`, `.system`).
//!
//! A step chooses the next values `x'` of all variables freely, keeps those that satisfy every
//! `transition`, and then takes them over. A constant with a value is that value; a constant without
//! one is a variable that no step writes.

mod build;
mod claim;
mod parse;
mod print;

pub(crate) use parse::parse;
pub(crate) use print::print;
