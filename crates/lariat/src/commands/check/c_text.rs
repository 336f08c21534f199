//! What the text of a C program says by itself: where its comments, braces and calls are.
//!
//! The program has been read already; this is for writing it again with small changes, where the places
//! of statements matter and nothing else.

use std::ops::Range;

/// The text of a program with its structure.
pub struct CText {
    /// The text with comments, string and character literals and directives as blanks.
    masked: Vec<u8>,
    /// How many braces are open before each byte, and how many brackets inside of them.
    depth: Vec<(u16, u16)>,
}

impl CText {
    /// Looks through a text.
    pub fn new(text: &str) -> Self {
        let masked = mask(text.as_bytes());
        let mut depth = Vec::with_capacity(masked.len() + 1);
        let (mut braces, mut brackets) = (0u16, 0u16);
        for &byte in &masked {
            if byte == b'}' {
                braces = braces.saturating_sub(1);
            }
            depth.push((braces, brackets));
            match byte {
                b'{' => braces = braces.saturating_add(1),
                b'(' => brackets = brackets.saturating_add(1),
                b')' => brackets = brackets.saturating_sub(1),
                _ => {}
            }
        }
        depth.push((braces, brackets));
        Self { masked, depth }
    }

    /// Whether a place lies outside of all functions and parameter lists.
    pub fn is_global(&self, at: usize) -> bool {
        self.depth.get(at) == Some(&(0, 0))
    }

    /// The text without comments and directives.
    pub fn code(&self, range: Range<usize>) -> &[u8] {
        self.masked.get(range).unwrap_or(&[])
    }

    /// The last byte of code before a place, with its place.
    pub fn before(&self, at: usize) -> Option<(usize, u8)> {
        let end = at.min(self.masked.len());
        let found = (0..end)
            .rev()
            .find(|&i| !self.masked[i].is_ascii_whitespace());
        found.map(|i| (i, self.masked[i]))
    }

    /// The first byte of code from a place on, with its place.
    pub fn after(&self, at: usize) -> Option<(usize, u8)> {
        let mut rest = at..self.masked.len();
        let found = rest.find(|&i| !self.masked[i].is_ascii_whitespace());
        found.map(|i| (i, self.masked[i]))
    }

    /// The word that ends before a place, blanks aside.
    pub fn word_before(&self, at: usize) -> &[u8] {
        let Some((last, _)) = self.before(at) else {
            return &[];
        };
        let mut start = last + 1;
        while start > 0 && is_part(self.masked[start - 1]) {
            start -= 1;
        }
        &self.masked[start..=last]
    }

    /// The calls `name(…)` of functions inside of functions, for the names that are asked for.
    pub fn calls(&self, is_asked: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for (word, start) in self.words(0..self.masked.len()) {
            if self.depth[start].0 == 0 || !is_asked(&word) {
                continue;
            }
            if let Some(end) = self.call_end(start + word.len()) {
                found.push(start..end);
            }
        }
        found
    }

    /// The end of the brackets that open here, blanks aside.
    fn call_end(&self, at: usize) -> Option<usize> {
        let (open, b'(') = self.after(at)? else {
            return None;
        };
        let inside = self.depth[open].1;
        let rest = open + 1..self.masked.len();
        let mut closing = rest.filter(|&i| self.masked[i] == b')');
        // A closing bracket still counts as inside of what it closes.
        closing
            .find(|&i| self.depth[i].1 == inside + 1)
            .map(|i| i + 1)
    }

    /// The names that are followed by `(` in a part of the text.
    pub fn called_names(&self, range: Range<usize>) -> Vec<String> {
        let mut names = Vec::new();
        for (word, start) in self.words(range) {
            if matches!(self.after(start + word.len()), Some((_, b'('))) {
                names.push(word);
            }
        }
        names
    }

    /// Whether a text is one call: a name, brackets, nothing else.
    pub fn is_call(&self, range: &Range<usize>) -> bool {
        let first = self.words(range.clone()).into_iter().next();
        first.is_some_and(|(word, start)| {
            start == range.start && self.call_end(start + word.len()) == Some(range.end)
        })
    }

    /// Whether the program defines a function of this name.
    pub fn defines(&self, name: &str) -> bool {
        self.mentions(name)
            .any(|(_, end)| matches!(self.after(end), Some((_, b'{'))))
    }

