//! Standard output as every command uses it: buffered, and an error is an error, not a panic.
//!
//! Most commands stop when nobody can read what they print. A check does not: its exit code is the verdict, and its report
//! goes to a file. So it asks the output to keep its first error and to drop what comes after it.

use std::io::{self, BufWriter, Stdout, Write};

/// Where results go.
pub struct Output {
    writer: BufWriter<Stdout>,
    /// Whether errors are kept instead of returned, and the first one.
    keeps_errors: bool,
    error: Option<io::Error>,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            writer: BufWriter::with_capacity(1 << 16, io::stdout()),
            keeps_errors: false,
            error: None,
        }
    }

    /// From now on an error is kept, and what is written after it is dropped.
    pub fn keep_errors(&mut self) {
        self.keeps_errors = true;
    }

    /// The error that was kept, if there was one, after everything has been handed on.
    pub fn take_error(&mut self) -> Option<io::Error> {
        let _ = self.flush();
        self.error.take()
    }

    /// Keeps an error that somebody else met with standard output.
    pub fn fail(&mut self, error: Option<io::Error>) {
        self.error = self.error.take().or(error);
    }

    /// Does something with standard output, unless that has failed before.
    fn attempt(
        &mut self,
        what: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.error.is_some() {
            return Ok(());
        }
        match what(&mut self.writer) {
            Err(error) if self.keeps_errors => {
                self.error = Some(error);
                Ok(())
            }
            result => result,
        }
    }

    /// Writes text.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.attempt(|writer| writer.write_all(text.as_bytes()))
    }

    /// Writes a line.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.text(line)?;
        self.text("\n")
    }

    /// Writes a value as indented JSON.
    pub fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        self.attempt(|writer| Ok(serde_json::to_writer_pretty(writer, value)?))?;
        self.text("\n")
    }

    /// Hands everything on to the reader.
    pub fn flush(&mut self) -> io::Result<()> {
        self.attempt(BufWriter::flush)
    }
}
