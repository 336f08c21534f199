//! Fairness through the whole pipeline: no pass may lose what tells fair runs. Random programs and formulas against the
//! naive twin on the model as given, with all passes.

use lariat_base::Budget;
use lariat_check::{CegarConfig, Engine, ExplicitConfig, Verdict};
use lariat_expr::TermId;
use lariat_ltl::{
    Acceptance, ApId, Effort, Formulas, Operators, TranslateConfig, random_formula, translate,
};
use lariat_system::{Context, Fairness, System};
use lariat_testkit::{
    Rng, StateSpace, naive_accepts, naive_fair_accepts, random_program, random_question, rng,
};
use lariat_verify::{Atom, Claim, Model, Options, Property, Task};
use rand::Rng as _;
use std::sync::Arc;
use std::time::Duration;

const N_PROGRAMS: u64 = 120;
const MAX_STATES: usize = 300;
const TIME: Duration = Duration::from_secs(2);

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    violated: usize,
    /// Those with a counterexample, none of which is fair.
    differ: usize,
    undecided: usize,
}

#[test]
fn passes_keep_fairness() {
    let mut tally = Tally::default();
    for seed in 0..N_PROGRAMS {
        let mut random = rng(seed);
        let n_locations = random.random_range(2..6);
        let (mut cx, mut system) = random_program(&mut random, n_locations);
        system.fairness = random_fairness(&mut cx, &system, &mut random);
        let Some(space) = StateSpace::explore(&mut cx, &mut system, MAX_STATES) else {
            continue;
        };
        let (property, atoms) = random_property(&mut cx, &system, &mut random);
        let Claim::Temporal { automaton, .. } = &property.claim else {
            panic!("it is temporal");
        };
        let letters = space.letters(&cx, &system, &atoms);
        let fairness = space.fairness(&cx, &system);
        let expected = naive_fair_accepts(&space, &letters, automaton, &fairness);
        tally.compared += 1;
        tally.violated += usize::from(expected);
        tally.differ += usize::from(!expected && naive_accepts(&space, &letters, automaton));
        let engines: [Arc<dyn Engine>; 2] = [
            Arc::new(ExplicitConfig::default()),
            Arc::new(CegarConfig::default()),
        ];
        for engine in engines {
            let what = format!("seed {seed}, {engine:?}");
            let mut options = Options {
                engine: Some(engine),
                budget: Budget::unlimited().with_time(TIME),
                ..Options::default()
            };
            let mut model = Model::single(system.clone());
            let mut task = Task {
                model: &mut model,
                property: &property,
            };
            let answer = task.check(&mut cx, &mut options);
            match answer.verdict {
                Verdict::Holds => assert!(!expected, "{what} says holds"),
                // It was replayed and found to be fair.
                Verdict::Violated(_) => assert!(expected, "{what} says violated"),
                Verdict::Unknown(_) => tally.undecided += 1,
            }
        }
    }
    assert!(tally.differ > 3 && tally.violated > 10, "{tally:?}");
    assert!(tally.undecided * 4 < tally.compared, "{tally:?}");
}

fn random_fairness(cx: &mut Context, system: &System, random: &mut Rng) -> Vec<Fairness> {
    let mut conditions = || random_question(cx, system, random, 2).atoms;
    let mut fairness = Vec::new();
    fairness.extend(conditions().into_iter().map(Fairness::Justice).take(1));
    if let &[request, response] = &conditions()[..] {
        fairness.push(Fairness::Compassion(request, response));
    }
    fairness
}

/// A formula over two atoms, with the atoms of its automaton.
fn random_property(cx: &mut Context, system: &System, random: &mut Rng) -> (Property, Vec<TermId>) {
    let mut known = Vec::new();
    while known.len() < 2 {
        known.extend(random_question(cx, system, random, 2).atoms);
    }
    let mut formulas = Formulas::new();
    let names: Vec<ApId> = (0..2).map(|i| formulas.ap_id(&format!("p{i}"))).collect();
    let mut letters = lariat_ltl::Rng::new(random.random());
    let formula = random_formula(&mut formulas, &mut letters, &names, 5, Operators::Future);
    let negated = formulas.not(formula);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let automaton = translate(&mut formulas, negated, &config, &Budget::unlimited());
    let automaton = automaton.expect("a small formula has a small automaton");
    let position = |ap: &ApId| names.iter().position(|name| name == ap);
    let positions = automaton.aps().iter().filter_map(position);
    let atoms: Vec<TermId> = positions.map(|i| known[i]).collect();
    let property = Property {
        name: String::new(),
        text: String::new(),
        atom_names: vec![String::new(); atoms.len()],
        claim: Claim::Temporal {
            automaton: Arc::new(automaton),
            atoms: atoms.iter().map(|&atom| Atom::Term(atom)).collect(),
            formula: Some((Arc::new(formulas), formula)),
        },
    };
    (property, atoms)
}
