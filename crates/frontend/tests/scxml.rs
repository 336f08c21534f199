//! Statecharts in XML: what they mean, and what is refused.

use lariat_base::{SourceId, SourceMap};
use lariat_frontend::{ChartReading, Options, parse_with};
use lariat_system::{Context, Language, Player, System};
use std::collections::BTreeSet;
use std::path::Path;

/// Reads a chart whose environment may send these events.
fn read(cx: &mut Context, text: &str, events: &[&str]) -> Result<System, Vec<String>> {
    let mut sources = SourceMap::new();
    let source: SourceId = sources.add("chart.scxml", text.to_owned());
    let options = Options {
        chart: ChartReading {
            events: Some(events.iter().map(|&event| event.to_owned()).collect()),
            ..ChartReading::default()
        },
        ..Options::default()
    };
    let parsed = parse_with(cx, Language::Scxml, source, sources.file(source), &options);
    parsed.map(|parsed| parsed.system).map_err(|findings| {
        let shown = findings
            .iter()
            .map(|finding| format!("{}: {}", finding.id, finding.message));
        shown.collect()
    })
}

/// A list of names.
fn set(text: &str) -> BTreeSet<String> {
    text.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Plays a script `event (after N ms) -> states; …` and says where it goes wrong.
fn play(text: &str, initial: &str, script: &str) -> Result<(), String> {
    let steps: Vec<(&str, u64, &str)> = script
        .split(';')
        .filter(|step| !step.trim().is_empty())
        .map(|step| {
            let (event, states) = step.split_once("->").expect("a step has an arrow");
            let (event, wait) = match event.split_once('(') {
                None => (event, 0),
                Some((event, wait)) => {
                    let digits: String = wait.chars().filter(char::is_ascii_digit).collect();
                    (event, digits.parse().expect("a number of milliseconds"))
                }
            };
            (event.trim(), wait, states)
        })
        .collect();
    let events: Vec<&str> = steps.iter().map(|step| step.0).collect();
    let mut cx = Context::new();
    let system = read(&mut cx, text, &events)
        .map_err(|findings| format!("refused: {}", findings.join(" | ")))?;
    let chart = system.chart.clone().expect("a chart was read");
    let (mut player, first) = Player::start(&cx, &system).expect("it starts");
    let names = |player: &mut Player<'_>| -> BTreeSet<String> {
        player
            .configuration()
            .into_iter()
            .map(|at| chart.states[at].name.to_string())
            .collect()
    };
    let found = names(&mut player);
    if found != set(initial) {
        return Err(format!(
            "starts in {found:?}, not {initial} ({:?})",
            first.end
        ));
    }
    for (event, wait, states) in steps {
        player.wait(wait);
        let end = player
            .send(chart.event(event).expect("it was given"))
            .map(|step| step.end);
        let found = names(&mut player);
        if found != set(states) {
            return Err(format!("after {event}: {found:?}, not {states} ({end:?})"));
        }
    }
    Ok(())
}

/// The event scripts of the corpus, if it is next to the checkout.
#[test]
fn scripts_of_the_corpus_lead_where_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/eco/scxml");
    let Ok(rows) = std::fs::read_to_string(folder.join("runs.tsv")) else {
        return;
    };
    let (mut n, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for row in rows.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let text = std::fs::read_to_string(folder.join(columns[1])).expect("the model is there");
        n += 1;
        match play(&text, columns[2], columns[3]) {
            Ok(()) => {}
            Err(why) if why.starts_with("refused") => {
                refused.push(format!("{}: {why}", columns[0]));
            }
            Err(why) => wrong.push(format!("{}: {why}", columns[0])),
        }
    }
    assert!(
        wrong.is_empty(),
        "{n} rows, wrong:\n{}\nrefused:\n{}",
        wrong.join("\n"),
        refused.join("\n")
    );
    assert!(
        refused.len() * 100 <= n * 15,
        "of {n} rows {} are refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
}

