//! docs/temporal-logic.md is right: each of its runs satisfies, or violates, the formula above it.

use std::process::Command;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/temporal-logic.md");
    std::fs::read_to_string(path).expect("the page is there")
}

/// What stands in the backquotes of a line that starts with this word.
fn quoted<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(&format!("- {word}: `"))?;
    rest.strip_suffix('`')
}

#[test]
fn the_runs_of_the_page_do_what_it_says() {
    let text = page();
    let mut formula = None;
    let mut seen = [0, 0];
    for line in text.lines() {
        if let Some(found) = quoted(line, "formula") {
            formula = Some(found);
        }
        for (at, word) in ["yes", "no"].into_iter().enumerate() {
            let Some(run) = quoted(line, word) else {
                continue;
            };
            let formula = formula.expect("a formula stands above its runs");
            let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
                .args(["ltl", formula, "--word", run])
                .output()
                .expect("the binary runs");
            let answer = String::from_utf8_lossy(&output.stdout);
            assert_eq!(answer.trim(), word, "{formula} on {run}");
            seen[at] += 1;
        }
    }
    let requirements = text.lines().filter(|line| line.starts_with("### "));
    assert_eq!(requirements.count(), 12);
    assert_eq!(seen, [14, 14]);
}
