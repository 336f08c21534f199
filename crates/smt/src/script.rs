//! Questions as one SMT-LIB text that another solver can answer.

use crate::smtlib::Writer;
use lariat_expr::{TermId, Terms};
use std::fmt::Write as _;

/// A text in which each of the terms, with its name, is asked for a model.
pub fn script<'q>(terms: &Terms, questions: impl Iterator<Item = (String, &'q TermId)>) -> String {
    let mut out = String::from("(set-option :global-declarations true)\n(set-logic ALL)\n");
    let mut writer = Writer::default();
    for (name, &term) in questions {
        let text = writer.term(terms, term, &mut out);
        let _ = writeln!(
            out,
            "; {name}\n(push 1)\n(assert {text})\n(check-sat)\n(pop 1)"
        );
    }
    out
}
