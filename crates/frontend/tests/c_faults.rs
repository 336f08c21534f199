//! Steps of C programs that have no meaning: divisions by zero (C11 6.5.5p5), indices outside of their arrays and pointers
//! that point nowhere (6.5.6p8, 6.5.3.2p4). A run ends there, in both readings of integers.

mod common;

use lariat_base::SourceMap;
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_system::{Context, Language, Limits, Outcome, Simulator};

/// The name of the location at which the program ends. It has no inputs; a fault is the first way out of its step.
fn ends_at(text: &str, ints: IntMode) -> String {
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
    let mut system = match parsed {
        Ok(parsed) => parsed.system,
        Err(findings) => panic!("{ints:?}: {}", common::show(map.file(id), &findings)),
    };
    let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
    for _ in 0..10_000 {
        assert_eq!(simulator.step(|_| 0), Outcome::Stepped, "{ints:?}: {text}");
        let state = simulator.state().expect("the run has started");
        let name = &*simulator.system().locations[state.loc.location()].name;
        if ["division-by-zero", "invalid-access", "end"].contains(&name) {
            return name.to_owned();
        }
    }
    panic!("{ints:?}: the program does not end: {text}");
}

fn check(body: &str, expected: &str) {
    let globals = "int g, z, a[3], b[2][2]; struct { int c[2]; int d; } s[2]; int *p, *q = &g;";
    let text =
        format!("{globals} int f(int x) {{ return x; }} int main(void) {{ {body} return 0; }}");
    for ints in [IntMode::Math, IntMode::BitPrecise] {
        assert_eq!(ends_at(&text, ints), expected, "{ints:?}: {body}");
    }
}

#[test]
fn divisions() {
    for body in [
        "g = 1 / z;",
        "g = 1 % z;",
        "g /= z;",
        "g %= z;",
        "f(1 / z);",
        "if (1 / z) g = 1;",
        "while (1 % z) g = 1;",
        "switch (1 / z) { default: ; }",
        "1 / z;",
        "g = 5u / (unsigned)z;",
        "return 1 / z;",
        "int x = 1 / z;",
        "g = z ? 1 : 1 / z;",
        "g = z || 1 / z;",
    ] {
        check(body, "division-by-zero");
    }
    for body in [
        "g = 1 / 2;",
        "z = 3; g = 1 / z;",
        "g = z ? 1 / z : 0;",
        "g = z && 1 / z;",
        "if (z != 0) g = 1 / z;",
        "g = sizeof(1 / z);",
        "g = -7 % 3;",
    ] {
        check(body, "end");
    }
}

#[test]
fn indices() {
    for body in [
        "g = a[3];",
        "a[3] = 1;",
        "z = -1; g = a[z];",
        "z = 3; a[z]++;",
        "for (z = 0; z <= 3; z++) a[z] = 1;",
        "z = 4; g = b[1][2];",
        "z = 2; g = s[z].d;",
        "z = 2; s[1].c[z] = 1;",
        "q = a; g = q[3];",
        "q = a + 3; g = *q;",
        "q = &a[1]; q[-2] = 1;",
        "a[3];",
    ] {
        check(body, "invalid-access");
    }
    for body in [
        "g = a[2];",
        "for (z = 0; z < 3; z++) a[z] = 1;",
        "g = b[1][1];",
        "s[1].c[1] = 1; g = s[1].d;",
        "q = &a[3]; g = q == a;",
        "q = a + 3; q--; g = *q;",
        "z = 3; g = z < 3 && a[z];",
    ] {
        check(body, "end");
    }
}

#[test]
fn pointers() {
    for body in [
        "if (z) p = &g; g = *p;",
        "if (z) p = &g; *p = 1;",
        "q = z ? &g : 0; *q = 1;",
        "g = q[1];",
        "q++; *q = 1;",
    ] {
        check(body, "invalid-access");
    }
    for body in [
        "p = &g; *p = 1;",
        "g = *q;",
        "q++; q--; *q = 1;",
        "g = &*q == &g;",
    ] {
        check(body, "end");
    }
}

#[test]
fn the_state_is_the_one_from_before() {
    let text = "int g = 7, z; int main(void) { g = 1 / z; }";
    let (mut cx, mut map) = (Context::new(), SourceMap::new());
    let id = map.add("test.c", text);
    let parsed = parse_with(&mut cx, Language::C, id, map.file(id), &Options::default());
    let mut system = parsed.expect("the program is read").system;
    let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
    for _ in 0..5 {
        assert_eq!(simulator.step(|_| 0), Outcome::Stepped);
    }
    let state = simulator.state().expect("the run has started");
    let value = state.values[0].as_int().expect("a number");
    assert_eq!(value.to_string(), "7");
}
