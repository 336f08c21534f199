//! Abstractions by predicates against all concrete states, on random models of every language: a bad run of the model is one of
//! its guarded commands over truth values, read again from their text; one of the must steps is one of the model; and each must
//! step can be taken by every concrete state of its class.

use lariat_base::{Budget, SourceMap};
use lariat_expr::{Evaluator, TermId};
use lariat_frontend::parse;
use lariat_smt::{Z3, Z3Config};
use lariat_system::{Context, Language, TransitionSystem as _, Valuation};
use lariat_testkit::{ModelGen, RandomQuestion, StateSpace, naive_accepts, random_question, rng};
use lariat_verify::Model;
use lariat_verify::boolean::{Named, Shown, StepKind};
use lariat_verify::pass::deadlock::{Deadlock, go_on_after_deadlock};
use std::time::Duration;

/// How many models of each language; the environment variable is for longer series.
const N_MODELS: u64 = 12;
const N_MODELS_VARIABLE: &str = "LARIAT_BOOLEAN_SEEDS";
const MAX_STATES: usize = 400;
const LANGUAGES: [Language; 4] = [Language::Gcl, Language::Xsts, Language::Cfa, Language::Sts];

#[derive(Default, Debug)]
struct Seen {
    compared: usize,
    /// Models with a bad run.
    bad: usize,
    /// Abstractions without a bad run.
    proved: usize,
    /// Must steps with a bad run.
    refuted: usize,
    must_steps: usize,
    exact: usize,
}

#[test]
fn what_holds_of_the_abstraction_holds_of_the_model() {
    let wanted = std::env::var(N_MODELS_VARIABLE).ok();
    let n = wanted.map_or(N_MODELS, |n| n.parse().expect("a number of models"));
    let mut seen = Seen::default();
    for language in LANGUAGES {
        for seed in 0..n {
            compare(language, seed, &mut seen);
        }
    }
    let least = N_MODELS as usize;
    assert!(
        seen.compared > least && seen.bad > 5 && seen.proved > 2 && seen.refuted > 2,
        "{seen:?}"
    );
    assert!(seen.must_steps > 50, "{seen:?}");
}

fn compare(language: Language, seed: u64, seen: &mut Seen) {
    let mut random = rng(seed);
    let mut cx = Context::new();
    let text = ModelGen::default().model(language, &mut random);
    let mut model = read(&mut cx, language, &text);
    let Some(space) = StateSpace::explore(&mut cx, &mut model, MAX_STATES) else {
        return;
    };
    let question = random_question(&mut cx, &model.systems[0], &mut random, 2);
    let RandomQuestion {
        automaton, atoms, ..
    } = &question;
    let is_bad = naive_accepts(&space, &space.letters(&cx, &model, atoms), automaton);
    let named = |(i, &term): (usize, &TermId)| Named {
        name: format!("p{i}"),
        term,
    };
    let predicates: Vec<Named> = atoms.iter().enumerate().map(named).collect();
    let budget = Budget::unlimited().with_time(Duration::from_secs(5));
    let solver = Box::new(Z3::new(Z3Config::default()));
    let Ok(shown) = Shown::new(&mut cx, &mut model, &predicates, solver, &budget) else {
        return;
    };
    seen.compared += 1;
    seen.bad += usize::from(is_bad);
    seen.exact += usize::from(shown.graph.is_exact());
    let told = || format!("{language:?} {seed}:\n{text}\n{:?}", shown.texts);
    let may = again(&mut cx, &shown, StepKind::May, &question);
    assert!(may || !is_bad, "a bad run is lost: {}", told());
    seen.proved += usize::from(!may);
    let must = again(&mut cx, &shown, StepKind::Must, &question);
    assert!(is_bad || !must, "a bad run is made up: {}", told());
    seen.refuted += usize::from(must);
    seen.must_steps += must_steps(&cx, &model, &space, &shown, &told);
}

