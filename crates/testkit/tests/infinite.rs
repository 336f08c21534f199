//! Random infinite models are read by their front ends, in every language, and every kind occurs with its twin.

use lariat_base::SourceMap;
use lariat_frontend::parse;
use lariat_system::Context;
use lariat_testkit::{Expected, random_infinite, rng};
use std::collections::BTreeSet;

#[test]
fn every_random_infinite_model_is_one() {
    let (mut kinds, mut answers, mut languages) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for seed in 0..1500 {
        let model = random_infinite(&mut rng(seed));
        let (mut cx, mut sources) = (Context::new(), SourceMap::new());
        let source = sources.add("random", &*model.text);
        if let Err(findings) = parse(&mut cx, model.language, source, sources.file(source)) {
            panic!("seed {seed}: {findings:?}\n{}", model.text);
        }
        kinds.insert(model.kind);
        answers.insert((model.kind, model.expected));
        languages.insert((model.kind, model.language.name()));
    }
    assert_eq!(answers.len(), 2 * kinds.len(), "each kind has its twin");
    let open: Vec<_> = answers
        .iter()
        .filter(|(_, is)| *is == Expected::Open)
        .collect();
    assert_eq!(open, [&("collatz", Expected::Open)]);
    // 18 machines in six languages, two with rational numbers in three, seven C programs.
    assert_eq!(languages.len(), 18 * 6 + 2 * 3 + 7);
}
