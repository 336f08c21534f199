//! Symmetric types, parameters and quantifiers of GCL: what they stand for, and that they are printed back.

mod common;

use common::load;
use lariat_frontend::print;
use lariat_system::Language;

/// A model as it is printed, which reads back as the same text.
fn printed(text: &str) -> String {
    let show = |text: &str| {
        let loaded = load(Language::Gcl, "test", text);
        let loaded = loaded.unwrap_or_else(|findings| panic!("{findings} in\n{text}"));
        print(&loaded.cx, &loaded.system)
    };
    let once = show(text);
    assert_eq!(once, show(&once));
    once
}

#[test]
fn parameters_and_symmetric_types_are_printed_as_they_are() {
    let text = printed(
        "symmetric P = 1..2 var a : [P] -> bool = [<P>default <- false]
         action swap(i : P, b : bool): b = a[i] -> a[i] := not b",
    );
    assert_eq!(
        text,
        "model test
symmetric P = { P1, P2 }
var a : [P] -> bool = [<P>default <- false]
action swap(i : P, b : bool): b = a[i] -> a := a[i <- not b]
"
    );
}

#[test]
fn quantifiers_are_printed_as_what_they_stand_for() {
    let quantified = "symmetric P = { x, y } type C = { r, g } var a : [P] -> C var t : P
        init forall(i : P, a[i] = r) action go(i : P): exists(j : P, j != i and a[j] = g) -> a[i] := g";
    let written = "type P = { x, y } type C = { r, g } var a : [P] -> C var t : P
        init a[x] = r and a[y] = r
        action go(i : P): x != i and a[x] = g or y != i and a[y] = g -> a[i] := g";
    assert_eq!(printed(quantified), printed(written));
}