/// A model as its text says, with what its language means for stuck runs.
fn read(cx: &mut Context, language: Language, text: &str) -> Model {
    let mut sources = SourceMap::new();
    let source = sources.add("random", text);
    let parsed = parse(cx, language, source, sources.file(source));
    let mut model = Model::single(
        parsed
            .unwrap_or_else(|why| panic!("{why:?}\n{text}"))
            .system,
    );
    if Deadlock::usual(&model) == Deadlock::Stutter {
        let system = &mut model.systems[0];
        let _ = go_on_after_deadlock(cx, system, Deadlock::Stutter).expect("guards can be read");
    }
    model
}

/// Whether the abstraction, written and read again, has a bad run.
fn again(cx: &mut Context, shown: &Shown, kind: StepKind, question: &RandomQuestion) -> bool {
    let text = shown.gcl(cx, kind);
    let mut own = Context::new();
    let mut sources = SourceMap::new();
    let source = sources.add("abstraction", &*text);
    let parsed = parse(&mut own, Language::Gcl, source, sources.file(source));
    let mut model = Model::single(
        parsed
            .unwrap_or_else(|why| panic!("{why:?}\n{text}"))
            .system,
    );
    if kind == StepKind::May {
        let system = &mut model.systems[0];
        let _ = go_on_after_deadlock(&mut own, system, Deadlock::Stutter).expect("guards are read");
    }
    let mut atoms = Vec::new();
    for &atom in &question.atoms {
        let negated = cx.terms.not(atom);
        let at = |term| {
            shown
                .graph
                .predicates
                .iter()
                .position(|&other| other == term)
        };
        let mut variable = |i: usize| {
            let mut variables = model.variables().iter();
            let named = variables.find(|v| own.terms.name(v.var) == shown.names[i]);
            let var = named.expect("each predicate is a variable").var;
            own.terms.var(var)
        };
        atoms.push(match (at(atom), at(negated), cx.terms.as_lit(atom)) {
            (Some(i), ..) => variable(i),
            (None, Some(i), _) => {
                let variable = variable(i);
                own.terms.not(variable)
            }
            (None, None, literal) => {
                let truth = literal.expect("only constants are left out").as_bool();
                own.terms.bool(truth)
            }
        });
    }
    let space = StateSpace::explore(&mut own, &mut model, 1 << 12).expect("there are few states");
    let letters = space.letters(&own, &model, &atoms);
    naive_accepts(&space, &letters, &question.automaton)
}

/// How many must steps there are, each compared with the concrete steps of every state of its class. Only where all
/// states are observed: elsewhere a step is several.
fn must_steps(
    cx: &Context,
    model: &Model,
    space: &StateSpace,
    shown: &Shown,
    told: &dyn Fn() -> String,
) -> usize {
    if space.steps.iter().flatten().any(|&(_, observed)| !observed) {
        return 0;
    }
    let truths = |i: usize| -> Vec<bool> {
        let mut env = Valuation::new();
        space.states[i].load(model.variables(), &mut env);
        let mut evaluator = Evaluator::new();
        let predicates = shown.graph.predicates.iter();
        let truth = |&term: &TermId| evaluator.eval(&cx.terms, term, &env);
        predicates
            .map(truth)
            .map(|value| value.expect("all variables have values").as_bool())
            .collect()
    };
    let class = |i: usize| (space.states[i].loc, truths(i));
    let mut n_compared = 0;
    for (state, steps) in space.steps.iter().enumerate() {
        let (loc, own) = class(state);
        for step in shown.graph.steps.iter().filter(|step| step.is_must) {
            let from = shown.graph.class(step.from);
            if (from.at, &from.truths) != (loc, &own) {
                continue;
            }
            let to = shown.graph.class(step.to);
            let has_it = steps
                .iter()
                .any(|&(next, _)| class(next) == (to.at, to.truths.clone()));
            assert!(has_it, "state {state} lacks {step:?}: {}", told());
            n_compared += 1;
        }
    }
    n_compared
}
