//! Any bytes as VMT-LIB: no crash, and what is read prints, reads back and prints the same.
#![no_main]

use lariat_base::{Id, SourceFile, SourceId};
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let file = |text: &str| SourceFile {
        name: "fuzz".into(),
        text: text.into(),
        pieces: Vec::new(),
    };
    let source = SourceId::from_index(0);
    let mut cx = Context::new();
    let Ok(first) = parse(&mut cx, Language::Vmt, source, &file(text)) else {
        return;
    };
    let printed = print(&cx, &first.system);
    match parse(&mut cx, Language::Vmt, source, &file(&printed)) {
        // Long conjunctions may be grouped otherwise: the text is the same.
        Ok(second) => assert_eq!(
            print(&cx, &second.system),
            printed,
            "differs after a round trip"
        ),
        // Brackets that the printer adds may exceed the bound on nesting.
        Err(findings) => assert!(
            findings.iter().all(|finding| finding.id == "too-deep"),
            "{findings:?}\n{printed}"
        ),
    }
});
