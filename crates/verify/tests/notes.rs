//! What is noted beside "holds" is true: compared with the naive list of all states, on random models of every language.

use lariat_base::{Budget, SourceMap};
use lariat_check::Verdict;
use lariat_frontend::parse;
use lariat_ltl::{
    Acceptance, ApId, Automaton, Effort, FormulaId, Formulas, Operators, PlainNames, Syntax,
    TranslateConfig, parse_formula, random_formula, translate,
};
use lariat_system::{Context, Language, TransitionSystem as _};
use lariat_testkit::{ModelGen, StateSpace, naive_accepts, random_atom, rng};
use lariat_verify::{Atom, Claim, Model, Note, Options, Property, Task, Vacuity};
use rand::Rng as _;
use std::collections::BTreeMap;
use std::sync::Arc;

const N_MODELS: u64 = 60;
const MAX_STATES: usize = 300;
const N_ATOMS: usize = 3;

fn automaton(formulas: &mut Formulas, formula: FormulaId) -> Automaton {
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    translate(formulas, formula, &config, &Budget::unlimited()).expect("it is small")
}

/// A model with what its states say about the atoms `p0`, `p1`, ….
struct Subject {
    space: StateSpace,
    /// The truth of all atoms in each state.
    letters: Vec<u64>,
}

impl Subject {
    /// Whether some run satisfies a formula.
    fn some_run(&self, formulas: &mut Formulas, formula: FormulaId) -> bool {
        let automaton = automaton(formulas, formula);
        let positions = automaton.aps().iter().map(|&ap| position(formulas, ap));
        let positions: Vec<usize> = positions.collect();
        let letters = self.letters.iter().map(|letter| {
            let bits = positions.iter().enumerate();
            bits.map(|(i, at)| (letter >> at & 1) << i).sum()
        });
        naive_accepts(&self.space, &letters.collect::<Vec<u64>>(), &automaton)
    }

    /// The truth of an atom in all observed states.
    fn truths(&self, atom: usize) -> Vec<bool> {
        let steps = self.space.steps.iter().flatten();
        let entered = self.space.initial.iter().chain(steps);
        let observed = entered.filter(|(_, observed)| *observed);
        observed
            .map(|&(state, _)| self.letters[state] >> atom & 1 == 1)
            .collect()
    }

    /// Panics unless a note is true.
    fn confirm(&self, note: &Note, formulas: &mut Formulas, formula: FormulaId, told: &str) {
        let about = note.about.clone().unwrap_or_default();
        let atom = about
            .strip_prefix('p')
            .and_then(|n| n.parse::<usize>().ok());
        let is_true = match (note.id, atom) {
            ("no-run", _) => self.space.initial.is_empty(),
            ("no-infinite-run", _) => {
                let any = formulas.tt();
                !self.some_run(formulas, any)
            }
            ("stuck-runs", _) => {
                let state = note.state.as_ref().expect("it is shown");
                let at = self.space.states.iter().position(|other| other == state);
                self.space.steps[at.expect("it can be reached")].is_empty()
            }
            ("never-true", Some(atom)) => !self.truths(atom).contains(&true),
            ("always-true", Some(atom)) => !self.truths(atom).contains(&false),
            // At the start at least: below `G` the engine was asked for more than is looked at here.
            ("never-true", None) => {
                let part = read(formulas, &about);
                !self.some_run(formulas, part)
            }
            ("does-not-matter", _) => {
                let stronger = note.text.split('`').nth(3).expect("it is quoted");
                let stronger = read(formulas, stronger);
                let (not_stronger, not) = (formulas.not(stronger), formulas.not(formula));
                // It holds, and nothing satisfies it and violates the formula.
                let both = formulas.and(stronger, not);
                !self.some_run(formulas, not_stronger) && automaton(formulas, both).n_edges() == 0
            }
            ("true-formula", _) => {
                let not = formulas.not(formula);
                !self.some_run(formulas, not)
            }
            other => panic!("an unknown note: {other:?}"),
        };
        assert!(is_true, "{note:?}\n{told}");
    }
}

fn position(formulas: &Formulas, ap: ApId) -> usize {
    formulas.ap_name(ap)[1..]
        .parse()
        .expect("atoms have numbers")
}

fn read(formulas: &mut Formulas, text: &str) -> FormulaId {
    let mut sources = SourceMap::new();
    let source = sources.add("note", text);
    let parsed = parse_formula(formulas, source, text, Syntax::Spot, &mut PlainNames);
    parsed.expect("a note shows a formula").formula
}

#[test]
fn every_note_is_true() {
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    for language in Language::ALL {
        for seed in 0..N_MODELS {
            let mut random = rng(seed);
            let mut cx = Context::new();
            let text = ModelGen::default().model(language, &mut random);
            let mut sources = SourceMap::new();
            let source = sources.add("random", &*text);
            let parsed = parse(&mut cx, language, source, sources.file(source));
            let mut model = Model::single(parsed.expect("random models are models").system);
            let Some(space) = StateSpace::explore(&mut cx, &mut model, MAX_STATES) else {
                continue;
            };
            let terms: Vec<_> = (0..N_ATOMS)
                .map(|_| random_atom(&mut cx, model.variables(), &mut random))
                .collect();
            let letters = space.letters(&cx, &model, &terms);
            let subject = Subject { space, letters };
            let mut formulas = Formulas::new();
            let names: Vec<ApId> = (0..N_ATOMS)
                .map(|i| formulas.ap_id(&format!("p{i}")))
                .collect();
            let mut dice = lariat_ltl::Rng::new(random.random());
            let formula = random_formula(&mut formulas, &mut dice, &names, 7, Operators::Future);
            let negated = formulas.not(formula);
            let bad = automaton(&mut formulas, negated);
            let atoms = bad
                .aps()
                .iter()
                .map(|&ap| Atom::Term(terms[position(&formulas, ap)]));
            let property = Property {
                name: String::new(),
                text: String::new(),
                claim: Claim::Temporal {
                    atoms: atoms.collect(),
                    automaton: Arc::new(bad),
                    formula: Some((Arc::new(formulas.clone()), formula)),
                },
                atom_names: Vec::new(),
            };
            let mut task = Task {
                model: &mut model,
                property: &property,
            };
            let vacuity = [Vacuity::Quick, Vacuity::Full][usize::from(seed % 3 == 0)];
            let mut options = Options {
                vacuity,
                budget: Budget::unlimited().with_time(std::time::Duration::from_secs(2)),
                ..Options::default()
            };
            let answer = task.check(&mut cx, &mut options);
            assert!(answer.notes.is_empty() || matches!(answer.verdict, Verdict::Holds));
            for note in &answer.notes {
                let told = format!("{language:?} seed {seed}\n{text}");
                subject.confirm(note, &mut formulas, formula, &told);
                *seen.entry(note.id).or_default() += 1;
            }
        }
    }
    for id in [
        "no-infinite-run",
        "stuck-runs",
        "never-true",
        "always-true",
        "does-not-matter",
    ] {
        assert!(seen.get(id).is_some_and(|&n| n > 2), "{id}: {seen:?}");
    }
}
