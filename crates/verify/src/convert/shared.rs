//! Terms as text, where a language has definitions: what is used twice, or nests deep, is written once under a name.
//! So a text is as long as the terms are large, however often they share their parts.

use super::names::Names;
use lariat_base::FxHashMap;
use lariat_expr::{TermId, Terms};

/// How a language writes terms.
pub(super) trait Spelling {
    /// A term whose arguments are written already; or what the language does not have.
    fn spell(&mut self, names: &Names, term: TermId, args: &[&str]) -> Result<String, String>;
    /// The definition of a name.
    fn define(&mut self, name: &str, term: TermId, text: &str);
}

/// A text longer than this gets a name.
const LONG: usize = 800;
/// So does one that nests deeper.
const DEEP: u32 = 24;
/// A text not longer than this is written again where it is used.
const SHORT: usize = 16;

/// The texts of some terms.
pub(super) struct Texts {
    of: FxHashMap<TermId, String>,
}

impl Texts {
    /// Writes all that `roots` consist of.
    pub fn new(
        terms: &Terms,
        roots: &[TermId],
        names: &mut Names,
        spelling: &mut dyn Spelling,
    ) -> Result<Self, String> {
        let order = terms.subterms(roots);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &term in &order {
            for &arg in terms.args(term) {
                *uses.entry(arg).or_default() += 1;
            }
        }
        let mut of: FxHashMap<TermId, String> = FxHashMap::default();
        let mut depths: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in order {
            let own = terms.args(term);
            let args: Vec<&str> = own.iter().map(|arg| of[arg].as_str()).collect();
            let mut text = spelling.spell(names, term, &args)?;
            let depth = own.iter().map(|arg| depths[arg] + 1).max().unwrap_or(0);
            let is_shared = uses.get(&term).is_some_and(|&uses| uses > 1) && text.len() > SHORT;
            if !own.is_empty() && (is_shared || text.len() > LONG || depth > DEEP) {
                let name = names.unique("d");
                spelling.define(&name, term, &text);
                text = name;
                depths.insert(term, 0);
            } else {
                depths.insert(term, depth);
            }
            of.insert(term, text);
        }
        Ok(Self { of })
    }

    /// How a term is written.
    pub fn get(&self, term: TermId) -> &str {
        &self.of[&term]
    }
}
