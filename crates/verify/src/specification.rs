//! Property files of verification tasks: lines `CHECK( init(main()), LTL(FORMULA) )`.
//!
//! The whole file is read: each line is a property, and what is no part of one is an error with its
//! place. A part that was passed over would be an answer to another question.

use lariat_base::{Diagnostic, SourceId, SourceMap, Span};

/// How a property is written.
const FORM: &str = "write `CHECK( init(main()), LTL(FORMULA) )`";

/// The formula of one `CHECK`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check<'a> {
    /// Where it starts in the file.
    pub start: usize,
    /// Its text.
    pub formula: &'a str,
}

impl Check<'_> {
    /// Whether it asks for signed overflow.
    pub fn is_overflow(&self) -> bool {
        self.words() == "G!overflow"
    }

    /// The formula without its blanks.
    pub fn words(&self) -> String {
        self.formula.split_whitespace().collect()
    }
}

/// Whether a property file asks for signed overflow: the model is made for that question then.
pub fn asks_for_overflow(text: &str) -> bool {
    // What is wrong with the file is said when it is read for its questions.
    let source = SourceMap::new().add("", "");
    checks(source, text).is_ok_and(|checks| checks.iter().any(Check::is_overflow))
}

/// The properties of a file, at least one.
pub fn checks(source: SourceId, text: &str) -> Result<Vec<Check<'_>>, Diagnostic> {
    let mut reader = Reader {
        source,
        text,
        at: 0,
    };
    let mut checks = Vec::new();
    loop {
        reader.blanks();
        if reader.at == text.len() {
            break;
        }
        checks.push(reader.check()?);
    }
    if checks.is_empty() {
        let finding = Diagnostic::error("syntax", "there is no property in this file");
        let finding = finding.at(Span::new(source, 0, text.len()));
        return Err(finding.hint(FORM));
    }
    if let (Some(overflow), true) = (
        checks.iter().find(|check| check.is_overflow()),
        checks.iter().any(|check| !check.is_overflow()),
    ) {
        let message = "`G ! overflow` stands in a file of its own";
        let end = overflow.start + overflow.formula.len();
        let finding = Diagnostic::error("mixed-overflow", message);
        let finding = finding.at(Span::new(source, overflow.start, end));
        let hint = "a program that is watched for overflow is another model: ask the others apart";
        return Err(finding.hint(hint));
    }
    Ok(checks)
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn check(&mut self) -> Result<Check<'a>, Diagnostic> {
        self.expect("CHECK")?;
        self.expect("(")?;
        self.expect("init")?;
        self.expect("(")?;
        self.entry()?;
        self.expect("(")?;
        self.expect(")")?;
        self.expect(")")?;
        self.expect(",")?;
        self.expect("LTL")?;
        self.expect("(")?;
        let check = self.formula()?;
        self.expect(")")?;
        Ok(check)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over blanks and `//` comments.
    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("//") {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The length of the word that stands here, or of one character.
    fn word_len(&self) -> usize {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        len.max(rest.chars().next().map_or(0, char::len_utf8))
    }

    fn here(&self) -> Span {
        Span::new(self.source, self.at, self.at + self.word_len())
    }

    fn expect(&mut self, word: &str) -> Result<(), Diagnostic> {
        self.blanks();
        let len = self.word_len();
        if &self.rest()[..len] != word {
            let message = if len == 0 {
                format!("the file ends where `{word}` is expected")
            } else {
                format!("`{word}` is expected here")
            };
            let finding = Diagnostic::error("syntax", message);
            return Err(finding.at(self.here()).hint(FORM));
        }
        self.at += len;
        Ok(())
    }

    /// The function that runs start with.
    fn entry(&mut self) -> Result<(), Diagnostic> {
        self.blanks();
        let name = &self.rest()[..self.word_len()];
        if name == "main" {
            self.at += name.len();
            return Ok(());
        }
        let message = "runs start with `main`, not with another function";
        let finding = Diagnostic::error("unsupported-entry", message);
        let hint = "write `init(main())`; to start elsewhere, rename that function to `main`";
        Err(finding.at(self.here()).hint(hint))
    }

    /// Everything up to the bracket that closes `LTL(`.
    fn formula(&mut self) -> Result<Check<'a>, Diagnostic> {
        let start = self.at;
        let (mut depth, mut quoted) = (0usize, false);
        for (i, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b'(' if !quoted => depth += 1,
                b')' if !quoted && depth > 0 => depth -= 1,
                b')' if !quoted => {
                    self.at = start + i + 1;
                    let formula = &self.text[start..start + i];
                    return Ok(Check { start, formula });
                }
                _ => {}
            }
        }
        let finding = Diagnostic::error("syntax", "the bracket of this formula is never closed");
        let open = Span::new(self.source, start - 1, start);
        Err(finding.at(open).hint(FORM))
    }
}

#[cfg(test)]
mod tests {
    use super::checks;
    use lariat_base::SourceMap;

    /// The formulas, or the message with what it points to.
    fn read(text: &str) -> String {
        let mut map = SourceMap::new();
        let source = map.add("p.prp", text);
        match checks(source, text) {
            Ok(checks) => {
                let formulas = checks.iter().map(|check| {
                    assert!(text[check.start..].starts_with(check.formula));
                    check.formula
                });
                formulas.collect::<Vec<_>>().join(" | ")
            }
            Err(finding) => {
                let at = finding.primary.as_ref().expect("a place").span;
                format!("{} at {:?}", finding.message, map.snippet(at))
            }
        }
    }

    #[test]
    fn every_check_is_read() {
        assert_eq!(read("CHECK( init(main()), LTL(G a) )"), "G a");
        assert_eq!(
            read(
                "// two\nCHECK(init(main()),LTL(G \"a)\"))\n\n CHECK ( init ( main ( ) ) , LTL ( F (b) ) ) // end"
            ),
            "G \"a)\" |  F (b) "
        );
    }

    #[test]
    fn what_is_no_part_of_a_check_is_an_error() {
        let rest = "CHECK( init(main()), LTL(G a) & LTL(G b) )";
        assert_eq!(read(rest), "`)` is expected here at \"&\"");
        let after = "CHECK( init(main()), LTL(G a) ) garbage";
        assert_eq!(read(after), "`CHECK` is expected here at \"garbage\"");
        let before = "garbage CHECK( init(main()), LTL(G a) )";
        assert_eq!(read(before), "`CHECK` is expected here at \"garbage\"");
        let entry = "CHECK( init(foo()), LTL(G a) )";
        let message = "runs start with `main`, not with another function at \"foo\"";
        assert_eq!(read(entry), message);
        assert_eq!(
            read("// nothing\n"),
            "there is no property in this file at \"// nothing\\n\""
        );
        let open = "CHECK( init(main()), LTL(G (a) ";
        assert_eq!(
            read(open),
            "the bracket of this formula is never closed at \"(\""
        );
        let end = "CHECK( init(main()), LTL(G a)";
        assert_eq!(read(end), "the file ends where `)` is expected at \"\"");
        let mixed = "CHECK( init(main()), LTL(G a) ) CHECK( init(main()), LTL(G ! overflow) )";
        assert_eq!(
            read(mixed),
            "`G ! overflow` stands in a file of its own at \"G ! overflow\""
        );
    }
}
