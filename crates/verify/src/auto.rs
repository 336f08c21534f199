//! What `auto` tries: forms of the model and engines, the most promising first, by the shape of the model.
//!
//! Most problems are easy for one method and hard for the others, so all get a little work before one gets much. The
//! lists were found by measuring (docs/configurations.md).

use crate::convert::is_bounded;
use crate::model::Model;
use crate::pass::Passes;
use crate::portfolio::Member;
use lariat_check::{
    BoundedConfig, CegarConfig, CombinedConfig, DomainConfig, Engine, ExplicitConfig,
    ExplicitDomain, Kind, Mode, PredicateConfig, Ranking, Recurrence, SatConfig, Search, Shape,
    Symmetry, ValueConfig,
};
use lariat_system::{Context, Language};
use std::sync::Arc;

/// A form of a model: the same runs, in larger or smaller steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Relations are split into their cases, the steps of a program are merged: best for most models.
    Usual,
    /// Relations stay whole: the solver chooses the cases of a path, good for long counterexamples.
    WholeRelations,
    /// Steps are cut in two where least is known: there are fewer states to list then.
    CutSteps,
    /// Each statement of a program is a step. A program with very many branches is a huge formula otherwise.
    SmallSteps,
}

impl Form {
    /// The passes that make this form, of those that are wanted at all.
    pub fn passes(self, wanted: Passes) -> Passes {
        let usual = Passes {
            cut: false,
            ..wanted
        };
        match self {
            Self::Usual => usual,
            Self::CutSteps => wanted,
            Self::WholeRelations => Passes {
                relations: false,
                ..usual
            },
            Self::SmallSteps => Passes {
                blocks: false,
                ..usual
            },
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::CutSteps => "cut-steps",
            Self::WholeRelations => "whole-relations",
            Self::SmallSteps => "small-steps",
        }
    }

    /// What is added to the description of an engine that works on this form.
    pub fn words(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::CutSteps => ", steps cut in two",
            Self::WholeRelations => ", relations whole",
            Self::SmallSteps => ", small steps",
        }
    }
}

/// Programs with more steps are tried in small ones, too, and nobody looks for bounds of their integers.
const MANY_STEPS: usize = 150;

/// Finds out whether conditions bound the integers of a model of some kind that may have infinitely many states.
pub fn look_for_bounds(cx: &Context, model: &mut Model, shape: &mut Shape) {
    shape.is_bounded = match shape.kind {
        Kind::Finite | Kind::Rational => false,
        Kind::Equalities | Kind::Control | Kind::Arithmetic => {
            is_bounded(cx, model, &shape.control, MANY_STEPS)
        }
    };
}

/// The forms in which a model is tried.
pub fn forms(model: &Model, passes: Passes, is_temporal: bool) -> Vec<Form> {
    let mut forms = vec![Form::Usual];
    let mut languages = model.systems.iter().map(|system| system.language);
    if is_temporal && passes.relations && languages.any(Language::has_relations) {
        forms.push(Form::WholeRelations);
    }
    let mut languages = model.systems.iter().map(|system| system.language);
    if passes.cut && model.is_single() && languages.any(Language::has_free_inputs) {
        forms.push(Form::CutSteps);
    }
    let is_long = || model.systems[0].edges.n_items() > MANY_STEPS;
    if passes.blocks && model.is_program() && is_long() {
        forms.push(Form::SmallSteps);
    }
    forms
}

