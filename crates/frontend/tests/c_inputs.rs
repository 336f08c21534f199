//! Where the inputs of C programs come in: which statements stand for which calls, and for which of their values.

use lariat_base::SourceMap;
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_system::{CArrival, CLinkage, CPart, CRole, Context, Language, Stmt, System};

fn lower(text: &str, ints: IntMode) -> (Context, System, SourceMap) {
    let mut sources = SourceMap::new();
    let source = sources.add("test.c", text);
    let mut cx = Context::new();
    let c = COptions {
        ints,
        ..COptions::default()
    };
    let file = sources.file(source);
    let parsed = parse_with(
        &mut cx,
        Language::C,
        source,
        file,
        &Options {
            c,
            ..Options::default()
        },
    );
    let system = parsed.expect("the program is read").system;
    (cx, system, sources)
}

/// The inputs of each edge that has some, in order of the edges: the call, what of it comes in, the statement, and when.
fn arrivals(text: &str) -> Vec<String> {
    let shown = [IntMode::Math, IntMode::BitPrecise].map(|ints| shown(text, ints));
    assert_eq!(shown[0], shown[1], "integers do not matter");
    shown.into_iter().next().expect("there are two")
}

fn shown(text: &str, ints: IntMode) -> Vec<String> {
    let (cx, system, sources) = lower(text, ints);
    let program = system.program.as_ref().expect("a C program");
    let mut found = Vec::new();
    for (_, edges) in system.edges.rows() {
        for edge in edges {
            let mut own = Vec::new();
            cx.stmts.walk(edge.stmt, |id, stmt| {
                let Some(&(input, how)) = program.arrivals.get(&id) else {
                    return;
                };
                let input = &program.inputs[input];
                let part = match input.part {
                    CPart::Result | CPart::Nothing => String::new(),
                    CPart::Target(_, span) => format!(" into {}", sources.snippet(span)),
                };
                let how = match (how, stmt) {
                    (CArrival::Stored, Stmt::Havoc(var)) => cx.terms.name(var).to_owned(),
                    (CArrival::Stored, Stmt::Declare(..)) => "local".to_owned(),
                    (CArrival::Tested(truth), Stmt::Seq(_)) => truth.to_string(),
                    (CArrival::Unused, Stmt::Seq(_)) => "unused".to_owned(),
                    other => panic!("no such arrival: {other:?}"),
                };
                let when = if input.when.is_some() { ", maybe" } else { "" };
                own.push(format!(
                    "{}{part}: {how}{when}",
                    sources.snippet(input.span)
                ));
            });
            if !own.is_empty() {
                found.push(own.join("; "));
            }
        }
    }
    found
}

fn body(text: &str) -> Vec<String> {
    arrivals(&format!(
        "int rd(void), r2(void); void out(int *a, int *b); int x, y;\nint main(void) {{ {text} }}"
    ))
}

#[test]
fn values_are_stored_tested_or_dropped() {
    assert_eq!(body("x = rd();"), ["rd(): x"]);
    assert_eq!(body("x = rd() + 1;"), ["rd(): local"]);
    assert_eq!(body("if (rd()) x = 1;"), ["rd(): true", "rd(): false"]);
    assert_eq!(body("if (!rd()) x = 1;"), ["rd(): false", "rd(): true"]);
    assert_eq!(body("if (rd() == 42) x = 1;"), ["rd(): local"; 2]);
    assert_eq!(body("rd();"), ["rd(): unused"]);
    assert_eq!(body("rd(); x = r2();"), ["rd(): unused; r2(): x"]);
    assert_eq!(
        body("switch (rd()) { case 0: x = 1; }"),
        ["rd(): false", "rd(): true"]
    );
}

#[test]
fn pointers_bring_values_in() {
    assert_eq!(
        body("out(&x, &y);"),
        ["out(&x, &y) into &x: x; out(&x, &y) into &y: y"]
    );
}

#[test]
fn calls_that_may_not_be_made_have_a_condition() {
    assert_eq!(
        body("if (x && rd()) y = 1;"),
        ["rd(): local, maybe"; 2],
        "the call is part of one step"
    );
    assert_eq!(
        body("x = y ? rd() : r2();"),
        ["rd(): local, maybe; r2(): local, maybe"]
    );
    // Whether the second is made depends on the first, which therefore has a variable of its own.
    assert_eq!(
        body("(x = rd()) && r2();"),
        ["rd(): local; r2(): unused, maybe"]
    );
}