/// Random charts against an interpreter written from the standard; `cargo xtask scxml` runs more of them.
#[test]
fn random_charts_agree_with_the_standard() {
    let n = 60;
    let (mut agreed, mut cut) = (0, 0);
    for seed in 0..n {
        match lariat_testkit::compare_chart(seed) {
            Ok(tally) => {
                agreed += tally.agreed;
                cut += tally.cut;
            }
            Err(why) => panic!("{why}"),
        }
    }
    assert!(
        agreed > 4 * n,
        "of {n} charts only {agreed} macrosteps were compared, {cut} were cut"
    );
}

/// A chart with this content.
fn chart(body: &str) -> String {
    format!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" datamodel=\"ecmascript\">{body}</scxml>"
    )
}

/// The finding of a chart that is refused.
fn refused(body: &str) -> String {
    match read(&mut Context::new(), &chart(body), &["e"]) {
        Ok(_) => panic!("read: {body}"),
        Err(findings) => findings[0].clone(),
    }
}

#[test]
fn what_is_not_supported_is_named() {
    for (body, expected) in [
        (
            "<state id=\"a\"><invoke/></state>",
            "unsupported-element: `<invoke>`",
        ),
        (
            "<state id=\"a\"><transition cond=\"x.y = 1\" target=\"a\"/></state>",
            "syntax: expected the end of the expression",
        ),
        (
            "<state id=\"a\"/><state id=\"a\"/>",
            "duplicate-name: there are two states `a`",
        ),
        (
            "<datamodel><data id=\"x\" expr=\"1\"/></datamodel><state id=\"a\"><onentry><assign location=\"x\" expr=\"'s'\"/></onentry></state>",
            "mixed-types: `x` holds strings here and numbers elsewhere",
        ),
        (
            "<datamodel><data id=\"x\" src=\"f\"/></datamodel><state id=\"a\"/>",
            "unsupported-src:",
        ),
        (
            "<datamodel><data id=\"x\" expr=\"0.5\"/></datamodel><state id=\"a\"/>",
            "unsupported-script: fractions",
        ),
        (
            "<state id=\"a\"><transition target=\"b c\"/></state><state id=\"b\"/><state id=\"c\"/>",
            "bad-targets: `b` and `c`",
        ),
        ("", "no-state:"),
    ] {
        let found = refused(body);
        assert!(found.starts_with(expected), "{body}: {found}");
    }
    let read_text = |text: &str| {
        read(&mut Context::new(), text, &[])
            .map(|_| ())
            .unwrap_err()[0]
            .clone()
    };
    assert!(read_text("<a/>").starts_with("not-a-chart"));
    assert!(read_text("<scxml><state></scxml>").starts_with("syntax: this is no XML"));
    assert!(read_text("").starts_with("syntax"));
    let deep = format!("{}{}", "<state>".repeat(5000), "</state>".repeat(5000));
    assert!(refused(&deep).starts_with("nesting"));
}

#[test]
fn content_runs_in_the_order_of_the_standard() {
    // Exit from the inside out, then the transition, then entry from the outside in; history before any exit.
    let step = |n: u32| format!("<assign location=\"x\" expr=\"x * 10 + {n}\"/>");
    let body = format!(
        "<datamodel><data id=\"x\" expr=\"0\"/></datamodel>\
         <state id=\"a\"><onexit>{}</onexit><state id=\"a1\"><onexit>{}</onexit><transition event=\"e\" target=\"b1\">{}</transition></state></state>\
         <state id=\"b\"><onentry>{}</onentry><state id=\"b1\"><onentry>{}</onentry></state></state>",
        step(2),
        step(1),
        step(3),
        step(4),
        step(5)
    );
    let mut cx = Context::new();
    let system = read(&mut cx, &chart(&body), &["e"]).expect("it is read");
    let event = system
        .chart
        .as_ref()
        .and_then(|chart| chart.event("e"))
        .expect("it is known");
    let (mut player, _) = Player::start(&cx, &system).expect("it starts");
    player.send(event);
    let data = player.data();
    let value = data[0]
        .1
        .as_ref()
        .map(|(_, value)| value.as_int().and_then(lariat_expr::Int::to_i64));
    assert_eq!(value, Some(Some(12345)));
}