/// The members of the portfolio, in the order in which they have their first turn.
///
/// Where there are finitely many states as far as is known, explicit states are then the first in line, for a third of the time: listing
/// millions of them takes some seconds. Otherwise what could not be listed at once is rather for abstraction, and they stand last. Of a
/// long program, large steps mean few states and small ones simple formulas: explicit states go on in large steps, and
/// first, abstraction goes on in small ones.
pub fn members(
    shape: &Shape,
    is_temporal: bool,
    forms: &[Form],
    arguments: (Ranking, Recurrence, Symmetry),
) -> Vec<Member> {
    let kind = shape.kind;
    let mut members = Vec::new();
    let has_small_steps = forms.contains(&Form::SmallSteps);
    let has_cut_steps = forms.contains(&Form::CutSteps);
    // Where inputs are chosen, a state may have very many successors; what has bits only is a circuit in another language.
    let is_circuit = has_cut_steps || shape.is_boolean;
    let is_finite = (kind == Kind::Finite || shape.is_bounded) && !is_circuit;
    for &form in forms.iter().filter(|form| **form != Form::CutSteps) {
        for (i, method) in methods(shape, is_temporal).into_iter().enumerate() {
            // Zones are cases of a step anyway.
            if form != Form::Usual && matches!(method, Method::Cegar(DomainConfig::Zones, _)) {
                continue;
            }
            let is_explicit = matches!(method, Method::Explicit(_));
            let form = match form {
                Form::Usual if is_explicit && has_cut_steps => Form::CutSteps,
                other => other,
            };
            let rank = match (form, is_explicit) {
                (Form::Usual | Form::CutSteps, true) if has_small_steps => Some(0),
                (Form::Usual, false) if has_small_steps => None,
                (Form::Usual, true) if is_finite && i == 0 => Some(0),
                (_, true) => Some(LAST),
                (_, false) => Some(1 + i),
            };
            members.push(Member {
                form,
                engine: method.engine(arguments),
                rank,
                part: if rank == Some(0) { 3 } else { 2 },
            });
        }
    }
    if shape.has_bits {
        let circuit = |engine, rank| Member {
            form: Form::Usual,
            engine: Arc::new(engine),
            rank: Some(rank),
            part: if rank == 0 { 3 } else { 2 },
        };
        let first = usize::from(!is_circuit);
        members.insert(first, circuit(SatConfig::Formulas, 0));
        members.insert(first + 1, circuit(SatConfig::Sets, 1));
        if has_cut_steps {
            members.insert(3, circuit(SatConfig::States, 1));
        }
    }
    if !is_temporal {
        members.push(Member {
            form: Form::Usual,
            engine: Arc::new(BoundedConfig::default()),
            rank: Some(BOUNDED),
            part: 2,
        });
    } else if arguments.1 != Recurrence::Off {
        members.extend(bounded(kind, forms, arguments.1));
    }
    members
}

/// The place in line of bounded paths to bad states: behind the most promising abstraction, which also proves.
const BOUNDED: usize = 2;

/// Bounded paths, where numbers may grow. The solver chooses the cases of a relation as well as any other, so relations stay
/// whole; without relations abstraction finds most loops as early.
fn bounded(kind: Kind, forms: &[Form], recurrence: Recurrence) -> Option<Member> {
    let has_relations = forms.contains(&Form::WholeRelations);
    let (form, rank) = match kind {
        Kind::Finite | Kind::Equalities => return None,
        _ if has_relations => (Form::WholeRelations, 0),
        Kind::Control => return None,
        Kind::Rational | Kind::Arithmetic => (Form::Usual, LAST - 1),
    };
    Some(Member {
        form,
        engine: Arc::new(BoundedConfig {
            recurrence,
            ..BoundedConfig::default()
        }),
        rank: Some(rank),
        part: if rank == 0 { 3 } else { 2 },
    })
}

/// Behind all others.
const LAST: usize = usize::MAX;

/// One of the methods that `auto` knows.
enum Method {
    Explicit(Option<Search>),
    /// A domain, and the search for lassos.
    Cegar(DomainConfig, Search),
}

