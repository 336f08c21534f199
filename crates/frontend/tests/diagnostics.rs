//! What a person is told about a bad model: id, place, message, advice.

mod common;

use common::load;
use lariat_system::Language;

#[track_caller]
fn expect(language: Language, text: &str, findings: &str) {
    let found = match load(language, "test", text) {
        Ok(_) => "accepted".into(),
        Err(findings) => findings,
    };
    assert_eq!(found.trim_end(), findings.trim_end(), "\n{found}");
}

#[track_caller]
fn xsts(text: &str, findings: &str) {
    expect(Language::Xsts, text, findings);
}

#[track_caller]
fn cfa(text: &str, findings: &str) {
    expect(Language::Cfa, text, findings);
}

#[track_caller]
fn sts(text: &str, findings: &str) {
    expect(Language::Sts, text, findings);
}

#[track_caller]
fn gcl(text: &str, findings: &str) {
    expect(Language::Gcl, text, findings);
}

#[test]
fn empty_files_and_missing_parts() {
    xsts(
        "",
        "empty-file 1:1 the file is empty (a model has the blocks `trans {…}`, `init {…}` and `env {…}`)",
    );
    cfa(
        " // nothing",
        "empty-file 1:12 the file is empty (a model has a `main process NAME { … }`)",
    );
    sts(
        "\n",
        "empty-file 2:1 the file is empty (a model is written `specification NAME { … }`)",
    );
    gcl(
        "/**/",
        "empty-file 1:5 the file is empty (a model has variables (`var x : int = 0`) and actions (`action a: guard -> x := 1`))",
    );
    xsts(
        "var x : integer\nenv {}",
        "missing-block 2:7 the model has no `trans` block (add `trans {}` if it does nothing)
missing-block 2:7 the model has no `init` block (add `init {}` if it does nothing)",
    );
    xsts(
        "trans {} init {} env {} init {}",
        "duplicate-block 1:25 there are two `init` blocks (alternatives are joined with `or`)",
    );
    cfa(
        "process p { init loc A }",
        "missing-main 1:25 there is no main process (write `main process NAME { … }`)",
    );
    cfa(
        "main process p { loc A }",
        "missing-location 1:1 the main process has no initial location (write `init loc NAME`)",
    );
    sts(
        "specification S {}",
        "missing-system 1:19 there is no system (write `system NAME := { … }`)",
    );
}

#[test]
fn names() {
    xsts(
        "var displayRed : boolean var x : integr
trans { dispalyRed := true; x := 1; } or { assume nowhere; nowhere := 1; }
init {} env {}",
        "unknown-type 1:34 unknown type `integr`
unknown-variable 2:9 unknown variable `dispalyRed` (did you mean `displayRed`?)
unknown-variable 2:51 unknown variable `nowhere`",
    );
    xsts(
        "type T : { A, A } var x : int var b : Booleen var x : boolean var x : integer
trans { local var y : integer; local var y : boolean; } init {} env {}",
        "duplicate-name 1:15 `A` is declared twice
unknown-type 1:27 unknown type `int` (write `integer` in XSTS)
unknown-type 1:39 unknown type `Booleen`
duplicate-name 1:67 `x` is declared twice
duplicate-name 2:42 `y` is declared twice",
    );
    xsts(
        "type T : { A, B } var t : T = C trans { t := T.D; A := t; } init {} env {}",
        "unknown-variable 1:31 `C` is neither a literal of T nor a variable (did you mean `A`?)
unknown-variable 1:46 `T.D` is neither a literal of T nor a variable (did you mean `T.A`?)
not-a-variable 1:51 `A` is a constant, not a variable",
    );
    cfa(
        "main process p { init loc START init loc A loc A START -> STRAT { } START -> A { y := 1 } }",
        "duplicate-location 1:33 there are two `init` locations
duplicate-name 1:48 `A` is declared twice
unknown-location 1:59 unknown location `STRAT` (did you mean `START`?)
unknown-variable 1:82 unknown variable `y`",
    );
    sts(
        "specification S { system one := { var x : int } property p : on models G(x = 1) }",
        "unknown-system 1:62 unknown system `on` (did you mean `one`?)",
    );
    gcl(
        "var x : int var x : bool action a: true -> x := 1, x := 2 action a: true -> skip",
        "duplicate-name 1:17 `x` is declared twice
assigned-twice 1:52 `x` is assigned twice at the same time
duplicate-name 1:66 `a` is declared twice",
    );
    xsts(
        "var if : integer trans {} init {} env {}",
        "reserved-word 1:5 expected the name of a variable, but `if` is a reserved word",
    );
}

