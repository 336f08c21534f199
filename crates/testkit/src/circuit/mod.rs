//! Circuits, independent of the front ends: random AIGER and BTOR2 texts, simulators that read those texts themselves, and an
//! oracle that decides every property of a small circuit by listing its states.

mod aiger;
mod btor2;
mod oracle;
mod random_aiger;
mod random_btor2;
mod witness;

pub use aiger::NaiveAiger;
pub use btor2::NaiveBtor2;
pub use oracle::{NaiveCircuit, Step, bad_is_reachable, justice_is_possible};
pub use random_aiger::random_aiger;
pub use random_btor2::random_btor2;
pub use witness::{check_aiger_witness, check_btor2_witness};
