//! Standard output as every command uses it: buffered, and an error is an error, not a panic.

use std::io::{self, BufWriter, Stdout, Write};

/// Where results go.
pub struct Output {
    writer: BufWriter<Stdout>,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            writer: BufWriter::with_capacity(1 << 16, io::stdout()),
        }
    }

    /// Writes text.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes())
    }

    /// Writes a line.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.text(line)?;
        self.text("\n")
    }

    /// Writes a value as indented JSON.
    pub fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.writer, value)?;
        self.text("\n")
    }

    /// Hands everything on to the reader.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
