//! Random models with infinitely many states whose answers are known by construction: what the engines say of loops that end
//! and of runs that never repeat a state can be compared with something.
//!
//! A model is drawn as a *machine* (`machine`), one of some kinds (`kinds`, `more_kinds`), gets noise that cannot change the
//! answer (`noise`) and is written in one of the languages (`write`); or it is a C program with loops (`c_loops`). Each kind
//! has a twin with the opposite answer. Nothing here is computed by an engine.

mod c_loops;
mod expression;
mod kinds;
mod machine;
mod more_kinds;
mod noise;
mod write;

use crate::Rng;
use lariat_system::Language;
use machine::{Claim, Machine};
use rand::Rng as _;

/// What is known of a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expected {
    /// It is right.
    Holds,
    /// It is wrong.
    Violated,
    /// Nobody knows.
    Open,
}

/// A model and a claim about it.
#[derive(Clone, Debug)]
pub struct InfiniteModel {
    /// What kind of argument it needs.
    pub kind: &'static str,
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// The claim.
    pub ltl: String,
    /// What is known of the claim.
    pub expected: Expected,
}

/// A function that draws a machine.
type Draw = fn(&mut Machine<'_>, bool) -> Claim;

const MACHINES: [(&str, Draw); 20] = [
    ("countdown", kinds::countdown),
    ("unknown-step", kinds::unknown_step),
    ("up", kinds::up),
    ("lexicographic", kinds::lexicographic),
    ("phases", kinds::phases),
    ("mode", kinds::mode),
    ("mode-for-ever", kinds::mode_for_ever),
    ("doubling", kinds::doubling),
    ("towards", kinds::towards_each_other),
    ("euclid", kinds::euclid),
    ("clock", kinds::clock),
    ("halving", kinds::halving),
    ("queue", more_kinds::queue),
    ("exactly", more_kinds::exactly),
    ("saw", more_kinds::saw),
    ("way-back", more_kinds::way_back),
    ("accelerating", more_kinds::accelerating),
    ("race", more_kinds::race),
    ("growing-rounds", more_kinds::growing_rounds),
    ("collatz", more_kinds::collatz),
];

const PROGRAMS: [(&str, c_loops::Write); 7] = [
    ("c-nested", c_loops::nested),
    ("c-triangle", c_loops::triangle),
    ("c-copies", c_loops::copies),
    ("c-remainders", c_loops::remainders),
    ("c-byte", c_loops::byte),
    ("c-unsigned-down", c_loops::unsigned_down),
    ("c-phases", c_loops::called_phases),
];

/// Languages for machines, and those of them that have rational numbers.
const LANGUAGES: [Language; 6] = [
    Language::Sts,
    Language::Smv,
    Language::Cfa,
    Language::Gcl,
    Language::Xsts,
    Language::C,
];
const WITH_RATIONALS: [Language; 3] = [Language::Sts, Language::Smv, Language::Cfa];

/// A random model.
pub fn random_infinite(rng: &mut Rng) -> InfiniteModel {
    let at = rng.random_range(0..MACHINES.len() + PROGRAMS.len());
    let twin = rng.random();
    match at.checked_sub(MACHINES.len()) {
        None => from_machine(MACHINES[at], twin, rng),
        Some(at) => from_program(PROGRAMS[at], twin, rng),
    }
}

fn from_machine((kind, draw): (&'static str, Draw), twin: bool, rng: &mut Rng) -> InfiniteModel {
    let mut machine = Machine::new(rng);
    let claim = draw(&mut machine, twin);
    noise::add(&mut machine);
    let languages = if machine.has_rationals() {
        &WITH_RATIONALS[..]
    } else {
        &LANGUAGES[..]
    };
    let language = languages[machine.rng.random_range(0..languages.len())];
    InfiniteModel {
        kind,
        language,
        text: write::model(&mut machine, language),
        ltl: write::formula(&mut machine, &claim, language),
        expected: match (twin, kind) {
            (true, _) => Expected::Violated,
            (false, "collatz") => Expected::Open,
            (false, _) => Expected::Holds,
        },
    }
}

fn from_program(
    (kind, write): (&'static str, c_loops::Write),
    twin: bool,
    rng: &mut Rng,
) -> InfiniteModel {
    InfiniteModel {
        kind,
        language: Language::C,
        text: c_loops::program(write, twin, rng),
        ltl: "F end".into(),
        expected: if twin {
            Expected::Violated
        } else {
            Expected::Holds
        },
    }
}
