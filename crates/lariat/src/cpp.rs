//! Runs the system's C preprocessor on programs that need one.

use lariat_base::{Diagnostic, SourceFile};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The text after `cc -E`; comments stay, they may hold properties. The text goes through standard input,
/// with the file's folder for what it includes.
pub fn preprocess(file: &SourceFile) -> Result<String, Diagnostic> {
    let folder = std::path::Path::new(&file.name).parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    for compiler in ["cc", "gcc", "clang", "cpp"] {
        let mut command = Command::new(compiler);
        command.args(["-E", "-C", "-x", "c", "-"]);
        if let Some(folder) = folder {
            command.arg("-I").arg(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.stderr(Stdio::piped()).spawn() else {
            continue;
        };
        // The preprocessor reads all before it fails: a broken pipe shows in its status.
        let input = child.stdin.take();
        let text = file.text.clone();
        let writer = std::thread::spawn(move || {
            if let Some(mut input) = input {
                let _ = input.write_all(text.as_bytes());
            }
        });
        let output = child.wait_with_output();
        let _ = writer.join();
        let Ok(output) = output else { continue };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().next().unwrap_or("it gave no reason");
            let message = format!("`{compiler} -E` failed: {first}");
            return Err(Diagnostic::error("preprocessor-failed", message));
        }
        return String::from_utf8(output.stdout).map_err(|_| {
            let message = format!("`{compiler} -E` wrote text that is not UTF-8");
            Diagnostic::error("preprocessor-failed", message)
        });
    }
    let message = "the program needs the C preprocessor, and none was found";
    let hint = "install a C compiler, or check the output of `cc -E` made elsewhere";
    Err(Diagnostic::error("no-preprocessor", message).hint(hint))
}