#[test]
fn functions_have_roles() {
    let (_, system, _) = lower(
        "#include <stdio.h>\nextern int limit; static int here; int rd(void), never(void);\n\
         void reach_error(void); void own(void) {} void dead(void) { never(); }\n\
         int main(void) { int x = rd(); own(); printf(\"\"); here = limit; __VERIFIER_assume(x);\n\
         __VERIFIER_ltl_step(); reach_error(); }",
        IntMode::Math,
    );
    let program = system.program.as_ref().expect("a C program");
    let role = |name: &str| {
        let mut functions = program.functions.iter();
        let function = functions.find(|function| &*function.name == name);
        function.map(|function| (function.role, function.declared))
    };
    assert_eq!(role("rd"), Some((CRole::Input, true)));
    assert_eq!(role("own"), Some((CRole::Body, true)));
    assert_eq!(role("printf"), Some((CRole::Silent, false)));
    assert_eq!(role("never"), Some((CRole::Other, true)));
    assert_eq!(role("__VERIFIER_assume"), Some((CRole::Assume, false)));
    assert_eq!(role("__VERIFIER_ltl_step"), Some((CRole::Step, false)));
    assert_eq!(role("reach_error"), Some((CRole::Error, true)));
    let linkage = |name: &str| {
        let mut objects = program.objects.iter();
        objects.find(|o| &*o.name == name).map(|o| o.linkage)
    };
    assert_eq!(linkage("limit"), Some(CLinkage::Extern));
    assert_eq!(linkage("here"), Some(CLinkage::Global));
    assert_eq!(linkage("x"), Some(CLinkage::Local));
}

/// The inputs of a program with volatile objects.
fn volatile(text: &str) -> Vec<String> {
    arrivals(&format!(
        "volatile int v, w; volatile int a[2]; volatile struct {{ int m; }} s; struct {{ volatile int n; int o; }} t;\n\
         int x, y;\nint main(void) {{ {text} }}"
    ))
}

#[test]
fn each_read_of_a_volatile_object_is_an_input() {
    assert_eq!(volatile("v;"), ["v: v"]);
    assert_eq!(volatile("v = 1;"), [""; 0]);
    assert_eq!(volatile("x = v;"), ["v: local"]);
    assert_eq!(volatile("x = v + v;"), ["v: local; v: local"]);
    assert_eq!(volatile("if (v) x = 1;"), ["v: local"; 2]);
    assert_eq!(volatile("v++;"), ["v: local"]);
    assert_eq!(volatile("v += 2;"), ["v: local"]);
    assert_eq!(volatile("x = a[y];"), ["a[y]: local"]);
    assert_eq!(volatile("x = s.m;"), ["s.m: local"]);
    assert_eq!(volatile("x = t.n + t.o;"), ["t.n: local"]);
    assert_eq!(volatile("x = y && v;"), ["v: local, maybe"]);
    assert_eq!(
        volatile("x = y ? v : w;"),
        ["v: local, maybe; w: local, maybe"]
    );
    assert_eq!(volatile("x = sizeof v;"), [""; 0]);
}

#[test]
fn volatile_objects_are_found_behind_pointers() {
    assert_eq!(volatile("volatile int *p = &v; x = *p;"), ["*p: local"]);
    assert_eq!(volatile("volatile int *p = &x; y = *p;"), ["*p: local"]);
    assert_eq!(volatile("int *p = (int *)&v; y = *p;"), ["*p: local"]);
    assert_eq!(
        volatile("volatile int *p = &v; if (y) p = &w; x = *p;"),
        ["*p: local, maybe; *p: local, maybe"]
    );
    // The pointer is volatile, not what it points to; it is compared, not followed.
    assert_eq!(volatile("int *volatile p = &x; y = 1;"), [""; 0]);
}

#[test]
fn automatic_variables_keep_their_values() {
    assert_eq!(volatile("volatile int i = 0; x = i;"), [""; 0]);
    assert_eq!(
        volatile("volatile int i = 0; volatile int *p = &i; x = i;"),
        ["i: local"]
    );
    assert_eq!(volatile("static volatile int i; x = i;"), ["i: local"]);
}
