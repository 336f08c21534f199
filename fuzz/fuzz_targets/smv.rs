//! Any text as SMV: no crash. (What is printed of an SMV model is a CFA, so there is no round trip.)
#![no_main]

use lariat_frontend::print;
use lariat_fuzz::read;
use lariat_system::{Context, Language};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut cx = Context::new();
    if let Some(model) = read(&mut cx, Language::Smv, text) {
        let _ = print(&cx, &model.system);
    }
});
