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
                let mut place = listed(&places);
                if !whole_loop {
                    place = format!("{place}, in {}", timeline.loop_words());
                }
                format!("again and again {subject} {}: {place}", self.value)
            }
            Manner::SoFar | Manner::Always => {
                let how = if self.value {
                    "always true"
                } else {
                    "never true"
                };
                let span = match self.manner {
                    Manner::SoFar if !whole_loop => Some(self.up_to(timeline, all, here)),
                    _ => self.since_when(timeline, all, here),
                };
                match (span, self.value) {
                    (None, _) => format!("{subject} {how} {}", listed(&places)),
                    (Some(span), true) => format!("{subject} {how}{span}: {}", listed(&places)),
                    (Some(span), false) => {
                        format!("{subject} {how}{span}: not {}", places.join(", nor "))
                    }
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

    /// From when on: empty from the start on, `None` if the loop says it all.
    fn since_when(&self, timeline: &Timeline, all: Moments, here: Option<usize>) -> Option<String> {
        let first = self.moments[0];
        let in_loop = all.round(first) > 0;
        // From any moment of the loop on means from all of them on.
        let same = |moment: usize| moment == first || in_loop && all.round(moment) > 0;
        match here {
            _ if first == 0 && !in_loop => Some(String::new()),
            Some(moment) if same(moment) => Some(" from there on".into()),
            _ if in_loop => None,
            _ => Some(format!(
                " from step {} on",
                timeline.step(all.position(first))
            )),
        }
    }
}

#[cfg(test)]
mod tests;
