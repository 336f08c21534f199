//! Counterexamples come back to the model as given, whatever the passes left out on the way.

use lariat_base::SourceMap;
use lariat_check::{ExplicitConfig, Verdict};
use lariat_frontend::parse;
use lariat_ltl::{
    Acceptance, Effort, Formulas, PlainNames, Syntax, TranslateConfig, parse_formula, translate,
};
use lariat_system::{Context, Language};
use lariat_verify::{Atom, Claim, Model, Options, Property, Task};
use std::sync::Arc;

/// Whether a model violates an LTL formula about its Boolean variables, decided with all passes.
fn is_violated(language: Language, text: &str, formula: &str) -> bool {
    let mut cx = Context::new();
    let mut sources = SourceMap::new();
    let source = sources.add("model", text);
    let parsed = parse(&mut cx, language, source, sources.file(source)).expect("a model");
    let mut model = Model::single(parsed.system);
    let mut formulas = Formulas::new();
    let parsed = parse_formula(
        &mut formulas,
        source,
        formula,
        Syntax::Spot,
        &mut PlainNames,
    );
    let formula = parsed.expect("a formula").formula;
    let negated = formulas.not(formula);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let budget = lariat_base::Budget::unlimited();
    let automaton = translate(&mut formulas, negated, &config, &budget).expect("small");
    let bool_ = cx.terms.sorts.bool();
    let atoms = automaton.aps().iter().map(|&ap| {
        let var = cx.terms.declare(formulas.ap_name(ap), bool_);
        Atom::Term(cx.terms.var(var))
    });
    let atoms = atoms.collect();
    let property = Property {
        name: String::new(),
        text: String::new(),
        atom_names: Vec::new(),
        claim: Claim::Temporal {
            automaton: Arc::new(automaton),
            atoms,
            formula: Some((Arc::new(formulas), formula)),
        },
    };
    let mut options = Options {
        engine: Some(Arc::new(ExplicitConfig::default())),
        ..Options::default()
    };
    let mut task = Task {
        model: &mut model,
        property: &property,
    };
    match task.check(&mut cx, &mut options).verdict {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        Verdict::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn a_relation_about_what_does_not_matter_is_kept() {
    let text = "specification S { system s := {
        var b : bool  var c : bool  initial b  initial not c
        transition b' iff not b  transition c' iff not c
    } }";
    assert!(is_violated(Language::Sts, text, "G !c"));
    assert!(!is_violated(Language::Sts, text, "G F c"));
}

#[test]
fn a_relation_may_count_for_ever() {
    let text = "specification S { system s := {
        var x : int  var c : bool  initial x = 0  initial not c
        transition x' = x + 1  transition c' iff not c
    } }";
    assert!(is_violated(Language::Sts, text, "F G c"));
}
