//! `cargo xtask tidy`: what a reader of this repository may rely on, checked.
//!
//! - Every Rust file opens with `//!` and has at most [`MAX_LINES`] lines.
//! - No left-over marks (see [`MARKS`]).
//! - Relative links in Markdown files lead to a file, and their anchors to a heading.
//! - Every URL names a host of [`HOSTS`]: no mirror of a package registry gets into the repository.
//! - Every external dependency is explained in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The longest a Rust file may be: beyond it there is more than one idea in it.
const MAX_LINES: usize = 700;

/// Marks of unfinished work, in two halves so that this file does not contain them.
const MARKS: [(&str, &str); 6] = [
    ("TO", "DO"),
    ("FIX", "ME"),
    ("X", "XX"),
    ("todo", "!("),
    ("dbg", "!("),
    ("unimplemented", "!("),
];

/// The hosts that a URL in the repository may name.
const HOSTS: [&str; 13] = [
    "arxiv.org",
    "choosealicense.com",
    "doc.rust-lang.org",
    "docs.rs",
    "doi.org",
    "github.com",
    "inf.mit.bme.hu",
    "json-schema.org",
    "owl.model.in.tum.de",
    "smt-lib.org",
    "spot.lre.epita.fr",
    "www.apache.org",
    // The namespace of SVG pictures.
    "www.w3.org",
];

/// Runs the subcommand.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!(
            "unknown option {arg}\ncargo xtask tidy takes no options"
        ));
    }
    let found = check(&tracked()?)?;
    for line in &found {
        eprintln!("{line}");
    }
    match found.len() {
        0 => Ok(()),
        n => Err(format!("tidy found {n} problem(s)")),
    }
}

/// The files of the working tree that git does not ignore.
fn tracked() -> Result<Vec<PathBuf>, String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|e| format!("git ls-files: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let names = String::from_utf8_lossy(&output.stdout);
    let mut files: Vec<PathBuf> = names.lines().map(PathBuf::from).collect();
    files.retain(|file| file.is_file());
    Ok(files)
}

fn check(files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for file in files {
        // Bytes that are no text are test data of the parsers.
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        match file.extension().and_then(|e| e.to_str()) {
            Some("rs") => rust_file(file, &text, &mut found),
            Some("md") => markdown_file(file, &text, &mut found),
            _ => {}
        }
        urls(file, &text, &mut found);
    }
    dependencies(&mut found)?;
    Ok(found)
}

fn rust_file(file: &Path, text: &str, found: &mut Vec<String>) {
    let file = file.display();
    if !text.starts_with("//!") && !text.starts_with("#![") {
        found.push(format!(
            "{file}:1: does not open with `//!`: say what the file is for"
        ));
    } else if !text.lines().take(5).any(|line| line.starts_with("//!")) {
        found.push(format!("{file}:1: has no `//!` in its first lines"));
    }
    let n_lines = text.lines().count();
    if n_lines > MAX_LINES {
        found.push(format!(
            "{file}: {n_lines} lines, more than {MAX_LINES}: split it"
        ));
    }
    for (number, line) in text.lines().enumerate() {
        for (head, tail) in MARKS {
            let mark = [head, tail].concat();
            let is_word_byte = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            let stands_alone = |(at, _): (usize, &str)| {
                let before = at.checked_sub(1).map(|i| line.as_bytes()[i]);
                let after = line.as_bytes().get(at + mark.len()).copied();
                !before.is_some_and(is_word_byte)
                    && (mark.ends_with('(') || !after.is_some_and(is_word_byte))
            };
            if line.match_indices(&mark).any(stands_alone) {
                found.push(format!("{file}:{}: left-over {mark}", number + 1));
            }
        }
    }
}

/// Checks the targets of `[text](target)` outside of code.
fn markdown_file(file: &Path, text: &str, found: &mut Vec<String>) {
    let folder = file.parent().unwrap_or(Path::new(""));
    for (number, line) in prose(text) {
        for target in links(&line) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() {
                file.to_path_buf()
            } else {
                folder.join(path)
            };
            if !path.exists() {
                found.push(format!(
                    "{}:{number}: {target} leads nowhere",
                    file.display()
                ));
            } else if !anchor.is_empty() && !has_anchor(&path, anchor) {
                found.push(format!(
                    "{}:{number}: {target} has no such heading",
                    file.display()
                ));
            }
        }
    }
}

/// The lines outside of fenced code, numbered from 1, without their `code`.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let plain = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            lines.push((index + 1, plain));
        }
    }
    lines
}

