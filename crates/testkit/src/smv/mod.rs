//! SMV, independent of the front end: random models, their text, and an interpreter that decides every property of a small model by
//! listing its states. Written from the language's description; what a model means is said here a second time.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers of small models are small"
)]

mod eval;
mod expression;
mod flat;
mod oracle;
mod print;
mod random;
mod space;
mod tree;

pub use oracle::{SmvProperty, decide_smv};
pub use print::print_smv;
pub use random::random_smv;
pub use tree::SmvModel;
