//! C programs: what they compute, what they show, what is refused.
//!
//! The values that programs assert here are those of the C standard, with the usual sizes (LP64) and
//! two's complement; `cc` agrees with each of them.

mod common;

use lariat_base::SourceMap;
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_system::{Context, Language, Limits, Outcome, Simulator, System};
use std::fmt::Write as _;

/// Where a failed assertion leads; the program ends after it.
const FAILED: &str = "failed-assertion";

/// Runs a program without inputs to its end, in both readings of integers: no assertion may fail.
fn holds(text: &str) {
    for ints in [IntMode::Math, IntMode::BitPrecise] {
        let steps = run(text, ints, &[], 10_000);
        let end = steps.last().map_or("nowhere", |step| &*step.place);
        assert_eq!(end, "end", "{ints:?}: {text}\n{steps:#?}");
        let failed = steps.iter().any(|step| step.place == FAILED);
        assert!(!failed, "{ints:?}: {text}\n{steps:#?}");
    }
}

/// Statements inside of `main`.
fn body(text: &str) {
    holds(&format!(
        "#include <assert.h>\nint main(void) {{ {text} return 0; }}"
    ));
}

#[derive(Debug)]
struct Shown {
    place: String,
    observed: bool,
    values: String,
}

/// The steps of a run, always by the first way that is open, until the program has ended.
fn run(text: &str, ints: IntMode, names: &[&str], limit: usize) -> Vec<Shown> {
    let lowered = lower(text, ints).unwrap_or_else(|findings| panic!("{findings}"));
    run_lowered(lowered, names, limit)
}

fn run_lowered(
    (mut cx, mut system): (Context, System),
    names: &[&str],
    limit: usize,
) -> Vec<Shown> {
    let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
    let mut steps = Vec::new();
    for _ in 0..limit {
        assert_eq!(simulator.step(|_| 0), Outcome::Stepped, "{steps:#?}");
        let state = simulator.state().expect("the run has started");
        let edge = simulator.last_edge().expect("the run has started");
        let terms = &simulator.context().terms;
        let value = |name: &&str| {
            let at = simulator
                .variables()
                .iter()
                .position(|variable| terms.name(variable.var) == *name)
                .unwrap_or_else(|| panic!("there is a variable {name}"));
            let sort = terms.var_sort(simulator.variables()[at].var);
            format!("{name}={}", state.values[at].display(&terms.sorts, sort))
        };
        let values: Vec<String> = names.iter().map(value).collect();
        let place = simulator.system().locations[state.loc.location()]
            .name
            .to_string();
        if edge.stutter {
            break;
        }
        steps.push(Shown {
            place,
            observed: edge.observed,
            values: values.join(" "),
        });
    }
    steps
}

/// The letters that a formula over these variables reads, without repetitions of the last.
fn word(text: &str, names: &[&str]) -> String {
    let steps = run(text, IntMode::Math, names, 10_000);
    let observed = steps.iter().filter(|step| step.observed);
    let letters: Vec<&str> = observed.map(|step| &*step.values).collect();
    letters.join("; ")
}

fn lower(text: &str, ints: IntMode) -> Result<(Context, System), String> {
    let options = COptions {
        ints,
        ..COptions::default()
    };
    lower_with(text, options)
}

fn lower_with(text: &str, options: COptions) -> Result<(Context, System), String> {
    let (mut cx, mut map) = (Context::new(), SourceMap::new());
    let id = map.add("test.c", text);
    let options = Options {
        c: options,
        ..Options::default()
    };
    match parse_with(&mut cx, Language::C, id, map.file(id), &options) {
        Ok(parsed) => Ok((cx, parsed.system)),
        Err(findings) => Err(common::show(map.file(id), &findings)),
    }
}

fn refused(text: &str) -> String {
    lower(text, IntMode::Math).expect_err("the program is refused")
}

