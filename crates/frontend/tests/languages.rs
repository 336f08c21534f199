//! Each construct of each language: text in, printed text out, and the round trip in between.

mod common;

use common::check;
use lariat_base::SourceMap;
use lariat_frontend::parse;
use lariat_frontend::statement::one_line;
use lariat_system::{Context, Language};

fn xsts(text: &str) -> String {
    check(Language::Xsts, text)
}

fn cfa(text: &str) -> String {
    check(Language::Cfa, text)
}

fn sts(text: &str) -> String {
    check(Language::Sts, text)
}

fn gcl(text: &str) -> String {
    check(Language::Gcl, text)
}

/// The one statement of `trans` as it is printed.
fn xsts_statement(statement: &str) -> String {
    let head = "type T : { A, B } type U : { B, C }
        var x : integer var p : boolean var t : T var u : U var a : [integer] -> integer";
    let text = format!("{head} trans {{ {statement} }} init {{}} env {{}}");
    let printed = xsts(&text);
    let (_, body) = printed
        .split_once("trans {")
        .unwrap_or_else(|| panic!("{printed}"));
    let (body, _) = body.split_once("\n}\n\ninit").expect("the end of trans");
    let lines: Vec<&str> = body
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    lines.join(" ")
}

#[test]
fn xsts_declarations() {
    assert_eq!(
        xsts(
            "type T : { A, B }
             var x : integer = 1 + 1  // two
             ctrl var t : T = B
             var a : [integer] -> [T] -> boolean
             env { havoc x; } or x := 3;  /* blocks in any order */
             init { t := T.A; }
             trans choice x := 1; or x := 2;
             prop { x >= 0 }"
        ),
        "\
type T : { A, B }
var x : integer = 2
ctrl var t : T = T.B
var a : [integer] -> [T] -> boolean

trans choice x := 1; or x := 2;

init {
    t := T.A;
}

env {
    havoc x;
} or x := 3;

prop {
    x >= 0
}
"
    );
}

#[test]
fn xsts_declarations_may_come_late() {
    let printed = xsts("trans { x := y; } var x : integer init {} env {} var y : integer = 3");
    assert!(
        printed.starts_with("var x : integer\nvar y : integer = 3\n"),
        "{printed}"
    );
}

#[test]
fn xsts_statements() {
    let same = |statement: &str| assert_eq!(xsts_statement(statement), statement);
    same("x := x + 1; havoc p; assume p && x < 3;");
    same("{} { x := 1; }");
    same("choice x := 1; or { x := 2; } or choice x := 3; or x := 4;");
    same(
        "if (p) x := 1; else if (x == 0) x := 2; else { }"
            .replace("{ }", "havoc x;")
            .as_str(),
    );
    same("if (p) if (x == 0) x := 1; else {} else x := 2;");
    same("if (p) { x := 1; }");
    same("for i from 0 to x do { x := i; local var x : integer = x + i; x := 1; }");
    same("local var y : integer; y := 1; { local var y : boolean = p; p := y; } y := 2;");
    assert_eq!(xsts_statement("a[x] := a[0];"), "a := a[x <- a[0]];");
    assert_eq!(xsts_statement("if (p) {} else {}"), "if (p) {}");
    assert_eq!(
        xsts_statement("t := B; u := B; t := A;"),
        "t := T.B; u := U.B; t := T.A;"
    );
    assert_eq!(
        xsts_statement("assume B == t && (B) != u;"),
        "assume t == T.B && u != U.B;"
    );
    assert_eq!(
        xsts_statement("t := if p then A else B; assume t == (if p then B else A);"),
        "t := if p then T.A else T.B; assume t == (if p then T.B else T.A);"
    );
    assert_eq!(
        xsts_statement("a := [0 <- 1, 1 <- 2, default <- 3]; a := [<integer>default <- 0];"),
        "a := [0 <- 1, 1 <- 2, default <- 3]; a := [<integer>default <- 0];"
    );
    assert_eq!(
        xsts_statement("a := [0 <- x, 1 <- 2, default <- 3]; x := a[1 <- 5][x];"),
        "a := [<integer>default <- 3][0 <- x][1 <- 2]; x := a[1 <- 5][x];"
    );
}

