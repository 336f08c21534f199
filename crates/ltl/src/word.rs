//! Lasso words `u·v^ω` over valuations of atoms, and their text form.
//!
//! The text is Spot's: `p & !q; p; cycle{q}`. A letter is a conjunction of literals; an atom that a
//! letter does not name is false there. `1` is the letter that names nothing.
//!
//! Invariant: the cycle is not empty; bit `i` of a letter is atom `i` of the list, at most 64 of them.

use std::fmt;

use crate::formula::{ApId, Formulas};
use crate::parse::{Syntax, is_plain_name};

/// An infinite word: a finite stem and then a cycle for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LassoWord {
    aps: Vec<ApId>,
    stem: Vec<u64>,
    cycle: Vec<u64>,
}

/// Why a text is not a lasso word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordError {
    message: String,
    /// The byte of the text where it was noticed.
    pub at: usize,
}

impl fmt::Display for WordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for WordError {}

impl LassoWord {
    /// A word; bit `i` of a letter tells whether `aps[i]` holds. `None` if the cycle is empty or
    /// there are more than 64 atoms.
    pub fn new(aps: Vec<ApId>, stem: Vec<u64>, cycle: Vec<u64>) -> Option<Self> {
        (!cycle.is_empty() && aps.len() <= 64).then_some(Self { aps, stem, cycle })
    }

    /// The atoms; atom `i` is bit `i` of a letter.
    pub fn aps(&self) -> &[ApId] {
        &self.aps
    }

    /// The letters before the cycle.
    pub fn stem(&self) -> &[u64] {
        &self.stem
    }

    /// The letters that repeat for ever.
    pub fn cycle(&self) -> &[u64] {
        &self.cycle
    }

    /// The letter at position `i`.
    pub fn letter(&self, i: usize) -> u64 {
        match self.stem.get(i) {
            Some(&letter) => letter,
            None => self.cycle[(i - self.stem.len()) % self.cycle.len()],
        }
    }

    /// The same word with the shortest cycle and stem.
    #[must_use]
    pub fn shortest(mut self) -> Self {
        let n = self.cycle.len();
        let period = (1..=n)
            .find(|p| n.is_multiple_of(*p) && (*p..n).all(|i| self.cycle[i] == self.cycle[i - p]))
            .unwrap_or(n);
        self.cycle.truncate(period);
        while let (Some(&last), Some(&end)) = (self.stem.last(), self.cycle.last()) {
            if last != end {
                break;
            }
            self.stem.pop();
            self.cycle.rotate_right(1);
        }
        self
    }

    /// Reads a word such as `p & !q; cycle{p}`.
    pub fn parse(formulas: &mut Formulas, text: &str) -> Result<Self, WordError> {
        let mut reader = WordReader {
            text,
            at: 0,
            formulas,
            word: Self {
                aps: Vec::new(),
                stem: Vec::new(),
                cycle: Vec::new(),
            },
        };
        reader.run()?;
        Ok(reader.word)
    }

    /// The text form; every letter names every atom.
    pub fn display<'a>(&'a self, formulas: &'a Formulas) -> impl fmt::Display + 'a {
        WordDisplay {
            word: self,
            formulas,
        }
    }
}

struct WordDisplay<'a> {
    word: &'a LassoWord,
    formulas: &'a Formulas,
}

impl WordDisplay<'_> {
    fn letter(&self, f: &mut fmt::Formatter<'_>, letter: u64) -> fmt::Result {
        if self.word.aps.is_empty() {
            return f.write_str("1");
        }
        for (i, &ap) in self.word.aps.iter().enumerate() {
            let join = if i > 0 { " & " } else { "" };
            let sign = if letter >> i & 1 == 1 { "" } else { "!" };
            let name = self.formulas.ap_name(ap);
            if is_plain_name(name, Syntax::Spot) {
                write!(f, "{join}{sign}{name}")?;
            } else {
                let name = name.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "{join}{sign}\"{name}\"")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for WordDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &letter in &self.word.stem {
            self.letter(f, letter)?;
            f.write_str("; ")?;
        }
        f.write_str("cycle{")?;
        for (i, &letter) in self.word.cycle.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            self.letter(f, letter)?;
        }
        f.write_str("}")
    }
}

struct WordReader<'a> {
    text: &'a str,
    at: usize,
    formulas: &'a mut Formulas,
    word: LassoWord,
}

