//! Steps of circuits that are cut in two: fewer states to list, the same answers.

use lariat_base::{Budget, SourceMap};
use lariat_check::Verdict;
use lariat_frontend::parse;
use lariat_system::{Context, Language};
use lariat_verify::{Asker, Model, Options, Task};
use std::fmt::Write as _;

/// Twelve inputs, of which one latch remembers whether all are true; another one remembers that. Bad: both latches.
/// Justice: the first latch. In whole steps there are 2^12 states with 2^12 successors each.
fn circuit() -> String {
    let mut text = String::from("aag 26 12 2 0 12 1 0 1\n");
    for input in 1..=12 {
        let _ = writeln!(text, "{}", 2 * input);
    }
    // Latches 13 and 14, gates 15 to 26: the last of the first eleven gates is the conjunction of all inputs.
    text += "26 50\n28 26\n";
    text += "52\n1\n26\n";
    text += "30 2 4\n";
    for gate in 16..=25 {
        let _ = writeln!(text, "{} {} {}", 2 * gate, 2 * gate - 2, 2 * (gate - 13));
    }
    text + "52 26 28\n"
}

#[test]
fn many_inputs_are_few_half_steps() {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let text = circuit();
    let source = sources.add("inputs.aag", text);
    let parsed = parse(&mut cx, Language::Aiger, source, sources.file(source));
    let mut model = Model::single(parsed.expect("a circuit").system);
    let properties = Asker::new(&mut cx, &mut sources, &model).own(None);
    for property in properties.expect("two properties") {
        let property = property.translated(&Budget::unlimited());
        let property = property.expect("it has an automaton");
        let mut options = Options::default();
        let mut task = Task {
            model: &mut model,
            property: &property,
        };
        let answer = task.check(&mut cx, &mut options);
        // Both latches are true after all inputs were true twice; all may be true for ever.
        assert!(
            matches!(answer.verdict, Verdict::Violated(_)),
            "{property:?}"
        );
    }
}
