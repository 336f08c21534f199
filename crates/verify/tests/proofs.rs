//! A proof reaches the answer, with the model that it speaks of.

use lariat_base::{Budget, SourceMap};
use lariat_check::{CegarConfig, Engine, ExplicitConfig, Proof};
use lariat_frontend::parse;
use lariat_system::{Context, Language, System, TransitionSystem as _};
use lariat_verify::{Answer, Asker, Compose, Model, Options, Task};
use std::sync::Arc;

/// Two counters with a common variable, which they never move at once.
const COUNTERS: [&str; 2] = [
    "var x : integer = 0\nvar go : boolean = true\n\
     trans { assume go; x := (x + 1) % 4; go := false; }\ninit {}\nenv {}\nprop { true }",
    "var y : integer = 0\nvar go : boolean = true\n\
     trans { assume !go; y := (y + 1) % 4; go := true; }\ninit {}\nenv {}\nprop { true }",
];

fn ask(engine: Arc<dyn Engine>, formula: &str) -> Answer {
    let (mut cx, mut sources) = (Context::new(), SourceMap::default());
    let systems: Vec<System> = COUNTERS
        .iter()
        .map(|text| {
            let file = sources.add("counter", (*text).to_owned());
            let parsed = parse(&mut cx, Language::Xsts, file, sources.file(file));
            parsed.unwrap_or_else(|found| panic!("{found:?}")).system
        })
        .collect();
    let model = Model::compose(&mut cx, systems, Compose::Interleave);
    let mut model = model.expect("they agree about `go`");
    let property = Asker::new(&mut cx, &mut sources, &model).ltl(formula);
    let property = property.expect("it can be read");
    let property = property.translated(&Budget::unlimited());
    let property = property.expect("it has an automaton");
    let mut options = Options {
        engine: Some(engine),
        ..Options::default()
    };
    Task {
        model: &mut model,
        property: &property,
    }
    .check(&mut cx, &mut options)
}

#[test]
fn an_abstract_state_graph_speaks_of_the_prepared_model() {
    let answer = ask(Arc::new(CegarConfig::default()), "G (x <= 3)");
    let mut proved = answer.proof.expect("the property holds");
    let Proof::Graph(graph) = &proved.proof else {
        panic!("abstraction refinement proves by a graph");
    };
    assert!(graph.nodes.len() > 4 && !graph.initial.is_empty());
    for arc in &graph.initial {
        let edge = proved.model.initial()[arc.edge as usize];
        assert_eq!(edge.target, graph.nodes[arc.target].location);
    }
    for (node, row) in graph.arcs.rows() {
        let edges = proved.model.edges(graph.nodes[node].location);
        for arc in row {
            let target = graph.nodes[arc.target].location;
            assert_eq!(edges[arc.edge as usize].target, target);
        }
    }
    let sorts = graph
        .nodes
        .iter()
        .map(|node| proved.cx.terms.sort(node.formula));
    let bool_ = proved.cx.terms.sorts.bool();
    assert!(sorts.into_iter().all(|sort| sort == bool_));
}

#[test]
fn what_does_not_hold_has_no_proof() {
    let answer = ask(Arc::new(CegarConfig::default()), "G (x < 3)");
    assert!(answer.proof.is_none());
}

#[test]
fn explicit_states_are_counted() {
    let answer = ask(Arc::new(ExplicitConfig::default()), "G (x <= 3)");
    let proof = answer.proof.map(|proved| proved.proof);
    assert!(
        matches!(proof, Some(Proof::States(n)) if n > 4),
        "{proof:?}"
    );
}