impl Method {
    fn engine(
        self,
        (ranking, recurrence, symmetry): (Ranking, Recurrence, Symmetry),
    ) -> Arc<dyn Engine> {
        match self {
            Self::Explicit(search) => Arc::new(ExplicitConfig {
                search,
                symmetry,
                ..ExplicitConfig::default()
            }),
            Self::Cegar(domain, search) => Arc::new(CegarConfig {
                domain,
                search,
                ranking,
                recurrence,
                ..CegarConfig::default()
            }),
        }
    }
}

/// The methods for a model of this kind. Lassos are looked for near the start first where there may be infinitely many
/// states.
fn methods(shape: &Shape, is_temporal: bool) -> Vec<Method> {
    let mode = |mode| PredicateConfig {
        mode,
        ..PredicateConfig::default()
    };
    let layers = is_temporal.then_some(Search::Layers);
    let cegar = |domain| Method::Cegar(domain, CegarConfig::default().search);
    let values = cegar(DomainConfig::Explicit(ExplicitDomain::default()));
    let predicates = cegar(DomainConfig::Predicates(mode(Mode::Cartesian)));
    let split = cegar(DomainConfig::Predicates(mode(Mode::Split)));
    let both = DomainConfig::Combined(CombinedConfig {
        predicates: mode(Mode::Cartesian),
        ..CombinedConfig::default()
    });
    let combined = cegar(both.clone());
    let first = if shape.is_bounded {
        Method::Explicit(None)
    } else {
        Method::Explicit(layers)
    };
    // All lassos of an exploration are tested before one of them refines: the first may be the hardest.
    let all = Method::Cegar(both, Search::Full);
    // Remainders of numbers without bounds are hard for the solver and easy to compute with.
    let classes = DomainConfig::Value(ValueConfig::default());
    let classes = shape.has_remainders.then(|| cegar(classes));
    let mut methods = match shape.kind {
        // Predicates say no more than values do.
        Kind::Finite if shape.is_boolean => vec![Method::Explicit(None), values],
        Kind::Rational if shape.has_delays => {
            let zones = cegar(DomainConfig::Zones);
            vec![zones, combined, predicates, split]
        }
        Kind::Rational => vec![combined, predicates, split],
        Kind::Finite => vec![Method::Explicit(None), values, combined, predicates, split],
        Kind::Equalities => vec![first, values, combined, predicates, split],
        Kind::Control => vec![first, combined, predicates, values, split],
        Kind::Arithmetic => vec![first, predicates, values, all, split],
    };
    if is_temporal && (shape.kind == Kind::Finite || shape.is_bounded) {
        methods.push(Method::Explicit(layers));
    }
    methods.extend(classes);
    methods
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::SourceMap;
    use lariat_check::{Goal, Problem};
    use lariat_frontend::parse;

    /// Whether classes are among the methods for a model whose `n` changes like this.
    fn tells_classes(declared: &str, step: &str) -> bool {
        let text = format!(
            "var n : {declared} = 0\nvar m : int = 0\naction step: true -> n := {step}, m := m + 1\n"
        );
        let (mut cx, mut sources) = (Context::new(), SourceMap::new());
        let source = sources.add("model", &text);
        let parsed = parse(&mut cx, Language::Gcl, source, sources.file(source));
        let mut model = Model::single(parsed.expect("a model").system);
        let mut problem = Problem {
            system: Box::new(&mut model),
            goal: Goal::Reach(lariat_check::Bad::default()),
        };
        let shape = Shape::new(&cx, &mut problem);
        methods(&shape, true)
            .iter()
            .any(|method| matches!(method, Method::Cegar(DomainConfig::Value(_), _)))
    }

    #[test]
    fn classes_are_told_where_few_remainders_of_unbounded_numbers_matter() {
        assert!(tells_classes("int", "n + n mod 7"));
        assert!(tells_classes("int", "n + (3 * n + m) mod 2"));
        assert!(!tells_classes("int", "n + 7"));
        assert!(!tells_classes("int", "n + n mod 1000"));
        assert!(!tells_classes("0..9", "(n + 3) mod 10"));
    }
}
