//! Counterexamples in forms that other tools read: to a C program as a program that repeats the run, and as a violation
//! witness of SV-COMP; to a circuit as a witness of its format. All are made from the run of the given model and what the
//! front end says of it. A proof becomes a certificate.

mod certificate;
mod circuit;
mod harness;
mod sha256;
mod watched;
mod witness;

pub use certificate::certificate;
pub use harness::{harness, harness_of_run};
pub use sha256::digest;
pub use witness::witness;
