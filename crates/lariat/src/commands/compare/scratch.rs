//! A folder for the files of one comparison: what the runs print and report.
//!
//! It is removed at the end, unless a command line that we show refers to a file in it.

use crate::target::cannot_write;
use lariat_base::Diagnostic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder.
pub struct Scratch {
    path: PathBuf,
    /// Where files go that command lines refer to, if not here.
    kept: Option<PathBuf>,
    n_kept: usize,
    keep: bool,
}

impl Scratch {
    /// A new folder among the temporary files. What command lines refer to goes to another one, if that is given.
    pub fn new(kept: Option<PathBuf>) -> Result<Self, Diagnostic> {
        /// More comparisons than this do not run at once under one process number.
        const TRIES: usize = 1000;
        let base = std::env::temp_dir();
        for i in 0..TRIES {
            let path = base.join(format!("lariat-compare-{}-{i}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {
                    return Ok(Self {
                        path,
                        kept,
                        n_kept: 0,
                        keep: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot_write(&path, &error)),
            }
        }
        let error = io::Error::from(io::ErrorKind::AlreadyExists);
        Err(cannot_write(&base, &error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file that command lines refer to.
    pub fn keep_file(
        &mut self,
        name: &str,
        extension: &str,
        text: &str,
    ) -> Result<PathBuf, Diagnostic> {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = name.chars().map(plain).take(80).collect();
        let folder = self.kept.as_ref().unwrap_or(&self.path);
        let path = folder.join(format!("{name}-{}.{extension}", self.n_kept));
        self.n_kept += 1;
        // Another process of the same campaign may be reading it.
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(path);
        }
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| cannot_write(&path, &error))?;
        Ok(path)
    }

    /// Leaves the folder behind if a command line refers to a file in it.
    pub fn keep(&mut self) {
        self.keep = self.n_kept > 0;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            // What cannot be removed does no harm among the temporary files.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
