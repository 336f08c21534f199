//! Gamma: what is read, what is refused and where, and that nothing makes the reader panic.

use lariat_base::{Diagnostic, SourceId, SourceMap};
use lariat_frontend::{GammaFile, GammaReading, Time, gamma_imports, parse_gamma};
use lariat_system::{Chart, Context, System};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn read_with(text: &str, reading: &GammaReading) -> Result<System, Vec<Diagnostic>> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("m.gcd", text.to_owned());
    let file = GammaFile {
        source,
        file: sources.file(source),
        imports: Vec::new(),
    };
    parse_gamma(&mut cx, &[file], reading).map(|parsed| parsed.system)
}

fn read(text: &str) -> Result<System, Vec<Diagnostic>> {
    read_with(text, &GammaReading::default())
}

fn chart(text: &str) -> std::sync::Arc<Chart> {
    match read(text) {
        Ok(system) => system.chart.expect("a chart"),
        Err(findings) => panic!("{}", findings[0].message),
    }
}

/// The first finding, with the text that it points at.
fn wrong(text: &str) -> String {
    match read(text) {
        Ok(_) => "fine".to_owned(),
        Err(findings) => {
            let first = &findings[0];
            let place = first.primary.as_ref().map(|place| place.span.range());
            let at = place.and_then(|range| text.get(range)).unwrap_or("-");
            format!("{}: {} at `{at}`", first.id, first.message)
        }
    }
}

const HEAD: &str = "package p\ninterface I { out event a out event b(v : integer) }\n";

fn with(body: &str) -> String {
    format!("{HEAD}statechart S [ port i : requires I port o : provides I ] {{\n{body}\n}}\n")
}

const PLAIN: &str =
    "var x : integer\nregion r {\ninitial e\nstate A\nstate B\n}\ntransition from e to A\n";

#[test]
fn states_have_short_and_long_names() {
    let chart = chart(&with(&format!("{PLAIN}transition from A to B when i.a")));
    let names: Vec<&str> = chart.states.iter().map(|state| &*state.name).collect();
    assert_eq!(names, ["S", "A", "B"]);
    let others: Vec<&str> = chart.states[1]
        .other_names
        .iter()
        .map(|name| &**name)
        .collect();
    assert_eq!(others, ["r.A", "S.A", "S.r.A"]);
    let signals: Vec<(&str, bool)> = chart
        .signals
        .iter()
        .map(|signal| (&*signal.name, signal.is_input))
        .collect();
    assert_eq!(
        signals,
        [("i.a", true), ("i.b", true), ("o.a", false), ("o.b", false)]
    );
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        (
            "transition from A to C",
            "unknown-state: the statechart has no state `C` at `C`",
        ),
        (
            "transition from A to B when i.c",
            "unknown-name: there is no event `c` at `c`",
        ),
        (
            "transition from A to B when k.a",
            "unknown-name: there is no port `k` at `k`",
        ),
        (
            "transition from A to B when o.a",
            "gamma-port: `o.a` does not come in at `o.a`",
        ),
        (
            "transition from A to B / raise i.a;",
            "gamma-port: `i.a` does not go out at `raise i.a;`",
        ),
        (
            "transition from A to B [y > 0]",
            "unknown-variable: unknown variable `y` at `y`",
        ),
        (
            "transition from A to B [x]",
            "type-mismatch: an integer stands where a truth value should be at `x`",
        ),
        (
            "transition from A to B / x := true;",
            "type-mismatch: a truth value stands where an integer should be at `true`",
        ),
        (
            "transition from A to B / raise o.b;",
            "wrong-arguments: 0 arguments are given where 1 are needed at `raise o.b;`",
        ),
        (
            "transition from A to B when timeout t",
            "unknown-name: there is no timeout `t` at `t`",
        ),
        (
            "transition from A to B / assert x > 0;",
            "gamma-unsupported: `assert` is not supported at `assert x > 0;`",
        ),
        (
            "transition from A to B when",
            "unexpected-token: `}` stands where an event, `any`, `cycle` or `timeout` should be at `}`",
        ),
        (
            "transition from A to B / f();",
            "unknown-function: there is no function `f` at `f();`",
        ),
        (
            "region q { state C }",
            "gamma-chart: the region `q` has no initial state at `q`",
        ),
        (
            "invariant x > 0",
            "gamma-unsupported: `invariant` of a statechart is not supported at `invariant`",
        ),
        (
            "var y : Colour",
            "unknown-type: there is no type `Colour` at `Colour`",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(wrong(&with(&format!("{PLAIN}{body}"))), expected, "{body}");
    }
}

