//! Signed overflow of C programs, as `G ! overflow` asks for it. What overflows is what C11 leaves
//! undefined: 6.5p5 (results), 6.5.5p6 (the least value divided by -1), 6.5.7p4 (shifts to the left).
//!
//! Both readings of integers must agree, and so must the checks that the system's compiler builds into
//! programs. Those trap, which needs no run-time library.
#![allow(clippy::print_stdout)] // says why it was skipped

mod common;

use lariat_base::SourceMap;
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_system::{Context, Language, Limits, Outcome, Simulator};
use lariat_testkit::{Rng, rng};
use rand::Rng as _;
use std::fmt::Write as _;
use std::process::Command;

const MODES: [IntMode; 2] = [IntMode::Math, IntMode::BitPrecise];

/// Whether the program overflows. It has no inputs; an overflow is the first way out of its step.
fn overflows(text: &str, ints: IntMode) -> bool {
    let (mut cx, mut map) = (Context::new(), SourceMap::new());
    let id = map.add("test.c", text);
    let c = COptions {
        ints,
        overflow: true,
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
    let mut system = match parsed {
        Ok(parsed) => parsed.system,
        Err(findings) => panic!("{ints:?}: {}", common::show(map.file(id), &findings)),
    };
    let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
    for _ in 0..10_000 {
        assert_eq!(simulator.step(|_| 0), Outcome::Stepped, "{ints:?}: {text}");
        let state = simulator.state().expect("the run has started");
        let name = &*simulator.system().locations[state.loc.location()].name;
        match name {
            "overflow" => return true,
            "end" => return false,
            _ => {}
        }
    }
    panic!("{ints:?}: the program does not end: {text}");
}

/// Statements of `main`, with a function `f` that returns its argument.
fn program(body: &str) -> String {
    format!("int g; int f(int x) {{ return x; }} int main(void) {{ {body} return 0; }}")
}

fn check(body: &str, expected: bool) {
    for mode in MODES {
        let found = overflows(&program(body), mode);
        assert_eq!(found, expected, "{mode:?}: {body}");
    }
}

const MAX: &str = "int x = 2147483647, m = -2147483647 - 1; long l = 9223372036854775807L;";

fn overflow(body: &str) {
    check(&format!("{MAX} {body}"), true);
}

fn fine(body: &str) {
    check(&format!("{MAX} {body}"), false);
}

#[test]
fn results_outside_of_their_type_overflow() {
    overflow("x = x + 1;");
    overflow("x = m - 1;");
    overflow("x = x * 2;");
    overflow("x = m * -1;");
    overflow("l = l + x;");
    overflow("l = l * l;");
    overflow("x + 1;");
    fine("x = x + 0; x = m + x; x = x - 1; x = m + 1;");
    fine("l = (long)x * x; l = l - x; l = (long)m * m;");
    fine("x = 46340 * 46340; x = -46341 * 46340;");
    overflow("x = 46341; x = x * x;");
}

#[test]
fn all_operators_are_looked_at() {
    overflow("x++;");
    overflow("++x;");
    overflow("m--;");
    overflow("x += 1;");
    overflow("m -= 1;");
    overflow("x *= x;");
    overflow("x = -m;");
    overflow("x = m / -1;");
    overflow("m /= -1;");
    overflow("x = m % -1;");
    overflow("m %= -1;");
    fine("x = -x; x = m / 1; x = m % 7; x = x / -1; x = x % -1;");
}

#[test]
fn shifts_to_the_left_lose_nothing_and_keep_the_sign() {
    overflow("g = 1; g = g << 31;");
    overflow("x = x << 1;");
    overflow("g = -1; g = g << 1;");
    overflow("g = -1; g = g << 0;");
    overflow("g = 2; g <<= 30;");
    fine("g = 1; g = g << 30; g = 0; g = g << 31; l = 1; l = l << 62;");
    fine("unsigned u = 1; u = u << 31; u = u << 1; g = -8; g = g >> 1;");
    // Only bit-vectors have shifts by a variable.
    let shift = |n: i32, by: i32| {
        let text = program(&format!("int n = {n}, by = {by}; n = n << by;"));
        overflows(&text, IntMode::BitPrecise)
    };
    assert!(shift(1, 31) && shift(3, 30) && shift(-1, 1) && shift(1, 32) && shift(1, -1));
    assert!(!shift(1, 30) && !shift(0, 31));
}

#[test]
fn conversions_and_unsigned_operations_do_not_overflow() {
    fine("char c = 127; c++; c = 300; c += 200; short s = 32767; s++; s = x; s *= 2;");
    fine("x = l; x = 4294967295u; x = (int)3000000000L;");
    fine("unsigned u = 0; u--; u = u * u; u = -u; u = x + 1u; unsigned long w = l + 1ul;");
    // Operands as wide as `int` are not promoted any further.
    fine("unsigned char c = 255; x = c * c * 33025 / 33025;");
    overflow("unsigned short s = 65535; x = s * s;");
}

#[test]
fn operands_that_are_not_evaluated_do_not_overflow() {
    fine("if (g != 0 && x + 1 > 0) g = 1;");
    fine("if (g == 0 || x + 1 > 0) g = 1;");
    fine("if (x < 2147483647 && x + 1 > 0) g = 1;");
    fine("g = 0 && x + 1; g = 1 || x + 1;");
    fine("while (g && x + 1) g = 1;");
    fine("g = !(g && (1 || x + 1) && x + 1);");
    fine("g = (g && x + 1) + (g && (x == 0 || x + 1));");
    fine("g = g ? x + 1 : 0; g = 1 ? 0 : x + 1; g = g && (g ? 1 : x + 1);");
    fine("g = f(0) && x + 1; g = f(1) || f(x + 1);");
    fine("g = sizeof(x + 1);");
    overflow("if (g == 0 && x + 1 > 0) g = 1;");
    overflow("g = g || (1 && (0 || x + 1));");
    overflow("g = g == 0 && (g ? 0 : x + 1);");
    overflow("g = x + 1 && g;");
    overflow("g = f(1) && x + 1;");
    overflow("g = g == 1 || x == 2147483647 && x + 1;");
}

#[test]
fn overflow_is_seen_wherever_an_expression_stands() {
    overflow("return x + 1;");
    overflow("return f(x) + 1;");
    overflow("switch (x + 1) { default: ; }");
    overflow("switch (x + 1) { }");
    overflow("switch (x + 1) { case 1: break; case 2: g = 1; }");
    overflow("f(x + 1);");
    overflow("int a[2] = { 0, x + 1 };");
    overflow("int a[2] = { 0, 0 }; g = a[x + 1 > 0];");
    overflow("for (; x + 1 > 0; ) break;");
    overflow("do g = 1; while (x + 1 == 0);");
    overflow("g = (x + 1, 0);");
    overflow("g = 1 ? f(x) + 1 : f(0);");
    overflow("x + 1 ? f(1) : f(2);");
    fine("return x; x + 1;");
}

/// An overflow comes before what is assumed of its result.
#[test]
fn assumptions_do_not_undo_an_overflow() {
    overflow("__VERIFIER_assume(x + 1 > x);");
    overflow("__VERIFIER_assume(x + 1 < 0);");
}

#[test]
fn random_statements_overflow_alike() {
    let mut rng = rng(7);
    let bodies: Vec<String> = (0..300).map(|_| random_body(&mut rng)).collect();
    let found: Vec<bool> = bodies
        .iter()
        .map(|body| {
            let text = program(body);
            let [math, bits] = MODES.map(|mode| overflows(&text, mode));
            assert_eq!(math, bits, "mathematical left, bits right: {body}");
            math
        })
        .collect();
    let n_found = found.iter().filter(|&&found| found).count();
    assert!((60..240).contains(&n_found), "{n_found} of 300 overflow");
    let Some(theirs) = trapped(&bodies) else {
        println!("skipped: there is no `cc` with checks that trap");
        return;
    };
    for ((body, ours), theirs) in bodies.iter().zip(&found).zip(&theirs) {
        assert_eq!(ours, theirs, "ours left, compiled right: {body}");
    }
}

/// Whether each of the bodies traps when compiled; nothing without such a compiler.
fn trapped(bodies: &[String]) -> Option<Vec<bool>> {
    let mut text = "#include <stdlib.h>\nint g; int f(int x) { return x; }\n".to_owned();
    for (i, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "static int p{i}(void) {{ {body} return 0; }}");
    }
    text += "int main(int n, char **args) { switch (atoi(args[1])) {\n";
    for i in 0..bodies.len() {
        let _ = writeln!(text, "case {i}: return p{i}();");
    }
    text += "} return 1; }\n";
    let folder = std::env::temp_dir().join(format!("lariat-overflow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let (source, binary) = (folder.join("all.c"), folder.join("all"));
    std::fs::write(&source, text).expect("the programs are written");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-O0", "-w"])
        .args(["-fsanitize=signed-integer-overflow,shift"])
        .args(["-fsanitize-undefined-trap-on-error", "-o"])
        .args([&binary, &source])
        .output();
    let is_there = compiled.is_ok_and(|output| output.status.success());
    let run = |i: usize| {
        let status = Command::new(&binary).arg(i.to_string()).status();
        let code = status.expect("the programs run").code();
        assert_ne!(code, Some(1), "there is a program {i}");
        code.is_none()
    };
    let traps = is_there.then(|| (0..bodies.len()).map(run).collect());
    std::fs::remove_dir_all(&folder).expect("the folder was made");
    traps
}

/// A few variables near the ends of their types, and a statement.
fn random_body(rng: &mut Rng) -> String {
    const NEAR: [i64; 10] = [
        0,
        1,
        -1,
        2,
        7,
        46_341,
        65_535,
        2_147_483_646,
        -2_147_483_647,
        127,
    ];
    // With constants the compiler folds operations away, and their checks with them: `l - k != 0`
    // becomes `l != k`.
    let mut text = "volatile int k = 1, n = 3, o = -1; ".to_owned();
    for (ty, name) in [
        ("signed char", "c"),
        ("short", "s"),
        ("int", "i"),
        ("int", "j"),
        ("unsigned", "u"),
        ("long", "l"),
    ] {
        let value = NEAR[rng.random_range(0..NEAR.len())];
        let _ = write!(text, "volatile {ty} {name} = {value}; ");
    }
    match rng.random_range(0..6) {
        0 => text += "i = 2147483647; ",
        1 => text += "j = -2147483647 - 1; ",
        2 => text += "l = 9223372036854775807L; ",
        3 => text += "l = -9223372036854775807L - 1; ",
        _ => {}
    }
    let place = ["c", "s", "i", "j", "u", "l"][rng.random_range(0..6)];
    let e = random_expression(rng, 3);
    let _ = match rng.random_range(0..6) {
        0 => write!(text, "{place} += {e};"),
        1 => write!(text, "{place} *= {e};"),
        2 => write!(text, "{place}++; {place} -= {e};"),
        3 => write!(
            text,
            "if ({e} < n) {place} = {};",
            random_expression(rng, 2)
        ),
        _ => write!(text, "{place} = {e};"),
    };
    text
}

fn random_expression(rng: &mut Rng, depth: u32) -> String {
    const LEAVES: [&str; 9] = ["c", "s", "i", "j", "u", "l", "k", "n", "o"];
    if depth == 0 {
        return LEAVES[rng.random_range(0..LEAVES.len())].to_owned();
    }
    let a = random_expression(rng, depth - 1);
    let right_depth = rng.random_range(0..depth);
    let b = random_expression(rng, right_depth);
    let by = rng.random_range(0..20);
    match rng.random_range(0..13) {
        0 | 1 => format!("({a} + {b})"),
        2 | 3 => format!("({a} - {b})"),
        4 => format!("({a} * {b})"),
        5 => format!("(({b}) == 0 ? 0 : {a} / ({b}))"),
        6 => format!("(({b}) == 0 ? 0 : {a} % ({b}))"),
        7 => format!("(-{a})"),
        8 => format!("({a} << {by})"),
        9 => format!("({a} < {b} && {b} < n)"),
        10 => format!("({a} > {b} || {b} + k > n)"),
        11 => format!("({a} < n ? {b} : {a})"),
        _ => format!("((short){a} ^ 5)"),
    }
}
