//! Random tasks for the whole pipeline: a model in any of the shapes that a user can give it, and a question about it.
//!
//! Models are random systems or texts of every language, alone or composed, with or without other observation points and
//! with or without a treatment of deadlocks. Questions ask about terms and about locations.

use super::case::{MAX_WALK, Temporal};
use lariat_base::{Id as _, SourceMap, Span};
use lariat_check::Bad;
use lariat_expr::{Dialect, TermId, print_term};
use lariat_frontend::{Scope, parse, parse_expression};
use lariat_system::{
    Context, Fairness, Initial, Language, LocId, PointId, System, TransitionSystem as _, Variable,
};
use lariat_testkit::{
    ModelGen, RandomParts, Rng, StateSpace, naive_accepts, naive_fair_accepts, naive_lasso,
    random_atom, random_parts, random_symmetric,
};
use lariat_verify::pass::deadlock::{Deadlock, go_on_after_deadlock};
use lariat_verify::pass::observe::{Observe, observe};
use lariat_verify::{Asker, Atom, Claim, Compose, Model, Property};
use rand::Rng as _;
use std::fmt::Write as _;
use std::sync::Arc;

/// A model before anything is asked of it.
pub(crate) struct Subject {
    pub cx: Context,
    pub model: Model,
    /// Terms to ask about.
    atoms: Vec<TermId>,
    /// Where runs go that get stuck, if they go anywhere.
    deadlock: Option<LocId>,
    /// How it came about, for people.
    pub told: String,
}

impl Subject {
    /// A random model; none if its parts cannot be composed.
    pub fn random(random: &mut Rng) -> Option<Self> {
        let n_parts = [1, 1, 1, 2, 2, 3][random.random_range(0..6)];
        let n_atoms = random.random_range(1..4);
        let (mut cx, mut systems, mut atoms, mut told) = if random.random_range(0..5) == 0 {
            symmetric(random)
        } else if random.random_range(0..3) == 0 {
            let mut parts = random_parts(random, n_parts, n_atoms);
            let languages = Language::ALL;
            for system in &mut parts.systems {
                // What a language has may only make a pass possible, never wrong.
                if random.random_range(0..4) == 0 {
                    system.language = languages[random.random_range(0..languages.len())];
                }
            }
            let RandomParts { cx, systems, atoms } = parts;
            (cx, systems, atoms, "random programs".to_owned())
        } else {
            let mut cx = Context::new();
            let (systems, told) = texts(&mut cx, n_parts, random);
            (cx, systems, Vec::new(), told)
        };
        if random.random_range(0..4) == 0 {
            let which = [Observe::Macro, Observe::Initial][random.random_range(0..2)];
            if observe(&mut systems, which) {
                let _ = write!(told, "\nobserved: {which:?}");
            }
        }
        let mut deadlock = None;
        let stays = systems[0].language.stays_when_stuck() && random.random();
        if systems.len() == 1 && (stays || random.random_range(0..3) == 0) {
            let how = if stays {
                Deadlock::Stutter
            } else {
                [Deadlock::Stutter, Deadlock::Error][random.random_range(0..2)]
            };
            let mut changed = systems[0].clone();
            if let Ok(error) = go_on_after_deadlock(&mut cx, &mut changed, how) {
                systems[0] = changed;
                deadlock = error;
                let _ = write!(told, "\ndeadlock: {how:?}");
            }
        }
        let model = if systems.len() == 1 {
            Model::single(systems.remove(0))
        } else {
            let how = [Compose::Alternate, Compose::Interleave][random.random_range(0..2)];
            let _ = write!(told, "\n{}", how.name());
            Model::compose(&mut cx, systems, how).ok()?
        };
        let mut visible = model.variables().to_vec();
        if random.random_range(0..4) > 0 {
            // The generators write to these but decide nothing else by them, or read them for declared values only.
            visible.retain(|variable| !cx.terms.name(variable.var).starts_with(['x', 's']));
        }
        while atoms.len() < n_atoms {
            atoms.push(random_atom(&mut cx, &visible, random));
        }
        let mut model = model;
        if random.random_range(0..3) == 0 {
            let visible = model.variables().to_vec();
            assume_fair(&mut cx, &mut model, &visible, random);
            let _ = write!(told, "\nfair: {:?}", model.fairness_in_words(&cx));
        }
        Some(Self {
            cx,
            model,
            atoms,
            deadlock,
            told,
        })
    }

    /// A model with random terms to ask about.
    pub fn of(mut cx: Context, model: Model, told: String, random: &mut Rng) -> Self {
        let visible = model.variables().to_vec();
        let n_atoms = random.random_range(1..4);
        let atoms = (0..n_atoms).map(|_| random_atom(&mut cx, &visible, random));
        let atoms = atoms.collect();
        Self {
            cx,
            model,
            atoms,
            deadlock: None,
            told,
        }
    }

