//! Configurations: what they are called, the options they stand for, and where they come from.
//!
//! The name of a built-in configuration is made of the values of its options (`pred-cart/ndfs/direct`), so that every
//! name in a table can be given to `--configs` again. Which options these are, and whether what a user writes (a list or
//! a file) is right, says the table of options, before anything runs.

use crate::options::{BadWord, EngineOptions, Facts, Opt, Row, TABLE, read_config, read_words};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceId, SourceMap, Span, nearest};
use std::path::Path;

/// One way to run a check.
pub struct Configuration {
    /// Its name in the tables.
    pub name: String,
    /// The options of `lariat check` that it stands for.
    pub options: Vec<String>,
    /// The same as the check will understand them.
    pub args: EngineOptions,
    /// Where it was written, with a place for each option; nothing for those of `all`.
    pub place: Option<Place>,
}

/// Where a configuration was written.
pub struct Place {
    /// The whole of it.
    pub whole: Span,
    /// Its words: the span of `options[i]` is `words[i]`, if the user wrote options.
    pub words: Vec<Span>,
}

impl Configuration {
    /// Where an option that a message names in backticks was written.
    pub fn place_of(&self, message: &str) -> Option<Span> {
        let place = self.place.as_ref()?;
        let named = message.split('`').nth(1);
        let at = self.options.iter().position(|word| {
            named.is_some_and(|named| word.split('=').next() == named.split('=').next())
        });
        Some(
            at.and_then(|at| place.words.get(at))
                .copied()
                .unwrap_or(place.whole),
        )
    }
}

/// The searches of `all` for lassos; `full` refines by several lassos at once, which is another question.
const LASSO_SEARCHES: [&str; 3] = ["scc", "ndfs", "gdfs"];

/// The values that an option of `lariat check` can have.
fn values(opt: Opt) -> impl Iterator<Item = &'static str> {
    opt.row().choices().iter().map(|choice| choice.name)
}

/// Every configuration of `--configs all`. Some are for lassos, some for bad states: each is run where it applies.
///
/// For bad states `dfs` comes with sequence interpolation only: how a path is explained and how it was
/// found matter independently enough that the whole product would tell little more.
pub fn all() -> Vec<Configuration> {
    let mut names = vec!["auto".to_owned(), "explicit".to_owned()];
    for domain in values(Opt::Domain) {
        for search in LASSO_SEARCHES {
            let refinements = values(Opt::LassoRefinement);
            names.extend(refinements.map(|refinement| format!("{domain}/{search}/{refinement}")));
        }
    }
    for domain in values(Opt::Domain) {
        let refinements = values(Opt::Refinement);
        names.extend(refinements.map(|refinement| format!("{domain}/bfs/{refinement}")));
        names.push(format!("{domain}/dfs/seq-itp"));
    }
    let build = |name: String| named(&name, None).expect("the built-in names are right");
    let mut all: Vec<Configuration> = names.into_iter().map(build).collect();
    // The predicate domains can make nothing of a set of variables.
    all.retain(|one| one.args.without_effect(&Facts::default()).is_empty());
    all
}

/// The configurations that `--configs` asks for.
pub fn chosen(session: &mut Session, which: &str) -> Result<Vec<Configuration>, Failure> {
    if which == "all" {
        return Ok(all());
    }
    let path = Path::new(which);
    if path.is_file() && !is_toml(path) {
        let text = crate::load::read(path)?;
        let source = session.sources.add(which, text.clone());
        return Ok(from_file(source, &text)?);
    }
    let source = session.sources.add("<configs>", which);
    Ok(from_list(&mut session.sources, source, which)?)
}