#[test]
fn integers_convert_as_in_c() {
    body("unsigned u = 0; u--; assert(u == 4294967295u); u++; assert(u == 0);");
    body("char c = 127; c++; assert(c == -128); c--; assert(c == 127);");
    body(
        "unsigned char c = 255; c += 2; assert(c == 1); short s = 32767; s++; assert(s == -32768);",
    );
    body("_Bool b = 42; assert(b == 1); b = 0; assert(!b); b = 256; assert(b);");
    body("long l = 5000000000L; assert((int)l == 705032704);");
    body("unsigned long l = -1; assert(l == 18446744073709551615UL); assert(l + 1 == 0);");
    body("assert((unsigned char)300 == 44); assert((signed char)200 == -56);");
    body(
        "int x = -1; unsigned u = 3; assert(x > u); assert(u - 5 > 100); assert((unsigned char)255 > x);",
    );
    body("unsigned short a = 65535, b = 1; assert(a + b == 65536); a += b; assert(a == 0);");
    body("assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(char) == 1 && sizeof 'a' == 4);");
}

#[test]
fn division_truncates() {
    body("assert(-7 / 2 == -3); assert(-7 % 2 == -1); assert(7 / -2 == -3); assert(7 % -2 == 1);");
    body("int x = -7, y = 2; assert(x / y == -3 && x % y == -1 && x / -y == 3 && x % -y == -1);");
    body("unsigned x = 7, y = 2; assert(x / y == 3 && x % y == 1 && -x / y == 2147483644u);");
}

#[test]
fn bits_of_constants() {
    body(
        "int x = 77; assert((x & 7) == 5 && (x & 8) == 8 && (x | 2) == 79 && (x ^ 1) == 76 && ~x == -78);",
    );
    body(
        "int x = -77; assert((x & 7) == 3 && (x >> 2) == -20 && (x & -4) == -80 && (x | 7) == -73);",
    );
    body("unsigned x = 1u << 31; assert(x == 2147483648u && x >> 31 == 1 && (x << 1) == 0);");
    body("int x = 3; x <<= 4; assert(x == 48); x |= 1; x ^= 5; x &= 0x3c; assert(x == 52);");
}

#[test]
fn side_effects_happen_in_order() {
    body(
        "int x = 5, y = x++ + 3; assert(x == 6 && y == 8); y = ++x; assert(y == 7); y = x--; assert(y == 7 && x == 6);",
    );
    body("int x = 0; (x == 0) || (x = 5); assert(x == 0); (x == 0) && (x = 5); assert(x == 5);");
    body("int x = 5, y = (x > 3) ? (x = 9, x + 1) : 0; assert(y == 10 && x == 9);");
    body("int x = 1, y = 2, t; t = x, x = y, y = t; assert(x == 2 && y == 1);");
    body("int x, y; x = y = 7; assert(x == 7 && y == 7); x *= y -= 4; assert(x == 21 && y == 3);");
    body(
        "int a[3] = {1, 2, 3}, i = 0; a[i++] += 10; assert(i == 1 && a[0] == 11); a[2]--; assert(a[2] == 2);",
    );
    body(
        "int x = 0; int y = 1 ?: x++; assert(y == 1 && x == 0); y = 0 ? x++ : x--; assert(y == 0 && x == -1);",
    );
}

#[test]
fn statements() {
    body(
        "int k = 0; do { k++; if (k == 3) continue; if (k > 5) break; } while (k < 10); assert(k == 6);",
    );
    body("int k = 0; again: k++; if (k < 4) goto again; assert(k == 4);");
    body("int w = 0; for (int i = 0, j = 10; i < j; i++, j--) w = i; assert(w == 4);");
    body(
        "int r = 0; for (int i = 0; i < 5; i++) { switch (i) { case 1: r += 1; case 2: r += 10; break; \
          case 4: { continue; } default: r += 100; } r++; } assert(r == 225);",
    );
    body(
        "int r = 0; switch (3) { case 1: r = 1; } assert(r == 0); switch (2) default: r = 5; assert(r == 5);",
    );
    body(
        "int n = 0; while (1) { if (n == 3) break; n++; } for (;;) { n++; if (n > 6) goto out; } out: assert(n == 7);",
    );
    body(
        "int x = 1; { int x = 2; assert(x == 2); { int x = 3; x++; } assert(x == 2); } assert(x == 1);",
    );
    body("int i = 0; goto in; while (i < 3) { i += 10; in: i++; } assert(i == 12);");
}

