//! Runs the system's C preprocessor on programs that need one.

use crate::cli::ModelArgs;
use lariat_base::{Diagnostic, Piece, SourceFile, SourceId, Span};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What programs are preprocessed with.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Folders of headers (`-I`).
    pub folders: &'a [PathBuf],
    /// Macros (`-D`).
    pub macros: &'a [String],
}

impl<'a> Settings<'a> {
    /// Those of the command line.
    pub fn of(args: &'a ModelArgs) -> Self {
        Self {
            folders: &args.include,
            macros: &args.define,
        }
    }
}

/// The text after `cc -E`; comments stay, they may hold properties, and so do the definitions of macros. The text goes
/// through standard input, with the file's folder for what it includes.
pub fn preprocess(
    source: SourceId,
    file: &SourceFile,
    settings: Settings<'_>,
) -> Result<String, Diagnostic> {
    let folder = std::path::Path::new(&file.name).parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    for compiler in ["cc", "gcc", "clang", "cpp"] {
        let mut command = Command::new(compiler);
        command.args(["-E", "-C", "-dD", "-x", "c", "-"]);
        command.args(settings.macros.iter().map(|name| format!("-D{name}")));
        if let Some(folder) = folder {
            command.arg("-I").arg(folder);
        }
        for folder in settings.folders {
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
            return Err(explained(compiler, source, file, &said));
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

/// What the preprocessor said, at its place in the program: `<stdin>:3:10: fatal error: a.h: No such file or directory`.
fn explained(compiler: &str, source: SourceId, file: &SourceFile, said: &str) -> Diagnostic {
    let is_error = |line: &&str| line.contains("error:");
    let line = said.lines().find(is_error).or(said.lines().next());
    let line = line.unwrap_or("it gave no reason");
    let (place, reason) = line.split_once("error:").unwrap_or(("", line));
    let reason = reason.trim();
    let missing = reason.split_once(": No such file").map(|(name, _)| name);
    let missing = missing.or_else(|| reason.strip_suffix("' file not found"));
    let finding = match missing {
        Some(name) => {
            let name = name.trim_start_matches('\'');
            let finding = Diagnostic::error("missing-include", format!("`{name}` is not found"));
            finding.hint("`-I DIR` names a folder of headers")
        }
        None => {
            let message = format!("`{compiler} -E` failed: {reason}");
            Diagnostic::error("preprocessor-failed", message)
        }
    };
    let number = place.strip_prefix("<stdin>:").and_then(|rest| {
        let digits = rest.split(':').next()?;
        digits.parse::<usize>().ok()
    });
    match number.and_then(|number| line_span(source, file, number)) {
        Some(span) => finding.at(span),
        None => finding,
    }
}

/// A line of a file, without the blanks around it.
fn line_span(source: SourceId, file: &SourceFile, number: usize) -> Option<Span> {
    let line = file.text.lines().nth(number.checked_sub(1)?)?;
    let start = line.as_ptr() as usize - file.text.as_ptr() as usize;
    let blanks = line.len() - line.trim_start().len();
    Some(Span::new(
        source,
        start + blanks,
        start + line.trim_end().len(),
    ))
}

/// The parts of a preprocessed text, by its line markers: `# 8 "cfg.h" 1`. What came through standard input is the file
/// of this name.
pub fn pieces(name: &str, text: &str) -> Vec<Piece> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        start += line.len();
        let Some((number, rest)) = line
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        let from = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (Ok(line), Some((from, _))) = (number.parse(), from) else {
            continue;
        };
        let from = if from == "<stdin>" { name } else { from };
        pieces.push(Piece {
            start: start as u32,
            at_line: i + 2,
            name: from.to_owned(),
            line,
            is_unit: false,
        });
    }
    pieces
}