    /// A random question about it, with the answer: whether it is violated.
    pub fn question(
        &self,
        space: &StateSpace,
        random: &mut Rng,
    ) -> Result<(Property, bool), String> {
        if random.random_range(0..3) == 0 {
            Ok(self.bad_states(space, random))
        } else {
            self.temporal(space, random)
        }
    }

    fn bad_states(&self, space: &StateSpace, random: &mut Rng) -> (Property, bool) {
        let (mut when, mut at) = (None, Vec::new());
        match random.random_range(0..4) {
            0 => when = Some(Atom::Term(self.atoms[0])),
            1 => when = Some(self.about_places(space, random)),
            2 => {
                let known = self.deadlock.map(|loc| (0, loc));
                at.push(known.unwrap_or_else(|| self.place(space, random)));
            }
            _ => {
                when = Some(self.atom(0, space, random));
                at.push(self.place(space, random));
            }
        }
        let text = format!("never {when:?} at {at:?}");
        let letters = self.letters(space, when.as_slice());
        let bad = Bad { when: None, at };
        let is_violated = space.reaches(&self.model, &letters, &bad.at);
        let mut property = Property::never("", text, bad.at);
        if let Claim::Never { when: slot, .. } = &mut property.claim {
            *slot = when;
        }
        (property, is_violated)
    }

    fn temporal(&self, space: &StateSpace, random: &mut Rng) -> Result<(Property, bool), String> {
        let all: Vec<Atom> = (0..self.atoms.len())
            .map(|i| self.atom(i, space, random))
            .collect();
        let drawn = Temporal::random(random, all.len())?;
        let atoms = drawn.pick(&all);
        let letters = self.letters(space, &atoms);
        let automaton = &drawn.automata[random.random_range(0..drawn.automata.len())];
        let has_run = naive_accepts(space, &letters, automaton);
        let fairness = space.fairness(&self.cx, &self.model);
        let is_violated = naive_fair_accepts(space, &letters, automaton, &fairness);
        let walked = naive_lasso(
            space,
            (&drawn.aps, &letters),
            (&drawn.formulas, drawn.formula),
            2,
            MAX_WALK,
        );
        if walked.is_some() && !has_run {
            return Err(format!(
                "no automaton sees the lasso that violates {}",
                drawn.text
            ));
        }
        let formula = Some((Arc::clone(&drawn.formulas), drawn.formula));
        let property = Property {
            name: String::new(),
            text: format!("{} with {all:?}", drawn.text),
            atom_names: atoms.iter().map(|atom| format!("{atom:?}")).collect(),
            claim: Claim::Temporal {
                automaton: Arc::clone(automaton),
                atoms,
                // A property may be an automaton without a formula.
                formula: formula.filter(|_| random.random_range(0..3) > 0),
            },
        };
        Ok((property, is_violated))
    }

    /// An atom: the `i`-th term, or something about locations.
    fn atom(&self, i: usize, space: &StateSpace, random: &mut Rng) -> Atom {
        if random.random_range(0..4) > 0 {
            Atom::Term(self.atoms[i])
        } else {
            self.about_places(space, random)
        }
    }

    fn about_places(&self, space: &StateSpace, random: &mut Rng) -> Atom {
        let n = random.random_range(1..3);
        let places = (0..n).map(|_| self.place(space, random)).collect();
        if random.random() {
            Atom::At(places)
        } else {
            Atom::NotAt(places)
        }
    }

    /// A location of a part: one that occurs, or any.
    fn place(&self, space: &StateSpace, random: &mut Rng) -> (usize, LocId) {
        let leaf = random.random_range(0..self.model.systems.len());
        if !space.states.is_empty() && random.random_range(0..4) > 0 {
            let state = &space.states[random.random_range(0..space.states.len())];
            return (leaf, self.model.leaf_location(state.loc, leaf));
        }
        let n = self.model.systems[leaf].locations.len();
        (leaf, LocId::from_index(random.random_range(0..n)))
    }

    /// The truth of the atoms in each state, as bits.
    fn letters(&self, space: &StateSpace, atoms: &[Atom]) -> Vec<u64> {
        let mut letters = vec![0; space.states.len()];
        for (i, atom) in atoms.iter().enumerate() {
            let is_at = |places: &[(usize, LocId)]| -> Vec<u64> {
                let at = |at: PointId| {
                    let mut places = places.iter();
                    places.any(|&(leaf, loc)| self.model.leaf_location(at, leaf) == loc)
                };
                let states = space.states.iter();
                states.map(|state| u64::from(at(state.loc))).collect()
            };
            let bits = match atom {
                Atom::Term(term) => space.letters(&self.cx, &self.model, &[*term]),
                Atom::At(places) => is_at(places),
                Atom::NotAt(places) => is_at(places).iter().map(|bit| 1 - bit).collect(),
            };
            for (letter, bit) in letters.iter_mut().zip(bits) {
                *letter |= bit << i;
            }
        }
        letters
    }
}

