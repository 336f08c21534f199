//! The log of a series: what each case came to, a line each, so that a series that was stopped can go on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;

/// A file of lines `SEED WHAT IT CAME TO`.
pub(super) struct Log {
    /// What the file said when it was opened.
    pub known: BTreeMap<u64, String>,
    file: File,
}

impl Log {
    /// Opens a log, a new one if there is none. A last line that was cut off is not counted.
    pub fn open(path: &str) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{path}: {error}");
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(told(error)),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut known = BTreeMap::new();
        for line in whole.lines() {
            let (seed, said) = line.split_once(' ').ok_or(format!("{path}: {line}"))?;
            let seed = seed.parse().map_err(|_| format!("{path}: {line}"))?;
            known.insert(seed, said.to_owned());
        }
        let open = OpenOptions::new().create(true).append(true).open(path);
        let mut file = open.map_err(told)?;
        if whole.len() < text.len() {
            let cut = file.set_len(whole.len() as u64);
            cut.and_then(|()| file.flush()).map_err(told)?;
        }
        Ok(Self { known, file })
    }

    /// Whether a case is in it.
    pub fn knows(&self, seed: u64) -> bool {
        self.known.contains_key(&seed)
    }

    /// Adds what a case came to.
    pub fn add(&mut self, seed: u64, line: &str) -> Result<(), String> {
        let written = writeln!(self.file, "{seed} {line}");
        written.map_err(|error| format!("the log: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Log;

    #[test]
    fn a_log_is_read_back_and_a_line_that_was_cut_off_is_dropped() {
        let path = std::env::temp_dir().join(format!("lariat-log-{}", std::process::id()));
        let path = path.to_str().expect("a name in letters");
        std::fs::write(path, "3 up holds decided unknown\n4 up ho").expect("it can be written");
        let mut log = Log::open(path).expect("it is a log");
        assert!(log.knows(3) && !log.knows(4));
        log.add(4, "up violated decided decided")
            .expect("it can be written");
        drop(log);
        let known = Log::open(path).map(|log| log.known);
        std::fs::remove_file(path).expect("it is there");
        let known: Vec<(u64, String)> = known.expect("it is a log").into_iter().collect();
        let expected = [
            (3, "up holds decided unknown"),
            (4, "up violated decided decided"),
        ];
        assert_eq!(known, expected.map(|(seed, line)| (seed, line.to_owned())));
    }
}
