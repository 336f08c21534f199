//! `MoXI`, the model exchange intermediate language (`.moxi`): systems as relations, composed synchronously, and queries about them.
//!
//! `template` reads `define-system` to a relation over variables of its own; an instance renames them. `query` reads
//! `check-system`: a query asks for a trace, and becomes the property that there is none. Assumptions and several conditions to be
//! reached are watched by flags, which are variables of the model like any others. `read` puts the model together: several
//! questions about different systems, or from different starts, become one relation with a variable that tells them apart.

mod print;
mod query;
mod read;
mod template;

pub(crate) use print::print;
pub(crate) use read::parse;