#[test]
fn functions_are_inlined() {
    holds(
        "#include <assert.h>
        static int next(void) { static int n = 10; return n++; }
        int fact(int n) { int r = 1; for (int i = 2; i <= n; i++) r *= i; return r; }
        int g = 3; int side(void) { g++; return g; }
        void early(int x) { if (x) return; g = 100; }
        int twice(x) int x; { return 2 * x; }
        main() {
            assert(next() == 10); assert(next() == 11);
            assert(fact(5) == 120); assert(fact(3) + fact(4) == 30); assert(fact(fact(3)) == 720);
            assert(side() + side() * 10 == 54); assert(g == 5);
            int w = 0;
            if (side() > 100 && side()) w = 1; assert(g == 6 && w == 0);
            if (side() > 1 || side()) w = 2; assert(g == 7 && w == 2);
            w = side() ? side() : -1; assert(w == 9);
            w = (side() > 100 && side()) + 5; assert(w == 5 && g == 10);
            early(1); assert(g == 10); early(0); assert(g == 100); assert(twice(21) == 42);
            int z = ({ int t = side(); t + 1; }); assert(z == 102);
            while (side() < 105) ; assert(g == 105);
        }",
    );
}

#[test]
fn pointers_arrays_structs() {
    holds(
        r#"#include <assert.h>
        typedef struct { int a; unsigned char b; int arr[3]; } S;
        struct P { S s; int *p; };
        int arr[5] = {1, 2, 3}, mat[2][3] = {{1, 2, 3}, {4, 5, 6}}, g = 2;
        void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
        int sum(int *a, int n) { int s = 0; while (n > 0) { n--; s += a[n]; } return s; }
        S make(int a) { S s = {0}; s.a = a; s.b = a + 250; s.arr[2] = a; return s; }
        int main(void) {
            int x = 1, y = 2; swap(&x, &y); assert(x == 2 && y == 1); swap(&x, &g); assert(x == 2 && g == 2);
            swap(&arr[0], &arr[2]); assert(arr[0] == 3 && arr[2] == 1 && sum(arr, 5) == 6);
            S s = make(9), t = s; t.a = 1; assert(s.a == 9 && t.a == 1 && s.b == 3 && t.arr[2] == 9);
            struct P p = {{0}}; p.s = s; p.p = &p.s.a; *p.p = 55; struct P *q = &p; q->s.arr[1] = 3;
            assert(p.s.a == 55 && p.s.arr[1] == 3 && *q->p == 55);
            mat[1][2] = 60; int *row = mat[1]; assert(mat[1][1] == 5 && row[0] == 4 && *(row + 2) == 60);
            int *it = arr, total = 0; for (int i = 0; i < 5; i++) total += *it++; assert(total == 6 && it - arr == 5);
            int *pp = 0; assert(!pp && pp == 0); pp = total > 3 ? &x : &y; *pp = 123; assert(x == 123);
            pp = total > 30 ? &x : &y; *pp = 321; assert(y == 321 && x == 123 && pp != 0 && pp == &y);
            char text[] = "hi\n"; assert(text[0] == 'h' && text[2] == 10 && text[3] == 0 && sizeof(text) == 4);
            int flat[3][2] = {1, 2, 3, 4, 5}; assert(flat[1][0] == 3 && flat[2][1] == 0);
            int d[4] = {[2] = 9, 8}; assert(d[0] == 0 && d[2] == 9 && d[3] == 8 && sizeof d / sizeof d[0] == 4);
            S ss[2] = {{1, 2, {3}}, {4, 5, {6, 7}}}; assert(ss[1].arr[1] == 7 && ss[0].b == 2);
            return 0;
        }"#,
    );
}

