//! What every other crate of Lariat stands on: typed ids, interning, compact graphs, source spans,
//! diagnostics and resource budgets. Nothing here knows about terms, logic or models.

mod budget;
mod csr;
mod diagnostic;
mod id;
mod intern;
mod quota;
mod source;
mod suggest;

pub use budget::{Budget, Stop, available_memory, cpu_time, peak_memory, resident_memory};
pub use csr::{Csr, CsrBuilder};
pub use diagnostic::{Annotation, Diagnostic, Diagnostics, Severity};
pub use id::{Id, IdVec};
pub use intern::Interner;
pub use quota::{Progress, Quota};
pub use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
pub use source::{Piece, SourceFile, SourceId, SourceMap, Span};
pub use suggest::nearest;
