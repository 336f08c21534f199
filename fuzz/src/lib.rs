//! What the fuzz targets share: texts as files, and round trips through a printer.

use lariat_base::{Id, SourceFile, SourceId};
use lariat_frontend::{Parsed, parse, print};
use lariat_system::{Context, Language};

/// A file with this text.
pub fn file(text: &str) -> SourceFile {
    SourceFile {
        name: "fuzz".into(),
        text: text.into(),
        pieces: Vec::new(),
    }
}

/// What a language reads in a text, if it is a model.
pub fn read(cx: &mut Context, language: Language, text: &str) -> Option<Parsed> {
    parse(cx, language, SourceId::from_index(0), &file(text)).ok()
}

/// Reads a model, prints it and reads that.
fn again(cx: &mut Context, language: Language, text: &str) -> Option<(Parsed, String, Parsed)> {
    let first = read(cx, language, text)?;
    let printed = print(cx, &first.system);
    match parse(cx, language, SourceId::from_index(0), &file(&printed)) {
        Ok(second) => Some((first, printed, second)),
        Err(findings) => {
            // Brackets that the printer adds may exceed the bound on nesting.
            let too_deep = findings.iter().all(|finding| finding.id == "too-deep");
            assert!(too_deep, "{findings:?}\n{printed}");
            None
        }
    }
}

/// A model that is printed must read back as the same.
pub fn reads_back(language: Language, text: &str) {
    let mut cx = Context::new();
    if let Some((first, printed, second)) = again(&mut cx, language, text) {
        let is_same = first.system.same(&second.system, &cx);
        assert!(is_same, "differs after a round trip:\n{printed}");
    }
}

/// A model that is printed must read back and print the same: its long conjunctions may be grouped otherwise.
pub fn prints_back(language: Language, text: &str) {
    let mut cx = Context::new();
    if let Some((_, printed, second)) = again(&mut cx, language, text) {
        let printed_again = print(&cx, &second.system);
        assert_eq!(printed_again, printed, "differs after a round trip");
    }
}
