//! The page `docs/options.md`, made from the table.
//!
//! `UPDATE_EXPECT=1 cargo test -p lariat --bin lariat options` regenerates it.

use super::print::title;
use super::row::{Default, Kind, Need, Row, Rule, Section};
use super::table::{Opt, TABLE};
use lariat_system::Language;
use std::fmt::Write as _;

const INTRO: &str = "\
# Options

The options of `lariat check` that say how a property is decided. This page is made from the table in
`crates/lariat/src/options`; change it there. [configurations.md](configurations.md) says which values to choose, and why.

Each can stand on the command line (`--domain pred-cart`) or in a file for `--config`, by its name:

```toml
# lariat check model.xsts --config mine.toml
engine = \"cegar\"
domain = \"expl-pred-cart\"
explicit = [\"mode\", \"phase\"]
max-enum = 8
timeout = \"20s\"
```

The command line wins over the file. `lariat check --print-config` prints what is in force with the other options that
are given, as such a file. An option without an effect is an error on the command line. In a file, which may be for
many checks, it is a warning if the engine or the model makes it useless, and it is left out for properties it is not for.
";

/// The text of the page.
fn page() -> String {
    let mut page = INTRO.to_owned();
    let mut section = None;
    for row in &TABLE {
        if section != Some(row.section) {
            section = Some(row.section);
            let _ = write!(page, "\n## {}\n", title(row.section));
        }
        option(&mut page, row);
    }
    page
}

fn option(page: &mut String, row: &Row) {
    let value = match row.kind {
        Kind::Switch => String::new(),
        _ => format!(" {}", row.value_name),
    };
    let _ = write!(page, "\n### `--{}{value}`\n\n{}.\n", row.name, row.help);
    if !row.more.is_empty() {
        let _ = write!(page, "\n{}\n", row.more);
    }
    if !row.choices().is_empty() {
        page.push_str("\n| value | |\n|---|---|\n");
        for choice in row.choices() {
            let _ = writeln!(page, "| `{}` | {} |", choice.name, choice.help);
        }
    }
    page.push('\n');
    match row.default {
        Default::Value(value) => {
            let _ = writeln!(page, "- If not given: `{value}`.");
        }
        Default::Words(words) => {
            let _ = writeln!(page, "- If not given: {words}.");
        }
    }
    for rule in row.effect {
        let _ = writeln!(page, "- {}.", effect(rule));
    }
}

/// When an option has an effect, in words.
fn effect(rule: &Rule) -> String {
    let when = match rule.need {
        Need::Is(opt, values) => format!("only with {}", given(opt, values)),
        Need::Not(opt, values) => format!("not with {}", given(opt, values)),
        Need::Temporal => "only for temporal properties".to_owned(),
        Need::BadStates => "only for properties about bad states".to_owned(),
        Need::Program => "only for a program (CFA, C) or an XSTS by itself".to_owned(),
        Need::Language(languages) => {
            let names: Vec<String> = languages.iter().map(|l| l.name().to_uppercase()).collect();
            format!("only for models in {}", names.join(", "))
        }
    };
    if rule.of.is_empty() {
        format!("Has an effect {when}")
    } else {
        format!("{}: {when}", list(rule.of))
    }
}

/// An option with one of these values.
fn given(opt: Opt, values: &[&str]) -> String {
    let name = opt.row().name;
    match values {
        [value] => format!("`--{name} {value}`"),
        _ => format!("`--{name}` {}", list(values)),
    }
}

fn list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

#[test]
fn the_page_is_what_the_table_says() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");
    let page = page();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(file, page).expect("a writable page");
        return;
    }
    let written = std::fs::read_to_string(file).expect("the page");
    assert!(
        written == page,
        "docs/options.md differs from the table: run `UPDATE_EXPECT=1 cargo test -p lariat --bin lariat options`"
    );
}

#[test]
fn a_row_becomes_a_paragraph() {
    const VALUES: &[super::row::Choice] = &[super::row::Choice::new("a", "The first")];
    const RULES: &[Rule] = &[
        Rule::needs(Need::Temporal, ""),
        Rule::of(&["a"], Need::Language(&[Language::C]), ""),
    ];
    let row = Row::new(Opt::Domain, Section::Engine, "x", Kind::Choice(VALUES))
        .value_name("X")
        .help("What it is")
        .default("a")
        .effect(RULES);
    let mut text = String::new();
    option(&mut text, &row);
    assert_eq!(
        text,
        "\n### `--x X`\n\nWhat it is.\n\n| value | |\n|---|---|\n| `a` | The first |\n\n\
         - If not given: `a`.\n\
         - Has an effect only for temporal properties.\n\
         - `a`: only for models in C.\n"
    );
}