#[test]
fn a_variable_may_bear_the_name_of_a_literal() {
    let printed = xsts(
        "type T : { A, B } var A : integer var t : T
         trans { t := A; A := A + 1; assume t == A; } init {} env {}",
    );
    assert!(
        printed.contains("t := T.A;\n    A := A + 1;\n    assume t == T.A;"),
        "{printed}"
    );
}

#[test]
fn cfa_processes_edges_and_types() {
    assert_eq!(
        cfa("var g : rat
             process other(y : int) { init loc A A -> A { assume y = 1 } }
             main process m {
               A -> B { x := x + 1 havoc g assume g > x }
               init loc A  loc B  final loc F  error loc E
               var x : int
               B -> E { assume not (x = 1 or g /= 1%2) }
               B -> F
             }"),
        "\
main process m {
    var g : rat
    var x : int

    init loc A
    loc B
    final loc F
    error loc E

    A -> B {
        x := x + 1
        havoc g
        assume to_rat(x) < g
    }
    B -> E { assume not (x = 1 or g /= 1%2) }
    B -> F {}
}
"
    );
}

/// The right side of an assignment to a variable of the type, as it is printed.
fn cfa_value(sort: &str, value: &str) -> String {
    let text = format!(
        "main process m {{ var v : {sort} var x : bv[8] var y : bv[4] var i : int var r : rat
         var a : [int] -> rat var p : bool init loc L  L -> L {{ v := {value} }} }}"
    );
    let printed = cfa(&text);
    let (_, value) = printed
        .split_once("v := ")
        .unwrap_or_else(|| panic!("{printed}"));
    value
        .split_once(" }")
        .expect("the end of the edge")
        .0
        .to_owned()
}

#[test]
fn cfa_bit_vectors() {
    let bv8 = |value: &str| cfa_value("bv[8]", value);
    assert_eq!(bv8("8'b00000101"), "8'd5");
    assert_eq!(bv8("8'xfF"), "8'd255");
    assert_eq!(bv8("8'd-1"), "8'd255");
    assert_eq!(bv8("x bvadd x bvsub 8'd1"), "(x bvadd x) bvsub 8'd1");
    assert_eq!(bv8("x bvor x bvand y ++ y"), "x bvor (x bvand (y ++ y))");
    assert_eq!(bv8("bvnot bvneg bvpos x"), "bvnot (bvneg x)");
    assert_eq!(bv8("y bv_sign_extend bv[8]"), "y bv_sign_extend bv[8]");
    assert_eq!(
        bv8("y bv_zero_extend bv[6] bv_zero_extend bv[8]")
            .matches("extend")
            .count(),
        2
    );
    assert_eq!(bv8("x[8:4] ++ x[4:0]"), "x[8:4] ++ x[4:0]");
    assert_eq!(
        bv8("x bvrol x bvror x bvshl x bvashr x bvlshr x")
            .matches("bv")
            .count(),
        5
    );
    assert_eq!(
        bv8("x bvmul x bvudiv x bvsdiv x bvsmod x bvurem x bvsrem x")
            .matches("bv")
            .count(),
        6
    );
    assert_eq!(bv8("nat2bv[8](bv2nat(y) + i)"), "nat2bv[8](i + bv2nat(y))");
    assert_eq!(
        cfa_value("bool", "x bvult x bvadd x and y bvsge y"),
        "x bvult (x bvadd x)"
    );
    assert_eq!(
        cfa_value("bool", "x bvugt 8'd1 or x bvsge 8'd2"),
        "(8'd1 bvult x) or (8'd2 bvsle x)"
    );
}

#[test]
fn cfa_numbers() {
    assert_eq!(cfa_value("rat", "i"), "to_rat(i)");
    assert_eq!(cfa_value("rat", "2%4 + 1"), "3%2");
    assert_eq!(cfa_value("rat", "r / 2 - i"), "1%2 * r + -1%1 * to_rat(i)");
    assert_eq!(
        cfa_value("rat", "if p then 1 else r"),
        "if p then 1%1 else r"
    );
    assert_eq!(cfa_value("rat", "i / r"), "to_rat(i) / r");
    assert_eq!(cfa_value("int", "i / 2 + i div 2"), "2 * (i div 2)");
    assert_eq!(
        cfa_value("int", "to_int(r) mod 3 rem i"),
        "(to_int(r) mod 3) rem i"
    );
    assert_eq!(
        cfa_value("[int] -> rat", "a[i <- 1][0 <- r]"),
        "a[i <- 1%1][0 <- r]"
    );
    assert_eq!(
        cfa_value("[int] -> rat", "[0 <- 1, default <- 1%2]"),
        "[0 <- 1%1, default <- 1%2]"
    );
}