#[test]
fn the_preprocessor_does_what_programs_need() {
    holds(
        "# 1 \"some.c\"\n#include <assert.h>\n#define N 5\n#define SQ(x) ((x)*(x))\n#define BIG \\\n  100\n\
         #ifdef N\n#define M (N + 1)\n#else\n#error no\n#endif\n#ifndef M\nbroken\n#endif\n\
         #if defined(N) && N == 5\nint g = BIG;\n#elif 1\nint h;\n#endif\n#undef BIG\n#pragma once\n\
         int main(void) { assert(SQ(N + 1) == 36 && M == 6 && g == 100); }",
    );
    assert_eq!(
        refused("#include \"own.h\"\nint main() {}"),
        "needs-preprocessor 1:1 the program needs the C preprocessor: an `#include` of a file of its own \
         (run `cc -E` on it and check the output)\n"
    );
}

#[test]
fn a_letter_is_read_after_every_statement() {
    // Static initialisation is not observed; the first letter is read after main's first statement.
    let text = "int x = 1; int main() { x = 2; if (x > 1) x = 3; return 0; }";
    assert_eq!(word(text, &["x"]), "x=2; x=2; x=3");
    // Declarations without a value are no statements.
    let text = "int x = 1; int main() { int y; x = 2; }";
    assert_eq!(word(text, &["x"]), "x=2");
}

#[test]
fn calls_are_steps_and_returns_are_not() {
    let text =
        "int x; int f(int a) { x = a; return x + 1; } int main() { x = 5; x = f(7); x = 9; }";
    assert_eq!(word(text, &["x"]), "x=5; x=5; x=7; x=8; x=9");
    let text = "int x; void f() { x = 1; } int main() { f(); x = 2; f(); }";
    assert_eq!(word(text, &["x"]), "x=0; x=1; x=2; x=2; x=1");
}

#[test]
fn side_effects_inside_one_statement_are_one_step() {
    let text = "int x, y; int main() { y = x++ + 2; x = (y = 3, y + 1); }";
    let letters = word(text, &["x", "y"]);
    assert_eq!(letters, "x=1 y=2; x=4 y=3");
}

#[test]
fn only_the_steps_that_a_program_asks_for_are_observed() {
    let text = "void __VERIFIER_ltl_step(void); int x;
        int main() { x = 1; __VERIFIER_ltl_step(); x = 2; x = 3; __VERIFIER_ltl_step(); }";
    assert_eq!(word(text, &["x"]), "x=1; x=3");
    // It asks for them in code that is never reached too: then there are none. What is left is the
    // end, repeated for ever.
    for dead in [
        "if (0) __VERIFIER_ltl_step();",
        "return 0; __VERIFIER_ltl_step();",
        "if (sizeof(int) == 4) return 0; __VERIFIER_ltl_step();",
    ] {
        let text = format!("void __VERIFIER_ltl_step(void); int x; int main() {{ x = 1; {dead} }}");
        assert_eq!(word(&text, &["x"]), "", "{dead}");
    }
    let unused = "int x; void f(void) { __VERIFIER_ltl_step(); } int main() { x = 1; return 0; }";
    assert_eq!(word(unused, &["x"]), "");
}

#[test]
fn a_program_is_asked_for_its_errors_even_if_they_are_dead_code() {
    let asked = |text: &str| {
        let (_, system) = lower(text, IntMode::Math).expect("it is right");
        let names = system.properties.iter().map(|property| &*property.name);
        names.collect::<Vec<&str>>().join(" ")
    };
    let error = "extern void reach_error(void); int main(void)";
    assert_eq!(
        asked(&format!(
            "{error} {{ if (sizeof(int) != 4) reach_error(); }}"
        )),
        "no-error"
    );
    assert_eq!(
        asked(&format!("{error} {{ return 0; reach_error(); }}")),
        "no-error"
    );
    assert_eq!(
        asked("int main(void) { assert(sizeof(int) == 4); }"),
        "assertions"
    );
    assert_eq!(
        asked("int main(void) { return 0; __assert_fail(); }"),
        "assertions"
    );
    assert_eq!(asked(&format!("{error} {{ return 0; }}")), "");
}

