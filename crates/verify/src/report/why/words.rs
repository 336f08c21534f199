//! An explanation in plain sentences, for readers who have never met temporal logic.
//!
//! The tree of reasons is read from the top. Only its leaves are told, the values of atoms; the operators above a leaf
//! decide *how*: a moment that breaks `G` is told as `at step 5`, what keeps `F` from ever coming true as `never true from
//! there on`, what an operator meets in each round of the loop as `again and again`. Where the reasons differ from moment to
//! moment (`F (a & b)`: here `a` is false, there `b`), the part as a whole is told first, and then its reasons.
//!
//! A walk with a stack of its own: a formula may be nested deeply.

use super::places::{Timeline, covers_loop, listed};
use super::text;
use lariat_ltl::{Explanation, Formulas, LassoWord, Moments, Op, Reason};

/// The most sentences; all of it is in the reasons.
const MAX_SENTENCES: usize = 6;

/// How many values at single moments are told in one sentence.
const MAX_CLAUSES: usize = 4;

/// How moments are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// One by one.
    At,
    /// From the first of them on, for ever.
    Always,
    /// From the start up to the last of them.
    SoFar,
    /// In each round of the loop.
    Again,
}

/// That some parts of the formula are true, or false, at some moments.
struct Told {
    subjects: Vec<String>,
    value: bool,
    moments: Vec<usize>,
    manner: Manner,
    /// Why, if not because of other parts.
    since: &'static str,
}

/// Why a word violates a formula.
pub(super) fn sentences(
    formulas: &Formulas,
    word: &LassoWord,
    why: &Explanation,
    timeline: &Timeline,
) -> Vec<String> {
    let reader = Reader {
        formulas,
        word,
        why,
    };
    let told = merged(without_repetition(reader.read()));
    let mut sentences = join(&told, timeline, why.moments);
    if told.is_empty() {
        sentences.push("the formula is false whatever happens".into());
    }
    if sentences.len() > MAX_SENTENCES {
        let more = sentences.len() - MAX_SENTENCES;
        sentences.truncate(MAX_SENTENCES);
        sentences.push(format!("and {more} more reasons like these"));
    }
    if let Some(n) = why.bad_prefix.filter(|&n| n > 0) {
        let step = timeline.step_after(n);
        sentences.push(format!(
            "nothing that follows step {step} can make up for it"
        ));
    }
    sentences
}

/// Reads the tree of reasons.
struct Reader<'a> {
    formulas: &'a Formulas,
    word: &'a LassoWord,
    why: &'a Explanation,
}

