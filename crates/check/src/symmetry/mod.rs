//! Symmetry: copies of something that a system and a property treat alike.
//!
//! A *permutation* of copies exchanges their variables, the literals of enumerations that name them, and the models of a
//! composition that run them. It is a *symmetry* of a problem if it maps
//! 1. the initial states onto the initial states,
//! 2. the steps onto the steps, observed ones onto observed ones, and
//! 3. every atom of the property, every condition of fairness and the set of bad places onto *itself*.
//!
//! **Why states may be merged then.** Let `s ~ t` if a symmetry leads from `s` to `t`. By 1 and 2 whatever `s` can do `t` can do,
//! and the states after it are related by the same symmetry. By 3 both have the same letter and the same marks of fairness, so
//! that an automaton that reads along moves in the same way on both. So `~` (beside equal states of the reader) is a bisimulation of
//! the product that respects its marks, and one state may be explored for each class, *whichever* is taken: every run of the
//! system has a run through such states with the same word and the same marks, and every run through them is followed by one of the
//! system. (Emerson and Sistla, "Symmetry and model checking", 1996; Clarke, Enders, Filkorn and Jha, same year.)
//!
//! Weaker conditions than 3 are wrong, or more work than this: if the formula as a whole is mapped to itself but its atoms are
//! exchanged, or if the fairness of one copy becomes that of another, marks along a loop of classes belong to changing copies. So a
//! copy that the property names stays where it is, and the others are exchanged.
//!
//! **How they are found.** Which copies there are is *guessed* (`family.rs`): from names with numbers, enumerations, models of a
//! composition. That a guess is right is *checked* (`portrait.rs`): transpositions of two copies, which together generate all
//! permutations of those that they connect, or else the rotation of all, are applied to the whole problem in a normal form
//! (`normal.rs`), and what comes out must be the same but for the order of choices. "No symmetry" is always a safe answer.

mod family;
mod normal;
mod portrait;

use crate::{Goal, Problem};
use family::guesses;
pub(crate) use family::{Family, Group};
use lariat_base::{Budget, FxHashSet};
use lariat_expr::SortId;
use lariat_system::Context;
use portrait::Portrait;
pub(crate) use portrait::permuted;

/// Whether symmetries are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// States are merged where a symmetry was found and checked.
    #[default]
    Auto,
    /// Every state is explored.
    Off,
}

impl Symmetry {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Auto, Self::Off];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Off => "off",
        }
    }
}

/// More permutations are not tried for one guess.
const MAX_CHECKS: usize = 60;

/// The copies that can be exchanged in a problem: no two families share a variable, an enumeration or a model.
pub(crate) fn find(cx: &mut Context, problem: &mut Problem, budget: &Budget) -> Vec<Family> {
    let guesses = guesses(cx, &mut *problem.system);
    let mut found: Vec<Family> = Vec::new();
    // Most models have nothing to guess, and need no portrait.
    let mut portrait: Option<Portrait> = None;
    for guess in guesses {
        let is_taken = found.iter().any(|family| family.meets(&guess));
        if is_taken || budget.check().is_err() {
            continue;
        }
        let portrait = match &mut portrait {
            Some(portrait) => portrait,
            None => match Portrait::new(cx, problem) {
                Some(made) => portrait.insert(made),
                None => return Vec::new(),
            },
        };
        found.extend(exchangeable(cx, portrait, problem, &guess));
    }
    found
}

/// The families among the copies of a guess: those that transpositions connect, or else all of them in a ring.
fn exchangeable(
    cx: &mut Context,
    portrait: &mut Portrait,
    problem: &mut Problem,
    guess: &Family,
) -> Vec<Family> {
    // Copies that are connected are in one class; the first of each stands for it.
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut n_checks = 0;
    for copy in 0..guess.len() {
        let home = classes.iter().position(|class| {
            n_checks += 1;
            n_checks <= MAX_CHECKS && {
                let swap = guess.transposition(class[0], copy);
                portrait.is_kept_by(cx, problem, guess, &swap)
            }
        });
        match home {
            Some(home) => classes[home].push(copy),
            None => classes.push(vec![copy]),
        }
    }
    classes.retain(|class| class.len() > 1);
    if classes.is_empty()
        && guess.len() > 2
        && portrait.is_kept_by(cx, problem, guess, &guess.rotation())
    {
        return vec![guess.all(Group::Rotations)];
    }
    // A literal of an enumeration belongs to one family only; so do the others, but for the sort itself.
    let mut sorts: FxHashSet<SortId> = FxHashSet::default();
    classes.sort_by_key(|class| std::cmp::Reverse(class.len()));
    let families = classes.iter().map(|class| guess.some(class));
    let mut families: Vec<Family> = families.collect();
    families.retain(|family| {
        let is_new = family.sorts().all(|sort| !sorts.contains(&sort));
        sorts.extend(family.sorts());
        is_new
    });
    families
}

/// What a goal reads of states.
fn read_terms(goal: &Goal) -> Vec<lariat_expr::TermId> {
    match goal {
        Goal::Reach(bad) => bad.when.into_iter().collect(),
        Goal::Accept { atoms, .. } => atoms.clone(),
    }
}