#[test]
fn sorts() {
    xsts(
        "var x : integer = true var p : boolean var a : [integer] -> boolean
trans {
    x := p;
    assume x;
    assume x && p;
    x := x + p * 2;
    assume a[p] == x;
    x[0] := 1;
    assume p < 3;
    if (x) {}
    for i from p to 3 do {}
    x := if p then 1 else p;
} init {} env {} prop { x }",
        "type-mismatch 1:19 expected an integer, found a Boolean
type-mismatch 3:10 expected an integer, found a Boolean
type-mismatch 4:12 expected a Boolean, found an integer
type-mismatch 5:12 expected a Boolean in a conjunction, found an integer
type-mismatch 6:14 expected a number in a product, found a Boolean
type-mismatch 7:14 expected an integer, found a Boolean
type-mismatch 8:5 expected an array, found an integer
type-mismatch 9:12 expected a number in a comparison, found a Boolean
type-mismatch 10:9 expected a Boolean, found an integer
type-mismatch 11:16 expected an integer, found a Boolean
type-mismatch 12:27 expected an integer, found a Boolean
type-mismatch 13:25 expected a Boolean, found an integer",
    );
    cfa(
        "main process p { var x : bv[4] var y : bv[8] var i : int init loc A
A -> A { x := y } A -> A { x := x bvadd y } A -> A { i := x + 1 } A -> A { x := y[4:4] x := y[9:5] }
A -> A { x := y bv_zero_extend bv[4] x := 4'd16 x := 0'd0 x := i } }",
        "type-mismatch 2:15 expected a bit-vector of 4 bits, found a bit-vector of 8 bits
type-mismatch 2:33 4 bits are combined with 8 bits (extend the shorter one with `bv_zero_extend bv[n]`)
type-mismatch 2:59 expected a number in a sum, found a bit-vector of 4 bits (bit-vectors have operators of their own, such as `bvadd`)
type-mismatch 2:82 no such bits: the operand has bits 8:0 (the upper bound comes first and is not included)
type-mismatch 2:94 no such bits: the operand has bits 8:0 (the upper bound comes first and is not included)
type-mismatch 3:15 8 bits cannot be extended to 4
number-too-large 3:43 `4'd16` does not fit 4 bits
unsupported-width 3:54 a bit-vector has at least one bit
type-mismatch 3:64 expected a bit-vector of 4 bits, found an integer",
    );
}

