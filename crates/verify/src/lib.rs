//! Verification tasks: what is asked of a model, how it is prepared for an engine, and what the answer means for the
//! model as given.
//!
//! ```text
//! Task { model, property } ─ passes ─► Prepared ─ portfolio of engines ─► verdict ─ lift, confirm ─► Answer ─► Report
//! ```
//!
//! ```
//! use lariat_base::{Budget, SourceMap};
//! use lariat_check::Verdict;
//! use lariat_system::{Context, Language};
//! use lariat_verify::{Asker, Model, Options, Task};
//!
//! # fn main() -> Result<(), Vec<lariat_base::Diagnostic>> {
//! let (mut cx, mut sources) = (Context::new(), SourceMap::new());
//! let text = "var x : int = 0\naction up: x < 3 -> x := x + 1\naction again: x = 3 -> x := 0\n";
//! let source = sources.add("counter.gcl", text);
//! let parsed = lariat_frontend::parse(&mut cx, Language::Gcl, source, sources.file(source))?;
//! let mut model = Model::single(parsed.system);
//! let asked = Asker::new(&mut cx, &mut sources, &model).ltl("G (x = 0 -> F x = 3)")?;
//! let property = asked.translated(&Budget::unlimited()).expect("a small formula is no problem");
//! let mut task = Task { model: &mut model, property: &property };
//! match task.check(&mut cx, &mut Options::default()).verdict {
//!     Verdict::Holds => println!("holds"),
//!     Verdict::Violated(run) => panic!("it does hold, this is no run: {run:?}"),
//!     Verdict::Unknown(why) => panic!("a small model is no problem: {why}"),
//! }
//! # Ok(())
//! # }
//! ```

mod ask;
mod asked;
mod auto;
pub mod boolean;
mod calls;
mod caution;
mod confirm;
pub mod convert;
pub mod export;
mod fair;
mod fit;
mod formulas;
mod functions;
pub mod label;
mod lift;
mod model;
mod obligations;
mod paced;
pub mod pass;
mod portfolio;
mod prepare;
mod property;
pub mod report;
mod share;
mod specification;
mod task;
mod temporal;

pub use ask::{Asker, Findings, NO_PROPERTY};
pub use asked::{Asked, AskedFormula, translate_all};
pub use auto::Form;
pub use calls::{Call, Returned, Target, calls, calls_of_step};
pub use caution::{Note, Vacuity};
pub use confirm::{Confirmed, confirm, letter};
pub use functions::read_functions;
pub use model::{Compose, Model};
pub use obligations::unmet_obligations;
pub use pass::Passes;
pub use portfolio::{Attempt, End, MakeSolver, News, RoundNews};
pub use prepare::Prepared;
pub use property::{Atom, Claim, Property};
pub use share::{Event, Question, share};
pub use specification::asks_for_overflow;
pub use task::{Answer, Options, Proved, Task};
