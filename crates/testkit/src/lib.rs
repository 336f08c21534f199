//! What tests share: random terms and models from printed seeds, and naive twins to compare with.

mod large_xsts;
mod naive;
mod naive_engine;
mod random_c;
mod random_infinite;
mod random_model;
mod random_question;
mod random_stmt;
mod random_system;
mod random_term;

pub use large_xsts::large_xsts;
pub use naive::{Naive, eval_naive};
pub use naive_engine::{FairTruth, StateSpace, naive_accepts, naive_fair_accepts, naive_lasso};
pub use random_c::{CGen, CProgram, CompilerError, run_compiled, run_read};
pub use random_infinite::{Expected, InfiniteModel, random_infinite};
pub use random_model::ModelGen;
pub use random_question::{RandomQuestion, random_atom, random_question};
pub use random_stmt::{RawStmt, StmtGen};
pub use random_system::{
    RandomParts, RandomSystem, random_fair_system, random_parts, random_program, random_system,
};
pub use random_term::{RawTerm, TermGen};

/// The random number generator of all tests: portable, so that a printed seed replays anywhere.
pub type Rng = rand_pcg::Pcg64Mcg;

/// The generator of a seed.
pub fn rng(seed: u64) -> Rng {
    use rand::SeedableRng;
    Rng::seed_from_u64(seed)
}
