//! Statecharts from the command line: playing them, asking about them, and what runs look like.

use std::path::PathBuf;
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, body: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("lariat-charts-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        let text = format!(
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" datamodel=\"ecmascript\">\n{body}\n</scxml>\n"
        );
        std::fs::write(path.join("m.scxml"), text).expect("the chart is written");
        Self(path)
    }

    /// Calls the program; its exit code and what it printed.
    fn lariat(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(arguments)
            .current_dir(&self.0)
            .output();
        let output = output.expect("the program starts");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    }

    fn expect(&self, verdict: i32, arguments: &[&str]) -> String {
        let mut all = vec!["check", "m.scxml", "--timeout", "60s"];
        all.extend(arguments);
        let (code, said) = self.lariat(&all);
        assert_eq!(code, Some(verdict), "{arguments:?}\n{said}");
        said
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;
const WRONG: i32 = 2;
const UNKNOWN: i32 = 3;

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
    let folder = Folder::new("play", TURNSTILE);
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
fn runs_are_told_in_the_words_of_the_chart() {
    let folder = Folder::new("words", TURNSTILE);
    let said = folder.expect(VIOLATED, &["--invariant", "coins < 2"]);
    assert!(said.contains("event coin: locked -> open"), "{said}");
    assert!(said.contains("event push: open -> locked"), "{said}");
    folder.expect(HOLDS, &["--ltl", "G (event(coin) -> in(open))"]);
    folder.expect(HOLDS, &["--invariant", "coins >= 0"]);
    folder.expect(VIOLATED, &["--ltl", "G F in(open)"]);
    folder.expect(HOLDS, &["--ltl", "G in(locked)", "--events", "push"]);
    let said = folder.expect(WRONG, &["--ltl", "G in(opem)"]);
    assert!(said.contains("did you mean `open`?"), "{said}");
}

#[test]
fn queues_that_overflow_are_never_ignored() {
    let raise = "<raise event=\"x\"/>".repeat(3);
    let body = format!(
        "<state id=\"a\"><transition event=\"go\" target=\"b\">{raise}</transition></state>\
         <state id=\"b\"><transition event=\"x\" target=\"c\"/></state><state id=\"c\"><transition event=\"x\"/></state>"
    );
    let folder = Folder::new("queue", &body);
    folder.expect(HOLDS, &["--property", "queue"]);
    folder.expect(HOLDS, &["--property", "queue", "--queue", "3"]);
    folder.expect(VIOLATED, &["--property", "queue", "--queue", "2"]);
    // What would refute it lies behind the overflow, and so does what would prove it.
    let said = folder.expect(UNKNOWN, &["--invariant", "!in(c)", "--queue", "2"]);
    assert!(said.contains("--queue"), "{said}");
    folder.expect(VIOLATED, &["--invariant", "!in(c)"]);
}

#[test]
fn a_macrostep_without_end_repeats_the_last_letter() {
    let body = r#"
<state id="a"><transition event="go" target="b"/><transition event="stay"/></state>
<state id="b"><transition target="c"/></state>
<state id="c"><transition target="b"/></state>"#;
    let folder = Folder::new("endless", body);
    // Only by hanging does the chart stay away from further events.
    folder.expect(VIOLATED, &["--ltl", "X F event(stay) | X F event(go)"]);
    folder.expect(HOLDS, &["--ltl", "G in(a)"]);
    folder.expect(HOLDS, &["--ltl", "G !in(b)"]);
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
    let folder = Folder::new("sent", body);
    folder.expect(HOLDS, &["--ltl", "F (in(b) || in(d))"]);
    folder.expect(HOLDS, &["--ltl", "G !in(wrong)"]);
    folder.expect(HOLDS, &["--ltl", "F (in(c) || in(d))"]);
    folder.expect(VIOLATED, &["--ltl", "F in(c)"]);
}

#[test]
fn bad_charts_have_a_place_and_a_hint() {
    let folder = Folder::new(
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
