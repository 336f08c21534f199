//! Any bytes as a Gamma model: no crash, and what is read has a step.
#![no_main]

use lariat_fuzz::read;
use lariat_system::{Context, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut cx = Context::new();
    let Some(model) = read(&mut cx, Language::Gamma, text) else {
        return;
    };
    assert!(!model.system.initial.is_empty(), "it starts");
    if let Some(chart) = &model.system.chart {
        assert!(
            !model.system.edges.row(chart.waiting).is_empty(),
            "it has a cycle"
        );
    }
});
