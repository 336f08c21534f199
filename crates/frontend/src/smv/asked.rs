//! Formulas that are asked about a model from outside of its file, in SMV's own spelling.

use super::lex::Tok;
use super::parse::Reader;
use super::tree::{Member, Tree};
use lariat_base::{Diagnostics, SourceId, Span};

/// Reads a formula that is asked from outside of the file as one more LTLSPEC of its module `main`; what is wrong with it goes into
/// `findings`.
pub(super) fn read(
    tree: Tree,
    source: SourceId,
    (text, name): (&str, Box<str>),
    findings: &mut Diagnostics,
) -> Tree {
    let mut reader = Reader::new(source, text, 0);
    reader.tree = tree;
    let span = Span::new(source, 0, text.len());
    if let Ok(formula) = reader.expression() {
        if reader.token().tok != Tok::End {
            reader.unexpected("the end of the formula");
        }
        let main = reader.tree.names.intern("main".into());
        let mut modules = reader.tree.modules.iter_mut();
        if let Some(main) = modules.find(|module| module.name == main) {
            main.members.push(Member::Spec {
                is_ltl: true,
                name: Some((name, span)),
                formula,
                span,
                place: None,
            });
        }
    }
    for finding in reader.findings.into_vec() {
        findings.push(finding);
    }
    reader.tree
}
