//! A folder with models, in which the program is called; it goes with the test.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::Command;

pub const HOLDS: i32 = 0;
pub const VIOLATED: i32 = 1;
pub const WRONG: i32 = 2;
pub const UNKNOWN: i32 = 3;

pub struct Folder(pub PathBuf);

impl Folder {
    /// A folder with files: their names and texts.
    pub fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("lariat-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, text).expect("the model is written");
        }
        Self(path)
    }

    /// Calls the program; its exit code and what it printed.
    pub fn lariat(&self, arguments: &[&str]) -> (Option<i32>, String) {
        lariat(&self.0, arguments)
    }

    /// Checks a model of the folder; what it printed.
    pub fn expect(&self, model: &str, verdict: i32, arguments: &[&str]) -> String {
        let mut all = vec!["check", model, "--timeout", "60s"];
        all.extend(arguments);
        let (code, said) = self.lariat(&all);
        assert_eq!(code, Some(verdict), "{arguments:?}\n{said}");
        said
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Calls the program in a folder; its exit code and what it printed.
pub fn lariat(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = output.expect("the program starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

/// Calls the program where the tests run; its exit code and what it printed.
pub fn call(arguments: &[&str]) -> (Option<i32>, String) {
    lariat(Path::new("."), arguments)
}

/// The path of an example.
pub fn example(name: &str) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(name).display().to_string()
}

/// A folder for what a file of tests writes.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}
