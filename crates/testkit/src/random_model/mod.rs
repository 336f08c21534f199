//! Random models as text, one generator per language.
//!
//! By default a model has finitely many reachable states: integers are written through a remainder
//! or a bounding assumption, so that engines can be compared on it. A *wild* model has none of these
//! reins: large numbers, variables without a first value, arrays of any content. Every model is made
//! of the whole language: enumerations, arrays, choices, havocs, locals, conditionals, loops.

mod cfa;
mod expression;
mod gcl;
mod sts;
mod xsts;

use crate::Rng;
use lariat_system::Language;

/// What kind of models to draw.
#[derive(Clone, Copy, Debug)]
pub struct ModelGen {
    /// About how many statements (or conjuncts) each step has.
    pub size: usize,
    /// How many variables of each sort there are.
    pub variables: usize,
    /// Whether integers may take any value.
    pub wild: bool,
}

impl Default for ModelGen {
    fn default() -> Self {
        Self {
            size: 4,
            variables: 2,
            wild: false,
        }
    }
}

impl ModelGen {
    /// Models whose integers may take any value.
    pub fn wild() -> Self {
        Self {
            size: 8,
            wild: true,
            ..Self::default()
        }
    }

    /// The text of a random model.
    pub fn model(&self, language: Language, rng: &mut Rng) -> String {
        match language {
            Language::Xsts => xsts::model(self, rng),
            Language::Cfa => cfa::model(self, rng),
            Language::Sts => sts::model(self, rng),
            Language::Gcl => gcl::model(self, rng),
            Language::C
            | Language::Smv
            | Language::Aiger
            | Language::Btor2
            | Language::Vmt
            | Language::Moxi
            | Language::Scxml
            | Language::Gamma
            | Language::St => {
                panic!("random models of {language:?} are made elsewhere")
            }
        }
    }
}
