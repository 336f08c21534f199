//! Files of temporal formulas: one a line, `NAME: FORMULA` or just the formula. Empty lines are skipped, and so are comments:
//! lines, or what follows a blank in a line, from `#` or `//` on.

/// A formula of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed<'t> {
    /// Its name; empty if it has none.
    pub name: &'t str,
    /// Its text.
    pub formula: &'t str,
    /// Where that starts in the file.
    pub at: usize,
}

/// The formulas of a file.
pub fn lines(text: &str) -> Vec<Listed<'_>> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let content = without_comment(line);
        let (name, from) = name(content).unwrap_or(("", 0));
        let formula = content[from..].trim();
        if !formula.is_empty() || !name.is_empty() {
            let blanks = content[from..].len() - content[from..].trim_start().len();
            let at = start + from + blanks;
            all.push(Listed { name, formula, at });
        }
        start += line.len() + 1;
    }
    all
}

/// The line up to a comment that starts it or follows a blank, outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut after_blank = true;
    for (at, c) in line.char_indices() {
        let starts = c == '#' || line[at..].starts_with("//");
        if starts && after_blank && !quoted {
            return &line[..at];
        }
        quoted ^= c == '"';
        after_blank = c.is_whitespace() || c == '\u{feff}';
    }
    line
}

/// The name that a line starts with, and where its formula starts.
fn name(line: &str) -> Option<(&str, usize)> {
    let (name, rest) = line.split_once(':')?;
    let from = name.len() + 1;
    let name = name.trim_start_matches('\u{feff}').trim();
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let is_name = !name.is_empty() && name.chars().all(is_part) && !rest.starts_with(':');
    is_name.then_some((name, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_their_places() {
        let text = "# a list\n\nsafe: G x = 0  // never\r\n  F \"a # b\" # c\nG f::x -> y\nlast.1 :X p\nempty:";
        let found = lines(text);
        let shown: Vec<(&str, &str)> = found.iter().map(|l| (l.name, l.formula)).collect();
        let expected = [
            ("safe", "G x = 0"),
            ("", "F \"a # b\""),
            ("", "G f::x -> y"),
            ("last.1", "X p"),
            ("empty", ""),
        ];
        assert_eq!(shown, expected);
        for listed in found {
            assert!(text[listed.at..].starts_with(listed.formula));
        }
    }
}
