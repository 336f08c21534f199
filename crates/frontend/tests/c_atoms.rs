//! Atoms of formulas over C programs mean what they mean inside of the program: the types of its
//! variables and the reading of its integers count. Expected values are those of the C standard.

mod common;

use lariat_base::{FxHashMap, SourceId, SourceMap, Span};
use lariat_expr::{Evaluator, Value, VarId};
use lariat_frontend::{COptions, ExprAtom, IntMode, Options, Scope, parse_atom, parse_with};
use lariat_system::{Context, Language, Limits, Outcome, Simulator, System};

const MODES: [IntMode; 2] = [IntMode::Math, IntMode::BitPrecise];

fn lower(text: &str, ints: IntMode) -> (Context, SourceId, System) {
    let (mut cx, mut map) = (Context::new(), SourceMap::new());
    let id = map.add("test.c", text);
    let c = COptions {
        ints,
        ..COptions::default()
    };
    let parsed = parse_with(
        &mut cx,
        Language::C,
        id,
        map.file(id),
        &Options {
            c,
            ..Options::default()
        },
    );
    let parsed =
        parsed.unwrap_or_else(|found| panic!("{ints:?}: {}", common::show(map.file(id), &found)));
    (cx, id, parsed.system)
}

/// The value of an atom when the program has ended, or why it has none.
fn value(text: &str, atom: &str, ints: IntMode) -> Result<bool, String> {
    let (mut cx, source, mut system) = lower(text, ints);
    let scope = Scope::new(&mut cx, &[&system]);
    let span = Span::new(source, 0, atom.len());
    let parsed = parse_atom(&mut cx, &scope, span, atom).map_err(|found| {
        let messages: Vec<&str> = found.iter().map(|finding| &*finding.message).collect();
        messages.join("; ")
    })?;
    let ExprAtom::Term(term) = parsed else {
        panic!("{atom} is an expression");
    };
    let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
    for _ in 0..1000 {
        assert_eq!(simulator.step(|_| 0), Outcome::Stepped, "{text}");
        let state = simulator.state().expect("the run has started");
        if &*simulator.system().locations[state.loc.location()].name != "end" {
            continue;
        }
        let variables = simulator.variables().iter().zip(&state.values);
        let env: FxHashMap<VarId, Value> = variables
            .map(|(variable, value)| (variable.var, value.clone()))
            .collect();
        let terms = &simulator.context().terms;
        let value = Evaluator::new().eval(terms, term, &env);
        return Ok(value == Ok(Value::Bool(true)));
    }
    panic!("the program does not end: {text}");
}

/// Checks the atom after the declarations, and the same expression as an assertion of the program.
fn check(declarations: &str, atom: &str, expected: bool) {
    for ints in MODES {
        let text = format!("{declarations} int main(void) {{ return 0; }}");
        assert_eq!(
            value(&text, atom, ints),
            Ok(expected),
            "{ints:?}: {declarations} {atom}"
        );
        let inside = format!(
            "{declarations} int result; int main(void) {{ result = !!({atom}); return 0; }}"
        );
        assert_eq!(
            value(&inside, "result == 1", ints),
            Ok(expected),
            "{ints:?}, inside: {declarations} {atom}"
        );
    }
}

fn holds(declarations: &str, atom: &str) {
    check(declarations, atom, true);
}

fn fails(declarations: &str, atom: &str) {
    check(declarations, atom, false);
}

fn refused(declarations: &str, atom: &str, why: &str) {
    for ints in MODES {
        let text = format!("{declarations} int main(void) {{ return 0; }}");
        let found = value(&text, atom, ints).expect_err("the atom is refused");
        assert!(found.contains(why), "{ints:?}: {atom}: {found}");
    }
}

#[test]
fn elements_of_arrays_have_their_type() {
    holds("unsigned char c[1] = {200};", "c[0] == 200");
    holds("unsigned char c[1] = {200};", "c[0] > 0");
    holds("_Bool b[2] = {0, 1};", "b[1] == 1 && !b[0]");
    holds("unsigned a[1] = {1};", "a[0] - 2 > 0");
    holds("unsigned a[1] = {1};", "a[0] < -1");
    fails("unsigned a[1] = {1};", "a[0] > -1");
    holds("signed char c[2] = {-1, 1};", "c[0] < c[1] && c[0] == -1");
    holds(
        "struct { unsigned char c[2]; } s = {{1, 255}};",
        "s.c[1] == 255",
    );
    holds("long a[2] = {-1}; unsigned u = 1;", "a[0] < u");
    holds(
        "int m[2][3] = {{1, 2, 3}, {4, 5, 6}};",
        "m[1][0] == 4 && m[0][2] == 3",
    );
    holds(
        "struct { int x; unsigned y; } a[2] = {{1, 2}, {3, 4}};",
        "a[1].x == 3 && a[1].y - 5 > 0",
    );
}

#[test]
fn long_is_not_int() {
    holds("long l = -1; unsigned u = 1;", "l < u");
    fails("long l = -1;", "l == 4294967295u");
    holds("long l = -3;", "l % 2u == -1 && l / 2u == -1");
    holds(
        "long l; int i; short s; char a[7];",
        "sizeof(l) == 8 && sizeof(i) == 4 && sizeof s == 2 && sizeof a == 7",
    );
    holds("unsigned long l = -1;", "l == -1 && l > 0");
    holds("int i = -1;", "i == 4294967295u && i < 0");
}

#[test]
fn members_have_their_type() {
    let s = "struct { unsigned char a; struct { long l; unsigned u; } in; } s = {255, {-1, 1}};";
    holds(s, "s.a == 255 && s.in.l < s.in.u");
    holds(s, "s.in.u - 2 > 0 && sizeof s.in.l == 8");
    refused(s, "s.b == 0", "a struct has no member `b`");
}

#[test]
fn constants_have_their_type() {
    holds(
        "\n#define ONE 1u\n#define LESS (ONE - 2)\n",
        "-1 > ONE && LESS > 0",
    );
    holds("enum { A = -1, B };", "A < B && A < 0");
}

#[test]
fn the_reading_of_integers_is_that_of_the_program() {
    let program = "int main(void) { return 0; }";
    let wraps = "2147483647 + 1 < 0";
    assert_eq!(value(program, wraps, IntMode::BitPrecise), Ok(true));
    assert_eq!(value(program, wraps, IntMode::Math), Ok(false));
    holds("int a[2];", "a[0] == 0");
}

#[test]
fn pointers_are_compared() {
    let p = "int x, y, a[3]; int *p = &x, *q = &x, *r = &y, *n, *e = &a[1], *f = &a[2];";
    holds(
        p,
        "p == q && p != r && p && !n && n == 0 && p != 0 && e != f && 0 == n",
    );
    holds(p, "e + 1 == f && (p ? 1 : 0) && (p == r ? p : q) == p");
    refused(p, "p == &x", "an address in a formula");
    refused(p, "&x == &y", "an address in a formula");
    refused(p, "e == a", "an address in a formula");
    refused(p, "e == &a[1]", "an address in a formula");
    refused(p, "*p == 0", "following a pointer with unknown targets");
    refused(p, "e[0] == 0", "following a pointer with unknown targets");
    refused(p, "p == 1", "a number as an address");
    refused(p, "p == x", "a number as an address");
    refused(p, "(long)p == 1", "an address as a number");
    refused(p, "*(int *)0 == 1", "is not supported");
}