    /// What stands before the name where a function is declared: the type of its result.
    pub fn declared_type(&self, name: &str) -> Option<String> {
        let (start, _) = self.mentions(name).next()?;
        let from = self.item_start(start);
        let text = String::from_utf8_lossy(&self.masked[from..start]).into_owned();
        let words = text.split_whitespace();
        let words: Vec<&str> = words
            .filter(|word| !matches!(*word, "extern" | "static" | "inline"))
            .collect();
        let plain = |word: &&str| word.bytes().all(is_part);
        (!words.is_empty() && words.iter().all(plain)).then(|| words.join(" "))
    }

    /// Where a function's name stands outside of functions: its start and the end of its brackets.
    fn mentions(&self, name: &str) -> impl Iterator<Item = (usize, usize)> {
        let words = self.words(0..self.masked.len()).into_iter();
        let own = words.filter(move |(word, start)| word == name && self.is_global(*start));
        own.filter_map(|(word, start)| Some((start, self.call_end(start + word.len())?)))
    }

    /// The start of the declaration or definition outside of functions that a place lies in.
    pub fn item_start(&self, at: usize) -> usize {
        let is_end = |i: usize| {
            let (braces, brackets) = self.depth[i];
            brackets == 0 && braces == 0 && matches!(self.masked[i], b';' | b'}')
        };
        let end = (0..at).rev().find(|&i| is_end(i));
        let start = end.map_or(0, |end| end + 1);
        self.after(start).map_or(start, |(first, _)| first)
    }

    /// The name of the function that a place lies in.
    pub fn function_at(&self, at: usize) -> Option<String> {
        let start = self.item_start(at);
        let open = (start..at).find(|&i| self.masked[i] == b'(')?;
        let name = self.word_before(open);
        Some(String::from_utf8_lossy(name).into_owned())
    }

    fn words(&self, range: Range<usize>) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end.min(self.masked.len()) {
            if !is_part(self.masked[at]) {
                at += 1;
                continue;
            }
            let start = at;
            while at < range.end && at < self.masked.len() && is_part(self.masked[at]) {
                at += 1;
            }
            if !self.masked[start].is_ascii_digit() {
                let word = String::from_utf8_lossy(&self.masked[start..at]).into_owned();
                found.push((word, start));
            }
        }
        found
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Blanks in the place of comments, literals and directives; line ends stay.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let mut at = 0;
    let mut line_is_blank = true;
    while at < text.len() {
        let end = match (text[at], text.get(at + 1)) {
            (b'/', Some(b'/')) => line_end(text, at),
            (b'/', Some(b'*')) => {
                let close = text[at + 2..].windows(2).position(|two| two == b"*/");
                close.map_or(text.len(), |close| at + 2 + close + 2)
            }
            (quote @ (b'"' | b'\''), _) => literal_end(text, at, quote),
            (b'#', _) if line_is_blank => line_end(text, at),
            (byte, _) => {
                line_is_blank = byte == b'\n' || line_is_blank && byte.is_ascii_whitespace();
                at += 1;
                continue;
            }
        };
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    out
}

/// The end of a line that goes on after a backslash.
fn line_end(text: &[u8], from: usize) -> usize {
    let ends = |i: &usize| text[*i] == b'\n' && text[*i - 1] != b'\\';
    (from + 1..text.len()).find(ends).unwrap_or(text.len())
}

fn literal_end(text: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < text.len() && text[at] != quote && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::CText;

    const PROGRAM: &str = "\
// int hidden(void) { }
#define TWICE(x) ((x) + (x))
extern unsigned char sensor(void), *p;
int g; /* } */
static int f(int a) { return sensor() + f2(\")\"); }
int main(void) { g = f(TWICE(1)); }
";

    #[test]
    fn finds_its_way() {
        let text = CText::new(PROGRAM);
        let at = |what: &str| PROGRAM.find(what).expect("it is there");
        assert!(text.is_global(at("g;")) && !text.is_global(at("a)")));
        let calls = text.calls(|name| name == "sensor" || name == "f2");
        let calls: Vec<&str> = calls.into_iter().map(|range| &PROGRAM[range]).collect();
        assert_eq!(calls, ["sensor()", "f2(\")\")"]);
        assert!(text.defines("f") && !text.defines("sensor") && !text.defines("hidden"));
        assert_eq!(
            text.declared_type("sensor").as_deref(),
            Some("unsigned char")
        );
        assert_eq!(text.function_at(at("sensor()")).as_deref(), Some("f"));
        assert_eq!(text.item_start(at("return")), at("static"));
        assert_eq!(text.called_names(at("g = ")..at("; }\n")), ["f2"; 0]);
    }
}