#[test]
fn ends_and_errors_are_locations() {
    let places = |text: &str| {
        let steps = run(text, IntMode::Math, &[], 100);
        let places: Vec<String> = steps.into_iter().map(|step| step.place).collect();
        places.join(" ")
    };
    assert_eq!(places("int main() { exit(0); }"), "start end");
    assert_eq!(places("int main() { abort(); }"), "start end");
    let error = "extern void __VERIFIER_error(); int main() { __VERIFIER_error(); }";
    assert_eq!(places(error), "start error end");
    let fails = "int main() { assert(0); }";
    assert_eq!(places(fails), "start failed-assertion end");
    let called = "void f() {} int main() { f(); L: f(); }";
    assert_eq!(places(called), "start call(f) at(L) call(f)#2 end");
}

#[test]
fn properties_in_comments() {
    let text = "//@ ltl invariant one: [](AP(x > 0) ==> <> AP(y == 0));\n/*@ ltl invariant two: <>AP(x == 1) */\n\
                int x, y; int main() { }";
    let (_, system) = lower(text, IntMode::Math).expect("it is right");
    let found: Vec<String> = system
        .properties
        .iter()
        .map(|property| format!("{}: {:?}", property.name, property.body))
        .collect();
    assert_eq!(
        found,
        [
            "one: Ltl(\"[](AP(x > 0) ==> <> AP(y == 0))\")",
            "two: Ltl(\"<>AP(x == 1)\")"
        ]
    );
}

