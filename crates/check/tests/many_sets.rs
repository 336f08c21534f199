//! Properties given as HOA automata with as many acceptance sets as the reader of HOA admits.

use lariat_base::{Budget, Id, SourceId};
use lariat_check::{
    CegarConfig, ExplicitConfig, ExplicitStats, Goal, Problem, Search, Verdict, check_cegar,
    check_explicit,
};
use lariat_ltl::{Automaton, Formulas, HoaError, read_hoa};
use lariat_smt::Z3;
use lariat_system::{Context, Edge, Language, Location, SystemBuilder, TransitionSystem};
use std::sync::Arc;

/// One state that reads any letter; its loop belongs to `present` of `n_sets` sets.
fn automaton(n_sets: usize, present: std::ops::Range<usize>) -> Result<Automaton, HoaError> {
    let condition: Vec<String> = (0..n_sets).map(|set| format!("&Inf({set})")).collect();
    let present: Vec<String> = present.map(|set| set.to_string()).collect();
    let text = format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: {n_sets} t{}\n--BODY--\n\
         State: 0\n[t] 0 {{{}}}\n--END--\n",
        condition.concat(),
        present.join(" ")
    );
    let mut stream = read_hoa(SourceId::from_index(0), &text);
    assert!(stream.diagnostics.is_empty(), "{:?}", stream.diagnostics);
    stream.automata.remove(0).to_buchi(&mut Formulas::new())
}

/// A system that does nothing, for ever.
fn idle(cx: &mut Context) -> Box<dyn TransitionSystem> {
    let mut builder = SystemBuilder::new(Language::Cfa, "idle");
    let here = builder.location(Location::new("here"));
    let stay = Edge::new(cx.stmts.skip(), here);
    builder.start(stay);
    builder.edge(here, stay);
    Box::new(builder.finish(cx))
}

/// What both engines say, with every search.
fn verdicts(automaton: Automaton) -> Vec<&'static str> {
    let mut cx = Context::new();
    let mut problem = Problem {
        system: idle(&mut cx),
        goal: Goal::Accept {
            automaton: Arc::new(automaton),
            atoms: Vec::new(),
            formula: None,
        },
    };
    let word = |verdict: Verdict| match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    };
    let budget = Budget::unlimited();
    let mut words = Vec::new();
    for search in Search::LASSO {
        let config = ExplicitConfig {
            search: Some(search),
            ..ExplicitConfig::default()
        };
        let mut stats = ExplicitStats::default();
        let verdict = check_explicit(&mut cx, &mut problem, &config, &budget, &mut stats);
        words.push(word(verdict));
        let config = CegarConfig {
            search,
            ..CegarConfig::default()
        };
        let solver = Box::new(Z3::default());
        let checked = check_cegar(&mut cx, &mut problem, &config, solver, &budget, &mut |_| {});
        words.push(word(checked.verdict));
    }
    words
}

#[test]
fn engines_agree_on_sixty_four_sets() {
    for n_sets in [0, 1, 2, 63, 64] {
        let all = automaton(n_sets, 0..n_sets).expect("at most 64 sets");
        let words = verdicts(all);
        assert!(
            words.iter().all(|word| *word == "violated"),
            "{n_sets}: {words:?}"
        );
        if n_sets > 0 {
            for present in [0..n_sets - 1, 1..n_sets] {
                let one_short = automaton(n_sets, present).expect("at most 64 sets");
                let words = verdicts(one_short);
                assert!(
                    words.iter().all(|word| *word == "holds"),
                    "{n_sets}: {words:?}"
                );
            }
        }
    }
}

#[test]
fn a_hundred_sets_are_refused_with_a_reason() {
    let refused = automaton(100, 0..100).expect_err("more than 64 sets");
    assert_eq!(
        refused.to_string(),
        "the acceptance condition needs more than 64 Büchi sets"
    );
}
