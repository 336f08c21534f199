//! Complement, subtraction and emptiness against a naive oracle of words: random automata, random lasso words.

mod oracle;

use super::left::Left;
use super::ncsb::{AsBuchi, Ncsb};
use super::rank_based::RankBased;
use super::words::{Layer, Read};
use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::search::{EmptinessCheck as _, Scc};
use lariat_base::{Budget, Id as _};
use lariat_ltl::Rng;
use oracle::{Field, Parts, Table, Word, random_parts, random_table};

/// How many pairs of an automaton and a word each series has.
const N_PAIRS: u64 = 20_000;

/// Whether a layer accepts a word: its run over it has a cycle with the mark. Naive: all pairs of position and state.
fn layer_accepts<L: Layer<()>>(layer: &mut L, word: &Word, mark: MarkSetId) -> bool {
    let starts = layer.initial();
    let known = lariat_expr::TermId::from_index(0);
    word.has_marked_cycle(&starts, |state, letter| {
        let mut out = Vec::new();
        let read = Read { letter, known };
        layer
            .step(&mut (), *state, read, &mut out)
            .expect("nothing halts here");
        out.iter()
            .map(|step| (step.state, step.marks == mark))
            .collect()
    })
}

fn one_mark() -> MarkSetId {
    let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
    let mark = acceptance.add_buchi();
    sets.of([mark])
}

#[test]
fn the_complement_of_a_semi_deterministic_automaton_has_the_other_words() {
    let (mark, mut n_accepted) = (one_mark(), 0);
    for seed in 0..N_PAIRS {
        let mut rng = Rng::new(seed);
        let parts = random_parts(&mut rng, 5);
        let word = Word::random(&mut rng);
        let expected = parts.accepts(&word);
        n_accepted += u64::from(expected);
        let mut complement = Ncsb::new(parts, mark);
        let is_in = layer_accepts(&mut complement, &word, mark);
        assert_ne!(is_in, expected, "seed {seed}, {word:?}");
    }
    assert!(n_accepted > N_PAIRS / 10 && n_accepted < N_PAIRS / 10 * 9);
}

#[test]
fn the_complement_by_ranks_has_the_other_words() {
    let (mark, mut n_accepted) = (one_mark(), 0);
    for seed in 0..N_PAIRS {
        let mut rng = Rng::new(seed);
        let table = random_table(&mut rng, 3);
        let word = Word::random(&mut rng);
        let expected = table.accepts(&word);
        n_accepted += u64::from(expected);
        let mut complement = RankBased::new(table, mark);
        let is_in = layer_accepts(&mut complement, &word, mark);
        assert_ne!(is_in, expected, "seed {seed}, {word:?}");
    }
    assert!(n_accepted > N_PAIRS / 10 && n_accepted < N_PAIRS / 10 * 9);
}

#[test]
fn both_complements_of_a_semi_deterministic_automaton_are_the_same() {
    let mark = one_mark();
    for seed in 0..N_PAIRS / 10 {
        let mut rng = Rng::new(seed);
        let parts = random_parts(&mut rng, 2);
        let word = Word::random(&mut rng);
        let by_ranks = AsBuchi::new::<()>(parts.clone());
        let mut by_ranks = RankBased::new(by_ranks, mark);
        let is_in = layer_accepts(&mut by_ranks, &word, mark);
        assert_ne!(is_in, parts.accepts(&word), "seed {seed}, {word:?}");
    }
}

/// What is subtracted from a field.
enum Module {
    Parts(Parts),
    Table(Table),
}

impl Module {
    fn accepts(&self, word: &Word) -> bool {
        match self {
            Self::Parts(parts) => parts.accepts(word),
            Self::Table(table) => table.accepts(word),
        }
    }

    fn layer(&self, mark: MarkSetId) -> Box<dyn Layer<Field>> {
        match self {
            Self::Parts(parts) => Box::new(Ncsb::new(parts.clone(), mark)),
            Self::Table(table) => Box::new(RankBased::new(table.clone(), mark)),
        }
    }
}

/// Subtraction and emptiness: what is found is in the difference, and where nothing is found no word is.
#[test]
fn what_is_left_is_the_difference() {
    let (mut n_empty, mut n_pairs) = (0, 0);
    for seed in 0..N_PAIRS / 10 {
        let mut rng = Rng::new(seed);
        let field = Field::random(&mut rng);
        let mut left = Left::new(field.clone());
        let mut modules = Vec::new();
        for _ in 0..=rng.below(2) {
            let module = if rng.below(2) == 0 {
                Module::Parts(random_parts(&mut rng, 2))
            } else {
                Module::Table(random_table(&mut rng, 2))
            };
            let mark = left.world.add_mark();
            left.subtract(module.layer(mark));
            modules.push(module);
            // What an earlier search found dead stays dead.
            if rng.below(2) == 0 {
                let mut search = Scc::new();
                let found = search.search(&mut left, &Budget::unlimited());
                found.expect("nothing stops");
                left.settle(|node| search.is_dead(node));
            }
        }
        let found = Scc::new().search(&mut left, &Budget::unlimited());
        let in_difference =
            |word: &Word| field.accepts(word) && modules.iter().all(|module| !module.accepts(word));
        match found.expect("nothing stops") {
            Some(lasso) => {
                let letters = |steps: Vec<(_, _)>| steps.into_iter().map(|step| step.1).collect();
                let word = Word {
                    stem: letters(left.path(&lasso.stem)),
                    cycle: letters(left.hops(&lasso.cycle)),
                };
                assert!(in_difference(&word), "seed {seed}: {word:?}");
                n_pairs += 1;
            }
            None => {
                n_empty += 1;
                for _ in 0..60 {
                    let word = Word::random(&mut rng);
                    assert!(!in_difference(&word), "seed {seed}: {word:?}");
                    n_pairs += 1;
                }
            }
        }
    }
    assert!(n_empty > 300, "{n_empty} differences are empty");
    assert!(n_pairs > N_PAIRS, "{n_pairs} words");
}
