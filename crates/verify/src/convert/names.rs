//! Names for a file in another language: short plain words, each once, none of them reserved there.

use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::VarId;
use lariat_system::Context;

/// Names that are taken, and words that nothing may be called.
pub(crate) struct Names {
    taken: FxHashSet<String>,
    /// The last number that was tried behind a name.
    numbers: FxHashMap<String, usize>,
    is_reserved: fn(&str) -> bool,
    of: FxHashMap<VarId, String>,
}

impl Names {
    /// Names for a language with these reserved words.
    pub fn new(is_reserved: fn(&str) -> bool) -> Self {
        Self {
            taken: FxHashSet::default(),
            numbers: FxHashMap::default(),
            is_reserved,
            of: FxHashMap::default(),
        }
    }

    /// Names without reserved words.
    pub fn plain() -> Self {
        Self::new(|_| false)
    }

    /// Names with the same reserved words, of which none is taken.
    pub fn others(&self) -> Self {
        Self::new(self.is_reserved)
    }

    /// A name that is like the one wanted.
    pub fn unique(&mut self, wanted: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let plain = |c: char| if is_part(c) { c } else { '_' };
        let mut base: String = wanted.chars().map(plain).collect();
        if base.starts_with(|c: char| c.is_ascii_digit()) || base.is_empty() {
            base.insert(0, '_');
        }
        let mut name = base.clone();
        let number = self.numbers.entry(base.clone()).or_insert(1);
        if *number > 1 {
            name = format!("{base}_{number}");
        }
        while (self.is_reserved)(&name) || !self.taken.insert(name.clone()) {
            *number += 1;
            name = format!("{base}_{number}");
        }
        name
    }

    /// Names a variable.
    pub fn declare(&mut self, cx: &Context, var: VarId) -> String {
        let name = self.unique(cx.terms.name(var));
        self.of.insert(var, name.clone());
        name
    }

    /// Says how a variable is written.
    pub fn write_as(&mut self, var: VarId, text: String) {
        self.of.insert(var, text);
    }

    /// How a variable is written.
    pub fn of(&self, var: VarId) -> &str {
        &self.of[&var]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words_each_once() {
        let mut names = Names::new(|word| word == "next");
        let wanted = ["x", "x", "x", "next", "1 a", "x_4", "x"];
        let found = wanted.map(|wanted| names.unique(wanted));
        assert_eq!(found, ["x", "x_2", "x_3", "next_2", "_1_a", "x_4", "x_5"]);
    }
}
