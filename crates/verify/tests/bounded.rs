//! What bounded paths refute, and what they must not refute.

use lariat_base::{Budget, SourceMap};
use lariat_check::{BoundedConfig, Counterexample, Verdict};
use lariat_frontend::parse;
use lariat_system::{Context, Language, Lasso};
use lariat_verify::{Asker, Compose, Model, Options, Task};
use std::sync::Arc;
use std::time::Duration;

/// What an STS with these members does to a formula. Relations stay whole: the solver chooses their cases.
fn verdict(members: &str, formula: &str) -> Verdict {
    let text = format!("specification S {{ system s := {{ {members} }} }}");
    let (mut cx, mut sources) = (Context::new(), SourceMap::default());
    let file = sources.add("model", text.clone());
    let parsed = parse(&mut cx, Language::Sts, file, sources.file(file));
    let system = parsed
        .unwrap_or_else(|found| panic!("{text}: {found:?}"))
        .system;
    let model = Model::compose(&mut cx, vec![system], Compose::Interleave);
    let mut model = model.expect("one model agrees with itself");
    let property = Asker::new(&mut cx, &mut sources, &model).ltl(formula);
    let property = property.expect("it can be read");
    let property = property.translated(&Budget::unlimited());
    let property = property.expect("it has an automaton");
    let engine = BoundedConfig {
        max_steps: 10,
        ..BoundedConfig::default()
    };
    let mut options = Options {
        engine: Some(Arc::new(engine)),
        budget: Budget::unlimited().with_time(Duration::from_mins(1)),
        ..Options::default()
    };
    options.passes.relations = false;
    let mut task = Task {
        model: &mut model,
        property: &property,
    };
    task.check(&mut cx, &mut options).verdict
}

fn refuted(members: &str, formula: &str) -> Lasso {
    match verdict(members, formula) {
        Verdict::Violated(Counterexample::Lasso(lasso)) => lasso,
        other => panic!("{members}: {other:?}"),
    }
}

/// To and fro, farther each time: `x` has another sign in each step.
const SWING: &str = "var x : int  initial x >= 0
    transition x > 0 imply x' < -(x + 1)
    transition x <= 0 imply x' > -(x - 1)";

#[test]
fn relations_with_growing_inputs_are_refuted() {
    let lasso = refuted(SWING, "not G F x >= 0");
    assert!(!lasso.growth.is_none(), "{lasso:?}");
}

#[test]
fn a_state_that_comes_back_needs_no_growth() {
    let model = "var b : bool  var x : int  initial x = 0  transition b' iff not b
        transition x' = if b then x + 1 else x - 1";
    let lasso = refuted(model, "F G b");
    assert!(lasso.growth.is_none() && lasso.is_closed(), "{lasso:?}");
}

/// All of several things happen infinitely often: one loop has them all.
#[test]
fn loops_meet_all_marks() {
    let model = "var turn : int  var n : int  initial n = 0
        transition n' > n  transition turn' = 0 or turn' = 1 or turn' = 2";
    let lasso = refuted(
        model,
        "not ((G F turn = 0) and (G F turn = 1) and (G F turn = 2))",
    );
    assert!(lasso.run.steps.len() - lasso.honda > 3, "{lasso:?}");
}

/// The factor of each round is another number, so nothing grows by a rule.
#[test]
fn products_stay_in_a_region() {
    let model = "var x : int  initial x > 1  transition x' = x * x";
    let lasso = refuted(model, "F x < 2");
    assert!(!lasso.region.is_empty(), "{lasso:?}");
    assert!(lasso.inputs.iter().flatten().any(Option::is_some));
}

#[test]
fn what_holds_is_not_refuted() {
    let models = [
        (SWING, "G F x > 0"),
        ("var x : int  initial x > 0  transition x' < x", "F x < 0"),
        // It can go on for as long as it likes, but not for ever.
        (
            "var x : int  var n : int  initial x = 0
             transition n' = n  transition x' > x  invariant x < n",
            "false",
        ),
        (
            "var x : rat  initial x = 1 % 1  transition x' = x / (2 % 1)",
            "G x > 0 % 1",
        ),
    ];
    for (model, formula) in models {
        let found = verdict(model, formula);
        assert!(matches!(found, Verdict::Unknown(_)), "{model}: {found:?}");
    }
}
