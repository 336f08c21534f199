//! Statecharts from the command line: playing them, asking about them, and what runs look like.

mod folder;

use folder::{Folder, HOLDS, UNKNOWN, VIOLATED, WRONG};

/// A chart with this content, in a folder.
fn chart(name: &str, body: &str) -> Folder {
    let text = format!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" datamodel=\"ecmascript\">\n{body}\n</scxml>\n"
    );
    Folder::new(&format!("charts-{name}"), &[("m.scxml", &text)])
}

const TURNSTILE: &str = r#"
<datamodel><data id="coins" expr="0"/></datamodel>
<state id="locked">
  <transition event="coin" target="open"><assign location="coins" expr="coins + 1"/></transition>
</state>
<state id="open">
  <transition event="push" target="locked"/>
</state>"#;

#[test]
fn scripts_are_played() {
    let folder = chart("play", TURNSTILE);
    let (code, said) = folder.lariat(&[
        "simulate",
        "m.scxml",
        "--events",
        "coin push push coin",
        "--format",
        "json",
    ]);
    assert_eq!(code, Some(0), "{said}");
    let report: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    let steps = report["macrosteps"].as_array().expect("a list");
    let states: Vec<&str> = steps
        .iter()
        .map(|step| step["configuration"][0].as_str().expect("a name"))
        .collect();
    assert_eq!(states, ["locked", "open", "locked", "locked", "open"]);
    let coins: Vec<i64> = steps
        .iter()
        .map(|step| step["data"]["coins"].as_i64().expect("a number"))
        .collect();
    assert_eq!(coins, [0, 1, 1, 1, 2]);
    assert_eq!(report["end"], "waiting");
}

#[test]
fn time_passes_where_a_script_says_so() {
    let body = r#"
<state id="idle"><transition event="press" target="armed"/></state>
<state id="armed"><onentry><send event="late" delay="500ms" id="t"/></onentry><onexit><cancel sendid="t"/></onexit>
  <transition event="press" target="closed"/><transition event="late" target="blocked"/></state>
<state id="closed"/><state id="blocked"/>"#;
    let folder = chart("time", body);
    for (script, expected) in [
        ("press press", "closed"),
        ("(after 600 ms) press press", "closed"),
        ("press (after 400 ms) press", "closed"),
        ("press (after 600 ms) press", "blocked"),
        ("press (after 300 ms) (after 300 ms) press", "blocked"),
        ("press (after 1s)", "blocked"),
        ("press press (after 1s)", "closed"),
    ] {
        let json = ["--format", "json", "--events", script];
        let (code, said) = folder.lariat(&[&["simulate", "m.scxml"][..], &json[..]].concat());
        assert_eq!(code, Some(0), "{script}: {said}");
        let report: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let last = report["macrosteps"].as_array().and_then(|all| all.last());
        let last = &last.expect("a macrostep")["configuration"];
        assert_eq!(last[0], expected, "{script}: {said}");
    }
}

#[test]
fn runs_are_told_in_the_words_of_the_chart() {
    let folder = chart("words", TURNSTILE);
    let said = folder.expect("m.scxml", VIOLATED, &["--invariant", "coins < 2"]);
    assert!(said.contains("event coin: locked -> open"), "{said}");
    assert!(said.contains("event push: open -> locked"), "{said}");
    folder.expect("m.scxml", HOLDS, &["--ltl", "G (event(coin) -> in(open))"]);
    folder.expect("m.scxml", HOLDS, &["--invariant", "coins >= 0"]);
    folder.expect("m.scxml", VIOLATED, &["--ltl", "G F in(open)"]);
    folder.expect(
        "m.scxml",
        HOLDS,
        &["--ltl", "G in(locked)", "--events", "push"],
    );
    let said = folder.expect("m.scxml", WRONG, &["--ltl", "G in(opem)"]);
    assert!(said.contains("did you mean `open`?"), "{said}");
}

#[test]
fn queues_that_overflow_are_never_ignored() {
    let raise = "<raise event=\"x\"/>".repeat(3);
    let body = format!(
        "<state id=\"a\"><transition event=\"go\" target=\"b\">{raise}</transition></state>\
         <state id=\"b\"><transition event=\"x\" target=\"c\"/></state><state id=\"c\"><transition event=\"x\"/></state>"
    );
    let folder = chart("queue", &body);
    folder.expect("m.scxml", HOLDS, &["--property", "queue"]);
    folder.expect("m.scxml", HOLDS, &["--property", "queue", "--queue", "3"]);
    folder.expect(
        "m.scxml",
        VIOLATED,
        &["--property", "queue", "--queue", "2"],
    );
    // What would refute it lies behind the overflow, and so does what would prove it.
    let said = folder.expect(
        "m.scxml",
        UNKNOWN,
        &["--invariant", "!in(c)", "--queue", "2"],
    );
    assert!(said.contains("--queue"), "{said}");
    folder.expect("m.scxml", VIOLATED, &["--invariant", "!in(c)"]);
}

#[test]
fn a_macrostep_without_end_repeats_the_last_letter() {
    let body = r#"
<state id="a"><transition event="go" target="b"/><transition event="stay"/></state>
<state id="b"><transition target="c"/></state>
<state id="c"><transition target="b"/></state>"#;
    let folder = chart("endless", body);
    // Only by hanging does the chart stay away from further events.
    folder.expect(
        "m.scxml",
        VIOLATED,
        &["--ltl", "X F event(stay) | X F event(go)"],
    );
    folder.expect("m.scxml", HOLDS, &["--ltl", "G in(a)"]);
    folder.expect("m.scxml", HOLDS, &["--ltl", "G !in(b)"]);
    let (_, said) = folder.lariat(&["simulate", "m.scxml", "--events", "go"]);
    assert!(said.contains("does not end"), "{said}");
}

#[test]
fn what_is_sent_arrives() {
    let body = r#"
<state id="a">
  <onentry><send event="tick" delay="1s" id="t"/></onentry>
  <onexit><cancel sendid="t"/></onexit>
  <transition event="tick" target="b"/><transition event="other_thing"/><transition event="stop" target="d"/>
</state>
<state id="b"><onentry><send event="slow" delay="2s"/><send event="fast" delay="1s"/></onentry>
  <transition event="slow" target="wrong"/><transition event="fast" target="c"/></state>
<state id="c"/><state id="d"><transition event="tick" target="wrong"/></state><state id="wrong"/>"#;
    let folder = chart("sent", body);
    folder.expect("m.scxml", HOLDS, &["--ltl", "F (in(b) || in(d))"]);
    folder.expect("m.scxml", HOLDS, &["--ltl", "G !in(wrong)"]);
    folder.expect("m.scxml", HOLDS, &["--ltl", "F (in(c) || in(d))"]);
    folder.expect("m.scxml", VIOLATED, &["--ltl", "F in(c)"]);
}

#[test]
fn bad_charts_have_a_place_and_a_hint() {
    let folder = chart(
        "bad",
        "<state id=\"one\"><transition event=\"e\" target=\"ome\"/></state>",
    );
    let (code, said) = folder.lariat(&["check", "m.scxml", "--ltl", "G true"]);
    assert_eq!(code, Some(WRONG), "{said}");
    assert!(
        said.contains("there is no state `ome`")
            && said.contains("did you mean `one`?")
            && said.contains("m.scxml:2"),
        "{said}"
    );
}