#[test]
fn compositions_that_do_not_fit_are_refused() {
    let parts = with(PLAIN);
    let cases = [
        (
            "sync C { component q : S component s : T }",
            "unknown-name: there is no component `T` at `T`",
        ),
        (
            "sync C { component s : S bind p -> s.i }",
            "unknown-name: there is no port `p` at `p`",
        ),
        (
            "sync C { component s : S channel [ s.o ] -o)- [ t.i ] }",
            "unknown-name: there is no component `t` at `t`",
        ),
        (
            "async C { component s : S }",
            "gamma-composition: the parts of an asynchronous composition have queues at `s`",
        ),
        (
            "adapter A of component s : S { when any / run } cascade C { component a : A }",
            "gamma-composition: the parts of a synchronous composition have no queues at `a`",
        ),
        (
            "adapter A of component s : S { when any / reset }",
            "gamma-unsupported: `reset` of an adapter is not supported at `reset`",
        ),
        (
            "adapter A of component s : S { clock c(rate = 5 s) }",
            "gamma-unsupported: a clock of an adapter is not supported at `clock`",
        ),
        (
            "adapter A of component s : S { when cycle / run }",
            "gamma-unsupported: `cycle` as what makes an adapter run is not supported at `cycle`",
        ),
        (
            "adapter A of component s : S { when any / run queue q(priority = 1, capacity = 0) { i.any } }",
            "gamma-queue: a queue holds between 1 and 64 messages at `0`",
        ),
        (
            "adapter A of component s : S { when any / run queue q(priority = 1, capacity = 2) { j.any } }",
            "unknown-name: there is no port `j` at `j`",
        ),
        (
            "adapter A of component s : S { when any / run queue q(priority = 1, capacity = 2, discard = all) { i.any } }",
            "unexpected-token: `all` stands where `oldest` or `incoming` should be at `all`",
        ),
        (
            "@Asynchronous statechart C { region r { initial e state A } transition from e to A } sync D { component c : C component s : S }",
            "gamma-unsupported: the annotation `@Asynchronous` is not supported at `Asynchronous`",
        ),
        (
            "sync C { component s : S(3) }",
            "wrong-arguments: `S` has 0 parameters and is given 1 arguments at `s`",
        ),
        (
            "sync C { component d : D } sync D { component c : C component s : S }",
            "recursion: each component is part of another one at `p`",
        ),
        (
            "statechart T { region r { initial e state A } transition from e to A }",
            "gamma-component: both `S` and `T` could be the system at `T`",
        ),
    ];
    for (more, expected) in cases {
        assert_eq!(wrong(&format!("{parts}{more}")), expected, "{more}");
    }
}

#[test]
fn the_system_is_the_component_that_is_asked_for() {
    let text = format!(
        "{}sync C {{ component s : S component t : S }}",
        with(PLAIN)
    );
    assert_eq!(read(&text).expect("a system").name.as_ref(), "C");
    let reading = GammaReading {
        component: Some("S".into()),
        ..GammaReading::default()
    };
    assert_eq!(
        read_with(&text, &reading).expect("a system").name.as_ref(),
        "S"
    );
    let reading = GammaReading {
        component: Some("Q".into()),
        ..GammaReading::default()
    };
    assert_eq!(
        read_with(&text, &reading).expect_err("no Q")[0].id,
        "gamma-component"
    );
}

