//! Any bytes as SCXML: no crash, and what is read can be played.
#![no_main]

use lariat_fuzz::read;
use lariat_system::{Context, Language, MacrostepEnd, Player};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut cx = Context::new();
    let Some(model) = read(&mut cx, Language::Scxml, text) else {
        return;
    };
    let chart = model.system.chart.clone().expect("a chart was read");
    let (mut player, _) = Player::start(&cx, &model.system).expect("it starts");
    for &event in chart.environment.iter().take(5) {
        let Some(step) = player.send(event) else {
            return;
        };
        if step.end != MacrostepEnd::Waiting {
            return;
        }
        assert!(!player.configuration().is_empty(), "some state is active");
    }
});