impl Reader<'_> {
    fn read(&self) -> Vec<Told> {
        let mut told = Vec::new();
        let mut stack = vec![(0, Manner::At)];
        while let Some((at, manner)) = stack.pop() {
            let reason = &self.why.reasons[at];
            told.extend(self.tell(reason, manner));
            stack.extend(self.below(reason, manner).into_iter().rev());
        }
        told
    }

    /// What is told of a reason itself.
    fn tell(&self, reason: &Reason, manner: Manner) -> Option<Told> {
        let (subject, since) = match self.formulas.op(reason.formula) {
            Op::Ap(ap) if self.word.aps().contains(&ap) => {
                (self.formulas.ap_name(ap).to_owned(), "")
            }
            Op::Ap(_) | Op::True | Op::False => return None,
            Op::Y | Op::Z if reason.because.is_empty() => (
                text(self.formulas, reason.formula),
                ", because nothing comes before it",
            ),
            _ if reason.cut || self.varies(reason) && manner != Manner::At => {
                (text(self.formulas, reason.formula), "")
            }
            _ => return None,
        };
        Some(Told {
            subjects: vec![subject],
            value: reason.value,
            moments: reason.moments.clone(),
            manner,
            since,
        })
    }

    /// Whether a Boolean part has other reasons at other moments.
    fn varies(&self, reason: &Reason) -> bool {
        let boolean = matches!(
            self.formulas.op(reason.formula),
            Op::And | Op::Or | Op::Implies | Op::Iff | Op::Xor
        );
        let mut because = reason.because.iter();
        boolean && because.any(|&below| self.why.reasons[below].moments != reason.moments)
    }

    /// The reasons that a reason rests on, in the order and the manner in which they are told.
    fn below(&self, reason: &Reason, manner: Manner) -> Vec<(usize, Manner)> {
        let op = self.formulas.op(reason.formula);
        let each = |manner| reason.because.iter().map(move |&below| (below, manner));
        let again = match manner {
            Manner::Always | Manner::Again => Manner::Again,
            Manner::At | Manner::SoFar => Manner::At,
        };
        match (op, reason.value) {
            (Op::F, false) | (Op::G, true) => each(Manner::Always).collect(),
            (Op::O, false) | (Op::H, true) => each(Manner::SoFar).collect(),
            (Op::F, true) | (Op::G, false) => each(again)
                .map(|(below, manner)| (below, self.in_loop(below, manner)))
                .collect(),
            (Op::O, true) | (Op::H, false) => each(Manner::At).collect(),
            (Op::U | Op::W | Op::R | Op::M | Op::S | Op::T, value) => {
                self.on_the_way(reason, op, value, again)
            }
            (Op::X | Op::Y | Op::Z, _) if manner == Manner::SoFar => each(Manner::At).collect(),
            _ if self.varies(reason) => each(Manner::At).collect(),
            _ => each(manner).collect(),
        }
    }

    /// What ends the way of an operator such as `U`, then what each moment before it needs; if the way does not end, only
    /// that.
    fn on_the_way(
        &self,
        reason: &Reason,
        op: Op,
        value: bool,
        again: Manner,
    ) -> Vec<(usize, Manner)> {
        // The operand that only the end of a way needs.
        let last = match (op, value) {
            (Op::U | Op::W | Op::S, false) | (Op::R | Op::M | Op::T, true) => 0,
            _ => 1,
        };
        let last = self.formulas.child(reason.formula, last);
        let ends = |&&below: &&usize| self.why.reasons[below].formula == last;
        let past = matches!(op, Op::S | Op::T);
        let mut ordered: Vec<(usize, Manner)> = Vec::new();
        for &below in reason.because.iter().filter(ends) {
            let manner = if past { Manner::At } else { again };
            ordered.push((below, self.in_loop(below, manner)));
        }
        let manner = match (ordered.is_empty(), past) {
            (true, true) => Manner::SoFar,
            (true, false) => Manner::Always,
            (false, _) => Manner::At,
        };
        let others = reason.because.iter().filter(|below| !ends(below));
        ordered.extend(others.map(|&below| (below, manner)));
        ordered
    }

    /// `again and again` is said of what is in the loop.
    fn in_loop(&self, below: usize, manner: Manner) -> Manner {
        let moments = &self.why.reasons[below].moments;
        let in_loop = moments.iter().all(|&m| self.why.moments.round(m) > 0);
        match manner {
            Manner::Again if !in_loop => Manner::At,
            manner => manner,
        }
    }
}

/// Leaves out what is said of single moments where it is also said of all from some moment on, or up to one.
fn without_repetition(all: Vec<Told>) -> Vec<Told> {
    let is_said = |told: &Told| {
        told.manner == Manner::At
            && all.iter().any(|other| {
                matches!(other.manner, Manner::Always | Manner::SoFar)
                    && (&other.subjects, other.value) == (&told.subjects, told.value)
                    && told.moments.iter().all(|m| other.moments.contains(m))
            })
    };
    let said: Vec<bool> = all.iter().map(is_said).collect();
    let news = all.into_iter().zip(said).filter(|(_, said)| !said);
    news.map(|(told, _)| told).collect()
}

/// Puts together neighbours that say the same of several parts, or of one part at several moments.
fn merged(all: Vec<Told>) -> Vec<Told> {
    let mut merged: Vec<Told> = Vec::new();
    for told in all {
        match merged.last_mut() {
            Some(last)
                if (&last.subjects, last.value) == (&told.subjects, told.value)
                    && [last.manner, told.manner] == [Manner::At; 2] =>
            {
                last.moments.extend(told.moments);
                last.moments.sort_unstable();
                last.moments.dedup();
            }
            Some(last)
                if (last.value, &last.moments, last.manner, last.since)
                    == (told.value, &told.moments, told.manner, told.since) =>
            {
                for subject in told.subjects {
                    if !last.subjects.contains(&subject) {
                        last.subjects.push(subject);
                    }
                }
            }
            _ => merged.push(told),
        }
    }
    merged
}

