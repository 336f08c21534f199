//! A file that a result goes to. It is opened before the work starts, so that a path that cannot be written is known
//! then; what is in it stays there until there is something to write.

use lariat_base::Diagnostic;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The file.
pub struct Target {
    path: PathBuf,
    file: File,
    /// Whether it was made here and nothing has been written to it: then it goes again.
    is_empty: bool,
}

impl Target {
    /// Opens the file, or says why that cannot be.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let is_new = !path.exists();
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| cannot_write(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            is_empty: is_new,
        })
    }

    /// Whether what is written can be written again: a pipe takes a text only once.
    pub fn can_rewrite(&self) -> bool {
        self.file.metadata().is_ok_and(|data| data.is_file())
    }

    /// Makes this all that the file holds.
    pub fn write(&mut self, content: impl AsRef<[u8]>) -> Result<(), Diagnostic> {
        self.is_empty = false;
        self.replace(content.as_ref())
            .map_err(|error| cannot_write(&self.path, &error))
    }

    fn replace(&mut self, content: &[u8]) -> io::Result<()> {
        if self.can_rewrite() {
            self.file.rewind()?;
            self.file.set_len(0)?;
        }
        self.file.write_all(content)?;
        self.file.flush()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.is_empty {
            // Nobody misses an empty file, and nobody is hurt by one.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// That a file cannot be written.
pub fn cannot_write(path: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("cannot write `{}`: {error}", path.display());
    Diagnostic::error("cannot-write", message)
}
