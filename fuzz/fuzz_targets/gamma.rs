//! Any bytes as a Gamma model: no crash, and what is read has a step.
#![no_main]

use lariat_base::{Id, SourceFile, SourceId};
use lariat_frontend::parse;
use lariat_system::{Context, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let file = SourceFile {
        name: "fuzz".into(),
        text: text.into(),
        pieces: Vec::new(),
    };
    let mut cx = Context::new();
    let Ok(read) = parse(&mut cx, Language::Gamma, SourceId::from_index(0), &file) else {
        return;
    };
    assert!(!read.system.initial.is_empty(), "it starts");
    if let Some(chart) = &read.system.chart {
        assert!(!read.system.edges.row(chart.waiting).is_empty(), "it has a cycle");
    }
});