/// Sentences of several clauses: one that lists places ends its sentence.
fn join(all: &[Told], timeline: &Timeline, moments: Moments) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut clauses: Vec<String> = Vec::new();
    let mut here = None;
    for told in all {
        clauses.push(told.clause(timeline, moments, here));
        here = match *told.moments {
            [moment] => Some(moment),
            _ => here,
        };
        if told.manner != Manner::At || clauses.len() == MAX_CLAUSES {
            sentences.push(std::mem::take(&mut clauses).join(", and "));
            here = None;
        }
    }
    if !clauses.is_empty() {
        sentences.push(clauses.join(", and "));
    }
    sentences
}

impl Told {
    /// In words, after the moment `here` was named.
    fn clause(&self, timeline: &Timeline, all: Moments, here: Option<usize>) -> String {
        let quoted: Vec<String> = self.subjects.iter().map(|s| format!("`{s}`")).collect();
        let be = if quoted.len() > 1 { "are" } else { "is" };
        let subject = format!("{} {be}", listed(&quoted));
        let places = timeline.places(all, &self.moments);
        let whole_loop = covers_loop(all, &self.moments);
        match self.manner {
            Manner::At => {
                let place = match *self.moments {
                    [moment] if here == Some(moment) => String::new(),
                    _ => format!("{} ", listed(&places)),
                };
                format!("{place}{subject} {}{}", self.value, self.since)
            }
            Manner::Again => {
                let place = match whole_loop {
                    true => listed(&places),
                    false => format!("{}, in {}", listed(&places), timeline.loop_words()),
                };
                format!("again and again {subject} {}: {place}", self.value)
            }
            Manner::SoFar | Manner::Always => {
                let span = match self.manner {
                    Manner::SoFar if !whole_loop => self.up_to(timeline, all, here),
                    _ => self.from_on(timeline, all, here),
                };
                match self.value {
                    true => format!("{subject} always true{span}: {}", listed(&places)),
                    false => format!("{subject} never true{span}: not {}", places.join(", nor ")),
                }
            }
        }
    }

    /// Up to when.
    fn up_to(&self, timeline: &Timeline, all: Moments, here: Option<usize>) -> String {
        let last = self.moments[self.moments.len() - 1];
        if here == Some(last) {
            return " up to there".into();
        }
        format!(" up to step {}", timeline.step(all.position(last)))
    }

