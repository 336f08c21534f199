//! Abstractions that one can look at: a model as its predicates see it, printed as a model of its own.
//!
//! The predicates have names ([`Named`]) that become Boolean variables. [`Shown`] is the abstraction with these names and those
//! of the places of the model; `gcl.rs` writes it as guarded commands, which can be checked again.

mod gcl;
mod read;

pub use read::{read_predicates, value_predicates};

use crate::convert::names::Names;
use crate::model::Model;
use lariat_base::{Budget, FxHashMap, Id as _};
use lariat_check::{BooleanAbstraction, ClassId, Unknown, abstract_by_predicates};
use lariat_expr::{Dialect, TermId, show_term};
use lariat_frontend::is_reserved;
use lariat_smt::Backend;
use lariat_system::{Context, Language, PointId, TransitionSystem as _};

/// A predicate with its name; without one it is named after its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name; may be empty.
    pub name: String,
    /// The predicate.
    pub term: TermId,
}

/// Which steps an abstraction has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// Those that some state of a class can take: what holds of it holds of the model.
    May,
    /// Those that every state of a class can take: what it can do the model can do.
    Must,
}

/// An abstraction with names.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The abstraction.
    pub graph: BooleanAbstraction,
    /// The names of its predicates.
    pub names: Vec<String>,
    /// What the predicates say, as text.
    pub texts: Vec<String>,
    /// The name of the model.
    pub model: String,
    /// The places of the model that classes are at, with their names.
    places: Vec<(PointId, String)>,
}

impl Shown {
    /// The abstraction of a model by predicates.
    pub fn new(
        cx: &mut Context,
        model: &mut Model,
        predicates: &[Named],
        solver: Box<dyn Backend>,
        budget: &Budget,
    ) -> Result<Self, Unknown> {
        let terms: Vec<TermId> = predicates.iter().map(|named| named.term).collect();
        let graph = abstract_by_predicates(cx, model, &terms, solver, budget)?;
        let mut names = Names::new(is_taken);
        let wanted: FxHashMap<TermId, &str> = predicates
            .iter()
            .rev()
            .map(|named| (named.term, &*named.name))
            .collect();
        let text = |&term: &TermId| show_term(&cx.terms, term, &Dialect::GCL);
        let texts: Vec<String> = graph.predicates.iter().map(text).collect();
        let name = |(&term, text): (&TermId, &String)| match wanted[&term] {
            "" => names.unique(&words(text)),
            name => names.unique(name),
        };
        let named = graph.predicates.iter().zip(&texts).map(name).collect();
        let mut places: Vec<(PointId, String)> = Vec::new();
        for class in &graph.classes {
            if !places.iter().any(|(at, _)| *at == class.at) {
                places.push((class.at, names.unique(&model.location_name(class.at))));
            }
        }
        Ok(Self {
            graph,
            names: named,
            texts,
            model: names.unique(&model.systems[0].name),
            places,
        })
    }

    /// The name of the place of a class, if the model has several.
    pub fn place(&self, class: ClassId) -> Option<&str> {
        let at = self.graph.class(class).at;
        let mut places = self.places.iter();
        let (_, name) = places.find(|(other, _)| *other == at)?;
        (self.places.len() > 1).then_some(name)
    }

    /// What a class says, in the names.
    pub fn describe(&self, class: ClassId) -> String {
        let truths = &self.graph.class(class).truths;
        let literal = |(name, truth): (&String, &bool)| {
            if *truth {
                name.clone()
            } else {
                format!("not {name}")
            }
        };
        let mut all: Vec<String> = self
            .place(class)
            .map(|at| format!("at {at}"))
            .into_iter()
            .collect();
        all.extend(self.names.iter().zip(truths).map(literal));
        if all.is_empty() {
            "true".into()
        } else {
            all.join(", ")
        }
    }

    /// The classes.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> {
        (0..self.graph.classes.len()).map(ClassId::from_index)
    }

    /// The abstraction as guarded commands.
    pub fn gcl(&self, cx: &Context, kind: StepKind) -> String {
        gcl::write(self, cx, kind)
    }
}

/// Words that nothing is called: those of GCL, the operators of formulas, and what tells the place.
fn is_taken(word: &str) -> bool {
    is_reserved(Language::Gcl, word)
        || ["place", "Place", "G", "F", "X", "U", "W", "R", "M", "V"].contains(&word)
}

/// A term as one word: `x > 0` is `x_gt_0`.
fn words(text: &str) -> String {
    let signs = [
        ("<=", " le "),
        (">=", " ge "),
        ("!=", " ne "),
        ("=", " eq "),
        ("<", " lt "),
        (">", " gt "),
        ("+", " plus "),
        ("-", " minus "),
        ("*", " times "),
    ];
    let mut spelled = text.to_owned();
    for (sign, word) in signs {
        spelled = spelled.replace(sign, word);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let parts = spelled
        .split(|c: char| !is_part(c))
        .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_")
}