#[test]
fn times_are_read() {
    let cases = [
        ("discrete", Some(Time::Discrete(1))),
        ("discrete:10ms", Some(Time::Discrete(10))),
        ("dense", Some(Time::Dense)),
        ("2s", Some(Time::Fixed(2000))),
        ("500ms", Some(Time::Fixed(500))),
        ("0ms", None),
        ("fast", None),
        ("5", None),
    ];
    for (text, expected) in cases {
        assert_eq!(Time::parse(text), expected, "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = |n: usize| {
        with(&format!(
            "{PLAIN}transition from A to B [{}true{}]",
            "(".repeat(n),
            ")".repeat(n)
        ))
    };
    assert!(read(&deep(40)).is_ok());
    assert!(wrong(&deep(100_000)).starts_with("too-deep"));
    let long = format!(
        "{PLAIN}transition from A to B [x{} > 0]",
        " + x".repeat(20_000)
    );
    assert!(read(&with(&long)).is_ok());
    assert!(
        wrong(&with(&format!(
            "{PLAIN}transition from A to B [{}x > 0]",
            "not ".repeat(100_000)
        )))
        .starts_with("too-deep")
    );
}

/// A chain of choices that meet again is as long as its text, not twice as long with each of them.
#[test]
fn choices_that_meet_again_are_made_once() {
    let n = 40;
    let mut body = String::from("var x : integer\nregion r {\ninitial e\nstate A\n");
    for at in 0..n {
        let _ = write!(body, "choice C{at}\nmerge M{at}\n");
    }
    body += "}\ntransition from e to A\ntransition from A to C0 when i.a\n";
    for at in 0..n {
        let next = if at + 1 < n {
            format!("C{}", at + 1)
        } else {
            "A".to_owned()
        };
        let _ = write!(
            body,
            "transition from C{at} to M{at} [x > {at}] / x := x - 1;\ntransition from C{at} to M{at} [else]\ntransition from M{at} to {next}\n"
        );
    }
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("m.gcd", with(&body));
    let file = GammaFile {
        source,
        file: sources.file(source),
        imports: Vec::new(),
    };
    assert!(parse_gamma(&mut cx, &[file], &GammaReading::default()).is_ok());
    assert!(cx.stmts.len() < 5_000, "{} statements", cx.stmts.len());
}

/// Models with parts left out, repeated or exchanged are read or refused: no panic.
#[test]
fn mutated_models_do_not_panic() {
    for seed in 0..25_u64 {
        let text = lariat_testkit::random_gamma(seed);
        let words: Vec<&str> = text.split_inclusive(' ').collect();
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        for _ in 0..20 {
            let mut all = words.clone();
            for _ in 0..=random(3) {
                let (at, other) = (random(all.len()), random(all.len()));
                match random(4) {
                    0 => {
                        all.remove(at);
                    }
                    1 => all.insert(at, words[random(words.len())]),
                    2 => all.swap(at, other),
                    _ => {
                        all[at] = ["} ", "{ ", "[ ", "-o)- ", "in-state(", "9", "else "][random(7)];
                    }
                }
            }
            let _ = read(&all.concat());
        }
    }
}

fn gamma_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gamma_files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "gcd") {
            out.push(path);
        }
    }
}

/// Every model of the corpus is read, or refused for something that is named; at least 80 % are read.
#[test]
fn the_corpus_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/eco/gamma");
    let mut paths = Vec::new();
    gamma_files(&folder, &mut paths);
    paths.sort();
    let mut n_read = 0;
    for path in &paths {
        match read_project(path, &paths) {
            Ok(()) => n_read += 1,
            Err(finding) => {
                assert_eq!(
                    finding.id,
                    "gamma-unsupported",
                    "{}: {}",
                    path.display(),
                    finding.message
                );
                assert!(finding.primary.is_some(), "{}", path.display());
            }
        }
    }
    assert!(
        n_read * 10 >= paths.len() * 8,
        "{n_read} of {} are read",
        paths.len()
    );
}

/// Reads a model of the corpus: imports are the files whose path ends most alike.
fn read_project(path: &Path, all: &[PathBuf]) -> Result<(), Diagnostic> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let mut files: Vec<(PathBuf, SourceId, Vec<usize>)> = Vec::new();
    let add = |sources: &mut SourceMap, path: &Path| {
        let text = std::fs::read_to_string(path).expect("a text");
        sources.add(path.display().to_string(), text)
    };
    files.push((path.to_owned(), add(&mut sources, path), Vec::new()));
    let mut at = 0;
    while at < files.len() {
        for (import, _) in gamma_imports(files[at].1, &sources.file(files[at].1).text) {
            let wanted: Vec<&str> = import.trim_end_matches(".gcd").split('/').collect();
            let likeness = |candidate: &PathBuf| {
                let name = candidate.with_extension("");
                let parts: Vec<&str> = name.iter().filter_map(|part| part.to_str()).collect();
                let same = parts
                    .iter()
                    .rev()
                    .zip(wanted.iter().rev())
                    .take_while(|(a, b)| a == b);
                let near = candidate
                    .iter()
                    .zip(files[at].0.iter())
                    .take_while(|(a, b)| a == b);
                let same = same.count();
                (same > 0, near.count(), same)
            };
            let best = all
                .iter()
                .max_by_key(|candidate| likeness(candidate))
                .expect("a file");
            assert!(likeness(best).0, "{import} of {}", files[at].0.display());
            let known = files.iter().position(|file| file.0 == *best);
            let to = known.unwrap_or_else(|| {
                files.push((best.clone(), add(&mut sources, best), Vec::new()));
                files.len() - 1
            });
            files[at].2.push(to);
        }
        at += 1;
    }
    let texts: Vec<GammaFile<'_>> = files
        .iter()
        .map(|(_, source, imports)| GammaFile {
            source: *source,
            file: sources.file(*source),
            imports: imports.clone(),
        })
        .collect();
    match parse_gamma(&mut cx, &texts, &GammaReading::default()) {
        Ok(_) => Ok(()),
        Err(mut findings) => Err(findings.remove(0)),
    }
}
