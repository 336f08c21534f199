//! Any bytes as Aiger: no crash, and what is read prints and reads back the same.
#![no_main]

use lariat_base::{Id, SourceFile, SourceId};
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // One character for each byte, as files are read.
    let text: String = bytes.iter().copied().map(char::from).collect();
    let text = &*text;
    let file = |text: &str| SourceFile {
        name: "fuzz".into(),
        text: text.into(),
        pieces: Vec::new(),
    };
    let source = SourceId::from_index(0);
    let mut cx = Context::new();
    let Ok(first) = parse(&mut cx, Language::Aiger, source, &file(text)) else {
        return;
    };
    let printed = print(&cx, &first.system);
    match parse(&mut cx, Language::Aiger, source, &file(&printed)) {
        Ok(second) => assert!(
            first.system.same(&second.system, &cx),
            "differs after a round trip:\n{printed}"
        ),
        // Brackets that the printer adds may exceed the bound on nesting.
        Err(findings) => assert!(
            findings.iter().all(|finding| finding.id == "too-deep"),
            "{findings:?}\n{printed}"
        ),
    }
});
