//! What is a clock and what is none.

use super::*;
use lariat_base::SourceMap;
use lariat_frontend::parse;

/// The clocks of a GCL model, with the values at which they stay.
fn clocks(text: &str) -> Vec<(String, String)> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("model", text);
    let parsed = parse(&mut cx, Language::Gcl, source, sources.file(source));
    let mut systems = vec![parsed.expect("a model").system];
    let found = keep_clocks(&mut cx, &mut systems, &[]);
    let told = |clock: &Clock| (cx.terms.name(clock.var).to_owned(), clock.top.to_string());
    found.iter().map(told).collect()
}

#[test]
fn a_timer_stays_above_its_largest_constant() {
    let model = "var x : int = 0  var b : bool = false
        action tick: true -> x := x + 1
        action ring: x >= 5 and x + 2 != 11 -> b := true, x := 0";
    assert_eq!(clocks(model), [("x".to_owned(), "10".to_owned())]);
    let far = model.replace("x := 0", "x := 100");
    assert_eq!(clocks(&far), [("x".to_owned(), "10".to_owned())]);
    let chosen = model.replace("x + 1", "(if b then 0 else if x < 3 then x + 2 else x)");
    assert_eq!(clocks(&chosen), [("x".to_owned(), "10".to_owned())]);
}

#[test]
fn what_else_reads_or_writes_it_makes_it_none() {
    let model = "var x : int = 0  var y : int = 0  var z : int = 0  var b : bool = false
        var a : [int] -> bool = [<int>default <- false]
        action tick: true -> x := x + 1
        action ring: x >= 5 -> b := true, x := 0
        action more: b -> skip";
    assert_eq!(clocks(model).len(), 1);
    for more in [
        "action more: x < y -> skip",
        "action more: x mod 2 = 0 -> skip",
        "action more: 2 * x < 7 -> skip",
        "action more: a[x] -> skip",
        "action more: b -> y := x",
        "action more: b -> x := y",
        "action more: b -> x := x - 1",
        "action more: b -> x := any",
        "action more: b -> x := x + z",
        "action more: b -> y := if x = 3 then x else 0",
        "fair x = y; action more: b -> skip",
    ] {
        let text = model.replace("action more: b -> skip", more);
        assert_eq!(clocks(&text), [], "{more}");
    }
    // A counter that is bounded anyway does not grow for ever.
    assert_eq!(clocks(&model.replace("tick: true", "tick: x < 9")), []);
    assert_eq!(clocks(&model.replace("var x : int", "var x : 0..20")), []);
}
