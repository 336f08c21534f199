//! What standard output is shown on: how wide it is, and whether it has colours. In a pipe it is neither, and lines are
//! as long as they are.

use crate::cli::Color;
use std::io::{self, IsTerminal as _};

/// Tells the worker of a check, which writes to a pipe, what its parent writes to.
pub const SHOWN_ON: &str = "LARIAT_SHOWN_ON_COLUMNS";

/// The screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// How many characters a line has room for.
    columns: Option<usize>,
    colored: bool,
}

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A verdict that is good news.
    Good,
    /// A verdict that is bad news.
    Bad,
    /// No verdict.
    Doubt,
    /// What changed.
    Change,
    /// A title of a part.
    Title,
}

impl Piece {
    /// What a verdict is.
    pub fn of_verdict(verdict: &str) -> Self {
        match verdict {
            "holds" => Self::Good,
            "violated" => Self::Bad,
            _ => Self::Doubt,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Good => "1;32",
            Self::Bad => "1;31",
            Self::Doubt => "1;33",
            Self::Change => "36",
            Self::Title => "1",
        }
    }
}

impl Screen {
    /// What standard output is shown on.
    pub fn new(color: Color) -> Self {
        let handed_on = std::env::var(SHOWN_ON).ok();
        let is_terminal = io::stdout().is_terminal() || handed_on.is_some();
        let said = std::env::var("COLUMNS").ok().or(handed_on);
        let said = said.and_then(|columns| columns.parse().ok());
        let measured = || terminal_size::terminal_size_of(io::stdout()).map(|(w, _)| w.0.into());
        let columns: Option<usize> = said.or_else(measured);
        Self {
            columns: columns.filter(|&columns| columns > 0),
            colored: color.is_wanted(is_terminal),
        }
    }

    /// What the worker of a check is told: nothing if there is no terminal.
    pub fn handed_on() -> Option<String> {
        let columns = terminal_size::terminal_size_of(io::stdout()).map_or(0, |(width, _)| width.0);
        io::stdout().is_terminal().then(|| columns.to_string())
    }

    /// How many characters a line has room for, if that is known.
    pub fn columns(self) -> Option<usize> {
        self.columns
    }

    /// Text in the colour of what it is.
    pub fn paint(self, piece: Piece, text: &str) -> String {
        if self.colored {
            format!("\x1b[{}m{text}\x1b[0m", piece.code())
        } else {
            text.to_owned()
        }
    }

    /// A line in as many lines as it needs; those after the first are indented.
    pub fn wrap(self, line: &str) -> String {
        match self.columns {
            Some(columns) if width(line) > columns => wrapped(line, columns),
            _ => line.to_owned(),
        }
    }
}

/// How far the rest of a line is indented, beyond its beginning.
const HANGING: usize = 4;

fn wrapped(line: &str, columns: usize) -> String {
    let start = line.len() - line.trim_start().len();
    let indent = (start + HANGING).min(columns / 2);
    let mut text = String::new();
    let mut used = 0;
    for (i, word) in line[start..].split(' ').enumerate() {
        let long = width(word);
        if i == 0 {
            text += &line[..start];
            used = start;
        } else if used + 1 + long > columns && used > indent {
            text.push('\n');
            text += &" ".repeat(indent);
            used = indent;
        } else {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += long;
    }
    text
}

/// How many characters are seen of a text: those of colours are not.
fn width(text: &str) -> usize {
    let mut n = 0;
    let mut hidden = false;
    for c in text.chars() {
        match c {
            '\x1b' => hidden = true,
            'm' if hidden => hidden = false,
            _ if hidden => {}
            _ => n += 1,
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wrap_between_words() {
        let screen = |columns, colored| Screen { columns, colored };
        let line = "    1  init: alpha = 1, beta = 2, gamma = 3";
        assert_eq!(screen(None, false).wrap(line), line);
        assert_eq!(
            screen(Some(24), false).wrap(line),
            "    1  init: alpha = 1,\n        beta = 2, gamma\n        = 3"
        );
        let painted = screen(Some(20), true).paint(Piece::Change, "x = 1,");
        assert_eq!(painted, "\x1b[36mx = 1,\x1b[0m");
        assert_eq!(screen(Some(6), true).wrap(&painted), painted);
        // A word that has no room anywhere stays as it is.
        let long = "unbreakable".repeat(9);
        assert_eq!(screen(Some(20), false).wrap(&long), long);
        for columns in 1..30 {
            let wrapped = screen(Some(columns), false).wrap(line);
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(&wrapped), words(line));
        }
    }
}
