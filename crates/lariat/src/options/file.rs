//! The configuration file: any option of the table by its name, as TOML.
//!
//! All mistakes are collected, each at its place. The file is read again by the worker of a check, so it must
//! be one that can be: no pipe.

use super::row::{Kind, Row};
use super::table::TABLE;
use super::values::{Origin, Value, Values};
use super::words::advice;
use crate::load::read;
use lariat_base::{Diagnostic, SourceId, SourceMap, Span, nearest};
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The options that a file sets.
pub fn read_config(sources: &mut SourceMap, path: &Path) -> Result<Values, Vec<Diagnostic>> {
    let name = path.display().to_string();
    if path.exists() && !path.is_file() || name == "-" {
        let message = format!("the configuration `{name}` is no plain file");
        let finding = Diagnostic::error("unreadable-file", message);
        let hint = "it is read more than once: save it to a file";
        return Err(vec![finding.hint(hint)]);
    }
    let text = read(path)?;
    let source = sources.add(name, text.clone());
    parse(source, &text)
}

/// The options that a text sets.
pub fn parse(source: SourceId, text: &str) -> Result<Values, Vec<Diagnostic>> {
    let at = |range: Range<usize>| Span::new(source, range.start, range.end);
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut findings: Vec<Diagnostic> = Vec::new();
    for error in errors {
        let finding = Diagnostic::error("bad-toml", format!("no TOML: {}", error.message()));
        findings.push(match error.span() {
            Some(range) => finding.at(at(range)),
            None => finding,
        });
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut settings: Vec<_> = table.into_inner().into_iter().collect();
    settings.sort_by_key(|(key, _)| key.span().start);
    let mut values = Values::default();
    for (key, value) in settings {
        let name = key.get_ref();
        let Some(row) = TABLE.iter().find(|row| row.name == name) else {
            findings.push(unknown(name).at(at(key.span())));
            continue;
        };
        match read_value(row, value.get_ref()) {
            Ok(None) => {}
            Ok(Some(read)) => {
                let place = Span::new(source, key.span().start, value.span().end);
                values.set(row.opt, read, Origin::File(place));
            }
            Err(finding) => findings.push(finding.at(at(value.span()))),
        }
    }
    if findings.is_empty() {
        Ok(values)
    } else {
        Err(findings)
    }
}

fn unknown(name: &str) -> Diagnostic {
    let message = format!("a configuration has no setting `{name}`");
    let near = nearest(name, TABLE.iter().map(|row| row.name));
    Diagnostic::error("unknown-setting", message)
        .maybe_hint(near.map(|near| format!("did you mean `{near}`?")))
}

/// The value of an option; nothing for a switch that is off.
fn read_value(row: &Row, value: &DeValue<'_>) -> Result<Option<Value>, Diagnostic> {
    let name = row.name;
    let wrong = |hint: String| {
        let message = format!("`{name}` is {}", describe(&row.kind));
        Err(Diagnostic::error("bad-setting", message).hint(hint))
    };
    match (row.kind, value) {
        (Kind::Switch, DeValue::Boolean(on)) => Ok(on.then_some(Value::On)),
        (Kind::Switch, _) => wrong(format!("write `{name} = true`")),
        (Kind::Number(most), DeValue::Integer(number)) => {
            let number = u64::from_str_radix(number.as_str(), number.radix());
            match number {
                Ok(number) if number <= most => Ok(Some(Value::Number(number))),
                _ => wrong(format!("it is at least 0 and at most {most}")),
            }
        }
        (Kind::Number(_), _) => wrong(format!("write it without quotes: `{name} = 8`")),
        (Kind::Names, DeValue::Array(items)) => {
            let names: Option<Vec<String>> = items
                .iter()
                .map(|item| item.get_ref().as_str().map(str::to_owned))
                .collect();
            match names {
                Some(names) => Ok((!names.is_empty()).then_some(Value::Names(names))),
                None => wrong(format!("write `{name} = [\"x\", \"y\"]`")),
            }
        }
        (Kind::Names, _) => wrong(format!("write `{name} = [\"x\", \"y\"]`")),
        (kind, DeValue::String(text)) => kind.read(text).map(Some).map_err(|why| {
            let message = format!("`{text}` is no value of `{name}`");
            Diagnostic::error("bad-setting", message).maybe_hint(why.or_else(|| advice(row, text)))
        }),
        (Kind::Time, _) => wrong(format!("write `{name} = \"20s\"`")),
        (Kind::Size, _) => wrong(format!("write `{name} = \"4GiB\"`")),
        (Kind::File, _) => wrong(format!("write `{name} = \"FILE\"`")),
        (Kind::Choice(choices), _) => wrong(format!("write `{name} = \"{}\"`", choices[0].name)),
    }
}

/// What a value must be.
fn describe(kind: &Kind) -> &'static str {
    match kind {
        Kind::Switch => "true or false",
        Kind::Number(_) => "a whole number",
        Kind::Time => "a time in quotes",
        Kind::Size => "a size in quotes",
        Kind::Names => "a list of names in quotes",
        Kind::File => "the name of a file in quotes",
        Kind::Choice(_) => "a word in quotes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::print::{print_config, toml};
    use crate::options::useless::Facts;

    /// What a file sets, or what is wrong with it, each with its place.
    fn check(text: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        let source = sources.add("c.toml", text);
        match parse(source, text) {
            Ok(values) => {
                let line = |(opt, value, _): (super::super::Opt, &Value, _)| {
                    format!("{} = {}", opt.row().name, toml(value))
                };
                values.iter().map(line).collect()
            }
            Err(findings) => findings.into_iter().map(|f| show(&sources, f)).collect(),
        }
    }

    fn show(sources: &SourceMap, finding: Diagnostic) -> String {
        let span = finding.primary.expect("a mistake has a place").span;
        let (place, text) = (sources.describe(span), sources.snippet(span));
        format!("{place} [{text}] {} {:?}", finding.message, finding.hints)
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = "# mine\n\
                    engine = \"cegar\"\n\
                    explicit = [\"x\", 'a\"b']\n\
                    max-enum = 0x10\n\
                    check-interpolants = true\n\
                    record = \"q.smt2\"\n\
                    observe = \"main-entry\"\n\
                    timeout = \"1.5m\"\n\
                    memory = \"0.5GiB\"\n";
        assert_eq!(
            check(text),
            [
                "observe = \"initial\"",
                "engine = \"cegar\"",
                "explicit = [\"x\", \"a\\\"b\"]",
                "max-enum = 16",
                "check-interpolants = true",
                "record = \"q.smt2\"",
                "timeout = \"90s\"",
                "memory = \"512MiB\"",
            ]
        );
        assert!(check("check-interpolants = false\nexplicit = []").is_empty());
    }

    #[test]
    fn mistakes_have_their_places_and_hints() {
        assert_eq!(
            check(
                "domian = \"expl\"\n\
                 domain = \"pred-crat\"\n\
                 search = \"best\"\n\
                 max-enum = \"8\"\n\
                 max-rounds = -1\n\
                 check-interpolants = \"yes\"\n\
                 explicit = \"x\"\n\
                 timeout = 20\n\
                 memory = \"20\"\n\
                 engine = true\n\
                 ltl = \"G x\"\n"
            ),
            [
                "c.toml:1:1 [domian] a configuration has no setting `domian` [\"did you mean `domain`?\"]",
                "c.toml:2:10 [\"pred-crat\"] `pred-crat` is no value of `domain` [\"did you mean `pred-cart`?\"]",
                "c.toml:3:10 [\"best\"] `best` is no value of `search` \
                 [\"it can be scc, ndfs, gdfs, layers, full, bfs, dfs, err-dist\"]",
                "c.toml:4:12 [\"8\"] `max-enum` is a whole number [\"write it without quotes: `max-enum = 8`\"]",
                "c.toml:5:14 [-1] `max-rounds` is a whole number [\"it is at least 0 and at most 9223372036854775807\"]",
                "c.toml:6:22 [\"yes\"] `check-interpolants` is true or false [\"write `check-interpolants = true`\"]",
                "c.toml:7:12 [\"x\"] `explicit` is a list of names in quotes [\"write `explicit = [\\\"x\\\", \\\"y\\\"]`\"]",
                "c.toml:8:11 [20] `timeout` is a time in quotes [\"write `timeout = \\\"20s\\\"`\"]",
                "c.toml:9:10 [\"20\"] `20` is no value of `memory` [\"write a size as `500MiB` or `4GiB`\"]",
                "c.toml:10:10 [true] `engine` is a word in quotes [\"write `engine = \\\"auto\\\"`\"]",
                "c.toml:11:1 [ltl] a configuration has no setting `ltl` []",
            ]
        );
    }

    #[test]
    fn text_that_is_no_toml_is_refused_at_its_place() {
        for (text, place) in [
            ("engine = cegar\n", "c.toml:1:10"),
            ("a = 1\na = 2\n", "c.toml:2:1"),
        ] {
            let found = check(text);
            assert!(
                found[0].starts_with(place) && found[0].contains("no TOML"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_is_printed_reads_back_as_the_same() {
        for text in [
            "",
            "engine = \"cegar\"\ndomain = \"expl-pred-split\"\nexplicit = [\"x\", \"\\\\ \\\" \\u0007\"]\n",
            "engine = \"cegar\"\nsearch = \"full\"\nmax-counterexamples = 3\ncheck-interpolants = true\nrecord = \"a b\"",
            "engine = \"explicit\"\nmax-states = 9\ntimeout = \"1500ms\"\nmemory = \"1.25MiB\"\nobserve = \"macro\"",
            "jobs = 0\nblocks = \"small\"\nslice = \"off\"\nint = \"bitprecise\"\nrecursion = 3\ndeadlock = \"error\"",
        ] {
            let mut sources = SourceMap::new();
            let source = sources.add("c", text);
            let values = parse(source, text).expect("a configuration");
            let printed = print_config(&values);
            let again = parse(source, &printed).expect("it reads back");
            for row in &TABLE {
                assert_eq!(
                    values.in_force(row.opt),
                    again.in_force(row.opt),
                    "{}",
                    row.name
                );
            }
            assert_eq!(print_config(&again), printed);
            let states = Facts::default().for_property(false);
            let useless = |values: &Values| values.without_effect(&states).len();
            assert_eq!(useless(&again), useless(&values), "{printed}");
        }
    }

    #[test]
    fn a_setting_without_effect_is_a_warning_unless_it_is_the_default() {
        let text = "engine = \"explicit\"\ndomain = \"pred-cart\"\nprune = \"lazy\"\n";
        let mut sources = SourceMap::new();
        let source = sources.add("c.toml", text);
        let mut values = parse(source, text).expect("a configuration");
        let found = values.drop_useless(&Facts::default());
        let found: Vec<String> = found.into_iter().map(|f| show(&sources, f)).collect();
        assert_eq!(
            found,
            [
                "c.toml:2:1 [domain = \"pred-cart\"] `domain` has no effect: it is for `--engine cegar` []"
            ]
        );
        assert_eq!(check("")[..], [""; 0]);
    }
}
