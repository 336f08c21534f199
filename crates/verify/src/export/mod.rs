//! Counterexamples to C programs in forms that other tools read: as a C program that repeats the run, and as a violation
//! witness of SV-COMP. Both are made from the run of the given model and what the front end says of the program.

mod harness;
mod sha256;
mod watched;
mod witness;

pub use harness::harness;
pub use witness::witness;