#[test]
fn sts_members() {
    assert_eq!(
        sts("specification S {
               property live : s models G (F x = 0)   // temporal
               property other : s models G (x == 0)
               property safe : s models G(x <= N and
                                          not loop)
               const N : int := 2 + 1
               system s := {
                 transition x' = (if x < N then x + 1 else 0) and (loop equal loop')
                 var x : int
                 var loop : bool := true
                 const step : int
                 invariant 0 <= x and step > 0
                 initial x = 0
                 transition (x + 1)' > step
               }
             }"),
        "\
specification s {
    system s := {
        const N : int := 3
        var x : int
        var loop : bool := true
        const step : int
        initial x = 0
        invariant x >= 0 and step > 0
        transition x' = (if x < 3 then x + 1 else 0) and loop = loop'
        transition step < x' + 1
    }
    property live : s models G (F x = 0);
    property other : s models G (x == 0);
    property safe : s models G(x <= 3 and not loop);
}
"
    );
}

#[test]
fn sts_inline_system_and_minus_without_blanks() {
    let printed = sts(
        "specification S { property p : { var x : int initial x=-1 transition x'=x-1 } models G(x<-0) }",
    );
    assert!(printed.contains("initial x = -1\n"), "{printed}");
    assert!(printed.contains("transition x' = x - 1\n"), "{printed}");
    assert!(
        printed.contains("property p : S models G(x < 0);\n"),
        "{printed}"
    );
}

#[test]
fn gcl_members() {
    assert_eq!(
        gcl("model Lights
             action inc: x < N && not b -> x := x + 1, b := true
             action swap: true -> x := y, y := x
             action pick: b => c != red -> y := any, c := Color.red
             action idle: c = red -> skip
             action put: a[0] > 0 -> a[0] := a[1], a[1] := a[0]
             property bounded: G (x <= 5)
             property live: G F (c = red
                or b) // over two lines
             property last: F b init x > 0 and y = z
             type Color = { red, green }
             const N = 3
             var x : int = 0
             var y : 0..N + 2 = N - 3
             var b : bool = false
             var c : Color = red
             var z : -1..1
             var a : [int] -> int"),
        "\
model Lights
type Color = { red, green }
const N = 3
var x : int = 0
var y : 0..5 = 0
var b : bool = false
var c : Color = Color.red
var z : -1..1
var a : [int] -> int
init x > 0 and y = z
action inc: x < 3 and not b -> x := x + 1, b := true
action swap: true -> x := y, y := x
action pick: not b or c != Color.red -> y := any, c := Color.red
action idle: c = Color.red -> skip
action put: a[0] > 0 -> a := a[0 <- a[1]][1 <- a[0]]
property bounded: G (x <= 5);
property live: G F (c = red                 or b);
property last: F b;
"
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    assert!(gcl("\u{feff}var x : int").starts_with("model test\nvar x : int\n"));
    assert!(xsts("\u{feff}trans {} var x : integer init {} env {}").starts_with("var x : integer"));
}

#[test]
fn what_a_gcl_action_computes_first_has_a_name_of_its_own() {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let text = "var x : int = 0\nvar y : int = 0\naction swap: true -> x := y, y := x\n";
    let source = sources.add("swap.gcl", text);
    let parsed = parse(&mut cx, Language::Gcl, source, sources.file(source));
    let system = parsed.expect("it is a model").system;
    let (_, actions) = system.edges.rows().next().expect("a location");
    let swap = actions[0];
    let shown = one_line(&cx, Language::Gcl, swap.stmt, 200);
    assert!(shown.contains("local y' : int = x"), "{shown}");
    assert!(shown.contains("y := y'"), "{shown}");
}
