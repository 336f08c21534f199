//! Any bytes as Structured Text: no crash, and what is read can be run.
#![no_main]

use lariat_fuzz::read;
use lariat_system::{Context, Language, ScanEnd, Scanner};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut cx = Context::new();
    let Some(model) = read(&mut cx, Language::St, text) else {
        return;
    };
    let system = &model.system;
    let start = |var| {
        let mut variables = system.variables.iter();
        let variable = variables.find(|variable| variable.var == var);
        let initial = variable.and_then(|variable| variable.initial);
        let initial = initial.and_then(|term| cx.terms.as_lit(term));
        initial.expect("inputs have initial values").clone()
    };
    let mut scanner = Scanner::new(&cx, system);
    for _ in 0..3 {
        if scanner.scan(&mut |var| start(var)) != ScanEnd::Done {
            return;
        }
    }
});