/// The targets of the links in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// Whether a Markdown file has a heading with this anchor, as code hosts make them.
fn has_anchor(file: &Path, anchor: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(file) else {
        return false;
    };
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#'))
        .any(|heading| slug(heading) == anchor)
}

fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let plain: String = heading.trim().chars().filter(kept).collect();
    plain.to_lowercase().replace(' ', "-")
}

fn urls(file: &Path, text: &str, found: &mut Vec<String>) {
    for (number, line) in text.lines().enumerate() {
        for rest in line.split("://").skip(1) {
            let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
            let host = rest.split(|c| !is_host(c)).next().unwrap_or("");
            if host.contains('.') && !HOSTS.contains(&host.trim_end_matches('.')) {
                let place = format!("{}:{}", file.display(), number + 1);
                found.push(format!(
                    "{place}: {host} is not a host that we name (see xtask tidy)"
                ));
            }
        }
    }
}

/// Every external crate of the workspace's dependency table stands as `name` in ARCHITECTURE.md.
fn dependencies(found: &mut Vec<String>) -> Result<(), String> {
    let read = |name: &str| std::fs::read_to_string(name).map_err(|e| format!("{name}: {e}"));
    let (manifest, page) = (read("Cargo.toml")?, read("ARCHITECTURE.md")?);
    for name in table_keys(&manifest, "workspace.dependencies") {
        if !name.starts_with("lariat") && !page.contains(&format!("`{name}`")) {
            found.push(format!(
                "ARCHITECTURE.md: no reason is given for the dependency `{name}`"
            ));
        }
    }
    Ok(())
}

/// The keys of one table of a TOML file written one entry a line.
fn table_keys(text: &str, table: &str) -> BTreeSet<String> {
    let header = format!("[{table}]");
    let lines = text
        .lines()
        .skip_while(|line| line.trim() != header)
        .skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .map(|(key, _)| key.trim())
        .filter(|key| {
            key.chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> String {
        let mut found = Vec::new();
        rust_file(Path::new("f.rs"), text, &mut found);
        found.join("\n")
    }

    #[test]
    fn rust_files_say_what_they_are_for() {
        assert_eq!(rust("//! Something.\n"), "");
        assert_eq!(rust("#![no_main]\n//! Something.\n"), "");
        assert_eq!(
            rust("fn main() {}\n"),
            "f.rs:1: does not open with `//!`: say what the file is for"
        );
        assert_eq!(
            rust("#![no_main]\nfn f() {}\n"),
            "f.rs:1: has no `//!` in its first lines"
        );
    }

    #[test]
    fn long_files_and_marks_are_found() {
        let long = format!("//! Long.\n{}", "\n".repeat(MAX_LINES));
        assert_eq!(rust(&long), "f.rs: 701 lines, more than 700: split it");
        for (head, tail) in MARKS {
            let found = rust(&format!("//! A.\n/* {head}{tail} */"));
            assert_eq!(found, format!("f.rs:2: left-over {head}{tail}"));
            assert_eq!(rust(&format!("//! A.\n/* not{head}{tail} */")), "");
        }
    }

    #[test]
    fn urls_name_known_hosts() {
        let hosts = |text: &str| {
            let mut found = Vec::new();
            urls(Path::new("f"), text, &mut found);
            found.len()
        };
        assert_eq!(hosts("see https://github.com/x and file:///tmp"), 0);
        assert_eq!(hosts(&format!("see http:/{}", "/mirror.example/simple")), 1);
    }

    #[test]
    fn links_outside_of_code_are_seen() {
        let text = "a [b](c.md) `[d](e)`\n```\n[f](g)\n```\n[h](#i-j)";
        let lines = prose(text);
        let seen: Vec<&str> = lines.iter().flat_map(|(_, line)| links(line)).collect();
        assert_eq!(seen, ["c.md", "#i-j"]);
        assert_eq!(
            slug(" What a verdict means: `holds`"),
            "what-a-verdict-means-holds"
        );
    }

    #[test]
    fn dependency_tables_are_read() {
        let text = "[a]\nx = 1\n[workspace.dependencies]\nfoo = \"1\"\n# c = d e\nbar-baz = { v = 1 }\n[b]\ny = 2\n";
        let keys: Vec<String> = table_keys(text, "workspace.dependencies")
            .into_iter()
            .collect();
        assert_eq!(keys, ["bar-baz", "foo"]);
    }
}