/// Copies of a process, and conditions that mostly treat them alike.
fn symmetric(random: &mut Rng) -> (Context, Vec<System>, Vec<TermId>, String) {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let drawn = random_symmetric(random);
    let mut systems = Vec::new();
    for text in &drawn.texts {
        let source = sources.add("model", text);
        let parsed = parse(&mut cx, Language::Gcl, source, sources.file(source));
        systems.push(parsed.expect("the generator writes models").system);
    }
    let scope = Scope::new(&mut cx, &systems.iter().collect::<Vec<_>>());
    let bool_ = cx.terms.sorts.bool();
    let mut atoms = Vec::new();
    for text in &drawn.atoms {
        let span = Span::new(sources.add("atom", text), 0, text.len());
        let atom = parse_expression(&mut cx, &scope, span, text, Some(bool_));
        atoms.push(atom.expect("the generator writes conditions"));
    }
    (cx, systems, atoms, drawn.texts.join("\n---\n"))
}

/// Assumes some fairness, written as on a command line where the conditions can be written so.
fn assume_fair(cx: &mut Context, model: &mut Model, visible: &[Variable], random: &mut Rng) {
    let mut constraints = Vec::new();
    for _ in 0..random.random_range(1..3) {
        let [first, second] = [(); 2].map(|()| random_atom(cx, visible, random));
        let [left, right] = [first, second].map(|term| print_term(&cx.terms, term, &Dialect::GCL));
        let mut sources = SourceMap::new();
        let mut asker = Asker::new(cx, &mut sources, model);
        let (drawn, read) = if random.random() {
            (Fairness::Justice(first), asker.fair(&left))
        } else {
            let text = format!("({left}) -> ({right})");
            (
                Fairness::Compassion(first, second),
                asker.strong_fair(&text),
            )
        };
        if let Ok(read) = read {
            assert_eq!(read, drawn, "a condition reads back");
        }
        constraints.push(drawn);
    }
    model.assume_fair(cx, constraints);
}

/// Models read from random texts of any languages, and the texts.
fn texts(cx: &mut Context, n_parts: u32, random: &mut Rng) -> (Vec<System>, String) {
    let mut systems: Vec<System> = Vec::new();
    let mut told = String::new();
    for part in 0..n_parts {
        let language = Language::ALL[random.random_range(0..Language::ALL.len())];
        let maker = ModelGen {
            size: random.random_range(1..if n_parts == 1 { 5 } else { 3 }),
            variables: if n_parts == 1 {
                random.random_range(1..3)
            } else {
                1
            },
            wild: false,
        };
        let mut text = maker.model(language, random);
        if part > 0 {
            text = rename(&text, part, random);
        }
        let mut sources = SourceMap::new();
        let source = sources.add("random", &*text);
        let mut system = match parse(cx, language, source, sources.file(source)) {
            Ok(parsed) => parsed.system,
            Err(findings) => panic!("a random model is wrong: {findings:?}\n{text}"),
        };
        let _ = write!(told, "\n{}:\n{text}", language.name());
        if leave_values_to(cx, &systems, &mut system) {
            told += "(without the values that others declare)\n";
        }
        systems.push(system);
    }
    (systems, told)
}

/// Gives most variables of a part a name of its own. Enumerations always get one, since those of two parts differ.
fn rename(text: &str, part: u32, random: &mut Rng) -> String {
    let mut renamed = String::new();
    let mut decided: Vec<(&str, bool)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(1));
        rest = after;
        renamed += word;
        let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let kind = &word[..word.len() - digits.len()];
        let own = match kind {
            "E" | "e" | "f" if is_number => true,
            _ if word == "x2" => true,
            "b" | "i" | "v" | "x" | "a" | "s" if is_number => {
                if !decided.iter().any(|(known, _)| *known == word) {
                    decided.push((word, random.random()));
                }
                decided.contains(&(word, true))
            }
            _ => false,
        };
        if own {
            let _ = write!(renamed, "_{part}");
        }
    }
    renamed
}

/// Takes back the declared values of variables for which an earlier part declares another.
fn leave_values_to(cx: &mut Context, earlier: &[System], system: &mut System) -> bool {
    let mut any = false;
    for variable in &mut system.variables {
        let mut others = earlier.iter().flat_map(|other| &other.variables);
        let differs = others.any(|other| {
            other.var == variable.var
                && other.initial.is_some()
                && other.initial != variable.initial
        });
        if differs && variable.initial.is_some() {
            variable.initial = None;
            any = true;
        }
    }
    if any {
        let branches = system.initial.branches().to_vec();
        system.initial = Initial::new(cx, &system.variables, branches);
    }
    any
}