#[test]
fn syntax() {
    xsts(
        "var x : integer trans { x = 1; x == 2; y := 3; assume x = 1; assume x === 1; } init {} env {}",
        "unexpected-token 1:27 expected `:=`, found `=` (an assignment is written `:=`)
unexpected-token 1:34 expected `:=`, found `==` (an assignment is written `:=`)
unknown-variable 1:40 unknown variable `y` (did you mean `x`?)
unexpected-token 1:57 expected `;`, found `=` (write `==` in XSTS)
unexpected-token 1:73 expected an expression, found `=` (write `==` in XSTS)",
    );
    xsts(
        "var p : boolean trans { assume p and p; } or { assume not p; } init {} env {}",
        "unexpected-token 1:34 expected `;`, found `and` (write `&&` in XSTS)
unknown-variable 1:55 unknown variable `not` (write `!` in XSTS)
unexpected-token 1:59 expected `;`, found `p`",
    );
    xsts(
        "trans { assume true; } or {\ninit {} env {}",
        "unexpected-token 2:1 expected a statement or `}`, found `init`",
    );
    xsts(
        "var x : integer := 3 trans { x := 1 @ 2; /* ",
        "unexpected-token 1:17 expected `=` or the next declaration, found `:=` (an initial value is given by `=`)
unexpected-character 1:37 `@` cannot stand here
unexpected-token 1:39 expected `;`, found `2`
unterminated-comment 1:42 this comment never ends (close it with `*/`)
unexpected-token 1:45 expected a statement or `}`, found the end of the text
missing-block 1:45 the model has no `init` block (add `init {}` if it does nothing)
missing-block 1:45 the model has no `env` block (add `env {}` if it does nothing)",
    );
    cfa(
        "main process p { var x : int = 3 init loc A A -> A { assume x == 1 } A -> { } A -> A { x = 1 } }",
        "unexpected-token 1:30 expected the next declaration, found `=` (variables of a CFA start with any value; assign it on an edge)
unexpected-token 1:63 expected a statement or `}`, found `==` (write `=` in CFA)
unexpected-token 1:75 expected the location that the edge leads to, found `{`",
    );
    sts(
        "specification S { system s := { var x : int initial x' = 0 transition x'' = 1 initial x = = 2 } property p : s models G(y = 0) }",
        "unexpected-prime 1:54 only a transition may speak of the next state
unexpected-prime 1:73 there is no state after the next one
unexpected-token 1:91 expected an expression, found `=`
unknown-variable 1:121 unknown variable `y` (did you mean `x`?)",
    );
    gcl(
        "var x : 0..2 = 3 var y : bool == true action a: y -> skip",
        "out-of-range 1:16 the initial value is not in 0..2
unexpected-token 1:31 expected the next declaration, found `==`",
    );
    gcl(
        "var x : int = 1 action a: x := 1 action b: x > 0 -> x = 2 action c x > 1 -> skip
var y : 5..1 var z : 0..x property p:",
        "unexpected-token 1:29 expected `->` after the guard, found `:=` (an action is `guard -> assignments`; the guard may be `true`)
unexpected-token 1:55 expected `:=`, found `=` (an assignment is written `:=`)
unexpected-token 1:68 expected `:`, found `x`
empty-range 2:9 the range is empty
not-constant 2:22 the bounds of a range are constants
unexpected-token 2:38 expected a formula, found the end of the text",
    );
}

#[test]
fn what_breaks_a_symmetric_type_is_pointed_out() {
    let symmetric =
        "its values are symmetric: they have neither an order nor a sum, only `=` and `!=`";
    let advice = "use a parameter (`action a(i : P): …`), `forall(i : P, …)` or `any`; or declare the values by `type P`. Properties may name them";
    gcl(
        "symmetric P = 1..3 var t : P var n : int
action a(i : P): i < t -> skip
action b: t = P2 -> t := P.P3
action c: true -> n := n + t
action d(i : P, i : P): true -> i := t
action e(k : int): true -> skip
init forall(i : P, t = i or exists j : P) symmetric Q = 0..5000",
        &format!(
            "type-mismatch 2:18 expected a number in a comparison, found a `P` ({symmetric})
type-mismatch 2:22 expected a number in a comparison, found a `P` ({symmetric})
symmetric-literal 3:15 `P2` tells one value of the symmetric type P from the others ({advice})
symmetric-literal 3:26 `P.P3` tells one value of the symmetric type P from the others ({advice})
type-mismatch 4:28 expected a number in a sum, found a `P` ({symmetric})
duplicate-name 5:17 `i` is declared twice
not-a-variable 5:33 `i` is a constant, not a variable
type-mismatch 6:14 expected an enumeration, found an integer
unsupported-quantifier 7:29 a quantifier ranges over the literals of an enumeration (it is written `forall(i : T, e)` or `exists(i : T, e)`)
out-of-range 7:57 a symmetric type has at most 1000 values, from 0 on"
        ),
    );
}

#[test]
fn unsupported_features_are_named() {
    cfa(
        "main process p { var f : fp[5:11] var g : (int) -> int init loc A
A -> A { assume forall (x : int) x = 1 } A -> A { assume p(1) } A -> A { return 1 } A -> A { f := fpadd[RNE] } }",
        "unsupported-float 1:26 `fp`: floating-point numbers are not supported
unsupported-function 1:43 functions are not supported
unsupported-quantifier 2:17 quantifiers are not supported
unknown-variable 2:58 unknown variable `p`
unsupported-function 2:59 functions are not supported
unsupported-return 2:74 `return` is not supported: there are no calls
unsupported-float 2:99 `fpadd`: floating-point numbers are not supported",
    );
    sts(
        "specification S { system s(n : int) := { } property p : s models G(true) }",
        "unsupported-parameter 1:27 systems with parameters are not supported
unknown-system 1:57 unknown system `s`",
    );
}