    /// From when on; nothing if it is the start.
    fn from_on(&self, timeline: &Timeline, all: Moments, here: Option<usize>) -> String {
        let first = self.moments[0];
        // From any moment of the loop on means from all of them on.
        let same = |moment: usize| moment == first || all.round(moment) > 0 && all.round(first) > 0;
        match here {
            _ if first == 0 => String::new(),
            Some(moment) if same(moment) => " from there on".into(),
            _ => format!(" from step {} on", timeline.step(all.position(first))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Timeline, WhyReport};
    use lariat_base::{Id as _, SourceId};
    use lariat_ltl::{Formulas, LassoWord, PlainNames, Syntax, parse_formula};

    /// What is said of a formula on a word whose letters are steps 1, 2, ….
    fn check(formula: &str, word: &str, expected: &[&str]) {
        let mut formulas = Formulas::new();
        let source = SourceId::from_index(0);
        let parsed = parse_formula(&mut formulas, source, formula, Syntax::Smv, &mut PlainNames)
            .expect("a formula");
        let word = LassoWord::parse(&mut formulas, word).expect("a word");
        let n = word.stem().len() + word.cycle().len();
        let timeline = Timeline {
            steps: (1..=n).collect(),
            round: (word.stem().len() + 1, n),
        };
        let why = WhyReport::new(&formulas, &word, parsed.formula, &timeline).expect("a violation");
        assert_eq!(why.sentences, expected, "{formula}");
    }

    #[test]
    fn what_must_always_be() {
        check(
            "G p",
            "p; p; !p; cycle{p}",
            &[
                "at step 3 `p` is false",
                "nothing that follows step 3 can make up for it",
            ],
        );
        check(
            "G (open -> \"motor == OFF\")",
            "open & \"motor == OFF\"; open; cycle{!open}",
            &[
                "at step 2 `open` is true, and `motor == OFF` is false",
                "nothing that follows step 2 can make up for it",
            ],
        );
        check(
            "G (a -> X X b)",
            "!a; a; !a; !b; cycle{b}",
            &[
                "at step 2 `a` is true, and at step 4 `b` is false",
                "nothing that follows step 4 can make up for it",
            ],
        );
        check(
            "G (red -> X !red)",
            "!red; red; red; cycle{!red}",
            &[
                "in steps 2 and 3 `red` is true",
                "nothing that follows step 3 can make up for it",
            ],
        );
    }

    #[test]
    fn what_must_come() {
        let wait = "!request; !request; grant; grant; request & !grant; !request; !request; \
                    cycle{!grant; !grant; !grant; !grant; !grant}";
        check(
            "G (request -> F grant)",
            wait,
            &[
                "at step 5 `request` is true, and `grant` is never true from there on: not in steps 5 to 7, \
               nor in the loop (steps 8 to 12)",
            ],
        );
        check(
            "F done",
            "!done; cycle{!done; !done}",
            &["`done` is never true: not at step 1, nor in the loop (steps 2 and 3)"],
        );
        check(
            "G F red",
            "red; red; cycle{!red}",
            &["`red` is never true from step 3 on: not in the loop (step 3)"],
        );
        check(
            "F G !alarm",
            "alarm; !alarm; cycle{!alarm; !alarm; alarm}",
            &["again and again `alarm` is true: at step 5, in the loop (steps 3 to 5)"],
        );
        check(
            "G (on -> F !on)",
            "!on; cycle{on; on}",
            &["`on` is always true from step 2 on: in the loop (steps 2 and 3)"],
        );
        check(
            "F (a & b)",
            "a; a; cycle{b; a}",
            &[
                "`a & b` is never true: not in steps 1 and 2, nor in the loop (steps 3 and 4)",
                "at step 3 `a` is false, and in steps 1, 2 and 4 `b` is false",
            ],
        );
    }

    #[test]
    fn what_must_come_if_something_goes_on() {
        check(
            "G F tick -> G F served",
            "served; cycle{!tick & !served; tick & !served; !tick & !served}",
            &[
                "again and again `tick` is true: at step 3, in the loop (steps 2 to 4)",
                "`served` is never true from step 2 on: not in the loop (steps 2 to 4)",
            ],
        );
    }

    #[test]
    fn what_must_last_until_something_else() {
        check(
            "wait U go",
            "wait; wait; !wait; cycle{go}",
            &[
                "at step 3 `wait` is false, and in steps 1 to 3 `go` is false",
                "nothing that follows step 3 can make up for it",
            ],
        );
        check(
            "wait U go",
            "wait & !go; cycle{wait; wait; wait}",
            &["`go` is never true: not at step 1, nor in the loop (steps 2 to 4)"],
        );
        check(
            "go R closed",
            "closed & !go; closed; !closed; cycle{go}",
            &[
                "at step 3 `closed` is false, and in steps 1 and 2 `go` is false",
                "nothing that follows step 3 can make up for it",
            ],
        );
    }

    #[test]
    fn what_must_have_been() {
        check(
            "G (start -> O key)",
            "!key; !key; start & !key; cycle{key}",
            &[
                "at step 3 `start` is true, and `key` is never true up to there: not in steps 1 to 3",
                "nothing that follows step 3 can make up for it",
            ],
        );
        check(
            "G (go -> Y ready)",
            "go & ready; cycle{!go}",
            &[
                "at step 1 `go` is true, and `Y ready` is false, because nothing comes before it",
                "nothing that follows step 1 can make up for it",
            ],
        );
        check(
            "G (p -> H q)",
            "q; q; cycle{p & q; !p & !q}",
            &["at step 3 in round 2 of the loop `p` is true, and at step 4 `q` is false"],
        );
    }

    #[test]
    fn what_cannot_be() {
        check(
            "FALSE",
            "cycle{a}",
            &["the formula is false whatever happens"],
        );
    }
}
