//! Many programs in one file, through the system's C compiler.

use super::{CProgram, MAX_TRACE};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Why there are no traces.
#[derive(Debug)]
pub enum CompilerError {
    /// There is no C compiler.
    Missing,
    /// It refused the programs, or they did not run to their end: what was said.
    Failed(String),
}

/// Compiles and runs the programs; for each the lines of its trace. Files are written to `folder`.
/// With `sanitize`, the compiler adds checks for undefined behaviour.
pub fn run_compiled(
    programs: &[CProgram],
    folder: &Path,
    sanitize: bool,
) -> Result<Vec<Vec<String>>, CompilerError> {
    let failed =
        |what: &str, error: std::io::Error| CompilerError::Failed(format!("{what}: {error}"));
    let (source, binary) = (folder.join("programs.c"), folder.join("programs"));
    std::fs::write(&source, whole_file(programs)).map_err(|e| failed("cannot write", e))?;
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-O0", "-w", "-o"]);
    command.arg(&binary).arg(&source);
    if sanitize {
        command.args(["-fsanitize=undefined", "-fno-sanitize-recover=all"]);
    }
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(CompilerError::Missing);
        }
        other => other.map_err(|e| failed("cannot run cc", e))?,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(CompilerError::Failed(said));
    }
    let output = Command::new(&binary).output();
    let output = output.map_err(|e| failed("cannot run the programs", e))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let text = String::from_utf8_lossy(&output.stdout);
        let at = text.lines().rfind(|line| line.starts_with("program"));
        let at = at.unwrap_or("no program");
        let message = format!("{at} ended with {}: {said}", output.status);
        return Err(CompilerError::Failed(message));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut traces: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("program") {
            traces.push(Vec::new());
        } else if let Some(last) = traces.last_mut() {
            last.push(line.trim_end().to_owned());
        }
    }
    Ok(traces)
}

fn whole_file(programs: &[CProgram]) -> String {
    let mut text = String::from("#include <setjmp.h>\n#include <stdio.h>\n\n");
    let _ = write!(
        text,
        "static jmp_buf enough;\nstatic int n_traced;\n\
         static void traced(void) {{\n    printf(\"\\n\");\n    \
         if (++n_traced >= {MAX_TRACE}) longjmp(enough, 1);\n}}\n\n"
    );
    for program in programs {
        text.push_str(&program.as_part());
    }
    text.push_str("int main(void) {\n");
    for program in programs {
        let entry = program.entry();
        let _ = writeln!(
            text,
            "    printf(\"program {entry}\\n\"); n_traced = 0; fflush(stdout);\n    \
             if (!setjmp(enough)) {entry}();"
        );
    }
    text.push_str("    return 0;\n}\n");
    text
}
