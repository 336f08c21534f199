//! Why loops end: the measures of a proof, in the words of the model.

use crate::label;
use crate::model::Model;
use crate::task::Proved;
use lariat_base::SourceMap;
use lariat_check::{Measure, Proof, Subtracted};
use lariat_expr::{BvOp, Dialect, Head, Int, Op, TermId, Terms, Value, show_term};
use lariat_system::{PointId, TransitionSystem as _};
use serde::Serialize;

/// What cannot go on forever, and why.
#[derive(Clone, Debug, Serialize)]
pub struct MeasureReport {
    /// The locations between which steps are judged.
    pub locations: Vec<String>,
    /// Where they stand in the source, if that is known.
    pub source: Option<String>,
    /// The terms that decrease, the most significant first.
    pub levels: Vec<LevelReport>,
}

/// One term of a measure.
#[derive(Clone, Debug, Serialize)]
pub struct LevelReport {
    /// The term.
    pub term: String,
    /// Where it is another one: location and term.
    pub elsewhere: Vec<(String, String)>,
}

impl MeasureReport {
    /// The measures that a proof needs.
    pub fn all(sources: &SourceMap, proved: &Proved) -> Vec<Self> {
        match &proved.proof {
            Proof::States(_) => Vec::new(),
            Proof::Graph(graph) => {
                let needed = graph.needed_measures().into_iter();
                needed
                    .map(|known| Self::new(sources, proved, &known.measure))
                    .collect()
            }
            Proof::Words { subtracted, .. } => {
                let all = subtracted.iter();
                all.filter_map(|set| Self::of_words(&proved.cx.terms, set))
                    .collect()
            }
        }
    }

    /// The measure of a set of words, if it was subtracted for one: where it argues is not told.
    fn of_words(terms: &Terms, set: &Subtracted) -> Option<Self> {
        let levels: Vec<&[TermId]> = match set {
            Subtracted::Infeasible(_) => return None,
            Subtracted::Measure(levels) => levels.iter().map(Vec::as_slice).collect(),
            Subtracted::Round(levels) => levels.chunks(1).collect(),
        };
        let levels = levels.into_iter().map(|own| {
            let words: Vec<String> = own.iter().map(|&term| plain_term(terms, term)).collect();
            LevelReport {
                term: words.join(" or "),
                elsewhere: Vec::new(),
            }
        });
        Some(Self {
            locations: Vec::new(),
            source: None,
            levels: levels.collect(),
        })
    }

    fn new(sources: &SourceMap, proved: &Proved, measure: &Measure) -> Self {
        let (terms, model) = (&proved.cx.terms, &proved.model);
        let name = |&at: &PointId| model.location_name(at);
        let mut lines = measure
            .scope
            .iter()
            .filter_map(|&at| line(sources, model, at));
        let levels = measure.levels.iter().map(|level| {
            let mut own: Vec<(&PointId, &TermId)> = level.at.iter().collect();
            own.sort_unstable();
            LevelReport {
                term: plain_term(terms, level.term),
                elsewhere: own
                    .into_iter()
                    .filter(|&(_, &term)| term != level.term)
                    .map(|(at, &term)| (name(at), plain_term(terms, term)))
                    .collect(),
            }
        });
        Self {
            locations: measure.scope.iter().map(name).collect(),
            source: lines.next(),
            levels: levels.collect(),
        }
    }

    /// Some measures, a sentence each: those of the same place argue one after the other.
    pub fn sentences(all: &[Self]) -> Vec<String> {
        let mut sentences = Vec::new();
        for (i, measure) in all.iter().enumerate() {
            let before = all[..i]
                .iter()
                .filter(|other| other.source == measure.source);
            let before: Vec<&str> = before.flat_map(Self::terms).collect();
            sentences.push(measure.sentence(&before));
        }
        sentences
    }

    fn terms(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().map(|level| &*level.term)
    }

    /// In a sentence, after what was said of some terms at the same place.
    fn sentence(&self, before: &[&str]) -> String {
        let place = match (&self.source, before) {
            (_, [_, ..]) => format!("nor without a change of {}", before.join(" or ")),
            (Some(source), []) => format!("the loop at {source} cannot go on forever"),
            (None, []) => "this cannot go on forever".into(),
        };
        let levels: Vec<String> = self.levels.iter().map(LevelReport::words).collect();
        match &levels[..] {
            [] => place,
            [one] => format!("{place}: {one} decreases and does not go below 0"),
            all => format!(
                "{place}: the first of these that changes decreases, and none goes on below 0: {}",
                all.join("; then ")
            ),
        }
    }
}

impl LevelReport {
    /// The term, and what stands for it elsewhere.
    fn words(&self) -> String {
        let Self { term, elsewhere } = self;
        let elsewhere = elsewhere.iter();
        let elsewhere: Vec<String> = elsewhere
            .map(|(at, term)| format!("{term} at {at}"))
            .collect();
        match &elsewhere[..] {
            [] => term.clone(),
            all => format!("{term} ({})", all.join(", ")),
        }
    }
}

/// A term, with whole rationals as people write them: `10 * time` for `10/1 * time`, and bit-vectors as the numbers they
/// stand for.
pub(super) fn plain_term(terms: &Terms, term: TermId) -> String {
    if let Some(text) = number_of_bits(terms, term) {
        return text;
    }
    let text = show_term(terms, term, &Dialect::GCL);
    let mut parts = text.split("/1");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if part.starts_with(|next: char| next.is_ascii_digit()) {
            plain.push_str("/1");
        }
        plain.push_str(part);
    }
    plain
}

/// A measure of bit-vectors as a number: extensions are not written, sums are those of numbers. They are as deep as the
/// search for measures makes them.
fn number_of_bits(terms: &Terms, term: TermId) -> Option<String> {
    let width = terms.sorts.bv_width(terms.sort(term))?;
    let of = |term: TermId| number_of_bits(terms, term).unwrap_or_default();
    Some(match terms.head(term) {
        Head::Lit(Value::Bv(value)) => {
            let is_negative = *value >= Int::power_of_two(width - 1);
            let value = if is_negative {
                value - &Int::power_of_two(width)
            } else {
                value.clone()
            };
            value.to_string()
        }
        Head::Op(Op::Bv(BvOp::Zext(_) | BvOp::Sext(_)), &[inner]) => of(inner),
        Head::Op(Op::Bv(BvOp::Neg), &[inner]) => format!("-({})", of(inner)),
        Head::Op(Op::Bv(BvOp::Add), &[left, right]) => format!("{} + {}", of(left), of(right)),
        Head::Op(Op::Bv(BvOp::Sub), &[left, right]) => match terms.head(right) {
            Head::Op(Op::Bv(BvOp::Add | BvOp::Sub), _) => format!("{} - ({})", of(left), of(right)),
            _ => format!("{} - {}", of(left), of(right)),
        },
        _ => show_term(terms, term, &Dialect::GCL),
    })
}

/// `file:line` of a location of a program.
fn line(sources: &SourceMap, model: &Model, at: PointId) -> Option<String> {
    let [system] = &model.systems[..] else {
        return None;
    };
    let span = system.locations[model.leaf_location(at, 0)].span?;
    system
        .language
        .has_control_flow()
        .then(|| label::place(sources, span))
}
