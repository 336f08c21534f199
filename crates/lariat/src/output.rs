//! Standard output as every command uses it: buffered, and an error is an error, not a panic.
//!
//! Most commands stop when nobody can read what they print. A check does not: its exit code is the verdict, and its report
//! goes to a file. So it asks the output to keep its first error and to drop what comes after it.
//!
//! The process that does the work of a check hands what it prints to its parent, in frames (`commands/check/journal.rs`).

use crate::commands::check::{Frame, Message};
use std::io::{self, BufWriter, Stdout, Write};

/// Where results go.
pub struct Output {
    sink: Sink,
    /// Whether errors are kept instead of returned, and the first one.
    keeps_errors: bool,
    error: Option<io::Error>,
}

enum Sink {
    Stdout(BufWriter<Stdout>),
    /// What the next frame for the parent holds.
    Parent(Vec<u8>),
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            sink: Sink::Stdout(BufWriter::with_capacity(1 << 16, io::stdout())),
            keeps_errors: false,
            error: None,
        }
    }

    /// From now on what is written goes to the parent, in frames.
    pub fn hand_to_parent(&mut self) {
        self.sink = Sink::Parent(Vec::new());
    }

    /// Tells the parent something, with what was printed before.
    pub fn tell(&mut self, news: Message) -> io::Result<()> {
        self.frame(Some(news))
    }

    /// Hands a frame to the parent.
    fn frame(&mut self, news: Option<Message>) -> io::Result<()> {
        let Sink::Parent(printed) = &mut self.sink else {
            return Ok(());
        };
        let print = String::from_utf8_lossy(&std::mem::take(printed)).into_owned();
        let mut frame = serde_json::to_vec(&Frame { print, news })?;
        frame.push(b'\n');
        let mut to = io::stdout().lock();
        to.write_all(&frame).and_then(|()| to.flush())
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

    /// Does something with standard output, unless that has failed before.
    fn attempt(&mut self, what: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.error.is_some() {
            return Ok(());
        }
        let writer: &mut dyn Write = match &mut self.sink {
            Sink::Stdout(writer) => writer,
            Sink::Parent(printed) => printed,
        };
        match what(writer) {
            Err(error) if self.keeps_errors => {
                self.error = Some(error);
                Ok(())
            }
            result => result,
        }
    }

    /// Writes text.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes what need not be text.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.attempt(|writer| writer.write_all(bytes))
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

    /// Writes a value as one line of JSON and hands it on.
    pub fn json_line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        self.attempt(|writer| Ok(serde_json::to_writer(writer, value)?))?;
        self.text("\n")?;
        self.flush()
    }

    /// Hands everything on to the reader.
    pub fn flush(&mut self) -> io::Result<()> {
        match &self.sink {
            Sink::Stdout(_) => self.attempt(|writer| writer.flush()),
            Sink::Parent(printed) if printed.is_empty() => Ok(()),
            Sink::Parent(_) => self.frame(None),
        }
    }
}
