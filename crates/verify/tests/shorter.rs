//! Shorter counterexamples: on random models of every language the run that is shown is a run of the model as given, refutes the
//! property, and is not longer than the one that the engine found.

use lariat_base::SourceMap;
use lariat_check::{
    Counterexample, ExplicitConfig, Search, Shorten, Verdict, lasso_letters, letter,
};
use lariat_expr::TermId;
use lariat_frontend::parse;
use lariat_ltl::LassoWord;
use lariat_system::{Context, Language, TransitionSystem as _, repeats_for_ever};
use lariat_testkit::{ModelGen, RandomQuestion, random_atom, random_question, rng};
use lariat_verify::{Atom, Claim, Model, Options, Property, Task};
use std::sync::Arc;

/// Models of each language.
const N_MODELS: u64 = 120;
/// Larger models are left out.
const MAX_STATES: usize = 2_000;

/// A model with a property of which a run may be asked.
struct Case {
    cx: Context,
    model: Model,
    property: Property,
}

impl Case {
    fn new(language: Language, seed: u64, is_temporal: bool) -> Self {
        let random = &mut rng(seed);
        let mut cx = Context::new();
        let text = ModelGen::default().model(language, random);
        let mut sources = SourceMap::new();
        let source = sources.add("model", &text);
        let parsed = parse(&mut cx, language, source, sources.file(source));
        let system = parsed
            .unwrap_or_else(|why| panic!("seed {seed}: {why:?}"))
            .system;
        let claim = if is_temporal {
            let question = random_question(&mut cx, &system, random, 2);
            let RandomQuestion {
                automaton, atoms, ..
            } = question;
            Claim::Temporal {
                automaton: Arc::new(automaton),
                atoms: atoms.into_iter().map(Atom::Term).collect(),
                formula: None,
            }
        } else {
            let when = random_atom(&mut cx, system.variables(), random);
            Claim::Never {
                when: Some(Atom::Term(when)),
                at: Vec::new(),
            }
        };
        Self {
            cx,
            model: Model::single(system),
            property: Property {
                name: String::new(),
                text: String::new(),
                claim,
                atom_names: Vec::new(),
            },
        }
    }

    /// The run that is shown, if there is one.
    fn found(&mut self, search: Search, shorten: Shorten) -> Option<Counterexample> {
        let engine = ExplicitConfig {
            search: Some(search),
            max_states: Some(MAX_STATES),
            shorten: Shorten::Off,
            ..ExplicitConfig::default()
        };
        let mut options = Options {
            engine: Some(Arc::new(engine)),
            shorten,
            ..Options::default()
        };
        let mut task = Task {
            model: &mut self.model,
            property: &self.property,
        };
        match task.check(&mut self.cx, &mut options).verdict {
            Verdict::Violated(found) => Some(found),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }

    /// Panics unless this is a run of the model that refutes the property.
    fn judge(&mut self, found: &Counterexample, seed: u64) {
        let (cx, model) = (&self.cx, &mut self.model);
        match (found, &self.property.claim) {
            (Counterexample::Path(run), Claim::Never { .. }) => {
                let observed = run.replay(cx, model).expect("a run of the model");
                let state = &run.steps[run.steps.len() - 1].state;
                let bad = letter(cx, model.variables(), state, &self.property.terms());
                assert!(bad == 1 && observed[observed.len() - 1], "seed {seed}");
            }
            (Counterexample::Lasso(lasso), Claim::Temporal { automaton, .. }) => {
                let observed = lasso.run.replay(cx, model).expect("a run of the model");
                let atoms: Vec<TermId> = self.property.terms();
                repeats_for_ever(cx, model, lasso, &atoms).expect("a loop");
                let (stem, cycle) = lasso_letters(cx, model.variables(), lasso, &observed, &atoms);
                let word = LassoWord::new(automaton.aps().to_vec(), stem, cycle);
                assert!(automaton.accepts(&word.expect("a word")), "seed {seed}");
            }
            _ => panic!("seed {seed}: a run of another kind"),
        }
    }
}

#[test]
fn shortened_runs_are_runs_that_refute_and_are_not_longer() {
    let mut n_shorter = 0;
    for language in Language::ALL {
        for (is_temporal, search) in [(true, Search::Ndfs), (false, Search::Dfs)] {
            let mut n_found = 0;
            for seed in 0..N_MODELS {
                let mut case = Case::new(language, seed, is_temporal);
                let Some(long) = case.found(search, Shorten::Off) else {
                    continue;
                };
                let mut case = Case::new(language, seed, is_temporal);
                let short = case.found(search, Shorten::On);
                let short =
                    short.unwrap_or_else(|| panic!("{language:?}, seed {seed}: no verdict"));
                case.judge(&short, seed);
                let (n_long, n_short) = (long.n_steps(), short.n_steps());
                assert!(n_short <= n_long, "{language:?}, seed {seed}");
                n_found += 1;
                n_shorter += usize::from(n_short < n_long);
            }
            assert!(n_found >= 10, "{language:?}, {search}: {n_found} found");
        }
    }
    assert!(n_shorter >= 50, "{n_shorter} were made shorter");
}