#[test]
fn what_is_not_supported_is_an_error_only_where_it_is_reached() {
    let unreached = "double d; union U { int a; char b; } u; int f(double x) { return x > 0.5; }
        int g(int n) { return n ? g(n - 1) : 0; } void h(void) { asm(\"nop\"); }
        typedef int (*callback)(int); extern inline int k(void) { return __builtin_whatever(1, 2.0); }
        int main() { if (0) g(3); return 0; f(1); }";
    assert!(lower(unreached, IntMode::Math).is_ok());
    assert_eq!(
        refused("int f(int n) { return n ? f(n - 1) : 0; } int main() { return f(3); }"),
        "recursion 1:27 the function `f` calls itself here \
         (calls are inlined, so recursion needs a limit: `--recursion N` inlines it N deep; or write it as a loop)\n"
    );
    assert_eq!(
        refused("double d; int main() { d = 1; }"),
        "unsupported 1:24 a floating-point number is not supported\n"
    );
    assert_eq!(
        refused("int x, y; int main() { x = x & y; }"),
        "unsupported 1:28 this `&` has no meaning for mathematical integers (check with `--int bitprecise`)\n"
    );
    assert!(lower("int x, y; int main() { x = x & y; }", IntMode::BitPrecise).is_ok());
    // No compiler takes it: what would be read before `main` starts?
    assert!(
        refused("int nondet(void); int x = nondet(); int main() {}").starts_with("not-constant")
    );
    assert_eq!(
        refused("int count; int main() { cuont = 1; }"),
        "unknown-name 1:25 unknown name `cuont` (did you mean `count`?)\n"
    );
    assert_eq!(
        refused("int f() {}"),
        "missing-main  there is no function `main`\n"
    );
    assert_eq!(
        refused("int main() { int x = ; }"),
        "syntax 1:22 expected an expression, found `;`\n"
    );
    assert_eq!(
        refused("int main() { int *p; *p = 1; }"),
        "unsupported 1:22 following a pointer without known targets is not supported\n"
    );
}

#[test]
fn long_programs_and_deep_nesting_do_no_harm() {
    let sum = "+ 1".repeat(20_000);
    let all = "&& x ".repeat(20_000);
    let chain = "else if (x == 3) x = 4; ".repeat(5_000);
    let text = format!(
        "int x; int main() {{ x = 1 {sum}; x = 1 {all}; if (x == 9) x = 1; {chain} else x = 7; }}"
    );
    assert!(lower(&text, IntMode::Math).is_ok());
    for nested in [
        format!(
            "int x; int main() {{ x = {}1{}; }}",
            "(".repeat(100_000),
            ")".repeat(100_000)
        ),
        format!(
            "int x; int main() {{ x = {}1; }}",
            "-".repeat(100_001).replace("--", "- -")
        ),
        format!("int x; int main() {{ {} }}", "{".repeat(100_000)),
        format!("int x; int main() {{ {} ; }}", "if (x) ".repeat(100_000)),
        format!(
            "int x; int main() {{ x = {}1; }}",
            "x ? 1 : ".repeat(100_000)
        ),
        format!("int {}x; int main() {{ }}", "(".repeat(100_000)),
        format!("int x = {}1; int main() {{ }}", "{".repeat(100_000)),
        format!("struct {}", "A { struct ".repeat(100_000)),
        "struct A { struct A a; } a; int main() { return a.a.a.a; }".to_owned(),
    ] {
        assert!(lower(&nested, IntMode::Math).is_err());
    }
    let stars = format!("int {}x; int main() {{ }}", "*".repeat(100_000));
    assert!(lower(&stars, IntMode::Math).is_ok());
    // Each function calls the next one twice: inlined, that is too much.
    let mut doubling = "void f0() { x = 1; } ".to_owned();
    for i in 1..40 {
        let called = i - 1;
        let _ = write!(doubling, "void f{i}() {{ f{called}(); f{called}(); }} ");
    }
    let text = format!("int x; {doubling} int main() {{ f39(); }}");
    assert!(refused(&text).starts_with("too-large"));
}

#[test]
fn broken_texts_are_refused_and_not_a_crash() {
    let good = "#define A(x) (x+1)\nenum E { P = 3, Q }; struct S { int a, b[2]; } s = {1, {2, 3}};\n\
        int g[3] = {1}; int f(int *p, int n) { *p += n; return n ? *p : -1; }\n\
        int main(void) { int x = A(2), *q = &x; for (int i = 0; i < 3; i++) { x += f(q, i) << 1; switch (x) \
        { case P: x--; break; default: goto end; } } while (x > 0 && g[x % 3]) { x -= s.b[1]; } end: return x; }";
    assert!(lower(good, IntMode::Math).is_ok());
    let mut seed: u32 = 12_345;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % n
    };
    let bytes = b"(){}[];,*&+-<>=!?:#.\"'\\/ \nx01int@\xc3";
    for _ in 0..3_000 {
        let mut text = good.as_bytes().to_vec();
        for _ in 0..=next(4) {
            if text.len() < 2 {
                break;
            }
            let at = next(text.len());
            match next(4) {
                0 => {
                    text.remove(at);
                }
                1 => text.insert(at, bytes[next(bytes.len())]),
                2 => text.truncate(at.max(1)),
                _ => {
                    let (from, len) = (next(text.len()), next(20));
                    let part: Vec<u8> = text[from..].iter().copied().take(len).collect();
                    text.splice(at..at, part);
                }
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let _ = lower(&text, IntMode::Math);
    }
}

/// Runs a program, recursion inlined `depth` deep, as far as it goes; where that is.
fn end_of(text: &str, depth: u32) -> String {
    let options = COptions {
        recursion: depth,
        ..COptions::default()
    };
    let lowered = lower_with(text, options);
    let (mut cx, mut system) = lowered.unwrap_or_else(|findings| panic!("{findings}"));
    let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
    let place = |simulator: &Simulator<'_, System>| {
        let at = simulator.state().expect("the run has started").loc;
        simulator.system().locations[at.location()].name.to_string()
    };
    for _ in 0..10_000 {
        if simulator.step(|_| 0) != Outcome::Stepped
            || simulator.last_edge().is_some_and(|edge| edge.stutter)
        {
            break;
        }
        assert_ne!(place(&simulator), FAILED, "{text}");
    }
    place(&simulator)
}

/// A program whose assertions hold, and which needs exactly this depth of recursion.
fn needs_depth(depth: u32, text: &str) {
    assert_eq!(end_of(text, depth), "end", "{text}");
    assert_eq!(end_of(text, depth + 2), "end", "{text}");
    let shallow = end_of(text, depth - 1);
    let ending = format!("deeper than {}", depth - 1);
    assert!(shallow.starts_with("recursion of "), "{shallow}: {text}");
    assert!(shallow.ends_with(&ending), "{shallow}: {text}");
}

#[test]
fn each_activation_has_its_own_variables() {
    needs_depth(
        4,
        "int f(int n) { return n <= 1 ? 1 : n * f(n - 1); } int main() { assert(f(5) == 120); }",
    );
    needs_depth(
        5,
        "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }
        int main() { assert(f(6) == 8); }",
    );
    // ack(1, 2) = ack(0, ack(1, 1)), and ack(1, 1) = ack(0, ack(1, 0)), and ack(1, 0) = ack(0, 1).
    needs_depth(
        3,
        "int a(int m, int n) { if (m == 0) return n + 1; if (n == 0) return a(m - 1, 1);
            return a(m - 1, a(m, n - 1)); }
        int main() { assert(a(1, 2) == 4); }",
    );
    needs_depth(
        3,
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); }
        int odd(int n) { return n == 0 ? 0 : even(n - 1); }
        int main() { assert(even(6)); assert(!odd(6)); assert(!even(5)); }",
    );
    // A local variable survives the call inside; so do what is left of a call, and a loop counter.
    needs_depth(
        2,
        "int log = 0; int f(int n) { int mine = n * 10, i; if (n == 0) return 1;
            for (i = 0; i < 2; i++) { log = log * 10 + n; mine += f(n - 1); }
            return mine + f(0) * (f(0) + n); }
        int main() { assert(f(2) == 51); assert(log == 211211); }",
    );
    needs_depth(
        2,
        "int main() { static int depth = 0; int mine; depth++; mine = depth;
            if (depth < 3) main(); assert(mine <= 3); depth--; assert(depth == mine - 1); return 0; }",
    );
}