impl WordReader<'_> {
    fn run(&mut self) -> Result<(), WordError> {
        loop {
            self.skip_space();
            let rest = &self.text[self.at..];
            let cycle = rest
                .strip_prefix("cycle")
                .is_some_and(|rest| rest.trim_start().starts_with('{'));
            if cycle {
                break;
            }
            let letter = self.letter()?;
            self.word.stem.push(letter);
            self.expect(';', "expected `;` and the next letter, or `cycle{…}`")?;
        }
        self.at += "cycle".len();
        self.expect('{', "expected `{`")?;
        loop {
            let letter = self.letter()?;
            self.word.cycle.push(letter);
            if self.take('}') {
                break;
            }
            self.expect(';', "expected `;` or `}`")?;
        }
        self.skip_space();
        if self.at < self.text.len() {
            return Err(self.error("expected the end of the word"));
        }
        Ok(())
    }

    fn letter(&mut self) -> Result<u64, WordError> {
        let (mut yes, mut no) = (0u64, 0u64);
        loop {
            self.skip_space();
            let start = self.at;
            let negated = self.take('!');
            self.skip_space();
            let name = self.name()?;
            match (name.as_deref(), negated) {
                (None, false) => {}
                (Some(name), _) => {
                    let bit = self.bit(name)?;
                    *(if negated { &mut no } else { &mut yes }) |= bit;
                }
                (None, true) => return Err(self.error("no valuation satisfies this letter")),
            }
            if yes & no != 0 {
                self.at = start;
                return Err(self.error("no valuation satisfies this letter"));
            }
            if !self.take('&') {
                return Ok(yes);
            }
            self.take('&');
        }
    }

    /// A name, or `None` for the constant true.
    fn name(&mut self) -> Result<Option<String>, WordError> {
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            let mut name = String::new();
            let mut escaped = false;
            for (i, c) in rest.char_indices().skip(1) {
                match c {
                    '"' if !escaped => {
                        self.at += i + 1;
                        return Ok(Some(name));
                    }
                    '\\' if !escaped => escaped = true,
                    _ => {
                        name.push(c);
                        escaped = false;
                    }
                }
            }
            return Err(self.error("this quotation mark is never closed"));
        }
        let len = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(rest.len());
        match &rest[..len] {
            "" => Err(self.error("expected a letter such as `p & !q`")),
            "0" | "false" => Err(self.error("no valuation satisfies this letter")),
            name => {
                self.at += len;
                Ok((name != "1" && name != "true").then(|| name.to_owned()))
            }
        }
    }

    fn bit(&mut self, name: &str) -> Result<u64, WordError> {
        let ap = self.formulas.ap_id(name);
        let known = self.word.aps.iter().position(|&a| a == ap);
        let index = known.unwrap_or(self.word.aps.len());
        if index >= 64 {
            return Err(self.error("a word has at most 64 atoms"));
        }
        if known.is_none() {
            self.word.aps.push(ap);
        }
        Ok(1 << index)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, c: char, message: &str) -> Result<(), WordError> {
        if self.take(c) {
            Ok(())
        } else {
            Err(self.error(message))
        }
    }

    fn error(&self, message: &str) -> WordError {
        WordError {
            message: message.to_owned(),
            at: self.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(text: &str) -> String {
        let mut formulas = Formulas::new();
        match LassoWord::parse(&mut formulas, text) {
            Ok(word) => word.display(&formulas).to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn words_read_and_print() {
        assert_eq!(again("p&!q; cycle{p}"), "p & !q; cycle{p & !q}");
        assert_eq!(again("cycle{1}"), "cycle{1}");
        assert_eq!(
            again("cycle { \"x > 3\" ; !a }"),
            "cycle{\"x > 3\" & !a; !\"x > 3\" & !a}"
        );
        assert_eq!(
            again("p; q"),
            "expected `;` and the next letter, or `cycle{…}` at byte 4"
        );
        assert_eq!(
            again("cycle{}"),
            "expected a letter such as `p & !q` at byte 6"
        );
        assert_eq!(
            again("cycle{p & !p}"),
            "no valuation satisfies this letter at byte 10"
        );
        assert_eq!(
            again("cycle{p} x"),
            "expected the end of the word at byte 9"
        );
    }

    #[test]
    fn the_shortest_form_is_the_same_word() {
        let word = |stem: &[u64], cycle: &[u64]| {
            LassoWord::new(Vec::new(), stem.to_vec(), cycle.to_vec()).expect("a cycle")
        };
        assert_eq!(word(&[1, 2], &[3, 2, 3, 2]).shortest(), word(&[1], &[2, 3]));
        assert_eq!(word(&[5, 5], &[5, 5, 5]).shortest(), word(&[], &[5]));
    }
}
