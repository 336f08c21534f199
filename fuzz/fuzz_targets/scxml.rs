//! Any bytes as SCXML: no crash, and what is read can be played.
#![no_main]

use lariat_base::{Id, SourceFile, SourceId};
use lariat_frontend::parse;
use lariat_system::{Context, Language, MacrostepEnd, Player};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let file = SourceFile {
        name: "fuzz".into(),
        text: text.into(),
        pieces: Vec::new(),
    };
    let mut cx = Context::new();
    let Ok(read) = parse(&mut cx, Language::Scxml, SourceId::from_index(0), &file) else {
        return;
    };
    let chart = read.system.chart.clone().expect("a chart was read");
    let (mut player, _) = Player::start(&cx, &read.system).expect("it starts");
    for &event in chart.environment.iter().take(5) {
        let Some(step) = player.send(event) else { return };
        if step.end != MacrostepEnd::Waiting {
            return;
        }
        assert!(!player.configuration().is_empty(), "some state is active");
    }
});
