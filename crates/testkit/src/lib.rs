//! What tests share: random terms and models from printed seeds, and naive twins to compare with.

mod circuit;
mod large_xsts;
mod naive;
mod naive_engine;
mod random_c;
mod random_chart;
mod random_gamma;
mod random_infinite;
mod random_loop;
mod random_model;
mod random_question;
mod random_st;
mod random_stmt;
mod random_symmetric;
mod random_system;
mod random_term;
mod random_timed;
mod smv;

pub use circuit::{
    NaiveAiger, NaiveBtor2, NaiveCircuit, Step, bad_is_reachable, check_aiger_witness,
    check_btor2_witness, justice_is_possible, random_aiger, random_btor2,
};
pub use large_xsts::large_xsts;
pub use naive::{Naive, eval_naive};
pub use naive_engine::{FairTruth, StateSpace, naive_accepts, naive_fair_accepts, naive_lasso};
pub use random_c::{CGen, CProgram, CompilerError, run_compiled, run_read};
pub use random_chart::{ChartTally, Interpreter, RandomChart, compare_chart};
pub use random_gamma::{GammaTally, compare_gamma, random_gamma};
pub use random_infinite::{Expected, InfiniteModel, random_infinite};
pub use random_loop::{loop_atoms, other_inputs, random_loop, recorded_round, truths};
pub use random_model::ModelGen;
pub use random_question::{RandomQuestion, question_about, random_atom, random_question};
pub use random_st::{RandomSt, StTally, compare_st};
pub use random_stmt::{RawStmt, StmtGen};
pub use random_symmetric::{Form, SymmetricModel, random_symmetric};
pub use random_system::{
    RandomParts, RandomSystem, random_fair_system, random_parts, random_program, random_system,
};
pub use random_term::{RawTerm, TermGen};
pub use random_timed::{TimedModel, random_timed};
pub use smv::{SmvModel, SmvProperty, decide_smv, print_smv, random_smv};

/// The random number generator of all tests: portable, so that a printed seed replays anywhere.
pub type Rng = rand_pcg::Pcg64Mcg;

/// The generator of a seed.
pub fn rng(seed: u64) -> Rng {
    use rand::SeedableRng;
    Rng::seed_from_u64(seed)
}