/// Configurations by name or TOML file, separated by commas.
fn from_list(
    sources: &mut SourceMap,
    source: SourceId,
    text: &str,
) -> Result<Vec<Configuration>, Vec<Diagnostic>> {
    let (mut found, mut findings) = (Vec::<Configuration>::new(), Vec::new());
    let mut start = 0;
    for item in text.split(',') {
        let name = item.trim();
        let at = start + (item.len() - item.trim_start().len());
        let span = Span::new(source, at, at + name.len());
        start += item.len() + 1;
        let path = Path::new(name);
        let one = if is_toml(path) && path.is_file() {
            from_toml(sources, path, span)
        } else {
            named(name, Some(span)).map_err(|finding| vec![finding])
        };
        match one {
            Ok(configuration) => push(&mut found, configuration, &mut findings),
            Err(wrong) => findings.extend(wrong),
        }
    }
    if findings.is_empty() {
        Ok(found)
    } else {
        Err(findings)
    }
}

fn is_toml(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "toml")
}

/// What `lariat check --config` would read; called as the file is, without its ending.
fn from_toml(
    sources: &mut SourceMap,
    path: &Path,
    whole: Span,
) -> Result<Configuration, Vec<Diagnostic>> {
    let values = read_config(sources, path)?;
    if let Some(at) = values.place(Opt::Record) {
        return Err(vec![refuse_record("record").at(at)]);
    }
    let name = path.file_stem().unwrap_or_default();
    Ok(Configuration {
        name: name.to_string_lossy().into_owned(),
        options: vec!["--config".to_owned(), path.display().to_string()],
        args: EngineOptions::new(&values),
        place: Some(Place {
            whole,
            words: Vec::new(),
        }),
    })
}

/// The finding that a configuration writes what the solver is asked.
fn refuse_record(option: &str) -> Diagnostic {
    let message = format!("`{option}` has no place here: all runs would write the same file");
    Diagnostic::error("useless-option", message)
}

/// Configurations of a file: `name: options` on each line.
fn from_file(source: SourceId, text: &str) -> Result<Vec<Configuration>, Vec<Diagnostic>> {
    let (mut found, mut findings) = (Vec::<Configuration>::new(), Vec::new());
    let mut start = 0;
    for line in text.split('\n') {
        let content = line.split('#').next().unwrap_or_default();
        if !content.trim().is_empty() {
            match from_line(source, start, content) {
                Ok(configuration) => push(&mut found, configuration, &mut findings),
                Err(finding) => findings.push(finding),
            }
        }
        start += line.len() + 1;
    }
    if found.is_empty() && findings.is_empty() {
        let finding = Diagnostic::error("no-configuration", "the file names no configuration");
        findings
            .push(finding.hint("write lines such as `mine: --engine cegar --domain pred-cart`"));
    }
    if findings.is_empty() {
        Ok(found)
    } else {
        Err(findings)
    }
}

/// Keeps a configuration unless its name is taken.
fn push(found: &mut Vec<Configuration>, new: Configuration, findings: &mut Vec<Diagnostic>) {
    let whole = |c: &Configuration| c.place.as_ref().map(|place| place.whole);
    let taken = found.iter().find(|old| old.name == new.name);
    if let (Some(old), Some(span)) = (taken.map(whole), whole(&new)) {
        let message = format!("two configurations are called `{}`", new.name);
        let finding = Diagnostic::error("duplicate-name", message).at(span);
        findings.push(match old {
            Some(old) => finding.also(old, "the first one"),
            None => finding,
        });
        return;
    }
    found.push(new);
}

