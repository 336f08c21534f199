//! Source files and places in them.

use crate::IdVec;

crate::id_type!(
    /// One source text: a file, a formula of the command line, a property file.
    pub struct SourceId, "src"
);

/// A half-open byte range of one source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `source`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        Self {
            source,
            start: start as u32,
            end: end as u32,
        }
    }

    /// From the start of `self` to the end of `other`, which lies in the same text.
    pub fn to(self, other: Self) -> Self {
        Self {
            end: other.end.max(self.end),
            ..self
        }
    }

    /// The range of bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A source text with its name.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user wrote it, or a name such as `<ltl>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Where parts of the text come from, in their order, if it was put together from files.
    pub pieces: Vec<Piece>,
}

/// A part of a text that was put together, up to the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its first byte.
    pub start: u32,
    /// The line of the whole text that it starts with.
    pub at_line: usize,
    /// The file that it comes from.
    pub name: String,
    /// The line there.
    pub line: usize,
    /// Whether one of the files that were given starts here, which are read one by one.
    pub is_unit: bool,
}

impl SourceFile {
    /// The part that a byte belongs to.
    fn piece(&self, offset: u32) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= offset);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// The files that were given and make up the text, with their names; the whole text if it is one file.
    pub fn units(&self) -> Vec<(&str, std::ops::Range<usize>)> {
        let starts: Vec<&Piece> = self.pieces.iter().filter(|piece| piece.is_unit).collect();
        if starts.is_empty() {
            return vec![(&self.name, 0..self.text.len())];
        }
        let ends = starts[1..].iter().map(|piece| piece.start as usize);
        let ends = ends.chain([self.text.len()]);
        let starts = starts.iter().zip(ends);
        starts
            .map(|(piece, end)| (&*piece.name, piece.start as usize..end))
            .collect()
    }

    /// The file that a byte comes from: this one, or the one of its part.
    pub fn name_at(&self, offset: u32) -> &str {
        self.piece(offset).map_or(&self.name, |piece| &piece.name)
    }

    /// The line in that file of a byte in the given line of the whole text.
    pub fn line_there(&self, offset: u32, line: usize) -> usize {
        self.piece(offset)
            .map_or(line, |piece| line - piece.at_line + piece.line)
    }

    /// Line and column (both from 1, the column in characters) of a byte offset, in the file that it comes from.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let (line, column) = self.line_column_here(offset);
        (self.line_there(offset, line), column)
    }

    /// The same in the whole text.
    pub fn line_column_here(&self, offset: u32) -> (usize, usize) {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

/// All source texts of one run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IdVec<SourceId, SourceFile>,
}

impl SourceMap {
    /// No texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text; spans hold 32-bit offsets, so it must be shorter than 4 GiB.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.add_pieces(name, text, Vec::new())
    }

    /// Adds a text that was put together from files.
    pub fn add_pieces(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        pieces: Vec<Piece>,
    ) -> SourceId {
        let text = text.into();
        assert!(
            u32::try_from(text.len()).is_ok(),
            "the caller refuses texts of 4 GiB and more"
        );
        self.files.push(SourceFile {
            name: name.into(),
            text,
            pieces,
        })
    }

    /// The text of `id`.
    pub fn file(&self, id: SourceId) -> &SourceFile {
        &self.files[id]
    }

    /// All texts, in the order in which they came.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// `name:line:column` of the start of a span.
    pub fn describe(&self, span: Span) -> String {
        let file = self.file(span.source);
        let (line, column) = file.line_column(span.start);
        format!("{}:{line}:{column}", file.name_at(span.start))
    }

    /// The text under a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.file(span.source).text.get(span.range()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_files_that_a_text_was_put_together_from() {
        let piece = |start, at_line, name: &str, line| Piece {
            start,
            at_line,
            name: name.into(),
            line,
            is_unit: false,
        };
        let mut map = SourceMap::new();
        let pieces = vec![piece(4, 3, "a.h", 1), piece(11, 6, "m.c", 7)];
        let id = map.add_pieces("m.c", "xx\n\nyy\nyy\n\nzz\nzz\n", pieces);
        let at = |offset| map.describe(Span::new(id, offset, offset + 1));
        assert_eq!(at(0), "m.c:1:1");
        assert_eq!(at(4), "a.h:1:1");
        assert_eq!(at(8), "a.h:2:2");
        assert_eq!(at(11), "m.c:7:1");
        assert_eq!(at(14), "m.c:8:1");
    }

    #[test]
    fn units_are_the_files_that_were_given() {
        let piece = |start, name: &str, is_unit| Piece {
            start,
            at_line: 1,
            name: name.into(),
            line: 1,
            is_unit,
        };
        let mut map = SourceMap::new();
        let one = map.add("m.c", "text");
        assert_eq!(map.file(one).units(), [("m.c", 0..4)]);
        let pieces = vec![
            piece(0, "a.c", true),
            piece(2, "a.h", false),
            piece(5, "b.c", true),
        ];
        let two = map.add_pieces("a.c", "01234567", pieces);
        assert_eq!(map.file(two).units(), [("a.c", 0..5), ("b.c", 5..8)]);
    }

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let mut map = SourceMap::new();
        let id = map.add("m", "ab\nçd\n");
        let at = |offset| map.file(id).line_column(offset);
        assert_eq!(
            (at(0), at(1), at(3), at(5), at(99)),
            ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1))
        );
        assert_eq!(map.describe(Span::new(id, 5, 6)), "m:2:2");
        assert_eq!(map.snippet(Span::new(id, 5, 6)), "d");
    }
}
