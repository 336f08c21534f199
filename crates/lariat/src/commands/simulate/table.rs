//! Rows as a table with aligned columns.

use super::row::Row;
use crate::output::Output;
use crate::screen::Screen;
use lariat_frontend::statement::shorten;
use lariat_verify::Model;
use std::fmt::Write as _;
use std::io;

/// How many rows are aligned together.
const CHUNK: usize = 500;
/// How wide a column may become.
const MAX_NAME: usize = 24;
const MAX_PLACE: usize = 32;
const MAX_DID: usize = 40;
/// Where changes wrap if nobody says how wide a line may be.
const MAX_LINE: usize = 120;
/// More lines of changes than this go below the row, where there is more room.
const MAX_BESIDE: usize = 2;
/// The least room for changes.
const LEAST: usize = 40;
/// How far they are indented there.
const BELOW: usize = 10;

const TITLES: [&str; 5] = ["step", "by", "at", "line", "did"];

/// Collects rows and prints them in chunks.
pub struct Table {
    rows: Vec<[String; 6]>,
    widths: [usize; 5],
    shows_location: bool,
    has_title: bool,
    /// Where changes wrap.
    columns: usize,
}

impl Table {
    /// A table for the steps of a model: locations are shown where there is something to see.
    pub fn new(model: &Model, screen: Screen) -> Self {
        let mut systems = model.systems.iter();
        Self {
            rows: Vec::new(),
            widths: [5, 0, 0, 0, 0],
            shows_location: systems.any(|system| system.language.has_control_flow()),
            has_title: false,
            columns: screen.columns().unwrap_or(MAX_LINE),
        }
    }

    /// A table of a few rows that need no titles.
    pub fn without_title(model: &Model, screen: Screen) -> Self {
        Self {
            has_title: true,
            ..Self::new(model, screen)
        }
    }

    /// Adds a row.
    pub fn row(&mut self, row: Row, out: &mut Output) -> io::Result<()> {
        if let Some(round) = row.round {
            self.finish(out)?;
            out.line(&format!("round {round} of the loop:"))?;
        }
        let star = if row.observed { '*' } else { ' ' };
        let did: Vec<&str> = row.statements.iter().map(|(text, _)| &**text).collect();
        let changes: Vec<String> = row
            .texts
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let location = if self.shows_location {
            row.location
        } else {
            String::new()
        };
        self.rows.push([
            format!("{:>4}{star}", row.step),
            shorten(&row.name, MAX_NAME),
            shorten(&location, MAX_PLACE),
            shorten(&row.line, MAX_PLACE),
            shorten(&did.join("; "), MAX_DID.min(self.columns / 3)),
            changes.join("\n"),
        ]);
        if self.rows.len() == CHUNK {
            self.finish(out)?;
        }
        Ok(())
    }

    /// Prints what has been collected.
    pub fn finish(&mut self, out: &mut Output) -> io::Result<()> {
        for row in &self.rows {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        if !self.has_title {
            self.has_title = true;
            let titles = TITLES.map(str::to_owned);
            for (width, title) in self.widths.iter_mut().zip(&titles) {
                // A column without content needs no title.
                if *width > 0 {
                    *width = (*width).max(title.len());
                }
            }
            let line = self.left(&titles) + "changes";
            out.line(&line)?;
        }
        for row in std::mem::take(&mut self.rows) {
            let [step, name, location, line, did, changes] = row;
            let left = self.left(&[step, name, location, line, did]);
            let mut indent = left.chars().count();
            let mut parts = wrap(&changes, indent, self.columns);
            let is_narrow = indent + LEAST > self.columns && !changes.is_empty();
            if parts.len() > MAX_BESIDE || is_narrow {
                indent = BELOW;
                out.line(left.trim_end())?;
                parts = wrap(&changes, indent, self.columns);
                out.text(&" ".repeat(indent))?;
            } else {
                out.text(if parts[0].is_empty() {
                    left.trim_end()
                } else {
                    &left
                })?;
            }
            let between = "\n".to_owned() + &" ".repeat(indent);
            out.line(&parts.join(&between))?;
        }
        out.flush()
    }

    fn left(&self, cells: &[String; 5]) -> String {
        let mut text = String::new();
        for (cell, &width) in cells.iter().zip(&self.widths).filter(|(_, w)| **w > 0) {
            let _ = write!(text, "{cell:<width$}  ");
        }
        text
    }
}

/// Changes joined by commas, in lines that fit beside `indent` columns; at least one line.
fn wrap(changes: &str, indent: usize, columns: usize) -> Vec<String> {
    let room = columns.saturating_sub(indent).max(LEAST);
    let mut lines = vec![String::new()];
    for change in changes.lines() {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.chars().count() + change.chars().count() + 2 > room {
            line.push(',');
            lines.push(change.to_owned());
        } else {
            if !line.is_empty() {
                line.push_str(", ");
            }
            line.push_str(change);
        }
    }
    lines
}