/// One line of a file; `start` is its offset.
fn from_line(source: SourceId, start: usize, line: &str) -> Result<Configuration, Diagnostic> {
    let span_of = |part: &str| {
        let at = start + (part.as_ptr().addr() - line.as_ptr().addr());
        Span::new(source, at, at + part.len())
    };
    let example = "write `name: options`, such as `mine: --engine cegar --domain pred-cart`";
    let Some((name, rest)) = line.split_once(':') else {
        let message = "a configuration needs a name with a colon after it";
        return Err(Diagnostic::error("no-name", message)
            .at(span_of(line.trim()))
            .hint(example));
    };
    let name = name.trim();
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ',') {
        let message = "the name of a configuration is one word without commas";
        let at = if name.is_empty() { line.trim() } else { name };
        return Err(Diagnostic::error("no-name", message)
            .at(span_of(at))
            .hint(example));
    }
    let options: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    let words: Vec<Span> = rest.split_whitespace().map(span_of).collect();
    let mut args = read_words(&options).map_err(|BadWord { at, message, hint }| {
        let finding = Diagnostic::error("bad-option", message).at(words[at]);
        finding.maybe_hint(hint)
    })?;
    args.imply_engine();
    if args.is_given(Opt::Record) {
        let at = options.iter().position(|word| word.starts_with("--record"));
        let at = at.map_or(span_of(line.trim()), |at| words[at]);
        return Err(refuse_record("--record").at(at));
    }
    Ok(Configuration {
        name: name.to_owned(),
        options,
        args,
        place: Some(Place {
            whole: span_of(line.trim()),
            words,
        }),
    })
}

/// The configuration that a name such as `pred-cart/ndfs/direct` stands for.
fn named(name: &str, span: Option<Span>) -> Result<Configuration, Diagnostic> {
    let options = options_of(name).map_err(|(message, hint)| {
        let finding = Diagnostic::error("unknown-configuration", message).hint(hint);
        span.map_or(finding.clone(), |span| finding.at(span))
    })?;
    let args = read_words(&options).expect("the options of a name are right");
    let place = span.map(|whole| Place {
        whole,
        words: Vec::new(),
    });
    Ok(Configuration {
        name: name.to_owned(),
        options,
        args,
        place,
    })
}

/// The options that a name stands for, or what is wrong with it and what could be written instead.
fn options_of(name: &str) -> Result<Vec<String>, (String, String)> {
    if name == "auto" {
        return Ok(Vec::new());
    }
    let mut words = name.split('/').peekable();
    let engine = if words.next_if_eq(&"explicit").is_some() {
        "explicit"
    } else {
        "cegar"
    };
    let mut options = vec!["--engine".to_owned(), engine.to_owned()];
    for word in words {
        let Some(option) = option_of(word) else {
            let file = if name.contains('.') {
                ", and there is no file of that name"
            } else {
                ""
            };
            let message = format!("`{name}` is no configuration: `{word}` is unknown{file}");
            let vocabulary = parts().flat_map(|row| values(row.opt));
            let hint = match nearest(word, vocabulary) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "join a domain, a search and a refinement by `/`: `pred-cart/scc/direct`; \
                         `auto` and `explicit` stand alone"
                    .to_owned(),
            };
            return Err((message, hint));
        };
        if options.contains(&option) {
            let what = option.trim_start_matches('-').replace('-', " ");
            let message = format!("`{name}` is no configuration: a second {what}, `{word}`");
            return Err((message, "separate configurations by commas".to_owned()));
        }
        options.extend([option, word.to_owned()]);
    }
    Ok(options)
}

/// The options whose values are parts of names.
fn parts() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| row.names_configurations)
}

