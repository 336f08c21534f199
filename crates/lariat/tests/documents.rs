//! The commands in the README and in the documents print what stands below them.
//!
//! In a block of a page, a line `$ lariat …` is run from the top of the project, and the lines up to the next command (or the
//! end of the block) are what it must print, on standard output, on standard error, or on both; a line `…` stands for any number of lines. A command with nothing below it
//! must end without an error. Commands that print times, or that write files, are left out and named here.

use std::path::Path;
use std::process::Command;

/// What is not run, with the reason.
const LEFT_OUT: [(&str, &str); 4] = [
    ("buffer.aag", "writes a file and reads it"),
    ("lariat compare", "prints times"),
    ("--harness", "writes a file and goes on with a compiler"),
    (
        "check coolant.c",
        "shows a program that stands above it in the text",
    ),
];

#[test]
fn documents_show_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md"), root.join("examples/README.md")];
    let docs = std::fs::read_dir(root.join("docs")).expect("the documents");
    pages.extend(docs.map(|entry| entry.expect("a readable folder").path()));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let (mut n_run, mut wrong) = (0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        for (command, expected) in commands(&text) {
            if LEFT_OUT.iter().any(|(part, _)| command.contains(part)) {
                continue;
            }
            n_run += 1;
            if let Err(why) = check(&root, command, &expected) {
                wrong.push(format!("{}: {command}\n{why}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(n_run >= 12, "only {n_run} commands were found");
}

/// The commands of a page with the lines below each.
fn commands(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut in_block = false;
    let mut in_command = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            in_command = false;
        } else if in_block && let Some(command) = line.strip_prefix("$ ") {
            in_command = command.starts_with("lariat ");
            if in_command {
                found.push((command, Vec::new()));
            }
        } else if in_command && let Some((_, expected)) = found.last_mut() {
            expected.push(line);
        }
    }
    found
}

fn check(root: &Path, command: &str, expected: &[&str]) -> Result<(), String> {
    // Quoted arguments are the odd parts.
    let mut arguments: Vec<&str> = Vec::new();
    for (i, part) in command.split('\'').enumerate() {
        if i % 2 == 1 {
            arguments.push(part);
        } else {
            arguments.extend(part.split_whitespace());
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(&arguments[1..])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    let [out, err] = [&output.stdout, &output.stderr].map(|part| String::from_utf8_lossy(part));
    let shown = format!("{out}{err}");
    let end = expected.iter().rposition(|line| !line.is_empty());
    let expected = &expected[..end.map_or(0, |end| end + 1)];
    if expected.is_empty() {
        let code = output.status.code();
        return match code {
            Some(0 | 1) => Ok(()),
            _ => Err(format!("ends with {code:?}:\n{shown}")),
        };
    }
    // A page may show the result, or what is said about it, or both.
    let fits = |shown: &str| matches(expected, &shown.trim_end().lines().collect::<Vec<_>>());
    if [&*shown, &out, &err].into_iter().any(fits) {
        Ok(())
    } else {
        Err(format!("prints\n{shown}"))
    }
}

/// Whether lines are those expected, where `…` stands for any number of them.
fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((&"…", rest)) => (0..=actual.len()).any(|skip| matches(rest, &actual[skip..])),
        Some((first, rest)) => {
            let rest_fits = |tail: &[&str]| matches(rest, tail);
            matches!(actual.split_first(), Some((line, tail)) if line == first && rest_fits(tail))
        }
    }
}