#[test]
fn pointers_lead_to_variables_of_outer_activations() {
    needs_depth(
        3,
        "void f(int n, int *sum) { int mine = n; if (n == 0) return; *sum += mine; f(n - 1, sum); *sum += mine; }
        int main() { int sum = 0; f(3, &sum); assert(sum == 12); }",
    );
    needs_depth(
        2,
        "void f(int n, int *out) { int mine = 10 * n; if (n == 0) { *out += 1; return; } f(n - 1, &mine); *out += mine; }
        int main() { int t = 0; f(2, &t); assert(t == 31); }",
    );
    needs_depth(
        3,
        "int x, y; int *pick(int n, int *p, int *q) { if (n == 0) return p; return pick(n - 1, q, p); }
        int main() { *pick(3, &x, &y) = 2; assert(x == 0 && y == 2); }",
    );
}

#[test]
fn a_static_variable_is_one_in_all_calls() {
    holds(
        "int x, y; int *f(int *p) { static int *last = 0; int *old = last; last = p; return old; }
        int main() { assert(f(&x) == 0); assert(f(&y) == &x); assert(f(0) == &y); return 0; }",
    );
}

#[test]
fn the_step_to_a_cut_is_not_observed() {
    let text = "int x; void f(int n) { f(x = n + 1); } int main() { f(1); }";
    let options = COptions {
        recursion: 2,
        ..COptions::default()
    };
    let (_, system) = lower_with(text, options).expect("it is read");
    let is_cut = |at| system.locations[at].role == lariat_system::LocRole::Cut;
    let mut n_into = 0;
    for (at, edges) in system.edges.rows() {
        assert!(!is_cut(at) || edges.is_empty());
        for edge in edges.iter().filter(|edge| is_cut(edge.target)) {
            n_into += 1;
            assert!(!edge.observed);
        }
    }
    assert_eq!(n_into, 1);
}

#[test]
fn recursion_that_leads_too_far_is_refused_at_the_call() {
    let text = "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); } int main() { return f(9); }";
    let refused = |recursion: u32| {
        let options = COptions {
            recursion,
            ..COptions::default()
        };
        lower_with(text, options).expect_err("the program is refused")
    };
    assert_eq!(
        refused(100_000),
        "too-deep 1:44 the recursion of `f` is too deep to be inlined (lower `--recursion`)\n"
    );
    let found = refused(60);
    assert!(
        found.contains(
            "the program has more than 200000 steps with the recursion of `f` inlined 60 deep (lower `--recursion`)"
        ),
        "{found}"
    );
}