/// The option that takes this value.
fn option_of(word: &str) -> Option<String> {
    let row = parts().find(|row| values(row.opt).any(|value| value == word))?;
    Some(format!("--{}", row.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configurations of a file with their options, or what is wrong, each with its place.
    fn file(text: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        let source = sources.add("c", text);
        match from_file(source, text) {
            Ok(found) => {
                let line = |c: Configuration| format!("{}: {}", c.name, c.options.join(" "));
                found.into_iter().map(line).collect()
            }
            Err(findings) => {
                let line = |f: Diagnostic| {
                    let span = f.primary.as_ref().expect("a mistake has a place").span;
                    let (place, text) = (sources.describe(span), sources.snippet(span));
                    format!("{place} [{text}] {} {:?}", f.message, f.hints)
                };
                findings.into_iter().map(line).collect()
            }
        }
    }

    #[test]
    fn a_file_has_a_configuration_on_each_line() {
        assert_eq!(
            file("# mine\na: --engine cegar --domain=expl  # values\n\nb:\r\n"),
            ["a: --engine cegar --domain=expl", "b: "]
        );
    }

    #[test]
    fn mistakes_in_a_file_have_their_places() {
        assert_eq!(
            file(
                "a: --engine cegar --domian expl\n\
                 b: --engine cegar --domain exp\n\
                 c: --engine cegar --domain\n\
                 d --engine cegar\n\
                 e: --engine cegar --max-rounds=x\n\
                 f: --engine cegar expl\n\
                 g: --timeout 3s\n\
                 h: --engine auto --engine cegar\n\
                 i: --record f.smt2\n\
                 j:\n\
                 j:"
            ),
            [
                "c:1:19 [--domian] `lariat check` has no option `--domian` for a configuration \
                 [\"did you mean `--domain`?\"]",
                "c:2:28 [exp] `exp` is no value of `--domain` [\"did you mean `expl`?\"]",
                "c:3:19 [--domain] `--domain` needs a value [\"it can be expl, pred-bool, pred-cart, pred-split, \
                 expl-pred-bool, expl-pred-cart, expl-pred-split, value, value-pred-bool, value-pred-cart, value-pred-split, zones\"]",
                "c:4:1 [d --engine cegar] a configuration needs a name with a colon after it [\"write `name: options`, \
                 such as `mine: --engine cegar --domain pred-cart`\"]",
                "c:5:19 [--max-rounds=x] `x` is no value of `--max-rounds` []",
                "c:6:19 [expl] `expl` belongs to no option []",
                "c:7:4 [--timeout] `lariat check` has no option `--timeout` for a configuration \
                 [\"give `--timeout` to `lariat compare`: it is for all configurations\"]",
                "c:8:18 [--engine] `--engine` is given twice []",
                "c:9:4 [--record] `--record` has no place here: all runs would write the same file []",
                "c:11:1 [j:] two configurations are called `j` []",
            ]
        );
    }

    #[test]
    fn names_are_made_of_values() {
        let list = |text: &str| {
            let mut sources = SourceMap::new();
            let source = sources.add("<configs>", text);
            let found = from_list(&mut sources, source, text);
            found.map_or_else(
                |findings| findings[0].message.clone(),
                |found| {
                    found
                        .last()
                        .map(|c| c.options.join(" "))
                        .unwrap_or_default()
                },
            )
        };
        assert_eq!(list("auto"), "");
        assert_eq!(
            list("auto, explicit/ndfs"),
            "--engine explicit --search ndfs"
        );
        assert_eq!(
            list("pred-cart/scc/bounded-unrolling"),
            "--engine cegar --domain pred-cart --search scc --lasso-refinement bounded-unrolling"
        );
        assert_eq!(
            list("expl/bfs/dfs"),
            "`expl/bfs/dfs` is no configuration: a second search, `dfs`"
        );
        assert_eq!(
            list("expl,mine.txt"),
            "`mine.txt` is no configuration: `mine.txt` is unknown, and there is no file of that name"
        );
        assert_eq!(list("expl,expl"), "two configurations are called `expl`");
    }

    #[test]
    fn all_names_lead_back_to_their_configurations() {
        let all = all();
        let names: Vec<&str> = all.iter().map(|c| &*c.name).collect();
        assert!(names.contains(&"expl-pred-bool/gdfs/bounded-unrolling"));
        assert!(
            names.contains(&"expl/bfs/unsat-core") && !names.contains(&"pred-cart/bfs/unsat-core")
        );
        for configuration in &all {
            let again = named(&configuration.name, None).expect("a name of the list");
            assert_eq!(again.options, configuration.options);
        }
    }
}
