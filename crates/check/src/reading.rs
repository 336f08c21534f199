//! How the automaton reads a counterexample: a run of it that accepts the word and closes where the word does, for showing
//! to a person.
//!
//! A word that ends in a loop may be accepted only by runs that are in other states after each of the first rounds. A
//! lasso of the product of model and automaton has none of these, and such a run is looked for: letter by letter all states that
//! can be reached, and from each after the stem those after one round, with the acceptance sets that were met.

use lariat_base::FxHashSet;
use lariat_ltl::{Automaton, LassoWord, StateId};
use std::hash::Hash;

/// So many states of all letters are looked at.
const MAX_STATES: usize = 1 << 20;

/// The state of the automaton after each letter of the stem and of one round of the cycle, on a run that is accepting if
/// that round repeats for ever: the states after the stem and after the round are the same. Nothing if there is none.
pub fn accepting_run(automaton: &Automaton, word: &LassoWord) -> Option<Vec<StateId>> {
    let stem = layers(automaton.initial(), word.stem(), |from, letter, out| {
        out.extend(moves(automaton, from, letter).map(|(to, _)| to));
    })?;
    let all_sets = (0..automaton.n_sets()).fold(0u64, |all, set| all | 1 << set);
    for (at, &(honda, _)) in stem.last()?.iter().enumerate() {
        let round = layers((honda, 0u64), word.cycle(), |(from, met), letter, out| {
            out.extend(moves(automaton, from, letter).map(|(to, sets)| (to, met | sets)));
        })?;
        let is_end = |&(end, _): &((StateId, u64), usize)| end == (honda, all_sets);
        if let Some(end) = round.last()?.iter().position(is_end) {
            let mut run = way_to(&stem, at);
            run.extend(way_to(&round, end).into_iter().map(|(state, _)| state));
            return Some(run);
        }
    }
    None
}

/// The edges that read a letter: where they lead, and the acceptance sets they are in.
fn moves(
    automaton: &Automaton,
    from: StateId,
    letter: u64,
) -> impl Iterator<Item = (StateId, u64)> + '_ {
    let edges = automaton.edges(from).iter();
    let taken = edges.filter(move |edge| automaton.holds(edge.label, letter));
    taken.map(|edge| (edge.target, edge.marks))
}

/// What can be reached before any letter, after the first, …; each with its place in the layer before.
type Layers<T> = Vec<Vec<(T, usize)>>;

/// The layers of some letters; nothing if they are too large.
fn layers<T: Copy + Eq + Hash>(
    start: T,
    letters: &[u64],
    moves: impl Fn(T, u64, &mut Vec<T>),
) -> Option<Layers<T>> {
    let mut layers = vec![vec![(start, 0)]];
    let (mut seen, mut found, mut total) = (FxHashSet::default(), Vec::new(), 1);
    for &letter in letters {
        let mut next = Vec::new();
        seen.clear();
        for (at, &(from, _)) in layers.last()?.iter().enumerate() {
            found.clear();
            moves(from, letter, &mut found);
            next.extend(
                found
                    .iter()
                    .filter(|to| seen.insert(**to))
                    .map(|&to| (to, at)),
            );
        }
        total += next.len();
        if total > MAX_STATES {
            return None;
        }
        layers.push(next);
    }
    Some(layers)
}

/// One way to a member of the last layer, without its start.
fn way_to<T: Copy>(layers: &Layers<T>, mut at: usize) -> Vec<T> {
    let mut way = Vec::new();
    for layer in layers[1..].iter().rev() {
        let (here, before) = layer[at];
        way.push(here);
        at = before;
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::accepting_run;
    use lariat_base::Budget;
    use lariat_ltl::{
        Acceptance, Automaton, Effort, Formulas, LassoWord, Operators, Rng, StateId,
        TranslateConfig, random_formula, random_word, satisfies, translate,
    };

    /// Whether the run is one of the automaton on the word, closes, and meets every acceptance set in its round.
    fn is_accepting(automaton: &Automaton, word: &LassoWord, run: &[StateId]) -> bool {
        let n_stem = word.stem().len();
        let before = |at: usize| at.checked_sub(1).map_or(automaton.initial(), |at| run[at]);
        let mut met = 0u64;
        for (at, &state) in run.iter().enumerate() {
            let edges = automaton.edges(before(at)).iter();
            let taken = edges.filter(|edge| {
                edge.target == state && automaton.holds(edge.label, word.letter(at))
            });
            let sets: Vec<u64> = taken.map(|edge| edge.marks).collect();
            if sets.is_empty() {
                return false;
            }
            if at >= n_stem {
                met |= sets.iter().fold(0, |all, set| all | set);
            }
        }
        let n_letters = n_stem + word.cycle().len();
        let closes = run.last() == Some(&before(n_stem)) && run.len() == n_letters;
        closes && met.count_ones() == automaton.n_sets()
    }

    /// The word over the atoms of an automaton: bits of letters are in their order.
    fn for_automaton(automaton: &Automaton, word: &LassoWord) -> LassoWord {
        let bit = |ap| word.aps().iter().position(|own| own == ap);
        let bits: Vec<usize> = automaton.aps().iter().filter_map(bit).collect();
        let letter = |letter: &u64| {
            let new = bits.iter().enumerate();
            new.fold(0, |new, (at, bit)| new | (letter >> bit & 1) << at)
        };
        let [stem, cycle] =
            [word.stem(), word.cycle()].map(|part| part.iter().map(letter).collect());
        LassoWord::new(automaton.aps().to_vec(), stem, cycle).expect("the cycle is not empty")
    }

    /// The word with its cycle repeated in the stem and in itself.
    fn unrolled(word: &LassoWord, more: usize, rounds: usize) -> LassoWord {
        let stem = [word.stem(), &word.cycle().repeat(more)].concat();
        let cycle = word.cycle().repeat(rounds);
        LassoWord::new(word.aps().to_vec(), stem, cycle).expect("the cycle is not empty")
    }

    #[test]
    fn runs_of_the_automaton_close_and_accept() {
        let mut n_found = 0;
        for seed in 0..400 {
            let (mut rng, mut formulas) = (Rng::new(seed), Formulas::new());
            let aps = ["a", "b"].map(|name| formulas.ap_id(name));
            let formula = random_formula(&mut formulas, &mut rng, &aps, 6, Operators::Future);
            let word = random_word(&mut rng, &aps);
            let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
            let automaton = translate(&mut formulas, formula, &config, &Budget::unlimited());
            let Ok(automaton) = automaton else { continue };
            let is_model = satisfies(&formulas, &word, formula);
            let word = for_automaton(&automaton, &word);
            let limit = automaton.n_states().min(6);
            let tries = (0..=limit).flat_map(|more| (1..=limit).map(move |n| (more, n)));
            let found = tries.into_iter().find_map(|(more, n)| {
                let word = unrolled(&word, more, n);
                accepting_run(&automaton, &word).map(|run| (word, run))
            });
            assert!(found.is_none() || is_model, "seed {seed}: no accepted word");
            assert!(
                found.is_some() || !is_model || automaton.n_states() > limit,
                "seed {seed}: a run comes back after as many rounds as there are states"
            );
            if let Some((word, run)) = found {
                assert!(
                    is_accepting(&automaton, &word, &run),
                    "seed {seed}: {run:?}"
                );
                n_found += 1;
            }
        }
        assert!(n_found > 100, "{n_found} words were accepted");
    }
}
