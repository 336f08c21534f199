//! Any text as SMV: no crash. (What is printed of an SMV model is a CFA, so there is no round trip.)
#![no_main]

use lariat_base::{Id, SourceFile, SourceId};
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let file = SourceFile {
        name: "fuzz".into(),
        text: text.into(),
        pieces: Vec::new(),
    };
    let mut cx = Context::new();
    if let Ok(read) = parse(&mut cx, Language::Smv, SourceId::from_index(0), &file) {
        let _ = print(&cx, &read.system);
    }
});
